// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_H
#define ROCE_NETWORK_H

#include "roce-best-paths.h"
#include "roce-flow-order.h"
#include "roce-ideal-fct.h"
#include "roce-network-options.h"
#include "roce-network-state.h"
#include "roce-station-handle.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/roce-api-check.h"
#include "ns3/roce-byte-size.h"
#include "ns3/roce-default-watch.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-parallel-run.h"
#include "ns3/roce-station-clock.h"
#include "ns3/roce-switch.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

class Tuner;

/**
 * @ingroup roce
 * @brief A network of hosts, NICs, switches and links under construction, and then its map.
 *
 * Any topology: add switches and hosts, attach NICs to switches, connect switches, Build(). Routes
 * are all shortest paths by number of links, computed per rack (a switch with NICs), as equal-cost
 * groups. Topology helpers (LeafSpineHelper) fill one of these.
 *
 * Nodes, NICs, switches and links are numbered in the order in which they are added. Host nodes may
 * have several NICs; flows run between NICs.
 *
 * Links may fail and be repaired, see Link. Unless SetReroute() is called routes stay as they are,
 * and what ECMP sends to a dead link is lost there.
 *
 * Each function throws InputError if it is called too early or too late (NetworkState), or for
 * numbers that do not exist. A Network lives until Simulator::Run() has returned: flows that start
 * after its end are an error.
 */
class Network
{
  public:
    /// Nothing is simulated beyond, 53 days: so no sum with a timeout or a delay overflows.
    static constexpr int64_t LONGEST_RUN_PS = int64_t{1} << 62;
    /// Longest delay of a link, an hour.
    static constexpr int64_t LONGEST_DELAY_PS = 3600LL * 1000 * 1000 * 1000 * 1000;

    /// Which part of the network a link belongs to.
    enum class LinkKind : uint8_t
    {
        HOST,   //!< NIC and switch
        FABRIC, //!< switches of one datacenter
        WAN,    //!< switches of two datacenters
    };

    /// A link by its number, and which end was named first.
    struct LinkRef
    {
        uint32_t link;
        unsigned firstEnd; //!< 0 or 1, see Link
    };

    /// What Build() puts into every switch in addition to its attributes.
    using Options = NetworkOptions;

    /// One link of a path, with the switch port or NIC that sends on it.
    struct PathHop
    {
        Port* port; //!< sending end
        HopSpec spec;
    };

    Network();
    ~Network();
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /**
     * @brief Add a switch.
     * @param name for messages and files
     * @param datacenter index
     * @param factory kind and parameters
     * @return its number
     */
    uint32_t AddSwitch(const std::string& name,
                       uint32_t datacenter,
                       const ObjectFactory& factory = ObjectFactory("ns3::roce::Switch"));

    /**
     * @brief Add a host without NICs.
     * @param name for messages and files
     * @param datacenter index
     * @return its number
     */
    uint32_t AddHost(const std::string& name, uint32_t datacenter);

    /**
     * @brief Give a host a NIC and connect it.
     * @param host number
     * @param sw number of the switch
     * @param rate of both ends
     * @param delay propagation, one way
     * @param factory kind and parameters of the NIC
     * @return NIC number
     * @throw InputError for unknown numbers, rate 0, negative delay
     */
    uint32_t AddNic(uint32_t host,
                    uint32_t sw,
                    const DataRate& rate,
                    const Time& delay,
                    const ObjectFactory& factory = ObjectFactory("ns3::roce::Nic"));

    /// The same in the units of the inside, bit/s and picoseconds.
    uint32_t AddNic(uint32_t host,
                    uint32_t sw,
                    uint64_t rateBps,
                    int64_t delayPs,
                    const ObjectFactory& factory = ObjectFactory("ns3::roce::Nic"));

    /**
     * @brief Connect two switches. Parallel links are allowed.
     * @param a one switch
     * @param b another switch
     * @param rate of both ends
     * @param delay propagation, one way
     * @return port numbers at a and at b
     * @throw InputError as AddNic()
     */
    std::pair<uint16_t, uint16_t> Connect(uint32_t a,
                                          uint32_t b,
                                          const DataRate& rate,
                                          const Time& delay);

    /// The same in the units of the inside, bit/s and picoseconds.
    std::pair<uint16_t, uint16_t> Connect(uint32_t a,
                                          uint32_t b,
                                          uint64_t rateBps,
                                          int64_t delayPs);

    /**
     * @brief Connect two switches by a long link, whose ports have deep buffers of their own: its
     * headroom does not come out of the switches' shared buffers.
     *
     * What arrives over the link may fill what the headroom leaves of the buffer before PFC stops
     * the other end (static threshold). Lossless classes need more than the headroom, a little over
     * two one-way BDPs.
     * @param a one switch
     * @param b another switch
     * @param rate of both ends
     * @param delay propagation, one way
     * @param buffer of each of the two ports; 0: four one-way BDPs, rate times two round trips, and
     * 4 MiB
     * @param xonFraction Xon over Xoff threshold, 0 to 1
     * @return port numbers at a and at b
     * @throw InputError as AddNic(), and for a buffer that does not hold the headroom
     */
    std::pair<uint16_t, uint16_t> ConnectLong(uint32_t a,
                                              uint32_t b,
                                              const DataRate& rate,
                                              const Time& delay,
                                              const ByteSize& buffer = {},
                                              double xonFraction = 0.5);

    /**
     * @brief The buffer of a port of a long link.
     * @param rate of the link
     * @param delay of the link
     * @param buffer see ConnectLong()
     * @param name of the buffer, for the message
     * @return bytes
     * @throw InputError if it does not hold the headroom of one lossless class
     */
    static uint64_t GetLongLinkBufferBytes(const DataRate& rate,
                                           const Time& delay,
                                           const ByteSize& buffer,
                                           const char* name);

    /**
     * @brief Compute routes, size buffers, install stages.
     * @param options see Options
     * @throw InputError if headroom does not fit, some NIC cannot reach some other, or a stage, a
     * rate law or anything else makes no sense here (Deployment)
     */
    void Build(const Options& options);

    /// @brief Build() with default options.
    void Build();

    /**
     * @brief Give every random decision in the network its own stream.
     * @param stream first
     * @return number used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @brief Run in several threads, with the same results; see ParallelRun. After Build(), in
     * place of an earlier call.
     *
     * Sinks of MessageCompleted and MessageReceived are called a bit later than without threads, in
     * the order of time; other trace sources of NICs, switches, ports and what they consist of must
     * have none. Stages of the program's own touch nothing but their switch.
     * @param threads at most; 1: none but the present one; 0: as many as the machine has
     * @return how many are used: no more than there are parts to divide the network into
     * @throw InputError if the network cannot be divided at all, though threads is above 1
     */
    unsigned SetThreads(unsigned threads);

    /**
     * @brief Run in one thread as if in several, and measure how well they would be used.
     * @param partitions above 1
     * @throw InputError see SetThreads()
     */
    void MeasureBalance(unsigned partitions);

    /**
     * @brief Run in several processes, which all have built the same network and call this alike;
     * with the same results. After InstallFlows(), in place of an earlier division.
     *
     * Each has all flows and all events of the simulator, and runs stations of its own; the others
     * look as if they had never run, except in the totals below, which are those of all. Functions
     * that say "all processes" must be called by all at the same time, and so must whatever looks
     * at stations before the end of the run. Limits are as for SetThreads().
     * @param ranks the processes; outlives this
     * @param threads of each process, at least 1
     * @throw InputError if the network has too few parts
     */
    void SetRanks(RankExchange& ranks, unsigned threads);

    /// @return the processes, or null if it is one
    RankExchange* GetRanks() const
    {
        return m_parallel ? m_parallel->GetRanks() : nullptr;
    }

    /// @return whether the simulator has no event left; called by all processes, of which one may
    /// have an event of its own
    bool IsSimulatorDone() const;

    /// @return how the network is divided, or null if it is not
    const ParallelRun* GetParallelRun() const
    {
        return m_parallel.get();
    }

    /**
     * @brief Hand flows to applications at the hosts (made as needed).
     * @param flows any order; ids unique
     * @throw InputError for unknown NICs or src == dst, or what a FlowOrder refuses
     */
    void InstallFlows(const std::vector<FlowSpec>& flows);

    /**
     * @param flow as given to InstallFlows()
     * @return its start, picoseconds; -1 if what it waits for has not happened
     */
    int64_t GetStartPs(const FlowSpec& flow) const;

    /// @return whether some flows wait for others
    bool HasWaitingFlows() const
    {
        return !m_orders.empty();
    }

    /// @return latest start of the flows that have waited for others, picoseconds; -1: none yet
    int64_t GetLastWaitedStartPs() const;

    /// @return what the first flows that still wait for others wait for; empty if none do
    std::string DescribeWaiting() const;

    // --- the map

    /// @return number of NICs
    uint32_t GetNNics() const
    {
        return static_cast<uint32_t>(m_nics.size());
    }

    /// @return number of switches
    uint32_t GetNSwitches() const
    {
        return static_cast<uint32_t>(m_switches.size());
    }

    /// @return a NIC; the handle brings it up to date at each access
    StationHandle<Nic> GetNic(uint32_t nic) const
    {
        m_state.ExpectThere("GetNic()");
        return StationHandle<Nic>(PeekPointer(NicAt(nic).nic));
    }

    /// @return a switch; the handle brings it up to date at each access
    StationHandle<Switch> GetSwitch(uint32_t sw) const
    {
        m_state.ExpectThere("GetSwitch()");
        return StationHandle<Switch>(PeekPointer(SwitchAt(sw).sw));
    }

    /**
     * @param sw number of a switch
     * @param role see SwitchRole
     * @return whether the switch has it; after Build()
     */
    bool HasRole(uint32_t sw, SwitchRole role) const;

    /// @return datacenter of a NIC
    uint32_t GetDatacenter(uint32_t nic) const
    {
        return NicAt(nic).datacenter;
    }

    /// @return rack (index of racks in order of their switches) of a NIC, after Build()
    uint32_t GetRack(uint32_t nic) const
    {
        m_state.ExpectBuilt("GetRack()");
        return m_attachments->rackOfNic[CheckIndex("NIC", nic, m_nics.size())];
    }

    /// @return name of the host a NIC belongs to
    const std::string& GetNicName(uint32_t nic) const
    {
        return NicAt(nic).name;
    }

    /// @return name by node id, for the node column of files
    std::string GetNodeName(uint32_t nodeId) const;

    /// @return all nodes
    const NodeContainer& GetNodes() const
    {
        return m_nodes;
    }

    /**
     * @brief Follow a frame through the routing tables as they are now.
     * @param src NIC
     * @param dst NIC
     * @param entropy UDP source port
     * @return links from src to dst, or to a switch that has no route because of failures
     */
    std::vector<PathHop> TracePath(uint32_t src, uint32_t dst, uint16_t entropy) const;

    /**
     * @brief What a sender may know of its path.
     * @param src NIC
     * @param dst NIC
     * @param entropy UDP source port
     * @param trafficClass of the data
     * @return see PathInfo; while there is no path, of the path it had before any failure
     */
    PathInfo GetPath(uint32_t src,
                     uint32_t dst,
                     uint16_t entropy,
                     uint8_t trafficClass = FlowSpec().trafficClass) const;

    /**
     * @brief The shortest paths between two NICs on the network without failures, but those that
     * another one is never slower than.
     * @param src NIC
     * @param dst NIC
     * @return at least one, with the links of each
     */
    std::vector<std::vector<HopSpec>> GetBestPaths(uint32_t src, uint32_t dst) const;

    /**
     * @brief Exact completion time of a flow on the empty network without failures, on the best of
     * its shortest paths, whichever it takes: one path for the data and one for the ACKs.
     *
     * A flow that uses several paths may be faster: if links in the middle are slower than the
     * NICs', several carry more than one, and a last frame that is shorter overtakes.
     * @param flow the flow
     * @param telemetry charge the telemetry its rate law asks for; false (as for slowdowns) makes
     * the figure independent of the rate law
     * @return see IdealFct::Result
     */
    IdealFct::Result GetIdeal(const FlowSpec& flow, bool telemetry = false) const;

    // --- links and their failures

    /// @return number of links
    uint32_t GetNLinks() const
    {
        return static_cast<uint32_t>(m_links.size());
    }

    /// @return a link
    Link& GetLink(uint32_t link) const
    {
        m_state.ExpectThere("GetLink()");
        return *LinkAt(link).link;
    }

    /// @return what a link joins
    LinkKind GetLinkKind(uint32_t link) const;

    /**
     * @param link number
     * @return "dc0-leaf0 - dc0-spine1", with " #1" and so on for further parallel links
     */
    std::string GetLinkName(uint32_t link) const;

    /**
     * @brief Find a link by the names of what it joins: switches, hosts, or nicN for the N-th NIC.
     * @param first one end
     * @param second the other
     * @param index which of parallel links, in the order they were added
     * @return the link
     * @throw InputError that names what is unknown
     */
    LinkRef FindLink(const std::string& first, const std::string& second, uint32_t index = 0) const;

    /**
     * @brief Find a link between two switches.
     * @param a one switch
     * @param b the other
     * @param index which of parallel links
     * @return the link
     * @throw InputError if there is none
     */
    LinkRef FindLink(uint32_t a, uint32_t b, uint32_t index = 0) const;

    /**
     * @param nic number
     * @return the link of a NIC; end 0 is the NIC
     */
    uint32_t GetLinkOfNic(uint32_t nic) const;

    /**
     * @brief A link fails now; call before the run or from an event. See Link::Fail().
     * @param link number
     * @param directions see Link::Directions
     */
    void FailLink(uint32_t link, unsigned directions = Link::BOTH);

    /**
     * @brief A link is repaired now; see FailLink().
     * @param link number
     * @param directions see Link::Directions
     */
    void RepairLink(uint32_t link, unsigned directions = Link::BOTH);

    /**
     * @brief FailLink() or RepairLink() at a time to come.
     * @param at time since the start of the simulation
     * @param link number
     * @param up repair instead of failure
     * @param directions see Link::Directions
     */
    void ScheduleLinkChange(const Time& at,
                            uint32_t link,
                            bool up,
                            unsigned directions = Link::BOTH)
    {
        ScheduleLinkChange(at.GetPicoSeconds(), link, up, directions);
    }

    /// The same in picoseconds.
    void ScheduleLinkChange(int64_t atPs, uint32_t link, bool up, unsigned directions = Link::BOTH);

    /**
     * @brief From now on, recompute the routes of all switches a while after each change of a link.
     *
     * Every switch learns of each change exactly that much later and then has shortest paths
     * without the directions known to be down. Where none is left, frames are dropped with reason
     * DROP_NO_ROUTE. Flows are spread again over groups whose number of ports has changed.
     * @param delay detection and convergence
     */
    void SetReroute(const Time& delay)
    {
        SetReroute(delay.GetPicoSeconds());
    }

    /// The same in picoseconds; NEVER_PS: never.
    void SetReroute(int64_t delayPs);

    /// @return time of the last change of a link or of routes scheduled so far, or -1
    int64_t GetLastChangePs() const
    {
        return m_lastChangePs;
    }

    /**
     * @param port sending end
     * @param nowPs current time
     * @return "link a - b is down since 10 ms", or was down, or empty if it never was
     */
    std::string DescribeLink(const Port& port, int64_t nowPs) const;

    /// @return GetLinkName() and since when for every link that is down
    std::vector<std::string> DescribeDownLinks() const;

    /// @return what tunes parameters (Options::tuner), or null
    Ptr<Tuner> GetTuner() const;

    // --- totals over the network

    /// @return transmissions of data, ACK, NAK and CNP frames by all ports of this process
    uint64_t CountPacketHops() const;

    /// @brief Start hashing every departure.
    void EnableFingerprint();

    /// @return hash over the fingerprints of all ports, in order; called by all processes
    uint64_t GetFingerprint() const;

    /// @brief Bring every NIC and switch up to date, so that counters are exact.
    void CatchUp() const;

    /**
     * @brief Change live parameters of the rate law of all NICs during the simulation, and of the
     * feedback at its receivers. Queue pairs keep their state, and running timers run on. From
     * events only, not from sinks of traces.
     * @param interDc of queue pairs that leave the datacenter
     * @param law prototype with the new parameters, of the class of the present law
     * @throw InputError if a parameter differs that is not live
     */
    void Retune(bool interDc, const Ptr<CongestionControl>& law) const;

    /**
     * @return everything that NICs, switches, their stages and links count, by the names of
     * summary.json: sums over the network (of peaks the largest); called by all processes
     */
    std::map<std::string, uint64_t> GetCounters() const;

    /// @return calls of FailLink() that made a difference
    uint64_t CountLinkFailures() const;

    /// @return frames that switches have dropped or links have lost, whatever the reason; of this
    /// process
    uint64_t CountFramesLost() const;

    /**
     * @brief Report drops that PFC should have prevented. Called by all processes.
     * @return one line with the number of frames of lossless classes that switches have dropped and
     * the likely cause; empty if there are none
     */
    std::string DescribeLosslessDrops() const;

    /**
     * @brief Check every switch's invariants (of this process), that every frame sent has been
     * received, is lost, or is on its way, link by link, and, once drained, that nothing is left
     * anywhere.
     * @param drained no frame should be anywhere
     * @return empty or the first violation
     */
    std::string Audit(bool drained) const;

    /**
     * @return what Build() found that is legal but rarely meant, one line each: ECN thresholds that
     * PFC does not let the queue reach
     */
    const std::vector<std::string>& GetWarnings() const
    {
        return m_warnings;
    }

    /// @return all ports: NICs, then switch by switch
    std::vector<Ptr<Port>> GetPorts() const;

  private:
    /// A link as one of its two switches sees it.
    struct Neighbour
    {
        uint32_t sw;
        uint16_t port; //!< own port
        uint32_t link;
        unsigned end; //!< own end of the link
    };

    struct LinkEntry
    {
        Ptr<Link> link;
        std::array<uint32_t, 2> ends; //!< switches; of a HOST link NIC and switch
        bool host;                    //!< end 0 is a NIC
        unsigned knownDown{0};        //!< directions that routes avoid
    };

    struct SwitchEntry
    {
        Ptr<Switch> sw;
        std::string name;
        uint32_t datacenter;
        int32_t rack{-1};
        std::vector<Neighbour> neighbours;
    };

    struct HostEntry
    {
        Ptr<Node> node;
        std::string name;
        uint32_t datacenter;
    };

    struct NicEntry
    {
        Ptr<Nic> nic;
        std::string name;
        uint32_t datacenter;
        uint32_t sw;
        uint16_t swPort;
    };

    const NicEntry& NicAt(uint32_t nic) const
    {
        return m_nics[CheckIndex("NIC", nic, m_nics.size())];
    }

    const SwitchEntry& SwitchAt(uint32_t sw) const
    {
        return m_switches[CheckIndex("switch", sw, m_switches.size())];
    }

    const LinkEntry& LinkAt(uint32_t link) const
    {
        return m_links[CheckIndex("link", link, m_links.size())];
    }

    void BuildAll(const Options& options);
    bool IsAtWork() const;
    void ExpectIdle(const char* function) const;
    void OnSimulatorDestroy();
    void StartClock();
    std::vector<StationTurn> FindTurns(int64_t beatPs) const;
    void CheckLink(const char* what, uint64_t rateBps, int64_t delayPs) const;
    void CheckDirections(const char* function, uint32_t link, unsigned directions) const;
    uint16_t AddSwitchPort(uint32_t sw, Ptr<Port> port, uint64_t rateBps);
    bool IsUsable(const Neighbour& neighbour, unsigned end) const;
    void ComputeRoutes(bool complete);
    std::vector<std::vector<uint32_t>> FindTwinRacks() const;
    std::vector<uint32_t> ComputeDistances(uint32_t destination) const;
    void FindLongestRtts();
    const std::vector<std::array<uint32_t, 2>>& GetLikeRacks() const;
    const Routing& GetIntactRoutes(Switch& sw) const;
    uint32_t Join(Ptr<Port> a, Ptr<Port> b, int64_t delayPs);
    bool IsEnd(const LinkEntry& entry, unsigned end, const std::string& name) const;
    std::string EndName(const LinkEntry& entry, unsigned end) const;
    bool KnowsName(const std::string& name) const;
    uint32_t LinkOf(const Port& port) const;
    void OnLinkChange(uint32_t link, unsigned directions, bool up);
    void OnReroute(uint32_t link, unsigned directions, bool up);
    std::vector<PathHop> Trace(uint32_t src,
                               uint32_t dst,
                               uint16_t entropy,
                               bool intact,
                               bool& arrives) const;
    std::string AuditLinks() const;
    WireSizes GetWireSizes(uint32_t src, uint32_t dst, bool telemetry) const;
    bool IsInterDc(uint32_t src, uint32_t dst) const;
    std::string CheckDeployment(const Options& options);
    void InstallStages(const Options& options);
    void WatchDefaults();
    void InstallTuner(const ObjectFactory& factory);
    void CheckEcnBelowPfc();
    void CheckFactories() const;
    void CheckPauses() const;
    std::string FindDropCause(const Switch& sw) const;
    void CheckFlow(const FlowSpec& flow) const;
    void AddOrder(std::unique_ptr<FlowOrder> order);
    FlowOrder* FindOrder(const FlowSpec& flow) const;
    int64_t GetLongestNicDelayPs() const;
    void Divide(unsigned partitions, unsigned threads, bool measure, RankExchange* ranks);
    std::unique_ptr<RankMail> MakeMail(RankExchange& ranks) const;
    int64_t FindLeastEnd(int64_t nowPs, int64_t crossingPs) const;
    void NoteShared() const;
    std::map<std::string, uint64_t> AddRanks(const std::map<std::string, uint64_t>& own) const;
    void CheckParallel() const;
    void Unite();

    NodeContainer m_nodes;
    std::vector<SwitchEntry> m_switches;
    std::vector<HostEntry> m_hosts;
    std::vector<NicEntry> m_nics;
    std::vector<LinkEntry> m_links;
    std::vector<uint32_t> m_rackSwitch;         //!< by rack
    std::map<uint32_t, Routing> m_intactRoutes; //!< by node id; empty until routes have changed
    int64_t m_rerouteDelayPs{NEVER_PS};
    int64_t m_lastChangePs{-1};
    std::vector<EventId> m_changes;
    Ptr<DefaultWatch> m_defaults;     //!< set by Build()
    std::vector<uint32_t> m_nodeKind; //!< by node id - first id: index into switches or hosts
    std::shared_ptr<Attachments> m_attachments;
    std::vector<std::string> m_warnings;
    std::vector<std::unique_ptr<FlowOrder>> m_orders;         //!< by which flows wait for others
    int64_t m_lastStartPs{0};                                 //!< of flows that wait for none
    Ptr<Tuner> m_tuner;                                       //!< or null
    mutable std::vector<std::array<uint32_t, 2>> m_likeRacks; //!< or empty: not looked for yet
    mutable BestPaths m_bestPaths;                            //!< known so far, without failures
    bool m_needsLongestRtts{false}; //!< see LossRecovery::NeedsLongestRtt()
    /// See PathInfo::longestRttPs: of each datacenter, within it and out of it.
    std::map<uint32_t, std::array<int64_t, 2>> m_longestRttPs;
    uint32_t m_intBytesPerHop{0};
    uint32_t m_maxFrameBytes{0}; //!< allowed for in headroom
    NetworkState m_state;
    mutable bool m_runsStations{false}; //!< one of its functions has stations do what is due
    EventId m_destroyed;                //!< calls OnSimulatorDestroy()
    std::unique_ptr<StationClock> m_clock;
    std::unique_ptr<ParallelRun> m_parallel; //!< null: one thread. The last: it uses the others
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_H */
