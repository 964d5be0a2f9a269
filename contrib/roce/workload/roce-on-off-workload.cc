// SPDX-License-Identifier: GPL-2.0-only
#include "roce-on-off-workload.h"

#include "roce-workload-internal.h"

#include <cmath>
#include <limits>

namespace ns3::roce
{

using namespace workload;

namespace
{

const char* const ON_OFF = "on-off workload";

} // namespace

void
OnOffWorkload::AddOptions(OptionTable& table)
{
    const auto once = [this] { return rounds == 1; };
    table.AddValue("workers",
                   "onoff: hosts that all send to each other in each round",
                   workers,
                   Range::AtLeast(2));
    table.AddChoice("workerPlacement",
                    "onoff: workers are the first hosts of each rack (spread), or of all "
                    "(contiguous)",
                    placement,
                    {{"spread", Placement::SPREAD}, {"contiguous", Placement::CONTIGUOUS}});
    table.AddBytes("workerBytes",
                   "onoff: bytes to each other worker in a round",
                   sizeBytes,
                   FLOW_SIZES);
    table.AddValue("rounds", "onoff: rounds", rounds, Range::AtLeast(1));
    table.AddDuration("offTime", "onoff: time between rounds", offPs)
        .UnusedIf(once, "with --rounds=1");
    table
        .AddChoice("roundMode",
                   "onoff: offTime begins with the last ACK of a round (closedLoop), or after the "
                   "time that it takes at line rate (fixedPeriod)",
                   isClosedLoop,
                   {{"closedLoop", true}, {"fixedPeriod", false}})
        .UnusedIf(once, "with --rounds=1");
}

namespace
{

/// @return this many hosts of all racks: one more of each until there are enough
std::vector<uint32_t>
SpreadOverRacks(const HostIndex& index, uint32_t workers)
{
    const auto nHosts = static_cast<uint32_t>(index.order.size());
    std::vector<uint32_t> taken(nHosts, 0); // by the rack's first position
    uint32_t left = workers;
    for (uint32_t slot = 0; left; ++slot)
    {
        for (uint32_t i = 0; i < nHosts && left; i = index.RackOf(index.order[i]).end)
        {
            if (slot < index.RackOf(index.order[i]).Size())
            {
                ++taken[i];
                --left;
            }
        }
    }
    std::vector<uint32_t> chosen;
    for (uint32_t i = 0; i < nHosts; ++i)
    {
        for (uint32_t slot = 0; slot < taken[i]; ++slot)
        {
            chosen.push_back(index.order[i + slot]);
        }
    }
    return chosen;
}

} // namespace

std::vector<uint32_t>
OnOffWorkload::GetWorkers() const
{
    const HostIndex index(hosts, ON_OFF);
    const auto nHosts = static_cast<uint32_t>(index.order.size());
    Require(workers >= 2 && workers <= nHosts,
            ON_OFF,
            ": ",
            workers,
            " workers, expected 2 to ",
            nHosts,
            ", the hosts");
    if (placement == Placement::CONTIGUOUS)
    {
        return {index.order.begin(), index.order.begin() + workers};
    }
    Require(index.KnowsRacks(), ON_OFF, ": racks are unknown, expected them to spread workers");
    return SpreadOverRacks(index, workers);
}

int64_t
OnOffWorkload::GetPeriodPs() const
{
    Require(hostRateBps > 0, ON_OFF, ": rate of hosts 0, expected it for the fixed period");
    const double onPs = static_cast<double>(sizeBytes) * (workers - 1.0) * 8 * PS_PER_S /
                        static_cast<double>(hostRateBps);
    Require(onPs < 1e18, ON_OFF, ": a round of ", onPs / PS_PER_S, " s, expected at most 10^6 s");
    return std::llround(onPs) + offPs;
}

std::vector<FlowSpec>
OnOffWorkload::Generate() const
{
    CheckCommon(ON_OFF, startPs, trafficClass, 0);
    Require(rounds >= 1, ON_OFF, ": 0 rounds, expected at least 1");
    Require(offPs >= 0 && offPs < static_cast<int64_t>(1e18),
            ON_OFF,
            ": OFF time ",
            offPs,
            " ps, expected 0 to 10^6 s");
    const double perRound = static_cast<double>(workers) * (workers - 1.0);
    CheckFlows(ON_OFF, perRound * rounds, perRound);
    const int64_t periodPs = isClosedLoop ? 0 : GetPeriodPs();
    Require(periodPs <= (std::numeric_limits<int64_t>::max() - startPs) / rounds,
            ON_OFF,
            ": ",
            rounds,
            " rounds, expected all starts below 2^63 ps");
    AllToAllWorkload round{GetWorkers(), sizeBytes, startPs, 0, trafficClass, tag};
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < rounds; ++i)
    {
        if (i)
        {
            round.startPs = isClosedLoop ? offPs : startPs + i * periodPs;
        }
        for (FlowSpec& flow : round.Generate())
        {
            flow.phase = isClosedLoop ? i + 1 : 0;
            flows.push_back(flow);
        }
    }
    SortAndNumber(flows);
    return flows;
}

} // namespace ns3::roce
