// SPDX-License-Identifier: GPL-2.0-only

// The HPCC simulator's files run here: sizes and times of its profile, pinned paths, its outputs.
#include "roce-error-of.h"
#include "roce-replay-fixture.h"

#include "ns3/node.h"
#include "ns3/roce-hpcc-longest.h"
#include "ns3/roce-path-list.h"
#include "ns3/roce-pfc-log.h"
#include "ns3/roce-random-loss.h"
#include "ns3/roce-ucmp.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

// What inet-tub/ns3-datacenter makes of the same flow in the same rack: flow 4 of
// test/reference/leafspine128, alone there too.
TEST_F(Replay, OneFlowAsTheOtherSimulatorHasIt)
{
    Write("flow.txt", "1\n0 1 3 100 14830 0.000005735\n");
    const std::vector<std::pair<std::string, std::string>> cases{{"Dcqcn", "5323"},
                                                                 {"Timely", "5338"},
                                                                 {"Hpcc", "5392"}};
    for (const auto& [cc, fct] : cases)
    {
        ASSERT_EQ(Run({"--topology=" + Path("topology.txt"),
                       "--flows=" + Path("flow.txt"),
                       "--cc=" + cc,
                       "--profile=hpcc-sim"}),
                  0)
            << error;
        EXPECT_EQ(Read("out/fct.txt"), "0b000001 0b000101 10000 100 14830 5735 " + fct + " 5404\n")
            << cc;
        EXPECT_EQ(Read("out/pfc.txt"), "");
        Simulator::Destroy();
        Config::Reset();
    }
}

TEST_F(Replay, WithoutProfileFramesAreRoce)
{
    Write("flow.txt", "1\n0 1 3 100 4096 0.000001\n");
    ASSERT_EQ(
        Run({"--topology=" + Path("topology.txt"), "--flows=" + Path("flow.txt"), "--cc=none"}),
        0)
        << error;
    // Two links of 100 Gbit/s and 1 us: 4194 wire bytes twice, an ACK of 86 twice.
    EXPECT_EQ(Read("out/fct.txt"), "0b000001 0b000101 10000 100 4096 1000 4685 4685\n");
}

TEST_F(Replay, CommandLineBeforeConfigurationBeforeProfile)
{
    Write("flow.txt", "1\n0 1 3 100 1000 0.000001\n");
    Write("config.txt",
          "CC_MODE 1\nRP_TIMER 900\nRATE_AI 50Mb/s\nTOPOLOGY_FILE topology.txt\n"
          "FLOW_FILE flow.txt\nHAS_WIN 1\nBUFFER_SIZE 20\nENABLE_TRACE 1\n"
          "KMIN_MAP 2 100000000000 1 400000000000 4\nKMAX_MAP 2 100000000000 2 400000000000 8\n"
          "PMAX_MAP 2 100000000000 0.5 400000000000 0.25\n");
    ASSERT_EQ(Run({"--config=" + Path("config.txt"),
                   "--profile=hpcc-sim",
                   "--set=HAS_WIN=0",
                   "--ns3::roce::Dcqcn::AiRate=7Mb/s"}),
              0)
        << error;
    const nlohmann::json c = Summary()["configuration"];
    EXPECT_EQ(c["ns3::roce::Dcqcn::TimeReset"], "900us");
    EXPECT_EQ(c["ns3::roce::Dcqcn::AiRate"], "7Mb/s");
    EXPECT_EQ(c["ns3::roce::Dcqcn::Profile"], "hpcc-sim");
    EXPECT_EQ(c.count("ns3::roce::Nic::FlowWindow"), 0u); // none, the default
    EXPECT_EQ(c["ns3::roce::Switch::BufferSize"], "20971520B");
    EXPECT_EQ(c["ns3::roce::EcnMarker::RateMap"],
              "100000000000bps/1000/2000/0.5,400000000000bps/4000/8000/0.25");
    EXPECT_EQ(c["ns3::roce::Nic::ControlClass"], "3");
    EXPECT_EQ(c["ns3::roce::Hpcc::BaseRtt"], "8200000ps");
    EXPECT_NE(notes.find("ENABLE_TRACE has no effect"), std::string::npos);
}

TEST_F(Replay, EveryKeyReachesItsAttribute)
{
    Write("flow.txt", "2\n0 1 3 100 1000 0.000001\n0 1 2 100 1000 0.5\n");
    Write("config.txt",
          "CC_MODE 7\nENABLE_QCN 0\nPACKET_PAYLOAD_SIZE 900\nALPHA_RESUME_INTERVAL 4\n"
          "RATE_DECREASE_INTERVAL 5\nCLAMP_TARGET_RATE 1\nRP_TIMER 6\nEWMA_GAIN 0.01\n"
          "FAST_RECOVERY_TIMES 2\nRATE_AI 50Mb/s\nRATE_HAI 200Mb/s\nMIN_RATE 3Mb/s\n"
          "DCTCP_RATE_AI 77Mb/s\nHAS_WIN 1\nFAST_REACT 0\nU_TARGET 0.9\nMI_THRESH 3\n"
          "INT_MULTI 2\nMULTI_RATE 1\nSIMULATOR_STOP_TIME 3\n");
    const std::vector<std::string> arguments{"--topology=" + Path("topology.txt"),
                                             "--flows=" + Path("flow.txt"),
                                             "--config=" + Path("config.txt"),
                                             "--profile=hpcc-sim"};
    ASSERT_EQ(Run(arguments), 0) << error;
    const nlohmann::json c = Summary()["configuration"];
    const std::map<std::string, std::string> expected{{"ecn", "false"},
                                                      {"safetyLimit", "2500000000000ps"},
                                                      {"ns3::roce::Nic::PathMtu", "900"},
                                                      {"ns3::roce::Nic::Repacing", "none"},
                                                      {"ns3::roce::Switch::RefreshPause", "false"},
                                                      {"ns3::roce::Switch::DataClasses", "12"},
                                                      {"ns3::roce::Dcqcn::AlphaPeriod", "4us"},
                                                      {"ns3::roce::Dcqcn::CutPeriod", "5us"},
                                                      {"ns3::roce::Dcqcn::ClampTarget", "always"},
                                                      {"ns3::roce::Dcqcn::TimeReset", "6us"},
                                                      {"ns3::roce::Dcqcn::Gain", "0.01"},
                                                      {"ns3::roce::Dctcp::Gain", "0.01"},
                                                      {"ns3::roce::Dcqcn::Threshold", "2"},
                                                      {"ns3::roce::Dcqcn::AiRate", "50Mb/s"},
                                                      {"ns3::roce::Hpcc::Rai", "50Mb/s"},
                                                      {"ns3::roce::Timely::Delta", "50Mb/s"},
                                                      {"ns3::roce::Timely::HaiFactor", "4"},
                                                      {"ns3::roce::Dcqcn::HaiRate", "200Mb/s"},
                                                      {"ns3::roce::Dcqcn::MinRate", "3Mb/s"},
                                                      {"ns3::roce::Hpcc::MinRate", "3Mb/s"},
                                                      {"ns3::roce::Timely::MinRate", "3Mb/s"},
                                                      {"ns3::roce::Dctcp::MinRate", "3Mb/s"},
                                                      {"ns3::roce::Dctcp::Ai", "77Mb/s"},
                                                      {"ns3::roce::Nic::FlowWindow", "fixed"},
                                                      {"ns3::roce::Nic::FlowWindowBytes", "102250"},
                                                      {"ns3::roce::Hpcc::FastReact", "false"},
                                                      {"ns3::roce::Hpcc::Eta", "0.9"},
                                                      {"ns3::roce::Hpcc::MaxStage", "3"},
                                                      {"ns3::roce::Hpcc::MultiRate", "true"},
                                                      {"ns3::roce::Hpcc::BaseRtt", "8180000ps"},
                                                      {"ns3::roce::PowerTcp::BaseRtt", "8180000ps"},
                                                      {"ns3::roce::IntStamper::TxUnit", "256"},
                                                      {"ns3::roce::IntStamper::QueueUnit", "160"}};
    for (const auto& [name, value] : expected)
    {
        EXPECT_EQ(c.value(name, "the default"), value) << name;
    }
    Simulator::Destroy();
    Config::Reset();
    std::vector<std::string> other = arguments;
    other.insert(other.end(), {"--cc=Dcqcn[Threshold=4]", "--set=ACK_HIGH_PRIO=1,ENABLE_QCN=1"});
    ASSERT_EQ(Run(other), 0) << error;
    EXPECT_EQ(Summary()["configuration"]["ns3::roce::Nic::ControlClass"], "0");
}

// Which laws of that simulator move the end of a gap that has begun.
TEST_F(Replay, GapsFollowTheRateAtOnceWithLawsOfTelemetryOnly)
{
    Write("flow.txt", "1\n0 1 4 100 1000 0.000001\n");
    const std::map<std::string, std::string> kinds{{"Dcqcn", "none"},
                                                   {"Timely", "none"},
                                                   {"Dctcp", "none"},
                                                   {"Hpcc", "shift"},
                                                   {"PowerTcp", "shift"}};
    for (const auto& [law, kind] : kinds)
    {
        ASSERT_EQ(Run({"--topology=" + Path("topology.txt"),
                       "--flows=" + Path("flow.txt"),
                       "--cc=" + law,
                       "--profile=hpcc-sim"}),
                  0)
            << error;
        EXPECT_EQ(Summary()["configuration"]["ns3::roce::Nic::Repacing"], kind) << law;
        Simulator::Destroy();
        Config::Reset();
    }
}

TEST_F(Replay, TheFamiliesDifferInTheBuffer)
{
    Write("flow.txt", "1\n0 1 4 100 1000 0.000001\n");
    std::string original = SMALL;
    original.replace(0, 7, "8 4 8");
    Write("original.txt", original);
    ASSERT_EQ(Run({"--topology=" + Path("original.txt"),
                   "--flows=" + Path("flow.txt"),
                   "--cc=Hpcc",
                   "--profile=hpcc-sim"}),
              0)
        << error;
    nlohmann::json c = Summary()["configuration"];
    EXPECT_EQ(c["ns3::roce::Switch::XonOffset"], "3072");
    EXPECT_EQ(c["ns3::roce::Switch::AlphaReferenceRate"], "100000000000bps");
    EXPECT_EQ(c.count("ns3::roce::Switch::HeadroomInBuffer"), 0u);
    EXPECT_EQ(c["ns3::roce::Switch::DataClasses"], "16");
    Simulator::Destroy();
    Config::Reset();
    ASSERT_EQ(Run({"--topology=" + Path("topology.txt"),
                   "--flows=" + Path("flow.txt"),
                   "--cc=Hpcc",
                   "--profile=hpcc-sim"}),
              0)
        << error;
    c = Summary()["configuration"];
    EXPECT_EQ(c["ns3::roce::Switch::XonOffset"], "2496");
    EXPECT_EQ(c["ns3::roce::Switch::ReservedBytes"], "0");
    EXPECT_EQ(c["ns3::roce::Switch::HeadroomInBuffer"], "false");
}

TEST_F(Replay, LinkDownCountsFromTwoSeconds)
{
    Write("flow.txt", "2\n0 2 3 100 3000000 2.0\n1 3 3 100 3000000 2.0\n");
    const std::vector<std::string> arguments{"--topology=" + Path("topology.txt"),
                                             "--flows=" + Path("flow.txt"),
                                             "--cc=Dcqcn",
                                             "--ns3::roce::Nic::RtoMin=100us"};
    std::vector<std::string> down = arguments;
    down.emplace_back("--set=LINK_DOWN=50 6 4");
    ASSERT_EQ(Run(down), 0) << error;
    EXPECT_EQ(Summary()["counters"]["linkFailures"], 1);
    EXPECT_EQ(Summary()["counters"]["framesLostLinkDown"] > 0 ||
                  Summary()["counters"]["retransmitted"] == 0,
              true);
    Simulator::Destroy();
    Config::Reset();
    // A flow that ends before the host is cut off, and one that starts after it.
    Write("flow.txt", "2\n0 2 3 100 1000 2.00003\n0 2 3 100 1000 2.00006\n");
    down.back() = "--set=LINK_DOWN=50 4 0";
    EXPECT_EQ(Run(down), 3);
    EXPECT_EQ(Summary()["flows"]["finished"], 1);
    Simulator::Destroy();
    Config::Reset();
    down.back() = "--set=LINK_DOWN=50 0 5";
    EXPECT_EQ(Run(down), 2);
    EXPECT_NE(error.find("LINK_DOWN: no link joins 0 and 5"), std::string::npos) << error;
}

TEST_F(Replay, WhatIsMissingIsNamed)
{
    Write("flow.txt", "1\n0 1 3 100 1000 0.000001\n");
    const std::string files = "--topology=" + Path("topology.txt");
    EXPECT_EQ(Run({}), 2);
    EXPECT_EQ(error, "--topology is missing, expected a file (or TOPOLOGY_FILE in --config)");
    EXPECT_EQ(Run({files}), 2);
    EXPECT_EQ(error, "--flows is missing, expected a file (or FLOW_FILE in --config)");
    EXPECT_EQ(Run({files, "--flows=" + Path("flow.txt")}), 2);
    EXPECT_EQ(error, "--cc is missing, expected one (or CC_MODE in --config)");
    EXPECT_EQ(Run({files, "--flows=" + Path("flow.txt"), "--set=CC_MODE=10"}), 2);
    EXPECT_EQ(error,
              "--set: CC_MODE: mode 10, expected 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP), or "
              "--cc");
    EXPECT_EQ(Run({files, "--profile=hpc"}), 2);
    EXPECT_EQ(error, "--profile is 'hpc', expected hpcc-sim or nothing");
    EXPECT_EQ(Run({files, "--flows=" + Path("flow.txt"), "--cc=Hpcc", "--set=KMIN_MAP=0"}), 2);
    EXPECT_EQ(error,
              "--set: KMAX_MAP is missing, expected KMIN_MAP, KMAX_MAP and PMAX_MAP or none");
    EXPECT_FALSE(std::filesystem::exists(Path("out")));
}

TEST_F(Replay, ValuesBeyondLimitsAreRefusedWithTheirLine)
{
    Write("flow.txt", "1\n0 1 3 100 1000 0.000001\n");
    const std::string config = Path("config.txt");
    const std::vector<std::pair<std::string, std::string>> cases{
        {"LINK_DOWN 999999999999999999 4 6",
         "LINK_DOWN: 999999999999999999 us is too late, expected at most 1000000000000"},
        {"BUFFER_SIZE 1e300", "BUFFER_SIZE: 1"},
        {"BUFFER_SIZE 5000", "BUFFER_SIZE: 5242880000B, expected"},
        {"INT_MULTI 1e300", "INT_MULTI: 1"},
        {"INT_MULTI 1e9", "INT_MULTI: 128000000000, expected"},
        {"SIMULATOR_STOP_TIME 0", "SIMULATOR_STOP_TIME: 0 seconds, expected more than 0"},
        {"PACKET_PAYLOAD_SIZE 0", "PACKET_PAYLOAD_SIZE: 0, expected"},
        {"MI_THRESH 1e300", "MI_THRESH: 1e300, expected"},
        {"KMAX_MAP 1 1 2\nPMAX_MAP 1 1 0\nKMIN_MAP 1 1 1e300",
         "KMIN_MAP: rate 1 has 1e+300, expected at most 2"}};
    for (const auto& [text, expected] : cases)
    {
        Write("config.txt", text + "\n");
        EXPECT_EQ(Run({"--topology=" + Path("topology.txt"),
                       "--flows=" + Path("flow.txt"),
                       "--config=" + config,
                       "--cc=Hpcc",
                       "--profile=hpcc-sim"}),
                  2)
            << text;
        const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
        const std::string start = config + ":" + std::to_string(lines) + ": " + expected;
        EXPECT_EQ(error.substr(0, start.size()), start);
        EXPECT_FALSE(std::filesystem::exists(Path("out")));
    }
}

// As long as an argument may be.
TEST_F(Replay, LongValuesAreRefused)
{
    Write("flow.txt", "1\n0 1 3 100 1000 0.000001\n");
    const std::string digits(120000, '1');
    for (const char* option : {"--stop=",
                               "--failLinks=",
                               "--queues=",
                               "--ns3::roce::Port::SerialisationTick=",
                               "--ns3::roce::Switch::BufferSize=",
                               "--ns3::roce::EcnMarker::RateMap=",
                               "--set=RATE_AI="})
    {
        EXPECT_EQ(Run({"--topology=" + Path("topology.txt"),
                       "--flows=" + Path("flow.txt"),
                       "--cc=Hpcc",
                       option + digits}),
                  2)
            << option;
        EXPECT_NE(error.find("expected"), std::string::npos) << option;
        EXPECT_FALSE(std::filesystem::exists(Path("out")));
    }
}

TEST_F(Replay, FlowAtTheEndOfTime)
{
    // The safety limit would be behind 2^63 ps.
    Write("flow.txt", "1\n0 1 3 100 1000 70000\n");
    EXPECT_EQ(Run({"--topology=" + Path("topology.txt"),
                   "--flows=" + Path("flow.txt"),
                   "--cc=Hpcc",
                   "--safetyLimit=105.999d"}),
              0);
}

TEST_F(Replay, PinnedFlowsAndAcksTakeTheirPaths)
{
    SmallNetwork s(Path("topology.txt"));
    FlowList list;
    for (uint32_t i = 0; i < 8; ++i)
    {
        list.flows.push_back(Flow(i % 2, 2 + i % 2, 20000 + i, i));
        list.rows.push_back(i);
    }
    list.flows = Numbered(list.flows);
    std::ostringstream text;
    text << "id,path_node_ids,ack_path_node_ids\n";
    for (uint32_t i = 0; i < 8; ++i)
    {
        // All data through spine 6, all ACKs through spine 7.
        text << i << "," << i % 2 << "-4-6-5-" << 2 + i % 2 << "," << 2 + i % 2 << "-5-7-4-"
             << i % 2 << "\n";
    }
    EXPECT_EQ(PinPaths(Write("paths.csv", text.str()), s.topology, s.net, list), 8u);
    s.net.AssignStreams(1);
    s.net.InstallFlows(list.flows);
    uint64_t wrong = 0;
    uint64_t right = 0;
    for (const auto& [node, expected] :
         std::vector<std::pair<uint32_t, FrameKind>>{{6, FrameKind::DATA}, {7, FrameKind::ACK}})
    {
        const Ptr<Switch> sw = s.net.GetSwitch(s.topology.switchOfNode[node]);
        for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
        {
            sw->GetPort(p)->TraceConnectWithoutContext(
                "TxBegin",
                Callback<void, const Frame&, Time>([&, expected = expected](const Frame& f, Time) {
                    ++(f.kind == expected ? right : wrong);
                }));
        }
    }
    Simulator::Run();
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(right, 2u * 8 * 5); // packets of 4096 and their ACKs
}

// The first column counts the lines of the list, whatever the order of their starts.
TEST_F(Replay, PathsBelongToRows)
{
    SmallNetwork s(Path("topology.txt"));
    FlowList list = FlowList::Read(Write("flow.txt", "2\n0 2 3 100 1000 0.2\n3 1 3 100 1000 0.1\n"),
                                   s.topology.nicOfNode);
    const std::string paths = Write("paths.csv", "id,path_node_ids\n0,0-4-6-5-2\n1,3-5-7-4-1\n");
    EXPECT_EQ(PinPaths(paths, s.topology, s.net, list), 2u);
    const auto spine = [&](const FlowSpec& flow) {
        return s.net.TracePath(flow.src, flow.dst, flow.srcPort).at(2).port->GetOwner();
    };
    EXPECT_EQ(spine(list.flows[0]), PeekPointer(s.net.GetSwitch(3))); // starts first: row 1
    EXPECT_EQ(spine(list.flows[1]), PeekPointer(s.net.GetSwitch(2)));
}

TEST_F(Replay, BadPathsAreRefusedWithTheirLine)
{
    SmallNetwork s(Path("topology.txt"));
    const auto errorOf = [&](const std::string& text) -> std::string {
        FlowList list;
        list.flows = Numbered({Flow(0, 2, 1000), Flow(1, 3, 1000)});
        list.rows = {0, 1};
        const std::string path = Write("paths.csv", text);
        const std::string error = ErrorOf([&] { PinPaths(path, s.topology, s.net, list); });
        return error.rfind(path, 0) ? error : error.substr(path.size());
    };
    const std::string head = "id,path_node_ids\n";
    EXPECT_EQ(errorOf(head + "1,1-4-6-5-3\n0,0-4-7-5-2\n"), "no error");
    EXPECT_EQ(errorOf("id,path\n"),
              ":1: first line is 'id,path', expected id,path_node_ids[,ack_path_node_ids]");
    EXPECT_EQ(errorOf(head + "2,0-4-6-5-2\n"), ":2: id 2 out of range, expected 0..1");
    EXPECT_EQ(errorOf(head + "0,0-4-6-5-2\n0,0-4-6-5-2\n"),
              ":3: flow 0 is there twice, expected each once");
    EXPECT_EQ(
        errorOf(head + "0,0-4-6-5-3\n"),
        ":2: path 0-4-6-5-3, expected one from 0 to 2, the ends of the flow (ACKs: backwards)");
    EXPECT_EQ(errorOf(head + "0,0-4-1-5-2\n"),
              ":2: path 0-4-1-5-2 goes through host 1, expected switches between source and "
              "destination");
    EXPECT_EQ(errorOf(head + "0,0-4-6-7-5-2\n"),
              ":2: path 0-4-6-7-5-2 is not one of the shortest paths, expected one that routing "
              "uses");
    EXPECT_EQ(errorOf(head + "0,0-4-9-5-2\n"), ":2: node 9 out of range, expected 0..7");
    EXPECT_EQ(errorOf(head + "0\n"), ":2: found 1 fields, expected 2: id,path_node_ids");
    s.net.GetSwitch(0)->SetPathPolicy(CreateObject<Ucmp>());
    EXPECT_EQ(errorOf(head + "0,0-4-6-7-5-2\n"),
              ":2: path 0-4-6-7-5-2 is none that switches with a path policy choose for it; "
              "expected switches without one (ROUTING_MODE 0)");
}

TEST_F(Replay, LossRatesOfTheFile)
{
    std::string text = SMALL;
    text.replace(text.find("1000ns 0\n"), 9, "1000ns 0.25\n");
    SmallNetwork s(Write("lossy.txt", text));
    s.topology.ApplyLoss(s.net);
    const auto rateOf = [&](uint32_t link, unsigned end) {
        const Ptr<LossModel> model = s.net.GetLink(link).GetPort(end)->GetLossModel();
        DoubleValue rate(0);
        if (model)
        {
            model->GetAttribute("Rate", rate);
        }
        return rate.Get();
    };
    for (unsigned end : {0, 1})
    {
        EXPECT_EQ(rateOf(0, end), 0.25);
        EXPECT_EQ(rateOf(1, end), 0);
    }
    s.topology.ApplyLoss(s.net, 0.5);
    EXPECT_EQ(rateOf(0, 1), 0.25);
    EXPECT_EQ(rateOf(7, 0), 0.5);
}

TEST_F(Replay, LongestRttMayBeWithinARack)
{
    const HpccTopology star =
        HpccTopology::Read(Write("star.txt", "3 1 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"));
    EXPECT_EQ(HpccLongest::Find(star, 1000).rttPs, 4160000);
}

// Racks stand for others of their kind: one whose link is longer, or has another neighbour, is not
// of it, wherever it is in the list. Each switch is a rack of one host.
TEST_F(Replay, LongestRttOfUnequalRacks)
{
    // Hosts 0..3 at switches 4..7, which hang off switch 8; switch 6 is 3 us away, host 3 2 us.
    const HpccTopology tree =
        HpccTopology::Read(Write("tree.txt",
                                 "9 5 8\n4 5 6 7 8\n0 4 100Gbps 1us 0\n1 5 100Gbps 1us 0\n"
                                 "2 6 100Gbps 1us 0\n3 7 100Gbps 2us 0\n4 8 100Gbps 1us 0\n"
                                 "5 8 100Gbps 1us 0\n6 8 100Gbps 3us 0\n7 8 100Gbps 1us 0\n"));
    EXPECT_EQ(HpccLongest::Find(tree, 1000).rttPs, 2 * (1 + 3 + 1 + 2) * US + 4 * 80 * NS);
    // A line of three racks: the outer ones have the same link to the same switch.
    const HpccTopology line =
        HpccTopology::Read(Write("line.txt",
                                 "6 3 5\n3 4 5\n0 3 100Gbps 1us 0\n1 4 100Gbps 1us 0\n"
                                 "2 5 100Gbps 1us 0\n3 4 100Gbps 1us 0\n4 5 100Gbps 1us 0\n"));
    EXPECT_EQ(HpccLongest::Find(line, 1000).rttPs, 2 * 4 * US + 4 * 80 * NS);
    // Two ways of the same number of links: the longer one counts, whatever a hash chooses.
    const HpccTopology ring =
        HpccTopology::Read(Write("ring.txt",
                                 "6 4 6\n2 3 4 5\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n"
                                 "2 4 100Gbps 1us 0\n4 3 100Gbps 1us 0\n2 5 100Gbps 1us 0\n"
                                 "5 3 100Gbps 9us 0\n"));
    EXPECT_EQ(HpccLongest::Find(ring, 1000).rttPs, 2 * (1 + 1 + 9 + 1) * US + 4 * 80 * NS);
}

// The largest product need not be that of the longest RTT, nor of the fastest host.
TEST_F(Replay, LargestBdpOfUnequalRates)
{
    // Hosts 0 and 1 at 10 Gbit/s, 300 us away; 2 and 3 at 100 Gbit/s, 50 us; 4 at 400 Gbit/s, 1 us.
    const HpccTopology star = HpccTopology::Read(
        Write("star.txt",
              "6 1 5\n5\n0 5 10Gbps 300us 0\n1 5 10Gbps 300us 0\n2 5 100Gbps 50us 0\n"
              "3 5 100Gbps 50us 0\n4 5 400Gbps 1us 0\n"));
    const HpccLongest longest = HpccLongest::Find(star, 1000);
    EXPECT_EQ(longest.rttPs, 2 * 600 * US + 2 * 800 * NS);
    // 1201.6 us at 10 Gbit/s are 1,502,000 B; 200.16 us at 100 Gbit/s 2,502,000 B.
    EXPECT_EQ(longest.bdpBytes, 2502000u);
    // A slow link in the middle is the rate of its pairs.
    const HpccTopology pair = HpccTopology::Read(
        Write("pair.txt", "4 2 3\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 40Gbps 1us 0\n"));
    EXPECT_EQ(HpccLongest::Find(pair, 1000).bdpBytes, (6000 + 2 * 80 + 200) * 5u);
}

TEST_F(Replay, LongestRttOfTheReference)
{
    const HpccTopology topology = HpccTopology::Read(std::string(ROCE_SOURCE_DIR) +
                                                     "/test/reference/leafspine128/topology.txt");
    Network net;
    topology.Construct(net);
    net.Build();
    EXPECT_EQ(HpccLongest::Find(topology, 1000).rttPs, 8200 * NS); // that simulator's GLOBAL_T
    EXPECT_EQ(HpccLongest::Find(topology, 1000).bdpBytes, 102500u);
    EXPECT_EQ(net.GetNNics(), 128u);
    EXPECT_EQ(net.GetNSwitches(), 12u);
}

TEST_F(Replay, PfcLogHasEveryPauseFrame)
{
    constexpr uint64_t SIZE = 100000000;
    Config::SetDefault("ns3::roce::Switch::Alpha", DoubleValue(0.01));
    Config::SetDefault("ns3::roce::Port::InfinitePause", BooleanValue(true));
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 4);
    net.Build();
    net.AssignStreams(1);
    net.InstallFlows(Numbered({Flow(0, 3, SIZE), Flow(1, 3, SIZE), Flow(2, 3, SIZE)}));
    PfcLog log(net, Path("pfc.txt"));
    Simulator::Run();
    net.CatchUp();
    EXPECT_GT(Read("pfc.txt").size(), 100000u) << "it is written while the run goes on";
    log.Finish();
    uint64_t received = 0;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        received += port->GetPfcReceived();
    }
    std::istringstream text(Read("pfc.txt"));
    std::map<uint32_t, int> last;
    uint64_t lines = 0;
    uint64_t lastNs = 0;
    uint64_t ns;
    uint32_t node;
    uint32_t type;
    uint32_t port;
    int pause;
    const uint32_t first = net.GetNic(0)->GetNode()->GetId();
    while (text >> ns >> node >> type >> port >> pause)
    {
        ++lines;
        EXPECT_GE(ns, lastNs);
        lastNs = ns;
        EXPECT_TRUE(node >= first && node < first + 3) << node; // the senders
        EXPECT_EQ(type, 0u);
        EXPECT_EQ(port, 1u);
        EXPECT_NE(pause, last[node]) << "XOFF and XON take turns";
        last[node] = pause;
    }
    EXPECT_EQ(lines, received);
    EXPECT_GT(lines, 5000u);
}

// As roce-astra-sim does.
TEST_F(Replay, ProgramsThatSendThemselvesNeedNoFlows)
{
    const auto build = [&](std::vector<std::string> arguments, Network& network) {
        arguments.insert(arguments.begin(), {"sender", "--topology=" + Path("topology.txt")});
        std::vector<char*> argv;
        for (std::string& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        ReplayOptions files(false);
        CheckedCommandLine cmd("sender", "");
        files.AddOptions(cmd);
        cmd.Parse(static_cast<int>(argv.size()), argv.data());
        files.Build(cmd, network);
        return files.run;
    };
    const std::string config =
        Write("config.txt",
              "CC_MODE 7\nENABLE_QCN 0\nFLOW_FILE nowhere.txt\nSIMULATOR_STOP_TIME 5\n");
    Network network;
    const RunOptions run = build({"--config=" + config, "--seed=7"}, network);
    EXPECT_EQ(network.GetNHosts(), 4U);
    EXPECT_EQ(network.GetNic(0)->GetProfile()->GetLaw()->GetInstanceTypeId().GetName(),
              "ns3::roce::Timely");
    EXPECT_EQ(run.seed, 7U);
    EXPECT_EQ(run.safetyLimit, Seconds(5));
    EXPECT_TRUE(run.warnings.empty()) << run.warnings.front();
    Network other;
    EXPECT_EQ(ErrorOf([&] {
                  build({"--cc=Dcqcn", "--flows=flow.txt"}, other);
              }).substr(0, 24),
              "unknown option '--flows'");
}
