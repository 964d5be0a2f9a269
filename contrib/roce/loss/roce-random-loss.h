// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANDOM_LOSS_H
#define ROCE_RANDOM_LOSS_H

#include "roce-loss-model.h"

#include "ns3/roce-with-parameters.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A loss model that draws its losses by parameters.
 *
 * @tparam SELF the model
 * @tparam P its parameters; their table checks them against each other
 */
template <typename SELF, typename P>
class DrawnLoss : public WithParameters<SELF, LossModel, P>
{
  public:
    void Check() const override
    {
        this->m_parameters.Get();
    }

  private:
    bool DoIsLost(const Frame&, int64_t) override
    {
        // Other parameters than at the last frame start anew, too.
        if (this->m_p != this->m_parameters.Get())
        {
            this->m_p = this->m_parameters.Get();
            Begin();
        }
        return IsNextLost();
    }

    void Restart() override
    {
        this->m_p = nullptr;
    }

    /// Draw what comes first: there was no frame yet.
    virtual void Begin() = 0;
    /// @return whether the next frame is lost
    virtual bool IsNextLost() = 0;
};

/// Parameters of RandomLoss.
struct RandomLossParams
{
    double rate; //!< probability that a frame is lost

    static const ParameterTable<RandomLossParams>& Table();
};

/**
 * @brief Every frame is lost with the same probability, independently.
 *
 * The number of frames that survive until the next loss is drawn, a geometric number: the same
 * distribution as a draw for each frame, but a surviving frame costs a decrement.
 */
class RandomLoss : public DrawnLoss<RandomLoss, RandomLossParams>
{
  public:
    bool CanLose() const override
    {
        return GetParams().rate > 0;
    }

    const char* GetRateAttribute() const override
    {
        return "Rate";
    }

  private:
    void Begin() override;
    bool IsNextLost() override;

    uint64_t m_survivors{0}; //!< until the next loss
};

/// Parameters of BurstLoss.
struct BurstLossParams
{
    double lossRate;
    double meanBurst;
    double leave[2]; //!< probability to leave good, bad; as given, then by all parameters
    double loss[2];  //!< probability of loss in good, bad

    static const ParameterTable<BurstLossParams>& Table();
};

/**
 * @brief Correlated losses by the chain of Gilbert (1960) and Elliott (1963): a good and a bad
 * state, a loss probability for each, a step after each frame.
 *
 * With p = GoodToBad, r = BadToGood, kG = LossGood, kB = LossBad, in the steady state in which the
 * chain starts:
 *
 *   P(bad) = p / (p + r),   loss rate = (p kB + r kG) / (p + r),
 *   frames in the bad state: geometric with mean 1/r.
 *
 * By default p and r are not given but follow from the mean loss rate and MeanBurst = 1/r:
 *
 *   P(bad) = (LossRate - kG) / (kB - kG),   p = r P(bad) / (1 - P(bad)).
 *
 * With kG = 0 and kB = 1 (the defaults) a loss burst is a run of lost frames of geometric length
 * with mean MeanBurst. Runs and gaps are drawn as geometric numbers, so a surviving frame costs two
 * decrements.
 */
class BurstLoss : public DrawnLoss<BurstLoss, BurstLossParams>
{
  public:
    bool CanLose() const override
    {
        return GetMeanLossRate() > 0;
    }

    const char* GetRateAttribute() const override
    {
        return "LossRate";
    }

    /// @return mean loss rate by the closed form
    double GetMeanLossRate() const;

  private:
    void Begin() override;
    bool IsNextLost() override;
    void Enter(bool bad);

    bool m_bad{false};
    uint64_t m_stay{0};      //!< frames until the state is left
    uint64_t m_survivors{0}; //!< until the next loss, if the state stays
};

/// Parameters of RunLoss.
struct RunLossParams
{
    double startRate;
    std::string burstSizes;    //!< as given
    std::vector<double> sizes; //!< probabilities of runs of 1, 2, ... frames

    static const ParameterTable<RunLossParams>& Table();
};

/**
 * @brief Runs of consecutive lost frames on a link, with a given distribution of lengths.
 *
 * Each frame outside a run starts one with probability StartRate; its length is i with the i-th
 * probability of BurstSizes. Mean loss rate: StartRate times the mean length (for small rates).
 *
 * The other form of losses that come together is ChunkLoss, which scatters them.
 */
class RunLoss : public DrawnLoss<RunLoss, RunLossParams>
{
  public:
    bool CanLose() const override
    {
        return GetParams().startRate > 0;
    }

  private:
    void Begin() override;
    bool IsNextLost() override;

    uint64_t m_survivors{0}; //!< until the next run
    uint64_t m_lose{0};      //!< left of the present run
};

/// Parameters of ChunkLoss.
struct ChunkLossParams
{
    uint32_t chunkFrames;
    std::string probabilities;  //!< as given
    double anyLoss;             //!< probability that a chunk loses something
    std::vector<double> losses; //!< probabilities of 1, 2, ... losses, given that there are some

    static const ParameterTable<ChunkLossParams>& Table();
};

/**
 * @brief Frames that arrive are counted in chunks; a chunk loses n of its frames, at random places,
 * with the n-th probability.
 */
class ChunkLoss : public DrawnLoss<ChunkLoss, ChunkLossParams>
{
  public:
    bool CanLose() const override
    {
        return GetParams().anyLoss > 0;
    }

  private:
    void Begin() override;
    bool IsNextLost() override;
    void BeginChunk();

    uint64_t m_cleanChunks{0}; //!< to come before the next that loses something
    uint32_t m_place{0};       //!< of the next frame in its chunk
    uint64_t m_lostPlaces{0};  //!< bit i: place i of the present chunk is lost
};

} // namespace ns3::roce

#endif /* ROCE_RANDOM_LOSS_H */
