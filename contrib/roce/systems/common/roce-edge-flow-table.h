// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_EDGE_FLOW_TABLE_H
#define ROCE_EDGE_FLOW_TABLE_H

#include "ns3/roce-frame.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

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
 * @brief Per-flow state of an edge function, forgotten when a flow has not been seen for a while.
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
     * @return its state, fresh if it was absent
     */
    State& Touch(FlowKey flow, int64_t nowPs)
    {
        const auto it = m_entries.find(flow);
        if (it != m_entries.end() && nowPs - it->second.seenPs <= m_timeoutPs)
        {
            it->second.seenPs = nowPs;
            return it->second.state;
        }
        if (nowPs >= m_sweepPs)
        {
            Sweep(nowPs);
        }
        ++m_inserted;
        Entry& entry = m_entries[flow] = Entry{State(), nowPs};
        m_peak = std::max<uint64_t>(m_peak, m_entries.size());
        return entry.state;
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
    struct Entry
    {
        State state;
        int64_t seenPs;
    };

    void Sweep(int64_t nowPs)
    {
        m_sweepPs = nowPs + m_timeoutPs;
        for (auto it = m_entries.begin(); it != m_entries.end();)
        {
            it = nowPs - it->second.seenPs > m_timeoutPs ? m_entries.erase(it) : std::next(it);
        }
    }

    std::unordered_map<FlowKey, Entry> m_entries; //!< looked up, never walked but to remove
    int64_t m_timeoutPs{0};
    int64_t m_sweepPs{0}; //!< next sweep at the first insertion from then on
    uint64_t m_inserted{0};
    uint64_t m_peak{0};
};

} // namespace ns3::roce

#endif /* ROCE_EDGE_FLOW_TABLE_H */
