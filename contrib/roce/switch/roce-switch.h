// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SWITCH_H
#define ROCE_SWITCH_H

#include "roce-drop-counters.h"
#include "roce-pause-sender.h"
#include "roce-routing.h"
#include "roce-shared-buffer.h"
#include "roce-stage-pipeline.h"
#include "roce-tail-contest.h"

#include "ns3/data-rate.h"
#include "ns3/object-factory.h"
#include "ns3/queue-size.h"
#include "ns3/roce-api-check.h"
#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-port.h"
#include "ns3/roce-station-trace.h"
#include "ns3/roce-station.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

class PathPolicy;

/**
 * @brief A shared-buffer Ethernet switch with PFC. Aggregated to a Node whose devices are its
 * Ports.
 *
 * A frame is routed (ECMP group of its destination rack), admitted (SharedBuffer), queued at the
 * egress port (EgressScheduler) and released when its transmission starts. SwitchStages see it on
 * arrival, enqueue and dequeue (StagePipeline). Where nothing is in its way and no stage wants it
 * to be queued, it is sent at once and never occupies the buffer. XOFF and XON are real frames,
 * sent ahead of everything, refreshed at half their duration while the cause lasts (PauseSender).
 *
 * Invariants, checked by Audit(): frames in + emitted = frames out + dropped + consumed + queued +
 * held; bytes admitted = bytes released + bytes in the buffer.
 */
class Switch : public Object, public Station
{
  public:
    /// Why a frame was lost; stages may add reasons (AddDropReason()).
    enum DropReason : uint8_t
    {
        DROP_BUFFER = 0, //!< "buffer": refused by the shared buffer
        DROP_NO_ROUTE,   //!< "noRoute": no port leads to the destination
        DROP_TTL,        //!< "ttl": too many hops
    };

    /// Frame and byte counters since the start.
    struct Counters
    {
        uint64_t rxFrames{0};
        uint64_t txFrames{0};
        uint64_t emittedFrames{0};
        uint64_t consumedFrames{0};
        uint64_t heldFrames{0};            //!< now in the hands of stages
        uint64_t droppedLosslessFrames{0}; //!< part of DROP_BUFFER that PFC should have prevented
        uint64_t admittedBytes{0};
        uint64_t releasedBytes{0};
    };

    static TypeId GetTypeId();

    Switch();
    ~Switch() override;

    // --- set-up, in this order

    /**
     * @brief Add a port. Its device must already belong to the node.
     * @param port the device
     * @return its index
     */
    uint16_t AddPort(Ptr<Port> port);

    /// @param datacenter of this switch; 0 unless given
    void SetDatacenter(uint32_t datacenter)
    {
        m_datacenter = datacenter;
    }

    /**
     * @brief Override the buffer parameters of one port (deep buffers, static thresholds).
     * @param config headroomBytes 0 means computed from the link, egressLimitBytes 0 attribute
     * EgressLimit
     */
    void SetPortBuffer(uint16_t port, const SharedBuffer::PortConfig& config);

    /**
     * @brief All ports and links are there: size the buffer, set up routing.
     * @param attachments table of the network
     * @param ownRack rack of this switch's NICs or -1
     * @param salt ECMP salt
     * @param maxFrameBytes largest frame, MAC header to FCS, for the headroom
     * @throws InputError if the headroom does not fit
     */
    void Configure(const std::string& name,
                   std::shared_ptr<const Attachments> attachments,
                   int32_t ownRack,
                   uint64_t salt,
                   uint32_t maxFrameBytes);

    /**
     * @brief Choose among several ways by a policy, not by ECMP. After Configure(), before routes
     * are set.
     * @param policy belongs to this switch from now on
     */
    void SetPathPolicy(Ptr<PathPolicy> policy);

    /**
     * @brief Append a stage to the pipeline. After Configure().
     * @param stage belongs to this switch from now on
     */
    void Install(Ptr<SwitchStage> stage);

    /**
     * @brief Change the live parameters of a stage during a simulation.
     * @param prototype all stages here of its class take over its parameters
     * @return how many there are
     * @throw InputError see SwitchStage::Retune()
     */
    unsigned Retune(const SwitchStage& prototype, int64_t nowPs);

    // --- for stages

    /**
     * @brief Send a frame of the switch's own; it is routed by its dst and charged to the control
     * pool. Arrival stages do not see it.
     * @param frame handed over
     * @throw InputError for a size, class or dst that does not exist
     */
    void Emit(Frame* frame, int64_t nowPs);

    /**
     * @brief Give a held frame back to the pipeline, after the hook at which it was held.
     * @param frame handed over
     * @param hook ARRIVAL or ENQUEUE
     * @param outPort egress port; needed for ENQUEUE only
     * @throw InputError for a frame that is not held
     */
    void Release(Frame* frame, SwitchStage::Hook hook, uint16_t outPort, int64_t nowPs);

    /**
     * @brief Call a stage's OnTimer() at a time; replaces an earlier time. Exact, unlike an event
     * scheduled from a hook, which may come late by the station's slack.
     * @param stage an installed stage
     * @param atPs time, or NEVER_PS; the present, if it is past
     */
    void ArmStage(SwitchStage* stage, int64_t atPs);

    /**
     * @brief Name a reason for which a stage drops frames. From SwitchStage::Install() only.
     * @param name lower camel case; counter framesDroppedName in summary.json is made of it
     * @return for Refuse()
     */
    uint8_t AddDropReason(const char* name)
    {
        return m_drops.Register(name);
    }

    /**
     * @brief Say why a frame is lost: `return sw.Refuse(reason)` at the end of a hook.
     * @param reason see AddDropReason()
     * @return SwitchStage::Verdict::DROP
     */
    SwitchStage::Verdict Refuse(uint8_t reason)
    {
        m_refusal = reason;
        return SwitchStage::Verdict::DROP;
    }

    /// @brief Something outside has changed what a port may send (a shaping scheduler's rates).
    void Kick(uint16_t port, int64_t nowPs);

    /**
     * @brief Drop what is queued of a class.
     * @param port egress
     * @param reason see AddDropReason()
     */
    void Flush(uint16_t port, uint8_t trafficClass, uint8_t reason, int64_t nowPs);

    /**
     * @brief Give a port other queues than those of the attribute EgressScheduler. From
     * SwitchStage::Install() only: nothing is queued yet.
     * @param queue the port's from now on
     */
    void SetQueue(uint16_t port, Ptr<EgressScheduler> queue);

    // --- faults

    /// @brief Keep the peer of a port paused from now on in all classes that PFC protects, whatever
    /// the buffer says, or no longer. @param on the first
    void SetStorm(uint16_t port, bool on);

    // --- observation

    /// @return datacenter of this switch
    uint32_t GetDatacenter() const
    {
        return m_datacenter;
    }

    /// @param nic number in the network.
    uint32_t GetDatacenterOf(uint32_t nic) const
    {
        return m_routing.GetAttachments().datacenterOfNic[nic];
    }

    /// @return whether the switch at its other end belongs to another datacenter
    bool IsWanPort(uint16_t port) const;

    /// @return whether a NIC is at its other end
    bool IsHostPort(uint16_t port) const;

    uint16_t GetNPorts() const
    {
        return static_cast<uint16_t>(m_ports.size());
    }

    Ptr<Port> GetPort(uint16_t port) const
    {
        return m_ports[CheckPort(port)].port;
    }

    /// @return the port; counts no reference, for stations at work (ParallelRun)
    Port* PeekPort(uint16_t port) const
    {
        return PeekPointer(m_ports[port].port);
    }

    /// @return its queues; call CatchUp(now) first for exact lengths
    /// @throw InputError before Configure()
    const EgressScheduler& GetQueue(uint16_t port) const
    {
        const EgressScheduler* queue = PeekPointer(m_ports[CheckPort(port)].queue);
        return queue ? *queue : NoQueue();
    }

    /// @return routing tables
    Routing& GetRouting()
    {
        return m_routing;
    }

    /// @return what chooses among several ways, or null: ECMP
    Ptr<PathPolicy> GetPathPolicy() const;

    const SharedBuffer& GetBuffer() const
    {
        return m_buffer;
    }

    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /// @return frames dropped, by reason
    const DropCounters& GetDrops() const
    {
        return m_drops;
    }

    /// @brief Report the counters of the switch and its stages. @param counters to add to, by the
    /// names of summary.json; other switches may have added to the same
    void Count(std::map<std::string, uint64_t>& counters) const;

    /// @return stages in pipeline order
    const std::vector<Ptr<SwitchStage>>& GetStages() const
    {
        return m_pipeline.GetStages();
    }

    /**
     * @tparam T class of a stage
     * @return the first stage of that class, or null
     */
    template <typename T>
    T* FindStage() const
    {
        return m_pipeline.Find<T>();
    }

    /// @return attribute LosslessClasses
    uint8_t GetLosslessMask() const
    {
        return m_losslessMask;
    }

    /// @return what makes its pause frames
    const PauseSender& GetPauseSender() const
    {
        return m_pauses;
    }

    uint32_t GetNodeId() const
    {
        return m_nodeId;
    }

    /// @return name given to Configure()
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @brief Check the invariants of the class comment. @return empty, or what is wrong
    std::string Audit() const;

    // inherited from Station
    void Fetch(FetchStep step, Plan& plan, int64_t nowPs) const override;
    void OnPauseChange(Port& port, int64_t atPs) override;
    void OnLinkRepair(Port& port, int64_t atPs) override;

    /// Signature of trace source Drop.
    typedef void (*DropCallback)(const Frame& frame, const char* reason, Time at);
    /// Signature of trace source PauseSent.
    typedef void (*PauseSentCallback)(uint16_t port,
                                      uint8_t trafficClass,
                                      PauseEvent event,
                                      Time at);
    /// Signature of trace source QueueLength: bytes of one class in the queues of one port.
    typedef void (*QueueLengthCallback)(uint16_t port,
                                        uint8_t trafficClass,
                                        uint64_t bytes,
                                        Time at);

  protected:
    void DoDispose() override;
    void NotifyNewAggregate() override;

  private:
    void SetPauseQuanta(uint16_t quanta);
    uint16_t GetPauseQuanta() const;
    void SetRefreshPause(bool refresh);
    bool IsRefreshPause() const;
    double AlphaOf(const Port& port) const;
    SharedBuffer::PortConfig MakePortBuffer(uint16_t index, uint32_t maxFrameBytes) const;

    /// What belongs to one port and every frame touches: a cache line.
    struct alignas(64) OutPort
    {
        Ptr<Port> port;
        Ptr<EgressScheduler> queue;
        const Link::Direction* link{nullptr}; //!< where it sends to; to be prefetched only
        FrameQueue pfc;                       //!< pause frames waiting, ahead of everything
        uint32_t queuedFrames{0};             //!< frames in queue
        bool starting{false};                 //!< Send() is at work
        bool workConserving{true};            //!< the scheduler never holds a frame back

        /// @return whether anything waits
        bool HasFrames() const
        {
            return queuedFrames || !pfc.IsEmpty();
        }

        /// @return whether a frame of that class could be sent at once
        bool IsIdle(uint8_t trafficClass, int64_t nowPs) const
        {
            return !queuedFrames && port->GetBusyUntilPs() <= nowPs && pfc.IsEmpty() && !starting &&
                   workConserving && !(port->PausedMask(nowPs) >> trafficClass & 1);
        }
    };

    /// Frame::nextGapPs of a frame that a stage holds, which is on no link.
    static constexpr uint32_t HELD_MARK = 0x48454c44;

    /// @throw InputError if there is none
    std::size_t CheckPort(uint16_t port) const
    {
        return CheckIndex("port", port, m_ports.size());
    }

    /// Buffer parameters of one port, if they are not the switch's.
    struct BufferOverride
    {
        SharedBuffer::PortConfig config;
        bool isSet{false};
    };

    [[noreturn]] const EgressScheduler& NoQueue() const;
    void MakeQueues();
    void FetchWay(const Frame& frame, uint16_t inPort) const;
    void StartIfFree(uint16_t port, int64_t nowPs);
    void Depart(uint16_t port, int64_t atPs) override;
    void Receive(Port& port, Frame* frame, int64_t atPs) override;
    void Timer(int64_t atPs) override;
    void Forward(Frame* frame, int64_t nowPs);
    void ForwardByPolicy(Frame* frame, uint16_t route, int64_t nowPs);
    void ForwardTo(Frame* frame, uint16_t outPort, int64_t nowPs);
    uint16_t ChoosePath(const Frame& frame, int64_t nowPs);
    bool Admit(Frame* frame, uint16_t outPort, int64_t nowPs);
    void DropForBuffer(Frame* frame, uint16_t outPort, int64_t nowPs);
    void Contend(Frame& frame, uint16_t outPort, int64_t nowPs);
    bool Send(Frame* frame, OutPort& out, int64_t atPs);
    void Enqueue(Frame* frame, uint16_t outPort, int64_t nowPs);
    int64_t NextTryPs(const OutPort& out, uint32_t paused, int64_t atPs) const;
    void Drop(Frame* frame, uint8_t reason, int64_t nowPs);
    void Stop(Frame* frame,
              SwitchStage::Verdict verdict,
              SwitchStage::Hook hook,
              uint16_t outPort,
              int64_t nowPs);
    void ReleaseBuffer(const Frame& frame, uint16_t port, int64_t atPs);
    void SendPause(PauseEvent event, uint16_t port, uint8_t trafficClass, int64_t atPs);
    PauseSender::PausedList GetAllPaused() const;
    void ResumePeer(uint16_t port, uint8_t trafficClass, int64_t atPs);
    void TraceQueue(uint16_t port, uint8_t trafficClass, int64_t atPs);
    void SetTimers();

    std::vector<OutPort> m_ports;
    SharedBuffer m_buffer;
    Routing m_routing;
    Counters m_counters;
    DropCounters m_drops{"buffer", "noRoute", "ttl"}; //!< in the order of DropReason
    uint8_t m_refusal{0};                             //!< reason of the last Refuse()
    StagePipeline m_pipeline;
    PauseSender m_pauses;
    PauseSender::PausedList m_storms; //!< ports whose peers are paused anyway, and classes
    std::vector<BufferOverride> m_bufferOverrides; //!< by port, as far as there are any
    TailContest m_contest;
    Ptr<PathPolicy> m_pathPolicy; //!< or null
    std::vector<bool> m_isWan;    //!< by port, if there is a policy
    uint32_t m_nodeId{0};
    uint32_t m_datacenter{0};
    bool m_eager{false};
    bool m_randomTies{false};
    bool m_resumeOthers{true};
    uint8_t m_dataMask{0};
    uint8_t m_losslessMask{0};
    QueueSize m_bufferSize;
    QueueSize m_controlPoolSize;
    double m_alpha{0};
    DataRate m_alphaReferenceRate;
    double m_headroomFactor{0};
    bool m_headroomInBuffer{true};
    double m_egressAlpha{0};
    QueueSize m_egressLimit;
    uint64_t m_reservedBytes{0};
    uint64_t m_xonOffsetBytes{0};
    uint64_t m_responseBytes{0};
    ObjectFactory m_schedulerFactory;
    std::string m_name;
    StationTrace<const Frame&, const char*, Time> m_dropTrace;
    StationTrace<uint16_t, uint8_t, PauseEvent, Time> m_pauseSentTrace;
    StationTrace<uint16_t, uint8_t, uint64_t, Time> m_queueTrace;
};

} // namespace ns3::roce

#endif /* ROCE_SWITCH_H */
