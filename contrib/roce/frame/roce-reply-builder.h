// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_REPLY_BUILDER_H
#define ROCE_REPLY_BUILDER_H

#include "roce-frame.h"

namespace ns3::roce
{

/**
 * @brief Makes the frames that a NIC or a switch sends back because of another frame: addressed to
 * its sender, in a class of their own.
 */
struct ReplyBuilder
{
    /// Sender and receiver of a reply.
    struct Address
    {
        uint32_t src;
        uint32_t srcQp;
        uint32_t dst;
        uint32_t dstQp;
        uint16_t entropy; //!< UDP source port
    };

    uint8_t trafficClass{6}; //!< of the replies
    uint8_t ttl{64};         //!< of the replies

    /**
     * @brief A frame without contents.
     * @param kind of the frame
     * @param address sender and receiver
     * @param frameBytes its size, MAC header to FCS
     */
    Frame* Build(FrameKind kind, const Address& address, uint32_t frameBytes) const
    {
        Frame* reply = FramePool::Alloc();
        reply->kind = kind;
        reply->src = address.src;
        reply->dst = address.dst;
        reply->srcQp = address.srcQp;
        reply->dstQp = address.dstQp;
        reply->entropy = address.entropy;
        reply->trafficClass = trafficClass;
        reply->dscp = static_cast<uint8_t>(trafficClass << 3);
        reply->ttl = ttl;
        reply->frameBytes = frameBytes;
        return reply;
    }

    /**
     * @brief An answer without contents.
     * @param kind of the answer
     * @param data what it answers
     * @param frameBytes size of the answer, MAC header to FCS
     */
    Frame* Build(FrameKind kind, const Frame& data, uint32_t frameBytes) const
    {
        Frame* reply =
            Build(kind, {data.dst, data.dstQp, data.src, data.srcQp, data.entropy}, frameBytes);
        reply->dataEntropy = data.entropy;
        return reply;
    }

    /**
     * @brief A notification of a mechanism to the sender of a frame, with the frame's PSN and time
     * stamp.
     * @param mechanism see Notification::kind
     * @param data the frame it is about
     * @param frameBytes size, MAC header to FCS; 0: that of an ACK with a time stamp
     */
    Frame* Notify(uint32_t mechanism, const Frame& data, uint32_t frameBytes = 0) const
    {
        Frame* reply = Build(FrameKind::NOTIFICATION,
                             data,
                             frameBytes ? frameBytes : ACK_FRAME_BYTES + TIMESTAMP_BYTES);
        reply->msn = mechanism;
        reply->psn = data.psn;
        reply->sentPs = data.sentPs;
        reply->flags = FRAME_TIMESTAMP;
        reply->telemetryBytes = TIMESTAMP_BYTES;
        return reply;
    }
};

} // namespace ns3::roce

#endif /* ROCE_REPLY_BUILDER_H */
