// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DROP_COUNTERS_H
#define ROCE_DROP_COUNTERS_H

#include <cstdint>
#include <initializer_list>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief How many frames were lost for which reason. A reason is named once, when it is registered;
 * to count is to index an array.
 */
class DropCounters
{
  public:
    /// @param names of the first reasons, from 0 on
    DropCounters(std::initializer_list<const char*> names)
        : m_names(names),
          m_counts(names.size(), 0)
    {
    }

    /**
     * @brief Name one more reason.
     * @param name lower camel case, lives as long as this
     * @return its number; that of the earlier reason if there is one of that name
     */
    uint8_t Register(const char* name)
    {
        for (std::size_t i = 0; i < m_names.size(); ++i)
        {
            if (std::string(m_names[i]) == name)
            {
                return static_cast<uint8_t>(i);
            }
        }
        m_names.push_back(name);
        m_counts.push_back(0);
        return static_cast<uint8_t>(m_names.size() - 1);
    }

    /// @brief Count a frame. @return the reason's name
    const char* Count(uint8_t reason)
    {
        ++m_counts[reason];
        return m_names[reason];
    }

    /// @return frames lost for a reason.
    uint64_t Get(uint8_t reason) const
    {
        return m_counts.at(reason);
    }

    /// @return frames lost in all
    uint64_t GetTotal() const
    {
        return std::accumulate(m_counts.begin(), m_counts.end(), uint64_t{0});
    }

    /**
     * @brief Add each reason and the sum to named counters.
     * @param prefix of the names, for example framesDropped; the reason's name follows with an
     * upper case letter
     */
    void AddTo(const std::string& prefix, std::map<std::string, uint64_t>& counters) const
    {
        for (std::size_t i = 0; i < m_names.size(); ++i)
        {
            std::string name = m_names[i];
            name[0] = static_cast<char>(name[0] - 'a' + 'A');
            counters[prefix + name] += m_counts[i];
        }
        counters[prefix] += GetTotal();
    }

  private:
    std::vector<const char*> m_names;
    std::vector<uint64_t> m_counts;
};

} // namespace ns3::roce

#endif /* ROCE_DROP_COUNTERS_H */
