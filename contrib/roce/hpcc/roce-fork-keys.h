// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FORK_KEYS_H
#define ROCE_FORK_KEYS_H

#include "roce-hpcc-config.h"
#include "roce-hpcc-longest.h"
#include "roce-hpcc-topology.h"

#include "ns3/roce-command-line.h"
#include "ns3/roce-transport-options.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// @brief Keys of simulators made from the HPCC simulator that have a counterpart here.
class ForkKeys
{
  public:
    /// @param config whose keys @param topology of the same run
    ForkKeys(const HpccConfig& config, const HpccTopology& topology)
        : m_config(config),
          m_topology(topology)
    {
    }

    /**
     * @brief ENABLE_PFC, ENABLE_IRN, LB_MODE, ROUTING_MODE. Options on the command line take
     * precedence.
     * @param cmd already parsed
     * @param transport changed
     * @throw InputError for a way of balancing load that is not here
     */
    void Apply(const CheckedCommandLine& cmd, TransportOptions& transport) const;

    /// An attribute that a key sets.
    struct Setting
    {
        const char* key;
        std::string attribute;
        std::string value;
    };

    /**
     * @return TIMELY_*, HEADROOM_FACTOR and the weights of LCMP as attributes
     * @throw InputError for a MAX_RATE that is less than that of some NIC, and a limit of flows
     */
    std::vector<Setting> GetSettings() const;

    /// @brief BASE_RTT and FIXED_WIN give the longest RTT and the window. @param longest changed
    void Replace(HpccLongest& longest) const;

    /// @return bytes in one unit of BUFFER_SIZE: m3 and m4 count KiB, others MiB
    uint64_t GetBufferUnit() const;

    /// @return keys that change nothing in this run, each with the reason
    std::vector<std::pair<std::string, std::string>> GetUnused() const;

  private:
    void ApplyRoutingMode(const CheckedCommandLine& cmd, TransportOptions& transport) const;

    const HpccConfig& m_config;
    const HpccTopology& m_topology;
};

/**
 * @brief Sets defaults of attributes as a configuration of the HPCC simulator says, unless the user
 * has given them, and knows which key has set which.
 */
class KeySettings
{
  public:
    /**
     * All outlive this.
     * @param cmd already parsed
     * @param config read
     * @param law of the run, in ObjectFactory's text form
     */
    KeySettings(const CheckedCommandLine& cmd, const HpccConfig& config, const std::string& law)
        : m_cmd(cmd),
          m_config(config),
          m_law(law)
    {
    }

    /// @brief Change an attribute's default. A value that only a law that this run does without
    /// would refuse is no error. @throw InputError for any other bad value
    void Set(const std::string& attribute, const std::string& value);

    /// @brief Set(). @throw InputError that names the key, not the attribute
    void SetFrom(const std::string& key, const std::string& attribute, const std::string& value);

    /// @return whether an attribute is not one of a rate law that this run does without
    bool IsInUse(const std::string& attribute) const;

    /// @return keys whose attributes a message names, with their places; empty: none
    std::string FindKeys(const std::string& message) const;

  private:
    const CheckedCommandLine& m_cmd;
    const HpccConfig& m_config;
    const std::string& m_law;
    std::map<std::string, std::string> m_keyOfAttribute; //!< what SetFrom() has set
};

} // namespace ns3::roce

#endif /* ROCE_FORK_KEYS_H */
