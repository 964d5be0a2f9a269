// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FIXED_VALUES_H
#define ROCE_FIXED_VALUES_H

#include <string>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Values that were attributes once and cannot be set any more, for the message to those who
 * try.
 */
class FixedValues
{
  public:
    /// @param type `ns3::roce::X` @param name of the attribute that there was @param value as text
    /// @return true, for the initialisation of a static variable
    static bool Add(const std::string& type, const std::string& name, const std::string& value);

    /// @param type `ns3::roce::X` @param name of an attribute that it does not have
    /// @return "it is fixed at ..."; empty if there never was one
    static std::string Explain(const std::string& type, const std::string& name);
};

} // namespace ns3::roce

#endif /* ROCE_FIXED_VALUES_H */
