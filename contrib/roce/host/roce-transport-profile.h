// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TRANSPORT_PROFILE_H
#define ROCE_TRANSPORT_PROFILE_H

#include "roce-congestion-control.h"
#include "roce-loss-recovery.h"
#include "roce-path-selector.h"

#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3::roce
{

/**
 * @brief The parts of queue pairs within a datacenter or across: prototypes of rate law, loss
 * recovery and path selector at the sender, and of the feedback at the receiver.
 *
 * The sender's NIC makes it from its attributes. Receivers reserved for that sender hold it, too,
 * and are made from it.
 */
class TransportProfile : public SimpleRefCount<TransportProfile>
{
  public:
    /**
     * @param law prototype, perhaps a ControlShim with the law behind it
     * @param recovery prototype
     * @param selector prototype
     * @param number see GetNumber()
     */
    TransportProfile(Ptr<CongestionControl> law,
                     Ptr<LossRecovery> recovery,
                     Ptr<PathSelector> selector,
                     uint8_t number = 0);

    /// @return FlowSpec::law of the flows that it is for
    uint8_t GetNumber() const
    {
        return m_number;
    }

    /// @return the rate law, not started
    const Ptr<CongestionControl>& GetLaw() const
    {
        return m_law;
    }

    /// @return the rate law without the shim in front of it, if there is one: what Retune()
    /// replaces
    Ptr<CongestionControl> GetOwnLaw() const;

    /// @return the loss recovery
    const Ptr<LossRecovery>& GetRecovery() const
    {
        return m_recovery;
    }

    /// @return the path selector, not started
    const Ptr<PathSelector>& GetSelector() const
    {
        return m_selector;
    }

    /// @return the feedback, not started; made by the rate law when first asked for
    const Ptr<ReceiverFeedback>& GetFeedback() const;

    /// @return changes with each Retune()
    uint32_t GetVersion() const
    {
        return m_version;
    }

    /// @return whether data frames carry a time stamp
    bool NeedsTimestamp() const
    {
        return m_law->NeedsTimestamp() || m_selector->NeedsTimestamp();
    }

    /**
     * @param intHeaderBytes charged to a frame with INT before the first hop
     * @return bytes of INT and time stamp in each data frame as it leaves the NIC
     */
    uint32_t GetTelemetryBytes(uint32_t intHeaderBytes) const
    {
        return (m_law->NeedsTelemetry() ? intHeaderBytes : 0) +
               (NeedsTimestamp() ? TIMESTAMP_BYTES : 0);
    }

    /// @return bytes of the rate law's extension in a frame. @param kind of the frame
    uint32_t GetExtensionBytes(FrameKind kind) const
    {
        const FrameExtension* extension = m_law->GetDataExtension();
        return extension && (kind == FrameKind::DATA || extension->IsEchoed())
                   ? extension->GetWireBytes(kind)
                   : 0;
    }

    /**
     * @brief New queue pairs have this law from now on, behind the shim if there is one.
     * @param law prototype
     */
    void Retune(const Ptr<CongestionControl>& law);

  private:
    Ptr<CongestionControl> m_law;
    Ptr<LossRecovery> m_recovery;
    Ptr<PathSelector> m_selector;
    mutable Ptr<ReceiverFeedback> m_feedback;
    uint32_t m_version{0};
    uint8_t m_number;
};

} // namespace ns3::roce

#endif /* ROCE_TRANSPORT_PROFILE_H */
