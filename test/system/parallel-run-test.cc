// SPDX-License-Identifier: GPL-2.0-only

// Several threads give what one gives, and refuse what they cannot do.

#include "roce-error-of.h"
#include "roce-events-throw.h"
#include "roce-test-network.h"

#include "ns3/error-model.h"
#include "ns3/roce-error-model-loss.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace ns3::roce::test
{

namespace
{

/// What a run leaves behind.
struct Outcome
{
    uint64_t fingerprint{0};
    int64_t endPs{0};
    std::map<std::string, uint64_t> counters;
    std::vector<std::pair<uint64_t, int64_t>> completed; //!< flow, time: in the order told
    std::vector<int64_t> toldPs;                         //!< simulation time at which it was told
    std::vector<uint64_t> looks;                         //!< what the events of the test have seen

    /// Without the order in which completions were told.
    void ExpectSame(const Outcome& other) const
    {
        EXPECT_EQ(fingerprint, other.fingerprint);
        EXPECT_EQ(endPs, other.endPs);
        EXPECT_EQ(counters, other.counters);
        EXPECT_EQ(looks, other.looks);
        const auto sorted = [](std::vector<std::pair<uint64_t, int64_t>> list) {
            std::sort(list.begin(), list.end());
            return list;
        };
        EXPECT_EQ(sorted(completed), sorted(other.completed));
    }
};

/// Loses nothing, and tells when two threads are in models of this type at once.
class LonelyModel : public ErrorModel
{
  public:
    static std::atomic<unsigned> s_inside;
    static std::atomic<unsigned> s_met;

  private:
    bool DoCorrupt(Ptr<Packet>) override
    {
        s_met += s_inside.fetch_add(1) > 0;
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(2);
        while (std::chrono::steady_clock::now() < end)
        {
            std::this_thread::yield(); // on one core, too, another thread comes in here
        }
        --s_inside;
        return false;
    }

    void DoReset() override
    {
    }
};

std::atomic<unsigned> LonelyModel::s_inside{0};
std::atomic<unsigned> LonelyModel::s_met{0};

/// Four racks of three hosts, two spines; flows between all racks.
class ParallelRunTest : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(300)));
    }

    static constexpr uint32_t RACKS = 4;
    static constexpr uint32_t HOSTS = 12;

    /// @param nearDelayPs of the first host of each rack; 0: as the others
    static void Build(Network& net,
                      int64_t hostDelayPs = US,
                      int64_t fabricDelayPs = US,
                      int64_t nearDelayPs = 0)
    {
        for (uint32_t r = 0; r < RACKS; ++r)
        {
            net.AddSwitch("leaf" + std::to_string(r), 0);
        }
        for (uint32_t s = 0; s < 2; ++s)
        {
            net.AddSwitch("spine" + std::to_string(s), 0);
            for (uint32_t r = 0; r < RACKS; ++r)
            {
                net.Connect(r, RACKS + s, 40 * G, fabricDelayPs);
            }
        }
        for (uint32_t h = 0; h < HOSTS; ++h)
        {
            const int64_t delayPs = nearDelayPs && h < RACKS ? nearDelayPs : hostDelayPs;
            net.AddNic(net.AddHost("h" + std::to_string(h), 0), h % RACKS, 100 * G, delayPs);
        }
        net.Build();
        net.AssignStreams(100);
    }

    static std::vector<FlowSpec> Flows()
    {
        std::vector<FlowSpec> flows;
        for (uint32_t src = 0; src < HOSTS; ++src)
        {
            for (uint32_t i = 1; i < 5; ++i)
            {
                flows.push_back(Flow(src, (src + 5 * i) % HOSTS, 30000 * i, i * 7 * US));
            }
            flows.push_back(Flow(src, (src / 6) * 6 + (src % 6 ? 0 : 1), 50000, 20 * US));
        }
        return Numbered(flows);
    }

    /// @return a run with so many threads; prepare may add events that write looks
    static Outcome Run(unsigned threads,
                       const std::function<void(Network&, Outcome&)>& prepare = {},
                       int64_t hostDelayPs = US,
                       int64_t fabricDelayPs = US,
                       int64_t nearDelayPs = 0)
    {
        // One sink that may answer, so that each round has one window.
        return RunWith(false, threads, prepare, hostDelayPs, fabricDelayPs, nearDelayPs);
    }

    /// @param onlyNotes the sink of completions says that it does not answer
    static Outcome RunWith(bool onlyNotes,
                           unsigned threads,
                           const std::function<void(Network&, Outcome&)>& prepare,
                           int64_t hostDelayPs = US,
                           int64_t fabricDelayPs = US,
                           int64_t nearDelayPs = 0)
    {
        Outcome outcome;
        Network net;
        Build(net, hostDelayPs, fabricDelayPs, nearDelayPs);
        net.EnableFingerprint();
        net.InstallFlows(Flows());
        if (threads > 1)
        {
            EXPECT_EQ(net.SetThreads(threads), threads);
        }
        std::optional<ReplyMark::Notes> notes;
        if (onlyNotes)
        {
            notes.emplace();
        }
        for (uint32_t n = 0; n < HOSTS; ++n)
        {
            net.GetNic(n)->TraceConnectWithoutContext(
                "MessageCompleted",
                Callback<void, const MessageRecord&>([&](const MessageRecord& record) {
                    outcome.completed.emplace_back(record.cookie, record.completedPs);
                    outcome.toldPs.push_back(NowPs());
                }));
        }
        if (prepare)
        {
            prepare(net, outcome);
        }
        Simulator::Stop(MilliSeconds(6));
        Simulator::Run();
        EXPECT_EQ(net.Audit(true), "");
        outcome.endPs = NowPs();
        outcome.fingerprint = net.GetFingerprint();
        outcome.counters = net.GetCounters();
        EXPECT_EQ(outcome.completed.size(), Flows().size());
        Simulator::Destroy();
        return outcome;
    }
};

} // namespace

TEST_F(ParallelRunTest, WhatFlowsUseIsDivided)
{
    // Four partitions. Only the first two racks have flows, in which two of their hosts meet one of
    // the other's.
    std::vector<FlowSpec> flows;
    for (const uint32_t src : {0, 4, 8})
    {
        flows.push_back(Flow(src, 1, 1'000'000));
        flows.push_back(Flow(src, 5, 1'000'000));
    }
    const auto partitionOf = [](const Network& net, uint32_t nic) {
        return net.GetNic(nic)->GetPartition();
    };
    Network busy;
    Build(busy);
    busy.InstallFlows(Numbered(flows));
    ASSERT_EQ(busy.SetThreads(2), 2U);
    EXPECT_NE(partitionOf(busy, 0), partitionOf(busy, 1));
    EXPECT_NE(partitionOf(busy, 0), partitionOf(busy, 4)) << "of one rack, which has too much";
    EXPECT_EQ(partitionOf(busy, 2), partitionOf(busy, 6)) << "of one rack, which has nothing";
    // Those of whom nothing is known are divided, too.
    Network idle;
    Build(idle);
    ASSERT_EQ(idle.SetThreads(2), 2U);
    EXPECT_EQ(partitionOf(idle, 0), partitionOf(idle, 4)) << "of one rack";
    EXPECT_NE(partitionOf(idle, 0), partitionOf(idle, 1)) << "of two";
    Simulator::Destroy();
}

TEST_F(ParallelRunTest, ThreadsChangeNoResult)
{
    const Outcome one = Run(1);
    EXPECT_GT(one.counters.at("cnpsSent"), 0u) << "the run is too easy to show anything";
    for (const unsigned threads : {2, 3, 4})
    {
        SCOPED_TRACE(std::to_string(threads) + " threads");
        one.ExpectSame(Run(threads));
    }
}

TEST_F(ParallelRunTest, DelaysOfAllKinds)
{
    // Hosts nearer than the fabric, and further off: the windows are shorter than slacks, or as
    // long.
    for (const auto& [host, fabric] :
         {std::pair<int64_t, int64_t>(US / 5, US), {3 * US, US}, {US, 7 * US}, {US, US / 50}})
    {
        SCOPED_TRACE(std::to_string(host) + " ps, " + std::to_string(fabric) + " ps");
        Run(1, {}, host, fabric).ExpectSame(Run(3, {}, host, fabric));
    }
}

TEST_F(ParallelRunTest, StationsThatMayNotRunAWholeWindowAtOnce)
{
    // A near host and its switch answer each other several times in a window.
    for (const int64_t nearPs : {US / 2, US / 10, US / 50})
    {
        SCOPED_TRACE(std::to_string(nearPs) + " ps");
        Run(1, {}, US, US, nearPs).ExpectSame(Run(3, {}, US, US, nearPs));
    }
}

TEST_F(ParallelRunTest, CompletionsAreToldInOrderOfTimeAndNotTooLate)
{
    const Outcome three = Run(3);
    for (std::size_t i = 0; i < three.completed.size(); ++i)
    {
        const int64_t atPs = three.completed[i].second;
        EXPECT_TRUE(i == 0 || three.completed[i - 1].second <= atPs) << "out of order: " << i;
        EXPECT_LE(atPs, three.toldPs[i]);
        EXPECT_LE(three.toldPs[i], atPs + US) << "later than by a delay of a NIC's link: " << i;
    }
}

TEST_F(ParallelRunTest, RoundsHaveSeveralWindowsUntilTheLastFlowIsNearlySent)
{
    for (const bool onlyNotes : {true, false})
    {
        Network net;
        Build(net);
        net.InstallFlows(Numbered({Flow(0, 5, 3'000'000), Flow(1, 6, 3'000'000)}));
        net.MeasureBalance(2);
        std::optional<ReplyMark::Notes> notes;
        if (onlyNotes)
        {
            notes.emplace();
        }
        net.GetNic(0)->TraceConnectWithoutContext(
            "MessageCompleted",
            Callback<void, const MessageRecord&>([](const MessageRecord&) {}));
        Simulator::Run();
        const uint64_t windows = net.GetParallelRun()->GetBalance().windows;
        const uint64_t rounds = net.GetParallelRun()->GetNRounds();
        EXPECT_TRUE(onlyNotes ? windows > 4 * rounds : windows == rounds)
            << windows << " windows in " << rounds << " rounds";
        EXPECT_GT(net.GetParallelRun()->GetBalance().workNs,
                  net.GetParallelRun()->GetBalance().longestNs);
        Simulator::Destroy();
    }
}

TEST_F(ParallelRunTest, RoundsOfSeveralWindowsChangeNoResult)
{
    for (const int64_t fabricPs : {US, 3 * US, 100 * US}) // one team, and racks of their own
    {
        SCOPED_TRACE(std::to_string(fabricPs) + " ps");
        RunWith(true, 1, {}, US, fabricPs).ExpectSame(RunWith(true, 3, {}, US, fabricPs));
    }
}

TEST_F(ParallelRunTest, TheLastCompletionIsToldInTimeToEndTheRun)
{
    const Outcome three = RunWith(true, 3, {});
    const int64_t lastPs = three.completed.back().second;
    EXPECT_LE(three.toldPs.back(), lastPs + US) << "later than by a delay of a NIC's link";
    const auto late = [&](std::size_t i) { return three.toldPs[i] - three.completed[i].second; };
    int64_t latestPs = 0;
    for (std::size_t i = 0; i < three.completed.size(); ++i)
    {
        latestPs = std::max(latestPs, late(i));
    }
    EXPECT_GT(latestPs, US) << "no round had several windows, so this has tested nothing";
}

TEST_F(ParallelRunTest, LooksWithinLongRoundsSeeThePresent)
{
    const auto look = [](Network& net, Outcome& outcome) {
        for (int64_t atPs = 3 * US + 1; atPs < 80 * US; atPs += 3'771'113)
        {
            Simulator::Schedule(PicoSeconds(atPs), [&net, &outcome] {
                outcome.looks.push_back(net.GetNic(7)->GetCounters().dataSent);
                net.CatchUp();
                for (uint32_t l = 0; l < net.GetNLinks(); ++l)
                {
                    outcome.looks.push_back(net.GetLink(l).CountInFlight());
                }
            });
        }
    };
    RunWith(true, 1, look).ExpectSame(RunWith(true, 3, look));
}

TEST_F(ParallelRunTest, ErrorModelsOfNs3AreAskedByOneThreadAtATime)
{
    // All packets of ns-3 share one list of free memory.
    const auto model = [](Network& net, Outcome&) {
        for (uint32_t n = 0; n < HOSTS; ++n)
        {
            const auto loss = CreateObject<ErrorModelLoss>();
            loss->SetErrorModel(CreateObject<LonelyModel>());
            net.GetNic(n)->SetLossModel(loss);
        }
    };
    Run(1, model).ExpectSame(Run(3, model));
    EXPECT_EQ(LonelyModel::s_met, 0u) << "two threads made packets at once";
}

TEST_F(ParallelRunTest, LooksWithinWindowsSeeThePresent)
{
    const auto look = [](Network& net, Outcome& outcome) {
        for (int64_t atPs = 3 * US + 1; atPs < 80 * US; atPs += 771'113)
        {
            Simulator::Schedule(PicoSeconds(atPs), [&net, &outcome] {
                outcome.looks.push_back(net.GetNic(7)->GetCounters().dataSent);
                for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
                {
                    outcome.looks.push_back(net.GetSwitch(s)->GetCounters().rxFrames);
                    outcome.looks.push_back(net.GetSwitch(s)->GetBuffer().GetTotalBytes());
                }
                net.CatchUp();
                for (uint32_t l = 0; l < net.GetNLinks(); ++l)
                {
                    outcome.looks.push_back(net.GetLink(l).CountInFlight());
                }
            });
        }
    };
    Run(1, look).ExpectSame(Run(3, look));
}

TEST_F(ParallelRunTest, LooksAtTheEndsOfWindows)
{
    // Whatever comes first then, the next window is arranged for.
    const auto look = [](Network& net, Outcome& outcome) {
        for (int64_t atPs = US; atPs < 80 * US; atPs += US)
        {
            Simulator::Schedule(PicoSeconds(atPs), [&net, &outcome] {
                outcome.looks.push_back(net.GetNic(7)->GetCounters().dataSent);
            });
        }
    };
    Run(1, look).ExpectSame(Run(3, look));
}

TEST_F(ParallelRunTest, LinksFailAndAreRepairedAcrossTheCut)
{
    const auto fail = [](Network& net, Outcome&) {
        net.SetReroute(3 * US);
        for (uint32_t r = 0; r < RACKS; ++r)
        {
            const uint32_t link = net.FindLink(r, RACKS + r % 2).link;
            net.ScheduleLinkChange((11 + 7 * r) * US, link, false);
            net.ScheduleLinkChange((33 + 5 * r) * US, link, true);
        }
    };
    const Outcome one = Run(1, fail);
    EXPECT_GT(one.counters.at("framesLostLinkDown"), 0u);
    one.ExpectSame(Run(2, fail));
    one.ExpectSame(Run(4, fail));
}

TEST_F(ParallelRunTest, MessagesPostedByEvents)
{
    const auto post = [](Network& net, Outcome&) {
        for (uint32_t src = 0; src < HOSTS; ++src)
        {
            Simulator::Schedule(PicoSeconds(40 * US + 333 * src), [&net, src] {
                const uint32_t dst = (src + 1) % HOSTS;
                const Ptr<Nic> nic = net.GetNic(src);
                const uint32_t qp = net.GetNic(dst)->ReserveQp(src, nic->GetProfile());
                nic->Post(nic->OpenQp(dst, qp, 3, static_cast<uint16_t>(src), false), 20000, src);
            });
        }
    };
    Outcome one;
    const auto run = [&](unsigned threads) {
        Outcome outcome;
        Network net;
        Build(net);
        net.EnableFingerprint();
        net.InstallFlows(Flows());
        net.SetThreads(threads);
        post(net, outcome);
        Simulator::Run();
        outcome.fingerprint = net.GetFingerprint();
        outcome.counters = net.GetCounters();
        Simulator::Destroy();
        return outcome;
    };
    one = run(1);
    one.ExpectSame(run(2));
    one.ExpectSame(run(4));
}

TEST_F(ParallelRunTest, IdleTimeTakesNoWindows)
{
    Network net;
    Build(net);
    net.InstallFlows(Numbered({Flow(0, 5, 1000), Flow(0, 6, 1000, 10000 * US)}));
    net.MeasureBalance(2);
    Simulator::Run();
    EXPECT_EQ(net.GetCounters().at("dataSent"), 2u);
    EXPECT_GE(net.GetParallelRun()->GetBalance().windows, 2u);
    EXPECT_LE(net.GetParallelRun()->GetBalance().windows, 200u) << "10 ms are 10,000 windows";
    EXPECT_EQ(net.GetParallelRun()->GetWindowPs(), US);
}

// An event that sends to another partition: the frame is on its link for who looks at that time.
TEST_F(ParallelRunTest, WhatAnEventSendsIsOnItsLinkAtOnce)
{
    for (const unsigned threads : {1U, 4U})
    {
        Network net;
        Build(net);
        net.InstallFlows(Numbered({Flow(0, 5, 1000, 50 * US)}));
        net.SetThreads(threads);
        std::size_t inFlight = 0;
        Simulator::Schedule(MicroSeconds(10), [&] {
            net.CatchUp();
            for (const uint16_t uplink : {0, 1})
            {
                const Ptr<Port> port = net.GetSwitch(0)->GetPort(uplink);
                port->Transmit(port->MakePfc(3, 0), NowPs());
            }
            net.CatchUp();
            for (const uint16_t uplink : {0, 1})
            {
                const Ptr<Link> link = net.GetSwitch(0)->GetPort(uplink)->GetLink();
                inFlight += link->CountInFlight(0) + link->CountInFlight(1);
            }
        });
        Simulator::Run();
        EXPECT_EQ(inFlight, 2u) << threads << " threads";
        EXPECT_EQ(net.Audit(true), "");
        Simulator::Destroy();
    }
}

TEST_F(ParallelRunTest, SinksThatSeveralThreadsWouldCallAreRefused)
{
    [[maybe_unused]] const EventsThrow events;
    Network net;
    Build(net);
    net.InstallFlows(Flows());
    net.SetThreads(2);
    net.GetSwitch(0)->GetPort(0)->TraceConnectWithoutContext(
        "TxBegin",
        Callback<void, const Frame&, Time>([](const Frame&, Time) {}));
    EXPECT_NE(ErrorOf([] { Simulator::Run(); }).find("sink"), std::string::npos);
}

namespace
{

/// Schedules an event of ns-3 at its first frame.
struct Scheduling : public SwitchStage
{
    uint32_t GetHooks() const override
    {
        return ARRIVAL;
    }

    Verdict OnArrival(Frame&, Port&, int64_t) override
    {
        if (!done)
        {
            done = true;
            Simulator::Schedule(MicroSeconds(1), [] {});
        }
        return Verdict::PASS;
    }

    bool done{false};
};

} // namespace

TEST_F(ParallelRunTest, EventsOfStagesAreRefused)
{
    [[maybe_unused]] const EventsThrow events;
    for (const bool several : {false, true})
    {
        Network net;
        Build(net);
        net.GetSwitch(0)->Install(CreateObject<Scheduling>());
        net.InstallFlows(Flows());
        if (several)
        {
            net.MeasureBalance(2); // as two threads, but in one: nothing is wrecked
        }
        Simulator::Stop(MilliSeconds(6));
        const std::string error = ErrorOf([] { Simulator::Run(); });
        const std::string expected = "threads: 1 event(s) of ns-3 were scheduled by stages";
        EXPECT_EQ(error.substr(0, expected.size()), several ? expected : "no error") << error;
        Simulator::Destroy();
    }
}

namespace
{

/// Throws at a time.
struct Failing : public SwitchStage
{
    Failing(int64_t itsTimePs, std::string itsError)
        : atPs(itsTimePs),
          error(std::move(itsError))
    {
    }

    uint32_t GetHooks() const override
    {
        return 0;
    }

    void Install(Switch& sw) override
    {
        sw.ArmStage(this, atPs);
    }

    void OnTimer(int64_t) override
    {
        throw InputError(error);
    }

    const int64_t atPs;
    const std::string error;
};

} // namespace

// Racks that are far from each other do not wait for each other within a round.
TEST_F(ParallelRunTest, OfTwoFaultsInARoundTheEarlierOneIsReported)
{
    [[maybe_unused]] const EventsThrow events;
    for (const uint32_t early : {0u, 1u})
    {
        Network net;
        Build(net, US, 100 * US);
        net.InstallFlows(
            Numbered({Flow(0, 5, 3'000'000, 200 * US), Flow(1, 6, 3'000'000, 200 * US)}));
        net.GetSwitch(early)->Install(CreateObject<Failing>(100 * US, "early"));
        net.GetSwitch(1 - early)->Install(CreateObject<Failing>(102 * US, "late"));
        net.MeasureBalance(4);
        EXPECT_EQ(ErrorOf([] { Simulator::Run(); }), "early");
        // Else they might not be in one.
        EXPECT_GT(net.GetParallelRun()->GetBalance().windows,
                  5 * net.GetParallelRun()->GetNRounds());
        Simulator::Destroy();
    }
}

TEST_F(ParallelRunTest, PostsByThoseWhoAreToldAreRefused)
{
    [[maybe_unused]] const EventsThrow events;
    Network net;
    Build(net);
    net.InstallFlows(Flows());
    net.SetThreads(2);
    const Ptr<Nic> nic = net.GetNic(0);
    nic->TraceConnectWithoutContext("MessageCompleted",
                                    Callback<void, const MessageRecord&>(
                                        [&](const MessageRecord&) { nic->Post(nullptr, 1, 0); }));
    EXPECT_NE(ErrorOf([] { Simulator::Run(); }).find("posted from a sink"), std::string::npos);
}

TEST_F(ParallelRunTest, NetworksThatCannotBeDividedAreRefused)
{
    Network early;
    EXPECT_NE(ErrorOf([&] { early.SetThreads(2); }).find("before"), std::string::npos);
    Network near;
    Build(near, 0, US);
    EXPECT_NE(ErrorOf([&] { near.SetThreads(2); }).find("no delay"), std::string::npos);
    EXPECT_EQ(near.SetThreads(1), 1u);
    const auto shared = CreateObject<ErrorModelLoss>();
    shared->SetErrorModel(CreateObject<RateErrorModel>());
    Network sharing;
    Build(sharing);
    sharing.GetNic(0)->SetLossModel(shared);
    sharing.GetNic(1)->SetLossModel(shared);
    EXPECT_NE(ErrorOf([&] { sharing.SetThreads(2); }).find("same loss model"), std::string::npos);
    const auto listed = CreateObject<ErrorModelLoss>();
    listed->SetErrorModel(CreateObject<ListErrorModel>());
    Network listing;
    Build(listing);
    listing.GetNic(0)->SetLossModel(listed);
    EXPECT_NE(ErrorOf([&] { listing.SetThreads(2); }).find("ListErrorModel"), std::string::npos);
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(true));
    Network eager;
    Build(eager);
    EXPECT_NE(ErrorOf([&] { eager.SetThreads(2); }).find("Switch::Eager"), std::string::npos);
}

} // namespace ns3::roce::test
