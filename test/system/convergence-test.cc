// SPDX-License-Identifier: GPL-2.0-only
// Rate laws in closed loop: throughput of one flow, fairness of two, a late second flow.
#include "roce-test-network.h"

#include <array>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Payload that arrives at NIC 0, by source and by interval.
class Goodput
{
  public:
    Goodput(Network& net, int64_t intervalPs)
        : m_intervalPs(intervalPs)
    {
        net.GetNic(0)->TraceConnectWithoutContext(
            "RxEnd",
            Callback<void, const Frame&, Time>([this](const Frame& f, Time at) {
                if (f.kind == FrameKind::DATA)
                {
                    m_bytes[{f.src, at.GetTimeStep() / m_intervalPs}] += f.payloadBytes;
                }
            }));
    }

    /// @return bit/s of a source over intervals [from, to)
    double Bps(uint32_t src, int64_t from, int64_t to) const
    {
        double bytes = 0;
        for (int64_t i = from; i < to; ++i)
        {
            const auto it = m_bytes.find({src, i});
            bytes += it == m_bytes.end() ? 0 : static_cast<double>(it->second);
        }
        return bytes * 8e12 / static_cast<double>((to - from) * m_intervalPs);
    }

  private:
    int64_t m_intervalPs;
    std::map<std::pair<uint32_t, int64_t>, uint64_t> m_bytes;
};

double
Jain(double a, double b)
{
    return (a + b) * (a + b) / (2 * (a * a + b * b));
}

/// Largest goodput of 100 Gbit/s, with the telemetry of one switch for HPCC.
double
GoodputBound(const std::string& law)
{
    return 100e9 * 4096 / (4096 + 82 + (law == "Hpcc" ? 10 : 0));
}

constexpr uint64_t FOREVER = 1000000000;

} // namespace

class Convergence : public SystemTest, public ::testing::WithParamInterface<const char*>
{
  protected:
    void Run(Network& net, const std::vector<FlowSpec>& flows, int64_t until)
    {
        net.AssignStreams(1);
        net.InstallFlows(Numbered(flows));
        Simulator::Stop(TimeStep(until));
        Simulator::Run();
        net.CatchUp();
        EXPECT_EQ(net.Audit(false), "");
        EXPECT_EQ(Sum(net).lost, 0u);
        EXPECT_EQ(Sum(net).timeouts, 0u);
    }

    /// What the rate law aims at, over the bound.
    double Target() const
    {
        return std::string(GetParam()) == "Hpcc" ? 0.95 : 1.0;
    }
};

TEST_P(Convergence, SingleFlow)
{
    SetRateLaw(GetParam());
    Network net;
    MakeStar(net, 2);
    net.Build();
    Goodput goodput(net, MS);
    Run(net, {Flow(1, 0, FOREVER)}, 10 * MS);
    const double bound = GoodputBound(GetParam());
    EXPECT_GE(goodput.Bps(1, 1, 10), (Target() < 1 ? 0.95 * Target() : 0.98) * bound);
    EXPECT_LE(goodput.Bps(1, 1, 10), bound * 1.0001);
    EXPECT_EQ(Sum(net).xoff, 0u);
}

TEST_P(Convergence, TwoToOneEqualStart)
{
    SetRateLaw(GetParam());
    Network net;
    MakeStar(net, 3);
    net.Build();
    Goodput goodput(net, MS);
    Run(net, {Flow(1, 0, FOREVER), Flow(2, 0, FOREVER)}, 20 * MS);
    const double a = goodput.Bps(1, 15, 20);
    const double b = goodput.Bps(2, 15, 20);
    EXPECT_GE(Jain(a, b), 0.98) << a / 1e9 << " " << b / 1e9;
    EXPECT_GE(a + b, 0.9 * Target() * GoodputBound(GetParam()));
    EXPECT_LE(a + b, 1.0001 * GoodputBound(GetParam()));
}

// Packets and round trip of the HPCC paper, 1 KB and 13 us. With 4 KB and 5 us HPCC's additive step
// for 100 flows (29 bytes) is too small against the noise of its samples, see Hpcc.
TEST_P(Convergence, EightToOneEqualStart)
{
    SetRateLaw(GetParam());
    Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(1000));
    Network net;
    MakeStar(net, 9, 100 * G, 3 * US);
    net.Build();
    Goodput goodput(net, MS);
    std::vector<FlowSpec> flows;
    for (uint32_t i = 1; i < 9; ++i)
    {
        flows.push_back(Flow(i, 0, FOREVER));
    }
    Run(net, flows, 20 * MS);
    double sum = 0;
    double squares = 0;
    for (uint32_t i = 1; i < 9; ++i)
    {
        const double rate = goodput.Bps(i, 10, 20);
        sum += rate;
        squares += rate * rate;
    }
    EXPECT_GE(sum * sum / (8 * squares), 0.98);
    // DCQCN's firmware profile is fair, and still swings between pauses of growth and cuts.
    EXPECT_GE(sum, (Target() < 1 ? 0.9 * Target() : 0.55) * 100e9 * 1000 / 1092);
}

// The second flow starts when the first has the link, and gets its share of it.
TEST_P(Convergence, LateSecondFlow)
{
    SetRateLaw(GetParam());
    Network net;
    MakeStar(net, 3);
    net.Build();
    Goodput goodput(net, MS);
    Run(net, {Flow(1, 0, FOREVER), Flow(2, 0, FOREVER, 5 * MS)}, 30 * MS);
    const double bound = GoodputBound(GetParam());
    EXPECT_GE(goodput.Bps(1, 1, 5), 0.9 * Target() * bound);
    const double a = goodput.Bps(1, 22, 30);
    const double b = goodput.Bps(2, 22, 30);
    EXPECT_GE(Jain(a, b), 0.97) << a / 1e9 << " " << b / 1e9;
    EXPECT_GE(a + b, 0.9 * Target() * bound);
}

// When one of two leaves, the other takes the whole link.
TEST_P(Convergence, TheOtherOneLeaves)
{
    SetRateLaw(GetParam());
    Network net;
    MakeStar(net, 3);
    net.Build();
    Goodput goodput(net, MS);
    Run(net, {Flow(1, 0, FOREVER), Flow(2, 0, 30000000)}, 30 * MS);
    EXPECT_EQ(goodput.Bps(2, 20, 30), 0);
    EXPECT_GE(goodput.Bps(1, 20, 30), 0.9 * Target() * GoodputBound(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(RateLaws, Convergence, ::testing::Values("Dcqcn", "Hpcc"));

// HPCC with coalesced ACKs: no stall when windows shrink.
TEST_F(SystemTest, HpccIncastWithCoalescedAcks)
{
    SetRateLaw("Hpcc");
    Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(16));
    Network net;
    MakeStar(net, 17);
    net.Build();
    std::vector<FlowSpec> flows;
    for (uint32_t i = 1; i < 17; ++i)
    {
        flows.push_back(Flow(i, 0, 1000000));
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(Sum(net).timeouts, 0u);
    EXPECT_EQ(Sum(net).retransmitted, 0u);
    ExpectAllDone(net, done, flows);
}

// DCQCN keeps the queue below the threshold of PFC, HPCC nearly empty.
TEST_F(SystemTest, QueueLengthsInSteadyState)
{
    std::map<std::string, uint64_t> worst;
    for (const char* law : {"LineRate", "Dcqcn", "Hpcc"})
    {
        SetRateLaw(law);
        Network net;
        MakeStar(net, 3);
        net.Build();
        net.AssignStreams(1);
        net.InstallFlows(Numbered({Flow(1, 0, FOREVER), Flow(2, 0, FOREVER)}));
        for (int64_t at = 10 * MS; at < 15 * MS; at += 10 * US)
        {
            Simulator::Schedule(TimeStep(at), [&]() {
                net.CatchUp();
                worst[law] = std::max(worst[law], net.GetSwitch(0)->GetQueue(0).GetTotalBytes());
            });
        }
        Simulator::Stop(TimeStep(15 * MS));
        Simulator::Run();
        Simulator::Destroy();
    }
    EXPECT_LT(worst["Hpcc"], 100000u);
    EXPECT_LT(worst["Dcqcn"], 1600000u); // Kmax at 100 Gbit/s
    EXPECT_GT(worst["Dcqcn"], worst["Hpcc"]);
    EXPECT_GT(worst["LineRate"], 3000000u); // up to the pause threshold
}
