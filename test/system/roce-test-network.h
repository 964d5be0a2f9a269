// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEST_NETWORK_H
#define ROCE_TEST_NETWORK_H

#include "roce-lose-frames.h"
#include "roce-made-profile.h"
#include "roce-test-time.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/global-value.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-network.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::roce::test
{

constexpr uint64_t G = 1000000000;

/// Nothing is left over from one test to the next.
struct SystemTest : ::testing::Test
{
    void SetUp() override
    {
        Config::Reset();
        // A timeout that losses end soon; the default is made for lossless networks.
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(4)));
    }

    void TearDown() override
    {
        Simulator::Destroy();
        Config::Reset();
        EXPECT_EQ(FramePool::Outstanding(), 0u) << "frames leaked";
    }
};

inline void
SetRateLaw(const std::string& name)
{
    Config::SetDefault("ns3::roce::Nic::CongestionControl",
                       StringValue(WithMadeProfile("ns3::roce::" + name)));
}

inline FlowSpec
Flow(uint32_t src, uint32_t dst, uint64_t bytes, int64_t startPs = 0, uint8_t trafficClass = 3)
{
    FlowSpec flow;
    flow.src = src;
    flow.dst = dst;
    flow.sizeBytes = bytes;
    flow.startPs = startPs;
    flow.trafficClass = trafficClass;
    return flow;
}

/// Gives flows their ids.
inline std::vector<FlowSpec>
Numbered(std::vector<FlowSpec> flows)
{
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        flows[i].id = i;
    }
    return flows;
}

/// n hosts at one switch.
inline void
MakeStar(Network& net, uint32_t n, uint64_t rate = 100 * G, int64_t delay = US)
{
    const uint32_t sw = net.AddSwitch("sw", 0);
    for (uint32_t i = 0; i < n; ++i)
    {
        net.AddNic(net.AddHost("h" + std::to_string(i), 0), sw, rate, delay);
    }
}

/// All hosts of a star but the last send to the last.
inline void
InstallIncast(Network& net, uint64_t bytes)
{
    std::vector<FlowSpec> flows;
    for (uint32_t src = 0; src + 1 < net.GetNNics(); ++src)
    {
        flows.push_back(Flow(src, net.GetNNics() - 1, bytes));
    }
    net.InstallFlows(Numbered(flows));
}

/// Sums over a network.
struct Totals
{
    uint64_t xoff{0}, xon{0}, refreshed{0};
    uint64_t lost{0}, lostLossless{0};
    uint64_t retransmitted{0}, timeouts{0}, naks{0}, cnps{0}, failed{0}, stray{0}, delivered{0};
    uint64_t open{0};
    uint64_t peakBytes{0};
};

inline Totals
Sum(const Network& net)
{
    std::map<std::string, uint64_t> counters = net.GetCounters();
    Totals t;
    t.xoff = counters.at("pfcXoffSent");
    t.xon = counters.at("pfcXonSent");
    t.refreshed = counters.at("pfcXoffRefreshed");
    t.lost = counters.at("framesDropped");
    t.lostLossless = counters.at("losslessDrops");
    t.peakBytes = counters.at("peakBufferBytes");
    t.retransmitted = counters.at("retransmitted");
    t.timeouts = counters.at("timeouts");
    t.naks = counters.at("naksSent");
    t.cnps = counters.at("cnpsSent");
    t.failed = counters.at("failedQps");
    t.stray = counters.at("strayFrames");
    for (uint32_t n = 0; n < net.GetNNics(); ++n)
    {
        t.delivered += net.GetNic(n)->GetCounters().bytesDelivered;
        t.open += net.GetNic(n)->GetOpenQps();
    }
    return t;
}

/// Collects completions.
class Completions
{
  public:
    explicit Completions(Network& net)
    {
        for (uint32_t n = 0; n < net.GetNNics(); ++n)
        {
            net.GetNic(n)->TraceConnectWithoutContext(
                "MessageCompleted",
                Callback<void, const MessageRecord&>([this](const MessageRecord& r) {
                    EXPECT_EQ(sent.count(r.cookie), 0u) << "completed twice";
                    sent[r.cookie] = r;
                }));
            net.GetNic(n)->TraceConnectWithoutContext(
                "MessageReceived",
                Callback<void, uint64_t, Time>([this](uint64_t cookie, Time at) {
                    EXPECT_EQ(received.count(cookie), 0u) << "received twice";
                    received[cookie] = at.GetTimeStep();
                }));
        }
    }

    int64_t FctPs(uint64_t cookie) const
    {
        const auto it = sent.find(cookie);
        return it == sent.end() ? -1 : it->second.completedPs - it->second.postedPs;
    }

    std::map<uint64_t, MessageRecord> sent;
    std::map<uint64_t, int64_t> received;
};

/**
 * Watches pause frames at every switch and port: XOFF and XON alternate for each (port, class),
 * refreshes come only while paused, and no data frame starts while its class is paused. Pauses are
 * computed here anew from the quanta.
 */
class PauseMonitor
{
  public:
    explicit PauseMonitor(Network& net)
    {
        for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
        {
            net.GetSwitch(s)->TraceConnectWithoutContext(
                "PauseSent",
                Callback<void, uint16_t, uint8_t, PauseEvent, Time>(
                    [this, s](uint16_t port, uint8_t c, PauseEvent event, Time) {
                        bool& paused = m_sent[{s, port, c}];
                        ++(event == PauseEvent::XOFF  ? xoffs
                           : event == PauseEvent::XON ? xons
                                                      : refreshes);
                        EXPECT_EQ(paused, event != PauseEvent::XOFF) << "at switch " << s;
                        paused = event != PauseEvent::XON;
                    }));
        }
        const std::vector<Ptr<Port>> ports = net.GetPorts();
        m_until.resize(ports.size());
        for (std::size_t i = 0; i < ports.size(); ++i)
        {
            const uint64_t rate = ports[i]->GetRateBps();
            ports[i]->TraceConnectWithoutContext(
                "PauseReceived",
                Callback<void, uint8_t, uint16_t, Time>(
                    [this, i, rate](uint8_t c, uint16_t quanta, Time at) {
                        const __int128 ps = static_cast<__int128>(quanta) * 512 * 1000000000000;
                        m_until[i][c] = at.GetTimeStep() + static_cast<int64_t>(ps / rate);
                    }));
            ports[i]->TraceConnectWithoutContext(
                "TxBegin",
                Callback<void, const Frame&, Time>([this, i](const Frame& frame, Time at) {
                    if (frame.kind == FrameKind::DATA)
                    {
                        ++dataFrames;
                        const auto it = m_until[i].find(frame.trafficClass);
                        if (it != m_until[i].end() && at.GetTimeStep() < it->second)
                        {
                            ++violations;
                        }
                    }
                }));
        }
    }

    /// Compares with the switches' own counters; all pauses must be over.
    void Check(const Network& net) const
    {
        const Totals t = Sum(net);
        EXPECT_EQ(t.xoff, xoffs);
        EXPECT_EQ(t.xon, xons);
        EXPECT_EQ(t.refreshed, refreshes);
        EXPECT_EQ(xoffs, xons);
        EXPECT_EQ(violations, 0u) << "data frames were started while paused";
        for (const auto& [where, paused] : m_sent)
        {
            EXPECT_FALSE(paused) << "switch " << std::get<0>(where);
        }
    }

    uint64_t xoffs{0}, xons{0}, refreshes{0}, violations{0}, dataFrames{0};

  private:
    std::map<std::tuple<uint32_t, uint16_t, uint8_t>, bool> m_sent;
    std::vector<std::map<uint8_t, int64_t>> m_until;
};

/// All flows are complete with exactly their bytes, and nothing is left anywhere.
inline void
ExpectAllDone(const Network& net, const Completions& done, const std::vector<FlowSpec>& flows)
{
    EXPECT_EQ(net.Audit(true), "");
    EXPECT_EQ(FramePool::Outstanding(), 0u);
    uint64_t bytes = 0;
    for (const FlowSpec& flow : flows)
    {
        bytes += flow.sizeBytes;
        const auto it = done.sent.find(flow.id);
        ASSERT_NE(it, done.sent.end()) << "flow " << flow.id << " did not finish";
        EXPECT_EQ(it->second.bytes, flow.sizeBytes);
        EXPECT_EQ(it->second.postedPs, flow.startPs);
        EXPECT_EQ(done.received.count(flow.id), 1u);
    }
    EXPECT_EQ(done.sent.size(), flows.size());
    const Totals t = Sum(net);
    EXPECT_EQ(t.delivered, bytes);
    EXPECT_EQ(t.open, 0u);
}

} // namespace ns3::roce::test

#endif /* ROCE_TEST_NETWORK_H */
