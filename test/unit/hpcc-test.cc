// SPDX-License-Identifier: GPL-2.0-only
// HPCC: published vectors, reference window, guards, every attribute.
#include "roce-law-fixture.h"

#include "ns3/roce-hpcc.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Opens the state, so that a vector can start anywhere.
struct OpenHpcc : public Hpcc
{
    using Hpcc::m_exactWindow;
    using Hpcc::m_loop;
    using Hpcc::m_loops;
    using Hpcc::m_wai;
};

using Port = EgressPort;

Ptr<OpenHpcc>
Make(const Attributes& attributes = {}, uint64_t lineBps = G100, int64_t rttPs = 12 * US)
{
    return MakeLaw<OpenHpcc>(attributes, MakePath(lineBps, rttPs, 1106));
}

} // namespace

TEST(Hpcc, StartsWithOneBdpAtLineRate)
{
    auto cc = Make();
    EXPECT_EQ(cc->GetRateBps(), G100);
    EXPECT_EQ(cc->GetWindowBytes(), 150000u);
    EXPECT_NEAR(cc->m_wai, 75, 1e-9);
    EXPECT_TRUE(cc->NeedsTelemetry());
    EXPECT_FALSE(cc->IsEcnCapable());
    EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS);
    Port port(1);
    port.Run(5 * US, 99e9, 700000);
    AckOf(*cc, 1, 100, {port}); // the first ACK only stores
    EXPECT_EQ(cc->GetRateBps(), G100);
    EXPECT_DOUBLE_EQ(cc->m_loop.utilisation, 1);
    AckInfo plain; // an ACK without telemetry says nothing
    cc->OnAck(plain);
    EXPECT_EQ(cc->GetWindowBytes(), 150000u);
}

TEST(Hpcc, Vectors)
{
    struct Case
    {
        double wc, u0;
        uint32_t stage;
        uint64_t queueBefore, queue;
        double txBps;
        int64_t tauPs;
        double u, w;
        uint32_t newStage;
    };

    const Case cases[] = {
        {150000, 1, 0, 0, 0, 100e9, 12 * US, 1, 142575, 0},
        {150000, 1, 0, 150000, 150000, 100e9, 12 * US, 2, 71325, 0},
        {150000, 1, 0, 150000, 600000, 100e9, 12 * US, 2, 71325, 0}, // the smaller queue counts
        {150000, 1, 0, 600000, 150000, 100e9, 12 * US, 2, 71325, 0},
        {150000, 1, 0, 30000, 30000, 100e9, 1 * US, 1.0166667, 140238.934, 0},
        {75000, 0.5, 0, 0, 0, 50e9, 12 * US, 0.5, 75075, 1},
        {75000, 0.5, 5, 0, 0, 50e9, 12 * US, 0.5, 142575, 0},
        {75000, 0.5, 4, 0, 0, 50e9, 12 * US, 0.5, 75075, 5},
        {75000, 0.9, 0, 0, 0, 50e9, 30 * US, 0.5, 75075, 1},   // tau counts as T at most
        {150000, 0.1, 5, 0, 0, 10e9, 12 * US, 0.1, 150000, 0}, // capped at Winit
        {75000, 0.95, 0, 0, 0, 95e9, 12 * US, 0.95, 75075, 0}, // U = Eta is multiplicative
    };
    for (const Case& c : cases)
    {
        auto cc = Make();
        Port port(7, 100 * US, 12345, c.queueBefore);
        AckOf(*cc, 1, 10, {port});
        cc->m_loop = Hpcc::Loop{c.u0, c.wc, c.stage};
        port.Run(c.tauPs, c.txBps, c.queue);
        AckOf(*cc, 11, 20, {port});
        EXPECT_NEAR(cc->m_loop.utilisation, c.u, 1e-7);
        EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), c.w, 1e-2);
        EXPECT_NEAR(cc->m_loop.reference, c.w, 1e-2);
        EXPECT_EQ(Variable(*cc, "utilisation"), cc->m_loop.utilisation);
        EXPECT_EQ(Variable(*cc, "reference_window_bytes"), cc->m_loop.reference);
        EXPECT_EQ(cc->m_loop.stage, c.newStage);
        EXPECT_NEAR(static_cast<double>(cc->GetRateBps()), c.w * 8 / 12e-6, 1e4);
        EXPECT_EQ(cc->GetWindowBytes(), static_cast<uint64_t>(Variable(*cc, "exact_window_bytes")));
    }
}

// Ten flows from line rate: W = Eta BDP / N + Wai, 95.5 % load, empty queue.
TEST(Hpcc, SteadyStateOfTenFlows)
{
    std::vector<Ptr<OpenHpcc>> flows;
    for (int i = 0; i < 10; ++i)
    {
        flows.push_back(Make());
    }
    Port port(7);
    double queue = 0;
    for (int round = 0; round < 400; ++round)
    {
        double offered = queue;
        for (auto& flow : flows)
        {
            AckOf(*flow, 10 * round + 1, 10 * round + 10, {port});
            offered += Variable(*flow, "exact_window_bytes");
        }
        const double sent = std::min(150000.0, offered);
        queue = offered - sent;
        port.Run(12 * US, sent * 8 / 12e-6, static_cast<uint64_t>(queue));
    }
    double sum = 0;
    for (auto& flow : flows)
    {
        EXPECT_NEAR(Variable(*flow, "exact_window_bytes"), 14325, 1);
        sum += static_cast<double>(flow->GetRateBps());
    }
    EXPECT_NEAR(sum, 95.5e9, 1e7);
    EXPECT_EQ(queue, 0);
}

TEST(Hpcc, FastReactionWorksOnTheReference)
{
    auto cc = Make();
    Port port(7);
    AckOf(*cc, 1, 100, {port});
    auto ack = [&](uint64_t psn, uint64_t next) {
        port.Run(12 * US, 100e9, 0);
        AckOf(*cc, psn, next, {port});
    };
    for (uint64_t psn : {2, 50, 100}) // up to snd_nxt of the last update: same Wc each time
    {
        ack(psn, psn + 100);
        EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 142575, 1e-6);
        EXPECT_DOUBLE_EQ(cc->m_loop.reference, 150000);
    }
    ack(101, 201);
    EXPECT_NEAR(cc->m_loop.reference, 142575, 1e-6);
    ack(201, 301);
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 142575 * 0.95 + 75, 1e-6);
    EXPECT_NEAR(cc->m_loop.reference, 142575, 1e-6);
    ack(202, 302);
    EXPECT_NEAR(cc->m_loop.reference, 142575 * 0.95 + 75, 1e-6);
}

TEST(Hpcc, StageGrowsOncePerRoundTrip)
{
    auto cc = Make();
    Port port(7);
    AckOf(*cc, 1, 10, {port});
    cc->m_loop = Hpcc::Loop{0.5, 30000, 0};
    uint64_t psn = 11;
    for (uint32_t round = 1; round <= 5; ++round, psn += 10)
    {
        for (uint64_t i = 0; i < 10; ++i)
        {
            port.Run(1 * US, 50e9, 0);
            AckOf(*cc, psn + i, psn + 9 + i, {port});
        }
        EXPECT_EQ(cc->m_loop.stage, round);
        EXPECT_NEAR(cc->m_loop.reference, 30000 + 75 * round, 1e-6);
    }
    port.Run(1 * US, 50e9, 0);
    AckOf(*cc, psn, psn + 10, {port}); // stage 5: multiplicative although U < Eta
    EXPECT_NEAR(cc->m_loop.reference, 30375 / (0.5 / 0.95) + 75, 1e-6);
    EXPECT_EQ(cc->m_loop.stage, 0u);
}

TEST(Hpcc, WithoutFastReactionOncePerRoundTrip)
{
    auto cc = Make({{"FastReact", "false"}});
    Port port(7);
    AckOf(*cc, 1, 100, {port});
    port.Run(6 * US, 100e9, 0);
    AckOf(*cc, 50, 150, {port});
    EXPECT_EQ(cc->GetWindowBytes(), 150000u);
    EXPECT_DOUBLE_EQ(cc->m_loop.utilisation, 1);
    port.Run(6 * US, 50e9, 0);
    AckOf(*cc, 101, 201, {port}); // measured over both halves, from the first ACK's records
    EXPECT_NEAR(cc->m_loop.utilisation, 0.75, 1e-9);
    EXPECT_EQ(cc->m_loop.stage, 1u);
}

TEST(Hpcc, ReferencePerAckCompounds)
{
    auto cc = Make({{"ReferenceWindow", "perAck"}});
    Port port(7);
    AckOf(*cc, 1, 100, {port});
    for (uint64_t psn = 2; psn < 4; ++psn)
    {
        port.Run(12 * US, 100e9, 0);
        AckOf(*cc, psn, psn + 100, {port});
    }
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 142575 * 0.95 + 75, 1e-6);
}

TEST(Hpcc, BusiestHopCountsWithItsOwnTime)
{
    auto cc = Make();
    std::vector<Port> ports{Port(1), Port(2), Port(3, 0, 0, 0, 4 * G100)};
    AckOf(*cc, 1, 10, ports);
    ports[0].Run(12 * US, 50e9, 0);
    ports[1].Run(6 * US, 60e9, 90000); // 0.6 over half a T; the queue was 0 before
    ports[2].Run(12 * US, 200e9, 0);   // 0.5 of 400G
    AckOf(*cc, 11, 20, ports);
    EXPECT_NEAR(cc->m_loop.utilisation, 0.5 + 0.5 * 0.6, 1e-9);
    ports[0].Run(12 * US, 50e9, 0);
    ports[1].Run(6 * US, 60e9, 90000); // 0.6 + 0.6
    ports[2].Run(12 * US, 50e9, 300000);
    AckOf(*cc, 21, 30, ports);
    EXPECT_NEAR(cc->m_loop.utilisation, 0.5 * 0.8 + 0.5 * 1.2, 1e-9);
}

TEST(Hpcc, MoreThanEightHops)
{
    for (size_t busy : {0, 7, 8, 15, 16, 18})
    {
        auto cc = Make();
        std::vector<Port> ports;
        for (uint64_t i = 0; i < 19; ++i)
        {
            ports.push_back(Port{i + 1, static_cast<int64_t>(i), 1000 * i});
        }
        ports[busy].queueBytes = 150000;
        AckOf(*cc, 1, 10, ports);
        for (size_t i = 0; i < ports.size(); ++i)
        {
            ports[i].Run(12 * US, i == busy ? 100e9 : 20e9, ports[i].queueBytes);
        }
        AckOf(*cc, 11, 20, ports);
        EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 71325, 1e-6) << busy;
        ports[busy].hopId += 100; // and the last hop's id is looked at, too
        ports[busy].Run(12 * US, 100e9, 150000);
        AckOf(*cc, 21, 30, ports);
        EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 71325, 1e-6) << busy;
    }
}

TEST(Hpcc, ChangedPathOnlyStores)
{
    for (size_t hops : {1, 2, 3})
    {
        auto cc = Make();
        AckOf(*cc, 1, 10, {Port(1), Port(2)});
        // the other port's counter is 1 GB ahead: taken as a difference, the load would be 6667
        std::vector<Port> moved{Port(1, 12 * US, 100000), Port(9, 12 * US, 1000000000), Port(3)};
        moved.resize(hops, Port(0));
        AckOf(*cc, 11, 20, moved);
        EXPECT_EQ(cc->GetWindowBytes(), 150000u);
        EXPECT_DOUBLE_EQ(cc->m_loop.utilisation, 1);
        moved[0].Run(12 * US, 100e9, 0);
        AckOf(*cc, 12, 21, moved); // the update was put off, not lost
        EXPECT_NEAR(cc->m_loop.reference, 142575, 1e-6);
    }
}

TEST(Hpcc, RepeatedAndOvertakenRecords)
{
    auto cc = Make();
    std::vector<Port> ports{Port(1), Port(2), Port(3, 0, 0, 0, 0)}; // one without a rate
    std::vector<Port> early = ports;
    AckOf(*cc, 1, 10, ports);
    AckOf(*cc, 11, 20, ports); // the same records again
    EXPECT_EQ(cc->GetWindowBytes(), 150000u);
    ports[1].Run(12 * US, 100e9, 0); // only ports 2 and 3 have moved on
    ports[2].Run(12 * US, 100e9, 0);
    AckOf(*cc, 21, 30, ports);
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 142575, 1e-6);
    early[1].Run(6 * US, 50e9, 0); // older than what is known: ignored, not stored
    AckOf(*cc, 20, 30, early);
    ports[1].Run(12 * US, 100e9, 0);
    AckOf(*cc, 31, 40, ports);
    EXPECT_NEAR(cc->m_loop.utilisation, 1, 1e-9);
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 142575 * 0.95 + 75, 1e-6);
}

// After going back, the mark of the last update must go back, too (it froze Wc in older code).
TEST(Hpcc, NakAndTimeoutRewindTheRoundTripMark)
{
    for (bool timeout : {false, true})
    {
        auto cc = Make();
        Port port(7);
        auto ack = [&](uint64_t psn, uint64_t next, bool nak = false) {
            port.Run(12 * US, 100e9, 0);
            AckOf(*cc, psn, next, {port}, nak);
        };
        ack(1, 100);
        ack(101, 1000);
        EXPECT_NEAR(cc->m_loop.reference, 142575, 1e-6); // next update above 1000
        ack(300, 1000);
        EXPECT_NEAR(cc->m_loop.reference, 142575, 1e-6);
        if (timeout)
        {
            cc->OnTimeout(20 * US);
        }
        else
        {
            ack(300, 300, true);
            EXPECT_NEAR(cc->m_loop.reference, 142575, 1e-6);
        }
        ack(301, 310);
        EXPECT_NEAR(cc->m_loop.reference, 142575 * 0.95 + 75, 1e-6);
        const double reference = cc->m_loop.reference;
        ack(310, 320);
        EXPECT_EQ(cc->m_loop.reference, reference);
        ack(311, 321);
        EXPECT_NE(cc->m_loop.reference, reference);
    }
}

TEST(Hpcc, LongFatPathDoesNotOverflow)
{
    const uint64_t line = 4 * G100;
    auto cc = Make({}, line, 920 * US); // 46 MB
    EXPECT_EQ(cc->GetWindowBytes(), 46000000u);
    EXPECT_EQ(cc->GetRateBps(), line);
    Port port(7, 1000000000000000000, uint64_t{1} << 62, 46000000, line);
    AckOf(*cc, (uint64_t{1} << 33) + 1, uint64_t{1} << 34, {port});
    port.Run(920 * US, 400e9, 46000000);
    AckOf(*cc, (uint64_t{1} << 34) + 1, uint64_t{1} << 35, {port});
    EXPECT_NEAR(cc->m_loop.utilisation, 2, 1e-9);
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 46e6 * 0.475 + 23000, 1);
    EXPECT_NEAR(static_cast<double>(cc->GetRateBps()), 190.2e9, 1e4);
    port.Run(50000000 * US, 400e9, 0); // 50 s without an ACK: 2.5 TB
    AckOf(*cc, (uint64_t{1} << 35) + 1, uint64_t{1} << 36, {port});
    EXPECT_NEAR(cc->m_loop.utilisation, 1, 1e-9);
}

TEST(Hpcc, WindowNeverFallsBelowOneFrame)
{
    auto cc = Make();
    Port port(7);
    AckOf(*cc, 1, 10, {port});
    cc->m_loop.utilisation = 1000;
    port.Run(1, 100e9, 0);
    AckOf(*cc, 11, 20, {port});
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 217.5, 0.1);
    EXPECT_EQ(cc->GetWindowBytes(), 1106u);
    EXPECT_NEAR(static_cast<double>(cc->GetRateBps()), 145e6, 1e5); // pacing goes on falling
}

// A window for the line rate that is not line rate times T: the HPCC simulator's m_win, where NICs
// have different rates.
TEST(Hpcc, WinitIsApartFromT)
{
    auto cc = Make({{"Winit", "300000"}, {"Rai", "1Gbps"}});
    EXPECT_EQ(cc->GetWindowBytes(), 300000u);
    EXPECT_EQ(cc->GetRateBps(), G100);
    EXPECT_NEAR(cc->m_wai, 3000, 1e-9); // 1 % of it
    Port port(7);
    AckOf(*cc, 1, 10, {port});
    cc->m_loop = Hpcc::Loop{1, 300000, 0};
    port.Run(12 * US, 50e9, 0); // as much sent as in T, nothing queued
    AckOf(*cc, 11, 20, {port});
    EXPECT_NEAR(cc->m_loop.utilisation, 0.5, 1e-9);
    port.Run(12 * US, 50e9, 75000);
    AckOf(*cc, 21, 30, {port});
    EXPECT_NEAR(cc->m_loop.utilisation, 0.5, 1e-9) << "the shorter of two queues counts";
    port.Run(12 * US, 50e9, 75000);
    AckOf(*cc, 31, 40, {port});
    EXPECT_NEAR(cc->m_loop.utilisation, 0.75, 1e-9) << "75 of 300 KB";
    const double window = Variable(*cc, "exact_window_bytes");
    EXPECT_NEAR(static_cast<double>(cc->GetRateBps()), G100 * window / 300000, 1);
}

TEST(Hpcc, AFixedWindowStaysWinit)
{
    auto cc = Make({{"FixedWindow", "true"}});
    Port port(7);
    AckOf(*cc, 1, 10, {port});
    port.Run(12 * US, 100e9, 150000);
    AckOf(*cc, 11, 20, {port});
    port.Run(12 * US, 100e9, 150000);
    AckOf(*cc, 21, 30, {port});
    EXPECT_LT(cc->GetRateBps(), G100 * 6 / 10);
    EXPECT_EQ(cc->GetWindowBytes(), 150000u);
}

TEST(Hpcc, HpccSimProfile)
{
    auto cc = Make({{"Profile", "hpcc-sim"}});
    EXPECT_NEAR(cc->m_wai, 60, 1e-9); // 40 Mb/s over 12 us
    Port port(7);
    AckOf(*cc, 1, 10, {port});
    cc->m_loop = Hpcc::Loop{0.5, 15000, 0};
    port.Run(12 * US, 50e9, 0);
    AckOf(*cc, 11, 20, {port}); // multiplicative at once
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 15000 / (0.5 / 0.95) + 60, 1e-6);
    cc->m_loop = Hpcc::Loop{1000, 150000, 0};
    port.Run(1, 100e9, 0);
    AckOf(*cc, 21, 30, {port});
    EXPECT_EQ(cc->GetRateBps(), 1000000000u);
    EXPECT_NEAR(cc->m_loop.reference, 1500, 1e-9);
    EXPECT_EQ(cc->GetWindowBytes(), 1500u);
    auto stages =
        Make({{"Profile", "hpcc-sim"}, {"MaxStage", "2"}, {"MinRate", "2Gbps"}, {"Rai", "1Gbps"}});
    EXPECT_NEAR(stages->m_wai, 1500, 1e-9);
    AckOf(*stages, 1, 10, {port});
    stages->m_loop = Hpcc::Loop{0.5, 15000, 1};
    port.Run(12 * US, 50e9, 0);
    AckOf(*stages, 11, 20, {port});
    EXPECT_NEAR(Variable(*stages, "exact_window_bytes"), 16500, 1e-6);
    stages->m_loop.utilisation = 1000;
    port.Run(1, 100e9, 0);
    AckOf(*stages, 12, 21, {port});
    EXPECT_EQ(stages->GetRateBps(), 2000000000u);
}

TEST(Hpcc, MultiRateKeepsOneLoopPerHop)
{
    for (bool multi : {true, false})
    {
        auto cc = Make({{"MultiRate", multi ? "true" : "false"}});
        std::vector<Port> ports{Port(1), Port(2, 0, 0, 150000)};
        AckOf(*cc, 1, 10, ports);
        ports[0].Run(12 * US, 100e9, 0);
        ports[1].Run(12 * US, 50e9, 0);
        AckOf(*cc, 11, 20, ports);
        EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 142575, 1e-6);
        AckOf(*cc, 12, 20, ports); // no time has passed: nothing
        ports[0].Run(12 * US, 50e9, 0);
        ports[1].Run(12 * US, 200e9, 150000); // load 2
        AckOf(*cc, 21, 30, ports);
        EXPECT_NEAR(Variable(*cc, "exact_window_bytes"),
                    multi ? 71325 : 142575 / (2 / 0.95) + 75,
                    1e-6);
        if (multi)
        {
            EXPECT_NEAR(cc->m_loops[0].reference, 142650, 1e-6);
            EXPECT_NEAR(cc->m_loops[1].reference, 71325, 1e-6);
            ports[0].hopId = 5;
            AckOf(*cc, 31, 40, ports); // other path: all loops start from the present window
            EXPECT_NEAR(cc->m_loops[0].reference, 71325, 1e-6);
            EXPECT_DOUBLE_EQ(cc->m_loops[1].utilisation, 1);
        }
    }
}

TEST(Hpcc, Attributes)
{
    auto cc = Make({{"BaseRtt", "24us"}, {"ExpectedFlows", "10"}, {"Eta", "0.9"}});
    EXPECT_EQ(cc->GetWindowBytes(), 300000u);
    EXPECT_EQ(cc->GetRateBps(), G100);
    EXPECT_NEAR(cc->m_wai, 3000, 1e-6);
    EXPECT_NEAR(Make({{"Wai", "80"}})->m_wai, 80, 0);
    const std::vector<Attributes> bad = {{{"Eta", "0"}},
                                         {{"Eta", "1.5"}},
                                         {{"Wai", "-1"}},
                                         {{"Wai", "80"}, {"Rai", "1Gbps"}},
                                         {{"Profile", "hpcc"}},
                                         {{"ReferenceWindow", "never"}}};
    for (const Attributes& a : bad)
    {
        EXPECT_THROW(Make(a), InputError) << a[0].first;
    }
}
