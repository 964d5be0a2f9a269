// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RUN_OPTIONS_H
#define ROCE_RUN_OPTIONS_H

#include "roce-command-line.h"
#include "roce-fct-stats.h"
#include "roce-iteration-table.h"
#include "roce-program-files.h"
#include "roce-progress.h"
#include "roce-run-collector.h"
#include "roce-run-writer.h"

#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-network.h"
#include "ns3/roce-option-table.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3::roce
{

class JobTable;
class RankTable;

/// @brief The options of a program that say how many threads run it.
struct ThreadOptions
{
    static constexpr unsigned MOST = 1024; //!< threads

    std::optional<uint32_t> threads{1}; //!< none: as many as the machine has
    uint32_t balance{0};

    /// @brief Make every parameter an option. @param table of the program
    void AddOptions(OptionTable& table);

    /**
     * @brief Check the options.
     * @throw InputError for bad values, naming the option
     */
    void Check() const;

    /// @brief Have the network built for the processes that there are. @param network not built yet
    void Expect(Network& network) const;

    /**
     * @brief Divide the network, if that is asked for.
     * @param network built, with all sinks connected
     * @throw InputError see Network::SetThreads()
     */
    void Apply(Network& network) const;

    /**
     * @brief Print how well threads would be used, if that is asked for.
     * @param out where to
     * @param network after the run
     */
    void PrintBalance(std::ostream& out, const Network& network) const;
};

/**
 * @brief The options of a program that control the run and its results, and the run itself.
 *
 * Order of use: AddOptions(), CheckedCommandLine::Parse(), Apply(), build the network, Run().
 */
struct RunOptions
{
    /// Exit status of a program whose flows are not all done.
    static constexpr int UNFINISHED = 3;
    /// First random stream of networks; workloads have lower ones.
    static constexpr int64_t NETWORK_STREAM = 20000000;

    uint64_t seed{1};
    std::string scheduler{"ns3::PriorityQueueScheduler"};
    Time stop{0};
    Time safetyLimit{Seconds(100)};
    Time warmup{0};
    std::string out{"results/run"};
    Progress::Mode progress{Progress::Mode::TEXT};
    std::map<std::string, std::string> series;  //!< values of series' options, by name
    std::map<std::string, bool> seriesSwitches; //!< those of options without value
    std::string seriesPorts;
    std::string seriesFlows;
    bool chromeTrace{false};
    std::string netanim;
    std::string pcap;
    bool operations{false};
    bool hpccFct{false}; //!< not without a folder
    bool hpccPfc{false}; //!< not without a folder
    bool flowMonitor{false};
    bool fingerprint{false};
    std::string draw; //!< see NetworkPage; empty: none
    ProgramFiles programs;
    bool dryRun{false}; //!< Run() ends before the simulation, without files
    ThreadOptions threading;
    std::vector<std::string> warnings; //!< see Warn()
    RunWriter::HpccForm hpccForm;      //!< of fct.txt; set by programs that have other node numbers
    std::vector<ObjectFactory> tcpLaws; //!< see LawOptions; set by programs
    std::string limitName;              //!< what has set stop or safetyLimit, if not that option
    /// Ideal FCT of a flow in picoseconds, instead of Network::GetIdeal(); set by programs.
    std::function<int64_t(const FlowSpec&)> ideal;

    /// @brief Make every parameter an option. @param cmd command line
    void AddOptions(CheckedCommandLine& cmd);

    /**
     * @brief Check the options, set the run number and the event scheduler.
     * @param cmd already parsed
     * @throw InputError for bad values and combinations, naming the option
     */
    void Apply(const CheckedCommandLine& cmd);

    /// @brief Print lines on standard error once Run() begins to simulate, and put them into
    /// summary.json. @param lines warnings
    void Warn(const std::vector<std::string>& lines);

    /**
     * @brief Install the flows, simulate until they are done, write the folder and a short table.
     *
     * An earlier result in the folder stays until this one is complete, see RunFolder. A signal
     * ends the simulation, not the process, see Interruption: the result has what there is.
     *
     * @param cmd goes into summary.json
     * @param network built
     * @param flows sorted by start, ids from 0
     * @return 0, or UNFINISHED if some flows are not done; why is then on standard error. With
     *         dryRun 0 as soon as all is valid
     * @throw InputError for bad flows, unknown ports to capture, or files that cannot be written
     */
    int Run(const CheckedCommandLine& cmd,
            Network& network,
            const std::vector<FlowSpec>& flows) const;

    /**
     * @param out where to: a table of slowdowns by scope, and a few counters
     * @param stats the flows
     * @param summary the counters and the elapsed time
     */
    static void PrintTable(std::ostream& out, const FctStats& stats, const RunSummary& summary);

  private:
    bool SayUnfinished(const RunCollector& collector, int signal) const;
    std::string DescribeEnd(RunCollector::End end, int signal) const;
    RunCollector::Options MakeCollectorOptions(int64_t lastStartPs) const;
    Ptr<TcpFlows> InstallTcp(Network& network, const std::vector<FlowSpec>& flows) const;
    TimeSeries::Options MakeSeriesOptions() const;

    /// A file that an option asks for.
    struct File
    {
        const void* variable;       //!< of the option
        std::function<bool()> isOn; //!< it is asked for
    };

    void AddSeries(CheckedCommandLine& cmd);
    void AddFiles(CheckedCommandLine& cmd);
    void CheckFiles(const CheckedCommandLine& cmd) const;
    void SetSeed(bool isGiven, bool isRunGiven);
    std::unique_ptr<RunWriter> MakeWriter(const std::vector<FlowSpec>& flows) const;
    void WarnBefore(const CheckedCommandLine& cmd,
                    const Network& network,
                    const std::vector<FlowSpec>& flows,
                    std::vector<std::string>& said) const;
    void Describe(const CheckedCommandLine& cmd,
                  const RunCollector& collector,
                  const Progress& meter,
                  RunSummary& summary) const;
    void Write(RunWriter& writer,
               const RunSummary& summary,
               const FctStats& stats,
               const std::vector<FlowRecord>& records,
               const IterationTable& iterations,
               const RankTable& ranks,
               const JobTable& jobs,
               const std::string& hash) const;

    std::vector<File> m_files;
};

} // namespace ns3::roce

#endif /* ROCE_RUN_OPTIONS_H */
