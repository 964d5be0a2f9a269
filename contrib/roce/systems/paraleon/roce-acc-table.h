// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ACC_TABLE_H
#define ROCE_ACC_TABLE_H

#include "ns3/roce-ecn-marker.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
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

    /// @brief An interval is over.
    void Observe(const Observation& observation);

    /**
     * @return number of the state, below CELLS. Over the last intervals: mean level of the queue
     * (below 0.5, 3.5, 6.5, above), mean utilisation (below 0.3, 0.6, 0.9, above), mean share of
     * marked bytes (below 0.001, 0.1, above); and the level of Kmax now (below 4, 7, above)
     */
    unsigned GetCell() const;

    /// @return the classes of a cell, as in CLASSES. @param cell below CELLS
    static std::array<unsigned, 4> ClassesOf(unsigned cell);

    /// @param classes each below that of CLASSES
    static unsigned CellOf(const std::array<unsigned, 4>& classes);

  private:
    unsigned m_intervals;
    std::deque<Observation> m_seen; //!< the latest last
};

/**
 * @brief What ACC's agents have learned: marking curves to choose from, and the value of each in
 * each state.
 *
 * ACC (see AccState) has a double deep Q-network with replay. Instead, this is double Q-learning
 * with a table: a value and a count for each state and action, and a second copy of the values, the
 * target, which is updated at intervals.
 */
class AccTable
{
  public:
    /// How it learns.
    struct Learning
    {
        double rate;           //!< least step; a value that is new takes means, 1 / count
        double discount;       //!< gamma: weight of the next state
        uint32_t targetPeriod; //!< steps between two updates of the target
    };

    /// What has happened between two states.
    struct Transition
    {
        unsigned cell;      //!< the state before, see AccState::GetCell()
        std::size_t action; //!< taken then
        double reward;      //!< of the interval between
        unsigned next;      //!< the state after
    };

    static constexpr std::size_t NONE = ~std::size_t{0}; //!< no action
    static constexpr uint32_t KNOWN = 30; //!< an action is known where it was tried this often
    static constexpr unsigned MAX_INTERVALS = 16; //!< of a state
    static constexpr unsigned MAX_ACTIONS = 256;

    AccTable() = default;

    /**
     * @brief An empty table.
     * @param intervals of a state, see AccState
     * @param actions curves to choose from, one or more
     */
    AccTable(unsigned intervals, std::vector<EcnCurve> actions);

    /// @return the table that comes with the module, made by train_acc
    static AccTable BuiltIn();

    /**
     * @brief Read a file that Print() has made, or one without values: an empty table.
     * @throw InputError with file, line, and what was expected
     */
    static AccTable Read(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @throw InputError as Read()
     */
    static AccTable Parse(std::istream& in, const std::string& name);

    /// @return as text, values with nine digits
    std::string Print() const;

    /// @return of a state
    unsigned GetIntervals() const
    {
        return m_intervals;
    }

    /// @return the curves to choose from
    const std::vector<EcnCurve>& GetActions() const
    {
        return m_actions;
    }

    /// @return the value of an action, 0 at first. @param cell of the state @param action index
    double ValueOf(unsigned cell, std::size_t action) const
    {
        return m_values[IndexOf(cell, action)];
    }

    /// @return how often it was tried. @param cell of the state @param action index
    uint32_t CountOf(unsigned cell, std::size_t action) const
    {
        return m_counts[IndexOf(cell, action)];
    }

    /// @return the action of the highest value among those KNOWN, the first of equal ones; NONE if
    /// none is. @param cell of the state
    std::size_t BestOf(unsigned cell) const;

    /**
     * @brief Double Q-learning: value += step * error, where error = reward + discount * (target's
     * value of the next state's best action by the values) - value, and step = max(rate, 1 /
     * count). If no action is known in the next state, it counts as the target's value of this one.
     * @return the error before the step
     */
    double Learn(const Transition& step, const Learning& learning);

  private:
    std::size_t IndexOf(unsigned cell, std::size_t action) const
    {
        return cell * m_actions.size() + action;
    }

    void Clear();

    unsigned m_intervals{0};
    std::vector<EcnCurve> m_actions;
    std::vector<double> m_values;   //!< by cell and action
    std::vector<double> m_target;   //!< m_values as they were
    std::vector<uint32_t> m_counts; //!< by cell and action
    uint32_t m_steps{0};            //!< since the target was updated
};

} // namespace ns3::roce

#endif /* ROCE_ACC_TABLE_H */
