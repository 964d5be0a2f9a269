// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CONGESTION_CONTROL_H
#define ROCE_CONGESTION_CONTROL_H

#include "roce-path-info.h"
#include "roce-receiver-feedback.h"

#include "ns3/object.h"
#include "ns3/roce-frame-extension.h"
#include "ns3/roce-time.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3::roce
{

class Deployment;

/// A window that never binds.
constexpr uint64_t UNLIMITED_BYTES = std::numeric_limits<uint64_t>::max();

/// @brief Contents of one ACK or NAK, for the sender.
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
    bool isLoss{false};                 //!< a loss has been found, by it or since the last ACK
    int64_t rttPs{0};                   //!< this ACK's RTT sample; 0 if it has none
    int64_t remoteHoldPs{0};            //!< part of the sample that the remote host held the data
    const IntStack* telemetry{nullptr}; //!< echoed INT, or null
    ExtensionView extension{};          //!< law-specific data in the ACK
    uint16_t entropy{0};                //!< UDP source port of the data frame it answers
    bool isMarked{false};               //!< the ACK itself carries CE
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

/// @brief A quantity of a rate law's own, for time series.
struct ControlVariable
{
    const char* name; //!< with its unit at the end, if it has one: "target_rate_bps"
    double value;
};

/// @brief A data frame that starts on the wire.
struct SendInfo
{
    int64_t nowPs{0};          //!< start of its transmission
    uint32_t wireBytes{0};     //!< its size, framing included
    uint64_t psn{0};           //!< its number
    bool isRepeat{false};      //!< the PSN has been sent before
    ExtensionView extension{}; //!< to be filled in: see GetDataExtension()
};

/// @brief A CNP.
struct CnpInfo
{
    int64_t nowPs{0};          //!< arrival
    ExtensionView extension{}; //!< law-specific data in the frame
};

/// @brief A message from a switch to a sender (edge functions of external switches).
struct Notification
{
    int64_t nowPs{0};                   //!< arrival
    uint32_t kind{0};                   //!< mechanism, 24 bits: FourCc() without the fourth
    int64_t rttPs{0};                   //!< since the data frame it is about was sent; 0: unknown
    uint64_t psn{0};                    //!< of that frame
    const IntStack* telemetry{nullptr}; //!< INT that it brings, or null
    ExtensionView extension{};          //!< law-specific data in the frame
    bool isMarked{false};               //!< it carries CE
};

/**
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
    /// @return the object TypeId
    static TypeId GetTypeId();

    CongestionControl() = default;
    ~CongestionControl() override = default;

    /// @brief A copy with the same parameters, for one more queue pair. @return the copy
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

    /// @return whether ECN marks are the rate law's only sign of congestion
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
     * @return pacing quantum, wire bytes sent back to back before the gap that is due for all of
     * them; 0: a gap after each packet
     */
    virtual uint32_t GetBurstBytes() const
    {
        return 0;
    }

    /**
     * @return a prototype of what the other end sends back: CE, time stamp and INT in each ACK, if
     * not overridden
     */
    virtual Ptr<ReceiverFeedback> MakeFeedback() const;

    /// @return the extension that each data frame carries, zero before OnSend(), or null
    virtual const FrameExtension* GetDataExtension() const
    {
        return nullptr;
    }

    /// @brief A data frame starts on the wire. @param sent what it is
    virtual void OnSend([[maybe_unused]] const SendInfo& sent)
    {
    }

    /// @brief An ACK (or a NAK, with isNak set) has arrived. @param ack its contents
    virtual void OnAck([[maybe_unused]] const AckInfo& ack)
    {
    }

    /// @brief A CNP has arrived. @param cnp its contents
    virtual void OnCnp([[maybe_unused]] const CnpInfo& cnp)
    {
    }

    /// @brief A switch has sent a notification to this queue pair. @param notification its contents
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

    /// @brief Where each packet has a timer of its own, that of packets after the oldest one has
    /// run out, which OnTimeout() has reported already. @param nowPs current time
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

    /// @return when the rate next changes without any further event, or NEVER_PS
    virtual int64_t NextRateChangePs() const
    {
        return NEVER_PS;
    }

    /**
     * @brief Take over the live parameters of another object during the simulation. State is kept:
     * a running timer continues, and a new period is used from its next start.
     *
     * The NIC calls it between events, and paces waiting packets again.
     * @param prototype of the same class
     * @param nowPs current time
     * @throw InputError if a parameter differs that is not live (see ParameterTable::Live), or if
     * nothing of this law is
     */
    virtual void Retune(const CongestionControl& prototype, int64_t nowPs);

    /// @return a law that runs inside this one, or its prototype; null: none
    virtual Ptr<const CongestionControl> GetInnerLaw() const
    {
        return nullptr;
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

    /// @return current window, wire bytes, within PathInfo::flowWindowBytes; UNLIMITED_BYTES if
    /// neither the law nor the path has one
    uint64_t GetWindowBytes() const
    {
        return m_path.flowWindowBytes ? WithinFlowWindow() : m_windowBytes;
    }

    /// @return what was given to Start()
    const PathInfo& GetPath() const
    {
        return m_path;
    }

  protected:
    /// @brief Copy parameters; state is set by Start(). @param other the prototype
    CongestionControl(const CongestionControl& other) = default;

    /**
     * @brief Subclass part of Start(): rate is the line rate and the window unlimited on entry.
     * @param nowPs current time
     */
    virtual void DoStart(int64_t nowPs) = 0;

    /**
     * @brief The argument of Retune() as the own class.
     * @tparam T own class
     * @param prototype as given to Retune()
     * @return the same
     * @throw InputError if it is of another class
     */
    template <typename T>
    const T& SameLaw(const CongestionControl& prototype) const
    {
        const T* same = dynamic_cast<const T*>(&prototype);
        if (!same || prototype.GetInstanceTypeId() != GetInstanceTypeId())
        {
            ThrowOtherLaw(prototype);
        }
        return *same;
    }

    /// @throw InputError unless the path's base RTT, line rate and full frame are positive
    void RequirePath() const;

  private:
    [[noreturn]] void ThrowOtherLaw(const CongestionControl& prototype) const;
    uint64_t WithinFlowWindow() const;

  protected:
    PathInfo m_path;                         //!< set by Start()
    uint64_t m_rateBps{0};                   //!< output: rate
    uint64_t m_windowBytes{UNLIMITED_BYTES}; //!< output: window
};

} // namespace ns3::roce

#endif /* ROCE_CONGESTION_CONTROL_H */
