// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-map.h"

#include "ns3/node.h"
#include "ns3/queue-size.h"
#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-input-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::roce
{

namespace
{

/// @param first of its kind, or null, which it is then @param make makes one as always
/// @return like the first one. Loss models are not shared
template <typename T, typename MAKE>
Ptr<T>
MakeLike(Ptr<T>& first, MAKE make)
{
    if (first && !first->GetLossModel())
    {
        return CopyObject(first);
    }
    const Ptr<T> made = make();
    first = made->GetInstanceTypeId() == T::GetTypeId() ? made : nullptr;
    return made;
}

/// @throw InputError for what no link can be.
void
CheckLink(const char* what, uint64_t rateBps, int64_t delayPs)
{
    if (rateBps == 0 || delayPs < 0)
    {
        throw InputError(std::string(what) + ": expected a rate above 0 and a delay of 0 or more");
    }
    if (delayPs > NetworkMap::LONGEST_DELAY_PS)
    {
        throw InputError(std::string(what) + ": delay is " +
                         std::to_string(delayPs / 1'000'000'000'000) + " s, expected at most " +
                         std::to_string(NetworkMap::LONGEST_DELAY_PS / 1'000'000'000'000) + " s");
    }
}

} // namespace

std::vector<Ptr<Port>>
NetworkParts::GetPorts() const
{
    std::vector<Ptr<Port>> ports;
    for (const NicEntry& nic : nics)
    {
        ports.push_back(nic.nic);
    }
    for (const SwitchEntry& entry : switches)
    {
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            ports.push_back(entry.sw->GetPort(p));
        }
    }
    return ports;
}

bool
NetworkParts::HasRole(uint32_t sw, SwitchRole role) const
{
    const SwitchEntry& entry = SwitchAt(sw);
    if (entry.isInternal)
    {
        return role == SwitchRole::ALL;
    }
    const auto anyNeighbour = [&](auto predicate) {
        return std::any_of(entry.neighbours.begin(),
                           entry.neighbours.end(),
                           [&](const Neighbour& next) { return predicate(switches[next.sw]); });
    };
    const bool tor = entry.rack >= 0;
    const bool dci = anyNeighbour(
        [&](const SwitchEntry& other) { return other.datacenter != entry.datacenter; });
    const bool inner = !tor && !dci;
    switch (role)
    {
    case SwitchRole::ALL:
        return true;
    case SwitchRole::TOR:
        return tor;
    case SwitchRole::DCI:
        return dci;
    case SwitchRole::SPINE:
    case SwitchRole::CORE:
        break;
    }
    const bool belowIsTor = anyNeighbour([](const SwitchEntry& other) { return other.rack >= 0; });
    return inner && belowIsTor == (role == SwitchRole::SPINE);
}

void
NetworkParts::CheckJoined(const std::string& what, uint32_t a, uint32_t b) const
{
    if (!AreJoined(a, b))
    {
        const auto place = [this](uint32_t nic) {
            return "NIC " + std::to_string(nic) + " (" + nics[nic].name + " at " +
                   switches[nics[nic].sw].name + ")";
        };
        throw InputError(what + ": no link leads from " + place(a) + " to " + place(b) +
                         ", expected two NICs of one network");
    }
}

std::pair<uint32_t, uint32_t>
NetworkParts::FindPair() const
{
    for (const bool internal : {false, true})
    {
        for (uint32_t first = 0; first < nics.size(); ++first)
        {
            auto last = static_cast<uint32_t>(nics.size()) - 1;
            while (last > first && !AreJoined(first, last))
            {
                --last;
            }
            if (last > first && switches[nics[first].sw].isInternal == internal)
            {
                return {first, last};
            }
        }
    }
    throw InputError(
        "network: no link leads from any NIC to another, expected two that are joined");
}

int64_t
NetworkParts::GetLongestNicDelayPs() const
{
    int64_t delayPs = 0;
    for (const NicEntry& entry : nics)
    {
        delayPs = std::max(delayPs, entry.nic->GetLink()->GetDelayPs());
    }
    return delayPs;
}

NetworkMap::NetworkMap(Nic::PathOracle findPath)
    : m_findPath(std::move(findPath))
{
}

NetworkMap::Bulk::Bulk(NetworkMap& network)
    : m_network(network),
      m_defaults(CreateObject<DefaultWatch>())
{
    network.m_firsts = std::make_unique<Firsts>();
    m_defaults->Note(Nic::GetTypeId());
    m_defaults->Note(DwrrScheduler::GetTypeId());
}

NetworkMap::Bulk::~Bulk()
{
    m_network.m_firsts = nullptr;
}

void
NetworkMap::Bulk::Check() const
{
    m_defaults->Check();
}

uint32_t
NetworkMap::AddSwitch(const std::string& name, uint32_t datacenter, const ObjectFactory& factory)
{
    m_state.ExpectOpen("AddSwitch()");
    Ptr<Node> node = CreateObject<Node>();
    Ptr<Switch> sw = factory.Create<Switch>();
    sw->SetDatacenter(datacenter);
    node->AggregateObject(sw);
    m_parts.nodes.Add(node);
    NetworkParts::SwitchEntry entry;
    entry.sw = sw;
    entry.name = name;
    entry.datacenter = datacenter;
    m_parts.switches.push_back(std::move(entry));
    return GetNSwitches() - 1;
}

uint32_t
NetworkMap::AddInternalSwitch(const std::string& name,
                              uint32_t datacenter,
                              const ObjectFactory& factory)
{
    const uint32_t sw = AddSwitch(name, datacenter, factory);
    NetworkParts::SwitchEntry& entry = m_parts.switches[sw];
    entry.isInternal = true;
    UintegerValue classes;
    entry.sw->GetAttribute("DataClasses", classes);
    entry.sw->SetAttribute("LosslessClasses", classes);
    entry.sw->SetAttribute("EgressLimit", QueueSizeValue(QueueSize("0B")));
    return sw;
}

uint32_t
NetworkMap::AddHost(const std::string& name, uint32_t datacenter)
{
    m_state.ExpectOpen("AddHost()");
    Ptr<Node> node = CreateObject<Node>();
    m_parts.nodes.Add(node);
    m_parts.hosts.push_back({node, name, datacenter, {}});
    return static_cast<uint32_t>(m_parts.hosts.size() - 1);
}

NodeContainer
NetworkMap::GetHostNodes() const
{
    NodeContainer nodes;
    for (const auto& host : m_parts.hosts)
    {
        nodes.Add(host.node);
    }
    return nodes;
}

/// The end of a link at a switch.
Ptr<Port>
NetworkMap::MakePort(uint64_t rateBps)
{
    const Ptr<Port> port =
        m_firsts ? MakeLike(m_firsts->port, CreateObject<Port>) : CreateObject<Port>();
    port->SetRateBps(rateBps);
    return port;
}

uint16_t
NetworkMap::AddSwitchPort(uint32_t sw, Ptr<Port> port)
{
    if (m_parts.switches[sw].sw->GetNPorts() == Station::MAX_PORTS)
    {
        throw InputError("network: switch " + m_parts.switches[sw].name + " has more than " +
                         std::to_string(Station::MAX_PORTS) + " ports");
    }
    m_parts.switches[sw].sw->GetObject<Node>()->AddDevice(port);
    return m_parts.switches[sw].sw->AddPort(port);
}

uint32_t
NetworkMap::Join(Ptr<Port> a, Ptr<Port> b, int64_t delayPs)
{
    Ptr<Link> link = CreateObject<Link>();
    link->SetDelayPs(delayPs);
    link->Attach(a, b);
    NetworkParts::LinkEntry entry{};
    entry.link = link;
    m_parts.links.push_back(entry);
    return GetNLinks() - 1;
}

uint32_t
NetworkMap::AddMadeNic(uint32_t host,
                       uint32_t sw,
                       uint64_t rateBps,
                       int64_t delayPs,
                       const MakeNic& make)
{
    m_state.ExpectOpen("AddNic()");
    CheckLink("NIC", rateBps, delayPs);
    CheckIndex("NIC: host", host, m_parts.hosts.size());
    CheckIndex("NIC: switch", sw, m_parts.switches.size());
    const uint32_t index = GetNNics();
    Ptr<Nic> nic = make();
    nic->SetRateBps(rateBps);
    m_parts.hosts[host].node->AddDevice(nic);
    nic->SetIdentity(index, m_findPath);
    Ptr<Port> port = MakePort(rateBps);
    const uint16_t swPort = AddSwitchPort(sw, port);
    NetworkParts::LinkEntry& link = m_parts.links[Join(nic, port, delayPs)];
    link.host = true;
    link.ends = {index, sw};
    m_parts.nics.push_back(
        {nic, m_parts.hosts[host].name, m_parts.hosts[host].datacenter, sw, swPort, host});
    m_parts.hosts[host].nics.push_back(index);
    return index;
}

uint32_t
NetworkMap::AddNic(uint32_t host,
                   uint32_t sw,
                   uint64_t rateBps,
                   int64_t delayPs,
                   const ObjectFactory& factory)
{
    return AddMadeNic(host, sw, rateBps, delayPs, [&factory] { return factory.Create<Nic>(); });
}

uint32_t
NetworkMap::AddNic(uint32_t host, uint32_t sw, uint64_t rateBps, int64_t delayPs)
{
    return AddMadeNic(host, sw, rateBps, delayPs, [this] {
        return m_firsts ? MakeLike(m_firsts->nic, CreateObject<Nic>) : CreateObject<Nic>();
    });
}

uint32_t
NetworkMap::AddNic(uint32_t host,
                   uint32_t sw,
                   const DataRate& rate,
                   const Time& delay,
                   const ObjectFactory& factory)
{
    return AddNic(host, sw, rate.GetBitRate(), delay.GetPicoSeconds(), factory);
}

uint32_t
NetworkMap::AddNic(uint32_t host, uint32_t sw, const DataRate& rate, const Time& delay)
{
    return AddNic(host, sw, rate.GetBitRate(), delay.GetPicoSeconds());
}

std::pair<uint16_t, uint16_t>
NetworkMap::Connect(uint32_t a, uint32_t b, const DataRate& rate, const Time& delay)
{
    return Connect(a, b, rate.GetBitRate(), delay.GetPicoSeconds());
}

uint64_t
NetworkMap::GetLongLinkBufferBytes(const DataRate& rate,
                                   const Time& delay,
                                   const ByteSize& buffer,
                                   const char* name)
{
    const uint64_t rateBps = rate.GetBitRate();
    const int64_t delayPs = delay.GetPicoSeconds();
    const double bdp = static_cast<double>(rateBps) * static_cast<double>(delayPs) / 8e12;
    const uint64_t bytes =
        buffer.GetValue() ? buffer.GetValue() : static_cast<uint64_t>(4 * bdp) + (4ULL << 20);
    // The switch computes the exact headroom; this is to say early what is too small.
    const uint64_t headroom = HeadroomBytes(rateBps, delayPs, MIN_FRAME_BYTES);
    if (headroom >= bytes)
    {
        throw InputError(std::string(name) + " is " + std::to_string(bytes) +
                         " B, expected more than the headroom of the long link, " +
                         std::to_string(headroom) + " B");
    }
    return bytes;
}

std::pair<uint16_t, uint16_t>
NetworkMap::ConnectLong(uint32_t a,
                        uint32_t b,
                        const DataRate& rate,
                        const Time& delay,
                        const ByteSize& buffer,
                        double xonFraction)
{
    m_state.ExpectOpen("ConnectLong()");
    CheckLink("long link", rate.GetBitRate(), delay.GetPicoSeconds());
    SharedBuffer::PortConfig config;
    config.ownPoolBytes = GetLongLinkBufferBytes(rate, delay, buffer, "long link: buffer");
    if (!(xonFraction >= 0 && xonFraction <= 1))
    {
        throw InputError("long link: Xon over Xoff is " + std::to_string(xonFraction) +
                         ", expected 0 to 1");
    }
    config.staticXoffBytes = SharedBuffer::WHOLE_POOL;
    config.xonFraction = xonFraction;
    const std::pair<uint16_t, uint16_t> ports = Connect(a, b, rate, delay);
    m_parts.switches[a].sw->SetPortBuffer(ports.first, config);
    m_parts.switches[b].sw->SetPortBuffer(ports.second, config);
    return ports;
}

std::pair<uint16_t, uint16_t>
NetworkMap::Connect(uint32_t a, uint32_t b, uint64_t rateBps, int64_t delayPs)
{
    m_state.ExpectOpen("Connect()");
    CheckLink("link", rateBps, delayPs);
    if (a >= m_parts.switches.size() || b >= m_parts.switches.size() || a == b)
    {
        throw InputError("link: expected two different switches");
    }
    if (m_parts.switches[a].isInternal != m_parts.switches[b].isInternal)
    {
        throw InputError("link: " + m_parts.switches[a].name + " and " + m_parts.switches[b].name +
                         ", of which one is inside a server; expected both or none");
    }
    Ptr<Port> portA = MakePort(rateBps);
    Ptr<Port> portB = MakePort(rateBps);
    const uint16_t indexA = AddSwitchPort(a, portA);
    const uint16_t indexB = AddSwitchPort(b, portB);
    const uint32_t link = Join(portA, portB, delayPs);
    m_parts.links[link].ends = {a, b};
    m_parts.switches[a].neighbours.push_back({b, indexA, link, 0});
    m_parts.switches[b].neighbours.push_back({a, indexB, link, 1});
    return {indexA, indexB};
}

std::string
NetworkMap::GetNodeName(uint32_t nodeId) const
{
    for (const auto& entry : m_parts.switches)
    {
        if (entry.sw->GetNodeId() == nodeId)
        {
            return entry.name;
        }
    }
    for (const auto& host : m_parts.hosts)
    {
        if (host.node->GetId() == nodeId)
        {
            return host.name;
        }
    }
    return "node" + std::to_string(nodeId);
}

NetworkMap::LinkKind
NetworkMap::GetLinkKind(uint32_t link) const
{
    const auto& entry = m_parts.LinkAt(link);
    if (entry.host)
    {
        return LinkKind::HOST;
    }
    return m_parts.switches[entry.ends[0]].datacenter == m_parts.switches[entry.ends[1]].datacenter
               ? LinkKind::FABRIC
               : LinkKind::WAN;
}

std::string
NetworkMap::EndName(const NetworkParts::LinkEntry& entry, unsigned end) const
{
    return end == 0 && entry.host ? m_parts.nics[entry.ends[0]].name
                                  : m_parts.switches[entry.ends[end]].name;
}

bool
NetworkMap::IsEnd(const NetworkParts::LinkEntry& entry, unsigned end, const std::string& name) const
{
    return EndName(entry, end) == name ||
           (end == 0 && entry.host && "nic" + std::to_string(entry.ends[0]) == name);
}

bool
NetworkMap::KnowsName(const std::string& name) const
{
    return std::any_of(m_parts.links.begin(),
                       m_parts.links.end(),
                       [&](const NetworkParts::LinkEntry& entry) {
                           return IsEnd(entry, 0, name) || IsEnd(entry, 1, name);
                       });
}

std::string
NetworkMap::GetLinkName(uint32_t link) const
{
    const auto& entry = m_parts.LinkAt(link);
    const std::string first = EndName(entry, 0);
    const std::string second = EndName(entry, 1);
    uint32_t index = 0;
    for (uint32_t before = 0; before < link; ++before)
    {
        const auto& other = m_parts.links[before];
        index += (IsEnd(other, 0, first) && IsEnd(other, 1, second)) ||
                 (IsEnd(other, 0, second) && IsEnd(other, 1, first));
    }
    return first + " - " + second + (index ? " #" + std::to_string(index) : "");
}

NetworkMap::LinkRef
NetworkMap::FindLink(const std::string& first, const std::string& second, uint32_t index) const
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
            if (IsEnd(m_parts.links[link], end, first) &&
                IsEnd(m_parts.links[link], 1 - end, second) && found++ == index)
            {
                return {link, end};
            }
        }
    }
    throw InputError(found ? "link " + std::to_string(index) + " of " + first + " and " + second +
                                 " does not exist, expected 0 to " + std::to_string(found - 1)
                           : "no link joins " + first + " and " + second);
}

NetworkMap::LinkRef
NetworkMap::FindLink(uint32_t a, uint32_t b, uint32_t index) const
{
    if (a >= GetNSwitches() || b >= GetNSwitches())
    {
        throw InputError("link: switch " + std::to_string(std::max(a, b)) +
                         " does not exist, expected 0 to " + std::to_string(GetNSwitches() - 1));
    }
    return FindLink(m_parts.switches[a].name, m_parts.switches[b].name, index);
}

uint32_t
NetworkMap::GetLinkOfNic(uint32_t nic) const
{
    m_state.ExpectThere("GetLinkOfNic()");
    return LinkOf(*m_parts.NicAt(nic).nic);
}

uint32_t
NetworkMap::LinkOf(const Port& port) const
{
    const auto it = std::find_if(m_parts.links.begin(),
                                 m_parts.links.end(),
                                 [&port](const NetworkParts::LinkEntry& entry) {
                                     return PeekPointer(entry.link) == port.GetLink();
                                 });
    if (it == m_parts.links.end())
    {
        throw InputError("a port of another network, expected one of this network's links");
    }
    return static_cast<uint32_t>(it - m_parts.links.begin());
}

bool
NetworkMap::HasRole(uint32_t sw, SwitchRole role) const
{
    m_state.ExpectBuilt("HasRole()");
    return m_parts.HasRole(sw, role);
}

std::vector<Ptr<Port>>
NetworkMap::GetPorts() const
{
    m_state.ExpectThere("GetPorts()");
    return m_parts.GetPorts();
}

} // namespace ns3::roce
