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
constexpr int64_t ALLREDUCE_STREAM = 10000011;

constexpr double MAX_FLOWS = 1e7;

uint32_t
ParseNic(const std::string& option, const std::string& text, uint32_t nNics)
{
    ValueCheck::Value(option, ValueKind::UNSIGNED, text, nNics - 1);
    return static_cast<uint32_t>(std::stoul(text));
}

} // namespace

void
WorkloadOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("pattern",
                 "poisson, incast, alltoall, permutation, allreduce or list; several joined with +",
                 pattern);
    cmd.AddValue("duration", "Length of the arrivals (poisson, repeated incast)", duration);
    cmd.AddValue("load", "poisson: offered load, payload over the reference's capacity", load);
    cmd.AddValue("loadReference",
                 "What a load of 1 means: host, uplink, wan or bottleneck",
                 loadReference);
    cmd.AddValue("interFraction",
                 "poisson: share of the flows between datacenters; -1: destinations uniform",
                 interFraction);
    cmd.AddValue("workload", "poisson: flow sizes, a built-in name or a CDF file", workload);
    cmd.AddValue("interWorkload",
                 "poisson: sizes of flows between datacenters; empty: those of workload",
                 interWorkload);
    cmd.AddValue("truncate", "poisson: leave out larger flows, bytes; 0: none", truncateBytes);
    cmd.AddValue("poissonReceiver",
                 "poisson: all flows go to this NIC, whose link has the load; empty: to all",
                 poissonReceiver);
    cmd.AddValue("poissonStart", "poisson: begin of the arrivals", poissonStart);
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
    cmd.AddValue("incastLocalSenders",
                 "incast: so many senders in the receiver's datacenter, the others elsewhere; -1: "
                 "as incastFrom says",
                 incastLocalSenders);
    cmd.AddValue("incastSpread",
                 "incast: senders stand in different racks as far as possible",
                 incastSpread);
    cmd.AddValue("incastJitter",
                 "incast: each sender starts later by a time uniform from 0 to this",
                 incastJitter);
    cmd.AddValue("incastReceiver",
                 "incast: receiving NIC; empty: random each time",
                 incastReceiver);
    cmd.AddValue("messageBytes", "alltoall, permutation: bytes of each flow", messageBytes);
    cmd.AddValue("stagger", "alltoall: time between rounds", stagger);
    cmd.AddValue("groups", "allreduce: pairs of hosts of two datacenters", allReduce.groups);
    cmd.AddValue("iterations", "allreduce: exchanges, one after the other", allReduce.iterations);
    cmd.AddValue("minBytes",
                 "allreduce: least amount of one exchange in each direction, bytes",
                 allReduce.minBytes);
    cmd.AddValue("maxBytes", "allreduce: greatest amount, bytes", allReduce.maxBytes);
    cmd.AddValue("computeTime", "allreduce: time between exchanges", computeTime);
}

FlowSizeDistribution
WorkloadOptions::GetSizes(const std::string& option, const std::string& text) const
{
    const std::vector<std::string> names = FlowSizeDistribution::Names();
    const bool named = std::find(names.begin(), names.end(), text) != names.end();
    if (!named && !std::filesystem::exists(text))
    {
        std::string known;
        for (const std::string& name : names)
        {
            known += ", " + name;
        }
        throw InputError(option + " is '" + text + "', expected a CDF file" + known);
    }
    const FlowSizeDistribution sizes =
        named ? FlowSizeDistribution::Named(text) : FlowSizeDistribution::FromFile(text);
    return truncateBytes ? sizes.TruncatedAt(truncateBytes) : sizes;
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
    if (loadReference == "bottleneck")
    {
        return LoadReference::Bottleneck;
    }
    throw InputError("--loadReference is '" + loadReference +
                     "', expected host, uplink, wan or bottleneck");
}

std::vector<FlowSpec>
WorkloadOptions::Poisson(const Topology& topology) const
{
    PoissonWorkload poisson;
    poisson.sizes = GetSizes("--workload", workload);
    if (!interWorkload.empty())
    {
        poisson.interSizes = GetSizes("--interWorkload", interWorkload);
    }
    poisson.hosts = topology.GetPlacement();
    poisson.capacity = topology.GetCapacity(GetReference());
    poisson.load = load;
    poisson.interFraction = interFraction;
    poisson.startPs = poissonStart.GetPicoSeconds();
    poisson.durationPs = duration.GetPicoSeconds();
    poisson.stream = POISSON_STREAM;
    if (!poissonReceiver.empty())
    {
        poisson.receiver = ParseNic("--poissonReceiver", poissonReceiver, poisson.hosts.nHosts);
        if (loadReference != "host" && loadReference != "bottleneck")
        {
            throw InputError("--poissonReceiver with --loadReference=" + loadReference +
                             ", expected host or bottleneck: the load is that of its link");
        }
    }
    const double nFlows = poisson.GetExpectedFlows();
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
        incast.receiver = ParseNic("--incastReceiver", incastReceiver, incast.hosts.nHosts);
    }
    if (incastLocalSenders != "-1")
    {
        ValueCheck::Value("--incastLocalSenders (-1 or a number)",
                          ValueKind::UNSIGNED,
                          incastLocalSenders,
                          incastSenders);
        if (incast.senders != IncastSenders::All)
        {
            throw InputError("--incastLocalSenders and --incastFrom are both given, expected one "
                             "of them");
        }
        incast.nLocalSenders = static_cast<uint32_t>(std::stoul(incastLocalSenders));
    }
    incast.spread = incastSpread;
    incast.jitterPs = incastJitter.GetPicoSeconds();
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
WorkloadOptions::AllReduce(const Topology& topology) const
{
    AllReduceWorkload workload = allReduce;
    workload.hosts = topology.GetPlacement();
    workload.computePs = computeTime.GetPicoSeconds();
    workload.stream = ALLREDUCE_STREAM;
    return workload.Generate();
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
    if (name == "allreduce")
    {
        return AllReduce(topology);
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
                     "', expected poisson, incast, alltoall, permutation, allreduce or list, or "
                     "several of them joined with +");
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
    if (repeated && poissonReceiver.empty()) // that load is of one link only
    {
        text << ", offered load " << std::fixed << std::setprecision(4) << offered.load << " of "
             << loadReference << " capacity over " << static_cast<double>(window) / 1e9 << " ms";
    }
    return text.str();
}

} // namespace roce
} // namespace ns3
