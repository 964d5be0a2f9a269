/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-uno-erasure.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/roce-settings-attributes.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <map>

// Attributes of UnoErasure.

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(UnoErasure);

namespace
{

constexpr SettingsCheck CHECK("ns3::roce::UnoErasure", "preset");

/// The value that a text names; the preset's, if it is empty.
template <typename T>
T
Choose(const char* attribute,
       const std::string& text,
       T preset,
       const std::map<std::string, T>& names)
{
    const auto found = names.find(text);
    std::string expected;
    for (const auto& [name, value] : names)
    {
        expected += "'" + name + "', ";
    }
    CHECK.Require(text.empty() || found != names.end(),
                  attribute,
                  "'" + text + "'",
                  expected + "or '' (from the preset)");
    return text.empty() ? preset : found->second;
}

} // namespace

TypeId
UnoErasure::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::UnoErasure")
            .SetParent<LossRecovery>()
            .SetGroupName("Roce")
            .AddConstructor<UnoErasure>()
            .AddAttribute("Preset",
                          "What the other attributes are by default: paper or artifact",
                          StringValue("paper"),
                          MakeStringAccessor(&UnoErasure::m_preset),
                          MakeStringChecker())
            .AddAttribute("Code",
                          "Which flows are coded: inter (datacenters), all or none; empty: preset",
                          StringValue(""),
                          MakeStringAccessor(&UnoErasure::m_codeName),
                          MakeStringChecker())
            .AddAttribute("DataPackets",
                          "Data packets of a block",
                          UintegerValue(8),
                          MakeUintegerAccessor(&UnoErasure::m_dataPackets),
                          MakeUintegerChecker<uint8_t>(1, BlockCode::MAX_TOTAL))
            .AddAttribute("ParityPackets",
                          "Parity packets of a block",
                          UintegerValue(2),
                          MakeUintegerAccessor(&UnoErasure::m_parityPackets),
                          MakeUintegerChecker<uint8_t>(0, BlockCode::MAX_TOTAL - 1))
            .AddAttribute("LastBlock",
                          "A block with less data than others: shortened (all the parity), "
                          "proportional (parity in proportion) or padded (with empty packets); "
                          "empty: preset",
                          StringValue(""),
                          MakeStringAccessor(&UnoErasure::m_lastBlockName),
                          MakeStringChecker())
            .AddAttribute("NackRepeat",
                          "What a NACK has sent again: missingData, needed (as many packets as the "
                          "block lacks) or unacked (all of it); empty: preset",
                          StringValue(""),
                          MakeStringAccessor(&UnoErasure::m_nackRepeatName),
                          MakeStringChecker())
            .AddAttribute("RearmOnPacket",
                          "After a NACK, the next packet of the block starts its timer again, "
                          "instead of the NACK itself: true, false; empty: preset",
                          StringValue(""),
                          MakeStringAccessor(&UnoErasure::m_rearmName),
                          MakeStringChecker())
            .AddAttribute("BlockGap",
                          "A block's timer allows for the packets' own time: true, false; empty: "
                          "preset",
                          StringValue(""),
                          MakeStringAccessor(&UnoErasure::m_gapName),
                          MakeStringChecker())
            .AddAttribute("BlockTimeout",
                          "A block's timer; 0: from QueueBytes and the path",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&UnoErasure::m_blockTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MaxNacks",
                          "NACKs for one block at most; then only the sender's timeouts are left",
                          UintegerValue(16),
                          MakeUintegerAccessor(&UnoErasure::m_maxNacks),
                          MakeUintegerChecker<uint32_t>(1, 255))
            .AddAttribute("Rto",
                          "Timeout of a packet sent for the first time; 0: from RtoMultiplier, "
                          "QueueBytes and the path",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&UnoErasure::m_rto),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RtoMultiplier",
                          "Rto over base RTT and full queues; -1: preset",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&UnoErasure::m_rtoMultiplier),
                          MakeDoubleChecker<double>())
            .AddAttribute("RtoBackoff",
                          "Greatest factor by which a packet's timeout grows; -1: preset",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&UnoErasure::m_rtoBackoff),
                          MakeIntegerChecker<int64_t>(-1, SentPackets::MAX_BACKOFF))
            .AddAttribute("QueueBytes",
                          "A full egress queue, as the timers assume it; -1: preset",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&UnoErasure::m_queueBytes),
                          MakeIntegerChecker<int64_t>(-1, int64_t{1} << 40))
            .AddAttribute("Verify",
                          "Carry real bytes in coded packets, encode and decode them with ISA-L, "
                          "and end with an error if a byte is wrong; slow",
                          BooleanValue(false),
                          MakeBooleanAccessor(&UnoErasure::SetVerify, &UnoErasure::GetVerify),
                          MakeBooleanChecker());
    return tid;
}

void
UnoErasure::SetVerify(bool verify)
{
    if (verify)
    {
        ErasureVerifier::Require();
    }
    m_verify = verify;
}

bool
UnoErasure::GetVerify() const
{
    return m_verify;
}

UnoErasure::Settings
UnoErasure::Resolve() const
{
    CHECK.Require(m_preset == "paper" || m_preset == "artifact",
                  "Preset",
                  "'" + m_preset + "'",
                  "'paper' or 'artifact'");
    CHECK.Require(m_dataPackets + m_parityPackets <= static_cast<int>(BlockCode::MAX_TOTAL),
                  "DataPackets + ParityPackets",
                  std::to_string(m_dataPackets + m_parityPackets),
                  "at most " + std::to_string(BlockCode::MAX_TOTAL));
    CHECK.Require(m_rtoMultiplier == -1 || (m_rtoMultiplier >= 1 && m_rtoMultiplier <= 1e6),
                  "RtoMultiplier",
                  std::to_string(m_rtoMultiplier),
                  "1 to 1e6, or -1 (from the preset)");
    CHECK.Require(m_rtoBackoff != 0, "RtoBackoff", "0", "1 to 128, or -1 (from the preset)");
    const bool artifact = m_preset == "artifact";
    using Last = BlockCode::LastBlock;
    Settings s;
    s.code.dataPackets = m_dataPackets;
    s.code.parityPackets = m_parityPackets;
    s.code.lastBlock = Choose("LastBlock",
                              m_lastBlockName,
                              artifact ? Last::PADDED : Last::SHORTENED,
                              {{"shortened", Last::SHORTENED},
                               {"proportional", Last::PROPORTIONAL},
                               {"padded", Last::PADDED}});
    const int coded = Choose("Code",
                             m_codeName,
                             artifact ? 2 : 1,
                             std::map<std::string, int>{{"none", 0}, {"inter", 1}, {"all", 2}});
    s.codesInter = coded > 0;
    s.codesIntra = coded > 1;
    s.nackRepeat = Choose("NackRepeat",
                          m_nackRepeatName,
                          artifact ? NackRepeat::UNACKED : NackRepeat::MISSING_DATA,
                          {{"missingData", NackRepeat::MISSING_DATA},
                           {"needed", NackRepeat::NEEDED},
                           {"unacked", NackRepeat::UNACKED}});
    s.rearmOnPacket = CHECK.Flag("RearmOnPacket", m_rearmName, artifact);
    s.blockGap = CHECK.Flag("BlockGap", m_gapName, !artifact);
    s.rtoMultiplier = SettingsCheck::Number(m_rtoMultiplier, artifact ? 1 : 1.5);
    s.rtoBackoff = static_cast<uint32_t>(m_rtoBackoff != -1 ? m_rtoBackoff : 1);
    s.queueBytes = m_queueBytes != -1 ? static_cast<uint64_t>(m_queueBytes)
                   : artifact         ? 1000000
                                      : 1 << 20;
    return s;
}

} // namespace roce
} // namespace ns3
