// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_LAWS_H
#define ROCE_HPCC_LAWS_H

#include "roce-hpcc-config.h"
#include "roce-hpcc-longest.h"

#include "ns3/roce-congestion-control.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief What the keys of an HPCC simulator's configuration mean for the rate law of a run: its
 * window, its base RTT, and which keys it does not use.
 *
 * There, HAS_WIN bounds what each flow has in flight, whatever its rate law: to the bandwidth-delay
 * product of its pair of hosts, or, with GLOBAL_T, to the largest of all pairs; with VAR_WIN times
 * rate over line rate. HPCC has no other window, and takes the same product for T times the line
 * rate. inet-tub's PowerTCP has a window of its own.
 */
class HpccLaws
{
  public:
    /// Sets the default of an attribute.
    using Setter = std::function<void(const std::string& attribute, const std::string& value)>;

    /**
     * @param config the configuration
     * @param cc the rate law, parameters in brackets may follow
     * @param isProfile a key that the configuration file does not have means what it means there,
     * and not what this module does by default
     */
    HpccLaws(const HpccConfig& config, const std::string& cc, bool isProfile);

    /// @return the rate law without its parameters
    const std::string& GetName() const
    {
        return m_law;
    }

    /**
     * @brief Set base RTT and window.
     * @param longest of the network
     * @param set called for each attribute
     */
    void Apply(const HpccLongest& longest, const Setter& set) const;

    /**
     * @param law prototype of the rate law
     * @return keys of the configuration that change nothing with this law, each with the reason
     */
    std::vector<std::pair<std::string, std::string>> FindUnused(const CongestionControl& law) const;

  private:
    bool HasWindow() const;
    bool IsWindowOwn() const;
    bool IsGlobal() const;
    bool UsesKey(const std::string& key) const;

    const HpccConfig& m_config;
    std::string m_law;
    bool m_isProfile;
    bool m_isFile; //!< a configuration file is followed to the letter
};

} // namespace ns3::roce

#endif /* ROCE_HPCC_LAWS_H */
