// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-paths.h"

#include "roce-network-routes.h"

#include "ns3/abort.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3::roce
{

std::vector<NetworkMap::PathHop>
NetworkPaths::Trace(uint32_t src, uint32_t dst, uint16_t entropy, bool intact, bool& arrives) const
{
    CheckIndex("NIC", dst, m_parts.nics.size());
    std::vector<NetworkMap::PathHop> path;
    arrives = true;
    Port* port = PeekPointer(m_parts.NicAt(src).nic);
    while (true)
    {
        path.push_back({port, {port->GetRateBps(), port->GetLink()->GetDelayPs()}});
        Port* peer = port->GetPeer();
        auto* sw = dynamic_cast<Switch*>(peer->GetOwner());
        if (!sw)
        {
            return path;
        }
        const Routing& routes = intact ? m_routes.GetIntact(*sw) : sw->GetRouting();
        // From its own datacenter a frame may be sent on a detour.
        const uint16_t out =
            routes.Foresee(src,
                           dst,
                           entropy,
                           routes.KeepsPaths() && !sw->IsWanPort(peer->GetIndex()));
        if (out == Routing::NO_PORT)
        {
            arrives = false;
            return path;
        }
        NS_ABORT_MSG_IF(path.size() > 255, "routing loop");
        port = sw->PeekPort(out);
    }
}

WireSizes
NetworkPaths::GetWireSizes(uint32_t src, uint32_t dst, bool telemetry, uint8_t law) const
{
    Nic& nic = *m_parts.NicAt(src).nic;
    const bool interDc = m_parts.IsInterDc(src, dst);
    WireSizes sizes;
    sizes.mtuBytes = nic.GetMtuBytes();
    sizes.headerBytes = nic.GetDataHeaderBytes();
    sizes.rethBytes = nic.GetFirstHeaderBytes();
    sizes.payloadAlignBytes = nic.GetPayloadAlign();
    sizes.ackFrameBytes = nic.GetAckFrameBytes();
    sizes.ackMinFrameBytes = nic.GetAckMinBytes();
    sizes.tickPs = nic.GetTick().GetPicoSeconds();
    sizes.framingOverheadBytes = nic.WireBytes(100000) - 100000;
    sizes.minFrameBytes = nic.WireBytes(0) - sizes.framingOverheadBytes;
    if (telemetry)
    {
        sizes.intBytesBase = nic.GetTelemetryBytes(interDc, law);
        const TransportProfile& profile = *nic.GetProfile(interDc, law);
        sizes.intBytesPerHop = profile.GetLaw()->NeedsTelemetry() ? m_intBytesPerHop : 0;
        sizes.headerBytes += profile.GetExtensionBytes(FrameKind::DATA);
        sizes.ackFrameBytes += profile.GetExtensionBytes(FrameKind::ACK);
    }
    return sizes;
}

namespace
{

std::vector<HopSpec>
Specs(const std::vector<NetworkMap::PathHop>& path)
{
    std::vector<HopSpec> specs;
    specs.reserve(path.size());
    for (const NetworkMap::PathHop& hop : path)
    {
        specs.push_back(hop.spec);
    }
    return specs;
}

/// @param way the data's @param trafficClass theirs @param path [out] fullQueuePs, lossless
void
AddQueues(const std::vector<NetworkMap::PathHop>& way, uint8_t trafficClass, PathInfo& path)
{
    path.lossless = way.size() > 1;
    for (std::size_t h = 1; h < way.size(); ++h)
    {
        const auto* sw = dynamic_cast<const Switch*>(way[h].port->GetOwner());
        const uint16_t port = way[h].port->GetIndex();
        path.lossless &= sw->GetBuffer().IsLossless(port, trafficClass);
        const double bits =
            8.0 * static_cast<double>(sw->GetBuffer().GetLongestQueueBytes(port, trafficClass));
        const double ps = bits * 1e12 / static_cast<double>(way[h].spec.rateBps);
        path.fullQueuePs =
            std::max(path.fullQueuePs,
                     static_cast<int64_t>(std::min(ps, double{LossRecovery::LONGEST_TIMEOUT_PS})));
    }
}

} // namespace

PathInfo
NetworkPaths::GetPath(uint32_t src,
                      uint32_t dst,
                      uint16_t entropy,
                      uint8_t trafficClass,
                      uint8_t law) const
{
    m_parts.CheckJoined("path", src, dst);
    Nic& nic = *m_parts.NicAt(src).nic;
    bool there;
    bool back;
    std::vector<NetworkMap::PathHop> way = Trace(src, dst, entropy, false, there);
    std::vector<NetworkMap::PathHop> wayBack = Trace(dst, src, entropy, false, back);
    if (!there || !back)
    {
        way = Trace(src, dst, entropy, true, there);
        wayBack = Trace(dst, src, entropy, true, back);
    }
    const std::vector<HopSpec> forward = Specs(way);
    WireSizes sizes = GetWireSizes(src, dst, true, law);
    sizes.rethBytes = 0; // the RTT of a middle packet
    PathInfo path;
    path.lineRateBps = nic.GetRateBps();
    path.bottleneckBps = path.lineRateBps;
    for (const HopSpec& hop : forward)
    {
        path.bottleneckBps = std::min(path.bottleneckBps, hop.rateBps);
    }
    path.baseRttPs = IdealFct(forward, Specs(wayBack), sizes).Compute(sizes.mtuBytes).senderFctPs;
    path.hops = static_cast<uint32_t>(forward.size());
    path.mtuBytes = sizes.mtuBytes;
    path.fullFrameBytes = nic.WireBytes(
        sizes.headerBytes + sizes.intBytesBase +
        ((sizes.mtuBytes + sizes.payloadAlignBytes - 1) & ~(sizes.payloadAlignBytes - 1)));
    path.interDc = m_parts.IsInterDc(src, dst);
    path.datacenter = m_parts.NicAt(src).datacenter;
    path.longestRttPs = path.baseRttPs;
    if (const auto longest = m_longestRttsPs.find(path.datacenter);
        longest != m_longestRttsPs.end())
    {
        path.longestRttPs = std::max(path.longestRttPs, longest->second[path.interDc]);
    }
    AddQueues(way, trafficClass, path);
    path.nearRttPs = path.baseRttPs;
    path.nearHops = path.hops;
    if (path.interDc)
    {
        const auto isWan = [](const NetworkMap::PathHop& hop) {
            const auto* sw = dynamic_cast<const Switch*>(hop.port->GetOwner());
            return sw && sw->IsWanPort(hop.port->GetIndex());
        };
        const auto out = std::find_if(way.begin(), way.end(), isWan);
        const auto in = std::find_if(wayBack.rbegin(), wayBack.rend(), isWan);
        path.nearHops = static_cast<uint32_t>(out - way.begin());
        path.nearRttPs =
            IdealFct(Specs({way.begin(), out}), Specs({in.base(), wayBack.end()}), sizes)
                .Compute(sizes.mtuBytes)
                .senderFctPs;
    }
    return path;
}

/// Racks with the same links to and from the same switches have the same paths to all others.
/// @return by rack, the switches of the first two racks of its kind
const std::vector<std::array<uint32_t, 2>>&
NetworkPaths::GetLikeRacks() const
{
    using Specs = std::tuple<uint32_t, uint64_t, int64_t, uint64_t>;
    if (!m_likeRacks.empty())
    {
        return m_likeRacks;
    }
    std::map<std::vector<Specs>, std::vector<uint32_t>> kinds;
    for (const uint32_t sw : m_parts.rackSwitch)
    {
        std::vector<Specs> links;
        for (const auto& next : m_parts.switches[sw].neighbours)
        {
            const Port& port = *m_parts.switches[sw].sw->PeekPort(next.port);
            links.emplace_back(next.sw,
                               port.GetRateBps(),
                               port.GetLink()->GetDelayPs(),
                               port.GetPeer()->GetRateBps());
        }
        std::sort(links.begin(), links.end());
        kinds[links].push_back(sw);
    }
    m_likeRacks.resize(m_parts.rackSwitch.size());
    for (const auto& [links, racks] : kinds)
    {
        for (const uint32_t sw : racks)
        {
            m_likeRacks[m_parts.switches[sw].rack] = {racks.front(), racks[racks.size() > 1]};
        }
    }
    return m_likeRacks;
}

std::vector<std::vector<HopSpec>>
NetworkPaths::GetBestPaths(uint32_t src, uint32_t dst) const
{
    m_parts.CheckJoined("path", src, dst);
    const auto spec = [](const Port& port) {
        return HopSpec{port.GetRateBps(), port.GetLink()->GetDelayPs()};
    };
    const auto& nic = m_parts.nics.at(dst);
    uint32_t from = m_parts.nics.at(src).sw;
    uint32_t to = nic.sw;
    if (from != to)
    {
        const std::array<uint32_t, 2> likeTo = GetLikeRacks()[m_parts.switches[to].rack];
        from = GetLikeRacks()[m_parts.switches[from].rack][0];
        to = likeTo[likeTo[0] == from];
    }
    const uint32_t rack = m_parts.switches[to].rack;
    const auto links = [&](uint32_t sw) {
        std::vector<BestPaths::Link> all;
        const auto& entry = m_parts.switches[sw];
        const std::vector<uint16_t> group = m_routes.GetIntact(*entry.sw).GetGroup(rack);
        for (const auto& next : entry.neighbours)
        {
            if (std::binary_search(group.begin(), group.end(), next.port))
            {
                all.push_back({spec(*entry.sw->PeekPort(next.port)), next.sw});
            }
        }
        return all;
    };
    std::vector<std::vector<HopSpec>> paths = m_bestPaths.Find(from, to, links);
    for (std::vector<HopSpec>& path : paths)
    {
        path.insert(path.begin(), spec(*m_parts.nics[src].nic));
        path.push_back(spec(*m_parts.switches[nic.sw].sw->PeekPort(nic.swPort)));
    }
    return paths;
}

IdealFct::Result
NetworkPaths::GetIdeal(const FlowSpec& flow, bool telemetry) const
{
    WireSizes sizes = GetWireSizes(flow.src, flow.dst, telemetry, flow.law);
    // The last ACK can only be held up by an ACK of the packet just before.
    const uint64_t before = flow.sizeBytes ? (flow.sizeBytes - 1) / sizes.mtuBytes : 0;
    sizes.ackEveryPacket = before % m_parts.NicAt(flow.dst).nic->GetAckEveryN() == 0;
    IdealFct::Result best{INT64_MAX, INT64_MAX};
    const std::vector<std::vector<HopSpec>> back = GetBestPaths(flow.dst, flow.src);
    for (const std::vector<HopSpec>& there : GetBestPaths(flow.src, flow.dst))
    {
        for (const std::vector<HopSpec>& ackPath : back)
        {
            const IdealFct::Result ideal = IdealFct(there, ackPath, sizes).Compute(flow.sizeBytes);
            best.senderFctPs = std::min(best.senderFctPs, ideal.senderFctPs);
            best.receiverFctPs = std::min(best.receiverFctPs, ideal.receiverFctPs);
        }
    }
    const Nic::HostLatencies sender = m_parts.NicAt(flow.src).nic->GetHostLatencies();
    best.senderFctPs += sender.postPs + sender.completionPs;
    best.receiverFctPs +=
        sender.postPs + m_parts.NicAt(flow.dst).nic->GetHostLatencies().deliveryPs;
    return best;
}

} // namespace ns3::roce
