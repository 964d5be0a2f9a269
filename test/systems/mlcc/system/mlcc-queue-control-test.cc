// SPDX-License-Identifier: GPL-2.0-only
// MLCC from end to end, by packets: how a flow's queue at the receiver's external switch comes to
// its target delay, against a fluid model of the equations; and several flows with Hpcc inside.
#include "roce-mlcc-network.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Half of the line rate wherever a link is as slow as the line (the receiver's leaf), else all.
class HalfRate : public CongestionControl
{
  public:
    Ptr<CongestionControl> Fork() const override
    {
        return CopyObject<HalfRate>(this);
    }

    bool NeedsTelemetry() const override
    {
        return true;
    }

    void OnAck(const AckInfo& ack) override
    {
        if (ack.telemetry)
        {
            m_rateBps = m_path.lineRateBps;
            for (const IntHop& hop : *ack.telemetry)
            {
                m_rateBps = hop.rateBps == m_path.lineRateBps ? m_path.lineRateBps / 2 : m_rateBps;
            }
        }
    }

  private:
    void DoStart(int64_t) override
    {
    }
};

class HalfRateMlcc : public Mlcc
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid = TypeId("ns3::roce::test::HalfRateMlcc")
                                      .SetParent<Mlcc>()
                                      .AddConstructor<HalfRateMlcc>();
        return tid;
    }

    HalfRateMlcc()
    {
        SetInnerLaw(CreateObject<HalfRate>());
    }
};

/// Q_c over time, from the first byte on.
struct QueueTrace
{
    void Connect(MlccReceiverSide& stage)
    {
        stage.TraceConnectWithoutContext(
            "Queue",
            Callback<void, uint32_t, uint32_t, uint64_t, uint64_t, Time>(
                [this](uint32_t nic, uint32_t, uint64_t bytes, uint64_t total, Time at) {
                    flows[nic].emplace_back(at.GetTimeStep(), static_cast<double>(bytes));
                    sum.emplace_back(at.GetTimeStep(), static_cast<double>(total));
                }));
    }

    using Values = std::vector<std::pair<int64_t, double>>;

    static double Peak(const Values& values)
    {
        double peak = 0;
        for (const auto& value : values)
        {
            peak = std::max(peak, value.second);
        }
        return peak;
    }

    static double At(const Values& values, int64_t afterPs)
    {
        const int64_t at = values.front().first + afterPs;
        const auto it = std::lower_bound(values.begin(), values.end(), std::pair(at, 0.0));
        return it == values.end() ? 0 : it->second;
    }

    static double Least(const Values& values, int64_t fromPs)
    {
        double least = 1e18;
        for (const auto& [at, value] : values)
        {
            least = at - values.front().first > fromPs ? std::min(least, value) : least;
        }
        return least;
    }

    static double Mean(const Values& values, int64_t fromPs, int64_t toPs)
    {
        double area = 0;
        const int64_t start = values.front().first;
        for (std::size_t i = 1; i < values.size(); ++i)
        {
            const int64_t at = values[i].first - start;
            area += at > fromPs && at <= toPs
                        ? values[i - 1].second *
                              static_cast<double>(values[i].first - values[i - 1].first)
                        : 0;
        }
        return area / static_cast<double>(toPs - fromPs);
    }

    /// @return time since the first value after which all are within a fifth of the target, ps
    static int64_t Settled(const Values& values, double target)
    {
        int64_t last = values.front().first;
        for (const auto& [at, value] : values)
        {
            last = std::abs(value - target) > 0.2 * target ? at : last;
        }
        return last - values.front().first;
    }

    std::map<uint32_t, Values> flows; //!< by sender
    Values sum;
};

struct MlccQueueControlTest : public MlccSystemTest
{
    /// One flow for 130 ms. @return its queue
    static QueueTrace::Values RunOne(const std::string& attributes)
    {
        HalfRateMlcc::GetTypeId(); // so that it can be named
        SetLaw("test::HalfRateMlcc[" + attributes + "]");
        MlccNetwork dc(3 * MS);
        dc.Build();
        QueueTrace queue;
        queue.Connect(*dc.far);
        dc.net.InstallFlows(Numbered({Flow(0, 4, 1000000000)}));
        Simulator::Stop(MilliSeconds(133));
        Simulator::Run();
        EXPECT_EQ(Sum(dc.net).lost, 0u);
        EXPECT_EQ(Sum(dc.net).xoff, 0u);
        return queue.flows.at(0);
    }
};

} // namespace

// R_credit is 12.5 Gbit/s, the sender begins with 25. Peak, target, a point on the way and the time
// to be there for good, from the fluid model. With a theta of 6 ms the queue falls below its target
// first, just as far as "there" reaches (1.22 and 1.25 MB), so that its time says little.
TEST_F(MlccQueueControlTest, OneFlowAsTheFluidModel)
{
    const struct
    {
        const char* theta;
        double settledMs;
        double leastBytes; //!< behind the peak
    } cases[] = {{"6ms", 0, 1.22e6}, {"18ms", 56.5, 1.5625e6}, {"30ms", 95.6, 1.5625e6}};

    const double target = 1.5625e6;
    int64_t before = 0;
    for (const auto& c : cases)
    {
        SCOPED_TRACE(c.theta);
        const QueueTrace::Values queue = RunOne(std::string("Theta=") + c.theta);
        EXPECT_NEAR(QueueTrace::Peak(queue), 9.44e6, 0.944e6);
        EXPECT_NEAR(QueueTrace::Mean(queue, 110 * MS, 130 * MS), target, 0.1 * target);
        EXPECT_NEAR(QueueTrace::Least(queue, 10 * MS), c.leastBytes, 0.1 * c.leastBytes);
        const int64_t settled = QueueTrace::Settled(queue, target);
        EXPECT_GT(settled, before) << "the smaller theta, the sooner";
        before = settled;
        if (c.settledMs > 0)
        {
            EXPECT_NEAR(static_cast<double>(settled) / MS, c.settledMs, 0.1 * c.settledMs);
        }
        if (c.theta == std::string("18ms"))
        {
            EXPECT_NEAR(QueueTrace::At(queue, 18 * MS), 5.99e6, 0.599e6);
        }
        Simulator::Destroy();
    }
}

// As printed, the steps add up without end: the queue goes up and down between 0 and 3.1 MB.
TEST_F(MlccQueueControlTest, IntegratedStepsNeverSettle)
{
    const QueueTrace::Values queue = RunOne("DqmWindowMode=integrate");
    double least = 1e9;
    double most = 0;
    const int64_t start = queue.front().first;
    for (const auto& [at, bytes] : queue)
    {
        least = at - start > 70 * MS ? std::min(least, bytes) : least;
        most = at - start > 70 * MS ? std::max(most, bytes) : most;
    }
    EXPECT_LT(least, 0.1e6);
    EXPECT_GT(most, 2.4e6);
    EXPECT_LT(most, 4e6);
}
