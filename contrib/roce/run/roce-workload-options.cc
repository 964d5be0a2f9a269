// SPDX-License-Identifier: GPL-2.0-only
#include "roce-workload-options.h"

#include "ns3/roce-flow-list.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

// First random stream of each pattern; PoissonWorkload takes three for each of up to 10^6 hosts.
constexpr int64_t POISSON_STREAM = 0;
constexpr int64_t POISSON_INTER_STREAM = 5000000;
constexpr int64_t PERMUTATION_STREAM = 10000010;
constexpr int64_t ALLREDUCE_STREAM = 10000011;

constexpr double MAX_FLOWS = 1e7;

uint32_t
ParseNic(const std::string& option, const std::string& text, uint32_t nNics)
{
    ValueCheck::Value(option, ValueKind::UNSIGNED, text, nNics - 1);
    return static_cast<uint32_t>(std::stoul(text));
}

/// @return the flows, unless there are too many
std::vector<FlowSpec>
GeneratePoisson(const PoissonWorkload& poisson)
{
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

} // namespace

void
WorkloadOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("pattern",
                 "poisson, incast, alltoall, permutation, allreduce, collective, onoff or list; "
                 "several joined with +",
                 pattern);
    cmd.AddValue("duration", "Length of the arrivals (poisson, repeated incast)", duration);
    cmd.AddValue("load", "poisson: offered load, payload over the reference's capacity", load);
    cmd.AddValue("loadReference",
                 "What a load of 1 means: host, uplink, wan or bottleneck",
                 loadReference);
    cmd.AddValue("interFraction",
                 "poisson: share of the flows between datacenters; -1: destinations uniform",
                 interFraction);
    cmd.AddValue("interLoad",
                 "poisson: load of the WAN by flows between datacenters, drawn separately; load is "
                 "then only for those within; 0: see interFraction",
                 interLoad);
    cmd.AddValue("interRackOnly",
                 "poisson: flows within a datacenter go to other racks only",
                 interRackOnly);
    cmd.AddValue("workload", "poisson: flow sizes, a built-in name or a CDF file", workload);
    cmd.AddValue("interWorkload",
                 "poisson: sizes of flows between datacenters; empty: those of workload",
                 interWorkload);
    cmd.AddValue("truncate", "poisson: leave out larger flows, bytes; 0: none", truncateBytes);
    cmd.AddValue("poissonReceiver",
                 "poisson: all flows go to this NIC, whose link has the load; empty: to all",
                 poissonReceiver);
    cmd.AddValue("poissonStart", "poisson: start of arrivals", poissonStart);
    cmd.AddValue("flows", "list: flow list, own or HPCC format", flowsFile);
    cmd.AddValue("through",
                 "Names of switches, joined with commas: flows take the shortest path with most of "
                 "them; empty: by the flow hash alone",
                 through);
    incast.AddOptions(cmd);
    cmd.AddValue("messageBytes", "alltoall, permutation: bytes of each flow", messageBytes);
    cmd.AddValue("stagger", "alltoall: time between rounds", stagger);
    cmd.AddValue("groups", "allreduce: pairs of hosts of two datacenters", allReduce.groups);
    cmd.AddValue("iterations", "allreduce: exchanges, one after the other", allReduce.iterations);
    cmd.AddValue("minBytes",
                 "allreduce: least amount of one exchange in each direction, bytes",
                 allReduce.minBytes);
    cmd.AddValue("maxBytes", "allreduce: greatest amount, bytes", allReduce.maxBytes);
    cmd.AddValue("computeTime", "allreduce: time between exchanges", computeTime);
    collective.AddOptions(cmd);
    onOff.AddOptions(cmd);
}

FlowSizeDistribution
WorkloadOptions::GetSizes(const std::string& option, const std::string& text) const
{
    const std::vector<std::string> names = FlowSizeDistribution::Names();
    const bool named = std::find(names.begin(), names.end(), text) != names.end();
    std::error_code unreadable; // a name may be too long
    if (!named && !std::filesystem::exists(text, unreadable))
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
    for (const auto& [name, reference] : {std::pair("host", LoadReference::Host),
                                          std::pair("uplink", LoadReference::Uplink),
                                          std::pair("wan", LoadReference::Wan),
                                          std::pair("bottleneck", LoadReference::Bottleneck)})
    {
        if (loadReference == name)
        {
            return reference;
        }
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
    poisson.interRackOnly = interRackOnly;
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
    return interLoad > 0 ? PoissonApart(poisson, topology) : GeneratePoisson(poisson);
}

/// Flows within datacenters have `load`, those between them `interLoad`.
std::vector<FlowSpec>
WorkloadOptions::PoissonApart(PoissonWorkload poisson, const Topology& topology) const
{
    if (!poissonReceiver.empty() || loadReference == "wan")
    {
        throw InputError(
            "--interLoad with --" +
            std::string(poissonReceiver.empty() ? "loadReference=wan" : "poissonReceiver") +
            ", expected one of them");
    }
    PoissonWorkload inter = poisson;
    poisson.interFraction = 0;
    inter.interFraction = 1;
    inter.sizes = inter.interSizes.value_or(inter.sizes);
    inter.interSizes.reset();
    inter.load = interLoad;
    inter.capacity = topology.GetCapacity(LoadReference::Wan);
    inter.stream = POISSON_INTER_STREAM;
    return Merge({GeneratePoisson(poisson), GeneratePoisson(inter)});
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
        return incast.Generate(topology, duration);
    }
    if (name == "allreduce")
    {
        return AllReduce(topology);
    }
    if (name == "collective")
    {
        return collective.Generate(topology);
    }
    if (name == "onoff")
    {
        return onOff.Generate(topology);
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
        FlowList list = FlowList::Read(flowsFile, nNics);
        for (const std::string& note : list.notes)
        {
            Messages::Say("note", flowsFile + ": " + note);
        }
        return std::move(list.flows);
    }
    throw InputError("--pattern is '" + pattern +
                     "', expected poisson, incast, alltoall, permutation, allreduce, collective, "
                     "onoff or list, or several of them joined with +");
}

bool
WorkloadOptions::Has(const std::string& name) const
{
    return ("+" + pattern + "+").find("+" + name + "+") != std::string::npos;
}

/// Options that have no effect without their pattern.
void
WorkloadOptions::Check(const Topology& topology) const
{
    const std::pair<const char*, Time> times[] = {{"duration", duration},
                                                  {"poissonStart", poissonStart},
                                                  {"incastPeriod", incast.period},
                                                  {"incastJitter", incast.jitter},
                                                  {"stagger", stagger},
                                                  {"computeTime", computeTime}};
    for (const auto& [name, time] : times)
    {
        if (time.IsStrictlyNegative())
        {
            throw InputError(std::string("--") + name + " is negative, expected 0 or more");
        }
    }
    const auto require = [](bool good, const char* name, auto value, const char* expected) {
        std::ostringstream text;
        if (!good)
        {
            text << "--" << name << " is " << value << ", expected " << expected;
            throw InputError(text.str());
        }
    };
    require(load > 0 && load <= 10, "load", load, "above 0 and at most 10");
    require(interLoad >= 0 && interLoad <= 10, "interLoad", interLoad, "0 to 10");
    require(incast.load >= 0 && incast.load <= 10, "incastLoad", incast.load, "0 to 10");
    require(interFraction == -1 || (interFraction >= 0 && interFraction <= 1),
            "interFraction",
            interFraction,
            "0 to 1, or -1");
    require(incast.senders >= 1, "incastSenders", incast.senders, "at least 1");
    require(allReduce.groups >= 1, "groups", allReduce.groups, "at least 1");
    require(allReduce.iterations >= 1, "iterations", allReduce.iterations, "at least 1");
    require(allReduce.minBytes <= allReduce.maxBytes,
            "minBytes",
            allReduce.minBytes,
            "at most --maxBytes");
    for (const auto& [name, bytes] : {std::pair("incastBytes", incast.bytes),
                                      std::pair("messageBytes", messageBytes),
                                      std::pair("maxBytes", allReduce.maxBytes)})
    {
        require(bytes <= MAX_FLOW_BYTES, name, bytes, "at most 10^15");
    }
    collective.Check(topology.GetPlacement().nHosts);
    onOff.Check();
    GetReference();
    for (const auto& [option, text] :
         {std::pair("--workload", &workload), std::pair("--interWorkload", &interWorkload)})
    {
        if (!Has("poisson") && !text->empty()) // read once: it may be a pipe
        {
            GetSizes(option, *text);
        }
    }
    const uint32_t nNics = topology.GetPlacement().nHosts;
    incast.Check(nNics);
    if (!poissonReceiver.empty())
    {
        ParseNic("--poissonReceiver", poissonReceiver, nNics);
    }
}

/// @return whether flows arrive for as long as `duration`
bool
WorkloadOptions::IsRepeated() const
{
    return Has("poisson") || (Has("incast") && incast.IsRepeated());
}

std::vector<UnusedOptions>
WorkloadOptions::GetUnused() const
{
    static const std::vector<std::pair<std::vector<const char*>, std::vector<std::string>>> uses{
        {{"poisson"},
         {"load",
          "interFraction",
          "interLoad",
          "interRackOnly",
          "workload",
          "interWorkload",
          "truncate",
          "poissonReceiver",
          "poissonStart"}},
        {{"incast"}, IncastOptions::GetNames()},
        {{"alltoall", "permutation"}, {"messageBytes"}},
        {{"alltoall"}, {"stagger"}},
        {{"allreduce"}, {"groups", "iterations", "minBytes", "maxBytes", "computeTime"}},
        {{"collective"}, CollectiveOptions::GetNames()},
        {{"onoff"}, OnOffOptions::GetNames()}};
    std::vector<UnusedOptions> unused;
    for (const auto& [patterns, options] : uses)
    {
        if (std::none_of(patterns.begin(), patterns.end(), [this](const char* p) {
                return Has(p);
            }))
        {
            unused.push_back({options, "with --pattern=" + pattern});
        }
    }
    if (!IsRepeated())
    {
        unused.push_back({{"duration", "loadReference"},
                          Has("incast") ? "with a single incast" : "with --pattern=" + pattern});
    }
    if (Has("poisson") && interLoad > 0)
    {
        unused.push_back({{"interFraction"}, "with --interLoad"});
    }
    else if (Has("poisson") && interFraction == 0)
    {
        unused.push_back({{"interWorkload"}, "since no Poisson flow goes to another datacenter"});
    }
    if (Has("poisson") && interFraction == 1 && interLoad == 0 && !interWorkload.empty())
    {
        unused.push_back({{"workload"}, "with --interWorkload and --interFraction=1"});
    }
    if (Has("allreduce") && allReduce.iterations == 1)
    {
        unused.push_back({{"computeTime"}, "with --iterations=1"});
    }
    const auto add = [&unused](const std::vector<UnusedOptions>& more) {
        unused.insert(unused.end(), more.begin(), more.end());
    };
    add(Has("collective") ? collective.GetUnused() : std::vector<UnusedOptions>());
    add(Has("onoff") ? onOff.GetUnused() : std::vector<UnusedOptions>());
    return unused;
}

/// Patterns whose iterations would be counted together.
void
WorkloadOptions::CheckLoops() const
{
    if (Has("onoff") && Has("allreduce") && onOff.IsClosedLoop())
    {
        throw InputError("--pattern=" + pattern +
                         " with --roundMode=closedLoop: rounds and "
                         "iterations would wait for each other, expected one of them or "
                         "fixedPeriod");
    }
    if (Has("collective") && (Has("allreduce") || (Has("onoff") && onOff.IsClosedLoop())))
    {
        throw InputError("--pattern=" + pattern +
                         ": iterations.csv would have rows of both, expected collective without "
                         "allreduce, and without onoff unless --roundMode=fixedPeriod");
    }
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
    if (!flowsFile.empty() && !Has("list"))
    {
        throw InputError("--flows is given and --pattern is '" + pattern +
                         "', expected --pattern=list");
    }
    CheckLoops();
    Check(topology);
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
    const int64_t window = std::max<int64_t>(1, duration.GetPicoSeconds());
    const LoadReference reference = GetReference();
    const OfferedLoad offered = OfferedLoad::Measure(flows,
                                                     topology.GetPlacement(),
                                                     topology.GetCapacity(reference),
                                                     window);
    std::ostringstream text;
    text << offered.flows << " flows (" << offered.flowsInterDc << " between datacenters), "
         << offered.bytes << " B (" << offered.bytesInterDc << " B)";
    if (IsRepeated() && poissonReceiver.empty()) // that load is of one link only
    {
        text << ", offered load " << std::fixed << std::setprecision(4) << offered.load << " of "
             << loadReference << " capacity over " << static_cast<double>(window) / 1e9 << " ms";
        if (interLoad > 0 && Has("poisson"))
        {
            const OfferedLoad wan = OfferedLoad::Measure(flows,
                                                         topology.GetPlacement(),
                                                         topology.GetCapacity(LoadReference::Wan),
                                                         window);
            text << ", " << wan.load << " of the WAN";
        }
    }
    return text.str();
}

} // namespace ns3::roce
