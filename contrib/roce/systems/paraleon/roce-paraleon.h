// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARALEON_H
#define ROCE_PARALEON_H

#include "roce-guided-annealing.h"
#include "roce-paraleon-params.h"
#include "roce-tuning-utility.h"

#include "ns3/roce-tuner.h"
#include "ns3/roce-with-parameters.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief PARALEON: automatic tuning of DCQCN and ECN by the mix of flows (ICNP).
 *
 * Each monitor interval, SketchMonitors at ToR switches report how many elephants and mice there
 * are. When the mix has changed (Kullback-Leibler divergence above Theta), a run of guided
 * simulated annealing begins: in each interval all NICs and switches have one setting, and its
 * utility (throughput of the hosts' uplinks, RTT, pauses) decides the next one. At the end the best
 * setting stays.
 *
 * An interval in which no uplink was active and no RTT was measured does not measure a setting,
 * which then stays for another interval (artifacts: counts as one that is not accepted). Utility is
 * known only where NICs have reported: during a run.
 *
 * Which parameters are tuned is data (MutationTable): those of Dcqcn and EcnMarker by default, any
 * live ones of other rate laws and stages with attribute Tuned. Parameters, their values in the
 * profiles, and the sources: see ParaleonParams::Table().
 */
class Paraleon : public WithParameters<Paraleon, Tuner, ParaleonParams>
{
  public:
    Paraleon();

    std::vector<std::string> GetColumns() const override;

    /// @return runs of annealing so far
    uint32_t GetRuns() const
    {
        return m_runs;
    }

  protected:
    void DoDispose() override;
    void DoInstall() override;
    TuningAgents::Options GetAgents(const TunedNetwork& network) const override;
    bool WantsNicReports() const override;
    void OnInterval(const TuningReports& reports) override;
    int64_t DoAssignStreams(int64_t stream) override;

    /// @return 76: PARALEON sends all 19 parameters of the vendor's list (its paper, table IV)
    uint32_t GetDispatchBytes(std::size_t values) const override;

  private:
    MutationTable MakeTable() const;
    std::vector<Setting> ToSettings(const GuidedAnnealing::Values& values) const;
    bool IsPlainBytes(const TunedParameter& row) const;
    void CheckTable() const;
    void Deploy(const GuidedAnnealing::Values& values);
    void Weigh();
    void Tell(const std::string& state, const TuningUtility::Terms* terms);

    MutationTable m_table;
    FlowMix m_mix;
    UtilityMeter m_meter;
    TuningUtility::Weights m_weights{}; //!< in force
    GuidedAnnealing m_annealing;
    GuidedAnnealing::Values m_deployed;
    Ptr<UniformRandomVariable> m_searchRandom;
    uint32_t m_runs{0};
    uint64_t m_candidate{0}; //!< settings deployed so far
};

} // namespace ns3::roce

#endif /* ROCE_PARALEON_H */
