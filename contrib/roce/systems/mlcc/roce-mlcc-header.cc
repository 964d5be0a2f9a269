// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc-header.h"

namespace ns3::roce
{

// Of data, the last four bytes are cut off: they are not charged.
const FrameExtension MlccHeader::EXTENSION{
    "mlcc",
    {6, 10, 0, 10},
    true,
    [](const void* value, std::vector<uint8_t>& out) {
        const MlccHeader& header = *static_cast<const MlccHeader*>(value);
        out.push_back(static_cast<uint8_t>(header.epoch >> 8));
        out.push_back(static_cast<uint8_t>(header.epoch));
        for (const uint32_t word : {header.word, header.dqmMbps})
        {
            for (int shift = 24; shift >= 0; shift -= 8)
            {
                out.push_back(static_cast<uint8_t>(word >> shift));
            }
        }
    }};

} // namespace ns3::roce
