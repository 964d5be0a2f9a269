// SPDX-License-Identifier: GPL-2.0-only
// The stall detector: what it accuses of what, what it leaves alone, when it ends a run.
#include "roce-is-built.h"
#include "roce-test-network.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-stall-detector.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Lines = std::vector<std::string>;

bool
Contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct StallDetectorTest : SystemTest
{
    /// Run with a detector until it stops the run, or until two seconds after the last start.
    void Run(const Network& net, int64_t lastStartPs = 0)
    {
        StallDetector::Options options;
        options.lastStartPs = lastStartPs;
        StallDetector detector(net, options);
        detector.Start();
        Simulator::Stop(Seconds(2) + TimeStep(lastStartPs));
        Simulator::Run();
        reports = detector.GetReports();
        stopped = detector.HasStopped();
        endPs = Simulator::Now().GetPicoSeconds();
    }

    /// Make a port believe that its peer has paused class 3, 10 us from now, for ever.
    static void PauseForEver(Ptr<Port> port)
    {
        port->SetAttribute("InfinitePause", BooleanValue(true));
        Simulator::Schedule(MicroSeconds(10), [port] {
            const int64_t now = Simulator::Now().GetPicoSeconds();
            port->GetOwner()->CatchUp(now);
            EXPECT_FALSE(port->Accept(port->GetPeer()->MakePfc(3, 0xffff), now));
        });
    }

    Lines reports;
    bool stopped{false};
    int64_t endPs{0};
};

TEST_F(StallDetectorTest, NamesAPausedQueuePair)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 3);
    net.Build();
    net.InstallFlows(Numbered({Flow(0, 2, 1000000), Flow(1, 2, 1000000)}));
    Completions done(net);
    PauseForEver(net.GetNic(0));
    Run(net);
    EXPECT_TRUE(stopped);
    EXPECT_EQ(done.sent.count(0), 0u);
    EXPECT_EQ(done.sent.count(1), 1u);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].find("flow 0: NIC 0 QP "), 0u) << reports[0];
    EXPECT_TRUE(Contains(reports[0],
                         "class 3 is paused by PFC at this NIC's port, "
                         "paused by sw port 0, which has no XOFF outstanding"))
        << reports[0];
    EXPECT_EQ(reports[0].find('\n'), std::string::npos);
}

TEST_F(StallDetectorTest, NamesALostXon)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Port::InfinitePause", BooleanValue(true));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MiB"));
    Network net;
    MakeStar(net, 5);
    net.Build();
    LoseFrames(net.GetNic(2), [](const Frame& frame) {
        return frame.kind == FrameKind::PFC && frame.GetQuanta(3) == 0;
    });
    std::vector<FlowSpec> flows;
    for (uint32_t src = 0; src < 4; ++src)
    {
        flows.push_back(Flow(src, 4, 2000000));
    }
    net.InstallFlows(Numbered(flows));
    Completions done(net);
    Run(net);
    EXPECT_TRUE(stopped);
    EXPECT_EQ(done.sent.size(), 3u);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].find("flow 2: NIC 2 QP "), 0u) << reports[0];
    EXPECT_TRUE(Contains(reports[0],
                         "paused by sw port 2, which has no XOFF outstanding: its XON "
                         "is lost or on its way"))
        << reports[0];
}

TEST_F(StallDetectorTest, FollowsPausesToTheirCause)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MiB"));
    Network net;
    for (uint32_t s = 0; s < 2; ++s)
    {
        net.AddSwitch("s" + std::to_string(s), 0);
        net.AddNic(net.AddHost("h" + std::to_string(s), 0), s, 100 * G, US);
    }
    net.Connect(0, 1, 100 * G, US);
    net.Build();
    net.InstallFlows({Flow(0, 1, 10000000)});
    PauseForEver(net.GetSwitch(1)->GetPort(0)); // as if NIC 1 had paused its switch
    Run(net);
    EXPECT_TRUE(stopped);
    ASSERT_EQ(reports.size(), 1u);
    const char* const chain[] = {
        "paused by s0 port 0 (holds ",
        " B), whose frames wait for s0 port 1, paused by s1 port 1 (holds ",
        " B), whose frames wait for s1 port 0, paused by NIC 1"};
    std::size_t at = 0;
    for (const char* part : chain)
    {
        at = reports[0].find(part, at);
        ASSERT_NE(at, std::string::npos) << part << "\nnot in: " << reports[0];
    }
}

TEST_F(StallDetectorTest, NamesABlackHole)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    LoseFrames(net.GetNic(1), [](const Frame& f) { return f.kind == FrameKind::DATA; });
    net.InstallFlows({Flow(0, 1, 10000)});
    Run(net);
    EXPECT_TRUE(stopped);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_TRUE(Contains(reports[0], "0 of 3 packets acknowledged")) << reports[0];
    EXPECT_TRUE(Contains(reports[0], "failed: retry limit exceeded")) << reports[0];
    EXPECT_TRUE(Contains(reports[0], "nothing of its class queued on its path")) << reports[0];
}

TEST_F(StallDetectorTest, EndsEndlessRetransmission)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
    Network net;
    MakeStar(net, 2);
    net.Build();
    LoseFrames(net.GetNic(1), [](const Frame& f) { return f.kind == FrameKind::DATA; });
    net.InstallFlows({Flow(0, 1, 10000)});
    Run(net);
    EXPECT_TRUE(stopped);
    EXPECT_EQ(endPs, 60 * MS); // the first check has nothing to compare with, then five
    EXPECT_GT(Sum(net).timeouts, 10u);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_TRUE(Contains(reports[0], "0 of 3 packets acknowledged")) << reports[0];
    EXPECT_TRUE(Contains(reports[0], "acknowledgements are lost or still on a link ("))
        << reports[0];
    EXPECT_TRUE(Contains(reports[0], " frames lost in the whole network)")) << reports[0];
}

TEST_F(StallDetectorTest, FindsADeadlock)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MiB"));
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
    // Seven switches in a ring; all flows go three links clockwise, the shorter way round, so that
    // the buffers depend on each other in a cycle (no up-down routing).
    constexpr uint32_t N = 7;
    constexpr uint32_t HOSTS = 2;
    Network net;
    for (uint32_t s = 0; s < N; ++s)
    {
        net.AddSwitch("s" + std::to_string(s), 0);
        for (uint32_t h = 0; h < HOSTS; ++h)
        {
            net.AddNic(net.AddHost("h", 0), s, 100 * G, US);
        }
    }
    for (uint32_t s = 0; s < N; ++s)
    {
        net.Connect(s, (s + 1) % N, 100 * G, US);
    }
    net.Build();
    std::vector<FlowSpec> flows;
    for (uint32_t n = 0; n < N * HOSTS; ++n)
    {
        flows.push_back(Flow(n, (n + 3 * HOSTS) % (N * HOSTS), 5000000));
    }
    net.InstallFlows(Numbered(flows));
    Completions done(net);
    Run(net);
    EXPECT_TRUE(stopped);
    EXPECT_LT(done.sent.size(), flows.size());
    ASSERT_FALSE(reports.empty());
    const auto line = std::find_if(reports.begin(), reports.end(), [](const std::string& text) {
        return Contains(text, "PFC deadlock: ");
    });
    ASSERT_NE(line, reports.end()) << reports[0];
    // The cycle names every switch of the ring once and ends where it began.
    const std::string cycle = line->substr(line->find("deadlock: ") + 10);
    for (uint32_t s = 0; s < N; ++s)
    {
        EXPECT_TRUE(Contains(cycle, "s" + std::to_string(s) + " port ")) << cycle;
    }
    const std::string first = cycle.substr(0, cycle.find(" -> "));
    EXPECT_EQ(cycle.substr(cycle.rfind(" -> ") + 4), first) << cycle;
    EXPECT_EQ(std::count(cycle.begin(), cycle.end(), '>'), N) << cycle;
}

TEST_F(StallDetectorTest, LeavesSlowFlowsAlone)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 3, G / 10);
    net.Build();
    net.InstallFlows(Numbered({Flow(0, 2, 1000000), Flow(1, 2, 1000000)}));
    Completions done(net);
    Run(net);
    EXPECT_FALSE(stopped);
    EXPECT_EQ(done.sent.size(), 2u);
    EXPECT_GT(done.FctPs(0), 150 * MS); // many checks long
    EXPECT_TRUE(reports.empty()) << reports[0];
}

/// A rate so low that a packet takes longer than the detector waits.
class Crawl : public CongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::roce::test::Crawl").SetParent<CongestionControl>().AddConstructor<Crawl>();
        return tid;
    }

    Ptr<CongestionControl> Fork() const override
    {
        return CopyObject<Crawl>(this);
    }

  private:
    void DoStart(int64_t) override
    {
        m_rateBps = 300000; // 110 ms for each packet of 4158 B
    }
};

NS_OBJECT_ENSURE_REGISTERED(Crawl);

TEST_F(StallDetectorTest, LeavesPacedFlowsAlone)
{
    SetRateLaw("test::Crawl");
    Network net;
    MakeStar(net, 2);
    net.Build();
    net.InstallFlows({Flow(0, 1, 40000)});
    Completions done(net);
    Run(net);
    EXPECT_FALSE(stopped);
    EXPECT_EQ(done.sent.size(), 1u);
    EXPECT_GT(done.FctPs(0), 900 * MS);
    EXPECT_TRUE(reports.empty()) << reports[0];
}

// SelectiveRepeat has timeouts of its own, longer here than five checks by Nic::RtoMin.
TEST_F(StallDetectorTest, WaitsForTheTimeoutOfTheLossRecovery)
{
    if (!IsBuilt("UnoErasure"))
    {
        GTEST_SKIP() << "a system is not built";
    }
    SetRateLaw("LineRate");
    for (const std::string recovery :
         {"SelectiveRepeat[RtoLow=300ms|RtoHigh=300ms]", "UnoErasure[Code=none|Rto=1500ms]"})
    {
        Config::SetDefault("ns3::roce::Nic::LossRecovery", StringValue("ns3::roce::" + recovery));
        Network net;
        MakeStar(net, 2);
        net.Build();
        LoseFrames(net.GetNic(1), [](const Frame& f) {
            return f.kind == FrameKind::DATA && !(f.flags & FRAME_RETX);
        });
        net.InstallFlows({Flow(0, 1, 40000)});
        Completions done(net);
        Run(net);
        EXPECT_FALSE(stopped) << recovery;
        ASSERT_EQ(done.sent.size(), 1u) << recovery;
        EXPECT_GT(done.FctPs(0), 300 * MS);
        Simulator::Destroy();
    }
}

// The oldest packet does not arrive for a second, but others do all the time.
TEST_F(StallDetectorTest, LaterPacketsAreProgress)
{
    if (!IsBuilt("UnoErasure"))
    {
        GTEST_SKIP() << "a system is not built";
    }
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::LossRecovery",
                       StringValue("ns3::roce::UnoErasure[Code=none|Rto=30ms]"));
    Network net;
    MakeStar(net, 2, 10000000);
    net.Build();
    LoseFrames(net.GetNic(1), [](const Frame& f) {
        return f.kind == FrameKind::DATA && f.psn == 0 && Simulator::Now() < Seconds(1);
    });
    net.InstallFlows({Flow(0, 1, 2000000)});
    Completions done(net);
    Run(net);
    EXPECT_FALSE(stopped);
    EXPECT_EQ(done.sent.size(), 1u);
    Simulator::Destroy();
}

// What keeps it from sending is neither its window nor its pacing.
TEST_F(StallDetectorTest, NamesTheCapOfTheLossRecovery)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::LossRecovery",
                       StringValue("ns3::roce::SelectiveRepeat[BdpPackets=5]"));
    Network net;
    MakeStar(net, 2);
    net.Build();
    LoseFrames(net.GetNic(1), [](const Frame& f) { return f.kind == FrameKind::DATA; });
    net.InstallFlows({Flow(0, 1, 40000)});
    Simulator::Stop(MicroSeconds(50));
    Simulator::Run();
    const StallDetector detector(net, StallDetector::Options());
    const Lines lines = detector.DescribeUnfinished();
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(Contains(lines[0],
                         "5 outstanding; as much outstanding as the loss recovery allows, waiting "
                         "for acknowledgements (timeout in "))
        << lines[0];
}

// A queue pair that waits for its first turn has no start of a packet to count from.
TEST_F(StallDetectorTest, NamesAFlowThatHasSentNothing)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 3);
    net.Build();
    net.InstallFlows(Numbered({Flow(0, 1, 40000), Flow(0, 2, 40000)}));
    Simulator::Stop(NanoSeconds(10)); // the other's first packet is on the wire
    Simulator::Run();
    const StallDetector detector(net, StallDetector::Options());
    const Lines lines = detector.DescribeUnfinished();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_TRUE(Contains(lines[1], "0 outstanding; paced at ")) << lines[1];
    EXPECT_TRUE(Contains(lines[1], " bit/s, next packet in 0 ns")) << lines[1];
}

// All of them count, some are described.
TEST_F(StallDetectorTest, DescribesTheFirstTwentyOnly)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    LoseFrames(net.GetNic(1), [](const Frame& f) { return f.kind == FrameKind::DATA; });
    net.InstallFlows(Numbered(std::vector<FlowSpec>(30, Flow(0, 1, 1000))));
    Run(net);
    EXPECT_TRUE(stopped);
    EXPECT_EQ(reports.size(), 20u);
    const StallDetector detector(net, StallDetector::Options());
    EXPECT_EQ(detector.CountUnfinished(), 30u);
    EXPECT_EQ(detector.DescribeUnfinished().size(), 30u);
    const Lines few = detector.DescribeUnfinished(7);
    EXPECT_EQ(few.size(), 7u);
    EXPECT_EQ(few, Lines(reports.begin(), reports.begin() + 7));
}

// It gave up before the acknowledgements came, which is not what losses look like.
TEST_F(StallDetectorTest, SaysIfNothingIsLost)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(1)));
    Config::SetDefault("ns3::roce::Nic::RtoFactor", DoubleValue(0));
    Network net;
    MakeStar(net, 2, 100 * G, 100 * US);
    net.Build();
    net.InstallFlows({Flow(0, 1, 10000)});
    Run(net);
    EXPECT_EQ(Sum(net).failed, 1u);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_TRUE(Contains(reports[0], "failed: retry limit exceeded")) << reports[0];
    EXPECT_TRUE(Contains(reports[0],
                         "no frame has been lost in the whole network: its timeout, 1000 ns, is "
                         "shorter than what frames or their acknowledgements took"))
        << reports[0];
}

// Twenty days, which checks every 10 ms would make long.
TEST_F(StallDetectorTest, SleepsUntilFlowsCome)
{
    SetRateLaw("LineRate");
    constexpr int64_t LATE = 20LL * 86400 * 1000 * MS;
    Network net;
    MakeStar(net, 3);
    net.Build();
    net.InstallFlows(Numbered({Flow(0, 2, 1000000), Flow(1, 2, 1000000, LATE)}));
    Completions done(net);
    PauseForEver(net.GetNic(0));
    Run(net, LATE);
    EXPECT_TRUE(stopped);
    EXPECT_EQ(done.sent.count(1), 1u);
    EXPECT_LT(endPs, LATE + 200 * MS);
    EXPECT_LT(Simulator::GetEventCount(), 10000u);
}

TEST_F(StallDetectorTest, WaitsForFlowsToCome)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 3);
    net.Build();
    net.InstallFlows(Numbered({Flow(0, 2, 1000000), Flow(1, 2, 1000000, 500 * MS)}));
    Completions done(net);
    PauseForEver(net.GetNic(0));
    Run(net, 500 * MS);
    EXPECT_TRUE(stopped);
    EXPECT_EQ(done.sent.count(1), 1u);
    EXPECT_GT(endPs, 500 * MS);
    EXPECT_LT(endPs, 700 * MS);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].find("flow 0: "), 0u) << reports[0];
}

TEST_F(StallDetectorTest, ChecksOnDemand)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    net.InstallFlows({Flow(0, 1, 1000000)});
    PauseForEver(net.GetNic(0));
    StallDetector detector(net, StallDetector::Options());
    std::vector<std::size_t> found;
    for (int64_t us : {5, 8, 20, 30})
    {
        Simulator::Schedule(MicroSeconds(us), [&] { found.push_back(detector.Check().size()); });
    }
    Simulator::Run();
    // Unknown before; getting on; got on until 10 us; nothing since.
    EXPECT_EQ(found, (std::vector<std::size_t>{0, 0, 0, 1}));
    EXPECT_EQ(detector.DescribeUnfinished().size(), 1u);
    EXPECT_FALSE(detector.HasStopped());
    EXPECT_TRUE(detector.GetReports().empty());
}

TEST_F(StallDetectorTest, ChangesNothing)
{
    uint64_t fingerprints[2] = {};
    for (int with : {0, 1})
    {
        Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MiB"));
        SetRateLaw("Dcqcn");
        Network net;
        MakeStar(net, 9);
        net.Build();
        net.AssignStreams(1);
        InstallIncast(net, 3000000);
        net.EnableFingerprint();
        StallDetector detector(net, StallDetector::Options());
        for (int64_t us = 1; with && us < 2000; us += 7)
        {
            Simulator::Schedule(NanoSeconds(1000 * us + us), [&] { detector.Check(); });
        }
        Simulator::Run();
        fingerprints[with] = net.GetFingerprint();
        EXPECT_GT(Sum(net).xoff, 0u);
        Simulator::Destroy();
    }
    EXPECT_EQ(fingerprints[0], fingerprints[1]);
}

TEST_F(StallDetectorTest, RefusesABadInterval)
{
    Network net;
    StallDetector::Options options;
    options.checkInterval = Time(0);
    EXPECT_THROW(StallDetector(net, options), InputError);
}

} // namespace
