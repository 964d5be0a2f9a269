// SPDX-License-Identifier: GPL-2.0-only

// TCP senders share a slow link behind a switch, beside the same network of ns-3's point-to-point
// devices, with tail drop and with RED.
//
// Where both decide alike, the runs are alike packet for packet: the switch counts what waits, in
// bytes and without the packet in transmission, as the queue of a PointToPointNetDevice does; an
// interframe gap and a longer delay make up for the 16 B by which PPP is shorter than Ethernet; the
// switch has a static limit for each port and no random winner of a full queue (RandomTies); no two
// packets come at the same time. So they are with RED, if the queue disc draws for each packet as
// EcnMarker does (DrawingRed). RedQueueDisc spaces its drops instead. Draws hit one window twice
// now and then, which is one reduction for TCP: some percent more are lost.

#include "roce-ip-network.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue-disc.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-switch.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/traffic-control-layer.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>

namespace ns3::roce::test
{

namespace
{

constexpr int SEEDS = 10;
constexpr uint32_t SENDERS = 8;
constexpr uint16_t MTU = 9000;
constexpr uint32_t SEGMENT_BYTES = 8900;
constexpr uint32_t FRAME_BYTES = SEGMENT_BYTES + 52 + 18; //!< IP and TCP with time stamps; Ethernet
constexpr uint32_t PPP_BYTES = FRAME_BYTES - 16;          //!< of the same packet
constexpr uint64_t ACCESS_BPS = 100'000'000;
constexpr uint64_t SLOW_BPS = 10'000'000;
constexpr uint32_t QUEUE = 40; //!< packets
constexpr uint32_t MIN_TH = 10;
constexpr uint32_t MAX_TH = 60;
constexpr double MAX_P = 0.1;
constexpr int64_t STREAM = 1000; //!< of drops

/// What drops.
enum class Aqm
{
    TAIL,
    STEP, //!< RED with one threshold
    RAMP, //!< RED with a probability that grows
    DRAW, //!< the same, beside DrawingRed
};

/// What is compared.
struct Case
{
    const char* law;
    Aqm aqm;
    Time length; //!< of a run
};

/// Of one run.
struct Outcome
{
    double goodputBps;
    double loss; //!< share of packets
};

/// Of the switch; what RedQueueDisc counts is less by the packet that comes and the one in the
/// device's queue, and it drops all at its upper threshold, not above it.
EcnCurve
CurveOf(Aqm aqm)
{
    const auto bytes = [](uint32_t packets) { return uint64_t{packets + 2} * FRAME_BYTES; };
    const uint64_t kmax = bytes(MAX_TH) - 1;
    return {aqm == Aqm::STEP ? kmax : bytes(MIN_TH), kmax, MAX_P};
}

/// A queue disc that drops by the switch's curve, with the switch's random numbers.
class DrawingRed : public QueueDisc
{
  public:
    /// @param below queue of the device
    DrawingRed(int64_t stream, Ptr<Queue<Packet>> below)
        : QueueDisc(QueueDiscSizePolicy::SINGLE_INTERNAL_QUEUE, QueueSizeUnit::PACKETS),
          m_below(below)
    {
        m_random->SetStream(stream);
    }

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override
    {
        // Without a MAC header here, with one of PPP there.
        const uint64_t queueBytes = item->GetSize() + GetNBytes() + m_below->GetNBytes() +
                                    18 * uint64_t{GetNPackets() + 1} +
                                    16 * uint64_t{m_below->GetNPackets()};
        if (CurveOf(Aqm::DRAW).Draw(queueBytes, *m_random))
        {
            DropBeforeEnqueue(item, "drawn");
            return false;
        }
        return GetInternalQueue(0)->Enqueue(item);
    }

    Ptr<QueueDiscItem> DoDequeue() override
    {
        return GetInternalQueue(0)->Dequeue();
    }

    bool CheckConfig() override
    {
        AddInternalQueue(CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>(
            "MaxSize",
            QueueSizeValue(QueueSize("1000p"))));
        return true;
    }

    void InitializeParams() override
    {
    }

    Ptr<Queue<Packet>> m_below;
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
};

/// Delay of the i-th host's link; no two are alike.
Time
DelayOf(uint32_t i)
{
    return MilliSeconds(10) + NanoSeconds(1237 * i);
}

/// Run the transfers. @param drops returns how many packets have been dropped so far
Outcome
Measure(const Case& c,
        const NodeContainer& senders,
        const Ptr<Node>& receiver,
        const Ipv4Address& at,
        int seed,
        const std::function<uint64_t()>& drops)
{
    std::mt19937 random(static_cast<unsigned>(seed)); // not ns-3's: alike in both networks
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < senders.GetN(); ++i)
    {
        const Time start = MicroSeconds(1 + random() % 20'000);
        const auto port = static_cast<uint16_t>(80 + i);
        sinks.push_back(SendTcp(senders.Get(i), receiver, at, 0, port, start));
    }
    Simulator::Stop(c.length);
    Simulator::Run();
    uint64_t bytes = 0;
    for (const Ptr<PacketSink>& sink : sinks)
    {
        bytes += sink->GetTotalRx();
    }
    const auto lost = static_cast<double>(drops());
    return {static_cast<double>(bytes) * 8 / c.length.GetSeconds(),
            lost / (lost + static_cast<double>(bytes) / SEGMENT_BYTES)};
}

Outcome
OnFabric(const Case& c, int seed)
{
    Config::SetDefault("ns3::roce::Port::FramingBytes", UintegerValue(0));
    Config::SetDefault("ns3::roce::Port::MinFrameBytes", UintegerValue(0));
    Config::SetDefault("ns3::roce::Switch::RandomTies", BooleanValue(false));
    Network::Options options;
    if (c.aqm == Aqm::TAIL)
    {
        options.ecnMarker.Set("Classes", UintegerValue(0));
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
        Config::SetDefault("ns3::roce::Switch::EgressLimit",
                           StringValue(std::to_string(QUEUE * FRAME_BYTES) + "B"));
    }
    else
    {
        const EcnCurve curve = CurveOf(c.aqm);
        options.ecnMarker.Set("MarkAtEnqueue", BooleanValue(true));
        options.ecnMarker.Set("ReferenceRate", StringValue("0bps"));
        options.ecnMarker.Set("Kmin", UintegerValue(curve.kminBytes));
        options.ecnMarker.Set("Kmax", UintegerValue(curve.kmaxBytes));
        options.ecnMarker.Set("Pmax", DoubleValue(curve.pmax));
    }
    Network network;
    const uint32_t sw = network.AddSwitch("switch", 0);
    for (uint32_t i = 0; i <= SENDERS; ++i)
    {
        network.AddNic(network.AddHost("h" + std::to_string(i), 0),
                       sw,
                       i < SENDERS ? ACCESS_BPS : SLOW_BPS,
                       DelayOf(i).GetPicoSeconds());
    }
    network.Build(options);
    network.AssignStreams(seed);
    for (const Ptr<SwitchStage>& stage : network.GetSwitch(sw)->GetStages())
    {
        if (DynamicCast<EcnMarker>(stage))
        {
            stage->AssignStreams(STREAM + seed);
        }
    }
    RoceNetDeviceHelper helper;
    helper.SetDeviceAttribute("Mtu", UintegerValue(MTU));
    const NetDeviceContainer devices = helper.Install(network);
    NodeContainer senders;
    for (uint32_t i = 0; i < SENDERS; ++i)
    {
        senders.Add(devices.Get(i)->GetNode());
    }
    const Ptr<Node> receiver = devices.Get(SENDERS)->GetNode();
    InternetStackHelper().Install(NodeContainer(senders, NodeContainer(receiver)));
    const Ipv4Address at =
        Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices).GetAddress(SENDERS);
    const Outcome outcome = Measure(c, senders, receiver, at, seed, [&network] {
        network.CatchUp();
        return network.GetCounters().at("framesDropped");
    });
    EXPECT_EQ(network.Audit(false), "");
    Simulator::Destroy();
    return outcome;
}

Ptr<QueueDisc>
InstallRed(const Case& c, const Ptr<NetDevice>& device, int seed)
{
    if (c.aqm == Aqm::DRAW)
    {
        const Ptr<QueueDisc> disc =
            CreateObject<DrawingRed>(STREAM + seed,
                                     DynamicCast<PointToPointNetDevice>(device)->GetQueue());
        device->GetNode()->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(device, disc);
        return disc;
    }
    TrafficControlHelper control;
    // With probability p / (1 - count p) for the packet that is the count-th since the last drop,
    // the gaps are uniform, not geometric: (1 / p + 1) / 2 packets in the mean. Hence the half.
    control.SetRootQueueDisc("ns3::RedQueueDisc",
                             "MaxSize",
                             StringValue("1000p"),
                             "MinTh",
                             DoubleValue(c.aqm == Aqm::STEP ? MAX_TH : MIN_TH),
                             "MaxTh",
                             DoubleValue(MAX_TH),
                             "LInterm",
                             DoubleValue(2 / MAX_P),
                             "QW",
                             DoubleValue(1),
                             "Gentle",
                             BooleanValue(false),
                             "Wait",
                             BooleanValue(false));
    return control.Install(device).Get(0);
}

Outcome
OnPointToPoint(const Case& c, int seed)
{
    NodeContainer senders(SENDERS);
    NodeContainer others(2);
    const Ptr<Node> router = others.Get(0);
    InternetStackHelper().Install(NodeContainer(senders, others));
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
    Ipv4Address at;
    Ptr<NetDevice> slow;
    Ptr<QueueDisc> red;
    for (uint32_t i = 0; i <= SENDERS; ++i)
    {
        const bool isSlow = i == SENDERS;
        PointToPointHelper link;
        const DataRate rate(isSlow ? SLOW_BPS : ACCESS_BPS);
        const Time more = rate.CalculateBytesTxTime(FRAME_BYTES - PPP_BYTES);
        link.SetDeviceAttribute("Mtu", UintegerValue(MTU));
        link.SetDeviceAttribute("DataRate", DataRateValue(rate));
        link.SetDeviceAttribute("InterframeGap", TimeValue(more));
        link.SetChannelAttribute("Delay", TimeValue(DelayOf(i) + more));
        if (isSlow)
        {
            const std::string limit =
                c.aqm == Aqm::TAIL ? std::to_string(QUEUE * PPP_BYTES) + "B" : "1p";
            link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(limit));
            if (c.aqm == Aqm::TAIL)
            {
                link.DisableFlowControl(); // it stops a queue that has no room for a whole MTU
            }
        }
        const NetDeviceContainer ends =
            link.Install(isSlow ? router : senders.Get(i), isSlow ? others.Get(1) : router);
        slow = ends.Get(0); // in the end
        if (isSlow && c.aqm != Aqm::TAIL)
        {
            red = InstallRed(c, slow, seed);
        }
        at = addresses.Assign(ends).GetAddress(1);
        addresses.NewNetwork();
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    const Ptr<Queue<Packet>> queue = DynamicCast<PointToPointNetDevice>(slow)->GetQueue();
    const Outcome outcome = Measure(c, senders, others.Get(1), at, seed, [&red, &queue] {
        return queue->GetTotalDroppedPackets() + (red ? red->GetStats().nTotalDroppedPackets : 0);
    });
    Simulator::Destroy();
    return outcome;
}

/// A mean and its standard error.
class Mean
{
  public:
    void Add(double x)
    {
        m_sum += x;
        m_squares += x * x;
        ++m_n;
    }

    double Get() const
    {
        return m_sum / m_n;
    }

    double Error() const
    {
        return std::sqrt(std::max(0.0, m_squares / m_n - Get() * Get()) / (m_n - 1));
    }

  private:
    double m_sum{0};
    double m_squares{0};
    int m_n{0};
};

} // namespace

class IpBottleneck : public ::testing::TestWithParam<Case>
{
  public:
    /// Both networks begin with the same defaults.
    static void SetDefaults(const Case& c)
    {
        Config::Reset();
        Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                           TypeIdValue(TypeId::LookupByName(std::string("ns3::") + c.law)));
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT_BYTES));
        // Without a bound, ns-3's CUBIC overshoots by hundreds of packets now and then.
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(300'000));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
        // Connections are made before anything waits: RED here and there differ for short packets.
        Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(1));
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                           StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    }

    void TearDown() override
    {
        Config::Reset();
    }
};

TEST_P(IpBottleneck, GoodputAndLossAreThoseOfPointToPointDevices)
{
    const Case& c = GetParam();
    std::array<Mean, 2> goodput;
    std::array<Mean, 2> loss;
    for (int seed = 1; seed <= SEEDS; ++seed)
    {
        RngSeedManager::SetRun(static_cast<uint64_t>(seed));
        SetDefaults(c);
        const Outcome there = OnPointToPoint(c, seed);
        SetDefaults(c);
        const Outcome here = OnFabric(c, seed);
        if (c.aqm != Aqm::RAMP)
        {
            EXPECT_EQ(here.goodputBps, there.goodputBps) << "seed " << seed;
            EXPECT_EQ(here.loss, there.loss) << "seed " << seed;
        }
        goodput[0].Add(there.goodputBps);
        goodput[1].Add(here.goodputBps);
        loss[0].Add(there.loss);
        loss[1].Add(here.loss);
    }
    for (const int i : {0, 1})
    {
        std::printf("%-14s %.3f Mbit/s +- %.3f, loss %.3f %% +- %.3f\n",
                    i ? "fabric" : "point-to-point",
                    goodput[i].Get() / 1e6,
                    goodput[i].Error() / 1e6,
                    loss[i].Get() * 100,
                    loss[i].Error() * 100);
    }
    EXPECT_GT(loss[0].Get(), 0.005) << "a weak test";
    EXPECT_NEAR(goodput[1].Get() / goodput[0].Get(), 1, 0.02);
    // More than 2 % for RedQueueDisc, see above.
    EXPECT_NEAR(loss[1].Get() / loss[0].Get(), 1, c.aqm == Aqm::RAMP ? 0.1 : 0.02);
}

std::string
NameOf(const ::testing::TestParamInfo<Case>& info)
{
    const char* aqm[] = {"TailDrop", "StepRed", "Red", "DrawnRed"};
    return std::string(info.param.law) + aqm[static_cast<int>(info.param.aqm)];
}

INSTANTIATE_TEST_SUITE_P(Shared,
                         IpBottleneck,
                         ::testing::Values(Case{"TcpNewReno", Aqm::TAIL, Seconds(10)},
                                           Case{"TcpCubic", Aqm::TAIL, Seconds(10)},
                                           Case{"TcpNewReno", Aqm::STEP, Seconds(10)},
                                           Case{"TcpCubic", Aqm::STEP, Seconds(10)},
                                           Case{"TcpNewReno", Aqm::DRAW, Seconds(10)},
                                           Case{"TcpCubic", Aqm::DRAW, Seconds(10)},
                                           Case{"TcpNewReno", Aqm::RAMP, Seconds(30)}),
                         NameOf);

} // namespace ns3::roce::test
