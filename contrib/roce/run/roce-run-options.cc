// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-options.h"

#include "roce-class-check.h"
#include "roce-pfc-log.h"
#include "roce-progress.h"
#include "roce-result-parts.h"
#include "roce-tuning-file.h"
#include "roce-values-in-force.h"

#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-interruption.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-mpi-ranks.h"
#include "ns3/roce-tuner.h"
#include "ns3/scheduler.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr int64_t TRACE_INTERVAL_PS = 10'000'000; //!< --chromeTrace: samples of queues and rates

/// Say something on standard error and keep it for summary.json, unless it is empty.
void
WarnNow(std::vector<std::string>& warnings, const std::string& line)
{
    if (!line.empty())
    {
        warnings.push_back(OneLine(line));
        Messages::Say("warning", warnings.back());
    }
}

/// What summary.json calls the ends of a run. @param end one @return its name
const char*
NameOf(RunCollector::End end)
{
    switch (end)
    {
    case RunCollector::End::FLOWS_DONE:
        return "flowsDone";
    case RunCollector::End::STALLED:
        return "stalled";
    case RunCollector::End::STOP:
        return "stop";
    case RunCollector::End::SAFETY_LIMIT:
        return "safetyLimit";
    case RunCollector::End::INTERRUPTED:
        return "interrupted";
    }
    return "";
}

/// @return what is to be said of a warm-up that leaves no flow, or nothing
std::string
DescribeWarmup(const Time& warmup, const std::vector<FlowSpec>& flows)
{
    const bool counted = std::any_of(flows.begin(), flows.end(), [&warmup](const FlowSpec& flow) {
        return !flow.IsScheduled() || flow.startPs >= warmup.GetPicoSeconds();
    });
    std::ostringstream text;
    if (!counted)
    {
        text << "a warm-up of " << warmup.GetSeconds() * 1e3
             << " ms leaves no flow for statistics: the last one starts at "
             << static_cast<double>(FlowOrder::LastScheduledPs(flows)) / 1e9 << " ms";
    }
    return text.str();
}

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

RunCollector::Options
RunOptions::MakeCollectorOptions(int64_t lastStartPs) const
{
    RunCollector::Options options;
    options.stopPs = stop.IsZero() ? Network::LONGEST_RUN_PS : stop.GetPicoSeconds();
    if (stop.IsZero() && !safetyLimit.IsZero())
    {
        options.safetyLimitPs = std::min(safetyLimit.GetPicoSeconds(), Network::LONGEST_RUN_PS);
        options.stopPs =
            lastStartPs + std::min(options.safetyLimitPs, Network::LONGEST_RUN_PS - lastStartPs);
    }
    options.series = MakeSeriesOptions();
    options.netanim = NetAnimFile::Window::Parse("--netanim", netanim);
    options.fingerprint = fingerprint;
    options.isSilent = !MpiRanks::IsFirst();
    options.ideal = ideal;
    std::istringstream ports(pcap);
    for (std::string port; std::getline(ports, port, ',');)
    {
        options.pcap.push_back(port);
    }
    return options;
}

/// @return the folder's writer, which knows by now that everything can be written; null without
std::unique_ptr<RunWriter>
RunOptions::MakeWriter(const std::vector<FlowSpec>& flows) const
{
    if (out.empty() || !MpiRanks::IsFirst())
    {
        return nullptr;
    }
    auto writer = std::make_unique<RunWriter>(out);
    writer->Check(RunWriter::FLOWS);
    if (std::any_of(flows.begin(), flows.end(), IterationTable::NumberOf))
    {
        writer->Check(IterationTable::FILE_NAME);
    }
    if (hpccFct)
    {
        writer->Check(RunWriter::HPCC_FCT);
        for (const FlowSpec& flow : flows)
        {
            hpccForm.AddressOf(flow.src);
            hpccForm.AddressOf(flow.dst);
        }
    }
    return writer;
}

int
RunOptions::Run(const CheckedCommandLine& cmd,
                Network& network,
                const std::vector<FlowSpec>& flows) const
{
    network.InstallFlows(flows);
    RunSummary summary;
    TimeSeries::Check(network, flows.size(), MakeSeriesOptions());
    FctStats::Options statistics;
    statistics.warmupPs = warmup.GetPicoSeconds();
    FctStats stats(statistics);
    const int64_t lastStartPs = FlowOrder::LastScheduledPs(flows);
    const std::unique_ptr<RunWriter> writer = MakeWriter(flows);
    RunCollector collector(network, flows, MakeCollectorOptions(lastStartPs), writer.get());
    Progress meter(MpiRanks::IsFirst() ? Progress::ParseMode(progress) : Progress::Mode::NONE,
                   stop.IsZero() ? lastStartPs : stop.GetPicoSeconds(),
                   [&] {
                       return Progress::Status{collector.GetFinished(),
                                               collector.GetTotal(),
                                               network.CountPacketHops()};
                   });
    const auto pfcLog =
        hpccPfc ? std::make_unique<PfcLog>(network, writer->AddFile(PfcLog::FILE_NAME)) : nullptr;
    const auto tuning = writer && network.GetTuner()
                            ? std::make_unique<TuningFile>(*network.GetTuner(), *writer)
                            : nullptr;
    const std::map<std::string, std::string> values = cmd.GetValues();
    const auto makeParts = [&](const std::shared_ptr<const nlohmann::ordered_json>& inForce) {
        return ResultParts(values, GetWatching(), network, flows, inForce);
    };
    if (MpiRanks::Get())
    {
        // Recorders have events of their own, so options for them must be equal everywhere, too.
        std::vector<PartDigest> shared{{"options", [&values](const auto& visit) {
                                            for (const auto& [name, value] : values)
                                            {
                                                visit("--" + name, value);
                                            }
                                        }}};
        const ResultParts parts =
            makeParts(std::make_shared<nlohmann::ordered_json>(ValuesInForce(network)));
        shared.insert(shared.end(), parts.Get().begin(), parts.Get().end());
        MpiRanks::Agree(shared);
    }
    // A tuner changes them. Otherwise once is enough: a large network has a hundred thousand.
    const auto before = writer && network.GetTuner()
                            ? std::make_shared<nlohmann::ordered_json>(ValuesInForce(network))
                            : nullptr;
    if (dryRun)
    {
        std::cout << "valid: " << flows.size() << " flows\n" << std::flush;
        return 0;
    }
    if (writer)
    {
        writer->Begin();
    }
    for (const std::string& line : warnings) // not before: errors come alone
    {
        WarnNow(summary.warnings, line);
    }
    WarnNow(summary.warnings, DescribeWarmup(warmup, flows));
    const bool chosen = cmd.IsGiven("ns3::roce::Switch::LosslessClasses");
    for (const std::string& line : CheckClasses(network, flows, chosen))
    {
        WarnNow(summary.warnings, line);
    }
    collector.Start();
    threading.Apply(network);
    MpiRanks::Agree({});
    MpiRanks::StartRun();
    const Interruption interruption(MpiRanks::Get());
    meter.Start();
    // A signal that has come by now stops nothing before Simulator::Run() is at work.
    Simulator::ScheduleNow([] {
        if (Interruption::GetTaken() && !MpiRanks::Get()) // processes agree on their end
        {
            Simulator::Stop();
        }
    });
    Simulator::Run();
    const int signal = Interruption::GetTaken();
    if (signal)
    {
        collector.SetInterrupted();
    }
    meter.Finish();
    collector.Finish();
    if (const uint64_t frames = collector.GetFramesNotAnimated())
    {
        WarnNow(summary.warnings,
                "netanim.xml has the first " + std::to_string(NetAnimFile::MAX_PACKETS) +
                    " frames of its window only, " + std::to_string(frames) + " are left out");
    }

    const std::string wrong = network.Audit(false);
    if (!wrong.empty())
    {
        throw std::logic_error("the books do not balance: " + wrong);
    }
    WarnNow(summary.warnings, network.DescribeLosslessDrops());
    const std::vector<FlowRecord> records = collector.GetRecords();
    for (const FlowRecord& record : records)
    {
        stats.Add(record);
    }
    const IterationTable iterations(network, records);
    summary.configuration = cmd.GetValues();
    summary.configuration.merge(ValueCheck::GetChangedAttributes());
    summary.configuration["seed"] = std::to_string(seed);
    summary.configuration["RngSeed"] = std::to_string(RngSeedManager::GetSeed());
    summary.seed = seed;
    summary.wallSeconds = meter.GetWallSeconds();
    summary.cpuSeconds = meter.GetCpuSeconds();
    collector.Summarise(summary);
    const std::string hash = collector.GetFingerprint(); // of all processes, so not by one alone
    summary.end = NameOf(collector.GetEnd());
    summary.counters["events"] -= meter.GetEvents(); // their number depends on the machine
    if (pfcLog)
    {
        pfcLog->Finish();
    }
    if (tuning)
    {
        tuning->Finish();
    }
    if (writer)
    {
        summary.valuesInForce = std::make_shared<nlohmann::ordered_json>(ValuesInForce(network));
        summary.madeOf = std::make_shared<nlohmann::ordered_json>(
            makeParts(before ? before : summary.valuesInForce).MakeJson());
        Write(*writer, summary, stats, records, iterations, hash);
    }
    PrintTable(std::cout, stats, summary);
    threading.PrintBalance(std::cout, network);
    iterations.Print(std::cout);
    if (fingerprint)
    {
        std::cout << "fingerprint " << hash << "\n";
    }
    std::cout << std::flush;
    return SayUnfinished(collector, signal) ? 0 : UNFINISHED;
}

void
RunOptions::Write(RunWriter& writer,
                  const RunSummary& summary,
                  const FctStats& stats,
                  const std::vector<FlowRecord>& records,
                  const IterationTable& iterations,
                  const std::string& hash) const
{
    nlohmann::ordered_json json = SummaryJson(summary, stats);
    json["manifest"] = *summary.madeOf;
    json["end"] = summary.end;
    if (summary.end == NameOf(RunCollector::End::INTERRUPTED))
    {
        json["interrupted"] = true;
    }
    json["warnings"] = summary.warnings;
    if (!hash.empty())
    {
        json["fingerprint"] = hash;
    }
    writer.WriteFlows(records);
    if (!iterations.IsEmpty())
    {
        json["iterations"] = iterations.MakeJson();
        iterations.Write(writer);
    }
    if (hpccFct)
    {
        writer.WriteHpccFct(records, hpccForm);
    }
    writer.SetSummary(json);
    writer.Finish();
}

} // namespace ns3::roce
