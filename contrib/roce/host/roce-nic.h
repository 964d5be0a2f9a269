// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NIC_H
#define ROCE_NIC_H

#include "roce-host-program.h"
#include "roce-nic-packets.h"
#include "roce-nic-params.h"
#include "roce-nic-pauses.h"
#include "roce-nic-receiver.h"
#include "roce-nic-sender.h"
#include "roce-transport-profile.h"

#include "ns3/object-factory.h"
#include "ns3/roce-late-random.h"
#include "ns3/roce-port.h"
#include "ns3/roce-station-trace.h"
#include "ns3/roce-station.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief An RDMA NIC: one port, many queue pairs. A host may have several.
 *
 * Control frames (ACK, NAK, CNP) go first, then the data of the queue pair that QpScheduler names.
 * Queue pairs that wait for window or data cost nothing, and finished ones are freed. NicSender has
 * the sending queue pairs, NicReceiver the receiving ones, and TransportProfile has their parts.
 */
class Nic : public Port, public Station
{
  public:
    /// Counters since the start.
    struct Counters
    {
        uint64_t dataSent{0};
        uint64_t dataReceived{0};
        uint64_t retransmitted{0};
        uint64_t acksSent{0};
        uint64_t naksSent{0};
        uint64_t naksReceived{0};
        uint64_t cnpsSent{0};
        uint64_t cnpsReceived{0};
        uint64_t timeouts{0};
        uint64_t bytesDelivered{0}; //!< payload accepted, every byte once
        uint64_t ingressDrops{0};   //!< data that came faster than IngressRate
        uint64_t ingressMarks{0};   //!< data marked for IngressMark
        uint64_t strayFrames{0};    //!< for a queue pair that does not exist (any longer)
        uint64_t failedQps{0};      //!< retry limit exceeded
        uint64_t reordered{0};      //!< data overtaken by later data of its queue pair
        uint64_t reorderDepth{0};   //!< greatest distance to what overtook it, packets
        uint64_t pathMoves{0};      //!< of flows whose queue pairs are closed
        uint64_t notificationsReceived{0};
        uint64_t strayNotifications{0}; //!< for a queue pair that is closed; not in strayFrames
    };

    /// Gives what a sender may know of the path to another NIC.
    using PathOracle = std::function<
        PathInfo(uint32_t src, uint32_t dst, uint16_t entropy, uint8_t trafficClass, uint8_t law)>;

    /// @return the object TypeId
    static TypeId GetTypeId();

    Nic();
    ~Nic() override;

    /// @brief A NIC of its own with the same attributes, without queue pairs, laws that were added,
    /// and whatever it is connected to. Before other is activated.
    Nic(const Nic& other);
    Nic& operator=(const Nic&) = delete;

    /// @param index number of the NIC in its network. @param oracle see PathOracle
    void SetIdentity(uint32_t index, PathOracle oracle);

    /// @return number of the NIC in its network
    uint32_t GetIndex() const
    {
        return m_nicIndex;
    }

    /**
     * @brief Make room for a receiving queue pair; its state is created by the first frame.
     * @param src sending NIC
     * @param profile GetProfile() of that NIC
     * @param replyEntropy UDP source port of ACKs, NAKs and CNPs; 0: that of the data they answer
     * @return queue pair number here
     */
    uint32_t ReserveQp(uint32_t src, Ptr<const TransportProfile> profile, uint16_t replyEntropy = 0)
    {
        return m_receiver.GetTable().Reserve(src, std::move(profile), replyEntropy);
    }

    /// @return the number that ReserveQp() gives in the process that runs the NIC; here it is a
    /// copy, see Station::MakeCopy()
    uint32_t CountQp()
    {
        return m_countedQps++;
    }

    /**
     * @brief Open a sending queue pair.
     * @param dst receiving NIC
     * @param dstQp its ReserveQp() number
     * @param trafficClass class of the data, 0..7
     * @param entropy UDP source port
     * @param closeWhenDone free it when all that was posted is acknowledged
     * @param law see FlowSpec::law
     * @return the queue pair; the NIC owns it
     */
    QueuePair* OpenQp(uint32_t dst,
                      uint32_t dstQp,
                      uint8_t trafficClass,
                      uint16_t entropy,
                      bool closeWhenDone,
                      uint8_t law = 0);

    /**
     * @brief Post an RDMA WRITE.
     * @param qp of this NIC
     * @param bytes length; 0 is allowed
     * @param cookie returned by trace sources MessageCompleted and, at the receiver,
     * MessageReceived
     */
    void Post(QueuePair* qp, uint64_t bytes, uint64_t cookie);

    /// @param qpn number. @return the sending queue pair, or null once it is closed
    QueuePair* GetQp(uint32_t qpn) const
    {
        return m_sender.GetRetuned(qpn);
    }

    /// @return sending queue pairs ever opened
    uint32_t GetNQps() const
    {
        return m_sender.GetN();
    }

    /// @return sending queue pairs open now
    uint32_t GetOpenQps() const
    {
        return m_sender.GetOpen();
    }

    /**
     * @param qpn number given by ReserveQp()
     * @return the receiving queue pair, or null before its first frame
     */
    const ReceiverQp* GetReceiver(uint32_t qpn) const
    {
        return m_receiver.GetTable().Get(qpn);
    }

    /**
     * @brief The parts of new queue pairs: the attributes CongestionControl, LossRecovery and
     * PathSelector or, if the path leaves the datacenter and they are given, InterCongestionControl
     * and so on, behind the shim. Made when first asked for.
     * @param interDc of queue pairs that leave the datacenter
     * @param law see FlowSpec::law; below GetNLaws()
     * @return the prototypes
     * @throw InputError if an attribute names what it must not
     */
    const Ptr<TransportProfile>& GetProfile(bool interDc = false, uint8_t law = 0);

    /// @return whether GetProfile() has been called for these
    bool HasProfile(bool interDc, uint8_t law) const
    {
        return law < m_profiles.size() && m_profiles[law][interDc];
    }

    /// @return NICs with the same answer, other than null, have the same values of the attributes
    /// that GetProfile() is about, and profiles of law 0 would be made alike
    const void* GetAlike() const
    {
        return m_interShim.empty() ? m_alike.get() : nullptr;
    }

    /// @brief One more rate law that queue pairs may have, here or at other NICs. See
    /// Network::AddLaw(). @param law kind and parameters
    void AddLaw(const ObjectFactory& law);

    /// @return numbers of rate laws: that of the attributes, and those of AddLaw()
    std::size_t GetNLaws() const
    {
        return m_profiles.size();
    }

    /// @brief From now on, put a shim in front of the rate laws of new queue pairs that leave the
    /// datacenter. @param factory ControlShim in ObjectFactory's text form, or nothing
    void SetInterShim(const std::string& factory);

    /**
     * @brief Change live parameters of the attributes' rate law (FlowSpec::law 0) during the
     * simulation: of all open queue pairs, which keep their state, and of those to come.
     * RetuneReceivers() of all NICs follows. From events only, not from sinks of traces, which are
     * called for past times.
     * @param interDc of queue pairs that leave the datacenter
     * @param law prototype with the new parameters, of the class of the present law
     * @throw InputError if a parameter differs that is not live
     */
    void Retune(bool interDc, const Ptr<CongestionControl>& law);

    /// @brief Give receiving queue pairs the changes by Retune() of their senders' NICs.
    void RetuneReceivers();

    /**
     * @brief Give the NIC's random choices (PathSelector) their stream.
     * @param stream number
     * @return streams used
     */
    int64_t AssignStreams(int64_t stream);

    /// @return payload bytes of a full packet
    uint32_t GetMtuBytes() const
    {
        return m_mtuBytes;
    }

    /// @return header bytes of a data frame, MAC header to FCS
    uint32_t GetDataHeaderBytes() const
    {
        return m_headerBytes;
    }

    /// @return more of them in the first frame of a message
    uint32_t GetFirstHeaderBytes() const
    {
        return m_firstHeaderBytes;
    }

    /// @return payload is padded to a multiple of this many bytes, a power of two
    uint32_t GetPayloadAlign() const
    {
        return m_payloadAlign;
    }

    /// @return size of an ACK without telemetry, MAC header to FCS
    uint32_t GetAckFrameBytes() const
    {
        return m_ackFrameBytes;
    }

    /// @return least size of an ACK
    uint32_t GetAckMinBytes() const
    {
        return m_ackMinBytes;
    }

    /// @return the NIC acknowledges at least every this many packets
    uint32_t GetAckEveryN() const
    {
        return m_ackEveryN;
    }

    /// @return RtoFactor base RTTs, picoseconds. @param path a path
    int64_t GetRtoFloorPs(const PathInfo& path) const
    {
        return static_cast<int64_t>(
            std::min(m_rtoFactor * static_cast<double>(path.baseRttPs),
                     static_cast<double>(LossRecovery::LONGEST_TIMEOUT_PS)));
    }

    /// @return timeout by RtoMin and RtoFactor, picoseconds. @param path a path
    int64_t GetRtoPs(const PathInfo& path) const
    {
        return std::clamp(m_rtoMin.GetPicoSeconds(),
                          GetRtoFloorPs(path),
                          LossRecovery::LONGEST_TIMEOUT_PS);
    }

    /// @return timeouts without progress after which a queue pair fails; 0: never
    uint32_t GetRetryLimit() const
    {
        return m_retryLimit;
    }

    /**
     * @param interDc of queue pairs that leave the datacenter
     * @param law see FlowSpec::law
     * @return bytes of INT and time stamp charged to each data frame as it leaves this NIC
     */
    uint32_t GetTelemetryBytes(bool interDc = false, uint8_t law = 0)
    {
        return GetProfile(interDc, law)->GetTelemetryBytes(m_intHeaderBytes);
    }

    /// What hosts add to the times of a lone message, picoseconds.
    struct HostLatencies
    {
        int64_t postPs;       //!< at the sender, before the first packet
        int64_t completionPs; //!< at the sender, after the last ACK
        int64_t deliveryPs;   //!< at the receiver, after the last packet
    };

    /// @return attributes PostLatency, CompletionLatency, DeliveryLatency
    HostLatencies GetHostLatencies() const
    {
        const NicParams& p = *m_parameters.Get();
        return {p.postPs, p.completionPs, p.deliveryPs};
    }

    /// @return counters
    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /**
     * @brief Have the switch paused from now on, or no longer; see NicPauses.
     * @param classes that are paused, bit c for class c
     * @param on all the time
     * @param drainBps unless on: when the host, which takes in so much, is behind; 0: never
     */
    void SetPauses(uint8_t classes, bool on, uint64_t drainBps);

    /// @brief Have a program run at the host from now on, or none. After Activate().
    /// @param program outlives the NIC's use, or null
    void SetProgram(HostProgram* program);

    /**
     * @brief The host has a stack of ns-3: frames of kind PACKET are for it. After Activate(),
     * once.
     * @param stack outlives the NIC's use
     */
    void SetStack(PacketStack& stack);

    /// @return what is between the NIC and the stack, or null if there is none
    NicPackets* GetPackets()
    {
        return m_packets.get();
    }

    /// @brief Send a packet of the stack, by an event of its own. @param frame of kind PACKET and a
    /// class in which none waits; handed over
    void SendPacket(Frame* frame);

    /// @return when the port looks next for something to send, or NEVER_PS
    int64_t GetNextDeparturePs() const
    {
        return GetDeparture(0);
    }

    /// @brief Report the counters of the NIC and its queue pairs. @param counters to add to, by the
    /// names of summary.json; other NICs may have added to the same
    void Count(std::map<std::string, uint64_t>& counters) const;

    /**
     * @brief Say in one line why a queue pair is not sending.
     * @param qp of this NIC
     * @param nowPs current time
     * @return text
     */
    std::string Explain(const QueuePair& qp, int64_t nowPs) const
    {
        return m_sender.Explain(qp, nowPs);
    }

    /// Signature of trace source MessageCompleted.
    typedef void (*MessageCallback)(const MessageRecord& record);
    /// Signature of trace source MessageReceived.
    typedef void (*ReceivedCallback)(uint64_t cookie, Time at);
    /// Signature of trace source Rate: after each ACK, CNP and timeout.
    typedef void (*RateCallback)(const QueuePair& qp, Time at);

    /**
     * @brief Check attributes that ns-3's checkers cannot, and take them over. Before Activate().
     * @throw InputError naming the attribute
     */
    void CheckAttributes();

    /// @brief The NIC is connected: ready to send and receive.
    void Activate();

    // inherited from Station
    void Fetch(FetchStep step, Plan& plan, int64_t nowPs) const override;
    void OnPauseChange(Port& port, int64_t atPs) override;
    void Tell(std::size_t index) override;
    void Foresee(int64_t atPs) override;

    /**
     * @param index of a report, from 0
     * @return what Tell() would tell, for TellPacked() in another process
     */
    std::string PackReport(std::size_t index) const;

    /// @brief Tell() in place of this NIC, which another process runs. @param bytes see
    /// PackReport()
    void TellPacked(const std::string& bytes);

  protected:
    void DoDispose() override;

  private:
    friend class NicReceiver;
    friend class NicSender;

    void Depart(uint16_t port, int64_t atPs) override;
    void Receive(Port& port, Frame* frame, int64_t atPs) override;
    void Timer(int64_t atPs) override;
    int64_t NextDuePs() const;
    void Settle(int64_t nowPs);
    void NoteCompleted(const MessageRecord& record);
    void NoteReceived(uint64_t cookie, int64_t atPs);
    uint64_t DrawSeed();
    Ptr<CongestionControl> MakeLaw(bool interDc, uint8_t number);

    /// @brief GetAlike() is null from now on: an attribute has been set.
    void NotAlike()
    {
        m_alike = nullptr;
    }

    class TransportAttribute;

    /// What NICs share that are copies of each other: a rate law costs more than the NIC.
    struct Alike
    {
        std::array<bool, 2> isAskedFor{}; //!< within and across datacenters: once, at least
        std::array<Ptr<CongestionControl>, 2> laws; //!< nobody has them, they are only forked
    };

    /// @brief Wake up for the first of the timeouts, receivers' timers, program and pauses.
    void SetEarliestTimer()
    {
        int64_t nextPs = std::min(m_sender.NextTimerPs(), m_receiver.NextTimerPs());
        nextPs = m_program ? std::min(nextPs, m_program->NextPs()) : nextPs;
        SetTimer(m_pauses ? std::min(nextPs, m_pauses->NextTimerPs()) : nextPs);
    }

    // hot
    FrameQueue m_control;
    NicSender m_sender;
    NicReceiver m_receiver;
    Counters m_counters;
    uint32_t m_nicIndex{0};
    uint32_t m_countedQps{ReceiverTable::FIRST}; //!< see CountQp()
    std::unique_ptr<NicPauses> m_pauses;         //!< null: it never pauses its switch
    std::unique_ptr<NicPackets> m_packets;       //!< null: the host has no stack
    HostProgram* m_program{nullptr};             //!< or null
    PathOracle m_oracle;
    using Profiles = std::array<Ptr<TransportProfile>, 2>; //!< within and across datacenters
    std::vector<Profiles> m_profiles;                      //!< by FlowSpec::law
    std::vector<ObjectFactory> m_laws;                     //!< the same from 1 on
    LateRandom m_random;                                   //!< seeds of path selectors
    mutable std::shared_ptr<Alike> m_alike; //!< null: no copy of this one, or not any more
    // attributes
    ObjectFactory m_ccFactory;
    std::string m_interCc;
    std::string m_interShim;
    ObjectFactory m_recoveryFactory;
    std::string m_interRecovery;
    ObjectFactory m_selectorFactory;
    std::string m_interSelector;
    uint32_t m_mtuBytes{0};
    uint32_t m_headerBytes{0};
    uint32_t m_firstHeaderBytes{0};
    uint32_t m_payloadAlign{4};
    uint32_t m_ackFrameBytes{0};
    uint32_t m_ackMinBytes{0};
    uint32_t m_cnpFrameBytes{0};
    bool m_payloadWindow{false};
    std::string m_flowWindow;
    uint64_t m_flowWindowBytes{0};
    std::string m_repacingName;
    std::string m_pacingClock;
    QueuePair::Repacing m_repacing{QueuePair::Repacing::STRETCH}; //!< set by CheckAttributes()
    Parameters<NicParams> m_parameters;
    uint32_t m_ackEveryN{1}; //!< set by CheckAttributes()
    uint32_t m_queueDepth{0};
    Time m_idleRestart;
    uint8_t m_strictClasses{0};
    std::string m_classWeights;
    uint64_t m_receiveXoffBytes{0};
    uint8_t m_controlClass{0};
    uint8_t m_ttl{0};
    bool m_eager{false};
    Time m_rtoMin;
    double m_rtoFactor{0};
    uint32_t m_retryLimit{0};
    uint32_t m_intHeaderBytes{0};

    /// A message that is done, to be reported by Tell().
    struct Told
    {
        MessageRecord record; //!< received: cookie and completedPs only
        bool isReceived{false};
    };

    void TellNow(const Told& told);

    std::vector<Told> m_told; //!< in a partition only
    ReportTrace<const MessageRecord&> m_completedTrace;
    ReportTrace<uint64_t, Time> m_receivedTrace;
    StationTrace<const QueuePair&, Time> m_rateTrace;
};

} // namespace ns3::roce

#endif /* ROCE_NIC_H */
