// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_ERASURE_HEADER_H
#define ROCE_UNO_ERASURE_HEADER_H

#include "roce-block-code.h"

#include "ns3/roce-frame-extension.h"

#include <cstdint>

namespace ns3::roce
{

constexpr uint32_t CODE_HEADER_BYTES = 4; //!< UnoErasureHeader on the wire

/**
 * @ingroup roce
 * @brief Where a coded packet is: index in the block, packets that rebuild it, packets of it,
 * whether the message ends with it, one byte each on the wire, in this order. (The Uno paper names
 * no format.)
 */
struct UnoErasureHeader
{
    BlockPlace place;
    uint32_t blockBytes; //!< bytes of the message in the block; not on the wire: they follow from
                         //!< the length of the message, which is there

    static const FrameExtension EXTENSION;
};

} // namespace ns3::roce

#endif /* ROCE_UNO_ERASURE_HEADER_H */
