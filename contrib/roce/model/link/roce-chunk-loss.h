/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_CHUNK_LOSS_H
#define ROCE_CHUNK_LOSS_H

#include "roce-loss-model.h"

#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief Frames that arrive are counted in chunks; a chunk loses n of its frames, at random places,
 * with the n-th probability.
 *
 * This is how the published simulator of Uno (SC 2025) makes the losses of the paper's table 1:
 * ChunkFrames 10, Probabilities 3e-4,7.5e-5,1.6e-5 (profile uno-setup1), on every queue to, between
 * and from border switches, all flows together. See RunLoss for the other form.
 *
 * | Profile    | Probabilities          | mean loss rate |
 * |------------|------------------------|----------------|
 * | uno-setup1 | 3e-4,7.5e-5,1.6e-5     | 4.98e-5        |
 * | uno-setup2 | 4e-5,2.3e-5,4.9e-6     | 1.01e-5        |
 */
class ChunkLoss : public LossModel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Check() const override;

    bool CanLose() const override;

  private:
    bool DoIsLost(const Frame& frame, int64_t nowPs) override;
    void Restart() override;
    std::vector<double> Resolve() const;
    void BeginChunk();

    // attributes
    std::string m_profile;
    uint32_t m_chunkFrames{0};
    std::string m_probabilitiesText;

    bool m_started{false};
    std::vector<double> m_probabilities; //!< of 1, 2, ... losses, given that there are some
    double m_anyLoss{0};                 //!< probability that a chunk loses something
    uint64_t m_cleanChunks{0};           //!< to come before the next that loses something
    uint32_t m_place{0};                 //!< of the next frame in its chunk
    uint64_t m_lostPlaces{0};            //!< bit i: place i of the present chunk is lost
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_CHUNK_LOSS_H */
