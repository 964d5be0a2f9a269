// SPDX-License-Identifier: GPL-2.0-only
#include "roce-uno-erasure.h"

#include "roce-uno-erasure-receiver.h"

#include "ns3/roce-selective-repeat.h"

#include <algorithm>

// Parameters of UnoErasure.

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(UnoErasure);

const ParameterTable<UnoErasureParams>&
UnoErasureParams::Table()
{
    using P = UnoErasureParams;
    using Last = BlockCode::LastBlock;
    static const ParameterTable<P> table = [] {
        ParameterTable<P> all("ns3::roce::UnoErasure", {"paper", "artifact"});
        all.Choice("Code",
                   &P::coded,
                   {Coded::INTER, Coded::ALL},
                   {{"inter", Coded::INTER}, {"all", Coded::ALL}, {"none", Coded::NONE}})
            .Help("Which flows are coded: inter (datacenters), all or none")
            .Count("DataPackets",
                   Nested(&P::code, &BlockCode::dataPackets),
                   {8},
                   Range::Within(1, BlockCode::MAX_TOTAL))
            .Help("Data packets of a block")
            .Count("ParityPackets",
                   Nested(&P::code, &BlockCode::parityPackets),
                   {2},
                   Range::Within(0, BlockCode::MAX_TOTAL - 1))
            .Help("Parity packets of a block")
            .Choice("LastBlock",
                    Nested(&P::code, &BlockCode::lastBlock),
                    {Last::SHORTENED, Last::PADDED},
                    {{"shortened", Last::SHORTENED},
                     {"proportional", Last::PROPORTIONAL},
                     {"padded", Last::PADDED}})
            .Help("A block with less data than others: shortened (all the parity), proportional "
                  "(parity in proportion) or padded (with empty packets)")
            .Choice("Repeater",
                    &P::repeater,
                    {Repeater::PACKET_TIMERS},
                    {{"PacketTimers", Repeater::PACKET_TIMERS},
                     {"SelectiveRepeat", Repeater::SELECTIVE_REPEAT}})
            .Help("Timer for losses that no NACK reports; the only recovery of uncoded packets: "
                  "PacketTimers, with the parameters below, or SelectiveRepeat, whose own "
                  "attributes count")
            .Choice("NackRepeat",
                    &P::nackRepeat,
                    {NackRepeat::MISSING_DATA, NackRepeat::UNACKED},
                    {{"missingData", NackRepeat::MISSING_DATA},
                     {"needed", NackRepeat::NEEDED},
                     {"unacked", NackRepeat::UNACKED}})
            .Help("What a NACK asks for: missingData, needed (as many packets as the block lacks) "
                  "or unacked (all of it)")
            // After a NACK, the next packet of the block starts its timer again, instead of the
            // NACK itself
            .Fixed("RearmOnPacket", &P::rearmOnPacket, {false, true})
            // A block's timer allows for the packets' own time
            .Fixed("BlockGap", &P::blockGap, {true, false})
            .Duration("BlockTimeout", &P::blockTimeoutPs, {0}, Range::AtLeast(0))
            .Help("A block's timer; 0: from QueueBytes and the path")
            .Count("MaxNacks", &P::maxNacks, {16}, Range::Within(1, 255))
            .Help("NACKs for one block at most; then only the sender's timeouts are left");
        PacketTimersParams::AddRows<P>(all, [](P& p) -> PacketTimersParams& { return p.timers; });
        all.Finish([](P& p, const Parameters<P>&) {
            const unsigned packets = p.code.dataPackets + p.code.parityPackets;
            Table().Require(packets <= BlockCode::MAX_TOTAL,
                            "DataPackets + ParityPackets",
                            std::to_string(packets),
                            "at most " + std::to_string(BlockCode::MAX_TOTAL));
        });
        return all;
    }();
    return table;
}

namespace
{

bool
IsCoded(const UnoErasureParams& p, const PathInfo& path)
{
    using Coded = UnoErasureParams::Coded;
    return p.coded == Coded::ALL || (p.coded == Coded::INTER && path.interDc);
}

} // namespace

Ptr<LossRecovery>
UnoErasure::ForQueuePair(const PathInfo& path, int64_t rtoFloorPs)
{
    const std::shared_ptr<const UnoErasureParams>& p = m_parameters.Get();
    Ptr<PacketRepeater> repeater;
    if (p->repeater == UnoErasureParams::Repeater::SELECTIVE_REPEAT)
    {
        repeater = DynamicCast<PacketRepeater>(
            CreateObject<SelectiveRepeat>()->ForQueuePair(path, rtoFloorPs));
    }
    else
    {
        repeater = PacketTimers::Make({p, &p->timers}, path);
    }
    if (!IsCoded(*p, path))
    {
        return repeater;
    }
    Ptr<UnoErasure> copy = CopyObject<UnoErasure>(this);
    copy->m_p = p;
    copy->m_baseRttPs = path.baseRttPs;
    copy->m_repeater = repeater;
    return copy;
}

namespace
{

/// @return the repeater's prototype if it is a SelectiveRepeat, or null
Ptr<SelectiveRepeat>
MakeSelectiveRepeat(const UnoErasureParams& p)
{
    return p.repeater == UnoErasureParams::Repeater::SELECTIVE_REPEAT
               ? CreateObject<SelectiveRepeat>()
               : nullptr;
}

} // namespace

bool
UnoErasure::NeedsLongestRtt() const
{
    const Ptr<SelectiveRepeat> repeater = MakeSelectiveRepeat(*m_parameters.Get());
    return repeater && repeater->NeedsLongestRtt();
}

bool
UnoErasure::LooksAt(NicTimeout what) const
{
    const Ptr<SelectiveRepeat> repeater = MakeSelectiveRepeat(*m_parameters.Get());
    return repeater && repeater->LooksAt(what);
}

bool
UnoErasure::NeedsOrder() const
{
    const Ptr<SelectiveRepeat> repeater = MakeSelectiveRepeat(*m_parameters.Get());
    return repeater && repeater->NeedsOrder();
}

std::unique_ptr<ReceiverQp>
UnoErasure::MakeReceiver(const PathInfo& path) const
{
    const UnoErasureParams& p = *m_parameters.Get();
    if (!IsCoded(p, path))
    {
        return std::make_unique<SelectiveRepeatReceiver>(); // either repeater's
    }
    UnoErasureReceiver::Config config;
    config.timeoutPs = std::min(
        p.blockTimeoutPs ? p.blockTimeoutPs : PacketTimers::FullQueuesPs(path, p.timers.queueBytes),
        LONGEST_TIMEOUT_PS);
    config.allowsForGaps = p.blockGap && !p.blockTimeoutPs;
    config.framePs =
        static_cast<int64_t>(path.fullFrameBytes * 8e12 / static_cast<double>(path.lineRateBps));
    config.baseRttPs = path.baseRttPs;
    config.rearmOnPacket = p.rearmOnPacket;
    config.maxNacks = p.maxNacks;
    return std::make_unique<UnoErasureReceiver>(config);
}

const FrameExtension*
UnoErasure::GetDataExtension() const
{
    return &UnoErasureHeader::EXTENSION;
}

UnoErasure::Block
UnoErasure::GetBlock(const QueuePair& qp, uint64_t psn) const
{
    const QueuePair::Extent message = qp.GetMessageOf(psn);
    const BlockCode& code = m_p->code;
    const auto where = code.Locate(psn - message.firstPsn, message.packets);
    const uint64_t bytes = code.BytesOf(where.block, message.bytes, qp.GetConfig().mtuBytes);
    return {psn - where.place.index, where.place, static_cast<uint32_t>(bytes)};
}

void
UnoErasure::OnSend(QueuePair& qp, Frame& frame, uint32_t inflightBytes, int64_t nowPs)
{
    const Block block = GetBlock(qp, frame.psn);
    frame.flags |= FRAME_CODED;
    *frame.FindExtension<UnoErasureHeader>() = {block.place, block.bytes};
    m_repeater->OnSend(qp, frame, inflightBytes, nowPs);
}

void
UnoErasure::Spare(QueuePair& qp, uint64_t psn)
{
    if (psn < qp.GetUna() || psn >= qp.GetHighestPsn())
    {
        return;
    }
    const Block block = GetBlock(qp, psn);
    const uint64_t end = std::min(block.firstPsn + block.place.total, qp.GetHighestPsn());
    for (uint64_t p = std::max(block.firstPsn, qp.GetUna()); p < end; ++p)
    {
        m_repeater->Spare(qp, p);
    }
}

void
UnoErasure::OnNack(QueuePair& qp, const Frame& nack, int64_t nowPs, QueuePair::AckResult& result)
{
    if (nack.sackPsn < qp.GetUna() || nack.sackPsn >= qp.GetHighestPsn())
    {
        return;
    }
    const auto [first, place, bytes] = GetBlock(qp, nack.sackPsn);
    const uint64_t end = std::min(first + place.total, qp.GetHighestPsn());
    uint64_t there = first + place.total - end; // not sent yet, arrived, or on its way
    for (uint64_t psn = first; psn < end; ++psn)
    {
        // The NACK could not know of what was sent within the last base RTT.
        result.loss |= m_repeater->Lose(qp, psn, nowPs - m_baseRttPs, nowPs);
        there += !m_repeater->IsLost(qp, psn);
    }
    using NackRepeat = UnoErasureParams::NackRepeat;
    for (uint64_t psn = first; psn < end; ++psn)
    {
        const bool data = psn - first < place.data;
        if (m_repeater->IsLost(qp, psn) &&
            (m_p->nackRepeat == NackRepeat::UNACKED ||
             (m_p->nackRepeat == NackRepeat::MISSING_DATA && data) ||
             (m_p->nackRepeat == NackRepeat::NEEDED && there < place.data)))
        {
            m_repeater->Repeat(qp, psn);
            ++there;
        }
    }
}

QueuePair::AckResult
UnoErasure::OnAck(QueuePair& qp, const Frame& ack, int64_t nowPs, std::vector<MessageRecord>& done)
{
    const uint64_t newUna = PacketRepeater::AckedEnd(ack);
    QueuePair::AckResult result;
    // A receiver that can rebuild a block needs nothing more of it, sent or not.
    const uint64_t sentEnd = qp.GetHighestPsn();
    uint64_t knownEnd = sentEnd;
    if (newUna > sentEnd && sentEnd > qp.GetUna())
    {
        const Block block = GetBlock(qp, sentEnd - 1);
        knownEnd = block.firstPsn + block.place.total;
    }
    if (newUna > knownEnd)
    {
        return result;
    }
    result.newestPsn = std::max(newUna, qp.GetUna());
    if (ack.flags & FRAME_SACK)
    {
        m_repeater->NoteArrivals(qp, ack, result);
        const bool coded = ack.flags & FRAME_CODED;
        if (coded && ack.kind == FrameKind::ACK && ack.sackBits)
        {
            Spare(qp, ack.sackPsn + 63 - static_cast<unsigned>(__builtin_clzll(ack.sackBits)));
        }
        else if (coded && ack.kind == FrameKind::NAK)
        {
            OnNack(qp, ack, nowPs, result);
        }
    }
    if (newUna > qp.GetUna())
    {
        m_repeater->Retire(qp, newUna, false, nowPs, done, result);
    }
    m_repeater->Settle(qp, nowPs, result);
    return result;
}

} // namespace ns3::roce
