// SPDX-License-Identifier: GPL-2.0-only
#include "roce-cut-direction.h"

#include "ns3/abort.h"
#include "ns3/roce-byte-stream.h"
#include "ns3/roce-fetch.h"
#include "ns3/roce-frame-codec.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

void
Parcel::Deliver(int64_t donePs) const
{
    CutDirection::CheckArrival(firstPs, donePs);
    onLink->sentFrames += frames;
    const int64_t gapPs = firstPs - std::exchange(onLink->lastPs, lastPs);
    if (onLink->head)
    {
        // Only written to, as in Link::Transmit().
        Frame& last = *onLink->tail;
        last.next = head;
        last.nextGapPs = static_cast<uint32_t>(std::min<int64_t>(gapPs, UINT32_MAX));
        onLink->tail = tail;
        return;
    }
    onLink->head = head;
    onLink->tail = tail;
    onLink->to->SetArrival(onLink->toPort, firstPs);
}

CutDirection::CutDirection(Link& link, unsigned end, Partition& from, unsigned to)
    : m_link(&link),
      m_port(link.GetPort(end)),
      m_onLink(link.GetDirection(end)),
      m_from(from),
      m_to(to)
{
    m_sent.delayPs = m_onLink.delayPs;
    m_sent.sink = this;
    m_sent.hasSink = true;
    m_port->SendTo(m_sent);
}

void
CutDirection::Take(Frame* frame)
{
    m_sent.head = m_sent.tail = frame;
    m_from.NoteSent(this);
}

void
CutDirection::CheckArrival(int64_t atPs, int64_t donePs)
{
    NS_ABORT_MSG_IF(atPs <= donePs,
                    "a frame arrives at " << atPs << " ps at a partition that has run up to "
                                          << donePs << " ps");
}

Parcel
CutDirection::Seal()
{
    Frame* const head = std::exchange(m_sent.head, nullptr);
    return {&m_onLink,
            head,
            m_sent.tail,
            head->timePs,
            m_sent.lastPs,
            std::exchange(m_sent.sentFrames, 0)};
}

int64_t
CutDirection::Pack(std::string& out)
{
    const int64_t firstPs = m_sent.head->timePs;
    ByteWriter stream(out);
    stream(m_sent.sentFrames);
    // For this process they have arrived.
    m_onLink.sentFrames += m_sent.sentFrames;
    m_onLink.arrivedFrames += m_sent.sentFrames;
    m_sent.sentFrames = 0;
    while (Frame* frame = m_sent.head)
    {
        m_sent.head = frame->next;
        FrameCodec::Write(*frame, out);
        FramePool::Free(frame);
    }
    return firstPs;
}

CutDirection::~CutDirection()
{
    m_port->SendTo(m_onLink);
    while (Frame* frame = m_sent.head) // the network is not used any more
    {
        m_sent.head = frame->next;
        FramePool::Free(frame);
    }
}

int64_t
Outbox::Fill(const std::vector<CutDirection*>& sent, unsigned partitions)
{
    m_begins.assign(partitions + 1, 0);
    for (const CutDirection* direction : sent)
    {
        ++m_begins[direction->GetTo()];
    }
    uint32_t end = 0; // of the parcels of each receiver; counted down below
    for (uint32_t& begin : m_begins)
    {
        begin = end += begin;
    }
    m_parcels.resize(sent.size());
    int64_t firstPs = NEVER_PS;
    for (CutDirection* direction : sent)
    {
        Parcel& parcel = m_parcels[--m_begins[direction->GetTo()]];
        parcel = direction->Seal();
        firstPs = std::min(firstPs, parcel.firstPs);
    }
    return firstPs;
}

void
Outbox::DeliverTo(unsigned to, int64_t donePs) const
{
    // What they go to was used long ago: fetch it, in two steps, as one leads to the other.
    constexpr std::size_t AHEAD = 3;
    const std::size_t end = m_begins[to + 1];
    for (std::size_t i = m_begins[to]; i < end; ++i)
    {
        if (i + 2 * AHEAD < end)
        {
            FetchLine(m_parcels[i + 2 * AHEAD].onLink);
        }
        if (i + AHEAD < end)
        {
            const Link::Direction& next = *m_parcels[i + AHEAD].onLink;
            if (next.head)
            {
                FetchLine(next.tail);
            }
            else
            {
                next.to->FetchMembers();
            }
        }
        m_parcels[i].Deliver(donePs);
    }
}

void
Outbox::Discard(unsigned to)
{
    for (std::size_t i = m_begins[to]; i < m_begins[to + 1]; ++i)
    {
        for (Frame* frame = m_parcels[i].head; frame;)
        {
            FramePool::Free(std::exchange(frame, frame->next));
        }
    }
}

} // namespace ns3::roce
