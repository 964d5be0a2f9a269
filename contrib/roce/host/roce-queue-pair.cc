// SPDX-License-Identifier: GPL-2.0-only
#include "roce-queue-pair.h"

#include "roce-loss-recovery.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

namespace
{

/// An empty packet counts a byte, so that it shows in flight.
uint32_t
PayloadShare(uint32_t payloadBytes)
{
    return std::max(payloadBytes, 1U);
}

} // namespace

QueuePair::QueuePair(uint32_t qpn,
                     const Config& config,
                     Ptr<CongestionControl> cc,
                     Ptr<LossRecovery> recovery,
                     Ptr<PathSelector> selector)
    : m_config(config),
      m_extensions{recovery->GetDataExtension(), config.extension},
      m_layout(recovery->GetLayout()),
      m_watched(recovery->WatchesSends()),
      m_cc(std::move(cc)),
      m_recovery(std::move(recovery)),
      m_selector(std::move(selector)),
      m_qpn(qpn),
      m_entropy(config.entropy)
{
    for (const FrameExtension* extension : m_extensions)
    {
        m_extensionBytes += extension ? extension->GetWireBytes(FrameKind::DATA) : 0;
    }
    m_recovery->Start(*this);
}

QueuePair::~QueuePair() = default;

void
QueuePair::Post(uint64_t bytes, uint64_t cookie, int64_t nowPs)
{
    // Completed messages are forgotten once they are the larger part of the queue.
    if (m_oldest > 16 && m_oldest * 2 > m_messages.size())
    {
        m_messages.erase(m_messages.begin(), m_messages.begin() + m_oldest);
        m_cursor = std::max(m_cursor, m_oldest) - m_oldest;
        m_forgotten += m_oldest;
        m_oldest = 0;
    }
    const uint64_t data = bytes ? (bytes + m_config.mtuBytes - 1) / m_config.mtuBytes : 1;
    const uint64_t packets = m_layout ? m_layout->CountPackets(data) : data;
    m_messages.push_back(
        {m_endPsn, packets, bytes, m_postedBytes, cookie, nowPs, nowPs, m_retransmitted});
    m_endPsn += packets;
    m_postedBytes += bytes;
    SetSendEnd();
}

void
QueuePair::Restart(Ptr<CongestionControl> cc)
{
    m_cc = std::move(cc);
}

std::size_t
QueuePair::MessageOf(uint64_t psn) const
{
    const auto first = m_messages.begin() + static_cast<std::ptrdiff_t>(m_oldest);
    const auto after =
        std::upper_bound(first, m_messages.end(), psn, [](uint64_t p, const Message& m) {
            return p < m.firstPsn;
        });
    return static_cast<std::size_t>(after - m_messages.begin()) - 1;
}

uint32_t
QueuePair::PayloadOf(const Message& message, uint64_t psn) const
{
    if (m_layout)
    {
        return m_layout->GetPayload(psn - message.firstPsn,
                                    message.packets,
                                    message.bytes,
                                    m_config.mtuBytes);
    }
    return psn + 1 == message.firstPsn + message.packets
               ? static_cast<uint32_t>(message.bytes - (message.packets - 1) * m_config.mtuBytes)
               : m_config.mtuBytes;
}

uint32_t
QueuePair::FrameBytesOf(const Message& message, uint64_t psn) const
{
    const uint32_t mask = m_config.alignMask;
    const uint32_t padded = (PayloadOf(message, psn) + mask) & ~mask;
    return m_config.headerBytes + (psn == message.firstPsn ? m_config.firstHeaderBytes : 0) +
           padded + m_config.telemetryBytes + m_extensionBytes;
}

uint32_t
QueuePair::InflightShareOf(const Message& message, uint64_t psn) const
{
    if (m_config.payloadWindow)
    {
        return PayloadShare(PayloadOf(message, psn));
    }
    return std::max(FrameBytesOf(message, psn), m_config.minFrameBytes) + m_config.framingBytes;
}

void
QueuePair::SeekCursor()
{
    m_cursor = std::max(m_cursor, m_oldest);
    while (m_cursor < m_messages.size() &&
           m_nextPsn >= m_messages[m_cursor].firstPsn + m_messages[m_cursor].packets)
    {
        ++m_cursor;
    }
}

void
QueuePair::BuildNext(Frame& frame, uint32_t& wireBytes, int64_t nowPs)
{
    const bool repeat = m_hasRepeat;
    uint64_t psn;
    if (repeat)
    {
        psn = m_recovery->TakeRepeat(*this);
    }
    else
    {
        SeekCursor();
        psn = m_nextPsn++;
    }
    const Message& message = m_messages[repeat ? MessageOf(psn) : m_cursor];
    frame.kind = FrameKind::DATA;
    frame.psn = psn;
    frame.src = m_config.src;
    frame.dst = m_config.dst;
    frame.srcQp = m_qpn;
    frame.dstQp = m_config.dstQp;
    if (m_selector)
    {
        m_entropy = m_selector->Select(nowPs, m_inflightBytes);
    }
    frame.entropy = m_entropy;
    frame.trafficClass = m_config.trafficClass;
    frame.dscp = static_cast<uint8_t>(m_config.trafficClass << 3);
    frame.ecn = m_config.ecn;
    frame.flags = m_config.flags;
    frame.payloadBytes = static_cast<uint16_t>(PayloadOf(message, psn));
    frame.frameBytes = FrameBytesOf(message, psn);
    frame.telemetryBytes = static_cast<uint16_t>(m_config.telemetryBytes);
    frame.messageBytes = message.bytes;
    frame.cookie = message.cookie;
    for (const FrameExtension* extension : m_extensions)
    {
        if (extension)
        {
            extension->AddTo(frame);
        }
    }
    if (psn == message.firstPsn)
    {
        frame.flags |= FRAME_FIRST;
    }
    if (psn + 1 == message.firstPsn + message.packets)
    {
        frame.flags |= FRAME_LAST | FRAME_ACK_REQ;
    }
    if (m_config.telemetry)
    {
        frame.telemetry = FramePool::AllocInt();
    }
    if (psn < m_highestPsn)
    {
        frame.flags |= FRAME_RETX;
        ++m_retransmitted;
    }
    else
    {
        m_highestPsn = psn + 1;
    }
    wireBytes = std::max(frame.frameBytes, m_config.minFrameBytes) + m_config.framingBytes;
    const uint32_t share = m_config.payloadWindow ? PayloadShare(frame.payloadBytes) : wireBytes;
    m_inflightBytes += share;
    if (m_inflightBytes >= m_cc->GetWindowBytes() || m_nextPsn >= m_sendEndPsn || repeat)
    {
        // With coalesced ACKs a full window would wait for an ACK that never comes.
        frame.flags |= FRAME_ACK_REQ;
    }
    if (frame.flags & FRAME_ACK_REQ)
    {
        m_ackRequestedEndPsn = std::max(m_ackRequestedEndPsn, psn + 1);
    }
    if (m_watched)
    {
        m_recovery->OnSend(*this, frame, share, nowPs);
    }
}

void
QueuePair::GoBack()
{
    m_nextPsn = m_una;
    m_inflightBytes = 0;
    m_ackRequestedEndPsn = m_una;
    m_cursor = m_oldest;
}

uint64_t
QueuePair::GetOldestCookie() const
{
    return m_oldest < m_messages.size() ? m_messages[m_oldest].cookie : UINT64_MAX;
}

} // namespace ns3::roce
