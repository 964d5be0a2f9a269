// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SCENARIO_H
#define ROCE_SCENARIO_H

#include "roce-command-line.h"
#include "roce-fault-options.h"
#include "roce-run-options.h"
#include "roce-transport-options.h"
#include "roce-workload-options.h"

#include "ns3/roce-topology.h"

#include <functional>
#include <string>

namespace ns3::roce
{

/// @brief Set-up of a process before it opens any file, and at its end.
struct Process
{
    /**
     * @brief Call it first; a second call does nothing. Standard streams that are closed are opened
     * on /dev/null: else the next file opened would get the output. A file that reaches the limit
     * of its size (SIGXFSZ) is a write error instead of a silent death. When the process ends by
     * exit(), FlushOutput() is called.
     */
    static void Begin();

    /**
     * @brief Write out standard output. If that cannot be written, say so on standard error, once.
     * @return whether all of it has been written
     */
    static bool FlushOutput();
};

/**
 * @brief What a program for experiments has with every topology: a congestion control, switch
 * stages, a workload, and the run.
 *
 * Order of use: AddOptions(), CheckedCommandLine::Parse(), Run(). A further group of options has a
 * member here, and a line in AddOptions() and in the steps of Run() that it concerns.
 */
struct ScenarioOptions : public TransportOptions
{
    WorkloadOptions workload;
    FaultOptions faults;
    RunOptions run;

    /// @brief Make every parameter an option. @param cmd command line
    void AddOptions(CheckedCommandLine& cmd);

    /**
     * @brief Set defaults, build the network, make the flows, simulate, write the results.
     * @param cmd already parsed
     * @param topology its options are set
     * @return exit status, see RunOptions::Run()
     * @throw InputError for bad values and combinations, naming the option
     */
    int Run(const CheckedCommandLine& cmd, const Topology& topology);
};

/**
 * @brief The frame of a main(): time resolution, one line on standard error for bad input.
 * @param run the program; returns its exit status
 * @param mayShare it can run in several processes that mpirun has started: all that simulates in it
 * is one call of RunOptions::Run()
 * @return exit status, 2 for bad input, 1 for an error while simulating
 */
int RunProgram(const std::function<int()>& run, bool mayShare = false);

/**
 * @brief A whole program for experiments on one kind of topology.
 *
 * Exit status: 0 all flows are done, 2 bad input (one line on standard error says which), 3 some
 * flows are not done (each is explained on standard error).
 *
 * @tparam T LeafSpineHelper, FatTreeHelper
 * @param name of the program; results go to results/<name> if nothing else is asked for
 * @param usage printed by --help
 * @return exit status
 */
template <typename T>
int
RunScenario(int argc, char** argv, const std::string& name, const std::string& usage)
{
    return RunProgram(
        [&] {
            T topology;
            ScenarioOptions scenario;
            scenario.run.out = "results/" + name;
            CheckedCommandLine cmd(name, usage);
            scenario.AddOptions(cmd);
            cmd.AddTopology(topology);
            cmd.Parse(argc, argv);
            return scenario.Run(cmd, topology);
        },
        true);
}

} // namespace ns3::roce

#endif /* ROCE_SCENARIO_H */
