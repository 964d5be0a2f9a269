// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-division.h"
#include "roce-network-pfc.h"
#include "roce-network.h"

#include "ns3/node.h"
#include "ns3/roce-hash.h"
#include "ns3/roce-tuner.h"

// What a Network counts, and whether it adds up.

namespace ns3::roce
{

std::map<std::string, uint64_t>
Network::GetCounters() const
{
    m_state.ExpectBuilt("GetCounters()");
    CatchUp();
    std::map<std::string, uint64_t> counters;
    for (const auto& entry : m_parts.switches)
    {
        entry.sw->Count(counters);
    }
    counters["ecnMarked"] += 0; // there even without a marker
    for (const auto& entry : m_parts.nics)
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
        counters = m_division->AddRanks(counters);
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

uint64_t
Network::CountPacketHops() const
{
    m_state.ExpectThere("CountPacketHops()");
    uint64_t hops = 0;
    for (const auto& nic : m_parts.nics)
    {
        hops += nic.nic->GetPacketHops();
    }
    for (const auto& entry : m_parts.switches)
    {
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            hops += entry.sw->GetPort(p)->GetPacketHops();
        }
    }
    return hops;
}

void
Network::EnableFingerprint()
{
    for (const Ptr<Port>& port : GetPorts())
    {
        port->EnableFingerprint();
    }
}

uint64_t
Network::GetFingerprint() const
{
    std::vector<uint64_t> fingerprints;
    for (const Ptr<Port>& port : GetPorts())
    {
        fingerprints.push_back(port->GetOwner()->IsHere() ? port->GetFingerprint() : 0);
    }
    if (RankExchange* ranks = GetRanks())
    {
        fingerprints = ranks->Sum(fingerprints);
    }
    uint64_t hash = 0;
    for (const uint64_t fingerprint : fingerprints)
    {
        hash = Mix64(hash ^ fingerprint);
    }
    return hash;
}

std::string
Network::Audit(bool drained) const
{
    m_state.ExpectBuilt("Audit()");
    CatchUp();
    for (const auto& entry : m_parts.switches)
    {
        std::string wrong = entry.sw->Audit();
        if (wrong.empty() && drained && entry.sw->GetBuffer().GetTotalBytes())
        {
            wrong = "switch " + entry.name + ": " +
                    std::to_string(entry.sw->GetBuffer().GetTotalBytes()) + " B left in the buffer";
        }
        if (wrong.empty() && drained && entry.sw->GetBuffer().GetPausedCount())
        {
            wrong = "switch " + entry.name + ": an XOFF is outstanding";
        }
        if (!wrong.empty())
        {
            return wrong;
        }
    }
    if (std::string wrong = AuditLinks(); !wrong.empty())
    {
        return wrong;
    }
    for (const Ptr<Port>& port : GetPorts())
    {
        if (drained && port->IsLinkInFlight())
        {
            return "a frame is on a link of node " + GetNodeName(port->GetNode()->GetId());
        }
    }
    return "";
}

uint64_t
Network::CountLinkFailures() const
{
    uint64_t failures = 0;
    for (const auto& entry : m_parts.links)
    {
        failures += entry.link->GetFailures();
    }
    return failures;
}

uint64_t
Network::CountFramesLost() const
{
    uint64_t frames = 0;
    for (const Ptr<Port>& port : GetPorts())
    {
        frames += port->GetFramesLost();
    }
    for (const auto& entry : m_parts.switches)
    {
        frames += entry.sw->GetDrops().GetTotal();
    }
    return frames;
}

std::string
Network::AuditLinks() const
{
    for (uint32_t l = 0; l < GetNLinks(); ++l)
    {
        const Link& link = *m_parts.links[l].link;
        for (unsigned end : {0, 1})
        {
            const Link::Direction& direction = link.GetDirection(end);
            const uint64_t inFlight = link.CountInFlight(end);
            if (direction.to->IsHere() &&
                direction.sentFrames != direction.arrivedFrames + inFlight)
            {
                return "link " + GetLinkName(l) + ": " + std::to_string(direction.sentFrames) +
                       " frames sent, " + std::to_string(direction.arrivedFrames) +
                       " arrived or lost, " + std::to_string(inFlight) + " on their way";
            }
        }
    }
    for (const auto& entry : m_parts.switches)
    {
        if (!entry.sw->IsHere())
        {
            continue;
        }
        uint64_t received = entry.sw->GetCounters().rxFrames;
        uint64_t arrived = 0;
        uint64_t sent = 0;
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            const Ptr<Port> port = entry.sw->GetPort(p);
            received += port->GetFramesLost() + port->GetPfcReceived();
            arrived += port->GetIncoming().arrivedFrames;
            sent += port->GetPacketHops();
        }
        if (received != arrived)
        {
            return "switch " + entry.name + ": " + std::to_string(arrived) +
                   " frames have arrived, " + std::to_string(received) + " were received or lost";
        }
        if (sent != entry.sw->GetCounters().txFrames)
        {
            return "switch " + entry.name + ": " + std::to_string(sent) + " frames left, " +
                   std::to_string(entry.sw->GetCounters().txFrames) + " were sent";
        }
    }
    return "";
}

std::string
Network::DescribeLosslessDrops() const
{
    return NetworkPfc(m_parts, m_maxFrameBytes).DescribeDrops(GetRanks());
}

} // namespace ns3::roce
