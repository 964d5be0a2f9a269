// SPDX-License-Identifier: GPL-2.0-only
// The stages of a switch by themselves: who is called when, and the timers.
#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-pause-sender.h"
#include "ns3/roce-port.h"
#include "ns3/roce-stage-pipeline.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

using Verdict = SwitchStage::Verdict;

/// Writes down its calls.
struct Witness : public SwitchStage
{
    uint32_t GetHooks() const override
    {
        return hooks;
    }

    uint32_t GetKinds() const override
    {
        return kinds;
    }

    Verdict OnArrival(Frame&, Port&, int64_t) override
    {
        return Note("arrival");
    }

    Verdict OnEnqueue(Frame&, Port&, const EgressScheduler&, int64_t) override
    {
        return Note("enqueue");
    }

    Verdict OnDequeue(Frame&, Port&, const EgressScheduler&, int64_t) override
    {
        return Note("dequeue");
    }

    void OnDrop(const Frame&, Port&, int64_t) override
    {
        Note("drop");
    }

    void OnPause(PauseEvent event, Port&, uint8_t trafficClass, int64_t) override
    {
        Note(event == PauseEvent::XON ? "xon" : "xoff");
        pausedClass = trafficClass;
    }

    void OnTimer(int64_t nowPs) override
    {
        Note("timer");
        if (repeatPs)
        {
            pipeline->Arm(this, nowPs + repeatPs);
        }
    }

    Verdict Note(const char* what)
    {
        log->push_back(name + what);
        return verdict;
    }

    std::string name;
    uint32_t hooks{0};
    uint32_t kinds{~0U};
    Verdict verdict{Verdict::PASS};
    std::vector<std::string>* log{nullptr};
    StagePipeline* pipeline{nullptr};
    int64_t repeatPs{0};
    int pausedClass{-1};
};

struct Other : public Witness
{
};

struct StagePipelineTest : ::testing::Test
{
    template <typename T = Witness>
    Ptr<T> Add(const std::string& name,
               uint32_t hooks,
               uint32_t kinds = ~0U,
               Verdict verdict = Verdict::PASS)
    {
        Ptr<T> stage = CreateObject<T>();
        stage->name = name + ":";
        stage->hooks = hooks;
        stage->kinds = kinds;
        stage->verdict = verdict;
        stage->log = &log;
        stage->pipeline = &pipeline;
        pipeline.SetNNics(1);
        pipeline.Add(stage);
        return stage;
    }

    /// What is called for one frame at all hooks.
    std::vector<std::string> Pass(FrameKind kind)
    {
        log.clear();
        Frame frame{};
        frame.frameBytes = 64;
        frame.kind = kind;
        pipeline.Arrive(frame, *port, 1);
        pipeline.Enqueue(frame, *port, *queue, 2);
        pipeline.Dequeue(frame, *port, *queue, 3);
        pipeline.Drop(frame, *port, 4);
        return log;
    }

    using Log = std::vector<std::string>;

    StagePipeline pipeline;
    Log log;
    Ptr<Port> port{CreateObject<Port>()};
    Ptr<EgressScheduler> queue{CreateObject<DwrrScheduler>()};
};

constexpr uint32_t
KindBit(FrameKind kind)
{
    return 1U << static_cast<unsigned>(kind);
}

} // namespace

TEST_F(StagePipelineTest, CallsInOrderOfInstallationAtTheHooksNamed)
{
    Add("a", SwitchStage::ARRIVAL | SwitchStage::DEQUEUE);
    Add("b", SwitchStage::ENQUEUE | SwitchStage::DROP);
    Add("c", SwitchStage::ARRIVAL | SwitchStage::MARK);
    EXPECT_EQ(Pass(FrameKind::DATA),
              (Log{"a:arrival", "c:arrival", "b:enqueue", "c:enqueue", "a:dequeue", "b:drop"}));
}

TEST_F(StagePipelineTest, CallsOnlyForTheKindsNamed)
{
    Add("a", SwitchStage::ARRIVAL, KindBit(FrameKind::ACK));
    Add("b", SwitchStage::DEQUEUE, KindBit(FrameKind::DATA) | KindBit(FrameKind::ACK));
    EXPECT_EQ(Pass(FrameKind::DATA), (Log{"b:dequeue"}));
    EXPECT_EQ(Pass(FrameKind::ACK), (Log{"a:arrival", "b:dequeue"}));
    EXPECT_EQ(Pass(FrameKind::CNP), Log{});
}

TEST_F(StagePipelineTest, TheFirstVerdictOtherThanPassIsTheLast)
{
    const uint32_t all = SwitchStage::ARRIVAL | SwitchStage::ENQUEUE | SwitchStage::DEQUEUE;
    Add("a", all);
    const auto b = Add("b", all);
    Add("c", all);
    Frame frame{};
    frame.frameBytes = 64;
    for (const Verdict verdict : {Verdict::CONSUME, Verdict::HOLD, Verdict::PASS})
    {
        b->verdict = verdict;
        log.clear();
        EXPECT_EQ(pipeline.Arrive(frame, *port, 1), verdict);
        EXPECT_EQ(pipeline.Enqueue(frame, *port, *queue, 1), verdict);
        EXPECT_EQ(pipeline.Dequeue(frame, *port, *queue, 1), verdict);
        EXPECT_EQ(log.size(), verdict == Verdict::PASS ? 9u : 6u);
    }
}

TEST_F(StagePipelineTest, OnlyHookEnqueueNeedsAdmissionAndOnlyForItsKinds)
{
    Add("a", SwitchStage::ARRIVAL | SwitchStage::MARK | SwitchStage::DEQUEUE | SwitchStage::DROP);
    EXPECT_FALSE(pipeline.NeedsAdmission(FrameKind::DATA));
    Add("b", SwitchStage::ENQUEUE, KindBit(FrameKind::ACK));
    EXPECT_FALSE(pipeline.NeedsAdmission(FrameKind::DATA));
    EXPECT_TRUE(pipeline.NeedsAdmission(FrameKind::ACK));
    // Both hooks: called once, and admitted.
    Add("c", SwitchStage::ENQUEUE | SwitchStage::MARK, KindBit(FrameKind::DATA));
    EXPECT_TRUE(pipeline.NeedsAdmission(FrameKind::DATA));
    EXPECT_EQ(Pass(FrameKind::DATA),
              (Log{"a:arrival", "a:enqueue", "c:enqueue", "a:dequeue", "a:drop"}));
}

TEST_F(StagePipelineTest, PauseHookIsForThoseWhoAsk)
{
    Add("a", SwitchStage::ARRIVAL);
    const auto b = Add("b", SwitchStage::PAUSE, KindBit(FrameKind::ACK));
    pipeline.Pause(PauseEvent::XOFF, *port, 3, 5);
    pipeline.Pause(PauseEvent::XON, *port, 4, 5);
    EXPECT_EQ(log, (Log{"b:xoff", "b:xon"}));
    EXPECT_EQ(b->pausedClass, 4);
}

TEST_F(StagePipelineTest, TimersAreOnePerStage)
{
    const auto a = Add("a", 0);
    const auto b = Add("b", 0);
    EXPECT_EQ(pipeline.GetNextTimerPs(), NEVER_PS);
    pipeline.Arm(PeekPointer(a), 100);
    pipeline.Arm(PeekPointer(b), 50);
    EXPECT_EQ(pipeline.GetNextTimerPs(), 50);
    pipeline.Arm(PeekPointer(b), 200); // in place of 50
    EXPECT_EQ(pipeline.GetNextTimerPs(), 100);
    pipeline.RunTimers(99);
    EXPECT_EQ(log, Log{});
    pipeline.RunTimers(100);
    EXPECT_EQ(log, Log{"a:timer"});
    EXPECT_EQ(pipeline.GetNextTimerPs(), 200);
    pipeline.Arm(PeekPointer(b), NEVER_PS);
    pipeline.RunTimers(1000);
    EXPECT_EQ(log, Log{"a:timer"});
}

TEST_F(StagePipelineTest, ATimerMayBeArmedAnewFromItself)
{
    const auto a = Add("a", 0);
    a->repeatPs = 10;
    pipeline.Arm(PeekPointer(a), 10);
    for (int64_t now = 0; now <= 30; ++now)
    {
        pipeline.RunTimers(now);
    }
    EXPECT_EQ(log.size(), 3u);
    EXPECT_EQ(pipeline.GetNextTimerPs(), 40);
}

TEST_F(StagePipelineTest, FindsAStageByItsClass)
{
    EXPECT_EQ(pipeline.Find<Witness>(), nullptr);
    const auto a = Add("a", 0);
    EXPECT_EQ(pipeline.Find<Other>(), nullptr);
    const auto b = Add<Other>("b", 0);
    EXPECT_EQ(pipeline.Find<Other>(), PeekPointer(b));
    EXPECT_EQ(pipeline.Find<Witness>(), PeekPointer(a)) << "the first";
    pipeline.Clear();
    EXPECT_EQ(pipeline.Find<SwitchStage>(), nullptr);
    EXPECT_TRUE(pipeline.GetStages().empty());
}
