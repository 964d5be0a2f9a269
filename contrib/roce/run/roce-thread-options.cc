// SPDX-License-Identifier: GPL-2.0-only
#include "roce-thread-options.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-mpi-ranks.h"

#include <algorithm>
#include <charconv>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace ns3::roce
{

void
ThreadOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("threads",
                 "Threads that run the simulation, with the same results; or auto, as many as the "
                 "machine has",
                 threads);
    cmd.AddValue(
        "balance",
        "Run in one thread as if in this many, and print how well they would be used; 0: no",
        balance);
}

/// @return --threads, 0 for auto
unsigned
ThreadOptions::Parse() const
{
    if (threads == "auto")
    {
        return 0;
    }
    unsigned n = 0;
    const char* const end = threads.data() + threads.size();
    const auto [read, error] = std::from_chars(threads.data(), end, n);
    if (error != std::errc() || read != end || n < 1 || n > MOST)
    {
        throw InputError("--threads is '" + threads + "', expected 1 to " + std::to_string(MOST) +
                         " or auto");
    }
    return n;
}

void
ThreadOptions::Check(const std::map<std::string, bool>& files) const
{
    const bool shared = MpiRanks::Get();
    if (shared && balance)
    {
        throw InputError("--balance with several processes (mpirun), expected one");
    }
    if (shared && threads == "auto")
    {
        throw InputError("--threads=auto with several processes (mpirun), expected a number for "
                         "each of them");
    }
    const bool one = Parse() == 1;
    if (balance == 1 || balance > MOST || (balance && !one))
    {
        throw InputError("--balance is " + std::to_string(balance) + ", expected 0 or 2 to " +
                         std::to_string(MOST) + ", without --threads");
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
        network.SetRanks(*ranks, Parse());
    }
    else if (balance)
    {
        network.MeasureBalance(balance);
    }
    else if (const unsigned n = Parse(); n != 1)
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
