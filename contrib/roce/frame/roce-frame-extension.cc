// SPDX-License-Identifier: GPL-2.0-only
#include "roce-frame-extension.h"

#include "ns3/abort.h"
#include "ns3/roce-input-error.h"

#include <string>

namespace ns3::roce
{

namespace
{

/// All extensions; the id is one more than the index.
std::vector<const FrameExtension*>&
Registry()
{
    static std::vector<const FrameExtension*> registry;
    return registry;
}

} // namespace

FrameExtension::FrameExtension(const char* name, WireBytes wireBytes, bool isEchoed, Encode encode)
    : m_name(name),
      m_wireBytes(wireBytes),
      m_isEchoed(isEchoed),
      m_encode(encode)
{
    for (const FrameExtension* other : Registry())
    {
        NS_ABORT_MSG_IF(std::string(other->m_name) == name,
                        "frame extension " << name << " is registered twice");
    }
    NS_ABORT_MSG_IF(Registry().size() == UINT8_MAX, "more than 255 frame extensions");
    Registry().push_back(this);
    m_id = static_cast<uint8_t>(Registry().size());
}

const FrameExtension&
FrameExtension::Get(uint8_t id)
{
    return *Registry()[id - 1U];
}

uint32_t
FrameExtension::GetWireBytes(FrameKind kind) const
{
    switch (kind)
    {
    case FrameKind::DATA:
        return m_wireBytes.data;
    case FrameKind::ACK:
    case FrameKind::NAK:
        return m_wireBytes.ack;
    case FrameKind::CNP:
        return m_wireBytes.cnp;
    case FrameKind::NOTIFICATION:
        return m_wireBytes.notification;
    case FrameKind::PFC:
    case FrameKind::PACKET:
        break;
    }
    return 0;
}

void*
FrameExtension::AddTo(Frame& frame) const
{
    unsigned i = 0;
    while (frame.GetExtension(i))
    {
        ++i;
    }
    if (i == Frame::MAX_EXTENSIONS)
    {
        std::string carried;
        for (const uint8_t id : frame.extensions->tag)
        {
            carried += (carried.empty() ? "" : ", ") + std::string(Get(id).GetName());
        }
        throw InputError("a frame with the extensions " + carried + " would need the extension " +
                         m_name + ", too; expected mechanisms of which " +
                         std::to_string(Frame::MAX_EXTENSIONS) + " at most extend frames");
    }
    if (!frame.extensions)
    {
        frame.extensions = FramePool::AllocExtensions();
    }
    frame.extensions->tag[i] = m_id;
    std::memset(frame.extensions->value[i], 0, Frame::EXTENSION_BYTES);
    return frame.extensions->value[i];
}

void
FrameExtension::Write(const Frame& frame, std::vector<uint8_t>& out)
{
    for (unsigned i = 0; const uint8_t id = frame.GetExtension(i); ++i)
    {
        const FrameExtension& extension = Get(id);
        const std::size_t end = out.size() + extension.GetWireBytes(frame.kind);
        if (extension.m_encode)
        {
            extension.m_encode(frame.extensions->value[i], out);
        }
        out.resize(end, 0);
    }
}

void
FrameExtension::Echo(Frame& answer, const Frame& data)
{
    for (unsigned i = 0; const uint8_t id = data.GetExtension(i); ++i)
    {
        const FrameExtension& extension = Get(id);
        if (extension.IsEchoed())
        {
            answer.frameBytes += extension.GetWireBytes(answer.kind);
            std::memcpy(extension.AddTo(answer), data.extensions->value[i], Frame::EXTENSION_BYTES);
        }
    }
}

} // namespace ns3::roce
