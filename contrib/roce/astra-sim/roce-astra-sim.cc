// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * astra-sim over this module: its network interface, with its system layer and traces as they are.
 * Options that are its own have the names of its other back ends.
 *
 *     roce-astra-sim --workload-configuration=allreduce --system-configuration=system.json
 * --remote-memory-configuration=memory.json --topology=topology.txt --cc=Dcqcn
 */

#include "astra-sim/system/AstraNetworkAPI.hh"
#include "astra-sim/system/Sys.hh"
#include "extern/remote_memory_backend/analytical/AnalyticalRemoteMemory.hh"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-message-network.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-network.h"
#include "ns3/roce-replay.h"
#include "ns3/roce-scenario.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

/// What a rank of astra-sim asks of the network.
class AstraRank final : public AstraSim::AstraNetworkAPI
{
  public:
    /// @param done called after each callback
    AstraRank(int rank, MessageNetwork& messages, std::function<void(int rank)> done)
        : AstraNetworkAPI(rank),
          m_messages(messages),
          m_done(std::move(done))
    {
    }

    int sim_send(void* /* buffer */,
                 uint64_t count,
                 int /* type */,
                 int dst,
                 int tag,
                 AstraSim::sim_request* /* request */,
                 void (*handler)(void*),
                 void* argument) override
    {
        m_messages.Send(Number(rank), Number(dst), count, Number(tag), Bind(handler, argument));
        return 0;
    }

    int sim_recv(void* /* buffer */,
                 uint64_t count,
                 int /* type */,
                 int src,
                 int tag,
                 AstraSim::sim_request* /* request */,
                 void (*handler)(void*),
                 void* argument) override
    {
        m_messages.Receive(Number(rank), Number(src), count, Number(tag), Bind(handler, argument));
        return 0;
    }

    void sim_schedule(AstraSim::timespec_t delta, void (*handler)(void*), void* argument) override
    {
        long double ps = 0;
        switch (delta.time_res)
        {
        case AstraSim::SE:
            ps = 1e12L;
            break;
        case AstraSim::MS:
            ps = 1e9L;
            break;
        case AstraSim::US:
            ps = 1e6L;
            break;
        case AstraSim::NS:
            ps = 1e3L;
            break;
        case AstraSim::FS:
            ps = 1e-3L;
            break;
        }
        ps *= delta.time_val;
        if (!(ps < static_cast<long double>(Network::LONGEST_RUN_PS)))
        {
            throw InputError("rank " + std::to_string(rank) +
                             " waits for more than 53 days, or for no number of nanoseconds");
        }
        m_messages.Schedule(Number(rank), std::llround(ps), Bind(handler, argument));
    }

    AstraSim::timespec_t sim_get_time() override
    {
        return {AstraSim::NS, static_cast<long double>(m_messages.NowPs()) / 1000};
    }

  private:
    static uint32_t Number(int number)
    {
        return static_cast<uint32_t>(number);
    }

    MessageNetwork::Call Bind(void (*handler)(void*), void* argument) const
    {
        return [this, handler, argument] {
            if (handler)
            {
                handler(argument);
            }
            m_done(rank);
        };
    }

    MessageNetwork& m_messages;
    std::function<void(int)> m_done;
};

/// astra-sim, on a network of the HPCC simulator's files.
class AstraProgram
{
  public:
    void AddOptions(CheckedCommandLine& cmd)
    {
        cmd.AddValue("workload-configuration",
                     "Execution traces: PREFIX of PREFIX.0.et, ...",
                     m_workload);
        cmd.AddValue("system-configuration", "astra-sim's system, JSON", m_system);
        cmd.AddValue("remote-memory-configuration", "astra-sim's remote memory, JSON", m_memory);
        cmd.AddValue("logical-topology-configuration",
                     "JSON with logical-dims; empty: one dimension of all hosts",
                     m_logical);
        cmd.AddValue("comm-group-configuration",
                     "astra-sim's communicator groups; empty: none",
                     m_groups);
        cmd.AddValue("num-queues-per-dim",
                     "Queues per dimension",
                     m_queues,
                     Range::Within(1, 1000));
        cmd.AddValue("comm-scale", "Factor of communication", m_commScale);
        cmd.AddValue("injection-scale", "Factor of injection", m_injectionScale);
        cmd.AddValue("rendezvous-protocol", "Sends wait for their receives", m_rendezvous);
        cmd.AddChoice("receiveAt",
                      "A receive is done with the message's last byte, or when the sender has the "
                      "last ACK",
                      m_receiveAt,
                      {{"lastByte", RankJob::ReceiveAt::LAST_BYTE},
                       {"lastAck", RankJob::ReceiveAt::LAST_ACK}});
        m_files.AddOptions(cmd);
    }

    /// @return exit status
    int Run(const CheckedCommandLine& cmd)
    {
        Network network;
        m_files.Build(cmd, network);
        const std::vector<int> dims = ReadDims(network.GetNHosts());
        int ranks = 1;
        for (const int dim : dims)
        {
            ranks *= dim;
        }
        if (m_workload.empty() || m_system.empty() || m_memory.empty())
        {
            throw InputError("--" +
                             cmd.NameFor(m_workload.empty() ? &m_workload
                                         : m_system.empty() ? &m_system
                                                            : &m_memory) +
                             " is missing, expected " +
                             (m_workload.empty() ? "the prefix of traces" : "a file"));
        }
        for (int rank = 0; rank < ranks; ++rank)
        {
            InputFile::Open(m_workload + "." + std::to_string(rank) + ".et", "an execution trace");
        }
        for (const std::string& file : {m_system, m_memory})
        {
            InputFile::Open(file, "JSON of astra-sim");
        }
        MessageNetwork::Options options;
        options.ranks = static_cast<uint32_t>(ranks);
        options.receiveAt = m_receiveAt;
        MessageNetwork messages(network, options);
        for (const std::string& line : m_files.run.warnings)
        {
            Messages::Say("warning", line);
        }
        m_endPs.assign(options.ranks, -1);
        Analytical::AnalyticalRemoteMemory memory(m_memory);
        std::vector<std::unique_ptr<AstraRank>> networks;
        for (int rank = 0; rank < ranks; ++rank)
        {
            networks.push_back(std::make_unique<AstraRank>(rank, messages, [&](int called) {
                NoteEnd(called, messages.NowPs());
            }));
            m_systems.push_back(std::make_unique<AstraSim::Sys>(
                rank,
                m_workload,
                m_groups.empty() ? "empty" : m_groups,
                m_system,
                &memory,
                networks.back().get(),
                dims,
                std::vector<int>(dims.size(), static_cast<int>(m_queues)),
                m_injectionScale,
                m_commScale,
                m_rendezvous));
            messages.Schedule(static_cast<uint32_t>(rank), 0, [this, rank] {
                m_systems[static_cast<std::size_t>(rank)]->workload->fire();
            });
        }
        const RunOptions& run = m_files.run;
        Simulator::Stop(!run.stop.IsZero()      ? run.stop
                        : run.limitName.empty() ? PicoSeconds(Network::LONGEST_RUN_PS)
                                                : run.safetyLimit); // SIMULATOR_STOP_TIME
        Simulator::Run();
        return Report(network, messages);
    }

  private:
    /// @return ranks in each dimension
    std::vector<int> ReadDims(uint32_t hosts) const
    {
        if (m_logical.empty())
        {
            return {static_cast<int>(hosts)};
        }
        std::ifstream file = InputFile::Open(m_logical, "JSON of astra-sim");
        const nlohmann::json read = nlohmann::json::parse(file, nullptr, false);
        std::vector<int> dims;
        uint64_t ranks = 1;
        const auto refuse = [this, hosts] {
            throw InputError(m_logical + ": expected {\"logical-dims\": [\"8\", ...]}, of " +
                             std::to_string(hosts) + " ranks at most");
        };
        if (!read.is_object() || !read.contains("logical-dims") || !read["logical-dims"].is_array())
        {
            refuse();
        }
        for (const nlohmann::json& dim : read["logical-dims"])
        {
            const std::string text = dim.is_string() ? dim.get<std::string>() : dim.dump();
            if (text.empty() || text.size() > 6 ||
                text.find_first_not_of("0123456789") != std::string::npos)
            {
                refuse();
            }
            dims.push_back(std::stoi(text));
            ranks *= static_cast<uint64_t>(dims.back());
            if (ranks < 1 || ranks > hosts)
            {
                refuse();
            }
        }
        return dims;
    }

    /// A rank has been called, and may be done.
    void NoteEnd(int rank, int64_t atPs)
    {
        const auto number = static_cast<std::size_t>(rank);
        if (m_endPs[number] < 0 && m_systems[number]->workload->is_finished)
        {
            m_endPs[number] = atPs;
            if (++m_done == m_endPs.size())
            {
                Simulator::Stop();
            }
        }
    }

    int Report(const Network& network, const MessageNetwork& messages) const
    {
        const MessageNetwork::Totals& totals = messages.GetTotals();
        const int64_t lastPs = *std::max_element(m_endPs.begin(), m_endPs.end());
        std::cout << "ranks: " << m_done << " of " << m_endPs.size() << " are done";
        std::cout << std::fixed << std::setprecision(3);
        if (m_done)
        {
            std::cout << ", the last at " << static_cast<double>(lastPs) / 1e6 << " us";
        }
        std::cout << "\n"
                  << totals.sent << " messages, " << totals.bytes << " B, "
                  << network.GetCounters().at("retransmitted") << " packets sent again, "
                  << static_cast<double>(std::clock()) / CLOCKS_PER_SEC << " s of CPU time\n";
        if (m_done == m_endPs.size())
        {
            return 0;
        }
        const std::string waiting = messages.Describe();
        Messages::Say("unfinished",
                      std::to_string(m_endPs.size() - m_done) + " of " +
                          std::to_string(m_endPs.size()) + " ranks" +
                          (waiting.empty() ? "" : "; " + waiting));
        return RunOptions::UNFINISHED;
    }

    std::string m_workload;
    std::string m_system;
    std::string m_memory;
    std::string m_logical;
    std::string m_groups;
    uint32_t m_queues{1};
    double m_commScale{1};
    double m_injectionScale{1};
    bool m_rendezvous{false};
    RankJob::ReceiveAt m_receiveAt{RankJob::ReceiveAt::LAST_BYTE};
    ReplayOptions m_files{false};
    std::vector<std::unique_ptr<AstraSim::Sys>> m_systems;
    std::vector<int64_t> m_endPs; //!< of ranks; -1: not done
    std::size_t m_done{0};        //!< ranks
};

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram(
        [&] {
            AstraProgram program;
            CheckedCommandLine cmd("roce-astra-sim", "Runs astra-sim over this module.");
            program.AddOptions(cmd);
            cmd.Parse(argc, argv);
            return program.Run(cmd);
        },
        false);
}
