// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UTILITY_METER_H
#define ROCE_UTILITY_METER_H

#include "roce-paraleon-params.h"
#include "roce-tuning-utility.h"

#include "ns3/roce-tuning-agents.h"

#include <cstdint>
#include <functional>
#include <unordered_map>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief TuningUtility of a network: computes its terms from reports of agents. For any Tuner.
 */
class UtilityMeter
{
  public:
    /**
     * @brief Begin: a SketchMonitor, which counts bytes from hosts, comes to each ToR switch.
     * @param network what is measured; paths are asked for when a pair is first seen
     * @param params monitors and utility
     */
    void Start(const TunedNetwork& network, const ParaleonParams& params);

    /// @return the devices that have to report. @param config of the utility
    static TuningAgents::Options GetAgents(const TuningUtility::Config& config);

    /// @param reports of an interval. @param weights of the terms. @return the terms
    TuningUtility::Terms Measure(const TuningReports& reports,
                                 const TuningUtility::Weights& weights);

    /// @return the utility that it fills
    const TuningUtility& GetUtility() const
    {
        return m_utility;
    }

  private:
    int64_t RoundTripOf(uint32_t src, uint32_t dst);

    TuningUtility m_utility;
    TuningUtility::Config m_config{};
    std::function<PathInfo(uint32_t, uint32_t)> m_pathInfo;
    std::unordered_map<uint64_t, int64_t> m_roundTripsPs; //!< by src << 32 | dst; no iteration
};

} // namespace ns3::roce

#endif /* ROCE_UTILITY_METER_H */
