// SPDX-License-Identifier: GPL-2.0-only
// Headroom: sufficient at every link length, with the worst alignment; too little of it loses
// frames.
#include "roce-test-network.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct Case
{
    uint64_t rateBps;
    int64_t delayPs;
    const char* name;
};

/// What happened.
struct Outcome
{
    Totals totals;
    uint64_t peakHeadroom;
};

/**
 * Sources at switch 0 fill the link under test to switch 1, whose way out is 20 times slower. The
 * sink sends data back over the link, so that pause frames wait behind full frames.
 *
 * @param share of the computed headroom that the port gets
 * @param deep the port under test has a buffer of its own with a static threshold
 */
Outcome
Congest(const Case& link, double share, bool deep, bool dynamic = false)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(Seconds(100)));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("64MiB"));
    Network net;
    net.AddSwitch("up", 0);
    net.AddSwitch("down", 0);
    const std::pair<uint16_t, uint16_t> ends = net.Connect(0, 1, link.rateBps, link.delayPs);
    const uint16_t upPort = ends.first;
    const uint16_t downPort = ends.second; // under test
    for (int i = 0; i < 4; ++i)
    {
        net.AddNic(net.AddHost("source" + std::to_string(i), 0), 0, link.rateBps, US / 10);
    }
    const uint32_t sink = net.AddNic(net.AddHost("sink", 0), 1, link.rateBps / 20, US / 10);
    const uint32_t back = net.AddNic(net.AddHost("back", 0), 1, link.rateBps, US / 10);
    ObjectFactory odd("ns3::roce::Nic");
    odd.Set("PathMtu", UintegerValue(1531)); // shifts the phase between the two directions
    const uint32_t back2 = net.AddNic(net.AddHost("back2", 0), 1, link.rateBps, US / 10, odd);
    const uint32_t maxFrame = DATA_HEADER_BYTES + RETH_BYTES + 4096 + 130;
    // One frame more than the formula: the frame that crosses the threshold stands in headroom.
    const auto headroom = static_cast<uint64_t>(
        share *
        static_cast<double>(HeadroomBytes(link.rateBps, link.delayPs, maxFrame) + maxFrame));
    SharedBuffer::PortConfig buffer;
    buffer.alpha = 0.125;
    if (share < 1)
    {
        buffer.headroomBytes = headroom;
    }
    // The upstream's port must cope with its own congestion; give it room.
    SharedBuffer::PortConfig upstream;
    upstream.ownPoolBytes = 10 * headroom + (100 << 20);
    if (deep)
    {
        buffer.ownPoolBytes = headroom + (2 << 20);
        buffer.staticXoffBytes = dynamic ? 0 : 301 * 1000;
        net.GetSwitch(0)->SetPortBuffer(upPort, upstream);
    }
    if (deep || share < 1)
    {
        net.GetSwitch(1)->SetPortBuffer(downPort, buffer);
    }
    net.Build();
    uint64_t peak = 0;
    const uint64_t each = (2 * headroom + (8 << 20)) / 4;
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 4; ++i)
    {
        flows.push_back(Flow(i, sink, each, i * 1234));
    }
    flows.push_back(Flow(back, 0, 3 * each)); // these keep the reverse direction busy
    flows.push_back(Flow(back2, 1, each));
    flows = Numbered(flows);
    Completions done(net);
    PauseMonitor monitor(net);
    net.GetSwitch(1)->GetPort(downPort)->TraceConnectWithoutContext(
        "RxEnd",
        Callback<void, const Frame&, Time>([&](const Frame&, Time) {
            peak = std::max(peak, net.GetSwitch(1)->GetBuffer().GetHeadroomBytes(downPort, 3));
        }));
    net.InstallFlows(flows);
    if (share < 1)
    {
        Simulator::Stop(TimeStep(20 * link.delayPs + 3 * MS)); // the loss comes with the first XOFF
    }
    Simulator::Run();
    const Outcome outcome{Sum(net), peak};
    if (share >= 1)
    {
        EXPECT_GT(outcome.totals.xoff, 0u);
        ExpectAllDone(net, done, flows);
        monitor.Check(net);
    }
    Simulator::Destroy();
    return outcome;
}

std::string
CaseName(const ::testing::TestParamInfo<Case>& info)
{
    return info.param.name;
}

} // namespace

class Headroom : public SystemTest, public ::testing::WithParamInterface<Case>
{
};

TEST_P(Headroom, SufficesAndLessLoses)
{
    const bool deep = GetParam().delayPs >= 10 * US;
    const Outcome enough = Congest(GetParam(), 1.0, deep);
    EXPECT_EQ(enough.totals.lost, 0u);
    EXPECT_EQ(enough.totals.retransmitted, 0u);
    EXPECT_GT(enough.peakHeadroom, 0u);
    const Outcome little = Congest(GetParam(), 0.6, true);
    EXPECT_GT(little.totals.lostLossless, 0u) << "the test cannot fail";
}

INSTANTIATE_TEST_SUITE_P(Lengths,
                         Headroom,
                         ::testing::Values(Case{100 * G, 0, "Zero100G"},
                                           Case{100 * G, 50 * NS, "TenMetres100G"},
                                           Case{100 * G, US, "OneUs100G"},
                                           Case{100 * G, 10 * US, "TenUs100G"},
                                           Case{100 * G, 100 * US, "HundredUs100G"},
                                           Case{100 * G, MS, "OneMs100G"},
                                           Case{100 * G, 3 * MS, "ThreeMs100G"},
                                           Case{400 * G, 0, "Zero400G"},
                                           Case{400 * G, 50 * NS, "TenMetres400G"},
                                           Case{400 * G, US, "OneUs400G"},
                                           Case{400 * G, 10 * US, "TenUs400G"},
                                           Case{400 * G, 100 * US, "HundredUs400G"},
                                           Case{400 * G, MS, "OneMs400G"},
                                           Case{400 * G, 3 * MS, "ThreeMs400G"}),
                         CaseName);

// Dynamic threshold on a deep port: it moves while the pause is on its way.
TEST_F(SystemTest, HeadroomWithADynamicThreshold)
{
    for (int64_t delay : {int64_t(0), 3 * US, 50 * US})
    {
        EXPECT_EQ(Congest({100 * G, delay, ""}, 1.0, true, true).totals.lost, 0u) << delay;
    }
}

// A shared buffer so small that thresholds are a few frames: every host link uses its headroom.
TEST_F(SystemTest, HeadroomOfEveryPortAtOnce)
{
    for (int64_t delay : {int64_t(0), 50 * NS, 2 * US})
    {
        SetRateLaw("LineRate");
        const uint64_t headroom = HeadroomBytes(100 * G, delay, 4304) + 4304;
        Config::SetDefault("ns3::roce::Switch::BufferSize",
                           StringValue(std::to_string(17 * (headroom + 6 * 1000) + 60000) + "B"));
        Config::SetDefault("ns3::roce::Switch::ReservedBytes", UintegerValue(1000));
        Network net;
        MakeStar(net, 17, 100 * G, delay);
        net.Build();
        std::vector<FlowSpec> flows;
        for (uint32_t i = 1; i < 17; ++i)
        {
            flows.push_back(Flow(i, 0, 500000, i * 7919));
            flows.push_back(Flow(0, i, 100000, i * 1000)); // pause frames wait behind these
            flows.push_back(Flow(i, 1 + i % 16, 100000));
        }
        flows = Numbered(flows);
        Completions done(net);
        PauseMonitor monitor(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_EQ(Sum(net).lost, 0u) << delay;
        EXPECT_GT(Sum(net).xoff, 15u);
        ExpectAllDone(net, done, flows);
        monitor.Check(net);
        Simulator::Destroy();
    }
}
