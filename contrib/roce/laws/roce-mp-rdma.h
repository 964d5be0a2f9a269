// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MP_RDMA_H
#define ROCE_MP_RDMA_H

#include "ns3/roce-law-of.h"

#include <string>

namespace ns3::roce
{

/// Parameters of MpRdma.
struct MpRdmaParams
{
    double decrease;
    double initialCwnd; //!< 0: BDP
    double maxCwndBdp;  //!< 0: none
    bool growsAlways;
    bool timeoutToOne;
    bool paced;

    static const ParameterTable<MpRdmaParams>& Table();
};

/**
 * @brief The congestion control of MP-RDMA (Lu et al., NSDI 2018): a window that each ACK moves.
 *
 *   ACK without mark: cwnd += Increase / cwnd
 *   ACK with mark:    cwnd -= Decrease
 *
 * in packets, at least one. There is one window for all paths: each packet's ACK is about the path
 * that it took, and all of them move the window. There are no averages and no round trips. A window
 * with a share F of marks is stable where F Decrease = (1 - F) Increase / cwnd, at cwnd = 2 (1 - F)
 * / F in the paper: flows with the same marks have the same window. Parameters, profiles and their
 * sources: see MpRdmaParams::Table().
 *
 * Other parts of MP-RDMA are not here: the choice of a packet's path (in the paper that of the ACK
 * which allowed it, with one in a hundred packets on a new path; here a PathSelector, Spray for
 * example), and the handling of packets out of order (LossRecovery: SelectiveRepeat with
 * ReorderPackets; in the paper a bitmap, and paths that lag too far behind are left).
 *
 * Details:
 * - Each packet counts: the law needs an ACK for each (Nic::AckEveryN=1). An ACK for several, m of
 *   them with marks, is m decreases and one increase for each of the others.
 * - A packet is a full frame of the path (fullFrameBytes); the window is floor(cwnd) of them.
 * - cwnd grows only while it limits the sender (cf. RFC 7661), else it would grow without limit
 * where the bottleneck is the sender's own port. Growth=always and MaxCwndBdp=1: it stops at a BDP.
 * - A loss changes nothing: it is sent again. TimeoutReaction=one: a timeout leaves one packet.
 * - Increases of a packet per round trip suit a datacenter. GetWarning() says how long they take on
 *   longer paths.
 * - The artifact's retransmission timeout is three base RTTs, below what a full queue takes. That
 *   belongs to the loss recovery (SelectiveRepeat::RtoHigh), and is not a good choice.
 *
 * A change of attributes takes effect at Start(), Fork() or Retune().
 */
class MpRdma : public LawOf<MpRdma, MpRdmaParams>
{
  public:
    bool NeedsEcn() const override
    {
        return true;
    }

    void OnAck(const AckInfo& ack) override;
    void OnTimeout(int64_t nowPs) override;
    std::string GetWarning() const override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    /// @return window, packets
    double GetCwnd() const
    {
        return m_cwnd;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const MpRdmaParams& before, int64_t nowPs) override;
    void Publish(); //!< set the outputs

    double m_cwnd{1}; //!< packets
};

} // namespace ns3::roce

#endif /* ROCE_MP_RDMA_H */
