// SPDX-License-Identifier: GPL-2.0-only
// Uno beside packets of ns-3: phantom queues count and mark them, its code and its choice of paths
// leave them alone.
#include "roce-packet-stream.h"
#include "roce-uno-network.h"

#include "ns3/roce-phantom-queue.h"

#include <set>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

using UnoPackets = UnoTest;

// Neither parity nor another path: a packet a frame, all of a flow on one link of eight.
TEST_F(UnoPackets, AreNotCodedAndKeepTheirPath)
{
    Network net;
    Make(net);
    LoseOnWan(net, "RandomLoss[Rate=0.01]");
    PacketStream sender(*net.GetNic(1), {5, 20e9, 0, ECN_ECT0, 1500, 0, MS});
    PacketStream receiver(*net.GetNic(5));
    std::set<uint32_t> links;
    uint64_t frames = 0;
    std::set<uint32_t> dataOn;
    for (uint32_t i = 0; i < WAN_LINKS; ++i)
    {
        net.GetSwitch(0)
            ->GetPort(static_cast<uint16_t>(HOSTS + i))
            ->TraceConnectWithoutContext(
                "TxBegin",
                Callback<void, const Frame&, Time>([&, i](const Frame& frame, Time) {
                    if (frame.kind == FrameKind::PACKET)
                    {
                        links.insert(i);
                        ++frames;
                        EXPECT_EQ(frame.flags & FRAME_CODED, 0);
                        EXPECT_EQ(frame.frameBytes, 1518u);
                    }
                    else if (frame.kind == FrameKind::DATA)
                    {
                        dataOn.insert(i);
                    }
                }));
    }
    const auto flows = Numbered({Flow(0, 4, 4'000'000)});
    const Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    net.CatchUp();
    EXPECT_GT(done.FctPs(0), 0);
    EXPECT_EQ(links.size(), 1u) << "a load balancer moves packets of ns-3";
    EXPECT_GT(dataOn.size(), 2u) << "a weak test";
    EXPECT_EQ(frames, sender.sent);
    EXPECT_LT(receiver.taken, sender.sent) << "lost packets come back";
    EXPECT_GT(receiver.taken, sender.sent * 9 / 10);
    EXPECT_EQ(receiver.reordered, 0u);
}

// Data and packets together are above the drain rate, each alone is below it. Packets that can be
// marked are; others count as well.
TEST_F(UnoPackets, AreInPhantomQueues)
{
    SetRateLaw("FixedRate[Rate=50Gbps]");
    Config::SetDefault("ns3::roce::PhantomQueue::Capacity", StringValue("400kB"));
    for (const uint8_t ecn : {ECN_ECT0, ECN_NOT_ECT})
    {
        for (const bool loaded : {false, true})
        {
            Network net;
            MakeStar(net, 3);
            Network::Options options;
            options.ecn = false;
            options.stages.emplace_back("ns3::roce::PhantomQueue");
            net.Build(options);
            net.AssignStreams(1);
            PacketStream sender(*net.GetNic(1), {2, loaded ? 45e9 : 1, 0, ecn, 1500, 0, MS});
            PacketStream receiver(*net.GetNic(2));
            double occupancy = 0;
            Simulator::Schedule(MicroSeconds(600), [&net, &occupancy] {
                net.CatchUp();
                occupancy =
                    net.GetSwitch(0)->FindStage<PhantomQueue>()->GetOccupancyBytes(2, 600 * US);
            });
            net.InstallFlows(Numbered({Flow(0, 2, 5'000'000)}));
            Simulator::Run();
            net.CatchUp();
            EXPECT_EQ(occupancy > 200'000, loaded) << occupancy << " B";
            EXPECT_EQ(receiver.marked > 300, loaded && ecn == ECN_ECT0) << receiver.marked;
            EXPECT_EQ(receiver.taken, sender.sent);
            Simulator::Destroy();
        }
    }
}
