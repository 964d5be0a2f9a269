// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DEPLOYMENT_H
#define ROCE_DEPLOYMENT_H

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-loss-recovery.h"
#include "ns3/roce-path-selector.h"
#include "ns3/roce-receiver-feedback.h"
#include "ns3/roce-switch-role.h"
#include "ns3/roce-switch-stage.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief What runs together in one network. The one place where rate laws, feedbacks, loss
 * recoveries, path selectors and switch stages check what they need of each other.
 *
 * Network::Build() fills one and calls Check(). Needs that many share (ECN marks, telemetry, one
 * shim) are checked here; for others a part overrides its Check().
 */
class Deployment
{
  public:
    /// What the queue pairs of some NICs use.
    struct Transport
    {
        bool interDc{false};              //!< those that leave their datacenter, or the others
        uint64_t lineRateBps{0};          //!< of these NICs, bit/s
        Ptr<const CongestionControl> law; //!< without any shim
        Ptr<const ReceiverFeedback> feedback;
        Ptr<const LossRecovery> recovery;
        Ptr<const PathSelector> selector;
    };

    /// @param transport another one
    void Add(const Transport& transport);

    /// @param stage one of its kind; need not be installed. @param where the switches that have it
    void Add(Ptr<const SwitchStage> stage, SwitchRole where);

    const std::vector<Transport>& GetTransports() const
    {
        return m_transports;
    }

    /**
     * @param interDc for data that leave their datacenter
     * @return whether some switch on the way marks ECN-capable frames
     */
    bool HasMarks(bool interDc) const;

    /**
     * @param interDc for data that leave their datacenter
     * @return whether some switch on the way stamps telemetry
     */
    bool HasTelemetry(bool interDc) const;

    /**
     * @param typeName of a stage, with ns3::roce::
     * @param interDc for data that leave their datacenter
     * @return whether some switch on the way has it, or may still get it (ExpectMoreStages())
     */
    bool HasStage(const std::string& typeName, bool interDc) const;

    /**
     * @return the ControlShim that queue pairs leaving a datacenter need, in ObjectFactory's text
     * form, or nothing
     */
    std::string GetSenderShim() const;

    /// @brief The program installs further stages itself: a part that needs a missing one is not
    /// refused.
    void ExpectMoreStages()
    {
        m_moreStages = true;
    }

    /**
     * @brief Refuse combinations that cannot work. @throw InputError that says which part needs
     * what
     */
    void Check() const;

  private:
    /// A stage and where it is.
    struct Place
    {
        Ptr<const SwitchStage> stage;
        SwitchRole where;
    };

    void CheckShims() const;
    void CheckNeeds(const Transport& transport) const;

    template <typename PREDICATE>
    bool HasAnyStage(bool interDc, PREDICATE predicate) const;

    std::vector<Transport> m_transports;
    std::vector<Place> m_stages;
    bool m_moreStages{false}; //!< see ExpectMoreStages()
};

} // namespace ns3::roce

#endif /* ROCE_DEPLOYMENT_H */
