// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LCMP_H
#define ROCE_LCMP_H

#include "roce-path-policy.h"

#include "ns3/roce-with-parameters.h"

#include <utility>
#include <vector>

namespace ns3::roce
{

/// Parameters of Lcmp.
struct LcmpParams
{
    bool ofPath;
    int64_t maxDelayPs;
    uint64_t maxRateBps;
    uint32_t delayWeight, rateWeight, qualityShift;
    uint64_t queueCapacityBytes;
    uint64_t fullQueueBytes;
    uint32_t queueWeight, trendWeight, durationWeight, congestionShift;
    uint32_t qualityShare, congestionShare, totalShift;
    int64_t idleTimeoutPs;

    static const ParameterTable<LcmpParams>& Table();
};

/**
 * @brief LCMP (EuroSys 2026): a switch sends the flows of a pair of datacenters over ways of
 * unequal delay and rate, as its authors' simulator does.
 *
 * For a flow's first frame each way gets a cost of 0 to 255, a weighted sum of its quality (delay
 * and rate) and of the congestion of its port (length of the queue, trend of that, and how often it
 * was found long). The flow takes one of the cheaper half by hash, among those below 80 % of the
 * highest cost, and stays there until it has been idle or the way has gone.
 */
class Lcmp : public WithParameters<Lcmp, PathPolicy, LcmpParams>
{
  public:
    uint32_t Choose(const Question& question) override;
    void Count(std::map<std::string, uint64_t>& counters) const override;

    /// @return cost of quality, 0 to 255. @param path at this switch
    uint32_t QualityCost(const PathEntry& path) const;

  private:
    /// What is known of a port's queue.
    struct PortState
    {
        QueueTrend queue; //!< from decision to decision
        uint32_t timesLong{0};
    };

    void DoInstall(Switch& sw) override;
    uint32_t CongestionCost(const PathEntry& path);
    uint32_t Decide(const Question& question);

    std::vector<PortState> m_ports;
    StickyWays m_ways;
    std::vector<std::pair<uint32_t, uint32_t>> m_costs; //!< scratch: cost, index
};

} // namespace ns3::roce

#endif /* ROCE_LCMP_H */
