// SPDX-License-Identifier: GPL-2.0-only
#include "roce-dcqcn-plus.h"

#include "roce-dcqcn-plus-feedback.h"

#include <algorithm>

namespace ns3::roce
{

Ptr<CongestionControl>
DcqcnPlus::Fork() const
{
    Resolve(); // once for all forks
    return CopyObject<DcqcnPlus>(this);
}

Ptr<ReceiverFeedback>
DcqcnPlus::MakeFeedback() const
{
    Ptr<DcqcnPlusFeedback> feedback = CreateObject<DcqcnPlusFeedback>();
    feedback->Configure(m_plusParameters.Get());
    return feedback;
}

void
DcqcnPlus::TakeOver()
{
    // Periods are set by CNPs.
    m_plus = static_cast<const DcqcnPlusParams*>(m_inForce.get());
    m_flows = m_hasState ? m_flows : 0;
    m_tauPs = m_hasState ? m_tauPs : 0;
}

void
DcqcnPlus::OnCnp(const CnpInfo& cnp)
{
    Advance(cnp.nowPs);
    if (m_hasState)
    {
        AdvanceAlpha(cnp.nowPs);
        m_alphaTickPs = cnp.nowPs; // a new period begins
    }
    const auto* load = cnp.extension.As<DcqcnPlusHeader>();
    m_flows = load ? load->flows : 0;
    m_tauPs = load ? int64_t{load->tauNs} * 1000 : 0;
    constexpr double LONGEST_PS = 1e17; // now and this are below 2^63 ps
    const double xPs = std::max({static_cast<double>(m_plus->leastTauPs),
                                 static_cast<double>(m_tauPs),
                                 m_path.fullFrameBytes * 8e12 / m_rate});
    const auto periods = [&](double n) {
        return static_cast<int64_t>(std::clamp(n * xPs, 1., LONGEST_PS));
    };
    m_alphaPeriodPs = periods(m_plus->alphaPeriods);
    m_timeResetPs = periods(m_plus->increasePeriods);
    Dcqcn::OnCnp(cnp);
}

double
DcqcnPlus::GetStep(Phase phase, int64_t atPs) const
{
    const DcqcnPlusParams& p = *m_plus;
    if (phase == Phase::HYPER)
    {
        const double stages = static_cast<double>(m_timeStage) - p.haiStages * p.threshold + 1;
        return std::min(p.haiRateShare * m_rate, std::max(1., stages) * p.haiLineShare * m_line);
    }
    return GetAlpha(atPs - 1) > p.stepAlpha
               ? std::min(p.aiRateShare * m_rate, p.aiLineShare * m_line)
               : std::min(p.lowAiRateShare * m_rate, p.lowAiLineShare * m_line);
}

void
DcqcnPlus::Retune(const CongestionControl& prototype, int64_t nowPs)
{
    Advance(nowPs);
    RetuneTo(m_plusParameters.Retune(SameLaw<DcqcnPlus>(prototype).m_plusParameters, *m_plus),
             nowPs);
}

void
DcqcnPlus::GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const
{
    Dcqcn::GetVariables(nowPs, variables);
    variables.insert(variables.end(),
                     {{"receiver_flows", static_cast<double>(m_flows)},
                      {"tau_ns", static_cast<double>(m_tauPs) / 1000}});
}

} // namespace ns3::roce
