// SPDX-License-Identifier: GPL-2.0-only
#include "wire-reader.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

namespace ns3::roce
{
namespace wiretest
{

using namespace wire;

namespace
{

constexpr uint32_t PSN_MASK = 0xffffff; // PSNs have 24 bits on the wire
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
    MakeField<&Frame::dataEntropy>(19),
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
    frame.telemetry = {};
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
        IntHop& hop = frame.telemetry.Append();
        hop.timePs = static_cast<int64_t>(GetVar(in, at));
        hop.txBytes = GetVar(in, at);
        hop.rxBytes = GetVar(in, at);
        hop.queueBytes = GetVar(in, at);
        hop.rateBps = GetVar(in, at);
        hop.hopId = GetVar(in, at);
    }
}

bool
SameTelemetry(IntStack a, IntStack b)
{
    const auto same = [](const IntHop& x, const IntHop& y) {
        return x.timePs == y.timePs && x.txBytes == y.txBytes && x.rxBytes == y.rxBytes &&
               x.queueBytes == y.queueBytes && x.rateBps == y.rateBps && x.hopId == y.hopId;
    };
    return bool{a} == bool{b} && std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

} // namespace

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
        if (tag == TAG_PSN && hasPsn && (value & PSN_MASK) != frame.psn)
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

Bytes
WriteSidecar(const Frame& frame)
{
    // The difference to what a reader of the bytes alone sees.
    WireOptions options;
    options.telemetryBytes = frame.telemetryBytes;
    const Bytes bytes = Write(frame);
    Frame seen{};
    Read(bytes, seen, options);

    Bytes out{SIDECAR_VERSION};
    const bool lengthHidden = frame.kind != FrameKind::PFC && frame.telemetryBytes != 0 &&
                              !TelemetryLength(bytes[BTH_OFFSET + MASKED_BTH_BYTE] & 0x3f);
    for (const SideField& field : SIDE_FIELDS)
    {
        if (field.get(frame) != field.get(seen) ||
            (lengthHidden && field.tag == TAG_TELEMETRY_BYTES))
        {
            out.push_back(field.tag);
            PutVar(out, field.get(frame));
        }
    }
    if (!SameTelemetry(frame.telemetry, seen.telemetry))
    {
        out.push_back(TAG_INT);
        PutVar(out, frame.telemetry ? uint64_t{frame.telemetry.hops} + 1 : 0);
        for (uint32_t i = 0; frame.telemetry && i < frame.telemetry.hops; ++i)
        {
            const IntHop& hop = frame.telemetry.At(i);
            for (uint64_t value : {static_cast<uint64_t>(hop.timePs),
                                   hop.txBytes,
                                   hop.rxBytes,
                                   hop.queueBytes,
                                   hop.rateBps,
                                   hop.hopId})
            {
                PutVar(out, value);
            }
        }
    }
    FramePool::FreeInt(seen.telemetry);
    return out;
}

} // namespace wiretest
} // namespace ns3::roce
