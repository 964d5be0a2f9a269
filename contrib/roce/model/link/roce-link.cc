/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-link.h"

#include "roce-port.h"

#include "ns3/assert.h"

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Link);

TypeId
Link::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::Link")
                            .SetParent<Channel>()
                            .SetGroupName("Roce")
                            .AddConstructor<Link>()
                            .AddAttribute("Delay",
                                          "Propagation delay, one way",
                                          TimeValue(MicroSeconds(1)),
                                          MakeTimeAccessor(&Link::SetDelay, &Link::GetDelay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
Link::DoDispose()
{
    for (Direction& direction : m_directions)
    {
        while (Frame* frame = direction.head)
        {
            direction.head = frame->next;
            FramePool::Free(frame);
        }
    }
    m_ports = {};
    Channel::DoDispose();
}

void
Link::SetDelay(Time delay)
{
    m_directions[0].delayPs = m_directions[1].delayPs = delay.GetPicoSeconds();
}

Time
Link::GetDelay() const
{
    return PicoSeconds(GetDelayPs());
}

void
Link::Attach(Ptr<Port> a, Ptr<Port> b)
{
    NS_ASSERT_MSG(!m_ports[0], "a link has two ends; both are taken");
    m_ports = {a, b};
    for (unsigned end : {0, 1})
    {
        m_directions[end].to = m_ports[1 - end]->GetOwner();
        m_directions[end].toPort = m_ports[1 - end]->GetIndex();
        m_ports[end]->AttachTo(this, end);
    }
}

uint64_t
Link::CountInFlight() const
{
    uint64_t n = 0;
    for (const Direction& direction : m_directions)
    {
        for (const Frame* frame = direction.head; frame; frame = frame->next)
        {
            ++n;
        }
    }
    return n;
}

std::size_t
Link::GetNDevices() const
{
    return m_ports[0] ? 2 : 0;
}

Ptr<NetDevice>
Link::GetDevice(std::size_t i) const
{
    return m_ports.at(i);
}

} // namespace roce
} // namespace ns3
