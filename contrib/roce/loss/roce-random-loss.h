// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANDOM_LOSS_H
#define ROCE_RANDOM_LOSS_H

#include "roce-loss-model.h"

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Every frame is lost with the same probability, independently.
 *
 * The number of frames that survive until the next loss is drawn, a geometric number: the same
 * distribution as a draw for each frame, but a surviving frame costs a decrement.
 */
class RandomLoss : public LossModel
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    bool CanLose() const override;

    const char* GetRateAttribute() const override
    {
        return "Rate";
    }

  private:
    bool DoIsLost(const Frame& frame, int64_t nowPs) override;
    void Restart() override;
    void SetRate(double rate);
    double GetRate() const;

    double m_rate{0};
    bool m_drawn{false};
    uint64_t m_survivors{0}; //!< until the next loss
};

} // namespace ns3::roce

#endif /* ROCE_RANDOM_LOSS_H */
