// SPDX-License-Identifier: GPL-2.0-only
// The sending side of PFC by itself: frames, counters, and when an XOFF is repeated.
#include "ns3/data-rate.h"
#include "ns3/roce-pause-sender.h"
#include "ns3/roce-port.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr uint16_t QUANTA = 1000;
constexpr int64_t PAUSE_PS = QUANTA * int64_t{5120}; // 512 bits at 100 Gbit/s are 5.12 ns

using Pair = std::pair<uint16_t, uint8_t>;

struct PauseSenderTest : ::testing::Test
{
    PauseSenderTest()
    {
        for (Ptr<Port>& port : ports)
        {
            port = CreateObject<Port>();
            port->SetAttribute("DataRate", DataRateValue(DataRate("100Gbps")));
        }
        sender.SetQuanta(QUANTA);
        Configure(1 << 3);
    }

    void Configure(uint8_t losslessMask)
    {
        sender.Configure(0x800007, losslessMask, {PeekPointer(ports[0]), PeekPointer(ports[1])});
    }

    /// Makes a frame. @return its quanta
    uint16_t Make(PauseEvent event, uint16_t port, int64_t nowPs, uint8_t trafficClass = 3)
    {
        Frame* frame = sender.Make(event, port, trafficClass, nowPs);
        EXPECT_EQ(frame->kind, FrameKind::PFC);
        EXPECT_EQ(frame->src, 0x800007u);
        EXPECT_EQ(frame->classEnable, 1U << trafficClass);
        const uint16_t quanta = frame->GetQuanta(trafficClass);
        FramePool::Free(frame);
        return quanta;
    }

    /// Repeats what is due, as a switch does. @return of whom
    std::vector<Pair> Refresh(const std::vector<Pair>& paused, int64_t nowPs)
    {
        std::vector<Pair> sent;
        sender.Refresh(paused, nowPs, [&](uint16_t port, uint8_t trafficClass) {
            sent.emplace_back(port, trafficClass);
            Make(PauseEvent::REFRESH, port, nowPs, trafficClass);
        });
        return sent;
    }

    Ptr<Port> ports[2];
    PauseSender sender;
};

} // namespace

TEST_F(PauseSenderTest, FramesSayWhatTheyAreFor)
{
    EXPECT_EQ(Make(PauseEvent::XOFF, 0, 0), QUANTA);
    EXPECT_EQ(Make(PauseEvent::REFRESH, 0, 5), QUANTA);
    EXPECT_EQ(Make(PauseEvent::REFRESH, 0, 6), QUANTA);
    EXPECT_EQ(Make(PauseEvent::XON, 0, 7), 0u);
    EXPECT_EQ(sender.GetSent(PauseEvent::XOFF), 1u);
    EXPECT_EQ(sender.GetSent(PauseEvent::REFRESH), 2u);
    EXPECT_EQ(sender.GetSent(PauseEvent::XON), 1u);
}

TEST_F(PauseSenderTest, AnXoffIsRepeatedAtHalfItsTime)
{
    EXPECT_EQ(sender.GetNextRefreshPs(), NEVER_PS);
    Make(PauseEvent::XOFF, 0, 100);
    Make(PauseEvent::XOFF, 1, 150);
    EXPECT_EQ(sender.GetNextRefreshPs(), 100 + PAUSE_PS / 2);
    const std::vector<Pair> both{{0, 3}, {1, 3}};
    EXPECT_EQ(Refresh(both, 99 + PAUSE_PS / 2), std::vector<Pair>{});
    EXPECT_EQ(Refresh(both, 100 + PAUSE_PS / 2), std::vector<Pair>({{0, 3}}));
    EXPECT_EQ(sender.GetNextRefreshPs(), 150 + PAUSE_PS / 2);
    EXPECT_EQ(Refresh(both, 150 + PAUSE_PS / 2), std::vector<Pair>({{1, 3}}));
    EXPECT_EQ(sender.GetNextRefreshPs(), 100 + PAUSE_PS) << "half a pause after the refresh";
}

TEST_F(PauseSenderTest, AfterXonNothingIsRepeated)
{
    Make(PauseEvent::XOFF, 0, 0);
    Make(PauseEvent::XON, 0, 10);
    Make(PauseEvent::XOFF, 0, PAUSE_PS, 4);
    // The time of the first one is a lower bound still: a call that finds nothing to do.
    EXPECT_EQ(Refresh({{0, 4}}, PAUSE_PS / 2), std::vector<Pair>{});
    EXPECT_EQ(sender.GetNextRefreshPs(), PAUSE_PS + PAUSE_PS / 2);
}

// Sending may let another class resume: that one must not be paused again by a refresh.
TEST_F(PauseSenderTest, AnXonDuringRefreshCounts)
{
    Make(PauseEvent::XOFF, 0, 0);
    Make(PauseEvent::XOFF, 1, 0);
    std::vector<Pair> paused{{0, 3}, {1, 3}};
    std::vector<uint16_t> sent;
    sender.Refresh(paused, PAUSE_PS, [&](uint16_t port, uint8_t) {
        sent.push_back(port);
        Make(PauseEvent::REFRESH, port, PAUSE_PS);
        paused = {{0, 3}};
        Make(PauseEvent::XON, 1, PAUSE_PS);
    });
    EXPECT_EQ(sent, std::vector<uint16_t>{0});
    EXPECT_EQ(sender.GetNextRefreshPs(), PAUSE_PS + PAUSE_PS / 2);
}

TEST_F(PauseSenderTest, WithoutRefreshThereIsNone)
{
    sender.SetRefresh(false);
    EXPECT_EQ(Make(PauseEvent::XOFF, 0, 0), QUANTA);
    EXPECT_EQ(sender.GetNextRefreshPs(), NEVER_PS);
}

// Two classes may be paused, a pause frame takes 84 byte times of 80 ps.
TEST_F(PauseSenderTest, PauseFramesTakeAtMostHalfOfThePort)
{
    Configure(1 << 3 | 1 << 4);
    sender.SetQuanta(1);
    EXPECT_EQ(Make(PauseEvent::XOFF, 0, 1000), 1u) << "from now on";
    EXPECT_EQ(sender.GetNextRefreshPs(), 1000 + 2 * 2 * 84 * 80);
}
