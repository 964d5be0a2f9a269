// SPDX-License-Identifier: GPL-2.0-only
#include "roce-workload-options.h"

#include "ns3/roce-flow-list.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"

#include <algorithm>
#include <filesystem>
#include <functional>
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
constexpr int64_t INCAST_STREAM = 10000000;
constexpr int64_t PERMUTATION_STREAM = 10000010;
constexpr int64_t ALLREDUCE_STREAM = 10000011;

constexpr double MAX_FLOWS = 1e7;

const NamedValues<LoadReference> LOAD_REFERENCES{{{"host", LoadReference::Host},
                                                  {"uplink", LoadReference::Uplink},
                                                  {"wan", LoadReference::Wan},
                                                  {"bottleneck", LoadReference::Bottleneck}}};

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

WorkloadOptions::WorkloadOptions()
{
    poisson.interFraction = 0.2;
    poisson.durationPs = 2'000'000'000;
}

void
WorkloadOptions::AddOptions(OptionTable& table)
{
    const auto unlessRepeated = [this] {
        return IsRepeated()    ? ""
               : Has("incast") ? "with a single incast"
                               : "with --pattern=" + pattern;
    };
    const auto only = [&](const std::vector<std::string>& patterns) {
        table.SetGroup([this, patterns] {
            const bool used = std::any_of(patterns.begin(), patterns.end(), [this](const auto& p) {
                return Has(p);
            });
            return used ? "" : "with --pattern=" + pattern;
        });
    };
    table.AddValue("pattern",
                   "poisson, incast, alltoall, permutation, allreduce, collective, onoff, list, "
                   "goal, chakra or jobs; several joined with +",
                   pattern);
    table.AddValue("flows", "list: flow list, own or HPCC format", flowsFile);
    table.AddValue("through",
                   "Names of switches, joined with commas: flows take the shortest path with most "
                   "of them; empty: by the flow hash alone",
                   through);
    table.AddChoice(
        "connections",
        "Flows that are messages of one queue pair, one after the other: flow: none; "
        "pair: all from one NIC to another; auto: those of a collective between the "
        "same GPUs, and of lists as their column qp says",
        connections,
        {{"auto", Connections::AUTO}, {"flow", Connections::FLOW}, {"pair", Connections::PAIR}});
    table.AddChoice("nicChoice",
                    "NICs of flows from host to host: nearest, rail (the same of each host, in "
                    "turn) or hash; named: flows are from NIC to NIC; auto: nearest if hosts have "
                    "NICs at several switches, otherwise named",
                    nicChoice,
                    {{"auto", std::nullopt},
                     {"named", NicRule::NAMED},
                     {"nearest", NicRule::NEAREST},
                     {"rail", NicRule::RAIL},
                     {"hash", NicRule::HASH}});
    table.SetGroup(unlessRepeated);
    table.AddDuration("duration",
                      "Length of the arrivals (poisson, repeated incast)",
                      poisson.durationPs);
    table.AddChoice("loadReference",
                    "What a load of 1 means: host, uplink, wan or bottleneck",
                    loadReference,
                    LOAD_REFERENCES.names);
    only({"poisson"});
    AddPoissonOptions(table);
    only({"incast"});
    incast.AddOptions(table);
    only({"alltoall", "permutation"});
    table.AddBytes("messageBytes",
                   "alltoall, permutation: bytes of each flow",
                   messageBytes,
                   Range::Within(0, MAX_FLOW_BYTES));
    only({"alltoall"});
    table.AddDuration("stagger", "alltoall: time between rounds", staggerPs);
    only({"allreduce"});
    allReduce.AddOptions(table);
    only({"collective"});
    collective.AddOptions(table, collectiveHosts);
    only({"onoff"});
    onOff.AddOptions(table);
    only({"goal"});
    table.AddValue("goal", "goal: schedule of each rank, GOAL as text or binary", ranks.goalFile);
    only({"chakra"});
    chakra.AddOptions(table);
    only({"jobs"});
    table.AddValue("jobs",
                   "jobs: JSON list of jobs that share the network, with ranks and placement",
                   ranks.jobsFile);
    only({"goal", "chakra", "jobs"});
    ranks.AddOptions(table);
    table.SetGroup(nullptr);
}

void
WorkloadOptions::AddPoissonOptions(OptionTable& table)
{
    poisson.AddOptions(table,
                       UnusedWhile([this] { return interLoad > 0 || poisson.toDatacenter; },
                                   "with --interLoad or --poissonTo"));
    table.AddValue("interLoad",
                   "poisson: load of the WAN by flows between datacenters, drawn separately; load "
                   "is then only for those within; 0: see interFraction",
                   interLoad,
                   Range::Within(0, 10));
    table.AddValue("workload", "poisson: flow sizes, a built-in name or a CDF file", workload)
        .UnusedIf(
            [this] {
                return poisson.interFraction == 1 && interLoad == 0 && !interWorkload.empty();
            },
            "with --interWorkload and --interFraction=1");
    table
        .AddValue("interWorkload",
                  "poisson: sizes of flows between datacenters; empty: those of workload",
                  interWorkload)
        .UnusedIf([this] { return poisson.interFraction == 0 && interLoad == 0; },
                  "since no Poisson flow goes to another datacenter");
    table.AddBytes("truncate", "poisson: leave out larger flows, bytes; 0: none", truncateBytes);
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

std::vector<FlowSpec>
WorkloadOptions::Poisson(const Topology& topology) const
{
    PoissonWorkload all = poisson;
    all.sizes = GetSizes("--workload", workload);
    if (!interWorkload.empty())
    {
        all.interSizes = GetSizes("--interWorkload", interWorkload);
    }
    all.hosts = GetEnds(topology);
    all.capacity = GetCapacity(topology, loadReference);
    all.stream = POISSON_STREAM;
    if (all.receiver && loadReference != LoadReference::Host &&
        loadReference != LoadReference::Bottleneck)
    {
        throw InputError(
            "--poissonReceiver with --loadReference=" + LOAD_REFERENCES.Print(loadReference) +
            ", expected host or bottleneck: the load is that of its link");
    }
    return interLoad > 0 ? PoissonApart(all, topology) : GeneratePoisson(all);
}

/// Flows within datacenters have `load`, those between them `interLoad`.
std::vector<FlowSpec>
WorkloadOptions::PoissonApart(PoissonWorkload within, const Topology& topology) const
{
    for (const auto& [isGiven, option] :
         {std::pair(within.receiver.has_value(), "--poissonReceiver"),
          std::pair(within.fromDatacenter.has_value(), "--poissonFrom"),
          std::pair(within.toDatacenter.has_value(), "--poissonTo"),
          std::pair(loadReference == LoadReference::Wan, "--loadReference=wan")})
    {
        if (isGiven)
        {
            throw InputError(std::string("--interLoad with ") + option + ", expected one of them");
        }
    }
    PoissonWorkload inter = within;
    within.interFraction = 0;
    inter.interFraction = 1;
    inter.sizes = inter.interSizes.value_or(inter.sizes);
    inter.interSizes.reset();
    inter.load = interLoad;
    inter.capacity = GetCapacity(topology, LoadReference::Wan);
    inter.stream = POISSON_INTER_STREAM;
    return Merge({GeneratePoisson(within), GeneratePoisson(inter)});
}

std::vector<FlowSpec>
WorkloadOptions::Incast(const Topology& topology) const
{
    IncastWorkload all = incast;
    all.hosts = GetEnds(topology);
    all.arrivals = all.load != 0       ? IncastArrivals::Poisson
                   : all.periodPs != 0 ? IncastArrivals::Periodic
                                       : IncastArrivals::Once;
    all.hostRateBps = topology.hostRate.GetBitRate();
    all.durationPs = poisson.durationPs;
    all.stream = INCAST_STREAM;
    return all.Generate();
}

std::vector<FlowSpec>
WorkloadOptions::AllToAll(uint32_t nNics) const
{
    AllToAllWorkload all;
    all.hosts.resize(nNics);
    std::iota(all.hosts.begin(), all.hosts.end(), 0);
    all.sizeBytes = messageBytes;
    all.staggerPs = staggerPs;
    return all.Generate();
}

std::vector<FlowSpec>
WorkloadOptions::Permutation(uint32_t nNics) const
{
    PermutationWorkload permutation;
    permutation.nHosts = nNics;
    permutation.sizeBytes = messageBytes;
    permutation.stream = PERMUTATION_STREAM;
    return permutation.Generate();
}

std::vector<FlowSpec>
WorkloadOptions::AllReduce(const Topology& topology) const
{
    AllReduceWorkload all = allReduce;
    all.hosts = GetEnds(topology);
    all.stream = ALLREDUCE_STREAM;
    return all.Generate();
}

std::vector<FlowSpec>
WorkloadOptions::Collective(const Topology& topology) const
{
    CollectiveWorkload all = collective;
    all.hosts = CollectiveWorkload::ParseHosts(collectiveHosts, GetEnds(topology).nHosts);
    all.hostsPerServer = topology.gpusPerServer;
    return all.Generate();
}

std::vector<FlowSpec>
WorkloadOptions::OnOff(const Topology& topology) const
{
    OnOffWorkload all = onOff;
    all.hosts = GetEnds(topology);
    all.hostRateBps = topology.hostRate.GetBitRate();
    return all.Generate();
}

std::vector<FlowSpec>
WorkloadOptions::List(uint32_t nNics, std::vector<std::string>* laws) const
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
    if (laws)
    {
        *laws = std::move(list.laws);
    }
    else if (!list.laws.empty())
    {
        throw InputError(flowsFile + ": column cc, expected none: this program has no other laws");
    }
    return std::move(list.flows);
}

std::vector<FlowSpec>
WorkloadOptions::GenerateOne(const std::string& name,
                             const Topology& topology,
                             std::vector<std::string>* laws) const
{
    const uint32_t nNics = GetEnds(topology).nHosts;
    const std::pair<const char*, std::function<std::vector<FlowSpec>()>> patterns[] = {
        {"poisson", [&] { return Poisson(topology); }},
        {"incast", [&] { return Incast(topology); }},
        {"alltoall", [&] { return AllToAll(nNics); }},
        {"permutation", [&] { return Permutation(nNics); }},
        {"allreduce", [&] { return AllReduce(topology); }},
        {"collective", [&] { return Collective(topology); }},
        {"onoff", [&] { return OnOff(topology); }},
        {"goal", [&] { return ranks.Generate(nNics); }},
        {"chakra", [&] { return ranks.Generate(chakra.Read(), nNics); }},
        {"jobs", [&] { return Merge(ranks.GenerateJobs(nNics, GetPerServer(topology))); }},
        {"list", [&] { return List(nNics, laws); }}};
    for (const auto& [known, generate] : patterns)
    {
        if (name == known)
        {
            return generate();
        }
    }
    throw InputError("--pattern is '" + pattern +
                     "', expected poisson, incast, alltoall, permutation, allreduce, collective, "
                     "onoff, list, goal, chakra or jobs, or several of them joined with +");
}

bool
WorkloadOptions::Has(const std::string& name) const
{
    return ("+" + pattern + "+").find("+" + name + "+") != std::string::npos;
}

NicRule
WorkloadOptions::GetNicRule(const Topology& topology) const
{
    return nicChoice.value_or(topology.IsMultiHomed() ? NicRule::NEAREST : NicRule::NAMED);
}

/// @return where the ends of flows are
HostPlacement
WorkloadOptions::GetEnds(const Topology& topology) const
{
    return topology.GetPlacement(GetNicRule(topology) != NicRule::NAMED);
}

/// @return how many of these are in a server
uint32_t
WorkloadOptions::GetPerServer(const Topology& topology) const
{
    const bool areHosts = GetNicRule(topology) != NicRule::NAMED;
    return topology.gpusPerServer * (areHosts ? 1 : topology.GetNicsOfHost());
}

LoadCapacity
WorkloadOptions::GetCapacity(const Topology& topology, LoadReference reference) const
{
    return topology.GetCapacity(reference, GetNicRule(topology) != NicRule::NAMED);
}

/// What rows cannot check alone, also of patterns that are not used.
void
WorkloadOptions::Check(const Topology& topology) const
{
    const auto require = [](bool good, const std::string& what, const std::string& expected) {
        if (!good)
        {
            throw InputError("--" + what + ", expected " + expected);
        }
    };
    require(pattern == "list" || !topology.IsMultiHomed() || GetNicRule(topology) != NicRule::NAMED,
            "nicChoice is named, but not all NICs are joined",
            "another one, or --pattern=list");
    const uint32_t nNics = GetEnds(topology).nHosts;
    for (const auto& [name, datacenter] : {std::pair("poissonFrom is ", &poisson.fromDatacenter),
                                           std::pair("poissonTo is ", &poisson.toDatacenter)})
    {
        const uint32_t number = datacenter->value_or(0);
        const uint32_t last = topology.datacenters - 1;
        require(number <= last, name + std::to_string(number), "0 to " + std::to_string(last));
        require(!*datacenter || !poisson.receiver,
                name + std::to_string(number) + " with --poissonReceiver",
                "one of them");
    }
    for (const auto& [name, nic] : {std::pair("poissonReceiver is ", &poisson.receiver),
                                    std::pair("incastReceiver is ", &incast.receiver)})
    {
        const uint32_t number = nic->value_or(0);
        require(number < nNics, name + std::to_string(number), "0 to " + std::to_string(nNics - 1));
    }
    require(incast.load == 0 || incast.periodPs == 0,
            "incastLoad and --incastPeriod are both given",
            "one of them");
    const uint32_t nLocal = incast.nLocalSenders.value_or(0);
    require(nLocal <= incast.nSenders,
            "incastLocalSenders is " + std::to_string(nLocal),
            "at most --incastSenders, " + std::to_string(incast.nSenders));
    require(!incast.nLocalSenders || incast.senders == IncastSenders::All,
            "incastLocalSenders and --incastFrom are both given",
            "one of them");
    require(allReduce.minBytes <= allReduce.maxBytes,
            "minBytes is " + std::to_string(allReduce.minBytes),
            "at most --maxBytes");
    for (const auto& [option, text] :
         {std::pair("--workload", &workload), std::pair("--interWorkload", &interWorkload)})
    {
        if (!Has("poisson") && !text->empty()) // read once: it may be a pipe
        {
            GetSizes(option, *text);
        }
    }
    CollectiveWorkload::ParseHosts(collectiveHosts, nNics);
}

/// @return whether flows arrive for as long as `duration`
bool
WorkloadOptions::IsRepeated() const
{
    return Has("poisson") || (Has("incast") && (incast.load != 0 || incast.periodPs != 0));
}

/// Patterns whose iterations would be counted together.
void
WorkloadOptions::CheckLoops() const
{
    if (Has("onoff") && Has("allreduce") && onOff.isClosedLoop)
    {
        throw InputError("--pattern=" + pattern +
                         " with --roundMode=closedLoop: rounds and "
                         "iterations would wait for each other, expected one of them or "
                         "fixedPeriod");
    }
    if (Has("collective") && (Has("allreduce") || (Has("onoff") && onOff.isClosedLoop)))
    {
        throw InputError("--pattern=" + pattern +
                         ": iterations.csv would have rows of both, expected collective without "
                         "allreduce, and without onoff unless --roundMode=fixedPeriod");
    }
}

std::vector<FlowSpec>
WorkloadOptions::Generate(const Topology& topology, std::vector<std::string>* laws) const
{
    Check(topology);
    std::vector<std::vector<FlowSpec>> parts;
    std::istringstream names(pattern.empty() ? "+" : pattern);
    for (std::string name; std::getline(names, name, '+');)
    {
        parts.push_back(GenerateOne(name, topology, laws));
    }
    if (!flowsFile.empty() && !Has("list"))
    {
        throw InputError("--flows is given and --pattern is '" + pattern +
                         "', expected --pattern=list");
    }
    CheckLoops();
    std::vector<FlowSpec> flows = Merge(parts);
    if (flows.empty())
    {
        throw InputError("no flow starts within --duration, expected a longer one or more load");
    }
    for (FlowSpec& flow : flows)
    {
        flow.connection =
            connections == Connections::AUTO ? flow.connection : connections == Connections::PAIR;
    }
    return flows;
}

std::string
WorkloadOptions::Report(const std::vector<FlowSpec>& flows, const Topology& topology) const
{
    const int64_t window = std::max<int64_t>(1, poisson.durationPs);
    const OfferedLoad offered = OfferedLoad::Measure(flows,
                                                     GetEnds(topology),
                                                     GetCapacity(topology, loadReference),
                                                     window);
    std::ostringstream text;
    text << offered.flows << " flows (" << offered.flowsInterDc << " between datacenters), "
         << offered.bytes << " B (" << offered.bytesInterDc << " B)";
    // Of a part of the links, the load is that of no reference.
    if (IsRepeated() && !poisson.receiver && !poisson.fromDatacenter)
    {
        text << ", offered load " << std::fixed << std::setprecision(4) << offered.load << " of "
             << LOAD_REFERENCES.Print(loadReference) << " capacity over "
             << static_cast<double>(window) / 1e9 << " ms";
        if (interLoad > 0 && Has("poisson"))
        {
            const OfferedLoad wan = OfferedLoad::Measure(flows,
                                                         GetEnds(topology),
                                                         GetCapacity(topology, LoadReference::Wan),
                                                         window);
            text << ", " << wan.load << " of the WAN";
        }
    }
    return text.str();
}

} // namespace ns3::roce
