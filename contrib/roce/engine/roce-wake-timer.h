// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WAKE_TIMER_H
#define ROCE_WAKE_TIMER_H

#include "roce-partition.h"

#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/roce-time.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace ns3::roce
{

/// @return the current simulation time in picoseconds (the resolution every program sets)
inline int64_t
NowPs()
{
    return Simulator::Now().GetTimeStep();
}

/**
 * @brief Schedule a persistent event once more, without an allocation.
 * @param context node id the event belongs to
 * @param event stays the caller's; the scheduler holds a reference of its own
 */
inline void
ScheduleEvent(uint32_t context, int64_t delayPs, EventImpl* event)
{
    event->Ref();
    Simulator::ScheduleWithContext(context, TimeStep(delayPs), event);
}

/**
 * @brief A persistent event that calls OWNER::OnWake(nowPs): no allocation per use, never
 * cancelled.
 *
 * Arm() with a time earlier than all pending ones schedules once more; a firing that is no longer
 * needed finds nothing to do. Within a partition (SetPartition()) the calls come from there in
 * place of the simulator.
 *
 * @tparam OWNER class with a member `void OnWake(int64_t nowPs)`
 */
template <typename OWNER>
class WakeTimer final : public Wakeable
{
  public:
    /// @param owner is called; outlives the timer
    explicit WakeTimer(OWNER* owner)
        : Wakeable(StationOf(owner)),
          m_event(Ptr<Event>(new Event(this), false)),
          m_owner(owner)
    {
        m_pendingPs.reserve(8);
    }

    ~WakeTimer()
    {
        m_event->m_timer = nullptr;
    }

    WakeTimer(const WakeTimer&) = delete;
    WakeTimer& operator=(const WakeTimer&) = delete;

    /**
     * @brief Call the owner at or before atPs.
     * @param atPs not in the past; NEVER_PS does nothing
     */
    void Arm(uint32_t context, int64_t atPs)
    {
        if (atPs != NEVER_PS && (m_pendingPs.empty() || atPs < m_pendingPs.back()))
        {
            m_pendingPs.push_back(atPs);
            if (m_partition)
            {
                m_partition->Wake(atPs, this);
                return;
            }
            ScheduleEvent(context, atPs - NowPs(), PeekPointer(m_event));
        }
    }

    /**
     * @brief Nothing is pending any more; from now on, have the partition call the owner.
     * @param partition outlives its use; null: the simulator calls
     */
    void SetPartition(Partition* partition)
    {
        m_event->m_timer = nullptr;
        m_event = Ptr<Event>(new Event(this), false);
        m_pendingPs.clear();
        m_partition = partition;
    }

    /// @return see SetPartition()
    Partition* GetPartition() const
    {
        return m_partition;
    }

    void Fire(int64_t nowPs) override
    {
        m_pendingPs.pop_back();
        m_owner->OnWake(nowPs);
    }

    void RunTo(int64_t nowPs) override
    {
        if constexpr (std::is_same_v<OWNER, Station>)
        {
            m_owner->RunDue(nowPs);
        }
    }

  private:
    /// @return the owner if it is a station, or null
    static Station* StationOf([[maybe_unused]] OWNER* owner)
    {
        if constexpr (std::is_same_v<OWNER, Station>)
        {
            return owner;
        }
        return nullptr;
    }

    /// The event; it outlives its timer if it is still in the scheduler.
    struct Event : public EventImpl
    {
        explicit Event(WakeTimer* timer)
            : m_timer(timer)
        {
        }

        void Notify() override
        {
            if (m_timer)
            {
                m_timer->Fire(NowPs());
            }
        }

        WakeTimer* m_timer;
    };

    Ptr<Event> m_event;
    OWNER* m_owner;
    Partition* m_partition{nullptr};  //!< null: the simulator
    std::vector<int64_t> m_pendingPs; //!< pending firings, latest first: the last one fires next
};

} // namespace ns3::roce

#endif /* ROCE_WAKE_TIMER_H */
