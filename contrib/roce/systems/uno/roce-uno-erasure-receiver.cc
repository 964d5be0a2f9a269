// SPDX-License-Identifier: GPL-2.0-only
#include "roce-uno-erasure-receiver.h"

#include <algorithm>

namespace ns3::roce
{

const FrameExtension UnoErasureHeader::EXTENSION{
    "uno-erasure",
    {CODE_HEADER_BYTES, 0, 0, 0},
    false,
    [](const void* value, std::vector<uint8_t>& out) {
        const BlockPlace& place = static_cast<const UnoErasureHeader*>(value)->place;
        out.insert(out.end(), {place.index, place.data, place.total, place.last});
    }};

namespace
{

constexpr double GAP_GAIN = 1.0 / 8;

} // namespace

int64_t
UnoErasureReceiver::TimeoutPs(const Block& block) const
{
    const double each = std::max(m_gapPs, static_cast<double>(m_config.framePs));
    return m_config.timeoutPs +
           (m_config.allowsForGaps ? static_cast<int64_t>(each * block.place.total) : 0);
}

void
UnoErasureReceiver::Arm(Block& block, int64_t atPs)
{
    block.duePs = atPs;
    timerPs = std::min(timerPs, atPs);
}

void
UnoErasureReceiver::NoteGap(int64_t nowPs)
{
    if (m_lastArrivalPs != NEVER_PS)
    {
        // A pause of the sender is not its pace.
        const auto gap = static_cast<double>(std::min(nowPs - m_lastArrivalPs, m_config.baseRttPs));
        m_gapPs = m_gapPs > 0 ? m_gapPs + (gap - m_gapPs) * GAP_GAIN : gap;
    }
    m_lastArrivalPs = nowPs;
}

UnoErasureReceiver::Block&
UnoErasureReceiver::FindBlock(const Frame& frame, int64_t nowPs)
{
    const UnoErasureHeader& header = *frame.FindExtension<UnoErasureHeader>();
    const uint64_t first = frame.psn - header.place.index;
    auto after = m_blocks.end(); // most packets belong to the newest block
    while (after != m_blocks.begin() && (after - 1)->firstPsn > first)
    {
        --after;
    }
    if (after != m_blocks.begin() && (after - 1)->firstPsn == first)
    {
        return *(after - 1);
    }
    const auto index = after - m_blocks.begin();
    if (m_blocks.full())
    {
        m_blocks.set_capacity(std::max<std::size_t>(8, 2 * m_blocks.capacity()));
    }
    Block block;
    block.firstPsn = first;
    block.place = header.place;
    block.bytes = header.blockBytes;
    block.cookie = frame.cookie;
    Block& made = *m_blocks.insert(m_blocks.begin() + index, block);
    Arm(made, nowPs + TimeoutPs(made));
    return made;
}

void
UnoErasureReceiver::Deliver(std::vector<uint64_t>& done)
{
    while (!m_blocks.empty() && m_blocks.front().done && m_blocks.front().firstPsn == expectedPsn)
    {
        expectedPsn = m_blocks.front().EndPsn();
        if (m_blocks.front().place.last)
        {
            done.push_back(m_blocks.front().cookie);
        }
        m_blocks.pop_front();
    }
}

ReceiverQp::Action
UnoErasureReceiver::OnData(const Frame& frame, uint32_t, int64_t nowPs, std::vector<uint64_t>& done)
{
    Note(frame);
    NoteGap(nowPs);
    m_answerDone = true;
    if (frame.psn < expectedPsn)
    {
        return Action::ACK;
    }
    Block& block = FindBlock(frame, nowPs);
    const uint64_t bit = 1ULL << (frame.psn - block.firstPsn);
    unackedPackets += !(block.arrived & bit);
    block.arrived |= bit;
    if (!block.done && __builtin_popcountll(block.arrived) >= block.place.data)
    {
        block.done = true;
        block.duePs = NEVER_PS;
        receivedBytes += block.bytes;
        m_rebuiltPsn = block.firstPsn;
        m_rebuiltBits = block.arrived;
        Deliver(done);
        return Action::ACK;
    }
    m_answerDone = block.done;
    if (!block.done && block.duePs == NEVER_PS && block.nacks < m_config.maxNacks)
    {
        Arm(block, nowPs + TimeoutPs(block)); // RearmOnPacket
    }
    return Action::ACK;
}

bool
UnoErasureReceiver::OnTimer(int64_t nowPs, Frame& nak)
{
    // The timer may have been that of a block that is done since.
    bool found = false;
    timerPs = NEVER_PS;
    for (Block& block : m_blocks)
    {
        if (!found && block.duePs <= nowPs)
        {
            found = true;
            nak.flags |= FRAME_SACK | FRAME_CODED;
            nak.sackPsn = block.firstPsn;
            nak.sackBits = block.arrived;
            nak.frameBytes += SACK_BYTES;
            ++block.nacks;
            block.duePs = m_config.rearmOnPacket || block.nacks >= m_config.maxNacks
                              ? NEVER_PS
                              : nowPs + m_config.baseRttPs + TimeoutPs(block);
        }
        timerPs = std::min(timerPs, block.duePs);
    }
    return found;
}

void
UnoErasureReceiver::FillAck(Frame& ack, const Frame& data) const
{
    const uint64_t first = data.psn < 63 ? 0 : data.psn - 63;
    uint64_t bits = 1ULL << (data.psn - first);
    const auto add = [&](uint64_t psn, uint64_t arrived) {
        if (psn <= data.psn && psn + BlockCode::MAX_TOTAL > first)
        {
            bits |= psn >= first ? arrived << (psn - first) : arrived >> (first - psn);
        }
    };
    for (auto block = m_blocks.rbegin(); block != m_blocks.rend() && block->EndPsn() > first;
         ++block)
    {
        add(block->firstPsn, block->arrived);
    }
    add(m_rebuiltPsn, m_rebuiltBits); // no longer among them, if all before it have been delivered
    // Nothing beyond the packet that is answered: it is the highest bit.
    bits &= ~0ULL >> (63 - (data.psn - first));
    ack.flags |= static_cast<uint8_t>(FRAME_SACK | (m_answerDone ? FRAME_CODED : 0));
    ack.sackPsn = first;
    ack.sackBits = bits;
    ack.frameBytes += SACK_BYTES;
}

} // namespace ns3::roce
