// SPDX-License-Identifier: GPL-2.0-only
// UnoCC in closed loop: incasts inside and between two datacenters, with losses, with and without
// phantom queues.
#include "roce-test-network.h"
#include "roce-variable.h"

#include "ns3/roce-uno-cc.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Senders in the receiver's datacenter have an RTT of 14 us, the others one of 200 us.
constexpr uint32_t SENDERS = 8;
constexpr uint32_t QPN = 2; // a NIC's first
constexpr int64_t NEAR_DELAY = 3300 * NS;
constexpr int64_t NEAR_RTT = 14 * US;

/// What a test wants to know of a run.
struct Outcome
{
    std::vector<double> fctMs; //!< by flow
    double nearJain{1};        //!< of the rates of the flows inside, half through
    double jain{1};            //!< of all
    double stuck{0};           //!< largest share of its life that a flow had a window of one frame
    double meanQueueBytes{0};  //!< at the receiver's port, while rates are taken
    uint64_t hits{0};          //!< Quick Adapts
    uint64_t cuts{0};          //!< multiplicative decreases
    Totals totals;
};

double
Jain(const std::vector<double>& rates)
{
    double sum = 0;
    double squares = 0;
    for (const double rate : rates)
    {
        sum += rate;
        squares += rate * rate;
    }
    return squares > 0 ? sum * sum / (static_cast<double>(rates.size()) * squares) : 1;
}

/// Flows from near and far hosts to one host behind a switch with 1 MiB for its port.
class Incast
{
  public:
    Incast(uint32_t near, uint32_t far, bool phantom = false, int64_t wanDelayPs = 93 * US)
        : m_near(near)
    {
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
        Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("2MiB"));
        Config::SetDefault("ns3::roce::Switch::EgressAlpha", DoubleValue(1)); // 1 MiB at most
        Config::SetDefault("ns3::roce::Nic::LossRecovery",
                           StringValue("ns3::roce::SelectiveRepeat"));
        Config::SetDefault("ns3::roce::EcnMarker::Pmax", DoubleValue(1));
        Config::SetDefault("ns3::roce::EcnMarker::ReferenceRate", StringValue("100Gbps"));
        const uint32_t here = m_net.AddSwitch("here", 0);
        m_net.AddNic(m_net.AddHost("receiver", 0), here, 100 * G, NEAR_DELAY);
        for (uint32_t i = 0; i < near; ++i)
        {
            m_net.AddNic(m_net.AddHost("near" + std::to_string(i), 0), here, 100 * G, NEAR_DELAY);
        }
        if (far)
        {
            const uint32_t there = m_net.AddSwitch("there", 1);
            for (uint32_t i = 0; i < far; ++i)
            {
                const uint32_t host = m_net.AddHost("far" + std::to_string(i), 1);
                m_net.AddNic(host, there, 100 * G, NEAR_DELAY);
            }
            m_net.Connect(there, here, 800 * G, wanDelayPs);
        }
        Network::Options options;
        if (phantom)
        {
            // one BDP of the far flows
            options.stages = {ObjectFactory("ns3::roce::PhantomQueue",
                                            "Capacity",
                                            QueueSizeValue(QueueSize("2500kB")))};
        }
        m_net.Build(options);
        m_net.AssignStreams(1);
    }

    Outcome Run(uint64_t bytes, int64_t sampleFromPs, int64_t samplePeriodPs)
    {
        std::vector<FlowSpec> flows;
        for (uint32_t i = 1; i < m_net.GetNNics(); ++i)
        {
            flows.push_back(Flow(i, 0, bytes));
        }
        flows = Numbered(flows);
        m_net.InstallFlows(flows);
        Completions done(m_net);
        m_net.GetNic(0)->TraceConnectWithoutContext(
            "RxEnd",
            Callback<void, const Frame&, Time>([this](const Frame& f, Time) {
                m_bytes[f.src] += f.kind == FrameKind::DATA ? f.payloadBytes : 0;
            }));
        Sample(samplePeriodPs);
        m_sampleFromPs = sampleFromPs;
        Simulator::Schedule(TimeStep(sampleFromPs), [this] { Rates(true); });
        Simulator::Schedule(TimeStep(2 * sampleFromPs), [this] { Rates(false); });
        Simulator::Run();
        m_net.CatchUp();
        ExpectAllDone(m_net, done, flows);
        for (const FlowSpec& flow : flows)
        {
            m_out.fctMs.push_back(static_cast<double>(done.FctPs(flow.id)) / MS);
        }
        m_out.totals = Sum(m_net);
        m_out.meanQueueBytes = m_queueBytes / m_queueSamples;
        for (const auto& [src, counts] : m_counts)
        {
            m_out.stuck = std::max(m_out.stuck, counts.stuck / counts.samples);
            m_out.hits += counts.hits;
            m_out.cuts += counts.cuts;
        }
        return m_out;
    }

  private:
    struct Counts
    {
        double samples{0}, stuck{0};
        uint64_t hits{0}, cuts{0};
    };

    void Sample(int64_t periodPs)
    {
        m_net.CatchUp();
        const int64_t now = Simulator::Now().GetPicoSeconds();
        if (now >= m_sampleFromPs && now < 2 * m_sampleFromPs)
        {
            m_queueBytes += static_cast<double>(m_net.GetSwitch(0)->GetQueue(0).GetTotalBytes());
            m_queueSamples += 1;
        }
        bool open = false;
        for (uint32_t n = 1; n < m_net.GetNNics(); ++n)
        {
            if (const QueuePair* qp = m_net.GetNic(n)->GetQp(QPN))
            {
                const auto& cc = dynamic_cast<const UnoCc&>(qp->GetCc());
                Counts& counts = m_counts[n];
                counts.samples += 1;
                counts.stuck += cc.GetWindowBytes() <= cc.GetPath().fullFrameBytes;
                counts.hits = static_cast<uint64_t>(Variable(cc, "quick_adapts"));
                counts.cuts = static_cast<uint64_t>(Variable(cc, "cuts"));
                open = true;
            }
        }
        if (open || Simulator::Now() < MilliSeconds(1))
        {
            Simulator::Schedule(TimeStep(periodPs), [this, periodPs] { Sample(periodPs); });
        }
    }

    /// Jain's indices of what arrived between a first and a second call.
    void Rates(bool first)
    {
        m_net.CatchUp();
        if (first)
        {
            m_before = m_bytes;
            return;
        }
        std::vector<double> all;
        for (uint32_t n = 1; n < m_net.GetNNics(); ++n)
        {
            all.push_back(static_cast<double>(m_bytes[n] - m_before[n]));
        }
        m_out.jain = Jain(all);
        m_out.nearJain = Jain({all.begin(), all.begin() + m_near});
    }

    Network m_net;
    uint32_t m_near;
    Outcome m_out;
    std::map<uint32_t, uint64_t> m_bytes;
    std::map<uint32_t, uint64_t> m_before;
    std::map<uint32_t, Counts> m_counts;
    int64_t m_sampleFromPs{0};
    double m_queueBytes{0};
    double m_queueSamples{0};
};

double
Mean(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
    {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

/// @return what the slowest flow of an incast of 100 Gbit/s takes at best
double
IdealMs(uint64_t bytes)
{
    return static_cast<double>(SENDERS * bytes) / 4096 * (4096 + 82 + 8) * 8 / 100e6;
}

constexpr uint64_t FLOW_BYTES = 20000000;
constexpr int64_t FROM = 4 * MS;

struct UnoTest : public SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        // Below the queue of one BDP inside (175 KB) at which Quick Adapt takes over.
        SetMarks(20000, 120000);
    }

    static void SetMarks(uint64_t kmin, uint64_t kmax)
    {
        Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(kmin));
        Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(kmax));
    }
};

} // namespace

TEST_F(UnoTest, NearIncast)
{
    for (const std::string profile : {"paper", "artifact"})
    {
        SetRateLaw("UnoCc[Profile=" + profile + "]");
        const Outcome out = Incast(SENDERS, 0).Run(FLOW_BYTES, FROM, NEAR_RTT);
        EXPECT_GT(out.jain, 0.97) << profile;
        EXPECT_LT(Mean(out.fctMs), 1.1 * IdealMs(FLOW_BYTES)) << profile;
        EXPECT_LT(out.stuck, 0.08) << profile << ", the start";
        EXPECT_GE(out.hits, SENDERS) << profile << ": the first windows are 8 BDP";
        EXPECT_GT(out.cuts, 20 * out.hits) << profile << ": afterwards marks decide";
        EXPECT_EQ(out.totals.timeouts, 0u);
        Simulator::Destroy();
    }
}

// As the line "bytes_acked < cwnd * beta" is written, flows stay at one packet per RTT.
TEST_F(UnoTest, QuickAdaptTrap)
{
    SetRateLaw("UnoCc[QaReference=current|QaGuardPackets=0]");
    const Outcome out = Incast(SENDERS, 0).Run(FLOW_BYTES / 4, FROM, NEAR_RTT);
    EXPECT_GT(out.stuck, 0.9);
    EXPECT_GT(Mean(out.fctMs), 4 * IdealMs(FLOW_BYTES / 4));
    EXPECT_GT(out.hits, 10 * SENDERS);
}

// The paper's thresholds on the physical queue alone: a quarter of 1 MiB is above one BDP.
TEST_F(UnoTest, QuickAdaptComesBeforeLateMarks)
{
    SetMarks(1 << 18, 3 << 18);
    SetRateLaw("UnoCc");
    const Outcome out = Incast(SENDERS, 0).Run(FLOW_BYTES, FROM, NEAR_RTT);
    RecordProperty("Jain", std::to_string(out.jain));
    EXPECT_GT(out.hits, out.cuts);
    EXPECT_LT(Mean(out.fctMs), 1.1 * IdealMs(FLOW_BYTES));
    EXPECT_LT(out.stuck, 0.3);
    EXPECT_EQ(out.totals.timeouts, 0u);
}

TEST_F(UnoTest, FarIncast)
{
    SetRateLaw("UnoCc[InitialCwndBdp=0.1]");
    const Outcome out = Incast(0, SENDERS).Run(FLOW_BYTES, FROM, 50 * US);
    EXPECT_GT(out.jain, 0.99);
    EXPECT_LT(Mean(out.fctMs), 1.1 * IdealMs(FLOW_BYTES));
    EXPECT_EQ(out.stuck, 0);
    EXPECT_GT(out.cuts, 10 * SENDERS);
    EXPECT_EQ(out.totals.lost, 0u);
}

// One controller for both: flows of 14 and 200 us share a link.
TEST_F(UnoTest, MixedIncast)
{
    SetRateLaw("UnoCc[InitialCwndBdp=0.1]");
    const Outcome fair = Incast(SENDERS / 2, SENDERS / 2).Run(FLOW_BYTES, FROM, 50 * US);
    EXPECT_GT(fair.jain, 0.97);
    EXPECT_GT(fair.nearJain, 0.98);
    EXPECT_LT(Mean(fair.fctMs), 1.1 * IdealMs(FLOW_BYTES));
    EXPECT_EQ(fair.stuck, 0);
    EXPECT_EQ(fair.totals.lost, 0u);
    Simulator::Destroy();
    // with an epoch per own RTT the far ones are cut too seldom
    SetRateLaw("UnoCc[InitialCwndBdp=0.1|EpochMode=own]");
    EXPECT_LT(Incast(SENDERS / 2, SENDERS / 2).Run(FLOW_BYTES, FROM, 50 * US).jain,
              fair.jain - 0.03);
}

// Windows of a BDP each into 1 MiB: thousands of losses, but all arrives (Run() checks that).
TEST_F(UnoTest, FullWindowsAtTheStart)
{
    SetRateLaw("UnoCc");
    const Outcome out = Incast(SENDERS / 2, SENDERS / 2).Run(FLOW_BYTES, FROM, 50 * US);
    EXPECT_GT(out.totals.lost, 500u);
    EXPECT_GE(out.hits, SENDERS / 2);
    EXPECT_GT(out.nearJain, 0.9);
    EXPECT_LT(out.stuck, 0.5);
}

// Figure 8 and the fairness of all three mixes at a smaller scale: shares are equal, the real queue
// is near zero and the link is used up to what phantom queues drain.
TEST_F(UnoTest, FairWithPhantomQueues)
{
    SetMarks(1 << 18, 3 << 18); // a quarter and three quarters of 1 MiB
    SetRateLaw("UnoCc[InitialCwndBdp=0.1]");
    for (const uint32_t near : {SENDERS, 0u, SENDERS / 2})
    {
        const Outcome out = Incast(near, SENDERS - near, true).Run(FLOW_BYTES, FROM, 20 * US);
        const std::string which = std::to_string(near) + " near flows";
        RecordProperty(which,
                       "Jain " + std::to_string(out.jain) + ", queue " +
                           std::to_string(out.meanQueueBytes) + ", FCT " +
                           std::to_string(Mean(out.fctMs) / IdealMs(FLOW_BYTES)));
        EXPECT_GT(out.jain, 0.97) << which;
        EXPECT_LT(out.meanQueueBytes, 20000) << which;
        EXPECT_GT(Mean(out.fctMs), 1.03 * IdealMs(FLOW_BYTES)) << which;
        EXPECT_LT(Mean(out.fctMs), 1.2 * IdealMs(FLOW_BYTES)) << which;
        EXPECT_EQ(out.totals.lost, 0u) << which;
        Simulator::Destroy();
    }
    // The same thresholds on the real queue alone: the whole link is used, and a queue stands.
    const Outcome without = Incast(SENDERS / 2, SENDERS / 2).Run(FLOW_BYTES, FROM, 20 * US);
    EXPECT_GT(without.meanQueueBytes, 60000);
    EXPECT_LT(Mean(without.fctMs), 1.03 * IdealMs(FLOW_BYTES));
}

TEST_F(UnoTest, PayloadWindow)
{
    SetRateLaw("UnoCc[InitialCwndBdp=0.2|QaEnable=false]");
    for (const bool payload : {false, true})
    {
        Config::SetDefault("ns3::roce::Nic::PayloadWindow", BooleanValue(payload));
        Network net;
        MakeStar(net, 2, 100 * G, NEAR_DELAY);
        net.Build();
        net.InstallFlows(Numbered({Flow(0, 1, 1000000)}));
        Simulator::Stop(TimeStep(NEAR_RTT));
        Simulator::Run();
        net.CatchUp();
        const QueuePair* qp = net.GetNic(0)->GetQp(QPN);
        ASSERT_TRUE(qp);
        EXPECT_EQ(qp->GetCc().GetWindowBytes(), 8u * (payload ? 4096 : 4096 + 82 + 8));
        EXPECT_EQ(qp->GetInflightBytes(), qp->GetCc().GetWindowBytes()) << "eight packets";
        Simulator::Destroy();
    }
}

// Little data now and then: less is acknowledged than the window would let, and that is all right.
TEST_F(UnoTest, ApplicationLimited)
{
    SetRateLaw("UnoCc");
    Network net;
    MakeStar(net, 2, 100 * G, NEAR_DELAY);
    net.Build();
    Ptr<Nic> nic = net.GetNic(0);
    const uint32_t dstQp = net.GetNic(1)->ReserveQp(0, nic->GetProfile());
    QueuePair* qp = nic->OpenQp(1, dstQp, 3, 0xc123, false);
    for (int i = 0; i < 100; ++i)
    {
        Simulator::Schedule(TimeStep(i * NEAR_RTT / 2), [nic, qp, i] { nic->Post(qp, 20000, i); });
    }
    Simulator::Run();
    net.CatchUp();
    const auto& cc = dynamic_cast<const UnoCc&>(qp->GetCc());
    EXPECT_EQ(Variable(cc, "quick_adapts"), 0);
    EXPECT_GT(Variable(cc, "epochs"), 40);
    EXPECT_GE(Variable(cc, "exact_window_bytes"), cc.GetPath().BdpBytes());
}
