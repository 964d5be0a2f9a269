// SPDX-License-Identifier: GPL-2.0-only
#include "roce-selective-repeat.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(SelectiveRepeat);

const ParameterTable<SelectiveRepeatParams>&
SelectiveRepeatParams::Table()
{
    using P = SelectiveRepeatParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::SelectiveRepeat")
            .Count("ReorderPackets", &P::reorderPackets, {0}, Range::AtLeast(0))
            .Help("A packet is lost once a packet more than this many later has arrived")
            .Flag("BdpCap", &P::bdpCap, {true})
            .Help("Bound outstanding packets to BdpPackets")
            .Count("BdpPackets", &P::bdpPackets, {0}, Range::AtLeast(0))
            .Help("Most packets outstanding; 0: bandwidth-delay product of the longest path")
            .Duration("RtoLow", &P::rtoLowPs, {0}, Range::AtLeast(0))
            .Help("Timeout while few packets are in flight; 0: 100 us, with PFC not before an RTT "
                  "is known; not below the RTT measured and Nic::RtoFactor base RTTs")
            .Duration("RtoHigh", &P::rtoHighPs, {0}, Range::AtLeast(0))
            .Help("Timeout while more are; 0: base RTT and the time to drain full buffers of the "
                  "path; not below Nic::RtoFactor base RTTs")
            .Count("RtoLowPackets", &P::rtoLowPackets, {3}, Range::AtLeast(0))
            .Help("Most full frames in flight with which RtoLow is used");
    return table;
}

TypeId
SelectiveRepeat::GetTypeId()
{
    static const TypeId tid =
        SelectiveRepeatParams::Table().AddTo(TypeId("ns3::roce::SelectiveRepeat")
                                                 .SetParent<LossRecovery>()
                                                 .SetGroupName("Roce")
                                                 .AddConstructor<SelectiveRepeat>(),
                                             &SelectiveRepeat::m_parameters);
    return tid;
}

namespace
{

constexpr int64_t IRN_RTO_LOW_PS = 100'000'000;
constexpr unsigned MOST_DOUBLINGS = 30;

/// How long a frame and its ACK are under way at most. @param path theirs @return picoseconds
int64_t
LongestWaitPs(const PathInfo& path)
{
    const uint32_t switches = path.hops > 1 ? path.hops - 1 : 1;
    const double queues = path.lossless ? switches : 1;
    return static_cast<int64_t>(std::min(static_cast<double>(path.baseRttPs) +
                                             queues * static_cast<double>(path.fullQueuePs),
                                         static_cast<double>(LossRecovery::LONGEST_TIMEOUT_PS)));
}

} // namespace

Ptr<LossRecovery>
SelectiveRepeat::ForQueuePair(const PathInfo& path, int64_t rtoFloorPs)
{
    const std::shared_ptr<const SelectiveRepeatParams>& p = m_parameters.Get();
    Ptr<SelectiveRepeat> copy = CopyObject<SelectiveRepeat>(this);
    copy->m_p = p;
    const int64_t lowPs = p->rtoLowPs ? p->rtoLowPs : IRN_RTO_LOW_PS;
    copy->m_leastPs = std::clamp(lowPs, rtoFloorPs, LONGEST_TIMEOUT_PS);
    copy->m_highPs = p->rtoHighPs ? p->rtoHighPs : LongestWaitPs(path);
    copy->m_highPs = std::clamp(copy->m_highPs, copy->m_leastPs, LONGEST_TIMEOUT_PS);
    copy->m_lowPs = path.lossless && !p->rtoLowPs ? copy->m_highPs : copy->m_leastPs;
    if (const uint64_t frame = path.FrameInFlightBytes(); p->rtoLowPackets)
    {
        copy->m_fewBytes = p->rtoLowPackets * frame + frame / 2; // first frames are longer
    }
    if (!p->bdpCap)
    {
        copy->m_cap = UINT64_MAX;
    }
    else if (p->bdpPackets)
    {
        copy->m_cap = p->bdpPackets;
    }
    else
    {
        PathInfo longest = path;
        longest.baseRttPs = std::max(path.baseRttPs, path.longestRttPs);
        copy->m_cap = static_cast<uint64_t>(
            std::max(1.0, std::ceil(longest.BdpBytes() / std::max(1u, path.fullFrameBytes))));
    }
    return copy;
}

std::unique_ptr<ReceiverQp>
SelectiveRepeat::MakeReceiver(const PathInfo&) const
{
    return std::make_unique<SelectiveRepeatReceiver>();
}

void
SelectiveRepeat::Start(QueuePair& qp)
{
    qp.SetSendLimit(m_cap);
}

void
SelectiveRepeat::OnSend(QueuePair& qp, Frame& frame, uint32_t, int64_t nowPs)
{
    if (m_timedPs == NEVER_PS && !(frame.flags & FRAME_RETX))
    {
        m_timedPsn = frame.psn;
        m_timedPs = nowPs;
    }
    if (frame.flags & FRAME_CODED)
    {
        NoteSent(qp, frame, nowPs);
    }
}

/// For Lose(), which only a code calls.
void
SelectiveRepeat::NoteSent(QueuePair& qp, const Frame& frame, int64_t nowPs)
{
    if (frame.psn - qp.GetUna() >= m_sent.size())
    {
        std::vector<Sent> larger(std::max<std::size_t>(16, 2 * m_sent.size()));
        while (frame.psn - qp.GetUna() >= larger.size())
        {
            larger.resize(2 * larger.size());
        }
        for (uint64_t psn = qp.GetUna(); psn < qp.GetUna() + m_sent.size(); ++psn)
        {
            larger[psn & (larger.size() - 1)] = SentAt(psn);
        }
        m_sent.swap(larger);
    }
    SentAt(frame.psn) = {nowPs, frame.entropy};
}

void
SelectiveRepeat::MeasureRtt(const QueuePair& qp, int64_t nowPs)
{
    if (m_timedPs == NEVER_PS ||
        (m_timedPsn >= qp.GetUna() && !m_arrived.Has(m_timedPsn, qp.GetUna())))
    {
        return;
    }
    const int64_t rttPs = nowPs - m_timedPs;
    m_timedPs = NEVER_PS;
    if (m_srttPs == 0)
    {
        m_srttPs = rttPs;
        m_rttVarPs = rttPs / 2;
    }
    else
    {
        m_rttVarPs += (std::abs(rttPs - m_srttPs) - m_rttVarPs) / 4;
        m_srttPs += (rttPs - m_srttPs) / 8;
    }
    m_lowPs = std::clamp(m_srttPs + 4 * m_rttVarPs, m_leastPs, m_highPs);
}

void
SelectiveRepeat::TakeOut(QueuePair& qp, uint64_t psn, uint32_t wireBytes)
{
    if (IsOut(psn, qp.GetUna()))
    {
        qp.AddInflight(-static_cast<int64_t>(wireBytes));
    }
    ForgetNack(psn, qp.GetUna());
    m_arrived.Insert(psn, qp.GetUna());
}

void
SelectiveRepeat::ForgetNack(uint64_t psn, uint64_t basePsn)
{
    for (PsnSet* set : {&m_nacked, &m_asked})
    {
        if (set->Has(psn, basePsn))
        {
            set->Erase(psn);
        }
    }
}

void
SelectiveRepeat::NoteArrivals(QueuePair& qp, const Frame& ack, QueuePair::AckResult& result)
{
    for (uint64_t bits = ack.sackBits; bits; bits &= bits - 1)
    {
        const uint64_t psn = ack.sackPsn + static_cast<unsigned>(__builtin_ctzll(bits));
        if (psn < qp.GetUna() || psn >= qp.GetHighestPsn())
        {
            continue;
        }
        m_arrivedEndPsn = std::max(m_arrivedEndPsn, psn + 1);
        result.newestPsn = std::max(result.newestPsn, psn + 1);
        if (!m_arrived.Has(psn, qp.GetUna()))
        {
            const uint32_t wireBytes = qp.GetInflightShare(psn);
            TakeOut(qp, psn, wireBytes);
            result.bytes += wireBytes;
            ++result.packets;
        }
    }
}

void
SelectiveRepeat::Spare(QueuePair& qp, uint64_t psn)
{
    if (!m_arrived.Has(psn, qp.GetUna()))
    {
        TakeOut(qp, psn, qp.GetInflightShare(psn));
    }
}

bool
SelectiveRepeat::Lose(QueuePair& qp, uint64_t psn, int64_t sentByPs, int64_t nowPs)
{
    if (m_arrived.Has(psn, qp.GetUna()) || !IsOut(psn, qp.GetUna()) || SentAt(psn).atPs > sentByPs)
    {
        return false;
    }
    qp.AddInflight(-static_cast<int64_t>(qp.GetInflightShare(psn)));
    m_nacked.Insert(psn, qp.GetUna());
    if (PathSelector* selector = qp.GetSelector())
    {
        selector->OnLoss(SentAt(psn).entropy, nowPs);
    }
    return true;
}

void
SelectiveRepeat::FindLosses(QueuePair& qp, QueuePair::AckResult& result)
{
    // The highest one that has arrived is m_arrivedEndPsn - 1.
    if (m_arrivedEndPsn <= m_lossEndPsn + m_p->reorderPackets + 1)
    {
        return;
    }
    const uint64_t end = m_arrivedEndPsn - 1 - m_p->reorderPackets;
    bool found = false;
    for (uint64_t psn = m_lossEndPsn; psn < end; ++psn)
    {
        if (!m_arrived.Has(psn, qp.GetUna()))
        {
            if (IsOut(psn, qp.GetUna()))
            {
                qp.AddInflight(-static_cast<int64_t>(qp.GetInflightShare(psn)));
            }
            ForgetNack(psn, qp.GetUna());
            found = true;
        }
    }
    m_lossEndPsn = end;
    if (found && !m_recovering)
    {
        m_recovering = true;
        m_recoveryEndPsn = qp.GetHighestPsn();
        result.loss = true;
    }
}

bool
SelectiveRepeat::IsLost(const QueuePair& qp, uint64_t psn)
{
    return m_nacked.Has(psn, qp.GetUna());
}

void
SelectiveRepeat::Repeat(QueuePair& qp, uint64_t psn)
{
    m_nacked.Erase(psn);
    AskFor(qp, psn);
}

void
SelectiveRepeat::AskFor(QueuePair& qp, uint64_t psn)
{
    m_asked.Insert(psn, qp.GetUna());
    if (m_asks.full())
    {
        m_asks.set_capacity(std::max<std::size_t>(16, 2 * m_asks.capacity()));
    }
    m_asks.push_back(psn);
}

void
SelectiveRepeat::FindLostRepeats(QueuePair& qp)
{
    for (; !m_repeats.empty(); m_repeats.pop_front())
    {
        const auto [psn, endPsn] = m_repeats.front();
        if (psn < qp.GetUna() || m_arrived.Has(psn, qp.GetUna()))
        {
            continue;
        }
        if (m_arrivedEndPsn <= endPsn + m_p->reorderPackets)
        {
            return;
        }
        qp.AddInflight(-static_cast<int64_t>(qp.GetInflightShare(psn)));
        AskFor(qp, psn);
    }
}

void
SelectiveRepeat::FindRepeat(QueuePair& qp)
{
    while (!m_asks.empty() &&
           (m_asks.front() < qp.GetUna() || !m_asked.Has(m_asks.front(), qp.GetUna())))
    {
        m_asks.pop_front();
    }
    while (m_repeatPsn < m_lossEndPsn && m_arrived.Has(m_repeatPsn, qp.GetUna()))
    {
        ++m_repeatPsn;
    }
    qp.SetRepeat(!m_asks.empty() || m_repeatPsn < m_lossEndPsn);
}

void
SelectiveRepeat::Retire(QueuePair& qp,
                        uint64_t newUna,
                        bool haveArrived,
                        int64_t nowPs,
                        std::vector<MessageRecord>& done,
                        QueuePair::AckResult& result)
{
    result.advanced = true;
    const uint64_t base = qp.GetUna();
    const uint64_t sentEnd = qp.GetHighestPsn();
    qp.Retire(newUna, nowPs, done, [&](uint64_t psn, uint32_t wireBytes) {
        if (m_arrived.Has(psn, base))
        {
            m_arrived.Erase(psn);
            return;
        }
        if (psn < sentEnd && IsOut(psn, base))
        {
            qp.AddInflight(-static_cast<int64_t>(wireBytes));
        }
        ForgetNack(psn, base);
        if (haveArrived)
        {
            result.bytes += wireBytes;
            ++result.packets;
        }
    });
    m_arrivedEndPsn = std::max(m_arrivedEndPsn, newUna);
    m_repeatPsn = std::max(m_repeatPsn, newUna);
    m_lossEndPsn = std::max(m_lossEndPsn, newUna);
    m_recovering = m_recovering && newUna < m_recoveryEndPsn;
}

void
SelectiveRepeat::Settle(QueuePair& qp, int64_t nowPs, QueuePair::AckResult& result)
{
    MeasureRtt(qp, nowPs);
    FindLostRepeats(qp);
    FindLosses(qp, result);
    FindRepeat(qp);
}

void
SelectiveRepeat::OnTimeout(QueuePair& qp, int64_t)
{
    m_repeatPsn = qp.GetUna();
    m_lossEndPsn = qp.GetHighestPsn();
    m_recovering = true;
    m_recoveryEndPsn = qp.GetHighestPsn();
    m_nacked = {};
    m_asked = {};
    m_asks.clear();
    m_repeats.clear();
    m_timedPs = NEVER_PS;
    qp.AddInflight(-static_cast<int64_t>(qp.GetInflightBytes()));
    FindRepeat(qp);
}

uint64_t
SelectiveRepeat::TakeRepeat(QueuePair& qp)
{
    uint64_t psn;
    if (!m_asks.empty())
    {
        psn = m_asks.front();
        m_asked.Erase(psn);
        m_asks.pop_front();
    }
    else
    {
        psn = m_repeatPsn++;
    }
    if (psn == m_timedPsn) // which transmission an ACK is for would be unknown
    {
        m_timedPs = NEVER_PS;
    }
    if (m_sent.empty())
    {
        if (m_repeats.full())
        {
            m_repeats.set_capacity(std::max<std::size_t>(16, 2 * m_repeats.capacity()));
        }
        m_repeats.push_back({psn, qp.GetHighestPsn()});
    }
    FindRepeat(qp);
    return psn;
}

int64_t
SelectiveRepeat::TimeoutPs(const QueuePair& qp) const
{
    // A packet that waits to be sent again, for the window or a pause, is not lost again yet.
    const uint64_t una = qp.GetUna();
    const bool waits = (una >= m_repeatPsn && una < m_lossEndPsn) || m_asked.Has(una, una);
    const int64_t basePs = !waits && qp.GetInflightBytes() <= m_fewBytes ? m_lowPs : m_highPs;
    const unsigned doublings = std::min(qp.timeout.GetRetries(), MOST_DOUBLINGS);
    return basePs < m_highPs >> doublings ? basePs << doublings : m_highPs;
}

ReceiverQp::Action
SelectiveRepeatReceiver::OnData(const Frame& frame,
                                uint32_t ackEveryN,
                                int64_t,
                                std::vector<uint64_t>& done)
{
    Note(frame);
    if (frame.psn < expectedPsn || m_arrived.Has(frame.psn, expectedPsn))
    {
        return Action::ACK; // a duplicate
    }
    receivedBytes += frame.payloadBytes;
    m_arrivedEnd = std::max(m_arrivedEnd, frame.psn + 1);
    if (frame.psn != expectedPsn)
    {
        m_arrived.Insert(frame.psn, expectedPsn);
        if (frame.flags & FRAME_LAST)
        {
            const auto after =
                std::upper_bound(m_last.begin(),
                                 m_last.end(),
                                 frame.psn,
                                 [](uint64_t psn, const Last& last) { return psn < last.psn; });
            m_last.insert(after, {frame.psn, frame.cookie});
        }
        ++unackedPackets;
        return Action::NAK;
    }
    const bool filledGap = m_arrivedEnd > expectedPsn + 1;
    const bool isLast = frame.flags & FRAME_LAST;
    if (isLast)
    {
        done.push_back(frame.cookie);
    }
    ++unackedPackets;
    const uint64_t base = expectedPsn;
    for (++expectedPsn; m_arrived.Has(expectedPsn, base); ++expectedPsn)
    {
        m_arrived.Erase(expectedPsn);
    }
    auto last = m_last.begin();
    for (; last != m_last.end() && last->psn < expectedPsn; ++last)
    {
        done.push_back(last->cookie);
    }
    const bool messageDone = isLast || last != m_last.begin();
    m_last.erase(m_last.begin(), last);
    return filledGap || messageDone || unackedPackets >= ackEveryN || frame.flags & FRAME_ACK_REQ
               ? Action::ACK
               : Action::NOTHING;
}

void
SelectiveRepeatReceiver::FillAck(Frame& ack, const Frame& data) const
{
    if (m_arrivedEnd <= expectedPsn)
    {
        return;
    }
    // Up to the packet that is answered, if it lies ahead; from the gap on otherwise.
    const uint64_t first = std::max(expectedPsn + 1, data.psn < 63 ? uint64_t{0} : data.psn - 63);
    ack.flags |= FRAME_SACK;
    ack.sackPsn = first;
    ack.sackBits = m_arrived.Get64(first, expectedPsn);
    ack.frameBytes += SACK_BYTES;
}

} // namespace ns3::roce
