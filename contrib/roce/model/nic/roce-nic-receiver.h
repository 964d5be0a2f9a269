/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_NIC_RECEIVER_H
#define ROCE_NIC_RECEIVER_H

#include "roce-due-heap.h"
#include "roce-receiver-table.h"

#include <cstdint>

namespace ns3
{
namespace roce
{

class Nic;

/**
 * @ingroup roce
 * @brief The receiving half of a NIC: its queue pairs, what answers data, and their timers.
 */
class NicReceiver
{
  public:
    /// @param nic whose half it is
    explicit NicReceiver(Nic& nic)
        : m_nic(nic)
    {
    }

    /// @return the queue pairs
    ReceiverTable& GetTable()
    {
        return m_table;
    }

    /// @return the queue pairs
    const ReceiverTable& GetTable() const
    {
        return m_table;
    }

    /**
     * @brief A data frame has arrived.
     * @param frame taken over
     * @param nowPs current time
     */
    void OnData(Frame* frame, int64_t nowPs);

    /// @return when a timer wants to be looked at, or NEVER_PS
    int64_t NextTimerPs() const
    {
        return m_timers.NextPs();
    }

    /**
     * @brief Run the timers that are due.
     * @param atPs current time
     */
    void RunTimers(int64_t atPs);

    /**
     * @brief Give the feedbacks the live parameters of their profiles, where these have changed.
     * @param nowPs current time
     */
    void Retune(int64_t nowPs);

  private:
    class Replies;

    Frame* MakeReply(FrameKind kind, const ReceiverQp& qp, uint32_t qpn) const;
    void Answer(ReceiverQp& qp, Frame& data, bool isNak, int64_t nowPs);
    void NoteTimer(ReceiverQp& qp, uint32_t qpn);

    Nic& m_nic;
    ReceiverTable m_table;
    DueHeap m_timers;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_NIC_RECEIVER_H */
