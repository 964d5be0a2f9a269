/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_MP_RDMA_H
#define ROCE_MP_RDMA_H

#include "roce-tunable-control.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief MP-RDMA's parameters after the preset and the attributes have been put together.
 */
struct MpRdmaParams
{
    double increase;    //!< packets per window of packets without mark
    double decrease;    //!< packets per packet with mark
    double initialCwnd; //!< packets; 0: BDP
    bool timeoutToOne;  //!< a timeout leaves one packet
    bool paced;         //!< packets are spread over the base RTT
};

/**
 * @ingroup roce
 * @brief MP-RDMA's attributes as the user gave them.
 *
 * The attribute Preset gives every parameter a value; each can be overridden on its own (-1 or an
 * empty text means "from the preset"):
 *
 * | attribute       | paper (default) | artifact     |
 * |-----------------|-----------------|--------------|
 * | Increase        | 1 [1]           | 1 [2]        |
 * | Decrease        | 0.5 [1]         | 0.15 [2][3]  |
 * | InitialCwnd     | 0 = BDP [4]     | 0 = BDP [2]  |
 * | TimeoutReaction | one [5]         | none [2]     |
 * | Pacing          | false [1]       | true [2]     |
 *
 * [1] Lu et al., NSDI 2018, section 3.1, as the literature quotes it; no copy of its text was at
 * hand. [2] the htsim code that was published with Uno (SC 2025), commit 68d164e; its file for
 * MP-RDMA. [3] figures 3, 8 and 9 there; in figures 10 to 12 MP-RDMA is Uno's own code with 0.5.
 * [4] The paper sends an initial window over as many random paths; its size is not known to us. [5]
 * not known to us; what a TCP does.
 */
struct MpRdmaSettings
{
    std::string preset;
    double increase;
    double decrease;
    double initialCwnd;
    std::string timeoutReaction;
    std::string pacing;

    /**
     * @brief Put preset and attributes together.
     * @return the parameters
     * @throw InputError if a value is out of range
     */
    MpRdmaParams Resolve() const;
};

/**
 * @ingroup roce
 * @brief The congestion control of MP-RDMA (Lu et al., NSDI 2018): a window that each ACK moves.
 *
 *   ACK without mark: cwnd += Increase / cwnd
 *   ACK with mark:    cwnd -= Decrease
 *
 * in packets, at least one. There is one window for all paths: each packet's ACK speaks for the
 * path that it took, and the sum of what they say moves the window. Nothing is averaged, no round
 * trip is kept. A window that sees a share F of marks rests where F Decrease = (1 - F) Increase /
 * cwnd, at cwnd = 2 (1 - F) / F in the paper: flows with the same marks have the same window.
 *
 * What else MP-RDMA is, is not here: which path a packet takes (in the paper that of the ACK which
 * let it go, with one in a hundred packets on a new path; here a PathSelector, Spray for example),
 * and what is done about packets out of order (LossRecovery: SelectiveRepeat with ReorderPackets;
 * in the paper a bitmap, and paths that lag too far behind are left).
 *
 * Details:
 * - Each packet counts: the law wants an ACK for each (Nic::AckEveryN=1). An ACK for several, m of
 *   them with marks, is m decreases and one increase for each of the others.
 * - A packet is a full frame of the path (fullFrameBytes); the window is floor(cwnd) of them.
 * - cwnd grows only while it limits the sender (cf. RFC 7661), else it would grow for ever where
 * the bottleneck is the sender's own port.
 * - A loss changes nothing: it is sent again. TimeoutReaction=one: a timeout leaves one packet.
 * - Increases of a packet per round trip suit a datacenter. GetWarning() says how long they take on
 *   longer paths.
 * - The artifact's retransmission timeout is three base RTTs, below what a full queue takes. That
 * is the loss recovery's business (Nic::RtoMin, SelectiveRepeat::RtoHigh), and no good choice.
 */
class MpRdma : public TunableControl<MpRdmaSettings>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<CongestionControl> Fork() const override;

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
    void Publish(); //!< set the outputs

    double m_cwnd{1}; //!< packets
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_MP_RDMA_H */
