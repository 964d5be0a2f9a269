// SPDX-License-Identifier: GPL-2.0-only
#include "roce-scenario.h"

#include "ns3/nstime.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-mpi-ranks.h"
#include "ns3/roce-path-pin.h"
#include "ns3/simulator.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace ns3::roce
{

namespace
{

bool g_outputToldOf = false; //!< standard output cannot be written, and that has been reported

void
OnExit()
{
    if (!Process::FlushOutput())
    {
        std::_Exit(2);
    }
}

} // namespace

void
Process::Begin()
{
    static bool begun = false;
    if (begun)
    {
        return;
    }
    begun = true;
    for (int file = 0; file <= 2; ++file)
    {
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
        {
            // The lowest free number is this one: those below it are open.
            [[maybe_unused]] const int opened = open("/dev/null", file ? O_WRONLY : O_RDONLY);
        }
    }
    std::signal(SIGXFSZ, SIG_IGN);
    std::atexit(OnExit);
}

bool
Process::FlushOutput()
{
    if (g_outputToldOf)
    {
        return false;
    }
    std::cout.flush();
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    if (flushed && std::cout.good() && !std::ferror(stdout))
    {
        return true;
    }
    g_outputToldOf = true;
    Messages::Say("error",
                  "standard output: cannot write" +
                      (errno ? std::string(": ") + std::strerror(errno) : ""));
    return false;
}

void
ScenarioOptions::AddOptions(CheckedCommandLine& cmd)
{
    TransportOptions::AddOptions(cmd);
    workload.AddOptions(cmd);
    faults.AddOptions(cmd);
    run.AddOptions(cmd);
}

int
ScenarioOptions::Run(const CheckedCommandLine& cmd, const Topology& topology)
{
    run.Apply(cmd);
    TransportOptions::Apply(cmd);
    if (topology.datacenters == 1 && !cmd.IsGivenFor(&workload.poisson.interFraction))
    {
        workload.poisson.interFraction = 0;
    }
    Network network;
    run.threading.Expect(network);
    topology.Construct(network);
    network.Build(MakeNetworkOptions());
    faults.Apply(network);
    network.AssignStreams(RunOptions::NETWORK_STREAM);
    run.Warn(Check(network));
    std::vector<std::string> listed;
    std::vector<FlowSpec> flows = workload.Generate(topology, &listed);
    const std::string report = workload.Report(flows, topology);
    network.ChooseNics(flows, workload.GetNicRule(topology));
    run.Warn(laws.Apply(network, listed, flows));
    run.tcpLaws = laws.tcpLaws;
    if (!workload.through.empty())
    {
        laws.RefuseTcp("--through");
    }
    PinThrough(network, workload.through, flows);
    run.Warn(CheckRecovery(network, flows));
    run.Warn(cmd.DescribeUnused(FindUnused(cmd, network, flows)));
    std::cout << report << std::endl;
    return run.Run(cmd, network, flows);
}

namespace
{

/// @return status of what is called; errors are printed. @param call anything that may throw
int
Guard(const std::function<int()>& call)
{
    try
    {
        return call();
    }
    catch (const InputError& error)
    {
        MpiRanks::SayError(error.what());
        return 2;
    }
    catch (const std::runtime_error& error) // while simulating
    {
        MpiRanks::SayError(OneLine(error.what()));
        return 1;
    }
    catch (const std::bad_alloc&) // more than what was estimated, see CheckMemory()
    {
        MpiRanks::SayError("out of memory");
        return 1;
    }
    catch (const std::exception& error) // of the program's own parts
    {
        MpiRanks::SayError(OneLine(error.what()));
        return 1;
    }
    catch (...)
    {
        MpiRanks::SayError("something is thrown that is no std::exception");
        return 1;
    }
}

} // namespace

int
RunProgram(const std::function<int()>& run, bool mayShare)
{
    Process::Begin();
    if (Time::GetResolution() != Time::PS) // else not the first program of this process
    {
        Time::SetResolution(Time::PS);
    }
    int status = Guard([&] {
        MpiRanks::Begin(mayShare);
        return run();
    });
    if (status == 0 || status == RunOptions::UNFINISHED)
    {
        status = Process::FlushOutput() ? status : 2;
        MpiRanks::Leave(status);
    }
    // After an error, too: the simulator's events must be destroyed before static objects.
    const auto destroy = [] {
        Simulator::Destroy();
        return 0;
    };
    if (status == 0)
    {
        return Guard(destroy);
    }
    try
    {
        destroy();
    }
    catch (...) // such as the same full disk, which has been reported
    {
    }
    return status;
}

} // namespace ns3::roce
