// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DOOR_FEEDBACK_H
#define ROCE_DOOR_FEEDBACK_H

#include "ns3/roce-receiver-feedback.h"

namespace ns3::roce::test
{

/// Grants a share of the line rate, in each ACK and, while data comes, by a CNP in each period.
class DoorFeedback : public ReceiverFeedback
{
  public:
    /**
     * @param share granted rate over line rate
     * @param periodPs time between two CNPs
     */
    DoorFeedback(double share, int64_t periodPs)
        : m_share(share),
          m_periodPs(periodPs)
    {
    }

    static TypeId GetTypeId();
    Ptr<ReceiverFeedback> Fork() const override;
    void Start(const PathInfo& path, int64_t nowPs) override;
    void OnData(const Frame& data, int64_t nowPs, ReplySink& sink) override;
    void FillAck(Frame& ack, const Frame& data, int64_t nowPs) override;
    void OnTimer(int64_t nowPs, ReplySink& sink) override;
    void Retune(const ReceiverFeedback& prototype, int64_t nowPs) override;

  private:
    double m_share;
    int64_t m_periodPs;
    double m_lineRateBps{0};
    bool m_hasData{false}; //!< since the last CNP
};

} // namespace ns3::roce::test

#endif /* ROCE_DOOR_FEEDBACK_H */
