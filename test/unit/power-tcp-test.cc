// SPDX-License-Identifier: GPL-2.0-only
// PowerTCP: vectors with telemetry and with RTTs, round-trip mark, guards, every attribute.
#include "roce-law-fixture.h"

#include "ns3/roce-power-tcp.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr double BDP = 150000;

/// Opens the state, so that a vector can start anywhere.
struct OpenPowerTcp : public PowerTcp
{
    using PowerTcp::m_beta;
    using PowerTcp::m_cwnd;
    using PowerTcp::m_power;
    using PowerTcp::m_reference;
};

using Port = EgressPort;

Ptr<OpenPowerTcp>
Make(const Attributes& attributes = {}, uint64_t lineBps = G100, int64_t rttPs = 12 * US)
{
    return MakeLaw<OpenPowerTcp>(attributes, MakePath(lineBps, rttPs, 1106));
}

/// Windows free to rise, so that vectors are seen as they are.
Ptr<OpenPowerTcp>
MakeFree(double betaBytes, Attributes attributes = {})
{
    attributes.emplace_back("MaxWindow", "0");
    attributes.emplace_back("BetaBytes", std::to_string(betaBytes));
    return Make(attributes);
}

void
RttAck(const Ptr<OpenPowerTcp>& cc,
       uint64_t ackPsn,
       uint64_t sndNxtPsn,
       int64_t nowUs,
       int64_t rttUs,
       bool isNak = false)
{
    AckInfo ack;
    ack.ackPsn = ackPsn;
    ack.sndNxtPsn = sndNxtPsn;
    ack.nowPs = nowUs * US;
    ack.rttPs = rttUs * US;
    ack.isNak = isNak;
    cc->OnAck(ack);
}

} // namespace

TEST(PowerTcp, SmallState)
{
}

TEST(PowerTcp, StartsWithOneBdpAtLineRate)
{
    auto cc = Make();
    EXPECT_EQ(cc->GetRateBps(), G100);
    EXPECT_EQ(cc->GetWindowBytes(), 150000u);
    EXPECT_NEAR(cc->m_beta, BDP / 8, 1e-9);
    EXPECT_TRUE(cc->NeedsTelemetry());
    EXPECT_FALSE(cc->NeedsTimestamp());
    EXPECT_FALSE(cc->IsEcnCapable());
    EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS);
    Port port(1);
    port.Run(5 * US, 99e9, 700000);
    AckOf(*cc, 1, 100, {port}); // the first ACK only stores
    EXPECT_EQ(cc->GetRateBps(), G100);
    EXPECT_EQ(Variable(*cc, "power"), 1);
    AckInfo plain; // an ACK without telemetry says nothing
    plain.rttPs = 50 * US;
    cc->OnAck(plain);
    EXPECT_EQ(cc->GetWindowBytes(), 150000u);
    auto theta = Make({{"Theta", "true"}});
    EXPECT_FALSE(theta->NeedsTelemetry());
    EXPECT_TRUE(theta->NeedsTimestamp());
    EXPECT_TRUE(theta->Fork()->NeedsTimestamp());
}

TEST(PowerTcp, Vectors)
{
    struct Case
    {
        uint64_t queueBefore, queue;
        double txBps;
        int64_t dtPs;
        double beta, power, w;
    };

    const Case cases[] = {
        {0, 0, 100e9, 12 * US, 15000, 1, 163500},
        {150000, 150000, 100e9, 12 * US, 1e-6, 2, 82500},
        {0, 0, 200e9, 12 * US, 1e-6, 2, 82500}, // q = 0 and current 2 B
        {0, 150000, 100e9, 12 * US, 1e-6, 4, 48750},
        {0, 0, 50e9, 12 * US, 1e-6, 0.5, 285000},
        {150000, 0, 100e9, 12 * US, 1e-6, 0, 1e18},          // the queue drains at B: no current
        {150000, 75000, 100e9, 12 * US, 1e-6, 0.75, 195000}, // half current, 1.5 of voltage
        {150000, 150000, 100e9, 3 * US, 1e-6, 1.25, 123000}, // a quarter of it new
        {150000, 150000, 100e9, 40 * US, 1e-6, 2, 82500},    // tau counts at most
    };
    for (const char* current : {"queue", "arrivals"})
    {
        for (const Case& c : cases)
        {
            auto cc = MakeFree(c.beta, {{"Current", current}});
            Port port(7, 100 * US, 12345, c.queueBefore);
            AckOf(*cc, 1, 10, {port});
            port.Run(c.dtPs, c.txBps, c.queue);
            AckOf(*cc, 11, 20, {port});
            EXPECT_NEAR(Variable(*cc, "power"), c.power, 1e-6);
            if (c.power == 0)
            {
                EXPECT_GT(cc->m_cwnd, 1e12); // nothing but MaxWindow holds it
                EXPECT_EQ(cc->GetRateBps(), G100);
                continue;
            }
            EXPECT_NEAR(cc->m_cwnd, c.w, 0.02);
            EXPECT_EQ(Variable(*cc, "reference_window_bytes"), cc->m_cwnd);
            EXPECT_EQ(cc->GetWindowBytes(), static_cast<uint64_t>(cc->m_cwnd));
            EXPECT_NEAR(static_cast<double>(cc->GetRateBps()),
                        std::min(100e9, c.w * 8 / 12e-6),
                        2e4);
        }
    }
}

// The two measures of current look at different fields.
TEST(PowerTcp, CurrentFromTheFieldsItNames)
{
    for (bool arrivals : {false, true})
    {
        auto cc = MakeFree(1e-6, {{"Current", arrivals ? "arrivals" : "queue"}});
        Port port(7);
        AckOf(*cc, 1, 10, {port});
        port.Run(12 * US, 100e9, 0);
        port.rxBytes += 75000;
        AckOf(*cc, 11, 20, {port});
        EXPECT_NEAR(Variable(*cc, "power"), arrivals ? 1.5 : 1, 1e-9);
    }
    // a long frame follows a short one through an empty port: less than nothing has arrived
    auto cc = MakeFree(15000);
    Port port(7, 0, 10000, 5000);
    AckOf(*cc, 1, 10, {port});
    port.timePs += 12 * US;
    port.queueBytes = 0;
    AckOf(*cc, 11, 20, {port});
    EXPECT_EQ(Variable(*cc, "power"), 0);
}

// Ten flows with beta = 1500: 16 500 bytes each and a queue of 15 000 stay what they are.
TEST(PowerTcp, RestingPointOfTenFlows)
{
    for (double start : {16500.0, 150000.0, 1500.0})
    {
        auto cc = MakeFree(1500);
        Port port(7, 0, 0, 15000);
        AckOf(*cc, 0, 10, {port});
        cc->m_cwnd = cc->m_reference = start;
        cc->m_power = 1.1;
        for (uint64_t round = 1; round < 300; ++round)
        {
            port.Run(12 * US, 100e9, 15000);
            AckOf(*cc, 10 * round + 1, 10 * round + 10, {port});
            if (start == 16500)
            {
                EXPECT_NEAR(cc->m_cwnd, 16500, 1e-6);
            }
        }
        // with 10 % too much power all windows come to rest at beta Gamma / (Gamma - 1)
        EXPECT_NEAR(cc->m_cwnd, 16500, 1e-3);
        EXPECT_NEAR(Variable(*cc, "power"), 1.1, 1e-9);
    }
}

TEST(PowerTcp, ThetaVectors)
{
    // tau 12 us, w = w_old = BDP, beta 15 000:
    // power = (dRTT/dt + 1) RTT / tau, smoothed with dt/tau, w = 0.9 (BDP / Gamma + 15 000) + 15
    // 000
    struct Case
    {
        int64_t before, rtt, dt;
        double power, w;
    };

    const Case cases[] = {
        {12, 12, 12, 1, 163500},
        {24, 24, 12, 2, 96000},                     // 75 000 + 15 000
        {12, 18, 12, 2.25, 88500},                  // 1.5 * 1.5; 66 666.7 + 15 000
        {24, 18, 12, 0.75, 208500},                 // 0.5 * 1.5; 200 000 + 15 000
        {12, 18, 6, 2, 96000},                      // 2 * 1.5 = 3, half of it new
        {12, 18, 24, 1.875, 0.9 * 95000 + 15000},   // 1.25 * 1.5, tau counts at most; 80 000
        {24, 12, 8, 1.0 / 3, 0.9 * 465000 + 15000}, // -0.5 counts as 0; 2/3 new
    };
    for (const Case& c : cases)
    {
        auto cc = MakeFree(15000, {{"Theta", "true"}});
        RttAck(cc, 1, 10, 100, c.before);
        EXPECT_EQ(cc->m_cwnd, BDP); // the first only stores
        RttAck(cc, 11, 20, 100 + c.dt, c.rtt);
        EXPECT_NEAR(Variable(*cc, "power"), c.power, 1e-9);
        EXPECT_NEAR(cc->m_cwnd, c.w, 1e-3);
    }
}

TEST(PowerTcp, ThetaChangesTheWindowOncePerRoundTrip)
{
    for (bool perAck : {false, true})
    {
        auto cc = MakeFree(15000, {{"Theta", "true"}, {"UpdatePer", perAck ? "ack" : "rtt"}});
        RttAck(cc, 1, 10, 100, 24);
        RttAck(cc, 5, 15, 106, 24); // power 2, half of it new; still the first round trip
        EXPECT_NEAR(Variable(*cc, "power"), 1.5, 1e-9);
        EXPECT_EQ(Variable(*cc, "reference_window_bytes"), BDP);
        EXPECT_NEAR(cc->m_cwnd, perAck ? 0.9 * 115000 + 15000 : BDP, 1e-6);
        RttAck(cc, 11, 20, 112, 24);
        EXPECT_NEAR(Variable(*cc, "power"), 1.75, 1e-9);
        const double w = 0.9 * (BDP / 1.75 + 15000) + 0.1 * (perAck ? 118500 : BDP);
        EXPECT_NEAR(cc->m_cwnd, w, 1e-3);
        EXPECT_EQ(Variable(*cc, "reference_window_bytes"), cc->m_cwnd);
        RttAck(cc, 12, 20, 112, 30); // no time has passed: nothing
        EXPECT_NEAR(Variable(*cc, "power"), 1.75, 1e-9);
        RttAck(cc, 13, 20, 118, 0); // no sample: nothing
        EXPECT_NEAR(Variable(*cc, "power"), 1.75, 1e-9);
    }
}

TEST(PowerTcp, ReferenceIsTheWindowOfTheLastMark)
{
    auto cc = MakeFree(15000);
    Port port(7, 0, 0, 150000);
    AckOf(*cc, 1, 100, {port});
    cc->m_power = 2;
    auto ack = [&](uint64_t psn, uint64_t next) {
        port.Run(12 * US, 100e9, 150000);
        AckOf(*cc, psn, next, {port});
    };
    double w = BDP;
    for (uint64_t psn : {2, 50, 100}) // up to snd_nxt of the last mark: the same cwnd_old
    {
        ack(psn, psn + 100);
        w = 0.9 * (BDP / 2 + 15000) + 0.1 * w;
        EXPECT_NEAR(cc->m_cwnd, w, 1e-6);
        EXPECT_EQ(Variable(*cc, "reference_window_bytes"), BDP);
    }
    ack(101, 201);
    w = 0.9 * (BDP / 2 + 15000) + 0.1 * w;
    EXPECT_NEAR(Variable(*cc, "reference_window_bytes"), w, 1e-6);
    ack(201, 301);
    EXPECT_NEAR(cc->m_cwnd, 0.9 * (w / 2 + 15000) + 0.1 * w, 1e-6);
    EXPECT_NEAR(Variable(*cc, "reference_window_bytes"), w, 1e-6);
    ack(202, 302);
    EXPECT_NE(Variable(*cc, "reference_window_bytes"), w);
}

TEST(PowerTcp, StrongestHopCountsWithItsOwnTime)
{
    auto cc = MakeFree(15000);
    std::vector<Port> ports{Port(1), Port(2), Port(3, 0, 0, 0, 4 * G100)};
    AckOf(*cc, 1, 10, ports);
    ports[0].Run(12 * US, 50e9, 0);
    ports[1].Run(6 * US, 60e9, 0);
    ports[2].Run(12 * US, 200e9, 0); // half of 400G
    AckOf(*cc, 11, 20, ports);
    EXPECT_NEAR(Variable(*cc, "power"), 0.5 + 0.5 * 0.6, 1e-9);
    ports[0].Run(12 * US, 50e9, 0);
    ports[1].Run(6 * US, 60e9, 0);
    ports[2].Run(12 * US, 100e9, 600000); // current 1.25, voltage 2
    AckOf(*cc, 21, 30, ports);
    EXPECT_NEAR(Variable(*cc, "power"), 2.5, 1e-9);
}

TEST(PowerTcp, MoreThanEightHops)
{
    for (size_t busy : {0, 7, 8, 15, 16, 18})
    {
        auto cc = MakeFree(1e-6);
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
        EXPECT_NEAR(cc->m_cwnd, 82500, 1e-3) << busy;
        ports[busy].hopId += 100; // and the last hop's id is looked at, too
        ports[busy].Run(12 * US, 100e9, 150000);
        AckOf(*cc, 21, 30, ports);
        EXPECT_NEAR(cc->m_cwnd, 82500, 1e-3) << busy;
    }
}

TEST(PowerTcp, ChangedPathOnlyStores)
{
    for (size_t hops : {1, 2, 3})
    {
        auto cc = MakeFree(15000);
        AckOf(*cc, 1, 10, {Port(1), Port(2)});
        std::vector<Port> moved{Port(1, 12 * US, 100000), Port(9, 12 * US, 1000000000), Port(3)};
        moved.resize(hops, Port(0));
        AckOf(*cc, 11, 20, moved);
        EXPECT_EQ(cc->m_cwnd, BDP);
        EXPECT_EQ(Variable(*cc, "power"), 1);
        moved[0].Run(12 * US, 100e9, 0);
        AckOf(*cc, 12, 21, moved); // the mark was put off, not lost
        EXPECT_NEAR(Variable(*cc, "reference_window_bytes"), 163500, 1e-6);
    }
}

TEST(PowerTcp, RepeatedAndOvertakenRecords)
{
    auto cc = MakeFree(15000);
    std::vector<Port> ports{Port(1), Port(2), Port(3, 0, 0, 0, 0)}; // one without a rate
    std::vector<Port> early = ports;
    AckOf(*cc, 1, 10, ports);
    AckOf(*cc, 11, 20, ports); // the same records again
    EXPECT_EQ(cc->m_cwnd, BDP);
    ports[1].Run(12 * US, 100e9, 0);
    ports[2].Run(12 * US, 100e9, 0);
    AckOf(*cc, 21, 30, ports);
    EXPECT_NEAR(cc->m_cwnd, 163500, 1e-6);
    early[1].Run(6 * US, 50e9, 0); // older than what is known: ignored, not stored
    AckOf(*cc, 20, 30, early);
    EXPECT_NEAR(Variable(*cc, "power"), 1, 1e-9);
    ports[1].Run(12 * US, 100e9, 0);
    AckOf(*cc, 31, 40, ports);
    EXPECT_NEAR(Variable(*cc, "power"), 1, 1e-9);
    EXPECT_NEAR(cc->m_cwnd, 0.9 * (163500 + 15000) + 0.1 * 163500, 1e-6);
}

TEST(PowerTcp, NakAndTimeoutRewindTheRoundTripMark)
{
    for (bool theta : {false, true})
    {
        for (bool timeout : {false, true})
        {
            auto cc = MakeFree(15000, {{"Theta", theta ? "true" : "false"}});
            Port port(7);
            int64_t now = 0;
            auto ack = [&](uint64_t psn, uint64_t next, bool nak = false) {
                now += 12;
                port.Run(12 * US, 100e9, 0);
                theta ? RttAck(cc, psn, next, now, 12, nak) : AckOf(*cc, psn, next, {port}, nak);
            };
            ack(1, 100);
            ack(101, 1000);
            const double reference = Variable(*cc, "reference_window_bytes");
            EXPECT_NEAR(reference, 163500, 1e-6); // next mark above 1000
            ack(300, 1000);
            EXPECT_EQ(Variable(*cc, "reference_window_bytes"), reference);
            if (timeout)
            {
                cc->OnTimeout(20 * US);
            }
            else
            {
                ack(300, 300, true);
                EXPECT_EQ(Variable(*cc, "reference_window_bytes"), reference);
            }
            ack(301, 310);
            EXPECT_GT(Variable(*cc, "reference_window_bytes"), reference);
        }
    }
}

TEST(PowerTcp, InetTubProfile)
{
    const Attributes tub{{"Profile", "inet-tub"}, {"MaxWindow", "0"}};
    auto cc = Make(tub);
    EXPECT_NEAR(cc->m_beta, 225, 1e-9); // 150 Mb/s over 12 us
    Port port(7);
    AckOf(*cc, 1, 10, {port});
    port.Run(12 * US, 30e9, 0); // counts as B / 2
    AckOf(*cc, 5, 15, {port});
    EXPECT_NEAR(Variable(*cc, "power"), 0.5, 1e-9);
    EXPECT_NEAR(cc->m_cwnd, 0.9 * (BDP / 0.5 * 0.95 + 225) + 0.1 * BDP, 1e-6);
    EXPECT_EQ(cc->GetWindowBytes(), 150000u);
    port.Run(12 * US, 100e9, 0);
    AckOf(*cc, 6, 16, {port});
    const double w = 0.9 * (BDP * 0.95 + 225) + 0.1 * BDP; // of the reference, not of the window
    EXPECT_NEAR(cc->m_cwnd, w, 1e-6);
    EXPECT_EQ(cc->GetWindowBytes(), 150000u); // only the rate changes
    EXPECT_NEAR(static_cast<double>(cc->GetRateBps()), w * 8 / 12e-6, 1);
    port.rxBytes += 75000; // arrivals are counted
    port.Run(12 * US, 100e9, 0);
    AckOf(*cc, 7, 17, {port});
    EXPECT_NEAR(Variable(*cc, "power"), 1.5, 1e-9);
    // one overriding attribute each
    auto current = Make({{"Profile", "inet-tub"},
                         {"Memory", "current"},
                         {"MaxWindow", "0"},
                         {"FixedWindow", "false"},
                         {"Eta", "1"},
                         {"MinCurrent", "0.25"},
                         {"BetaRate", "10Gbps"}});
    EXPECT_NEAR(current->m_beta, 15000, 1e-9);
    Port other(7);
    AckOf(*current, 1, 10, {other});
    other.Run(12 * US, 10e9, 0);
    AckOf(*current, 5, 15, {other});
    EXPECT_NEAR(Variable(*current, "power"), 0.25, 1e-9);
    const double up = 0.9 * (BDP / 0.25 + 15000) + 0.1 * BDP;
    EXPECT_NEAR(current->m_cwnd, up, 1e-6);
    other.Run(12 * US, 100e9, 0);
    AckOf(*current, 6, 16, {other});
    EXPECT_NEAR(current->m_cwnd, 0.9 * (BDP + 15000) + 0.1 * up, 1e-6);
    EXPECT_EQ(current->GetWindowBytes(), static_cast<uint64_t>(current->m_cwnd));

    // theta: weight 0.7, margin 1.05, current at least a half, a new window at each ACK
    auto theta = Make({{"Profile", "inet-tub"}, {"Theta", "true"}, {"MaxWindow", "0"}});
    RttAck(theta, 1, 10, 100, 12);
    RttAck(theta, 5, 15, 112, 12);
    EXPECT_NEAR(Variable(*theta, "power"), 1 / 1.05, 1e-9);
    EXPECT_NEAR(theta->m_cwnd, 155407.5, 1e-6); // 0.7 (157 500 + 225) + 45 000
    auto drain = Make({{"Profile", "inet-tub"}, {"Theta", "true"}, {"MaxWindow", "0"}});
    RttAck(drain, 1, 10, 100, 24);
    RttAck(drain, 5, 15, 112, 12);
    EXPECT_NEAR(drain->m_cwnd, 265657.5, 1e-6); // power 0.5 / 1.05: 0.7 (315 000 + 225) + 45 000
}

TEST(PowerTcp, WindowLimits)
{
    auto cc = Make(); // MaxWindow 1
    Port port(7);
    AckOf(*cc, 1, 10, {port});
    port.Run(12 * US, 50e9, 0);
    AckOf(*cc, 11, 20, {port});
    EXPECT_EQ(cc->m_cwnd, BDP);
    EXPECT_EQ(cc->GetRateBps(), G100);
    auto wide = Make({{"MaxWindow", "1.5"}});
    AckOf(*wide, 1, 10, {Port(7)});
    AckOf(*wide, 11, 20, {port});
    EXPECT_EQ(wide->m_cwnd, 1.5 * BDP);
    EXPECT_EQ(wide->GetWindowBytes(), 225000u);
    EXPECT_EQ(wide->GetRateBps(), G100);
    EXPECT_EQ(Make({{"MaxWindow", "0.5"}})->GetWindowBytes(), 75000u);
    // below one frame the rate goes on falling
    auto low = Make({{"BetaBytes", "100"}, {"MinRate", "0"}});
    AckOf(*low, 1, 10, {Port(7)});
    low->m_power = 1e6;
    low->m_cwnd = 0;
    Port far(7);
    far.Run(1, 100e9, 0);
    AckOf(*low, 11, 20, {far});
    EXPECT_NEAR(low->m_cwnd, 0.9 * (0.15 + 100), 0.01);
    EXPECT_EQ(low->GetWindowBytes(), 1106u);
    EXPECT_NEAR(static_cast<double>(low->GetRateBps()), 60.1e6, 1e5);
    auto floor = Make({{"BetaBytes", "100"}, {"MinRate", "1Gbps"}});
    AckOf(*floor, 1, 10, {Port(7)});
    floor->m_power = 1e6;
    floor->m_cwnd = 0;
    AckOf(*floor, 11, 20, {far});
    EXPECT_EQ(floor->GetRateBps(), 1000000000u);
}

TEST(PowerTcp, LongFatPathDoesNotOverflow)
{
    const uint64_t line = 4 * G100;
    auto cc = Make({{"BetaBytes", "0.001"}}, line, 920 * US); // 46 MB
    EXPECT_EQ(cc->GetWindowBytes(), 46000000u);
    Port port(7, 1000000000000000000, uint64_t{1} << 62, 46000000, line);
    AckOf(*cc, (uint64_t{1} << 33) + 1, uint64_t{1} << 34, {port});
    port.Run(920 * US, 400e9, 46000000);
    AckOf(*cc, (uint64_t{1} << 34) + 1, uint64_t{1} << 35, {port});
    EXPECT_NEAR(Variable(*cc, "power"), 2, 1e-9);
    EXPECT_NEAR(cc->m_cwnd, 46e6 * 0.55, 1);
}

TEST(PowerTcp, Attributes)
{
    auto cc = Make({{"BaseRtt", "24us"}, {"ExpectedFlows", "10"}});
    EXPECT_EQ(cc->GetWindowBytes(), 300000u);
    EXPECT_NEAR(cc->m_beta, 30000, 1e-6);
    auto gamma = MakeFree(15000, {{"Gamma", "0.5"}, {"Eta", "0.8"}});
    Port port(7, 0, 0, 150000);
    AckOf(*gamma, 1, 10, {port});
    port.Run(12 * US, 100e9, 150000);
    AckOf(*gamma, 11, 20, {port});
    EXPECT_NEAR(gamma->m_cwnd, 0.5 * (60000 + 15000) + 0.5 * BDP, 1e-6);
    auto margin = MakeFree(15000, {{"Theta", "true"}, {"RttMargin", "2"}});
    RttAck(margin, 1, 10, 100, 24);
    RttAck(margin, 11, 20, 112, 24);
    EXPECT_NEAR(Variable(*margin, "power"), 1, 1e-9);
    const std::vector<Attributes> bad = {{{"Profile", "tub"}},
                                         {{"Gamma", "0"}},
                                         {{"Gamma", "-1"}},
                                         {{"Gamma", "1.1"}},
                                         {{"Eta", "0"}},
                                         {{"BetaBytes", "-1"}},
                                         {{"BaseRtt", "-1us"}}};
    for (const Attributes& a : bad)
    {
        EXPECT_THROW(Make(a), InputError) << a[0].first << " " << a[0].second;
    }
}
