// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_H
#define ROCE_HPCC_H

#include "ns3/roce-law-of.h"

#include <vector>

namespace ns3::roce
{

/// Parameters of Hpcc.
struct HpccParams
{
    double eta;
    uint32_t maxStage;
    double waiBytes; //!< 0: from raiBps, or from expectedFlows
    double raiBps;   //!< 0: waiBytes counts
    bool raiPer25G;  //!< raiBps is for a line of 25 Gb/s and scales with the line
    uint32_t expectedFlows;
    double minRateBps;
    int64_t baseRttPs;
    double winitBytes; //!< 0: line rate times T
    bool fixedWindow;
    bool fastReact;
    bool perAckReference;
    bool multiRate;

    static const ParameterTable<HpccParams>& Table();
};

/**
 * @brief HPCC (Li et al., SIGCOMM 2019): a window steered by in-band telemetry.
 *
 * Each ACK brings the egress port records of its data frame. Against those of the ACK before,
 *
 *   u = max over hops of  min(q, q') * 8 / (B T) + txRate / B,   txRate = 8 dTx / dt,
 *   U = (1 - tau/T) U + (tau/T) u,   tau = min(dt of that hop, T),
 *   W = Wc / (U/Eta) + Wai  if U >= Eta or the stage has reached MaxStage (the stage becomes 0),
 *   W = Wc + Wai            otherwise (the stage grows by 1).
 *
 * The reference Wc and the stage are only replaced once per round trip: by the first ACK of data
 * sent after the last replacement. FastReact computes W from every ACK (the paper's HPCC); without
 * it W, U and the stored records change once per round trip only. ReferenceWindow=perAck replaces
 * Wc at each ACK (the strawman of the paper's section 3.2).
 *
 * Wai is BDP (1 - Eta) / ExpectedFlows, Rai T / 8, or given. The profile hpcc-sim has the values
 * that run.py of alibaba-edu/High-Precision-Congestion-Control writes, with
 * the rate form of rdma-hw.cc there: R = Rc / (U/Eta) + Rai in [MinRate, line rate], window R T
 * / 8. With R = 8 W / T that is the window form, which is what is computed. Its GLOBAL_T (one T for
 * all flows of a network) is the attribute BaseRtt.
 *
 * Details:
 * - T is BaseRtt, or the path's base RTT if that is 0. W starts at and never exceeds line rate * T.
 * - Outputs: rate 8 W / T, window max(W, one full frame): below one frame per T the pacing rate
 *   falls further while the window still allows one frame.
 * - The first ACK only stores its records. So does an ACK whose hops are not those of the ACK
 * before (the path has changed): differences between two ports' counters mean nothing.
 * - Hops without a later record than the stored one (a repeated or overtaken ACK) are left out.
 * - After a NAK or a timeout the queue pair sends old PSNs again. The round-trip mark goes back
 * with it (to the acknowledged PSN), or Wc would not change until new PSNs are reached.
 * - MultiRate keeps U, Wc and stage per hop and takes the smallest W (MULTI_RATE of rdma-hw.cc). A
 *   change of path restarts them from the present W.
 * - Fairness rests on Wai alone, and Wai for 100 flows is small: on a path of 5 us with packets of
 *   4 KB (a BDP of 14 packets) it is 29 bytes, less than what single packets in the queue add to U.
 *   Flows that start together drift apart then. With the paper's 1 KB and 13 us they stay together,
 *   and with ExpectedFlows=10 on the short path, too.
 * - All quantities are double or 64 bits: 400 Gb/s times 46 MB does not overflow.
 *
 * A change of attributes takes effect at Start(), Fork() or Retune().
 */
class Hpcc : public LawOf<Hpcc, HpccParams>
{
  public:
    /// One control loop: one per flow, or per hop with MultiRate.
    struct Loop
    {
        double utilisation{1}; //!< U
        double reference{0};   //!< Wc, bytes
        uint32_t stage{0};     //!< additive increases since the last multiplicative step
    };

    bool NeedsTelemetry() const override
    {
        return true;
    }

    bool IsEcnCapable() const override
    {
        return false;
    }

    void OnAck(const AckInfo& ack) override;
    void OnTimeout(int64_t nowPs) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

  protected:
    Loop m_loop;               //!< state without MultiRate
    std::vector<Loop> m_loops; //!< state with MultiRate, by hop

  private:
    /// What is kept of one hop's record.
    struct HopSample
    {
        int64_t timePs;
        uint64_t txBytes;
        uint64_t queueBytes;
        uint64_t hopId;
    };

    void DoStart(int64_t nowPs) override;
    void OnRetune(const HpccParams& before, int64_t nowPs) override;
    void TakeOver();                                       //!< what is used often, from m_p
    void Rewind(uint64_t psn);                             //!< the sender goes back to this PSN
    static HopSample Sample(const IntHop& hop);            //!< what is kept of this record
    void Store(const IntStack& stack);                     //!< copy the records
    bool React(const IntStack& stack, bool commit);        //!< new U and W; false: no new record
    void Average(Loop& loop, double u, double dtPs) const; //!< new U of one loop
    double Window(Loop& loop, bool commit) const;          //!< W of one loop; commit: replace Wc
    void Publish();                                        //!< set the outputs

  protected:
    double m_tPs{0};               //!< T
    double m_windowPs{0};          //!< Winit at the line rate
    double m_maxWindow{0};         //!< Winit, bytes
    double m_minWindow{0};         //!< MinRate T / 8, bytes
    double m_wai{0};               //!< Wai, bytes
    double m_exactWindow{0};       //!< W, bytes
    uint64_t m_lastUpdatePsn{0};   //!< Wc is replaced by the first ACK above this one
    uint64_t m_ackedPsn{0};        //!< highest acknowledged PSN seen
    std::vector<HopSample> m_last; //!< records of the last ACK; empty before the first
};

} // namespace ns3::roce

#endif /* ROCE_HPCC_H */
