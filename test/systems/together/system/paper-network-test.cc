// SPDX-License-Identifier: GPL-2.0-only
// Networks of papers: presets, loads of racks and of the WAN apart, flows through a given switch.
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-command-line.h"
#include "ns3/roce-fat-tree-helper.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-path-pin.h"
#include "ns3/roce-workload-options.h"

#include <cmath>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A program's options of topology and workload.
template <typename T>
struct Options
{
    T topology;
    WorkloadOptions workload;
    CheckedCommandLine cmd{"test", "a test"};

    /// @param arguments without the program's name
    explicit Options(std::vector<std::string> arguments)
    {
        workload.AddOptions(cmd);
        cmd.AddTopology(topology);
        arguments.insert(arguments.begin(), "test");
        std::vector<char*> argv;
        for (std::string& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        cmd.Parse(static_cast<int>(argv.size()), argv.data());
    }
};

/// Propagation from a NIC to another one, one way, picoseconds.
int64_t
DelayPs(const Network& net, uint32_t src, uint32_t dst)
{
    int64_t sum = 0;
    for (const Network::PathHop& hop : net.TracePath(src, dst, 1))
    {
        sum += hop.port->GetLink()->GetDelayPs();
    }
    return sum;
}

/// Names of the switches that a flow leaves by.
std::vector<std::string>
SwitchesOf(const Network& net, const FlowSpec& flow)
{
    std::vector<std::string> names;
    for (const Network::PathHop& hop : net.TracePath(flow.src, flow.dst, flow.srcPort))
    {
        names.push_back(net.GetNodeName(hop.port->GetNode()->GetId()));
    }
    return names;
}

bool
Has(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Payload per second of the flows that a condition chooses, bit/s.
template <typename F>
double
Offered(const std::vector<FlowSpec>& flows, double seconds, F&& chosen)
{
    double bytes = 0;
    for (const FlowSpec& flow : flows)
    {
        bytes += chosen(flow) ? static_cast<double>(flow.sizeBytes) : 0;
    }
    return 8 * bytes / seconds;
}

using PaperNetwork = SystemTest;

TEST_F(PaperNetwork, MlccsRoundTripsAndOversubscriptionAreThoseOfItsPaper)
{
    const Options<LeafSpineHelper> o({"--preset=mlcc"});
    Network net;
    o.topology.Construct(net);
    net.Build({});
    EXPECT_EQ(net.GetNNics(), 256u);
    EXPECT_EQ(DelayPs(net, 0, 127), 12 * US) << "1 + 5 + 5 + 1 us within a datacenter";
    EXPECT_EQ(DelayPs(net, 0, 255), 3022 * US) << "the same, two links to DCI switches, 3 ms";
    const double hosts = 32.0 * static_cast<double>(o.topology.hostRate.GetBitRate());
    EXPECT_EQ(hosts / static_cast<double>(o.topology.GetRackUplinkBps()), 4) << "oversubscription";
}

TEST_F(PaperNetwork, MlccsTestbedHasTwoHostsBehindEachToR)
{
    const Options<LeafSpineHelper> o({"--preset=mlcc-testbed", "--wanDelay=20us"});
    Network net;
    o.topology.Construct(net);
    net.Build({});
    EXPECT_EQ(net.GetNNics(), 4u);
    EXPECT_EQ(net.TracePath(0, 3, 1).size(), 5u) << "host, ToR, DCI, DCI, ToR";
    EXPECT_EQ(DelayPs(net, 0, 3), (1 + 1 + 20 + 1 + 1) * US) << "--wanDelay must win";
}

TEST_F(PaperNetwork, WrccsRoundTripsAreThoseOfItsPaper)
{
    const Options<FatTreeHelper> o({"--preset=wrcc"});
    Network net;
    o.topology.Construct(net);
    net.Build({});
    EXPECT_EQ(net.GetNNics(), 64u);
    EXPECT_EQ(2 * DelayPs(net, 0, 31), 12 * US) << "longest round trip within a datacenter";
    EXPECT_EQ(2 * DelayPs(net, 0, 63), 2016 * US) << "between datacenters";
}

TEST_F(PaperNetwork, ParaleonsRoundTripsAndOversubscriptionAreThoseOfItsPaper)
{
    const Options<LeafSpineHelper> o({"--preset=paraleon"});
    Network net;
    o.topology.Construct(net);
    net.Build({});
    EXPECT_EQ(net.GetNNics(), 128u);
    EXPECT_EQ(2 * DelayPs(net, 0, 127), 40 * US) << "between racks";
    EXPECT_EQ(2 * DelayPs(net, 0, 15), 20 * US) << "within one";
    const double hosts = 16.0 * static_cast<double>(o.topology.hostRate.GetBitRate());
    EXPECT_EQ(hosts / static_cast<double>(o.topology.GetRackUplinkBps()), 4) << "oversubscription";
}

TEST_F(PaperNetwork, ParaleonsTestbedIsNotOversubscribed)
{
    const Options<LeafSpineHelper> o({"--preset=paraleon-testbed"});
    const double hosts = 4.0 * static_cast<double>(o.topology.hostRate.GetBitRate());
    EXPECT_EQ(hosts, static_cast<double>(o.topology.GetRackUplinkBps()));
    EXPECT_EQ(o.topology.GetPlacement().nHosts, 32u);
}

TEST_F(PaperNetwork, TrainingTrafficIsThatOfItsOptions)
{
    const Options<LeafSpineHelper> o({"--preset=paraleon",
                                      "--pattern=onoff",
                                      "--workers=10",
                                      "--workerBytes=5000",
                                      "--rounds=3",
                                      "--offTime=7us",
                                      "--workerPlacement=contiguous"});
    const auto flows = o.workload.Generate(o.topology);
    ASSERT_EQ(flows.size(), 3u * 90) << "10 workers, 9 others, 3 rounds";
    for (const FlowSpec& flow : flows)
    {
        EXPECT_LT(std::max(flow.src, flow.dst), 10u) << "the first hosts";
        EXPECT_EQ(flow.sizeBytes, 5000u);
        EXPECT_EQ(flow.startPs, flow.phase == 1 ? 0 : 7 * US) << "phase " << flow.phase;
    }
    const Options<LeafSpineHelper> fixed(
        {"--preset=paraleon", "--pattern=onoff", "--rounds=2", "--roundMode=fixedPeriod"});
    const auto open = fixed.workload.Generate(fixed.topology);
    ASSERT_EQ(open.size(), 2u * 380) << "20 workers";
    EXPECT_EQ(open.back().startPs, 38240 * US) << "18.24 ms ON, 20 ms OFF";
    EXPECT_EQ(open.back().phase, 0u) << "nobody waits";
    EXPECT_EQ(open.back().src, 113u) << "spread over the racks";
}

TEST_F(PaperNetwork, AnInfluxIsDrawnBesideTrainingTraffic)
{
    const Options<LeafSpineHelper> o({"--preset=paraleon",
                                      "--pattern=onoff+poisson",
                                      "--rounds=1",
                                      "--workload=fbhadoop",
                                      "--load=0.3",
                                      "--interFraction=0",
                                      "--poissonStart=10ms",
                                      "--duration=2ms"});
    uint32_t training = 0;
    for (const FlowSpec& flow : o.workload.Generate(o.topology))
    {
        training += flow.tag == 2;
        EXPECT_TRUE(flow.tag == 2 ? flow.startPs == 0
                                  : flow.startPs >= 10000 * US && flow.startPs < 12000 * US)
            << "flow " << flow.id << " of tag " << int(flow.tag) << " starts at " << flow.startPs;
    }
    EXPECT_EQ(training, 380u);
}

TEST_F(PaperNetwork, OptionsBesideAPresetWinWhereverTheyStand)
{
    const Options<LeafSpineHelper> before({"--hostsPerLeaf=3", "--preset=mlcc"});
    const Options<LeafSpineHelper> behind({"--preset=mlcc", "--hostsPerLeaf=3"});
    EXPECT_EQ(before.topology.hostsPerLeaf, 3u);
    EXPECT_EQ(behind.topology.hostsPerLeaf, 3u);
    EXPECT_EQ(before.topology.spines, 2u) << "the preset's own";
    EXPECT_TRUE(before.cmd.IsGiven("hostsPerLeaf"));
    EXPECT_FALSE(before.cmd.IsGiven("spines")) << "a preset's options were not given one by one";
    EXPECT_EQ(before.cmd.GetValues().at("preset"), "mlcc");
    EXPECT_EQ(before.cmd.GetValues().at("spines"), "2") << "summary.json has what is in force";
}

TEST_F(PaperNetwork, UnknownPresetsAreRefused)
{
    const auto message = [](const std::string& name) {
        return ErrorOf([&] { Options<LeafSpineHelper> o({"--preset=" + name}); });
    };
    EXPECT_EQ(message("mlc"),
              "--preset is 'mlc', expected dual-tor, lcmp8, mlcc, mlcc-testbed, paraleon, "
              "paraleon-testbed, rail-optimised");
    EXPECT_EQ(message(""), "no error") << "none";
}

TEST_F(PaperNetwork, LoadsOfRacksAndOfTheWanAreOfferedApart)
{
    const Options<LeafSpineHelper> o({"--preset=mlcc",
                                      "--load=0.5",
                                      "--loadReference=uplink",
                                      "--interRackOnly",
                                      "--interLoad=0.2",
                                      "--workload=fbhadoop",
                                      "--duration=40ms"});
    const auto flows = o.workload.Generate(o.topology);
    const HostPlacement hosts = o.topology.GetPlacement();
    const auto inter = [&](const FlowSpec& f) {
        return hosts.datacenterOf[f.src] != hosts.datacenterOf[f.dst];
    };
    const double intraBps = Offered(flows, 0.04, [&](const FlowSpec& f) { return !inter(f); });
    EXPECT_NEAR(intraBps, 2 * 400e9, 40e9) << "half of 2 x 800 Gbit/s of uplinks";
    for (const uint32_t dc : {0u, 1u})
    {
        EXPECT_NEAR(
            Offered(flows,
                    0.04,
                    [&](const FlowSpec& f) { return inter(f) && hosts.datacenterOf[f.src] == dc; }),
            20e9,
            6e9)
            << "a fifth of 100 Gbit/s, from datacenter " << dc;
    }
    EXPECT_EQ(
        Offered(flows,
                1,
                [&](const FlowSpec& f) { return hosts.rackOf[f.src] == hosts.rackOf[f.dst]; }),
        0)
        << "within a rack";
}

TEST_F(PaperNetwork, FlowsWithinDoNotDependOnTheLoadOfTheWan)
{
    const auto within = [](const char* interLoad) {
        const Options<LeafSpineHelper> o(
            {"--preset=mlcc", "--loadReference=uplink", interLoad, "--duration=2ms"});
        const HostPlacement hosts = o.topology.GetPlacement();
        std::vector<int64_t> starts;
        for (const FlowSpec& f : o.workload.Generate(o.topology))
        {
            if (hosts.datacenterOf[f.src] == hosts.datacenterOf[f.dst])
            {
                starts.push_back(f.startPs);
            }
        }
        return starts;
    };
    EXPECT_EQ(within("--interLoad=0.1"), within("--interLoad=0.9"));
}

TEST_F(PaperNetwork, FlowsGoThroughTheSwitchesThatAreNamed)
{
    const Options<LeafSpineHelper> o({"--preset=mlcc", "--hostsPerLeaf=4"});
    Network net;
    o.topology.Construct(net);
    net.Build({});
    std::vector<FlowSpec> flows;
    for (uint32_t h = 0; h < 4; ++h)
    {
        for (const uint32_t dst : {4 + h, 16 + h, 1 - h % 2}) // rack 2, other datacenter, own rack
        {
            if (dst == h)
            {
                continue;
            }
            FlowSpec flow;
            flow.id = flows.size();
            flow.src = h;
            flow.dst = dst;
            flows.push_back(flow);
        }
    }
    PinThrough(net, "dc0-spine1,dc1-spine0", flows);
    for (const FlowSpec& flow : flows)
    {
        const auto names = SwitchesOf(net, flow);
        const bool leavesRack = flow.dst >= 4;
        EXPECT_EQ(Has(names, "dc0-spine1"), leavesRack) << flow.src << " to " << flow.dst;
        EXPECT_FALSE(Has(names, "dc0-spine0")) << flow.src << " to " << flow.dst;
        EXPECT_EQ(Has(names, "dc1-spine0"), flow.dst >= 16) << flow.src << " to " << flow.dst;
    }
}

TEST_F(PaperNetwork, SwitchesThatNoFlowCanPassAreRefused)
{
    const Options<LeafSpineHelper> o({"--preset=mlcc", "--hostsPerLeaf=4"});
    Network net;
    o.topology.Construct(net);
    net.Build({});
    FlowSpec flow;
    flow.src = 0;
    flow.dst = 4;
    for (const char* name : {"dc0-spine7", "dc1-spine0", "dc0-spine0,"})
    {
        std::vector<FlowSpec> flows{flow};
        const std::string message = ErrorOf([&] { PinThrough(net, name, flows); });
        EXPECT_EQ(message == "no error", std::string(name) == "dc0-spine0,") << message;
    }
    flow.srcPort = 7;
    std::vector<FlowSpec> own{flow};
    ErrorOf([&] { PinThrough(net, "dc0-spine0", own); });
    EXPECT_EQ(own[0].srcPort, 7) << "a flow's own source port stays";
}

} // namespace
