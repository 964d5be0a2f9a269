// SPDX-License-Identifier: GPL-2.0-only
// UnoCC: increase, decrease, epochs, window, pacing, attributes.
#include "uno-test-util.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::unotest;

namespace
{

/// Drives epochs, one per period, with an average that stays as it is.
struct Epochs
{
    explicit Epochs(double ewma, Attributes attributes = {}, const PathInfo& path = INTRA_PATH)
        : rttPs(path.baseRttPs),
          share(ewma),
          nowPs(path.baseRttPs)
    {
        attributes.emplace_back("EcnInit", std::to_string(ewma));
        attributes.emplace_back("QaEnable", "false");
        cc = Make(attributes, path);
        AckInfo first = Ack(nowPs, rttPs, false, 0);
        first.ackedPackets = 0; // does not count
        cc->OnAck(first);
        nowPs += rttPs; // what was sent at the end of the epoch is acknowledged
    }

    /// An epoch of 1000 packets, of which share are marked, and with so much delay.
    void Run(int64_t delayPs, uint64_t unmarkedBytes = 0)
    {
        AckInfo plain = Ack(nowPs - 1, rttPs, false, unmarkedBytes);
        plain.ackedPackets = 0;
        cc->OnAck(plain);
        AckInfo end = Ack(nowPs + delayPs, rttPs + delayPs, true, 0);
        end.ackedPackets = 1000;
        end.markedPackets = static_cast<uint32_t>(std::lround(share * 1000));
        const uint64_t epochs = cc->m_counters.epochs;
        cc->OnAck(end);
        ASSERT_EQ(cc->m_counters.epochs, epochs + 1);
        nowPs += INTRA;
    }

    Ptr<OpenUno> cc;
    int64_t rttPs;
    double share;
    int64_t nowPs; //!< arrival of the ACK that ends the next epoch, without delay
};

constexpr int64_t QUEUED = 10 * US;

} // namespace

TEST(UnoCc, StartAndDerivedConstants)
{
    auto intra = Make();
    EXPECT_TRUE(intra->NeedsTimestamp());
    EXPECT_TRUE(intra->NeedsEcn());
    EXPECT_TRUE(intra->IsEcnCapable());
    EXPECT_FALSE(intra->NeedsTelemetry());
    EXPECT_DOUBLE_EQ(Variable(*intra, "exact_window_bytes"), 175000);
    EXPECT_DOUBLE_EQ(intra->m_alpha, 175);
    EXPECT_DOUBLE_EQ(intra->m_mdCoefficient, 0.5);
    EXPECT_EQ(intra->GetWindowBytes(), 42u * MTU);
    EXPECT_EQ(intra->GetRateBps(), G100);
    auto inter = Make({}, INTER_PATH);
    EXPECT_DOUBLE_EQ(Variable(*inter, "exact_window_bytes"), 25e6);
    EXPECT_DOUBLE_EQ(inter->m_alpha, 25000);
    EXPECT_NEAR(inter->m_mdCoefficient, 0.003996004, 1e-9);
    EXPECT_DOUBLE_EQ(Make({{"InitialCwndBdp", "0.1"}}, INTER_PATH)->m_cwnd, 2.5e6);
    EXPECT_DOUBLE_EQ(Make({{"InitialCwndBdp", "9"}})->m_cwnd, 1.25 * 175000);
    EXPECT_DOUBLE_EQ(Make({{"InitialCwndBdp", "0.001"}})->m_cwnd, MTU);
    EXPECT_DOUBLE_EQ(Make({{"K", "175000"}})->m_mdCoefficient, 2);
    EXPECT_DOUBLE_EQ(Make({{"IntraRtt", "28us"}})->m_mdCoefficient, 4 * 50.0 / 225);
}

// T1 of the specification.
TEST(UnoCc, AdditiveIncrease)
{
    auto cc = Make({{"QaEnable", "false"}});
    cc->SetCwnd(100000);
    cc->OnAck(Ack(INTRA, INTRA));
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 100007.168, 1e-9);
    cc->OnAck(Ack(INTRA + 1, INTRA, true));
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 100007.168, 1e-9);
    AckInfo echo = Ack(INTRA + 2, INTRA); // a mark without a number, and one of several packets
    echo.ecnEcho = true;
    cc->OnAck(echo);
    AckInfo several = Ack(INTRA + 3, INTRA, true, 4 * MTU);
    several.ackedPackets = 4;
    cc->OnAck(several);
    EXPECT_NEAR(Variable(*cc, "exact_window_bytes"), 100007.168, 1e-9);
    const auto grow = [](const Ptr<OpenUno>& law, int acks) {
        for (int i = 0; i < acks; ++i)
        {
            law->OnAck(Ack(INTER + i, INTER));
        }
        return Variable(*law, "exact_window_bytes");
    };
    EXPECT_NEAR(grow(Make({{"QaEnable", "false"}}), 42), 175171.950, 5e-4);
    EXPECT_NEAR(grow(Make({{"QaEnable", "false"}}, INTER_PATH), 6103), 25024985.40, 5e-3);
    EXPECT_NEAR(grow(Make({{"QaEnable", "false"}}, INTRA_PATH), 100000),
                218750,
                1e-9); // MaxCwndBdp
}

// T2 of the specification.
TEST(UnoCc, MultiplicativeDecrease)
{
    struct Case
    {
        const PathInfo& path;
        double ewma;
        int64_t delayPs;
        double result;
    };

    for (const Case& c : {Case{INTRA_PATH, 0.5, QUEUED, 131250},
                          Case{INTRA_PATH, 0.5, 0, 161875},
                          Case{INTRA_PATH, 0.5, 1400000, 161875}, // the tolerance
                          Case{INTRA_PATH, 0.5, 1400001, 131250},
                          Case{INTER_PATH, 0.5, QUEUED, 24950049.95},
                          Case{INTER_PATH, 0.5, 0, 24985014.985},
                          Case{INTRA_PATH, 1, QUEUED, 87500},
                          Case{INTRA_PATH, 1, 0, 148750},
                          Case{INTER_PATH, 1, QUEUED, 25e6 * 0.996003996},
                          Case{INTER_PATH, 1, 0, 25e6 * 0.998801199}})
    {
        Epochs epochs(c.ewma, {}, c.path);
        epochs.Run(c.delayPs);
        EXPECT_NEAR(Variable(*epochs.cc, "exact_window_bytes"), c.result, 0.02)
            << c.ewma << " " << c.delayPs;
        EXPECT_EQ(Variable(*epochs.cc, "cuts"), 1);
        EXPECT_EQ(Variable(*epochs.cc, "gentle_cuts"), c.delayPs <= 1400000 ? 1 : 0);
    }
    for (const int64_t delayPs : {QUEUED, int64_t{0}})
    {
        Epochs epochs(1, {}, INTER_PATH);
        for (int i = 0; i < 143; ++i)
        {
            epochs.Run(delayPs);
        }
        const double perEpoch =
            std::pow(Variable(*epochs.cc, "exact_window_bytes") / 25e6, 1.0 / 143);
        EXPECT_NEAR(std::pow(perEpoch, 2000.0 / 14), delayPs ? 0.56439 : 0.84252, 1e-5);
    }
}

TEST(UnoCc, GentleFactorsInARow)
{
    const std::vector<double> fixed{161875, 149734.4, 138504.3, 128116.5, 118507.7, 109619.7};
    const std::vector<double> cumulative{161875, 158232.8, 157164.7, 156846.5, 156751.2, 156722.6};
    for (const std::string mode : {"fixed", "cumulative"})
    {
        Epochs epochs(0.5, {{"MdScaleMode", mode}});
        for (const double expected : mode == "fixed" ? fixed : cumulative)
        {
            epochs.Run(0);
            EXPECT_NEAR(Variable(*epochs.cc, "exact_window_bytes"), expected, 0.06) << mode;
        }
        // a queue ends the row
        double before = Variable(*epochs.cc, "exact_window_bytes");
        epochs.Run(QUEUED);
        EXPECT_NEAR(Variable(*epochs.cc, "exact_window_bytes"), before * 0.75, 1e-6);
        before = Variable(*epochs.cc, "exact_window_bytes");
        epochs.Run(0);
        EXPECT_NEAR(Variable(*epochs.cc, "exact_window_bytes"), before * 0.925, 1e-6);
    }
}

// T4 of the specification: where increase and decrease of an epoch balance.
TEST(UnoCc, EqualMarksAreNearlyEqualRates)
{
    const auto settle = [](const PathInfo& path, double ewma, int epochs) {
        Epochs run(ewma, {}, path);
        run.cc->SetCwnd(0.3 * path.BdpBytes());
        double carry = 0;
        for (int i = 0; i < epochs; ++i)
        {
            carry += Variable(*run.cc, "exact_window_bytes") * static_cast<double>(INTRA) /
                     static_cast<double>(path.baseRttPs);
            const auto bytes = static_cast<uint64_t>(carry);
            carry -= static_cast<double>(bytes);
            run.Run(QUEUED, bytes);
        }
        return Variable(*run.cc, "exact_window_bytes");
    };
    const double intra = settle(INTRA_PATH, 0.016, 2000);
    EXPECT_NEAR(intra, 21875, 0.02 * 21875);
    EXPECT_NEAR(settle(INTER_PATH, 0.016, 120000), 2737109, 0.02 * 2737109);
    const double intraRate = settle(INTRA_PATH, 0.02, 2000) / INTRA;
    for (const auto& [ratio, expected] :
         {std::pair{8, 0.8906}, {32, 0.8789}, {128, 0.8760}, {512, 0.8752}})
    {
        const PathInfo path = PathOf(ratio * INTRA, true);
        const double rate = settle(path, 0.02, 600 * ratio) / static_cast<double>(path.baseRttPs);
        EXPECT_NEAR(rate / intraRate, expected, 0.02 * expected) << ratio;
    }
}

TEST(UnoCc, EpochsEndAtMostOncePerPeriod)
{
    // 14 us for both, or by attribute; ACKs come each microsecond
    const auto epochsPer = [](const Attributes& attributes, const PathInfo& path, int us) {
        auto cc = Make(attributes, path);
        for (int i = 0; i <= us; ++i)
        {
            cc->OnAck(Ack(path.baseRttPs + i * US, path.baseRttPs));
        }
        return cc->m_counters.epochs;
    };
    EXPECT_EQ(epochsPer({}, INTRA_PATH, 1413), 100u); // ends at 14 (RTT) and each 14 from there on
    EXPECT_EQ(epochsPer({}, INTER_PATH, 1999), 0u);
    EXPECT_EQ(epochsPer({}, INTER_PATH, 2000), 1u);
    EXPECT_EQ(epochsPer({}, INTER_PATH, 2000 + 1399), 100u);
    EXPECT_EQ(epochsPer({{"EpochMode", "own"}}, INTER_PATH, 9999), 4u);
    EXPECT_EQ(epochsPer({{"EpochPeriodMode", "measured"}}, INTER_PATH, 2000 + 1399), 100u);
}

TEST(UnoCc, MeasuredEpochs)
{
    Attributes attributes{{"EpochPeriodMode", "measured"}};
    auto cc = Make(attributes, INTER_PATH);
    cc->OnAck(Ack(INTER, INTER));
    cc->OnAck(Ack(INTER + 3000 * US, 3000 * US)); // sent at 2000 us; the RTT is half as long again
    EXPECT_EQ(cc->m_epoch.GetEndPs(), INTER + 21 * US);
    auto own = Make({{"EpochPeriodMode", "measured"}, {"EpochMode", "own"}}, INTER_PATH);
    own->OnAck(Ack(INTER, INTER));
    own->OnAck(Ack(INTER + 3000 * US, 3000 * US));
    EXPECT_EQ(own->m_epoch.GetEndPs(), INTER + 3000 * US);
}

TEST(UnoCc, WindowAndPacing)
{
    Ptr<OpenUno> cc = Make({{"QaEnable", "false"}});
    cc->SetCwnd(50000);
    cc->OnAck(Ack(INTRA, INTRA, true, 0));
    EXPECT_EQ(cc->GetWindowBytes(), 12u * MTU); // 12.2 packets
    EXPECT_NEAR(static_cast<double>(cc->GetRateBps()), 50000 * 8e12 / INTRA, 1);
    cc->SetCwnd(200000);
    cc->OnAck(Ack(INTRA + 1, INTRA, true, 0));
    EXPECT_EQ(cc->GetRateBps(), G100);
    cc = Make({{"QaEnable", "false"}, {"Pacing", "false"}});
    cc->SetCwnd(50000);
    cc->OnAck(Ack(INTRA, INTRA, true, 0));
    EXPECT_EQ(cc->GetRateBps(), G100);
    // at most every 0.05 T
    cc = Make({{"QaEnable", "false"}, {"PacingUpdateShare", "0.05"}});
    cc->SetCwnd(50000);
    cc->OnAck(Ack(INTRA / 20 - 1, INTRA, true, 0));
    EXPECT_EQ(cc->GetRateBps(), G100);
    EXPECT_EQ(cc->GetWindowBytes(), 12u * MTU);
    cc->OnAck(Ack(INTRA / 20, INTRA, true, 0));
    EXPECT_LT(cc->GetRateBps(), G100);
    // what is in flight is payload, what goes out is more
    PathInfo path = INTRA_PATH;
    path.fullFrameBytes = 4178;
    cc = Make({{"InitialCwndBdp", "0.5"}}, path);
    EXPECT_EQ(cc->GetWindowBytes(), 20u * 4178);
    EXPECT_NEAR(static_cast<double>(cc->GetRateBps()), 50e9, 1);
    path.windowFrameBytes = 4096;
    cc = Make({{"InitialCwndBdp", "0.5"}}, path);
    EXPECT_EQ(cc->GetWindowBytes(), 21u * 4096);
    EXPECT_NEAR(static_cast<double>(cc->GetRateBps()), 50e9 * 4178 / 4096, 1);
}

TEST(UnoCc, Losses)
{
    auto cc = Make();
    cc->OnTimeout(INTRA);
    AckInfo loss = Ack(INTRA, INTRA, true, 0);
    loss.isLoss = loss.isNak = true;
    loss.ackedPackets = 0;
    cc->OnAck(loss);
    EXPECT_EQ(Variable(*cc, "exact_window_bytes"), 175000);
}

TEST(UnoCc, BaseRttOfTheClass)
{
    const PathInfo rack = PathOf(4 * US);
    EXPECT_EQ(Make({}, rack)->m_baseRttPs, 4 * US);
    auto cc = Make({{"RttBaseMode", "class"}}, rack);
    EXPECT_EQ(cc->m_baseRttPs, INTRA);
    EXPECT_DOUBLE_EQ(Variable(*cc, "exact_window_bytes"), 175000);
    EXPECT_DOUBLE_EQ(cc->m_mdCoefficient, 0.5);
    EXPECT_EQ(Make({{"RttBaseMode", "class"}}, INTER_PATH)->m_baseRttPs, INTER);
    EXPECT_EQ(Make({{"RttBaseMode", "class"}, {"InterRtt", "3ms"}}, INTER_PATH)->m_baseRttPs,
              3000 * US);
    EXPECT_EQ(Make({{"InterRtt", "3ms"}}, INTER_PATH)->m_baseRttPs, INTER);
}

TEST(UnoCc, Warnings)
{
    EXPECT_EQ(Make()->GetWarning(), "");
    EXPECT_EQ(Make({}, INTER_PATH)->GetWarning(), "");
    EXPECT_EQ(Make({}, PathOf(14100000))->GetWarning(), "");
    EXPECT_NE(Make({}, PathOf(4 * US))->GetWarning().find("3K"), std::string::npos);
    EXPECT_NE(Make({}, PathOf(20 * US))->GetWarning().find("IntraRtt"), std::string::npos);
    EXPECT_NE(Make({{"Profile", "artifact"}}, INTER_PATH)->GetWarning().find("InterRtt"),
              std::string::npos);
    EXPECT_EQ(Make({{"Profile", "artifact"}}, PathOf(1792 * US, true))->GetWarning(), "");
}

TEST(UnoCc, BadAttributes)
{
    ExpectEachRefused<UnoCc>({{"Profile", "htsim"},
                              {"AlphaFraction", "0"},
                              {"K", "-1"},
                              {"IntraRtt", "0"},
                              {"InterRtt", "-1ns"},
                              {"EpochMode", "inter"},
                              {"EpochCatchUp", "maybe"},
                              {"EcnGain", "0"},
                              {"EcnGain", "1.1"},
                              {"EcnInit", "1.1"},
                              {"FallingEwma", "x"},
                              {"MdScale", "1.1"},
                              {"MdScaleMode", "x"},
                              {"GentleDelayTolerance", "-1ns"},
                              {"DelayStat", "x"},
                              {"QaEnable", "x"},
                              {"QaBeta", "0"},
                              {"QaReference", "x"},
                              {"QaTimer", "0.5"},
                              {"QaRestart", "x"},
                              {"InitialCwndBdp", "0"},
                              {"MaxCwndBdp", "-1"},
                              {"Pacing", "x"}},
                             INTRA_PATH);
    EXPECT_EQ(test::ErrorOf([] {
                  Make({{"EpochMode", "inter"}});
              }),
              "ns3::roce::UnoCc: EpochMode is 'inter', expected 'intra', 'own', or "
              "profile");
    EXPECT_NE(test::ErrorOf([] { Make({}, PathOf(0)); }).find("base RTT is 0 ps"),
              std::string::npos);
}

// What a value does that the law takes over while it runs.
TEST(UnoCc, RetunedStepAndBounds)
{
    const auto law = MakeLaw<UnoCc>({{"QaEnable", "false"}}, MakePath(G100, 12 * US, 1000));
    const auto window = [&] { return Variable(*law, "exact_window_bytes"); };
    const auto retune = [&](Attributes attributes, int64_t nowPs) {
        attributes.emplace_back("QaEnable", "false");
        law->Retune(*With<UnoCc>(attributes), nowPs);
    };
    const auto ack = [&](int64_t nowPs) {
        AckInfo info = Ack(nowPs, 12 * US, false, 1000);
        law->OnAck(info);
    };
    ack(20 * US);
    EXPECT_DOUBLE_EQ(window(), 150001); // a thousandth of a BDP, in shares of a window
    const double before = window();
    retune({{"AlphaFraction", "0.01"}}, 21 * US);
    EXPECT_EQ(window(), before);
    ack(22 * US);
    EXPECT_NEAR(window() - before, 1500 * 1000 / before, 1e-6);
    retune({{"MaxCwndBdp", "0.5"}}, 23 * US);
    EXPECT_EQ(window(), 75000);
    EXPECT_EQ(law->GetRateBps(), G100 / 2);
    retune({{"MaxCwndBdp", "0.5"}, {"Pacing", "false"}}, 24 * US);
    EXPECT_EQ(law->GetRateBps(), G100);
    EXPECT_EQ(law->GetWindowBytes(), 75000u);
}
