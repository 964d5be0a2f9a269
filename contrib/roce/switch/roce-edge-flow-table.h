// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_EDGE_FLOW_TABLE_H
#define ROCE_EDGE_FLOW_TABLE_H

#include "ns3/roce-frame.h"
#include "ns3/roce-hash.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// Names a flow: its sender's NIC and queue pair.
using FlowKey = uint64_t;

/// @param nic of its sender @param qp of its sender
inline FlowKey
MakeFlowKey(uint32_t nic, uint32_t qp)
{
    return static_cast<uint64_t>(nic) << 32 | qp;
}

/// @return key of the flow that a data frame, or a packet of ns-3, belongs to
inline FlowKey
FlowOfData(const Frame& data)
{
    return MakeFlowKey(data.src, data.srcQp);
}

/// @return key of the flow an ACK or NAK is for
inline FlowKey
FlowOfAck(const Frame& ack)
{
    return MakeFlowKey(ack.dst, ack.dstQp);
}

/**
 * @return key of what a switch that knows no queue pairs takes for a flow: frames with the same
 * addresses (NICs are numbered with 24 bits, as IPv4 addresses are) and UDP source port
 */
inline FlowKey
FlowOfTuple(const Frame& frame)
{
    return uint64_t{frame.src} << 40 | uint64_t{frame.dst} << 16 | frame.entropy;
}

/// @return NIC of the sender
inline uint32_t
NicOfFlow(FlowKey flow)
{
    return static_cast<uint32_t>(flow >> 32);
}

/// @return queue pair of the sender
inline uint32_t
QpOfFlow(FlowKey flow)
{
    return static_cast<uint32_t>(flow);
}

/**
 * @brief Per-flow state of a switch's function, forgotten when a flow has not been seen for a
 * while: an open hash table, one cache line or two for a frame.
 *
 * Memory is taken for new flows only. There is no timer: an entry that is too old counts as absent
 * (when it is asked for, it begins again) and goes away at some later insertion.
 * @tparam State default-constructible
 */
template <typename State>
class EdgeFlowTable
{
  public:
    /// @param timeoutPs age at which an entry is forgotten
    void SetTimeout(int64_t timeoutPs)
    {
        m_timeoutPs = timeoutPs;
    }

    /**
     * @brief A flow has been seen.
     * @return its state, fresh if it was absent; up to the next Touch()
     */
    State& Touch(FlowKey flow, int64_t nowPs)
    {
        Entry* entry = Find(flow);
        if (entry->seenPs != ABSENT && nowPs - entry->seenPs <= m_timeoutPs)
        {
            entry->seenPs = nowPs;
            return entry->state;
        }
        if (nowPs >= m_sweepPs)
        {
            m_sweepPs = nowPs + m_timeoutPs;
            Rebuild(nowPs - m_timeoutPs);
            entry = Find(flow);
        }
        if (entry->seenPs == ABSENT)
        {
            if (2 * (m_used + 1) > m_entries.size())
            {
                Rebuild(ABSENT + 1);
                entry = Find(flow);
            }
            m_peak = std::max<uint64_t>(m_peak, ++m_used);
        }
        ++m_inserted;
        *entry = Entry{flow, nowPs, State()};
        return entry->state;
    }

    /// @return entries ever made
    uint64_t GetInserted() const
    {
        return m_inserted;
    }

    /// @return most entries at a time, those too old but not yet removed included
    uint64_t GetPeak() const
    {
        return m_peak;
    }

  private:
    static constexpr int64_t ABSENT = INT64_MIN;
    static constexpr std::size_t LEAST = 16; //!< places, a power of two

    struct Entry
    {
        FlowKey flow{0};
        int64_t seenPs{ABSENT};
        State state{};
    };

    /// @return the flow's entry, or the place for it: one in two places at least is free
    Entry* Find(FlowKey flow)
    {
        const std::size_t mask = m_entries.size() - 1;
        std::size_t i = Mix64(flow) & mask;
        while (m_entries[i].seenPs != ABSENT && m_entries[i].flow != flow)
        {
            i = (i + 1) & mask;
        }
        return &m_entries[i];
    }

    /// Keep the entries that were seen since then, in a table a quarter full, or less.
    void Rebuild(int64_t sincePs)
    {
        std::vector<Entry> old = std::move(m_entries);
        m_used = std::count_if(old.begin(), old.end(), [sincePs](const Entry& entry) {
            return entry.seenPs >= sincePs;
        });
        std::size_t places = LEAST;
        while (places < 4 * m_used)
        {
            places *= 2;
        }
        m_entries = std::vector<Entry>(places);
        for (Entry& entry : old)
        {
            if (entry.seenPs >= sincePs)
            {
                *Find(entry.flow) = std::move(entry);
            }
        }
    }

    std::vector<Entry> m_entries = std::vector<Entry>(LEAST);
    std::size_t m_used{0}; //!< entries that are there
    int64_t m_timeoutPs{0};
    int64_t m_sweepPs{0}; //!< next sweep at the first insertion from then on
    uint64_t m_inserted{0};
    uint64_t m_peak{0};
};

} // namespace ns3::roce

#endif /* ROCE_EDGE_FLOW_TABLE_H */
