// SPDX-License-Identifier: GPL-2.0-only
// What a run leaves: records, counters, tables; and what it says while it goes on.
#include "roce-test-folder.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-progress.h"
#include "ns3/roce-run-collector.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct RunCollectorTest : FolderTest
{
    std::vector<std::string> Lines(const std::string& name) const
    {
        std::ifstream in(folder / name);
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);)
        {
            lines.push_back(line);
        }
        return lines;
    }
};

TEST_F(RunCollectorTest, RecordsFinishedFlows)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 3);
    net.Build();
    const auto flows = Numbered({Flow(0, 2, 1000000, 5 * US), Flow(2, 1, 0, 500 * US)});
    net.InstallFlows(flows);
    RunCollector collector(net, flows, RunCollector::Options());
    collector.Start();
    Simulator::Run();
    collector.Finish();
    EXPECT_EQ(collector.GetFinished(), 2u);
    RunSummary summary;
    collector.Summarise(summary);
    EXPECT_TRUE(summary.nodeNames.empty() && summary.neighbours.empty()) << "nobody writes them";
    const auto records = collector.GetRecords();
    ASSERT_EQ(records.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i)
    {
        const IdealFct::Result ideal = net.GetIdeal(flows[i]);
        EXPECT_EQ(records[i].spec.id, i);
        EXPECT_EQ(records[i].fctPs, ideal.senderFctPs);
        EXPECT_EQ(records[i].receiverFctPs, ideal.receiverFctPs);
        EXPECT_EQ(records[i].idealPs, ideal.senderFctPs);
        EXPECT_EQ(records[i].deliveredBytes, flows[i].sizeBytes);
        EXPECT_FALSE(records[i].interDc);
    }
    EXPECT_EQ(records[0].packets, 245u);
    EXPECT_EQ(records[1].packets, 1u);
    auto counters = collector.GetCounters();
    EXPECT_EQ(counters["dataSent"], 246u);
    EXPECT_EQ(counters["acksSent"], 246u);
    EXPECT_EQ(counters["packetHops"], 4 * 246u);
    EXPECT_EQ(counters["framesDropped"], 0u);
    EXPECT_EQ(collector.GetFingerprint(), "");
    // The run ends one link delay after the last completion, although stale timers are pending.
    const int64_t lastPs = flows[1].startPs + records[1].fctPs;
    EXPECT_EQ(Simulator::Now().GetPicoSeconds(), lastPs + US);
}

// NICs tell of completions up to a link's delay late, and not in order of time: it is the latest
// completion that counts, not the one told last.
TEST_F(RunCollectorTest, TheEndDoesNotDependOnWhoTellsLast)
{
    SetRateLaw("LineRate");
    for (const bool eager : {true, false})
    {
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Network net;
        MakeStar(net, 3);
        net.AddNic(net.AddHost("far", 0), 0, 100 * G, 3 * US); // tells up to 3 us late
        net.Build();
        // Ends 1 us after the other: its round trip is 4 us shorter.
        const auto flows = Numbered({Flow(3, 2, 1000, US), Flow(0, 1, 1000, 6 * US)});
        net.InstallFlows(flows);
        std::vector<int64_t> told;
        for (uint32_t n : {0, 3})
        {
            net.GetNic(n)->TraceConnectWithoutContext(
                "MessageCompleted",
                Callback<void, const MessageRecord&>(
                    [&told](const MessageRecord& r) { told.push_back(r.completedPs); }));
        }
        RunCollector collector(net, flows, RunCollector::Options());
        collector.Start();
        Simulator::Run();
        collector.Finish();
        ASSERT_EQ(told.size(), 2u);
        EXPECT_EQ(std::max(told[0], told[1]), told[0] + (eager ? US : 0));
        EXPECT_EQ(Simulator::Now().GetPicoSeconds(), std::max(told[0], told[1]) + 3 * US);
        Simulator::Destroy();
    }
}

TEST_F(RunCollectorTest, RecordsUnfinishedFlows)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 3);
    net.Build();
    const auto flows =
        Numbered({Flow(0, 2, 1000000), Flow(0, 1, 1000), Flow(1, 2, 1000, 200 * US)});
    net.InstallFlows(flows);
    RunCollector::Options options;
    options.stopPs = 50 * US;
    RunCollector collector(net, flows, options);
    collector.Start();
    Simulator::Run();
    collector.Finish();
    EXPECT_EQ(Simulator::Now().GetPicoSeconds(), 50 * US);
    EXPECT_EQ(collector.GetFinished(), 1u);
    const auto records = collector.GetRecords();
    EXPECT_EQ(records[0].fctPs, -1);
    EXPECT_EQ(records[0].receiverFctPs, -1);
    EXPECT_GT(records[0].idealPs, 0);
    EXPECT_EQ(records[0].packets, 245u);
    // 48 us of payload at 100 Gbit/s, less headers and the other flow's packet: about 142 packets.
    EXPECT_GT(records[0].deliveredBytes, 130u * 4096);
    EXPECT_LT(records[0].deliveredBytes, 146u * 4096);
    EXPECT_EQ(records[0].deliveredBytes % 4096, 0u);
    EXPECT_TRUE(records[1].IsFinished());
    EXPECT_EQ(records[2].deliveredBytes, 0u);
    EXPECT_EQ(collector.GetStallDetector().DescribeUnfinished().size(), 1u); // one has not begun
}

// What a connection has delivered belongs to its messages in their order.
TEST_F(RunCollectorTest, RecordsUnfinishedMessagesOfAConnection)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    auto flows = Numbered({Flow(0, 1, 100000), Flow(0, 1, 400000), Flow(0, 1, 10000)});
    for (FlowSpec& flow : flows)
    {
        flow.connection = 1;
    }
    net.InstallFlows(flows);
    RunCollector::Options options;
    options.stopPs = 30 * US;
    RunCollector collector(net, flows, options);
    collector.Start();
    Simulator::Run();
    collector.Finish();
    const auto records = collector.GetRecords();
    EXPECT_TRUE(records[0].IsFinished());
    EXPECT_FALSE(records[1].IsFinished());
    EXPECT_GT(records[1].deliveredBytes, 200000u);
    EXPECT_LT(records[1].deliveredBytes, 300000u) << "that of the message before counts, too";
    EXPECT_EQ(records[2].deliveredBytes, 0u);
    EXPECT_EQ(records[2].packets, 3u);
}

TEST_F(RunCollectorTest, WritesTables)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MiB"));
    Network net;
    MakeStar(net, 5);
    net.Build();
    std::vector<FlowSpec> flows;
    for (uint32_t src = 0; src < 4; ++src)
    {
        flows.push_back(Flow(src, 4, 500000));
    }
    flows = Numbered(flows);
    net.InstallFlows(flows);
    RunCollector::Options options;
    options.series.modes["queues"].intervalPs = 10 * US;
    options.series.modes["rates"].intervalPs = 50 * US;
    options.series.modes["pfc"].onChange = true;
    RunWriter writer(folder.string());
    EXPECT_THROW(RunCollector(net, flows, options), std::logic_error);
    PauseMonitor pauses(net);
    RunCollector collector(net, flows, options, &writer);
    collector.Start();
    Simulator::Run();
    collector.Finish();
    EXPECT_EQ(collector.GetFinished(), 4u);
    auto counters = collector.GetCounters();
    EXPECT_GT(counters["pausedNs"], 0u);
    EXPECT_EQ(counters["pfcXoffSent"], pauses.xoffs);
    RunSummary summary;
    collector.Summarise(summary);
    EXPECT_FALSE(summary.nodeNames.empty() || summary.neighbours.empty());
    writer.WriteFlows(collector.GetRecords());
    writer.SetSummary(nlohmann::ordered_json::object());
    writer.Finish();

    const auto pfc = Lines("pfc.csv");
    EXPECT_EQ(pfc.at(0), "time_ns,node,port,class,event,node_name,port_name");
    EXPECT_EQ(pfc.size(), 1 + pauses.xoffs + pauses.xons + pauses.refreshes);
    EXPECT_EQ(std::count_if(pfc.begin(),
                            pfc.end(),
                            [](const std::string& s) { return s.find(",xoff") != s.npos; }),
              static_cast<std::ptrdiff_t>(pauses.xoffs));
    // The queue towards NIC 4 is there from the first sample on, and its last row is empty.
    const auto queues = Lines("queues.csv");
    ASSERT_GT(queues.size(), 10u);
    EXPECT_EQ(queues[1].find("10000.000,0,4,3,"), 0u) << queues[1];
    std::string last;
    for (const std::string& line : queues)
    {
        last = line.find(",0,4,3,") != line.npos ? line : last;
    }
    EXPECT_EQ(last.substr(last.find(",0,4,3,")), ",0,4,3,0,sw,sw:4");
    EXPECT_EQ(Lines("rates.csv").at(1).find("50000.000,0,0,4,100000000000,,"), 0u);
}

TEST_F(RunCollectorTest, RefusesBadInput)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<FlowSpec> flows{Flow(0, 1, 1)};
    flows[0].id = 3;
    EXPECT_THROW(RunCollector(net, flows, RunCollector::Options()), InputError);
    RunCollector::Options options;
    options.pcap = {"nic0"};
    EXPECT_THROW(RunCollector(net, {}, options), std::logic_error); // no writer
    RunWriter writer(folder.string());
    for (const char* port : {"nic2", "sw:2", "sw:x", "nic", ""})
    {
        options.pcap = {port};
        EXPECT_THROW(RunCollector(net, {}, options, &writer), InputError) << port;
    }
}

TEST_F(RunCollectorTest, ProgressLines)
{
    std::ostringstream out;
    Progress json(
        Progress::Mode::JSON,
        4000,
        [] {
            return Progress::Status{0.5, 1, 2, 3, 1000000, 0, 0, ""};
        },
        out);
    EXPECT_EQ(
        json.Format(1000, 0.25, {0.5, 1, 2, 3, 0, 5, 4, "sw"}, 6e9),
        "{\"progress\":{\"simulatedPs\":1000,\"endPs\":4000,\"done\":0.500000,\"flowsDone\":1,"
        "\"flowsTotal\":2,\"packetHops\":3,\"goodputBps\":6000000000,\"queuedBytes\":5,"
        "\"longestQueuedBytes\":4,\"wallSeconds\":0.250}}");
    Progress text(
        Progress::Mode::TEXT,
        4000000000,
        [] { return Progress::Status(); },
        out);
    EXPECT_EQ(text.Format(1000000000, 2, {0.25, 1, 2, 3000000, 0, 2500000, 12345, "sw"}, 99.96e9),
              "1.000 ms simulated (25.0 %), 2 s, 1 of 2 flows done, 100.0 Gbit/s goodput, "
              "2.5 MB queued (12.3 kB at sw), 1.50 M packet-hops/s");
    EXPECT_NE(text.Format(1000000000, 2, {}, 0).find(" 0 B queued, "), std::string::npos);
    Progress running(
        Progress::Mode::NONE,
        1,
        [] { return Progress::Status(); },
        out);
    running.Start();
    EXPECT_NE(running.Format(1, 3, {0.2, 0, 0, 0, 0, 0, 0, ""}, 0).find("(20.0 %), ETA 12 s, "),
              std::string::npos)
        << "a fifth took 3 s";
    EXPECT_NE(running.Format(1, 3, {}, 0).find("ETA unknown"), std::string::npos);
    EXPECT_THROW(Progress::ParseMode("loud"), InputError);

    // Few events, and they do not keep a run alive.
    Simulator::Schedule(Seconds(1), [] {});
    json.Start();
    Simulator::Run();
    json.Finish();
    EXPECT_LT(Simulator::Now(), Seconds(3));
    EXPECT_LT(json.GetEvents(), 100u);
    EXPECT_EQ(out.str().find("{\"progress\":{\"simulatedPs\":"), 0u);
    // 1 MB in all, and the last line says what the whole run was like.
    const double bps = 8e18 / static_cast<double>(Simulator::Now().GetPicoSeconds());
    const std::string last = "\"goodputBps\":" + std::to_string(std::llround(bps)) + ",";
    EXPECT_NE(out.str().find(last), std::string::npos) << last << " in " << out.str();
    EXPECT_GE(json.GetWallSeconds(), 0);
}

} // namespace
