// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PACKET_CLASSES_H
#define ROCE_PACKET_CLASSES_H

#include "ns3/roce-frame-fields.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/// @brief Which traffic class the packets of a RoceNetDevice have.
class PacketClasses
{
  public:
    /**
     * @brief Read attribute Classes of RoceNetDevice.
     * @param text a class for all packets and, behind it, exceptions with commas: dscpD=C for
     * packets of DSCP D, priorityP=C for those of sockets with priority P, such as 0,dscp46=5. Of
     * two that fit the first counts
     * @return the map
     * @throw InputError for anything else
     */
    static PacketClasses Parse(const std::string& text);

    /// @param dscp 0 to 63 @param priority of the socket, 0 if it has none. @return class
    uint8_t Of(uint8_t dscp, uint8_t priority) const
    {
        for (const Rule& rule : m_rules)
        {
            if ((rule.isDscp ? dscp : priority) == rule.value)
            {
                return rule.trafficClass;
            }
        }
        return m_default;
    }

    /// @return classes that it names, ascending, each once
    std::vector<uint8_t> GetAll() const;

  private:
    /// An exception.
    struct Rule
    {
        bool isDscp; //!< or a socket's priority
        uint8_t value;
        uint8_t trafficClass;
    };

    uint8_t m_default{0};
    std::vector<Rule> m_rules;
};

} // namespace ns3::roce

#endif /* ROCE_PACKET_CLASSES_H */
