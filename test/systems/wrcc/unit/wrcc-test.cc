// SPDX-License-Identifier: GPL-2.0-only
// WRCC's sender, receiver and headers: the rules of Algorithm 2 with worked-out numbers, and the
// growth of one flow over a model of an empty path, against an independent model.
#include "roce-law-fixture.h"
#include "wire-format-test-util.h"

#include "ns3/roce-wire-format.h"
#include "ns3/roce-wrcc-header.h"
#include "ns3/roce-wrcc.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint32_t FRAME = 1098;
const PathInfo NEAR = [] {
    PathInfo path = MakePath(G100, 12 * US, FRAME, 0);
    path.datacenter = 7;
    return path;
}();

/// A sender that hears what the tests say.
struct WrccSender
{
    explicit WrccSender(const Attributes& attributes = {}, const PathInfo& path = NEAR)
        : law(MakeLaw<Wrcc>(attributes, path))
    {
    }

    /// An ACK of that PSN. @param rateMbps FairRate @param domain of the receiver
    void Ack(uint64_t psn, uint32_t rateMbps, uint16_t domain = 7, bool clipped = false)
    {
        Ack(psn, rateMbps, domain, clipped, FRAME, true);
    }

    /// The same. @param inflightBytes on the way @param hasMore something waits to be sent
    void Ack(uint64_t psn,
             uint32_t rateMbps,
             uint16_t domain,
             bool clipped,
             uint64_t inflightBytes,
             bool hasMore)
    {
        WrccHeader header{domain, 0, rateMbps, 12};
        header.fbdp = clipped ? WrccHeader::CLIPPED : 0;
        AckInfo ack;
        ack.nowPs = nowPs;
        ack.ackPsn = psn + 1;
        ack.sndNxtPsn = next;
        ack.ackedPackets = 1;
        ack.inflightBytes = inflightBytes;
        ack.hasMore = hasMore;
        ack.extension = ExtensionView(WrccHeader::EXTENSION, &header);
        law->OnAck(ack);
    }

    void Fcnp(uint32_t psn, uint32_t rateMbps)
    {
        WrccFcnp fcnp{7, 1, psn & 0xffffff, rateMbps};
        Notification notification;
        notification.nowPs = nowPs;
        notification.kind = WrccFcnp::KIND;
        notification.psn = psn;
        notification.extension = ExtensionView(WrccFcnp::EXTENSION, &fcnp);
        law->OnNotification(notification);
    }

    WrccHeader Send()
    {
        WrccHeader header{};
        SendInfo sent;
        sent.nowPs = nowPs;
        sent.wireBytes = FRAME;
        sent.psn = next++;
        sent.extension = ExtensionView(WrccHeader::EXTENSION, &header);
        law->OnSend(sent);
        return header;
    }

    void Wait(int64_t ps)
    {
        nowPs += ps;
        law->Advance(nowPs);
    }

    uint64_t Mbps() const
    {
        return law->GetRateBps() / 1000000;
    }

    double Get(const char* name) const
    {
        return Variable(*law, name, nowPs);
    }

    Ptr<Wrcc> law;
    int64_t nowPs{0};
    uint64_t next{0};
};

const Attributes LITERAL{{"Profile", "literal"}};

TEST(Wrcc, FollowsAlgorithm2)
{
    WrccSender sender(LITERAL);
    EXPECT_EQ(sender.Mbps(), 100000u);
    EXPECT_EQ(sender.law->GetWindowBytes(), UNLIMITED_BYTES);
    EXPECT_EQ(sender.Get("fbdp"), 1);
    sender.Wait(10 * US);
    sender.Fcnp(10, 25000);
    EXPECT_EQ(sender.Mbps(), 25000u);
    EXPECT_EQ(sender.law->NextRateChangePs(), 34 * US) << "an FCNP restarts the timer";
    sender.Ack(9, 12500);
    EXPECT_EQ(sender.Mbps(), 25000u) << "an ACK of a PSN before PSN_last";
    EXPECT_EQ(sender.Get("fbdp"), 0) << "FBDP is cleared by any ACK of the own domain";
    sender.Ack(10, 12500);
    EXPECT_EQ(sender.Mbps(), 25000u) << "PSN_last itself";
    sender.Ack(11, 12500);
    EXPECT_EQ(sender.Mbps(), 12500u);
    EXPECT_EQ(sender.law->NextRateChangePs(), 34 * US) << "an ACK does not restart the timer";
    sender.Wait(5 * US);
    sender.Fcnp(12, 20000);
    EXPECT_EQ(sender.Mbps(), 12500u) << "an FCNP only lowers the rate";
    EXPECT_EQ(sender.law->NextRateChangePs(), 34 * US);
    sender.Wait(19 * US);
    EXPECT_EQ(sender.Mbps(), 25000u) << "the timer doubles";
    sender.Ack(13, 80000);
    EXPECT_EQ(sender.Mbps(), 80000u) << "an ACK may raise";
    sender.Wait(24 * US);
    EXPECT_EQ(sender.Mbps(), 100000u) << "min(2 R_c, B_send)";
    EXPECT_EQ(sender.law->NextRateChangePs(), NEVER_PS);
    sender.Ack(14, 100000, 8);
    EXPECT_EQ(sender.Get("fbdp"), 1) << "an ACK from another domain";
    EXPECT_EQ(sender.Send().fbdp, WrccHeader::BURST);
}

TEST(Wrcc, TheMisprintedMaximumJumpsToTheLineRate)
{
    WrccSender sender(Join(LITERAL, {{"TimerUsesMax", "true"}}));
    sender.Fcnp(0, 25000);
    sender.Wait(24 * US);
    EXPECT_EQ(sender.Mbps(), 100000u);
}

TEST(Wrcc, FirstAckCountsAndFcnpMovesPsnLast)
{
    WrccSender sender(LITERAL);
    sender.Ack(0, 40000);
    EXPECT_EQ(sender.Mbps(), 40000u) << "of PSN 0";
    sender.Ack(20, 30000);
    sender.Fcnp(10, 20000);
    EXPECT_EQ(sender.Mbps(), 20000u) << "an FCNP of an older PSN lowers, too";
    sender.Ack(15, 90000);
    EXPECT_EQ(sender.Mbps(), 20000u) << "and leaves PSN_last as it is";
    sender.Ack(21, 90000);
    EXPECT_EQ(sender.Mbps(), 90000u);
}

TEST(Wrcc, PsnsAreComparedModulo2To24)
{
    EXPECT_TRUE(IsLaterPsn(0, 0xffffff));
    EXPECT_TRUE(IsLaterPsn(1ULL << 24, (1ULL << 24) - 1));
    EXPECT_FALSE(IsLaterPsn(0xffffff, 0));
    EXPECT_FALSE(IsLaterPsn(5, 5 + (1ULL << 24)));
    WrccSender sender(LITERAL);
    for (uint64_t psn = 0; psn <= 0xfffff0; psn += 0x7ffff0)
    {
        sender.Ack(psn, 50000);
    }
    sender.Ack(0xffffff, 40000);
    sender.Fcnp(0x1000005, 30000); // 5 on the wire
    sender.Ack(0x1000004, 60000);
    EXPECT_EQ(sender.Mbps(), 30000u) << "before the FCNP's PSN";
    sender.Ack(0x1000006, 60000);
    EXPECT_EQ(sender.Mbps(), 60000u);
}

TEST(Wrcc, DataCarryTheRateAndTheRtt)
{
    WrccSender sender(LITERAL);
    WrccHeader header = sender.Send();
    EXPECT_EQ(header.domainId, 7);
    EXPECT_EQ(header.fbdp, WrccHeader::BURST);
    EXPECT_EQ(header.fairRateMbps, 100000u);
    EXPECT_EQ(header.rttUs, 12u);
    sender.Ack(0, 12345);
    header = sender.Send();
    EXPECT_EQ(header.fbdp, 0);
    EXPECT_EQ(header.fairRateMbps, 12345u);
    EXPECT_EQ(WrccMbps(30.9999e6), 30u) << "rounded down";
    EXPECT_EQ(WrccMbps(5), 1u) << "at least 1";
}

// A queue pair that has sent all that was posted begins again with FBDP 1, at whatever rate.
TEST(Wrcc, ARestBeginsABurst)
{
    WrccSender sender;
    sender.Send();
    sender.Ack(0, 1000, 7, false, FRAME, false);
    EXPECT_EQ(sender.Send().fbdp, 0) << "more is on the way";
    sender.Ack(1, 1000, 7, false, 0, true);
    EXPECT_EQ(sender.Send().fbdp, 0) << "the next packet waits for its time";
    sender.Ack(2, 1000, 7, false, 0, false);
    sender.Wait(MS);
    EXPECT_EQ(sender.Mbps(), 100000u) << "the timer goes on";
    EXPECT_EQ(sender.Send().fbdp, WrccHeader::BURST);
    EXPECT_EQ(sender.Send().fbdp, WrccHeader::BURST) << "until the first ACK";
    sender.Ack(3, 100000, 7, false, FRAME, false);
    EXPECT_EQ(sender.Send().fbdp, 0);

    AckInfo bare; // of a timer of the receiver: without the header
    bare.ackPsn = bare.sndNxtPsn = sender.next;
    sender.law->OnAck(bare);
    EXPECT_EQ(sender.Send().fbdp, WrccHeader::BURST) << "nothing is left";
    sender.Ack(5, 100000, 7, false, FRAME, false);
    bare.isNak = true;
    sender.law->OnAck(bare);
    EXPECT_EQ(sender.Send().fbdp, 0) << "what is lost comes again";
}

TEST(Wrcc, RttEstIsThePropagationInMicroseconds)
{
    // 6 links of 1 us: 12 us, six frames of 88 ns there and six ACKs back.
    PathInfo path = MakePath(G100, 12'560'000, 1098, 6);
    EXPECT_EQ(WrccSender({}, path).Send().rttUs, 12u);
    path = MakePath(G100, 2'016'920'000, 1098, 10);
    EXPECT_EQ(WrccSender({}, path).Send().rttUs, 2016u);
    path = MakePath(G100, 15'200'000, 4194, 6);
    EXPECT_EQ(WrccSender({}, path).Send().rttUs, 13u) << "4 KB frames and their ACKs";
    path = MakePath(G100, 200'000, 1098, 2);
    EXPECT_EQ(WrccSender({}, path).Send().rttUs, 1u) << "at least 1";

    WrccSender measuring(Attributes{{"RttEstMode", "srtt"}});
    EXPECT_TRUE(measuring.law->NeedsTimestamp());
    AckInfo ack;
    ack.rttPs = 100 * US;
    measuring.law->OnAck(ack);
    EXPECT_EQ(measuring.Send().rttUs, 100u);
    ack.rttPs = 20 * US;
    measuring.law->OnAck(ack);
    EXPECT_EQ(measuring.Send().rttUs, 90u);
    EXPECT_FALSE(WrccSender().law->NeedsTimestamp());
}

TEST(Wrcc, RateHasAFloor)
{
    WrccSender sender(LITERAL);
    sender.Ack(0, 3);
    EXPECT_EQ(sender.Mbps(), 100u);
    WrccSender lower(Join(LITERAL, {{"FMin", "2Mbps"}}));
    lower.Ack(0, 3);
    EXPECT_EQ(lower.Mbps(), 3u);
}

// --- RttGated

TEST(Wrcc, GatedDoublingIsNotUndoneByEarlierData)
{
    WrccSender sender;
    sender.Send(); // PSN 0
    sender.Ack(0, 10000);
    EXPECT_EQ(sender.law->NextRateChangePs(), 24 * US) << "2 x 12 us";
    sender.Send(); // 1
    sender.Send(); // 2
    sender.Wait(24 * US);
    EXPECT_EQ(sender.Mbps(), 20000u);
    sender.Ack(1, 10000);
    sender.Ack(2, 10000);
    EXPECT_EQ(sender.Mbps(), 20000u) << "sent before the doubling";
    sender.Send();
    sender.Ack(3, 20000);
    sender.Ack(4, 15000);
    EXPECT_EQ(sender.Mbps(), 15000u) << "sent afterwards";

    PathInfo far = NEAR;
    far.baseRttPs = 2016 * US;
    EXPECT_EQ(WrccSender({}, far).law->NextRateChangePs(), NEVER_PS) << "at the line rate";
    WrccSender distant({}, far);
    distant.Ack(0, 10000);
    EXPECT_EQ(distant.law->NextRateChangePs(), 4032 * US);
}

// T_1 is a floor of the gated timer, too: with 24 us and 2 x RTT_est of the paths above it is one
// and the same.
TEST(Wrcc, T1BindsShortPathsInTheDefaultProfile)
{
    PathInfo shorter = NEAR;
    shorter.baseRttPs = 4 * US;
    const auto timerPs = [&](const Attributes& attributes, const PathInfo& path) {
        WrccSender sender(attributes, path);
        sender.Ack(0, 10000);
        return sender.law->NextRateChangePs();
    };
    EXPECT_EQ(timerPs({}, shorter), 24 * US) << "not 2 x 4 us";
    EXPECT_EQ(timerPs({{"T1", "100us"}}, shorter), 100 * US);
    EXPECT_EQ(timerPs({{"T1", "100us"}}, NEAR), 100 * US);
    EXPECT_EQ(timerPs({{"T1", "24us"}, {"T1RttFactor", "5"}}, NEAR), 60 * US);
    WrccSender sender({{"T1", "100us"}}, NEAR);
    sender.Ack(0, 10000);
    sender.Wait(99 * US);
    EXPECT_EQ(sender.Mbps(), 10000u);
    sender.Wait(US);
    EXPECT_EQ(sender.Mbps(), 20000u);
    sender.Ack(1, 20000);
    sender.Wait(99 * US);
    EXPECT_EQ(sender.Mbps(), 20000u) << "restarted with the same";
}

TEST(Wrcc, ClippedRatesAreNotDoubled)
{
    for (const bool skip : {true, false})
    {
        WrccSender sender(Attributes{{"SkipIfClipped", skip ? "true" : "false"}});
        sender.Ack(0, 10000, 7, true);
        sender.Wait(24 * US);
        EXPECT_EQ(sender.Mbps(), skip ? 10000u : 20000u) << "an ACK was clipped";
        sender.Wait(24 * US);
        EXPECT_EQ(sender.Mbps(), skip ? 20000u : 40000u) << "not since the last expiry";
    }
    WrccSender told;
    told.Fcnp(0, 10000);
    told.Wait(24 * US);
    EXPECT_EQ(told.Mbps(), 10000u) << "an FCNP counts as clipped";
    told.Wait(24 * US);
    EXPECT_EQ(told.Mbps(), 20000u);
}

// Behind a queue a round trip is longer than the timer. Each doubling makes the sender ignore the
// ACKs of what it has sent before: without waiting it would never hear one again.
TEST(Wrcc, ADoublingWaitsForTheAnswerToTheLastOne)
{
    for (const bool skip : {true, false})
    {
        WrccSender sender(Attributes{{"SkipIfClipped", skip ? "true" : "false"}});
        sender.Send(); // PSN 0
        sender.Ack(0, 10000);
        sender.Send(); // 1
        sender.Wait(24 * US);
        EXPECT_EQ(sender.Mbps(), 20000u);
        for (uint64_t psn = 2; psn < 7; ++psn)
        {
            sender.Send();
            sender.Wait(24 * US);
            EXPECT_EQ(sender.Mbps(), 20000u) << "no ACK of PSN 2 yet";
        }
        sender.Ack(1, 10000);
        sender.Wait(24 * US);
        EXPECT_EQ(sender.Mbps(), 20000u) << "sent before the doubling, so no answer to it";
        sender.Ack(2, 20000);
        sender.Wait(24 * US);
        EXPECT_EQ(sender.Mbps(), 40000u) << "answered";
        sender.Send(); // 7
        sender.Send(); // 8
        sender.Fcnp(7, 30000);
        sender.Wait(24 * US);
        EXPECT_EQ(sender.Mbps(), skip ? 30000u : 60000u) << "an FCNP is an answer, too";
    }
    WrccSender literal(LITERAL);
    literal.Send();
    literal.Ack(0, 10000);
    literal.Send();
    literal.Wait(24 * US);
    literal.Send();
    literal.Wait(24 * US);
    EXPECT_EQ(literal.Mbps(), 40000u) << "as printed: whatever is on the way";
}

// As printed an ACK cannot raise the rate beyond that of its data; with the line rate in the header
// it brings the path's.
TEST(Wrcc, DataMayAskForTheLineRate)
{
    WrccSender sender(Join(LITERAL, {{"HeaderRate", "line"}}));
    sender.Ack(0, 12345);
    EXPECT_EQ(sender.Mbps(), 12345u);
    EXPECT_EQ(sender.Send().fairRateMbps, 100000u);
    sender.Ack(1, 60000);
    EXPECT_EQ(sender.Mbps(), 60000u);
    EXPECT_EQ(sender.Send().fairRateMbps, 100000u);
}

// A storm of FCNPs leaves the floor; one doubling per period leads back.
TEST(Wrcc, RecoversFromAStormOfFcnps)
{
    WrccSender sender;
    for (uint32_t i = 0; i < 100; ++i)
    {
        sender.Wait(US);
        sender.Fcnp(i, std::max(1U, 50000U >> std::min(i, 31U)));
    }
    EXPECT_EQ(sender.Mbps(), 100u);
    const int64_t from = sender.nowPs;
    while (sender.Mbps() < 100000)
    {
        ASSERT_LT(sender.nowPs - from, 13 * 24 * US);
        sender.Wait(24 * US);
    }
    EXPECT_GT(sender.nowPs - from, 9 * 24 * US) << "ten doublings";
}

// A second of silence costs no work, and nothing of it is lost.
TEST(Wrcc, IdleTimeIsEvaluatedAtOnce)
{
    WrccSender one;
    WrccSender many;
    for (WrccSender* sender : {&one, &many})
    {
        sender->Send();
        sender->Fcnp(0, 1000);
    }
    for (int i = 0; i < 100000; ++i)
    {
        many.Wait(10 * US);
    }
    one.Wait(100000 * 10 * US);
    EXPECT_EQ(one.Mbps(), many.Mbps());
    for (WrccSender* sender : {&one, &many})
    {
        sender->Ack(0, 30000);
        EXPECT_EQ(sender->Mbps(), 100000u) << "of data before the doublings";
        sender->Send();
        sender->Ack(1, 30000);
    }
    EXPECT_EQ(one.law->NextRateChangePs(), many.law->NextRateChangePs());
}

// --- growth over an empty path

/**
 * One flow of 1,098-byte packets whose pipe is full at a rate, over a path without queues.
 * @param pinMbps the path's fair rate
 * @return rate in Gbit/s in each half millisecond
 */
std::vector<double>
Grow(const Attributes& attributes,
     int64_t rttPs,
     uint32_t startMbps,
     int64_t untilPs,
     uint32_t pinMbps)
{
    PathInfo path = NEAR;
    path.baseRttPs = rttPs;
    WrccSender sender(attributes, path);

    struct Answer
    {
        uint64_t psn;
        uint32_t mbps;
        bool clipped;
    };

    std::multimap<int64_t, Answer> answers;
    const auto gapPs = [](uint64_t bps) {
        return static_cast<int64_t>(FRAME * 8e12 / static_cast<double>(bps));
    };
    sender.Send();
    sender.Ack(0, startMbps);
    for (int64_t at = 0; at < rttPs; at += gapPs(startMbps * 1000000ULL))
    {
        sender.Send();
        answers.insert({at, {sender.next - 1, startMbps, false}});
    }
    std::vector<double> bins(static_cast<std::size_t>(untilPs / (MS / 2)));
    int64_t sendPs = 0;
    while (sendPs < untilPs)
    {
        if (!answers.empty() && answers.begin()->first <= sendPs)
        {
            const auto [at, answer] = *answers.begin();
            answers.erase(answers.begin());
            sender.nowPs = at;
            sender.Ack(answer.psn, answer.mbps, 7, answer.clipped);
            continue;
        }
        sender.nowPs = sendPs;
        const WrccHeader header = sender.Send();
        answers.insert({sendPs + rttPs,
                        {sender.next - 1,
                         std::min(header.fairRateMbps, pinMbps),
                         header.fairRateMbps > pinMbps}});
        bins[static_cast<std::size_t>(sendPs / (MS / 2))] += FRAME * 8 / (0.5e-3 * 1e9);
        sendPs += gapPs(sender.law->GetRateBps());
    }
    return bins;
}

/// @return end of the first bin at that rate, ms
double
TimeTo(const std::vector<double>& bins, double gbps)
{
    for (std::size_t i = 0; i < bins.size(); ++i)
    {
        if (bins[i] >= gbps)
        {
            return 0.5 * static_cast<double>(i + 1);
        }
    }
    return 1e9;
}

double
MeanOfSecondHalf(const std::vector<double>& bins)
{
    double sum = 0;
    for (std::size_t i = bins.size() / 2; i < bins.size(); ++i)
    {
        sum += bins[i];
    }
    return sum / static_cast<double>(bins.size() - bins.size() / 2);
}

constexpr uint32_t FREE = 100000;

TEST(WrccGrowth, LiteralGainsAPacketPerPeriod)
{
    const std::vector<double> expected{12.2, 16.1, 18.0, 19.6, 21.9, 25.8};
    const auto near = Grow(LITERAL, 12 * US, 10000, 3 * MS, FREE);
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_NEAR(near[i], expected[i], 0.1 * expected[i]) << "bin " << i;
    }
    EXPECT_NEAR(Grow(LITERAL, 2016 * US, 10000, 60 * MS, FREE).back(), 14.6, 0.7);
}

TEST(WrccGrowth, GatedDoublesPerTwoRoundTrips)
{
    EXPECT_LE(TimeTo(Grow({}, 12 * US, 1000, 2 * MS, FREE), 95), 1);
    const auto far = Grow({}, 2016 * US, 1000, 40 * MS, FREE);
    EXPECT_NEAR(TimeTo(far, 50), 24.5, 0.5);
    EXPECT_NEAR(TimeTo(far, 95), 29, 0.5);
}

TEST(WrccGrowth, StaysNearAPinnedFairRate)
{
    const auto mean = [](const Attributes& attributes) {
        return MeanOfSecondHalf(Grow(attributes, 12 * US, 100000, 8 * MS, 10000));
    };
    EXPECT_NEAR(mean(LITERAL), 10.1, 0.15);
    EXPECT_NEAR(mean({}), 11.7, 0.2);
    EXPECT_NEAR(mean({{"SkipIfClipped", "false"}}), 15.1, 0.3);
}

// --- parameters

TEST(Wrcc, LiveParametersChangeAndOthersNot)
{
    WrccSender sender(LITERAL);
    sender.Ack(0, 10000);
    sender.Wait(10 * US);
    const Ptr<Wrcc> next = With<Wrcc>(Join(LITERAL, {{"T1", "100us"}}));
    sender.law->Retune(*next, sender.nowPs);
    EXPECT_EQ(sender.law->NextRateChangePs(), 24 * US) << "a timer that runs runs on";
    sender.Wait(14 * US);
    EXPECT_EQ(sender.law->NextRateChangePs(), 124 * US);
    const Ptr<Wrcc> other = With<Wrcc>(Join(LITERAL, {{"RttEstMode", "srtt"}}));
    EXPECT_NE(ErrorOf([&] { sender.law->Retune(*other, sender.nowPs); }).find("cannot change"),
              std::string::npos);
}

TEST(Wrcc, BadValuesAreRefused)
{
    ExpectEachRefused<Wrcc>({{"T1", "0s"},
                             {"T1RttFactor", "-1"},
                             {"IncreaseMode", "always"},
                             {"FMin", "0bps"},
                             {"RttEstMode", "none"},
                             {"Profile", "paper"}},
                            NEAR);
}

TEST(Wrcc, TellsWhatHasSetTheRate)
{
    std::vector<std::pair<uint64_t, int>> told;
    const Ptr<Wrcc> prototype = With<Wrcc>(LITERAL);
    prototype->TraceConnectWithoutContext(
        "Rate",
        Callback<void, uint64_t, Wrcc::Cause, Time>([&](uint64_t bps, Wrcc::Cause cause, Time) {
            told.emplace_back(bps / 1000000, cause);
        }));
    WrccSender sender;
    sender.law = DynamicCast<Wrcc>(prototype->Fork());
    sender.law->Start(NEAR, 0);
    sender.Fcnp(0, 5000);
    sender.Ack(1, 7000);
    sender.Wait(24 * US);
    const std::vector<std::pair<uint64_t, int>> expected{
        {100000, Wrcc::START},
        {5000, Wrcc::FCNP},
        {7000, Wrcc::ACK},
        {14000, Wrcc::TIMER},
    };
    EXPECT_EQ(told, expected);
}

// --- headers

/// @return the bytes in hexadecimal from an offset on
std::string
Hex(const std::vector<uint8_t>& bytes, std::size_t from, std::size_t n)
{
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(from);
    return wiretest::ToHex({first, first + static_cast<std::ptrdiff_t>(n)});
}

using wiretest::BTH;

TEST(WrccHeaders, Data)
{
    Frame* frame = FramePool::Alloc();
    frame->payloadBytes = 1000;
    frame->frameBytes = DATA_HEADER_BYTES + 1000;
    frame->Extend<WrccHeader>() = {0x0102, 0x0003, 0x04050607, 0x08090a0b};
    EXPECT_EQ(frame->frameBytes, DATA_HEADER_BYTES + 1000 + 12);
    EXPECT_LT(12.0 / 1024, 0.012) << "1.2 % of a packet, as the paper says";
    const std::vector<uint8_t> bytes = WireFormat::Serialize(*frame);
    EXPECT_EQ(bytes.size() + FCS_BYTES, frame->frameBytes);
    EXPECT_EQ(Hex(bytes, BTH + BTH_BYTES, 12),
              "01020003"
              "04050607"
              "08090a0b");
    FramePool::Free(frame);
}

TEST(WrccHeaders, Fcnp)
{
    Frame* frame = FramePool::Alloc();
    frame->kind = FrameKind::NOTIFICATION;
    frame->frameBytes = ACK_FRAME_BYTES;
    frame->msn = WrccFcnp::KIND;
    frame->psn = 0xabcdef;
    frame->Extend<WrccFcnp>() = {0x0102, 0x0003, 0xabcdef, 0x00007530};
    EXPECT_EQ(frame->frameBytes, ACK_FRAME_BYTES + 12);
    const std::vector<uint8_t> bytes = WireFormat::Serialize(*frame);
    EXPECT_EQ(bytes.size() + FCS_BYTES, frame->frameBytes);
    EXPECT_EQ(Hex(bytes, BTH + 9, 3), "abcdef") << "the PSN is in BTH, too";
    EXPECT_EQ(Hex(bytes, BTH + BTH_BYTES + AETH_BYTES, 12),
              "01020003"
              "00abcdef"
              "00007530");
    FramePool::Free(frame);
}

TEST(WrccHeaders, AckEchoesWithTheReceiversDomain)
{
    Frame* data = FramePool::Alloc();
    data->Extend<WrccHeader>() = {3, 3, 12345, 2016};
    Frame* ack = FramePool::Alloc();
    ack->kind = FrameKind::ACK;
    ack->frameBytes = ACK_FRAME_BYTES;
    const Ptr<ReceiverFeedback> feedback = With<Wrcc>({})->MakeFeedback()->Fork();
    PathInfo back = NEAR; // of the receiver: datacenter 7
    feedback->Start(back, 0);
    ReceiverFeedback::Echo(*ack, *data);
    feedback->FillAck(*ack, *data, 0);
    const WrccHeader* echo = ack->FindExtension<WrccHeader>();
    ASSERT_NE(echo, nullptr);
    EXPECT_EQ(echo->domainId, 7);
    EXPECT_EQ(echo->fbdp, 3);
    EXPECT_EQ(echo->fairRateMbps, 12345u);
    EXPECT_EQ(echo->rttUs, 2016u);
    EXPECT_EQ(ack->frameBytes, ACK_FRAME_BYTES + 12);
    FramePool::Free(ack);
    FramePool::Free(data);
}

} // namespace
