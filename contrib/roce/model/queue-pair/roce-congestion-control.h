/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_CONGESTION_CONTROL_H
#define ROCE_CONGESTION_CONTROL_H

#include "ns3/object.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-time.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

class Deployment;

/// A window that never binds.
constexpr uint64_t UNLIMITED_BYTES = std::numeric_limits<uint64_t>::max();

/**
 * @ingroup roce
 * @brief What a sender knows of its path when the queue pair is made.
 */
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
    /// The part of it inside the sender's datacenter: a round trip to the switch that sends on the
    /// first long link, and the links to there. Without long link: as baseRttPs and hops.
    int64_t nearRttPs{0};
    uint32_t nearHops{0};

    /// @return line rate times base RTT, in bytes
    double BdpBytes() const
    {
        return static_cast<double>(lineRateBps) * static_cast<double>(baseRttPs) / 8e12;
    }

    /**
     * @param windowBytes a window
     * @return rate that spreads it over a base RTT, bit/s; at least 1, at most the line rate
     */
    uint64_t PacedBps(double windowBytes) const
    {
        const double bps = windowBytes * 8e12 / static_cast<double>(baseRttPs);
        return bps < static_cast<double>(lineRateBps)
                   ? std::max<uint64_t>(1, static_cast<uint64_t>(bps + 0.5))
                   : lineRateBps;
    }

    /**
     * @param windowBytes a window
     * @return the whole frames in it, at least one, in bytes: a queue pair sends while less than
     * the window is in flight
     */
    uint64_t WholeFramesBytes(double windowBytes) const
    {
        const auto frames = static_cast<uint64_t>(std::min(windowBytes / fullFrameBytes, 1e12));
        return std::max<uint64_t>(frames, 1) * fullFrameBytes;
    }
};

/**
 * @ingroup roce
 * @brief What one ACK or NAK tells the sender.
 */
struct AckInfo
{
    int64_t nowPs{0};                   //!< arrival of the ACK
    uint64_t ackPsn{0};                 //!< every PSN below this one is acknowledged
    uint64_t sndNxtPsn{0};              //!< next PSN the sender will use
    uint64_t ackedBytes{0};             //!< wire bytes newly acknowledged
    uint32_t ackedPackets{0};           //!< data frames newly acknowledged
    uint64_t inflightBytes{0};          //!< wire bytes outstanding after this ACK
    uint32_t markedPackets{0};          //!< data frames with CE since the receiver's last ACK
    bool ecnEcho{false};                //!< the acknowledged data carried CE
    bool isNak{false};                  //!< the sender goes back: PSNs from ackPsn on come again
    bool isLoss{false};                 //!< this ACK has revealed a loss, however it is repaired
    int64_t rttPs{0};                   //!< this ACK's RTT sample; 0 if it has none
    int64_t remoteHoldPs{0};            //!< part of the sample that the remote host held the data
    const IntStack* telemetry{nullptr}; //!< echoed INT, or null
    uint16_t entropy{0};                //!< UDP source port of the data frame it answers
    bool hasMore{false};                //!< posted data waits to be sent

    /**
     * @return of ackedPackets, those with CE; refused packets may have been marked, too, and an
     * echo without a number counts for all packets of its ACK
     */
    uint32_t GetMarkedOfAcked() const
    {
        return std::min(ecnEcho && !markedPackets ? ackedPackets : markedPackets, ackedPackets);
    }
};

/**
 * @ingroup roce
 * @brief A quantity of a rate law's own, for time series.
 */
struct ControlVariable
{
    const char* name; //!< with its unit at the end, if it has one: "target_rate_bps"
    double value;
};

/**
 * @ingroup roce
 * @brief A message from a switch to a sender (edge functions of external switches).
 */
struct Notification
{
    int64_t nowPs{0};  //!< arrival
    uint32_t kind{0};  //!< mechanism, 24 bits: FourCc() without the fourth
    int64_t rttPs{0};  //!< since the data frame it is about was sent; 0 if it does not say
    uint64_t psn{0};   //!< of that frame
    uint64_t value{0}; //!< meaning set by the mechanism
};

/**
 * @ingroup roce
 * @brief The rate law of one sending queue pair.
 *
 * A subclass answers events and keeps two outputs up to date: a rate (bit/s of wire bytes) and a
 * window (wire bytes in flight). The queue pair sends when inflight < window and the pacing gap has
 * passed. Timers are lazy: nothing is scheduled. Whatever changes with time alone is computed in
 * Advance(), which is called before the rate is read, and NextRateChangePs() says when the rate
 * would change if nothing else happened, so that a waiting packet is re-paced in time.
 *
 * The NIC makes one prototype per attribute setting and Fork()s it for each queue pair.
 */
class CongestionControl : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CongestionControl() = default;
    ~CongestionControl() override = default;

    /**
     * @brief A copy with the same parameters, for one more queue pair.
     * @return the copy
     */
    virtual Ptr<CongestionControl> Fork() const = 0;

    /**
     * @brief Start: derive parameters from the path, set the initial rate and window.
     * @param path what is known of the path
     * @param nowPs current time
     */
    void Start(const PathInfo& path, int64_t nowPs)
    {
        m_path = path;
        m_rateBps = path.lineRateBps;
        m_windowBytes = UNLIMITED_BYTES;
        DoStart(nowPs);
    }

    /// @return whether switches must stamp INT into this queue pair's data frames
    virtual bool NeedsTelemetry() const
    {
        return false;
    }

    /// @return whether data frames must carry a time stamp that the ACK echoes
    virtual bool NeedsTimestamp() const
    {
        return false;
    }

    /// @return whether data frames are sent ECN-capable
    virtual bool IsEcnCapable() const
    {
        return true;
    }

    /// @return whether the rate law hears of congestion by ECN marks alone
    virtual bool NeedsEcn() const
    {
        return false;
    }

    /**
     * @brief Asked once before a run, of the prototype.
     * @param deployment what runs together in the network
     * @param interDc for flows between datacenters, or for the others
     * @throw InputError if this rate law makes no sense there
     */
    virtual void Check([[maybe_unused]] const Deployment& deployment,
                       [[maybe_unused]] bool interDc) const
    {
    }

    /**
     * @return pacing quantum, wire bytes: so many go out back to back, then comes the gap that is
     * due for all of them; 0: a gap after each packet
     */
    virtual uint32_t GetBurstBytes() const
    {
        return 0;
    }

    /// @return the ReceiverFeedback this rate law needs at the other end, in ObjectFactory's text
    /// form
    /// (`ns3::roce::EcnCnpFeedback[CnpInterval=50us]`)
    virtual std::string ReceiverFeedbackFactory() const
    {
        return "ns3::roce::PlainFeedback";
    }

    /**
     * @brief A data frame starts on the wire.
     * @param nowPs start of its transmission
     * @param wireBytes its size, framing included
     */
    virtual void OnSend([[maybe_unused]] int64_t nowPs, [[maybe_unused]] uint32_t wireBytes)
    {
    }

    /**
     * @brief An ACK (or a NAK, with isNak set) has arrived.
     * @param ack what it tells
     */
    virtual void OnAck([[maybe_unused]] const AckInfo& ack)
    {
    }

    /**
     * @brief A CNP has arrived.
     * @param nowPs current time
     */
    virtual void OnCnp([[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @brief A switch speaks to this queue pair.
     * @param notification what it says
     */
    virtual void OnNotification([[maybe_unused]] const Notification& notification)
    {
    }

    /**
     * @brief The retransmission timer has run out; the queue pair goes back.
     * @param nowPs current time
     */
    virtual void OnTimeout([[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @brief Where each packet has a timer of its own, that of packets behind the oldest one has
     * run out, of which OnTimeout() has told already.
     * @param nowPs current time
     */
    virtual void OnFurtherTimeout([[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @brief Evaluate everything that depends on time alone, up to and including nowPs.
     * @param nowPs never smaller than in an earlier call
     */
    virtual void Advance([[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @return when the rate next changes without any further event, or NEVER_PS
     */
    virtual int64_t NextRateChangePs() const
    {
        return NEVER_PS;
    }

    /**
     * @return what is legal but rarely meant on this path, one line without a full stop, or
     * nothing; after Start()
     */
    virtual std::string GetWarning() const
    {
        return "";
    }

    /**
     * @brief The rate law's own variables, as they are now. Must not change anything.
     *
     * Which names there are must not depend on the state, so that each is a time series. Rate and
     * window, the outputs, are not among them.
     * @param nowPs current time
     * @param variables appended to
     */
    virtual void GetVariables([[maybe_unused]] int64_t nowPs,
                              [[maybe_unused]] std::vector<ControlVariable>& variables) const
    {
    }

    /// @return current rate, bit/s of wire bytes; never 0
    uint64_t GetRateBps() const
    {
        return m_rateBps;
    }

    /// @return current window, wire bytes; UNLIMITED_BYTES if rate-based
    uint64_t GetWindowBytes() const
    {
        return m_windowBytes;
    }

    /// @return what was given to Start()
    const PathInfo& GetPath() const
    {
        return m_path;
    }

  protected:
    /**
     * @brief Copy parameters; state is set by Start().
     * @param other the prototype
     */
    CongestionControl(const CongestionControl& other) = default;

    /**
     * @brief Subclass part of Start(): rate is the line rate and the window unlimited on entry.
     * @param nowPs current time
     */
    virtual void DoStart(int64_t nowPs) = 0;

    /// @throw InputError unless the path's base RTT, line rate and full frame are positive
    void RequirePath() const;

    PathInfo m_path;                         //!< set by Start()
    uint64_t m_rateBps{0};                   //!< output: rate
    uint64_t m_windowBytes{UNLIMITED_BYTES}; //!< output: window
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_CONGESTION_CONTROL_H */
