// SPDX-License-Identifier: GPL-2.0-only

// What the simulator costs, in ratios that hold on any machine: packet-hops per event of the bare
// event loop, measured in the same process just before and after, with the same scheduler and the
// number of pending events that the scenario really has. A packet-hop is one transmission of a
// data, ACK, NAK or CNP frame by one port; pause frames do not count.
//
// Every case runs in a process of its own, so that peak memory is its own.

#include "../roce-counting-scheduler.h"
#include "tcp-hops.h"

#include "ns3/core-module.h"
#include "ns3/roce-fat-tree-helper.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-scenario.h"
#include "ns3/roce-workload.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

/// One row of the table.
struct Case
{
    std::string name;
    std::string cc;
    std::shared_ptr<const Topology> topology;
    double load;              //!< 0: every host of datacenter 0 sends to its twin in datacenter 1
    int64_t durationPs;       //!< arrivals
    int64_t stopPs;           //!< 0: until all is done
    double interFraction{-1}; //!< see PoissonWorkload
    std::vector<std::string> edge{};   //!< what runs on external switches
    std::vector<std::string> stages{}; //!< what runs on all switches
    std::vector<std::pair<std::string, std::string>>
        defaults{};         //!< attributes, without ns3::roce::
    std::string against{};  //!< law of the row to compare with, if not the same
    bool ecn{true};         //!< switches mark
    std::string tuner{};    //!< what tunes parameters
    std::string baseline{}; //!< name of the row whose CPU time per packet-hop is the unit, if any
};

/// What a child process tells its parent.
struct Result
{
    uint64_t packetHops;
    uint64_t events;
    uint64_t flows;
    double setUpSeconds; //!< CPU time, from the first switch to the last flow
    double cpuSeconds;
    double bareEventsPerSecond;
    double meanPending;
    uint64_t maxPending;
    double peakRssMiB;
};

double
CpuSeconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// A persistent event that schedules itself again, as the module's events do.
struct BareEvent : public EventImpl
{
    explicit BareEvent(int64_t g)
        : gapPs(g)
    {
    }

    void Notify() override
    {
        Ref();
        Simulator::ScheduleWithContext(0, TimeStep(gapPs), this);
    }

    int64_t gapPs;
};

/// @return events per CPU second of the bare loop with that many pending events
double
BareEventsPerSecond(uint64_t pending)
{
    Simulator::SetScheduler(ObjectFactory("ns3::PriorityQueueScheduler"));
    for (uint64_t i = 0; i < pending; ++i)
    {
        const auto step = static_cast<int64_t>(i);
        Simulator::ScheduleWithContext(0,
                                       TimeStep(step * 997 % 1000000),
                                       new BareEvent(1000000 + step * 7919 % 500000));
    }
    // About two million events whatever the number pending.
    Simulator::Stop(TimeStep(static_cast<int64_t>(1250000 * (2e6 / static_cast<double>(pending)))));
    const double start = CpuSeconds();
    Simulator::Run();
    const double seconds = CpuSeconds() - start;
    const auto events = static_cast<double>(Simulator::GetEventCount());
    Simulator::Destroy();
    return events / seconds;
}

/// Build, run and take down the scenario; @return CPU seconds of Simulator::Run()
double
RunScenario(const Case& c, const std::string& scheduler, Result& result)
{
    Simulator::SetScheduler(ObjectFactory(scheduler));
    Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue("ns3::roce::" + c.cc));
    for (const auto& [name, value] : c.defaults)
    {
        Config::SetDefault("ns3::roce::" + name, StringValue(value));
    }
    const double begin = CpuSeconds();
    Network network;
    c.topology->Construct(network);
    Network::Options options;
    options.ecn = c.ecn;
    for (const std::string& stage : c.stages)
    {
        options.stages.emplace_back("ns3::roce::" + stage);
    }
    for (const std::string& stage : c.edge)
    {
        options.stages.emplace_back("ns3::roce::" + stage, SwitchRole::DCI);
    }
    if (!c.tuner.empty())
    {
        options.tuner = ObjectFactory("ns3::roce::" + c.tuner);
    }
    network.Build(options);
    network.AssignStreams(1000000);
    std::vector<FlowSpec> flows;
    if (c.load > 0)
    {
        PoissonWorkload workload;
        workload.hosts = c.topology->GetPlacement();
        workload.capacity = c.topology->GetCapacity(LoadReference::Host);
        workload.load = c.load;
        workload.interFraction = c.interFraction;
        workload.durationPs = c.durationPs;
        workload.stream = 1;
        flows = workload.Generate();
    }
    else
    {
        const uint32_t n = c.topology->GetNicsPerDatacenter();
        for (uint32_t i = 0; i < n; ++i)
        {
            FlowSpec flow;
            flow.src = i;
            flow.dst = n + i;
            flow.sizeBytes =
                static_cast<uint64_t>(static_cast<double>(c.topology->hostRate.GetBitRate()) *
                                      static_cast<double>(c.durationPs) / 8e12);
            flows.push_back(flow);
        }
        SortAndNumber(flows);
    }
    network.InstallFlows(flows);
    if (c.stopPs)
    {
        Simulator::Stop(PicoSeconds(c.stopPs));
    }
    const double start = CpuSeconds();
    result.setUpSeconds = start - begin;
    Simulator::Run();
    const double seconds = CpuSeconds() - start;
    result.packetHops = network.CountPacketHops();
    result.events = Simulator::GetEventCount();
    result.flows = flows.size();
    Simulator::Destroy();
    return seconds;
}

Result
Measure(const Case& c)
{
    Result result{};
    RunScenario(c, "ns3::roce::CountingScheduler", result);
    result.meanPending = static_cast<double>(CountingScheduler::s_sum) /
                         static_cast<double>(CountingScheduler::s_count);
    result.maxPending = CountingScheduler::s_max;
    const auto pending = static_cast<uint64_t>(result.meanPending + 1);
    const double before = BareEventsPerSecond(pending);
    result.cpuSeconds = RunScenario(c, "ns3::PriorityQueueScheduler", result);
    result.bareEventsPerSecond = (before + BareEventsPerSecond(pending)) / 2;
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    result.peakRssMiB = static_cast<double>(usage.ru_maxrss) / 1024;
    return result;
}

/// @param measure called in a process of its own @param result of it
/// @return whether the child lived to tell
template <typename R, typename F>
bool
InChild(F measure, R& result)
{
    int fd[2];
    if (pipe(fd) != 0)
    {
        return false;
    }
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0)
    {
        int status = 1;
        try
        {
            const R mine = measure();
            status = write(fd[1], &mine, sizeof mine) == sizeof mine ? 0 : 1;
        }
        catch (const std::exception& e)
        {
            std::cerr << "error: " << e.what() << std::endl;
        }
        _exit(status);
    }
    close(fd[1]);
    const bool complete = child > 0 && read(fd[0], &result, sizeof result) == sizeof result;
    close(fd[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return complete && status == 0;
}

/// What one more switch costs packets of TCP, beside one more router of ns-3's point-to-point
/// devices: what sockets cost falls out of the difference of a long row and a short one.
bool
CompareTcp(double scale, nlohmann::ordered_json& rows)
{
    double perHop[2];
    for (const bool isPointToPoint : {false, true})
    {
        TcpCost costs[2];
        for (const bool isLong : {false, true})
        {
            const TcpRow row{isPointToPoint,
                             isLong ? 19U : 3U,
                             static_cast<uint64_t>(10e6 * scale)};
            TcpCost& cost = costs[isLong];
            if (!InChild([&row] { return MeasureTcp(row); }, cost))
            {
                std::printf("tcp failed\n");
                return false;
            }
            if (!cost.packetHops)
            {
                return true; // this ns-3 has no such devices
            }
            const std::string name =
                "tcp-" + std::to_string(row.switches) + (isPointToPoint ? "-routers" : "-switches");
            std::printf("%-27s %-17s %6s %9.2f\n",
                        name.c_str(),
                        "TcpCubic",
                        "16",
                        static_cast<double>(cost.packetHops) / cost.cpuSeconds / 1e6);
        }
        perHop[isPointToPoint] = (costs[1].cpuSeconds - costs[0].cpuSeconds) /
                                 static_cast<double>(costs[1].packetHops - costs[0].packetHops);
    }
    std::printf("    %.0f ns per packet and switch more, %.0f ns with ns-3's point-to-point "
                "devices: %.1f times as much\n",
                perHop[0] * 1e9,
                perHop[1] * 1e9,
                perHop[1] / perHop[0]);
    rows.push_back({{"name", "tcp"},
                    {"secondsPerFurtherHop", perHop[0]},
                    {"secondsPerFurtherHopPointToPoint", perHop[1]}});
    return true;
}

std::vector<Case>
Cases(double scale)
{
    const auto ms = [scale](double value) { return static_cast<int64_t>(value * scale * 1e9); };
    const auto copy = [](const auto& topology) {
        return std::make_shared<std::decay_t<decltype(topology)>>(topology);
    };
    std::vector<Case> cases;
    LeafSpineHelper one;
    one.datacenters = 1;
    one.hostsPerLeaf = 16;
    one.fabricRate = DataRate("400Gbps");
    for (const char* cc :
         {"LineRate", "Dcqcn", "Hpcc", "Dctcp", "Timely", "Swift", "PowerTcp", "PowerTcp[Theta=1]"})
    {
        one.leaves = 8;
        cases.push_back({"leaf-spine-128", cc, copy(one), 0.5, ms(4), 0});
    }
    for (const char* cc : {"LineRate", "Dctcp"})
    {
        cases.push_back({"leaf-spine-128", cc, copy(one), 0.5, ms(4), 0, -1, {}, {"PhantomQueue"}});
    }
    cases.push_back({"leaf-spine-128",
                     "Wrcc",
                     copy(one),
                     0.5,
                     ms(4),
                     0,
                     -1,
                     {},
                     {"WrccFairRate"},
                     {},
                     "Dcqcn",
                     false});
    // What monitors and a tuner cost.
    for (const char* tuner : {"", "Paraleon"})
    {
        cases.push_back({"paraleon", "Dcqcn", copy(one), 0.5, ms(4), 0});
        cases.back().tuner = tuner;
    }
    for (const char* cc : {"Dcqcn", "Hpcc"})
    {
        one.leaves = 4;
        cases.push_back({"leaf-spine-64", cc, copy(one), 0.5, ms(8), 0});
        one.leaves = 64;
        cases.push_back({"leaf-spine-1024", cc, copy(one), 0.5, ms(1), 0});
    }
    // 100,000 flows, nearly all of them still to come when it stops: what waiting flows cost.
    cases.push_back({"leaf-spine-1024-100k-flows", "Dcqcn", copy(one), 0.5, 26800000000, ms(1)});
    LeafSpineHelper two;
    two.fabricRate = DataRate("400Gbps");
    two.external.rate = DataRate("400Gbps");
    for (const char* cc : {"Dcqcn", "Hpcc"})
    {
        for (double us : {50, 500, 5000})
        {
            two.wanDelay = MicroSeconds(us);
            cases.push_back({"wan-1.6T-" + std::to_string(static_cast<int>(us)) + "us",
                             cc,
                             copy(two),
                             0,
                             ms(3),
                             0});
        }
    }
    // What edge functions cost: flows half within, half across, so that they see many frames.
    two.wanDelay = MicroSeconds(500);
    for (const std::vector<std::string>& edge :
         std::vector<std::vector<std::string>>{{}, {"ReflexNsf"}, {"ReflexNsf", "ReflexNdt"}})
    {
        cases.push_back({"reflex", "Timely", copy(two), 0.5, ms(20), 0, 0.5, edge});
    }
    // The same with MLCC between the datacenters, beside Hpcc everywhere.
    cases.push_back({"mlcc", "Hpcc", copy(two), 0.5, ms(20), 0, 0.5});
    cases.push_back({"mlcc",
                     "Hpcc",
                     copy(two),
                     0.5,
                     ms(20),
                     0,
                     0.5,
                     {"MlccNearSource", "MlccReceiverSide"},
                     {},
                     {{"Nic::InterCongestionControl", "ns3::roce::Mlcc"}}});
    // The same with BiCC's virtual output queues and near sources, beside DCQCN alone.
    for (const std::vector<std::string>& edge : std::vector<std::vector<std::string>>{{}, {"Bicc"}})
    {
        cases.push_back({"bicc", "Dcqcn", copy(two), 0.5, ms(20), 0, 0.5, edge});
    }
    // What size costs, side by side: 128 hosts; 2,048 hosts and 642 switches, a fifth of the flows
    // over 12.8 Tbit/s and 1 ms; 65,536 hosts and 5,120 switches.
    one.leaves = 8;
    FatTreeHelper trees;
    trees.k = 16;
    trees.wanRate = DataRate("1600Gbps");
    FatTreeHelper large;
    large.datacenters = 1;
    large.k = 64;
    for (const char* cc : {"Dcqcn", "Hpcc"})
    {
        cases.push_back({"scale-128", cc, copy(one), 0.5, ms(4), 0});
        cases.push_back({"scale-2048", cc, copy(trees), 0.5, ms(1), 0, 0.2});
        cases.back().baseline = "scale-128";
        cases.push_back({"scale-65536", cc, copy(large), 0.5, ms(0.02), ms(0.1)});
    }
    // Uno's network and all that Uno is: 256 hosts, a tenth of the flows over the WAN, coded.
    FatTreeHelper uno;
    uno.egressBuffer = QueueSize("1MiB");
    cases.push_back({"uno-2x8ary",
                     "UnoCc",
                     copy(uno),
                     0.4,
                     ms(4),
                     0,
                     0.02,
                     {},
                     {"PhantomQueue"},
                     {{"Nic::LossRecovery", "ns3::roce::UnoErasure"},
                      {"Nic::PathSelector", "ns3::roce::UnoLb"},
                      {"Switch::LosslessClasses", "0"},
                      {"EcnMarker::KminFraction", "0.25"},
                      {"EcnMarker::KmaxFraction", "0.75"},
                      {"EcnMarker::Pmax", "1"},
                      {"EcnMarker::MarkAtEnqueue", "true"}}});
    return cases;
}

int
Run(int argc, char** argv)
{
    std::string json;
    std::string only;
    double scale = 1;
    CheckedCommandLine cmd(__FILE__,
                           "Speed and memory of the simulator, as ratios to the bare event loop.");
    cmd.AddValue("json", "Write the rows to this file as a JSON list", json);
    cmd.AddValue("only", "Run the cases whose name contains this", only);
    cmd.AddValue("scale", "Multiply the simulated durations", scale);
    cmd.Parse(argc, argv);

    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    std::printf("%-27s %-17s %6s %9s %8s %8s %8s %8s %9s %8s %8s %8s\n",
                "case",
                "cc",
                "hosts",
                "Mhops/s",
                "Mevent/s",
                "ev/hop",
                "bare M/s",
                "hop/bare",
                "pending",
                "max pend",
                "RSS MiB",
                "set-up s");
    bool good = true;
    std::map<std::string, double> speeds; // hops per CPU second, by case
    std::map<std::string, double>
        plain; // hops per bare event without edge functions or tuner, by case
    for (const Case& c : Cases(scale))
    {
        if (c.name.find(only) == std::string::npos)
        {
            continue;
        }
        Result r;
        if (!InChild([&c] { return Measure(c); }, r))
        {
            std::printf("%-27s %-17s failed\n", c.name.c_str(), c.cc.c_str());
            good = false;
            continue;
        }
        const auto hosts = c.topology->datacenters * c.topology->GetNicsPerDatacenter();
        const double hopsPerSecond = static_cast<double>(r.packetHops) / r.cpuSeconds;
        const double eventsPerHop =
            static_cast<double>(r.events) / static_cast<double>(r.packetHops);
        std::printf("%-27s %-17s %6u %9.2f %8.2f %8.3f %8.2f %8.3f %9.0f %8llu %8.0f %8.2f\n",
                    c.name.c_str(),
                    c.cc.c_str(),
                    hosts,
                    hopsPerSecond / 1e6,
                    static_cast<double>(r.events) / r.cpuSeconds / 1e6,
                    eventsPerHop,
                    r.bareEventsPerSecond / 1e6,
                    hopsPerSecond / r.bareEventsPerSecond,
                    r.meanPending,
                    static_cast<unsigned long long>(r.maxPending),
                    r.peakRssMiB,
                    r.setUpSeconds);
        const double hopsPerBare = hopsPerSecond / r.bareEventsPerSecond;
        std::string edge = c.tuner;
        for (const auto* stages : {&c.edge, &c.stages})
        {
            for (const std::string& stage : *stages)
            {
                edge += (edge.empty() ? "" : ",") + stage;
            }
        }
        if (edge.empty())
        {
            plain[c.name + " " + c.cc] = hopsPerBare;
        }
        else if (const std::string other = c.name + " " + (c.against.empty() ? c.cc : c.against);
                 plain.count(other))
        {
            std::printf("    with %s: %+.1f %% per packet-hop%s\n",
                        edge.c_str(),
                        100 * (plain[other] / hopsPerBare - 1),
                        c.against.empty() ? "" : (" over " + c.against).c_str());
        }
        speeds[c.name + " " + c.cc] = hopsPerSecond;
        if (const auto unit = speeds.find(c.baseline + " " + c.cc); unit != speeds.end())
        {
            std::printf("    %.2f times the CPU time per packet-hop of %s\n",
                        unit->second / hopsPerSecond,
                        c.baseline.c_str());
        }
        std::fflush(stdout);
        rows.push_back({{"name", c.name},
                        {"cc", c.cc},
                        {"edge", edge},
                        {"hosts", hosts},
                        {"packetHopsPerCpuSecond", hopsPerSecond},
                        {"eventsPerPacketHop", eventsPerHop},
                        {"hopsPerBareEvent", hopsPerBare},
                        {"peakRssMiB", r.peakRssMiB},
                        {"setUpCpuSeconds", r.setUpSeconds},
                        {"packetHops", r.packetHops},
                        {"flows", r.flows},
                        {"bareEventsPerCpuSecond", r.bareEventsPerSecond},
                        {"meanPendingEvents", r.meanPending},
                        {"maxPendingEvents", r.maxPending}});
    }
    if (std::string("tcp").find(only) != std::string::npos)
    {
        good = CompareTcp(scale, rows) && good;
    }
    if (!json.empty())
    {
        const std::string temporary = json + ".tmp";
        std::ofstream file(temporary);
        file << rows.dump(2) << '\n';
        file.close();
        if (!file || std::rename(temporary.c_str(), json.c_str()) != 0)
        {
            throw InputError(json + ": cannot write, expected a writable path");
        }
    }
    return good ? 0 : 1;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Run(argc, argv); });
}
