// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MESSAGE_LAYOUT_H
#define ROCE_MESSAGE_LAYOUT_H

#include <cstdint>

namespace ns3::roce
{

/**
 * @brief How a message is laid out in packets, if not in pieces of an MTU one after the other.
 *
 * A loss recovery that adds packets of its own, such as parity, has one: LossRecovery::GetLayout().
 */
class MessageLayout
{
  public:
    virtual ~MessageLayout() = default;

    /// @param dataCount data packets of a message, at least 1. @return packets that are sent for it
    virtual uint64_t CountPackets(uint64_t dataCount) const = 0;

    /// @param position of a packet in its message. @return data packets before it, padding included
    virtual uint64_t CountDataBefore(uint64_t position) const = 0;

    /**
     * @param position of a packet in its message
     * @param packets CountPackets() of the message
     * @param bytes length of the message
     * @param mtuBytes payload of a full packet
     * @return payload of the packet
     */
    virtual uint32_t GetPayload(uint64_t position,
                                uint64_t packets,
                                uint64_t bytes,
                                uint32_t mtuBytes) const = 0;
};

} // namespace ns3::roce

#endif /* ROCE_MESSAGE_LAYOUT_H */
