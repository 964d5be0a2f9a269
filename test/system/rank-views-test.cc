// SPDX-License-Identifier: GPL-2.0-only
// What is written of ranks: operations by the names of their parts, in the table and on the time
// line. From the command line: cli.traces.
#include "roce-test-folder.h"

#include "ns3/roce-operation-table.h"
#include "ns3/roce-rank-engine.h"
#include "ns3/roce-run-collector.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Two calculations at the same time, and a message, of iteration 2; the receiver computes for no
/// time at all.
std::shared_ptr<const RankJob>
MakeJob()
{
    auto job = std::make_shared<RankJob>();
    job->name = "training";
    RankProgram& program = job->program;
    program.source = "made";
    program.parts.push_back({"forward, \"layer 3\"", 0, 0, 2});
    program.ranks.resize(2);
    RankOp calc;
    calc.part = 1;
    calc.durationPs = 7 * US;
    calc.stream = RankOp::NO_STREAM;
    RankOp message;
    message.part = 1;
    message.kind = RankOp::Kind::SEND;
    message.peer = 1;
    message.bytes = 5000;
    program.ranks[0].Add(calc);
    program.ranks[0].Add(calc);
    program.ranks[0].Add(message);
    message.kind = RankOp::Kind::RECV;
    message.peer = 0;
    message.part = 0;
    program.ranks[1].Add(message);
    program.ranks[1].Add(RankOp());
    program.Check();
    return job;
}

TEST_F(FolderTest, OperationsHaveTheNamesOfTheirParts)
{
    SetRateLaw("LineRate");
    const auto job = MakeJob();
    Network net;
    MakeStar(net, 2);
    net.Build();
    const std::vector<FlowSpec> flows = Numbered(RankJob::MakeFlows(job, 2));
    RankEngine& engine = *RankEngine::Install(net, flows);
    engine.KeepLogs();
    RunWriter writer(folder.string());
    RunCollector::Options options;
    options.series.chromeTrace = true;
    options.series.ranks = &engine;
    RunCollector collector(net, flows, options, &writer);
    collector.Start();
    Simulator::Run();
    collector.Finish();
    OperationTable::Write(engine, writer);
    writer.SetSummary(nlohmann::ordered_json::object());
    writer.Finish();

    std::ostringstream table;
    table << std::ifstream(folder / "operations.csv").rdbuf();
    const std::string part = "\"forward, \"\"layer 3\"\"\",2,";
    EXPECT_NE(table.str().find("\n0,0,0,calc,,,," + part + ",0.000,7000.000\n"), std::string::npos)
        << table.str();
    EXPECT_NE(table.str().find("\n0,1,0,recv,0,0,5000,,,0.000,0.000,"), std::string::npos)
        << table.str();

    std::map<uint32_t, std::string> processes;
    std::map<std::pair<uint32_t, uint32_t>, std::string> tracks;
    std::vector<std::string> slices; // of ranks
    const auto trace = nlohmann::json::parse(std::ifstream(folder / "trace.json"));
    for (const auto& event : trace["traceEvents"])
    {
        const uint32_t process = event["pid"];
        if (event["name"] == "process_name")
        {
            EXPECT_TRUE(processes.emplace(process, event["args"]["name"]).second)
                << event << ": a process that there was";
        }
        else if (event["name"] == "thread_name")
        {
            tracks[{process, event["tid"]}] = event["args"]["name"];
        }
        else if (processes.at(process).find("rank") != std::string::npos)
        {
            slices.push_back(processes.at(process) + "; " + tracks.at({process, event["tid"]}) +
                             "; " + event["name"].get<std::string>());
            EXPECT_EQ(event["args"].contains("iteration"), processes.at(process) == "rank 0")
                << event;
        }
    }
    const std::string name = "; forward, \"layer 3\"";
    EXPECT_EQ(slices,
              std::vector<std::string>({"rank 0; computation, track 0" + name,
                                        "rank 0; computation, track 1" + name,
                                        "rank 0; sends, track 0" + name,
                                        "rank 1; receives, track 0; recv from 0"}));
}

} // namespace
