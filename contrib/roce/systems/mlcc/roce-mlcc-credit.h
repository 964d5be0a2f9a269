// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_CREDIT_H
#define ROCE_MLCC_CREDIT_H

#include "roce-mlcc-dqm.h"
#include "roce-mlcc-header.h"
#include "roce-mlcc-loop.h"
#include "roce-mlcc-params.h"

#include "ns3/nstime.h"
#include "ns3/roce-receiver-feedback.h"
#include "ns3/roce-station-trace.h"

#include <memory>

namespace ns3::roce
{

/**
 * @brief MLCC's receiver (Algorithm 1, section 3.3): how fast the receiver-side external switch
 * empties the flow's queue, R_credit, and how fast the sender may fill it, Rbar_DQM.
 *
 * Rounds are counted by C_R, 1 at first, which each ACK carries to the switch; there it becomes C_D
 * and comes back in data. Data with C_D = C_R show that a round trip between receiver and switch is
 * over: C_R grows by 1 (modulo 2^16), and
 *
 * - the inner law learns what has come since the last round, with the telemetry of this frame (the
 *   switch's port, then those in the datacenter), and with the length of the round as RTT; its
 *   rate, within MinRate and the line rate, is R_credit;
 * - the queue management has a round with Q_c of this frame (MlccDqm).
 *
 * Each data frame is a step of the token, each ACK carries C_R, R_credit and Rbar_DQM; a lost ACK
 * costs nothing, since the next one repeats it. ACKs do not echo the data's telemetry. Behind a
 * NAK go-back-N refuses data without an answer until the sender has come back to the gap, a round
 * trip over the WAN later; an MlccUpdate for each of them but the first keeps both loops going.
 *
 * Line rate is that of the receiver's NIC.
 */
class MlccCredit : public ReceiverFeedback
{
  public:
    static TypeId GetTypeId();

    MlccCredit();

    /**
     * @brief Use other than the default parameters. Of a prototype.
     * @param law prototype of the inner law
     */
    void Configure(std::shared_ptr<const MlccParams> params, Ptr<const CongestionControl> law);

    Ptr<ReceiverFeedback> Fork() const override;
    void Start(const PathInfo& path, int64_t nowPs) override;
    void OnData(const Frame& data, int64_t nowPs, ReplySink& sink) override;
    void FillAck(Frame& ack, const Frame& data, int64_t nowPs) override;
    void Retune(const ReceiverFeedback& prototype, int64_t nowPs) override;

    /// @return R_credit, bit/s
    double GetCreditBps() const
    {
        return m_creditBps;
    }

    /// @return C_R
    uint16_t GetEpoch() const
    {
        return m_epoch;
    }

    /// @return credit matches so far
    uint64_t GetMatches() const
    {
        return m_matches;
    }

    /// @return Q_c of the last round, bytes
    uint32_t GetQueueBytes() const
    {
        return m_queueBytes;
    }

    /// @return the queue management: R_DQM, Rbar_DQM, D_pre, dw, token
    const MlccDqm& GetDqm() const
    {
        return m_dqm;
    }

    /// @return the loop that makes R_credit; after Start()
    const MlccLoop& GetLoop() const
    {
        return m_loop;
    }

    /// Signature of trace source Match: the receiver after a credit match, when.
    typedef void (*MatchCallback)(const MlccCredit& receiver, Time at);

  private:
    void Match(const Frame& data, uint32_t queueBytes, int64_t nowPs);
    void Answer(const Frame& data, ReplySink& sink); //!< if nobody else will
    void Fill(MlccHeader& header) const;
    void Report(const Frame& data, int64_t nowPs); //!< to the inner law
    void SetCredit();

    std::shared_ptr<const MlccParams> m_p;
    Ptr<const CongestionControl> m_lawPrototype;
    StationTrace<const MlccCredit&, Time> m_matchTrace;

    MlccLoop m_loop;
    MlccDqm m_dqm;
    double m_lineBps{0};
    double m_creditBps{0};
    int64_t m_epochPs{0}; //!< when the first ACK with this C_R went out
    uint64_t m_matches{0};
    uint32_t m_queueBytes{0};
    uint32_t m_newBytes{0};   //!< since the last report
    uint32_t m_newPackets{0}; //!< since the last report
    uint32_t m_newMarks{0};   //!< of these
    uint16_t m_epoch{1};
    bool m_isRefused{false};    //!< the last answer was a NAK
    bool m_isUnanswered{false}; //!< data behind its gap have had no answer since
    uint64_t m_gapPsn{0};       //!< the PSN that it asked for
};

} // namespace ns3::roce

#endif /* ROCE_MLCC_CREDIT_H */
