// SPDX-License-Identifier: GPL-2.0-only
#include "roce-link.h"

#include "roce-fixed-attribute.h"
#include "roce-port.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-wire-format.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Link);

TypeId
Link::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::Link")
            .SetParent<Channel>()
            .SetGroupName("Roce")
            .AddConstructor<Link>()
            .AddAttribute("Delay",
                          "Propagation delay, one way",
                          TimeValue(MicroSeconds(1)),
                          UntilBuilt(MakeTimeAccessor(&Link::SetDelay, &Link::GetDelay)),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource(
                "TxRxPointToPoint",
                "A transmission starts, at either end; for NetAnim's AnimationInterface",
                MakeTraceSourceAccessor(&Link::m_txRxTrace),
                "ns3::roce::Link::TxRxCallback");
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
    SetDelayPs(delay.GetPicoSeconds());
}

Time
Link::GetDelay() const
{
    return PicoSeconds(GetDelayPs());
}

void
Link::Attach(Ptr<Port> a, Ptr<Port> b)
{
    if (m_ports[0] || !a || !b)
    {
        throw InputError("a link is attached twice or to no port, expected two ports, once");
    }
    m_ports = {a, b};
    for (unsigned end : {0, 1})
    {
        m_directions[end].to = m_ports[1 - end]->GetOwner();
        m_directions[end].toPort = m_ports[1 - end]->GetIndex();
        m_ports[end]->AttachTo(this, end);
    }
    if (m_observed)
    {
        Observe();
    }
}

void
Link::Observe()
{
    m_observed = true;
    for (const Ptr<Port>& port : m_ports)
    {
        if (port)
        {
            port->ObserveDepartures();
        }
    }
}

void
Link::TraceTransmit(unsigned end, const Frame& frame, int64_t txPs)
{
    const std::vector<uint8_t> bytes = WireFormat::Serialize(frame);
    m_txRxTrace(Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size())),
                m_ports[end],
                m_ports[1 - end],
                PicoSeconds(txPs),
                PicoSeconds(txPs + GetDelayPs()));
}

unsigned
Link::Fail(unsigned directions, int64_t nowPs)
{
    const unsigned changed = Change(directions, true, nowPs);
    m_failures += changed != 0;
    return changed;
}

unsigned
Link::Repair(unsigned directions, int64_t nowPs)
{
    return Change(directions, false, nowPs);
}

unsigned
Link::Change(unsigned directions, bool down, int64_t nowPs)
{
    for (const Ptr<Port>& port : m_ports)
    {
        if (port->GetOwner()->IsRunning())
        {
            throw InputError("a link fails or is repaired by a sink of a station at its end, "
                             "expected an event of its own");
        }
        port->GetOwner()->CatchUp(nowPs);
    }
    unsigned changed = 0;
    for (unsigned end : {0, 1})
    {
        Direction& direction = m_directions[end];
        if ((directions >> end & 1) && direction.down != down)
        {
            changed |= 1U << end;
            direction.down = down;
            (down ? direction.downSincePs : direction.upSincePs) = nowPs;
            // The last frame of which a bit was lost is under way or has been sent.
            m_ports[1 - end]->SetIncomingDown(down,
                                              std::max(nowPs, m_ports[end]->GetBusyUntilPs()) +
                                                  direction.delayPs);
        }
    }
    // Set both directions before any code acts on the change.
    for (unsigned end : {0, 1})
    {
        if (changed >> end & 1)
        {
            Port& sender = *m_ports[end];
            Port& receiver = *m_ports[1 - end];
            if (down)
            {
                receiver.ClearPauses(nowPs);
            }
            else
            {
                sender.GetOwner()->OnLinkRepair(sender, nowPs);
            }
        }
    }
    for (unsigned end : {0, 1})
    {
        m_ports[end]->GetOwner()->OnWake(nowPs);
    }
    for (unsigned end : {0, 1})
    {
        if (changed >> end & 1)
        {
            m_ports[1 - end]->NotifyLinkChange();
        }
    }
    return changed;
}

uint64_t
Link::CountInFlight(unsigned end) const
{
    uint64_t n = 0;
    for (const Frame* frame = m_directions[end].head; frame; frame = frame->next)
    {
        ++n;
    }
    return n;
}

uint64_t
Link::CountInFlight() const
{
    return CountInFlight(0) + CountInFlight(1);
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

} // namespace ns3::roce
