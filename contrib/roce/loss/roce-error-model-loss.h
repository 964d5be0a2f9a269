// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ERROR_MODEL_LOSS_H
#define ROCE_ERROR_MODEL_LOSS_H

#include "roce-loss-model.h"

namespace ns3
{

class ErrorModel;

namespace roce
{

/**
 * @brief Lets an ErrorModel of ns-3 decide (RateErrorModel, BurstErrorModel, ReceiveListErrorModel
 * or one's own).
 *
 * The model is given a packet of zeros of the frame's size, MAC header to FCS, made for each frame:
 * an allocation and a virtual call or two, so this is for existing models, not for speed.
 * ListErrorModel knows packets by their uid, which is new for each frame and counted over the whole
 * program; use ReceiveListErrorModel instead, which counts the frames of its port. Several threads
 * use it one at a time (ObjectLock), and refuse ListErrorModel.
 */
class ErrorModelLoss : public LossModel
{
  public:
    static TypeId GetTypeId();

    ~ErrorModelLoss() override;

    /// Streams are those of RateErrorModel and BurstErrorModel; other models keep their own.
    int64_t AssignStreams(int64_t stream) override;

    void Check() const override;

    bool CanLose() const override;

    /// @param model attribute ErrorModel
    void SetErrorModel(Ptr<ErrorModel> model);

    /// @return attribute ErrorModel
    Ptr<ErrorModel> GetErrorModel() const;

  protected:
    void DoDispose() override;

  private:
    bool DoIsLost(const Frame& frame, int64_t nowPs) override;
    void Restart() override;

    Ptr<ErrorModel> m_model;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_ERROR_MODEL_LOSS_H */
