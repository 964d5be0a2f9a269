// SPDX-License-Identifier: GPL-2.0-only
// MLCC's sender: the smaller one of two rates, and how Switch-INTs drive the inner law.
#include "mlcc-fixture.h"

#include "ns3/config.h"
#include "ns3/roce-dcqcn.h"
#include "ns3/roce-deployment.h"
#include "ns3/roce-line-rate.h"
#include "ns3/roce-power-tcp.h"
#include "ns3/roce-timely.h"
#include "ns3/roce-wrcc.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint64_t G = 1'000'000'000;

/// A sender that hears what the tests say.
struct Sender
{
    explicit Sender(const Attributes& attributes = {},
                    const Ptr<const CongestionControl>& inner = PlainHpcc(),
                    const PathInfo& path = MLCC_PATH)
        : law(With<Mlcc>(attributes))
    {
        law->SetInnerLaw(inner);
        law->Start(path, 0);
    }

    /// An ACK of all below a PSN that brings a rate.
    void Ack(uint64_t ackPsn, uint32_t dqmMbps, bool isNak = false)
    {
        MlccHeader header{7, 11000, dqmMbps};
        AckInfo ack;
        ack.nowPs = nowPs;
        ack.ackPsn = ackPsn;
        ack.sndNxtPsn = isNak ? next = ackPsn : next;
        ack.ackedPackets = 1;
        ack.isNak = isNak;
        ack.extension = ExtensionView(MlccHeader::EXTENSION, &header);
        law->OnAck(ack);
    }

    void Send(int n = 1)
    {
        for (int i = 0; i < n; ++i)
        {
            MlccHeader header{};
            SendInfo sent;
            sent.nowPs = nowPs;
            sent.wireBytes = MLCC_FRAME;
            sent.psn = next++;
            sent.extension = ExtensionView(MlccHeader::EXTENSION, &header);
            law->OnSend(sent);
            EXPECT_EQ(header.epoch, 0);
            EXPECT_EQ(header.word, 0u) << "the switch writes, not the sender";
        }
    }

    /// A Switch-INT of a PSN with these hops.
    void SwitchInt(uint64_t psn,
                   const std::vector<IntHop>& hops,
                   bool marked = false,
                   int64_t rttPs = 0,
                   uint32_t kind = MlccSwitchInt::KIND)
    {
        IntStack stack = FramePool::AllocInt();
        for (const IntHop& hop : hops)
        {
            stack.Append() = hop;
        }
        Notification notification;
        notification.nowPs = nowPs;
        notification.kind = kind;
        notification.psn = psn;
        notification.isMarked = marked;
        notification.rttPs = rttPs;
        notification.telemetry = hops.empty() ? nullptr : &stack;
        law->OnNotification(notification);
        FramePool::FreeInt(stack);
    }

    Ptr<Mlcc> law;
    int64_t nowPs{0};
    uint64_t next{0};
};

EgressPort
Port25(uint64_t queue = 0)
{
    return EgressPort(1, 0, 0, queue, G25);
}

/// A sender whose R_NS has come to 25 Gbit/s times 0.95 over load.
void
Load(Sender& sender, double load)
{
    EgressPort port = Port25(static_cast<uint64_t>((load - 1) * 68750));
    sender.nowPs += 22 * US;
    sender.Send(100);
    sender.SwitchInt(0, {port});
    port.Run(22 * US, 25e9, port.queueBytes);
    sender.nowPs += 22 * US;
    sender.SwitchInt(sender.next - 1, {port});
    ASSERT_NEAR(static_cast<double>(sender.law->GetNearBps()), 23.75e9 / load, 1e6);
}

TEST(Mlcc, BeginsAtTheLineRate)
{
    const Sender sender;
    EXPECT_EQ(sender.law->GetRateBps(), G25);
    EXPECT_EQ(sender.law->GetNearBps(), G25);
    EXPECT_EQ(sender.law->GetDqmBps(), G25);
    EXPECT_TRUE(sender.law->NeedsTelemetry());
    EXPECT_FALSE(sender.law->NeedsTimestamp() || sender.law->NeedsEcn() ||
                 sender.law->IsEcnCapable());
    EXPECT_EQ(sender.law->GetDataExtension(), &MlccHeader::EXTENSION);
}

// U-M11
TEST(Mlcc, TheSmallerRateCounts)
{
    Sender sender;
    Load(sender, 23.75 / 8);
    EXPECT_NEAR(static_cast<double>(sender.law->GetRateBps()), 8e9, 1e6);
    sender.Ack(1, 12000);
    EXPECT_EQ(sender.law->GetDqmBps(), 12 * G);
    EXPECT_NEAR(static_cast<double>(sender.law->GetRateBps()), 8e9, 1e6) << "R_NS is less";
    sender.Ack(2, 5000);
    EXPECT_EQ(sender.law->GetRateBps(), 5 * G);
    EgressPort port = Port25(50'000'000);
    port.timePs = 44 * US;
    port.txBytes = 200000;
    sender.Send(10);
    for (int i = 0; i < 20; ++i)
    {
        port.Run(22 * US, 25e9, 50'000'000);
        sender.nowPs += 22 * US;
        sender.Send(10);
        sender.SwitchInt(sender.next - 1, {port});
    }
    EXPECT_LT(sender.law->GetRateBps(), 3 * G);
    EXPECT_EQ(sender.law->GetRateBps(), sender.law->GetNearBps()) << "now R_NS again";
    EXPECT_EQ(sender.law->GetDqmBps(), 5 * G) << "a Switch-INT says nothing of Rbar";
}

TEST(Mlcc, OnlyItsOwnNotificationsCount)
{
    Sender sender;
    sender.SwitchInt(0, {Port25(50'000'000)}, false, 0, 0x123456);
    EgressPort port = Port25(50'000'000);
    port.Run(22 * US, 25e9, 50'000'000);
    sender.SwitchInt(1, {port}, false, 0, 0x123456);
    EXPECT_EQ(sender.law->GetRateBps(), G25);
}

TEST(Mlcc, AcksWithoutTheHeaderSayNothing)
{
    Sender sender;
    sender.Ack(1, 5000);
    AckInfo ack;
    ack.ackPsn = 2;
    sender.law->OnAck(ack);
    EXPECT_EQ(sender.law->GetRateBps(), 5 * G) << "keep the last one";
    sender.Ack(3, 0);
    EXPECT_EQ(sender.law->GetRateBps(), 5 * G) << "a header that no receiver has written";
}

TEST(Mlcc, RatesNeverExceedTheLine)
{
    Sender sender;
    sender.Ack(1, 400000);
    EXPECT_EQ(sender.law->GetRateBps(), G25) << "the receiver's line may be faster";
}

TEST(Mlcc, ThereIsAWindowOfOneBdp)
{
    // U-M1: 25 Gbit/s times 6.044 ms
    EXPECT_NEAR(static_cast<double>(Sender().law->GetWindowBytes()), 18887500, MLCC_FRAME);
    EXPECT_NEAR(
        static_cast<double>(Sender(Attributes{{"InterInflightCap", "2"}}).law->GetWindowBytes()),
        37775000,
        MLCC_FRAME);
    EXPECT_EQ(Sender(Attributes{{"InterInflightCap", "0"}}).law->GetWindowBytes(), UNLIMITED_BYTES);
    Sender sender;
    Load(sender, 5);
    EXPECT_NEAR(static_cast<double>(sender.law->GetWindowBytes()), 18887500, MLCC_FRAME)
        << "the inner law's window does not bind";
}

// The reference window is replaced once per loop: by the first Switch-INT of data sent after the
// last one.
TEST(Mlcc, RoundsAreGatedByPsn)
{
    Sender sender({}, PlainHpcc({{"FastReact", "false"}}));
    EgressPort port = Port25(68750);
    sender.Send(50);
    sender.SwitchInt(0, {port}); // stores; the mark is at PSN 50
    const auto hear = [&](uint64_t psn) {
        port.Run(22 * US, 25e9, 68750);
        sender.nowPs += 22 * US;
        sender.SwitchInt(psn, {port});
        return sender.law->GetNearBps();
    };
    EXPECT_EQ(hear(20), G25);
    EXPECT_EQ(hear(49), G25) << "sent before the mark";
    sender.Send(50);
    const uint64_t once = hear(50);
    EXPECT_LT(once, G25) << "the first one sent after the mark";
    EXPECT_EQ(hear(99), once) << "the mark is at 100 now";
    sender.Send(1);
    EXPECT_LT(hear(100), once);
}

// Go-back-N answers data behind a gap once, with a NAK, and the receiver of MLCC the rest of them,
// with updates: what these say of Rbar counts as if an ACK had said it.
TEST(Mlcc, NaksAndUpdatesBringRbar)
{
    Sender sender;
    sender.Send(100);
    sender.Ack(10, 25000);
    sender.Ack(10, 5000, true);
    EXPECT_EQ(sender.law->GetDqmBps(), 5 * G) << "the Rbar of a NAK is left out";
    EXPECT_EQ(sender.law->GetRateBps(), 5 * G) << "the Rbar of a NAK is left out";
    MlccHeader header{9, 11000, 3000};
    Notification update;
    update.kind = MlccUpdate::KIND;
    update.extension = ExtensionView(MlccHeader::EXTENSION, &header);
    sender.law->OnNotification(update);
    EXPECT_EQ(sender.law->GetRateBps(), 3 * G) << "the Rbar of an update is left out";
    EXPECT_EQ(sender.law->GetNearBps(), G25) << "an update is no Switch-INT";
    EXPECT_EQ(Variable(*sender.law, "c_r", 0), 9);
}

// After a NAK old PSNs come again: the gate goes back with them.
TEST(Mlcc, TheGateGoesBackWithTheSender)
{
    for (const bool byTimeout : {false, true})
    {
        SCOPED_TRACE(byTimeout);
        Sender sender({}, PlainHpcc({{"FastReact", "false"}}));
        EgressPort port = Port25(68750);
        sender.Send(1000);
        sender.SwitchInt(999, {port}); // all have left the datacenter; the mark is at PSN 1000
        sender.Ack(10, 25000);
        if (byTimeout)
        {
            sender.law->OnTimeout(sender.nowPs);
            sender.next = 10;
        }
        else
        {
            sender.Ack(10, 25000, true);
        }
        sender.Send(1);
        port.Run(22 * US, 25e9, 68750);
        sender.nowPs += 22 * US;
        sender.SwitchInt(10, {port});
        EXPECT_LT(sender.law->GetNearBps(), G25);
    }
}

TEST(Mlcc, RoundTripIsTheLoops)
{
    // The first queue of 68,750 B is a load of 2 at 22 us.
    Sender sender;
    EgressPort port = Port25(68750);
    sender.Send(10);
    sender.SwitchInt(0, {port});
    port.Run(100 * US, 25e9, 68750);
    sender.SwitchInt(9, {port});
    EXPECT_NEAR(static_cast<double>(sender.law->GetNearBps()), 11.875e9, 1e6);
}

// A round trip for whole paths, as for HPCC between datacenters without MLCC, is not the loops':
// neither that of the class nor that of a prototype.
TEST(Mlcc, ALongBaseRttIsNotTheLoops)
{
    const auto run = [](const std::string& name, const Ptr<const CongestionControl>& given) {
        Sender sender({{"InnerCc", name}}, given);
        const Ptr<MlccCredit> credit = DynamicCast<MlccCredit>(sender.law->MakeFeedback()->Fork());
        credit->Start(MLCC_PATH, 0);
        // R_NS under a load that grows, behind the window of the loop at the receiver.
        std::vector<uint64_t> found{credit->GetLoop().GetLaw().GetWindowBytes()};
        EgressPort port = Port25();
        for (uint64_t i = 0; i < 10; ++i)
        {
            port.Run(22 * US, 25e9, i * 10000);
            sender.nowPs += 22 * US;
            sender.Send(1);
            sender.SwitchInt(sender.next - 1, {port});
            found.push_back(sender.law->GetNearBps());
        }
        return found;
    };
    for (const std::string name : {"Hpcc", "PowerTcp"})
    {
        SCOPED_TRACE(name);
        const std::vector<uint64_t> expected = run(name, nullptr);
        ASSERT_LT(expected.back(), 0.9 * G25);
        const std::string attribute = "ns3::roce::" + name + "::BaseRtt";
        Config::SetDefault(attribute, StringValue("6044us"));
        const std::vector<uint64_t> ofTheClass = run(name, nullptr);
        const std::vector<uint64_t> ofThePrototype =
            name == "Hpcc" ? run(name, CreateObject<Hpcc>()) : run(name, CreateObject<PowerTcp>());
        Config::SetDefault(attribute, StringValue("0s"));
        EXPECT_EQ(ofTheClass, expected) << attribute << "=6044us is what the loops have";
        EXPECT_EQ(ofThePrototype, expected) << attribute << "=6044us of a given law";
    }
}

TEST(Mlcc, MarksDriveDcqcn)
{
    Sender sender({}, With<Dcqcn>({{"MinTimeBetweenCnps", "50us"}}));
    EXPECT_TRUE(sender.law->NeedsEcn() && sender.law->IsEcnCapable());
    EXPECT_FALSE(sender.law->NeedsTelemetry());
    sender.Send(10);
    sender.SwitchInt(0, {});
    EXPECT_EQ(sender.law->GetRateBps(), G25) << "no mark";
    sender.nowPs += 10 * US;
    sender.SwitchInt(1, {}, true);
    const uint64_t once = sender.law->GetRateBps();
    EXPECT_LT(once, 0.6 * G25);
    sender.nowPs += 20 * US; // more than what the law itself waits between two cuts
    sender.SwitchInt(2, {}, true);
    EXPECT_EQ(sender.law->GetRateBps(), once) << "CNPs keep their interval";
    sender.nowPs += 31 * US;
    sender.SwitchInt(3, {}, true);
    EXPECT_LT(sender.law->GetRateBps(), once);
    // Its timers run: the rate grows with time alone.
    const int64_t nextPs = sender.law->NextRateChangePs();
    ASSERT_NE(nextPs, NEVER_PS);
    const uint64_t low = sender.law->GetRateBps();
    sender.law->Advance(100 * MS);
    EXPECT_GT(sender.law->GetRateBps(), low);
    sender.law->OnCnp({101 * MS});
}

TEST(Mlcc, TimeStampsDriveTimely)
{
    Sender sender({}, With<Timely>({}));
    EXPECT_TRUE(sender.law->NeedsTimestamp());
    for (int i = 0; i < 10; ++i)
    {
        sender.Send(1);
        sender.nowPs += 22 * US;
        sender.SwitchInt(sender.next - 1, {}, false, 22 * US);
    }
    EXPECT_EQ(sender.law->GetRateBps(), G25);
    for (int i = 0; i < 10; ++i)
    {
        sender.Send(1);
        sender.nowPs += 2000 * US;
        sender.SwitchInt(sender.next - 1, {}, false, 2000 * US);
    }
    EXPECT_LT(sender.law->GetRateBps(), 0.1 * G25) << "above THigh";
}

TEST(Mlcc, PowerTcpDrives)
{
    Sender sender({}, With<PowerTcp>({}));
    EgressPort port = Port25();
    for (uint64_t i = 0; i < 20; ++i)
    {
        port.Run(22 * US, 25e9, i * 20000);
        sender.Send(1);
        sender.nowPs += 22 * US;
        sender.SwitchInt(sender.next - 1, {port});
    }
    EXPECT_LT(sender.law->GetRateBps(), 0.6 * G25);
}

TEST(Mlcc, TheAttributeNamesTheInnerLaw)
{
    for (const auto& [name, tid] :
         std::vector<std::pair<std::string, TypeId>>{{"Hpcc", Hpcc::GetTypeId()},
                                                     {"PowerTcp", PowerTcp::GetTypeId()},
                                                     {"Dcqcn", Dcqcn::GetTypeId()},
                                                     {"Timely", Timely::GetTypeId()}})
    {
        const Ptr<Mlcc> law = With<Mlcc>({{"InnerCc", name}});
        EXPECT_EQ(law->GetInnerLaw()->GetInstanceTypeId(), tid);
        const Ptr<MlccCredit> credit = DynamicCast<MlccCredit>(law->MakeFeedback()->Fork());
        credit->Start(MLCC_PATH, 0);
        EXPECT_EQ(credit->GetLoop().GetLaw().GetInstanceTypeId(), tid) << "at both ends";
    }
    EXPECT_EQ(With<Mlcc>({})->GetInnerLaw()->GetInstanceTypeId(), Hpcc::GetTypeId());
    const Ptr<Mlcc> law = With<Mlcc>({});
    law->GetInnerLaw();
    law->SetAttribute("InnerCc", StringValue("Timely"));
    EXPECT_EQ(law->GetInnerLaw()->GetInstanceTypeId(), Timely::GetTypeId());
}

TEST(Mlcc, ProfileLiteralIsAlgorithm2AsPrinted)
{
    const MlccDqm::Settings usual = With<Mlcc>({})->GetParams().dqm;
    const MlccDqm::Settings literal = With<Mlcc>({{"Profile", "literal"}})->GetParams().dqm;
    EXPECT_TRUE(literal.literalToken && literal.holds);
    EXPECT_EQ(literal.dwWindow, MlccDqm::DwWindow::INTEGRATE);
    EXPECT_FALSE(usual.literalToken || usual.holds);
    EXPECT_EQ(usual.dwWindow, MlccDqm::DwWindow::SLIDING);
}

TEST(Mlcc, BadValuesAreRefused)
{
    ExpectEachRefused<Mlcc>({{"Theta", "0ms"},
                             {"TargetDelay", "-1ms"},
                             {"Alpha", "0"},
                             {"Alpha", "1.5"},
                             {"MinRate", "0Mbps"},
                             {"InterInflightCap", "-1"},
                             {"InnerCc", "Bbr"}},
                            MLCC_PATH);
}

// The window takes over at once; what the inner law keeps stays.
TEST(Mlcc, IsRetuned)
{
    Sender sender;
    Load(sender, 2);
    const uint64_t before = sender.law->GetNearBps();
    const Ptr<Mlcc> other = With<Mlcc>({{"InterInflightCap", "3"}});
    other->SetInnerLaw(PlainHpcc());
    sender.law->Retune(*other, sender.nowPs);
    EXPECT_NEAR(static_cast<double>(sender.law->GetWindowBytes()), 3 * 18887500., MLCC_FRAME);
    EXPECT_EQ(sender.law->GetNearBps(), before);
    // And the inner law is retuned with it.
    const Ptr<Mlcc> floor = With<Mlcc>({});
    floor->SetInnerLaw(PlainHpcc({{"MinRate", "20Gbps"}}));
    sender.law->Retune(*floor, sender.nowPs);
    EXPECT_NEAR(static_cast<double>(sender.law->GetNearBps()), 20e9, 1e6);
}

TEST(Mlcc, Variables)
{
    Sender sender;
    Load(sender, 2);
    sender.Ack(1, 12000);
    EXPECT_NEAR(Variable(*sender.law, "r_ns_bps", 0), 11.875e9, 1e6);
    EXPECT_EQ(Variable(*sender.law, "rbar_dqm_bps", 0), 12e9);
    EXPECT_EQ(Variable(*sender.law, "r_credit_bps", 0), 11e9);
    EXPECT_EQ(Variable(*sender.law, "c_r", 0), 7);
}

TEST(Mlcc, TellsOfItsRates)
{
    Sender sender;
    std::vector<uint64_t> near;
    std::vector<uint64_t> dqm;
    sender.law->TraceConnectWithoutContext(
        "NearRate",
        Callback<void, uint64_t, Time>([&](uint64_t rate, Time) { near.push_back(rate); }));
    sender.law->TraceConnectWithoutContext(
        "DqmRate",
        Callback<void, uint64_t, Time>([&](uint64_t rate, Time) { dqm.push_back(rate); }));
    sender.Ack(1, 12000);
    Load(sender, 2);
    EXPECT_EQ(dqm, std::vector<uint64_t>{12 * G});
    EXPECT_EQ(near, std::vector<uint64_t>{sender.law->GetNearBps()});
}

// What both external switches do is not to be left out.
TEST(Mlcc, NeedsBothStagesAndAPathBetweenDatacenters)
{
    const Ptr<Mlcc> law = With<Mlcc>({});
    Deployment none;
    EXPECT_EQ(ErrorOf([&] { law->Check(none, true); }),
              "the rate law between datacenters, ns3::roce::Mlcc, needs ns3::roce::MlccNearSource, "
              "which no switch on the way has; expected --edge=MlccNearSource,MlccReceiverSide");
    EXPECT_NE(ErrorOf([&] { law->Check(none, false); }).find("expected --interCc=Mlcc"),
              std::string::npos);
    Deployment later;
    later.ExpectMoreStages();
    EXPECT_EQ(ErrorOf([&] { law->Check(later, true); }), "no error");
}

} // namespace
