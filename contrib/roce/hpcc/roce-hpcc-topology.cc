/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-hpcc-topology.h"

#include "ns3/double.h"
#include "ns3/roce-flow-list.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-line-reader.h"
#include "ns3/roce-random-loss.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ns3
{
namespace roce
{

namespace
{

constexpr uint64_t MAX_NODES = 1000000;
const char* const LINK_FORM = "a b rate delay error_rate";

/// Turns the lines of one file into a topology.
class Reader : private LineReader
{
  public:
    explicit Reader(const std::string& path)
        : LineReader(path, "a topology of the HPCC simulator")
    {
    }

    HpccTopology Read()
    {
        m_topology.path = GetPath();
        const uint64_t links = ReadCounts();
        ReadSwitches();
        ReadLinks(links);
        NumberNics();
        return std::move(m_topology);
    }

  private:
    /// The next line, which must be there.
    std::string Need(const std::string& what)
    {
        std::string text;
        if (!Next(text))
        {
            throw InputError(GetPath(), GetLine() + 1, "the file ends, expected " + what);
        }
        return text;
    }

    uint64_t ReadCounts()
    {
        const auto fields = SplitAtBlanks(Need("the numbers of nodes, switches and links"));
        m_topology.fourNumbers = fields.size() == 4;
        if (fields.size() != 3 && fields.size() != 4)
        {
            Fail("found " + std::to_string(fields.size()) +
                 " fields, expected: nodes switches [tors] links");
        }
        const uint64_t nodes = ParseUnsigned(fields[0], "number of nodes", MAX_NODES);
        m_switches = ParseUnsigned(fields[1], "number of switches", nodes);
        if (m_topology.fourNumbers)
        {
            ParseUnsigned(fields[2], "number of ToRs", m_switches);
        }
        if (m_switches == 0 || nodes - m_switches < 2)
        {
            Fail(std::to_string(nodes) + " nodes with " + std::to_string(m_switches) +
                 " switches, expected at least one switch and two hosts");
        }
        m_topology.isSwitch.assign(nodes, false);
        return ParseUnsigned(fields.back(), "number of links", UINT32_MAX);
    }

    uint32_t ParseNode(const std::string& text, const char* what) const
    {
        return static_cast<uint32_t>(ParseUnsigned(text, what, m_topology.isSwitch.size() - 1));
    }

    void ReadSwitches()
    {
        for (uint64_t found = 0; found < m_switches;)
        {
            for (const std::string& text :
                 SplitAtBlanks(Need("the ids of " + std::to_string(m_switches) + " switches")))
            {
                const uint32_t node = ParseNode(text, "switch");
                if (m_topology.isSwitch[node])
                {
                    Fail("switch " + text + " is there twice, expected each once");
                }
                m_topology.isSwitch[node] = true;
                if (++found > m_switches)
                {
                    Fail("more than " + std::to_string(m_switches) +
                         " switch ids, expected as many as the first line says");
                }
            }
        }
    }

    double ParseProbability(const std::string& text) const
    {
        std::istringstream in(text);
        double value = -1;
        if (!(in >> value) || !in.eof() || !(value >= 0 && value <= 1))
        {
            Fail("error_rate '" + text + "' is not a probability, expected 0 to 1");
        }
        return value;
    }

    void ReadLinks(uint64_t count)
    {
        std::string text;
        while (Next(text))
        {
            if (m_topology.links.size() == count)
            {
                Fail("link " + std::to_string(count + 1) + " found, expected " +
                     std::to_string(count) + " as the first line says");
            }
            const auto fields = SplitAtBlanks(text);
            CheckFieldCount(fields.size(), 5, LINK_FORM);
            const std::string where = GetPath() + ":" + std::to_string(GetLine()) + ": ";
            HpccTopology::LinkLine link{};
            link.line = GetLine();
            link.a = ParseNode(fields[0], "node");
            link.b = ParseNode(fields[1], "node");
            ValueCheck::Value(where + "rate", ValueKind::DATA_RATE, fields[2]);
            ValueCheck::Value(where + "delay", ValueKind::TIME, fields[3]);
            link.rateBps = DataRate(fields[2]).GetBitRate();
            link.delayPs = Time(fields[3]).GetPicoSeconds();
            link.lossRate = ParseProbability(fields[4]);
            if (link.a == link.b)
            {
                Fail("a and b are both " + fields[0] + ", expected two different nodes");
            }
            if (link.rateBps == 0 || link.delayPs < 0)
            {
                Fail("rate " + fields[2] + " and delay " + fields[3] +
                     ", expected a rate above 0 and a delay of 0 or more");
            }
            if (!m_topology.isSwitch[link.a] && !m_topology.isSwitch[link.b])
            {
                Fail("nodes " + fields[0] + " and " + fields[1] +
                     " are both hosts, expected at least one switch");
            }
            m_topology.links.push_back(link);
        }
        if (m_topology.links.size() < count)
        {
            throw InputError(GetPath(),
                             GetLine() + 1,
                             "the file ends after " + std::to_string(m_topology.links.size()) +
                                 " links, expected " + std::to_string(count) +
                                 " as the first line says");
        }
    }

    void NumberNics()
    {
        HpccTopology& t = m_topology;
        t.nicOfNode.assign(t.isSwitch.size(), FlowList::NO_NIC);
        for (const HpccTopology::LinkLine& link : t.links)
        {
            for (const uint32_t node : {link.a, link.b})
            {
                if (t.isSwitch[node])
                {
                    continue;
                }
                if (t.nicOfNode[node] != FlowList::NO_NIC)
                {
                    throw InputError(GetPath(),
                                     link.line,
                                     "host " + std::to_string(node) +
                                         " has a second link, expected one for each host");
                }
                t.nicOfNode[node] = static_cast<uint32_t>(t.nodeOfNic.size());
                t.nodeOfNic.push_back(node);
            }
        }
        t.switchOfNode.assign(t.isSwitch.size(), 0);
        uint32_t next = 0;
        for (uint32_t node = 0; node < t.isSwitch.size(); ++node)
        {
            if (t.isSwitch[node])
            {
                t.switchOfNode[node] = next++;
            }
            else if (t.nicOfNode[node] == FlowList::NO_NIC)
            {
                throw InputError(GetPath() + ": host " + std::to_string(node) +
                                 " has no link, expected one for each host");
            }
        }
    }

    uint64_t m_switches{0};
    HpccTopology m_topology;
};

} // namespace

HpccTopology
HpccTopology::Read(const std::string& path)
{
    return Reader(path).Read();
}

void
HpccTopology::Construct(Network& network) const
{
    std::vector<uint32_t> hostOfNode(isSwitch.size());
    for (uint32_t node = 0; node < isSwitch.size(); ++node)
    {
        if (isSwitch[node])
        {
            network.AddSwitch("switch" + std::to_string(node), 0);
        }
        else
        {
            hostOfNode[node] = network.AddHost("host" + std::to_string(node), 0);
        }
    }
    for (const LinkLine& link : links)
    {
        if (isSwitch[link.a] && isSwitch[link.b])
        {
            network.Connect(switchOfNode[link.a], switchOfNode[link.b], link.rateBps, link.delayPs);
        }
        else
        {
            const uint32_t host = isSwitch[link.a] ? link.b : link.a;
            const uint32_t sw = isSwitch[link.a] ? link.a : link.b;
            network.AddNic(hostOfNode[host], switchOfNode[sw], link.rateBps, link.delayPs);
        }
    }
}

void
HpccTopology::ApplyLoss(Network& network, double otherwise) const
{
    for (uint32_t i = 0; i < links.size(); ++i)
    {
        const double rate = links[i].lossRate > 0 ? links[i].lossRate : otherwise;
        for (unsigned end = 0; end < 2 && rate > 0; ++end)
        {
            network.GetLink(i).GetPort(end)->SetLossModel(
                CreateObjectWithAttributes<RandomLoss>("Rate", DoubleValue(rate)));
        }
    }
}

uint64_t
HpccTopology::GetMaxHostRateBps() const
{
    uint64_t rateBps = 0;
    for (const LinkLine& link : links)
    {
        if (!isSwitch[link.a] || !isSwitch[link.b])
        {
            rateBps = std::max(rateBps, link.rateBps);
        }
    }
    return rateBps;
}

int64_t
HpccIdeal::BaseRttPs(const std::vector<Network::PathHop>& path, uint32_t payloadBytes)
{
    int64_t rttPs = 0;
    for (const Network::PathHop& hop : path)
    {
        rttPs += 2 * hop.spec.delayPs + IdealFct::SerialisationPs(payloadBytes, hop.spec.rateBps);
    }
    return rttPs;
}

int64_t
HpccIdeal::FctPs(const std::vector<Network::PathHop>& path,
                 uint32_t payloadBytes,
                 uint64_t sizeBytes)
{
    uint64_t rateBps = path.front().spec.rateBps;
    for (const Network::PathHop& hop : path)
    {
        rateBps = std::min(rateBps, hop.spec.rateBps);
    }
    const uint64_t packets = sizeBytes / payloadBytes + (sizeBytes % payloadBytes != 0);
    const double bits = 8.0 * static_cast<double>(sizeBytes + HEADER_BYTES * packets);
    const int64_t ps = BaseRttPs(path, payloadBytes) +
                       static_cast<int64_t>(bits * 1e12 / static_cast<double>(rateBps));
    return ps - ps % 1000;
}

} // namespace roce
} // namespace ns3
