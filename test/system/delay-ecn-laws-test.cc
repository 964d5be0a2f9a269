// SPDX-License-Identifier: GPL-2.0-only
// TIMELY and DCTCP in closed loop: throughput, fairness, queues, flows that come and go.
#include "roce-test-network.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint64_t FOREVER = 1000000000;

/// A rate law as Nic::CongestionControl takes it, with the marking it needs.
void
UseLaw(const std::string& law)
{
    SetRateLaw(law);
    if (law.rfind("Dctcp", 0) == 0)
    {
        // what the documentation of Dctcp recommends: a step at 30 KB for each 10 Gbit/s
        Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(30000));
        Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(30000));
        Config::SetDefault("ns3::roce::EcnMarker::Pmax", DoubleValue(1));
        Config::SetDefault("ns3::roce::EcnMarker::ReferenceRate", StringValue("10Gbps"));
    }
}

/// Largest goodput of 100 Gbit/s; TIMELY's frames carry a time stamp of 8 bytes.
double
GoodputBound(const std::string& law)
{
    return 100e9 * 4096 / (4096 + 82 + (law.rfind("Timely", 0) == 0 ? 8 : 0));
}

/// Flows from the other hosts of a star to host 0, what arrives there and the queue to it.
class Fan
{
  public:
    /**
     * @param flows to host 0
     * @param endPs end of the run
     * @param queueFromPs the queue is looked at from here on
     */
    Fan(const std::vector<FlowSpec>& flows, int64_t endPs, int64_t queueFromPs)
    {
        uint32_t hosts = 0;
        for (const FlowSpec& flow : flows)
        {
            hosts = std::max(hosts, flow.src + 1);
        }
        m_bytes.resize(hosts);
        Network net;
        MakeStar(net, hosts);
        net.Build();
        net.AssignStreams(1);
        net.GetNic(0)->TraceConnectWithoutContext(
            "RxEnd",
            Callback<void, const Frame&, Time>([this](const Frame& f, Time at) {
                if (f.kind == FrameKind::DATA)
                {
                    auto& bytes = m_bytes[f.src];
                    bytes.resize(std::max<std::size_t>(bytes.size(), at.GetTimeStep() / MS + 1));
                    bytes[at.GetTimeStep() / MS] += f.payloadBytes;
                }
            }));
        for (int64_t at = queueFromPs; at < endPs; at += 5 * US)
        {
            Simulator::Schedule(TimeStep(at), [&]() {
                net.CatchUp();
                const uint64_t queue = net.GetSwitch(0)->GetQueue(0).GetTotalBytes();
                maxQueue = std::max(maxQueue, static_cast<double>(queue));
                meanQueue += static_cast<double>(queue);
                ++m_samples;
            });
        }
        net.InstallFlows(Numbered(flows));
        Simulator::Stop(TimeStep(endPs));
        Simulator::Run();
        net.CatchUp();
        meanQueue /= std::max(m_samples, 1);
        EXPECT_EQ(net.Audit(false), "");
        totals = Sum(net);
        EXPECT_EQ(totals.lost, 0u);
        EXPECT_EQ(totals.timeouts, 0u);
        EXPECT_EQ(totals.retransmitted, 0u);
        Simulator::Destroy();
    }

    /// @return bit/s of a source over milliseconds [from, to)
    double Bps(uint32_t src, std::size_t from, std::size_t to) const
    {
        double sum = 0;
        for (std::size_t i = from; i < std::min(to, m_bytes[src].size()); ++i)
        {
            sum += static_cast<double>(m_bytes[src][i]);
        }
        return sum * 8e3 / static_cast<double>(to - from);
    }

    /// @return bit/s of all sources
    double Bps(std::size_t from, std::size_t to) const
    {
        double sum = 0;
        for (uint32_t i = 1; i < m_bytes.size(); ++i)
        {
            sum += Bps(i, from, to);
        }
        return sum;
    }

    /// @return Jain's index over all sources
    double Jain(std::size_t from, std::size_t to) const
    {
        double sum = 0;
        double squares = 0;
        for (uint32_t i = 1; i < m_bytes.size(); ++i)
        {
            const double x = Bps(i, from, to);
            sum += x;
            squares += x * x;
        }
        return sum * sum / (static_cast<double>(m_bytes.size() - 1) * squares);
    }

    Totals totals;
    double maxQueue{0};  //!< bytes
    double meanQueue{0}; //!< bytes

  private:
    std::vector<std::vector<uint64_t>> m_bytes; //!< by source and millisecond
    int m_samples{0};
};

/// n flows to host 0, the last of which may start later or be short.
std::vector<FlowSpec>
ToOne(uint32_t n, int64_t lastStartPs = 0, uint64_t lastBytes = FOREVER)
{
    std::vector<FlowSpec> flows;
    for (uint32_t i = 1; i < n; ++i)
    {
        flows.push_back(Flow(i, 0, FOREVER));
    }
    flows.push_back(Flow(n, 0, lastBytes, lastStartPs));
    return flows;
}

/// A law and what it is measured to reach, with a margin.
struct Expected
{
    const char* law;
    double use2, jain2;       //!< two flows: share of the link and fairness, last half of 20 ms
    double use8, jain8;       //!< eight flows
    double useLate, jainLate; //!< the second of two flows starts 5 ms late; from 15 to 30 ms
    double useAlone;          //!< when one of two has left
};

std::ostream&
operator<<(std::ostream& out, const Expected& e)
{
    return out << e.law;
}

const Expected LAWS[] = {
    // TIMELY has no unique fixed point: these are measured values, not promises of the algorithm
    {"Timely", 0.88, 0.98, 0.85, 0.97, 0.88, 0.98, 0.98},
    {"Timely[Mode=perSegment]", 0.9, 0.9, 0.8, 0.8, 0.9, 0.9, 0.98},
    {"Timely[Mode=perAck]", 0.9, 0.98, 0.9, 0.9, 0.9, 0.98, 0.98},
    {"Timely[Profile=hpcc-sim]", 0.83, 0.98, 0.68, 0.97, 0.8, 0.98, 0.98},
    {"Timely[Profile=erpc]", 0.9, 0.98, 0.5, 0.4, 0.9, 0.98, 0.9},
    {"Timely[Profile=patched]", 0.93, 0.999, 0.98, 0.999, 0.93, 0.999, 0.95},
    {"Dctcp", 0.999, 0.96, 0.999, 0.98, 0.999, 0.97, 0.999}, // see DctcpFairness, too,
    {"Dctcp[Profile=hpcc-sim]", 0.95, 0.998, 0.98, 0.998, 0.95, 0.998, 0.98},
    {"Dctcp[Form=rate]", 0.98, 0.998, 0.98, 0.998, 0.98, 0.998, 0.98},
};

} // namespace

class DelayEcnLaws : public SystemTest, public ::testing::WithParamInterface<Expected>
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        UseLaw(GetParam().law);
        bound = GoodputBound(GetParam().law);
    }

    double bound{0}; //!< bit/s
};

TEST_P(DelayEcnLaws, SingleFlow)
{
    const Fan fan(ToOne(1), 10 * MS, 5 * MS);
    EXPECT_GE(fan.Bps(1, 10), 0.98 * bound);
    EXPECT_LE(fan.Bps(1, 10), 1.0001 * bound);
    EXPECT_EQ(fan.totals.xoff, 0u);
    EXPECT_LT(fan.maxQueue, 10000);
}

TEST_P(DelayEcnLaws, TwoToOne)
{
    const Fan fan(ToOne(2), 20 * MS, 10 * MS);
    EXPECT_GE(fan.Bps(10, 20), GetParam().use2 * bound);
    EXPECT_LE(fan.Bps(10, 20), 1.0001 * bound);
    EXPECT_GE(fan.Jain(10, 20), GetParam().jain2);
}

TEST_P(DelayEcnLaws, EightToOne)
{
    const Fan fan(ToOne(8), 20 * MS, 10 * MS);
    EXPECT_GE(fan.Bps(10, 20), GetParam().use8 * bound);
    EXPECT_GE(fan.Jain(10, 20), GetParam().jain8);
}

TEST_P(DelayEcnLaws, LateSecondFlow)
{
    const Fan fan(ToOne(2, 5 * MS), 30 * MS, 29 * MS);
    EXPECT_GE(fan.Bps(1, 1, 5), 0.98 * bound);
    EXPECT_GE(fan.Bps(15, 30), GetParam().useLate * bound);
    EXPECT_GE(fan.Jain(15, 30), GetParam().jainLate);
}

TEST_P(DelayEcnLaws, TheOtherOneLeaves)
{
    const Fan fan(ToOne(2, 0, 20000000), 25 * MS, 24 * MS);
    EXPECT_GT(fan.Bps(2, 0, 10), 0);
    EXPECT_EQ(fan.Bps(2, 15, 25), 0);
    EXPECT_GE(fan.Bps(1, 20, 25), GetParam().useAlone * bound);
}

INSTANTIATE_TEST_SUITE_P(RateLaws, DelayEcnLaws, ::testing::ValuesIn(LAWS));

// The step keeps the queue at K; DCQCN's ramp, far above it.
TEST_F(SystemTest, DctcpQueueStaysAtTheStep)
{
    UseLaw("Dctcp");
    const Fan step(ToOne(2), 20 * MS, 5 * MS);
    EXPECT_NEAR(step.meanQueue, 300000, 15000);
    EXPECT_LT(step.maxQueue, 330000);
    EXPECT_EQ(step.totals.xoff, 0u);
    Config::Reset();
    SetRateLaw("Dctcp");
    const Fan ramp(ToOne(2), 20 * MS, 5 * MS);
    EXPECT_GT(ramp.meanQueue, 1.4 * step.meanQueue);
    EXPECT_GE(ramp.Bps(5, 20), 0.999 * GoodputBound("Dctcp"));
}

// With the step, marks may meet the same flow for some milliseconds; not with a ramp of 5 %.
TEST_F(SystemTest, DctcpFairness)
{
    for (uint32_t n : {2, 8})
    {
        UseLaw("Dctcp");
        EXPECT_GE(Fan(ToOne(n), 60 * MS, 59 * MS).Jain(20, 60), 0.985) << n;
        Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(28500));
        Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(31500));
        const Fan ramp(ToOne(n), 20 * MS, 10 * MS);
        EXPECT_GE(ramp.Jain(10, 20), 0.99) << n;
        EXPECT_GE(ramp.Bps(10, 20), 0.999 * GoodputBound("Dctcp"));
        EXPECT_LT(ramp.maxQueue, 330000);
    }
}

// Patched TIMELY's fixed point: RTT = TLow (1 + N Delta / (Beta C)), 100 us for eight flows.
TEST_F(SystemTest, PatchedTimelyQueueAtTheFixedPoint)
{
    UseLaw("Timely[Profile=patched]");
    const Fan fan(ToOne(8), 30 * MS, 20 * MS);
    const double expected = (100e-6 - 5e-6) * 100e9 / 8;
    EXPECT_NEAR(fan.meanQueue, expected, 0.02 * expected);
    EXPECT_LT(fan.maxQueue, 1.05 * expected);
}

// A base RTT above THigh: the rate falls to its floor on an empty network.
TEST_F(SystemTest, TimelyOnALongPath)
{
    auto bps = [](const std::string& law) {
        SetRateLaw(law);
        Network net;
        MakeStar(net, 2, 100 * G, 253 * US);
        net.Build();
        Completions done(net);
        const std::vector<FlowSpec> flows = Numbered({Flow(1, 0, 100000000)});
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        const double fctPs = static_cast<double>(done.FctPs(0));
        Simulator::Destroy();
        return 100000000 * 8e12 / fctPs;
    };
    EXPECT_GT(bps("Timely[ThresholdsFromBaseRtt=true]"), 85e9); // 8 ms and an RTT
    EXPECT_LT(bps("Timely"), 40e9); // nearly all of it leaves in the first RTTs
    EXPECT_LT(bps("Timely[MinRate=1Gbps]"), 40e9);
}

// With BurstPacing four frames of 4 KB leave back to back, then the gap of all of them passes.
TEST_F(SystemTest, TimelySegmentsLeaveInBursts)
{
    auto runs = [](const std::string& law) {
        UseLaw(law);
        Network net;
        MakeStar(net, 5);
        net.Build();
        std::map<int, int> lengths; // frames back to back -> how often
        int length = 0;
        int64_t last = 0;
        net.GetNic(1)->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&](const Frame& f, Time at) {
                if (f.kind != FrameKind::DATA)
                {
                    return;
                }
                const int64_t now = at.GetTimeStep();
                if (now - last > 400 * NS) // a frame takes 335 ns
                {
                    lengths[length] += now > 5 * MS;
                    length = 0;
                }
                last = now;
                ++length;
            }));
        net.InstallFlows(Numbered(ToOne(4)));
        Simulator::Stop(TimeStep(10 * MS));
        Simulator::Run();
        Simulator::Destroy();
        int all = 0;
        for (const auto& [n, times] : lengths)
        {
            all += times;
        }
        return std::make_pair(static_cast<double>(lengths[4]) / all,
                              static_cast<double>(lengths[1]) / all);
    };
    EXPECT_GT(runs("Timely[Mode=perSegment]").first, 0.95);
    EXPECT_GT(runs("Timely[Mode=perSegment|BurstPacing=false]").second, 0.95);
}

// Results do not depend on when events come, also with coalesced ACKs.
TEST_F(SystemTest, DelayEcnLawsEagerIsTheSame)
{
    for (const std::string law : {"Timely",
                                  "Timely[Mode=perSegment]",
                                  "Timely[Mode=perAck]",
                                  "Dctcp",
                                  "Dctcp[Profile=hpcc-sim]"})
    {
        for (uint64_t ackEveryN : {1, 16})
        {
            std::vector<uint64_t> prints;
            for (bool eager : {false, true})
            {
                UseLaw(law);
                Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(ackEveryN));
                Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
                Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
                Network net;
                MakeStar(net, 5);
                net.Build();
                net.AssignStreams(1);
                net.EnableFingerprint();
                std::vector<FlowSpec> flows;
                for (uint32_t i = 1; i < 5; ++i)
                {
                    flows.push_back(Flow(i, 0, 2000000, i * US));
                    flows.push_back(Flow(i, i % 4 + 1, 300000));
                }
                flows = Numbered(flows);
                Completions done(net);
                net.InstallFlows(flows);
                Simulator::Run();
                ExpectAllDone(net, done, flows);
                EXPECT_EQ(Sum(net).timeouts, 0u);
                prints.push_back(net.GetFingerprint());
                Simulator::Destroy();
            }
            EXPECT_EQ(prints[0], prints[1]) << law << " " << ackEveryN;
        }
    }
}
