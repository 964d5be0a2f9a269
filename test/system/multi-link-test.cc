// SPDX-License-Identifier: GPL-2.0-only

// Hosts with several links: which they use by each rule, how long that takes by hand, what cannot
// be reached, and the same results in threads and processes.

#include "roce-error-of.h"
#include "roce-pipe-ranks.h"
#include "roce-test-network.h"

#include "ns3/roce-collective-workload.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-rank-engine.h"
#include "ns3/roce-run-collector.h"

#include <algorithm>
#include <memory>
#include <set>

namespace ns3::roce::test
{

namespace
{

constexpr int64_t NS = 1000;
constexpr int64_t NVLINK_PS = 25 * NS;
constexpr int64_t RAIL_PS = 500 * NS;

/// Two servers of two GPUs: an NVSwitch in each, and two rails whose leaves are joined by four
/// links. GPUs are hosts 0, 1 (first server), 2, 3; NIC 2 h is that of host h at the NVSwitch.
void
MakeServers(Network& net, bool build = true)
{
    for (uint32_t server = 0; server < 2; ++server)
    {
        net.AddInternalSwitch("nvswitch" + std::to_string(server), 0);
    }
    for (uint32_t rail = 0; rail < 2; ++rail)
    {
        net.AddSwitch("rail" + std::to_string(rail), 0);
    }
    for (uint32_t gpu = 0; gpu < 4; ++gpu)
    {
        const uint32_t host = net.AddHost("gpu" + std::to_string(gpu), 0);
        net.AddNic(host, gpu / 2, 2880 * G, NVLINK_PS);
        net.AddNic(host, 2 + gpu % 2, 400 * G, RAIL_PS);
    }
    for (int i = 0; i < 4; ++i)
    {
        net.Connect(2u, 3u, 400 * G, RAIL_PS);
    }
    if (build)
    {
        net.Build();
    }
}

/// What a run of flows leaves behind.
struct Outcome
{
    std::vector<FlowRecord> records;
    std::string fingerprint;
    std::map<std::string, uint64_t> counters;

    void ExpectSame(const Outcome& other) const
    {
        EXPECT_EQ(fingerprint, other.fingerprint);
        EXPECT_EQ(counters, other.counters);
        ASSERT_EQ(records.size(), other.records.size());
        for (std::size_t i = 0; i < records.size(); ++i)
        {
            EXPECT_EQ(records[i].spec.startPs, other.records[i].spec.startPs) << i;
            EXPECT_EQ(records[i].fctPs, other.records[i].fctPs) << i;
        }
    }
};

/// @param flows between NICs @param divide called before the run
Outcome
RunFlows(Network& net,
         const std::vector<FlowSpec>& flows,
         const std::function<void(Network&)>& divide = {})
{
    RankEngine::Install(net, flows);
    RunCollector::Options options;
    options.fingerprint = true;
    RunCollector collector(net, flows, options);
    collector.Start();
    if (divide)
    {
        divide(net);
    }
    Simulator::Run();
    collector.Finish();
    EXPECT_EQ(net.Audit(true), "");
    EXPECT_EQ(collector.GetFinished(), flows.size());
    return {collector.GetRecords(), collector.GetFingerprint(), net.GetCounters()};
}

/// Flows at line rate.
struct MultiLinkTest : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("LineRate");
    }
};

} // namespace

// A packet of 4096 bytes occupies a link for 4194 bytes (Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH
// 16, ICRC 4, FCS 4, preamble and gap 20), its ACK for 86: 11650 and 239 ps at 2880 Gbit/s, 83880
// and 1720 ps at 400 Gbit/s.
TEST_F(MultiLinkTest, LoneFlowsByHand)
{
    Network net;
    MakeServers(net);
    std::vector<FlowSpec> flows = Numbered({Flow(0, 1, 4096),
                                            Flow(0, 2, 4096, 100 * US),
                                            Flow(0, 3, 4096, 200 * US),
                                            Flow(3, 2, 4096, 300 * US)});
    net.ChooseNics(flows, NicRule::NEAREST);
    const Outcome outcome = RunFlows(net, flows);
    const int64_t nvlinkPs = 2 * 11650 + 2 * 239 + 4 * NVLINK_PS;
    const int64_t railPs = 2 * 83880 + 2 * 1720 + 4 * RAIL_PS;
    const int64_t acrossPs = 3 * 83880 + 3 * 1720 + 6 * RAIL_PS;
    const int64_t handPs[] = {nvlinkPs, railPs, acrossPs, nvlinkPs};
    for (std::size_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(outcome.records[i].fctPs, handPs[i]) << "flow " << i;
        EXPECT_EQ(net.GetIdeal(flows[i]).senderFctPs, handPs[i]) << "flow " << i;
    }
}

TEST_F(MultiLinkTest, NicsThatNoLinkJoinsAreRefused)
{
    Network net;
    MakeServers(net);
    const std::string places = "no link leads from NIC 0 (gpu0 at nvswitch0) to NIC 5 (gpu2 at "
                               "rail0), expected two NICs of one network";
    EXPECT_EQ(ErrorOf([&] {
                  net.InstallFlows(Numbered({Flow(0, 2, 1), Flow(0, 5, 1)}));
              }),
              "flow 1: " + places);
    EXPECT_EQ(ErrorOf([&] { net.GetPath(0, 5, 1); }), "path: " + places);
    EXPECT_NE(ErrorOf([&] { net.GetIdeal(Flow(0, 5, 1)); }).find("path: no link leads"),
              std::string::npos);
    EXPECT_EQ(ErrorOf([&] { net.GetBestPaths(0, 5); }), "path: " + places);
    EXPECT_TRUE(net.AreJoined(0, 2));
    EXPECT_FALSE(net.AreJoined(0, 4)) << "the NVSwitch of another server";
    EXPECT_TRUE(net.AreJoined(1, 7));
}

TEST_F(MultiLinkTest, HostsNeedOneNetworkInCommon)
{
    {
        // Each two of three hosts share a switch, and no switch has all.
        Network net;
        for (const char* name : {"a", "b", "c"})
        {
            net.AddSwitch(name, 0);
        }
        for (uint32_t h = 0; h < 3; ++h)
        {
            net.AddHost("h" + std::to_string(h), 0);
            net.AddNic(h, h, 100 * G, US);
            net.AddNic(h, (h + 1) % 3, 100 * G, US);
        }
        net.Build();
        std::vector<FlowSpec> flows =
            Numbered({Flow(0, 1, 1000), Flow(1, 2, 1000), Flow(2, 0, 1000)});
        net.ChooseNics(flows, NicRule::NEAREST);
        RunFlows(net, flows);
        Simulator::Destroy();
    }
    {
        Network net;
        MakeServers(net, false);
        net.AddNic(net.AddHost("alone", 0), 1, 400 * G, RAIL_PS);
        EXPECT_EQ(
            ErrorOf([&] { net.Build(); }),
            "network: no NIC of gpu0 leads to one of alone, expected a network that both have");
        Simulator::Destroy();
    }
    {
        Network net;
        net.AddSwitch("a", 0);
        net.AddSwitch("b", 0);
        net.AddNic(net.AddHost("h", 0), 0, 100 * G, US);
        net.AddNic(0, 1, 100 * G, US);
        EXPECT_EQ(ErrorOf([&] { net.Build(); }),
                  "network: no link leads from any NIC to another, expected two that are joined");
    }
}

TEST_F(MultiLinkTest, TheMapKnowsHosts)
{
    Network net;
    MakeServers(net);
    EXPECT_EQ(net.GetNHosts(), 4u);
    EXPECT_EQ(net.GetNicsOfHost(2), (std::vector<uint32_t>{4, 5}));
    EXPECT_EQ(net.GetHost(7), 3u);
    EXPECT_TRUE(net.IsInternal(6));
    EXPECT_FALSE(net.IsInternal(7));
    EXPECT_NE(ErrorOf([&] { net.GetNicsOfHost(4); }), "");
    for (const SwitchRole role : {SwitchRole::TOR, SwitchRole::SPINE, SwitchRole::CORE})
    {
        EXPECT_FALSE(net.HasRole(0, role));
    }
    EXPECT_TRUE(net.HasRole(0, SwitchRole::ALL));
    EXPECT_TRUE(net.HasRole(2, SwitchRole::TOR));
}

// Whatever attributes say of lossless classes.
TEST_F(MultiLinkTest, InternalSwitchesAreLossless)
{
    for (const bool internal : {true, false})
    {
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
        Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("2MB"));
        Network net;
        internal ? net.AddInternalSwitch("in", 0) : net.AddSwitch("in", 0);
        for (uint32_t h = 0; h < 5; ++h)
        {
            net.AddNic(net.AddHost("h" + std::to_string(h), 0), 0, 2880 * G, NVLINK_PS);
        }
        net.Build();
        InstallIncast(net, 3000000);
        Simulator::Run();
        const Totals totals = Sum(net);
        EXPECT_EQ(totals.lost == 0, internal);
        EXPECT_EQ(totals.xoff > 0, internal);
        EXPECT_EQ(totals.delivered, 12000000u);
        Simulator::Destroy();
    }
}

TEST_F(MultiLinkTest, InternalSwitchesAreNotPartOfTheFabric)
{
    Network net;
    MakeServers(net, false);
    EXPECT_EQ(ErrorOf([&] { net.Connect(0u, 2u, 400 * G, RAIL_PS); }),
              "link: nvswitch0 and rail0, of which one is inside a server; expected both or none");
    net.Connect(0u, 1u, 2880 * G, NVLINK_PS); // NVLink over several servers
    net.Build();
    EXPECT_TRUE(net.AreJoined(0, 6));
    for (const std::string& warning : net.GetWarnings())
    {
        EXPECT_EQ(warning.find("nvswitch"), std::string::npos) << warning;
    }
}

namespace
{

/// @return chosen NICs of a flow for each id from 0
std::vector<std::pair<uint32_t, uint32_t>>
Choose(Network& net, NicRule rule, uint32_t src, uint32_t dst, uint32_t n, uint32_t connection = 0)
{
    std::vector<FlowSpec> flows(n, Flow(src, dst, 1000));
    flows = Numbered(flows);
    for (FlowSpec& flow : flows)
    {
        flow.connection = connection;
    }
    net.ChooseNics(flows, rule);
    std::vector<std::pair<uint32_t, uint32_t>> nics;
    for (const FlowSpec& flow : flows)
    {
        nics.emplace_back(flow.src, flow.dst);
    }
    return nics;
}

/// Dual ToR: two NICs of each host at two leaves of a pair; two pairs, one spine.
void
MakePairs(Network& net)
{
    for (uint32_t leaf = 0; leaf < 4; ++leaf)
    {
        net.AddSwitch("leaf" + std::to_string(leaf), 0);
    }
    net.AddSwitch("spine", 0);
    for (uint32_t leaf = 0; leaf < 4; ++leaf)
    {
        net.Connect(leaf, 4u, 400 * G, US);
    }
    for (uint32_t h = 0; h < 4; ++h)
    {
        net.AddHost("h" + std::to_string(h), 0);
        net.AddNic(h, h / 2 * 2, 100 * G, US);
        net.AddNic(h, h / 2 * 2 + 1, 100 * G, US);
    }
    net.Build();
}

} // namespace

TEST_F(MultiLinkTest, RulesChooseNics)
{
    using Nics = std::vector<std::pair<uint32_t, uint32_t>>;
    Network net;
    MakePairs(net);
    EXPECT_EQ(Choose(net, NicRule::NAMED, 0, 1, 2), (Nics{{0, 1}, {0, 1}}));
    EXPECT_EQ(Choose(net, NicRule::RAIL, 0, 3, 4), (Nics{{0, 6}, {1, 7}, {0, 6}, {1, 7}}));
    EXPECT_EQ(Choose(net, NicRule::RAIL, 0, 3, 2, 2), (Nics{{1, 7}, {1, 7}}));
    // Host 1 is nearest through the leaves that it shares; host 3 is as far through all.
    const auto asSet = [](const Nics& nics) {
        return std::set<std::pair<uint32_t, uint32_t>>(nics.begin(), nics.end());
    };
    const std::set<std::pair<uint32_t, uint32_t>> shared{{0, 2}, {1, 3}};
    EXPECT_EQ(asSet(Choose(net, NicRule::NEAREST, 0, 1, 64)), shared);
    EXPECT_EQ(asSet(Choose(net, NicRule::NEAREST, 0, 3, 64)).size(), 4u);
    EXPECT_EQ(asSet(Choose(net, NicRule::HASH, 0, 1, 64)).size(), 4u);
    for (uint32_t connection = 1; connection < 9; ++connection)
    {
        EXPECT_EQ(asSet(Choose(net, NicRule::HASH, 0, 3, 16, connection)).size(), 1u);
    }
    EXPECT_EQ(ErrorOf([&] { Choose(net, NicRule::HASH, 0, 4, 1); }),
              "flow 0: host 4 does not exist, expected 0 to 3");
    EXPECT_EQ(ErrorOf([&] { Choose(net, NicRule::HASH, 2, 2, 1); }),
              "flow 0: source and destination are the same host, 2");
}

// By each rule two GPUs of a server use their NVSwitch, and others never do.
TEST_F(MultiLinkTest, InternalSwitchesComeFirst)
{
    Network net;
    MakeServers(net);
    for (const NicRule rule : {NicRule::NEAREST, NicRule::RAIL, NicRule::HASH})
    {
        for (const auto& [src, dst] : Choose(net, rule, 0, 1, 8))
        {
            EXPECT_EQ(src, 0u);
            EXPECT_EQ(dst, 2u);
        }
        for (const auto& [src, dst] : Choose(net, rule, 1, 2, 8))
        {
            EXPECT_EQ(src, 3u);
            EXPECT_EQ(dst, 5u);
        }
    }
}

TEST_F(MultiLinkTest, RailsThatAreNotJoinedAreRefused)
{
    Network net;
    for (const char* name : {"a", "b"})
    {
        net.AddSwitch(name, 0);
    }
    for (uint32_t h = 0; h < 2; ++h)
    {
        net.AddHost("h" + std::to_string(h), 0);
        net.AddNic(h, h, 100 * G, US); // the other way round
        net.AddNic(h, 1 - h, 100 * G, US);
    }
    net.Build();
    EXPECT_EQ(ErrorOf([&] { Choose(net, NicRule::RAIL, 0, 1, 1); }),
              "flow 0: no NIC of h0 leads to the one of h1 on its rail, expected two NICs of one "
              "network");
    EXPECT_EQ(Choose(net, NicRule::NEAREST, 0, 1, 64).size(), 64u);
}

// Rank 1 gets a message at its NVLink and passes it on on its rail, as soon as the longest delay of
// a NIC's link has passed; 1 ps after that.
TEST_F(MultiLinkTest, RanksHaveAllNicsOfTheirHosts)
{
    Network net;
    MakeServers(net);
    auto job = std::make_shared<RankJob>();
    job->program.source = "relay";
    job->program.ranks.resize(4);
    const uint32_t way[] = {0, 1, 3};
    for (uint32_t i = 0; i < 3; ++i)
    {
        RankSchedule& schedule = job->program.ranks[way[i]];
        RankOp op;
        op.bytes = 4096;
        op.kind = RankOp::Kind::RECV;
        op.peer = way[i ? i - 1 : 0];
        const uint32_t receive = i ? schedule.Add(op) : 0;
        op.kind = RankOp::Kind::SEND;
        op.peer = way[i < 2 ? i + 1 : 2];
        const uint32_t send = i < 2 ? schedule.Add(op) : 0;
        if (i == 1)
        {
            schedule.Require(send, receive);
        }
    }
    std::vector<FlowSpec> flows = RankJob::MakeFlows(job, 4);
    net.ChooseNics(flows, NicRule::NEAREST);
    const Outcome outcome = RunFlows(net, flows);
    EXPECT_EQ(outcome.records[1].spec.startPs, 2 * 11650 + 2 * NVLINK_PS + RAIL_PS + 1);
}

// NVLinks are much shorter than the time between two meetings of threads.
TEST_F(MultiLinkTest, ThreadsAndProcessesGiveTheSame)
{
    SetRateLaw("Dcqcn");
    CollectiveWorkload collective;
    collective.hosts = {0, 1, 2, 3};
    collective.sizeBytes = 4000000;
    collective.rounds = 2;
    for (const auto kind :
         {CollectiveWorkload::Kind::RING_ALL_REDUCE, CollectiveWorkload::Kind::ALL_TO_ALL})
    {
        collective.kind = kind;
        const auto run = [&](const std::function<void(Network&)>& divide) {
            Network net;
            MakeServers(net);
            net.AssignStreams(100);
            std::vector<FlowSpec> flows = collective.Generate();
            net.ChooseNics(flows, NicRule::NEAREST);
            Outcome outcome = RunFlows(net, flows, divide);
            Simulator::Destroy();
            return outcome;
        };
        const Outcome one = run({});
        for (const unsigned threads : {2, 4})
        {
            one.ExpectSame(run([threads](Network& net) { net.SetThreads(threads); }));
        }
        RunInTwo([&](PipeRanks& ranks) {
            one.ExpectSame(run([&ranks](Network& net) { net.SetRanks(ranks, 1); }));
        });
    }
}

// Two servers of four GPUs on four rails. Rings with a channel for each rail keep to their rails.
TEST_F(MultiLinkTest, RailsOfALeafSpineNetwork)
{
    LeafSpineHelper topology;
    topology.datacenters = 1;
    topology.gpusPerServer = 4;
    topology.hasRails = true;
    topology.hostsPerLeaf = 2;
    Network net;
    topology.Construct(net);
    net.Build();
    EXPECT_TRUE(topology.IsMultiHomed());
    ASSERT_EQ(net.GetNHosts(), 8u);
    ASSERT_EQ(topology.GetPlacement(true).nHosts, 8u);
    ASSERT_EQ(topology.GetPlacement().nHosts, net.GetNNics());
    for (uint32_t host = 0; host < 8; ++host)
    {
        const uint32_t nic = net.GetNicsOfHost(host).at(0);
        const uint32_t inner = net.GetNicsOfHost(host).at(1);
        EXPECT_NO_THROW(
            net.FindLink("nic" + std::to_string(nic), "dc0-leaf" + std::to_string(host % 4)));
        EXPECT_NO_THROW(
            net.FindLink("nic" + std::to_string(inner), "dc0-nvswitch" + std::to_string(host / 4)));
    }
    CollectiveWorkload rings;
    rings.hosts = {0, 1, 2, 3, 4, 5, 6, 7};
    rings.sizeBytes = 80000;
    rings.channels = 4;
    rings.hostsPerServer = 4;
    std::vector<FlowSpec> flows = rings.Generate();
    net.ChooseNics(flows, NicRule::NEAREST);
    std::map<uint32_t, uint64_t> sent; // on rails, by NIC
    for (const FlowSpec& flow : flows)
    {
        EXPECT_EQ(net.GetPath(flow.src, flow.dst, 0).hops, 2u) << "flow " << flow.id;
        sent[flow.src] += net.IsInternal(flow.src) ? 0 : flow.sizeBytes;
    }
    for (uint32_t host = 0; host < 8; ++host)
    {
        EXPECT_EQ(sent[net.GetNicsOfHost(host)[0]], 2 * 7 * 80000 / 8 / 4) << "host " << host;
    }
}

TEST_F(MultiLinkTest, PairsOfLeavesOfALeafSpineNetwork)
{
    LeafSpineHelper topology;
    topology.datacenters = 1;
    topology.nicsPerHost = 2;
    topology.hasRails = true;
    Network net;
    topology.Construct(net);
    net.Build();
    ASSERT_EQ(net.GetNHosts(), 8u); // four at each pair of leaves
    EXPECT_EQ(topology.GetPlacement(true).rackOf, (std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(topology.GetCapacity(LoadReference::Host, true).hostRateBps, 200 * G);
    EXPECT_NO_THROW(net.FindLink("nic9", "dc0-leaf3"));
    topology.leaves = 3;
    Network other;
    EXPECT_EQ(ErrorOf([&] { topology.Construct(other); }),
              "topology: 3 leaves, expected with --rails a multiple of the NICs of a server, 2");
}

// The first and the last NIC are not joined.
TEST_F(MultiLinkTest, LawsAreTunedEverywhere)
{
    SetRateLaw("Dcqcn");
    Network net;
    MakeServers(net);
    EXPECT_NO_THROW(net.Retune(false, net.GetNic(0)->GetProfile(false)->GetLaw()->Fork()));
}

} // namespace ns3::roce::test
