// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_REFLEX_NDT_FIXTURE_H
#define ROCE_REFLEX_NDT_FIXTURE_H

#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-reflex-ndt.h"

#include <functional>

namespace ns3::roce::test
{

constexpr uint32_t N_FAR = 4; //!< hosts of the far datacenter: NICs 0 .. 3

/// Replaces the stamps that acknowledgements bring back to the external switch.
struct StampFaker : public SwitchStage
{
    uint32_t GetHooks() const override
    {
        return ARRIVAL;
    }

    Verdict OnArrival(Frame& frame, Port&, int64_t nowPs) override
    {
        NdtStamp* stamp = frame.FindExtension<NdtStamp>();
        if (stamp && (frame.kind == FrameKind::ACK || frame.kind == FrameKind::NAK))
        {
            const bool isNak = frame.kind == FrameKind::NAK;
            naks += isNak;
            stamp->atPs = nowPs - (isNak && nakRttPs ? nakRttPs : rttPs(frame.dst, nowPs));
        }
        return Verdict::PASS;
    }

    std::function<int64_t(uint32_t nic, int64_t nowPs)> rttPs; //!< nic is the data's sender
    int64_t nakRttPs{0};                                       //!< of NAKs; 0: as of ACKs
    uint64_t naks{0};                                          //!< that had a stamp
};

/**
 * The far datacenter has four hosts at its external switch; the own one an external switch, two
 * leaves, four hosts at leaf a (NICs 4 .. 7) and one at leaf b (NIC 8). The link to leaf a has
 * 100 Gbit/s, the WAN link 400.
 */
struct NdtNetwork
{
    /// @param farRate of the links to the far hosts, bit/s
    explicit NdtNetwork(uint64_t farRate = 100 * G)
    {
        const uint32_t far = net.AddSwitch("far", 0);
        const uint32_t own = net.AddSwitch("own", 1);
        const uint32_t a = net.AddSwitch("a", 1);
        const uint32_t b = net.AddSwitch("b", 1);
        for (uint32_t h = 0; h < 2 * N_FAR + 1; ++h)
        {
            const uint32_t sw = h < N_FAR ? far : h < 2 * N_FAR ? a : b;
            const uint64_t rate = h < N_FAR ? farRate : 100 * G;
            net.AddNic(net.AddHost("h" + std::to_string(h), h >= N_FAR), sw, rate, US);
        }
        wanPort = net.Connect(far, own, 400 * G, 20 * US).second;
        portA = net.Connect(own, a, 100 * G, US).first;
        portB = net.Connect(own, b, 100 * G, US).first;
    }

    /// Install the stage at the external switch, behind one that fakes round trips if given.
    void Build(std::function<int64_t(uint32_t, int64_t)> rttPs = nullptr)
    {
        net.Build();
        if (rttPs)
        {
            faker = CreateObject<StampFaker>();
            faker->rttPs = std::move(rttPs);
            Own()->Install(faker);
        }
        ndt = CreateObject<ReflexNdt>();
        Own()->Install(ndt);
        ndt->TraceConnectWithoutContext(
            "Pause",
            Callback<void, uint16_t, bool, double, bool, Time>(
                [this](uint16_t port, bool begins, double ratio, bool byTimeout, Time at) {
                    const uint32_t waiting = ndt->GetScheduler(port)->GetControlledFrames();
                    pauses.push_back({port, begins, ratio, byTimeout, at.GetTimeStep(), waiting});
                }));
        ndt->TraceConnectWithoutContext(
            "RttDst",
            Callback<void, uint32_t, uint32_t, int64_t, Time>(
                [this](uint32_t, uint32_t, int64_t rttPs, Time) { rtts.push_back(rttPs); }));
        Own()->GetPort(portA)->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([this](const Frame& frame, Time at) {
                sent.push_back({frame.kind, frame.src, at.GetTimeStep()});
            }));
    }

    Ptr<Switch> Own() const
    {
        return net.GetSwitch(1);
    }

    std::map<std::string, uint64_t> Count() const
    {
        std::map<std::string, uint64_t> counters;
        ndt->Count(counters);
        return counters;
    }

    uint64_t Reordered() const
    {
        uint64_t sum = 0;
        for (uint32_t n = 0; n < net.GetNNics(); ++n)
        {
            sum += net.GetNic(n)->GetCounters().reordered;
        }
        return sum;
    }

    /// All of these must finish.
    void Run(const std::vector<FlowSpec>& flows)
    {
        const Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
    }

    struct Pause
    {
        uint16_t port;
        bool begins;
        double ratio;
        bool byTimeout;
        int64_t atPs;
        uint32_t waiting; //!< frames in Controlled
    };

    /// A transmission of port a.
    struct Sent
    {
        FrameKind kind;
        uint32_t src;
        int64_t atPs;
    };

    Network net;
    uint16_t wanPort, portA, portB;
    Ptr<ReflexNdt> ndt;
    Ptr<StampFaker> faker; //!< of Build()
    std::vector<Pause> pauses;
    std::vector<Sent> sent;
    std::vector<int64_t> rtts; //!< round trips measured by ndt
};

struct ReflexNdtTest : public SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetDefaults();
    }

    /// Suspensions of single ports by states: they are easier to bring about.
    static void SetDefaults()
    {
        SetRateLaw("LineRate");
        Config::SetDefault("ns3::roce::ReflexNdt::PauseScope", StringValue("port"));
        Config::SetDefault("ns3::roce::ReflexNdt::PauseNumerator", StringValue("state"));
    }
};

constexpr int64_t SHORT_RTT = 8 * US;
constexpr int64_t LONG_RTT = 12 * US; //!< congested, by default

inline void
SetNdt(const std::string& attribute, const AttributeValue& value)
{
    Config::SetDefault("ns3::roce::ReflexNdt::" + attribute, value);
}

} // namespace ns3::roce::test

#endif /* ROCE_REFLEX_NDT_FIXTURE_H */
