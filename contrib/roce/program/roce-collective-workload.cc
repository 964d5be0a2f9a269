// SPDX-License-Identifier: GPL-2.0-only
#include "roce-collective-workload.h"

#include "roce-rank-job.h"

#include "ns3/roce-text-form.h"
#include "ns3/roce-workload-internal.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

namespace ns3::roce
{

using namespace workload;

namespace
{

const char* const COLLECTIVE_WORKLOAD = "collective";

const NamedValues<CollectiveWorkload::Kind> KINDS{
    {{"ring-all-reduce", CollectiveWorkload::Kind::RING_ALL_REDUCE},
     {"tree-all-reduce", CollectiveWorkload::Kind::TREE_ALL_REDUCE},
     {"all-gather", CollectiveWorkload::Kind::ALL_GATHER},
     {"reduce-scatter", CollectiveWorkload::Kind::REDUCE_SCATTER},
     {"all-to-all", CollectiveWorkload::Kind::ALL_TO_ALL}}};

/// Memory of an operation of a rank: itself, what waits for it, and what becomes of it.
constexpr double RANK_OP_BYTES = 150;

/// @return the operation
CollectiveProgram::Kind
KindOf(CollectiveWorkload::Kind kind)
{
    switch (kind)
    {
    case CollectiveWorkload::Kind::ALL_GATHER:
        return CollectiveProgram::Kind::ALL_GATHER;
    case CollectiveWorkload::Kind::REDUCE_SCATTER:
        return CollectiveProgram::Kind::REDUCE_SCATTER;
    case CollectiveWorkload::Kind::ALL_TO_ALL:
        return CollectiveProgram::Kind::ALL_TO_ALL;
    default:
        return CollectiveProgram::Kind::ALL_REDUCE;
    }
}

} // namespace

void
CollectiveWorkload::AddOptions(OptionTable& table, std::string& hostList)
{
    table.AddChoice("collective",
                    "collective: ring-all-reduce, tree-all-reduce, all-gather, reduce-scatter or "
                    "all-to-all",
                    kind,
                    KINDS.names);
    table.AddBytes("collectiveBytes",
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
    table.AddDuration("collectiveCompute", "collective: pause between rounds of a GPU", computePs)
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
            COLLECTIVE_WORKLOAD,
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

/// @param inside whether those within hosts
double
CollectiveWorkload::GetMessagesPerRound(bool inside) const
{
    const double nHosts = static_cast<double>(hosts.size());
    const double gpus = gpusPerHost;
    const double steps = (kind == Kind::RING_ALL_REDUCE ? 2 : 1) * (nHosts * gpus - 1) * channels;
    return kind == Kind::TREE_ALL_REDUCE ? 2 * (inside ? nHosts * (gpus - 1) : nHosts - 1)
           : kind == Kind::ALL_TO_ALL    ? (inside ? 0 : nHosts * (nHosts - 1) * gpus * gpus)
                                         : nHosts * (inside ? gpus - 1 : 1) * steps;
}

void
CollectiveWorkload::Check() const
{
    CheckCommon(COLLECTIVE_WORKLOAD, startPs, trafficClass, 0);
    CheckSize(COLLECTIVE_WORKLOAD, sizeBytes);
    Require(hosts.size() >= 2,
            COLLECTIVE_WORKLOAD,
            ": ",
            hosts.size(),
            " hosts, expected at least 2");
    std::set<uint32_t> seen;
    for (const uint32_t host : hosts)
    {
        Require(seen.insert(host).second,
                COLLECTIVE_WORKLOAD,
                ": host ",
                host,
                " twice, expected it once");
    }
    Require(channels >= 1, COLLECTIVE_WORKLOAD, ": 0 channels, expected at least 1");
    Require(hostsPerServer >= 1 &&
                (channels == 1 || !IsRing() || hosts.size() % hostsPerServer == 0),
            COLLECTIVE_WORKLOAD,
            ": ",
            hosts.size(),
            " hosts on several channels, expected whole servers of ",
            hostsPerServer,
            " hosts");
    Require(rounds >= 1, COLLECTIVE_WORKLOAD, ": 0 rounds, expected at least 1");
    Require(computePs >= 0 && computePs < static_cast<int64_t>(1e18),
            COLLECTIVE_WORKLOAD,
            ": compute time ",
            computePs,
            " ps, expected 0 to 10^6 s");
    const double flows = GetMessagesPerRound(false) * rounds;
    CheckFlows(COLLECTIVE_WORKLOAD, flows, static_cast<double>(hosts.size()));
    CheckMemory(COLLECTIVE_WORKLOAD,
                2 * (flows + GetMessagesPerRound(true) * rounds),
                "operations of ranks",
                RANK_OP_BYTES);
    const double insidePs = 8e12 * static_cast<double>(sizeBytes) /
                            (kind == Kind::TREE_ALL_REDUCE ? 1 : GetRanks()) /
                            static_cast<double>(std::max<uint64_t>(1, intraHostBps));
    Require(intraHostBps == 0 || insidePs * gpusPerHost < 1e18,
            COLLECTIVE_WORKLOAD,
            ": a message takes ",
            insidePs / PS_PER_S,
            " s between the GPUs of a host, expected a higher rate");
}

/// @return indices of hosts in the order of a channel's ring; of all-to-all as they are
std::vector<uint32_t>
CollectiveWorkload::GetRing(uint32_t channel) const
{
    std::vector<uint32_t> ring(hosts.size());
    for (uint32_t h = 0; h < ring.size(); ++h)
    {
        const uint32_t n = hostsPerServer;
        const uint32_t server = h / n;
        const uint32_t place = server % 2 == 0 ? h % n : n - 1 - h % n;
        ring[h] = channels == 1 || !IsRing() ? h : server * n + (channel + n - place) % n;
    }
    return ring;
}

/// The GPUs of each host in a chain, and between the first ones of hosts a tree.
uint32_t
CollectiveWorkload::AddTree(RankSchedule& schedule,
                            uint32_t rank,
                            CollectiveProgram tree,
                            uint32_t after) const
{
    using Algorithm = CollectiveProgram::Algorithm;
    const uint32_t gpu = rank % gpusPerHost;
    CollectiveProgram chain = tree;
    chain.ranks.resize(gpusPerHost);
    std::iota(chain.ranks.begin(), chain.ranks.end(), rank - gpu);
    chain.levels = {{gpusPerHost, Algorithm::CHAIN}};
    chain.kind = CollectiveProgram::Kind::REDUCE;
    after = chain.Add(schedule, gpu, after);
    if (gpu == 0)
    {
        for (uint32_t host = 0; host < hosts.size(); ++host)
        {
            tree.ranks.push_back(host * gpusPerHost);
        }
        tree.levels = {{static_cast<uint32_t>(hosts.size()), Algorithm::TREE}};
        after = tree.Add(schedule, rank / gpusPerHost, after);
    }
    chain.kind = CollectiveProgram::Kind::BROADCAST;
    return chain.Add(schedule, gpu, after);
}

/// @return operation that is done when all of the round are
uint32_t
CollectiveWorkload::AddRound(RankSchedule& schedule,
                             uint32_t rank,
                             uint32_t round,
                             uint32_t after) const
{
    CollectiveProgram program;
    program.kind = KindOf(kind);
    program.bytes = sizeBytes;
    program.part = round + 1;
    if (kind == Kind::TREE_ALL_REDUCE)
    {
        return AddTree(schedule, rank, program, after);
    }
    using Algorithm = CollectiveProgram::Algorithm;
    program.levels = {{GetRanks(), IsRing() ? Algorithm::RING : Algorithm::DIRECT}};
    program.block = gpusPerHost;
    program.atOnce = channels;
    RankOp join;
    join.stream = RankOp::NO_STREAM;
    std::vector<uint32_t> ends;
    for (uint32_t channel = 0; channel < (IsRing() ? channels : 1); ++channel)
    {
        program.ranks.clear();
        for (const uint32_t host : GetRing(channel))
        {
            for (uint32_t gpu = 0; gpu < gpusPerHost; ++gpu)
            {
                program.ranks.push_back(host * gpusPerHost + gpu);
            }
        }
        if (IsRing())
        {
            program.bytes = sizeBytes / channels + (channel < sizeBytes % channels ? 1 : 0);
            program.tag = channel;
        }
        const auto place = std::find(program.ranks.begin(), program.ranks.end(), rank);
        ends.push_back(
            program.Add(schedule, static_cast<uint32_t>(place - program.ranks.begin()), after));
    }
    const uint32_t end = schedule.Add(join);
    for (const uint32_t channelEnd : ends)
    {
        schedule.Require(end, channelEnd);
    }
    return end;
}

RankProgram
CollectiveWorkload::MakeProgram() const
{
    Check();
    const double n = GetRanks();
    const bool isAllReduce = KindOf(kind) == CollectiveProgram::Kind::ALL_REDUCE;
    RankProgram program;
    program.source = COLLECTIVE_WORKLOAD + (" " + KINDS.Print(kind));
    program.ranks.resize(GetRanks());
    for (uint32_t round = 0; round < rounds; ++round)
    {
        program.parts.push_back(
            {KINDS.Print(kind), sizeBytes, (isAllReduce ? 2 : 1) * (n - 1) / n, round + 1});
    }
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    {
        RankSchedule& schedule = program.ranks[rank];
        RankOp pause;
        pause.stream = RankOp::NO_STREAM;
        uint32_t after = RankOp::NO_OP;
        for (uint32_t round = 0; round < rounds; ++round)
        {
            pause.durationPs = round ? computePs : startPs;
            if (pause.durationPs > 0)
            {
                const uint32_t begin = schedule.Add(pause);
                if (after != RankOp::NO_OP)
                {
                    schedule.Require(begin, after);
                }
                after = begin;
            }
            after = AddRound(schedule, rank, round, after);
        }
        // Each message between two ranks of a ring has a tag of its own: one that overtakes others
        // waits for its turn.
        std::map<std::tuple<RankOp::Kind, uint32_t, uint64_t>, uint64_t> messages;
        for (std::size_t number = 0; number < schedule.ops.size(); ++number)
        {
            RankOp& op = schedule.ops[number];
            op.label = number;
            op.tag += channels * messages[{op.kind, op.peer, op.tag}]++;
        }
    }
    return program;
}

std::vector<FlowSpec>
CollectiveWorkload::Generate() const
{
    auto job = std::make_shared<RankJob>();
    job->program = MakeProgram();
    job->insideBps = intraHostBps;
    job->costs.eagerBytes = MAX_FLOW_BYTES; // a rank goes on when it has received, not sent
    for (const uint32_t host : hosts)
    {
        job->nics.insert(job->nics.end(), gpusPerHost, host);
    }
    std::vector<FlowSpec> flows = RankJob::MakeFlows(job, 0);
    for (FlowSpec& flow : flows)
    {
        const RankOp& op = job->program.ranks[flow.rank].ops[flow.op];
        flow.trafficClass = trafficClass;
        flow.tag = tag;
        flow.connection = 1 + (IsRing() ? static_cast<uint32_t>(op.tag % channels)
                               : kind == Kind::ALL_TO_ALL
                                   ? flow.rank % gpusPerHost * gpusPerHost + op.peer % gpusPerHost
                                   : 0);
    }
    SortAndNumber(flows);
    return flows;
}

} // namespace ns3::roce
