// SPDX-License-Identifier: GPL-2.0-only
#include "roce-uno-erasure-header.h"

namespace ns3::roce
{

const FrameExtension UnoErasureHeader::EXTENSION{
    "uno-erasure",
    {CODE_HEADER_BYTES, 0, 0, 0},
    false,
    [](const void* value, std::vector<uint8_t>& out) {
        const BlockPlace& place = static_cast<const UnoErasureHeader*>(value)->place;
        out.insert(out.end(), {place.index, place.data, place.total, place.last});
    }};

} // namespace ns3::roce
