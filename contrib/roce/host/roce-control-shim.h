// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CONTROL_SHIM_H
#define ROCE_CONTROL_SHIM_H

#include "roce-congestion-control.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A filter between a queue pair and its rate law: it decides which events reach the law.
 *
 * Edge functions that steer an unmodified rate law from a switch have one (see
 * SwitchStage::GetSenderShim()). To the queue pair a shim is its rate law; what a subclass does not
 * override is forwarded to the law. Retune() gets a prototype of the law. OnSend(), OnAck(),
 * OnCnp(), OnNotification(), OnTimeout(), Advance(), NextRateChangePs(), Retune() and the outputs
 * are the subclass's own.
 */
class ControlShim : public CongestionControl
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    ControlShim() = default;
    ~ControlShim() override = default;

    /**
     * @brief Put the shim in front of a rate law. Before Start(); each fork has a fork of the law.
     * @param law prototype, not started
     */
    void SetLaw(Ptr<CongestionControl> law)
    {
        m_law = std::move(law);
    }

    /// @return the rate law; started when the shim is
    CongestionControl& GetLaw() const
    {
        return *m_law;
    }

    Ptr<const CongestionControl> GetInnerLaw() const override
    {
        return m_law;
    }

    bool NeedsTelemetry() const override
    {
        return m_law->NeedsTelemetry();
    }

    bool NeedsTimestamp() const override
    {
        return m_law->NeedsTimestamp();
    }

    bool IsEcnCapable() const override
    {
        return m_law->IsEcnCapable();
    }

    bool NeedsEcn() const override
    {
        return m_law->NeedsEcn();
    }

    uint32_t GetBurstBytes() const override
    {
        return m_law->GetBurstBytes();
    }

    Ptr<ReceiverFeedback> MakeFeedback() const override
    {
        return m_law->MakeFeedback();
    }

    const FrameExtension* GetDataExtension() const override
    {
        return m_law->GetDataExtension();
    }

    std::string GetWarning() const override
    {
        return m_law->GetWarning();
    }

    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override
    {
        m_law->GetVariables(nowPs, variables);
    }

  protected:
    /// @brief Copy parameters and fork the law. @param other the prototype
    ControlShim(const ControlShim& other);

  private:
    Ptr<CongestionControl> m_law;
};

} // namespace ns3::roce

#endif /* ROCE_CONTROL_SHIM_H */
