// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_DQM_H
#define ROCE_MLCC_DQM_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief MLCC's dynamic queue management of one flow (section 3.3, equations 1 to 9, Algorithm 2):
 * pure arithmetic, called for each round and packet.
 *
 * What was sent to the sender during the last RTT_C arrives at the receiver-side external switch
 * during the next one. So once per round (RTT_D) the delay in the flow's queue is predicted, and a
 * rate R_DQM follows that brings it to TargetDelay within Theta:
 *
 *   (1) n = RTT_C / RTT_D
 *   (2) R_pre = mean of Rbar over the last RTT_C, in n parts; of the line rate, as a new sender
 *       sends, before that. A round that takes longer than RTT_D counts for as many parts
 *   (3) Q_pre = (R_pre - R_credit) RTT_C / 8 + Q_c
 *   (4) D_pre = 8 m Q_pre / (sum of the last m R_credit)
 *   (5) R_DQM = R_credit (1 - (D_pre - TargetDelay) / Theta)
 *
 * Each packet moves the smoothed rate by a step:
 *
 *   token += min(Alpha R_DQM / R_credit, 1); token >= 1: token -= 1, step +1; else step -1
 *   (9) Rbar = R_credit + 8 dw StepBytes / RTT_C,  dw = sum of the steps of the last RTT_C
 *
 * As printed, dw is the sum of all steps, which never settles (DwWindow INTEGRATE), and Algorithm 2
 * adds to the token until it reaches 1, within one call, and subtracts nothing
 * (Settings::literalToken): the sign of all steps then depends on whether Alpha R_DQM / R_credit
 * divides 1.
 *
 * Memory is taken in Start() alone. The window of dw has n parts of RTT_C / n; it ends with the
 * part that the last packet is in.
 */
class MlccDqm
{
  public:
    /// What dw sums up.
    enum class DwWindow : uint8_t
    {
        SLIDING,   //!< steps of the last RTT_C
        INTEGRATE, //!< all steps, as printed
    };

    /// m: rounds whose R_credit is in equation 4 (section 4.1).
    static constexpr uint32_t CREDITS = 5;

    /// Parameters.
    struct Settings
    {
        double alpha;      //!< token gain
        double thetaPs;    //!< time to reach the target
        double targetPs;   //!< target delay D_t
        DwWindow dwWindow; //!< see there
        bool holds;        //!< R_DQM stays as it is while D_pre <= target (Algorithm 2, lines 5, 6)
        bool literalToken; //!< Algorithm 2, lines 7 to 12, as printed
    };

    /// What is known of the flow's path.
    struct Path
    {
        double lineBps;     //!< greatest rate
        double minBps;      //!< least Rbar
        int64_t crossRttPs; //!< RTT_C
        int64_t roundRttPs; //!< RTT_D
        uint32_t stepBytes; //!< MTU of equation 9
    };

    /// More rounds per RTT_C count as this many.
    static constexpr uint32_t MOST_ROUNDS = 65536;

    /// @return equation 1, rounded, at least 1 and at most MOST_ROUNDS
    /// @param crossRttPs RTT_C @param roundRttPs RTT_D
    static uint32_t Rounds(int64_t crossRttPs, int64_t roundRttPs);

    /// @return equation 3, bytes; may be negative. @param preBps R_pre @param creditBps R_credit
    /// @param crossRttPs RTT_C @param queueBytes Q_c
    static double QueueAhead(double preBps, double creditBps, double crossRttPs, double queueBytes)
    {
        return (preBps - creditBps) * crossRttPs / 8e12 + queueBytes;
    }

    /// @return equation 4, ps. @param queueBytes Q_pre @param meanCreditBps of m rounds
    static double DelayAhead(double queueBytes, double meanCreditBps)
    {
        return queueBytes * 8e12 / meanCreditBps;
    }

    /// @return equation 5, bit/s; may be negative. @param creditBps R_credit @param delayPs D_pre
    /// @param targetPs D_t @param thetaPs theta
    static double TargetRate(double creditBps, double delayPs, double targetPs, double thetaPs)
    {
        return creditBps * (1 - (delayPs - targetPs) / thetaPs);
    }

    /**
     * @brief Begin: all rates are the line rate until the first round.
     * @param path the flow's; times and rates above 0
     */
    void Start(const Settings& settings, const Path& path, int64_t nowPs);

    /// @brief Take over alpha, theta and target, and the path's minBps, from now on.
    /// @param settings new ones @param minBps least Rbar
    void Retune(const Settings& settings, double minBps);

    /**
     * @brief A round ends: equations 2 to 5.
     * @param creditBps R_credit from now on, above 0
     * @param queueBytes Q_c
     * @param nowPs its time, not before that of an earlier one
     */
    void Round(double creditBps, uint64_t queueBytes, int64_t nowPs);

    /// @brief A packet of the flow has come: one step. None before the first round.
    /// @param nowPs its time, not before that of an earlier one
    void OnPacket(int64_t nowPs);

    /// @return Rbar_DQM, bit/s
    double GetSmoothedBps() const
    {
        return m_smoothedBps;
    }

    /// @return R_DQM within 0 and the line rate, bit/s
    double GetTargetBps() const
    {
        return m_targetBps;
    }

    /// @return R_pre of the last round, bit/s
    double GetPreBps() const
    {
        return m_preBps;
    }

    /// @return Q_pre of the last round, bytes
    double GetQueueAhead() const
    {
        return m_queueAhead;
    }

    /// @return D_pre of the last round, ps
    double GetDelayPs() const
    {
        return m_delayPs;
    }

    /// @return dw as Rbar has it: no further than the bounds of Rbar
    double GetDw() const
    {
        return m_dw;
    }

    /// @return the token, at least 0 and below 1 unless literalToken
    double GetToken() const
    {
        return m_token;
    }

    /// @return n
    uint32_t GetRounds() const
    {
        return m_n;
    }

  private:
    void AdvanceHistory(int64_t nowPs); //!< what was suggested since the last round
    void AdvanceWindow(int64_t nowPs);  //!< to the part of RTT_C that a time is in
    int Step();                         //!< by the token
    int LiteralStep();
    void SetSmoothed();

    Settings m_settings{};
    Path m_path{};
    uint32_t m_n{1};

    std::vector<int64_t> m_suggested; //!< ring of n parts of RTT_C: rates, bit/s
    int64_t m_suggestedSum{0};
    uint32_t m_nextSuggested{0};
    double m_suggestedEnd{0};       //!< end of the part that is not in it yet, ps after the start
    std::vector<int64_t> m_credits; //!< ring of the last m R_credit, bit/s
    int64_t m_creditSum{0};
    uint32_t m_nextCredit{0};
    uint32_t m_nCredits{0}; //!< of these, how many there are; 0 before the first round

    std::vector<int32_t> m_steps; //!< ring of n parts of RTT_C
    int64_t m_stepSum{0};
    uint32_t m_part{0};
    double m_partPs{1};  //!< RTT_C / n
    double m_partEnd{0}; //!< of the present part, ps after the start
    int64_t m_startPs{0};

    double m_creditBps{0};
    double m_targetBps{0};
    double m_smoothedBps{0};
    double m_preBps{0};
    double m_queueAhead{0};
    double m_delayPs{0};
    double m_gain{0}; //!< min(Alpha R_DQM / R_credit, 1)
    double m_token{0};
    double m_dw{0};
};

} // namespace ns3::roce

#endif /* ROCE_MLCC_DQM_H */
