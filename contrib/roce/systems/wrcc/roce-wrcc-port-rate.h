// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WRCC_PORT_RATE_H
#define ROCE_WRCC_PORT_RATE_H

#include <cstdint>

namespace ns3::roce
{

/**
 * @brief A port's fair rate by WRCC (Algorithm 1, equations 1, 2 and 5 of the paper). Plain
 * arithmetic: no clock, no switch.
 *
 * Once a period T, from the port's counters of that period:
 *
 *   R_input = 8 bytes / T; AvgRTT = (1 - lambda) AvgRTT + lambda RttSum / PktNum;
 *   RTT = max(AvgRTT, T); SD = R_input / B_Tar, at least PfcSlowDown if inputs were paused;
 *   QX = Q_p - QRatio Q_max, not negative;
 *   SD >= RateRatio: R = R / SD, as often as MdGating allows;
 *   else R = R (1 + (T / RTT) (a (B_Tar - R_input) - b 8 QX / RTT) / B_Tar),
 *   a = AutoAlpha(), b = a / 2; FMin <= R <= FMax.
 */
class WrccPortRate
{
  public:
    /// What QX is in the queue's term once the queue has reached QRatio Q_max.
    enum class QExtra : uint8_t
    {
        EXCESS,        //!< Q_p - QRatio Q_max
        PRINTED,       //!< Q_max - Q_p, as printed: it shrinks as the queue grows
        QP_MINUS_QMAX, //!< Q_p - Q_max
        FULL_QUEUE,    //!< Q_p
    };

    /// What has made a rate.
    enum class Branch : uint8_t
    {
        NONE, //!< nothing yet
        AI,   //!< additive, equation 2
        MD,   //!< multiplicative: divided by SD
        HOLD, //!< SD >= RateRatio, but the last division is less than MdGating's time ago
    };

    /// How often a rate may be divided.
    enum class MdGating : uint8_t
    {
        PER_LOOP,     //!< once in the mean delay of the loops that steer the port's packets
        PER_RTT_AVG,  //!< once in AvgRTT, also where FCNPs are much faster
        EVERY_PERIOD, //!< as printed
    };

    /// Parameters; see WrccFairRateParams::Table().
    struct Config
    {
        int64_t periodPs;
        double fMinBps;
        double fMaxBps;
        double rateRatio;
        double qRatio;
        double lambda;
        double targetUtilization;
        double pfcSlowDown;
        QExtra qExtra;
        MdGating mdGating;
        bool alphaByInput;    //!< AutoParm asks R_input < B_Tar in place of R < B_Tar
        bool alphaByDistance; //!< AutoParm takes |B_Tar - R_input|
        bool effectiveDrain;  //!< B_Tar of a port with a queue is what it has sent
        bool shiftDivision;   //!< divisors are rounded to the nearest power of two
    };

    /// Counters of a port in a period.
    struct Period
    {
        uint64_t inputBytes{0};     //!< sum of Bytes[i][p], wire bytes
        bool hasInputs{false};      //!< some Bytes[i][p] > 0
        uint64_t pauses{0};         //!< sum of PfcNum[i] over these
        uint64_t thresholdBytes{0}; //!< Q_max: sum of PFCth[i] over these
        uint64_t queueBytes{0};     //!< Q_p, at the end
        uint64_t rttSumUs{0};       //!< of the packets that left
        uint64_t loopSumUs{0};      //!< the same, without those whose senders get FCNPs
        uint64_t packets{0};        //!< that left
        uint64_t sentBytes{0};      //!< wire bytes of all data that left
    };

    /**
     * @brief Start at FMax.
     * @param config copied from when it is given; FMax
     * @param lineRateBps of the port
     */
    void Start(const Config& config, double lineRateBps);

    /**
     * @brief A period has ended.
     * @param period what was seen
     * @param index of the period: counts all periods, also those of Rest()
     */
    void Update(const Config& config, const Period& period, int64_t index);

    /**
     * @brief Periods without any packet have ended, at the end of which the queue is as before: as
     * many calls of Update(), but work only until the rate is FMax.
     * @param queueBytes Q_p
     * @param index of the last of them
     * @param n how many, at least 1
     */
    void Rest(const Config& config, uint64_t queueBytes, int64_t index, int64_t n);

    /// @return whether further periods without packets change nothing
    bool IsAtRest(const Config& config) const
    {
        return m_rateBps >= config.fMaxBps && m_branch != Branch::MD && m_branch != Branch::HOLD &&
               m_inputBps == 0;
    }

    /**
     * @param config AutoParmCond, AutoParmAbs
     * @param targetBps B_Tar
     * @param inputBps R_input
     * @param rateBps R
     * @return alpha: a power of two from 1/64 to 1/2 (AutoParm, equation 5)
     */
    static double AutoAlpha(const Config& config,
                            double targetBps,
                            double inputBps,
                            double rateBps);

    /// @return R, bit/s
    double GetRateBps() const
    {
        return m_rateBps;
    }

    /// @return R_input of the last period, bit/s
    double GetInputBps() const
    {
        return m_inputBps;
    }

    /// @return SD of the last period
    double GetSlowDown() const
    {
        return m_slowDown;
    }

    /// @return AvgRTT, us; 0 before the first packet
    double GetAvgRttUs() const
    {
        return m_avgRttUs;
    }

    /// @return QX of the last period, bytes; negative in some modes
    double GetExtraBytes() const
    {
        return m_extraBytes;
    }

    /// @return Q_p at the end of the last period, bytes
    uint64_t GetQueueBytes() const
    {
        return m_queueBytes;
    }

    /// @return Q_max of the last period, bytes; 0 if nothing came in
    uint64_t GetThresholdBytes() const
    {
        return m_thresholdBytes;
    }

    /// @return XOFFs sent in the last period on the ports that data came from
    uint64_t GetPauses() const
    {
        return m_pauses;
    }

    /// @return alpha of the last period; 0 unless the branch is AI
    double GetAlpha() const
    {
        return m_alpha;
    }

    /// @return branch of the last period
    Branch GetBranch() const
    {
        return m_branch;
    }

    /// @brief Set the state, for tests of a single step. @param rateBps R
    void SetState(double rateBps, double avgRttUs)
    {
        m_rateBps = rateBps;
        m_avgRttUs = m_avgLoopUs = avgRttUs;
    }

  private:
    double ExtraBytes(const Config& config, const Period& period) const;
    double Factor(const Config& config, double targetBps, double rttPs);
    bool MayDivide(const Config& config, int64_t index) const;
    double TargetBps(const Config& config, uint64_t queueBytes, uint64_t sentBytes) const;

    double m_lineRateBps{0};
    double m_rateBps{0};
    double m_inputBps{0};
    double m_slowDown{0};
    double m_avgRttUs{0};
    double m_avgLoopUs{0}; //!< AvgRTT, with 0 for packets whose senders get FCNPs
    double m_extraBytes{0};
    double m_alpha{0};
    uint64_t m_queueBytes{0};
    uint64_t m_thresholdBytes{0};
    uint64_t m_pauses{0};
    int64_t m_lastMd{INT64_MIN / 2}; //!< index of the period
    Branch m_branch{Branch::NONE};
};

} // namespace ns3::roce

#endif /* ROCE_WRCC_PORT_RATE_H */
