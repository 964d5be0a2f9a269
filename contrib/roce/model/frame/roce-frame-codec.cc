/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-frame-codec.h"

#include "roce-byte-stream.h"

namespace ns3
{
namespace roce
{

namespace
{

/// Number of hops of a frame that is not telemetry-capable; one whose stack is empty has 0.
constexpr uint32_t NO_TELEMETRY = UINT32_MAX;

/// The fields that every frame has, for either direction. The unions are as long as their first
/// members. @param stream ByteWriter or ByteReader @param frame read or written
template <typename S, typename F>
void
VisitFields(S& stream, F& frame)
{
    stream(frame.kind)(frame.timePs)(frame.psn)(frame.frameBytes)(frame.telemetryBytes);
    stream(frame.src)(frame.dst)(frame.payloadBytes)(frame.entropy)(frame.trafficClass);
    stream(frame.ecn)(frame.flags)(frame.ttl)(frame.dscp)(frame.dstQp)(frame.srcQp);
    stream(frame.sentPs)(frame.remoteHoldPs)(frame.messageBytes)(frame.remoteAddress);
    stream(frame.rKey)(frame.msn)(frame.ackedPackets)(frame.dataEntropy)(frame.sketched);
    stream(frame.classEnable)(frame.extension);
}

/// The third cache line, of which only what is in use has a meaning.
template <typename S, typename F>
void
VisitRest(S& stream, F& frame)
{
    if (frame.kind == FrameKind::PFC)
    {
        stream(frame.quanta);
    }
    for (unsigned i = 0; i < Frame::MAX_EXTENSIONS && frame.extension[i]; ++i)
    {
        stream(frame.extensionValue[i]);
    }
}

} // namespace

void
FrameCodec::Write(const Frame& frame, std::string& out)
{
    ByteWriter stream(out);
    VisitFields(stream, frame);
    VisitRest(stream, frame);
    stream(frame.telemetry ? frame.telemetry->hops : NO_TELEMETRY);
    if (frame.telemetry)
    {
        for (const IntHop& hop : *frame.telemetry)
        {
            stream(hop);
        }
    }
}

Frame*
FrameCodec::Read(const std::string& bytes, std::size_t& at)
{
    ByteReader stream(bytes, at);
    Frame* const frame = FramePool::Alloc();
    try
    {
        VisitFields(stream, *frame);
        VisitRest(stream, *frame);
        const auto hops = stream.Get<uint32_t>();
        frame->telemetry = hops == NO_TELEMETRY ? nullptr : FramePool::AllocInt();
        for (uint32_t i = 0; frame->telemetry && i < hops; ++i)
        {
            stream(frame->telemetry->Append());
        }
    }
    catch (...)
    {
        FramePool::Free(frame);
        throw;
    }
    at = stream.GetPosition();
    return frame;
}

} // namespace roce
} // namespace ns3
