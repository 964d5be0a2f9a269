// SPDX-License-Identifier: GPL-2.0-only
#include "roce-port-views.h"

#include "ns3/node.h"
#include "ns3/roce-byte-stream.h"

namespace ns3::roce
{

template <typename S, typename V>
void
PortViews::Visit(S& stream, V& view)
{
    stream(view.paused)(view.xoff)(view.queuedBytes)(view.ingressBytes);
    for (auto& text : view.held)
    {
        stream(text);
    }
}

PortViews::View
PortViews::LookHere(Port& port)
{
    View view;
    view.paused = port.PausedMask(NowPs());
    if (const Switch* sw = SwitchOf(port))
    {
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            const EgressScheduler& queue = sw->GetQueue(port.GetIndex());
            view.queuedBytes[c] = queue.GetBytes(c);
            view.held[c] = queue.DescribeHeld(c);
            view.ingressBytes[c] = sw->GetBuffer().GetIngressBytes(port.GetIndex(), c);
        }
        for (const auto& [index, trafficClass] : sw->GetBuffer().GetPaused())
        {
            view.xoff |= index == port.GetIndex() ? 1U << trafficClass : 0;
        }
    }
    return view;
}

PortViews::View
PortViews::Look(Port& port) const
{
    const auto other = m_others.find({port.GetNode()->GetId(), port.GetIfIndex()});
    return other != m_others.end() ? other->second : LookHere(port);
}

void
PortViews::Gather()
{
    RankExchange* const ranks = m_network.GetRanks();
    if (!ranks)
    {
        return;
    }
    std::string bytes;
    ByteWriter writer(bytes);
    for (const Ptr<Port>& port : m_network.GetPorts())
    {
        if (port->GetOwner()->IsHere())
        {
            writer(port->GetNode()->GetId())(port->GetIfIndex());
            const View view = LookHere(*port);
            Visit(writer, view);
        }
    }
    const std::vector<std::string> all = ranks->Gather(bytes);
    m_others.clear();
    for (unsigned rank = 0; rank < all.size(); ++rank)
    {
        for (ByteReader reader(all[rank]); rank != ranks->GetRank() && !reader.IsEmpty();)
        {
            const auto node = reader.Get<uint32_t>();
            Visit(reader, m_others[{node, reader.Get<uint32_t>()}]);
        }
    }
}

} // namespace ns3::roce
