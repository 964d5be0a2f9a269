// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_OBJECT_LOCK_H
#define ROCE_OBJECT_LOCK_H

#include <mutex>

namespace ns3::roce
{

/**
 * @brief Held by a station that makes or ends a queue pair or a packet of ns-3.
 *
 * Queue pairs are copies of prototypes that several stations have, and ns-3 counts references
 * without atomic operations; the memory of its packets is one list of the whole program. Stations
 * may run in several threads at once (see ParallelRun); all else they do touches only their own
 * data.
 */
class ObjectLock
{
  private:
    static std::mutex& GetMutex()
    {
        static std::mutex mutex;
        return mutex;
    }

    std::lock_guard<std::mutex> m_lock{GetMutex()};
};

} // namespace ns3::roce

#endif /* ROCE_OBJECT_LOCK_H */
