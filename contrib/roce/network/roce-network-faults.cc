// SPDX-License-Identifier: GPL-2.0-only
// The part of Network that is about links: their names, failures, repairs, and the routes then.
#include "roce-network.h"

#include "ns3/node.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-scoped-value.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

/// "10 ms"
std::string
Milliseconds(int64_t ps)
{
    std::ostringstream text;
    text.precision(9);
    text << static_cast<double>(ps) / 1e9 << " ms";
    return text.str();
}

} // namespace

// ---------------------------------------------------------------- names

Network::LinkKind
Network::GetLinkKind(uint32_t link) const
{
    const LinkEntry& entry = LinkAt(link);
    if (entry.host)
    {
        return LinkKind::HOST;
    }
    return m_switches[entry.ends[0]].datacenter == m_switches[entry.ends[1]].datacenter
               ? LinkKind::FABRIC
               : LinkKind::WAN;
}

std::string
Network::EndName(const LinkEntry& entry, unsigned end) const
{
    return end == 0 && entry.host ? m_nics[entry.ends[0]].name : m_switches[entry.ends[end]].name;
}

bool
Network::IsEnd(const LinkEntry& entry, unsigned end, const std::string& name) const
{
    return EndName(entry, end) == name ||
           (end == 0 && entry.host && "nic" + std::to_string(entry.ends[0]) == name);
}

bool
Network::KnowsName(const std::string& name) const
{
    return std::any_of(m_links.begin(), m_links.end(), [&](const LinkEntry& entry) {
        return IsEnd(entry, 0, name) || IsEnd(entry, 1, name);
    });
}

std::string
Network::GetLinkName(uint32_t link) const
{
    const LinkEntry& entry = LinkAt(link);
    const std::string first = EndName(entry, 0);
    const std::string second = EndName(entry, 1);
    uint32_t index = 0;
    for (uint32_t before = 0; before < link; ++before)
    {
        const LinkEntry& other = m_links[before];
        index += (IsEnd(other, 0, first) && IsEnd(other, 1, second)) ||
                 (IsEnd(other, 0, second) && IsEnd(other, 1, first));
    }
    return first + " - " + second + (index ? " #" + std::to_string(index) : "");
}

Network::LinkRef
Network::FindLink(const std::string& first, const std::string& second, uint32_t index) const
{
    for (const std::string& name : {first, second})
    {
        if (!KnowsName(name))
        {
            throw InputError("no switch or host '" + name +
                             "' has a link, expected the name of a switch or host, or nicN");
        }
    }
    uint32_t found = 0;
    for (uint32_t link = 0; link < GetNLinks(); ++link)
    {
        for (unsigned end : {0, 1})
        {
            if (IsEnd(m_links[link], end, first) && IsEnd(m_links[link], 1 - end, second) &&
                found++ == index)
            {
                return {link, end};
            }
        }
    }
    throw InputError(found ? "link " + std::to_string(index) + " of " + first + " and " + second +
                                 " does not exist, expected 0 to " + std::to_string(found - 1)
                           : "no link joins " + first + " and " + second);
}

Network::LinkRef
Network::FindLink(uint32_t a, uint32_t b, uint32_t index) const
{
    if (a >= GetNSwitches() || b >= GetNSwitches())
    {
        throw InputError("link: switch " + std::to_string(std::max(a, b)) +
                         " does not exist, expected 0 to " + std::to_string(GetNSwitches() - 1));
    }
    return FindLink(m_switches[a].name, m_switches[b].name, index);
}

uint32_t
Network::GetLinkOfNic(uint32_t nic) const
{
    m_state.ExpectThere("GetLinkOfNic()");
    return LinkOf(*NicAt(nic).nic);
}

uint32_t
Network::LinkOf(const Port& port) const
{
    const auto it = std::find_if(m_links.begin(), m_links.end(), [&port](const LinkEntry& entry) {
        return PeekPointer(entry.link) == port.GetLink();
    });
    if (it == m_links.end())
    {
        throw InputError("a port of another network, expected one of this network's links");
    }
    return static_cast<uint32_t>(it - m_links.begin());
}

// ---------------------------------------------------------------- failures

/// @throw InputError for what cannot fail or be repaired. @param function that is called @param
/// link number @param directions see Link::Directions
void
Network::CheckDirections(const char* function, uint32_t link, unsigned directions) const
{
    m_state.ExpectBuilt(function);
    CheckIndex("link", link, m_links.size());
    if (directions == 0 || directions > Link::BOTH)
    {
        throw InputError("link " + GetLinkName(link) + ": directions are " +
                         std::to_string(directions) + ", expected 1 to 3, see Link::Directions");
    }
}

void
Network::FailLink(uint32_t link, unsigned directions)
{
    CheckDirections("FailLink()", link, directions);
    const ScopedValue<bool> runs(m_runsStations, true, m_runsStations);
    const unsigned changed = m_links[link].link->Fail(directions, NowPs());
    NoteShared();
    OnLinkChange(link, changed, false);
}

void
Network::RepairLink(uint32_t link, unsigned directions)
{
    CheckDirections("RepairLink()", link, directions);
    const ScopedValue<bool> runs(m_runsStations, true, m_runsStations);
    const unsigned changed = m_links[link].link->Repair(directions, NowPs());
    NoteShared();
    OnLinkChange(link, changed, true);
}

void
Network::ScheduleLinkChange(int64_t atPs, uint32_t link, bool up, unsigned directions)
{
    CheckDirections("ScheduleLinkChange()", link, directions);
    if (atPs < NowPs())
    {
        throw InputError("link " + GetLinkName(link) + ": a change at " + Milliseconds(atPs) +
                         " is in the past, expected " + Milliseconds(NowPs()) + " or later");
    }
    m_lastChangePs = std::max(m_lastChangePs, atPs);
    m_changes.push_back(
        Simulator::Schedule(PicoSeconds(atPs - NowPs()), [this, link, up, directions] {
            up ? RepairLink(link, directions) : FailLink(link, directions);
        }));
}

void
Network::SetReroute(int64_t delayPs)
{
    if (delayPs < 0)
    {
        throw InputError("reroute: the delay is negative, expected 0 or more");
    }
    m_rerouteDelayPs = delayPs;
}

void
Network::OnLinkChange(uint32_t link, unsigned directions, bool up)
{
    if (directions && m_rerouteDelayPs != NEVER_PS)
    {
        m_lastChangePs = std::max(m_lastChangePs, NowPs() + m_rerouteDelayPs);
        m_changes.push_back(
            Simulator::Schedule(PicoSeconds(m_rerouteDelayPs),
                                [this, link, directions, up] { OnReroute(link, directions, up); }));
    }
}

void
Network::OnReroute(uint32_t link, unsigned directions, bool up)
{
    // Earlier frames use the old routes, in every switch.
    CatchUp();
    if (m_intactRoutes.empty())
    {
        for (const SwitchEntry& entry : m_switches)
        {
            m_intactRoutes.emplace(entry.sw->GetNodeId(), entry.sw->GetRouting());
        }
    }
    // This change and not the link's present state: a later change is not known yet.
    unsigned& down = m_links[link].knownDown;
    down = up ? down & ~directions : down | directions;
    ComputeRoutes(false);
    NoteShared();
}

bool
Network::IsUsable(const Neighbour& neighbour, unsigned end) const
{
    return !(m_links[neighbour.link].knownDown >> end & 1);
}

// ---------------------------------------------------------------- reports

std::string
Network::DescribeLink(const Port& port, int64_t nowPs) const
{
    const Link& link = *port.GetLink();
    const Link::Direction& direction = link.GetDirection(port.GetEnd());
    if (direction.downSincePs < 0)
    {
        return "";
    }
    std::string name = GetLinkName(LinkOf(port));
    if (direction.down != link.GetDirection(1 - port.GetEnd()).down)
    {
        name += ", direction from " + GetNodeName(port.GetNode()->GetId()) + ",";
    }
    if (direction.down)
    {
        return "link " + name + " is down since " + Milliseconds(direction.downSincePs);
    }
    return "link " + name + " was down from " + Milliseconds(direction.downSincePs) + " to " +
           Milliseconds(std::min(direction.upSincePs, nowPs));
}

std::vector<std::string>
Network::DescribeDownLinks() const
{
    std::vector<std::string> lines;
    for (const LinkEntry& entry : m_links)
    {
        for (unsigned end : {0, 1})
        {
            const bool other = entry.link->GetDirection(1 - end).down;
            if (entry.link->GetDirection(end).down && !(end && other))
            {
                lines.push_back(DescribeLink(*entry.link->GetPort(end), NowPs()));
            }
        }
    }
    return lines;
}

uint64_t
Network::CountLinkFailures() const
{
    uint64_t failures = 0;
    for (const LinkEntry& entry : m_links)
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
    for (const SwitchEntry& entry : m_switches)
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
        const Link& link = *m_links[l].link;
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
    for (const SwitchEntry& entry : m_switches)
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

} // namespace ns3::roce
