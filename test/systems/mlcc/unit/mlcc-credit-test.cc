// SPDX-License-Identifier: GPL-2.0-only
// MLCC's receiver: rounds by the credit epoch, the inner law's steps, what ACKs say.
#include "mlcc-fixture.h"

#include "ns3/roce-dcqcn.h"
#include "ns3/roce-power-tcp.h"
#include "ns3/roce-timely.h"

#include <cmath>
#include <deque>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Expects nothing but updates, and keeps what they say.
struct Updates final : public ReplySink
{
    Frame* Make(FrameKind kind) override
    {
        EXPECT_EQ(kind, FrameKind::NOTIFICATION);
        Frame* reply = FramePool::Alloc();
        reply->kind = kind;
        reply->frameBytes = ACK_FRAME_BYTES;
        return reply;
    }

    void Send(Frame* reply) override
    {
        EXPECT_EQ(reply->msn, MlccUpdate::KIND);
        EXPECT_EQ(reply->frameBytes, ACK_FRAME_BYTES + 10);
        said.push_back(*reply->FindExtension<MlccHeader>());
        psns.push_back(reply->psn);
        FramePool::Free(reply);
    }

    std::vector<MlccHeader> said;
    std::vector<uint64_t> psns;
};

/// What an ACK says.
struct Said
{
    uint16_t epoch;
    uint64_t creditBps;
    uint64_t dqmBps;
};

/// A receiver that gets frames from the tests.
struct Receiver
{
    explicit Receiver(const Attributes& attributes = {},
                      const Ptr<const CongestionControl>& inner = PlainHpcc(),
                      const PathInfo& path = MLCC_PATH)
        : law(With<Mlcc>(attributes))
    {
        law->SetInnerLaw(inner);
        credit = DynamicCast<MlccCredit>(law->MakeFeedback()->Fork());
        credit->Start(path, 0);
    }

    /// A frame comes, and an ACK goes.
    Said Get(uint16_t epoch,
             uint64_t queueBytes = 0,
             const std::vector<IntHop>& hops = {},
             bool marked = false)
    {
        Frame* data = FramePool::Alloc();
        data->frameBytes = MLCC_FRAME;
        data->ecn = marked ? ECN_CE : ECN_ECT0;
        MlccHeader& header = data->Extend<MlccHeader>();
        header.epoch = epoch;
        header.SetQueueBytes(queueBytes);
        if (!hops.empty())
        {
            data->telemetry = FramePool::AllocInt();
            data->telemetryBytes = static_cast<uint16_t>(4 + 8 * hops.size());
        }
        for (const IntHop& hop : hops)
        {
            data->telemetry.Append() = hop;
        }
        Updates sink;
        credit->OnData(*data, nowPs, sink);
        EXPECT_TRUE(sink.said.empty()) << "a receiver of MLCC sends ACKs while there is no gap";
        Frame* ack = FramePool::Alloc();
        ack->kind = FrameKind::ACK;
        ack->frameBytes = ACK_FRAME_BYTES;
        ReceiverFeedback::Echo(*ack, *data);
        credit->FillAck(*ack, *data, nowPs);
        EXPECT_FALSE(ack->telemetry) << "telemetry ends at the receiver";
        EXPECT_EQ(ack->telemetryBytes, 0u);
        EXPECT_EQ(ack->frameBytes, ACK_FRAME_BYTES + 10);
        const MlccHeader* out = ack->FindExtension<MlccHeader>();
        EXPECT_NE(out, nullptr);
        const Said said{out->epoch, out->GetCreditBps(), out->GetDqmBps()};
        FramePool::Free(ack);
        FramePool::Free(data);
        return said;
    }

    /// The next match, after one loop.
    Said Match(const std::vector<IntHop>& hops, uint64_t queueBytes = 0, bool marked = false)
    {
        nowPs += 22 * US;
        return Get(credit->GetEpoch(), queueBytes, hops, marked);
    }

    Ptr<Mlcc> law;
    Ptr<MlccCredit> credit;
    int64_t nowPs{0};
};

TEST(MlccCredit, BeginsAtTheLineRateWithEpochOne)
{
    Receiver receiver;
    const Said said = receiver.Get(0, 5000000);
    EXPECT_EQ(said.epoch, 1);
    EXPECT_EQ(said.creditBps, G25);
    EXPECT_EQ(said.dqmBps, G25);
    EXPECT_EQ(receiver.credit->GetMatches(), 0u) << "C_D 0: the switch has heard nothing yet";
}

// U-M8: a packet per tick, two ticks there, two ticks back.
TEST(MlccCredit, OneMatchPerLoop)
{
    Receiver receiver;
    std::deque<std::pair<int, uint16_t>> data; // arrival, C_D
    std::deque<std::pair<int, uint16_t>> acks; // arrival, C_R
    uint16_t atSwitch = 0;
    std::vector<int> matches;
    std::vector<int> seen;
    for (int tick = 0; tick < 24; ++tick)
    {
        for (; !acks.empty() && acks.front().first == tick; acks.pop_front())
        {
            atSwitch = acks.front().second;
        }
        data.emplace_back(tick + 2, atSwitch);
        if (data.front().first != tick)
        {
            continue;
        }
        const uint64_t before = receiver.credit->GetMatches();
        receiver.nowPs = tick * 5 * US;
        seen.push_back(data.front().second);
        acks.emplace_back(tick + 2, receiver.Get(data.front().second).epoch);
        data.pop_front();
        if (receiver.credit->GetMatches() != before)
        {
            matches.push_back(tick);
        }
    }
    EXPECT_EQ(matches, (std::vector<int>{6, 10, 14, 18, 22}));
    EXPECT_EQ(std::vector<int>(seen.begin(), seen.begin() + 12),
              (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
    EXPECT_EQ(receiver.credit->GetEpoch(), 6);
}

TEST(MlccCredit, EpochsAreComparedModulo2To16)
{
    Receiver receiver;
    for (int i = 1; i <= 70000; ++i)
    {
        receiver.Match({});
    }
    EXPECT_EQ(receiver.credit->GetMatches(), 70000u);
    EXPECT_EQ(receiver.credit->GetEpoch(), (70001) % 65536);
}

TEST(MlccCredit, AStaleEpochIsNoMatch)
{
    Receiver receiver;
    receiver.Match({});
    receiver.Match({});
    receiver.Get(2);
    receiver.Get(4);
    EXPECT_EQ(receiver.credit->GetMatches(), 2u);
}

/// One hop of 25 Gbit/s.
EgressPort
Port25()
{
    return EgressPort(1, 0, 0, 0, G25);
}

// U-M9: T 22 us, Eta 0.95, Wc 68,750 B, no additive increase.
TEST(MlccCredit, HpccSteps)
{
    const auto step = [](double txBps, uint64_t queue, const Attributes& hpcc = {}) {
        Receiver receiver({}, PlainHpcc(hpcc));
        EgressPort port = Port25();
        port.queueBytes = queue;
        EXPECT_EQ(receiver.Match({port}).creditBps, G25) << "the first match only stores";
        port.Run(22 * US, txBps, queue);
        return static_cast<double>(receiver.Match({port}).creditBps);
    };
    EXPECT_NEAR(step(25e9, 0), 23.75e9, 1e6) << "U is 1";
    EXPECT_NEAR(step(25e9, 34375), 15.833e9, 1e6) << "U is 1.5";
    EXPECT_NEAR(step(25e9, 68750), 11.875e9, 1e6) << "U is 2";
    EXPECT_NEAR(step(12.5e9, 0, {{"MaxStage", "0"}}), 25e9, 1e6) << "47.5 Gbit/s, the line is 25";
}

// Go-back-N refuses data behind a gap and answers the first of them only. When that shows, each
// other one gets an update, so that rounds go on, until the packet that is missing has come.
TEST(MlccCredit, DataBehindAGapIsAnswered)
{
    Receiver receiver;
    const auto get = [&](uint64_t psn, FrameKind answer) {
        receiver.nowPs += 22 * US;
        Frame* data = FramePool::Alloc();
        data->frameBytes = MLCC_FRAME;
        data->psn = psn;
        data->Extend<MlccHeader>().epoch = receiver.credit->GetEpoch();
        Updates sink;
        receiver.credit->OnData(*data, receiver.nowPs, sink);
        if (answer != FrameKind::DATA) // none
        {
            Frame* ack = FramePool::Alloc();
            ack->kind = answer;
            ack->psn = answer == FrameKind::NAK ? 5 : psn;
            ReceiverFeedback::Echo(*ack, *data);
            receiver.credit->FillAck(*ack, *data, receiver.nowPs);
            FramePool::Free(ack);
        }
        FramePool::Free(data);
        return sink;
    };
    EXPECT_TRUE(get(4, FrameKind::ACK).said.empty());
    EXPECT_TRUE(get(7, FrameKind::NAK).said.empty()) << "5 and 6 are lost; the NAK says it";
    EXPECT_TRUE(get(8, FrameKind::DATA).said.empty()) << "there may be an answer";
    for (const uint64_t psn : {9, 10})
    {
        const Updates updates = get(psn, FrameKind::DATA);
        ASSERT_EQ(updates.said.size(), 1u) << "refused without an answer: the credit loop stands";
        EXPECT_EQ(updates.psns[0], psn);
        EXPECT_EQ(updates.said[0].epoch, receiver.credit->GetEpoch()) << "C_R after the match";
        EXPECT_EQ(updates.said[0].GetCreditBps(), G25);
        EXPECT_NE(updates.said[0].dqmMbps, 0u);
    }
    EXPECT_EQ(receiver.credit->GetMatches(), 5u);
    EXPECT_TRUE(get(5, FrameKind::DATA).said.empty()) << "an ACK comes later, by AckEveryN";
    EXPECT_TRUE(get(6, FrameKind::ACK).said.empty());
    EXPECT_TRUE(get(8, FrameKind::DATA).said.empty()) << "no gap any longer";
    // SelectiveRepeat answers each packet behind a gap with a NAK: nothing more is needed.
    for (const uint64_t psn : {9, 10, 11, 12})
    {
        EXPECT_TRUE(get(psn, FrameKind::NAK).said.empty()) << psn;
    }
}

TEST(MlccCredit, RatesHaveAFloor)
{
    Receiver receiver;
    EgressPort port = Port25();
    port.queueBytes = 50'000'000;
    for (int i = 0; i < 100; ++i)
    {
        port.Run(22 * US, 25e9, 50'000'000);
        receiver.Match({port});
    }
    EXPECT_EQ(receiver.credit->GetCreditBps(), 100e6) << "MinRate";
    Receiver lower(Attributes{{"MinRate", "10Mbps"}});
    port = Port25();
    port.queueBytes = 50'000'000;
    for (int i = 0; i < 100; ++i)
    {
        port.Run(22 * US, 25e9, 50'000'000);
        lower.Match({port});
    }
    EXPECT_EQ(lower.credit->GetCreditBps(), 10e6);
}

// Between matches R_credit stays, unless CreditFastReact.
TEST(MlccCredit, RatesChangeOnlyAtMatches)
{
    for (const bool fast : {false, true})
    {
        Receiver receiver(Attributes{{"CreditFastReact", fast ? "true" : "false"}});
        EgressPort port = Port25();
        receiver.Match({port});
        port.Run(22 * US, 25e9, 0);
        const uint64_t atMatch = receiver.Match({port}).creditBps;
        receiver.nowPs += 11 * US;
        port.Run(11 * US, 25e9, 500000);
        port.Run(11 * US, 25e9, 500000);
        EXPECT_EQ(receiver.Get(0, 0, {port}).creditBps < atMatch, fast) << fast;
    }
}

// What a match at the target and in a backlog does to Rbar: see MlccDqm for the numbers.
TEST(MlccCredit, EachFrameIsAStepAndEachMatchARound)
{
    Receiver receiver;
    EgressPort port = Port25();
    receiver.Match({port});
    port.queueBytes = 68750;
    port.Run(22 * US, 25e9, 68750);
    receiver.Match({port}, 10000000);
    const MlccDqm& dqm = receiver.credit->GetDqm();
    EXPECT_EQ(receiver.credit->GetQueueBytes(), 10000000u);
    EXPECT_EQ(dqm.GetRounds(), 275u);
    const double credit = receiver.credit->GetCreditBps();
    EXPECT_NEAR(dqm.GetQueueAhead(),
                MlccDqm::QueueAhead(dqm.GetPreBps(), credit, 6044. * US, 10e6),
                1);
    EXPECT_LT(dqm.GetTargetBps(), credit);
    const double dw = dqm.GetDw();
    const Said said = receiver.Get(0);
    EXPECT_EQ(std::abs(dqm.GetDw() - dw), 1) << "another frame, another step";
    EXPECT_NEAR(static_cast<double>(said.dqmBps), dqm.GetSmoothedBps(), 0.5e6);
    EXPECT_NEAR(dqm.GetSmoothedBps(), credit + dqm.GetDw() * 1000 * 8 / 6.044e-3, 1);
}

TEST(MlccCredit, StepsAreOfPayload)
{
    Receiver receiver;
    receiver.Match({}, 50'000'000);
    const double before = receiver.credit->GetDqm().GetSmoothedBps();
    receiver.Get(0);
    EXPECT_NEAR(before - receiver.credit->GetDqm().GetSmoothedBps(), 8000 / 6.044e-3, 1);
}

TEST(MlccCredit, RoundTripsAreThePaths)
{
    Receiver own;
    EXPECT_EQ(own.credit->GetLoop().GetRttPs(), 22 * US);
    EXPECT_EQ(own.credit->GetDqm().GetRounds(), 275u) << "RTT_D is the loop's";
}

TEST(MlccCredit, DcqcnHearsMarksAtItsOwnInterval)
{
    Receiver receiver({}, With<Dcqcn>({}));
    receiver.Match({});
    EXPECT_EQ(receiver.credit->GetCreditBps(), G25);
    receiver.Match({}, 0, true);
    const double once = receiver.credit->GetCreditBps();
    EXPECT_LT(once, 0.6 * G25) << "a first CNP halves the rate";
    receiver.nowPs += 1 * US;
    receiver.Get(receiver.credit->GetEpoch(), 0, {}, true);
    EXPECT_EQ(receiver.credit->GetCreditBps(), once) << "1 us later there is no second CNP";
    receiver.Match({}, 0, true);
    EXPECT_LT(receiver.credit->GetCreditBps(), 0.8 * once);
}

TEST(MlccCredit, TimelyHearsHowLongRoundsAre)
{
    const auto after = [](int64_t roundPs) {
        Receiver receiver({}, With<Timely>({}));
        for (int i = 0; i < 10; ++i)
        {
            receiver.nowPs += roundPs - 22 * US;
            receiver.Match({});
        }
        return receiver.credit->GetCreditBps();
    };
    EXPECT_EQ(after(22 * US), static_cast<double>(G25));
    EXPECT_LT(after(2000 * US), 0.1 * G25) << "above THigh";
}

TEST(MlccCredit, PowerTcpSlowsDownToo)
{
    Receiver receiver({}, With<PowerTcp>({}));
    EgressPort port = Port25();
    receiver.Match({port});
    for (uint64_t i = 1; i < 20; ++i)
    {
        port.Run(22 * US, 25e9, i * 20000);
        receiver.Match({port});
    }
    EXPECT_LT(receiver.credit->GetCreditBps(), 0.6 * G25);
}

TEST(MlccCredit, InnerLawsThatHearOfNothingAreRefused)
{
    const Ptr<Mlcc> law = With<Mlcc>({});
    EXPECT_EQ(
        ErrorOf([&] { law->SetInnerLaw(With<Mlcc>({})); }),
        "ns3::roce::Mlcc: inner law is ns3::roce::Mlcc, expected one that hears of congestion "
        "by telemetry, ECN marks or time stamps and has no header of its own");
}

TEST(MlccCredit, FramesWithoutTheHeaderAreNotItsBusiness)
{
    Receiver receiver;
    Frame* data = FramePool::Alloc();
    Updates sink;
    receiver.credit->OnData(*data, 5, sink);
    Frame* ack = FramePool::Alloc();
    ack->kind = FrameKind::ACK;
    receiver.credit->FillAck(*ack, *data, 5);
    EXPECT_EQ(ack->GetExtension(0), 0);
    EXPECT_EQ(receiver.credit->GetMatches(), 0u);
    FramePool::Free(ack);
    FramePool::Free(data);
}

// Time stamps go back with ACKs even though telemetry does not.
TEST(MlccCredit, TimeStampsStay)
{
    Receiver receiver;
    Frame* data = FramePool::Alloc();
    data->Extend<MlccHeader>();
    data->flags = FRAME_TIMESTAMP;
    data->telemetry = FramePool::AllocInt();
    data->telemetryBytes = 8 + 4 + 24;
    Frame* ack = FramePool::Alloc();
    ack->kind = FrameKind::ACK;
    ack->frameBytes = ACK_FRAME_BYTES;
    ReceiverFeedback::Echo(*ack, *data);
    receiver.credit->FillAck(*ack, *data, 5);
    EXPECT_EQ(ack->telemetryBytes, TIMESTAMP_BYTES);
    EXPECT_EQ(ack->frameBytes, ACK_FRAME_BYTES + 10 + TIMESTAMP_BYTES);
    EXPECT_FALSE(ack->telemetry);
    FramePool::Free(ack);
    FramePool::Free(data);
}

// Live values act from now on, state stays.
TEST(MlccCredit, IsRetuned)
{
    Receiver receiver;
    EgressPort port = Port25();
    receiver.Match({port});
    const auto retune = [&](const Attributes& attributes) {
        const Ptr<Mlcc> law = With<Mlcc>(attributes);
        law->SetInnerLaw(PlainHpcc());
        receiver.credit->Retune(*law->MakeFeedback(), receiver.nowPs);
    };
    const auto target = [&] {
        receiver.Match({}, 10000000);
        return receiver.credit->GetDqm().GetTargetBps();
    };
    const double usual = target();
    const double delayMs = receiver.credit->GetDqm().GetDelayPs() / MS;
    ASSERT_GT(delayMs, 2);
    const auto expect = [&](double targetMs, double thetaMs) {
        const double found = target();
        const MlccDqm& dqm = receiver.credit->GetDqm();
        EXPECT_NEAR(found,
                    MlccDqm::TargetRate(receiver.credit->GetCreditBps(),
                                        dqm.GetDelayPs(),
                                        targetMs * MS,
                                        thetaMs * MS),
                    1);
    };
    EXPECT_GT(usual, 0);
    retune({});
    expect(1, 18);
    retune({{"Theta", "30ms"}});
    expect(1, 30);
    retune({{"TargetDelay", "3ms"}});
    expect(3, 18);
    retune({{"Alpha", "1"}, {"TargetDelay", "9s"}});
    target();
    const double dw = receiver.credit->GetDqm().GetDw();
    for (int i = 0; i < 10; ++i)
    {
        receiver.Get(0);
    }
    EXPECT_EQ(receiver.credit->GetDqm().GetDw(), std::min(dw + 10, 0.0)) << "a gain of 1";
    retune({{"MinRate", "24Gbps"}});
    for (int i = 0; i < 20; ++i)
    {
        port.Run(22 * US, 25e9, 50'000'000);
        receiver.Match({port}, 50000000);
    }
    EXPECT_EQ(receiver.credit->GetCreditBps(), 24e9);
    EXPECT_EQ(receiver.credit->GetDqm().GetSmoothedBps(), 24e9);
    EXPECT_NE(ErrorOf([&] {
                  receiver.credit->Retune(*CreateObject<PlainFeedback>(), 0);
              }).find("cannot take over parameters of ns3::roce::PlainFeedback"),
              std::string::npos);
}

TEST(MlccCredit, ForksBeginAnew)
{
    Receiver receiver;
    receiver.Match({Port25()});
    const Ptr<MlccCredit> fork = DynamicCast<MlccCredit>(receiver.credit->Fork());
    fork->Start(MLCC_PATH, 0);
    EXPECT_EQ(fork->GetEpoch(), 1);
    EXPECT_EQ(fork->GetMatches(), 0u);
    EXPECT_EQ(receiver.credit->GetEpoch(), 2) << "the other is as it was";
}

TEST(MlccCredit, TellsOfMatches)
{
    Receiver receiver;
    std::vector<std::pair<uint64_t, int64_t>> told;
    receiver.credit->TraceConnectWithoutContext(
        "Match",
        Callback<void, const MlccCredit&, Time>([&](const MlccCredit& credit, Time at) {
            told.emplace_back(credit.GetMatches(), at.GetPicoSeconds());
        }));
    receiver.Match({});
    receiver.Get(0);
    receiver.Match({});
    EXPECT_EQ(told, (std::vector<std::pair<uint64_t, int64_t>>{{1, 22 * US}, {2, 44 * US}}));
}

} // namespace
