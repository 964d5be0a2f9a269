// SPDX-License-Identifier: GPL-2.0-only
// MLCC's external switches beside packets of ns-3: no queue of a flow holds them, they are in the
// telemetry, and no Switch-INT is for them.
#include "roce-mlcc-network.h"
#include "roce-packet-stream.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t END = 4 * MS;

using MlccPackets = MlccSystemTest;

} // namespace

// The flow's queue is emptied at 1 Gbit/s; packets of the same class to the same host pass it.
TEST_F(MlccPackets, PassQueuesOfFlows)
{
    SetLaw("test::ScriptedMlcc");
    ScriptedMlcc::script = [](uint32_t, int64_t) { return Script{1, 1e9, 25e9}; };
    MlccNetwork dc;
    dc.Build();
    PacketStream sender(*dc.net.GetNic(1), {4, 10e9, 3, ECN_CE, 1500, 0, END});
    PacketStream receiver(*dc.net.GetNic(4));
    uint64_t ints = 0;
    dc.near->TraceConnectWithoutContext(
        "SwitchInt",
        Callback<void, uint32_t, uint32_t, uint64_t, uint32_t, Time>(
            [&ints](uint32_t nic, uint32_t, uint64_t, uint32_t, Time) {
                ++ints;
                EXPECT_EQ(nic, 0u) << "a Switch-INT for a packet of ns-3";
            }));
    dc.net.InstallFlows(Numbered({Flow(0, 4, 1'000'000)}));
    Simulator::Run();
    dc.net.CatchUp();
    EXPECT_EQ(dc.net.Audit(true), "");
    EXPECT_GT(MlccNetwork::Count(*dc.far).at("mlccPfqBytesPeak"), 500'000u) << "a weak test";
    EXPECT_EQ(MlccNetwork::Count(*dc.far).at("mlccPfqs"), 1u) << "packets have queues of flows";
    EXPECT_EQ(ints, dc.net.GetCounters().at("dataSent"));
    EXPECT_EQ(receiver.taken, sender.sent);
    EXPECT_EQ(receiver.reordered, 0u);
    EXPECT_EQ(receiver.marked, sender.sent)
        << "marks end at the near source, though nobody is told";
    EXPECT_LT(receiver.longestPs, 130 * US) << "117 us is the way itself: a queue holds packets";
}

// R_credit makes room: the receiver's link has 25 Gbit/s, and 10 of them are taken.
TEST_F(MlccPackets, LowerTheCredit)
{
    double creditBps[2];
    for (const bool loaded : {false, true})
    {
        MlccNetwork dc;
        dc.Build();
        PacketStream receiver(*dc.net.GetNic(4));
        PacketStream sender(*dc.net.GetNic(5), {4, loaded ? 10e9 : 1, 3, ECN_ECT0, 1500, 0, END});
        uint64_t credits = 0;
        double sum = 0;
        dc.far->TraceConnectWithoutContext(
            "Credit",
            Callback<void, uint32_t, uint32_t, uint64_t, uint16_t, Time>(
                [&](uint32_t, uint32_t, uint64_t rate, uint16_t, Time at) {
                    if (at > MilliSeconds(2))
                    {
                        ++credits;
                        sum += static_cast<double>(rate);
                    }
                }));
        dc.net.InstallFlows(Numbered({Flow(0, 4, 200'000'000)}));
        Simulator::Stop(TimeStep(END));
        Simulator::Run();
        dc.net.CatchUp();
        ASSERT_GT(credits, 10u);
        creditBps[loaded] = sum / static_cast<double>(credits);
        Simulator::Destroy();
    }
    EXPECT_NEAR(creditBps[false], 0.95 * 25e9, 1.2e9);
    EXPECT_NEAR(creditBps[true], 0.95 * 25e9 - 10e9, 1.2e9);
}
