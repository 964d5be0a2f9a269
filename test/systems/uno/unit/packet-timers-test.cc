// SPDX-License-Identifier: GPL-2.0-only
// A recovery with a timer for each packet, by itself.
#include "roce-error-of.h"
#include "uno-erasure-fixture.h"

#include "ns3/roce-packet-timers.h"
#include "ns3/roce-selective-repeat.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct TimersSender : RecoverySender
{
    explicit TimersSender(const std::string& attributes = "")
        : RecoverySender(MakeObject<LossRecovery>("PacketTimers", attributes), ErasurePath())
    {
    }
};

int64_t
DeadlineOf(const std::string& attributes)
{
    TimersSender s(attributes);
    s.qp.Post(1000, 1, 0);
    s.Send(0);
    return s.recovery->DeadlinePs(s.qp);
}

} // namespace

TEST(PacketTimers, SendsAgainWhatItsTimerFindsMissingAndNothingElse)
{
    TimersSender s;
    s.qp.Post(5000, 1, 0);
    s.SendAll(0);
    const auto result = s.OnAck(RecoverySender::SackOf(0, true, 1, {1, 2, 3, 4}), 200 * US);
    EXPECT_EQ(result.packets, 4u);
    EXPECT_FALSE(result.loss) << "packets may overtake";
    EXPECT_TRUE(s.SendAll(200 * US).empty());
    EXPECT_EQ(s.recovery->DeadlinePs(s.qp), RTO);
    s.recovery->OnTimeout(s.qp, RTO);
    EXPECT_EQ(s.SendAll(RTO), std::vector<uint64_t>{0});
    EXPECT_EQ(s.recovery->DeadlinePs(s.qp), 2 * RTO);
    EXPECT_EQ(s.OnAck(RecoverySender::AckOf(5), RTO + 100 * US).packets, 1u);
    EXPECT_EQ(s.done.size(), 1u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
}

TEST(PacketTimers, AreOfEachPacket)
{
    TimersSender s("Rto=300us|RtoBackoff=4");
    s.qp.Post(2000, 1, 0);
    s.Send(0);
    s.Send(100 * US);
    s.recovery->OnTimeout(s.qp, 300 * US);
    EXPECT_EQ(s.SendAll(300 * US), std::vector<uint64_t>{0});
    EXPECT_EQ(s.recovery->DeadlinePs(s.qp), 400 * US) << "the second packet's";
    s.recovery->OnTimeout(s.qp, 400 * US);
    EXPECT_EQ(s.SendAll(400 * US), std::vector<uint64_t>{1});
    EXPECT_EQ(s.recovery->DeadlinePs(s.qp), 900 * US) << "the first packet's, doubled";
}

TEST(PacketTimers, Profiles)
{
    EXPECT_EQ(DeadlineOf(""), RTO);
    EXPECT_EQ(DeadlineOf("Profile=artifact"), 100 * US + 8 * 80 * US);
    EXPECT_EQ(DeadlineOf("RtoMultiplier=2|QueueBytes=0"), 200 * US);
    EXPECT_EQ(DeadlineOf("Rto=3ms"), 3000 * US);
    EXPECT_EQ(ErrorOf([] { DeadlineOf("RtoBackoff=0"); }),
              "ns3::roce::PacketTimers: RtoBackoff is 0, expected a whole number, 1 <= "
              "RtoBackoff <= 128, or profile");
}

TEST(PacketTimers, MayBeginWhenWhatOthersHaveDueHasGone)
{
    const auto counts = [](const std::string& type, const std::string& attributes) {
        return MakeObject<LossRecovery>(type, attributes)
            ->ForQueuePair(ErasurePath(), 0)
            ->CountsOthersDue();
    };
    for (const char* type : {"PacketTimers", "UnoErasure"}) // by itself, and below a code
    {
        EXPECT_FALSE(counts(type, "")) << type;
        EXPECT_TRUE(counts(type, "NicBacklog=true")) << type;
        EXPECT_TRUE(counts(type, "Profile=artifact")) << type;
    }
    TimersSender s("NicBacklog=true");
    s.qp.Post(1000, 1, 0);
    s.qp.othersDuePs = 70 * US;
    s.Send(0);
    EXPECT_EQ(s.recovery->DeadlinePs(s.qp), RTO + 70 * US);
}

TEST(PacketTimers, CodesNothing)
{
    const auto prototype = MakeObject<LossRecovery>("PacketTimers", "");
    const auto recovery = prototype->ForQueuePair(ErasurePath(), 0);
    EXPECT_FALSE(recovery->GetLayout());
    EXPECT_EQ(recovery->GetDataExtension(), nullptr);
    const auto receiver = prototype->MakeReceiver(ErasurePath());
    EXPECT_NE(dynamic_cast<SelectiveRepeatReceiver*>(receiver.get()), nullptr);
}
