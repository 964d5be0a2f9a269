// SPDX-License-Identifier: GPL-2.0-only
// Reflex's external switches beside packets of ns-3: they wait in Normal, they are in the delays
// that are measured, and they are no flows of its tables.
#include "roce-packet-stream.h"
#include "roce-reflex-ndt-fixture.h"

#include "ns3/roce-reflex-nsf.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

using ReflexPackets = ReflexNdtTest;

// The only flow is congested, so Controlled is suspended again and again.
TEST_F(ReflexPackets, PassTheControlledQueue)
{
    SetNdt("MaxPause", TimeValue(MicroSeconds(100)));
    NdtNetwork dc(15 * G);
    dc.Build([](uint32_t, int64_t) { return LONG_RTT; });
    PacketStream sender(*dc.net.GetNic(1), {4, 10e9, 3, ECN_CE, 1500, 100 * US, MS});
    PacketStream receiver(*dc.net.GetNic(4));
    uint64_t longest = 0;
    dc.ndt->GetScheduler(dc.portA)->TraceConnectWithoutContext(
        "Queues",
        Callback<void, uint64_t, uint64_t, Time>(
            [&](uint64_t, uint64_t controlled, Time) { longest = std::max(longest, controlled); }));
    dc.Run(Numbered({Flow(0, 4, 2'000'000)}));
    EXPECT_EQ(Sum(dc.net).xoff, 0u) << "packets of the class wait for a pause, not for a queue";
    EXPECT_GT(longest, 150'000u) << "a weak test";
    const auto counters = dc.Count();
    EXPECT_GT(counters.at("reflexNdtPauses"), 0u) << "a weak test";
    EXPECT_EQ(counters.at("reflexNdtFlows"), 1u) << "packets of ns-3 are in the table of flows";
    for (const NdtNetwork::Pause& pause : dc.pauses)
    {
        EXPECT_TRUE(!pause.begins || pause.ratio == 1) << "they are in the share";
    }
    EXPECT_EQ(receiver.taken, sender.sent);
    EXPECT_EQ(receiver.reordered, 0u);
    EXPECT_LT(receiver.longestPs, 30 * US) << "24 us is the way itself: they wait in Controlled";
}

// Near source: data wait for packets, which is their delay; packets get no pseudo-ACK.
TEST_F(ReflexPackets, AreInTheNearSourceDelay)
{
    SetRateLaw("Timely");
    int64_t longestPs[2]{};
    for (const bool loaded : {false, true})
    {
        Network net;
        const uint32_t leaf = net.AddSwitch("leaf", 0);
        const uint32_t near = net.AddSwitch("near", 0);
        const uint32_t far = net.AddSwitch("far", 1);
        for (uint32_t h = 0; h < 4; ++h)
        {
            net.AddNic(net.AddHost("h" + std::to_string(h), h / 2),
                       h < 2 ? leaf : far,
                       100 * G,
                       US);
        }
        net.Connect(leaf, near, 100 * G, US);
        net.Connect(near, far, 400 * G, 100 * US);
        Network::Options options;
        options.stages.emplace_back("ns3::roce::ReflexNsf", SwitchRole::DCI);
        net.Build(options);
        net.AssignStreams(1);
        PacketStream sender(*net.GetNic(1), {3, loaded ? 60e9 : 1, 3, ECN_ECT0, 1500, 0, MS});
        PacketStream receiver(*net.GetNic(3));
        auto* const nsf = net.GetSwitch(near)->FindStage<ReflexNsf>();
        nsf->TraceConnectWithoutContext("PseudoAck",
                                        Callback<void, uint32_t, uint32_t, int64_t, Time>(
                                            [&](uint32_t nic, uint32_t, int64_t delayPs, Time) {
                                                EXPECT_EQ(nic, 0u);
                                                longestPs[loaded] =
                                                    std::max(longestPs[loaded], delayPs);
                                            }));
        net.InstallFlows(Numbered({Flow(0, 2, 3'000'000)}));
        Simulator::Run();
        EXPECT_EQ(nsf->GetCounters().dataFrames, net.GetCounters().at("dataSent"));
        EXPECT_EQ(receiver.taken, sender.sent);
        Simulator::Destroy();
    }
    EXPECT_GT(longestPs[1], longestPs[0] + 5 * US);
}
