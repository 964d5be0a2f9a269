// SPDX-License-Identifier: GPL-2.0-only
#include "roce-workload-internal.h"
#include "roce-workload.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ns3::roce
{

using namespace workload;

std::vector<FlowSpec>
AllToAllWorkload::Generate() const
{
    const char* who = "all-to-all workload";
    CheckCommon(who, startPs, trafficClass, 0);
    CheckSize(who, sizeBytes);
    if (hosts.size() < 2)
    {
        Fail(who, ": ", hosts.size(), " hosts, expected at least 2");
    }
    std::vector<uint32_t> sorted = hosts;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
    {
        Fail(who, ": host ", *twice, " is listed twice, expected different hosts");
    }
    const auto rounds = static_cast<int64_t>(hosts.size()) - 1;
    if (staggerPs < 0 || staggerPs > (std::numeric_limits<int64_t>::max() - startPs) / rounds)
    {
        Fail(who,
             ": stagger ",
             staggerPs,
             " ps over ",
             rounds,
             " rounds, expected 0 or more and all starts below 2^63 ps");
    }
    const double nFlows = static_cast<double>(hosts.size()) * static_cast<double>(rounds);
    CheckFlows(who, nFlows, staggerPs ? 0 : nFlows);
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

} // namespace ns3::roce
