// SPDX-License-Identifier: GPL-2.0-only
#include "roce-conga-meter.h"

#include "roce-switch.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(CongaMeter);

const FrameExtension CongaTag::EXTENSION{"conga",
                                         {6, 6, 0, 0},
                                         false,
                                         [](const void* value, std::vector<uint8_t>& out) {
                                             const auto& tag = *static_cast<const CongaTag*>(value);
                                             for (const uint16_t port : {tag.port, tag.toldPort})
                                             {
                                                 out.push_back(static_cast<uint8_t>(port >> 8));
                                                 out.push_back(static_cast<uint8_t>(port));
                                             }
                                             out.push_back(tag.level);
                                             out.push_back(tag.toldLevel);
                                         }};

namespace
{

constexpr uint32_t TAGGED = MaskOfKinds(FrameKind::DATA, FrameKind::ACK, FrameKind::NAK);
constexpr int DECAY_SHIFT = 3; //!< an eighth of the bytes goes in an eighth of tau

} // namespace

TypeId
CongaMeter::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::CongaMeter").SetParent<SwitchStage>().SetGroupName("Roce");
    return tid;
}

CongaMeter::CongaMeter(int64_t tauPs, int64_t agePs)
    : m_tauPs(tauPs),
      m_agePs(agePs)
{
}

void
CongaMeter::Install(Switch& sw)
{
    m_routing = &sw.GetRouting();
    m_ports.resize(sw.GetNPorts());
    for (uint16_t p = 0; p < m_ports.size(); ++p)
    {
        const auto bps = static_cast<double>(sw.PeekPort(p)->GetRateBps());
        m_ports[p].fullBytes += static_cast<uint64_t>(bps * static_cast<double>(m_tauPs) / 8e12);
    }
    if (m_routing->GetOwnRack() >= 0)
    {
        const std::vector<uint32_t>& racks = m_routing->GetAttachments().rackOfNic;
        m_leaves.resize(*std::max_element(racks.begin(), racks.end()) + 1);
        for (Leaf& leaf : m_leaves)
        {
            leaf.told.resize(m_ports.size());
        }
    }
}

uint8_t
CongaMeter::GetLevel(uint16_t port, int64_t nowPs)
{
    Estimator& link = m_ports[port];
    const int64_t periodPs = std::max<int64_t>(m_tauPs >> DECAY_SHIFT, 1);
    int64_t periods = (nowPs - link.atPs) / periodPs;
    link.atPs += periods * periodPs;
    for (; periods > 0 && link.bytes >> DECAY_SHIFT; --periods)
    {
        link.bytes -= link.bytes >> DECAY_SHIFT;
    }
    return static_cast<uint8_t>(
        std::min<uint64_t>(link.bytes * LEVELS / link.fullBytes, LEVELS - 1));
}

uint8_t
CongaMeter::GetToldLevel(uint32_t dst, uint16_t port, int64_t nowPs) const
{
    if (m_leaves.empty())
    {
        return 0;
    }
    const Told& told = m_leaves[m_routing->GetRackOf(dst)].told[port];
    return nowPs - told.atPs > m_agePs ? 0 : told.level;
}

SwitchStage::Verdict
CongaMeter::OnArrival(Frame& frame, Port&, int64_t nowPs)
{
    const CongaTag* tag = frame.FindExtension<CongaTag>();
    if (!tag || !IsHere(frame.dst))
    {
        return Verdict::PASS;
    }
    Leaf& leaf = m_leaves[m_routing->GetRackOf(frame.src)];
    leaf.heard.resize(std::max<std::size_t>(leaf.heard.size(), tag->port + 1));
    Heard& heard = leaf.heard[tag->port];
    heard = {tag->level, true, heard.isNew || !heard.isThere || heard.level != tag->level};
    if (tag->toldPort < leaf.told.size())
    {
        leaf.told[tag->toldPort] = {tag->toldLevel, nowPs};
    }
    frame.RemoveExtension<CongaTag>();
    return Verdict::PASS;
}

/// The next port that has changed, otherwise the next one.
void
CongaMeter::Tell(Leaf& leaf, CongaTag& tag)
{
    const std::size_t n = leaf.heard.size();
    const auto find = [&](auto&& isWanted) {
        std::size_t i = 0;
        while (i < n && !isWanted(leaf.heard[(leaf.next + i) % n]))
        {
            ++i;
        }
        return i;
    };
    std::size_t i = find([](const Heard& heard) { return heard.isNew; });
    i = i < n ? i : find([](const Heard& heard) { return heard.isThere; });
    tag.toldPort = Routing::NO_PORT;
    if (i < n)
    {
        const std::size_t port = (leaf.next + i) % n;
        tag.toldPort = static_cast<uint16_t>(port);
        tag.toldLevel = leaf.heard[port].level;
        leaf.heard[port].isNew = false;
        leaf.next = port + 1;
    }
}

SwitchStage::Verdict
CongaMeter::OnDequeue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    const uint16_t port = out.GetIndex();
    const bool isTagged = TAGGED >> static_cast<unsigned>(frame.kind) & 1;
    if (isTagged && IsHere(frame.src) && !IsHere(frame.dst))
    {
        CongaTag& tag = frame.Extend<CongaTag>();
        tag.port = port;
        Tell(m_leaves[m_routing->GetRackOf(frame.dst)], tag);
    }
    const uint8_t level = GetLevel(port, nowPs);
    m_ports[port].bytes += out.WireBytes(frame.frameBytes);
    if (CongaTag* tag = isTagged ? frame.FindExtension<CongaTag>() : nullptr)
    {
        tag->level = std::max(tag->level, level);
    }
    return Verdict::PASS;
}

} // namespace ns3::roce
