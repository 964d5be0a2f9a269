// SPDX-License-Identifier: GPL-2.0-only
// Pieces that users add: stages that mark, consume, emit and hold, and shaping schedulers.
#include "roce-test-network.h"

#include "ns3/roce-egress-scheduler.h"

#include <deque>
#include <functional>
#include <tuple>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Verdict = SwitchStage::Verdict;

/// A stage made of functions.
struct TestStage : public SwitchStage
{
    using Handler = std::function<Verdict(Frame&, Port&, int64_t)>;

    uint32_t GetHooks() const override
    {
        return hooks;
    }

    void OnTimer(int64_t nowPs) override
    {
        timer(nowPs);
    }

    Verdict OnArrival(Frame& frame, Port& port, int64_t nowPs) override
    {
        return handler(frame, port, nowPs);
    }

    Verdict OnEnqueue(Frame& frame, Port& port, const EgressScheduler&, int64_t nowPs) override
    {
        return handler(frame, port, nowPs);
    }

    Verdict OnDequeue(Frame& frame, Port& port, const EgressScheduler&, int64_t nowPs) override
    {
        return handler(frame, port, nowPs);
    }

    void OnPause(PauseEvent event, Port& port, uint8_t trafficClass, int64_t nowPs) override
    {
        pause(event, port, trafficClass, nowPs);
    }

    uint32_t hooks{0};
    Handler handler;
    std::function<void(PauseEvent, Port&, uint8_t, int64_t)> pause;
    std::function<void(int64_t)> timer;
};

Ptr<TestStage>
AddStage(Network& net, uint32_t hooks, TestStage::Handler handler)
{
    Ptr<TestStage> stage = CreateObject<TestStage>();
    stage->hooks = hooks;
    stage->handler = std::move(handler);
    net.GetSwitch(0)->Install(stage);
    return stage;
}

const char*
HookName(uint32_t hook)
{
    return hook == SwitchStage::ARRIVAL   ? "arrival"
           : hook == SwitchStage::ENQUEUE ? "enqueue"
                                          : "dequeue";
}

constexpr uint32_t ALL_HOOKS[] = {SwitchStage::ARRIVAL, SwitchStage::ENQUEUE, SwitchStage::DEQUEUE};

/// Two senders to one receiver, so that frames do queue.
std::vector<FlowSpec>
TwoToOne(uint64_t bytes = 400000)
{
    return Numbered({Flow(1, 0, bytes), Flow(2, 0, bytes, 77777)});
}

/// A frame of the switch's own to NIC 0.
Frame*
OwnFrame(uint32_t bytes, uint8_t trafficClass, uint64_t psn)
{
    Frame* frame = FramePool::Alloc();
    frame->kind = FrameKind::CNP;
    frame->frameBytes = bytes;
    frame->trafficClass = trafficClass;
    frame->src = 2;
    frame->dst = 0;
    frame->dstQp = 0xffffff;
    frame->psn = psn;
    frame->ttl = 64;
    return frame;
}

/// Fails if two transmissions of a port overlap.
void
ExpectNoOverlap(Network& net, std::map<const Port*, int64_t>& busyUntil)
{
    for (const Ptr<Port>& port : net.GetPorts())
    {
        const Port* raw = PeekPointer(port);
        port->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([raw, &busyUntil](const Frame& f, Time at) {
                EXPECT_GE(at.GetTimeStep(), busyUntil[raw]) << "transmissions overlap";
                busyUntil[raw] =
                    at.GetTimeStep() + raw->SerialisationPs(raw->WireBytes(f.frameBytes));
            }));
    }
}

struct StageTest : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("LineRate");
    }
};

} // namespace

TEST_F(StageTest, SeesEveryFrameAtEachHook)
{
    Network net;
    MakeStar(net, 3);
    net.Build();
    std::map<uint32_t, uint64_t> seen;
    int64_t last = 0;
    for (uint32_t hook : ALL_HOOKS)
    {
        AddStage(net, hook, [&seen, &last, hook](Frame& f, Port&, int64_t nowPs) {
            ++seen[hook];
            EXPECT_GE(nowPs, 0);
            if (hook != SwitchStage::DEQUEUE)
            {
                EXPECT_LE(nowPs, Simulator::Now().GetTimeStep());
                EXPECT_GE(nowPs, last); // in order of time
                last = nowPs;
            }
            EXPECT_NE(f.kind, FrameKind::PFC);
            return Verdict::PASS;
        });
    }
    const auto flows = TwoToOne();
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    const uint64_t frames = 2 * 2 * 98; // data and ACKs
    for (uint32_t hook : ALL_HOOKS)
    {
        EXPECT_EQ(seen[hook], frames) << HookName(hook);
    }
    ExpectAllDone(net, done, flows);
}

TEST_F(StageTest, MarkAtEachHook)
{
    for (uint32_t hook : ALL_HOOKS)
    {
        SetRateLaw("Dcqcn");
        Network net;
        MakeStar(net, 3);
        net.Build();
        uint64_t marked = 0;
        AddStage(net, hook, [&marked](Frame& f, Port&, int64_t) {
            if (f.kind == FrameKind::DATA)
            {
                ++marked;
                f.ecn = ECN_CE;
            }
            return Verdict::PASS;
        });
        const auto flows = TwoToOne();
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_EQ(marked, 2u * 98);
        EXPECT_GT(Sum(net).cnps, 10u) << HookName(hook);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

// Every tenth data frame ends at the stage: go-back-N repairs it, the books still balance.
TEST_F(StageTest, ConsumeAtEachHook)
{
    for (uint32_t hook : ALL_HOOKS)
    {
        Network net;
        MakeStar(net, 3);
        net.Build();
        uint64_t n = 0;
        uint64_t consumed = 0;
        AddStage(net, hook, [&](Frame& f, Port&, int64_t) {
            if (f.kind == FrameKind::DATA && ++n % 10 == 0)
            {
                ++consumed;
                return Verdict::CONSUME;
            }
            return Verdict::PASS;
        });
        const auto flows = TwoToOne(150000);
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_EQ(net.GetSwitch(0)->GetCounters().consumedFrames, consumed) << HookName(hook);
        EXPECT_GT(consumed, 5u);
        EXPECT_EQ(Sum(net).lost, 0u);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

// A frame of the switch's own for every data frame, to the same port and to another.
TEST_F(StageTest, EmitAtEachHook)
{
    for (uint32_t hook : ALL_HOOKS)
    {
        for (uint32_t to : {0u, 2u})
        {
            Network net;
            MakeStar(net, 3);
            net.Build();
            Switch& sw = *net.GetSwitch(0);
            uint64_t emitted = 0;
            AddStage(net, hook, [&](Frame& f, Port&, int64_t nowPs) {
                if (f.kind == FrameKind::DATA)
                {
                    Frame* own = OwnFrame(500, 6, emitted++);
                    own->dst = to;
                    own->src = 1 - to / 2;
                    sw.Emit(own, nowPs);
                }
                return Verdict::PASS;
            });
            const auto flows = TwoToOne();
            Completions done(net);
            PauseMonitor monitor(net);
            std::map<const Port*, int64_t> busyUntil;
            ExpectNoOverlap(net, busyUntil);
            net.InstallFlows(flows);
            Simulator::Run();
            EXPECT_EQ(emitted, 2u * 98);
            EXPECT_EQ(sw.GetCounters().emittedFrames, emitted);
            EXPECT_EQ(net.GetNic(to)->GetCounters().cnpsReceived, emitted) << HookName(hook);
            EXPECT_EQ(Sum(net).lost, 0u);
            ExpectAllDone(net, done, flows);
            monitor.Check(net);
            Simulator::Destroy();
        }
    }
}

// A stage is told of each pause frame, and what it says; it may send something at once.
TEST_F(StageTest, SeesXoffRefreshAndXon)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("300KiB"));
    Config::SetDefault("ns3::roce::Switch::PauseQuanta", UintegerValue(300));
    Network net;
    MakeStar(net, 3);
    net.Build();
    Switch& sw = *net.GetSwitch(0);
    std::map<PauseEvent, uint64_t> seen;
    std::map<PauseEvent, uint64_t> traced;
    uint64_t emitted = 0;
    Ptr<TestStage> stage = CreateObject<TestStage>();
    stage->hooks = SwitchStage::PAUSE;
    stage->pause = [&](PauseEvent event, Port& port, uint8_t trafficClass, int64_t nowPs) {
        ++seen[event];
        EXPECT_EQ(trafficClass, 3u);
        EXPECT_LE(nowPs, Simulator::Now().GetTimeStep());
        Frame* own = OwnFrame(500, 6, emitted++);
        own->dst = port.GetIndex(); // to the very host that is paused
        own->src = 1 - own->dst;
        sw.Emit(own, nowPs);
    };
    sw.Install(stage);
    sw.TraceConnectWithoutContext(
        "PauseSent",
        Callback<void, uint16_t, uint8_t, PauseEvent, Time>(
            [&](uint16_t, uint8_t, PauseEvent event, Time) { ++traced[event]; }));
    const auto flows = TwoToOne(4000000);
    Completions done(net);
    PauseMonitor monitor(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(seen, traced);
    for (const PauseEvent event : {PauseEvent::XOFF, PauseEvent::REFRESH, PauseEvent::XON})
    {
        EXPECT_GT(seen[event], 3u) << static_cast<int>(event);
        EXPECT_EQ(seen[event], sw.GetPauseSender().GetSent(event));
    }
    EXPECT_EQ(sw.GetCounters().emittedFrames, emitted);
    ExpectAllDone(net, done, flows);
    monitor.Check(net);
}

// With hook ENQUEUE all frames are admitted, with MARK those that meet an idle port are not.
TEST_F(StageTest, HookEnqueueTakesFramesThroughTheBuffer)
{
    std::map<uint32_t, uint64_t> admitted;
    for (const uint32_t hook : {SwitchStage::ENQUEUE, SwitchStage::MARK})
    {
        Network net;
        MakeStar(net, 2);
        net.Build();
        uint64_t seen = 0;
        AddStage(net, hook, [&](Frame&, Port&, int64_t) {
            ++seen;
            return Verdict::PASS;
        });
        // A packet each, the port is always free.
        const auto flows =
            Numbered({Flow(1, 0, 4000), Flow(1, 0, 4000, MS), Flow(1, 0, 1, 2 * MS)});
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_EQ(seen, 2u * 3) << hook;
        admitted[hook] = net.GetSwitch(0)->GetCounters().admittedBytes;
        EXPECT_EQ(done.FctPs(0), net.GetIdeal(flows[0]).senderFctPs);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
    EXPECT_GT(admitted[SwitchStage::ENQUEUE], 8001u);
    EXPECT_EQ(admitted[SwitchStage::MARK], 0u);
}

// Frames held for 5 us: late, but all there; what was charged at ENQUEUE stays charged.
TEST_F(StageTest, HoldAndRelease)
{
    for (uint32_t hook : {SwitchStage::ARRIVAL, SwitchStage::ENQUEUE})
    {
        Network net;
        MakeStar(net, 3);
        net.Build();
        Switch& sw = *net.GetSwitch(0);
        uint64_t held = 0;
        std::deque<std::tuple<int64_t, Frame*, uint16_t>> waiting;
        Ptr<TestStage> stage = AddStage(net, hook, nullptr);
        stage->handler = [&](Frame& f, Port& port, int64_t nowPs) {
            if (f.kind != FrameKind::DATA)
            {
                return Verdict::PASS;
            }
            ++held;
            waiting.emplace_back(nowPs + 5 * US, &f, port.GetIndex());
            sw.ArmStage(PeekPointer(stage), std::get<0>(waiting.front()));
            return Verdict::HOLD;
        };
        stage->timer = [&](int64_t nowPs) {
            const auto [at, frame, port] = waiting.front();
            EXPECT_EQ(nowPs, at);
            waiting.pop_front();
            EXPECT_EQ(sw.Audit(), "");
            EXPECT_GT(sw.GetCounters().heldFrames, 0u);
            EXPECT_EQ(sw.GetBuffer().GetTotalBytes() > 0, hook == SwitchStage::ENQUEUE);
            sw.Release(frame, static_cast<SwitchStage::Hook>(hook), port, nowPs);
            if (!waiting.empty())
            {
                sw.ArmStage(PeekPointer(stage), std::get<0>(waiting.front()));
            }
        };
        const auto flows = Numbered({Flow(1, 0, 4000), Flow(1, 0, 40960, MS)});
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_EQ(held, 11u);
        for (const FlowSpec& flow : flows)
        {
            EXPECT_EQ(done.FctPs(flow.id), net.GetIdeal(flow).senderFctPs + 5 * US);
        }
        EXPECT_EQ(sw.GetCounters().heldFrames, 0u);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

// NIC 0 is paused because the pool is full of frames to NIC 0. A stage then consumes all of these
// at once: that resumes NIC 0, whose XON has to leave by the very port that has nothing more to
// send.
TEST_F(StageTest, ConsumeAtDequeueDoesNotSwallowAnXon)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("300KiB"));
    Config::SetDefault("ns3::roce::Switch::ReservedBytes", UintegerValue(0));
    Config::SetDefault("ns3::roce::Switch::XonOffset", UintegerValue(100));
    Config::SetDefault("ns3::roce::Switch::RefreshPause", BooleanValue(false));
    Config::SetDefault("ns3::roce::Port::InfinitePause", BooleanValue(true));
    // It takes an XON at the very time of a departure.
    Config::SetDefault("ns3::roce::Switch::RandomTies", BooleanValue(false));
    uint64_t swallowable = 0;
    for (uint64_t bytes = 4000; bytes < 30000; bytes += 250)
    {
        Network net;
        MakeStar(net, 4);
        net.Build();
        Switch& sw = *net.GetSwitch(0);
        uint64_t atOnce = 0;
        AddStage(net, SwitchStage::DEQUEUE, [&](Frame& f, Port& port, int64_t nowPs) {
            if (f.kind != FrameKind::DATA || port.GetIndex() != 0 || nowPs < 9 * US)
            {
                return Verdict::PASS;
            }
            ++atOnce;
            return Verdict::CONSUME;
        });
        // The way to NIC 1 is blocked for good.
        net.GetNic(1)->Transmit(net.GetNic(1)->MakePfc(3, 65535), 0);
        net.InstallFlows(
            Numbered({Flow(2, 0, 200000), Flow(3, 0, 200000), Flow(0, 1, bytes, 5 * US)}));
        uint64_t xons = 0;
        int64_t madePs = NEVER_PS;
        sw.GetPort(0)->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&](const Frame& f, Time at) {
                if (f.kind == FrameKind::PFC && madePs != NEVER_PS)
                {
                    EXPECT_LE(at.GetTimeStep() - madePs, 335520) << "the XON waited";
                    madePs = NEVER_PS;
                }
            }));
        sw.TraceConnectWithoutContext("PauseSent",
                                      Callback<void, uint16_t, uint8_t, PauseEvent, Time>(
                                          [&](uint16_t port, uint8_t, PauseEvent event, Time at) {
                                              if (port == 0 && event == PauseEvent::XON &&
                                                  at.GetTimeStep() >= 9 * US)
                                              {
                                                  ++xons;
                                                  madePs = at.GetTimeStep();
                                              }
                                          }));
        Simulator::Stop(TimeStep(100 * US));
        Simulator::Run();
        net.CatchUp();
        swallowable += xons;
        EXPECT_EQ(madePs, NEVER_PS) << "the XON was not sent";
        EXPECT_EQ(net.GetNic(0)->PausedMask(100 * US) != 0, sw.GetBuffer().GetPausedCount() > 0)
            << bytes;
        EXPECT_EQ(net.Audit(false), "");
        Simulator::Destroy();
    }
    EXPECT_GT(swallowable, 0u) << "the test cannot fail";
}

// ---------------------------------------------------------------- scheduling

namespace
{

/// First in first out, one frame in at least INTERVAL picoseconds.
class Shaper : public EgressScheduler
{
  public:
    static constexpr int64_t INTERVAL = 3 * US;

    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::roce::test::Shaper").SetParent<EgressScheduler>().AddConstructor<Shaper>();
        return tid;
    }

    bool IsWorkConserving() const override
    {
        return false;
    }

    int64_t NextEligiblePs(uint32_t, int64_t) const override
    {
        return m_queue.empty() ? NEVER_PS : m_nextPs;
    }

  private:
    void DoEnqueue(Frame* frame, int64_t) override
    {
        m_queue.push_back(frame);
        SetHeldBytes(frame->trafficClass, GetBytes(frame->trafficClass));
    }

    Frame* DoDequeue(uint32_t pausedMask, int64_t nowPs) override
    {
        if (m_queue.empty() || nowPs < m_nextPs || pausedMask >> m_queue.front()->trafficClass & 1)
        {
            return nullptr;
        }
        Frame* frame = m_queue.front();
        m_queue.pop_front();
        m_nextPs = nowPs + INTERVAL;
        SetHeldBytes(frame->trafficClass, GetBytes(frame->trafficClass) - frame->frameBytes);
        return frame;
    }

    std::deque<Frame*> m_queue;
    int64_t m_nextPs{0};
};

NS_OBJECT_ENSURE_REGISTERED(Shaper);

} // namespace

TEST_F(StageTest, ShapingSchedulerSendsAtItsTimes)
{
    Config::SetDefault("ns3::roce::Switch::EgressScheduler",
                       StringValue("ns3::roce::test::Shaper"));
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<int64_t> starts;
    net.GetSwitch(0)->GetPort(1)->TraceConnectWithoutContext(
        "TxBegin",
        Callback<void, const Frame&, Time>([&](const Frame& f, Time at) {
            if (f.kind == FrameKind::DATA)
            {
                starts.push_back(at.GetTimeStep());
            }
        }));
    const auto flows = Numbered({Flow(0, 1, 20 * 4096), Flow(0, 1, 4096, 5 * MS)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ASSERT_EQ(starts.size(), 21u);
    EXPECT_EQ(starts[0], US + 335520); // first frame on the wire, then its delay
    for (unsigned i = 1; i < 20; ++i)
    {
        EXPECT_EQ(starts[i] - starts[i - 1], Shaper::INTERVAL) << i;
    }
    EXPECT_EQ(done.FctPs(1), net.GetIdeal(flows[1]).senderFctPs);
    ExpectAllDone(net, done, flows);
}

// What a shaper holds back is not taken for congestion of its port, by marks or telemetry.
TEST_F(StageTest, BytesHeldBackAreNotOnTheLine)
{
    Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(0));
    Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(0));
    for (const bool shaped : {false, true})
    {
        Config::SetDefault(
            "ns3::roce::Switch::EgressScheduler",
            StringValue(shaped ? "ns3::roce::test::Shaper" : "ns3::roce::DwrrScheduler"));
        SetRateLaw("Dcqcn");
        Network net;
        MakeStar(net, 3);
        net.Build();
        uint64_t queued = 0;
        uint64_t onLine = 0;
        AddStage(net, SwitchStage::DEQUEUE, [&](Frame&, Port& port, int64_t) {
            const EgressScheduler& queue = net.GetSwitch(0)->GetQueue(port.GetIndex());
            queued = std::max(queued, queue.GetTotalBytes());
            onLine = std::max(onLine, queue.GetLineBytes());
            uint64_t sum = 0;
            for (uint8_t c = 0; c < N_CLASSES; ++c)
            {
                sum += queue.GetLineBytes(c);
            }
            EXPECT_EQ(sum, queue.GetLineBytes());
            return Verdict::PASS;
        });
        const auto flows = TwoToOne();
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_GT(queued, 50000u);
        EXPECT_EQ(onLine, shaped ? 0 : queued);
        EXPECT_EQ(net.GetCounters().at("ecnMarked") > 0, !shaped);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

// A stage may lose frames for a reason of its own, which is counted and told by its name.
TEST_F(StageTest, DropsForReasonsOfItsOwn)
{
    for (uint32_t hook : ALL_HOOKS)
    {
        Network net;
        MakeStar(net, 3);
        net.Build();
        Switch& sw = *net.GetSwitch(0);
        const uint8_t reason = sw.AddDropReason("tooLate");
        EXPECT_EQ(sw.AddDropReason("tooLate"), reason) << "named once";
        EXPECT_EQ(sw.AddDropReason("ttl"), Switch::DROP_TTL);
        uint64_t n = 0;
        uint64_t dropped = 0;
        AddStage(net, hook, [&](Frame& f, Port&, int64_t) {
            if (f.kind == FrameKind::DATA && ++n % 10 == 0)
            {
                ++dropped;
                return sw.Refuse(reason);
            }
            return Verdict::PASS;
        });
        std::map<std::string, uint64_t> traced;
        sw.TraceConnectWithoutContext(
            "Drop",
            Callback<void, const Frame&, const char*, Time>(
                [&](const Frame&, const char* why, Time) { ++traced[why]; }));
        const auto flows = TwoToOne(150000);
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_GT(dropped, 5u);
        const std::map<std::string, uint64_t> expected{{"tooLate", dropped}};
        EXPECT_EQ(traced, expected) << HookName(hook);
        const auto counters = net.GetCounters();
        EXPECT_EQ(counters.at("framesDroppedTooLate"), dropped);
        EXPECT_EQ(counters.at("framesDropped"), dropped);
        EXPECT_EQ(counters.at("framesDroppedTtl"), 0u);
        EXPECT_EQ(sw.GetCounters().consumedFrames, 0u);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

// Frames that a shaping scheduler still holds are freed with the network.
TEST_F(StageTest, ShapedFramesAreFreedAtTheEnd)
{
    Config::SetDefault("ns3::roce::Switch::EgressScheduler",
                       StringValue("ns3::roce::test::Shaper"));
    Network net;
    MakeStar(net, 2);
    net.Build();
    net.InstallFlows(Numbered({Flow(0, 1, 200 * 4096)}));
    Simulator::Stop(TimeStep(30 * US));
    Simulator::Run();
    EXPECT_GT(net.GetSwitch(0)->GetQueue(1).GetFrames(), 10u);
}
