// SPDX-License-Identifier: GPL-2.0-only
// DCQCN+: periods and steps of the sender, the receiver's table of marked flows, what CNPs tell.
#include "counting-sink.h"
#include "roce-law-fixture.h"

#include "ns3/roce-dcqcn-plus.h"
#include "ns3/roce-wire-format.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

// ---------------------------------------------------------------- sender

/// Opens the state.
struct OpenPlus : public DcqcnPlus
{
    using DcqcnPlus::m_alpha;
    using DcqcnPlus::m_alphaPeriodPs;
    using DcqcnPlus::m_rate;
    using DcqcnPlus::m_target;
};

Ptr<OpenPlus>
Make(const Attributes& attributes = {})
{
    return MakeLaw<OpenPlus>(attributes, MakePath(G100, 40 * US, 1106));
}

/// A CNP that tells N and tau comes.
void
Cnp(const Ptr<OpenPlus>& cc, int64_t nowPs, uint32_t flows)
{
    DcqcnPlusHeader header{flows, flows * 1000};
    cc->OnCnp({nowPs, ExtensionView(DcqcnPlusHeader::EXTENSION, &header)});
}

double
Gbps(double bps)
{
    return bps / 1e9;
}

/// @return how much the target rises at an increase. @param cc not at the line rate
double
StepOf(const Ptr<OpenPlus>& cc)
{
    const double before = cc->m_target;
    cc->Advance(cc->NextRateChangePs());
    return cc->m_target - before;
}

} // namespace

TEST(DcqcnPlus, FirstCnpAndRecovery)
{
    auto cc = Make();
    EXPECT_EQ(cc->GetRateBps(), G100);
    Cnp(cc, 7 * US, 30);
    EXPECT_DOUBLE_EQ(cc->GetAlpha(7 * US), 1);
    EXPECT_DOUBLE_EQ(Gbps(cc->m_rate), 50);
    EXPECT_DOUBLE_EQ(Gbps(cc->m_target), 100);
    EXPECT_EQ(cc->m_alphaPeriodPs, 50 * US) << "X is 50 us: tau is shorter";
    EXPECT_EQ(cc->NextRateChangePs(), 107 * US);
    cc->Advance(107 * US - 1);
    EXPECT_DOUBLE_EQ(Gbps(cc->m_rate), 50);
    cc->Advance(107 * US);
    EXPECT_DOUBLE_EQ(Gbps(cc->m_rate), 75) << "T = 0: fast recovery";
    EXPECT_NEAR(cc->GetAlpha(107 * US), 0.99, 0.005);
    cc->Advance(207 * US);
    EXPECT_DOUBLE_EQ(Gbps(cc->m_target), 100) << "T = 1: the step ends at the line rate";
    EXPECT_DOUBLE_EQ(Gbps(cc->m_rate), 87.5);
}

TEST(DcqcnPlus, PeriodsFollowTheIncast)
{
    const std::map<uint32_t, int64_t> x{{0, 50},
                                        {30, 50},
                                        {45, 50},
                                        {50, 50},
                                        {51, 51},
                                        {200, 200}};
    for (const auto& [flows, expectedUs] : x)
    {
        auto cc = Make();
        Cnp(cc, 0, flows);
        EXPECT_EQ(cc->m_alphaPeriodPs, expectedUs * US) << flows;
        EXPECT_EQ(cc->NextRateChangePs(), 2 * expectedUs * US) << flows;
        EXPECT_DOUBLE_EQ(Variable(*cc, "receiver_flows"), flows);
        EXPECT_DOUBLE_EQ(Variable(*cc, "tau_ns"), flows * 1000);
    }
    auto silent = Make();
    Cnp(silent, 0, 200);
    silent->OnCnp({5 * US});
    EXPECT_EQ(silent->m_alphaPeriodPs, 50 * US) << "a CNP that tells nothing";
    // At a low rate a frame takes longer than tau: 1106 B at 100 Mbit/s, before the cut.
    auto slow = Make({{"MinRate", "100Mbps"}});
    for (int i = 0; i < 20; ++i)
    {
        Cnp(slow, i, 2);
    }
    ASSERT_EQ(slow->GetRateBps(), 100000000u);
    EXPECT_EQ(slow->m_alphaPeriodPs, 88480000);
}

// Alpha decays in the periods that held when they began; a CNP begins a new one.
TEST(DcqcnPlus, AlphaDecaysByItsPeriod)
{
    const double keeps = 255.0 / 256;
    auto cc = Make({{"InitialAlpha", "0.5"}});
    Cnp(cc, 0, 200);
    const double first = 0.5 * keeps + 1.0 / 256;
    EXPECT_DOUBLE_EQ(cc->GetAlpha(200 * US - 1), first);
    EXPECT_DOUBLE_EQ(cc->GetAlpha(399 * US), first * keeps);
    Cnp(cc, 399 * US, 1); // 199 us of a period of 200 us have passed
    const double second = first * keeps * keeps + 1.0 / 256;
    EXPECT_DOUBLE_EQ(cc->GetAlpha(399 * US), second);
    EXPECT_DOUBLE_EQ(cc->GetAlpha(449 * US - 1), second);
    EXPECT_DOUBLE_EQ(cc->GetAlpha(449 * US), second * keeps);
    EXPECT_DOUBLE_EQ(Gbps(cc->m_rate), Gbps(cc->m_target) * (1 - second / 2)) << "each CNP cuts";
}

TEST(DcqcnPlus, Steps)
{
    // Down to 100 * 2^-10 Gbit/s: Rt = 195.3125, Rc = 97.65625 Mbit/s.
    const auto down = [](const Attributes& attributes) {
        auto cc = Make(attributes);
        for (int i = 0; i < 10; ++i)
        {
            Cnp(cc, i, 1);
        }
        EXPECT_DOUBLE_EQ(cc->m_rate, 1e11 / 1024);
        return cc;
    };
    auto cc = down({});
    EXPECT_DOUBLE_EQ(StepOf(cc), 0);               // T = 0: fast recovery
    EXPECT_NEAR(StepOf(cc), 0.75e11 / 512 / 5, 1); // T = 1: a fifth of the rate
    const double rate = cc->m_rate;
    EXPECT_NEAR(StepOf(cc), rate, 1) << "T = 2, hyper: the rate, since that is below line / 100";
    while (cc->m_rate < 2e9)
    {
        cc->Advance(cc->NextRateChangePs());
    }
    // max(1, T - 3) hundredths of the line rate
    const double stage = Variable(*cc, "time_stage");
    ASSERT_GT(stage, 4);
    const double hyper = std::min(cc->m_rate, (stage - 3) * 1e9);
    EXPECT_NEAR(StepOf(cc), hyper, 1) << "T = " << stage;
    // From 50 Gbit/s nothing but the line rate's share binds.
    auto fast = Make({{"InitialAlpha", "0.4"}, {"Gain", "0.3"}});
    Cnp(fast, 0, 1); // alpha 0.58, Rc 71, Rt 100
    Cnp(fast, 1, 1); // alpha 0.706, Rt 71
    EXPECT_NEAR(Gbps(fast->m_target), 71, 1e-9);
    EXPECT_DOUBLE_EQ(StepOf(fast), 0);
    EXPECT_NEAR(Gbps(StepOf(fast)), 2, 1e-9) << "alpha is above 0.1: line / 50";
    EXPECT_NEAR(Gbps(StepOf(fast)), 1, 1e-9) << "T = 2: line / 100";
    EXPECT_NEAR(Gbps(StepOf(fast)), 1, 1e-9) << "T = 3";
    EXPECT_NEAR(Gbps(StepOf(fast)), 1, 1e-9) << "T = 4: (4 - 4 + 1) line / 100";
    EXPECT_NEAR(Gbps(StepOf(fast)), 2, 1e-9) << "T = 5";
    EXPECT_NEAR(Gbps(StepOf(fast)), 3, 1e-9) << "T = 6";
    // A low alpha makes additive steps small.
    for (const bool low : {false, true})
    {
        const double alpha = low ? 0.05 : 0.5;
        auto small = down({});
        small->m_alpha = alpha;
        EXPECT_DOUBLE_EQ(StepOf(small), 0);
        EXPECT_NEAR(StepOf(small), 0.75e11 / 512 / (low ? 10 : 5), 1);
        auto large = Make();
        Cnp(large, 0, 1);
        Cnp(large, 1, 1);
        large->m_alpha = alpha;
        EXPECT_DOUBLE_EQ(StepOf(large), 0);
        EXPECT_NEAR(Gbps(StepOf(large)), low ? 1 : 2, 1e-9);
    }
}

// The alpha that decides is that of before the increase: its tick of the same time comes later.
TEST(DcqcnPlus, AlphaTickOfTheSameTimeComesLater)
{
    // Alpha is A at the last CNP, and A / 8 after three ticks; the increase at T = 1 comes at 4 X.
    for (const bool above : {true, false})
    {
        auto cc = Make({{"InitialAlpha", "0"}, {"Gain", "0.5"}});
        for (int i = 0; i < 8; ++i)
        {
            Cnp(cc, i, 1);
        }
        cc->m_alpha = above ? 0.9 : 0.7; // 0.1125 or 0.0875; after a fourth tick both are below 0.1
        EXPECT_DOUBLE_EQ(StepOf(cc), 0);
        const double rate = cc->m_rate;
        EXPECT_NEAR(StepOf(cc), rate * (above ? 0.2 : 0.1), 1) << above;
    }
}

TEST(DcqcnPlus, BackAtTheLineRate)
{
    auto cc = Make({{"MinRate", "1bps"}});
    for (int i = 0; i < 60; ++i)
    {
        Cnp(cc, i, 1000);
    }
    EXPECT_EQ(cc->GetRateBps(), 1u);
    // Many timer events missed at once.
    auto idle = Make();
    auto often = Make();
    for (const auto& law : {idle, often})
    {
        law->OnCnp({0});
        law->OnCnp({1});
    }
    idle->Advance(1000 * MS);
    while (often->NextRateChangePs() <= 1000 * MS)
    {
        often->Advance(often->NextRateChangePs());
    }
    EXPECT_EQ(often->GetRateBps(), G100);
    EXPECT_EQ(idle->GetRateBps(), G100) << "a closed form of DCQCN's fixed steps is not for this";
    EXPECT_EQ(idle->NextRateChangePs(), NEVER_PS);
}

TEST(DcqcnPlus, RefusesBadAttributes)
{
    ExpectEachRefused<DcqcnPlus>({{"MinTimeBetweenCnps", "-1us"},
                                  {"MinTimeBetweenCnps", "2s"},
                                  {"ScanPeriod", "0"},
                                  {"ScanPeriod", "999ps"},
                                  {"Gain", "1.5"},
                                  {"InitialAlpha", "2"},
                                  {"MinRate", "0bps"},
                                  {"Threshold", "0"}},
                                 MakePath(G100, 40 * US, 1106));
}

TEST(DcqcnPlus, IsNotRetunedByDcqcn)
{
    auto plus = Make();
    EXPECT_NE(ErrorOf([&] { plus->Retune(*CreateObject<Dcqcn>(), 0); }).find("same class"),
              std::string::npos);
    auto plain = MakeLaw<Dcqcn>({}, MakePath(G100, 40 * US, 1106));
    EXPECT_NE(ErrorOf([&] { plain->Retune(*CreateObject<DcqcnPlus>(), 0); }).find("same class"),
              std::string::npos);
}

// ---------------------------------------------------------------- receiver

namespace
{

/// A CNP that a receiver has sent.
struct Sent
{
    int64_t atPs;
    uint32_t qpn;
    uint32_t flows;
    uint32_t tauNs;

    bool operator==(const Sent& o) const
    {
        return atPs == o.atPs && qpn == o.qpn && flows == o.flows && tauNs == o.tauNs;
    }
};

void
PrintTo(const Sent& sent, std::ostream* out)
{
    *out << sent.atPs << " ps: QP " << sent.qpn << " N " << sent.flows << " tau " << sent.tauNs;
}

/// The receiving half of a NIC, as far as feedbacks see it.
class Receiver : public NicReplySink
{
  public:
    explicit Receiver(uint32_t flows, const Attributes& attributes = {})
        : m_sink(*this)
    {
        const Ptr<ReceiverFeedback> prototype = With<DcqcnPlus>(attributes)->MakeFeedback();
        for (uint32_t i = 0; i < flows; ++i)
        {
            m_flows.push_back(prototype->Fork());
        }
    }

    /// A marked frame of a flow arrives; what is due before is done.
    void Mark(uint32_t flow, int64_t nowPs)
    {
        RunTo(nowPs - 1);
        m_nowPs = nowPs;
        Frame data{};
        data.ecn = ECN_CE;
        data.dstQp = flow;
        m_flows[flow]->OnData(data, nowPs, At(flow));
    }

    void RunTo(int64_t untilPs)
    {
        while (m_table && m_table->GetTimerPs() <= untilPs)
        {
            m_nowPs = m_table->GetTimerPs();
            ++timers;
            m_table->RunTimer(m_nowPs, *this);
        }
    }

    /// All flows are marked about every microsecond, seldom at the time of a visit.
    void MarkAll(int64_t fromUs, int64_t untilUs)
    {
        for (int64_t atPs = fromUs * US; atPs < untilUs * US; atPs += US - 63)
        {
            for (uint32_t flow = 0; flow < m_flows.size(); ++flow)
            {
                Mark(flow, atPs);
            }
        }
    }

    /// @return times of a flow's CNPs, us
    std::vector<int64_t> TimesOf(uint32_t qpn) const
    {
        std::vector<int64_t> times;
        for (const Sent& cnp : sent)
        {
            if (cnp.qpn == qpn)
            {
                times.push_back(cnp.atPs / US);
            }
        }
        return times;
    }

    ReplySink& At(uint32_t qpn) override
    {
        m_sink.qpn = qpn;
        return m_sink;
    }

    DcqcnPlusTable& GetTable()
    {
        return static_cast<DcqcnPlusTable&>(*m_table);
    }

    ReceiverFeedback& GetFlow(uint32_t flow)
    {
        return *m_flows[flow];
    }

    std::vector<Sent> sent;
    unsigned timers{0}; //!< how often the timer has run

  private:
    struct Sink : public ReplySink
    {
        explicit Sink(Receiver& r)
            : receiver(r)
        {
        }

        Frame* Make(FrameKind kind) override
        {
            Frame* frame = FramePool::Alloc();
            frame->kind = kind;
            frame->frameBytes = 78;
            return frame;
        }

        void Send(Frame* reply) override
        {
            ASSERT_EQ(reply->kind, FrameKind::CNP);
            EXPECT_EQ(reply->frameBytes, 86u) << "what it tells is charged";
            const auto& header = *reply->FindExtension<DcqcnPlusHeader>();
            receiver.sent.push_back({receiver.m_nowPs, qpn, header.flows, header.tauNs});
            FramePool::Free(reply);
        }

        NicFeedback& DoShare(std::type_index, ShareMaker make) override
        {
            if (!receiver.m_table)
            {
                receiver.m_table = make();
            }
            return *receiver.m_table;
        }

        Receiver& receiver;
        uint32_t qpn{0};
    };

    Sink m_sink;
    std::vector<Ptr<ReceiverFeedback>> m_flows;
    std::unique_ptr<NicFeedback> m_table;
    int64_t m_nowPs{0};
};

} // namespace

// A flow's interval is the smallest multiple of N us above 45 us.
TEST(DcqcnPlusTable, IntervalsByNumberOfFlows)
{
    const std::map<uint32_t, int64_t>
        intervals{{1, 46}, {2, 46}, {7, 49}, {30, 60}, {45, 90}, {46, 46}, {200, 200}};
    for (const auto& [flows, intervalUs] : intervals)
    {
        Receiver receiver(flows);
        receiver.MarkAll(0, 1200);
        for (const uint32_t flow : {0U, flows - 1})
        {
            const std::vector<int64_t> times = receiver.TimesOf(flow);
            ASSERT_GT(times.size(), 3u);
            for (std::size_t i = 1; i < times.size(); ++i)
            {
                EXPECT_EQ(times[i] - times[i - 1], intervalUs) << flows << " flows";
            }
        }
        EXPECT_EQ(receiver.sent.back().flows, flows);
        EXPECT_EQ(receiver.sent.back().tauNs, flows * 1000);
        for (std::size_t i = 1; i < receiver.sent.size(); ++i)
        {
            ASSERT_GE(receiver.sent[i].atPs - receiver.sent[i - 1].atPs, US)
                << "a receiver sends one CNP in a microsecond at most";
        }
        if (flows == 1)
        {
            EXPECT_LT(receiver.timers, 40u) << "visits that do nothing cost nothing";
        }
    }
}

TEST(DcqcnPlusTable, FirstCnpsComeOneByOne)
{
    Receiver receiver(3);
    int64_t nowPs = 10 * US;
    for (const uint32_t flow : {2, 0, 1})
    {
        receiver.Mark(flow, nowPs++);
    }
    receiver.RunTo(100 * US);
    const std::vector<Sent> expected{{11 * US, 2, 3, 3000},
                                     {12 * US, 0, 3, 3000},
                                     {13 * US, 1, 3, 3000}};
    EXPECT_EQ(receiver.sent, expected) << "in order of their first marks, a ScanPeriod apart";
}

TEST(DcqcnPlusTable, EntriesLeaveWhenTheyAreQuiet)
{
    Receiver receiver(2);
    receiver.Mark(0, 0);
    receiver.Mark(1, 100);
    receiver.RunTo(100 * US);
    EXPECT_EQ(receiver.GetTable().GetN(), 2u);
    receiver.MarkAll(100, 202); // both have CNPs until then
    receiver.RunTo(300 * US);
    EXPECT_EQ(receiver.GetTable().GetN(), 2u);
    receiver.RunTo(1000 * US);
    EXPECT_EQ(receiver.GetTable().GetN(), 0u) << "more than 200 us without a CNP";
    EXPECT_EQ(receiver.GetTable().GetTimerPs(), NEVER_PS) << "an empty table waits for nothing";
    const std::size_t before = receiver.sent.size();
    receiver.Mark(1, 2000 * US);
    receiver.RunTo(2100 * US);
    ASSERT_EQ(receiver.sent.size(), before + 1);
    EXPECT_EQ(receiver.sent.back(), (Sent{2001 * US, 1, 1, 1000})) << "as a new one";
}

TEST(DcqcnPlusTable, Attributes)
{
    Receiver receiver(10, {{"ScanPeriod", "2us"}, {"MinTimeBetweenCnps", "20us"}});
    receiver.MarkAll(0, 200);
    const std::vector<int64_t> times = receiver.TimesOf(0);
    ASSERT_GE(times.size(), 3u);
    EXPECT_LT(times[0], 20) << "a new entry counts as having had a CNP long ago";
    EXPECT_EQ(times[2] - times[1], 40) << "20 us are not more than 20 us";
    EXPECT_EQ(receiver.sent.back().tauNs, 20000u);
}

TEST(DcqcnPlusTable, Retuned)
{
    Receiver receiver(30);
    receiver.MarkAll(0, 300);
    const Ptr<ReceiverFeedback> next =
        With<DcqcnPlus>({{"MinTimeBetweenCnps", "80us"}, {"ScanPeriod", "2us"}})->MakeFeedback();
    for (uint32_t flow = 0; flow < 30; ++flow)
    {
        receiver.GetFlow(flow).Retune(*next, 300 * US);
    }
    receiver.sent.clear();
    receiver.MarkAll(300, 900);
    const std::vector<int64_t> times = receiver.TimesOf(4);
    ASSERT_GE(times.size(), 4u);
    EXPECT_EQ(times[3] - times[2], 120) << "visited every 60 us, at least 80 us between CNPs";
    EXPECT_EQ(receiver.sent.back().tauNs, 60000u);
    EXPECT_NE(ErrorOf([&] {
                  receiver.GetFlow(0).Retune(*CreateObject<PlainFeedback>(), US);
              }).find("same class"),
              std::string::npos);
}

// The table skips visits that do nothing. One that makes each of them sends the same.
TEST(DcqcnPlusTable, AsIfEachVisitWereMade)
{
    for (unsigned seed = 1; seed <= 40; ++seed)
    {
        std::mt19937_64 random(seed);
        const auto below = [&](int64_t n) {
            return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
        };
        const auto flows = static_cast<uint32_t>(1 + below(seed % 4 ? 80 : 4));
        Receiver receiver(flows);

        struct Entry
        {
            uint32_t qpn;
            int64_t lastPs;
            bool marked;
        };

        std::vector<Entry> ring;
        std::vector<Sent> expected;
        std::size_t cursor = 0;
        int64_t tickPs = 0;
        const auto visits = [&](int64_t beforePs) {
            for (; !ring.empty() && tickPs < beforePs; tickPs += US)
            {
                Entry& entry = ring[cursor];
                if (entry.marked && tickPs - entry.lastPs > 45 * US)
                {
                    const auto n = static_cast<uint32_t>(ring.size());
                    expected.push_back({tickPs, entry.qpn, n, n * 1000});
                    entry.marked = false;
                    entry.lastPs = tickPs;
                    ++cursor;
                }
                else if (tickPs - entry.lastPs > 200 * US)
                {
                    ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(cursor));
                }
                else
                {
                    ++cursor;
                }
                cursor = cursor < ring.size() ? cursor : 0;
            }
        };
        int64_t nowPs = 0;
        for (int i = 0; i < 2000; ++i)
        {
            nowPs += 1 + below(below(40) ? 2 * US : 400 * US);
            nowPs += (nowPs - tickPs) % US == 0; // not at the very time of a visit
            const auto qpn = static_cast<uint32_t>(below(flows));
            visits(nowPs);
            const auto entry = std::find_if(ring.begin(), ring.end(), [qpn](const Entry& e) {
                return e.qpn == qpn;
            });
            if (entry != ring.end())
            {
                entry->marked = true;
            }
            else
            {
                if (ring.empty())
                {
                    cursor = 0;
                    tickPs = nowPs + US;
                }
                ring.push_back({qpn, nowPs - 50 * US, true});
            }
            receiver.Mark(qpn, nowPs);
            ASSERT_EQ(receiver.GetTable().GetN(), ring.size()) << seed << ", mark " << i;
        }
        receiver.RunTo(nowPs + MS);
        visits(nowPs + MS);
        ASSERT_EQ(receiver.sent, expected) << seed;
        EXPECT_GT(expected.size(), 50u);
    }
}

TEST(DcqcnPlusFeedback, NeedsANic)
{
    test::CountingSink sink;
    const Ptr<ReceiverFeedback> feedback = CreateObject<DcqcnPlusFeedback>();
    Frame data{};
    feedback->OnData(data, 0, sink);
    EXPECT_TRUE(sink.sent.empty()) << "no mark, no CNP";
    data.ecn = ECN_CE;
    EXPECT_NE(ErrorOf([&] { feedback->OnData(data, 0, sink); }).find("expected a NIC"),
              std::string::npos);
}

TEST(DcqcnPlusHeader, IsOnTheWire)
{
    Frame* cnp = FramePool::Alloc();
    cnp->kind = FrameKind::CNP;
    cnp->frameBytes = WireFormat::FrameBytes(FrameKind::CNP, 0, false, 0);
    const std::vector<uint8_t> without = WireFormat::Serialize(*cnp);
    cnp->Extend<DcqcnPlusHeader>() = {0x01020304, 0xa1b2c3d4};
    const std::vector<uint8_t> with = WireFormat::Serialize(*cnp);
    ASSERT_EQ(with.size(), without.size() + 8);
    const std::vector<uint8_t> expected{1, 2, 3, 4, 0xa1, 0xb2, 0xc3, 0xd4};
    EXPECT_NE(std::search(with.begin(), with.end(), expected.begin(), expected.end()), with.end());
    EXPECT_EQ(cnp->frameBytes, with.size() + FCS_BYTES);
    FramePool::Free(cnp);
}
