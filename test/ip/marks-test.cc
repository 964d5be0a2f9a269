// SPDX-License-Identifier: GPL-2.0-only

// What ECN and RED do with packets: as many are marked or dropped as the curve says of the queues
// that they find, and receivers see the marks.

#include "roce-ip-network.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ipv4-header.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-switch.h"
#include "ns3/tcp-header.h"

#include <cmath>

namespace ns3::roce::test
{

namespace
{

/// Sums what the curve of the switch's EcnMarker, which comes behind it, says of each packet.
class CurveSum : public SwitchStage
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::roce::test::CurveSum").SetParent<SwitchStage>().AddConstructor<CurveSum>();
        return tid;
    }

    uint32_t GetHooks() const override
    {
        return MARK | DEQUEUE;
    }

    uint32_t GetKinds() const override
    {
        return MaskOfKinds(FrameKind::PACKET);
    }

    void Install(Switch& sw) override
    {
        m_at = &sw;
    }

    Verdict OnEnqueue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t) override
    {
        Add(true, frame, out, queue.GetLineBytes(frame.trafficClass) + frame.frameBytes);
        return Verdict::PASS;
    }

    Verdict OnDequeue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t) override
    {
        Add(false, frame, out, queue.GetLineBytes(frame.trafficClass));
        return Verdict::PASS;
    }

    double sum{0};      //!< of probabilities
    double variance{0}; //!< of how many are chosen
    uint64_t inside{0}; //!< packets with a probability that is neither 0 nor 1

  private:
    void Add(bool atEnqueue, const Frame& frame, const Port& out, uint64_t queueBytes)
    {
        const auto* marker = m_at->FindStage<EcnMarker>();
        if (atEnqueue != marker->GetParameters().markAtEnqueue || frame.ecn == ECN_CE)
        {
            return;
        }
        const double p = marker->GetCurve(out.GetIndex()).Probability(queueBytes);
        sum += p;
        variance += p * (1 - p);
        inside += p > 0 && p < 1;
    }

    Switch* m_at{nullptr};
};

NS_OBJECT_ENSURE_REGISTERED(CurveSum);

/// A curve for all ports.
void
SetCurve(uint64_t kmin, uint64_t kmax, double pmax, bool atEnqueue)
{
    Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(kmin));
    Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(kmax));
    Config::SetDefault("ns3::roce::EcnMarker::Pmax", DoubleValue(pmax));
    Config::SetDefault("ns3::roce::EcnMarker::ReferenceRate", StringValue("0bps"));
    Config::SetDefault("ns3::roce::EcnMarker::MarkAtEnqueue", BooleanValue(atEnqueue));
}

Network::Options
WithSums()
{
    Network::Options options;
    options.ecn = false;
    options.stages = {StagePlacement("ns3::roce::test::CurveSum"),
                      StagePlacement("ns3::roce::EcnMarker")};
    return options;
}

/// Holds what was chosen against the sums.
void
ExpectAsTheCurveSays(const IpNetwork& net, uint64_t chosen)
{
    double sum = 0;
    double variance = 0;
    uint64_t inside = 0;
    for (uint32_t s = 0; s < net.network.GetNSwitches(); ++s)
    {
        const auto* at = net.network.GetSwitch(s)->FindStage<CurveSum>();
        sum += at->sum;
        variance += at->variance;
        inside += at->inside;
    }
    EXPECT_GT(sum, 100) << "a weak test";
    EXPECT_NEAR(static_cast<double>(chosen), sum, 4 * std::sqrt(variance) + 1e-6)
        << inside << " packets by chance";
}

uint64_t
CounterOf(const IpNetwork& net, const std::string& name)
{
    const auto counters = net.network.GetCounters();
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : found->second;
}

} // namespace

class IpMarks : public SystemTest, public ::testing::WithParamInterface<bool>
{
};

TEST_P(IpMarks, PacketsWithoutEctAreDroppedAsOftenAsOthersWouldBeMarked)
{
    SetCurve(20'000, 120'000, 0.5, GetParam());
    for (const bool isEct : {false, true})
    {
        IpNetwork net(3, 10 * G, 1000 * NS, 2, 1500, WithSums());
        for (const uint32_t from : {0, 1})
        {
            SendUdp(net, from, 2 + from, 8000, NanoSeconds(2100 + from), isEct ? ECN_ECT0 : 0);
        }
        net.Run(MilliSeconds(30));
        const uint64_t dropped = CounterOf(net, "framesDroppedRed");
        const uint64_t marked = CounterOf(net, "ecnMarked");
        EXPECT_EQ(isEct ? dropped : marked, 0u) << "ECT " << isEct;
        ExpectAsTheCurveSays(net, isEct ? marked : dropped);
        EXPECT_EQ(CounterOf(net, "framesDropped"), dropped);
        EXPECT_EQ(CounterOf(net, "packetsReceived") + dropped, 16000u);
    }
}

TEST_P(IpMarks, AttributesSayWhichPacketsAreDropped)
{
    SetCurve(20'000, 20'000, 1, GetParam());
    for (const char* what : {"DropNotEct=0", "Classes=8"})
    {
        const std::string text = what;
        const auto at = text.find('=');
        Config::SetDefault("ns3::roce::EcnMarker::" + text.substr(0, at),
                           StringValue(text.substr(at + 1)));
        IpNetwork net(3, 10 * G, 1000 * NS, 2);
        SendUdp(net, 0, 2, 500, NanoSeconds(2000));
        SendUdp(net, 1, 2, 500, NanoSeconds(2000));
        net.Run(MilliSeconds(5));
        EXPECT_EQ(CounterOf(net, "framesDropped"), 0u) << what;
        Config::Reset();
        SetCurve(20'000, 20'000, 1, GetParam());
    }
}

TEST_P(IpMarks, AlonePacketsMeetNoQueueThatDrops)
{
    SetCurve(1514 + 4, 1514 + 4, 1, GetParam());
    IpNetwork net(3, 10 * G, 1000 * NS, 2);
    SendUdp(net, 0, 2, 500, NanoSeconds(2000));
    net.Run(MilliSeconds(5));
    EXPECT_EQ(CounterOf(net, "packetsReceived"), 500u);
}

TEST_P(IpMarks, DctcpSeesEachMarkOfTheCurve)
{
    struct Curve
    {
        uint64_t kmin, kmax;
        double pmax;
    };

    for (const Curve& curve : {Curve{30'000, 30'000, 1}, Curve{20'000, 150'000, 0.3}})
    {
        SetCurve(curve.kmin, curve.kmax, curve.pmax, GetParam());
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpDctcp"));
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
        Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
        IpNetwork net(3, 10 * G, 5000 * NS, 4, 1500, WithSums());
        uint64_t ce = 0;
        uint64_t ece = 0;
        std::vector<Ptr<PacketSink>> sinks;
        for (const uint32_t from : {0, 1, 2, 3})
        {
            sinks.push_back(SendTcp(net, from, 4 + from, 4'000'000));
            const auto count = [](uint64_t& marks, bool isAck) {
                return Callback<void, Ptr<const Packet>>([&marks, isAck](Ptr<const Packet> seen) {
                    const Ptr<Packet> packet = seen->Copy();
                    Ipv4Header ip;
                    packet->RemoveHeader(ip);
                    TcpHeader tcp;
                    if (ip.GetProtocol() == 6 && packet->RemoveHeader(tcp))
                    {
                        marks += isAck ? packet->GetSize() == 0 && (tcp.GetFlags() & TcpHeader::ECE)
                                       : ip.GetEcn() == Ipv4Header::ECN_CE;
                    }
                });
            };
            net.devices.Get(4 + from)->TraceConnectWithoutContext("MacRx", count(ce, false));
            net.devices.Get(from)->TraceConnectWithoutContext("MacRx", count(ece, true));
        }
        net.Run(Seconds(5));
        for (const Ptr<PacketSink>& sink : sinks)
        {
            EXPECT_EQ(sink->GetTotalRx(), 4'000'000u);
        }
        const uint64_t marked = CounterOf(net, "ecnMarked");
        ExpectAsTheCurveSays(net, marked + CounterOf(net, "framesDroppedRed"));
        EXPECT_EQ(ce, marked) << "marks are lost on their way to the stack";
        EXPECT_NEAR(static_cast<double>(ece),
                    static_cast<double>(ce),
                    0.02 * static_cast<double>(ce))
            << "senders do not see what receivers see";
        Config::Reset();
    }
}

INSTANTIATE_TEST_SUITE_P(At, IpMarks, ::testing::Bool(), [](const auto& info) {
    return info.param ? "Enqueue" : "Dequeue";
});

using IpPhantomTest = SystemTest;

TEST_F(IpPhantomTest, APhantomQueueMarksPacketsThatAreEctAndDropsNone)
{
    for (const bool isEct : {true, false})
    {
        Network::Options options;
        options.ecn = false;
        ObjectFactory phantom("ns3::roce::PhantomQueue");
        phantom.Set("Capacity", StringValue("200kB"));
        phantom.Set("DrainFactor", DoubleValue(0.5));
        phantom.Set("EcnMin", DoubleValue(0.25));
        phantom.Set("EcnMax", DoubleValue(0.5));
        options.stages = {StagePlacement(phantom)};
        IpNetwork net(3, 10 * G, 1000 * NS, 2, 1500, options);
        // Three quarters of the rate: the real queue is empty.
        SendUdp(net, 0, 2, 2000, NanoSeconds(1640), isEct ? ECN_ECT0 : 0);
        net.Run(MilliSeconds(10));
        EXPECT_EQ(CounterOf(net, "packetsReceived"), 2000u) << "ECT " << isEct;
        const uint64_t marked = CounterOf(net, "phantomMarked");
        EXPECT_EQ(marked > 1500, isEct) << marked << " marks, ECT " << isEct;
        EXPECT_EQ(marked > 0, isEct);
    }
}

} // namespace ns3::roce::test
