// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-division.h"
#include "roce-network-routes.h"
#include "roce-network.h"

#include "ns3/node.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-scoped-value.h"
#include "ns3/roce-tuner.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

// Failures and repairs of links, and the routes then.

// What a Tuner knows of the network.

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

/// @throw InputError for what cannot fail or be repaired. @param function that is called @param
/// link number @param directions see Link::Directions
void
Network::CheckDirections(const char* function, uint32_t link, unsigned directions) const
{
    m_state.ExpectBuilt(function);
    CheckIndex("link", link, m_parts.links.size());
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
    const unsigned changed = m_parts.links[link].link->Fail(directions, NowPs());
    m_division->NoteShared();
    OnLinkChange(link, changed, false);
}

void
Network::RepairLink(uint32_t link, unsigned directions)
{
    CheckDirections("RepairLink()", link, directions);
    const ScopedValue<bool> runs(m_runsStations, true, m_runsStations);
    const unsigned changed = m_parts.links[link].link->Repair(directions, NowPs());
    m_division->NoteShared();
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
Network::SchedulePauses(int64_t fromPs,
                        int64_t toPs,
                        uint32_t link,
                        unsigned end,
                        uint64_t drainBps)
{
    CheckDirections("SchedulePauses()", link, 1U << end);
    const Link& pausing = *m_parts.links[link].link;
    Port* const port = pausing.PeekPort(end);
    auto* const nic = dynamic_cast<Nic*>(port);
    auto* const sw = dynamic_cast<Switch*>((nic ? pausing.PeekPort(1 - end) : port)->GetOwner());
    if (!sw->GetLosslessMask() || (drainBps && !nic))
    {
        throw InputError("link " + GetLinkName(link) + ": " +
                         (drainBps && !nic ? "a switch takes in data slowly, expected a NIC"
                                           : "pauses, but no class is lossless there"));
    }
    const auto set = [this, nic, sw, port, drainBps](bool on) {
        const ScopedValue<bool> runs(m_runsStations, true, m_runsStations);
        port->GetOwner()->CatchUp(NowPs()); // in all processes
        if (port->GetOwner()->IsHere())
        {
            nic ? nic->SetPauses(sw->GetLosslessMask(), on && !drainBps, on ? drainBps : 0)
                : sw->SetStorm(port->GetIndex(), on);
        }
        m_division->NoteShared();
    };
    for (const auto& [atPs, on] : {std::pair(fromPs, true), std::pair(toPs, false)})
    {
        if (atPs >= 0)
        {
            m_lastChangePs = std::max(m_lastChangePs, atPs);
            m_changes.push_back(
                Simulator::Schedule(PicoSeconds(atPs - NowPs()), [set, on = on] { set(on); }));
        }
    }
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
    m_routes->Change(link, directions, up);
    m_division->NoteShared();
}

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
    for (const auto& entry : m_parts.links)
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

void
Network::InstallTuner(const ObjectFactory& factory)
{
    TunedNetwork network;
    for (const auto& entry : m_parts.nics)
    {
        network.nics.push_back(entry.nic);
        network.hasInterDc = network.hasInterDc || entry.datacenter != m_parts.nics[0].datacenter;
    }
    for (uint32_t s = 0; s < GetNSwitches(); ++s)
    {
        network.switches.push_back(m_parts.switches[s].sw);
        network.isTor.push_back(HasRole(s, SwitchRole::TOR));
    }
    network.pathInfo = [this](uint32_t src, uint32_t dst) { return GetPath(src, dst, 0); };
    network.catchUp = [this] { CatchUp(); };
    network.noteShared = [this] { m_division->NoteShared(); };
    network.isDone = [this] { return IsSimulatorDone(); };
    network.ranks = [this] { return GetRanks(); };
    m_tuner = factory.Create<Tuner>();
    m_tuner->Install(std::move(network));
}

Ptr<Tuner>
Network::GetTuner() const
{
    return m_tuner;
}

} // namespace ns3::roce
