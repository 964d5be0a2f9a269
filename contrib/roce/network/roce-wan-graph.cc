// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wan-graph.h"

#include "roce-network-map.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-line-reader.h"
#include "ns3/roce-value-check.h"

namespace ns3::roce
{

namespace
{

/// LCMP (EuroSys 2026): datacenters 0 and 7 at the ends of six ways through one other each.
WanGraph
MakeLcmp8()
{
    struct Way
    {
        const char* rate;
        int64_t delayMs; //!< of each of the two links
    };

    const Way ways[] = {{"200Gbps", 25},
                        {"200Gbps", 250},
                        {"100Gbps", 10},
                        {"100Gbps", 100},
                        {"25Gbps", 5},
                        {"25Gbps", 50}};
    WanGraph graph;
    for (uint32_t middle = 1; middle <= std::size(ways); ++middle)
    {
        const auto& [rate, delayMs] = ways[middle - 1];
        graph.links.push_back({0, middle, DataRate(rate), MilliSeconds(delayMs)});
        graph.links.push_back({middle, 7, DataRate(rate), MilliSeconds(delayMs)});
    }
    return graph;
}

} // namespace

WanGraph
WanGraph::Read(const std::string& text, uint32_t datacenters)
{
    if (text == "lcmp8")
    {
        if (datacenters != 8)
        {
            throw InputError("topology: wanGraph lcmp8 with " + std::to_string(datacenters) +
                             " datacenters, expected 8");
        }
        return MakeLcmp8();
    }
    LineReader reader(text, "links between datacenters");
    WanGraph graph;
    for (std::string line; reader.Next(line);)
    {
        const std::vector<std::string> fields = LineReader::SplitAtBlanks(line);
        reader.CheckFieldCount(fields.size(), 4, "a b rate delay");
        const auto end = [&](const std::string& field) {
            return static_cast<uint32_t>(
                reader.ParseUnsigned(field, "datacenter", datacenters - 1));
        };
        const std::string where = text + ":" + std::to_string(reader.GetLine()) + ": ";
        ValueCheck::Value(where + "rate", ValueKind::DATA_RATE, fields[2]);
        ValueCheck::Value(where + "delay", ValueKind::TIME, fields[3]);
        Line link{end(fields[0]), end(fields[1]), DataRate(fields[2]), Time(fields[3])};
        if (link.a == link.b)
        {
            reader.Fail("a and b are both " + fields[0] + ", expected two different datacenters");
        }
        if (link.rate.GetBitRate() == 0 || link.delay.IsNegative() ||
            link.delay.GetPicoSeconds() > NetworkMap::LONGEST_DELAY_PS)
        {
            reader.Fail("rate " + fields[2] + " and delay " + fields[3] +
                        ", expected a rate above 0 and a delay of 0 to an hour");
        }
        graph.links.push_back(link);
    }
    if (graph.links.empty())
    {
        throw InputError(text + ": no links, expected lines a b rate delay");
    }
    return graph;
}

} // namespace ns3::roce
