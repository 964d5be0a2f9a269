// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RUN_LOSS_H
#define ROCE_RUN_LOSS_H

#include "roce-loss-model.h"

#include "ns3/roce-with-parameters.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/// Parameters of RunLoss.
struct RunLossParams
{
    double startRate;
    std::string burstSizes;    //!< as given
    std::vector<double> sizes; //!< probabilities of runs of 1, 2, ... frames

    /// @return the parameters: attributes, profiles, ranges, meaning
    static const ParameterTable<RunLossParams>& Table();
};

/**
 * @ingroup roce
 * @brief Runs of consecutive lost frames on a link, with a given distribution of lengths.
 *
 * Each frame outside a run starts one with probability StartRate; its length is i with the i-th
 * probability of BurstSizes. Mean loss rate: StartRate times the mean length (for small rates).
 *
 * The other form of losses that come together is ChunkLoss, which scatters them.
 */
class RunLoss : public WithParameters<RunLoss, LossModel, RunLossParams>
{
  public:
    void Check() const override;

    bool CanLose() const override;

  private:
    bool DoIsLost(const Frame& frame, int64_t nowPs) override;
    void Restart() override;

    uint64_t m_survivors{0}; //!< until the next run
    uint64_t m_lose{0};      //!< left of the present run
};

} // namespace ns3::roce

#endif /* ROCE_RUN_LOSS_H */
