/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-workload-options.h"

#include "roce-flow-list.h"
#include "roce-input-error.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace ns3
{
namespace roce
{

namespace
{

// First random stream of each pattern; PoissonWorkload takes three for each of up to 10^6 hosts.
constexpr int64_t POISSON_STREAM = 0;
constexpr int64_t INCAST_STREAM = 10000000;
constexpr int64_t PERMUTATION_STREAM = 10000010;

constexpr double MAX_FLOWS = 1e7;

FlowSizeDistribution
FindSizes(const std::string& workload)
{
    const std::vector<std::string> names = FlowSizeDistribution::Names();
    if (std::find(names.begin(), names.end(), workload) != names.end())
    {
        return FlowSizeDistribution::Named(workload);
    }
    if (!std::filesystem::exists(workload))
    {
        std::string known;
        for (const std::string& name : names)
        {
            known += ", " + name;
        }
        throw InputError("--workload is '" + workload + "', expected a CDF file" + known);
    }
    return FlowSizeDistribution::FromFile(workload);
}

} // namespace

void
WorkloadOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("pattern",
                 "poisson, incast, alltoall, permutation or list; several joined with +",
                 pattern);
    cmd.AddValue("duration", "Length of the arrivals (poisson, repeated incast)", duration);
    cmd.AddValue("load", "poisson: offered load, payload over the reference's capacity", load);
    cmd.AddValue("loadReference", "What a load of 1 means: host, uplink or wan", loadReference);
    cmd.AddValue("interFraction",
                 "poisson: share of the flows between datacenters; -1: destinations uniform",
                 interFraction);
    cmd.AddValue("workload", "poisson: flow sizes, a built-in name or a CDF file", workload);
    cmd.AddValue("truncate", "poisson: leave out larger flows, bytes; 0: none", truncateBytes);
    cmd.AddValue("flows", "list: flow list, own or HPCC format", flowsFile);
    cmd.AddValue("incastSenders", "incast: senders", incastSenders);
    cmd.AddValue("incastBytes", "incast: bytes of each sender", incastBytes);
    cmd.AddValue("incastPeriod",
                 "incast: time between incasts; 0: by incastLoad, or once",
                 incastPeriod);
    cmd.AddValue("incastLoad",
                 "incast: Poisson, this share of all host links' capacity; 0: not",
                 incastLoad);
    cmd.AddValue("incastFrom",
                 "incast: senders are in any, the receiver's or another datacenter: all, local or "
                 "remote",
                 incastFrom);
    cmd.AddValue("incastReceiver",
                 "incast: receiving NIC; empty: random each time",
                 incastReceiver);
    cmd.AddValue("messageBytes", "alltoall, permutation: bytes of each flow", messageBytes);
    cmd.AddValue("stagger", "alltoall: time between rounds", stagger);
}

LoadReference
WorkloadOptions::GetReference() const
{
    if (loadReference == "host")
    {
        return LoadReference::Host;
    }
    if (loadReference == "uplink")
    {
        return LoadReference::Uplink;
    }
    if (loadReference == "wan")
    {
        return LoadReference::Wan;
    }
    throw InputError("--loadReference is '" + loadReference + "', expected host, uplink or wan");
}

std::vector<FlowSpec>
WorkloadOptions::Poisson(const Topology& topology) const
{
    PoissonWorkload poisson;
    poisson.sizes = FindSizes(workload);
    if (truncateBytes)
    {
        poisson.sizes = poisson.sizes.TruncatedAt(truncateBytes);
    }
    poisson.hosts = topology.GetPlacement();
    poisson.capacity = topology.GetCapacity(GetReference());
    poisson.load = load;
    poisson.interFraction = interFraction;
    poisson.durationPs = duration.GetPicoSeconds();
    poisson.stream = POISSON_STREAM;
    // An estimate is enough to tell a slip from a long run.
    const LoadCapacity& c = poisson.capacity;
    const double capacityBps = c.reference == LoadReference::Host
                                   ? static_cast<double>(c.hostRateBps) * poisson.hosts.nHosts
                               : c.reference == LoadReference::Uplink
                                   ? static_cast<double>(c.uplinkBps)
                                   : static_cast<double>(c.wanBps) * topology.datacenters;
    const double nFlows =
        load * capacityBps * duration.GetSeconds() / (8 * poisson.sizes.MeanBytes());
    if (nFlows > MAX_FLOWS)
    {
        std::ostringstream message;
        message << "poisson: about " << nFlows << " flows, expected at most " << MAX_FLOWS
                << "; a shorter --duration, less --load or larger flows";
        throw InputError(message.str());
    }
    return poisson.Generate();
}

std::vector<FlowSpec>
WorkloadOptions::Incast(const Topology& topology) const
{
    IncastWorkload incast;
    incast.hosts = topology.GetPlacement();
    incast.nSenders = incastSenders;
    incast.sizeBytes = incastBytes;
    if (incastFrom == "local")
    {
        incast.senders = IncastSenders::LocalDatacenter;
    }
    else if (incastFrom == "remote")
    {
        incast.senders = IncastSenders::RemoteDatacenter;
    }
    else if (incastFrom != "all")
    {
        throw InputError("--incastFrom is '" + incastFrom + "', expected all, local or remote");
    }
    if (!incastReceiver.empty())
    {
        ValueCheck::Value("--incastReceiver",
                          ValueKind::UNSIGNED,
                          incastReceiver,
                          incast.hosts.nHosts - 1);
        incast.receiver = static_cast<uint32_t>(std::stoul(incastReceiver));
    }
    if (incastLoad != 0 && !incastPeriod.IsZero())
    {
        throw InputError("--incastLoad and --incastPeriod are both given, expected one of them");
    }
    incast.arrivals = incastLoad != 0          ? IncastArrivals::Poisson
                      : !incastPeriod.IsZero() ? IncastArrivals::Periodic
                                               : IncastArrivals::Once;
    incast.load = incastLoad;
    incast.periodPs = incastPeriod.GetPicoSeconds();
    incast.hostRateBps = topology.hostRate.GetBitRate();
    incast.durationPs = duration.GetPicoSeconds();
    incast.stream = INCAST_STREAM;
    return incast.Generate();
}

std::vector<FlowSpec>
WorkloadOptions::GenerateOne(const std::string& name, const Topology& topology) const
{
    const uint32_t nNics = topology.GetPlacement().nHosts;
    if (name == "poisson")
    {
        return Poisson(topology);
    }
    if (name == "incast")
    {
        return Incast(topology);
    }
    if (name == "alltoall")
    {
        AllToAllWorkload all;
        all.hosts.resize(nNics);
        std::iota(all.hosts.begin(), all.hosts.end(), 0);
        all.sizeBytes = messageBytes;
        all.staggerPs = stagger.GetPicoSeconds();
        return all.Generate();
    }
    if (name == "permutation")
    {
        PermutationWorkload permutation;
        permutation.nHosts = nNics;
        permutation.sizeBytes = messageBytes;
        permutation.stream = PERMUTATION_STREAM;
        return permutation.Generate();
    }
    if (name == "list")
    {
        if (flowsFile.empty())
        {
            throw InputError("--pattern=list, expected --flows=FILE with it");
        }
        return FlowList::Read(flowsFile, nNics).flows;
    }
    throw InputError("--pattern is '" + pattern +
                     "', expected poisson, incast, alltoall, permutation or list, or several of "
                     "them joined with +");
}

std::vector<FlowSpec>
WorkloadOptions::Generate(const Topology& topology) const
{
    std::vector<std::vector<FlowSpec>> parts;
    std::istringstream names(pattern.empty() ? "+" : pattern);
    for (std::string name; std::getline(names, name, '+');)
    {
        parts.push_back(GenerateOne(name, topology));
    }
    if (!flowsFile.empty() && pattern.find("list") == std::string::npos)
    {
        throw InputError("--flows is given and --pattern is '" + pattern +
                         "', expected --pattern=list");
    }
    std::vector<FlowSpec> flows = Merge(parts);
    if (flows.empty())
    {
        throw InputError("no flow starts within --duration, expected a longer one or more load");
    }
    return flows;
}

std::string
WorkloadOptions::Report(const std::vector<FlowSpec>& flows, const Topology& topology) const
{
    const bool repeated =
        pattern.find("poisson") != std::string::npos || incastLoad != 0 || !incastPeriod.IsZero();
    const int64_t window = std::max<int64_t>(1, duration.GetPicoSeconds());
    const LoadReference reference = GetReference();
    const OfferedLoad offered = OfferedLoad::Measure(flows,
                                                     topology.GetPlacement(),
                                                     topology.GetCapacity(reference),
                                                     window);
    std::ostringstream text;
    text << offered.flows << " flows (" << offered.flowsInterDc << " between datacenters), "
         << offered.bytes << " B (" << offered.bytesInterDc << " B)";
    if (repeated)
    {
        text << ", offered load " << std::fixed << std::setprecision(4) << offered.load << " of "
             << loadReference << " capacity over " << static_cast<double>(window) / 1e9 << " ms";
    }
    return text.str();
}

} // namespace roce
} // namespace ns3
