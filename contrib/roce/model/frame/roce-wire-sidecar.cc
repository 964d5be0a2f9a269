/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/roce-wire-format.h"
#include "ns3/roce-wire-internal.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace ns3
{
namespace roce
{
namespace wire
{

namespace
{

constexpr uint32_t INT_HEADER_BYTES = 2;
constexpr uint32_t INT_HOP_BYTES = 8;
constexpr uint32_t INT_MAX_NHOP = 15;

constexpr uint64_t RATE_GBPS[] = {0, 25, 50, 100, 200, 400, 800, 1600, 10, 40, 1200, 2400, 3200, 1};

constexpr uint8_t SIDECAR_VERSION = 1;
constexpr uint8_t TAG_INT = 1;
constexpr uint8_t TAG_TELEMETRY_BYTES = 2;
constexpr uint8_t TAG_PSN = 3;

struct SideField
{
    uint8_t tag;
    uint64_t max; // greatest value the field can have
    uint64_t (*get)(const Frame&);
    void (*set)(Frame&, uint64_t);
};

template <auto MEMBER>
constexpr SideField
MakeField(uint8_t tag)
{
    using Type = std::decay_t<decltype(std::declval<Frame>().*MEMBER)>;
    return {tag,
            std::numeric_limits<std::make_unsigned_t<Type>>::max(),
            [](const Frame& frame) { return static_cast<uint64_t>(frame.*MEMBER); },
            [](Frame& frame, uint64_t value) { frame.*MEMBER = static_cast<Type>(value); }};
}

/// Fields that no hop changes; ttl, ecn and dscp are always those of the wire.
constexpr SideField SIDE_FIELDS[] = {
    MakeField<&Frame::telemetryBytes>(TAG_TELEMETRY_BYTES),
    MakeField<&Frame::psn>(TAG_PSN),
    MakeField<&Frame::frameBytes>(4),
    MakeField<&Frame::src>(5),
    MakeField<&Frame::dst>(6),
    MakeField<&Frame::dstQp>(7),
    MakeField<&Frame::srcQp>(8),
    MakeField<&Frame::trafficClass>(9),
    MakeField<&Frame::flags>(10),
    MakeField<&Frame::sentPs>(11),
    MakeField<&Frame::remoteHoldPs>(12),
    MakeField<&Frame::messageBytes>(13),
    MakeField<&Frame::remoteAddress>(14),
    MakeField<&Frame::rKey>(15),
    MakeField<&Frame::msn>(16),
    MakeField<&Frame::ackedPackets>(17),
};

/// Variable-length integer: 7 bits a byte, least significant first, top bit = more follow.
void
PutVar(Bytes& out, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
    {
        out.push_back(static_cast<uint8_t>(value | 0x80));
    }
    out.push_back(static_cast<uint8_t>(value));
}

uint64_t
GetVar(const Bytes& in, size_t& at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7)
    {
        if (at >= in.size())
        {
            Fail("sidecar of " + std::to_string(in.size()) + " bytes ends inside a value");
        }
        uint8_t byte = in[at++];
        if (shift == 63 && byte > 1)
        {
            break;
        }
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (!(byte & 0x80))
        {
            return value;
        }
    }
    Fail("sidecar has a value of more than 64 bits before byte " + std::to_string(at));
}

void
GetSideTelemetry(const Bytes& in, size_t& at, Frame& frame)
{
    uint64_t hopsPlusOne = GetVar(in, at);
    FramePool::FreeInt(frame.telemetry);
    frame.telemetry = nullptr;
    if (hopsPlusOne == 0)
    {
        return;
    }
    if (hopsPlusOne - 1 > (in.size() - at) / 6)
    {
        Fail("sidecar announces " + std::to_string(hopsPlusOne - 1) + " INT hops in " +
             std::to_string(in.size() - at) + " bytes");
    }
    frame.telemetry = FramePool::AllocInt();
    for (uint64_t i = 1; i < hopsPlusOne; ++i)
    {
        IntHop& hop = frame.telemetry->Append();
        hop.timePs = static_cast<int64_t>(GetVar(in, at));
        hop.txBytes = GetVar(in, at);
        hop.rxBytes = GetVar(in, at);
        hop.queueBytes = GetVar(in, at);
        hop.rateBps = GetVar(in, at);
        hop.hopId = GetVar(in, at);
    }
}

bool
SameTelemetry(const IntStack* a, const IntStack* b)
{
    if (!a || !b)
    {
        return a == b;
    }
    const auto same = [](const IntHop& x, const IntHop& y) {
        return x.timePs == y.timePs && x.txBytes == y.txBytes && x.rxBytes == y.rxBytes &&
               x.queueBytes == y.queueBytes && x.rateBps == y.rateBps && x.hopId == y.hopId;
    };
    return std::equal(a->begin(), a->end(), b->begin(), b->end(), same);
}

} // namespace

[[noreturn]] void
Fail(const std::string& message)
{
    throw std::invalid_argument("wire format: " + message);
}

std::string
Hex(uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

uint8_t
TelemetryCode(const Frame& frame)
{
    uint32_t rest = frame.telemetryBytes;
    uint8_t code = 0;
    if ((frame.flags & FRAME_TIMESTAMP) && rest >= TIMESTAMP_BYTES)
    {
        code = HAS_TIMESTAMP;
        rest -= TIMESTAMP_BYTES;
    }
    if (rest == 0)
    {
        return code;
    }
    if (rest < INT_HEADER_BYTES || (rest - INT_HEADER_BYTES) % INT_HOP_BYTES != 0)
    {
        return code | INT_CODE_OTHER;
    }
    uint32_t intCode = (rest - INT_HEADER_BYTES) / INT_HOP_BYTES + 1;
    return static_cast<uint8_t>(code | std::min<uint32_t>(intCode, INT_CODE_OTHER));
}

std::optional<uint32_t>
TelemetryLength(uint8_t code)
{
    uint32_t length = code & HAS_TIMESTAMP ? TIMESTAMP_BYTES : 0;
    uint32_t intCode = code & INT_CODE_MASK;
    if (intCode == INT_CODE_OTHER)
    {
        return std::nullopt;
    }
    return length + (intCode ? INT_HEADER_BYTES + INT_HOP_BYTES * (intCode - 1) : 0);
}

void
PutTelemetry(Bytes& out, const Frame& frame)
{
    size_t end = out.size() + frame.telemetryBytes;
    bool hasTimestamp = frame.flags & FRAME_TIMESTAMP;
    bool fits = !hasTimestamp || frame.telemetryBytes >= TIMESTAMP_BYTES;
    if (hasTimestamp && fits)
    {
        Put(out, static_cast<uint64_t>(frame.sentPs), TIMESTAMP_BYTES);
    }
    if (frame.telemetry && fits)
    {
        uint32_t hops = frame.telemetry->hops;
        Put(out,
            std::min(hops, INT_MAX_NHOP) << 12 | WireFormat::PathId(frame.telemetry),
            INT_HEADER_BYTES);
        for (uint32_t i = 0; i < hops && out.size() < end; ++i)
        {
            const IntHop& hop = frame.telemetry->At(i);
            uint64_t ns = static_cast<uint64_t>(hop.timePs) / 1000;
            uint64_t record = WireFormat::RateCode(hop.rateBps);
            record = record << 24 | (ns & 0xffffff);
            record = record << 20 | (hop.txBytes / 128 & 0xfffff);
            record = record << 16 | std::min<uint64_t>(hop.queueBytes / 80, 0xffff);
            Put(out, record, INT_HOP_BYTES);
        }
    }
    out.resize(end, 0);
}

void
GetTelemetry(const uint8_t* p, uint8_t code, Frame& frame)
{
    uint32_t rest = frame.telemetryBytes;
    if (code & HAS_TIMESTAMP)
    {
        frame.flags |= FRAME_TIMESTAMP;
        frame.sentPs = static_cast<int64_t>(Get(p, TIMESTAMP_BYTES));
        p += TIMESTAMP_BYTES;
        rest -= TIMESTAMP_BYTES;
    }
    if (rest < INT_HEADER_BYTES)
    {
        return;
    }
    uint32_t slots = (rest - INT_HEADER_BYTES) / INT_HOP_BYTES;
    uint32_t header = static_cast<uint32_t>(Get(p, INT_HEADER_BYTES));
    uint32_t hops = std::min(header >> 12, slots);
    p += INT_HEADER_BYTES;
    // A saturated count: the records go on until the unused, all-zero ones.
    while (header >> 12 == INT_MAX_NHOP && hops < slots && Get(p + INT_HOP_BYTES * hops, 8) != 0)
    {
        ++hops;
    }
    frame.telemetry = FramePool::AllocInt();
    for (uint32_t i = 0; i < hops; ++i)
    {
        uint64_t record = Get(p + INT_HOP_BYTES * i, INT_HOP_BYTES);
        IntHop& hop = frame.telemetry->Append();
        hop = IntHop{};
        hop.rateBps = WireFormat::RateOfCode(static_cast<uint8_t>(record >> 60));
        hop.timePs = static_cast<int64_t>(record >> 36 & 0xffffff) * 1000;
        hop.txBytes = (record >> 16 & 0xfffff) * 128;
        hop.queueBytes = (record & 0xffff) * 80;
        hop.hopId = i == 0 ? header & 0xfff : 0;
    }
}

void
ApplySidecar(const Bytes& in, Frame& frame)
{
    if (in.empty() || in[0] != SIDECAR_VERSION)
    {
        Fail(in.empty() ? "sidecar is empty"
                        : "sidecar version " + std::to_string(in[0]) + ", expected " +
                              std::to_string(SIDECAR_VERSION));
    }
    for (size_t at = 1; at < in.size();)
    {
        uint8_t tag = in[at++];
        if (tag == TAG_INT)
        {
            GetSideTelemetry(in, at, frame);
            continue;
        }
        auto field = std::find_if(std::begin(SIDE_FIELDS),
                                  std::end(SIDE_FIELDS),
                                  [tag](const SideField& f) { return f.tag == tag; });
        if (field == std::end(SIDE_FIELDS))
        {
            Fail("sidecar has the unknown tag " + std::to_string(tag));
        }
        uint64_t value = GetVar(in, at);
        if (value > field->max)
        {
            Fail("sidecar value " + Hex(value) + " of tag " + std::to_string(tag) + " exceeds " +
                 Hex(field->max));
        }
        bool hasPsn = frame.kind != FrameKind::CNP && frame.kind != FrameKind::PFC;
        if (tag == TAG_PSN && hasPsn && (value & WireFormat::PSN_MASK) != frame.psn)
        {
            Fail("sidecar of another frame: its PSN " + Hex(value) + ", the wire's " +
                 Hex(frame.psn));
        }
        field->set(frame, value);
    }
    if (frame.trafficClass >= N_CLASSES)
    {
        Fail("sidecar has traffic class " + std::to_string(frame.trafficClass));
    }
}

std::optional<uint32_t>
SidecarTelemetryBytes(const Bytes* sidecar)
{
    size_t at = 2;
    if (!sidecar || sidecar->size() < 3 || (*sidecar)[1] != TAG_TELEMETRY_BYTES)
    {
        return std::nullopt;
    }
    return static_cast<uint32_t>(std::min<uint64_t>(GetVar(*sidecar, at), UINT32_MAX));
}

} // namespace wire

std::vector<uint8_t>
WireFormat::SerializeSidecar(const Frame& frame)
{
    // The difference to what a reader of the bytes alone sees.
    Options options;
    options.icrc = IcrcMode::ZERO;
    options.telemetryBytes = frame.telemetryBytes;
    std::vector<uint8_t> bytes = Serialize(frame, options);
    Frame seen{};
    Deserialize(bytes.data(), bytes.size(), seen, options);

    std::vector<uint8_t> out{wire::SIDECAR_VERSION};
    bool lengthHidden = frame.kind != FrameKind::PFC && frame.telemetryBytes != 0 &&
                        !wire::TelemetryLength(wire::TelemetryCode(frame));
    for (const wire::SideField& field : wire::SIDE_FIELDS)
    {
        if (field.get(frame) != field.get(seen) ||
            (lengthHidden && field.tag == wire::TAG_TELEMETRY_BYTES))
        {
            out.push_back(field.tag);
            wire::PutVar(out, field.get(frame));
        }
    }
    if (!wire::SameTelemetry(frame.telemetry, seen.telemetry))
    {
        out.push_back(wire::TAG_INT);
        wire::PutVar(out, frame.telemetry ? uint64_t{frame.telemetry->hops} + 1 : 0);
        for (uint32_t i = 0; frame.telemetry && i < frame.telemetry->hops; ++i)
        {
            const IntHop& hop = frame.telemetry->At(i);
            for (uint64_t value : {static_cast<uint64_t>(hop.timePs),
                                   hop.txBytes,
                                   hop.rxBytes,
                                   hop.queueBytes,
                                   hop.rateBps,
                                   hop.hopId})
            {
                wire::PutVar(out, value);
            }
        }
    }
    FramePool::FreeInt(seen.telemetry);
    return out;
}

uint8_t
WireFormat::RateCode(uint64_t rateBps)
{
    for (uint8_t code = 1; code < std::size(wire::RATE_GBPS); ++code)
    {
        if (wire::RATE_GBPS[code] * 1'000'000'000 == rateBps)
        {
            return code;
        }
    }
    return 0;
}

uint64_t
WireFormat::RateOfCode(uint8_t code)
{
    return code < std::size(wire::RATE_GBPS) ? wire::RATE_GBPS[code] * 1'000'000'000 : 0;
}

uint16_t
WireFormat::PathId(const IntStack* stack)
{
    uint64_t all = 0;
    for (uint32_t i = 0; stack && i < stack->hops; ++i)
    {
        all ^= stack->At(i).hopId;
    }
    uint16_t folded = 0;
    for (; all; all >>= 12)
    {
        folded ^= all & 0xfff;
    }
    return folded;
}

} // namespace roce
} // namespace ns3
