// SPDX-License-Identifier: GPL-2.0-only
// How networks, runs and programs end, in whatever order, and what sinks may do.
#include "api-misuse-cases.h"
#include "roce-test-folder.h"

#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-scenario.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <tuple>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

TEST(ApiLife, NetworksThatGoTooEarly)
{
    Try({
        {"before the run",
         [](World& w) {
             w.Make();
             w.Install();
             w.net.reset();
             w.Run();
         },
         "a flow starts after its Network was destroyed"},
        InSink(
            "in a sink",
            [](World& w) { w.net.reset(); },
            "a Network is destroyed by a sink, a stage or a rate law of its own"),
        {"in a sink, with threads",
         [](World& w) {
             w.Make();
             w.AtCompletion([&w] { w.net.reset(); });
             w.Install();
             w.net->SetThreads(2);
             w.Run();
         },
         "a Network is destroyed by a sink, a stage or a rate law of its own"},
        InSink(
            "the simulator in a sink",
            [](World&) { Simulator::Destroy(); },
            "Simulator::Destroy() is called by a sink"),
        Midway(
            "in an event",
            [](World& w) { w.net.reset(); },
            ""),
        {"behind the simulator",
         [](World& w) {
             w.Make();
             w.Install();
             Simulator::Stop(MicroSeconds(50));
             Simulator::Run();
             Simulator::Destroy();
             w.net.reset();
         },
         ""},
        {"with flows on their way",
         [](World& w) {
             w.Make();
             w.Install();
             Simulator::Stop(MicroSeconds(20));
             Simulator::Run();
         },
         ""},
    });
}

TEST(ApiLife, OneNetworkAfterTheOther)
{
    for (const bool destroys : {true, false})
    {
        // Who is first among equals depends on the time, which goes on unless it is destroyed.
        Config::SetDefault("ns3::roce::Switch::RandomTies", BooleanValue(destroys));
        std::vector<std::string> results;
        for (int i = 0; i < 3; ++i)
        {
            World world;
            world.Make();
            world.Install(4);
            results.push_back(world.Run());
            if (destroys)
            {
                world.net.reset();
                Simulator::Destroy();
            }
        }
        EXPECT_NE(results[0], "");
        EXPECT_EQ(results[0], results[1]) << destroys;
        EXPECT_EQ(results[0], results[2]) << destroys;
        Simulator::Destroy();
    }
    Config::Reset();
}

TEST(ApiLife, WhatSinksAndEventsMayDo)
{
    const auto more = [](World& w) {
        FlowSpec flow = Flow(0, 2, 1000000);
        flow.id = 9;
        w.net->InstallFlows({flow});
    };
    Try({
        InSink("flows", more, ""),
        InSink(
            "a failure",
            [](World& w) { w.net->FailLink(1); },
            ""),
        InSink(
            "a failure of the own link",
            [](World& w) { w.net->FailLink(0); },
            "by a sink"),
        InSink(
            "the end",
            [](World&) { Simulator::Stop(); },
            ""),
        InSink(
            "threads",
            [](World& w) { w.net->SetThreads(2); },
            "SetThreads() is called by"),
        InSink(
            "balance",
            [](World& w) { w.net->MeasureBalance(2); },
            "is called by a sink"),
        Midway("flows in the past", more, ""),
        Midway(
            "threads",
            [](World& w) { EXPECT_EQ(w.net->SetThreads(2), 2U); },
            ""),
        Midway(
            "a failure in the past",
            [](World& w) { w.net->ScheduleLinkChange(US, 0, false); },
            "is in the past, expected 0.02 ms or later"),
        Midway(
            "failures twice",
            [](World& w) {
                for (const bool up : {false, false, true, true})
                {
                    w.net->ScheduleLinkChange(30 * US, 1, up);
                }
            },
            ""),
        {"two networks",
         [](World& w) {
             World other;
             other.Make();
             other.Install();
             w.Make();
             w.Install();
             EXPECT_NE(w.Run(), "");
         },
         ""},
        {"ids twice, flows twice, no flows",
         [](World& w) {
             w.Make();
             w.Install(0);
             w.Install();
             w.Install();
             w.Run();
         },
         ""},
        {"names twice and names of nothing",
         [](World& w) {
             w.net = std::make_unique<Network>();
             const uint32_t a = w.net->AddSwitch("", 0);
             const uint32_t b = w.net->AddSwitch("", 0);
             w.net->AddSwitch("lonely", 0);
             w.net->Connect(a, b, DataRate("100Gbps"), Time(0));
             for (const uint32_t sw : {a, b, b})
             {
                 w.net->AddNic(w.net->AddHost("a,b\n", 0), sw, DataRate("100Gbps"), PicoSeconds(1));
             }
             w.net->Build();
             w.Install();
             EXPECT_NE(w.Run(), "");
         },
         ""},
        {"a sink with other arguments",
         [](World& w) {
             w.Make();
             w.net->GetSwitch(0)->TraceConnectWithoutContext(
                 "QueueLength",
                 Callback<void, uint64_t>([](uint64_t) {}));
         },
         "a sink has other arguments than its trace source"},
        {"a sink of messages with other arguments",
         [](World& w) {
             w.Make();
             w.net->GetNic(0)->TraceConnectWithoutContext("MessageReceived", Callback<void>([] {}));
         },
         "a sink has other arguments than its trace source"},
        {"a sink that threads would call",
         [](World& w) {
             w.Make();
             w.net->GetNic(0)->TraceConnectWithoutContext(
                 "TxBegin",
                 Callback<void, const Frame&, Time>([](const Frame&, Time) {}));
             w.net->SetThreads(2);
         },
         "a trace source that stations call has a sink"},
    });
}

namespace
{

/// @return status and standard error of a program
std::pair<int, std::string>
RunIt(const std::function<int()>& program)
{
    testing::internal::CaptureStderr();
    const int status = RunProgram(program);
    return {status, testing::internal::GetCapturedStderr()};
}

/// @return status of a small run that writes into a folder @param more options
int
RunSmall(const std::string& out, std::vector<std::string> more = {})
{
    more.insert(more.begin(),
                {"program",
                 "--leaves=1",
                 "--spines=1",
                 "--hostsPerLeaf=2",
                 "--datacenters=1",
                 "--duration=100us",
                 "--progress=none",
                 "--out=" + out});
    std::vector<char*> arguments;
    for (std::string& argument : more)
    {
        arguments.push_back(argument.data());
    }
    testing::internal::CaptureStdout();
    const int status = RunScenario<LeafSpineHelper>(static_cast<int>(arguments.size()),
                                                    arguments.data(),
                                                    "program",
                                                    "");
    testing::internal::GetCapturedStdout();
    return status;
}

std::string
ReadFile(const std::string& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// @return flows.csv and what summary.json says of values, all that a run is made of
std::string
ResultOf(const std::string& out)
{
    nlohmann::json summary = nlohmann::json::parse(ReadFile(out + "/summary.json"));
    summary["configuration"].erase("out");
    return ReadFile(out + "/flows.csv") + summary["configuration"].dump(1) +
           summary["valuesInForce"].dump(1) + summary["counters"].dump(1);
}

struct ApiPrograms : FolderTest
{
    const std::string out = (folder / "out").string();
};

} // namespace

TEST(ApiLife, WhateverIsThrownIsOneLine)
{
    const std::vector<std::tuple<std::function<void()>, int, std::string>> cases{
        {[] { throw InputError("bad input"); }, 2, "error: bad input\n"},
        {[] { throw std::runtime_error("unhappy"); }, 1, "error: unhappy\n"},
        {[] { throw std::logic_error("law\nlogic"); }, 1, "error: law\\nlogic\n"},
        {[] { throw std::out_of_range("sink"); }, 1, "error: sink\n"},
        {[] { throw std::bad_alloc(); }, 1, "error: out of memory\n"},
        {[] { throw 5; }, 1, "error: something is thrown that is no std::exception\n"},
    };
    const auto simulate = [](const std::function<void()>& raise, unsigned threads) {
        World world;
        world.Make();
        world.AtCompletion(raise);
        world.Install();
        world.net->SetThreads(threads);
        world.Run();
        return 0;
    };
    InChild([&] {
        for (const auto& [raise, status, line] : cases)
        {
            const auto expected = std::make_pair(status, line);
            const std::function<void()> call = raise;
            EXPECT_EQ(RunIt([&]() -> int {
                          call();
                          return 0;
                      }),
                      expected);
            EXPECT_EQ(RunIt([&] { return simulate(call, 1); }), expected);
            EXPECT_EQ(RunIt([&] { return simulate(call, 2); }), expected);
        }
    });
}

// A process runs one program after the other: each is as in a process of its own, whatever the one
// before has set.
TEST_F(ApiPrograms, OneAfterTheOther)
{
    ASSERT_EQ(RunSmall(out), 0);
    const std::string first = ResultOf(out);
    EXPECT_EQ(RunSmall(out,
                       {"--lossless=0",
                        "--cc=Hpcc",
                        "--RngSeed=7",
                        "--seed=9",
                        "--progress=json",
                        "--ns3::roce::Nic::PathMtu=1000",
                        "--ns3::roce::EcnMarker::Kmin=1000"}),
              0);
    EXPECT_NE(ResultOf(out), first);
    ASSERT_EQ(RunSmall(out), 0);
    EXPECT_EQ(ResultOf(out), first);
    testing::internal::CaptureStderr();
    EXPECT_EQ(RunSmall(out, {"--progress=json", "--load=-1"}), 2);
    EXPECT_EQ(testing::internal::GetCapturedStderr().find("{\"error\":"), 0U);
    testing::internal::CaptureStderr();
    EXPECT_EQ(RunSmall(out, {"--nonsense"}), 2);
    EXPECT_EQ(testing::internal::GetCapturedStderr().find("error: unknown option"), 0U);
    ASSERT_EQ(RunSmall(out), 0);
    EXPECT_EQ(ResultOf(out), first);
}
