// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PATH_INFO_H
#define ROCE_PATH_INFO_H

#include <algorithm>
#include <cstdint>

namespace ns3::roce
{

/// @brief What a sender knows of its path when the queue pair is made.
struct PathInfo
{
    uint64_t lineRateBps{0};      //!< rate of the sender's NIC
    uint64_t bottleneckBps{0};    //!< lowest link rate on the path
    int64_t baseRttPs{0};         //!< empty-network RTT of a full frame and its ACK
    uint32_t hops{0};             //!< links on the path, NIC to NIC
    uint32_t mtuBytes{0};         //!< payload of a full frame
    uint32_t fullFrameBytes{0};   //!< wire bytes of a full frame, framing included
    uint32_t windowFrameBytes{0}; //!< what one adds to the bytes in flight; 0: fullFrameBytes
    bool interDc{false};          //!< the path leaves the datacenter
    bool lossless{false};         //!< PFC protects the data all the way
    bool flowWindowScales{false}; //!< flowWindowBytes is for the line rate, else for every rate
    uint32_t datacenter{0};       //!< of the sender
    /// The part of it inside the sender's datacenter: a round trip to the switch that sends on the
    /// first long link, and the links to there. Without long link: as baseRttPs and hops.
    int64_t nearRttPs{0};
    uint32_t nearHops{0};
    /// The most that may be in flight, whatever the rate law's window; 0: no limit. See
    /// Nic::FlowWindow.
    uint64_t flowWindowBytes{0};
    /// Longest base RTT between NICs, within the sender's datacenter or, for interDc, out of it; 0:
    /// not asked for (LossRecovery::NeedsLongestRtt()).
    int64_t longestRttPs{0};
    int64_t fullQueuePs{0}; //!< time that the longest of the path's queues takes to drain when full

    /// @return line rate times base RTT, in bytes
    double BdpBytes() const
    {
        return static_cast<double>(lineRateBps) * static_cast<double>(baseRttPs) / 8e12;
    }

    /// @return what a full frame adds to the bytes in flight, the unit of windows: its wire bytes,
    /// or its payload (Nic::PayloadWindow)
    uint32_t FrameInFlightBytes() const
    {
        return windowFrameBytes ? windowFrameBytes : fullFrameBytes;
    }

    /**
     * @return rate on the wire that spreads it over a base RTT, bit/s; at least 1, at most the line
     * rate
     */
    uint64_t PacedBps(double windowBytes) const
    {
        const double wireShare = static_cast<double>(fullFrameBytes) / FrameInFlightBytes();
        const double bps = windowBytes * wireShare * 8e12 / static_cast<double>(baseRttPs);
        return bps < static_cast<double>(lineRateBps)
                   ? std::max<uint64_t>(1, static_cast<uint64_t>(bps + 0.5))
                   : lineRateBps;
    }

    /**
     * @return the whole frames in it, at least one, in bytes: a queue pair sends while less than
     * the window is in flight
     */
    uint64_t WholeFramesBytes(double windowBytes) const
    {
        const uint32_t frame = FrameInFlightBytes();
        const auto frames = static_cast<uint64_t>(std::min(windowBytes / frame, 1e12));
        return std::max<uint64_t>(frames, 1) * frame;
    }
};

} // namespace ns3::roce

#endif /* ROCE_PATH_INFO_H */
