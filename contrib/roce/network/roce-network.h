// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_H
#define ROCE_NETWORK_H

#include "roce-flow-order.h"
#include "roce-network-map.h"
#include "roce-network-options.h"
#include "roce-nic-choice.h"

#include "ns3/event-id.h"
#include "ns3/roce-default-watch.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-parallel-run.h"
#include "ns3/roce-station-clock.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

class NetworkDivision;
class NetworkFlows;
class NetworkPaths;
class NetworkRoutes;
class NetworkStages;
class Tuner;

/**
 * @brief A network of hosts, NICs, switches and links under construction, and then its map.
 *
 * Any topology: add switches and hosts, attach NICs to switches, connect switches (NetworkMap),
 * Build(). Routes are all shortest paths by number of links, computed per rack (a switch with
 * NICs), as equal-cost groups. Topology helpers (LeafSpineHelper) fill one of these.
 *
 * Links may fail and be repaired, see Link. Unless SetReroute() is called routes stay as they are,
 * and what ECMP sends to a dead link is lost there.
 *
 * Each function throws InputError if it is called too early or too late (NetworkState), or for
 * numbers that do not exist. A Network lives until Simulator::Run() has returned: flows that start
 * after its end are an error.
 */
class Network : public NetworkMap
{
  public:
    /// What Build() puts into every switch, in addition to what the attributes say.
    using Options = NetworkOptions;

    Network();
    ~Network();

    /**
     * @brief Compute routes, size buffers, install stages.
     * @param options see Options
     * @throw InputError if headroom does not fit, some host cannot reach some other, or a stage, a
     * rate law or anything else makes no sense here (Deployment)
     */
    void Build(const Options& options);

    /// @brief Build() with default options.
    void Build();

    /**
     * @brief Give every random decision in the network its own stream.
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
     * @param threads above 1
     * @throw InputError see SetThreads()
     */
    void MeasureBalance(unsigned threads);

    /**
     * @brief SetRanks() with the same arguments is going to follow: stations of other processes
     * take little memory here. They have one queue for all ports, for example. Before Build();
     * nothing can be run before SetRanks().
     * @param ranks the processes; outlives this
     * @param threads of each process
     */
    void ExpectRanks(const RankExchange& ranks, unsigned threads);

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
    RankExchange* GetRanks() const;

    /// @return whether the simulator has no event left; called by all processes, of which one may
    /// have an event of its own
    bool IsSimulatorDone() const;

    /// @return how the network is divided, or null if it is not
    const ParallelRun* GetParallelRun() const;

    /**
     * @brief Choose the NICs of flows between hosts; before InstallFlows(), for all of them.
     * @param flows src and dst are hosts as numbered by NetworkMap::AddHost(), and NICs thereafter
     * @param rule see NicRule; NAMED: src and dst are NICs already
     * @throw InputError for unknown hosts, or if no NICs are joined
     */
    void ChooseNics(std::vector<FlowSpec>& flows, NicRule rule);

    /**
     * @brief A rate law for flows that name it, in place of the one that their NIC's attributes
     * say: FlowSpec::law. Those within a datacenter and between two have it alike.
     * Loss recovery and path selector stay. Before InstallFlows(), which checks what it needs.
     * @param law kind and parameters
     * @return its number, from 1
     */
    uint8_t AddLaw(const ObjectFactory& law);

    /**
     * @brief What starts flows that wait for others, before these are installed: see
     * RankEngine::Install().
     */
    void SetFlowOrder(std::unique_ptr<FlowOrder> order);

    /**
     * @brief Hand flows to applications at the hosts (made as needed).
     * @param flows any order; ids unique
     * @throw InputError for unknown NICs, src == dst, NICs that no link joins, or flows that wait
     * for others without a FlowOrder
     */
    void InstallFlows(const std::vector<FlowSpec>& flows);

    /**
     * @param flow as given to InstallFlows()
     * @return its start, picoseconds; -1 if what it waits for has not happened
     */
    int64_t GetStartPs(const FlowSpec& flow) const;

    /// @return whether some flows wait for others
    bool HasWaitingFlows() const;

    /// @return latest start of the flows that have waited for others, or when something is going to
    /// happen without any (see FlowOrder), picoseconds; -1: none yet. Called by all processes
    int64_t GetLastWaitedStartPs() const;

    /// @return what the first flows that still wait for others wait for; empty if none do
    std::string DescribeWaiting() const;

    // --- paths

    /**
     * @brief Follow a frame through the routing tables as they are now.
     * @param entropy UDP source port
     * @return links from src to dst, or to a switch that has no route because of failures
     */
    std::vector<PathHop> TracePath(uint32_t src, uint32_t dst, uint16_t entropy) const;

    /**
     * @brief What a sender may know of its path.
     * @param entropy UDP source port
     * @param trafficClass of the data
     * @param law see FlowSpec::law
     * @return see PathInfo; while there is no path, of the path it had before any failure
     */
    PathInfo GetPath(uint32_t src,
                     uint32_t dst,
                     uint16_t entropy,
                     uint8_t trafficClass = FlowSpec().trafficClass,
                     uint8_t law = 0) const;

    /**
     * @brief The shortest paths between two NICs on the network without failures, but those that
     * another one is never slower than.
     * @return at least one, with the links of each
     */
    std::vector<std::vector<HopSpec>> GetBestPaths(uint32_t src, uint32_t dst) const;

    /**
     * @brief Exact completion time of a flow on the empty network without failures, on the best of
     * its shortest paths, whichever it takes: one path for the data and one for the ACKs.
     *
     * A flow that uses several paths may be faster: if links in the middle are slower than the
     * NICs', several carry more than one, and a last frame that is shorter overtakes.
     * @param telemetry charge the telemetry its rate law asks for; false (as for slowdowns) makes
     * the figure independent of the rate law
     * @return see IdealFct::Result
     */
    IdealFct::Result GetIdeal(const FlowSpec& flow, bool telemetry = false) const;

    // --- failures of links, and pauses

    /**
     * @brief A link fails now; call before the run or from an event. See Link::Fail().
     * @param directions see Link::Directions
     */
    void FailLink(uint32_t link, unsigned directions = Link::BOTH);

    /**
     * @brief A link is repaired now; see FailLink().
     * @param directions see Link::Directions
     */
    void RepairLink(uint32_t link, unsigned directions = Link::BOTH);

    /**
     * @brief FailLink() or RepairLink() at a time to come.
     * @param at time since the start of the simulation
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
     * @brief Have a port pause its peer, in all classes that PFC protects there: without a break (a
     * storm), or as a NIC does whose host takes in data slowly, see NicPauses.
     * @param fromPs start, picoseconds
     * @param toPs end; negative: never
     * @param link number
     * @param end of the link, whose port sends the pauses
     * @param drainBps what the host takes in; 0: a storm
     * @throw InputError if no class is lossless there, or if the host is a switch
     */
    void SchedulePauses(int64_t fromPs,
                        int64_t toPs,
                        uint32_t link,
                        unsigned end,
                        uint64_t drainBps);

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

    /// @return time of the last change of a link, of routes or of pauses scheduled so far, or -1
    int64_t GetLastChangePs() const
    {
        return m_lastChangePs;
    }

    /**
     * @param port sending end
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

  private:
    void BuildAll(const Options& options);
    void MakeCopies();
    void CheckFactories() const;
    void InstallTuner(const ObjectFactory& factory);
    void WatchDefaults();
    void StartClock();
    bool IsAtWork() const;
    void ExpectIdle(const char* function) const;
    void OnSimulatorDestroy();
    void CheckDirections(const char* function, uint32_t link, unsigned directions) const;
    void OnLinkChange(uint32_t link, unsigned directions, bool up);
    void OnReroute(uint32_t link, unsigned directions, bool up);
    std::string AuditLinks() const;

    std::unique_ptr<NetworkRoutes> m_routes;
    std::unique_ptr<NetworkPaths> m_paths;
    std::unique_ptr<NetworkStages> m_stages; //!< set by Build()
    int64_t m_rerouteDelayPs{NEVER_PS};
    int64_t m_lastChangePs{-1};
    std::vector<EventId> m_changes;
    Ptr<DefaultWatch> m_defaults; //!< set by Build()
    std::vector<std::string> m_warnings;
    std::unique_ptr<NetworkFlows> m_flows;
    Ptr<Tuner> m_tuner;                 //!< or null
    uint32_t m_maxFrameBytes{0};        //!< allowed for in headroom
    mutable bool m_runsStations{false}; //!< one of its functions has stations do what is due
    EventId m_destroyed;                //!< calls OnSimulatorDestroy()
    std::unique_ptr<StationClock> m_clock;
    std::unique_ptr<NetworkDivision> m_division; //!< the last: it uses the others
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_H */
