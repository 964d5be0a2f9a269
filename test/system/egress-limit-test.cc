// SPDX-License-Identifier: GPL-2.0-only
// Drop-tail output queues of fixed size: exact, counted, set by topologies; ECN thresholds and
// phantom queues there.
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/queue-size.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-fat-tree-helper.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-phantom-queue.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint64_t LIMIT = 50000;

struct EgressLimitTest : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
    }

    static void SetLimit(const char* limit)
    {
        Config::SetDefault("ns3::roce::Switch::EgressLimit", StringValue(limit));
    }
};

/// @return by switch name the limit that all its ports have
template <typename Helper>
std::map<std::string, uint64_t>
LimitsOf(const Helper& helper)
{
    Network net;
    helper.Construct(net);
    net.Build();
    std::map<std::string, uint64_t> limits;
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        const Switch& sw = *net.GetSwitch(s);
        const SharedBuffer& buffer = sw.GetBuffer();
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            EXPECT_EQ(buffer.GetEgressLimitBytes(p), buffer.GetEgressLimitBytes(0))
                << sw.GetName() << " port " << p;
        }
        limits[sw.GetName()] = buffer.GetEgressLimitBytes(0);
    }
    Simulator::Destroy();
    return limits;
}

} // namespace

// Four senders at line rate, two of them in another class. The queue fills to the limit and not
// a byte further; every refused frame is counted once.
TEST_F(EgressLimitTest, PeakIsTheLimitAndDropsAreCounted)
{
    SetRateLaw("LineRate");
    SetLimit("50000B");
    // What used to limit such a queue has no say.
    Config::SetDefault("ns3::roce::Switch::Alpha", DoubleValue(0.0001));
    Config::SetDefault("ns3::roce::Switch::EgressAlpha", DoubleValue(0.0001));
    Config::SetDefault("ns3::roce::Nic::LossRecovery", StringValue("ns3::roce::SelectiveRepeat"));
    Network net;
    MakeStar(net, 5);
    net.Build();
    uint64_t peak = 0;
    uint64_t drops = 0;
    Switch& sw = *net.GetSwitch(0);
    sw.TraceConnectWithoutContext("QueueLength",
                                  Callback<void, uint16_t, uint8_t, uint64_t, Time>(
                                      [&](uint16_t port, uint8_t, uint64_t, Time) {
                                          const uint64_t bytes = sw.GetQueue(port).GetBytes(2) +
                                                                 sw.GetQueue(port).GetBytes(3);
                                          EXPECT_LE(bytes, sw.GetBuffer().GetLimitedBytes(port));
                                          peak =
                                              std::max(peak, sw.GetBuffer().GetLimitedBytes(port));
                                      }));
    sw.TraceConnectWithoutContext("Drop",
                                  Callback<void, const Frame&, const char*, Time>(
                                      [&](const Frame& frame, const char* reason, Time) {
                                          ++drops;
                                          EXPECT_STREQ(reason, "buffer");
                                          const uint64_t held = sw.GetBuffer().GetLimitedBytes(4);
                                          EXPECT_GT(held + frame.frameBytes, LIMIT)
                                              << "there was room";
                                      }));
    std::vector<FlowSpec> flows;
    for (uint32_t src = 0; src < 4; ++src)
    {
        flows.push_back(Flow(src, 4, 1000000, 0, 2 + src % 2));
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_LE(peak, LIMIT);
    EXPECT_GT(peak, LIMIT - 4200);
    EXPECT_GT(drops, 50u);
    EXPECT_EQ(sw.GetDrops().Get(Switch::DROP_BUFFER), drops);
    EXPECT_EQ(sw.GetCounters().droppedLosslessFrames, 0u);
    EXPECT_EQ(Sum(net).xoff, 0u);
    EXPECT_EQ(sw.GetBuffer().GetLimitedBytes(4), 0u);
    ExpectAllDone(net, done, flows);
}

TEST_F(EgressLimitTest, FatTreePortsAreIntraOrBorder)
{
    FatTreeHelper h;
    h.k = 4;
    h.egressBuffer = QueueSize("175000B");
    h.external.egressBuffer = QueueSize("2240000B");
    std::map<std::string, uint64_t> limits = LimitsOf(h);
    EXPECT_EQ(limits.size(), 2u * (8 + 8 + 4 + 1));
    for (const auto& [name, limit] : limits)
    {
        EXPECT_EQ(limit, name.find("border") == std::string::npos ? 175000u : 2240000u) << name;
    }
    h.external.egressBuffer = QueueSize("0B");
    EXPECT_EQ(LimitsOf(h)["dc0-border0"], 175000u);
    h.egressBuffer = QueueSize("0B");
    h.external.egressBuffer = QueueSize("1MiB");
    limits = LimitsOf(h);
    EXPECT_EQ(limits["dc1-border0"], 1048576u);
    EXPECT_EQ(limits["dc1-core3"], 0u);
}

TEST_F(EgressLimitTest, LeafSpinePortsAreIntraOrDci)
{
    LeafSpineHelper h;
    h.egressBuffer = QueueSize("1MiB");
    h.external.egressBuffer = QueueSize("2MiB");
    for (const auto& [name, limit] : LimitsOf(h))
    {
        EXPECT_EQ(limit, name.find("dci") == std::string::npos ? 1u << 20 : 2u << 20) << name;
    }
    h.external.egressBuffer = QueueSize("0B");
    for (const auto& [name, limit] : LimitsOf(h))
    {
        EXPECT_EQ(limit, 1u << 20) << name;
    }
}

TEST_F(EgressLimitTest, ImpossibleCombinationsAreRefused)
{
    FatTreeHelper h;
    h.k = 4;
    h.egressBuffer = QueueSize("1MiB");
    const auto error = [&h]() { return ErrorOf([&h]() { LimitsOf(h); }); };
    const std::string both = " are both given, expected one of them: ports with an egress limit "
                             "use no other buffer";
    h.portBuffer = QueueSize("1MiB");
    EXPECT_EQ(error(), "topology: portBuffer and egressBuffer" + both);
    h.portBuffer = QueueSize("0B");
    h.wanPortBuffer = QueueSize("64MiB");
    EXPECT_EQ(error(), "topology: wanPortBuffer and egressBuffer" + both);
    std::swap(h.egressBuffer, h.external.egressBuffer);
    EXPECT_EQ(error(), "topology: wanPortBuffer and borderEgressBuffer" + both);
    LeafSpineHelper l;
    l.wanPortBuffer = QueueSize("64MiB");
    l.external.egressBuffer = QueueSize("1MiB");
    EXPECT_EQ(ErrorOf([&l]() { LimitsOf(l); }),
              "topology: wanPortBuffer and dciEgressBuffer" + both);
    h.wanPortBuffer = QueueSize("0B");
    h.egressBuffer = QueueSize("1000B");
    EXPECT_EQ(error(),
              "switch dc0-edge0: egress limit of port 0 is 1000 B, expected at least the largest "
              "frame, " +
                  error().substr(error().rfind(", ") + 2));
    h.egressBuffer = QueueSize("1MiB");
    Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(8));
    EXPECT_NE(error().find("port 0 has an egress limit of 1048576 B and classes that PFC protects"),
              std::string::npos);
}

// 25 % and 75 % of each port's queue, whatever its rate.
TEST_F(EgressLimitTest, EcnThresholdsAreSharesOfIt)
{
    SetLimit("1MiB");
    Config::SetDefault("ns3::roce::EcnMarker::KminFraction", DoubleValue(0.25));
    Config::SetDefault("ns3::roce::EcnMarker::KmaxFraction", DoubleValue(0.75));
    Config::SetDefault("ns3::roce::EcnMarker::Pmax", DoubleValue(1));
    const auto build = [](Network& net) {
        MakeStar(net, 2);
        net.AddNic(net.AddHost("slow", 0), 0, 10 * G, US);
        SharedBuffer::PortConfig own;
        own.egressLimitBytes = 100000;
        net.GetSwitch(0)->SetPortBuffer(1, own);
        net.Build();
    };
    Network net;
    build(net);
    const auto marker = DynamicCast<EcnMarker>(net.GetSwitch(0)->GetStages()[0]);
    for (uint16_t p : {0, 2})
    {
        EXPECT_EQ(marker->GetCurve(p).kminBytes, 262144u);
        EXPECT_EQ(marker->GetCurve(p).kmaxBytes, 786432u);
        EXPECT_EQ(marker->GetCurve(p).pmax, 1);
    }
    EXPECT_EQ(marker->GetCurve(1).kminBytes, 25000u);
    EXPECT_EQ(marker->GetCurve(1).kmaxBytes, 75000u);
    Simulator::Destroy();
    const auto error = [&build]() {
        return ErrorOf([&build]() {
            Network other;
            build(other);
        });
    };
    Config::SetDefault("ns3::roce::EcnMarker::RateMap", StringValue("100Gbps/4/8/0.1"));
    EXPECT_EQ(
        error(),
        "ns3::roce::EcnMarker: KmaxFraction and RateMap are both given, expected one of them");
    Config::SetDefault("ns3::roce::EcnMarker::RateMap", StringValue(""));
    SetLimit("0B");
    EXPECT_EQ(error(),
              "ns3::roce::EcnMarker: KmaxFraction is 0.75, but port 0 of switch sw has no "
              "egress limit, expected one for each port (EgressLimit)");
    Config::SetDefault("ns3::roce::EcnMarker::KminFraction", DoubleValue(0.8));
    EXPECT_EQ(error(),
              "ns3::roce::EcnMarker: KminFraction is 0.8, expected at most KmaxFraction, 0.75");
}

// Two at line rate into one port with hardly any queue: the phantom queue grows by what is taken
// in, or with CountDropped by all that arrives.
TEST_F(EgressLimitTest, PhantomQueuesCountDroppedFramesIfAskedFor)
{
    SetRateLaw("LineRate");
    SetLimit("10000B");
    for (const bool dropped : {false, true})
    {
        Network net;
        MakeStar(net, 3);
        Network::Options options;
        ObjectFactory phantom("ns3::roce::PhantomQueue");
        for (const auto& [name, value] :
             WithMadeProfile(PhantomQueue::GetTypeId(),
                             {{"CountDropped", dropped ? "true" : "false"}}))
        {
            phantom.Set(name, StringValue(value));
        }
        phantom.Set("DrainFactor", DoubleValue(1e-9));
        options.stages = {phantom};
        net.Build(options);
        Switch& sw = *net.GetSwitch(0);
        uint64_t lostBytes = 0;
        sw.TraceConnectWithoutContext(
            "Drop",
            Callback<void, const Frame&, const char*, Time>(
                [&](const Frame& frame, const char*, Time) { lostBytes += frame.frameBytes; }));
        net.InstallFlows(Numbered({Flow(0, 2, 1000000), Flow(1, 2, 1000000)}));
        Simulator::Stop(PicoSeconds(100 * US));
        Simulator::Run();
        net.CatchUp();
        ASSERT_GT(lostBytes, 100000u);
        const auto stage = DynamicCast<PhantomQueue>(sw.GetStages().back());
        const uint64_t taken = sw.GetPort(2)->GetOfferedBytes();
        EXPECT_NEAR(stage->GetOccupancyBytes(2, 100 * US),
                    static_cast<double>(taken + (dropped ? lostBytes : 0)),
                    1);
        Simulator::Destroy();
    }
}
