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

PortViews::Key
PortViews::KeyOf(const Port& port)
{
    return {port.GetNode()->GetId(), port.GetIfIndex()};
}

void
PortViews::Gather()
{
    RankExchange* const ranks = m_network.GetRanks();
    std::string bytes;
    ByteWriter writer(bytes);
    for (const Ptr<Port>& port : m_network.GetPorts())
    {
        View& view = m_views[KeyOf(*port)];
        if (!ranks || port->GetOwner()->IsHere())
        {
            view = LookHere(*port);
        }
        if (ranks && port->GetOwner()->IsHere())
        {
            const Key key = KeyOf(*port);
            writer(key.first)(key.second);
            Visit(writer, view);
        }
    }
    for (const std::string& all : ranks ? ranks->Gather(bytes) : std::vector<std::string>())
    {
        for (ByteReader reader(all); !reader.IsEmpty();)
        {
            const auto node = reader.Get<uint32_t>();
            Visit(reader, m_views[{node, reader.Get<uint32_t>()}]);
        }
    }
}

} // namespace ns3::roce
