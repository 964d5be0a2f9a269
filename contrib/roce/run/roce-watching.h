// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WATCHING_H
#define ROCE_WATCHING_H

#include "ns3/abort.h"
#include "ns3/callback.h"
#include "ns3/roce-network.h"
#include "ns3/roce-station-trace.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ns3::roce
{

// What all that watch a network need.

/**
 * @brief Connect a function to a trace source. It touches nothing but what belongs to the station
 * that calls it, see SinkMark::LocalSinks: any thread may.
 * @tparam Args arguments of the trace source; @tparam F callable with these
 * @param object that has the source
 * @param source name; the program aborts if there is none
 * @param sink the function
 */
template <typename... Args, typename F>
void
ConnectTrace(Object& object, const char* source, F&& sink)
{
    const SinkMark::LocalSinks local;
    NS_ABORT_MSG_UNLESS(
        object.TraceConnectWithoutContext(source, Callback<void, Args...>(std::forward<F>(sink))),
        "no trace source " << source);
}

/// @return how late a station's report can be at most, ps @param network built
inline int64_t
GetLargestSlackPs(const Network& network)
{
    int64_t slackPs = 0;
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        slackPs = std::max(slackPs, network.GetNic(n).Peek()->GetSlackPs());
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        slackPs = std::max(slackPs, network.GetSwitch(s).Peek()->GetSlackPs());
    }
    return slackPs;
}

/**
 * @brief Visit the open queue pairs, by NIC and number.
 * @tparam F callable with (QueuePair&)
 * @param network built
 * @param visit called for each
 */
template <typename F>
void
ForOpenQps(const Network& network, F&& visit)
{
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        const Nic& nic = *network.GetNic(n); // caught up
        for (uint32_t q = 0; nic.GetOpenQps() && q < nic.GetNQps(); ++q)
        {
            if (QueuePair* qp = nic.GetQp(q))
            {
                visit(*qp);
            }
        }
    }
}

} // namespace ns3::roce

#endif /* ROCE_WATCHING_H */
