// SPDX-License-Identifier: GPL-2.0-only
#include "roce-class-check.h"
#include "roce-flow-monitor-file.h"
#include "roce-job-table.h"
#include "roce-network-page.h"
#include "roce-operation-table.h"
#include "roce-pfc-log.h"
#include "roce-progress.h"
#include "roce-rank-table.h"
#include "roce-result-parts.h"
#include "roce-run-options.h"
#include "roce-tuning-file.h"
#include "roce-values-in-force.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-interruption.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-mpi-ranks.h"
#include "ns3/roce-tuner.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <stdexcept>

// A run: from the flows to the files.

namespace ns3::roce
{

namespace
{

using Json = nlohmann::ordered_json;

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

/// What summary.json calls the ends of a run.
const char*
NameOf(RunCollector::End end)
{
    static const char* const names[] = {"flowsDone",
                                        "stalled",
                                        "stop",
                                        "safetyLimit",
                                        "interrupted"};
    return names[static_cast<unsigned>(end)];
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

/// Processes of one run must have the same options and the same of everything else.
void
AgreeOn(const std::map<std::string, std::string>& options, const ResultParts& parts)
{
    // What is watched has events of its own, so that is the same everywhere, too.
    std::vector<PartDigest> shared{{"options", [&options](const auto& visit) {
                                        for (const auto& [name, value] : options)
                                        {
                                            visit("--" + name, value);
                                        }
                                    }}};
    shared.insert(shared.end(), parts.Get().begin(), parts.Get().end());
    MpiRanks::Agree(shared);
}

/// @return a part of a whole, 0 to 1; 0 of nothing
double
ShareOf(uint64_t part, uint64_t whole)
{
    return whole ? std::min(1.0, static_cast<double>(part) / static_cast<double>(whole)) : 0;
}

/// @return what a line of progress tells. @param totalBytes of all flows @param stopPs 0: no such
/// end @param tcp null: no such flows
Progress::Status
MakeStatus(const Network& network,
           const RunCollector& collector,
           uint64_t totalBytes,
           uint64_t stopPs,
           const TcpFlows* tcp)
{
    Progress::Status status{0,
                            collector.GetFinished(),
                            collector.GetTotal(),
                            network.CountPacketHops(),
                            tcp ? tcp->CountDeliveredBytes() : 0};
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        status.deliveredBytes += network.GetNic(n).Peek()->GetCounters().bytesDelivered;
    }
    // A process knows only the bytes that its own NICs have received, but how many flows are done.
    status.done = totalBytes && !MpiRanks::Get() ? ShareOf(status.deliveredBytes, totalBytes)
                                                 : ShareOf(status.flowsDone, status.flowsTotal);
    status.done = std::max(status.done, ShareOf(static_cast<uint64_t>(NowPs()), stopPs));
    uint32_t fullest = 0; // its node
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Switch& sw = *network.GetSwitch(s).Peek();
        const uint64_t bytes = sw.GetBuffer().GetTotalBytes();
        status.queuedBytes += bytes;
        if (bytes > status.longestQueuedBytes)
        {
            status.longestQueuedBytes = bytes;
            fullest = sw.GetNodeId();
        }
    }
    status.fullestSwitch = status.queuedBytes ? network.GetNodeName(fullest) : "";
    return status;
}

/// @return the signal that has ended the run, or 0
int
Simulate(RunCollector& collector, Progress& meter)
{
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
    return signal;
}

/// Say what the run has shown. @param said [out] goes into summary.json @throw std::logic_error if
/// frames or bytes have got lost in the simulation itself
void
WarnAfter(const Network& network, const RunCollector& collector, std::vector<std::string>& said)
{
    if (const uint64_t frames = collector.GetFramesNotAnimated())
    {
        WarnNow(said,
                "netanim.xml has the first " + std::to_string(NetAnimFile::MAX_PACKETS) +
                    " frames of its window only, " + std::to_string(frames) + " are left out");
    }
    const std::string wrong = network.Audit(false);
    if (!wrong.empty())
    {
        throw std::logic_error("the books do not balance: " + wrong);
    }
    WarnNow(said, network.DescribeLosslessDrops());
}

/// @return the statistics of all flows that start after the warm-up
FctStats
MakeStats(const std::vector<FlowRecord>& records, const Time& warmup)
{
    FctStats::Options options;
    options.warmupPs = warmup.GetPicoSeconds();
    FctStats stats(options);
    for (const FlowRecord& record : records)
    {
        stats.Add(record);
    }
    return stats;
}

} // namespace

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
    options.folderOfFirst = MpiRanks::IsFirst() ? "" : out;
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
    if (RankEngine::IsUsed(flows))
    {
        writer->Check(RankTable::FILE_NAME);
    }
    if (JobTable::IsUsed(flows))
    {
        writer->Check(JobTable::JOBS);
        writer->Check(JobTable::COLLECTIVES);
    }
    if (operations)
    {
        writer->Check(OperationTable::FILE_NAME);
    }
    if (flowMonitor)
    {
        writer->Check(FlowMonitorFile::NAME);
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

/// @return the flows of TCP, installed; null without any
Ptr<TcpFlows>
RunOptions::InstallTcp(Network& network, const std::vector<FlowSpec>& flows) const
{
    if (tcpLaws.empty())
    {
        return nullptr;
    }
    if (threading.threads != 1U || threading.balance || MpiRanks::Get())
    {
        throw InputError(std::string("flows of TCP (--ccOf or column cc) with ") +
                         (MpiRanks::Get()     ? "several processes (mpirun)"
                          : threading.balance ? "--balance"
                                              : "--threads") +
                         ": ns-3's stacks share what belongs to no station; expected one thread");
    }
    const Ptr<TcpFlows> tcp = CreateObject<TcpFlows>();
    tcp->Install(network, flows, tcpLaws);
    return tcp;
}

// A run in order: the flows are installed, everything that can be wrong is looked for (a dry run
// ends here), the folder begins, warnings are said, the network is divided and simulated, its books
// are audited, and what was recorded is written. Processes of one run do the same in the same
// order.
int
RunOptions::Run(const CheckedCommandLine& cmd,
                Network& network,
                const std::vector<FlowSpec>& flows) const
{
    const Ptr<TcpFlows> tcp = InstallTcp(network, flows);
    RankEngine* const engine = RankEngine::Install(network, flows);
    const bool hasRanks = engine && !engine->GetJobs().empty();
    if (hasRanks && (operations || chromeTrace || JobTable::IsUsed(flows)))
    {
        engine->KeepLogs();
    }
    if (!hasRanks && (operations || programs.IsOn()))
    {
        throw InputError(std::string(operations              ? "--operations"
                                     : programs.goal.empty() ? "--writeTrace"
                                                             : "--writeGoal") +
                         ", and no rank sends anything; expected --pattern=goal, chakra, jobs or "
                         "collective with it");
    }
    TimeSeries::Check(network, flows.size(), MakeSeriesOptions());
    RunSummary summary;
    const int64_t lastStartPs = FlowOrder::LastScheduledPs(flows);
    const std::unique_ptr<RunWriter> writer = MakeWriter(flows);
    RunCollector::Options watched = MakeCollectorOptions(lastStartPs);
    watched.series.ranks = engine;
    watched.tcp = tcp;
    RunCollector collector(network, flows, watched, writer.get());
    const int64_t stopPs = stop.GetPicoSeconds();
    const uint64_t totalBytes =
        std::accumulate(flows.begin(),
                        flows.end(),
                        uint64_t{0},
                        [](uint64_t sum, const FlowSpec& f) { return sum + f.sizeBytes; });
    Progress meter(
        MpiRanks::IsFirst() ? progress : Progress::Mode::NONE,
        stopPs ? stopPs : lastStartPs,
        [&] { return MakeStatus(network, collector, totalBytes, stopPs, PeekPointer(tcp)); });
    const auto pfcLog =
        hpccPfc
            ? std::make_unique<PfcLog>(network,
                                       writer ? writer->AddFile(PfcLog::FILE_NAME) : "/dev/null")
            : nullptr;
    const auto flowMon =
        flowMonitor && tcp ? std::make_unique<FlowMonitorFile>(network, flows, *writer) : nullptr;
    const bool isTuned = writer && network.GetTuner();
    const auto tuning =
        isTuned ? std::make_unique<TuningFile>(*network.GetTuner(), *writer) : nullptr;
    const auto makeParts = [&](const std::shared_ptr<const Json>& inForce) {
        return ResultParts(cmd.GetValues(), cmd.GetWatching(), network, flows, inForce);
    };
    if (!draw.empty() && MpiRanks::IsFirst())
    {
        NetworkPage(network).Write(draw);
    }
    if (MpiRanks::Get())
    {
        AgreeOn(cmd.GetValues(), makeParts(std::make_shared<Json>(ValuesInForce(network))));
    }
    // A tuner changes them. Otherwise once is enough: a large network has a hundred thousand.
    const auto before = isTuned ? std::make_shared<Json>(ValuesInForce(network)) : nullptr;
    if (programs.IsOn() && MpiRanks::IsFirst())
    {
        for (const std::string& line : programs.Write(flows))
        {
            WarnNow(summary.warnings, line);
        }
    }
    if (dryRun)
    {
        std::cout << "valid: " << flows.size() << " flows\n" << std::flush;
        return 0;
    }
    if (writer)
    {
        writer->Begin();
    }
    WarnBefore(cmd, network, flows, summary.warnings);
    collector.Start();
    threading.Apply(network);
    MpiRanks::Agree({});
    MpiRanks::StartRun();
    const Interruption interruption(MpiRanks::Get()); // until the result is written
    const int signal = Simulate(collector, meter);
    WarnAfter(network, collector, summary.warnings);
    const std::vector<FlowRecord> records = collector.GetRecords();
    const FctStats stats = MakeStats(records, warmup);
    const IterationTable iterations(network, records);
    const RankTable ranks(engine);
    const JobTable jobs(engine);
    Describe(cmd, collector, meter, summary);
    const std::string hash = collector.GetFingerprint(); // of all processes, so not by one alone
    if (pfcLog)
    {
        pfcLog->Finish();
    }
    if (flowMon)
    {
        flowMon->Finish();
    }
    if (tuning)
    {
        tuning->Finish();
    }
    if (writer)
    {
        summary.valuesInForce = std::make_shared<Json>(ValuesInForce(network));
        summary.madeOf =
            std::make_shared<Json>(makeParts(before ? before : summary.valuesInForce).MakeJson());
        if (operations)
        {
            OperationTable::Write(*engine, *writer);
        }
        Write(*writer, summary, stats, records, iterations, ranks, jobs, hash);
    }
    PrintTable(std::cout, stats, summary);
    threading.PrintBalance(std::cout, network);
    iterations.Print(std::cout);
    ranks.Print(std::cout);
    jobs.Print(std::cout);
    if (fingerprint)
    {
        std::cout << "fingerprint " << hash << "\n";
    }
    std::cout << std::flush;
    return SayUnfinished(collector, signal) ? 0 : UNFINISHED;
}

/// Say what was found so far. Not before: errors come alone. @param said [out] goes into
/// summary.json
void
RunOptions::WarnBefore(const CheckedCommandLine& cmd,
                       const Network& network,
                       const std::vector<FlowSpec>& flows,
                       std::vector<std::string>& said) const
{
    for (const std::string& line : warnings)
    {
        WarnNow(said, line);
    }
    WarnNow(said, DescribeWarmup(warmup, flows));
    const bool chosen = cmd.IsGiven("ns3::roce::Switch::LosslessClasses");
    for (const std::string& line : CheckClasses(network, flows, chosen))
    {
        WarnNow(said, line);
    }
}

/// What summary.json says of the run but for its flows. @param summary [out]
void
RunOptions::Describe(const CheckedCommandLine& cmd,
                     const RunCollector& collector,
                     const Progress& meter,
                     RunSummary& summary) const
{
    summary.configuration = cmd.GetValues();
    summary.configuration.merge(ValueCheck::GetChangedAttributes());
    summary.configuration[cmd.NameFor(&seed)] = std::to_string(seed);
    summary.configuration["RngSeed"] = std::to_string(RngSeedManager::GetSeed());
    summary.seed = seed;
    summary.wallSeconds = meter.GetWallSeconds();
    summary.cpuSeconds = meter.GetCpuSeconds();
    collector.Summarise(summary);
    summary.end = NameOf(collector.GetEnd());
    summary.counters["events"] -= meter.GetEvents(); // their number depends on the machine
}

void
RunOptions::Write(RunWriter& writer,
                  const RunSummary& summary,
                  const FctStats& stats,
                  const std::vector<FlowRecord>& records,
                  const IterationTable& iterations,
                  const RankTable& ranks,
                  const JobTable& jobs,
                  const std::string& hash) const
{
    Json json = SummaryJson(summary, stats);
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
    if (!ranks.IsEmpty())
    {
        ranks.Write(writer);
    }
    if (!jobs.GetJobs().empty())
    {
        jobs.Write(writer);
    }
    if (hpccFct)
    {
        writer.WriteHpccFct(records, hpccForm);
    }
    writer.SetSummary(json);
    writer.Finish();
}

} // namespace ns3::roce
