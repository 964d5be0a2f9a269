// SPDX-License-Identifier: GPL-2.0-only
// Lossy links under go-back-N, random failures under any schedule of events, lossy classes, and the
// options that ask for all that.
#include "roce-test-network.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/roce-fault-options.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-random-loss.h"

#include <algorithm>
#include <random>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

LeafSpineHelper
SmallNetwork(uint32_t datacenters = 1)
{
    LeafSpineHelper h;
    h.datacenters = datacenters;
    h.leaves = 2;
    h.spines = 2;
    h.hostsPerLeaf = 4;
    h.wanDelay = MicroSeconds(20);
    h.wanLinks = 2;
    return h;
}

uint64_t
LostOnLinks(const Network& net)
{
    uint64_t lost = 0;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        lost += port->GetFramesLost();
    }
    return lost;
}

std::vector<FlowSpec>
RandomFlows(std::mt19937_64& rng, uint32_t nics, unsigned n, uint64_t bytes, int64_t horizonPs)
{
    std::vector<FlowSpec> flows;
    for (unsigned i = 0; i < n; ++i)
    {
        const auto src = static_cast<uint32_t>(rng() % nics);
        flows.push_back(Flow(src,
                             static_cast<uint32_t>((src + 1 + rng() % (nics - 1)) % nics),
                             bytes,
                             static_cast<int64_t>(rng() % static_cast<uint64_t>(horizonPs))));
    }
    return Numbered(flows);
}

struct Faults : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(300)));
        Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
    }
};

} // namespace

class LossyNetwork : public Faults,
                     public ::testing::WithParamInterface<std::pair<std::string, double>>
{
};

TEST_P(LossyNetwork, EveryFlowFinishes)
{
    SetRateLaw("Dcqcn");
    FaultOptions options;
    options.lossModel = GetParam().first;
    options.loss = GetParam().second;
    Network net;
    SmallNetwork().Construct(net);
    net.Build();
    options.Apply(net);
    net.AssignStreams(1);
    std::mt19937_64 rng(3);
    const auto flows = RandomFlows(rng, net.GetNNics(), 100, 1000000, 5 * MS);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_GT(LostOnLinks(net), 50u);
    EXPECT_GT(Sum(net).retransmitted, 0u);
    EXPECT_EQ(Sum(net).lost, 0u);
    uint64_t arrived = 0;
    for (uint32_t link = 0; link < net.GetNLinks(); ++link)
    {
        arrived += net.GetLink(link).GetDirection(0).arrivedFrames +
                   net.GetLink(link).GetDirection(1).arrivedFrames;
    }
    if (const double p = GetParam().second; p > 0)
    {
        const double n = static_cast<double>(arrived);
        const double bursts = options.lossModel.find("Burst") == std::string::npos ? 1 : 2 * 5;
        EXPECT_NEAR(static_cast<double>(LostOnLinks(net)), n * p, 4 * std::sqrt(n * p * bursts));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Models,
    LossyNetwork,
    ::testing::Values(std::pair("", 1e-3),
                      std::pair("BurstLoss[MeanBurst=5]", 1e-3),
                      std::pair("RunLoss[Profile=none|StartRate=0.0005|BurstSizes=0.5,0.5]", 0),
                      std::pair("ns3::roce::ChunkLoss[Profile=none|Probabilities=0.004,0.002]", 0),
                      std::pair("ns3::RateErrorModel", 1e-3),
                      std::pair("ns3::BurstErrorModel[ErrorRate=0.0005]", 0)));

TEST_F(Faults, ModelsAreChosenByLink)
{
    using Links = FaultOptions::LossyLinks;
    const std::pair<Links, uint64_t> cases[] = {{Links::HOST, 2 * 16},
                                                {Links::FABRIC, 2 * (2 * 4 + 2 * 2)},
                                                {Links::WAN, 2 * 2},
                                                {Links::BORDER, 2 * (2 + 2 * 2)},
                                                {Links::ALL, 2 * (16 + 12 + 2)}};
    for (const auto& [links, ports] : cases)
    {
        FaultOptions options;
        options.loss = 0.5;
        options.lossLinks = links;
        Network net;
        SmallNetwork(2).Construct(net);
        net.Build();
        options.Apply(net);
        std::vector<Ptr<LossModel>> models;
        for (const Ptr<Port>& port : net.GetPorts())
        {
            if (Ptr<LossModel> model = port->GetLossModel())
            {
                EXPECT_EQ(std::count(models.begin(), models.end(), model), 0) << "shared";
                models.push_back(model);
            }
        }
        EXPECT_EQ(models.size(), ports) << static_cast<int>(links);
        Simulator::Destroy();
    }
}

TEST_F(Faults, ErrorModelAttributeOfThePort)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    Ptr<ReceiveListErrorModel> list = CreateObject<ReceiveListErrorModel>();
    list->SetList({3, 5});
    net.GetNic(1)->SetAttribute("ReceiveErrorModel", PointerValue(list));
    PointerValue back;
    net.GetNic(1)->GetAttribute("ReceiveErrorModel", back);
    EXPECT_EQ(back.Get<ErrorModel>(), Ptr<ErrorModel>(list));
    std::vector<uint64_t> lost;
    net.GetNic(1)->TraceConnectWithoutContext(
        "PhyRxDrop",
        Callback<void, const Frame&, uint8_t, Time>([&](const Frame& f, uint8_t why, Time) {
            EXPECT_EQ(why, Port::LOSS_MODEL);
            lost.push_back(f.psn);
        }));
    const auto flows = Numbered({Flow(0, 1, 100000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(lost, (std::vector<uint64_t>{3, 5}));
}

namespace
{

/// A run with losses and failures drawn from a seed.
uint64_t
RunRandomFaults(unsigned seed, bool eager, const std::string& scheduler, uint64_t& lost)
{
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    Simulator::SetScheduler(ObjectFactory(scheduler));
    std::mt19937_64 rng(seed);
    const char* laws[] = {"LineRate", "Dcqcn", "Hpcc"};
    SetRateLaw(laws[seed % 3]);
    LeafSpineHelper h = SmallNetwork(1 + seed % 2);
    h.leafBuffer = h.spineBuffer = QueueSize("1200kB");
    h.hostDelay = TimeStep(static_cast<int64_t>(rng() % 2) * US);
    uint64_t fingerprint = 0;
    {
        Network net;
        h.Construct(net);
        net.Build();
        FaultOptions options;
        options.loss = rng() % 2 ? 1e-3 : 0;
        options.lossModel = options.loss > 0 && rng() % 2 ? "BurstLoss" : "";
        options.Apply(net);
        net.AssignStreams(1);
        if (rng() % 3)
        {
            net.SetReroute(static_cast<int64_t>(rng() % 300) * US);
        }
        for (int i = 0; i < 8; ++i)
        {
            const auto link = static_cast<uint32_t>(rng() % net.GetNLinks());
            const unsigned directions = 1 + rng() % 3;
            // Round times, at which other things happen as well.
            const auto down = static_cast<int64_t>(rng() % 500) * US;
            net.ScheduleLinkChange(down, link, false, directions);
            net.ScheduleLinkChange(down + static_cast<int64_t>(1 + rng() % 300) * US,
                                   link,
                                   true,
                                   directions);
        }
        auto flows = RandomFlows(rng, net.GetNNics(), 60, 100000 + rng() % 100000, 400 * US);
        for (FlowSpec& flow : flows)
        {
            flow.startPs -= flow.startPs % US;
            flow.dst = flow.src != seed % 8 && rng() % 3 ? seed % 8 : flow.dst; // incast
        }
        Completions done(net);
        net.EnableFingerprint();
        net.InstallFlows(flows);
        for (int64_t at : {77 * US, 200 * US, 333 * US})
        {
            Simulator::Schedule(TimeStep(at), [&net] { EXPECT_EQ(net.Audit(false), ""); });
        }
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        lost = LostOnLinks(net);
        fingerprint = net.GetFingerprint();
    }
    Simulator::Destroy();
    return fingerprint;
}

} // namespace

class RandomFaults : public Faults, public ::testing::WithParamInterface<unsigned>
{
};

TEST_P(RandomFaults, EagerAndOtherSchedulersGiveTheSame)
{
    uint64_t lost[3];
    const uint64_t lazy =
        RunRandomFaults(GetParam(), false, "ns3::PriorityQueueScheduler", lost[0]);
    EXPECT_EQ(lazy, RunRandomFaults(GetParam(), true, "ns3::PriorityQueueScheduler", lost[1]));
    EXPECT_EQ(lazy, RunRandomFaults(GetParam(), GetParam() % 2, "ns3::MapScheduler", lost[2]));
    EXPECT_EQ(lost[0], lost[1]);
    EXPECT_EQ(lost[0], lost[2]);
    EXPECT_GT(lost[0], 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFaults, ::testing::Range(1u, 13u));

// A model that loses nothing changes nothing: neither streams nor times.
TEST_F(Faults, ModelsShiftNobodysStream)
{
    uint64_t fingerprints[2];
    for (int with : {0, 1})
    {
        SetRateLaw("Dcqcn");
        Network net;
        LeafSpineHelper h = SmallNetwork();
        h.leafBuffer = h.spineBuffer = QueueSize("1200kB");
        h.Construct(net);
        net.Build();
        for (const Ptr<Port>& port : net.GetPorts())
        {
            if (with)
            {
                port->SetLossModel(CreateObject<RandomLoss>());
            }
        }
        net.AssignStreams(5);
        std::vector<FlowSpec> flows;
        for (uint32_t src = 1; src < 8; ++src)
        {
            flows.push_back(Flow(src, 0, 1000000));
        }
        net.EnableFingerprint();
        net.InstallFlows(Numbered(flows));
        Simulator::Run();
        EXPECT_GT(Sum(net).cnps, 0u);
        EXPECT_EQ(LostOnLinks(net), 0u);
        fingerprints[with] = net.GetFingerprint();
        Simulator::Destroy();
    }
    EXPECT_EQ(fingerprints[0], fingerprints[1]);
}

// Every port draws from a stream of its own, and the same one whoever else has a model.
TEST_F(Faults, EveryPortHasItsOwnStream)
{
    std::vector<std::vector<bool>> losses[2];
    for (int half : {0, 1})
    {
        Network net;
        MakeStar(net, 3);
        net.Build();
        for (uint32_t i = half; i < net.GetPorts().size(); ++i)
        {
            Ptr<RandomLoss> model = CreateObject<RandomLoss>();
            model->SetAttribute("Rate", DoubleValue(0.5));
            net.GetPorts()[i]->SetLossModel(model);
        }
        net.AssignStreams(1);
        for (const Ptr<Port>& port : net.GetPorts())
        {
            losses[half].emplace_back();
            for (int i = 0; port->GetLossModel() && i < 100; ++i)
            {
                losses[half].back().push_back(port->GetLossModel()->IsLost(Frame{}, i));
            }
        }
        Simulator::Destroy();
    }
    for (std::size_t i = 0; i < losses[0].size(); ++i)
    {
        EXPECT_EQ(std::count(losses[0].begin(), losses[0].end(), losses[0][i]), 1) << i;
        EXPECT_TRUE(i == 0 || losses[0][i] == losses[1][i]) << i;
    }
}

// PFC off: an incast overruns the egress queue, which drops at its dynamic threshold and not
// before. Go-back-N brings everything home.
TEST_F(Faults, LossyClassDropsAtTheEgressThreshold)
{
    SetRateLaw("Dcqcn");
    const double egressAlpha = 0.5;
    Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
    Config::SetDefault("ns3::roce::Switch::EgressAlpha", DoubleValue(egressAlpha));
    Config::SetDefault("ns3::roce::Switch::Alpha", DoubleValue(16)); // ingress: no limit of its own
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MiB"));
    Network net;
    MakeStar(net, 9);
    net.Build();
    net.AssignStreams(1);
    const Ptr<Switch> sw = net.GetSwitch(0);
    uint64_t drops = 0;
    uint64_t above = 0;
    sw->TraceConnectWithoutContext("Drop",
                                   Callback<void, const Frame&, const char*, Time>(
                                       [&](const Frame& f, const char* reason, Time) {
                                           EXPECT_STREQ(reason, "buffer");
                                           ++drops;
                                           const SharedBuffer& buffer = sw->GetBuffer();
                                           const double queue =
                                               static_cast<double>(buffer.GetEgressBytes(8, 3));
                                           // Reserves (9 ports, 6 classes, 4096 B) are not of the
                                           // pool: used is at least this.
                                           const double pool =
                                               static_cast<double>(buffer.GetPoolBytes(0));
                                           const double most = pool - (queue - 8 * 4096);
                                           const double least = pool - queue;
                                           above += queue + f.frameBytes > egressAlpha * least;
                                           // Admitted against what was free; others may have left
                                           // since.
                                           EXPECT_LE(queue, egressAlpha * most + 2 * f.frameBytes);
                                       }));
    std::vector<FlowSpec> flows;
    for (uint32_t src = 0; src < 8; ++src)
    {
        flows.push_back(Flow(src, 8, 1000000));
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_GT(drops, 10u);
    EXPECT_EQ(above, drops);
    EXPECT_EQ(Sum(net).xoff, 0u);
    EXPECT_EQ(Sum(net).lostLossless, 0u);
    ExpectAllDone(net, done, flows);
}

TEST_F(Faults, OptionsScheduleFailures)
{
    const auto failures =
        FaultOptions::ParseFailures("dc0-leaf0/dc0-spine1@10ms-20ms,dc0-dci0>dc1-dci0#1@0");
    ASSERT_EQ(failures.size(), 2u);
    EXPECT_EQ(failures[0].first, "dc0-leaf0");
    EXPECT_EQ(failures[0].second, "dc0-spine1");
    EXPECT_FALSE(failures[0].oneWay);
    EXPECT_EQ(failures[0].fromPs, 10 * MS);
    EXPECT_EQ(failures[0].toPs, 20 * MS);
    EXPECT_EQ(failures[1].index, 1u);
    EXPECT_TRUE(failures[1].oneWay);
    EXPECT_EQ(failures[1].fromPs, 0);
    EXPECT_EQ(failures[1].toPs, -1);
    Network net;
    SmallNetwork(2).Construct(net);
    net.Build();
    FaultOptions options;
    options.failLinks = "dc0-leaf0/dc0-spine1@1ms-2ms,dc1-dci0>dc0-dci0#1@0,nic3/dc0-leaf0@1us";
    options.reroute = MicroSeconds(1);
    options.Apply(net);
    EXPECT_EQ(net.GetLastChangePs(), 2 * MS);
    std::vector<std::string> at[2];
    Simulator::Schedule(TimeStep(3 * MS / 2), [&] { at[0] = net.DescribeDownLinks(); });
    Simulator::Run();
    at[1] = net.DescribeDownLinks();
    const std::string leaf = "link dc0-leaf0 - dc0-spine1 is down since 1 ms";
    const std::string nic = "link dc0-host3 - dc0-leaf0 is down since 0.001 ms";
    const std::string wan =
        "link dc0-dci0 - dc1-dci0 #1, direction from dc1-dci0, is down since 0 ms";
    EXPECT_EQ(at[0].size(), 3u);
    EXPECT_EQ(std::count(at[0].begin(), at[0].end(), leaf), 1);
    EXPECT_EQ(at[1], (std::vector<std::string>{nic, wan}));
}
