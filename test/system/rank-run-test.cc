// SPDX-License-Identifier: GPL-2.0-only

// Two processes give what one gives, though they meet seldom: no later than the shortest delay of a
// link between them after the first thing that may happen.

#include "roce-error-of.h"
#include "roce-events-throw.h"
#include "roce-pipe-ranks.h"
#include "roce-test-network.h"

#include "ns3/node.h"
#include "ns3/roce-flow-application.h"
#include "ns3/roce-rank-engine.h"
#include "ns3/roce-run-collector.h"

#include <algorithm>
#include <functional>

namespace ns3::roce::test
{

namespace
{

/// What a run leaves behind.
struct Outcome
{
    std::string fingerprint;
    int64_t endPs{0};
    std::map<std::string, uint64_t> counters;
    std::vector<std::pair<uint64_t, int64_t>> completed; //!< flow, time: in the order told
    int64_t lastToldPs{0};                               //!< when it was told of the last one
    std::vector<uint64_t> looks;                         //!< what the events of the test have seen
    uint64_t meetings{0};

    void ExpectSame(const Outcome& other) const
    {
        EXPECT_EQ(fingerprint, other.fingerprint);
        EXPECT_EQ(endPs, other.endPs);
        EXPECT_EQ(counters, other.counters);
        const auto sorted = [](std::vector<std::pair<uint64_t, int64_t>> list) {
            std::sort(list.begin(), list.end());
            return list;
        };
        EXPECT_EQ(sorted(completed), sorted(other.completed));
    }
};

/// Two datacenters of two racks of three hosts, with two links between them.
struct RankRunTest : SystemTest
{
    using Prepare = std::function<void(Network&, Outcome&)>;

    static constexpr uint32_t HOSTS = 12;

    int64_t wanPs[2] = {23 * US, 40 * US}; //!< delays of the links between datacenters
    uint64_t wanBps{40 * G};
    std::vector<FlowSpec> flows = Mixed();

    void SetUp() override
    {
        SystemTest::SetUp();
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(300)));
    }

    void Build(Network& net) const
    {
        for (uint32_t s = 0; s < 4; ++s)
        {
            net.AddSwitch("leaf" + std::to_string(s), s / 2);
        }
        net.Connect(0, 1, 100 * G, US);
        net.Connect(2, 3, 100 * G, US);
        net.Connect(0, 2, wanBps, wanPs[0]);
        net.Connect(1, 3, wanBps, wanPs[1]);
        for (uint32_t h = 0; h < HOSTS; ++h)
        {
            net.AddNic(net.AddHost("h" + std::to_string(h), h / 6), h / 3, 100 * G, US);
        }
        net.Build();
        net.AssignStreams(100);
    }

    /// Flows within datacenters and between them.
    static std::vector<FlowSpec> Mixed()
    {
        std::vector<FlowSpec> flows;
        for (uint32_t src = 0; src < HOSTS; ++src)
        {
            for (uint32_t i = 1; i < 5; ++i)
            {
                flows.push_back(Flow(src, (src + 5 * i) % HOSTS, 30000 * i, i * 37 * US + src));
            }
        }
        return Numbered(flows);
    }

    /// @param ranks null: one process @param expected the network is built for the processes
    /// @return a run
    Outcome RunOne(RankExchange* ranks,
                   const Prepare& prepare,
                   unsigned threads,
                   bool expected = false) const
    {
        Outcome outcome;
        Network net;
        if (expected)
        {
            net.ExpectRanks(*ranks, threads);
        }
        Build(net);
        RankEngine::Install(net, flows);
        RunCollector::Options options;
        options.fingerprint = true;
        RunCollector collector(net, flows, options);
        collector.Start();
        for (uint32_t n = 0; n < HOSTS; ++n)
        {
            net.GetNic(n)->TraceConnectWithoutContext(
                "MessageCompleted",
                Callback<void, const MessageRecord&>([&](const MessageRecord& record) {
                    outcome.completed.emplace_back(record.cookie, record.completedPs);
                    outcome.lastToldPs = NowPs();
                }));
        }
        if (ranks)
        {
            net.SetRanks(*ranks, threads);
        }
        if (prepare)
        {
            prepare(net, outcome);
        }
        Simulator::Run();
        collector.Finish();
        EXPECT_EQ(net.Audit(false), "");
        outcome.endPs = NowPs();
        outcome.fingerprint = collector.GetFingerprint();
        outcome.counters = net.GetCounters();
        outcome.meetings = ranks ? net.GetParallelRun()->GetNMeetings() : 0;
        EXPECT_EQ(outcome.completed.size(), flows.size());
        Simulator::Destroy();
        return outcome;
    }

    /// Compare one process and two, with full stations and with copies. @return what two leave
    /// behind
    Outcome Compare(const Prepare& prepare = {}, unsigned threads = 1) const
    {
        const Outcome one = RunOne(nullptr, prepare, 1);
        Outcome two;
        RunInTwo([&](PipeRanks& ranks) {
            for (const bool expected : {false, true})
            {
                SCOPED_TRACE(expected ? "copies" : "full stations");
                two = RunOne(&ranks, prepare, threads, expected);
                one.ExpectSame(two);
                // What is seen of stations of another process is nothing.
                std::vector<uint64_t> looks = ranks.Sum(two.looks);
                EXPECT_EQ(looks, one.looks);
            }
        });
        return two;
    }
};

} // namespace

TEST_F(RankRunTest, ProcessesMeetSeldomAndChangeNoResult)
{
    const Outcome two = Compare();
    EXPECT_GT(two.counters.at("cnpsSent"), 0u) << "the run is too easy to show anything";
    // Every 23 us until the last flow starts; later, the end may come at any time.
    const int64_t lastStartPs = 4 * 37 * US;
    EXPECT_LE(static_cast<int64_t>(two.meetings), 10 + (two.endPs - lastStartPs) / US);
    EXPECT_GE(two.meetings, static_cast<uint64_t>(lastStartPs / (23 * US)));
}

TEST_F(RankRunTest, ThreadsInProcesses)
{
    Compare({}, 2);
}

// Meetings follow the shortest link between processes, whichever is the longest one.
TEST_F(RankRunTest, DelaysOfAllKinds)
{
    for (const auto& [first, second] :
         {std::pair<int64_t, int64_t>(US / 5, 50 * US), {60 * US, 3 * US}, {US, US}})
    {
        SCOPED_TRACE(std::to_string(first) + " ps, " + std::to_string(second) + " ps");
        wanPs[0] = first;
        wanPs[1] = second;
        Compare();
    }
}

// The last completion of all is told in time, since the run ends one link's delay after it: short
// flows that all could be over within a meeting's time, and nothing else.
TEST_F(RankRunTest, TheLastCompletionIsToldInTime)
{
    for (const int64_t wan : {23 * US, 900 * US})
    {
        wanPs[0] = wanPs[1] = wan;
        for (const uint32_t dst : {1U, 5U})
        {
            flows = Numbered({Flow(0, dst, 5000, 3 * US), Flow(8, 6 + dst, 90000, 2 * US)});
            const Outcome two = Compare();
            EXPECT_LE(two.lastToldPs, two.endPs);
            EXPECT_LE(two.endPs, two.completed.back().second + US);
        }
    }
}

// A flow between processes, done as soon as the answer to its last packet can be back.
TEST_F(RankRunTest, TheAnswerToTheLastPacketIsToldInTime)
{
    wanBps = 100 * G;
    for (const uint64_t bytes : {100'000U, 400'000U, 500'000U})
    {
        flows = Numbered({Flow(0, 7, bytes)});
        const Outcome two = Compare();
        EXPECT_LE(two.endPs, static_cast<int64_t>(bytes) * 84 + 2 * wanPs[0] + 6 * US);
    }
}

// What NICs have still to send says that the end is not near: they meet seldom after the last
// start.
TEST_F(RankRunTest, LargeFlowsAreNotOverSoon)
{
    flows = Numbered({Flow(0, 4, 40'000'000), Flow(8, 11, 30'000'000)});
    const Outcome two = Compare();
    EXPECT_GT(two.endPs, 3000 * US);
    EXPECT_LE(two.meetings, 400u) << "a meeting per microsecond";
}

TEST_F(RankRunTest, LooksBetweenMeetingsSeeThePresent)
{
    const Outcome two = Compare([](Network& net, Outcome& outcome) {
        for (int64_t atPs = 3 * US + 1; atPs < 180 * US; atPs += 3'771'113)
        {
            Simulator::Schedule(PicoSeconds(atPs), [&net, &outcome] {
                outcome.looks.push_back(net.GetNic(7)->GetCounters().dataSent);
                outcome.looks.push_back(net.GetNic(2)->GetCounters().dataSent);
                for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
                {
                    outcome.looks.push_back(net.GetSwitch(s)->GetCounters().rxFrames);
                    outcome.looks.push_back(net.GetSwitch(s)->GetBuffer().GetTotalBytes());
                }
            });
        }
    });
    EXPECT_FALSE(two.looks.empty());
}

// A link between processes fails and is repaired in the middle between two meetings, at a time when
// frames are on it in both directions.
TEST_F(RankRunTest, LinksBetweenProcessesFail)
{
    const Outcome two = Compare([](Network& net, Outcome&) {
        net.SetReroute(3 * US);
        for (const auto& [a, b, atPs] : {std::tuple<uint32_t, uint32_t, int64_t>(0, 2, 91 * US + 7),
                                         {1, 3, 120 * US + 1},
                                         {0, 2, 133 * US}})
        {
            const uint32_t link = net.FindLink(a, b).link;
            net.ScheduleLinkChange(atPs, link, false);
            net.ScheduleLinkChange(atPs + 11 * US, link, true);
        }
    });
    EXPECT_GT(two.counters.at("framesLostLinkDown"), 0u);
}

// Pauses go back over a link between processes, and hold what the other one sends.
TEST_F(RankRunTest, PausesBetweenProcesses)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("4MiB"));
    flows.clear();
    for (uint32_t src = 0; src < 6; ++src)
    {
        flows.push_back(Flow(src, 7, 600000, src));
    }
    wanBps = 200 * G;
    flows = Numbered(flows);
    const Outcome two = Compare();
    EXPECT_GT(two.counters.at("pfcXoffSent"), 0u);
}

// Flows that wait for others start as in one process, whose ever these are and however far off the
// end is.
TEST_F(RankRunTest, FlowsThatWaitForOthers)
{
    flows = {Flow(1, 2, 4'000'000), Flow(9, 10, 4'000'000)};
    for (uint32_t phase = 1; phase <= 4; ++phase)
    {
        for (uint32_t src = 0; src < HOSTS; ++src)
        {
            FlowSpec flow = Flow(src, (src + 5) % HOSTS, 9000 * (1 + src % 3));
            flow.phase = phase;
            flows.push_back(flow);
        }
    }
    flows = Numbered(flows);
    Compare();
}

TEST_F(RankRunTest, FlowsAreInstalledBefore)
{
    RunInTwo([this](PipeRanks& ranks) {
        Network net;
        Build(net);
        net.SetRanks(ranks, 1);
        EXPECT_NE(ErrorOf([&] { net.InstallFlows(flows); }).find("before SetRanks()"),
                  std::string::npos);
        Simulator::Destroy();
    });
}

// What another process runs is a copy: one queue and one set of buffer counters for all ports, and
// of flows only when they start. What is asked of it is answered as by the station itself.
TEST_F(RankRunTest, StationsOfOtherProcessesAreCopies)
{
    Network whole;
    Build(whole);
    RunInTwo([&](PipeRanks& ranks) {
        Network net;
        net.ExpectRanks(ranks, 1);
        Build(net);
        RankEngine::Install(net, flows);
        for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
        {
            const Switch& sw = *net.GetSwitch(s);
            const bool isCopy = s / 2 != ranks.GetRank();
            EXPECT_EQ(sw.IsCopy(), isCopy);
            EXPECT_EQ(&sw.GetQueue(0) == &sw.GetQueue(1), isCopy);
            // The port to the other datacenter has more headroom than the others.
            EXPECT_EQ(sw.GetBuffer().GetNKept(), isCopy ? 2u : 5u);
            const Switch& own = *whole.GetSwitch(s);
            for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
            {
                for (uint8_t c = 0; c < N_CLASSES; ++c)
                {
                    const SharedBuffer& a = sw.GetBuffer();
                    const SharedBuffer& b = own.GetBuffer();
                    EXPECT_EQ(a.IsLossless(p, c), b.IsLossless(p, c));
                    EXPECT_EQ(a.GetLongestQueueBytes(p, c), b.GetLongestQueueBytes(p, c));
                    EXPECT_EQ(a.GetHeadroomLimitBytes(p, c), b.GetHeadroomLimitBytes(p, c));
                    EXPECT_EQ(a.GetThresholdBytes(p, c), b.GetThresholdBytes(p, c));
                }
            }
        }
        std::size_t kept = 0;
        for (uint32_t n = 0; n < HOSTS; ++n)
        {
            const Ptr<Node> node = net.GetNic(n)->GetNode();
            const auto sender = DynamicCast<FlowApplication>(node->GetApplication(0));
            EXPECT_EQ(sender->GetNFlows(), 4u);
            EXPECT_EQ(sender->GetNKept(), n / 6 == ranks.GetRank() ? 4u : 0u);
            kept += sender->GetNKept();
        }
        EXPECT_EQ(kept, flows.size() / 2);
        EXPECT_EQ(net.GetPath(0, 7, 1).fullQueuePs, whole.GetPath(0, 7, 1).fullQueuePs);
        EXPECT_EQ(net.GetPath(0, 7, 1).lossless, whole.GetPath(0, 7, 1).lossless);
    });
    Simulator::Destroy();
}

// A network that was built for several processes runs in these only.
TEST_F(RankRunTest, ANetworkForSeveralProcessesRunsInThese)
{
    RunInTwo([this](PipeRanks& ranks) {
        {
            [[maybe_unused]] const EventsThrow events;
            Network net;
            net.ExpectRanks(ranks, 1);
            Build(net);
            EXPECT_NE(ErrorOf([&] { net.SetThreads(2); }).find("expected SetRanks()"),
                      std::string::npos);
            EXPECT_NE(ErrorOf([&] { net.SetRanks(ranks, 2); }).find("Network::ExpectRanks()"),
                      std::string::npos);
            EXPECT_NE(ErrorOf([] { Simulator::Run(); }).find("expected Network::SetRanks()"),
                      std::string::npos);
            Simulator::Destroy();
        }
        Network late;
        Build(late);
        EXPECT_NE(ErrorOf([&] { late.ExpectRanks(ranks, 1); }).find("ExpectRanks()"),
                  std::string::npos);
        Simulator::Destroy();
    });
}

} // namespace ns3::roce::test
