// SPDX-License-Identifier: GPL-2.0-only
// WRCC's switch stage, hook by hook: what it counts, when periods end, what it writes into frames
// and when it sends FCNPs; and what it refuses to be put together with.
#include "roce-error-of.h"
#include "roce-run-flows.h"
#include "roce-wrcc-network.h"

#include <cmath>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Verdict = SwitchStage::Verdict;
using Branch = WrccPortRate::Branch;

/// A star of five hosts whose stage the tests call; periods begin at 0.
class WrccStage : public WrccTest
{
  protected:
    void Make(const std::string& attributes = "", uint64_t hostRate = 100 * G)
    {
        Set("WrccFairRate::PhaseJitter", "false");
        MakeStar(net, 5, hostRate);
        Network::Options options;
        options.ecn = false;
        ObjectFactoryValue value;
        value.DeserializeFromString("ns3::roce::WrccFairRate[" + attributes + "]",
                                    MakeObjectFactoryChecker());
        options.stages.emplace_back(value.Get());
        net.Build(options);
        net.AssignStreams(1);
        stage = &StageOf(net);
    }

    /// A data frame with the header. @param wireBytes on the link, framing included
    Frame* Data(uint16_t inPort, uint32_t wireBytes = 1098, uint32_t mbps = 1000)
    {
        Frame* frame = FramePool::Alloc();
        frame->frameBytes = wireBytes - 20;
        frame->src = inPort;
        frame->dst = 4;
        frame->srcQp = 2;
        frame->ttl = 64;
        frame->trafficClass = 3;
        frame->inPort = inPort;
        WrccHeader::EXTENSION.AddTo(*frame); // of frameBytes already
        Header(*frame) = {0, WrccHeader::BURST, mbps, 4};
        return frame;
    }

    static WrccHeader& Header(Frame& frame)
    {
        return *frame.FindExtension<WrccHeader>();
    }

    /// The frame is about to enter the queue of port 4.
    void Enter(Frame* frame, int64_t nowPs)
    {
        const Ptr<Switch> sw = net.GetSwitch(0);
        EXPECT_EQ(stage->OnEnqueue(*frame, *sw->GetPort(4), sw->GetQueue(4), nowPs), Verdict::PASS);
        FramePool::Free(frame);
    }

    /// The frame is about to leave on port 4. @return its header afterwards
    WrccHeader Leave(Frame* frame, int64_t nowPs)
    {
        const Ptr<Switch> sw = net.GetSwitch(0);
        EXPECT_EQ(stage->OnDequeue(*frame, *sw->GetPort(4), sw->GetQueue(4), nowPs), Verdict::PASS);
        const WrccHeader header = Header(*frame);
        FramePool::Free(frame);
        return header;
    }

    /// The port's state at a time.
    WrccPortRate Look(int64_t nowPs)
    {
        return stage->Look(4, nowPs);
    }

    uint64_t Fcnps() const
    {
        return Counted(net, "wrccFcnps");
    }

    Network net;
    WrccFairRate* stage{nullptr};
};

constexpr int64_t T = 24 * US;

// --- statistics (W2, equation 1)

TEST_F(WrccStage, CountsInputByPortAndRttByPacket)
{
    Make();
    for (const auto& [port, bytes] : std::vector<std::pair<uint16_t, uint32_t>>{
             {0, 150000},
             {1, 150000},
             {3, 75000},
         })
    {
        for (uint32_t i = 0; i < 10; ++i)
        {
            Enter(Data(port, bytes / 10), i);
        }
    }
    for (const uint32_t rttUs : {4U, 2016U})
    {
        Frame* frame = Data(0);
        Header(*frame).rttUs = rttUs;
        Leave(frame, 5 * US);
    }
    EXPECT_EQ(Look(T - 1).GetBranch(), Branch::NONE) << "the period is not over";
    const WrccPortRate rate = Look(T);
    EXPECT_DOUBLE_EQ(rate.GetInputBps(), 125e9);
    EXPECT_DOUBLE_EQ(rate.GetAvgRttUs(), 1010);
    EXPECT_EQ(rate.GetBranch(), Branch::MD);
    EXPECT_DOUBLE_EQ(rate.GetRateBps(), 80e9);
    EXPECT_EQ(stage->Look(0, T).GetBranch(), Branch::NONE) << "another port";
}

TEST_F(WrccStage, CountersAreClearedAfterThePeriod)
{
    Make();
    Enter(Data(0, 150000), 0);
    Frame* far = Data(0);
    Header(*far).rttUs = 2016;
    Leave(far, 0);
    Enter(Data(1, 3000), T); // ends the first period
    EXPECT_DOUBLE_EQ(Look(T).GetInputBps(), 50e9);
    Leave(Data(1), T + 1);
    const WrccPortRate second = Look(2 * T);
    EXPECT_DOUBLE_EQ(second.GetInputBps(), 1e9);
    EXPECT_DOUBLE_EQ(second.GetAvgRttUs(), 0.9 * 2016 + 0.1 * 4);
    EXPECT_EQ(Look(3 * T).GetInputBps(), 0);
}

// Only transitions of inputs that send to the port count, in their period.
TEST_F(WrccStage, XoffOfAnInputSlowsItsOutputsDown)
{
    Make();
    const auto pause = [&](uint16_t port, PauseEvent event, int64_t nowPs) {
        stage->OnPause(event, *net.GetSwitch(0)->GetPort(port), 3, nowPs);
    };
    Enter(Data(0, 150000), 0);
    pause(1, PauseEvent::XOFF, 1);
    pause(0, PauseEvent::REFRESH, 1);
    pause(0, PauseEvent::XON, 1);
    EXPECT_DOUBLE_EQ(Look(T).GetSlowDown(), 0.5) << "none of these counts";
    pause(0, PauseEvent::XOFF, 2);
    EXPECT_DOUBLE_EQ(Look(T).GetSlowDown(), 2);
    EXPECT_DOUBLE_EQ(Look(T).GetRateBps(), 50e9);
    Enter(Data(0, 150000), T);
    EXPECT_DOUBLE_EQ(Look(2 * T).GetSlowDown(), 0.5) << "the next period";
    pause(0, PauseEvent::XOFF, 2 * T); // belongs to the third period
    EXPECT_DOUBLE_EQ(Look(2 * T).GetSlowDown(), 0.5);
    Enter(Data(0, 150000), 2 * T);
    EXPECT_DOUBLE_EQ(Look(3 * T).GetSlowDown(), 2);
}

TEST_F(WrccStage, RefreshesCountIfToldTo)
{
    Make("PfcCountMode=xoffAndRefresh");
    Enter(Data(0, 150000), 0);
    stage->OnPause(PauseEvent::REFRESH, *net.GetSwitch(0)->GetPort(0), 3, 1);
    EXPECT_DOUBLE_EQ(Look(T).GetSlowDown(), 2);
}

// --- periods (W5, W6; at an instant, first the period's end, then the packet)

TEST_F(WrccStage, ThePeriodEndsBeforeAPacketOfTheSameInstant)
{
    Make();
    for (int i = 0; i < 4; ++i)
    {
        Enter(Data(0, 150000), i);
    }
    EXPECT_EQ(Leave(Data(0, 1098, 100000), T - 1).fairRateMbps, 100000u);
    EXPECT_EQ(Leave(Data(0, 1098, 100000), T).fairRateMbps, 50000u) << "R_input was 200G";
    Enter(Data(0, 300000), T);
    EXPECT_DOUBLE_EQ(Look(T).GetInputBps(), 200e9);
    EXPECT_DOUBLE_EQ(Look(2 * T).GetInputBps(), 100e9) << "the frame of T is in the next one";
}

TEST_F(WrccStage, ThePhaseIsTheSameForAllPortsAndRandomForEachSwitch)
{
    Set("WrccFairRate::PhaseJitter", "true");
    MakeTwoDatacenters(net, 2, 2, 10 * US);
    Build(net);
    std::map<uint32_t, std::vector<int64_t>> ends;
    for (uint32_t s : {0U, 1U})
    {
        StageOf(net, s).TraceConnectWithoutContext(
            "Period",
            Callback<void, uint16_t, const WrccPortRate&, Time, Time>(
                [&ends, s](uint16_t, const WrccPortRate&, Time end, Time at) {
                    EXPECT_LE(end, at);
                    ends[s].push_back(end.GetPicoSeconds() % T);
                }));
    }
    net.InstallFlows(Numbered({Flow(0, 2, 3000000), Flow(3, 1, 3000000)}));
    Simulator::Run();
    for (const auto& [s, phases] : ends)
    {
        ASSERT_GT(phases.size(), 10u);
        for (const int64_t phase : phases)
        {
            ASSERT_EQ(phase, phases.front()) << "switch " << s;
        }
    }
    EXPECT_NE(ends[0].front(), ends[1].front());
}

TEST_F(WrccStage, IdlePeriodsAreMadeUpFor)
{
    Make();
    for (int i = 0; i < 8; ++i)
    {
        Enter(Data(0, 300000), i);
    }
    Leave(Data(0), 1);
    EXPECT_DOUBLE_EQ(Look(T).GetRateBps(), 12.5e9);
    EXPECT_DOUBLE_EQ(Look(2 * T).GetRateBps(), 12.5e9 * 1.5);
    EXPECT_DOUBLE_EQ(Look(4 * T).GetRateBps(), 12.5e9 * 1.5 * 1.5 * 1.5);
    EXPECT_EQ(Leave(Data(0, 1098, 90000), 4 * T + 5).fairRateMbps, 42187u);
    Leave(Data(0), 1000000 * MS); // 42 million periods
    EXPECT_DOUBLE_EQ(Look(1000000 * MS).GetRateBps(), 100e9);
}

// The queue is that of the end of the period, whatever the frame that makes it known does.
TEST_F(WrccStage, TheQueueIsThatOfTheEndOfThePeriod)
{
    Set("WrccFairRate::QRatio", "0"); // QX is the queue
    MakeStar(net, 5);
    Build(net);
    std::map<int64_t, uint64_t> queue{{-1, 0}}; // bytes from a time on
    net.GetSwitch(0)->TraceConnectWithoutContext(
        "QueueLength",
        Callback<void, uint16_t, uint8_t, uint64_t, Time>(
            [&](uint16_t port, uint8_t, uint64_t bytes, Time at) {
                if (port == 4)
                {
                    queue[at.GetPicoSeconds()] = bytes;
                }
            }));
    unsigned compared = 0;
    StageOf(net).TraceConnectWithoutContext(
        "Period",
        Callback<void, uint16_t, const WrccPortRate&, Time, Time>(
            [&](uint16_t port, const WrccPortRate& rate, Time end, Time) {
                if (port == 4 && rate.GetInputBps() > 0)
                {
                    const auto after = queue.lower_bound(end.GetPicoSeconds());
                    EXPECT_EQ(rate.GetExtraBytes(), std::prev(after)->second) << end;
                    compared += std::prev(after)->second > 0;
                }
            }));
    net.InstallFlows(Numbered({Flow(0, 4, 3000000), Flow(1, 4, 3000000), Flow(2, 4, 3000000)}));
    Simulator::Run();
    EXPECT_GT(compared, 15u);
}

TEST_F(WrccStage, TheLimitOfTheQueueIsThatOfAllItsInputs)
{
    Make("QExtraMode=printed|QRatio=0"); // QX is Q_max, for there is no queue
    const auto threshold = [&](uint16_t in) {
        return static_cast<double>(net.GetSwitch(0)->GetBuffer().GetThresholdBytes(in, 3));
    };
    Enter(Data(0), 0);
    Enter(Data(1), 1);
    EXPECT_DOUBLE_EQ(Look(T).GetExtraBytes(), threshold(0) + threshold(1));
    Enter(Data(2), T);
    EXPECT_DOUBLE_EQ(Look(2 * T).GetExtraBytes(), threshold(2)) << "those of this period";
    EXPECT_EQ(Look(3 * T).GetExtraBytes(), 0) << "nobody";
}

TEST_F(WrccStage, QueueBeyondTheThresholdLowersTheRate)
{
    Set("Switch::BufferSize", "4MB");
    Set("WrccFairRate::PhaseJitter", "false");
    Set("WrccFairRate::RateRatio", "2");
    Set("WrccFairRate::QRatio", "0.01");
    MakeStar(net, 5);
    Build(net);
    bool seen = false;
    StageOf(net).TraceConnectWithoutContext(
        "Period",
        Callback<void, uint16_t, const WrccPortRate&, Time, Time>(
            [&](uint16_t port, const WrccPortRate& rate, Time end, Time) {
                if (port == 4 && end.GetPicoSeconds() == T)
                {
                    seen = true;
                    EXPECT_GT(rate.GetExtraBytes(), 0);
                    EXPECT_EQ(rate.GetBranch(), Branch::AI);
                    EXPECT_LT(rate.GetRateBps(), 90e9);
                }
            }));
    net.InstallFlows(Numbered({Flow(0, 4, 1000000), Flow(1, 4, 1000000)}));
    Simulator::Run();
    EXPECT_TRUE(seen);
}

// A division lasts for the round trip of 2,016 us, 84 periods, also if most of them see no packet.
TEST_F(WrccStage, IdlePeriodsCountSinceADivision)
{
    Make();
    const auto overload = [this](int64_t period) {
        for (int i = 0; i < 4; ++i)
        {
            Enter(Data(0, 150000), period * T + i);
        }
        Frame* far = Data(0);
        Header(*far) = {9, WrccHeader::BURST, 1000, 2016}; // no FCNPs to another domain
        Leave(far, period * T + 4);
        return Look((period + 1) * T).GetBranch();
    };
    EXPECT_EQ(overload(0), Branch::MD);
    EXPECT_EQ(overload(83), Branch::HOLD);
    EXPECT_EQ(overload(84), Branch::MD);
    EXPECT_EQ(overload(84 + 84), Branch::MD);
}

// A port is held for the delay after which senders hear of it: this switch tells those of its own
// datacenter with FBDP at once.
TEST_F(WrccStage, ThoseToldAtOnceDoNotHoldDivisions)
{
    Make();
    const auto overload = [this](int64_t period, uint16_t domain, uint16_t fbdp) {
        for (int i = 0; i < 4; ++i)
        {
            Enter(Data(0, 150000), period * T + i);
        }
        Frame* frame = Data(0);
        Header(*frame) = {domain, fbdp, 1000, 2016};
        Leave(frame, period * T + 4);
        return Look((period + 1) * T).GetBranch();
    };
    EXPECT_EQ(overload(0, 0, WrccHeader::BURST), Branch::MD);
    EXPECT_EQ(overload(1, 0, WrccHeader::BURST), Branch::MD);
    EXPECT_EQ(Look(2 * T).GetAvgRttUs(), 2016) << "that of equation 2 is what it was";
    EXPECT_EQ(overload(2, 9, WrccHeader::BURST), Branch::HOLD) << "another domain: 0.1 x 2016 us";
    EXPECT_EQ(overload(20, 0, WrccHeader::BURST), Branch::MD);
    EXPECT_EQ(overload(21, 0, WrccHeader::CLIPPED), Branch::HOLD) << "FBDP 0";
}

// --- rewriting (W3) and FCNPs (W4)

/// Ports whose fair rate is 30 Gbit/s, their maximum; so are the hosts.
constexpr const char* PINNED = "FMax=30Gbps";

TEST_F(WrccStage, RewritesGreaterRatesOnly)
{
    Make(PINNED, 30 * G);
    WrccHeader header = Leave(Data(0, 1098, 100000), 0);
    EXPECT_EQ(header.fairRateMbps, 30000u);
    EXPECT_EQ(header.fbdp, WrccHeader::BURST | WrccHeader::CLIPPED);
    header = Leave(Data(0, 1098, 30000), 0);
    EXPECT_EQ(header.fairRateMbps, 30000u);
    EXPECT_EQ(header.fbdp, WrccHeader::BURST) << "an equal rate is not clipped";
    EXPECT_EQ(Leave(Data(0, 1098, 5), 0).fairRateMbps, 5u);
    EXPECT_EQ(Counted(net, "wrccRewrites"), 1u);
    Simulator::Run();
}

TEST_F(WrccStage, FcnpsAreFurtherApartThanTheInterval)
{
    Make(PINNED, 30 * G);
    const auto leave = [&](int64_t nowPs) { Leave(Data(0, 1098, 100000), nowPs); };
    leave(0);
    EXPECT_EQ(Fcnps(), 1u);
    leave(10 * US);
    EXPECT_EQ(Fcnps(), 1u) << "10 us later";
    leave(T);
    EXPECT_EQ(Fcnps(), 1u) << "24.000 us: not more than the interval";
    leave(T + 1000);
    EXPECT_EQ(Fcnps(), 2u) << "24.001 us";
    leave(2 * T + 1000);
    EXPECT_EQ(Fcnps(), 2u) << "counted from the last FCNP";
    Simulator::Run();
}

TEST_F(WrccStage, OnlyTheOwnDomainAndBurstsGetFcnps)
{
    Make(PINNED, 30 * G);
    Frame* frame = Data(0, 1098, 100000);
    Header(*frame).domainId = 9;
    EXPECT_EQ(Leave(frame, 0).fairRateMbps, 30000u) << "rewritten, though of another domain";
    EXPECT_EQ(Fcnps(), 0u) << "another domain";
    frame = Data(0, 1098, 100000);
    Header(*frame).fbdp = 0;
    Leave(frame, 0);
    EXPECT_EQ(Fcnps(), 0u) << "FBDP 0";
    frame = Data(0, 1098, 100000);
    Header(*frame).fbdp = WrccHeader::CLIPPED;
    Leave(frame, 0);
    EXPECT_EQ(Fcnps(), 0u) << "clipped before is not a burst";
    Leave(Data(0, 1098, 30000), 0);
    EXPECT_EQ(Fcnps(), 0u) << "not rewritten";
    Leave(Data(0, 1098, 100000), 0);
    Leave(Data(1, 1098, 100000), 0);
    EXPECT_EQ(Fcnps(), 2u) << "one for each flow";
    Simulator::Run();
}

TEST_F(WrccStage, FcnpsTellTheSender)
{
    Make(PINNED, 30 * G);
    std::vector<WrccFcnp> told;
    net.GetNic(1)->TraceConnectWithoutContext(
        "RxEnd",
        Callback<void, const Frame&, Time>([&](const Frame& frame, Time) {
            ASSERT_EQ(frame.kind, FrameKind::NOTIFICATION);
            EXPECT_EQ(frame.src, 4u) << "as if from the receiver";
            EXPECT_EQ(frame.dstQp, 2u);
            EXPECT_EQ(frame.msn, WrccFcnp::KIND);
            EXPECT_EQ(frame.trafficClass, 6) << "not behind data";
            EXPECT_EQ(frame.psn, 0x1234567u);
            EXPECT_EQ(frame.frameBytes, ACK_FRAME_BYTES + 12);
            told.push_back(*frame.FindExtension<WrccFcnp>());
        }));
    Frame* frame = Data(1, 1098, 100000);
    frame->psn = 0x1234567;
    Leave(frame, 0);
    Simulator::Run();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].domainId, 0);
    EXPECT_EQ(told[0].fbdp & WrccHeader::BURST, 1);
    EXPECT_EQ(told[0].psn, 0x234567u) << "24 bits";
    EXPECT_EQ(told[0].fairRateMbps, 30000u);
}

TEST_F(WrccStage, FcnpsHaveTheClassThatIsAskedFor)
{
    Make(std::string(PINNED) + "|ControlClass=3", 30 * G);
    std::vector<uint8_t> classes;
    net.GetNic(1)->TraceConnectWithoutContext(
        "RxEnd",
        Callback<void, const Frame&, Time>(
            [&](const Frame& frame, Time) { classes.push_back(frame.trafficClass); }));
    Leave(Data(1, 1098, 100000), 0);
    Simulator::Run();
    EXPECT_EQ(classes, std::vector<uint8_t>{3});
}

// The exact table forgets; the hashed one has its size.
TEST_F(WrccStage, TheTableOfFlowsDoesNotGrowForEver)
{
    Make(PINNED, 30 * G);
    for (uint32_t i = 0; i < 5000; ++i)
    {
        Frame* frame = Data(0, 1098, 100000);
        frame->srcQp = i;
        Leave(frame, i * US);
    }
    EXPECT_EQ(Fcnps(), 5000u);
    EXPECT_LE(Counted(net, "wrccTablePeak"), 60u) << "two intervals' worth";
    Simulator::Run();
}

TEST_F(WrccStage, HashedFlowsMayShareAnEntry)
{
    Make(std::string(PINNED) + "|FcnpHashBits=1", 30 * G);
    for (uint16_t i = 0; i < 100; ++i)
    {
        Frame* frame = Data(0, 1098, 100000);
        frame->srcQp = i;
        frame->entropy = i;
        Leave(frame, 0);
    }
    EXPECT_EQ(Fcnps(), 2u) << "two entries";
    EXPECT_EQ(Counted(net, "wrccTablePeak"), 2u);
    Simulator::Run();
}

TEST_F(WrccStage, IntervalOfItsOwn)
{
    Make(std::string(PINNED) + "|FcnpInterval=5us", 30 * G);
    Leave(Data(0, 1098, 100000), 0);
    Leave(Data(0, 1098, 100000), 5 * US);
    EXPECT_EQ(Fcnps(), 1u);
    Leave(Data(0, 1098, 100000), 5 * US + 1);
    EXPECT_EQ(Fcnps(), 2u);
    Simulator::Run();
}

// --- changes while it runs

TEST_F(WrccStage, LiveParametersChange)
{
    Make();
    Enter(Data(0, 300000), 0);
    Enter(Data(0, 300000), 1);
    Simulator::Schedule(PicoSeconds(T + 1), [&] {
        const Ptr<WrccFairRate> next = CreateObject<WrccFairRate>();
        next->SetAttribute("PhaseJitter", StringValue("false"));
        next->SetAttribute("FMax", StringValue("20Gbps"));
        net.GetSwitch(0)->Retune(*next, T + 1);
    });
    Simulator::Run();
    EXPECT_DOUBLE_EQ(Look(T + 1).GetRateBps(), 50e9) << "the period before has the old ones";
    EXPECT_DOUBLE_EQ(Look(2 * T).GetRateBps(), 20e9);
    const Ptr<WrccFairRate> other = CreateObject<WrccFairRate>();
    other->SetAttribute("PhaseJitter", StringValue("false"));
    other->SetAttribute("Period", StringValue("48us"));
    EXPECT_NE(ErrorOf([&] { net.GetSwitch(0)->Retune(*other, 2 * T); }).find("Period is 48us"),
              std::string::npos);
}

// --- deployments

class WrccDeployment : public WrccTest
{
  protected:
    static std::string Refusal(const Network::Options& options)
    {
        Network net;
        MakeTwoDatacenters(net, 2, 2, 10 * US);
        return ErrorOf([&] { net.Build(options); });
    }

    static Network::Options At(SwitchRole where)
    {
        Network::Options options;
        options.stages.emplace_back("ns3::roce::WrccFairRate", where);
        return options;
    }
};

TEST_F(WrccDeployment, LawAndStageNeedEachOther)
{
    EXPECT_EQ(Refusal(Options()), "no error");
    EXPECT_EQ(Refusal(At(SwitchRole::TOR)), "no error") << "a part of the switches";
    const std::string need = "needs fair rates, which no switch on the way computes; expected "
                             "--stages=WrccFairRate";
    EXPECT_EQ(Refusal({}), "rate law Wrcc " + need);
    EXPECT_EQ(Refusal(At(SwitchRole::DCI)), "rate law Wrcc " + need);
    SetRateLaw("LineRate");
    EXPECT_EQ(Refusal(Options()),
              "stage WrccFairRate computes fair rates, but no rate law listens to them; expected "
              "Wrcc (--cc=Wrcc)");
    Set("Nic::InterCongestionControl", "ns3::roce::Wrcc");
    EXPECT_EQ(Refusal(Options()), "no error") << "one of two laws";
    EXPECT_EQ(Refusal(At(SwitchRole::DCI)), "no error") << "flows within have another law";
    EXPECT_EQ(Refusal({}), "rate law Wrcc between datacenters " + need);
}

TEST_F(WrccDeployment, TheTimerIsNotShorterThanThePeriod)
{
    Set("WrccFairRate::Period", "48us");
    EXPECT_EQ(Refusal(Options()),
              "rate law Wrcc: T1 is 24us, expected at least Period of WrccFairRate, 48us "
              "(--cc=Wrcc[T1=48us])");
    Set("Wrcc::T1", "48us");
    EXPECT_EQ(Refusal(Options()), "no error");
}

// A NIC that is faster than all fair rates would be throttled in an empty network.
TEST_F(WrccDeployment, NoNicIsFasterThanTheGreatestFairRate)
{
    Network net;
    const uint32_t sw = net.AddSwitch("sw", 0);
    net.AddNic(net.AddHost("slow", 0), sw, 100 * G, US);
    net.AddNic(net.AddHost("fast", 0), sw, 400 * G, US);
    EXPECT_EQ(ErrorOf([&] { net.Build(Options()); }),
              "stage WrccFairRate: FMax is 100Gbps, expected at least the rate of all NICs with "
              "rate law Wrcc, 400Gbps (--stages=WrccFairRate[FMax=400Gbps])");
}

TEST_F(WrccDeployment, AFastNicIsAloneAtItsRate)
{
    Set("WrccFairRate::FMax", "400Gbps");
    Network net;
    MakeStar(net, 2, 400 * G);
    Build(net);
    const FlowSpec flow = Flow(0, 1, 10'000'000);
    const int64_t idealPs = net.GetIdeal(flow).senderFctPs;
    EXPECT_NEAR(static_cast<double>(RunFlows(net, {flow}).at(0)) / static_cast<double>(idealPs),
                1,
                0.02);
    Simulator::Destroy();
}

// Algorithms 1 and 2 are printed together: half of them is nobody's reading.
TEST_F(WrccDeployment, ProfileLiteralIsForBoth)
{
    const std::string expected =
        "; expected both Algorithms 1 and 2 as printed, or none (--cc=Wrcc[Profile=literal], "
        "--stages=WrccFairRate[Profile=literal])";
    Set("Wrcc::Profile", "literal");
    EXPECT_EQ(Refusal(Options()),
              "rate law Wrcc is with Profile=literal, stage WrccFairRate without Profile=literal" +
                  expected);
    Set("WrccFairRate::Profile", "literal");
    EXPECT_EQ(Refusal(Options()), "no error");
    Set("Wrcc::Profile", "default");
    EXPECT_EQ(Refusal(Options()),
              "rate law Wrcc is without Profile=literal, stage WrccFairRate with Profile=literal" +
                  expected);
    SetRateLaw("LineRate");
    Set("Nic::InterCongestionControl", "ns3::roce::Wrcc[Profile=literal]");
    EXPECT_EQ(Refusal(Options()), "no error") << "the law between datacenters is the only Wrcc";
}

TEST_F(WrccDeployment, BadValuesAreRefused)
{
    Set("WrccFairRate::FMin", "200Gbps");
    EXPECT_EQ(Refusal(Options()),
              "ns3::roce::WrccFairRate: FMin is 200Gbps, expected at most FMax, 100Gbps");
    Set("WrccFairRate::FMin", "profile");
    Set("WrccFairRate::RateRatio", "0.9");
    EXPECT_NE(Refusal(Options()).find("RateRatio is 0.9"), std::string::npos);
}

} // namespace
