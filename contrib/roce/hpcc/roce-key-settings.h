// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_KEY_SETTINGS_H
#define ROCE_KEY_SETTINGS_H

#include "roce-hpcc-config.h"

#include "ns3/roce-command-line.h"

#include <map>
#include <string>

namespace ns3::roce
{

/**
 * @ingroup roce
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

#endif /* ROCE_KEY_SETTINGS_H */
