// SPDX-License-Identifier: GPL-2.0-only
// WRCC's switch beside packets of ns-3: they are load, and nobody tells their senders anything.
#include "roce-packet-stream.h"
#include "roce-wrcc-network.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t END = 6 * MS;
constexpr double TARGET_BPS = 0.95 * 100e9;

using WrccPackets = WrccTest;

} // namespace

// In a class of their own, or in the data's: the rate of RDMA is what is left of the target.
TEST_F(WrccPackets, AreInTheInputRate)
{
    Set("WrccFairRate::TargetUtilization", "0.95");
    for (const uint8_t trafficClass : {1, 3})
    {
        Network net;
        MakeStar(net, 3);
        Build(net);
        PacketStream sender(*net.GetNic(1), {2, 30e9, trafficClass, ECN_ECT0, 1500, 0, END});
        PacketStream receiver(*net.GetNic(2));
        StageOf(net).TraceConnectWithoutContext(
            "Fcnp",
            Callback<void, uint32_t, uint32_t, uint32_t, Time>(
                [](uint32_t nic, uint32_t, uint32_t, Time) {
                    EXPECT_EQ(nic, 0u) << "packets of ns-3 are no business of WRCC's senders";
                }));
        double inputBps = 0;
        uint64_t periods = 0;
        StageOf(net).TraceConnectWithoutContext(
            "Period",
            Callback<void, uint16_t, const WrccPortRate&, Time, Time>(
                [&](uint16_t port, const WrccPortRate& rate, Time, Time at) {
                    if (port == 2 && at >= MilliSeconds(3))
                    {
                        inputBps += rate.GetInputBps();
                        ++periods;
                    }
                }));
        Arrivals arrivals(net, 2);
        net.InstallFlows(Numbered({Flow(0, 2, 200'000'000)}));
        Simulator::Schedule(MilliSeconds(3), [&arrivals] { arrivals.Clear(); });
        Simulator::Stop(TimeStep(END));
        Simulator::Run();
        net.CatchUp();
        EXPECT_NEAR(inputBps / static_cast<double>(periods), TARGET_BPS, 2e9)
            << "class " << +trafficClass;
        // 1024 of 1118 bytes on the wire are payload.
        const double rdma = arrivals.Gbps(0, END - 3 * MS) * 1118 / 1024;
        EXPECT_NEAR(rdma, TARGET_BPS / 1e9 - 30, 4) << "class " << +trafficClass;
        EXPECT_GT(receiver.taken, END / (1538 * 8 / 30 * 1000) * 0.98)
            << "class " << +trafficClass << ": packets are held up";
        EXPECT_GT(Counted(net, "wrccRewrites"), 0u) << "a weak test";
        Simulator::Destroy();
    }
}

// A port that has never had data: no threshold and no queue of a class of data, but a rate.
TEST_F(WrccPackets, MayBeAlone)
{
    Network net;
    MakeStar(net, 3);
    Build(net);
    PacketStream sender(*net.GetNic(1), {2, 40e9, 1, ECN_ECT0, 1500, 0, MS});
    PacketStream receiver(*net.GetNic(2));
    Simulator::Stop(TimeStep(MS));
    Simulator::Run();
    net.CatchUp();
    const WrccPortRate rate = StageOf(net).Look(2, MS);
    EXPECT_NEAR(rate.GetInputBps(), 40e9, 1e9);
    EXPECT_EQ(rate.GetExtraBytes(), 0);
    EXPECT_EQ(Counted(net, "wrccRewrites"), 0u);
    EXPECT_EQ(Counted(net, "packetsReceived"), receiver.taken);
    EXPECT_GT(receiver.taken, 3000u);
}
