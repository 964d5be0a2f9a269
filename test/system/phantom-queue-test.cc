// SPDX-License-Identifier: GPL-2.0-only
// Phantom queues in networks: where they are, what they do to real queues, and that stages which
// only mark change nothing else.
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/queue-size.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-phantom-queue.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Passes through the queues whatever happens.
template <typename T>
struct Detouring : public T
{
    uint32_t GetHooks() const override
    {
        const uint32_t hooks = T::GetHooks();
        return hooks & SwitchStage::MARK ? hooks | SwitchStage::ENQUEUE : hooks;
    }
};

/// A stage with or without the shortcut.
template <typename T>
Ptr<T>
MakeStage(bool detour)
{
    return detour ? Ptr<T>(CreateObject<Detouring<T>>()) : CreateObject<T>();
}

ObjectFactory
Phantom(std::initializer_list<std::pair<const char*, const char*>> attributes = {})
{
    ObjectFactory factory("ns3::roce::PhantomQueue");
    const Attributes all(attributes.begin(), attributes.end());
    for (const auto& [name, value] : WithMadeProfile(PhantomQueue::GetTypeId(), all))
    {
        factory.Set(name, StringValue(value));
    }
    return factory;
}

LeafSpineHelper
TwoSmallDatacenters()
{
    LeafSpineHelper h;
    h.spines = h.leaves = 2;
    h.hostsPerLeaf = 2;
    h.wanDelay = MicroSeconds(20);
    return h;
}

/// What became of two flows to one receiver.
struct Outcome
{
    double meanQueueBytes{0}; //!< in the second half
    uint64_t marked{0};
    double utilisation{0}; //!< in the second half
};

Outcome
TwoToOne(const char* law, bool phantom)
{
    SetRateLaw(law);
    Network net;
    MakeStar(net, 3);
    Network::Options options;
    options.ecn = !phantom;
    if (phantom)
    {
        options.stages = {Phantom({{"Capacity", "400kB"}})};
    }
    net.Build(options);
    net.AssignStreams(100);
    InstallIncast(net, 1000000000);
    Outcome out;
    int n = 0;
    uint64_t before = 0;
    for (int64_t t = 5 * MS; t < 10 * MS; t += 5 * US)
    {
        Simulator::Schedule(PicoSeconds(t), [&]() {
            net.CatchUp();
            before = before ? before : net.GetSwitch(0)->GetPort(2)->GetTxWireBytes();
            out.meanQueueBytes +=
                static_cast<double>(net.GetSwitch(0)->GetQueue(2).GetTotalBytes());
            ++n;
        });
    }
    Simulator::Stop(PicoSeconds(10 * MS));
    Simulator::Run();
    net.CatchUp();
    out.meanQueueBytes /= n;
    out.utilisation =
        static_cast<double>(net.GetSwitch(0)->GetPort(2)->GetTxWireBytes() - before) / 62.5e6;
    std::map<std::string, uint64_t> counters;
    for (const auto& stage : net.GetSwitch(0)->GetStages())
    {
        stage->Count(counters);
    }
    out.marked = counters["phantomMarked"];
    Simulator::Destroy();
    return out;
}

struct PhantomNetworkTest : SystemTest
{
};

} // namespace

TEST_F(PhantomNetworkTest, KeepsTheRealQueueNearZero)
{
    for (const char* law : {"Dctcp", "Dcqcn[Profile=paper]"})
    {
        const Outcome without = TwoToOne(law, false);
        const Outcome with = TwoToOne(law, true);
        RecordProperty(std::string(law) + " without", std::to_string(without.meanQueueBytes));
        RecordProperty(std::string(law) + " with", std::to_string(with.meanQueueBytes));
        EXPECT_GT(without.meanQueueBytes, 100000) << law;
        EXPECT_LT(with.meanQueueBytes, 0.1 * without.meanQueueBytes) << law;
        EXPECT_LT(with.meanQueueBytes, 16000) << law;
        EXPECT_GT(with.marked, 100u) << law;
        EXPECT_EQ(without.marked, 0u) << law;
        EXPECT_GT(with.utilisation, 0.75) << law;
        EXPECT_LT(with.utilisation, 0.92) << law; // the drain rate
        EXPECT_GT(without.utilisation, 0.93) << law;
    }
}

TEST_F(PhantomNetworkTest, PortsAreThoseOfTheirKind)
{
    using Kind = Network::LinkKind;
    const std::pair<const char*, std::vector<Kind>> choices[] = {
        {"all", {Kind::HOST, Kind::FABRIC, Kind::WAN}},
        {"host", {Kind::HOST}},
        {"fabric", {Kind::FABRIC}},
        {"wan", {Kind::WAN}},
        {"noWan", {Kind::HOST, Kind::FABRIC}}};
    for (const auto& [choice, kinds] : choices)
    {
        Network net;
        TwoSmallDatacenters().Construct(net);
        Network::Options options;
        options.stages = {Phantom({{"Ports", choice}, {"MarkAt", "dequeue"}})};
        net.Build(options);
        std::map<Kind, uint32_t> seen;
        for (uint32_t l = 0; l < net.GetNLinks(); ++l)
        {
            const Kind kind = net.GetLinkKind(l);
            for (unsigned end : {0u, 1u})
            {
                Port& port = *net.GetLink(l).GetPort(end);
                auto* sw = dynamic_cast<Switch*>(port.GetOwner());
                if (!sw)
                {
                    continue;
                }
                ++seen[kind];
                ASSERT_EQ(sw->GetStages().size(), 3u); // behind marker and stamper
                auto stage = DynamicCast<PhantomQueue>(sw->GetStages()[2]);
                ASSERT_TRUE(stage);
                Frame frame{};
                frame.frameBytes = 1000;
                stage->OnEnqueue(frame, port, sw->GetQueue(port.GetIndex()), 0);
                stage->OnDrop(frame, port, 0);
                const bool has = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
                EXPECT_EQ(stage->GetOccupancyBytes(port.GetIndex(), 0), has ? 2000 : 0)
                    << choice << " " << net.GetLinkName(l);
            }
        }
        EXPECT_EQ(seen[Kind::HOST], 8u);
        EXPECT_EQ(seen[Kind::WAN], 2u);
        EXPECT_EQ(seen[Kind::FABRIC], 2 * 2 * 4u + 2 * 2 * 2u);
        Simulator::Destroy();
    }
}

// ACKs go back through the same switch.
TEST_F(PhantomNetworkTest, ControlFramesDoNotCount)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    Network::Options options;
    options.stages = {Phantom({{"DrainFactor", "1e-6"}})};
    net.Build(options);
    net.InstallFlows(Numbered({Flow(0, 1, 409600)}));
    Simulator::Run();
    auto stage = DynamicCast<PhantomQueue>(net.GetSwitch(0)->GetStages().back());
    const int64_t now = Simulator::Now().GetTimeStep();
    EXPECT_GT(stage->GetOccupancyBytes(1, now), 409600);
    EXPECT_LT(stage->GetOccupancyBytes(0, now), 1000);
}

// A flow alone on its way to a faster port never queues; the phantom queue still sees and marks it,
// and the buffer is never charged.
TEST_F(PhantomNetworkTest, StagesThatOnlyMarkKeepTheShortcut)
{
    SetRateLaw("Dctcp");
    for (const bool detour : {false, true})
    {
        Network net;
        MakeStar(net, 1);
        net.AddNic(net.AddHost("fast", 0), 0, 200 * G, US);
        net.Build();
        Ptr<PhantomQueue> stage = MakeStage<PhantomQueue>(detour);
        stage->SetAttribute("Capacity", StringValue("100kB"));
        stage->SetAttribute("DrainFactor", DoubleValue(0.4));
        net.GetSwitch(0)->Install(stage);
        const auto flows = Numbered({Flow(0, 1, 4000000)});
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_GT(stage->GetMarked(), 10u);
        const uint64_t admitted = net.GetSwitch(0)->GetCounters().admittedBytes;
        EXPECT_EQ(admitted > 4000000, detour);
        EXPECT_EQ(admitted == 0, !detour);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

// Frame for frame the same run with and without the shortcut.
TEST_F(PhantomNetworkTest, TheShortcutChangesNothing)
{
    const auto run = [](bool phantom, bool detour) {
        Network net;
        TwoSmallDatacenters().Construct(net);
        Network::Options options;
        options.ecn = false;
        options.moreStages = true;
        net.Build(options);
        net.EnableFingerprint();
        uint64_t marked = 0;
        std::vector<Ptr<SwitchStage>> stages;
        for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
        {
            Ptr<SwitchStage> stage;
            if (phantom)
            {
                stage = MakeStage<PhantomQueue>(detour);
                stage->SetAttribute("Capacity", StringValue("200kB"));
            }
            else
            {
                stage = MakeStage<EcnMarker>(detour);
                stage->SetAttribute("Kmin", UintegerValue(1000)); // a frame alone may be marked
                stage->SetAttribute("Kmax", UintegerValue(50000));
                stage->SetAttribute("Pmax", DoubleValue(0.5));
                stage->SetAttribute("MarkAtEnqueue", BooleanValue(true));
            }
            net.GetSwitch(s)->Install(stage);
            stages.push_back(stage);
        }
        net.AssignStreams(7);
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < 8; ++i)
        {
            flows.push_back(Flow(i, (i + 3) % 8, 700000, i * 7777));
            flows.push_back(Flow(i, 0 == i, 300000, i * 8888));
        }
        flows = Numbered(flows);
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        std::map<std::string, uint64_t> counters;
        for (const auto& stage : stages)
        {
            stage->Count(counters);
        }
        for (const auto& [name, n] : counters)
        {
            marked += n;
        }
        EXPECT_GT(marked, 20u);
        const std::pair<uint64_t, uint64_t> result{net.GetFingerprint(), marked};
        Simulator::Destroy();
        return result;
    };
    SetRateLaw("Dcqcn");
    for (const bool phantom : {false, true})
    {
        EXPECT_EQ(run(phantom, false), run(phantom, true)) << phantom;
    }
}

TEST_F(PhantomNetworkTest, StagesThatMakeNoSenseAreRefused)
{
    const auto build = [](const Network::Options& options, const char* law = "Timely") {
        return ErrorOf([&]() {
            SetRateLaw(law);
            Network net;
            TwoSmallDatacenters().Construct(net);
            net.Build(options);
        });
    };
    Network::Options options;
    options.stages = {Phantom(), Phantom({{"Ports", "wan"}})};
    EXPECT_EQ(build(options),
              "stage ns3::roce::PhantomQueue is there twice at dc0-leaf0, expected each once");
    options.stages = {ObjectFactory("ns3::roce::EcnMarker")};
    EXPECT_EQ(build(options),
              "stage ns3::roce::EcnMarker is there twice at dc0-leaf0, expected each once");
    options.ecn = false;
    EXPECT_EQ(build(options), "no error");
    options.stages = {Phantom(), {Phantom(), SwitchRole::DCI}};
    EXPECT_EQ(build(options),
              "stage ns3::roce::PhantomQueue is there twice at dc0-dci0, expected each once");
    options.stages.erase(options.stages.begin());
    EXPECT_EQ(build(options), "no error");
}
