// SPDX-License-Identifier: GPL-2.0-only
#include "roce-netanim-file.h"

#include "roce-watching.h"

#include "ns3/node.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <array>
#include <map>

namespace ns3::roce
{

namespace
{

constexpr unsigned DECIMALS_OF_S = 12; //!< of seconds
constexpr double SPACING = 10;         //!< between neighbours of the widest tier

struct Colour
{
    unsigned red, green, blue;
};

/// By tier, then again from the second.
constexpr std::array<Colour, 5> COLOURS{
    {{90, 90, 90}, {0, 114, 178}, {0, 158, 115}, {213, 94, 0}, {204, 121, 167}}};

} // namespace

std::string
NetAnimFile::Escape(const std::string& text)
{
    static const std::map<char, std::string> entities{{'&', "&amp;"},
                                                      {'"', "&quot;"},
                                                      {'\'', "&apos;"},
                                                      {'<', "&lt;"},
                                                      {'>', "&gt;"}};
    std::string out;
    for (const char c : text)
    {
        const auto it = entities.find(c);
        out += it == entities.end() ? std::string(1, c) : it->second;
    }
    return out;
}

NetAnimFile::Window
NetAnimFile::Window::Parse(const std::string& option, const std::string& text)
{
    Window window;
    if (text.empty())
    {
        return window;
    }
    const std::size_t dash = text.find('-');
    if (dash == std::string::npos)
    {
        throw InputError(option + " is '" + text + "', expected FROM-TO, for example 0us-50us");
    }
    const std::string ends[] = {text.substr(0, dash), text.substr(dash + 1)};
    for (const std::string& end : ends)
    {
        ValueCheck::Value(option + " (FROM-TO)", ValueKind::TIME, end);
    }
    window.fromPs = Time(ends[0]).GetPicoSeconds();
    window.toPs = Time(ends[1]).GetPicoSeconds();
    if (window.fromPs < 0 || window.toPs < window.fromPs)
    {
        throw InputError(option + " is '" + text +
                         "', expected an end that is not before the start");
    }
    return window;
}

/// @return by node the number of links to the nearest host; 0: a host
std::map<uint32_t, uint32_t>
NetAnimFile::FindTiers(const Network& network)
{
    std::map<uint32_t, uint32_t> tiers;
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        tiers[network.GetNic(n)->GetNode()->GetId()] = 0;
    }
    const auto nodeAt = [&network](uint32_t link, unsigned end) {
        return network.GetLink(link).GetPort(end)->GetNode()->GetId();
    };
    for (uint32_t tier = 0, before = UINT32_MAX; before != tiers.size(); ++tier)
    {
        before = static_cast<uint32_t>(tiers.size());
        for (uint32_t link = 0; link < network.GetNLinks(); ++link)
        {
            for (unsigned end : {0, 1})
            {
                const auto it = tiers.find(nodeAt(link, end));
                if (it != tiers.end() && it->second == tier)
                {
                    tiers.try_emplace(nodeAt(link, 1 - end), tier + 1);
                }
            }
        }
    }
    return tiers;
}

std::vector<NetAnimFile::Place>
NetAnimFile::GetLayout(const Network& network)
{
    const std::map<uint32_t, uint32_t> tiers = FindTiers(network);
    std::map<uint32_t, std::string> names; // GetNodeName() looks through all nodes
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        names[network.GetNic(n)->GetNode()->GetId()] = network.GetNicName(n);
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        names[network.GetSwitch(s)->GetNodeId()] = network.GetSwitch(s)->GetName();
    }
    std::vector<Place> places;
    std::vector<uint32_t> widths(1, 0); // by tier
    for (uint32_t i = 0; i < network.GetNodes().GetN(); ++i)
    {
        const uint32_t node = network.GetNodes().Get(i)->GetId();
        const auto it = tiers.find(node);
        const uint32_t tier = it == tiers.end() ? 0 : it->second; // a host without NIC
        widths.resize(std::max<std::size_t>(widths.size(), tier + 1));
        const auto name = names.find(node);
        places.push_back(
            {node, name == names.end() ? network.GetNodeName(node) : name->second, tier, 0, 0});
        places.back().x = widths[tier]++;
    }
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return a.tier < b.tier;
    });
    const double width = SPACING * *std::max_element(widths.begin(), widths.end());
    const double height = std::max(2 * SPACING, width / 8);
    for (Place& place : places)
    {
        place.x = (place.x + 0.5) * width / widths[place.tier];
        place.y = height * static_cast<double>(widths.size() - 1 - place.tier);
    }
    return places;
}

NetAnimFile::NetAnimFile(Network& network, const Window& window, const std::string& path)
    : m_network(network),
      m_window(window),
      m_file(path),
      m_records(network, {[this](int64_t atPs, const Packet& p) { Write(atPs, p); }, {}, {}, {}})
{
    WriteHead();
}

void
NetAnimFile::Attribute(const char* name, const std::string& value)
{
    m_file.Append(' ').Append(name).Append("=\"").Append(Escape(value)).Append('"');
}

void
NetAnimFile::Seconds(const char* name, int64_t ps)
{
    m_file.Append(' ').Append(name).Append("=\"").Fixed(ps, DECIMALS_OF_S).Append('"');
}

void
NetAnimFile::WriteHead()
{
    m_file.Append("<anim ver=\"netanim-3.108\" filetype=\"animation\">\n");
    const std::vector<Place> places = GetLayout(m_network);
    for (const Place& place : places)
    {
        m_file.Append("<node id=\"").Number(place.node).Append("\" sysId=\"0\" locX=\"");
        m_file.Number(place.x).Append("\" locY=\"").Number(place.y).Append("\"/>\n");
    }
    for (const Place& place : places)
    {
        const Colour& colour =
            COLOURS[place.tier ? 1 + (place.tier - 1) % (COLOURS.size() - 1) : 0];
        m_file.Append("<nu p=\"d\" t=\"0\" id=\"").Number(place.node).Append('"');
        Attribute("descr", place.name);
        m_file.Append("/>\n<nu p=\"c\" t=\"0\" id=\"").Number(place.node);
        m_file.Append("\" r=\"").Number(colour.red).Append("\" g=\"").Number(colour.green);
        m_file.Append("\" b=\"").Number(colour.blue);
        m_file.Append("\"/>\n<nu p=\"s\" t=\"0\" id=\"").Number(place.node);
        m_file.Append("\" w=\"").Number(SPACING / 3).Append("\" h=\"").Number(SPACING / 3);
        m_file.Append("\"/>\n");
    }
    for (uint32_t l = 0; l < m_network.GetNLinks(); ++l)
    {
        const Link& link = m_network.GetLink(l);
        m_file.Append("<link fromId=\"").Number(link.GetPort(0)->GetNode()->GetId());
        m_file.Append("\" toId=\"").Number(link.GetPort(1)->GetNode()->GetId());
        m_file.Append("\" fd=\"\" td=\"\"");
        Attribute("ld", m_network.GetLinkName(l));
        m_file.Append("/>\n");
    }
}

void
NetAnimFile::Start()
{
    uint32_t number = 0;
    for (const Ptr<Port>& port : m_network.GetPorts())
    {
        Packet packet{port->GetNode()->GetId(),
                      port->GetPeer()->GetNode()->GetId(),
                      0,
                      port->GetLink()->GetDelayPs()};
        ConnectTrace<const Frame&, Time>(
            *port,
            "TxBegin",
            [this, number, packet, port = PeekPointer(port)](const Frame&, Time at) mutable {
                const int64_t atPs = at.GetPicoSeconds();
                if (atPs >= m_window.fromPs && atPs <= m_window.toPs)
                {
                    packet.txPs = port->GetBusyUntilPs() - atPs;
                    m_records.Push(atPs, number, packet);
                }
            });
        ++number;
    }
}

void
NetAnimFile::Write(int64_t atPs, const Packet& packet)
{
    if (m_packets == MAX_PACKETS)
    {
        ++m_leftOut;
        return;
    }
    ++m_packets;
    m_file.Append("<p fId=\"").Number(packet.from).Append('"');
    Seconds("fbTx", atPs);
    Seconds("lbTx", atPs + packet.txPs);
    m_file.Append(" tId=\"").Number(packet.to).Append('"');
    Seconds("fbRx", atPs + packet.delayPs);
    Seconds("lbRx", atPs + packet.txPs + packet.delayPs);
    m_file.Append("/>\n").FlushIfFull();
}

void
NetAnimFile::Finish()
{
    m_records.Finish();
    m_file.Append("</anim>\n").Close();
}

} // namespace ns3::roce
