// SPDX-License-Identifier: GPL-2.0-only
#include "roce-collective-workload.h"

#include "roce-workload-internal.h"

#include "ns3/roce-text-form.h"

#include <cmath>
#include <numeric>
#include <set>
#include <sstream>

namespace ns3::roce
{

using namespace workload;

namespace
{

const char* const COLLECTIVE = "collective";

/// @return depth of a node of a binary tree that is numbered level by level; 0 of the root
uint32_t
DepthOf(uint32_t node)
{
    uint32_t depth = 0;
    for (; node > 0; node = (node - 1) / 2)
    {
        ++depth;
    }
    return depth;
}

} // namespace

void
CollectiveWorkload::AddOptions(OptionTable& table, std::string& hostList)
{
    table.AddChoice("collective",
                    "collective: ring-all-reduce, tree-all-reduce, all-gather, reduce-scatter or "
                    "all-to-all",
                    kind,
                    {{"ring-all-reduce", Kind::RING_ALL_REDUCE},
                     {"tree-all-reduce", Kind::TREE_ALL_REDUCE},
                     {"all-gather", Kind::ALL_GATHER},
                     {"reduce-scatter", Kind::REDUCE_SCATTER},
                     {"all-to-all", Kind::ALL_TO_ALL}});
    table.AddValue("collectiveBytes",
                   "collective: bytes of each GPU's buffer",
                   sizeBytes,
                   FLOW_SIZES);
    table.AddValue(
        "collectiveHosts",
        "collective: NICs in the order of the ring, such as 0-7,12, or all; hosts unless "
        "--nicChoice=named",
        hostList);
    table
        .AddValue("collectiveChannels",
                  "collective: rings, each with its part of the buffer; with --gpusPerServer each "
                  "keeps to a rail between servers. all-to-all: rounds at a time",
                  channels,
                  Range::Within(1, 1000))
        .UnusedIf([this] { return kind == Kind::TREE_ALL_REDUCE; },
                  "with --collective=tree-all-reduce");
    table.AddValue("gpusPerHost",
                   "collective: GPUs behind each NIC",
                   gpusPerHost,
                   Range::Within(1, 1000));
    table
        .AddRate("intraHostRate",
                 "collective: rate between GPUs of a host; 0: messages take no time",
                 intraHostBps)
        .UnusedIf([this] { return gpusPerHost == 1; }, "with --gpusPerHost=1")
        .UnusedIf([this] { return kind == Kind::ALL_TO_ALL; }, "with --collective=all-to-all");
    table.AddValue("collectiveRounds", "collective: how often", rounds, Range::AtLeast(1));
    table.AddDuration("collectiveCompute", "collective: pause between rounds of a host", computePs)
        .UnusedIf([this] { return rounds == 1; }, "with --collectiveRounds=1");
}

std::vector<uint32_t>
CollectiveWorkload::ParseHosts(const std::string& text, uint32_t nNics)
{
    std::vector<uint32_t> nics;
    if (text == "all")
    {
        nics.resize(nNics);
        std::iota(nics.begin(), nics.end(), 0);
        return nics;
    }
    static const TextForm form("([0-9]{1,9})(-([0-9]{1,9}))?");
    std::istringstream list(text.empty() ? "," : text);
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

uint32_t
CollectiveWorkload::GetRanks() const
{
    const double ranks = static_cast<double>(hosts.size()) * gpusPerHost;
    Require(gpusPerHost >= 1 && ranks <= 1e6,
            COLLECTIVE,
            ": ",
            hosts.size(),
            " hosts with ",
            gpusPerHost,
            " GPUs, expected at least 1 GPU and at most 10^6 of all");
    return static_cast<uint32_t>(ranks);
}

bool
CollectiveWorkload::IsRing() const
{
    return kind != Kind::TREE_ALL_REDUCE && kind != Kind::ALL_TO_ALL;
}

uint64_t
CollectiveWorkload::GetShareBytes(uint32_t share, uint32_t channel) const
{
    const uint64_t nChannels = IsRing() ? channels : 1;
    const uint64_t pieces = GetRanks() * nChannels;
    return sizeBytes / pieces + (share * nChannels + channel < sizeBytes % pieces ? 1 : 0);
}

int64_t
CollectiveWorkload::GetLocalPs(uint64_t bytes) const
{
    if (intraHostBps == 0)
    {
        return 0;
    }
    const double ps = static_cast<double>(bytes) * 8 * PS_PER_S / static_cast<double>(intraHostBps);
    Require(ps * gpusPerHost < 1e18,
            COLLECTIVE,
            ": ",
            bytes,
            " bytes take ",
            ps / PS_PER_S,
            " s between the GPUs of a host, expected a higher rate");
    return std::llround(ps);
}

uint32_t
CollectiveWorkload::GetSteps() const
{
    const auto nHosts = static_cast<uint32_t>(hosts.size());
    switch (kind)
    {
    case Kind::RING_ALL_REDUCE:
        return 2 * (GetRanks() - 1);
    case Kind::TREE_ALL_REDUCE:
        return 2 * DepthOf(nHosts - 1);
    case Kind::ALL_TO_ALL:
        return (nHosts - 2) / channels + 1;
    default:
        return GetRanks() - 1;
    }
}

double
CollectiveWorkload::GetFlowsPerRound() const
{
    const double nHosts = static_cast<double>(hosts.size());
    const double gpus = gpusPerHost;
    return kind == Kind::TREE_ALL_REDUCE ? 2 * (nHosts - 1)
           : kind == Kind::ALL_TO_ALL    ? nHosts * (nHosts - 1) * gpus * gpus
                                         : nHosts * GetSteps() * channels;
}

void
CollectiveWorkload::Check() const
{
    CheckCommon(COLLECTIVE, startPs, trafficClass, 0);
    CheckSize(COLLECTIVE, sizeBytes);
    Require(hosts.size() >= 2, COLLECTIVE, ": ", hosts.size(), " hosts, expected at least 2");
    std::set<uint32_t> seen;
    for (const uint32_t host : hosts)
    {
        Require(seen.insert(host).second, COLLECTIVE, ": host ", host, " twice, expected it once");
    }
    Require(channels >= 1, COLLECTIVE, ": 0 channels, expected at least 1");
    Require(hostsPerServer >= 1 &&
                (channels == 1 || !IsRing() || hosts.size() % hostsPerServer == 0),
            COLLECTIVE,
            ": ",
            hosts.size(),
            " hosts on several channels, expected whole servers of ",
            hostsPerServer,
            " hosts");
    Require(rounds >= 1, COLLECTIVE, ": 0 rounds, expected at least 1");
    Require(computePs >= 0 && computePs < static_cast<int64_t>(1e18),
            COLLECTIVE,
            ": compute time ",
            computePs,
            " ps, expected 0 to 10^6 s");
    const double steps = static_cast<double>(GetSteps()) * rounds;
    Require(steps < 4e9, COLLECTIVE, ": ", steps, " steps, expected less than 4 * 10^9");
    CheckFlows(COLLECTIVE, GetFlowsPerRound() * rounds, static_cast<double>(hosts.size()));
}

/// A message of a round: `step` and `after` count within it, from 1; after 0 is its start, localPs
/// what is needed of the host's own GPUs before.
void
CollectiveWorkload::Add(std::vector<FlowSpec>& flows,
                        uint32_t round,
                        uint32_t from,
                        uint32_t to,
                        uint64_t bytes,
                        uint32_t step,
                        uint32_t after,
                        int64_t localPs,
                        uint32_t connection) const
{
    const uint32_t before = round * GetSteps();
    int64_t atPs = localPs;
    if (after == 0)
    {
        // The last message of a round goes through the host, too.
        const uint64_t last = kind == Kind::TREE_ALL_REDUCE ? sizeBytes : GetShareBytes(0);
        const int64_t spreadPs =
            kind == Kind::ALL_TO_ALL ? 0 : (gpusPerHost - 1) * GetLocalPs(last);
        atPs += round == 0 ? startPs : computePs + spreadPs;
    }
    flows.push_back(MakeFlow(hosts[from], hosts[to], bytes, atPs, trafficClass, tag));
    flows.back().step = before + step;
    flows.back().after = before + after;
    flows.back().iteration = round + 1;
    flows.back().connection = connection;
}

/// @return indices of hosts in the order of a channel's ring
std::vector<uint32_t>
CollectiveWorkload::GetRing(uint32_t channel) const
{
    std::vector<uint32_t> ring(hosts.size());
    for (uint32_t h = 0; h < ring.size(); ++h)
    {
        const uint32_t n = hostsPerServer;
        const uint32_t server = h / n;
        const uint32_t place = server % 2 == 0 ? h % n : n - 1 - h % n;
        ring[h] = channels == 1 ? h : server * n + (channel + n - place) % n;
    }
    return ring;
}

void
CollectiveWorkload::AddRing(std::vector<FlowSpec>& flows, uint32_t round, uint32_t channel) const
{
    const std::vector<uint32_t> ring = GetRing(channel);
    const auto nHosts = static_cast<uint32_t>(hosts.size());
    const uint32_t ranks = GetRanks();
    for (uint32_t step = 1; step <= GetSteps(); ++step)
    {
        // It has come from the host before, or else from one of the host's own GPUs.
        const uint32_t after = step > gpusPerHost ? step - gpusPerHost : 0;
        const uint32_t hops = std::min(step, gpusPerHost) - 1;
        for (uint32_t h = 0; h < nHosts; ++h)
        {
            const uint32_t sender = (h + 1) * gpusPerHost - 1;
            const uint32_t share = (sender + 2 * ranks - (step - 1)) % ranks;
            const uint64_t bytes = GetShareBytes(share, channel);
            Add(flows,
                round,
                ring[h],
                ring[(h + 1) % nHosts],
                bytes,
                step,
                after,
                hops * GetLocalPs(bytes),
                1 + channel);
            flows.back().channel = channel;
        }
    }
}

void
CollectiveWorkload::AddTree(std::vector<FlowSpec>& flows, uint32_t round) const
{
    const auto nHosts = static_cast<uint32_t>(hosts.size());
    const uint32_t levels = DepthOf(nHosts - 1);
    for (uint32_t h = 1; h < nHosts; ++h)
    {
        const uint32_t parent = (h - 1) / 2;
        const uint32_t depth = DepthOf(h);
        const bool isLeaf = 2 * h + 1 >= nHosts;
        const uint32_t up = levels - depth + 1;
        Add(flows,
            round,
            h,
            parent,
            sizeBytes,
            up,
            isLeaf ? 0 : up - 1,
            isLeaf ? (gpusPerHost - 1) * GetLocalPs(sizeBytes) : 0);
        const uint32_t down = levels + depth;
        Add(flows, round, parent, h, sizeBytes, down, down - 1, 0);
    }
}

void
CollectiveWorkload::AddAllToAll(std::vector<FlowSpec>& flows, uint32_t round) const
{
    const auto nHosts = static_cast<uint32_t>(hosts.size());
    for (uint32_t distance = 1; distance < nHosts; ++distance)
    {
        const uint32_t channel = (distance - 1) % channels;
        const uint32_t step = (distance - 1) / channels + 1;
        for (uint32_t h = 0; h < nHosts; ++h)
        {
            const uint32_t to = (h + distance) % nHosts;
            for (uint32_t g = 0; g < gpusPerHost * gpusPerHost; ++g)
            {
                const uint64_t bytes = GetShareBytes(to * gpusPerHost + g % gpusPerHost);
                Add(flows, round, h, to, bytes, step, step - 1, 0, 1 + g);
                flows.back().channel = channel;
            }
        }
    }
}

std::vector<FlowSpec>
CollectiveWorkload::Generate() const
{
    Check();
    std::vector<FlowSpec> flows;
    for (uint32_t round = 0; round < rounds; ++round)
    {
        switch (kind)
        {
        case Kind::TREE_ALL_REDUCE:
            AddTree(flows, round);
            break;
        case Kind::ALL_TO_ALL:
            AddAllToAll(flows, round);
            break;
        default:
            for (uint32_t channel = 0; channel < channels; ++channel)
            {
                AddRing(flows, round, channel);
            }
        }
    }
    SortAndNumber(flows);
    return flows;
}

} // namespace ns3::roce
