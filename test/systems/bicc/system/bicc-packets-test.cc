// SPDX-License-Identifier: GPL-2.0-only
// The BiCC-like edge function beside packets of ns-3: they share a destination's queue if they
// share the lossless class, they are in the queue to the WAN, and nobody tells their senders.
#include "roce-packet-stream.h"
#include "roce-test-network.h"

#include "ns3/roce-bicc.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint32_t SLOW = 2; //!< a host behind a link of 10 Gbit/s
constexpr uint32_t FAST = 3; //!< one behind 100 Gbit/s

/// Two hosts at an external switch; a WAN link; an external switch, a leaf, two hosts.
struct BiccPackets : public SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("Dcqcn[Profile=paper]");
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(50)));
    }

    static std::map<std::string, uint64_t> Count(const Bicc& stage)
    {
        std::map<std::string, uint64_t> counters;
        stage.Count(counters);
        return counters;
    }

    struct Dcs
    {
        explicit Dcs(uint64_t wanRate = 400 * G)
        {
            net.AddSwitch("near", 0);
            net.AddSwitch("far", 1);
            net.AddSwitch("leaf", 1);
            for (uint32_t h = 0; h < 4; ++h)
            {
                net.AddNic(net.AddHost("h" + std::to_string(h), h >= SLOW),
                           h < SLOW ? 0 : 2,
                           h == SLOW ? 10 * G : 100 * G,
                           US);
            }
            const auto [nearWan, farWan] = net.Connect(0, 1, wanRate, 100 * US);
            net.Connect(1, 2, 400 * G, US);
            SharedBuffer::PortConfig deep;
            deep.staticXoffBytes = SharedBuffer::WHOLE_POOL;
            deep.ownPoolBytes = (64 << 20) + 4 * HeadroomBytes(wanRate, 100 * US, 5000);
            net.GetSwitch(0)->SetPortBuffer(nearWan, deep);
            net.GetSwitch(1)->SetPortBuffer(farWan, deep);
            Network::Options options;
            options.stages.emplace_back("ns3::roce::Bicc", SwitchRole::DCI);
            net.Build(options);
            net.AssignStreams(1);
            near = net.GetSwitch(0)->FindStage<Bicc>();
            far = net.GetSwitch(1)->FindStage<Bicc>();
        }

        Network net;
        Bicc* near;
        Bicc* far;
    };
};

} // namespace

// CNPs of the slow host cut the rate of its queue, for all that is in it; the fast host's packets
// do not wait, and neither do those of a class that is not lossless.
TEST_F(BiccPackets, ShareTheQueueOfTheirDestination)
{
    int64_t longestPs[3];
    const std::pair<uint32_t, uint8_t> cases[] = {{SLOW, 3}, {FAST, 3}, {FAST, 1}};
    for (int i = 0; i < 3; ++i)
    {
        const auto [dst, trafficClass] = cases[i];
        Dcs dcs;
        PacketStream sender(*dcs.net.GetNic(1),
                            {dst, 2e9, trafficClass, ECN_ECT0, 1500, 0, 4 * MS});
        PacketStream receiver(*dcs.net.GetNic(dst));
        dcs.net.InstallFlows(Numbered({Flow(0, SLOW, 6'000'000)}));
        Simulator::Run();
        dcs.net.CatchUp();
        EXPECT_EQ(dcs.net.Audit(true), "");
        EXPECT_EQ(receiver.taken, sender.sent);
        EXPECT_EQ(receiver.reordered, 0u);
        EXPECT_GT(Count(*dcs.far).at("biccCuts"), 5u) << "a weak test";
        EXPECT_EQ(Count(*dcs.far).at("biccVoqsPeak"), i == 1 ? 2u : 1u)
            << "to " << dst << " in class " << +trafficClass;
        longestPs[i] = receiver.longestPs;
        Simulator::Destroy();
    }
    EXPECT_GT(longestPs[0], MS) << "data that wait for the slow host are before them";
    EXPECT_LT(longestPs[1], 120 * US);
    EXPECT_LT(longestPs[2], 120 * US);
}

// Half of the WAN's load are packets: data are answered as if all were data, and marks of packets,
// made by EcnMarker, go to the far receiver: it alone can tell their sender.
TEST_F(BiccPackets, AreInTheQueueToTheWan)
{
    for (const bool loaded : {false, true})
    {
        Dcs dcs(100 * G);
        dcs.near->TraceConnectWithoutContext(
            "NearCnp",
            Callback<void, uint32_t, uint32_t, Time>([](uint32_t nic, uint32_t, Time) {
                EXPECT_EQ(nic, 0u) << "a CNP for a packet of ns-3";
            }));
        PacketStream sender(*dcs.net.GetNic(1),
                            {FAST, loaded ? 60e9 : 1, 3, ECN_ECT0, 1500, 0, MS});
        PacketStream receiver(*dcs.net.GetNic(FAST));
        dcs.net.InstallFlows(Numbered({Flow(0, FAST, 6'000'000)}));
        Simulator::Run();
        dcs.net.CatchUp();
        EXPECT_EQ(Count(*dcs.near).at("biccNearCnps") > 0, loaded);
        EXPECT_EQ(receiver.marked > 0, loaded);
        EXPECT_EQ(receiver.taken, sender.sent);
        EXPECT_EQ(Sum(dcs.net).cnps, 0u) << "receivers of RDMA answer packets of ns-3";
        Simulator::Destroy();
    }
}
