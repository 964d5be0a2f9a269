// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mp-rdma.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(MpRdma);

namespace
{

/// Round trips to win back half a BDP from which on there is a warning.
constexpr double MANY_ROUND_TRIPS = 1000;

} // namespace

/*
 * Sources of the values:
 * [1] Lu et al., NSDI 2018, section 3.1, as the literature quotes it; no copy of its text was at
 *     hand.
 * [2] the htsim code that was published with Uno (SC 2025), commit 68d164e; its file for MP-RDMA.
 * [3] figures 3, 8 and 9 there; in figures 10 to 12 MP-RDMA is Uno's own code with 0.5.
 * [4] The paper sends an initial window over as many random paths; its size is not known to us.
 * [5] not known to us; what a TCP does.
 */
const ParameterTable<MpRdmaParams>&
MpRdmaParams::Table()
{
    using P = MpRdmaParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::MpRdma", {"paper", "artifact"})
            .Constants({{"Increase", "1"}})
            .Number("Decrease", &P::decrease, {0.5, 0.15}, Range::Above(0))
            .Help("Packets that an ACK with mark removes") // [1] [2][3]
            .Number("MaxCwndBdp", &P::maxCwndBdp, {0, 1}, Range::AtLeast(0))
            .Help("Greatest window, BDPs, but a packet at least; 0: none") // [1] [2]
            // The window grows while it limits the sender, or always [5] [2]
            .Fixed("Growth", &P::growsAlways, {false, true}, {{"limited", false}, {"always", true}})
            // To a timeout: one (packet of window) or none [5] [2]
            .Fixed("TimeoutReaction",
                   &P::timeoutToOne,
                   {true, false},
                   {{"one", true}, {"none", false}})
            .Flag("Pacing", &P::paced, {false, true}) // [1] [2]
            .Help("true: spread the window over a base RTT")
            .Live()
            // of the start alone
            .Number("InitialCwnd",
                    &P::initialCwnd,
                    {0},
                    Range::AtLeast(1).Or(0)) // [4] [2]
            .Help("First window, packets; 0: BDP");
    return table;
}

void
MpRdma::DoStart(int64_t)
{
    m_p = m_parameters.Get();
    const MpRdmaParams& p = *m_p;
    RequirePath();
    const double bdp = m_path.BdpBytes() / m_path.FrameInFlightBytes();
    m_cwnd = p.initialCwnd > 0 ? p.initialCwnd : std::max(bdp, 1.0);
    Publish();
}

void
MpRdma::OnRetune(const MpRdmaParams&, int64_t)
{
    Publish();
}

std::string
MpRdma::GetWarning() const
{
    const double rounds = 0.5 * m_path.BdpBytes() / m_path.FrameInFlightBytes();
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
    const MpRdmaParams& p = *m_p;
    // A flow that waits for the pacer is limited by its window, too.
    const bool limited =
        ack.inflightBytes + ack.ackedBytes >= m_windowBytes || (p.paced && ack.hasMore);
    const uint32_t marks = ack.GetMarkedOfAcked();
    m_cwnd = std::max(m_cwnd - p.decrease * marks, 1.0);
    if (limited || p.growsAlways)
    {
        m_cwnd += (ack.ackedPackets - marks) / m_cwnd;
    }
    if (p.maxCwndBdp > 0)
    {
        const double bdp = m_path.BdpBytes() / m_path.FrameInFlightBytes();
        m_cwnd = std::max(std::min(m_cwnd, p.maxCwndBdp * bdp), 1.0);
    }
    Publish();
}

void
MpRdma::OnTimeout(int64_t)
{
    if (m_p->timeoutToOne)
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
    const double bytes = m_cwnd * m_path.FrameInFlightBytes();
    m_windowBytes = m_path.WholeFramesBytes(bytes);
    m_rateBps = m_p->paced ? m_path.PacedBps(bytes) : m_path.lineRateBps;
}

} // namespace ns3::roce
