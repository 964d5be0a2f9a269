// SPDX-License-Identifier: GPL-2.0-only
#include "roce-thread-options.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-mpi-ranks.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

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
ThreadOptions::Check(const std::map<std::string, bool>& files) const
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
    const bool one = threads == 1U;
    if (balance && !one)
    {
        throw InputError("--balance with --threads, expected one of them");
    }
    for (const auto& [name, isOn] : files)
    {
        if (isOn && (balance || !one || shared))
        {
            throw InputError("--" + name + " with " +
                             (shared    ? "several processes (mpirun)"
                              : balance ? "--balance"
                                        : "--threads") +
                             ": it records every change or packet, which several " +
                             (shared ? "processes" : "threads") + " cannot do; expected one " +
                             (shared ? "process" : "thread") +
                             ", or a series with a time between samples other than rates");
        }
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
    text << std::fixed << std::setprecision(2) << "balance: " << run.GetNPartitions()
         << " partitions, " << run.GetNCut() / 2 << " links cut, " << cost.windows
         << " windows of at most " << static_cast<double>(run.GetWindowPs()) / 1e6 << " us; work "
         << ms(cost.workNs) << " ms, longest of each window " << ms(cost.longestNs)
         << " ms, between windows " << ms(cost.serialNs) << " ms: parallelism "
         << static_cast<double>(cost.workNs + cost.serialNs) /
                static_cast<double>(std::max<int64_t>(1, cost.longestNs + cost.serialNs))
         << "\n";
    out << text.str();
}

} // namespace ns3::roce
