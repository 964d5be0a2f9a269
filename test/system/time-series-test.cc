// SPDX-License-Identifier: GPL-2.0-only
// Trace sources of time series, and the small things under them.
#include "roce-is-built.h"
#include "roce-test-folder.h"

#include "ns3/channel-list.h"
#include "ns3/roce-dcqcn.h"
#include "ns3/roce-hpcc.h"
#include "ns3/roce-netanim-file.h"
#include "ns3/roce-swift.h"
#include "ns3/roce-time-order.h"
#include "ns3/roce-time-series.h"
#include "ns3/roce-timely.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct TimeSeriesTest : FolderTest
{
};

/// What the sinks of Config::Connect have been told; the signatures are those of the documentation.
struct Told
{
    std::vector<std::string> contexts;
    std::vector<uint64_t> queueBytes;
    std::vector<std::pair<bool, int64_t>> pauses;
};

Told g_told;

void
OnQueueLength(std::string context, uint16_t, uint8_t, uint64_t bytes, Time)
{
    g_told.contexts.push_back(context);
    g_told.queueBytes.push_back(bytes);
}

void
OnPauseState(std::string context, uint8_t, bool paused, Time at)
{
    g_told.contexts.push_back(context);
    g_told.pauses.emplace_back(paused, at.GetPicoSeconds());
}

/// Makes the switch send a NIC a pause frame.
void
PauseAt(Network& net, uint32_t nic, int64_t atPs, uint16_t quanta)
{
    Simulator::Schedule(TimeStep(atPs), [&net, nic, quanta]() {
        net.CatchUp();
        Port* peer = net.GetNic(nic)->GetPeer();
        peer->Transmit(peer->MakePfc(3, quanta), Simulator::Now().GetTimeStep());
    });
}

} // namespace

TEST_F(TimeSeriesTest, QueueLengthIsReachedByItsConfigPath)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 3);
    net.Build();
    g_told = {};
    Config::Connect("/NodeList/*/$ns3::roce::Switch/QueueLength", MakeCallback(&OnQueueLength));
    // Two senders: of each pair of frames that arrive together one waits.
    net.InstallFlows(Numbered({Flow(0, 2, 3 * 4096), Flow(1, 2, 3 * 4096)}));
    Simulator::Run();
    ASSERT_FALSE(g_told.queueBytes.empty());
    EXPECT_EQ(g_told.contexts[0],
              "/NodeList/" + std::to_string(net.GetSwitch(0)->GetNodeId()) +
                  "/$ns3::roce::Switch/QueueLength");
    EXPECT_EQ(g_told.queueBytes.front(), 4174u); // the second first packet, with RETH
    EXPECT_EQ(g_told.queueBytes.back(), 0u);
    EXPECT_EQ(*std::max_element(g_told.queueBytes.begin(), g_told.queueBytes.end()),
              4 * 4158u); // the third pair finds two that wait
}

// A pause that runs out while nothing is sent is told late, with its exact time, and one that has
// run out is over before the next begins.
TEST_F(TimeSeriesTest, PauseStateHasExactTimes)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    g_told = {};
    Config::Connect("/NodeList/*/DeviceList/*/$ns3::roce::Port/PauseState",
                    MakeCallback(&OnPauseState));
    const int64_t first = 2 * US + 6720 + US;
    PauseAt(net, 0, 2 * US, 100);   // runs out after 512 ns
    PauseAt(net, 0, 10 * US, 1000); // extended while it lasts
    PauseAt(net, 0, 12 * US, 1000);
    PauseAt(net, 0, 20 * US, 1000); // resumed
    PauseAt(net, 0, 21 * US, 0);
    Simulator::Run();
    const std::vector<std::pair<bool, int64_t>> expected{{true, first},
                                                         {false, first + 512000},
                                                         {true, first + 8 * US},
                                                         {false, first + 10 * US + 5120000},
                                                         {true, first + 18 * US},
                                                         {false, first + 19 * US}};
    EXPECT_EQ(g_told.pauses, expected);
    EXPECT_EQ(net.GetNic(0)->GetPausedTimePs(3, MS), 512000 + 2 * US + 5120000 + US);
}

// The channel tells what NetAnim wants to know; with eager stations at the exact time.
TEST_F(TimeSeriesTest, LinksTellWhatNetAnimWants)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(true));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(true));
    Network net;
    MakeStar(net, 2);
    net.Build();

    struct Seen
    {
        uint32_t from, to, bytes;
        int64_t atPs, txPs, rxPs;
    };

    std::vector<Seen> seen;
    for (uint32_t i = 0; i < ChannelList::GetNChannels(); ++i)
    {
        const Callback<void, Ptr<const Packet>, Ptr<NetDevice>, Ptr<NetDevice>, Time, Time> sink(
            [&seen](Ptr<const Packet> packet,
                    Ptr<NetDevice> tx,
                    Ptr<NetDevice> rx,
                    Time txDuration,
                    Time rxDuration) {
                seen.push_back({tx->GetNode()->GetId(),
                                rx->GetNode()->GetId(),
                                packet->GetSize(),
                                Simulator::Now().GetPicoSeconds(),
                                txDuration.GetPicoSeconds(),
                                rxDuration.GetPicoSeconds()});
            });
        ASSERT_TRUE(
            ChannelList::GetChannel(i)->TraceConnectWithoutContext("TxRxPointToPoint", sink));
    }
    std::vector<int64_t> starts;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        port->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>(
                [&starts](const Frame&, Time at) { starts.push_back(at.GetPicoSeconds()); }));
    }
    net.InstallFlows(Numbered({Flow(0, 1, 2 * 4096, 3 * US)}));
    Simulator::Run();
    ASSERT_EQ(seen.size(), 8u); // two packets and two ACKs over two links
    const uint32_t hosts[] = {net.GetNic(0)->GetNode()->GetId(), net.GetNic(1)->GetNode()->GetId()};
    const uint32_t sw = net.GetSwitch(0)->GetNodeId();
    EXPECT_EQ(seen[0].from, hosts[0]);
    EXPECT_EQ(seen[0].to, sw);
    EXPECT_EQ(seen[0].atPs, 3 * US);
    EXPECT_EQ(seen[0].bytes, 4174u - 4); // without FCS
    EXPECT_EQ(seen[0].txPs, (4174 + 20) * 80);
    EXPECT_EQ(seen[0].rxPs, (4174 + 20) * 80 + US);
    std::vector<int64_t> told;
    std::transform(seen.begin(), seen.end(), std::back_inserter(told), [](const Seen& s) {
        return s.atPs;
    });
    EXPECT_EQ(told, starts);
    EXPECT_EQ(std::count_if(seen.begin(),
                            seen.end(),
                            [&](const Seen& s) { return s.from == hosts[1] && s.to == sw; }),
              2);
}

TEST_F(TimeSeriesTest, LayoutGoesByTier)
{
    Network net;
    const uint32_t core = net.AddSwitch("core", 0);
    for (const char* name : {"left", "right"})
    {
        const uint32_t leaf = net.AddSwitch(name, 0);
        net.AddNic(net.AddHost(std::string("host ") + name, 0), leaf, 100 * G, US);
        net.Connect(leaf, core, 100 * G, US);
    }
    net.Build();
    std::map<std::string, NetAnimFile::Place> places;
    for (const NetAnimFile::Place& place : NetAnimFile::GetLayout(net))
    {
        places[place.name] = place;
    }
    ASSERT_EQ(places.size(), 5u);
    EXPECT_EQ(places["core"].tier, 2u);
    EXPECT_EQ(places["left"].tier, 1u);
    EXPECT_EQ(places["host left"].tier, 0u);
    EXPECT_LT(places["core"].y, places["left"].y);
    EXPECT_LT(places["left"].y, places["host left"].y);
    EXPECT_LT(places["left"].x, places["right"].x);
    EXPECT_EQ(places["left"].x + places["right"].x, 2 * places["core"].x);
}

TEST_F(TimeSeriesTest, EveryRateLawNamesItsVariables)
{
    const std::map<std::string, std::set<std::string>> expected{
        {"Dcqcn", {"alpha", "target_rate_bps", "time_stage", "byte_stage"}},
        {"DcqcnPlus",
         {"alpha", "target_rate_bps", "time_stage", "byte_stage", "receiver_flows", "tau_ns"}},
        {"Hpcc", {"utilisation", "exact_window_bytes", "reference_window_bytes", "stage"}},
        {"Timely", {"rtt_gradient", "rtt_ns", "hai_count"}},
        {"Swift", {"cwnd_packets", "endpoint_cwnd_packets", "target_delay_ns", "smoothed_rtt_ns"}},
        {"PowerTcp", {"power", "exact_window_bytes", "reference_window_bytes"}},
        {"Dctcp", {"alpha", "exact_window_bytes", "cwr"}},
        {"UnoCc",
         {"exact_window_bytes", "ecn_ewma", "epochs", "cuts", "gentle_cuts", "quick_adapts"}},
        {"Gemini", {"alpha", "exact_window_bytes", "min_rtt_ns", "slow_start"}},
        {"MpRdma", {"cwnd_packets"}},
        {"Bbr", {"bottleneck_bps", "rt_prop_ns", "state", "pacing_gain"}},
        {"LineRate", {}}};
    for (const auto& [name, names] : expected)
    {
        if (!IsBuilt(name))
        {
            continue;
        }
        SetRateLaw(name);
        Network net;
        MakeStar(net, 3);
        net.Build();
        net.InstallFlows(Numbered({Flow(0, 2, 10000000), Flow(1, 2, 10000000)}));
        Simulator::Stop(TimeStep(300 * US));
        Simulator::Run();
        net.CatchUp();
        const QueuePair* qp = net.GetNic(0)->GetQp(2);
        ASSERT_TRUE(qp) << name;
        std::vector<ControlVariable> variables;
        qp->GetCc().GetVariables(300 * US, variables);
        std::set<std::string> found;
        std::map<std::string, double> values;
        for (const ControlVariable& variable : variables)
        {
            found.insert(variable.name);
            values[variable.name] = variable.value;
        }
        EXPECT_EQ(found, names) << name;
        EXPECT_EQ(variables.size(), names.size()) << name;
        // Two flows at one link have moved them.
        for (const auto& [variable, above] :
             std::map<std::string, double>{{"utilisation", 0.5},
                                           {"rtt_ns", 4000},
                                           {"smoothed_rtt_ns", 4000},
                                           {"epochs", 0}})
        {
            EXPECT_TRUE(!values.count(variable) || values[variable] > above) << name;
        }
        // Asking changes nothing.
        std::vector<ControlVariable> again;
        qp->GetCc().GetVariables(300 * US, again);
        for (std::size_t i = 0; i < again.size(); ++i)
        {
            EXPECT_EQ(again[i].value, variables[i].value) << name;
        }
        Simulator::Destroy();
        Config::Reset();
    }
}

TEST_F(TimeSeriesTest, OrderIsByTimeThenKeyThenTelling)
{
    TimeOrder<std::string> order;
    order.Push(30, 0, "late");
    order.Push(10, 2, "second");
    order.Push(10, 1, "first");
    order.Push(10, 2, "third");
    order.Push(20, 9, "fourth");
    std::string out;
    const auto take = [&out](int64_t atPs, const std::string& text) {
        out += std::to_string(atPs) + text + " ";
    };
    order.Release(20, take);
    EXPECT_EQ(out, "10first 10second 10third ");
    EXPECT_EQ(order.GetSize(), 2u);
    order.Push(25, 0, "between");
    order.Release(INT64_MAX, take);
    EXPECT_EQ(out, "10first 10second 10third 20fourth 25between 30late ");
}

TEST_F(TimeSeriesTest, TimeLineIsJsonWithPicoseconds)
{
    const std::string path = folder / "trace.json";
    Network net;
    const uint32_t leaf = net.AddSwitch("a \"quoted\" \\ name", 0);
    for (const char* host : {"one", "two"})
    {
        net.AddNic(net.AddHost(host, 0), leaf, DataRate("100Gbps"), MicroSeconds(1));
    }
    net.Build();
    const uint32_t node = net.GetSwitch(leaf)->GetNodeId();
    TimeLine line(net, path);
    line.Slice(node, "track", "slice", 1500001, 2500003, {{"class", 3}});
    line.Counter(node, "queue", "bytes", 7, UINT64_MAX);
    line.Counter(node, "alpha", "value", 7, 1e-7);
    line.Counter(node, "alpha", "value", 8, std::numeric_limits<double>::infinity());
    line.Close();
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_NE(text.str().find("\"ts\":1.500001,\"dur\":1.000002,"), std::string::npos)
        << text.str();
    const auto json = nlohmann::json::parse(text.str());
    ASSERT_EQ(json["traceEvents"].size(), 5u);
    EXPECT_EQ(json["traceEvents"][0]["args"]["name"], "a \"quoted\" \\ name");
    EXPECT_EQ(json["traceEvents"][1]["name"], "thread_name");
    EXPECT_EQ(json["traceEvents"][1]["tid"], json["traceEvents"][2]["tid"]);
    EXPECT_EQ(json["traceEvents"][2]["args"]["class"], 3);
    EXPECT_EQ(json["traceEvents"][3]["args"]["bytes"], UINT64_MAX);
    EXPECT_EQ(json["traceEvents"][4]["args"]["value"], 1e-7);
    EXPECT_THROW(TimeLine(net, "/nowhere/trace.json"), InputError);
}

TEST_F(TimeSeriesTest, OptionsAreChecked)
{
    EXPECT_TRUE(SeriesMode::Parse("--queues", "change").onChange);
    EXPECT_EQ(SeriesMode::Parse("--queues", "3us").intervalPs, 3 * US);
    EXPECT_FALSE(SeriesMode::Parse("--queues", "").IsOn());
    EXPECT_FALSE(SeriesMode::Parse("--queues", "0").IsOn());
    for (const char* text : {"always", "-1us", "3", "us"})
    {
        EXPECT_THROW(SeriesMode::Parse("--queues", text), InputError) << text;
    }
    using Ranges = std::vector<TimeSeries::FlowRange>;
    EXPECT_EQ(TimeSeries::ParseFlows("0,3-7", "--seriesFlows"), (Ranges{{0, 0}, {3, 7}}));
    for (const char* text : {"7-3", "x", "1-", ",1", "1,,2"})
    {
        EXPECT_THROW(TimeSeries::ParseFlows(text, "--seriesFlows"), InputError) << text;
    }
    const NetAnimFile::Window window = NetAnimFile::Window::Parse("--netanim", "1us-2us");
    EXPECT_EQ(window.fromPs, US);
    EXPECT_EQ(window.toPs, 2 * US);
    EXPECT_FALSE(NetAnimFile::Window::Parse("--netanim", "").IsOn());
    for (const char* text : {"1us", "2us-1us", "1us-", "a-b"})
    {
        EXPECT_THROW(NetAnimFile::Window::Parse("--netanim", text), InputError) << text;
    }
    Network net;
    MakeStar(net, 2);
    net.Build();
    const auto flows = Numbered({Flow(0, 1, 1)});
    for (const bool port : {true, false})
    {
        RunWriter writer(folder.string());
        TimeSeries::Options options;
        options.ports = {port ? "sw:2" : "sw:1"};
        options.flows = {{0, port ? 0 : 1}};
        EXPECT_THROW(TimeSeries(net, flows, options, &writer), InputError);
    }
    RunWriter writer(folder.string());
    TimeSeries::Options options;
    EXPECT_FALSE(options.IsOn());
    options.modes["queue"].onChange = true; // no such series
    EXPECT_TRUE(options.IsOn());
    EXPECT_THROW(TimeSeries(net, flows, options, &writer), std::logic_error);
}
