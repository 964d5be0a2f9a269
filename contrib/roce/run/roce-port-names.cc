// SPDX-License-Identifier: GPL-2.0-only
#include "roce-port-names.h"

#include "ns3/node.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cstdint>

namespace ns3::roce
{

namespace
{

/// A whole number without sign; false if the text is anything else or too large.
bool
ParseNumber(const std::string& text, uint32_t& value)
{
    if (text.empty() || text.size() > 9 ||
        text.find_first_not_of("0123456789") != std::string::npos)
    {
        return false;
    }
    value = static_cast<uint32_t>(std::stoul(text));
    return true;
}

/// Append all ports of a switch.
void
AddPorts(Switch& sw, std::vector<NamedPort>& ports)
{
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        ports.push_back({sw.GetName() + "-" + std::to_string(p), sw.GetPort(p)});
    }
}

} // namespace

std::vector<NamedPort>
FindPorts(const Network& network, const std::string& text, const std::string& what)
{
    uint32_t number = 0;
    if (text == "all")
    {
        std::vector<NamedPort> ports;
        for (uint32_t n = 0; n < network.GetNNics(); ++n)
        {
            ports.push_back({"nic" + std::to_string(n), network.GetNic(n)});
        }
        for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
        {
            AddPorts(*network.GetSwitch(s), ports);
        }
        return ports;
    }
    if (text.compare(0, 3, "nic") == 0 && ParseNumber(text.substr(3), number))
    {
        if (number >= network.GetNNics())
        {
            throw InputError(what + ": no NIC " + std::to_string(number) + ", expected 0 to " +
                             std::to_string(network.GetNNics() - 1));
        }
        return {{text, network.GetNic(number)}};
    }
    const std::string switchName = text.substr(0, text.find(':'));
    Ptr<Switch> sw;
    for (uint32_t s = 0; s < network.GetNSwitches() && !sw; ++s)
    {
        if (network.GetSwitch(s)->GetName() == switchName)
        {
            sw = network.GetSwitch(s);
        }
    }
    if (!sw)
    {
        throw InputError(what + ": no port '" + text +
                         "', expected all, nicN, SWITCH or SWITCH:PORT, for example nic0 or " +
                         network.GetSwitch(0)->GetName() + ":0");
    }
    std::vector<NamedPort> ports;
    AddPorts(*sw, ports);
    if (switchName == text)
    {
        return ports;
    }
    if (!ParseNumber(text.substr(switchName.size() + 1), number) || number >= sw->GetNPorts())
    {
        throw InputError(what + ": no port '" + text + "', expected " + switchName + ":0 to " +
                         switchName + ":" + std::to_string(sw->GetNPorts() - 1));
    }
    return {ports[number]};
}

PortNames::PortNames(const Network& network)
{
    std::vector<const Port*> ports;
    const auto add = [&](Port& port, const std::string& node, const std::string& name) {
        const uint32_t id = port.GetNode()->GetId();
        m_nodes.resize(std::max<std::size_t>(m_nodes.size(), id + 1));
        NodeNames& names = m_nodes[id];
        names.name = node;
        const auto index = static_cast<uint16_t>(port.GetIfIndex());
        names.ports.resize(std::max<std::size_t>(names.ports.size(), index + 1));
        names.ports[index] = name;
        ports.push_back(&port);
    };
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        add(*network.GetNic(n).Peek(), network.GetNicName(n), "nic" + std::to_string(n));
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Switch& sw = *network.GetSwitch(s).Peek();
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            add(*sw.GetPort(p), sw.GetName(), sw.GetName() + ":" + std::to_string(p));
        }
    }
    const auto nameOf = [this](const Port& port) {
        return GetPort(port.GetNode()->GetId(), static_cast<uint16_t>(port.GetIfIndex()));
    };
    m_neighbours.reserve(ports.size());
    for (const Port* port : ports)
    {
        m_neighbours.emplace_back(nameOf(*port), nameOf(*port->GetPeer()));
    }
}

const std::string&
PortNames::GetNode(uint32_t node) const
{
    static const std::string none;
    return node < m_nodes.size() ? m_nodes[node].name : none;
}

const std::string&
PortNames::GetPort(uint32_t node, uint16_t index) const
{
    static const std::string none;
    return node < m_nodes.size() && index < m_nodes[node].ports.size() ? m_nodes[node].ports[index]
                                                                       : none;
}

} // namespace ns3::roce
