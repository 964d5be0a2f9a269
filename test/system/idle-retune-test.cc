// SPDX-License-Identifier: GPL-2.0-only
// A NIC with very many queue pairs is retuned without a look at those that wait for nothing; they
// take over what they have missed, as of its time, when they are used.
#include "roce-test-network.h"

#include "ns3/roce-dcqcn.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Counts what it is told.
class CountingDcqcn : public Dcqcn
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::test::CountingDcqcn")
                                .SetParent<Dcqcn>()
                                .SetGroupName("RoceTest")
                                .AddConstructor<CountingDcqcn>();
        return tid;
    }

    Ptr<CongestionControl> Fork() const override
    {
        return CopyObject<CountingDcqcn>(this);
    }

    void Retune(const CongestionControl& prototype, int64_t nowPs) override
    {
        ++s_retunes;
        retunedPs.push_back(nowPs);
        Dcqcn::Retune(prototype, nowPs);
    }

    CountingDcqcn()
    {
        ++s_alive;
    }

    CountingDcqcn(const CountingDcqcn& other)
        : Dcqcn(other),
          retunedPs(other.retunedPs)
    {
        ++s_alive;
    }

    ~CountingDcqcn() override
    {
        --s_alive;
    }

    std::vector<int64_t> retunedPs;
    static inline unsigned s_retunes = 0;
    static inline unsigned s_alive = 0; //!< objects
};

NS_OBJECT_ENSURE_REGISTERED(CountingDcqcn);

/// Counts, too; says of itself whether it may be retuned late.
class CountingFeedback : public ReceiverFeedback
{
  public:
    explicit CountingFeedback(bool canBeLate)
        : m_canBeLate(canBeLate)
    {
    }

    Ptr<ReceiverFeedback> Fork() const override
    {
        return CreateObject<CountingFeedback>(m_canBeLate);
    }

    bool CanRetuneLate() const override
    {
        return m_canBeLate;
    }

    void Retune(const ReceiverFeedback&, int64_t nowPs) override
    {
        retunedPs.push_back(nowPs);
        ++s_retunes;
    }

    std::vector<int64_t> retunedPs;
    static inline unsigned s_retunes = 0;

  private:
    bool m_canBeLate;
};

/// Its receivers count.
class ToldDcqcn : public Dcqcn
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::test::ToldDcqcn")
                                .SetParent<Dcqcn>()
                                .SetGroupName("RoceTest")
                                .AddConstructor<ToldDcqcn>();
        return tid;
    }

    Ptr<CongestionControl> Fork() const override
    {
        return CopyObject<ToldDcqcn>(this);
    }

    Ptr<ReceiverFeedback> MakeFeedback() const override
    {
        return CreateObject<CountingFeedback>(s_canBeLate);
    }

    static inline bool s_canBeLate = true;
};

NS_OBJECT_ENSURE_REGISTERED(ToldDcqcn);

struct IdleRetune : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("test::CountingDcqcn");
        CountingDcqcn::s_retunes = 0;
        MakeStar(net, 3);
        net.Build();
        net.AssignStreams(1);
    }

    QueuePair* Open(uint32_t src)
    {
        const Ptr<Nic> nic = net.GetNic(src);
        const uint32_t number = net.GetNic(2)->ReserveQp(src, nic->GetProfile());
        return nic->OpenQp(2, number, 3, static_cast<uint16_t>(50000 + m_opened++ % 10000), false);
    }

    static Ptr<CongestionControl> Law(const std::string& ai)
    {
        Ptr<CountingDcqcn> law = CreateObject<CountingDcqcn>();
        law->SetAttribute("AiRate", StringValue(ai));
        return law;
    }

    static CountingDcqcn& LawOf(QueuePair* qp)
    {
        return dynamic_cast<CountingDcqcn&>(qp->GetCc());
    }

    Network net;

  private:
    uint64_t m_opened{0};
};

TEST_F(IdleRetune, TenThousandQueuePairs)
{
    std::vector<QueuePair*> qps;
    for (unsigned i = 0; i < 10000; ++i)
    {
        qps.push_back(Open(0));
    }
    for (const unsigned busy : {17U, 4000U, 9999U})
    {
        net.GetNic(0)->Post(qps[busy], 2000000, busy);
    }
    Simulator::Schedule(MicroSeconds(100), [&] {
        net.GetNic(0)->Retune(false, Law("50Mbps"));
        EXPECT_EQ(CountingDcqcn::s_retunes, 3u) << "only those with unacknowledged messages";
    });
    Simulator::Schedule(MicroSeconds(150), [&] {
        net.GetNic(0)->Retune(false, Law("60Mbps"));
        EXPECT_EQ(CountingDcqcn::s_retunes, 6u);
    });
    Simulator::Schedule(MicroSeconds(200), [&] {
        net.GetNic(0)->Post(qps[5], 1000, 5);
        EXPECT_EQ(CountingDcqcn::s_retunes, 8u) << "the one that is used takes over both";
        EXPECT_EQ(LawOf(qps[5]).retunedPs, (std::vector<int64_t>{100 * US, 150 * US}));
        EXPECT_EQ(LawOf(qps[5]).GetParams().aiRateBps, 60e6);
        // Who looks at one sees what is in force, too.
        const QueuePair* seen = net.GetNic(0)->GetQp(qps[6]->GetQpn());
        EXPECT_EQ(dynamic_cast<const Dcqcn&>(seen->GetCc()).GetParams().aiRateBps, 60e6);
    });
    // All messages are acknowledged by then; a queue pair that was busy is idle like the others.
    Simulator::Schedule(MilliSeconds(2), [&] {
        EXPECT_EQ(qps[17]->GetUna(), qps[17]->GetEndPsn());
        const unsigned before = CountingDcqcn::s_retunes;
        net.GetNic(0)->Retune(false, Law("70Mbps"));
        EXPECT_EQ(CountingDcqcn::s_retunes, before);
        net.GetNic(0)->Post(qps[17], 1000, 20000);
        EXPECT_EQ(CountingDcqcn::s_retunes, before + 1);
        EXPECT_EQ(LawOf(qps[17]).GetParams().aiRateBps, 70e6);
        QueuePair* fresh = Open(0);
        net.GetNic(0)->Post(fresh, 1000, 20001);
        EXPECT_EQ(CountingDcqcn::s_retunes, before + 1) << "a new one begins with what is in force";
        EXPECT_EQ(LawOf(fresh).GetParams().aiRateBps, 70e6);
    });
    Simulator::Run();
    net.CatchUp();
    EXPECT_EQ(net.Audit(false), "");
}

struct IdleReceivers : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("test::ToldDcqcn");
        CountingFeedback::s_retunes = 0;
    }

    /// @brief Ten thousand queue pairs send a frame each; retune at 2 and 3 ms; one sends again.
    void Run(Network& net)
    {
        MakeStar(net, 2);
        net.Build();
        net.AssignStreams(1);
        const Ptr<Nic> nic = net.GetNic(0);
        std::vector<QueuePair*> qps;
        for (uint16_t i = 0; i < 10000; ++i)
        {
            const uint32_t number = net.GetNic(1)->ReserveQp(0, nic->GetProfile());
            numbers.push_back(number);
            qps.push_back(nic->OpenQp(1, number, 3, static_cast<uint16_t>(50000 + i), false));
            nic->Post(qps.back(), 100, i);
        }
        for (const int64_t atMs : {2, 3})
        {
            Simulator::Schedule(MilliSeconds(atMs), [&net, this] {
                net.GetNic(0)->Retune(false, CreateObject<ToldDcqcn>());
                net.GetNic(1)->RetuneReceivers();
                retunes.push_back(CountingFeedback::s_retunes);
            });
        }
        Simulator::Schedule(MilliSeconds(4), [nic, qps] { nic->Post(qps[5], 100, 10000); });
        Simulator::Run();
    }

    const CountingFeedback& FeedbackOf(const Network& net, std::size_t i) const
    {
        const ReceiverQp* qp = net.GetNic(1)->GetReceiver(numbers[i]);
        return dynamic_cast<const CountingFeedback&>(*qp->feedback);
    }

    std::vector<uint32_t> numbers;
    std::vector<unsigned> retunes; //!< after each time
};

TEST_F(IdleReceivers, TenThousand)
{
    Network net;
    ToldDcqcn::s_canBeLate = true;
    Run(net);
    EXPECT_EQ(retunes, (std::vector<unsigned>{10000, 10000}))
        << "the second time none has had data since";
    EXPECT_EQ(CountingFeedback::s_retunes, 10001u) << "the one with data has taken it over";
    const std::vector<int64_t>& times = FeedbackOf(net, 5).retunedPs;
    ASSERT_EQ(times.size(), 2u);
    EXPECT_GT(times[1], 4000 * US) << "with its data";
    EXPECT_EQ(FeedbackOf(net, 6).retunedPs.size(), 1u);
}

TEST_F(IdleReceivers, ThoseThatMayNotBeLateAreNot)
{
    Network net;
    ToldDcqcn::s_canBeLate = false;
    Run(net);
    EXPECT_EQ(retunes, (std::vector<unsigned>{10000, 20000}));
    EXPECT_EQ(FeedbackOf(net, 5).retunedPs, (std::vector<int64_t>{2000 * US, 3000 * US}));
}

// What one takes over late it takes over as of the time at which others did.
TEST_F(IdleRetune, IdleOnesTakeOverAsOfItsTime)
{
    QueuePair* pairs[2] = {Open(0), Open(1)};
    for (uint32_t n : {0, 1}) // an incast: both are cut
    {
        net.GetNic(n)->Post(pairs[n], 3000000, n);
    }
    for (const int64_t atUs : {1500, 1900, 2600})
    {
        Simulator::Schedule(MicroSeconds(atUs), [&, atUs] {
            for (uint32_t n : {0, 1})
            {
                const Ptr<CongestionControl> law = Law(std::to_string(atUs) + "Mbps");
                law->SetAttribute("TimeReset", TimeValue(MicroSeconds(atUs / 10)));
                net.GetNic(n)->Retune(false, law);
                // The second one is looked at: it has taken over at once.
                net.GetNic(1)->GetQp(pairs[1]->GetQpn());
            }
        });
    }
    Simulator::Schedule(MicroSeconds(3333), [&] {
        ASSERT_EQ(pairs[0]->GetUna(), pairs[0]->GetEndPsn()) << "the test needs idle ones";
        ASSERT_EQ(pairs[1]->GetUna(), pairs[1]->GetEndPsn());
        EXPECT_LT(LawOf(pairs[0]).retunedPs.size(), LawOf(pairs[1]).retunedPs.size());
        net.GetNic(0)->GetQp(pairs[0]->GetQpn());
        EXPECT_EQ(LawOf(pairs[0]).retunedPs, LawOf(pairs[1]).retunedPs);
        EXPECT_EQ(LawOf(pairs[0]).retunedPs,
                  (std::vector<int64_t>{1500 * US, 1900 * US, 2600 * US}));
    });
    Simulator::Run();
}

// Queue pairs that are never used again do not make the NIC keep every change for them.
TEST_F(IdleRetune, ThousandsOfRetunings)
{
    QueuePair* idle = Open(0);
    QueuePair* used = Open(0);
    const unsigned before = CountingDcqcn::s_alive;
    unsigned most = 0;
    constexpr unsigned N = 5000;
    for (unsigned i = 1; i <= N; ++i)
    {
        Simulator::Schedule(MicroSeconds(i), [&, i] {
            net.GetNic(0)->Retune(false, Law(std::to_string(i) + "Mbps"));
            most = std::max(most, CountingDcqcn::s_alive);
            if (i % 700 == 0)
            {
                net.GetNic(0)->Post(used, 1000, i);
            }
        });
    }
    Simulator::Run();
    EXPECT_LT(most, before + 300) << "changes kept for idle queue pairs, of " << N;
    for (QueuePair* qp : {idle, used})
    {
        net.GetNic(0)->GetQp(qp->GetQpn());
        const std::vector<int64_t>& seen = LawOf(qp).retunedPs;
        ASSERT_EQ(seen.size(), N) << "each is taken over, once";
        for (unsigned i = 0; i < N; ++i)
        {
            ASSERT_EQ(seen[i], (i + 1) * US) << "as of its time";
        }
        EXPECT_EQ(LawOf(qp).GetParams().aiRateBps, N * 1e6);
    }
}

} // namespace
