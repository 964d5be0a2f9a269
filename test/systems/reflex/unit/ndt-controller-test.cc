// SPDX-License-Identifier: GPL-2.0-only
// Reflex's near-destination throttling: classification (U-R9), order guards (U-R10), suspension
// (U-R12), activity and ageing, without a simulator.
#include "roce-test-time.h"

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-ndt-controller.h"
#include "ns3/roce-reflex-ndt.h"

#include <gtest/gtest.h>
#include <map>
#include <tuple>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t LONG = 11 * US; // congested
constexpr int64_t SHORT = 8 * US;

struct NdtControllerTest : public ::testing::Test, public NdtController::Listener
{
    void SetUp() override
    {
        ndt.Configure(settings, 4, this);
    }

    void Reset()
    {
        ndt.Configure(settings, 4, this);
        pauses.clear();
    }

    void OnState(uint64_t key, bool congested, int64_t) override
    {
        states[key] = congested;
    }

    void OnSuspension(uint16_t group,
                      bool begins,
                      double ratio,
                      bool byTimeout,
                      int64_t nowPs) override
    {
        pauses.emplace_back(group, begins, byTimeout, nowPs);
        lastRatio = ratio;
    }

    /// A packet passes through the queues. @return whether through Controlled
    bool Send(uint64_t key, int64_t nowPs, uint16_t port = 0)
    {
        const bool controlled = ndt.OnEnqueue(key, port, nowPs);
        ndt.OnDequeue(key, port, controlled);
        return controlled;
    }

    /// Flows 0 .. n-1 send a packet each and the first m of them become congested.
    void MakeFlows(uint64_t n, uint64_t m, int64_t nowPs, uint16_t port = 0)
    {
        for (uint64_t key = 0; key < n; ++key)
        {
            Send(key, nowPs, port);
        }
        for (uint64_t key = 0; key < m; ++key)
        {
            ndt.OnAck(key, LONG, nowPs);
        }
    }

    using Pause = std::tuple<uint16_t, bool, bool, int64_t>;

    /// The defaults, but one ratio for each port, of congested flows.
    static NdtController::Settings MakeSettings()
    {
        NdtController::Settings made = Parameters<ReflexNdtParams>().Get()->controller;
        made.switchScope = false;
        made.counted = NdtController::Counted::CONGESTED;
        return made;
    }

    NdtController::Settings settings{MakeSettings()};
    NdtController ndt;
    std::map<uint64_t, bool> states;
    std::vector<Pause> pauses;
    double lastRatio{0};
};

} // namespace

TEST_F(NdtControllerTest, ClassifiesByTheLastSampleStrictly) // U-R9
{
    Send(7, 0);
    ndt.OnAck(7, 10 * US, 1);
    EXPECT_FALSE(ndt.IsCongested(7));
    EXPECT_EQ(states.count(7), 0u);
    ndt.OnAck(7, 10100000, 2);
    EXPECT_TRUE(ndt.IsCongested(7));
    EXPECT_TRUE(states[7]);
    ndt.OnAck(7, 10 * US + 1, 3);
    ndt.OnAck(7, SHORT, 4);
    EXPECT_FALSE(ndt.IsCongested(7));
    EXPECT_FALSE(states[7]);
    ndt.OnAck(7, LONG, 5);
    EXPECT_EQ(ndt.GetCounters().flows, 1u);
    EXPECT_EQ(ndt.GetCounters().congestedFlows, 1u);
    EXPECT_EQ(ndt.GetCounters().episodes, 2u);
}

// The paper counts flows that NDT isolates: those with a packet in Controlled, each once. A flow
// that ends before it sends after its first long round trip is congested, but never isolated.
TEST_F(NdtControllerTest, IsolatedFlowsHadPacketsInControlled)
{
    MakeFlows(3, 2, 0);
    EXPECT_EQ(ndt.GetCounters().congestedFlows, 2u);
    EXPECT_EQ(ndt.GetCounters().isolatedFlows, 0u) << "nothing sent since";
    EXPECT_TRUE(Send(0, 1));
    EXPECT_TRUE(Send(0, 2));
    EXPECT_FALSE(Send(2, 3));
    EXPECT_EQ(ndt.GetCounters().isolatedFlows, 1u);
    ndt.OnAck(0, SHORT, 4);
    ndt.OnAck(0, LONG, 5);
    EXPECT_TRUE(Send(0, 6));
    EXPECT_EQ(ndt.GetCounters().isolatedFlows, 1u) << "each flow once";
    settings.throttle = false;
    Reset();
    MakeFlows(1, 1, 0);
    EXPECT_FALSE(Send(0, 1));
    EXPECT_EQ(ndt.GetCounters().isolatedFlows, 0u) << "measures only";
}

TEST_F(NdtControllerTest, AnAckOfAnUnknownFlowDoesNothing)
{
    EXPECT_FALSE(ndt.OnAck(7, LONG, 1));
    EXPECT_EQ(ndt.GetTableSize(), 0u);
    EXPECT_TRUE(states.empty());
}

TEST_F(NdtControllerTest, ARecoveredFlowEmptiesControlledFirst) // U-R10
{
    settings.pause = false;
    for (const bool guard : {true, false})
    {
        settings.orderGuard = guard;
        Reset();
        Send(1, 0);
        ndt.OnAck(1, LONG, 1);
        EXPECT_TRUE(ndt.OnEnqueue(1, 0, 2));
        EXPECT_TRUE(ndt.OnEnqueue(1, 0, 3));
        ndt.OnAck(1, SHORT, 4);
        EXPECT_FALSE(ndt.OnEnqueue(1, 1, 5)) << "other ports do not matter";
        EXPECT_EQ(ndt.OnEnqueue(1, 0, 5), guard);
        EXPECT_EQ(ndt.GetCounters().legacyControlled, guard);
        EXPECT_EQ(ndt.GetCounters().controlled, 2u + guard);
        if (guard)
        {
            ndt.OnDequeue(1, 0, true);
            ndt.OnDequeue(1, 0, true);
            EXPECT_TRUE(ndt.OnEnqueue(1, 0, 6));
            ndt.OnDequeue(1, 0, true);
            ndt.OnDequeue(1, 0, true);
            EXPECT_FALSE(ndt.OnEnqueue(1, 0, 7));
        }
    }
}

TEST_F(NdtControllerTest, ACongestedFlowEmptiesNormalFirst)
{
    settings.pause = false;
    for (const bool guard : {true, false})
    {
        settings.symmetricOrderGuard = guard;
        Reset();
        EXPECT_FALSE(ndt.OnEnqueue(1, 0, 0));
        EXPECT_FALSE(ndt.OnEnqueue(1, 0, 1));
        ndt.OnAck(1, LONG, 2);
        EXPECT_TRUE(ndt.OnEnqueue(1, 1, 3)) << "other ports do not matter";
        EXPECT_EQ(ndt.OnEnqueue(1, 0, 3), !guard);
        if (guard)
        {
            for (int i = 0; i < 3; ++i)
            {
                ndt.OnDequeue(1, 0, false);
            }
            EXPECT_TRUE(ndt.OnEnqueue(1, 0, 4));
        }
    }
}

TEST_F(NdtControllerTest, WithoutThrottleThereAreMeasurementsOnly)
{
    settings.throttle = false;
    Reset();
    MakeFlows(3, 3, 0);
    EXPECT_TRUE(ndt.IsCongested(0));
    EXPECT_FALSE(Send(0, 1));
    EXPECT_TRUE(pauses.empty());
    EXPECT_EQ(ndt.GetCounters().controlled, 0u);
}

TEST_F(NdtControllerTest, SuspendsAboveAlphaAndResumesAtAlpha) // U-R12
{
    MakeFlows(10, 7, 0);
    EXPECT_FALSE(ndt.IsPaused(0));
    ndt.OnAck(7, LONG, 1);
    EXPECT_EQ(pauses, std::vector<Pause>({{0, true, false, 1}}));
    EXPECT_EQ(lastRatio, 0.8);
    EXPECT_TRUE(ndt.IsPaused(0));
    EXPECT_FALSE(ndt.IsPaused(1));
    ndt.OnAck(7, SHORT, 5);
    EXPECT_EQ(pauses.back(), Pause(0, false, false, 5));
    EXPECT_EQ(lastRatio, 0.7);
    EXPECT_EQ(ndt.GetCounters().pauses, 1u);
    EXPECT_EQ(ndt.GetCounters().pauseTimeouts, 0u);
    EXPECT_EQ(ndt.GetCounters().pausedPs, 4u);
    EXPECT_EQ(ndt.GetNextTimeoutPs(), NEVER_PS);
    ndt.OnAck(7, LONG, 6); // a suspension that an ACK ended does not hinder the next
    EXPECT_TRUE(ndt.IsPaused(0));
}

TEST_F(NdtControllerTest, ATimeoutResumesUntilControlledHasSent)
{
    MakeFlows(2, 2, 100 * US);
    EXPECT_EQ(ndt.GetNextTimeoutPs(), 600 * US);
    ndt.OnTimeout(600 * US - 1);
    EXPECT_TRUE(ndt.IsPaused(0));
    ndt.OnTimeout(600 * US);
    EXPECT_EQ(pauses.back(), Pause(0, false, true, 600 * US));
    EXPECT_EQ(ndt.GetCounters().pauseTimeouts, 1u);
    EXPECT_EQ(ndt.GetNextTimeoutPs(), NEVER_PS);
    EXPECT_TRUE(ndt.OnEnqueue(0, 0, 601 * US));
    ndt.OnAck(0, LONG, 602 * US);
    EXPECT_FALSE(ndt.IsPaused(0)) << "nothing has been sent from Controlled";
    ndt.OnDequeue(0, 0, true);
    EXPECT_FALSE(ndt.IsPaused(0)) << "evaluated by ACKs only";
    ndt.OnAck(0, LONG, 603 * US);
    EXPECT_TRUE(ndt.IsPaused(0));
    EXPECT_EQ(ndt.GetNextTimeoutPs(), 1103 * US);
}

TEST_F(NdtControllerTest, EachPortHasItsOwnSuspension)
{
    MakeFlows(1, 1, 0, 1);
    EXPECT_TRUE(ndt.IsPaused(1));
    Send(10, 30 * US, 2);
    ndt.OnAck(10, LONG, 30 * US);
    EXPECT_TRUE(ndt.IsPaused(2));
    EXPECT_EQ(ndt.GetNextTimeoutPs(), 500 * US); // the first of the two
    ndt.OnTimeout(500 * US);
    EXPECT_FALSE(ndt.IsPaused(1));
    EXPECT_TRUE(ndt.IsPaused(2));
    EXPECT_EQ(ndt.GetNextTimeoutPs(), 530 * US);
    // Flow 11, of another port, ends nothing there; once flow 10 is inactive any ACK does.
    settings.maxPausePs = 10 * MS;
    Reset();
    Send(10, 0, 2);
    ndt.OnAck(10, LONG, 0);
    Send(11, 2, 3);
    ndt.OnAck(11, SHORT, 3);
    EXPECT_TRUE(ndt.IsPaused(2));
    ndt.OnAck(11, SHORT, 1 * MS);
    EXPECT_TRUE(ndt.IsPaused(2));
    ndt.OnAck(11, SHORT, 1 * MS + 1);
    EXPECT_FALSE(ndt.IsPaused(2));
    EXPECT_EQ(lastRatio, 0);
}

// That the share has grown by others' silence is noticed by ACKs of the port's own flows.
TEST_F(NdtControllerTest, OtherPortsBeginNoSuspension)
{
    MakeFlows(2, 1, 0, 3);
    Send(0, 500 * US, 3);
    Send(9, 1 * MS, 1);
    ndt.OnAck(9, LONG, 1 * MS + 1);
    EXPECT_TRUE(ndt.IsPaused(1));
    EXPECT_FALSE(ndt.IsPaused(3));
    ndt.OnAck(0, LONG, 1 * MS + 2);
    EXPECT_TRUE(ndt.IsPaused(3));
}

TEST_F(NdtControllerTest, TheSwitchAsScope)
{
    settings.switchScope = true;
    settings.alpha = 0.4;
    Reset();
    Send(0, 0, 0);
    Send(1, 0, 1);
    Send(0, 1, 2); // the same flow at another port counts once
    Send(2, 1, 1);
    ndt.OnAck(0, LONG, 2);
    EXPECT_TRUE(pauses.empty()) << "one of three";
    ndt.OnAck(1, LONG, 3);
    EXPECT_EQ(pauses, std::vector<Pause>({{0, true, false, 3}}));
    EXPECT_DOUBLE_EQ(lastRatio, 2. / 3);
    EXPECT_TRUE(ndt.IsPaused(3));
}

TEST_F(NdtControllerTest, FlowsInControlledAsNumerator)
{
    for (const bool switchScope : {false, true})
    {
        settings.counted = NdtController::Counted::IN_CONTROLLED;
        settings.switchScope = switchScope;
        Reset();
        MakeFlows(1, 1, 0);
        EXPECT_FALSE(ndt.IsPaused(0)) << "congested, but nothing in Controlled";
        EXPECT_TRUE(ndt.OnEnqueue(0, 0, 1));
        ndt.OnAck(0, SHORT, 2);
        EXPECT_TRUE(ndt.IsPaused(0)) << "recovered, but still in Controlled";
        ndt.OnDequeue(0, 0, true);
        ndt.OnAck(0, SHORT, 3);
        EXPECT_FALSE(ndt.IsPaused(0));
        ndt.OnAck(0, LONG, 4);
        EXPECT_FALSE(ndt.IsPaused(0));
    }
}

TEST_F(NdtControllerTest, CongestedFlowsInControlledAsNumerator)
{
    for (const bool switchScope : {false, true})
    {
        settings.counted = NdtController::Counted::BOTH;
        settings.switchScope = switchScope;
        Reset();
        MakeFlows(1, 1, 0);
        EXPECT_FALSE(ndt.IsPaused(0)) << "congested, but nothing in Controlled";
        EXPECT_TRUE(ndt.OnEnqueue(0, 0, 1));
        ndt.OnAck(0, LONG, 2);
        EXPECT_TRUE(ndt.IsPaused(0)) << "congested and in Controlled";
        ndt.OnAck(0, SHORT, 3);
        EXPECT_FALSE(ndt.IsPaused(0)) << "an ACK ends it while the packet is still there";
        ndt.OnAck(0, LONG, 4);
        EXPECT_TRUE(ndt.IsPaused(0));
        ndt.OnDequeue(0, 0, true);
        ndt.OnAck(0, LONG, 5);
        EXPECT_FALSE(ndt.IsPaused(0)) << "congested, but nothing is there any more";
    }
}

TEST_F(NdtControllerTest, InactiveFlowsDoNotCount)
{
    settings.alpha = 0.5;
    Reset();
    MakeFlows(2, 0, 0);
    Send(0, 500 * US);
    ndt.OnAck(0, LONG, 1 * MS);
    EXPECT_FALSE(ndt.IsPaused(0)) << "flow 1 is active for 1 ms";
    ndt.OnAck(0, LONG, 1 * MS + 1);
    EXPECT_TRUE(ndt.IsPaused(0));
    EXPECT_EQ(lastRatio, 1);
    Send(1, 2 * MS); // active again
    Send(0, 2 * MS);
    ndt.OnAck(0, LONG, 2 * MS);
    EXPECT_FALSE(ndt.IsPaused(0));
    EXPECT_EQ(lastRatio, 0.5);
}

TEST_F(NdtControllerTest, AttributePauseOff)
{
    settings.pause = false;
    Reset();
    MakeFlows(2, 2, 0);
    EXPECT_TRUE(pauses.empty());
    EXPECT_TRUE(Send(0, 1));
}

TEST_F(NdtControllerTest, SilentFlowsAreForgotten)
{
    settings.pause = false;
    Reset();
    MakeFlows(3, 3, 0);
    ndt.OnEnqueue(1, 0, 1); // stays: queued
    Send(3, 5 * MS);        // sweeps: nobody is older than 5 ms
    EXPECT_EQ(ndt.GetTableSize(), 4u);
    ndt.OnAck(2, LONG, 5 * MS); // stays: seen
    Send(4, 6 * MS);            // no second sweep in this time
    EXPECT_EQ(ndt.GetTableSize(), 5u);
    Send(5, 10 * MS);
    EXPECT_FALSE(ndt.IsCongested(0));
    EXPECT_TRUE(ndt.IsCongested(1));
    EXPECT_TRUE(ndt.IsCongested(2));
    EXPECT_EQ(ndt.GetTableSize(), 5u);
    EXPECT_EQ(ndt.GetCounters().tablePeak, 5u);
    EXPECT_EQ(ndt.GetCounters().flows, 6u);
    ndt.OnDequeue(1, 0, true);
}

// Whether other flows have come meanwhile, and with them a sweep, makes no difference.
TEST_F(NdtControllerTest, ASilentFlowBeginsAnew)
{
    settings.orderGuard = false;
    settings.activeWindowPs = 100 * MS;
    settings.alpha = 0.4;
    Reset();
    MakeFlows(2, 1, 0, 1); // flow 0 is congested, and the port suspended
    EXPECT_TRUE(Send(0, 5 * MS)) << "not longer than the timeout";
    EXPECT_FALSE(ndt.OnAck(0, SHORT, 10 * MS + 1)) << "no longer known";
    EXPECT_TRUE(ndt.IsPaused(1));
    EXPECT_FALSE(ndt.OnEnqueue(0, 1, 10 * MS + 1));
    EXPECT_EQ(ndt.GetCounters().flows, 3u);
    EXPECT_TRUE(ndt.OnAck(0, SHORT, 20 * MS)) << "known as long as it is queued";
    EXPECT_FALSE(ndt.IsPaused(1)) << "of flow 0 alone: flow 1 is forgotten, or was never congested";
    EXPECT_EQ(lastRatio, 0);
    ndt.OnDequeue(0, 1, false);
}

// With a window longer than the timeout: a forgotten flow is no longer active, and the counts hold.
TEST_F(NdtControllerTest, ForgottenFlowsAreNotActive)
{
    settings.activeWindowPs = 100 * MS;
    settings.alpha = 0.9;
    Reset();
    MakeFlows(4, 3, 0);
    Send(9, 50 * MS);
    ndt.OnAck(9, LONG, 50 * MS);
    EXPECT_EQ(lastRatio, 1);
    EXPECT_TRUE(ndt.IsPaused(0));
}
