// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RETRANSMISSION_TIMER_H
#define ROCE_RETRANSMISSION_TIMER_H

#include "ns3/roce-time.h"

#include <cstdint>

namespace ns3::roce
{

/// @brief Retransmission timeout of a queue pair. RetransmissionTimers runs it; others read it.
class RetransmissionTimer
{
  public:
    /// @return how long the NIC would wait; LossRecovery may decide otherwise
    int64_t GetLengthPs() const
    {
        return m_lengthPs;
    }

    /// @return since when it runs
    int64_t GetStartPs() const
    {
        return m_startPs;
    }

    /// @return its end at that time, or NEVER_PS if it does not run
    int64_t GetDeadlinePs() const
    {
        return m_deadlinePs;
    }

    /// @return timeouts in a row without progress
    uint32_t GetRetries() const
    {
        return m_retries;
    }

    /// @brief For LossRecovery::OnSend(): with this frame, start again and ask for the deadline.
    void AskAnew()
    {
        m_deadlinePs = NEVER_PS;
    }

  private:
    friend class RetransmissionTimers;

    int64_t m_lengthPs{0};
    int64_t m_startPs{0};
    int64_t m_deadlinePs{NEVER_PS};
    int64_t m_entryPs{NEVER_PS}; //!< key of the valid entry in the heap
    uint32_t m_retries{0};
};

} // namespace ns3::roce

#endif /* ROCE_RETRANSMISSION_TIMER_H */
