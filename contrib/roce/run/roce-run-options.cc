// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-options.h"

#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-mpi-ranks.h"
#include "ns3/scheduler.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <utility>

namespace ns3::roce
{

void
ThreadOptions::AddOptions(OptionTable& table)
{
    table
        .AddOptional("threads",
                     "Threads that run the simulation, with the same results; or auto, as many as "
                     "the machine has",
                     threads,
                     "auto",
                     Range::Within(1, MOST))
        .OnlyWatches();
    table
        .AddValue("balance",
                  "Run in one thread as if in this many, and print how well they would be used; "
                  "0: no",
                  balance,
                  Range::Within(2, MOST).Or(0))
        .OnlyWatches();
}

void
ThreadOptions::Check() const
{
    const bool shared = MpiRanks::Get();
    if (shared && balance)
    {
        throw InputError("--balance with several processes (mpirun), expected one");
    }
    if (shared && !threads)
    {
        throw InputError("--threads=auto with several processes (mpirun), expected a number for "
                         "each of them");
    }
    if (balance && threads != 1U)
    {
        throw InputError("--balance with --threads, expected one of them");
    }
}

void
ThreadOptions::Expect(Network& network) const
{
    if (const RankExchange* ranks = MpiRanks::Get())
    {
        network.ExpectRanks(*ranks, threads.value_or(0));
    }
}

void
ThreadOptions::Apply(Network& network) const
{
    if (RankExchange* ranks = MpiRanks::Get())
    {
        network.SetRanks(*ranks, threads.value_or(0));
    }
    else if (balance)
    {
        network.MeasureBalance(balance);
    }
    else if (const unsigned n = threads.value_or(0); n != 1)
    {
        network.SetThreads(n);
    }
}

void
ThreadOptions::PrintBalance(std::ostream& out, const Network& network) const
{
    if (!balance)
    {
        return;
    }
    const ParallelRun& run = *network.GetParallelRun();
    const ParallelRun::Balance& cost = run.GetBalance();
    const auto ms = [](int64_t ns) { return static_cast<double>(ns) / 1e6; };
    std::ostringstream text;
    text << std::fixed << std::setprecision(2) << "balance: " << run.GetNThreads() << " threads, "
         << run.GetNPartitions() << " partitions, " << run.GetNCut() / 2 << " links cut, "
         << cost.windows << " windows of at most " << static_cast<double>(run.GetWindowPs()) / 1e6
         << " us in " << run.GetNRounds() << " rounds; work " << ms(cost.workNs)
         << " ms, longest thread of each round " << ms(cost.longestNs) << " ms, between rounds "
         << ms(cost.serialNs) << " ms: parallelism "
         << static_cast<double>(cost.workNs + cost.serialNs) /
                static_cast<double>(std::max<int64_t>(1, cost.longestNs + cost.serialNs))
         << "\n";
    out << text.str();
}

namespace
{

constexpr int64_t TRACE_INTERVAL_PS = 10'000'000; //!< --chromeTrace: samples of queues and rates

} // namespace

void
RunOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("seed", "Run number of all random streams", seed);
    cmd.AddFactory("scheduler", "ns-3 event scheduler", scheduler, Scheduler::GetTypeId())
        .Replaces("SchedulerType")
        .OnlyWatches();
    cmd.AddValue("stop",
                 "End of the run; 0: when all flows are done",
                 stop,
                 Range::Within(0, static_cast<double>(Network::LONGEST_RUN_PS)));
    cmd.AddValue("safetyLimit",
                 "Without stop: the run ends this long after the last flow's start; 0: no limit",
                 safetyLimit)
        .UnusedIf([this] { return !stop.IsZero(); }, "with --stop");
    cmd.AddValue("warmup", "Flows that start earlier are left out of statistics", warmup);
    cmd.AddValue("out", "Folder for the results; empty: none", out).OnlyWatches();
    cmd.AddValue("dryRun",
                 "Set up and validate all, then end before the simulation; leaves no file",
                 dryRun)
        .OnlyWatches();
    cmd.AddValue("draw", "Draw the network as a page (HTML) into this file; also with dryRun", draw)
        .OnlyWatches();
    programs.AddOptions(cmd);
    cmd.AddChoice("progress",
                  "Progress on standard error: none, text or json (all messages, too)",
                  progress,
                  {{"none", Progress::Mode::NONE},
                   {"text", Progress::Mode::TEXT},
                   {"json", Progress::Mode::JSON}})
        .BeforeChecks([](const std::string& form) {
            Messages::SetForm(form == "json" ? Messages::Form::JSON : Messages::Form::TEXT);
        })
        .OnlyWatches();
    AddSeries(cmd);
    AddFiles(cmd);
    cmd.AddValue("fingerprint", "Hash every departure into summary.json", fingerprint)
        .OnlyWatches();
    threading.AddOptions(cmd);
}

void
RunOptions::AddSeries(CheckedCommandLine& cmd)
{
    for (const SeriesKind& kind : TimeSeries::GetKinds())
    {
        if (kind.isSwitch)
        {
            cmd.AddValue(kind.option, kind.help, seriesSwitches[kind.option]).OnlyWatches();
        }
        else
        {
            cmd.AddValue(kind.option, kind.help, series[kind.option]).OnlyWatches();
        }
    }
    cmd.AddRemoved("queueInterval", "--queues=TIME");
    cmd.AddRemoved("rateInterval", "--rates=TIME");
    const auto isOff = [this](SeriesSubject subject) {
        return [this, subject] { return !MakeSeriesOptions().IsOn(subject); };
    };
    cmd.AddValue("seriesPorts",
                 "Time series of these ports only, for example nic3,dc0-leaf1:2,dc1-dci0",
                 seriesPorts)
        .OnlyWatches()
        .UnusedIf(isOff(SeriesSubject::PORTS), "without a time series of ports");
    cmd.AddValue("seriesFlows", "Time series of these flows only, for example 0,3-7", seriesFlows)
        .OnlyWatches()
        .UnusedIf(isOff(SeriesSubject::FLOWS), "without a time series of flows");
}

void
RunOptions::AddFiles(CheckedCommandLine& cmd)
{
    m_files.clear();
    const auto add = [&](const char* name, const char* help, auto& value, auto isOn) -> Option& {
        m_files.push_back({&value, isOn});
        return cmd.AddValue(name, help, value).OnlyWatches();
    };
    add("chromeTrace",
        "Write trace.json, a time line for ui.perfetto.dev; with queues and rates every 10us "
        "unless given",
        chromeTrace,
        [this] { return chromeTrace; });
    add("netanim",
        "Write netanim.xml with the frames sent in a window, for example 0us-50us",
        netanim,
        [this] { return NetAnimFile::Window::Parse("--netanim", netanim).IsOn(); });
    add("pcap", "Ports to capture: all, or for example nic3,dc0-leaf1:2,dc1-dci0", pcap, [this] {
        return !pcap.empty();
    });
    add("operations",
        "Write operations.csv: when each operation of ranks began and was done",
        operations,
        [this] { return operations; });
    add("hpccFct", "Write fct.txt as the HPCC simulator does", hpccFct, [this] { return hpccFct; });
    add("hpccPfc", "Write pfc.txt as the HPCC simulator does", hpccPfc, [this] { return hpccPfc; });
    add("flowMonitor",
        "Write flowmon.xml of ns-3's FlowMonitor for TCP flows",
        flowMonitor,
        [this] { return flowMonitor; })
        .UnusedIf([this] { return tcpLaws.empty(); }, "without TCP flows");
    const auto addSeries = [&](const void* variable, const std::string& name) {
        m_files.push_back(
            {variable, [this, name] { return MakeSeriesOptions().modes[name].IsOn(); }});
    };
    for (const auto& [name, text] : series)
    {
        addSeries(&text, name);
    }
    for (const auto& [name, on] : seriesSwitches)
    {
        addSeries(&on, name);
    }
}

void
RunOptions::Apply(const CheckedCommandLine& cmd)
{
    CheckFiles(cmd);
    if (out.empty())
    {
        hpccFct = false;
        hpccPfc = false;
    }
    SetSeed(cmd.IsGivenFor(&seed), cmd.IsGiven("RngRun"));
    scheduler = ValueCheck::Factory("event scheduler", scheduler, Scheduler::GetTypeId());
    Simulator::SetScheduler(ObjectFactory(scheduler));
}

/// @param isGiven seed is given @param isRunGiven ns-3's own name of it is
void
RunOptions::SetSeed(bool isGiven, bool isRunGiven)
{
    if (isGiven && isRunGiven)
    {
        throw InputError("--seed with --RngRun, expected one of them");
    }
    if (!isGiven)
    {
        seed = RngSeedManager::GetRun(); // --RngRun
    }
    RngSeedManager::SetRun(seed);
}

/// Refuse files that are asked for without a folder.
void
RunOptions::CheckFiles(const CheckedCommandLine& cmd) const
{
    for (const File& file : m_files)
    {
        const std::string& name = cmd.NameFor(file.variable);
        if (out.empty() && file.isOn() && cmd.IsGiven(name))
        {
            throw InputError("--" + name + " with an empty --out, expected a folder for its file");
        }
    }
    threading.Check();
}

void
RunOptions::Warn(const std::vector<std::string>& lines)
{
    warnings.insert(warnings.end(), lines.begin(), lines.end());
}

TimeSeries::Options
RunOptions::MakeSeriesOptions() const
{
    TimeSeries::Options options;
    for (const auto& [name, text] : series)
    {
        options.modes[name] = SeriesMode::Parse("--" + name, text);
    }
    for (const auto& [name, on] : seriesSwitches)
    {
        options.modes[name].onChange = on;
    }
    for (const char* name : {"queues", "rates"})
    {
        if (chromeTrace && !options.modes[name].IsOn())
        {
            options.modes[name].intervalPs = TRACE_INTERVAL_PS;
        }
    }
    options.chromeTrace = chromeTrace;
    std::istringstream ports(seriesPorts);
    for (std::string port; std::getline(ports, port, ',');)
    {
        options.ports.push_back(port);
    }
    options.flows = TimeSeries::ParseFlows(seriesFlows, "--seriesFlows");
    return options;
}

} // namespace ns3::roce
