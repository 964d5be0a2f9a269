// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network.h"

#include "ns3/roce-tuner.h"

namespace ns3::roce
{

std::map<std::string, uint64_t>
Network::GetCounters() const
{
    m_state.ExpectBuilt("GetCounters()");
    CatchUp();
    std::map<std::string, uint64_t> counters;
    for (const SwitchEntry& entry : m_switches)
    {
        entry.sw->Count(counters);
    }
    counters["ecnMarked"] += 0; // there even without a marker
    for (const NicEntry& entry : m_nics)
    {
        entry.nic->Count(counters);
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
    counters["pausedPs"] = static_cast<uint64_t>(pausedPs);
    counters["packetHops"] = CountPacketHops();
    if (GetRanks())
    {
        counters = AddRanks(counters);
    }
    counters["pausedNs"] = counters["pausedPs"] / 1000;
    counters.erase("pausedPs");
    counters["linkFailures"] = CountLinkFailures();
    if (m_tuner)
    {
        m_tuner->Count(counters);
    }
    return counters;
}

} // namespace ns3::roce
