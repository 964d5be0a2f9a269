// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-pfc.h"

#include "roce-network-map.h"

#include "ns3/boolean.h"
#include "ns3/queue-size.h"
#include "ns3/roce-byte-stream.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-parameter-kinds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace ns3::roce
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

/**
 * @param port sends XOFF of that many classes, again and again
 * @param maxFrameBytes largest frame that a pause frame waits for
 * @return quanta with which no pause runs out before the next XOFF is there
 *
 * The delay of the link does not matter: it is that of both. The first XOFF may leave at once, the
 * next one after the frame under way and the pause frames of the other classes.
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

/// A port at which PFC acts before ECN, and what would change that.
struct LateMarking
{
    uint16_t port;
    uint64_t rateBps;
    uint64_t kmaxBytes; //!< at that rate
    uint64_t xoffBytes; //!< when the buffer is empty
    double bufferBytes; //!< that its switch would need; any size, as thresholds may have

    /// @return what the thresholds are to be multiplied with, below 1
    double GetFactor() const
    {
        return static_cast<double>(xoffBytes) / static_cast<double>(kmaxBytes);
    }
};

/// @return nothing if ECN marks everything before PFC pauses a single sender, at the latest
std::optional<LateMarking>
FindLateMarking(const Switch& sw, const SwitchStage& stage, uint16_t port)
{
    // Even if a single ingress queue holds all that waits at this port. All lossless classes of a
    // port have the same threshold.
    const SharedBuffer& buffer = sw.GetBuffer();
    uint8_t c = 0;
    while (c < N_CLASSES && !buffer.IsLossless(port, c))
    {
        ++c;
    }
    const uint64_t kmax = stage.GetMarkAllBytes(port);
    const uint64_t xoff = c < N_CLASSES ? buffer.GetThresholdBytes(port, c) : kmax;
    if (kmax <= xoff)
    {
        return {};
    }
    QueueSizeValue size;
    sw.GetAttribute("BufferSize", size);
    // The threshold is a share of the pool, and the rest of the buffer stays as it is.
    const double more = static_cast<double>(buffer.GetPoolBytes(port)) *
                        (static_cast<double>(kmax) / static_cast<double>(xoff ? xoff : 1) - 1);
    return LateMarking{port,
                       sw.GetPort(port)->GetRateBps(),
                       kmax,
                       xoff,
                       static_cast<double>(size.Get().GetValue()) + std::ceil(more)};
}

/**
 * @param marker of that port
 * @param worst the port whose thresholds are the farthest above PFC's
 * @param bufferBytes that all switches would need, or 0
 * @return options that let ECN act first; empty if there are none that are sure to
 */
std::string
MakeAdvice(const EcnMarker& marker, const LateMarking& worst, uint64_t bufferBytes)
{
    const EcnMarkerParams& p = marker.GetParameters();
    std::string advice;
    if (p.curves.empty() && !(p.kmaxFraction > 0))
    {
        // In bytes at that port: the thresholds of other rates follow from it.
        const double kmin =
            static_cast<double>(marker.GetCurve(worst.port).kminBytes) * worst.GetFactor();
        const std::string option = "--ns3::roce::EcnMarker::";
        advice =
            (p.referenceRateBps ? option + "ReferenceRate=" + kind::Rate::Print(worst.rateBps) + " "
                                : "") +
            option + "Kmin=" + std::to_string(static_cast<uint64_t>(kmin)) + " " + option +
            "Kmax=" + std::to_string(worst.xoffBytes);
    }
    if (bufferBytes)
    {
        constexpr uint64_t MIB = 1 << 20;
        advice += (advice.empty() ? "" : ", or ") + std::string("switches with buffers of ") +
                  std::to_string((bufferBytes + MIB - 1) / MIB) + " MiB";
    }
    return advice;
}

} // namespace

std::string
NetworkPfc::DescribeLateMarks() const
{
    std::string where; // the worst
    std::optional<LateMarking> worst;
    uint32_t count = 0;
    double bufferBytes = 0;
    const EcnMarker* marker = nullptr;
    bool onlyShared = true;
    for (const auto& entry : m_parts.switches)
    {
        if (entry.isInternal) // inside a server PFC is the flow control
        {
            continue;
        }
        for (const Ptr<SwitchStage>& stage : entry.sw->GetStages())
        {
            for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
            {
                const auto late = FindLateMarking(*entry.sw, *stage, p);
                if (!late)
                {
                    continue;
                }
                ++count;
                bufferBytes = std::max(bufferBytes, late->bufferBytes);
                onlyShared =
                    onlyShared && !entry.sw->IsWanPort(p); // these may have pools of their own
                if (!worst || late->GetFactor() < worst->GetFactor())
                {
                    worst = late;
                    where = entry.name + " port " + std::to_string(p);
                    marker = dynamic_cast<const EcnMarker*>(PeekPointer(stage));
                }
            }
        }
    }
    if (!count)
    {
        return "";
    }
    constexpr double MOST_BYTES = 1e12; // nobody is advised to buy that
    const bool isBuffer = onlyShared && bufferBytes < MOST_BYTES;
    const std::string advice =
        marker ? MakeAdvice(*marker, *worst, isBuffer ? static_cast<uint64_t>(bufferBytes) : 0)
               : "";
    return "ECN Kmax is " + std::to_string(worst->kmaxBytes) + " B at " + where +
           ", but PFC pauses a single sender at " + std::to_string(worst->xoffBytes) +
           " B at the latest" +
           (count > 1 ? " (and " + std::to_string(count - 1) + " more ports)" : "") + "; " +
           (advice.empty() ? "a larger buffer or smaller thresholds" : advice) +
           " would let ECN act first";
}

void
NetworkPfc::CheckPauses() const
{
    for (const auto& entry : m_parts.switches)
    {
        const uint64_t quanta = entry.sw->GetPauseSender().GetQuanta();
        const unsigned mask = entry.sw->GetLosslessMask();
        if (!mask || !entry.sw->GetPauseSender().GetRefresh())
        {
            continue;
        }
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            const Port& port = *entry.sw->PeekPort(p);
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
NetworkPfc::FindDropCause(const Switch& sw) const
{
    const SharedBuffer& buffer = sw.GetBuffer();
    std::string cause;
    uint64_t mostMissing = 0;
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        const Port& port = *sw.GetPort(p);
        const uint64_t need =
            HeadroomBytes(port.GetRateBps(), port.GetLink()->GetDelayPs(), m_maxFrameBytes);
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            const uint64_t headroom = buffer.GetHeadroomLimitBytes(p, c);
            if (buffer.IsLossless(p, c) && headroom + mostMissing < need)
            {
                mostMissing = need - headroom;
                cause = "headroom of port " + std::to_string(p) + " is " +
                        std::to_string(headroom) + " B, its link needs " + std::to_string(need) +
                        " B (HeadroomFactor)";
            }
        }
        if (cause.empty() && !IsOn(sw, "RefreshPause") && !IsOn(*port.GetPeer(), "InfinitePause"))
        {
            cause = "pauses run out, they are not refreshed (RefreshPause, PauseQuanta)";
        }
    }
    if (!cause.empty())
    {
        return cause;
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

/// Those of all processes. @return how many, and where most of them
static std::pair<uint64_t, std::string>
GatherDrops(RankExchange& ranks, const std::tuple<uint64_t, uint64_t, uint64_t, std::string>& own)
{
    const auto& [frames, mostFrames, sw, where] = own;
    std::string bytes;
    ByteWriter writer(bytes);
    writer(frames)(mostFrames)(sw)(where);
    std::pair<uint64_t, std::string> total;
    std::pair<uint64_t, uint64_t> most; // frames, and the first switch with that many
    for (const std::string& other : ranks.Gather(bytes))
    {
        ByteReader stream(other);
        total.first += stream.Get<uint64_t>();
        const auto theirs = stream.Get<uint64_t>();
        const uint64_t place = UINT64_MAX - stream.Get<uint64_t>();
        if (theirs && std::make_pair(theirs, place) > most)
        {
            most = {theirs, place};
            stream(total.second);
        }
    }
    return total;
}

std::string
NetworkPfc::DescribeDrops(RankExchange* ranks) const
{
    uint64_t frames = 0;
    const NetworkParts::SwitchEntry* most = nullptr;
    const auto dropped = [](const NetworkParts::SwitchEntry& entry) {
        return entry.sw->GetCounters().droppedLosslessFrames;
    };
    for (const auto& entry : m_parts.switches)
    {
        frames += dropped(entry);
        most = !most || dropped(entry) > dropped(*most) ? &entry : most;
    }
    std::string where = frames ? std::to_string(dropped(*most)) + " of them by " + most->name +
                                     ": " + FindDropCause(*most->sw)
                               : "";
    if (ranks)
    {
        std::tie(frames, where) = GatherDrops(
            *ranks,
            {frames, dropped(*most), static_cast<uint64_t>(most - m_parts.switches.data()), where});
    }
    return frames ? std::to_string(frames) + " frames of lossless classes were dropped, " + where
                  : "";
}

} // namespace ns3::roce
