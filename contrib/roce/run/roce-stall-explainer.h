// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STALL_EXPLAINER_H
#define ROCE_STALL_EXPLAINER_H

#include "roce-port-views.h"

#include "ns3/roce-network.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Why queue pairs make no progress, in one line each.
 *
 * A queue pair held up by PFC is followed from pause to pause: which switch paused the port, for
 * which egress port the frames wait there, who paused that one, until the chain ends or closes (a
 * deadlock). The frames that wait are those of the unfinished flows that pass that ingress port, by
 * the routing tables. What a scheduler holds back (EgressScheduler::DescribeHeld()) is named, too.
 *
 * The way of a flow is that of the last frame sent. Failed links there or on the way of its
 * acknowledgements are named; with Spray, those of all its ways.
 */
class StallExplainer
{
  public:
    /// NIC and queue pair number.
    using QpId = std::pair<uint32_t, uint32_t>;

    /// @param network built; outlives this
    explicit StallExplainer(const Network& network)
        : m_network(network),
          m_views(network)
    {
    }

    /// @return the queue pairs with unacknowledged packets or packets to send
    std::vector<QueuePair*> FindUnfinished() const;

    /// @return a line for each, by NIC and queue pair, and of all processes, which call it
    std::vector<std::string> Describe(const std::vector<QueuePair*>& qps) const;

  private:
    /// Node, interface and class of a sending port; ordered, unlike its address.
    using PortKey = uint64_t;

    /// Where frames of an unfinished queue pair may be.
    struct Way
    {
        uint32_t src;
        uint32_t qpn;
        uint32_t dst;
        uint16_t entropy;
        uint8_t trafficClass;
    };

    /// For each sending port, the ports further on that the frames sent from it wait for.
    using WaitGraph = std::map<PortKey, std::vector<Port*>>;

    static std::map<QpId, std::string> GatherLines(RankExchange& ranks,
                                                   const std::map<QpId, std::string>& own);
    std::vector<Way> FindWays() const;
    WaitGraph MakeGraph(const std::vector<Way>& ways) const;
    std::pair<Port*, bool> FindNext(const std::vector<Port*>& ports,
                                    const Switch& sw,
                                    uint8_t trafficClass) const;
    Port* FindLongestQueue(const Switch& sw, uint8_t trafficClass) const;
    std::string DescribeOne(const QueuePair& qp, const WaitGraph& graph) const;
    std::string DescribeLosses(const QueuePair& qp) const;
    std::vector<std::string> FindFailures(uint32_t src,
                                          uint32_t dst,
                                          uint16_t entropy,
                                          bool all) const;
    std::string DescribeLinks(const QueuePair& qp) const;
    std::string DescribeWait(Port& port, uint8_t trafficClass) const;
    std::string Follow(Port* port, uint8_t trafficClass, const WaitGraph& graph) const;
    /// @return the ports of the first cycle of paused ports that can be reached, or nothing
    std::vector<Port*> FindCycle(Port* from, uint8_t trafficClass, const WaitGraph& graph) const;
    std::string PortName(const Port& port) const;

    bool IsPaused(const Port& port, uint8_t trafficClass) const
    {
        return m_views.Of(port).paused >> trafficClass & 1;
    }

    static PortKey KeyOf(const Port& port, uint8_t trafficClass);

    const Network& m_network;
    mutable PortViews m_views;
    mutable uint64_t m_framesLost{0}; //!< in the whole network, see Describe()
};

} // namespace ns3::roce

#endif /* ROCE_STALL_EXPLAINER_H */
