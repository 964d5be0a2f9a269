// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DOOR_LAW_H
#define ROCE_DOOR_LAW_H

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-parameters.h"

#include <memory>

namespace ns3::roce::test
{

/// What the dummy system puts into data, ACKs and CNPs.
struct DoorMark
{
    uint32_t psn;     //!< set by the sender
    uint16_t epoch;   //!< set by the sender: Retune()s so far
    uint16_t hops;    //!< counted by DoorStage
    double grantRate; //!< set by the receiver, bit/s
    static const FrameExtension EXTENSION;
};

/// Parameters of DoorLaw.
struct DoorParams
{
    double initialShare;
    double gain;
    double minRateBps;
    double cut;
    int64_t grantPeriodPs;
    double grantShare;
    static const ParameterTable<DoorParams>& Table();
};

/// Goes to the rate that the receiver grants, by ACK or CNP; a notification cuts it.
class DoorLaw : public CongestionControl
{
  public:
    static constexpr uint32_t KIND = 0x446f6f; //!< of DoorStage's notifications

    static TypeId GetTypeId();
    Ptr<CongestionControl> Fork() const override;
    Ptr<ReceiverFeedback> MakeFeedback() const override;
    const FrameExtension* GetDataExtension() const override;
    void OnSend(const SendInfo& sent) override;
    void OnAck(const AckInfo& ack) override;
    void OnCnp(const CnpInfo& cnp) override;
    void OnNotification(const Notification& notification) override;
    void Retune(const CongestionControl& prototype, int64_t nowPs) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

  private:
    void DoStart(int64_t nowPs) override;
    void MoveTo(double rateBps);

    Parameters<DoorParams> m_parameters;
    std::shared_ptr<const DoorParams> m_p; //!< in force since Start() or Retune()
    double m_rate{0};
    uint32_t m_granted{0};  //!< by CNP
    uint32_t m_echoes{0};   //!< ACKs with the mark of the present epoch
    uint32_t m_hops{0};     //!< of the last mark
    uint32_t m_notified{0}; //!< cuts
    uint16_t m_epoch{0};
};

} // namespace ns3::roce::test

#endif /* ROCE_DOOR_LAW_H */
