// SPDX-License-Identifier: GPL-2.0-only
// What a program must not do with the module, and what looks as if but is legitimate: all of it
// ends well, or with one InputError that says what was expected.
#include "api-misuse-cases.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/roce-error-model-loss.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A call on a network that is not built.
Case
Early(const char* name, std::function<void(Network&)> call)
{
    return {name,
            [call = std::move(call)](World& w) {
                w.Make(false);
                call(*w.net);
            },
            "before Build(), expected after"};
}

/// A call on a network that is built.
Case
Late(const char* name, std::function<void(Network&)> call)
{
    return {name,
            [call = std::move(call)](World& w) {
                w.Make();
                call(*w.net);
            },
            "after Build(), expected before"};
}

/// A call behind the end.
Case
Ended(const char* name, std::function<void(Network&)> call)
{
    return {name,
            [call = std::move(call)](World& w) {
                w.Make();
                w.Install();
                Simulator::Stop(MicroSeconds(50));
                Simulator::Run();
                Simulator::Destroy();
                call(*w.net);
            },
            "after Simulator::Destroy(), expected before"};
}

/// A call with numbers that do not exist. @param error part of the line
Case
Number(const char* name, std::function<void(Network&)> call, const char* error)
{
    return {name,
            [call = std::move(call)](World& w) {
                w.Make();
                call(*w.net);
            },
            error};
}

/// @param lawful changes what the rate law does @param error part of the line
Case
Law(const char* name, std::function<void(Behaviour&)> change, const char* error)
{
    return {name,
            [change = std::move(change)](World& w) {
                SetRateLaw("test::MisuseLaw");
                change(g_behaviour);
                w.Make();
                w.Install();
                w.Run();
            },
            error};
}

Ptr<CongestionControl>
Prototype(const char* type)
{
    return ObjectFactory(type).Create<CongestionControl>();
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(MisuseLaw);
NS_OBJECT_ENSURE_REGISTERED(MisuseSelector);

TEST(ApiMisuse, CallsTooEarlyOrTooLate)
{
    const DataRate rate("100Gbps");
    const Time delay = MicroSeconds(1);
    Try({
        Early("flows", [](Network& n) { n.InstallFlows(World::Flows(2)); }),
        Early("path", [](Network& n) { n.TracePath(0, 1, 1); }),
        Early("path info", [](Network& n) { n.GetPath(0, 1, 1); }),
        Early("ideal", [](Network& n) { n.GetIdeal(World::Flows(1)[0]); }),
        Early("NIC choice",
              [](Network& n) {
                  std::vector<FlowSpec> flows = World::Flows(1);
                  n.ChooseNics(flows, NicRule::HASH);
              }),
        Early("joined", [](Network& n) { n.AreJoined(0, 1); }),
        Early("rack", [](Network& n) { n.GetRack(0); }),
        Early("role", [](Network& n) { n.HasRole(0, SwitchRole::TOR); }),
        Early("streams", [](Network& n) { n.AssignStreams(0); }),
        Early("threads", [](Network& n) { n.SetThreads(2); }),
        Early("balance", [](Network& n) { n.MeasureBalance(2); }),
        Early("audit", [](Network& n) { n.Audit(true); }),
        Early("counters", [](Network& n) { n.GetCounters(); }),
        Early("failure", [](Network& n) { n.FailLink(0); }),
        Early("repair", [](Network& n) { n.RepairLink(0); }),
        Early("change", [](Network& n) { n.ScheduleLinkChange(US, 0, false); }),
        Early("retune", [](Network& n) { n.Retune(false, Prototype("ns3::roce::Dcqcn")); }),
        Late("build", [](Network& n) { n.Build(); }),
        Late("host", [](Network& n) { n.AddHost("late", 0); }),
        Late("switch", [](Network& n) { n.AddSwitch("late", 0); }),
        Late("internal switch", [](Network& n) { n.AddInternalSwitch("late", 0); }),
        Late("NIC", [=](Network& n) { n.AddNic(0, 0, rate, delay); }),
        Late("link", [=](Network& n) { n.Connect(0, 1, rate, delay); }),
        Late("long link", [=](Network& n) { n.ConnectLong(0, 1, rate, delay); }),
        Ended("NIC", [](Network& n) { n.GetNic(0)->GetNQps(); }),
        Ended("switch", [](Network& n) { n.GetSwitch(0)->GetName(); }),
        Ended("link", [](Network& n) { n.GetLink(0); }),
        Ended("ports", [](Network& n) { n.GetPorts(); }),
        Ended("counters", [](Network& n) { n.GetCounters(); }),
        Ended("audit", [](Network& n) { n.Audit(false); }),
        Ended("flows", [](Network& n) { n.InstallFlows(World::Flows(2)); }),
        Ended("host", [](Network& n) { n.AddHost("late", 0); }),
        Ended("build", [](Network& n) { n.Build(); }),
        Midway(
            "streams",
            [](World& w) { w.net->AssignStreams(9); },
            "while the simulation is on"),
        {"Build() that has failed",
         [=](World& w) {
             w.Make(false);
             const uint32_t far = w.net->AddSwitch("far", 0);
             w.net->AddNic(w.net->AddHost("z", 0), far, rate, delay);
             EXPECT_NE(ErrorOf([&] { w.net->Build(); }).find("no path"), std::string::npos);
             EXPECT_NE(ErrorOf([&] { w.net->InstallFlows(World::Flows(1)); }).find("has failed"),
                       std::string::npos);
             w.net->Connect(0, far, rate, delay);
         },
         "after a Build() that has failed, expected a new Network"},
    });
}

TEST(ApiMisuse, NumbersThatDoNotExist)
{
    const DataRate rate("100Gbps");
    const Time delay = MicroSeconds(1);
    const auto flow = [](uint32_t dst, int64_t startPs = 0) {
        return std::vector<FlowSpec>{Flow(0, dst, 1000, startPs)};
    };
    Try({
        Number(
            "NIC",
            [](Network& n) { n.GetNic(7); },
            "NIC 7 does not exist, expected 0 to 2"),
        Number(
            "switch",
            [](Network& n) { n.GetSwitch(7); },
            "switch 7 does not exist"),
        Number(
            "port",
            [](Network& n) { n.GetSwitch(0)->GetPort(70); },
            "port 70 does not exist"),
        Number(
            "queue",
            [](Network& n) { n.GetSwitch(0)->GetQueue(70); },
            "port 70 does not"),
        Number(
            "link",
            [](Network& n) { n.GetLink(99); },
            "link 99 does not exist"),
        Number(
            "failure",
            [](Network& n) { n.FailLink(99); },
            "link 99 does not exist"),
        Number(
            "later",
            [](Network& n) { n.ScheduleLinkChange(US, 9, false); },
            "link 9 does not"),
        Number(
            "directions",
            [](Network& n) { n.FailLink(0, 77); },
            "directions are 77"),
        Number(
            "no direction",
            [](Network& n) { n.RepairLink(0, 0); },
            "directions are 0"),
        Number(
            "path",
            [](Network& n) { n.TracePath(0, 99, 1); },
            "NIC 99 does not exist"),
        Number(
            "path from",
            [](Network& n) { n.GetPath(99, 0, 1); },
            "NIC 99 does not exist"),
        Number(
            "ideal",
            [=](Network& n) { n.GetIdeal(flow(99)[0]); },
            "NIC 99 does not exist"),
        Number(
            "NICs of a host",
            [](Network& n) { n.GetNicsOfHost(99); },
            "host 99 does not exist"),
        Number(
            "rack",
            [](Network& n) { n.GetRack(3); },
            "NIC 3 does not exist"),
        Number(
            "datacenter",
            [](Network& n) { n.GetDatacenter(3); },
            "NIC 3 does not exist"),
        Number(
            "name",
            [](Network& n) { n.GetNicName(3); },
            "NIC 3 does not exist"),
        Number(
            "role",
            [](Network& n) { n.HasRole(1, SwitchRole::TOR); },
            "switch 1 does not"),
        Number(
            "flow",
            [=](Network& n) { n.InstallFlows(flow(9)); },
            "NIC 9 does not exist"),
        Number(
            "itself",
            [=](Network& n) { n.InstallFlows(flow(0)); },
            "the same NIC"),
        Number(
            "start",
            [=](Network& n) { n.InstallFlows(flow(1, -5)); },
            "start is -5 ps"),
        Number(
            "reroute",
            [](Network& n) { n.SetReroute(-5); },
            "the delay is negative"),
        Number(
            "queue pair to nobody",
            [](Network& n) { n.GetNic(0)->OpenQp(9, 2, 3, 1, true); },
            "NIC 9 does not exist"),
        Number(
            "class",
            [](Network& n) { n.GetNic(0)->OpenQp(1, 2, 9, 1, true); },
            "a class from 0 to 7"),
        Number(
            "queue pair to itself",
            [](Network& n) { n.GetNic(0)->OpenQp(0, 2, 3, 1, true); },
            "expected another NIC"),
        Number(
            "message of none",
            [](Network& n) { n.GetNic(0)->Post(nullptr, 1, 0); },
            "a queue pair of this NIC"),
        Number(
            "no stage",
            [](Network& n) { n.GetSwitch(0)->Install(nullptr); },
            "stage is null"),
        Number(
            "stage twice",
            [](Network& n) { n.GetSwitch(0)->Install(n.GetSwitch(0)->GetStages()[0]); },
            "installed already"),
        Number(
            "no queues",
            [](Network& n) { n.GetSwitch(0)->SetQueue(0, nullptr); },
            "are null"),
        Number(
            "no such queue pair",
            [](Network& n) { EXPECT_EQ(n.GetNic(0)->GetQp(12345), nullptr); },
            ""),
        Number(
            "path to itself",
            [](Network& n) { EXPECT_EQ(n.TracePath(1, 1, 1).size(), 2U); },
            ""),
        Number(
            "balance of nothing",
            [](Network& n) { n.MeasureBalance(0); },
            "of 0 threads"),
        Number(
            "as many threads as cores",
            [](Network& n) { EXPECT_GE(n.SetThreads(0), 1U); },
            ""),
        {"host and switch",
         [=](World& w) {
             w.Make(false);
             EXPECT_NE(ErrorOf([&] { w.net->AddNic(9, 0, rate, delay); }).find("host 9"),
                       std::string::npos);
             w.net->AddNic(0, 9, rate, delay);
         },
         "switch 9 does not exist, expected 0 to 0"},
    });
}

TEST(ApiMisuse, AttributesAfterBuild)
{
    const auto set = [](const char* name, const AttributeValue& value) {
        return [name, copy = value.Copy()](Network& n) {
            const Ptr<Nic> nic = n.GetNic(0);
            nic->SetAttribute(name, *copy);
        };
    };
    const auto mtu = set("PathMtu", UintegerValue(1000));
    Try({
        Number("MTU", mtu, "ns3::roce::Nic::PathMtu is set after Network::Build()"),
        Number("rate", set("DataRate", StringValue("1Gbps")), "ns3::roce::Port::DataRate"),
        Number("law", set("CongestionControl", StringValue("ns3::roce::Hpcc")), "is set after"),
        Number(
            "switch",
            [](Network& n) { n.GetSwitch(0)->SetAttribute("BufferSize", StringValue("1kB")); },
            "ns3::roce::Switch::BufferSize is set after"),
        Number(
            "delay",
            [](Network& n) { n.GetLink(0).SetAttribute("Delay", TimeValue(NanoSeconds(1))); },
            "ns3::roce::Link::Delay is set after"),
        Number(
            "by a path",
            [](Network&) {
                Config::Set("/NodeList/*/DeviceList/*/$ns3::roce::Port/DataRate",
                            StringValue("1Gbps"));
            },
            "is set after Network::Build()"),
        Midway(
            "MTU",
            [mtu](World& w) { mtu(*w.net); },
            "is set after Network::Build()"),
        {"before Build()",
         [=](World& w) {
             w.Make(false);
             mtu(*w.net);
             w.net->Build();
             w.Install();
             w.Run();
             EXPECT_EQ(w.net->GetNic(0)->GetCounters().dataSent, 1000U);
         },
         ""},
        Number("loss model", set("LossModel", PointerValue(CreateObject<ErrorModelLoss>())), ""),
    });
}

TEST(ApiMisuse, RateLaws)
{
    const auto rate = [](uint64_t bps) {
        return [bps](Behaviour& b) { b.onAck = [bps](uint64_t& r, uint64_t&) { r = bps; }; };
    };
    const auto window = [](uint64_t bytes) {
        return [bytes](Behaviour& b) { b.onAck = [bytes](uint64_t&, uint64_t& w) { w = bytes; }; };
    };
    const char* const outOfRange = "ns3::roce::test::MisuseLaw sets a rate of ";
    Try({
        Law("rate 0", rate(0), outOfRange),
        Law("negative", rate(static_cast<uint64_t>(int64_t{-5})), outOfRange),
        // What x86 makes of NaN.
        Law("not a number", rate(uint64_t{1} << 63), outOfRange),
        Law("largest", rate(UINT64_MAX), outOfRange),
        Law(
            "rate 0 from the start",
            [](Behaviour& b) { b.onStart = [](uint64_t& r, uint64_t&) { r = 0; }; },
            outOfRange),
        Law(
            "negative from the start",
            [](Behaviour& b) { b.onStart = [](uint64_t& r, uint64_t&) { r = UINT64_MAX; }; },
            outOfRange),
        Law(
            "no copy",
            [](Behaviour& b) { b.lawForks = false; },
            "MisuseLaw::Fork() returns null"),
        Law(
            "no feedback",
            [](Behaviour& b) { b.makesFeedback = false; },
            "MisuseLaw::MakeFeedback() returns null"),
        Law("slow", rate(1), ""),
        Law("no window", window(0), ""),
        Law("small window", window(1), ""),
        Law(
            "no window from the start",
            [](Behaviour& b) { b.onStart = [](uint64_t&, uint64_t& w) { w = 0; }; },
            ""),
        Law(
            "changes now",
            [](Behaviour& b) { b.nextChangePs = [](int64_t now) { return now; }; },
            ""),
        Law(
            "changes in the past",
            [](Behaviour& b) { b.nextChangePs = [](int64_t) { return 1; }; },
            ""),
        Midway(
            "retuned by nothing",
            [](World& w) { w.net->Retune(false, nullptr); },
            "without a"),
        Midway(
            "retuned by another",
            [](World& w) { w.net->Retune(false, Prototype("ns3::roce::Hpcc")); },
            "cannot take over parameters of ns3::roce::Hpcc"),
        InSink(
            "retuned by a sink",
            [](World& w) { w.net->Retune(false, Prototype("ns3::roce::Dcqcn")); },
            "by a sink of the NIC's traces"),
        {"selector without a copy",
         [](World& w) {
             Config::SetDefault("ns3::roce::Nic::PathSelector",
                                StringValue("ns3::roce::test::MisuseSelector"));
             w.Make();
             w.Install();
             w.Run();
             g_behaviour.selectorForks = false;
             w.Install();
             w.Run();
         },
         "MisuseSelector::Fork() returns null"},
    });
}
