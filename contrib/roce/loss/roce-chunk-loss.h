// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CHUNK_LOSS_H
#define ROCE_CHUNK_LOSS_H

#include "roce-loss-model.h"

#include "ns3/roce-with-parameters.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/// Parameters of ChunkLoss.
struct ChunkLossParams
{
    uint32_t chunkFrames;
    std::string probabilities;  //!< as given
    double anyLoss;             //!< probability that a chunk loses something
    std::vector<double> losses; //!< probabilities of 1, 2, ... losses, given that there are some

    /// @return the parameters: attributes, profiles, ranges, meaning
    static const ParameterTable<ChunkLossParams>& Table();
};

/**
 * @ingroup roce
 * @brief Frames that arrive are counted in chunks; a chunk loses n of its frames, at random places,
 * with the n-th probability.
 */
class ChunkLoss : public WithParameters<ChunkLoss, LossModel, ChunkLossParams>
{
  public:
    void Check() const override;

    bool CanLose() const override;

  private:
    bool DoIsLost(const Frame& frame, int64_t nowPs) override;
    void Restart() override;
    void BeginChunk();

    uint64_t m_cleanChunks{0}; //!< to come before the next that loses something
    uint32_t m_place{0};       //!< of the next frame in its chunk
    uint64_t m_lostPlaces{0};  //!< bit i: place i of the present chunk is lost
};

} // namespace ns3::roce

#endif /* ROCE_CHUNK_LOSS_H */
