// SPDX-License-Identifier: GPL-2.0-only
#include "roce-workload-internal.h"
#include "roce-workload.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace ns3::roce
{

using namespace workload;

namespace
{

/// @throw InputError for hosts, sizes or times that make no such workload
void
CheckAllToAll(const AllToAllWorkload& w)
{
    const char* who = "all-to-all workload";
    CheckCommon(who, w.startPs, w.trafficClass, 0);
    CheckSize(who, w.sizeBytes);
    if (w.hosts.size() < 2)
    {
        Fail(who, ": ", w.hosts.size(), " hosts, expected at least 2");
    }
    std::vector<uint32_t> sorted = w.hosts;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
    {
        Fail(who, ": host ", *twice, " is listed twice, expected different hosts");
    }
    const auto rounds = static_cast<int64_t>(w.hosts.size()) - 1;
    if (w.staggerPs < 0 || w.staggerPs > (std::numeric_limits<int64_t>::max() - w.startPs) / rounds)
    {
        Fail(who,
             ": stagger ",
             w.staggerPs,
             " ps over ",
             rounds,
             " rounds, expected 0 or more and all starts below 2^63 ps");
    }
    const double nFlows = static_cast<double>(w.hosts.size()) * static_cast<double>(rounds);
    CheckFlows(who, nFlows, w.staggerPs ? 0 : nFlows);
}

} // namespace

std::vector<FlowSpec>
AllToAllWorkload::Generate() const
{
    CheckAllToAll(*this);
    std::vector<FlowSpec> flows;
    for (std::size_t r = 1; r < hosts.size(); ++r)
    {
        const int64_t at = startPs + static_cast<int64_t>(r - 1) * staggerPs;
        for (std::size_t i = 0; i < hosts.size(); ++i)
        {
            const uint32_t to = hosts[(i + r) % hosts.size()];
            flows.push_back(MakeFlow(hosts[i], to, sizeBytes, at, trafficClass, tag));
        }
    }
    SortAndNumber(flows);
    return flows;
}

std::vector<FlowSpec>
PermutationWorkload::Generate() const
{
    const char* who = "permutation workload";
    CheckCommon(who, startPs, trafficClass, stream);
    CheckSize(who, sizeBytes);
    if (nHosts < 2)
    {
        Fail(who, ": ", nHosts, " hosts, expected at least 2");
    }
    CheckFlows(who, nHosts, nHosts);
    auto rng = MakeStream<UniformRandomVariable>(stream);
    std::vector<uint32_t> to(nHosts);
    std::iota(to.begin(), to.end(), 0U);
    bool fixedPoint = true;
    while (fixedPoint)
    {
        for (uint32_t i = nHosts - 1; i > 0; --i)
        {
            std::swap(to[i], to[rng->GetInteger(0, i)]);
        }
        fixedPoint = false;
        for (uint32_t i = 0; i < nHosts; ++i)
        {
            fixedPoint = fixedPoint || to[i] == i;
        }
    }
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < nHosts; ++i)
    {
        flows.push_back(MakeFlow(i, to[i], sizeBytes, startPs, trafficClass, tag));
    }
    SortAndNumber(flows);
    return flows;
}

using namespace workload;

namespace
{

const char* const ALL_REDUCE = "all-reduce workload";

/// Some hosts of a datacenter, evenly spread over its racks.
std::vector<uint32_t>
SpreadHosts(const HostIndex& index, Stretch datacenter, uint32_t count)
{
    std::vector<std::vector<uint32_t>> racks;
    for (uint32_t i = datacenter.begin; i < datacenter.end; i = index.RackOf(index.order[i]).end)
    {
        const Stretch rack = index.RackOf(index.order[i]);
        racks.emplace_back(index.order.begin() + rack.begin, index.order.begin() + rack.end);
    }
    std::vector<uint32_t> chosen;
    // the first host of each rack, then the second, ...; of the last round evenly spread racks
    for (std::size_t slot = 0; chosen.size() < count; ++slot)
    {
        std::vector<uint32_t> round;
        for (const std::vector<uint32_t>& rack : racks)
        {
            if (slot < rack.size())
            {
                round.push_back(rack[slot]);
            }
        }
        const std::size_t take = std::min<std::size_t>(round.size(), count - chosen.size());
        for (std::size_t i = 0; i < take; ++i)
        {
            chosen.push_back(round[i * round.size() / take]);
        }
    }
    return chosen;
}

} // namespace

void
AllReduceWorkload::AddOptions(OptionTable& table)
{
    table.AddValue("groups",
                   "allreduce: pairs of hosts of two datacenters",
                   groups,
                   Range::AtLeast(1));
    table.AddValue("iterations",
                   "allreduce: exchanges, one after the other",
                   iterations,
                   Range::AtLeast(1));
    table.AddBytes("minBytes",
                   "allreduce: least amount of one exchange in each direction, bytes",
                   minBytes);
    table.AddBytes("maxBytes", "allreduce: greatest amount, bytes", maxBytes, FLOW_SIZES);
    table.AddDuration("computeTime", "allreduce: time between exchanges", computePs)
        .UnusedIf([this] { return iterations == 1; }, "with --iterations=1");
}

std::vector<std::array<uint32_t, 2>>
AllReduceWorkload::GetGroups() const
{
    const HostIndex index(hosts, ALL_REDUCE);
    Require(index.nDatacenters == 2,
            ALL_REDUCE,
            ": ",
            index.nDatacenters,
            " datacenters, expected two, with hosts in both; the pattern collective does with one");
    const Stretch first = index.DatacenterOf(index.order.front());
    const Stretch second = index.DatacenterOf(index.order.back());
    const uint32_t most = std::min(first.Size(), second.Size());
    Require(groups >= 1 && groups <= most && first.begin != second.begin,
            ALL_REDUCE,
            ": ",
            groups,
            " groups, expected 1 to ",
            most,
            ", one host of each datacenter for each");
    const std::vector<uint32_t> a = SpreadHosts(index, first, groups);
    const std::vector<uint32_t> b = SpreadHosts(index, second, groups);
    std::vector<std::array<uint32_t, 2>> pairs;
    for (uint32_t g = 0; g < groups; ++g)
    {
        pairs.push_back({a[g], b[g]});
    }
    return pairs;
}

std::vector<FlowSpec>
AllReduceWorkload::Generate() const
{
    CheckCommon(ALL_REDUCE, startPs, trafficClass, stream);
    CheckSize(ALL_REDUCE, maxBytes);
    Require(minBytes <= maxBytes,
            ALL_REDUCE,
            ": ",
            minBytes,
            " to ",
            maxBytes,
            " bytes, expected the smaller first");
    Require(iterations >= 1, ALL_REDUCE, ": 0 iterations, expected at least 1");
    Require(computePs >= 0, ALL_REDUCE, ": compute time ", computePs, " ps, expected 0 or more");
    const std::vector<std::array<uint32_t, 2>> pairs = GetGroups();
    const double nFlows = 2.0 * groups * iterations;
    CheckFlows(ALL_REDUCE, nFlows, 2.0 * groups);
    auto rng = MakeStream<UniformRandomVariable>(stream);
    const auto choices = static_cast<double>(maxBytes - minBytes + 1); // below 2^53
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < iterations; ++i)
    {
        const auto drawn = static_cast<uint64_t>(std::floor(rng->GetValue(0, choices)));
        const uint64_t bytes = std::min(minBytes + drawn, maxBytes);
        for (uint32_t g = 0; g < groups; ++g)
        {
            const uint64_t share = bytes / groups + (g < bytes % groups ? 1 : 0);
            for (const auto& [from, to] :
                 {std::pair(pairs[g][0], pairs[g][1]), std::pair(pairs[g][1], pairs[g][0])})
            {
                const int64_t atPs = i == 0 ? startPs : computePs;
                flows.push_back(MakeFlow(from, to, share, atPs, trafficClass, tag));
                flows.back().phase = i + 1;
            }
        }
    }
    SortAndNumber(flows);
    return flows;
}

} // namespace ns3::roce
