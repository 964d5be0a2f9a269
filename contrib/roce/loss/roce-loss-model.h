// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LOSS_MODEL_H
#define ROCE_LOSS_MODEL_H

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-frame.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Decides which frames are lost on one direction of one link (attribute LossModel of the
 * Port they arrive at).
 *
 * A lost frame has taken its time on the link and then never arrives. The model is asked once for
 * every frame, in order of arrival, of all flows, so a model correlates neighbours on the link.
 *
 * - RandomLoss: independent losses.
 * - BurstLoss: a Gilbert-Elliott chain with a step for each frame.
 * - RunLoss: runs of lost frames with given statistics of their lengths.
 * - ChunkLoss: up to n frames of each chunk of N.
 * - ErrorModelLoss: those of an ErrorModel of ns-3.
 *
 * AffectsPfc is true by default: a fibre treats all frames alike. A lost XOFF then overruns the
 * headroom until it is refreshed, a lost XON keeps the peer paused until the pause runs out. With
 * AffectsPfc=false pause frames are neither lost nor counted as steps.
 */
class LossModel : public Object
{
  public:
    static TypeId GetTypeId();

    LossModel();
    ~LossModel() override;

    /// Streams that Network::AssignStreams() reserves for each port.
    static constexpr int64_t MAX_STREAMS = 4;

    /**
     * @brief Ask once for every frame.
     * @param frame has arrived
     * @return whether it is lost
     */
    bool IsLost(const Frame& frame, int64_t nowPs)
    {
        return (m_affectsPfc || frame.kind != FrameKind::PFC) && DoIsLost(frame, nowPs);
    }

    /**
     * @brief Restart the random choices, on a stream of their own.
     * @return number used, at most MAX_STREAMS
     */
    virtual int64_t AssignStreams(int64_t stream);

    /// @brief Check attributes against each other. Called before a run; models check again when
    /// they first need them. @throw InputError naming the attribute
    virtual void Check() const;

    /// @return name of the attribute that is the mean loss rate, or null if it follows from others
    virtual const char* GetRateAttribute() const
    {
        return nullptr;
    }

    /// @return whether it can ever lose a frame, with its attributes as they are, which Check()
    /// accepts
    virtual bool CanLose() const = 0;

  protected:
    /// Result of a draw that does not happen.
    static constexpr uint64_t NEVER = UINT64_MAX;

    /// @return a random number in (0, 1], in steps of 2^-53 or finer
    double DrawUniform();

    /**
     * @brief Number of failures before the first success of independent trials, exactly geometric.
     * @param p probability of success, 0 to 1
     * @return that number; NEVER if p is 0
     */
    uint64_t DrawGeometric(double p);

    /// @return index drawn with the given probabilities; what is missing to 1 goes to the last
    std::size_t DrawIndex(const std::vector<double>& probabilities);

  private:
    /**
     * @param frame one that this model is for
     * @param nowPs arrival time
     * @return whether it is lost
     */
    virtual bool DoIsLost(const Frame& frame, int64_t nowPs) = 0;

    /// The stream has changed: forget what was drawn from the old one.
    virtual void Restart() = 0;

    bool m_affectsPfc{true};
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3::roce

#endif /* ROCE_LOSS_MODEL_H */
