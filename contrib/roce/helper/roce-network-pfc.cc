/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-network.h"

#include "ns3/boolean.h"
#include "ns3/roce-input-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

namespace
{

bool
IsOn(const Object& object, const std::string& attribute)
{
    BooleanValue value;
    object.GetAttribute(attribute, value);
    return value.Get();
}

uint64_t
GetNumber(const Object& object, const std::string& attribute)
{
    UintegerValue value;
    object.GetAttribute(attribute, value);
    return value.Get();
}

/**
 * @param port sends XOFF of so many classes, again and again
 * @param maxFrameBytes largest frame that a pause frame waits for
 * @return quanta with which no pause runs out before the next XOFF is there
 *
 * The delay of the link does not matter: it is that of both. The first XOFF may leave at once, the
 * next one behind the frame under way and the pause frames of the other classes.
 */
uint64_t
LeastQuanta(const Port& port, unsigned classes, uint32_t maxFrameBytes)
{
    const int64_t pausePs = port.SerialisationPs(port.WireBytes(port.GetPfcFrameBytes()));
    const int64_t latePs =
        port.SerialisationPs(port.WireBytes(maxFrameBytes)) + (classes - 1) * pausePs;
    const int64_t needPs = latePs + std::max<int64_t>(latePs, 2 * classes * pausePs);
    // More than that, so that the order of what happens at the same time does not matter.
    return static_cast<uint64_t>(1000.0 * static_cast<double>(needPs) /
                                 static_cast<double>(port.QuantaPs(1000))) +
           1;
}

} // namespace

void
Network::CheckPauses() const
{
    for (const SwitchEntry& entry : m_switches)
    {
        const uint64_t quanta = GetNumber(*entry.sw, "PauseQuanta");
        const auto mask = static_cast<unsigned>(GetNumber(*entry.sw, "LosslessClasses"));
        if (!mask || !IsOn(*entry.sw, "RefreshPause"))
        {
            continue;
        }
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            const Port& port = *entry.sw->GetPort(p);
            const uint64_t least = LeastQuanta(port, __builtin_popcount(mask), m_maxFrameBytes);
            if (quanta < least && !IsOn(*port.GetPeer(), "InfinitePause"))
            {
                throw InputError("switch " + entry.name + ": PauseQuanta is " +
                                 std::to_string(quanta) + ", expected at least " +
                                 std::to_string(least) + " at port " + std::to_string(p) +
                                 ", where the next XOFF may wait for a frame of " +
                                 std::to_string(m_maxFrameBytes) + " B");
            }
        }
    }
}

std::string
Network::FindDropCause(const Switch& sw) const
{
    const SharedBuffer& buffer = sw.GetBuffer();
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        const Port& port = *sw.GetPort(p);
        const uint64_t need =
            HeadroomBytes(port.GetRateBps(), port.GetLink()->GetDelayPs(), m_maxFrameBytes);
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            const uint64_t headroom = buffer.GetHeadroomBytes(p, c);
            if (buffer.IsLossless(p, c) && headroom < need)
            {
                return "headroom of port " + std::to_string(p) + " is " + std::to_string(headroom) +
                       " B, its link needs " + std::to_string(need) + " B (HeadroomFactor)";
            }
        }
        if (!IsOn(sw, "RefreshPause") && !IsOn(*port.GetPeer(), "InfinitePause"))
        {
            return "pauses run out, they are not refreshed (RefreshPause, PauseQuanta)";
        }
    }
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (sw.GetPort(p)->GetPeer()->GetFramesLost())
        {
            return "its pause frames may have been lost on links";
        }
    }
    return "a pause ran out too early, or did not begin in time (PauseQuanta, ResponseBytes)";
}

std::string
Network::DescribeLosslessDrops() const
{
    uint64_t frames = 0;
    const SwitchEntry* most = nullptr;
    const auto dropped = [](const SwitchEntry& entry) {
        return entry.sw->GetCounters().droppedLosslessFrames;
    };
    for (const SwitchEntry& entry : m_switches)
    {
        frames += dropped(entry);
        most = !most || dropped(entry) > dropped(*most) ? &entry : most;
    }
    if (!frames)
    {
        return "";
    }
    return std::to_string(frames) + " frames of lossless classes were dropped, " +
           std::to_string(dropped(*most)) + " of them by " + most->name + ": " +
           FindDropCause(*most->sw);
}

} // namespace roce
} // namespace ns3
