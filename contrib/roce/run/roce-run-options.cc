// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-options.h"

#include "roce-progress.h"

#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"
#include "ns3/scheduler.h"
#include "ns3/simulator.h"

#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr int64_t TRACE_INTERVAL_PS = 10'000'000; //!< --chromeTrace: samples of queues and rates

} // namespace

void
RunOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("seed", "Run number of all random streams", seed);
    cmd.AddValue("scheduler", "ns-3 event scheduler", scheduler);
    cmd.Refuse("SchedulerType", "scheduler");
    cmd.AddValue("stop", "End of the run; 0: when all flows are done", stop);
    cmd.AddValue("safetyLimit",
                 "Without stop: the run ends this long after the last flow's start; 0: no limit",
                 safetyLimit);
    cmd.AddValue("warmup", "Flows that start earlier are left out of statistics", warmup);
    cmd.AddValue("out", "Folder for the results; empty: none", out);
    cmd.AddValue("dryRun",
                 "Set up and validate all, then end before the simulation; leaves no file",
                 dryRun);
    cmd.AddValue("progress",
                 "Progress on standard error: none, text or json (all messages, too)",
                 progress);
    cmd.BeforeChecks("progress", [](const std::string& form) {
        Messages::SetForm(form == "json" ? Messages::Form::JSON : Messages::Form::TEXT);
    });
    for (const SeriesKind& kind : TimeSeries::GetKinds())
    {
        if (!kind.isSwitch)
        {
            cmd.AddValue(kind.option, kind.help, series[kind.option]);
        }
    }
    cmd.AddValue("queueInterval", "The same as queues, for a time between samples", queueInterval);
    cmd.AddValue("rateInterval", "The same as rates, for a time between samples", rateInterval);
    for (const SeriesKind& kind : TimeSeries::GetKinds())
    {
        if (kind.isSwitch)
        {
            cmd.AddValue(kind.option, kind.help, seriesSwitches[kind.option]);
        }
    }
    cmd.AddValue("seriesPorts",
                 "Time series of these ports only, for example nic3,dc0-leaf1:2,dc1-dci0",
                 seriesPorts);
    cmd.AddValue("seriesFlows", "Time series of these flows only, for example 0,3-7", seriesFlows);
    cmd.AddValue("chromeTrace",
                 "Write trace.json, a time line for ui.perfetto.dev; with queues and rates every "
                 "10us unless given",
                 chromeTrace);
    cmd.AddValue("netanim",
                 "Write netanim.xml with the frames sent in a window, for example 0us-50us",
                 netanim);
    cmd.AddValue("pcap", "Ports to capture: all, or for example nic3,dc0-leaf1:2,dc1-dci0", pcap);
    cmd.AddValue("hpccFct", "Write fct.txt as the HPCC simulator does", hpccFct);
    cmd.AddValue("hpccPfc", "Write pfc.txt as the HPCC simulator does", hpccPfc);
    cmd.AddValue("fingerprint", "Hash every departure into summary.json", fingerprint);
    threading.AddOptions(cmd);
}

void
RunOptions::Apply(const CheckedCommandLine& cmd)
{
    const std::pair<const char*, Time> times[] = {{"stop", stop},
                                                  {"safetyLimit", safetyLimit},
                                                  {"warmup", warmup},
                                                  {"queueInterval", queueInterval},
                                                  {"rateInterval", rateInterval}};
    for (const auto& [name, time] : times)
    {
        if (time.IsStrictlyNegative())
        {
            throw InputError(std::string("--") + name + " is negative, expected 0 or more");
        }
    }
    if (stop > TimeStep(Network::LONGEST_RUN_PS))
    {
        throw InputError("--stop is " + std::to_string(stop.GetSeconds()) +
                         " s, expected at most " +
                         std::to_string(TimeStep(Network::LONGEST_RUN_PS).GetSeconds()) + " s");
    }
    Progress::ParseMode(progress);
    for (const char* name : {"queue", "rate"})
    {
        if (cmd.IsGiven(name + std::string("Interval")) && cmd.IsGiven(name + std::string("s")))
        {
            throw InputError(std::string("--") + name + "s with --" + name +
                             "Interval, expected one of them");
        }
    }
    CheckFiles(cmd);
    CheckThreads();
    if (out.empty())
    {
        hpccFct = false;
        hpccPfc = false;
    }
    if (cmd.IsGiven("seed") && cmd.IsGiven("RngRun"))
    {
        throw InputError("--seed with --RngRun, expected one of them");
    }
    if (!cmd.IsGiven("seed"))
    {
        seed = RngSeedManager::GetRun(); // --RngRun
    }
    RngSeedManager::SetRun(seed);
    scheduler = ValueCheck::Factory("--scheduler", scheduler, Scheduler::GetTypeId());
    Simulator::SetScheduler(ObjectFactory(scheduler));
}

/// Refuse files that are asked for without a folder.
void
RunOptions::CheckFiles(const CheckedCommandLine& cmd) const
{
    const TimeSeries::Options options = MakeSeriesOptions();
    std::map<std::string, bool> files{
        {"chromeTrace", chromeTrace},
        {"netanim", NetAnimFile::Window::Parse("--netanim", netanim).IsOn()},
        {"queueInterval", !queueInterval.IsZero()},
        {"rateInterval", !rateInterval.IsZero()},
        {"pcap", !pcap.empty()},
        {"hpccFct", hpccFct},
        {"hpccPfc", hpccPfc}};
    for (const auto& [name, mode] : options.modes)
    {
        files[name] = mode.IsOn();
    }
    for (const auto& [name, isOn] : files)
    {
        if (out.empty() && isOn && cmd.IsGiven(name))
        {
            throw InputError("--" + name + " with an empty --out, expected a folder for its file");
        }
    }
}

/// @return options that change no result
std::set<std::string>
RunOptions::GetWatching() const
{
    std::set<std::string> names{"scheduler",
                                "out",
                                "progress",
                                "queueInterval",
                                "rateInterval",
                                "seriesPorts",
                                "seriesFlows",
                                "chromeTrace",
                                "netanim",
                                "pcap",
                                "hpccFct",
                                "hpccPfc",
                                "fingerprint",
                                "dryRun",
                                "threads",
                                "balance"};
    for (const SeriesKind& kind : TimeSeries::GetKinds())
    {
        names.insert(kind.option);
    }
    return names;
}

/// Refuse what cannot be done by several threads.
void
RunOptions::CheckThreads() const
{
    std::map<std::string, bool> files{{"chromeTrace", chromeTrace},
                                      {"netanim", !netanim.empty()},
                                      {"pcap", !pcap.empty()},
                                      {"hpccPfc", hpccPfc}};
    for (const auto& [name, mode] : MakeSeriesOptions().modes)
    {
        // Rates get every packet even if they are sampled.
        files[name] |= mode.IsOn() && (!mode.IsSampled() || name == "rates");
    }
    threading.Check(files);
}

void
RunOptions::Warn(const std::vector<std::string>& lines)
{
    warnings.insert(warnings.end(), lines.begin(), lines.end());
}

void
RunOptions::WarnUnused(const CheckedCommandLine& cmd,
                       const std::vector<std::vector<UnusedOptions>>& groups)
{
    std::vector<UnusedOptions> all;
    for (const std::vector<UnusedOptions>& group : groups)
    {
        all.insert(all.end(), group.begin(), group.end());
    }
    const std::vector<UnusedOptions> own = GetUnused();
    all.insert(all.end(), own.begin(), own.end());
    Warn(cmd.DescribeUnused(all));
}

std::vector<UnusedOptions>
RunOptions::GetUnused() const
{
    const TimeSeries::Options options = MakeSeriesOptions();
    std::vector<UnusedOptions> unused;
    if (!options.IsOn(SeriesSubject::PORTS))
    {
        unused.push_back({{"seriesPorts"}, "without a time series of ports"});
    }
    if (!options.IsOn(SeriesSubject::FLOWS))
    {
        unused.push_back({{"seriesFlows"}, "without a time series of flows"});
    }
    if (!stop.IsZero())
    {
        unused.push_back({{"safetyLimit"}, "with --stop"});
    }
    return unused;
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
    for (const auto& [name, interval] :
         {std::pair("queues", queueInterval), std::pair("rates", rateInterval)})
    {
        SeriesMode* const mode = &options.modes[name];
        if (!interval.IsZero())
        {
            mode->intervalPs = interval.GetPicoSeconds();
        }
        else if (chromeTrace && !mode->IsOn())
        {
            mode->intervalPs = TRACE_INTERVAL_PS;
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
