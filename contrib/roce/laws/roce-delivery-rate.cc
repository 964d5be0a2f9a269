// SPDX-License-Identifier: GPL-2.0-only
#include "roce-delivery-rate.h"

#include <algorithm>

namespace ns3::roce
{

void
DeliveryRate::Reset(int64_t nowPs)
{
    *this = DeliveryRate();
    m_deliveredPs = m_firstSentPs = nowPs;
}

void
DeliveryRate::Grow()
{
    std::vector<Record> ring(std::max<std::size_t>(16, 2 * m_ring.size()));
    for (std::size_t i = 0; i < m_records; ++i)
    {
        ring[i] = m_ring[(m_head + i) & (m_ring.size() - 1)];
    }
    m_ring.swap(ring);
    m_head = 0;
}

void
DeliveryRate::OnSend(int64_t nowPs)
{
    if (m_idle)
    {
        m_firstSentPs = m_deliveredPs = nowPs;
        m_idle = false;
    }
    if (m_records == m_ring.size())
    {
        Grow();
    }
    Record& record = m_ring[(m_head + m_records++) & (m_ring.size() - 1)];
    record.sentPs = nowPs;
    record.firstSentPs = m_firstSentPs;
    record.deliveredPs = m_deliveredPs;
    record.delivered = m_delivered;
    record.appLimited = IsAppLimited();
}

DeliverySample
DeliveryRate::OnAck(const AckInfo& ack)
{
    DeliverySample sample;
    m_idle = !ack.inflightBytes && !ack.isNak;
    if (!ack.ackedBytes)
    {
        return sample;
    }
    m_delivered += ack.ackedBytes;
    m_deliveredPs = ack.nowPs;
    if (m_delivered > m_appLimitedUntil)
    {
        m_appLimitedUntil = 0;
    }
    const int64_t sentPs = ack.nowPs - ack.rttPs;
    while (ack.rttPs > 0 && m_records && m_ring[m_head].sentPs <= sentPs)
    {
        const Record& record = m_ring[m_head];
        m_head = (m_head + 1) & (m_ring.size() - 1);
        --m_records;
        if (record.sentPs == sentPs)
        {
            const int64_t intervalPs =
                std::max(record.sentPs - record.firstSentPs, ack.nowPs - record.deliveredPs);
            const double bits = static_cast<double>(m_delivered - record.delivered) * 8;
            sample.bps = bits * 1e12 / static_cast<double>(intervalPs);
            sample.bpsByRtt = bits * 1e12 / static_cast<double>(ack.rttPs);
            sample.priorDelivered = record.delivered;
            sample.appLimited = record.appLimited;
            m_firstSentPs = sentPs;
        }
    }
    return sample;
}

void
DeliveryRate::MarkAppLimited(uint64_t inflightBytes)
{
    m_appLimitedUntil = std::max<uint64_t>(m_delivered + inflightBytes, 1);
}

} // namespace ns3::roce
