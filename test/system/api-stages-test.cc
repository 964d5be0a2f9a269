// SPDX-License-Identifier: GPL-2.0-only
// What stages and queues of a program's own must not do; see api-misuse-test.cc.
#include "api-misuse-cases.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Verdict = SwitchStage::Verdict;

/// @param change what the stage does @param error part of the line
Case
Stage(const char* name, std::function<void(Behaviour&)> change, const char* error)
{
    return {name,
            [change = std::move(change)](World& w) {
                change(g_behaviour);
                Network::Options options;
                options.stages.emplace_back(std::string("ns3::roce::test::MisuseStage"));
                w.Make(true, options);
                w.Install();
                w.Run();
            },
            error};
}

/// A stage at hook ARRIVAL.
Case
Arrival(const char* name,
        std::function<Verdict(SwitchStage&, Switch&, Frame&, int64_t)> hook,
        const char* error)
{
    return Stage(
        name,
        [hook = std::move(hook)](Behaviour& b) { b.onArrival = hook; },
        error);
}

Case
Enqueue(const char* name, std::function<Verdict(Frame&)> hook, const char* error)
{
    return Stage(
        name,
        [hook = std::move(hook)](Behaviour& b) { b.onEnqueue = hook; },
        error);
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(MisuseStage);
NS_OBJECT_ENSURE_REGISTERED(MisuseScheduler);

TEST(ApiMisuse, Stages)
{
    const auto size = [](uint32_t bytes) {
        return [bytes](SwitchStage&, Switch&, Frame& frame, int64_t) {
            frame.frameBytes = bytes;
            return Verdict::PASS;
        };
    };
    const auto always = [](Verdict verdict) {
        return [verdict](SwitchStage&, Switch&, Frame&, int64_t) { return verdict; };
    };
    const auto arm = [](int64_t delayPs) {
        return [delayPs](SwitchStage& stage, Switch& sw, Frame&, int64_t now) {
            sw.ArmStage(&stage, now + delayPs);
            return Verdict::PASS;
        };
    };
    const auto twice = [](SwitchStage&, Switch& sw, Frame& frame, int64_t) {
        Frame* const held = &frame;
        World::At(0, [held, &sw] {
            const int64_t now = Simulator::Now().GetTimeStep();
            sw.Release(held, SwitchStage::ARRIVAL, 0, now);
            sw.Release(held, SwitchStage::ARRIVAL, 0, now);
        });
        return Verdict::HOLD;
    };
    const auto early = [](SwitchStage&, Switch& sw, Frame& frame, int64_t now) {
        sw.Release(&frame, SwitchStage::ARRIVAL, 0, now);
        return Verdict::HOLD;
    };
    const auto emit = [](std::function<void(Frame&)> change) {
        return [change = std::move(change)](SwitchStage&, Switch& sw, Frame&, int64_t now) {
            Frame* own = FramePool::Alloc();
            own->kind = FrameKind::CNP;
            own->frameBytes = 64;
            own->trafficClass = 6;
            own->ttl = 64;
            change(*own);
            sw.Emit(own, now);
            return Verdict::PASS;
        };
    };
    Try({
        Arrival("size 0", size(0), "frame of 0 B"),
        Arrival("size 100 MB", size(100000000), "frame of 100000000 B"),
        Arrival(
            "class 200",
            [](SwitchStage&, Switch&, Frame& frame, int64_t) {
                frame.trafficClass = 200;
                return Verdict::PASS;
            },
            "class 200"),
        Arrival(
            "unknown destination",
            [](SwitchStage&, Switch&, Frame& frame, int64_t) {
                frame.dst = 9999;
                return Verdict::PASS;
            },
            "to 9999"),
        Arrival("emits to nobody", emit([](Frame& f) { f.dst = 9999; }), "emitted a frame"),
        Arrival("emits in class 8", emit([](Frame& f) { f.trafficClass = 8; }), "emitted a frame"),
        Arrival("emits nothing", emit([](Frame& f) { f.frameBytes = 0; }), "emitted a frame of 0"),
        Arrival("verdict 77", always(static_cast<Verdict>(77)), "returns verdict 77"),
        Arrival("released twice", twice, "releases a frame that is not held"),
        Arrival("released, not held", early, "releases a frame that is not held"),
        Arrival(
            "freed",
            [](SwitchStage&, Switch&, Frame& frame, int64_t) {
                FramePool::Free(&frame);
                return Verdict::CONSUME;
            },
            "has freed the frame it was given"),
        Arrival(
            "freed and held",
            [](SwitchStage&, Switch&, Frame& frame, int64_t) {
                FramePool::Free(&frame);
                return Verdict::HOLD;
            },
            "has freed the frame it was given"),
        Stage(
            "armed for now for ever",
            [arm](Behaviour& b) {
                b.onArrival = arm(0);
                b.onTimer = [](SwitchStage& stage, Switch& sw, int64_t now) {
                    sw.ArmStage(&stage, now);
                };
            },
            "MisuseStage sets its timer for the present again and again"),
        Enqueue(
            "size in a queue",
            [](Frame& frame) {
                frame.frameBytes += 100;
                return Verdict::PASS;
            },
            "changes size or class of a frame at hook ENQUEUE"),
        Enqueue(
            "class in a queue",
            [](Frame& frame) {
                frame.trafficClass = (frame.trafficClass + 1) % 8;
                return Verdict::PASS;
            },
            "changes size or class of a frame at hook ENQUEUE"),
        Stage(
            "held at DEQUEUE",
            [](Behaviour& b) {
                b.hooks = SwitchStage::DEQUEUE;
                b.onDequeue = [](Frame&) { return Verdict::HOLD; };
            },
            "holds a frame at DEQUEUE"),
        Stage(
            "class 9 at DEQUEUE",
            [](Behaviour& b) {
                b.hooks = SwitchStage::DEQUEUE;
                b.onDequeue = [](Frame& frame) {
                    frame.trafficClass = 9;
                    return Verdict::PASS;
                };
            },
            "class 9"),
        Stage(
            "consumed at MARK",
            [](Behaviour& b) {
                b.hooks = SwitchStage::MARK;
                b.onEnqueue = [](Frame&) { return Verdict::CONSUME; };
            },
            "does not pass a frame on at hook MARK"),
        Arrival(
            "ends the simulator",
            [](SwitchStage&, Switch&, Frame&, int64_t) {
                Simulator::Destroy();
                return Verdict::PASS;
            },
            "Simulator::Destroy() is called by a sink, a stage"),
        {"queues that give nothing",
         [](World& w) {
             Config::SetDefault("ns3::roce::Switch::EgressScheduler",
                                StringValue("ns3::roce::test::MisuseScheduler"));
             w.Make();
             w.Install();
             w.Run();
         },
         "MisuseScheduler has a frame that may be sent now, and gives none"},
        Arrival("armed for the past", arm(-1000), ""),
        Arrival("consumes all", always(Verdict::CONSUME), ""),
        Arrival("holds all", always(Verdict::HOLD), ""),
        Arrival("drops all", always(Verdict::DROP), ""),
        Arrival(
            "stops the simulator",
            [](SwitchStage&, Switch&, Frame&, int64_t) {
                Simulator::Stop();
                return Verdict::PASS;
            },
            ""),
        Stage(
            "no hook",
            [](Behaviour& b) { b.hooks = 0; },
            ""),
        Stage(
            "all hooks",
            [](Behaviour& b) { b.hooks = UINT32_MAX; },
            ""),
    });
}
