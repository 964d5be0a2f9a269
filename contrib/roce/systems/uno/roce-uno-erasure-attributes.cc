// SPDX-License-Identifier: GPL-2.0-only
#include "roce-uno-erasure.h"

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
                   {{"inter", Coded::INTER}, {"all", Coded::ALL}, {"none", Coded::NONE}},
                   "Which flows are coded: inter (datacenters), all or none")
            .Count("DataPackets",
                   Nested(&P::code, &BlockCode::dataPackets),
                   {8},
                   Range::Within(1, BlockCode::MAX_TOTAL),
                   "Data packets of a block")
            .Count("ParityPackets",
                   Nested(&P::code, &BlockCode::parityPackets),
                   {2},
                   Range::Within(0, BlockCode::MAX_TOTAL - 1),
                   "Parity packets of a block")
            .Choice("LastBlock",
                    Nested(&P::code, &BlockCode::lastBlock),
                    {Last::SHORTENED, Last::PADDED},
                    {{"shortened", Last::SHORTENED},
                     {"proportional", Last::PROPORTIONAL},
                     {"padded", Last::PADDED}},
                    "A block with less data than others: shortened (all the parity), proportional "
                    "(parity in proportion) or padded (with empty packets)")
            .Choice("Repeater",
                    &P::repeater,
                    {Repeater::PACKET_TIMERS},
                    {{"PacketTimers", Repeater::PACKET_TIMERS},
                     {"SelectiveRepeat", Repeater::SELECTIVE_REPEAT}},
                    "Timer for losses that no NACK reports; the only recovery of uncoded packets: "
                    "PacketTimers, with the parameters below, or SelectiveRepeat, whose own "
                    "attributes count")
            .Choice("NackRepeat",
                    &P::nackRepeat,
                    {NackRepeat::MISSING_DATA, NackRepeat::UNACKED},
                    {{"missingData", NackRepeat::MISSING_DATA},
                     {"needed", NackRepeat::NEEDED},
                     {"unacked", NackRepeat::UNACKED}},
                    "What a NACK asks for: missingData, needed (as many packets as the block "
                    "lacks) or unacked (all of it)")
            // After a NACK, the next packet of the block starts its timer again, instead of the
            // NACK itself
            .Fixed("RearmOnPacket", &P::rearmOnPacket, {false, true})
            // A block's timer allows for the packets' own time
            .Fixed("BlockGap", &P::blockGap, {true, false})
            .Duration("BlockTimeout",
                      &P::blockTimeoutPs,
                      {0},
                      Range::AtLeast(0),
                      "A block's timer; 0: from QueueBytes and the path")
            .Count("MaxNacks",
                   &P::maxNacks,
                   {16},
                   Range::Within(1, 255),
                   "NACKs for one block at most; then only the sender's timeouts are left");
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

} // namespace ns3::roce
