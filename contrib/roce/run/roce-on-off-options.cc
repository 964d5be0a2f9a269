// SPDX-License-Identifier: GPL-2.0-only
#include "roce-on-off-options.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-on-off-workload.h"

namespace ns3::roce
{

namespace
{

/// @return whether a text is the first of two; InputError if it is neither
bool
IsFirst(const char* option, const std::string& text, const char* first, const char* second)
{
    if (text != first && text != second)
    {
        throw InputError(std::string("--") + option + " is '" + text + "', expected " + first +
                         " or " + second);
    }
    return text == first;
}

} // namespace

void
OnOffOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("workers", "onoff: hosts that all send to each other in each round", workers);
    cmd.AddValue("workerPlacement",
                 "onoff: workers are the first hosts of each rack (spread), or of all (contiguous)",
                 workerPlacement);
    cmd.AddValue("workerBytes", "onoff: bytes to each other worker in a round", workerBytes);
    cmd.AddValue("rounds", "onoff: rounds", rounds);
    cmd.AddValue("offTime", "onoff: time between rounds", offTime);
    cmd.AddValue("roundMode",
                 "onoff: offTime begins with the last ACK of a round (closedLoop), or after the "
                 "time that it takes at line rate (fixedPeriod)",
                 roundMode);
}

bool
OnOffOptions::IsClosedLoop() const
{
    return IsFirst("roundMode", roundMode, "closedLoop", "fixedPeriod");
}

void
OnOffOptions::Check() const
{
    IsClosedLoop();
    IsFirst("workerPlacement", workerPlacement, "spread", "contiguous");
    if (offTime.IsStrictlyNegative())
    {
        throw InputError("--offTime is negative, expected 0 or more");
    }
    if (workerBytes > MAX_FLOW_BYTES)
    {
        throw InputError("--workerBytes is " + std::to_string(workerBytes) +
                         ", expected at most 10^15");
    }
}

std::vector<FlowSpec>
OnOffOptions::Generate(const Topology& topology) const
{
    Check();
    using Placement = OnOffWorkload::Placement;
    OnOffWorkload workload;
    workload.hosts = topology.GetPlacement();
    workload.workers = workers;
    workload.placement = workerPlacement == "spread" ? Placement::SPREAD : Placement::CONTIGUOUS;
    workload.sizeBytes = workerBytes;
    workload.rounds = rounds;
    workload.offPs = offTime.GetPicoSeconds();
    workload.isClosedLoop = IsClosedLoop();
    workload.hostRateBps = topology.hostRate.GetBitRate();
    return workload.Generate();
}

std::vector<std::string>
OnOffOptions::GetNames()
{
    return {"workers", "workerPlacement", "workerBytes", "rounds", "offTime", "roundMode"};
}

std::vector<UnusedOptions>
OnOffOptions::GetUnused() const
{
    if (rounds == 1)
    {
        return {{{"offTime", "roundMode"}, "with --rounds=1"}};
    }
    return {};
}

} // namespace ns3::roce
