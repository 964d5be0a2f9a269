// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ACC_TABLE_H
#define ROCE_ACC_TABLE_H

#include "ns3/roce-ecn-marker.h"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
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
     * @param path the file
     * @return the table
     * @throw InputError with file, line, and what was expected
     */
    static AccTable Read(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name for messages
     * @return the table
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
     * @param step what has happened
     * @param learning how
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
