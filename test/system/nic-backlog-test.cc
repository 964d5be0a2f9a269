// SPDX-License-Identifier: GPL-2.0-only
// Timers that allow for what the NIC's other queue pairs have due (PacketTimers::NicBacklog,
// Nic::PacingClock).
#include "roce-test-network.h"

#include <string>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct NicBacklogTest : SystemTest
{
    /**
     * Two flows at line rate from NIC 0 share its port; after 40 us comes a packet of a third one,
     * which is lost and sent again by its timer.
     * @return when it arrives, ps
     */
    static int64_t ArrivalOfTheThird(const std::string& clock, bool backlog)
    {
        Config::Reset();
        SetRateLaw("LineRate");
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
        Config::SetDefault("ns3::roce::Nic::PacingClock", StringValue(clock));
        Config::SetDefault(
            "ns3::roce::Nic::LossRecovery",
            StringValue(WithMadeProfile("ns3::roce::PacketTimers[Rto=300us|NicBacklog=" +
                                        std::string(backlog ? "true" : "false") + "]")));
        Network net;
        const uint32_t sw = net.AddSwitch("s", 0);
        for (int h = 0; h < 4; ++h)
        {
            net.AddNic(net.AddHost("h" + std::to_string(h), 0), sw, 100 * G, US);
        }
        net.Build();
        bool lost = false;
        LoseFrames(net.GetNic(3), [&lost](const Frame& frame) {
            return frame.kind == FrameKind::DATA && !std::exchange(lost, true);
        });
        const auto flows =
            Numbered({Flow(0, 1, 2000000), Flow(0, 2, 2000000), Flow(0, 3, 1000, 40 * US)});
        const Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        EXPECT_TRUE(lost);
        const int64_t at = done.received.at(2);
        Simulator::Destroy();
        return at;
    }
};

} // namespace

// At 40 us each of the two could have sent 500 KB and has sent 250: the port takes 40 us for both.
TEST_F(NicBacklogTest, TimerBeginsWhenWhatOthersHaveDueHasGone)
{
    const int64_t plain = ArrivalOfTheThird("due", false);
    EXPECT_NEAR(static_cast<double>(plain), 340 * US, 6 * US);
    EXPECT_NEAR(static_cast<double>(ArrivalOfTheThird("due", true) - plain), 40 * US, 2 * US);
}

// By the other clock what the port holds up does not add up: a packet of each.
TEST_F(NicBacklogTest, WithoutTheDueClockLittleIsDue)
{
    const int64_t plain = ArrivalOfTheThird("sent", false);
    EXPECT_NEAR(static_cast<double>(ArrivalOfTheThird("sent", true) - plain), 0, 2 * US);
}
