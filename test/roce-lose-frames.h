// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LOSE_FRAMES_H
#define ROCE_LOSE_FRAMES_H

#include "ns3/roce-loss-model.h"
#include "ns3/roce-port.h"

#include <functional>
#include <utility>

namespace ns3::roce::test
{

/// Loses the frames that a function names.
class NamedLoss : public LossModel
{
  public:
    /// @param lose asked for every arriving frame
    explicit NamedLoss(std::function<bool(const Frame&)> lose)
        : m_lose(std::move(lose))
    {
    }

    bool CanLose() const override
    {
        return true;
    }

  private:
    bool DoIsLost(const Frame& frame, int64_t) override
    {
        return m_lose(frame);
    }

    void Restart() override
    {
    }

    std::function<bool(const Frame&)> m_lose;
};

/**
 * @brief Lose frames on their way to a port.
 * @param port gets a loss model, in place of the one it has
 * @param lose asked for every arriving frame; true loses it
 */
inline void
LoseFrames(const Ptr<Port>& port, std::function<bool(const Frame&)> lose)
{
    port->SetLossModel(CreateObject<NamedLoss>(std::move(lose)));
}

} // namespace ns3::roce::test

#endif /* ROCE_LOSE_FRAMES_H */
