// SPDX-License-Identifier: GPL-2.0-only
// Flows that wait for others: when they start, what a run makes of them, and of those that never
// do.
#include "roce-error-of.h"
#include "roce-test-folder.h"

#include "ns3/roce-iteration-table.h"
#include "ns3/roce-rank-engine.h"
#include "ns3/roce-run-collector.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

FlowSpec
InPhase(uint32_t phase, FlowSpec flow)
{
    flow.phase = phase;
    return flow;
}

struct FlowPhasesTest : FolderTest
{
    void SetUp() override
    {
        FolderTest::SetUp();
        SetRateLaw("LineRate");
    }

    /// Runs flows in a star of 4; a test looks at the rest.
    struct Run
    {
        explicit Run(std::vector<FlowSpec> list,
                     RunCollector::Options options = {},
                     const std::function<void(Network&)>& prepare = {},
                     bool far = false,
                     RunWriter* writer = nullptr)
            : flows(Numbered(std::move(list)))
        {
            MakeStar(net, 4);
            if (far)
            {
                net.AddNic(net.AddHost("far", 0), 0, 100 * G, 5 * US);
            }
            net.Build();
            if (prepare)
            {
                prepare(net);
            }
            RankEngine::Install(net, flows);
            collector = std::make_unique<RunCollector>(net, flows, options, writer);
            collector->Start();
            Simulator::Run();
            collector->Finish();
            records = collector->GetRecords();
            endPs = Simulator::Now().GetPicoSeconds();
        }

        int64_t EndOf(std::size_t flow) const
        {
            return records[flow].spec.startPs + records[flow].fctPs;
        }

        Network net;
        std::vector<FlowSpec> flows;
        std::unique_ptr<RunCollector> collector;
        std::vector<FlowRecord> records;
        int64_t endPs;
    };
};

/// Phases 1 to 3, a flow without phase that is done last, flows that start in a phase at once.
std::vector<FlowSpec>
Loop()
{
    return {Flow(3, 2, 20000000),
            InPhase(1, Flow(0, 1, 1000000, 5 * US)),
            InPhase(1, Flow(1, 0, 100000, 50 * US)),
            InPhase(2, Flow(0, 1, 200000, 30 * US)),
            InPhase(2, Flow(1, 0, 300000)),
            InPhase(3, Flow(1, 0, 0, 100 * NS)),
            InPhase(3, Flow(0, 1, 400000, 10 * US))};
}

TEST_F(FlowPhasesTest, APhaseBeginsWhenTheLastFlowBeforeIsDone)
{
    std::vector<FlowSpec> flows = Loop();
    flows.push_back(Flow(0, 3, 1000, 500 * US)); // later than the phases, and waiting before them
    std::map<uint64_t, int64_t> posted;
    Run run(flows, {}, [&posted](Network& net) {
        for (uint32_t n = 0; n < net.GetNNics(); ++n)
        {
            net.GetNic(n)->TraceConnectWithoutContext(
                "MessageCompleted",
                Callback<void, const MessageRecord&>(
                    [&posted](const MessageRecord& r) { posted[r.cookie] = r.postedPs; }));
        }
    });
    ASSERT_EQ(run.collector->GetFinished(), 8u);
    for (const FlowRecord& record : run.records)
    {
        EXPECT_TRUE(record.IsFinished());
        EXPECT_EQ(record.spec.startPs, posted[record.spec.id]);
        EXPECT_EQ(record.idealPs, run.net.GetIdeal(record.spec).senderFctPs);
    }
    EXPECT_EQ(run.records[1].spec.startPs, 5 * US);
    EXPECT_LT(run.records[1].fctPs, run.records[1].idealPs + US);
    const int64_t second = std::max(run.EndOf(1), run.EndOf(2));
    EXPECT_EQ(run.records[3].spec.startPs, second + 30 * US);
    EXPECT_EQ(run.records[4].spec.startPs, second + US + 1); // no sooner: a NIC's link delay
    const int64_t third = std::max(run.EndOf(3), run.EndOf(4));
    EXPECT_EQ(run.records[5].spec.startPs, third + US + 1);
    EXPECT_EQ(run.records[6].spec.startPs, third + 10 * US);
    // The flow without phase held up nobody.
    EXPECT_GT(run.EndOf(0), run.EndOf(6));
    EXPECT_EQ(run.endPs, run.EndOf(0) + US);
    EXPECT_EQ(run.net.GetLastWaitedStartPs(), third + 10 * US);
    EXPECT_EQ(run.collector->GetStallDetector().DescribeWaiting(), "");
    EXPECT_FALSE(run.collector->GetStallDetector().HasStopped());
}

// The one that is told of last need not be the last to complete.
TEST_F(FlowPhasesTest, TheLatestCompletionCounts)
{
    // From a NIC 5 us away, done and told of last by 4 us or so; the other is done 1 us later.
    Run run({InPhase(1, Flow(4, 2, 1000)),
             InPhase(1, Flow(0, 1, 1000, 9 * US)),
             InPhase(2, Flow(1, 3, 1000, 20 * US))},
            {},
            {},
            true);
    ASSERT_EQ(run.collector->GetFinished(), 3u);
    EXPECT_GT(run.EndOf(1), run.EndOf(0) + US / 2);
    EXPECT_LT(run.EndOf(1), run.EndOf(0) + 3 * US);
    EXPECT_EQ(run.records[2].spec.startPs, run.EndOf(1) + 20 * US);
}

TEST_F(FlowPhasesTest, ResultsDoNotDependOnWhenStationsTell)
{
    std::vector<std::vector<int64_t>> starts;
    std::vector<std::string> fingerprints;
    for (const bool eager : {true, false})
    {
        for (const char* scheduler : {"ns3::MapScheduler", "ns3::HeapScheduler"})
        {
            Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
            Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
            Simulator::SetScheduler(ObjectFactory(scheduler));
            RunCollector::Options options;
            options.fingerprint = true;
            options.stallInterval = MicroSeconds(7); // looks make stations catch up
            // One NIC tells up to 5 us late.
            std::vector<FlowSpec> flows = Loop();
            flows.push_back(InPhase(2, Flow(4, 3, 50000)));
            flows.push_back(InPhase(3, Flow(4, 1, 70000, US)));
            Run run(flows, options, {}, true);
            starts.emplace_back();
            for (const FlowRecord& record : run.records)
            {
                starts.back().push_back(record.spec.startPs);
                starts.back().push_back(record.fctPs);
            }
            fingerprints.push_back(run.collector->GetFingerprint());
            Simulator::Destroy();
        }
    }
    for (std::size_t i = 1; i < starts.size(); ++i)
    {
        EXPECT_EQ(starts[i], starts[0]);
        EXPECT_EQ(fingerprints[i], fingerprints[0]);
    }
}

// The time between phases is no stall, however often one looks, and the detector goes on after it.
TEST_F(FlowPhasesTest, WaitingIsNoStall)
{
    RunCollector::Options options;
    options.stallInterval = MilliSeconds(9);
    const std::vector<FlowSpec> flows{InPhase(1, Flow(0, 1, 1000)),
                                      InPhase(2, Flow(1, 0, 1000, 700 * MS)),
                                      InPhase(3, Flow(0, 1, 1000, 400 * MS))};
    {
        Run run(flows, options);
        EXPECT_EQ(run.collector->GetFinished(), 3u);
        EXPECT_FALSE(run.collector->GetStallDetector().HasStopped());
        EXPECT_TRUE(run.collector->GetStallDetector().GetReports().empty());
    }
    Simulator::Destroy();
    // NIC 0 does not hear of phase 2.
    Run run(flows, options, [](Network& net) {
        LoseFrames(net.GetNic(0), [](const Frame& f) { return f.kind == FrameKind::DATA; });
    });
    const StallDetector& stall = run.collector->GetStallDetector();
    EXPECT_EQ(run.collector->GetFinished(), 1u);
    EXPECT_TRUE(stall.HasStopped());
    EXPECT_GT(run.endPs, 700 * MS);
    const std::string waiting = "phase 3 has not begun: 1 of 1 flows of phase 2 are not done";
    EXPECT_EQ(stall.DescribeWaiting(), waiting);
    ASSERT_EQ(stall.GetReports().size(), 2u);
    EXPECT_EQ(stall.GetReports()[0].find("flow 1: "), 0u);
    EXPECT_EQ(stall.GetReports()[1], waiting);
    EXPECT_EQ(stall.DescribeUnfinished().size(), 1u); // one has not begun
    EXPECT_EQ(run.net.GetStartPs(run.flows[2]), -1);
    EXPECT_EQ(run.records[2].spec.startPs, -1);
    EXPECT_FALSE(run.records[2].IsFinished());
    EXPECT_EQ(run.records[2].receiverFctPs, -1);
}

// The limit is from the last start that there was.
TEST_F(FlowPhasesTest, TheSafetyLimitFollowsThePhases)
{
    RunCollector::Options options;
    options.stopPs = 3 * MS;
    options.safetyLimitPs = 3 * MS;
    std::vector<FlowSpec> flows{InPhase(1, Flow(0, 1, 1000))};
    for (uint32_t p = 2; p <= 6; ++p)
    {
        flows.push_back(InPhase(p, Flow(0, 1, 1000, 2 * MS)));
    }
    {
        Run run(flows, options);
        EXPECT_EQ(run.collector->GetFinished(), 6u);
        EXPECT_GT(run.endPs, 10 * MS);
    }
    Simulator::Destroy();
    flows.back().sizeBytes = 1000000000; // 80 ms
    {
        Run run(flows, options);
        EXPECT_EQ(run.collector->GetFinished(), 5u);
        EXPECT_EQ(run.endPs, run.records[5].spec.startPs + 3 * MS);
    }
    Simulator::Destroy();
    // A time to stop is one.
    options.safetyLimitPs = 0;
    Run run(flows, options);
    EXPECT_EQ(run.endPs, 3 * MS);
    EXPECT_EQ(run.collector->GetFinished(), 2u);
}

TEST_F(FlowPhasesTest, TableOfIterations)
{
    Run run(Loop());
    const IterationTable table(run.net, run.records);
    const auto& rows = table.GetRows();
    ASSERT_EQ(rows.size(), 3u);
    const int64_t rtt = run.net.GetPath(0, 1, 0).baseRttPs;
    EXPECT_EQ(rows[0].flows, 2u);
    EXPECT_EQ(rows[0].bytes, 1100000u);
    EXPECT_EQ(rows[0].startPs, 5 * US);
    EXPECT_EQ(rows[0].endPs, std::max(run.EndOf(1), run.EndOf(2)));
    EXPECT_EQ(rows[0].idealPs, rtt + 80 * US); // 1 MB at 100 Gbit/s; the other needs 45 + 8 us
    EXPECT_EQ(rows[1].startPs, run.records[4].spec.startPs);
    EXPECT_EQ(rows[1].idealPs, rtt + 29 * US - 1 + 16 * US);
    EXPECT_EQ(rows[1].endPs, std::max(run.EndOf(3), run.EndOf(4)));
    EXPECT_EQ(rows[2].bytes, 400000u);
    const auto ratio = [](const IterationTable::Row& row) {
        return static_cast<double>(row.endPs - row.startPs) / static_cast<double>(row.idealPs);
    };
    const Distribution ratios = table.GetRatios();
    EXPECT_EQ(ratios.count, 3u);
    EXPECT_DOUBLE_EQ(ratios.mean, (ratio(rows[0]) + ratio(rows[1]) + ratio(rows[2])) / 3);
    EXPECT_GT(ratios.mean, 1);
    EXPECT_LT(ratios.mean, 1.1);
    std::ostringstream line;
    table.Print(line);
    EXPECT_EQ(line.str().find("iterations: 3 of 3 finished; duration over ideal: mean 1.0"), 0u);
    // Without phases there is no table.
    Simulator::Destroy();
    Run other({Flow(0, 1, 1000)});
    const IterationTable none(other.net, other.records);
    EXPECT_TRUE(none.IsEmpty());
    line.str("");
    none.Print(line);
    EXPECT_EQ(line.str(), "");
}

TEST_F(FlowPhasesTest, TablesOfARunThatHangs)
{
    RunCollector::Options options;
    options.stopPs = 50 * MS;
    Run run({InPhase(1, Flow(0, 1, 1000)),
             InPhase(2, Flow(1, 0, 1000, MS)),
             InPhase(3, Flow(0, 1, 1000, MS))},
            options,
            [](Network& net) {
                LoseFrames(net.GetNic(0), [](const Frame& f) { return f.kind == FrameKind::DATA; });
            });
    RunWriter writer(folder.string());
    FctStats::Options warm;
    warm.warmupPs = US;
    FctStats stats(warm);
    for (const FlowRecord& record : run.records)
    {
        stats.Add(record);
    }
    EXPECT_EQ(stats.Excluded(), 1u); // not the one that never starts
    EXPECT_EQ(stats.Group(FlowScope::ALL).unfinished, 2u);
    const IterationTable table(run.net, run.records);
    table.Write(writer);
    writer.WriteFlows(run.records);
    EXPECT_EQ(table.MakeJson()["finished"], 1);
    EXPECT_EQ(table.MakeJson()["total"], 3);
    EXPECT_EQ(table.MakeJson()["ratio"]["mean"], table.GetRatios().mean);
    EXPECT_EQ(table.MakeJson()["ratio"]["p99"], table.GetRatios().p99);
    writer.SetSummary(nlohmann::ordered_json::object());
    writer.Finish();
    const auto lines = [this](const char* name) {
        std::ifstream in(folder / name);
        std::vector<std::string> all;
        for (std::string line; std::getline(in, line);)
        {
            all.push_back(line);
        }
        return all;
    };
    const auto rows = lines("iterations.csv");
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0],
              "iteration,flows,bytes,start_ns,end_ns,duration_ns,ideal_ns,ratio,status,busbw_gbps");
    EXPECT_EQ(rows[1].find("1,1,1000,0.000,"), 0u);
    EXPECT_NE(rows[1].find(",finished"), std::string::npos);
    EXPECT_EQ(rows[2].find("2,1,1000,100"), 0u) << rows[2]; // 1 ms and some microseconds
    EXPECT_NE(rows[2].find(",,,"), std::string::npos);
    EXPECT_NE(rows[2].find(",,unfinished,"), std::string::npos);
    EXPECT_EQ(rows[2].back(), ',') << "a bus bandwidth of what is not done";
    EXPECT_EQ(rows[3].find("3,1,1000,,,,"), 0u) << rows[3];
    const auto flows = lines("flows.csv");
    ASSERT_EQ(flows.size(), 4u);
    EXPECT_EQ(flows[3].find("2,0,1,3,0,intra,1000,,,,"), 0u) << flows[3];
}

TEST_F(FlowPhasesTest, TheTimeLineHasTheRealStarts)
{
    RunWriter writer(folder.string());
    RunCollector::Options options;
    options.series.chromeTrace = true;
    Run run(Loop(), options, {}, false, &writer);
    writer.SetSummary(nlohmann::ordered_json::object());
    writer.Finish();
    const auto trace = nlohmann::json::parse(std::ifstream(folder / "trace.json"));
    std::size_t slices = 0;
    for (const auto& event : trace.is_array() ? trace : trace["traceEvents"])
    {
        if (event["ph"] == "X" && event["args"].contains("flow"))
        {
            ++slices;
            const FlowRecord& record = run.records.at(event["args"]["flow"]);
            EXPECT_NEAR(event["ts"].get<double>(),
                        static_cast<double>(record.spec.startPs) / 1e6,
                        1e-3);
            EXPECT_NEAR(event["dur"].get<double>(), static_cast<double>(record.fctPs) / 1e6, 1e-3);
        }
    }
    EXPECT_EQ(slices, 7u);
}

TEST_F(FlowPhasesTest, RefusesGaps)
{
    Network net;
    MakeStar(net, 3);
    net.Build();
    const auto error = [&net](std::vector<FlowSpec> flows) {
        return ErrorOf([&] { RankEngine::Install(net, Numbered(std::move(flows))); });
    };
    EXPECT_EQ(error({InPhase(1, Flow(0, 1, 1)), InPhase(3, Flow(0, 1, 1))}),
              "flow 1 has phase 3, but no flow has phase 2; expected phases 1, 2, 3, ... or 0");
    EXPECT_EQ(error({Flow(0, 1, 1), InPhase(2, Flow(0, 1, 1))}),
              "flow 1 has phase 2, but no flow has phase 1; expected phases 1, 2, 3, ... or 0");
    EXPECT_EQ(error({InPhase(4000000000, Flow(0, 1, 1))}),
              "flow 0 has phase 4000000000, but no flow has phase 1; expected phases 1, 2, 3, ... "
              "or 0");
    const std::vector<FlowSpec> two{InPhase(1, Flow(0, 1, 1)), InPhase(2, Flow(0, 1, 1))};
    EXPECT_EQ(
        ErrorOf([&] { net.InstallFlows(Numbered(two)); }),
        "flow 1 waits for others, or is sent by a rank, and no RankEngine is there to start it");
    EXPECT_EQ(error(two), "no error");
    EXPECT_EQ(error(two),
              "flows that wait for others are installed twice, expected all of them at once");
}

} // namespace
