// SPDX-License-Identifier: GPL-2.0-only
#include "roce-sent-packets.h"

#include "roce-congestion-control.h"

#include <algorithm>

namespace ns3::roce
{

void
SentPackets::SetBackoff(uint32_t backoff)
{
    m_maxLevel = 0;
    while (m_maxLevel + 1 < N_LEVELS && 2U << m_maxLevel <= backoff)
    {
        ++m_maxLevel;
    }
}

template <typename T>
void
SentPackets::Push(boost::circular_buffer<T>& queue, const T& value)
{
    if (queue.full())
    {
        queue.set_capacity(std::max<std::size_t>(16, 2 * queue.capacity()));
    }
    queue.push_back(value);
}

void
SentPackets::Grow(uint64_t psn, uint64_t firstPsn)
{
    std::size_t size = std::max<std::size_t>(16, m_packets.size());
    while (psn - firstPsn >= size)
    {
        size *= 2;
    }
    std::vector<Packet> larger(size);
    for (uint64_t i = 0; i < m_packets.size(); ++i)
    {
        larger[(firstPsn + i) & (size - 1)] = At(firstPsn + i);
    }
    m_packets.swap(larger);
}

void
SentPackets::OnSend(uint64_t psn, uint64_t basePsn, const Packet& sent)
{
    const uint64_t first = basePsn - std::min(basePsn, HISTORY);
    if (psn - first >= m_packets.size())
    {
        Grow(psn, first);
    }
    Packet& packet = At(psn);
    const auto repeats = static_cast<uint8_t>(
        std::min<int>(packet.repeats + (packet.state != State::UNSENT), MAX_REPEATS));
    packet = sent;
    packet.repeats = repeats;
    packet.state = State::OUT;
    Push(m_sent[LevelOf(packet)], {psn, sent.sentPs});
}

void
SentPackets::DropStale(SentQueue& queue, uint64_t basePsn)
{
    while (!queue.empty())
    {
        const Sent& sent = queue.front();
        if (sent.psn >= basePsn && At(sent.psn).state == State::OUT &&
            At(sent.psn).sentPs == sent.sentPs)
        {
            return;
        }
        queue.pop_front();
    }
}

int64_t
SentPackets::NextDuePs(uint64_t basePsn, int64_t timeoutPs)
{
    int64_t next = NEVER_PS;
    for (std::size_t level = 0; level <= m_maxLevel; ++level)
    {
        DropStale(m_sent[level], basePsn);
        if (!m_sent[level].empty())
        {
            next = std::min(next, m_sent[level].front().sentPs + (timeoutPs << level));
        }
    }
    return next;
}

bool
SentPackets::PopDue(uint64_t basePsn, int64_t timeoutPs, int64_t nowPs, uint64_t& psn)
{
    for (std::size_t level = 0; level <= m_maxLevel; ++level)
    {
        SentQueue& queue = m_sent[level];
        DropStale(queue, basePsn);
        if (!queue.empty() && queue.front().sentPs + (timeoutPs << level) <= nowPs)
        {
            psn = queue.front().psn;
            queue.pop_front();
            return true;
        }
    }
    return false;
}

void
SentPackets::PushRepeat(uint64_t psn)
{
    At(psn).state = State::WAITING;
    Push(m_repeats, psn);
}

bool
SentPackets::PeekRepeat(uint64_t basePsn, uint64_t& psn)
{
    while (!m_repeats.empty())
    {
        psn = m_repeats.front();
        if (psn >= basePsn && At(psn).state == State::WAITING)
        {
            return true;
        }
        m_repeats.pop_front();
    }
    return false;
}

} // namespace ns3::roce
