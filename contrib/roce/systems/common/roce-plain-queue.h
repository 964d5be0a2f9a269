// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PLAIN_QUEUE_H
#define ROCE_PLAIN_QUEUE_H

#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-switch.h"

#include <string>

namespace ns3::roce
{

/**
 * @brief The queues of a port that a stage replaces by its own: not those of another stage.
 * @param who type of the stage, for the message
 * @return the queues, whose settings the new ones take over
 * @throw InputError if they are of another class
 */
inline const DwrrScheduler&
PlainQueue(const Switch& sw, uint16_t port, const std::string& who)
{
    const EgressScheduler& queue = sw.GetQueue(port);
    if (queue.GetInstanceTypeId() != DwrrScheduler::GetTypeId())
    {
        const std::string type = queue.GetInstanceTypeId().GetName();
        throw InputError(who + ": the queues of switch " + sw.GetName() + " are of class " +
                         type.substr(type.rfind(':') + 1) +
                         ", expected DwrrScheduler: one function with queues of its own (--edge)");
    }
    return static_cast<const DwrrScheduler&>(queue);
}

/**
 * @brief Queues that a stage puts in place of a port's.
 * @tparam T class of the new ones
 * @param who type of the stage, for the message
 * @return the new ones with the settings of the old; for Switch::SetQueue()
 * @throw InputError see PlainQueue()
 */
template <typename T>
Ptr<T>
MakeQueueLike(const Switch& sw, uint16_t port, const std::string& who)
{
    const DwrrScheduler& before = PlainQueue(sw, port, who);
    Ptr<T> queue = CreateObject<T>();
    queue->CopySettings(before);
    return queue;
}

} // namespace ns3::roce

#endif /* ROCE_PLAIN_QUEUE_H */
