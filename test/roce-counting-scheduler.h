// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COUNTING_SCHEDULER_H
#define ROCE_COUNTING_SCHEDULER_H

#include "ns3/priority-queue-scheduler.h"

#include <algorithm>
#include <cstdint>

namespace ns3::roce
{

/**
 * @ingroup roce-tests
 * @brief Counts pending events. Choose it by its TypeId name; the counts are of the process.
 */
class CountingScheduler : public PriorityQueueScheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::CountingScheduler")
                                .SetParent<PriorityQueueScheduler>()
                                .AddConstructor<CountingScheduler>();
        return tid;
    }

    void Insert(const Event& event) override
    {
        s_max = std::max(s_max, ++s_pending);
        PriorityQueueScheduler::Insert(event);
    }

    Event RemoveNext() override
    {
        s_sum += s_pending--;
        ++s_count;
        return PriorityQueueScheduler::RemoveNext();
    }

    /// Forget all counts.
    static void Reset()
    {
        s_pending = s_max = s_sum = s_count = 0;
    }

    inline static uint64_t s_pending = 0; //!< now
    inline static uint64_t s_max = 0;     //!< at most
    inline static uint64_t s_sum = 0;     //!< summed over all events run
    inline static uint64_t s_count = 0;   //!< events run
};

NS_OBJECT_ENSURE_REGISTERED(CountingScheduler);

} // namespace ns3::roce

#endif /* ROCE_COUNTING_SCHEDULER_H */
