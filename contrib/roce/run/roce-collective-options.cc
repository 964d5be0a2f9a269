// SPDX-License-Identifier: GPL-2.0-only
#include "roce-collective-options.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-text-form.h"

#include <numeric>
#include <sstream>
#include <utility>

namespace ns3::roce
{

void
CollectiveOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("collective",
                 "collective: ring-all-reduce, tree-all-reduce, all-gather, reduce-scatter or "
                 "all-to-all",
                 collective);
    cmd.AddValue("collectiveBytes", "collective: bytes of each GPU's buffer", bytes);
    cmd.AddValue("collectiveHosts",
                 "collective: NICs in the order of the ring, such as 0-7,12, or all",
                 hosts);
    cmd.AddValue("gpusPerHost", "collective: GPUs behind each NIC", gpusPerHost);
    cmd.AddValue("intraHostRate",
                 "collective: rate between GPUs of a host; 0: messages take no time",
                 intraHostRate);
    cmd.AddValue("collectiveRounds", "collective: how often", rounds);
    cmd.AddValue("collectiveCompute", "collective: pause between rounds of a host", computeTime);
}

CollectiveWorkload::Kind
CollectiveOptions::GetKind() const
{
    using Kind = CollectiveWorkload::Kind;
    for (const auto& [name, kind] : {std::pair("ring-all-reduce", Kind::RING_ALL_REDUCE),
                                     std::pair("tree-all-reduce", Kind::TREE_ALL_REDUCE),
                                     std::pair("all-gather", Kind::ALL_GATHER),
                                     std::pair("reduce-scatter", Kind::REDUCE_SCATTER),
                                     std::pair("all-to-all", Kind::ALL_TO_ALL)})
    {
        if (collective == name)
        {
            return kind;
        }
    }
    throw InputError("--collective is '" + collective +
                     "', expected ring-all-reduce, tree-all-reduce, all-gather, reduce-scatter or "
                     "all-to-all");
}

std::vector<uint32_t>
CollectiveOptions::GetHosts(uint32_t nNics) const
{
    std::vector<uint32_t> nics;
    if (hosts == "all")
    {
        nics.resize(nNics);
        std::iota(nics.begin(), nics.end(), 0);
        return nics;
    }
    static const TextForm form("([0-9]{1,9})(-([0-9]{1,9}))?");
    std::istringstream list(hosts.empty() ? "," : hosts);
    for (std::string item; std::getline(list, item, ',');)
    {
        const std::vector<std::string> match = form.Match(item);
        const bool ok = !match.empty();
        const uint64_t first = ok ? std::stoull(match[1]) : 1;
        const uint64_t last = ok && !match[3].empty() ? std::stoull(match[3]) : first;
        if (!ok || first > last || last >= nNics)
        {
            throw InputError("--collectiveHosts has '" + item + "', expected numbers 0 to " +
                             std::to_string(nNics - 1) + " such as 0-7,12, or all");
        }
        for (uint64_t nic = first; nic <= last; ++nic)
        {
            nics.push_back(static_cast<uint32_t>(nic));
        }
    }
    return nics;
}

void
CollectiveOptions::Check(uint32_t nNics) const
{
    GetKind();
    GetHosts(nNics);
    const auto require = [](bool good, const std::string& what) {
        if (!good)
        {
            throw InputError("--" + what);
        }
    };
    require(bytes <= MAX_FLOW_BYTES,
            "collectiveBytes is " + std::to_string(bytes) + ", expected at most 10^15");
    require(gpusPerHost >= 1 && gpusPerHost <= 1000,
            "gpusPerHost is " + std::to_string(gpusPerHost) + ", expected 1 to 1000");
    require(rounds >= 1, "collectiveRounds is 0, expected at least 1");
    require(!computeTime.IsStrictlyNegative(), "collectiveCompute is negative, expected 0 or more");
}

std::vector<FlowSpec>
CollectiveOptions::Generate(const Topology& topology) const
{
    const uint32_t nNics = topology.GetPlacement().nHosts;
    Check(nNics);
    CollectiveWorkload workload;
    workload.kind = GetKind();
    workload.hosts = GetHosts(nNics);
    workload.gpusPerHost = gpusPerHost;
    workload.sizeBytes = bytes;
    workload.intraHostBps = intraHostRate.GetBitRate();
    workload.rounds = rounds;
    workload.computePs = computeTime.GetPicoSeconds();
    return workload.Generate();
}

std::vector<std::string>
CollectiveOptions::GetNames()
{
    return {"collective",
            "collectiveBytes",
            "collectiveHosts",
            "gpusPerHost",
            "intraHostRate",
            "collectiveRounds",
            "collectiveCompute"};
}

std::vector<UnusedOptions>
CollectiveOptions::GetUnused() const
{
    std::vector<UnusedOptions> unused;
    if (rounds == 1)
    {
        unused.push_back({{"collectiveCompute"}, "with --collectiveRounds=1"});
    }
    if (gpusPerHost == 1)
    {
        unused.push_back({{"intraHostRate"}, "with --gpusPerHost=1"});
    }
    else if (collective == "all-to-all")
    {
        unused.push_back({{"intraHostRate"}, "with --collective=all-to-all"});
    }
    return unused;
}

} // namespace ns3::roce
