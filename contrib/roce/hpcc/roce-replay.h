// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_REPLAY_H
#define ROCE_REPLAY_H

#include "roce-fork-keys.h"
#include "roce-hpcc-config.h"
#include "roce-hpcc-topology.h"
#include "roce-long-links.h"

#include "ns3/roce-chakra-options.h"
#include "ns3/roce-command-line.h"
#include "ns3/roce-fault-options.h"
#include "ns3/roce-flow-list.h"
#include "ns3/roce-network.h"
#include "ns3/roce-rank-options.h"
#include "ns3/roce-run-options.h"
#include "ns3/roce-transport-options.h"

#include <functional>
#include <optional>
#include <string>

namespace ns3::roce
{

/**
 * @brief A program that runs the HPCC simulator's files: topology, flows, configuration. In place
 * of flows there may be ranks with programs, rank r on host r.
 *
 * - Without a profile the network is as this module has it by default, but for what the
 *   configuration says.
 * - Profile hpcc-sim: frame sizes, whole nanoseconds, ACKs in the data's class, CNPs within ACKs,
 *   pauses without end, headroom, windows of payload, base RTT and ideal FCT are those of that
 *   simulator, so that results can be compared. The two families differ in the switch buffer; the
 *   topology's layout decides: inet-tub's, or that of the original and all others.
 *
 * Attributes on the command line come before the configuration, the configuration before the
 * profile. Order of use: AddOptions(), CheckedCommandLine::Parse(), Run(). A program that sends
 * something else than a list of flows has Build() in place of Run().
 */
class ReplayOptions
{
  public:
    /// @param hasFlows whether there is a list of flows
    explicit ReplayOptions(bool hasFlows = true);

    RunOptions run; //!< public for its defaults

    /// @brief Make every parameter an option. @param cmd command line
    void AddOptions(CheckedCommandLine& cmd);

    /**
     * @brief Read the files, build the network, simulate, write the results.
     * @param cmd already parsed
     * @return exit status, see RunOptions::Run()
     * @throw InputError for bad values, naming the option, or file and line
     */
    int Run(const CheckedCommandLine& cmd);

    /**
     * @brief Read the files but that of flows, and build the network.
     * @param cmd already parsed
     * @param network empty
     * @throw InputError see Run()
     */
    void Build(const CheckedCommandLine& cmd, Network& network);

  private:
    void ReadFiles(const CheckedCommandLine& cmd);
    bool HasRanks() const;
    void ReadFlows();
    void ReadRanks(const CheckedCommandLine& cmd);
    void ChooseCc(const CheckedCommandLine& cmd);
    void ApplyProfile();
    void ApplyRateLaw();
    void ApplySwitches();
    void ApplyStopTime(const CheckedCommandLine& cmd);
    void PrintUnused(const CongestionControl& law) const;
    uint64_t GetBytes(const std::string& key, double number, double unit) const;
    uint32_t GetDciBufferBytes() const;
    void BuildFiles(const CheckedCommandLine& cmd, Network& network);
    int RunFlows(const CheckedCommandLine& cmd, Network& network);
    void AddExamples();
    void NameKeys(const std::function<void()>& call) const;

    bool m_hasFlows;
    std::string m_topologyFile;
    std::string m_flowFile;
    std::string m_configFile;
    std::string m_pathFile;
    bool m_isHpccSim{false};
    bool m_perPacket{false}; //!< no path is one of a flow
    std::string m_set;
    bool m_ignoreUnknown{false};
    LongLinks m_longLinks;
    RankOptions m_ranks;
    ChakraOptions m_chakra;
    TransportOptions m_transport;
    FaultOptions m_faults;

    const CheckedCommandLine* m_cmd{nullptr};
    HpccConfig m_config;
    HpccTopology m_topology;
    FlowList m_flows;
    std::optional<KeySettings> m_settings; //!< once the files are read
};

} // namespace ns3::roce

#endif /* ROCE_REPLAY_H */
