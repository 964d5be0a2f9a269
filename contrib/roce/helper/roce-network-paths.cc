/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-network.h"

#include "ns3/abort.h"
#include "ns3/roce-flow-application.h"

#include <algorithm>

// Paths through a Network, and what senders and results need to know of them.

namespace ns3
{
namespace roce
{

std::vector<Network::PathHop>
Network::TracePath(uint32_t src, uint32_t dst, uint16_t entropy) const
{
    bool arrives;
    return Trace(src, dst, entropy, false, arrives);
}

std::vector<Network::PathHop>
Network::Trace(uint32_t src, uint32_t dst, uint16_t entropy, bool intact, bool& arrives) const
{
    m_state.ExpectBuilt("GetPath()");
    CheckIndex("NIC", dst, m_nics.size());
    std::vector<PathHop> path;
    arrives = true;
    Port* port = PeekPointer(NicAt(src).nic);
    while (true)
    {
        path.push_back({port, {port->GetRateBps(), port->GetLink()->GetDelayPs()}});
        Port* peer = port->GetPeer();
        auto* sw = dynamic_cast<Switch*>(peer->GetOwner());
        if (!sw)
        {
            return path;
        }
        const Routing* routes = &sw->GetRouting();
        if (intact && !m_intactRoutes.empty())
        {
            routes = &m_intactRoutes.at(sw->GetNodeId());
        }
        const uint16_t out = routes->Route(src, dst, entropy);
        if (out == Routing::NO_PORT)
        {
            arrives = false;
            return path;
        }
        NS_ABORT_MSG_IF(path.size() > 255, "routing loop");
        port = sw->PeekPort(out);
    }
}

bool
Network::IsInterDc(uint32_t src, uint32_t dst) const
{
    return NicAt(src).datacenter != NicAt(dst).datacenter;
}

WireSizes
Network::GetWireSizes(uint32_t src, uint32_t dst, bool telemetry) const
{
    Nic& nic = *NicAt(src).nic;
    const bool interDc = IsInterDc(src, dst);
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
        sizes.intBytesBase = nic.GetTelemetryBytes(interDc);
        const TransportProfile& profile = *nic.GetProfile(interDc);
        sizes.intBytesPerHop = profile.GetLaw()->NeedsTelemetry() ? m_intBytesPerHop : 0;
        sizes.headerBytes += profile.GetExtensionBytes(FrameKind::DATA);
        sizes.ackFrameBytes += profile.GetExtensionBytes(FrameKind::ACK);
    }
    return sizes;
}

namespace
{

std::vector<HopSpec>
Specs(const std::vector<Network::PathHop>& path)
{
    std::vector<HopSpec> specs;
    specs.reserve(path.size());
    for (const Network::PathHop& hop : path)
    {
        specs.push_back(hop.spec);
    }
    return specs;
}

} // namespace

PathInfo
Network::GetPath(uint32_t src, uint32_t dst, uint16_t entropy) const
{
    Nic& nic = *NicAt(src).nic;
    bool there;
    bool back;
    std::vector<PathHop> way = Trace(src, dst, entropy, false, there);
    std::vector<PathHop> wayBack = Trace(dst, src, entropy, false, back);
    if (!there || !back)
    {
        way = Trace(src, dst, entropy, true, there);
        wayBack = Trace(dst, src, entropy, true, back);
    }
    const std::vector<HopSpec> forward = Specs(way);
    WireSizes sizes = GetWireSizes(src, dst, true);
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
    path.interDc = IsInterDc(src, dst);
    path.datacenter = NicAt(src).datacenter;
    path.nearRttPs = path.baseRttPs;
    path.nearHops = path.hops;
    if (path.interDc)
    {
        const auto isWan = [](const PathHop& hop) {
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

IdealFct::Result
Network::GetIdeal(const FlowSpec& flow, bool telemetry) const
{
    const uint16_t entropy = FlowApplication::Entropy(flow);
    WireSizes sizes = GetWireSizes(flow.src, flow.dst, telemetry);
    // The last ACK can only be held up by an ACK of the packet just before.
    const uint64_t before = flow.sizeBytes ? (flow.sizeBytes - 1) / sizes.mtuBytes : 0;
    sizes.ackEveryPacket = before % NicAt(flow.dst).nic->GetAckEveryN() == 0;
    bool arrives;
    return IdealFct(Specs(Trace(flow.src, flow.dst, entropy, true, arrives)),
                    Specs(Trace(flow.dst,
                                flow.src,
                                flow.replyPort ? flow.replyPort : entropy,
                                true,
                                arrives)),
                    sizes)
        .Compute(flow.sizeBytes);
}

} // namespace roce
} // namespace ns3
