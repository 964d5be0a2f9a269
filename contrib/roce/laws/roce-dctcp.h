// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DCTCP_H
#define ROCE_DCTCP_H

#include "ns3/roce-law-of.h"

namespace ns3::roce
{

/// Parameters of Dctcp.
struct DctcpParams
{
    bool windowForm;
    double gain;
    double initialAlpha;
    double aiBps;      //!< 0: one frame per round trip
    double minRateBps; //!< 0: one frame in window form, one step in rate form
    bool halve;

    static const ParameterTable<DctcpParams>& Table();
};

/**
 * @brief DCTCP (Alizadeh et al., SIGCOMM 2010; RFC 8257) over RoCE: cut by the share of marks.
 *
 * Once per round trip (the first ACK of data sent after the last time),
 *
 *   F = marked packets / acknowledged packets of that round trip,  alpha = (1 - g) alpha + g F,
 *
 * and the first ACK with a mark cuts W = W (1 - alpha / 2). Until what was sent before the cut is
 * acknowledged (state CWR) there is no further cut and no increase. Otherwise W grows by one step
 * per round trip. W is a window in bytes (Form=window: each ACK adds its share, step * acknowledged
 * bytes / W) or a rate in bit/s (Form=rate: a step when a round trip is over).
 *
 * Parameters, their values in the profiles paper (default) and hpcc-sim, and where these come from:
 * see DctcpParams::Table().
 *
 * DCTCP needs a step in the marking curve, not DCQCN's ramp. The HPCC simulator's run.py has K = 30
 * KB for each 10 Gb/s, which here is
 *
 *   ns3::roce::EcnMarker  Kmin=30000, Kmax=30000, Pmax=1, ReferenceRate=10Gbps.
 *
 * Details:
 * - Start is at line rate, with W = BDP in window form: there is no slow start.
 * - Window form: the output rate stays the line rate, ACKs are the clock. W only grows while it is
 *   what limits the sender (cf. RFC 7661); otherwise it would grow without limit on a path whose
 *   bottleneck is the sender's own port.
 * - Why each ACK adds its share: whole steps at the end of a round trip all fall on the same place
 *   of the cycle in which a window's frames and ACKs go round. With equal RTTs and a step marking
 *   the marks then always hit one flow more than the other.
 * - The window never falls below one frame: more senders than (BDP + K) / frame fill the buffer.
 * - Marks are counted exactly also when one ACK covers several packets (Nic::AckEveryN): the ACK
 *   carries their number. It is clipped to the packets newly acknowledged, since refused packets
 *   may have been marked, too. An echo without a number counts for all packets of its ACK.
 * - alpha's first window ends with the data in flight at the first ACK (as in the HPCC simulator).
 * - LossReaction halve: an ACK that reveals a loss halves W, once per window; a cut for marks in
 *   the same window does not replace it. alpha is kept. HPCC's simulator only sends again.
 * - A timeout halves W, too, each time (with LossReaction halve): TCP would go back to one segment,
 *   but then slow-start, which does not exist here.
 * - After a NAK or a timeout the queue pair sends old PSNs again; the ends of the round trip and of
 *   CWR go back with it.
 * - Increases of one frame per RTT take BDP / frame round trips to fill a pipe: on a WAN of 1 ms
 *   and 100 Gb/s 3000 of them, 3 s.
 */
class Dctcp : public LawOf<Dctcp, DctcpParams>
{
  public:
    bool NeedsEcn() const override
    {
        return true;
    }

    void OnAck(const AckInfo& ack) override;
    void OnTimeout(int64_t nowPs) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const DctcpParams& before, int64_t nowPs) override;
    void TakeOver();                          //!< what is used often, from m_p
    double GetUnitsPerBps() const;            //!< W of 1 bit/s, a rate being W over the base RTT
    void CountMarks(const AckInfo& ack);      //!< packets and marks of this ACK
    void EndRound(uint64_t sndNxtPsn);        //!< new alpha
    void Cut(double factor, uint64_t endPsn); //!< W times factor; CWR up to endPsn
    void Rewind(uint64_t psn);                //!< the sender goes back to this PSN
    void Publish();                           //!< set the outputs

  protected:
    bool m_started{false};      //!< an ACK has come
    bool m_inCwr{false};        //!< no cut and no increase before m_cwrEndPsn
    double m_w{0};              //!< W, bytes or bit/s
    double m_step{0};           //!< increase per round trip, same unit
    double m_floor{0};          //!< least W
    double m_ceiling{0};        //!< greatest W
    double m_alpha{1};          //!< share of marked packets, averaged
    uint64_t m_roundPackets{0}; //!< acknowledged since alpha was last computed
    uint64_t m_roundMarked{0};  //!< and with a mark
    uint64_t m_roundEndPsn{0};  //!< the round trip ends with the first ACK above it
    uint64_t m_cwrEndPsn{0};    //!< CWR ends with the first ACK above it
    uint64_t m_lossEndPsn{0};   //!< losses below belong to the last halving
    uint64_t m_ackedPsn{0};     //!< highest acknowledged PSN seen
};

} // namespace ns3::roce

#endif /* ROCE_DCTCP_H */
