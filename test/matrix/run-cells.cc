// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Runs a mixed incast with any rate law, edge system, recovery, selector and tuner, each in a
 * process of its own: for test/cli/any-on-any.py.
 *
 * Each line on standard input holds options of TransportOptions with tabs between, each line on
 * standard output is its outcome, a word and perhaps, behind a tab:
 *
 *   works      all flows are done, all bytes were delivered once, nothing is left anywhere;
 *              warnings, if there are any
 *   refused    before the simulation starts; the reason
 *   fault      anything else: a crash, a stall, bytes or frames that are not there; which
 *
 * With --types it prints the registered types instead: an option, a tab, the names.
 */

#include "../roce-lose-frames.h"

#include "ns3/config.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-loss-recovery.h"
#include "ns3/roce-network.h"
#include "ns3/roce-path-selector.h"
#include "ns3/roce-switch-stage.h"
#include "ns3/roce-transport-options.h"
#include "ns3/roce-tuner.h"
#include "ns3/roce-value-check.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <array>
#include <cstring>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr rlim_t CPU_SECONDS = 20;           //!< of a cell that takes a tenth of one
constexpr int64_t STOP_PS = 200'000'000'000; //!< 200 ms, a hundred times what a cell takes

constexpr uint64_t CONNECTIONS = 2; //!< among MakeFlows()

constexpr unsigned LOSE_ONE_OF = 97; //!< frames, at a third of the ports, without PFC

/// Two racks of two hosts in each of two datacenters.
LeafSpineHelper
MakeTopology()
{
    LeafSpineHelper topology;
    topology.leaves = 2;
    topology.spines = 2;
    topology.hostsPerLeaf = 2;
    topology.wanLinks = 4;
    topology.wanRate = DataRate("100Gbps");
    topology.wanDelay = MicroSeconds(50);
    return topology;
}

/// Two senders of the receiver's datacenter, two of the other, one flow back, a packet and nothing.
/// One of the two sends on a connection: a message that waits for the first one, and one when it
/// has been idle for long.
std::vector<FlowSpec>
MakeFlows()
{
    const std::vector<std::array<uint64_t, 5>> rows{{2, 0, 700000, 0, 1},
                                                    {2, 0, 100000, 5, 1},
                                                    {2, 0, 200000, 9000, 1},
                                                    {3, 0, 1000001, 0, 0},
                                                    {4, 0, 700000, 0, 7},
                                                    {4, 0, 100000, 5, 7},
                                                    {4, 0, 200000, 9000, 7},
                                                    {6, 0, 600000, 7, 0},
                                                    {1, 5, 150000, 3, 0},
                                                    {7, 2, 1, 20, 0},
                                                    {1, 3, 0, 30, 0}};
    std::vector<FlowSpec> flows;
    for (const auto& [src, dst, bytes, startUs, connection] : rows)
    {
        FlowSpec flow;
        flow.id = flows.size();
        flow.src = static_cast<uint32_t>(src);
        flow.dst = static_cast<uint32_t>(dst);
        flow.sizeBytes = bytes;
        flow.startPs = static_cast<int64_t>(startUs) * 1'000'000;
        flow.trafficClass = 3;
        flow.connection = static_cast<uint32_t>(connection);
        flows.push_back(flow);
    }
    return flows;
}

/// What became of each flow, at its sender and its receiver.
struct Ends
{
    std::map<uint64_t, uint64_t> sentBytes; //!< by flow
    std::map<uint64_t, unsigned> sent;      //!< how often each has completed
    std::map<uint64_t, unsigned> received;

    /// @param network is asked to tell
    void Watch(Network& network)
    {
        for (uint32_t n = 0; n < network.GetNNics(); ++n)
        {
            network.GetNic(n)->TraceConnectWithoutContext(
                "MessageCompleted",
                Callback<void, const MessageRecord&>([this](const MessageRecord& record) {
                    sentBytes[record.cookie] += record.bytes;
                    ++sent[record.cookie];
                }));
            network.GetNic(n)->TraceConnectWithoutContext(
                "MessageReceived",
                Callback<void, uint64_t, Time>(
                    [this](uint64_t cookie, Time) { ++received[cookie]; }));
        }
    }
};

/// @return what is wrong at the end, or nothing
std::string
FindFault(const Network& network, const std::vector<FlowSpec>& flows, Ends& ends)
{
    uint64_t bytes = 0;
    for (const FlowSpec& flow : flows)
    {
        bytes += flow.sizeBytes;
        const std::string name = "flow " + std::to_string(flow.id);
        if (ends.sent[flow.id] != 1 || ends.received[flow.id] != 1)
        {
            return name + " completed " + std::to_string(ends.sent[flow.id]) +
                   " times at its sender, " + std::to_string(ends.received[flow.id]) +
                   " times at its receiver";
        }
        if (ends.sentBytes[flow.id] != flow.sizeBytes)
        {
            return name + " has sent " + std::to_string(ends.sentBytes[flow.id]) + " bytes";
        }
    }
    uint64_t delivered = 0;
    uint64_t open = 0;
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        delivered += network.GetNic(n)->GetCounters().bytesDelivered;
        open += network.GetNic(n)->GetOpenQps();
    }
    if (delivered != bytes)
    {
        return std::to_string(delivered) + " bytes delivered of " + std::to_string(bytes);
    }
    if (open != CONNECTIONS)
    {
        return std::to_string(open) + " queue pairs are open, expected the connections";
    }
    if (const uint64_t drops = network.GetCounters().at("losslessDrops"))
    {
        return std::to_string(drops) + " frames of lossless classes dropped";
    }
    if (const std::string wrong = network.Audit(true); !wrong.empty())
    {
        return wrong;
    }
    return FramePool::Outstanding() ? std::to_string(FramePool::Outstanding()) + " frames left"
                                    : "";
}

/// @return an outcome as one line
std::string
Line(const std::string& word, const std::string& text)
{
    return word + (text.empty() ? "" : "\t" + text) + "\n";
}

/// @return one cell's outcome. @param arguments the program's name first
std::string
RunCell(std::vector<std::string> arguments)
{
    Time::SetResolution(Time::PS);
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(500)));
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
    std::vector<char*> argv;
    for (std::string& argument : arguments)
    {
        argv.push_back(argument.data());
    }
    const LeafSpineHelper topology = MakeTopology();
    TransportOptions transport;
    CheckedCommandLine cmd("run-cells", "");
    transport.AddOptions(cmd);
    const std::vector<FlowSpec> flows = MakeFlows();
    Network network;
    std::vector<std::string> warnings;
    try
    {
        cmd.Parse(static_cast<int>(argv.size()), argv.data());
        transport.Apply(cmd);
        topology.Construct(network);
        network.Build(transport.MakeNetworkOptions());
        network.AssignStreams(1);
        warnings = transport.Check(network);
        for (const std::string& line :
             cmd.DescribeUnused(transport.FindUnused(cmd, network, flows)))
        {
            warnings.push_back(line);
        }
    }
    catch (const InputError& error)
    {
        return Line(std::strchr(error.what(), '\n') ? "fault" : "refused", error.what());
    }
    if (!transport.pfc)
    {
        // By chance: what goes back to the same packet again and again must not meet a loss of
        // every n-th frame again and again.
        uint32_t number = 0;
        for (const Ptr<Port>& port : network.GetPorts())
        {
            if (++number % 3 == 0)
            {
                test::LoseFrames(port, [rng = std::mt19937_64(number)](const Frame&) mutable {
                    return rng() % LOSE_ONE_OF == 0;
                });
            }
        }
    }
    Ends ends;
    ends.Watch(network);
    network.InstallFlows(flows);
    Simulator::Stop(TimeStep(STOP_PS));
    Simulator::Run();
    std::string text;
    for (const std::string& line : warnings)
    {
        text += (text.empty() ? "" : "; ") + line;
    }
    const std::string wrong = FindFault(network, flows, ends);
    return wrong.empty() ? Line("works", text) : Line("fault", wrong);
}

[[noreturn]] void
RunChild(const std::vector<std::string>& arguments, int out)
{
    const rlimit cpu{CPU_SECONDS, CPU_SECONDS};
    setrlimit(RLIMIT_CPU, &cpu);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    std::string text;
    try
    {
        text = RunCell(arguments);
    }
    catch (const std::exception& error)
    {
        text = Line("fault", std::string("while simulating: ") + error.what());
    }
    const bool written = write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1); // what the simulator still holds goes with the process
}

/// @return the outcome of one cell, whatever it does
std::string
RunForked(const std::vector<std::string>& arguments)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        return Line("fault", "no pipe");
    }
    std::cout << std::flush;
    const pid_t child = fork();
    if (child == 0)
    {
        close(ends[0]);
        RunChild(arguments, ends[1]);
    }
    close(ends[1]);
    std::string text;
    char bytes[4096];
    for (ssize_t got = 0; (got = read(ends[0], bytes, sizeof bytes)) > 0;)
    {
        text.append(bytes, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
    {
        return Line("fault", "signal " + std::to_string(WTERMSIG(status)));
    }
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !text.empty();
    return good ? text : Line("fault", "status " + std::to_string(WEXITSTATUS(status)));
}

void
PrintTypes()
{
    const std::pair<const char*, TypeId> bases[] = {{"cc", CongestionControl::GetTypeId()},
                                                    {"edge", SwitchStage::GetTypeId()},
                                                    {"lossRecovery", LossRecovery::GetTypeId()},
                                                    {"paths", PathSelector::GetTypeId()},
                                                    {"tuner", Tuner::GetTypeId()}};
    for (const auto& [option, base] : bases)
    {
        std::cout << option << "\t" << ValueCheck::KnownTypes(base) << "\n";
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc > 1 && std::string(argv[1]) == "--types")
    {
        PrintTypes();
        return 0;
    }
    for (std::string line; std::getline(std::cin, line);)
    {
        std::vector<std::string> arguments{"run-cells"};
        std::istringstream words(line);
        for (std::string word; std::getline(words, word, '\t');)
        {
            arguments.push_back(word);
        }
        std::cout << RunForked(arguments) << std::flush;
    }
    return 0;
}
