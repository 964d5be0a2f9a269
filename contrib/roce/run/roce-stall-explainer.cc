// SPDX-License-Identifier: GPL-2.0-only
#include "roce-stall-explainer.h"

#include "roce-watching.h"

#include "ns3/node.h"
#include "ns3/roce-byte-stream.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>

namespace ns3::roce
{

/// So many paths of a queue pair that sprays are looked at for failed links.
constexpr uint32_t SAMPLED_PATHS = 256;

std::vector<QueuePair*>
StallExplainer::FindUnfinished() const
{
    std::vector<QueuePair*> qps;
    ForOpenQps(m_network, [&qps](QueuePair& qp) {
        if (qp.GetUna() < qp.GetEndPsn())
        {
            qps.push_back(&qp);
        }
    });
    return qps;
}

std::vector<std::string>
StallExplainer::Describe(const std::vector<QueuePair*>& qps) const
{
    RankExchange* const ranks = m_network.GetRanks();
    if (qps.empty() && !ranks)
    {
        return {};
    }
    m_views.Gather();
    m_framesLost = m_network.CountFramesLost();
    m_framesLost = ranks ? ranks->Sum({m_framesLost}).front() : m_framesLost;
    const WaitGraph graph = MakeGraph(FindWays());
    std::map<QpId, std::string> lines;
    for (const QueuePair* qp : qps)
    {
        lines[{qp->GetConfig().src, qp->GetQpn()}] = DescribeOne(*qp, graph);
    }
    if (ranks)
    {
        lines = GatherLines(*ranks, lines);
    }
    std::vector<std::string> texts;
    for (const auto& [id, text] : lines)
    {
        texts.push_back(text);
    }
    return texts;
}

/// @return lines of all processes. @param ranks the processes
std::map<StallExplainer::QpId, std::string>
StallExplainer::GatherLines(RankExchange& ranks, const std::map<QpId, std::string>& own)
{
    std::string bytes;
    ByteWriter writer(bytes);
    for (const auto& [id, text] : own)
    {
        writer(id.first)(id.second)(text);
    }
    std::map<QpId, std::string> all;
    for (const std::string& other : ranks.Gather(bytes))
    {
        for (ByteReader reader(other); !reader.IsEmpty();)
        {
            const auto nic = reader.Get<uint32_t>();
            reader(all[{nic, reader.Get<uint32_t>()}]);
        }
    }
    return all;
}

/// @return ways of unfinished queue pairs of all processes that have sent something, by NIC and
/// queue pair
std::vector<StallExplainer::Way>
StallExplainer::FindWays() const
{
    std::vector<Way> ways;
    for (const QueuePair* qp : FindUnfinished())
    {
        // After a timeout nothing counts as outstanding, but what was sent before may be anywhere.
        if (qp->GetHighestPsn() != qp->GetUna())
        {
            const QueuePair::Config& config = qp->GetConfig();
            ways.push_back(
                {config.src, qp->GetQpn(), config.dst, qp->GetEntropy(), config.trafficClass});
        }
    }
    if (RankExchange* ranks = m_network.GetRanks())
    {
        ways = ranks->Join(ways);
        std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
            return std::tie(a.src, a.qpn) < std::tie(b.src, b.qpn);
        });
    }
    return ways;
}

StallExplainer::PortKey
StallExplainer::KeyOf(const Port& port, uint8_t trafficClass)
{
    return static_cast<uint64_t>(port.GetNode()->GetId()) << 32 |
           static_cast<uint64_t>(port.GetIfIndex()) << 8 | trafficClass;
}

std::string
StallExplainer::PortName(const Port& port) const
{
    if (const auto* nic = dynamic_cast<const Nic*>(&port))
    {
        return "NIC " + std::to_string(nic->GetIndex());
    }
    return m_network.GetNodeName(port.GetNode()->GetId()) + " port " +
           std::to_string(port.GetIndex());
}

StallExplainer::WaitGraph
StallExplainer::MakeGraph(const std::vector<Way>& ways) const
{
    WaitGraph graph;
    for (const Way& way : ways)
    {
        const auto path = m_network.TracePath(way.src, way.dst, way.entropy);
        for (std::size_t i = 1; i < path.size(); ++i)
        {
            if (m_views.Of(*path[i].port).queuedBytes[way.trafficClass])
            {
                auto& next = graph[KeyOf(*path[i - 1].port, way.trafficClass)];
                if (std::find(next.begin(), next.end(), path[i].port) == next.end())
                {
                    next.push_back(path[i].port);
                }
            }
        }
    }
    return graph;
}

std::string
StallExplainer::DescribeOne(const QueuePair& qp, const WaitGraph& graph) const
{
    const QueuePair::Config& config = qp.GetConfig();
    const uint8_t c = config.trafficClass;
    std::ostringstream text;
    if (qp.GetOldestCookie() != UINT64_MAX)
    {
        text << "flow " << qp.GetOldestCookie() << ": ";
    }
    const Ptr<Nic> nic = m_network.GetNic(config.src);
    text << nic->Explain(qp, NowPs()) << DescribeLinks(qp);
    uint64_t queued = 0;
    std::string held;
    for (const Network::PathHop& hop : m_network.TracePath(config.src, config.dst, qp.GetEntropy()))
    {
        const bool own = hop.port == PeekPointer(nic);
        queued += m_views.Of(*hop.port).queuedBytes[c];
        if ((own || m_views.Of(*hop.port).queuedBytes[c]) && IsPaused(*hop.port, c))
        {
            text << (own ? "" : "; frames wait at " + PortName(*hop.port)) << ", "
                 << Follow(hop.port, c, graph);
            return text.str();
        }
        if (const std::string& here = m_views.Of(*hop.port).held[c]; !here.empty())
        {
            held += ", " + here + " at " + PortName(*hop.port);
        }
    }
    if (queued)
    {
        text << "; no pause on its path, " << queued << " B of its class queued there" << held;
    }
    else if (qp.failed || qp.GetInflightBytes())
    {
        text << "; no pause and nothing of its class queued on its path: " << DescribeLosses(qp);
    }
    return text.str();
}

std::string
StallExplainer::DescribeLosses(const QueuePair& qp) const
{
    if (m_framesLost)
    {
        return "frames or their acknowledgements are lost or still on a link (" +
               std::to_string(m_framesLost) + " frames lost in the whole network)";
    }
    if (qp.failed)
    {
        return "no frame has been lost in the whole network: its timeout, " +
               std::to_string(qp.GetRecovery().TimeoutPs(qp) / 1000) +
               " ns, is shorter than what frames or their acknowledgements took";
    }
    return "frames or their acknowledgements are still on a link, none has been lost in the "
           "whole network";
}

/// What is wrong with the links of one way. @param all failures that are over, too
std::vector<std::string>
StallExplainer::FindFailures(uint32_t src, uint32_t dst, uint16_t entropy, bool all) const
{
    std::vector<std::string> lines;
    const auto path = m_network.TracePath(src, dst, entropy);
    for (const Network::PathHop& hop : path)
    {
        if (all || hop.port->GetLink()->GetDirection(hop.port->GetEnd()).down)
        {
            lines.push_back(m_network.DescribeLink(*hop.port, NowPs()));
        }
    }
    if (const Switch* last = PortViews::SwitchOf(*path.back().port->GetPeer()))
    {
        lines.push_back(last->GetName() + " has no route to NIC " + std::to_string(dst));
        const std::vector<std::string> down = m_network.DescribeDownLinks();
        lines.insert(lines.end(), down.begin(), down.end());
    }
    return lines;
}

std::string
StallExplainer::DescribeLinks(const QueuePair& qp) const
{
    const QueuePair::Config& config = qp.GetConfig();
    // ACKs take the entropy of the data they answer.
    std::vector<uint16_t> entropies{qp.GetEntropy()};
    if (qp.GetSelector() && qp.GetSelector()->IsPerPacket())
    {
        for (uint32_t i = 0; i < SAMPLED_PATHS; ++i)
        {
            entropies.push_back(static_cast<uint16_t>(0xc000 + i * (0x4000 / SAMPLED_PATHS)));
        }
    }
    std::vector<std::string> lines;
    std::string text;
    for (const uint16_t entropy : entropies)
    {
        for (const auto& [src, dst] :
             {std::pair(config.src, config.dst), std::pair(config.dst, config.src)})
        {
            // A failure that is over matters to a queue pair that has given up meanwhile.
            for (const std::string& line : FindFailures(src, dst, entropy, qp.failed))
            {
                if (!line.empty() && std::find(lines.begin(), lines.end(), line) == lines.end())
                {
                    lines.push_back(line);
                    text += "; " + line;
                }
            }
        }
    }
    return text;
}

/// A port's frames wait for others. @param port that is not paused, or is the last to be known
std::string
StallExplainer::DescribeWait(Port& port, uint8_t trafficClass) const
{
    std::ostringstream text;
    const std::string& held = m_views.Of(port).held[trafficClass];
    text << ", whose frames wait for " << PortName(port) << ", "
         << m_views.Of(port).queuedBytes[trafficClass] << " B queued, "
         << (IsPaused(port, trafficClass) ? "paused" : "not paused") << (held.empty() ? "" : ", ")
         << held;
    return text.str();
}

std::string
StallExplainer::Follow(Port* port, uint8_t trafficClass, const WaitGraph& graph) const
{
    if (const std::vector<Port*> cycle = FindCycle(port, trafficClass, graph); !cycle.empty())
    {
        std::string ring = "PFC deadlock: ";
        for (const Port* member : cycle)
        {
            ring += PortName(*member) + " -> ";
        }
        return ring + PortName(*cycle.front());
    }
    std::ostringstream text;
    while (true)
    {
        Port& pauser = *port->GetPeer();
        const Switch* const sw = PortViews::SwitchOf(pauser);
        text << "paused by " << PortName(pauser);
        if (!sw)
        {
            return text.str();
        }
        if (!(m_views.Of(pauser).xoff >> trafficClass & 1))
        {
            text << ", which has no XOFF outstanding: its XON is lost or on its way";
            return text.str();
        }
        text << " (holds " << m_views.Of(pauser).ingressBytes[trafficClass] << " B)";
        const auto waitsFor = graph.find(KeyOf(*port, trafficClass));
        const auto [next, isPaused] =
            FindNext(waitsFor == graph.end() ? std::vector<Port*>() : waitsFor->second,
                     *sw,
                     trafficClass);
        if (!isPaused)
        {
            return text.str() + (next ? DescribeWait(*next, trafficClass) : "");
        }
        port = next;
        text << ", whose frames wait for " << PortName(*port) << ", ";
    }
}

/// @return of the ports that frames wait for the first paused one; or the first one, or where most
/// wait, or null, and false
std::pair<Port*, bool>
StallExplainer::FindNext(const std::vector<Port*>& ports,
                         const Switch& sw,
                         uint8_t trafficClass) const
{
    for (Port* port : ports)
    {
        if (IsPaused(*port, trafficClass))
        {
            return {port, true};
        }
    }
    // Frames of flows that are done for their senders, or of another flow's retransmission.
    return {ports.empty() ? FindLongestQueue(sw, trafficClass) : ports.front(), false};
}

/// The port of a switch where most bytes of a class wait, or null.
Port*
StallExplainer::FindLongestQueue(const Switch& sw, uint8_t trafficClass) const
{
    Port* longest = nullptr;
    uint64_t most = 0;
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        Port* const port = PeekPointer(sw.GetPort(p));
        const uint64_t bytes = m_views.Of(*port).queuedBytes[trafficClass];
        if (bytes > most)
        {
            most = bytes;
            longest = port;
        }
    }
    return longest;
}

std::vector<Port*>
StallExplainer::FindCycle(Port* from, uint8_t trafficClass, const WaitGraph& graph) const
{
    // Depth first without recursion: the path so far, and the next successor of each port.
    std::vector<std::pair<Port*, std::size_t>> path{{from, 0}};
    std::set<PortKey> visited{KeyOf(*from, trafficClass)};
    while (!path.empty())
    {
        auto& [port, index] = path.back();
        const auto next = graph.find(KeyOf(*port, trafficClass));
        if (next == graph.end() || index == next->second.size())
        {
            path.pop_back();
            continue;
        }
        Port* candidate = next->second[index++];
        if (!IsPaused(*candidate, trafficClass))
        {
            continue;
        }
        const auto back = std::find_if(path.begin(), path.end(), [candidate](const auto& step) {
            return step.first == candidate;
        });
        if (back != path.end())
        {
            std::vector<Port*> cycle;
            for (auto it = back; it != path.end(); ++it)
            {
                cycle.push_back(it->first);
            }
            return cycle;
        }
        if (visited.insert(KeyOf(*candidate, trafficClass)).second)
        {
            path.emplace_back(candidate, 0);
        }
    }
    return {};
}

} // namespace ns3::roce
