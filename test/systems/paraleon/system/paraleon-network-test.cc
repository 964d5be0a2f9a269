// SPDX-License-Identifier: GPL-2.0-only
// PARALEON in small networks: marks and sketches, the controller's course, what it tunes and what
// it leaves alone, and that its history depends on the seed alone.
#include "roce-error-of.h"
#include "roce-tuner-network.h"

#include "ns3/roce-dcqcn.h"
#include "ns3/roce-paraleon.h"
#include "ns3/roce-sketch-monitor.h"
#include "ns3/roce-wire-format.h"

#include <cmath>
#include <map>
#include <set>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A few intervals of annealing: levels at T 90, 45, 22.5, 11.25 of two intervals each.
const char* const SHORT = "MonitorInterval=100us|TotalIterNum=2|CoolingRate=0.5";

/// One row of the history.
struct Row
{
    std::string state;
    std::map<std::string, double> values;
    int64_t atPs;
};

struct ParaleonNetwork : SystemTest
{
    /// Elephants from everywhere to rack b, with mice in between.
    static std::vector<FlowSpec> Mix(uint64_t elephantBytes, uint32_t mice)
    {
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < 3; ++i)
        {
            flows.push_back(Flow(i, 4 + (i & 1), elephantBytes));
        }
        for (uint32_t i = 0; i < mice; ++i)
        {
            flows.push_back(Flow(i % 4, 4 + (i / 4) % 4, 20000, 600 * US + i * 15 * US));
        }
        return Numbered(flows);
    }

    static void Collect(Tuner& tuner, std::vector<Row>& rows)
    {
        tuner.TraceConnectWithoutContext(
            "Interval",
            Callback<void, const std::string&, const std::vector<double>&, Time>(
                [&tuner,
                 &rows](const std::string& state, const std::vector<double>& values, Time at) {
                    const std::vector<std::string> columns = tuner.GetColumns();
                    ASSERT_EQ(columns.size(), values.size());
                    Row row{state, {}, at.GetPicoSeconds()};
                    for (std::size_t i = 0; i < values.size(); ++i)
                    {
                        row.values[columns[i]] = values[i];
                    }
                    rows.push_back(row);
                }));
    }

    /// The history as text: NaN equals NaN there.
    static std::string Print(const std::vector<Row>& rows)
    {
        std::ostringstream out;
        out.precision(17);
        for (const Row& row : rows)
        {
            out << row.atPs << ' ' << row.state;
            for (const auto& [name, value] : row.values)
            {
                out << ' ' << name << '=' << value;
            }
            out << '\n';
        }
        return out.str();
    }
};

// T8: a packet through ToR, spine, ToR with monitors at all three is counted once.
TEST_F(ParaleonNetwork, PacketIsCountedOnce)
{
    Network::Options options;
    options.stages.emplace_back("ns3::roce::SketchMonitor");
    TunedRacks racks(2, options);
    Completions done(racks.net);
    const std::vector<FlowSpec> flows =
        Numbered({Flow(0, 3, 1000), Flow(1, 2, 300000), Flow(0, 1, 50000), Flow(3, 0, 70000)});
    racks.net.InstallFlows(flows);
    uint64_t marked[N_FRAME_KINDS] = {};
    for (const Ptr<Port>& port : racks.net.GetPorts())
    {
        port->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&](const Frame& frame, Time) {
                marked[static_cast<unsigned>(frame.kind)] += frame.stageMark;
                if (frame.kind != FrameKind::PFC)
                {
                    // Behind Ethernet, IPv4 and UDP, the byte in front of the PSN.
                    const bool onWire = WireFormat::Serialize(frame)[14 + 20 + 8 + 8] & 0x10;
                    EXPECT_EQ(onWire, frame.stageMark) << "in captures";
                }
            }));
    }
    Simulator::Run();
    ExpectAllDone(racks.net, done, flows);
    const uint64_t sent = racks.net.GetCounters().at("dataSent");
    uint64_t counted = 0;
    uint64_t skipped = 0;
    for (uint32_t s = 0; s < 3; ++s)
    {
        const auto* monitor = racks.net.GetSwitch(s)->FindStage<SketchMonitor>();
        counted += monitor->GetCounted();
        skipped += monitor->GetSkipped();
        EXPECT_EQ(s == 0, monitor->GetCounted() == 0) << "switch " << s << ": ToRs count";
    }
    EXPECT_EQ(counted, sent) << "each data frame once";
    const uint32_t mtu = racks.net.GetNic(0)->GetMtuBytes();
    const uint64_t inRack = (50000 + mtu - 1) / mtu;
    EXPECT_EQ(skipped, 2 * (sent - inRack)) << "frames between racks come to two more switches";
    EXPECT_GT(marked[static_cast<unsigned>(FrameKind::DATA)], 0u);
    EXPECT_EQ(marked[static_cast<unsigned>(FrameKind::ACK)], 0u) << "ACKs do not have the mark";
    EXPECT_EQ(marked[static_cast<unsigned>(FrameKind::CNP)], 0u) << "CNPs do not have the mark";
    // What was counted is what was sent, by flow.
    auto* tor = racks.net.GetSwitch(1)->FindStage<SketchMonitor>();
    tor->ReadAndReset(NowPs());
    std::vector<uint64_t> sizes;
    for (const FlowStates::Flow& flow : tor->GetFlows())
    {
        sizes.push_back(flow.size);
    }
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<uint64_t>{1000, 50000, 300000}));
}

// Counting and marking neither reorders nor loses nor delays anything, with pauses and CE marks.
TEST_F(ParaleonNetwork, MonitorsAreTransparent)
{
    std::vector<uint64_t> fingerprints;
    for (const bool with : {false, true})
    {
        Network::Options options;
        if (with)
        {
            options.stages.emplace_back("ns3::roce::SketchMonitor", SwitchRole::TOR);
        }
        TunedRacks racks(4, options);
        racks.net.EnableFingerprint();
        Completions done(racks.net);
        const std::vector<FlowSpec> flows = Mix(3000000, 40);
        racks.net.InstallFlows(flows);
        uint64_t both = 0;
        racks.net.GetNic(4)->TraceConnectWithoutContext(
            "RxEnd",
            Callback<void, const Frame&, Time>([&](const Frame& frame, Time) {
                both += frame.kind == FrameKind::DATA && frame.ecn == ECN_CE && frame.stageMark;
            }));
        Simulator::Run();
        ExpectAllDone(racks.net, done, flows);
        EXPECT_GT(racks.net.GetCounters().at("ecnMarked"), 0u) << "the test needs marks";
        EXPECT_EQ(both > 0, with) << "frames with CE that have been counted";
        fingerprints.push_back(racks.net.GetFingerprint());
        Simulator::Destroy();
    }
    EXPECT_EQ(fingerprints[0], fingerprints[1]);
}

// The same seed gives the same history and the same frames, with lazy and with eager stations.
TEST_F(ParaleonNetwork, HistoryIsReproducible)
{
    std::vector<std::string> histories;
    std::vector<uint64_t> fingerprints;
    for (const bool eager : {false, false, true})
    {
        SetEager(eager);
        TunedRacks racks(4,
                         WithTuner("Paraleon[" + std::string(SHORT) +
                                   "|ReportLoss=0.1|DispatchLoss=0.1|ControlDelay=7us]"));
        racks.net.EnableFingerprint();
        std::vector<Row> rows;
        Collect(*racks.net.GetTuner(), rows);
        Completions done(racks.net);
        const std::vector<FlowSpec> flows = Mix(8000000, 60);
        racks.net.InstallFlows(flows);
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        racks.net.CatchUp();
        EXPECT_GT(rows.size(), 15u);
        histories.push_back(Print(rows));
        fingerprints.push_back(racks.net.GetFingerprint());
        Simulator::Destroy();
    }
    EXPECT_EQ(histories[0], histories[1]) << "the same run twice";
    EXPECT_EQ(histories[0], histories[2]) << "lazy and eager";
    EXPECT_EQ(fingerprints[0], fingerprints[1]);
    EXPECT_EQ(fingerprints[0], fingerprints[2]);
}

// A run: it begins with the first flows, tries the incumbent first, moves all 13 parameters, and
// leaves the best setting at all devices.
TEST_F(ParaleonNetwork, RunEndsWithTheBestSetting)
{
    TunedRacks racks(4, WithTuner("Paraleon[" + std::string(SHORT) + "|Theta=100]"));
    auto& tuner = racks.TunerAs<Paraleon>();
    std::vector<Row> rows;
    Collect(tuner, rows);
    Completions done(racks.net);
    const std::vector<FlowSpec> flows = Mix(20000000, 0);
    racks.net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(racks.net, done, flows);
    ASSERT_GT(rows.size(), 12u);
    EXPECT_EQ(rows[0].state, "begin") << "the first flows";
    for (uint32_t i = 1; i <= 8; ++i)
    {
        EXPECT_EQ(rows[i].state, "tuning") << "interval " << i;
        EXPECT_EQ(rows[i].values.at("candidate"), i);
        EXPECT_GT(rows[i].values.at("utility"), 0) << "interval " << i;
    }
    EXPECT_EQ(rows[9].state, "idle") << "four levels of two intervals";
    EXPECT_TRUE(std::isnan(rows[9].values.at("utility"))) << "NICs do not report any more";
    EXPECT_EQ(tuner.GetRuns(), 1u);
    EXPECT_EQ(rows[1].values.at("temperature"), 90);
    EXPECT_EQ(rows[8].values.at("temperature"), 11.25);
    const auto parameters = [](const Row& row) {
        std::map<std::string, double> values;
        for (const auto& [name, value] : row.values)
        {
            if (name.find('.') != std::string::npos)
            {
                values[name] = value;
            }
        }
        return values;
    };
    EXPECT_EQ(parameters(rows[0]).size(), 13u);
    EXPECT_EQ(parameters(rows[0]), parameters(rows[1])) << "the incumbent is scored first";
    EXPECT_EQ(rows[1].values.at("Dcqcn.TimeReset"), 300);
    EXPECT_EQ(rows[1].values.at("Dcqcn.Gain"), 1019) << "in the vendor's units";
    unsigned moved = 0;
    for (const auto& [name, value] : parameters(rows[2]))
    {
        moved += value != rows[1].values.at(name);
    }
    EXPECT_GE(moved, 7u) << "some are at their bounds and cannot move";
    const double step = std::abs(rows[2].values.at("EcnMarker.Kmax") - 400);
    EXPECT_GE(step, 50) << "1/2 to 1 of 400 KB at 100 Gb/s, in terms of 25 Gb/s";
    EXPECT_LE(step, 100);
    std::size_t best = 1;
    for (std::size_t i = 2; i <= 8; ++i)
    {
        best = rows[i].values.at("utility") > rows[best].values.at("utility") ? i : best;
    }
    EXPECT_EQ(parameters(rows[9]), parameters(rows[best])) << "what stays";
    EXPECT_EQ(parameters(rows.back()), parameters(rows[best]));
    for (uint32_t n = 0; n < 8; ++n)
    {
        EXPECT_EQ(racks.Law(n).aiRateBps, rows[9].values.at("Dcqcn.AiRate") * 1e6) << "NIC " << n;
        EXPECT_EQ(racks.Law(n).timeResetPs,
                  std::llround(rows[9].values.at("Dcqcn.TimeReset") * 1e6));
        EXPECT_DOUBLE_EQ(racks.Law(n).gain, 1 - rows[9].values.at("Dcqcn.Gain") / 1024);
    }
    for (uint32_t s = 0; s < 3; ++s)
    {
        const EcnCurve& curve = racks.net.GetSwitch(s)->FindStage<EcnMarker>()->GetCurve(0);
        EXPECT_NEAR(static_cast<double>(curve.kmaxBytes),
                    rows[9].values.at("EcnMarker.Kmax") * 4000,
                    4)
            << "of a port of 100 Gb/s; the marker's values are for 25 Gb/s";
        EXPECT_EQ(curve.pmax, 0.2) << "not among the 13";
    }
    const Tuner::Counters& counters = tuner.GetCounters();
    EXPECT_EQ(counters.dispatches, 9u * (8 + 3)) << "eight candidates and the best";
    EXPECT_EQ(counters.dispatchBytes, counters.dispatches * 76);
    EXPECT_EQ(counters.reportBytes, counters.intervals * 2 * 520 + 8 * 8 * 12)
        << "ToRs always, NICs while tuning";
}

// Flows become elephants during a run: their weights are in force from that interval on, unless
// those at its begin hold, or one of the two triples is given.
TEST_F(ParaleonNetwork, WeightsFollowTheFlows)
{
    struct Case
    {
        const char* mode;
        bool first; //!< weights of elephants in the first interval of the run
        bool last;  //!< and in the last one
    };

    for (const Case& c : {Case{"byDominance", false, true},
                          Case{"atBegin", false, false},
                          Case{"mice", false, false},
                          Case{"elephants", true, true}})
    {
        TunedRacks racks(4,
                         WithTuner("Paraleon[" + std::string(SHORT) + "|Theta=100|Tau=4000000|" +
                                   "WeightMode=" + c.mode + "]"));
        std::vector<Row> rows;
        Collect(racks.TunerAs<Paraleon>(), rows);
        racks.net.InstallFlows(Mix(20000000, 0));
        Simulator::Run();
        ASSERT_GT(rows.size(), 9u);
        EXPECT_LT(rows[1].values.at("r_elephants"), 0.5);
        EXPECT_GT(rows[8].values.at("r_elephants"), 0.5);
        for (const auto& [i, elephants] : {std::pair(1, c.first), std::pair(8, c.last)})
        {
            const auto& v = rows[i].values;
            EXPECT_EQ(rows[i].state, "tuning");
            EXPECT_NEAR(v.at("utility"),
                        (elephants ? 0.5 : 0.2) * v.at("o_tp") +
                            (elephants ? 0.2 : 0.5) * v.at("o_rtt") + 0.3 * v.at("o_pfc"),
                        1e-12)
                << c.mode << ", interval " << i;
        }
    }
}

// In the pause of training a run waits; that of artifact 1 goes on, and accepts nothing.
TEST_F(ParaleonNetwork, PausesOfTraffic)
{
    for (const std::string profile : {"paper", "artifact-a1"})
    {
        TunedRacks racks(
            4,
            WithTuner("Paraleon[Profile=" + profile + "|MonitorInterval=100us|Theta=1000]"));
        std::vector<Row> rows;
        Collect(racks.TunerAs<Paraleon>(), rows);
        racks.net.InstallFlows(
            Numbered({Flow(0, 4, 2000000), Flow(1, 5, 2000000), Flow(0, 4, 2000000, 2 * MS)}));
        Simulator::Run();
        ASSERT_GT(rows.size(), 19u);
        EXPECT_EQ(rows[17].state, "tuning");
        EXPECT_TRUE(std::isnan(rows[17].values.at("utility"))) << "nothing is under way";
        EXPECT_EQ(rows[18].values.at("candidate") - rows[10].values.at("candidate"),
                  profile == "paper" ? 0 : 8)
            << profile;
    }
}

// The mix of flows changes: a second run begins. What is not in the vector stays as it is.
TEST_F(ParaleonNetwork, TriggerBeginsAnotherRun)
{
    TunedRacks racks(4, WithTuner("Paraleon[" + std::string(SHORT) + "|Theta=0.3]"));
    auto& tuner = racks.TunerAs<Paraleon>();
    const DcqcnParams before = racks.Law(0);
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 3; ++i)
    {
        flows.push_back(Flow(i, 4 + i, 30000000)); // elephants
    }
    for (uint32_t i = 0; i < 400; ++i) // from 1.6 ms on mostly mice
    {
        flows.push_back(Flow(i % 4, 4 + (i / 4) % 4, 2000, 1600 * US + i * 2 * US));
    }
    racks.net.InstallFlows(Numbered(flows));
    std::vector<Row> rows;
    Collect(tuner, rows);
    Simulator::Stop(MilliSeconds(3));
    Simulator::Run();
    EXPECT_GE(tuner.GetRuns(), 2u);
    unsigned begins = 0;
    for (const Row& row : rows)
    {
        if (row.state == "begin" && ++begins == 2)
        {
            EXPECT_GE(row.atPs, 1600 * US);
            EXPECT_GT(row.values.at("kl"), 0.3);
            EXPECT_LT(row.values.at("r_elephants"), 0.5);
        }
    }
    const DcqcnParams after = racks.Law(0);
    EXPECT_EQ(after.threshold, before.threshold);
    EXPECT_EQ(after.byteResetBytes, before.byteResetBytes);
    EXPECT_EQ(after.alphaPeriodPs, before.alphaPeriodPs);
    EXPECT_EQ(after.clamp, before.clamp);
    EXPECT_EQ(after.firstCnpRateBps, before.firstCnpRateBps);
}

// Nothing that is lost stops the controller; if everything is, nothing changes.
TEST_F(ParaleonNetwork, LossesAreSurvived)
{
    for (const std::string loss : {"ReportLoss=1", "DispatchLoss=1", "ReportLoss=0.5"})
    {
        TunedRacks racks(4, WithTuner("Paraleon[" + std::string(SHORT) + "|" + loss + "]"));
        auto& tuner = racks.TunerAs<Paraleon>();
        Completions done(racks.net);
        const std::vector<FlowSpec> flows = Mix(8000000, 20);
        racks.net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(racks.net, done, flows);
        EXPECT_EQ(tuner.GetRuns() == 0, loss == "ReportLoss=1") << loss;
        EXPECT_EQ(racks.Law(0).aiRateBps == 5e6, loss != "ReportLoss=0.5") << loss;
        Simulator::Destroy();
    }
}

// One report or one message to a device that is lost: the search goes on, and the next dispatch
// mends what the device has missed.
TEST_F(ParaleonNetwork, OneLossIsMended)
{
    for (const std::string what : {"LostReports", "LostDispatches"})
    {
        for (const char* number : {"1", "2", "7", "12", "25"})
        {
            const std::string loss = what + "=" + number;
            TunedRacks racks(4, WithTuner("Paraleon[" + std::string(SHORT) + "|" + loss + "]"));
            auto& tuner = racks.TunerAs<Paraleon>();
            Completions done(racks.net);
            const std::vector<FlowSpec> flows = Mix(8000000, 20);
            racks.net.InstallFlows(flows);
            Simulator::Run();
            ExpectAllDone(racks.net, done, flows);
            const Tuner::Counters& counters = tuner.GetCounters();
            EXPECT_EQ(counters.reportsLost, what == "LostReports" ? 1u : 0u) << loss;
            EXPECT_EQ(counters.dispatchesLost, what == "LostReports" ? 0u : 1u) << loss;
            EXPECT_GT(counters.dispatches, 40u) << loss << ": the search goes on";
            for (uint32_t n = 1; n < racks.net.GetNNics(); ++n)
            {
                EXPECT_EQ(racks.Law(n).aiRateBps, racks.Law(0).aiRateBps) << loss << ", NIC " << n;
                EXPECT_EQ(racks.Law(n).haiRateBps, racks.Law(0).haiRateBps) << loss;
            }
            Simulator::Destroy();
        }
    }
}

// Parameters of another law are tuned by the same controller: the list is data.
TEST_F(ParaleonNetwork, TunesSwift)
{
    SetRateLaw("Swift");
    TunedRacks racks(4,
                     WithTuner("Paraleon[" + std::string(SHORT) +
                               "|Tuned=Swift.BaseTarget:us:+:10:5:100:25;"
                               "Swift.Beta:number:-:0.2:0.1:0.9:0.8:fraction]"));
    auto& tuner = racks.TunerAs<Paraleon>();
    std::vector<Row> rows;
    Collect(tuner, rows);
    Completions done(racks.net);
    const std::vector<FlowSpec> flows = Mix(12000000, 20);
    racks.net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(racks.net, done, flows);
    ASSERT_GT(rows.size(), 10u);
    EXPECT_NE(rows[2].values.at("Swift.BaseTarget"), rows[1].values.at("Swift.BaseTarget"));
    StringValue target;
    racks.net.GetNic(5)->GetProfile()->GetLaw()->GetAttribute("BaseTarget", target);
    std::ostringstream expected;
    expected << rows.back().values.at("Swift.BaseTarget");
    EXPECT_EQ(target.Get(), expected.str() + "us");
}

TEST_F(ParaleonNetwork, RefusesWhatItCannotTune)
{
    const auto error = [](const std::string& tuner, const std::string& marker = "") {
        return ErrorOf([&] {
            Network::Options options = WithTuner("Paraleon[" + tuner + "]");
            if (!marker.empty())
            {
                options.ecnMarker.Set("RateMap", StringValue(marker));
            }
            TunedRacks(2, options);
        });
    };
    EXPECT_EQ(error("Theta=0.01"), "no error");
    EXPECT_NE(error("Theta=0.01", "100Gbps/1000/2000/0.1").find("RateMap"), std::string::npos);
    EXPECT_NE(error("Tuned=Dcqcn.Window:number:+:1:0:1:0").find("Window"), std::string::npos);
    EXPECT_NE(error("Tuned=Dcqcn.Gain:number:+:0.1:0:0.5:0.1:fraction").find("Gain"),
              std::string::npos)
        << "the least value is out of range";
    EXPECT_NE(error("Tuned=Dcqcn.Gain:number:+:0.1:0.1:7:0.1:fraction").find("Gain"),
              std::string::npos)
        << "the greatest value is out of range";
    SetRateLaw("Timely");
    EXPECT_NE(error("Theta=0.01").find("but NICs use ns3::roce::Timely"), std::string::npos)
        << error("Theta=0.01");
}

// Every profile runs: presets of the artifacts and the ablations.
TEST_F(ParaleonNetwork, EveryProfileRuns)
{
    for (const std::string profile :
         {"paper", "artifact-a1", "artifact-a2", "naive-sa", "no-fsd", "naive-sketch", "netflow"})
    {
        TunedRacks racks(4,
                         WithTuner("Paraleon[MonitorInterval=100us|Profile=" + profile +
                                   "|NetflowInterval=500us]"));
        auto& tuner = racks.TunerAs<Paraleon>();
        std::vector<Row> rows;
        Collect(tuner, rows);
        Completions done(racks.net);
        const std::vector<FlowSpec> flows = Mix(8000000, 30);
        racks.net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(racks.net, done, flows);
        EXPECT_EQ(tuner.GetRuns(), 1u) << profile;
        uint64_t tuning = 0;
        double most = 0;
        for (const Row& row : rows)
        {
            tuning += row.state == "tuning" || row.state == "trigger";
            most =
                std::max(most, std::isnan(row.values.at("utility")) ? 0 : row.values.at("utility"));
        }
        for (const Row& row : rows)
        {
            EXPECT_EQ(std::isnan(row.values.at("r_elephants")),
                      profile == "netflow" && row.atPs < 500 * US)
                << profile << ": NetFlow exports every 500 us, at " << row.atPs;
        }
        EXPECT_GT(tuning, 5u) << profile;
        EXPECT_GT(most, 0.2) << profile;
        // The artifacts divide 40 us by any RTT, here of 8 us and more.
        EXPECT_LE(most, profile.substr(0, 8) == "artifact" ? 3.0 : 1.0) << profile;
        EXPECT_EQ(racks.net.GetCounters().at("sketchSkipped") == 0, profile == "naive-sketch")
            << profile << ": frames that the first ToR has marked";
        Simulator::Destroy();
    }
}

// What a law keeps for all queue pairs of a NIC, as Dcqcn's CutFaults do, it gets in Initialize().
TEST_F(ParaleonNetwork, EachNicHasAPrototypeOfItsOwn)
{
    Network net;
    MakeStar(net, 3);
    net.Build();
    const Ptr<CongestionControl> given = CreateObject<Dcqcn>();
    for (const bool isRetuned : {false, true})
    {
        std::set<CongestionControl*> laws;
        for (uint32_t n = 0; n < 3; ++n)
        {
            CongestionControl* law = PeekPointer(net.GetNic(n)->GetProfile()->GetLaw());
            EXPECT_TRUE(law->IsInitialized()) << isRetuned;
            EXPECT_TRUE(laws.insert(law).second) << isRetuned;
        }
        EXPECT_EQ(laws.count(PeekPointer(given)), 0u);
        net.Retune(false, given);
    }
}

} // namespace
