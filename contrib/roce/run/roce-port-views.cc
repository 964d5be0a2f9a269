// SPDX-License-Identifier: GPL-2.0-only
#include "roce-port-views.h"

#include "ns3/node.h"
#include "ns3/roce-byte-stream.h"

#include <algorithm>

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

bool
PortViews::View::IsEmpty() const
{
    const auto none = [](uint64_t bytes) { return bytes == 0; };
    return !paused && !xoff && std::all_of(queuedBytes.begin(), queuedBytes.end(), none) &&
           std::all_of(ingressBytes.begin(), ingressBytes.end(), none) &&
           std::all_of(held.begin(), held.end(), [](const auto& text) { return text.empty(); });
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
    m_views.clear();
    for (const Ptr<Port>& port : m_network.GetPorts())
    {
        if (!port->GetOwner()->IsHere())
        {
            continue;
        }
        View view = LookHere(*port);
        if (view.IsEmpty())
        {
            continue; // as most are
        }
        const Key key = KeyOf(*port);
        if (ranks)
        {
            writer(key.first)(key.second);
            Visit(writer, view);
        }
        m_views[key] = std::move(view);
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
