// SPDX-License-Identifier: GPL-2.0-only
#include "roce-packet-repeater.h"

#include <algorithm>

namespace ns3::roce
{

QueuePair::AckResult
PacketRepeater::OnAck(QueuePair& qp,
                      const Frame& ack,
                      int64_t nowPs,
                      std::vector<MessageRecord>& done)
{
    const uint64_t newUna = AckedEnd(ack);
    QueuePair::AckResult result;
    if (newUna > qp.GetHighestPsn())
    {
        return result;
    }
    result.newestPsn = std::max(newUna, qp.GetUna());
    if (ack.flags & FRAME_SACK)
    {
        NoteArrivals(qp, ack, result);
    }
    if (newUna > qp.GetUna())
    {
        Retire(qp, newUna, true, nowPs, done, result);
    }
    Settle(qp, nowPs, result);
    return result;
}

} // namespace ns3::roce
