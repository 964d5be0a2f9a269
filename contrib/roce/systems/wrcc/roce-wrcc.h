// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WRCC_H
#define ROCE_WRCC_H

#include "ns3/nstime.h"
#include "ns3/roce-law-of.h"
#include "ns3/roce-receiver-feedback.h"
#include "ns3/roce-station-trace.h"

namespace ns3::roce
{

/// Parameters of Wrcc.
struct WrccParams
{
    int64_t t1Ps;
    double rttFactor;
    bool gated;
    bool skipIfClipped;
    bool asksLineRate; //!< data carry the line rate in place of the present one
    bool timerUsesMax;
    double fMinBps;
    bool usesSrtt;
    bool isLiteral; //!< profile literal

    static const ParameterTable<WrccParams>& Table();
};

/**
 * @brief WRCC's sender (Algorithm 2 of the paper): a rate, given by switches.
 *
 * Data carry the sender's rate R_c in their header; switches on the way lower it to their ports'
 * fair rates (WrccFairRate), and the receiver's ACK brings the result back, which becomes R_c. A
 * switch of the sender's own datacenter reports it at once by an FCNP, which can only lower R_c:
 *
 * - ACK of a later PSN than PSN_last: R_c = FairRate; PSN_last = PSN. Each ACK, early or late,
 *   sets FBDP: 1 if the receiver is in another domain, else 0. The last one of all that was posted
 *   leaves 1, too: a queue pair that goes on after a rest begins as a new one does.
 * - FCNP with FairRate < R_c: R_c = FairRate, PSN_last = max(PSN_last, PSN), timer restarted.
 * - timer: R_c = min(2 R_c, line rate), restarted.
 *
 * An ACK returns at most what R_c was when its data were sent, so as printed a doubling lives until
 * the next ACK. With IncreaseMode=rttGated, the default, the period is max(T1, T1RttFactor
 * RTT_est), a doubling sets PSN_last to the last PSN sent, so that earlier data cannot undo it,
 * and it is left out if a switch has lowered the rate since the last expiry (SkipIfClipped), or
 * while data sent since the last doubling have no answer: with a queue longer than the timer,
 * doublings would otherwise follow each other with all ACKs ignored. At the line rate an expiry
 * does nothing: there is no doubling to protect.
 *
 * PSNs are compared modulo 2^24. The rate stays within FMin and the line rate. CNPs are not used.
 */
class Wrcc : public LawOf<Wrcc, WrccParams>
{
  public:
    /// What has set the rate last.
    enum Cause : uint8_t
    {
        START,
        ACK,
        FCNP,
        TIMER,
    };

    static TypeId GetTypeId();

    Ptr<ReceiverFeedback> MakeFeedback() const override;
    const FrameExtension* GetDataExtension() const override;
    bool NeedsTimestamp() const override;
    void Check(const Deployment& deployment, bool interDc) const override;

    bool IsEcnCapable() const override
    {
        return false;
    }

    void OnSend(const SendInfo& sent) override;
    void OnAck(const AckInfo& ack) override;
    void OnNotification(const Notification& notification) override;

    /**
     * @copydoc CongestionControl::GetVariables()
     *
     * cause (see Cause), fbdp, clipped, rtt_est_us.
     */
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    void Advance(int64_t nowPs) override
    {
        if (nowPs >= m_timerPs)
        {
            Expire(nowPs);
        }
    }

    int64_t NextRateChangePs() const override
    {
        return m_rateBps < m_path.lineRateBps ? m_timerPs : NEVER_PS;
    }

    /// Signature of trace source Rate: rate in bit/s, what has set it, when.
    typedef void (*RateCallback)(uint64_t rateBps, Cause cause, Time at);

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const WrccParams& before, int64_t nowPs) override;
    void Expire(int64_t nowPs);    //!< all expiries up to and including nowPs
    void SetRttEst(int64_t rttPs); //!< and the period that follows from it
    void MoveTo(uint64_t rateBps, Cause cause, int64_t atPs);

    int64_t m_timerPs{NEVER_PS}; //!< expiry of STimer
    int64_t m_periodPs{0};       //!< of STimer
    int64_t m_srttPs{0};         //!< 0: no sample yet
    uint64_t m_pastPsn{0};       //!< PSN_last + 1
    uint64_t m_nextPsn{0};       //!< the PSN after the last one sent
    uint32_t m_fairRateMbps{0};  //!< R_c as it is written into data
    uint32_t m_lineRateMbps{0};
    uint32_t m_rttUs{0};   //!< RTT_est
    uint16_t m_domain{0};  //!< SDI
    bool m_burst{true};    //!< FBDP
    bool m_clipped{false}; //!< a switch has lowered the rate since the last expiry
    bool m_answered{true}; //!< the rate was set since the last doubling: the next one may come
    Cause m_cause{START};
    StationTrace<uint64_t, Cause, Time> m_rateTrace;
};

/**
 * @brief WRCC's receiver: an ACK has the header of the data that it answers, with the receiver's
 * domain in place of the sender's (WRCC, section 3.5).
 */
class WrccFeedback : public ReceiverFeedback
{
  public:
    static TypeId GetTypeId();

    Ptr<ReceiverFeedback> Fork() const override;
    void Start(const PathInfo& path, int64_t nowPs) override;
    void FillAck(Frame& ack, const Frame& data, int64_t nowPs) override;

    bool CanRetuneLate() const override
    {
        return true; // no parameters
    }

  private:
    uint16_t m_domain{0}; //!< of the receiver
};

} // namespace ns3::roce

#endif /* ROCE_WRCC_H */
