// SPDX-License-Identifier: GPL-2.0-only
// Swift and PowerTCP in closed loop: throughput, fairness, steps, resting points.
#include "roce-test-network.h"

#include "ns3/roce-power-tcp.h"
#include "ns3/roce-swift.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint64_t FOREVER = 1000000000;

/// A star with flows to host 0: goodput of each, the queue towards host 0, the senders' windows.
class Star
{
  public:
    Star(const std::string& law, uint32_t senders, uint64_t rate = 100 * G, int64_t delay = US)
    {
        SetRateLaw(law);
        MakeStar(m_net, senders + 1, rate, delay);
        m_net.Build();
        m_net.AssignStreams(1);
        m_path = m_net.GetPath(1, 0, 0);
        m_telemetry = m_net.GetNic(0)->GetProfile()->GetLaw()->NeedsTelemetry();
        m_net.GetNic(0)->TraceConnectWithoutContext(
            "RxEnd",
            Callback<void, const Frame&, Time>([this](const Frame& f, Time at) {
                if (f.kind == FrameKind::DATA)
                {
                    m_bytes[{f.src, at.GetTimeStep() / MS}] += f.payloadBytes;
                }
            }));
    }

    /// Look at the queue every 2 us from now on.
    void Watch(int64_t fromPs, int64_t toPs)
    {
        for (int64_t at = fromPs; at < toPs; at += 2 * US)
        {
            Simulator::Schedule(TimeStep(at), [this]() {
                m_net.CatchUp();
                const uint64_t bytes = m_net.GetSwitch(0)->GetQueue(0).GetTotalBytes();
                m_queueSum += static_cast<double>(bytes);
                m_maxQueue = std::max(m_maxQueue, bytes);
                ++m_samples;
            });
        }
    }

    void Go(const std::vector<FlowSpec>& flows, int64_t untilPs)
    {
        m_net.InstallFlows(Numbered(flows));
        Simulator::Stop(TimeStep(untilPs));
        Simulator::Run();
        m_net.CatchUp();
        EXPECT_EQ(m_net.Audit(false), "");
        EXPECT_EQ(Sum(m_net).lost, 0u);
        EXPECT_EQ(Sum(m_net).timeouts, 0u);
        EXPECT_EQ(Sum(m_net).xoff, 0u);
        EXPECT_EQ(Sum(m_net).retransmitted, 0u);
    }

    /// One flow without end from each sender.
    void GoAll(uint32_t senders, int64_t untilPs)
    {
        std::vector<FlowSpec> flows;
        for (uint32_t i = 1; i <= senders; ++i)
        {
            flows.push_back(Flow(i, 0, FOREVER));
        }
        Go(flows, untilPs);
    }

    /// @return share of the goodput bound that a source had in milliseconds [from, to)
    double Share(uint32_t src, int64_t from, int64_t to) const
    {
        double bytes = 0;
        for (int64_t i = from; i < to; ++i)
        {
            const auto it = m_bytes.find({src, i});
            bytes += it == m_bytes.end() ? 0 : static_cast<double>(it->second);
        }
        const double bps = bytes * 8e12 / static_cast<double>((to - from) * MS);
        // one switch has added its telemetry before the last link
        return bps / (static_cast<double>(m_path.lineRateBps) * m_path.mtuBytes /
                      (m_path.fullFrameBytes + (m_telemetry ? 8 : 0)));
    }

    /// @return sum and Jain's index of the shares of senders 1 .. n
    std::pair<double, double> Shares(uint32_t n, int64_t from, int64_t to) const
    {
        double sum = 0;
        double squares = 0;
        for (uint32_t i = 1; i <= n; ++i)
        {
            const double share = Share(i, from, to);
            sum += share;
            squares += share * share;
        }
        return {sum, sum * sum / (n * squares)};
    }

    /// @return mean queue, bytes
    double Queue() const
    {
        return m_queueSum / m_samples;
    }

    uint64_t MaxQueue() const
    {
        return m_maxQueue;
    }

    const PathInfo& Path() const
    {
        return m_path;
    }

    Network& Net()
    {
        return m_net;
    }

  private:
    Network m_net;
    PathInfo m_path;
    bool m_telemetry{false};
    std::map<std::pair<uint32_t, int64_t>, uint64_t> m_bytes;
    double m_queueSum{0};
    double m_samples{0};
    uint64_t m_maxQueue{0};
};

/// A rate law and what it has to reach, as shares of the goodput bound.
struct Law
{
    const char* name;
    double alone;  //!< one flow
    double shared; //!< several flows together
};

// Below 0.98 for a reason:
// - PowerTcp's window moves with each ACK, a round trip late: two flows at 8 expected ones make the
//   queue swing between empty and a BDP (0.961 measured);
// - inet-tub aims at 0.95 with telemetry; its theta form has 150 Mb/s of additive increase for any
//   number of flows and loses up to 16 % to the swing of eight.
const Law LAWS[] = {
    {"Swift", 0.98, 0.98},
    {"Swift[Split=false]", 0.98, 0.98},
    {"Swift[Profile=paper]", 0.98, 0.98},
    {"Swift[Profile=htsim]", 0.98, 0.98},
    {"Swift[BaseTarget=200ns|HopCount=roundTrip|InitialCwnd=0]", 0.98, 0.98},
    {"PowerTcp", 0.98, 0.94},
    {"PowerTcp[Current=arrivals]", 0.98, 0.94},
    {"PowerTcp[Theta=true]", 0.98, 0.98},
    {"PowerTcp[Profile=inet-tub]", 0.95, 0.9},
    {"PowerTcp[Profile=inet-tub|Theta=true]", 0.98, 0.8},
};

void
PrintTo(const Law& law, std::ostream* os)
{
    *os << law.name;
}

} // namespace

class DelayAndPower : public SystemTest, public ::testing::WithParamInterface<Law>
{
};

TEST_P(DelayAndPower, SingleFlow)
{
    Star star(GetParam().name, 1);
    star.GoAll(1, 5 * MS);
    EXPECT_GE(star.Share(1, 1, 5), GetParam().alone);
    EXPECT_LE(star.Share(1, 1, 5), 1.0005);
}

TEST_P(DelayAndPower, EqualStart)
{
    for (uint32_t n : {2, 8})
    {
        Star star(GetParam().name, n);
        star.GoAll(n, 20 * MS);
        const auto [sum, jain] = star.Shares(n, 15, 20);
        RecordProperty("sum" + std::to_string(n), std::to_string(sum));
        RecordProperty("jain" + std::to_string(n), std::to_string(jain));
        EXPECT_GE(jain, 0.98) << n;
        EXPECT_GE(sum, GetParam().shared) << n;
        EXPECT_LE(sum, 1.0005) << n;
        Simulator::Destroy();
    }
}

// The second flow starts when the first has the link, and gets its share of it.
TEST_P(DelayAndPower, LateSecondFlow)
{
    Star star(GetParam().name, 2);
    star.Go({Flow(1, 0, FOREVER), Flow(2, 0, FOREVER, 5 * MS)}, 20 * MS);
    EXPECT_GE(star.Share(1, 1, 5), GetParam().alone);
    const auto [sum, jain] = star.Shares(2, 15, 20);
    RecordProperty("jain", std::to_string(jain));
    EXPECT_GE(jain, 0.97) << star.Share(1, 15, 20) << " " << star.Share(2, 15, 20);
    EXPECT_GE(sum, GetParam().shared);
}

// When one of two leaves, the other takes the whole link.
TEST_P(DelayAndPower, TheOtherOneLeaves)
{
    Star star(GetParam().name, 2);
    star.Go({Flow(1, 0, FOREVER), Flow(2, 0, 30000000)}, 20 * MS);
    EXPECT_GT(star.Share(2, 0, 8), 0.3);
    EXPECT_EQ(star.Share(2, 15, 20), 0);
    EXPECT_GE(star.Share(1, 15, 20), GetParam().alone);
}

INSTANTIATE_TEST_SUITE_P(RateLaws, DelayAndPower, ::testing::ValuesIn(LAWS));

// N cwnd packets on the way take just the target: the queue that this makes.
TEST_F(SystemTest, SwiftSteadyStateOnAStar)
{
    struct Case
    {
        const char* law;
        uint32_t flows;
        double fixedUs; //!< target without flow scaling: 1 us for the switch
        double rangeUs; //!< flow scaling between 0.1 and 256 packets
    };

    for (const Case& c : {Case{"Swift", 2, 26, 100},
                          Case{"Swift", 10, 26, 100},
                          Case{"Swift[Split=false]", 10, 26, 100},
                          Case{"Swift[TopologyScaling=false]", 2, 25, 100},
                          Case{"Swift[HopCount=roundTrip|HopScale=2us]", 2, 33, 100},
                          Case{"Swift[FsRange=30us]", 10, 26, 30},
                          Case{"Swift[FlowScaling=false|BaseTarget=40us]", 10, 41, 0}})
    {
        Star star(c.law, c.flows);
        star.Watch(10 * MS, 15 * MS);
        star.GoAll(c.flows, 15 * MS);
        const double packetUs = star.Path().fullFrameBytes * 8 / 100e3;
        const double a = c.rangeUs / (1 / std::sqrt(0.1) - 1 / std::sqrt(256.0));
        double low = 0.1;
        double high = 256;
        for (int i = 0; i < 100; ++i)
        {
            const double w = (low + high) / 2;
            const double target = c.fixedUs + a / std::sqrt(w) - a / 16;
            (c.flows * w * packetUs < target ? low : high) = w;
        }
        const double expectedUs = c.flows * low * packetUs;
        // the queue is in frames without preamble and gap
        const double framing = star.Path().fullFrameBytes / (star.Path().fullFrameBytes - 20.0);
        const double rttUs =
            static_cast<double>(star.Path().baseRttPs) / 1e6 + star.Queue() * framing * 8 / 100e3;
        EXPECT_NEAR(rttUs, expectedUs, 0.04 * expectedUs) << c.law << " " << c.flows;
        Simulator::Destroy();
    }
}

// A hundred flows on 25 Gbit/s need windows below one packet. With them the queue stays well below
// the hundred packets that one each would make.
TEST_F(SystemTest, SwiftBelowOnePacket)
{
    struct Case
    {
        const char* law;
        double queueFrames; //!< largest allowed mean
        double cwnd;        //!< largest allowed mean window
        double jain;        //!< smallest allowed fairness: flow scaling is what brings it about
    };

    for (const Case& c : {Case{"Swift[InitialCwnd=1]", 70, 0.8, 0.98},
                          Case{"Swift[InitialCwnd=1|FlowScaling=false]", 30, 0.4, 0.4},
                          Case{"Swift[InitialCwnd=1|CwndMin=1]", 1000, 1, 0.98}})
    {
        Star star(c.law, 100, 25 * G);
        double inverse = 0; // by ACK, so that the mean over time is the harmonic one
        double acks = 0;
        for (uint32_t i = 1; i <= 100; ++i)
        {
            star.Net().GetNic(i)->TraceConnectWithoutContext(
                "Rate",
                Callback<void, const QueuePair&, Time>([&](const QueuePair& qp, Time at) {
                    if (at.GetTimeStep() > 5 * MS)
                    {
                        inverse += 1 / dynamic_cast<const Swift&>(qp.GetCc()).GetCwnd();
                        ++acks;
                    }
                }));
        }
        star.Watch(5 * MS, 20 * MS);
        star.GoAll(100, 20 * MS);
        const double frame = star.Path().fullFrameBytes;
        const auto [sum, jain] = star.Shares(100, 5, 20);
        EXPECT_GE(sum, 0.98) << c.law;
        EXPECT_GE(jain, c.jain) << c.law;
        EXPECT_LE(star.Queue(), c.queueFrames * frame) << c.law;
        EXPECT_LE(static_cast<double>(star.MaxQueue()), 110 * frame) << c.law;
        EXPECT_LE(acks / inverse, c.cwnd) << c.law;
        if (c.cwnd == 1) // what the others are measured against
        {
            EXPECT_GE(star.Queue(), 90 * frame);
        }
        Simulator::Destroy();
    }
}

// Swift's target leaves out propagation: 1 ms of RTT looks like congestion without end, and the
// window falls to its minimum. AddBaseRtt makes the target one of queueing.
TEST_F(SystemTest, SwiftOnALongPath)
{
    for (bool add : {false, true})
    {
        Star star(std::string("Swift[InitialCwnd=0|CwndMax=10000|AddBaseRtt=") +
                      (add ? "true]" : "false]"),
                  1,
                  100 * G,
                  250 * US);
        star.GoAll(1, 20 * MS);
        if (add)
        {
            EXPECT_GE(star.Share(1, 3, 20), 0.98);
        }
        else
        {
            EXPECT_LT(star.Share(1, 15, 20), 0.01);
        }
        Simulator::Destroy();
    }
}

// Eight flows rest on a queue of eight beta. Each has up to one frame more in flight than its
// window: the queue pair sends while less than the window is out.
TEST_F(SystemTest, PowerTcpRestingQueue)
{
    for (const char* law : {"PowerTcp", "PowerTcp[Theta=true]"})
    {
        for (uint32_t expected : {8, 6})
        {
            Config::SetDefault("ns3::roce::PowerTcp::ExpectedFlows", UintegerValue(expected));
            Star star(law, 8);
            star.Watch(10 * MS, 15 * MS);
            star.GoAll(8, 15 * MS);
            const double beta = star.Path().BdpBytes() / expected;
            EXPECT_GE(star.Queue(), 0.97 * 8 * beta) << law << " " << expected;
            EXPECT_LE(star.Queue(), 8 * (beta + star.Path().fullFrameBytes))
                << law << " " << expected;
            Simulator::Destroy();
        }
    }
}
