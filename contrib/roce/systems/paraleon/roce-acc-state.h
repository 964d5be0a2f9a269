// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ACC_STATE_H
#define ROCE_ACC_STATE_H

#include "ns3/roce-ecn-marker.h"

#include <array>
#include <cstdint>
#include <deque>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief State of one switch port over the last intervals for an agent of ACC, and the reward of an
 * interval. Plain arithmetic.
 *
 * ACC: Yan et al., Automatic ECN Tuning for High-Speed Datacenter Networks, SIGCOMM 2021.
 * Published: queue length, output rate, output rate of marked frames and the marking curve, over
 * several intervals; thresholds E(n) = 20 * 2^n KB for n = 0..9; a reward of utilisation and queue
 * level. The classes and the means in place of a sequence are ours: a table has to be small.
 */
class AccState
{
  public:
    static constexpr unsigned LEVELS = 10; //!< thresholds E(0) .. E(9)
    /// Classes of queue, utilisation, marked share, and Kmax, see GetCell().
    static constexpr std::array<unsigned, 4> CLASSES{4, 4, 3, 3};
    static constexpr unsigned CELLS = 4 * 4 * 3 * 3; //!< of the table: one for each state

    /// A port in one interval.
    struct Observation
    {
        double queueBytes{0};  //!< at its end
        double utilisation{0}; //!< bytes sent over those that fit, 0..1
        double markedShare{0}; //!< bytes marked over those that fit, 0..1
        EcnCurve curve;        //!< effective
    };

    /// Weights of the reward.
    struct Weights
    {
        double throughput; //!< omega_1
        double queue;      //!< omega_2
    };

    /// @return E(n) = 20 KB * 2^n, bytes. @param n below LEVELS
    static constexpr uint64_t ThresholdBytes(unsigned n)
    {
        return uint64_t{20000} << n;
    }

    /// @return how many of the thresholds a length exceeds, 0..LEVELS. @param bytes the length
    static unsigned LevelOf(double bytes);

    /**
     * @param observation of an interval
     * @param weights omega
     * @return omega_1 * utilisation + omega_2 * (1 - level of the queue / LEVELS)
     */
    static double RewardOf(const Observation& observation, const Weights& weights);

    /// @param intervals that the state reaches back, 1 or more
    explicit AccState(unsigned intervals = 1);

    /// @brief An interval is over. @param observation of it
    void Observe(const Observation& observation);

    /**
     * @return number of the state, below CELLS. Over the last intervals: mean level of the queue
     * (below 0.5, 3.5, 6.5, above), mean utilisation (below 0.3, 0.6, 0.9, above), mean share of
     * marked bytes (below 0.001, 0.1, above); and the level of Kmax now (below 4, 7, above)
     */
    unsigned GetCell() const;

    /// @return the classes of a cell, as in CLASSES. @param cell below CELLS
    static std::array<unsigned, 4> ClassesOf(unsigned cell);

    /// @return the cell. @param classes each below that of CLASSES
    static unsigned CellOf(const std::array<unsigned, 4>& classes);

  private:
    unsigned m_intervals;
    std::deque<Observation> m_seen; //!< the latest last
};

} // namespace ns3::roce

#endif /* ROCE_ACC_STATE_H */
