/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-workload-internal.h"

#include "ns3/roce-workload.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ns3
{
namespace roce
{

using namespace workload;

std::vector<FlowSpec>
IncastWorkload::Generate() const
{
    const char* who = "incast workload";
    const HostIndex index(hosts, who);
    CheckCommon(who, startPs, trafficClass, stream);
    CheckSize(who, sizeBytes);
    if (nSenders == 0)
    {
        Fail(who, ": 0 senders, expected at least 1");
    }
    if (receiver && *receiver >= hosts.nHosts)
    {
        Fail(who, ": receiver ", *receiver, ", expected 0..", hosts.nHosts - 1);
    }
    const auto eligible = [&](uint32_t to) {
        switch (senders)
        {
        case IncastSenders::RemoteDatacenter:
            return Candidates{index.All(), index.DatacenterOf(to)};
        case IncastSenders::LocalDatacenter:
            return Candidates{index.DatacenterOf(to), index.Self(to)};
        case IncastSenders::All:
            break;
        }
        return Candidates{index.All(), index.Self(to)};
    };
    // leaving out the receivers with too few senders would skew the load: refuse instead
    for (uint32_t to = receiver.value_or(0); to < (receiver ? *receiver + 1 : hosts.nHosts); ++to)
    {
        if (eligible(to).Count() < nSenders)
        {
            Fail(who,
                 ": ",
                 nSenders,
                 " senders but only ",
                 eligible(to).Count(),
                 " hosts may send to receiver ",
                 to,
                 ", expected at most that many");
        }
    }

    const bool once = arrivals == IncastArrivals::Once;
    double gapPs = static_cast<double>(periodPs);
    if (periodPs < 0)
    {
        Fail(who, ": period ", periodPs, " ps, expected 0 or more");
    }
    if (once ? (periodPs != 0 || load != 0) : (periodPs != 0) == (load != 0))
    {
        Fail(who,
             ": period ",
             periodPs,
             " ps and load ",
             load,
             ", expected ",
             once ? "neither for a single incast" : "exactly one of them to repeat the incast");
    }
    if (!once)
    {
        CheckDuration(who, startPs, durationPs);
        if (load != 0)
        {
            CheckLoad(who, load);
            if (hostRateBps == 0 || sizeBytes == 0)
            {
                Fail(who,
                     ": load ",
                     load,
                     " with hostRateBps ",
                     hostRateBps,
                     " and size ",
                     sizeBytes,
                     " bytes, expected both above 0");
            }
            gapPs = PS_PER_S * 8 * static_cast<double>(sizeBytes) * nSenders /
                    (load * static_cast<double>(hostRateBps) * hosts.nHosts);
        }
        const double expectedFlows = nSenders * (static_cast<double>(durationPs) / gapPs);
        if (expectedFlows > MAX_FLOWS)
        {
            Fail(who, ": about ", expectedFlows, " flows, expected at most ", MAX_FLOWS);
        }
    }

    auto gapRng = MakeStream<ExponentialRandomVariable>(stream);
    auto receiverRng = MakeStream<UniformRandomVariable>(stream + 1);
    auto senderRng = MakeStream<UniformRandomVariable>(stream + 2);
    std::vector<FlowSpec> flows;
    const bool poisson = arrivals == IncastArrivals::Poisson;
    double afterPs = poisson ? gapRng->GetValue(gapPs, 0) : 0;
    for (uint64_t k = 1; once ? k == 1 : afterPs < static_cast<double>(durationPs); ++k)
    {
        const uint32_t to = receiver ? *receiver : receiverRng->GetInteger(0, hosts.nHosts - 1);
        const Candidates among = eligible(to);
        std::vector<uint32_t> left(among.Count());
        for (uint32_t i = 0; i < left.size(); ++i)
        {
            left[i] = among.At(index, i);
        }
        // the first nSenders places of a shuffle
        for (uint32_t i = 0; i < nSenders; ++i)
        {
            const auto last = static_cast<uint32_t>(left.size()) - 1;
            std::swap(left[i], left[senderRng->GetInteger(i, last)]);
            const int64_t at = startPs + static_cast<int64_t>(afterPs);
            flows.push_back(MakeFlow(left[i], to, sizeBytes, at, trafficClass, tag));
        }
        // multiples of the exact period, so that rounding to picoseconds does not add up
        afterPs = poisson ? afterPs + gapRng->GetValue(gapPs, 0) : static_cast<double>(k) * gapPs;
    }
    SortAndNumber(flows);
    return flows;
}

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
    if (nFlows > MAX_FLOWS)
    {
        Fail(who, ": ", nFlows, " flows, expected at most ", MAX_FLOWS);
    }
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

} // namespace roce
} // namespace ns3
