/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-mp-rdma.h"

#include "roce-settings-attributes.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(MpRdma);

namespace
{

constexpr SettingsCheck CHECK{"ns3::roce::MpRdma", "preset"};

/// Round trips to win back half a BDP from which on there is a warning.
constexpr double MANY_ROUND_TRIPS = 1000;

} // namespace

MpRdmaParams
MpRdmaSettings::Resolve() const
{
    const bool artifact = CHECK.Choice("Preset", preset, {"paper", "artifact"}) == 1;
    MpRdmaParams p{};
    p.increase = CHECK.Number(increase, 1);
    CHECK.Require(p.increase > 0,
                  "Increase",
                  std::to_string(p.increase),
                  "a positive number of packets");
    p.decrease = CHECK.Number(decrease, artifact ? 0.15 : 0.5);
    CHECK.Require(p.decrease > 0,
                  "Decrease",
                  std::to_string(p.decrease),
                  "a positive number of packets");
    p.initialCwnd = CHECK.Number(initialCwnd, 0);
    CHECK.Require(p.initialCwnd == 0 || p.initialCwnd >= 1,
                  "InitialCwnd",
                  std::to_string(p.initialCwnd),
                  "1 or more packets, or 0 for the BDP");
    p.timeoutToOne = CHECK.Choice("TimeoutReaction", timeoutReaction, {"none", "one"}, !artifact);
    p.paced = CHECK.Flag("Pacing", pacing, artifact);
    return p;
}

TypeId
MpRdma::GetTypeId()
{
    using S = MpRdmaSettings;
    static const TypeId tid =
        SettingsAttributes<S>(TypeId("ns3::roce::MpRdma")
                                  .SetParent<CongestionControl>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<MpRdma>())
            .Text<&S::preset>("Preset", "paper", "paper or artifact")
            .Number<&S::increase>("Increase",
                                  "Packets that a window of packets without mark adds; -1: preset")
            .Number<&S::decrease>("Decrease", "Packets that a packet with mark takes; -1: preset")
            .Number<&S::initialCwnd>("InitialCwnd", "First window, packets; 0: BDP; -1: preset")
            .Text<&S::timeoutReaction>(
                "TimeoutReaction",
                "To a timeout: one (packet of window) or none; empty: preset")
            .Text<&S::pacing>("Pacing", "true: spread the window over a base RTT; empty: preset");
    return tid;
}

Ptr<CongestionControl>
MpRdma::Fork() const
{
    GetParams();
    return CopyObject<MpRdma>(this);
}

void
MpRdma::DoStart(int64_t)
{
    const MpRdmaParams& p = GetParams();
    CHECK.Path(m_path);
    const double bdp = m_path.BdpBytes() / m_path.fullFrameBytes;
    m_cwnd = p.initialCwnd > 0 ? p.initialCwnd : std::max(bdp, 1.0);
    Publish();
}

std::string
MpRdma::GetWarning() const
{
    const double rounds = 0.5 * m_path.BdpBytes() / m_path.fullFrameBytes / m_params->increase;
    if (rounds < MANY_ROUND_TRIPS)
    {
        return "";
    }
    const double ms = rounds * static_cast<double>(m_path.baseRttPs) / 1e9;
    return "its step takes " + std::to_string(std::llround(rounds)) + " round trips, " +
           std::to_string(std::llround(ms)) +
           " ms, to win back half of the path's bandwidth-delay product; it is made for paths "
           "inside a datacenter";
}

void
MpRdma::OnAck(const AckInfo& ack)
{
    const MpRdmaParams& p = *m_params;
    // What the pacer spreads, the window has limited, too.
    const bool limited =
        ack.inflightBytes + ack.ackedBytes >= m_windowBytes || (p.paced && ack.hasMore);
    const uint32_t marks = ack.GetMarkedOfAcked();
    m_cwnd = std::max(m_cwnd - p.decrease * marks, 1.0);
    if (limited)
    {
        m_cwnd += p.increase * (ack.ackedPackets - marks) / m_cwnd;
    }
    Publish();
}

void
MpRdma::OnTimeout(int64_t)
{
    if (m_params->timeoutToOne)
    {
        m_cwnd = 1;
        Publish();
    }
}

void
MpRdma::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.push_back({"cwnd_packets", m_cwnd});
}

void
MpRdma::Publish()
{
    const double bytes = m_cwnd * m_path.fullFrameBytes;
    m_windowBytes = m_path.WholeFramesBytes(bytes);
    m_rateBps = m_params->paced ? m_path.PacedBps(bytes) : m_path.lineRateBps;
}

} // namespace roce
} // namespace ns3
