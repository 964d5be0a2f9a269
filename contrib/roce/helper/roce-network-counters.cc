/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-network.h"

#include "ns3/roce-tuner.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

std::map<std::string, uint64_t>
Network::GetCounters() const
{
    CatchUp();
    std::map<std::string, uint64_t> counters;
    for (const SwitchEntry& entry : m_switches)
    {
        entry.sw->Count(counters);
    }
    counters["ecnMarked"] += 0; // there even without a marker
    for (const NicEntry& entry : m_nics)
    {
        const Nic& nic = *entry.nic;
        const Nic::Counters& c = nic.GetCounters();
        counters["dataSent"] += c.dataSent;
        counters["retransmitted"] += c.retransmitted;
        counters["acksSent"] += c.acksSent;
        counters["naksSent"] += c.naksSent;
        counters["cnpsSent"] += c.cnpsSent;
        counters["timeouts"] += c.timeouts;
        counters["failedQps"] += c.failedQps;
        counters["strayFrames"] += c.strayFrames;
        counters["reordered"] += c.reordered;
        counters["pathMoves"] += c.pathMoves;
        for (uint32_t q = 0; nic.GetOpenQps() && q < nic.GetNQps(); ++q)
        {
            const QueuePair* qp = nic.GetQp(q);
            counters["pathMoves"] += qp && qp->GetSelector() ? qp->GetSelector()->GetMoves() : 0;
        }
        counters["notificationsReceived"] += c.notificationsReceived;
        counters["strayNotifications"] += c.strayNotifications;
        uint64_t& depth = counters["maxReorderPackets"];
        depth = std::max(depth, c.reorderDepth);
    }
    int64_t pausedPs = 0;
    for (const Ptr<Port>& port : GetPorts())
    {
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            pausedPs += port->GetPausedTimePs(c, NowPs());
        }
        counters["framesLostOnLinks"] += port->GetFramesLost();
        counters["framesLostLinkDown"] += port->GetFramesLost(Port::LOSS_LINK_DOWN);
    }
    counters["linkFailures"] = CountLinkFailures();
    if (m_tuner)
    {
        m_tuner->Count(counters);
    }
    counters["pausedNs"] = static_cast<uint64_t>(pausedPs / 1000);
    counters["packetHops"] = CountPacketHops();
    return counters;
}

} // namespace roce
} // namespace ns3
