// SPDX-License-Identifier: GPL-2.0-only
// What every Tuner keeps to: what agents measure, when new parameters are in force, what is
// counted, what losses do, and that nothing which is retuned in flight ever stalls.
#include "roce-error-of.h"
#include "roce-tuner-network.h"

#include "ns3/random-variable-stream.h"

#include <cmath>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

NS_OBJECT_ENSURE_REGISTERED(ProbeTuner);

/// Counts data frames and their bytes by port, for a tuner.
struct CountingStage : public SwitchStage
{
    uint32_t GetHooks() const override
    {
        return ARRIVAL;
    }

    Verdict OnArrival(Frame& frame, Port& in, int64_t) override
    {
        if (frame.kind == FrameKind::DATA)
        {
            ++frames;
            bytes.resize(std::max<std::size_t>(bytes.size(), in.GetIndex() + 1U));
            bytes[in.GetIndex()] += in.WireBytes(frame.frameBytes);
        }
        return Verdict::PASS;
    }

    void Report(Measurement& into, int64_t) override
    {
        into.values.push_back(frames);
        into.rxDataBytes = bytes; // shorter than the ports: the others are not known
        frames = 0;
        bytes.clear();
    }

    double frames{0};
    std::vector<uint64_t> bytes;
};

struct Tuners : SystemTest
{
    static Tuner::Change Rates(const std::string& ai)
    {
        Tuner::Change change;
        change.settings = {{"Dcqcn", "AiRate", ai}};
        return change;
    }
};

// One flow on an empty network: the RTT is the base RTT, bytes are those of its frames, and DCQCN
// pays no time stamp for it.
TEST_F(Tuners, AgentsMeasureAnIdleNetwork)
{
    TunedRacks racks(2, WithTuner("test::ProbeTuner[MonitorInterval=100us]"));
    racks.net.InstallFlows(Numbered({Flow(0, 3, 4000000)}));
    Simulator::Run();
    auto& tuner = racks.TunerAs<ProbeTuner>();
    ASSERT_GE(tuner.history.size(), 3u);
    const TuningReports& second = tuner.history[1];
    EXPECT_EQ(second.fromPs, 100 * US);
    EXPECT_EQ(second.toPs, 200 * US);
    ASSERT_EQ(second.nics.size(), 4u);
    ASSERT_EQ(second.switches.size(), 3u);
    ASSERT_EQ(second.nics[0].rtts.size(), 1u) << "RTTs that NIC 0 has measured";
    EXPECT_EQ(second.nics[0].rtts[0].dst, 3u);
    EXPECT_EQ(second.nics[1].rtts.size() + second.nics[2].rtts.size() + second.nics[3].rtts.size(),
              0u)
        << "nobody else sends data";
    const int64_t base = racks.net.GetPath(0, 3, 0).baseRttPs;
    EXPECT_NEAR(static_cast<double>(second.nics[0].rtts[0].rttPs),
                static_cast<double>(base),
                0.02 * static_cast<double>(base));
    EXPECT_EQ(racks.net.GetNic(0)->GetTelemetryBytes(), 0u) << "no bytes on the wire for it";
    EXPECT_NEAR(static_cast<double>(second.nics[0].port.txBytes), 1.25e6, 0.02e6)
        << "100 us at 100 Gb/s";
    EXPECT_EQ(second.nics[0].port.pausedPs, 0);
    // Switch 1 has NIC 0 at port 1; what it sends to the spine is what came from there.
    const PortReport& host = second.switches[1].ports[1];
    EXPECT_TRUE(host.isHost);
    EXPECT_FALSE(second.switches[1].ports[0].isHost);
    EXPECT_EQ(host.rxBytes, second.nics[0].port.txBytes);
    EXPECT_EQ(host.rateBps, 100 * G);
}

// Pauses: what agents report in all intervals is what ports count.
TEST_F(Tuners, AgentsMeasurePauses)
{
    SetRateLaw("LineRate");
    TunedRacks racks(4, WithTuner("test::ProbeTuner[MonitorInterval=50us]"));
    std::vector<FlowSpec> flows;
    for (uint32_t src = 0; src < 7; ++src)
    {
        flows.push_back(Flow(src, 7, 8000000));
    }
    racks.net.InstallFlows(Numbered(flows));
    Simulator::Run();
    auto& tuner = racks.TunerAs<ProbeTuner>();
    int64_t paused = 0;
    uint64_t frames = 0;
    for (const TuningReports& reports : tuner.history)
    {
        for (const NicReport& nic : reports.nics)
        {
            paused += nic.port.pausedPs;
            frames += nic.port.pauseFrames;
            EXPECT_LE(nic.port.pausedPs, 50 * US);
        }
        for (const SwitchReport& sw : reports.switches)
        {
            for (const PortReport& port : sw.ports)
            {
                paused += port.pausedPs;
                frames += port.pauseFrames;
            }
        }
    }
    int64_t counted = 0;
    uint64_t received = 0;
    for (const Ptr<Port>& port : racks.net.GetPorts())
    {
        counted += port->GetPausedTimePs(3, NowPs());
        received += port->GetXoffReceived();
    }
    EXPECT_GT(paused, 0) << "an incast at line rate pauses";
    EXPECT_EQ(paused, counted);
    EXPECT_EQ(frames, received);
}

// A port that is kept full: marked bytes are those of its EcnMarker.
TEST_F(Tuners, AgentsCountMarkedBytes)
{
    TunedRacks racks(4, WithTuner("test::ProbeTuner[MonitorInterval=100us]"));
    Completions done(racks.net);
    const std::vector<FlowSpec> flows =
        Numbered({Flow(0, 3, 3000000), Flow(1, 3, 3000000), Flow(2, 3, 3000000)});
    racks.net.InstallFlows(flows);
    uint64_t marked = 0;
    racks.net.GetNic(3)->TraceConnectWithoutContext(
        "RxEnd",
        Callback<void, const Frame&, Time>([&](const Frame& frame, Time) {
            if (frame.kind == FrameKind::DATA && frame.ecn == ECN_CE)
            {
                marked += racks.net.GetNic(3)->WireBytes(frame.frameBytes);
            }
        }));
    Simulator::Run();
    ExpectAllDone(racks.net, done, flows);
    uint64_t reported = 0;
    uint64_t elsewhere = 0;
    for (const TuningReports& reports : racks.TunerAs<ProbeTuner>().history)
    {
        for (const SwitchReport& sw : reports.switches)
        {
            for (const PortReport& port : sw.ports)
            {
                (sw.sw == 1 && port.port == 4 ? reported : elsewhere) += port.markedBytes;
            }
        }
    }
    EXPECT_GT(marked, 0u) << "the test needs marks";
    EXPECT_EQ(reported, marked);
    EXPECT_EQ(elsewhere, 0u);
}

// New parameters are in force ControlDelay after the interval's end, at all devices, and touch
// nothing else.
TEST_F(Tuners, DispatchComesIntoForceAfterTheDelay)
{
    TunedRacks racks(2, WithTuner("test::ProbeTuner[MonitorInterval=100us|ControlDelay=30us]"));
    auto& tuner = racks.TunerAs<ProbeTuner>();
    tuner.onInterval = [&](const TuningReports& reports) {
        if (reports.toPs == 100 * US)
        {
            Tuner::Change change = Rates("77Mbps");
            change.settings.push_back({"EcnMarker", "Kmin", "50000"});
            tuner.Dispatch(change);
        }
    };
    racks.net.InstallFlows(Numbered({Flow(0, 3, 8000000), Flow(1, 3, 8000000)}));
    const DcqcnParams before = racks.Law(3);
    const auto kmin = [&](uint32_t sw) {
        const EcnMarker* marker = racks.net.GetSwitch(sw)->FindStage<EcnMarker>();
        return marker->GetCurve(0).kminBytes;
    };
    Simulator::Schedule(NanoSeconds(129999), [&] {
        EXPECT_EQ(racks.Law(0).aiRateBps, before.aiRateBps) << "too early";
        EXPECT_EQ(kmin(0), 400000u);
    });
    Simulator::Schedule(NanoSeconds(130001), [&] {
        for (uint32_t n = 0; n < 4; ++n)
        {
            EXPECT_EQ(racks.Law(n).aiRateBps, 77e6) << "NIC " << n;
        }
        for (uint32_t s = 0; s < 3; ++s)
        {
            EXPECT_EQ(kmin(s), 200000u) << "switch " << s << ", 25 Gb/s is the reference";
        }
    });
    Simulator::Run();
    const DcqcnParams after = racks.Law(3);
    EXPECT_EQ(after.haiRateBps, before.haiRateBps);
    EXPECT_EQ(after.timeResetPs, before.timeResetPs);
    EXPECT_EQ(racks.net.GetSwitch(0)->FindStage<EcnMarker>()->GetCurve(0).kmaxBytes, 1600000u);
    const Tuner::Counters& counters = tuner.GetCounters();
    EXPECT_EQ(counters.dispatches, 4u + 3u);
    EXPECT_EQ(counters.dispatchBytes, 7u * 8u) << "two values of 4 bytes each";
    EXPECT_EQ(counters.reports, counters.intervals * (4 + 3));
    EXPECT_EQ(counters.reportBytes, counters.intervals * (4 * 12 + 3 * 520));
    EXPECT_EQ(racks.net.GetCounters().at("tunerDispatches"), 7u);
}

// A curve of one port changes there alone.
TEST_F(Tuners, CurvesOfSinglePorts)
{
    TunedRacks racks(2, WithTuner("test::ProbeTuner[MonitorInterval=100us]"));
    auto& tuner = racks.TunerAs<ProbeTuner>();
    tuner.onInterval = [&](const TuningReports& reports) {
        if (reports.toPs == 100 * US)
        {
            Tuner::Change change;
            change.curves.push_back({2, 1, {1000, 2000, 0.5}});
            change.curves.push_back({1, 2, {3000, 4000, 0.5}});
            tuner.Dispatch(change);
        }
    };
    racks.net.InstallFlows(Numbered({Flow(0, 3, 4000000)}));
    Simulator::Run();
    EXPECT_EQ(racks.net.GetSwitch(2)->FindStage<EcnMarker>()->GetCurve(1).kmaxBytes, 2000u);
    EXPECT_EQ(racks.net.GetSwitch(2)->FindStage<EcnMarker>()->GetCurve(2).kmaxBytes, 1600000u);
    EXPECT_EQ(racks.net.GetSwitch(1)->FindStage<EcnMarker>()->GetCurve(1).kmaxBytes, 1600000u);
    EXPECT_EQ(racks.net.GetSwitch(1)->FindStage<EcnMarker>()->GetCurve(2).kmaxBytes, 4000u);
    EXPECT_EQ(tuner.GetCounters().dispatches, 2u) << "two switches are concerned";
    EXPECT_EQ(tuner.GetCounters().dispatchBytes, 2u * 3 * 4) << "a curve is three values";
}

// A device that a dispatch does not reach keeps what it has; the next one mends it. Which are lost
// is random, and the same in each run.
TEST_F(Tuners, LostDispatchesAndReports)
{
    std::vector<std::vector<double>> seen;
    for (int run = 0; run < 2; ++run)
    {
        TunedRacks racks(
            8,
            WithTuner("test::ProbeTuner[MonitorInterval=100us|DispatchLoss=0.5|ReportLoss=0.3]"));
        auto& tuner = racks.TunerAs<ProbeTuner>();
        tuner.onInterval = [&](const TuningReports& reports) {
            tuner.Dispatch(Rates(std::to_string(reports.toPs / US) + "Mbps"));
        };
        Completions done(racks.net);
        const std::vector<FlowSpec> flows =
            Numbered({Flow(0, 15, 12000000), Flow(1, 15, 12000000)});
        racks.net.InstallFlows(flows);
        std::vector<double> rates;
        Simulator::Schedule(NanoSeconds(500001), [&] {
            for (uint32_t n = 0; n < 16; ++n)
            {
                rates.push_back(racks.Law(n).aiRateBps / 1e6);
            }
        });
        Simulator::Run();
        ExpectAllDone(racks.net, done, flows);
        uint64_t newest = 0;
        uint64_t older = 0;
        for (const double rate : rates)
        {
            newest += rate == 500;
            older += rate == 400 || rate == 300 || rate == 200 || rate == 100;
        }
        EXPECT_GT(newest, 2u) << "devices that the fifth dispatch has reached";
        EXPECT_GT(older, 2u) << "devices that have what an earlier one brought";
        const Tuner::Counters& counters = tuner.GetCounters();
        EXPECT_NEAR(static_cast<double>(counters.dispatchesLost) /
                        static_cast<double>(counters.dispatches),
                    0.5,
                    0.1);
        EXPECT_NEAR(static_cast<double>(counters.reportsLost) /
                        static_cast<double>(counters.reports),
                    0.3,
                    0.1);
        uint64_t arrived = 0;
        for (const TuningReports& reports : tuner.history)
        {
            arrived += reports.nics.size() + reports.switches.size();
        }
        EXPECT_EQ(arrived + counters.reportsLost, counters.reports);
        seen.push_back(rates);
        Simulator::Destroy();
    }
    EXPECT_EQ(seen[0], seen[1]);
}

// The messages that a list names are lost, and no others.
TEST_F(Tuners, LossesByNumber)
{
    // An interval has 4 reports of NICs and 3 of switches; a dispatch 4 messages to NICs and 3 to
    // switches.
    TunedRacks racks(2,
                     WithTuner("test::ProbeTuner[MonitorInterval=100us|LostReports=2,6,8-14|"
                               "LostDispatches=1,7,8-14]"));
    auto& tuner = racks.TunerAs<ProbeTuner>();
    tuner.onInterval = [&](const TuningReports& reports) {
        if (reports.toPs <= 300 * US)
        {
            Tuner::Change change = Rates(std::to_string(reports.toPs / US) + "Mbps");
            change.settings.push_back({"EcnMarker", "Kmin", std::to_string(reports.toPs / US)});
            tuner.Dispatch(change);
        }
    };
    racks.net.InstallFlows(Numbered({Flow(0, 3, 8000000), Flow(1, 3, 8000000)}));
    const auto seen = [&] {
        std::vector<double> values;
        for (uint32_t n = 0; n < 4; ++n)
        {
            values.push_back(racks.Law(n).aiRateBps / 1e6);
        }
        for (uint32_t sw = 0; sw < 3; ++sw)
        {
            const EcnMarker* marker = racks.net.GetSwitch(sw)->FindStage<EcnMarker>();
            values.push_back(static_cast<double>(marker->GetCurve(0).kminBytes) / 4);
        }
        return values;
    };
    std::vector<std::vector<double>> history;
    for (const int64_t us : {150, 250, 350})
    {
        Simulator::Schedule(MicroSeconds(us), [&] { history.push_back(seen()); });
    }
    Simulator::Run();
    const std::vector<double> first{5, 100, 100, 100, 100, 100, 100000};
    ASSERT_EQ(history.size(), 3u);
    EXPECT_EQ(history[0], first) << "NIC 0 and the last switch keep what they have";
    EXPECT_EQ(history[1], first) << "a dispatch that reaches nobody";
    EXPECT_EQ(history[2], std::vector<double>(7, 300)) << "the next one mends it";
    EXPECT_EQ(tuner.GetCounters().dispatchesLost, 9u);
    EXPECT_EQ(tuner.GetCounters().dispatches, 21u);
    EXPECT_EQ(tuner.GetCounters().reportsLost, 9u);
    const auto numbers = [](const auto& reports, auto member) {
        std::vector<uint32_t> list;
        for (const auto& report : reports)
        {
            list.push_back(report.*member);
        }
        return list;
    };
    EXPECT_EQ(numbers(tuner.history[0].nics, &NicReport::nic), (std::vector<uint32_t>{0, 2, 3}));
    EXPECT_EQ(numbers(tuner.history[0].switches, &SwitchReport::sw), (std::vector<uint32_t>{0, 2}));
    EXPECT_TRUE(tuner.history[1].nics.empty() && tuner.history[1].switches.empty());
    EXPECT_EQ(tuner.history[2].nics.size() + tuner.history[2].switches.size(), 7u);
}

// What stages measure is in the report of their switch, once, in the order of the stages; it starts
// again with each interval.
TEST_F(Tuners, ReportsHaveWhatStagesMeasured)
{
    TunedRacks racks(2, WithTuner("test::ProbeTuner[MonitorInterval=100us]"));
    for (int i = 0; i < 2; ++i)
    {
        racks.net.GetSwitch(1)->Install(CreateObject<CountingStage>());
    }
    const uint64_t packets = 400;
    racks.net.InstallFlows(Numbered({Flow(0, 3, packets * 4096)})); // some 135 us
    Simulator::Run();
    auto& tuner = racks.TunerAs<ProbeTuner>();
    ASSERT_GE(tuner.history.size(), 2u);
    double frames = 0;
    uint64_t bytes = 0;
    for (const TuningReports& reports : tuner.history)
    {
        for (const SwitchReport& sw : reports.switches)
        {
            if (sw.sw != 1)
            {
                EXPECT_TRUE(sw.values.empty()) << "no stage of switch " << sw.sw << " measures";
                continue;
            }
            ASSERT_EQ(sw.values.size(), 2u) << "one number of each of two stages";
            EXPECT_EQ(sw.values[0], sw.values[1]);
            frames += sw.values[0];
            bytes += sw.ports[1].rxDataBytes; // of NIC 0
            EXPECT_EQ(sw.ports[2].rxDataBytes, 0u) << "NIC 1 sends nothing";
        }
    }
    EXPECT_LT(tuner.history[0].switches[1].values[0], frames) << "each interval has its own";
    EXPECT_EQ(frames, packets);
    EXPECT_EQ(bytes, packets * (4096 + 62 + 20) + 16) << "wire bytes of all packets";
}

TEST_F(Tuners, RefusesWhatCannotBeDispatched)
{
    TunedRacks racks(2, WithTuner("test::ProbeTuner"));
    auto& tuner = racks.TunerAs<ProbeTuner>();
    const auto error = [&](const Tuner::Setting& setting) {
        return ErrorOf([&] { tuner.CheckSettings({setting}); });
    };
    EXPECT_EQ(error({"Dcqcn", "AiRate", "9Mbps"}), "no error");
    EXPECT_EQ(error({"EcnMarker", "Kmin", "1000"}), "no error");
    EXPECT_EQ(racks.net.GetSwitch(0)->FindStage<EcnMarker>()->GetCurve(0).kminBytes, 400000u)
        << "a check changes nothing";
    EXPECT_EQ(racks.Law(0).aiRateBps, 5e6) << "a check changes nothing";
    EXPECT_NE(error({"Timely", "Beta", "0.5"}).find("but NICs use ns3::roce::Dcqcn"),
              std::string::npos)
        << error({"Timely", "Beta", "0.5"});
    EXPECT_NE(error({"Dcqcn", "Nonsense", "1"}).find("no attribute Nonsense"), std::string::npos);
    EXPECT_NE(error({"Dcqcn", "Gain", "7"}).find("Gain"), std::string::npos) << "out of range";
    EXPECT_NE(error({"Dcqcn", "Window", "bdp"}).find("cannot change while the simulation is on"),
              std::string::npos)
        << "not live";
    EXPECT_NE(error({"EcnMarker", "Kmin", "999999999"}).find("at most Kmax"), std::string::npos);
    EXPECT_NE(ErrorOf([] {
                  TunedRacks(2, WithTuner("test::ProbeTuner[ReportLoss=2]"));
              }).find("ReportLoss"),
              std::string::npos);
}

/// Everything that DCQCN and ECN let change, to random values, many times while flows run.
class RandomRetunes
{
  public:
    explicit RandomRetunes(uint64_t seed)
        : m_random(CreateObject<UniformRandomVariable>())
    {
        m_random->SetStream(static_cast<int64_t>(seed));
    }

    std::vector<Tuner::Setting> Draw()
    {
        const auto us = [this](uint32_t least, uint32_t most) {
            return std::to_string(m_random->GetInteger(least, most)) + "us";
        };
        const auto mbps = [this](uint32_t least, uint32_t most) {
            return std::to_string(m_random->GetInteger(least, most)) + "Mbps";
        };
        const auto share = [this](double least) {
            return std::to_string(m_random->GetValue(least, 1));
        };
        const uint32_t kmin = m_random->GetInteger(0, 400000);
        return {{"Dcqcn", "TimeReset", us(1, 600)},
                {"Dcqcn", "AiRate", mbps(1, 5000)},
                {"Dcqcn", "HaiRate", mbps(1, 5000)},
                {"Dcqcn", "MinRate", mbps(500, 5000)},
                {"Dcqcn", "Gd", std::to_string(m_random->GetInteger(1, 13))},
                {"Dcqcn", "MinDecFac", share(0.1)},
                {"Dcqcn", "FractionOnFirstCnp", share(0.1)},
                {"Dcqcn", "Gain", share(0.001)},
                {"Dcqcn", "InitialAlpha", share(0)},
                {"Dcqcn", "CutPeriod", us(0, 128)},
                {"Dcqcn", "AlphaPeriod", us(1, 200)},
                {"Dcqcn", "MinTimeBetweenCnps", us(0, 400)},
                {"Dcqcn", "Threshold", std::to_string(m_random->GetInteger(1, 10))},
                {"Dcqcn", "ByteReset", std::to_string(m_random->GetInteger(0, 100000))},
                {"Dcqcn", "ClampTarget", m_random->GetValue() < 0.5 ? "always" : "never"},
                {"EcnMarker", "Kmin", std::to_string(kmin)},
                {"EcnMarker", "Kmax", std::to_string(kmin + m_random->GetInteger(0, 400000))},
                {"EcnMarker", "Pmax", share(0)}};
    }

    uint32_t Below(uint32_t n)
    {
        return m_random->GetInteger(0, n - 1);
    }

  private:
    Ptr<UniformRandomVariable> m_random;
};

struct NeverStalls : Tuners, ::testing::WithParamInterface<int>
{
};

// Retuning in flight never stalls a queue pair, whatever the values and the network, and is the
// same for lazy and eager stations.
TEST_P(NeverStalls, RandomRetunesOverRandomNetworks)
{
    std::vector<uint64_t> fingerprints;
    for (const bool eager : {false, true})
    {
        SetEager(eager);
        RandomRetunes random(1000 + static_cast<uint64_t>(GetParam()));
        const uint32_t perRack = 2 + random.Below(4);
        const std::string delay = std::to_string(random.Below(3) * 7);
        const std::string interval = std::to_string(20 + random.Below(100));
        TunedRacks racks(perRack,
                         WithTuner("test::ProbeTuner[MonitorInterval=" + interval +
                                   "us|ControlDelay=" + delay + "us|DispatchLoss=0.1]"),
                         random.Below(2) ? 100 * G : 25 * G);
        racks.net.EnableFingerprint();
        auto& tuner = racks.TunerAs<ProbeTuner>();
        uint32_t dispatches = 0;
        tuner.onInterval = [&](const TuningReports&) {
            if (++dispatches < 60) // then a setting stays, and all must come to an end
            {
                Tuner::Change change;
                change.settings = random.Draw();
                tuner.Dispatch(change);
            }
        };
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < 12; ++i)
        {
            const uint32_t src = random.Below(2 * perRack);
            uint32_t dst = random.Below(2 * perRack);
            dst = dst == src ? (src + 1) % (2 * perRack) : dst;
            flows.push_back(Flow(src, dst, 1 + random.Below(1000000), random.Below(800) * US));
        }
        flows = Numbered(flows);
        Completions done(racks.net);
        racks.net.InstallFlows(flows);
        Simulator::Stop(MilliSeconds(300));
        Simulator::Run();
        ExpectAllDone(racks.net, done, flows);
        EXPECT_GT(dispatches, 5u);
        fingerprints.push_back(racks.net.GetFingerprint());
        Simulator::Destroy();
    }
    EXPECT_EQ(fingerprints[0], fingerprints[1]) << "lazy and eager stations differ";
}

INSTANTIATE_TEST_SUITE_P(Seeds, NeverStalls, ::testing::Range(0, 16));

} // namespace
