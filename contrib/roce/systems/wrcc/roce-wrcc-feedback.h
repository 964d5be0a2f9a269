// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WRCC_FEEDBACK_H
#define ROCE_WRCC_FEEDBACK_H

#include "ns3/roce-receiver-feedback.h"

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief WRCC's receiver: an ACK has the header of the data that it answers, with the receiver's
 * domain in place of the sender's (WRCC, section 3.5).
 */
class WrccFeedback : public ReceiverFeedback
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    Ptr<ReceiverFeedback> Fork() const override;
    void Start(const PathInfo& path, int64_t nowPs) override;
    void FillAck(Frame& ack, const Frame& data, int64_t nowPs) override;

    bool CanRetuneLate() const override
    {
        return true; // no parameters
    }

  private:
    uint16_t m_domain{0}; //!< of the receiver
};

} // namespace ns3::roce

#endif /* ROCE_WRCC_FEEDBACK_H */
