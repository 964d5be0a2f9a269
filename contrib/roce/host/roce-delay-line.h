// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DELAY_LINE_H
#define ROCE_DELAY_LINE_H

#include "ns3/roce-time.h"

#include <cstdint>
#include <deque>
#include <utility>

namespace ns3::roce
{

/**
 * @brief What comes out a constant time after it was put in.
 * @tparam T what is delayed
 */
template <typename T>
class DelayLine
{
  public:
    /// @param atPs when it comes out, not before what was put in earlier @param what any
    void Push(int64_t atPs, T what)
    {
        m_waiting.emplace_back(atPs, std::move(what));
    }

    /// @return when the next one comes out, or NEVER_PS
    int64_t NextPs() const
    {
        return m_waiting.empty() ? NEVER_PS : m_waiting.front().first;
    }

    /// @return whether one was due. @param nowPs current time @param what [out] it
    bool Pop(int64_t nowPs, T& what)
    {
        if (m_waiting.empty() || NextPs() > nowPs)
        {
            return false;
        }
        what = std::move(m_waiting.front().second);
        m_waiting.pop_front();
        return true;
    }

  private:
    std::deque<std::pair<int64_t, T>> m_waiting;
};

} // namespace ns3::roce

#endif /* ROCE_DELAY_LINE_H */
