// SPDX-License-Identifier: GPL-2.0-only
// Pauses in time: expiry, refresh, resume; at NICs and at switches.
#include "roce-error-of.h"
#include "roce-test-network.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct PauseTest : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("LineRate");
    }

    /// Starts of the transmissions of data at a port.
    static void Record(Ptr<Port> port, std::vector<int64_t>& starts, uint8_t trafficClass = 3)
    {
        port->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&starts, trafficClass](const Frame& f, Time at) {
                if (f.kind == FrameKind::DATA && f.trafficClass == trafficClass)
                {
                    starts.push_back(at.GetTimeStep());
                }
            }));
    }

    /// Makes the station at the other end of the port's link send it a pause frame.
    static void SendPause(Network& net, Ptr<Port> to, int64_t atPs, uint8_t c, uint16_t quanta)
    {
        Simulator::Schedule(TimeStep(atPs), [&net, to, c, quanta]() {
            net.CatchUp();
            Port* peer = to->GetPeer();
            peer->Transmit(peer->MakePfc(c, quanta), Simulator::Now().GetTimeStep());
        });
    }
};

constexpr int64_t PFC_WIRE = 6720; // 84 B at 100 Gbit/s
constexpr int64_t FRAME = 334240;  // a middle frame of 4096 B

} // namespace

// An XOFF without refresh runs out; transmission resumes at exactly that time.
TEST_F(PauseTest, NicResumesAtTheExactExpiry)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<int64_t> starts;
    Record(net.GetNic(0), starts);
    const auto flows = Numbered({Flow(0, 1, 40 * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    SendPause(net, net.GetNic(0), 2 * US, 3, 1000);
    Simulator::Run();
    const int64_t paused = 2 * US + PFC_WIRE + US;
    const int64_t expiry = paused + 1000 * 5120;
    ASSERT_EQ(starts.size(), 40u);
    const auto resumed = std::lower_bound(starts.begin(), starts.end(), paused);
    EXPECT_EQ(*resumed, expiry);
    EXPECT_EQ(*(resumed - 1), 1280 + 8 * FRAME); // the frame under way is finished
    EXPECT_EQ(net.GetNic(0)->GetPausedTimePs(3, MS), 1000 * 5120);
    // Late by the gap, except that the switch does not wait for the first frame's RETH again.
    EXPECT_EQ(done.FctPs(0),
              net.GetIdeal(flows[0]).senderFctPs + expiry - (*(resumed - 1) + FRAME) - 1280);
    ExpectAllDone(net, done, flows);
}

TEST_F(PauseTest, XonResumesEarlier)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<int64_t> starts;
    Record(net.GetNic(0), starts);
    net.InstallFlows(Numbered({Flow(0, 1, 40 * 4096)}));
    SendPause(net, net.GetNic(0), 2 * US, 3, 65535);
    SendPause(net, net.GetNic(0), 30 * US, 3, 0);
    Simulator::Run();
    EXPECT_NE(std::find(starts.begin(), starts.end(), 31 * US + PFC_WIRE), starts.end());
    EXPECT_EQ(net.GetNic(0)->GetPausedTimePs(3, MS), 28 * US);
    EXPECT_EQ(starts.size(), 40u);
}

// Frames of one sender make room for all; without ResumeOthers another one that is paused has no
// XON until one of its own has left.
TEST_F(PauseTest, WhoseFramesResumeWhom)
{
    const auto countByOthers = [](bool others) {
        Config::SetDefault("ns3::roce::Switch::ResumeOthers", BooleanValue(others));
        Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("400KiB"));
        Network net;
        MakeStar(net, 4);
        net.Build();
        std::map<int64_t, uint32_t> left; // senders of data frames, by when they left
        std::vector<std::pair<int64_t, uint32_t>> resumed;
        for (uint32_t i = 0; i < 4; ++i)
        {
            net.GetSwitch(0)->GetPort(i)->TraceConnectWithoutContext(
                "TxBegin",
                Callback<void, const Frame&, Time>([&left, &resumed, i](const Frame& f, Time at) {
                    if (f.kind == FrameKind::DATA)
                    {
                        left[at.GetTimeStep()] = f.src;
                    }
                    else if (f.kind == FrameKind::PFC && f.GetQuanta(3) == 0)
                    {
                        resumed.emplace_back(at.GetTimeStep(), i);
                    }
                }));
        }
        net.InstallFlows(Numbered({Flow(0, 3, 1000000), Flow(1, 3, 1000000), Flow(2, 3, 1000000)}));
        Simulator::Run();
        EXPECT_GT(resumed.size(), 10u) << others;
        const auto count = std::count_if(resumed.begin(), resumed.end(), [&](const auto& xon) {
            return std::prev(left.upper_bound(xon.first))->second != xon.second;
        });
        Simulator::Destroy();
        return count;
    };
    EXPECT_GT(countByOthers(true), 0);
    EXPECT_EQ(countByOthers(false), 0);
}

// Only the class that is named stops; ACKs never do.
TEST_F(PauseTest, OtherClassesGoOn)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<int64_t> three;
    std::vector<int64_t> one;
    Record(net.GetNic(0), three, 3);
    Record(net.GetNic(0), one, 1);
    const auto flows = Numbered(
        {Flow(0, 1, 100 * 4096, 0, 3), Flow(0, 1, 100 * 4096, 0, 1), Flow(1, 0, 4096, 10 * US)});
    Completions done(net);
    net.InstallFlows(flows);
    SendPause(net, net.GetNic(0), 2 * US, 3, 65535);
    Simulator::Run();
    const int64_t paused = 3 * US + PFC_WIRE;
    const int64_t expiry = paused + 335539200;
    for (int64_t t : three)
    {
        EXPECT_TRUE(t <= paused || t >= expiry) << t;
    }
    EXPECT_EQ(three.size(), 100u);
    EXPECT_LT(one.back(), 40 * US); // had the link to itself
    EXPECT_LT(done.sent[2].completedPs, 20 * US);
    ExpectAllDone(net, done, flows);
}

TEST_F(PauseTest, SwitchPortResumesAtTheExactExpiry)
{
    Network net;
    net.AddSwitch("a", 0);
    net.AddSwitch("b", 0);
    const auto [ab, ba] = net.Connect(0, 1, 100 * G, 5 * US);
    net.AddNic(net.AddHost("x", 0), 0, 100 * G, US);
    net.AddNic(net.AddHost("y", 0), 1, 100 * G, US);
    net.Build();
    (void)ba;
    std::vector<int64_t> starts;
    Record(net.GetSwitch(0)->GetPort(ab), starts);
    const auto flows = Numbered({Flow(0, 1, 60 * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    SendPause(net, net.GetSwitch(0)->GetPort(ab), US, 3, 500);
    Simulator::Run();
    const int64_t expiry = 6 * US + PFC_WIRE + 500 * 5120;
    EXPECT_NE(std::find(starts.begin(), starts.end(), expiry), starts.end());
    EXPECT_EQ(net.GetSwitch(0)->GetPort(ab)->GetPausedTimePs(3, MS), 500 * 5120);
    ExpectAllDone(net, done, flows);
}

// The switch refreshes at half the duration: on a long link the upstream stays paused across many
// expiries although its pause frames are 100 us old when they arrive.
TEST_F(PauseTest, RefreshKeepsThePeerPausedOnALongLink)
{
    for (bool refresh : {true, false})
    {
        Config::SetDefault("ns3::roce::Switch::PauseQuanta", UintegerValue(4000)); // 20.48 us
        Config::SetDefault("ns3::roce::Switch::RefreshPause", BooleanValue(refresh));
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(Seconds(1)));
        Network net;
        net.AddSwitch("a", 0);
        net.AddSwitch("b", 0);
        const auto [ab, ba] = net.Connect(0, 1, 100 * G, 100 * US);
        net.AddNic(net.AddHost("x", 0), 0, 100 * G, US);
        net.AddNic(net.AddHost("y", 0), 1, 1 * G, US); // 100 times slower
        SharedBuffer::PortConfig deep;
        deep.ownPoolBytes = 6 << 20;
        deep.staticXoffBytes = 500000;
        deep.staticXonBytes = 100000;
        net.GetSwitch(1)->SetPortBuffer(ba, deep);
        SharedBuffer::PortConfig room;
        room.ownPoolBytes = 64 << 20;
        room.alpha = 8;
        net.GetSwitch(0)->SetPortBuffer(1, room);
        net.Build();
        std::vector<int64_t> starts;
        Record(net.GetSwitch(0)->GetPort(ab), starts);
        const auto flows = Numbered({Flow(0, 1, 8000000)});
        Completions done(net);
        PauseMonitor monitor(net);
        net.InstallFlows(flows);
        Simulator::Stop(TimeStep(20 * MS)); // 2.5 MB have left by then: far from Xon
        Simulator::Run();
        net.CatchUp();
        Port& port = *net.GetSwitch(0)->GetPort(ab);
        EXPECT_EQ(monitor.xoffs, 1u);
        EXPECT_EQ(monitor.violations, 0u);
        if (refresh)
        {
            EXPECT_EQ(Sum(net).lost, 0u);
            EXPECT_NEAR(static_cast<double>(monitor.refreshes), 20e-3 / 10.24e-6, 40);
            EXPECT_LT(starts.back(), 300 * US);
            EXPECT_NE(port.PausedMask(20 * MS), 0u);
            EXPECT_GT(port.GetPausedTimePs(3, 20 * MS), 19 * MS);
            Simulator::Run();
            EXPECT_EQ(Sum(net).lost, 0u);
            ExpectAllDone(net, done, flows);
            monitor.Check(net);
        }
        else
        {
            EXPECT_EQ(monitor.refreshes, 0u);
            EXPECT_GT(starts.back(), 600 * US); // it ran out, and so did the headroom
            EXPECT_GT(Sum(net).lostLossless, 0u);
        }
        Simulator::Destroy();
    }
}

// The least quanta that are taken keep a busy port paused, whose XOFF waits for the largest frames;
// one less is refused, whatever the delay. Nothing is lost then, much is with a third of them.
TEST_F(PauseTest, RefusesPausesThatRunOutBeforeTheirRefresh)
{
    const auto run = [](uint16_t quanta, bool set) {
        Config::SetDefault("ns3::roce::Switch::PauseQuanta", UintegerValue(set ? 65535 : quanta));
        Network net;
        net.AddSwitch("s", 0);
        net.AddNic(net.AddHost("x", 0), 0, 400 * G, 30 * US);
        net.AddNic(net.AddHost("y", 0), 0, 400 * G, US);
        net.AddNic(net.AddHost("z", 0), 0, G, US);
        net.Build();
        net.GetSwitch(0)->SetAttribute("PauseQuanta", UintegerValue(quanta));
        // NIC 0 is paused while its port sends all the time.
        net.InstallFlows(Numbered({Flow(0, 2, 20000000), Flow(1, 0, 100000000)}));
        Simulator::Stop(MicroSeconds(3000));
        Simulator::Run();
        const Totals t = Sum(net);
        EXPECT_GT(t.xoff, 0u);
        EXPECT_EQ(net.DescribeLosslessDrops().empty(), t.lostLossless == 0);
        Simulator::Destroy();
        return t.lostLossless;
    };
    const std::string error = ErrorOf([&] { run(64, false); });
    const std::string start = "switch s: PauseQuanta is 64, expected at least ";
    ASSERT_EQ(error.substr(0, start.size()), start) << error;
    const auto least = static_cast<uint16_t>(std::stoul(error.substr(start.size())));
    EXPECT_THROW(run(static_cast<uint16_t>(least - 1), false), InputError);
    EXPECT_EQ(run(least, false), 0u);
    EXPECT_GT(run(least / 3, true), 0u);
    // Not where it does not matter: no PFC, no refresh, pauses without end.
    for (const auto& [attribute, value] : {std::pair("Switch::LosslessClasses", "0"),
                                           std::pair("Switch::RefreshPause", "false"),
                                           std::pair("Port::InfinitePause", "true")})
    {
        Config::Reset();
        Config::SetDefault(std::string("ns3::roce::") + attribute, StringValue(value));
        Config::SetDefault("ns3::roce::Switch::PauseQuanta", UintegerValue(1));
        Network net;
        MakeStar(net, 2);
        EXPECT_NO_THROW(net.Build()) << attribute;
    }
}

// What PFC should have prevented is said with its cause.
TEST_F(PauseTest, SaysWhyLosslessFramesWereDropped)
{
    const std::pair<std::pair<const char*, const char*>, const char*> cases[] = {
        {{"HeadroomFactor", "0.1"}, "headroom of port 0 is 5000 B, its link needs "},
        {{"RefreshPause", "false"}, "pauses run out, they are not refreshed"}};
    for (const auto& [setting, cause] : cases)
    {
        SetRateLaw("LineRate");
        Config::SetDefault("ns3::roce::Switch::PauseQuanta", UintegerValue(1000));
        Config::SetDefault(std::string("ns3::roce::Switch::") + setting.first,
                           StringValue(setting.second));
        Network net;
        net.AddSwitch("s", 0);
        net.AddNic(net.AddHost("x", 0), 0, 400 * G, US);
        net.AddNic(net.AddHost("y", 0), 0, 4 * G, US);
        net.Build();
        net.InstallFlows(Numbered({Flow(0, 1, 20000000)}));
        // While headroom is in use, and when everything has left: it is its size that counts.
        for (const Time& stop : {MicroSeconds(2000), MilliSeconds(500)})
        {
            Simulator::Stop(stop);
            Simulator::Run();
            const Totals t = Sum(net);
            EXPECT_GT(t.lostLossless, 0u);
            EXPECT_EQ(net.DescribeLosslessDrops().find(
                          std::to_string(t.lostLossless) +
                          " frames of lossless classes were dropped, " +
                          std::to_string(t.lostLossless) + " of them by s: " + cause),
                      0u)
                << net.DescribeLosslessDrops();
        }
        EXPECT_EQ(net.GetSwitch(0)->GetBuffer().GetTotalBytes(), 0u);
        Simulator::Destroy();
        Config::Reset();
    }
}

// A pause shorter than its own frame cannot hold, but neither does it fill port and memory. It is
// refused at the beginning, so it comes later.
TEST_F(PauseTest, TheShortestPausesLeaveRoomForFrames)
{
    Network net;
    net.AddSwitch("s", 0);
    net.AddNic(net.AddHost("x", 0), 0, 400 * G, US);
    net.AddNic(net.AddHost("y", 0), 0, 40 * G, US);
    net.Build();
    net.GetSwitch(0)->SetAttribute("PauseQuanta", UintegerValue(1));
    net.InstallFlows(Numbered({Flow(0, 1, 100000000)}));
    Simulator::Stop(MicroSeconds(2000));
    Simulator::Run();
    const int64_t framePs = net.GetNic(0)->SerialisationPs(84);
    const Totals t = Sum(net);
    EXPECT_GT(t.xoff, 0u);
    EXPECT_GT(t.refreshed, 1000u);
    EXPECT_LT(t.refreshed, static_cast<uint64_t>(2000 * US / (2 * framePs)) + 1);
}

// InfinitePause with no refresh: one XOFF holds however long it takes.
TEST_F(PauseTest, InfinitePauseNeedsNoRefresh)
{
    Config::SetDefault("ns3::roce::Switch::PauseQuanta", UintegerValue(100));
    Config::SetDefault("ns3::roce::Switch::RefreshPause", BooleanValue(false));
    Config::SetDefault("ns3::roce::Port::InfinitePause", BooleanValue(true));
    Network net;
    net.AddSwitch("s", 0);
    net.AddNic(net.AddHost("x", 0), 0, 400 * G, US);
    net.AddNic(net.AddHost("y", 0), 0, 40 * G, US);
    net.Build();
    const auto flows = Numbered({Flow(0, 1, 10000000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    const Totals t = Sum(net);
    EXPECT_GT(t.xoff, 0u);
    EXPECT_EQ(t.refreshed, 0u);
    EXPECT_EQ(t.lost, 0u);
    EXPECT_EQ(done.FctPs(0), net.GetIdeal(flows[0]).senderFctPs);
    ExpectAllDone(net, done, flows);
}

// Pause frames overtake whatever waits, but not the frame on the wire.
TEST_F(PauseTest, PauseFramesGoFirst)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("500KiB"));
    Network net;
    MakeStar(net, 3);
    net.Build();
    int64_t worst = 0;
    uint64_t seen = 0;
    std::map<uint16_t, int64_t> made;
    Switch& sw = *net.GetSwitch(0);
    sw.TraceConnectWithoutContext(
        "PauseSent",
        Callback<void, uint16_t, uint8_t, PauseEvent, Time>(
            [&](uint16_t port, uint8_t, PauseEvent, Time at) { made[port] = at.GetTimeStep(); }));
    for (uint16_t p = 0; p < 3; ++p)
    {
        sw.GetPort(p)->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&, p](const Frame& f, Time at) {
                if (f.kind == FrameKind::PFC && made.count(p))
                {
                    ++seen;
                    worst = std::max(worst, at.GetTimeStep() - made[p]);
                }
            }));
    }
    const auto flows = Numbered({Flow(1, 0, 1000000),
                                 Flow(2, 0, 1000000),
                                 Flow(2, 1, 1000000),
                                 Flow(0, 1, 2000000),
                                 Flow(0, 2, 2000000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_GT(seen, 20u);
    EXPECT_GT(worst, 0);
    EXPECT_LE(worst, 335520 + PFC_WIRE);
    EXPECT_EQ(Sum(net).lost, 0u);
    ExpectAllDone(net, done, flows);
}
