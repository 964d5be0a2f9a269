// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_GUIDED_ANNEALING_H
#define ROCE_GUIDED_ANNEALING_H

#include "roce-flow-mix.h"
#include "roce-mutation-table.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3::roce
{

/**
 * @brief PARALEON's search for a setting: simulated annealing whose moves are guided by the mix of
 * flows (section III-C, Algorithm 1 of its paper), an interval at a time.
 *
 * Begin() starts a run and returns the first setting to deploy. At the end of each monitor interval
 * Advance() takes the utility of what is deployed, accepts or rejects that, and returns the next
 * one: a mutation, or the best setting if the run is over. Between runs it does nothing.
 *
 * Each parameter moves by its step times U(1/2, 1): with probability min(mu, Eta) in the direction
 * that suits the dominant kind of flows, mu being its share, else in the other.
 *
 * Random numbers of an interval, in this order: one for acceptance, if the utility has not risen;
 * with MutateCount, one for each parameter that moves; then for each of them, in the order of the
 * table, one for the step and one for the direction (Algorithm 1, lines 15 to 22).
 */
class GuidedAnnealing
{
  public:
    using Values = MutationTable::Values;

    /// What mutations start from.
    enum class MutationBase : uint8_t
    {
        BEST,    //!< the best setting so far (Algorithm 1 as printed)
        CURRENT, //!< the last one that was accepted (artifacts)
    };

    /// What is tried first.
    enum class StartSolution : uint8_t
    {
        INCUMBENT,      //!< what is deployed
        DEFAULT,        //!< the table's start; the incumbent is forgotten (artifact 1)
        DEFAULT_SCORED, //!< the same; the incumbent is the best so far (artifact 2)
    };

    /// What a trigger does during a run.
    enum class RestartPolicy : uint8_t
    {
        IGNORE,     //!< nothing (artifacts)
        RESET_BEST, //!< the next setting that is accepted is the best
    };

    /// Where a parameter goes.
    enum class Guidance : uint8_t
    {
        DOMINANT,       //!< what dominates now; probability min(mu, Eta)
        FIXED_DOMINANT, //!< what dominated at Begin(); min(its share now, Eta) (artifacts)
        NONE,           //!< up or down, one half each (No_FSD, naive annealing)
    };

    /// Parameters; see ParaleonParams::Table().
    struct Config
    {
        double initialTemperature;   //!< T0
        double finalTemperature;     //!< Tf: over once T <= Tf
        double coolingRate;          //!< below 1
        uint32_t iterationsPerLevel; //!< total_iter_num
        double utilityScale;         //!< utilities are multiplied before acceptance
        MutationBase mutationBase;
        StartSolution startSolution;
        RestartPolicy restartPolicy;
        Guidance guidance;
        double eta;       //!< greatest probability of the dominant direction
        bool adaptiveEta; //!< eta is 0.5 + 0.2 (1 - b), b the average of [dU < -0.01] (artifact 2)
        uint32_t mutateCount; //!< parameters that move at once; 0: all
        double leastStep;     //!< a step is U(leastStep, 1) times s_p
        bool rangeSteps;      //!< s_p is half the range between the bounds (naive annealing)
    };

    /**
     * @brief Set up; no run is on.
     * @param config copied
     * @param table what may be changed, one row or more; copied
     * @param random uniform on [0, 1), of this object alone
     */
    void Setup(const Config& config, const MutationTable& table, Ptr<RandomVariableStream> random);

    /**
     * @brief A run begins.
     * @param incumbent what is deployed
     * @param guide mix of flows
     * @param utility of the incumbent in the interval that has just ended, for DEFAULT_SCORED;
     * -infinity if unknown
     * @return what to deploy for the next interval
     */
    const Values& Begin(const Values& incumbent, const FlowShares& guide, double utility);

    /**
     * @brief An interval of the run has ended.
     * @param utility of what Begin() or Advance() returned last; NaN if unknown: not accepted
     * @param guide mix of flows now
     * @return what to deploy for the next interval; the best setting if the run is over
     */
    const Values& Advance(double utility, const FlowShares& guide);

    /// @brief The mix of flows has changed during a run.
    void OnTrigger();

    /// @brief Utilities so far do not compare with those to come: the next setting is accepted, and
    /// the best.
    void ForgetUtilities();

    /// @return whether a run is on
    bool IsRunning() const
    {
        return m_isRunning;
    }

    /// @return T
    double GetTemperature() const
    {
        return m_temperature;
    }

    /// @return intervals of this run (or the last one) so far
    uint32_t GetIterations() const
    {
        return m_iterations;
    }

    /// @return the best setting of the run so far; the incumbent if none is known
    const Values& GetBest() const
    {
        return m_best;
    }

    /// @return its utility; -infinity if none is known
    double GetBestUtility() const
    {
        return m_bestUtility;
    }

    /// @return the setting accepted last
    const Values& GetCurrent() const
    {
        return m_current;
    }

    double GetCurrentUtility() const
    {
        return m_currentUtility;
    }

    /// @return what is deployed
    const Values& GetDeployed() const
    {
        return m_deployed;
    }

    /// @return probability of the dominant direction. @param guide mix of flows
    double GetExploitation(const FlowShares& guide) const;

    /**
     * @param config UtilityScale
     * @param difference of utility, negative
     * @param temperature T
     * @return probability that a setting that is worse is accepted
     */
    static double GetAcceptance(const Config& config, double difference, double temperature);

    /// @return intervals of a whole run. @param config schedule
    static uint32_t GetRunLength(const Config& config);

    const MutationTable& GetTable() const
    {
        return m_table;
    }

  private:
    void Judge(double utility);
    void Mutate(const FlowShares& guide);
    void ChooseMoving();
    double Draw();

    Config m_config{};
    MutationTable m_table;
    Ptr<RandomVariableStream> m_random;
    bool m_isRunning{false};
    double m_temperature{0};
    uint32_t m_inLevel{0};          //!< intervals at this temperature
    uint32_t m_iterations{0};       //!< of the run
    bool m_towardsElephants{false}; //!< of FIXED_DOMINANT
    double m_badMoves{0};           //!< b of adaptiveEta
    Values m_best;
    double m_bestUtility{0};
    Values m_current;
    double m_currentUtility{0};
    Values m_deployed;                 //!< P_m
    std::vector<std::size_t> m_moving; //!< rows that move, in order
};

} // namespace ns3::roce

#endif /* ROCE_GUIDED_ANNEALING_H */
