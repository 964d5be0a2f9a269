// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_MIX_H
#define ROCE_FLOW_MIX_H

#include "roce-flow-states.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// Elephants and mice: masses of one switch or of several, or shares of a network (sum 1).
struct FlowShares
{
    double elephants{0};
    double mice{0};

    /// @brief Add those of another switch. @param other its masses
    FlowShares& operator+=(const FlowShares& other)
    {
        elephants += other.elephants;
        mice += other.mice;
        return *this;
    }

    /// @return whether elephants dominate; also if there are as many (as PARALEON's artifact)
    bool ElephantsDominate() const
    {
        return elephants >= mice;
    }
};

/**
 * @brief PARALEON's flow size distribution: the mix of elephants and mice in the network, and
 * whether it has changed (sections III-A to III-C of its paper).
 *
 * Switches add up their flows with Weigh(); the controller adds up the switches and passes the sum
 * to Update() once a monitor interval. It triggers if KL(R_t || R_t-1), in nats, is above Theta,
 * and for the first flows at all. An interval without flows leaves everything as it was.
 */
class FlowMix
{
  public:
    /// How likely a potential elephant is to become an elephant: its share of the elephants' mass.
    enum class PeWeight : uint8_t
    {
        CUMULATIVE, //!< min(1, Phi / Tau)
        SIGMOID,    //!< 1 / (1 + exp(-k)), k its age in intervals as a potential elephant, from 0
    };

    /// Parameters; see ParaleonParams::Table().
    struct Config
    {
        PeWeight peWeight;    //!< w
        bool peComplement;    //!< a potential elephant adds 1 - w to the mice
        double klSmoothing;   //!< added to each share before KL; 0: KL may be infinite
        double theta;         //!< nats
        bool guideByBothOnly; //!< GetGuide() is the mix before if one of the two is 0 (artifacts)
    };

    /// @brief Begin with no flows. @param config copied
    void Start(const Config& config);

    /**
     * @brief The masses of a switch.
     * @param config how to weigh
     * @param flows of the interval
     * @param tau threshold of elephants in the unit of the flows
     * @return masses, not normalised
     */
    static FlowShares Weigh(const Config& config,
                            const std::vector<FlowStates::Flow>& flows,
                            uint64_t tau);

    /**
     * @brief Kullback-Leibler divergence in nats.
     * @param now R_t, sum 1
     * @param before R_t-1, sum 1
     * @param smoothing added to each share, which are then normalised again
     * @return KL(now || before); infinite without smoothing if a class was 0 and is not
     */
    static double Divergence(const FlowShares& now, const FlowShares& before, double smoothing);

    /**
     * @brief A monitor interval has ended.
     * @param masses of all switches
     * @return whether tuning shall begin
     */
    bool Update(const FlowShares& masses);

    /// @return whether there were flows yet
    bool IsKnown() const
    {
        return m_isKnown;
    }

    /// @return R_t; 1/2 each before the first flows
    const FlowShares& GetShares() const
    {
        return m_shares;
    }

    /// @return what guides mutations: R_t; see Config::guideByBothOnly
    const FlowShares& GetGuide() const
    {
        return m_guide;
    }

    /// @return KL of the last comparison; 0 before the second
    double GetDivergence() const
    {
        return m_divergence;
    }

  private:
    Config m_config{};
    bool m_isKnown{false};
    double m_divergence{0};
    FlowShares m_shares{0.5, 0.5};
    FlowShares m_guide{0.5, 0.5};
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_MIX_H */
