// SPDX-License-Identifier: GPL-2.0-only
#include "roce-frame-codec.h"

#include "roce-byte-stream.h"

#include <array>
#include <cstring>
#include <type_traits>

namespace ns3::roce
{

namespace
{

/// Number of hops of a frame that is not telemetry-capable; one whose stack is empty has 0.
constexpr uint32_t NO_TELEMETRY = UINT32_MAX;

/// Writes plain values one after the other, as ByteWriter, but with one append for a frame.
class Staging
{
  public:
    /// @param value appended
    template <typename T>
    Staging& operator()(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        std::memcpy(m_bytes.data() + m_size, &value, sizeof value);
        m_size += sizeof value;
        return *this;
    }

    /// @param out takes what has been written
    void AppendTo(std::string& out) const
    {
        out.append(m_bytes.data(), m_size);
    }

  private:
    std::array<char, sizeof(Frame) + sizeof(ExtensionChunk)> m_bytes; //!< each field at most once
    std::size_t m_size{0};
};

/// The fields that every frame has, for either direction. The unions are as long as their first
/// members. @param stream ByteWriter or ByteReader @param frame read or written
template <typename S, typename F>
void
VisitFields(S& stream, F& frame)
{
    stream(frame.kind)(frame.timePs)(frame.psn)(frame.frameBytes)(frame.telemetryBytes);
    stream(frame.src)(frame.dst)(frame.payloadBytes)(frame.entropy)(frame.trafficClass);
    stream(frame.ecn)(frame.flags)(frame.ttl)(frame.dscp)(frame.dstQp)(frame.srcQp);
    stream(frame.sentPs)(frame.cookie)(frame.messageBytes)(frame.remoteAddress);
    stream(frame.rKey)(frame.msn)(frame.ackedPackets)(frame.dataEntropy)(frame.stageMark);
    stream(frame.classEnable);
}

/// Those that a frame has; it has memory for them. @param stream see VisitFields() @param frame
/// read or written
template <typename S, typename F>
void
VisitExtensions(S& stream, F& frame)
{
    stream(frame.extensions->tag);
    for (unsigned i = 0; frame.GetExtension(i); ++i)
    {
        stream(frame.extensions->value[i]);
    }
}

} // namespace

void
FrameCodec::Write(const Frame& frame, std::string& out)
{
    Staging fields;
    VisitFields(fields, frame);
    fields(frame.extensions != nullptr);
    if (frame.extensions)
    {
        VisitExtensions(fields, frame);
    }
    fields(frame.telemetry ? frame.telemetry.hops : NO_TELEMETRY);
    fields.AppendTo(out);
    if (frame.telemetry)
    {
        ByteWriter stream(out);
        for (const IntHop& hop : frame.telemetry)
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
        if (stream.Get<bool>())
        {
            frame->extensions = FramePool::AllocExtensions();
            VisitExtensions(stream, *frame);
        }
        const auto hops = stream.Get<uint32_t>();
        frame->telemetry = hops == NO_TELEMETRY ? IntStack{} : FramePool::AllocInt();
        for (uint32_t i = 0; frame->telemetry && i < hops; ++i)
        {
            stream(frame->telemetry.Append());
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

} // namespace ns3::roce
