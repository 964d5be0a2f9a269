// SPDX-License-Identifier: GPL-2.0-only
#include "roce-transport-profile.h"

#include "roce-control-shim.h"

#include "ns3/roce-api-check.h"

#include <utility>

namespace ns3::roce
{

TransportProfile::TransportProfile(Ptr<CongestionControl> law,
                                   Ptr<LossRecovery> recovery,
                                   Ptr<PathSelector> selector,
                                   uint8_t number)
    : m_law(std::move(law)),
      m_recovery(std::move(recovery)),
      m_selector(std::move(selector)),
      m_number(number)
{
}

const Ptr<ReceiverFeedback>&
TransportProfile::GetFeedback() const
{
    if (!m_feedback)
    {
        m_feedback = CheckMade(m_law->MakeFeedback(), *m_law, "MakeFeedback()");
    }
    return m_feedback;
}

Ptr<CongestionControl>
TransportProfile::GetOwnLaw() const
{
    const Ptr<ControlShim> shim = DynamicCast<ControlShim>(m_law);
    return shim ? Ptr<CongestionControl>(&shim->GetLaw()) : m_law;
}

void
TransportProfile::Retune(const Ptr<CongestionControl>& law)
{
    if (Ptr<ControlShim> shim = DynamicCast<ControlShim>(m_law))
    {
        shim->SetLaw(law);
    }
    else
    {
        m_law = law;
    }
    m_feedback = nullptr;
    ++m_version;
}

} // namespace ns3::roce
