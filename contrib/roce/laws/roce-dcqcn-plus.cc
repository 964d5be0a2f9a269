// SPDX-License-Identifier: GPL-2.0-only
#include "roce-dcqcn-plus.h"

#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(DcqcnPlus);

namespace
{

// A2, see the table below.
constexpr int64_t LEAST_TAU_PS = 50 * PS_PER_US;
constexpr double INCREASE_PERIODS = 2; //!< increase timer, in X; alpha's is X
constexpr double STEP_ALPHA = 0.1;     //!< additive steps are large while alpha is above this

/// A step is at most these shares of the present rate and of the line rate.
struct Step
{
    double ofRate;
    double ofLine;
};

constexpr Step LARGE_STEP{0.2, 0.02};
constexpr Step SMALL_STEP{0.1, 0.01};
constexpr Step HYPER_STEP{1, 0.01}; //!< the latter times T - HYPER_STAGES F + 1, if that is above 1
constexpr double HYPER_STAGES = 4;

constexpr double LONGEST_PS = 1e12; //!< for a parameter; more makes no sense

/// What DCQCN would have a parameter for.
void
FinishDcqcnPlus(DcqcnPlusParams& p, const Parameters<DcqcnPlusParams>&)
{
    p.alphaPeriodPs = p.timeResetPs = 1; // each CNP sets them again
    p.alphaFreeRunning = p.cutFreeRunning = false;
    p.cutPeriodPs = 0; // a cut on each CNP
    p.byteResetBytes = 0;
    p.aiRateBps = p.haiRateBps = 0; // see DcqcnPlus::GetStep()
    p.aiPer25G = p.haiPer25G = p.hyperMultiplier = false;
    p.timeOnlyStages = true;
    p.gd = 11; // alpha / 2
    p.minDecFac = 0;
    p.clamp = DcqcnClamp::ALWAYS;
    p.alphaBeforeCut = true;
    p.firstCnpRateBps = 0;
    p.firstCnpFraction = 1;
    p.release = p.cnpInAck = p.bdpWindow = false;
}

} // namespace

/*
 * All values: A2, the second simulator of PARALEON's authors (ParaleonPlus, rdma-hw.h and
 * rdma-hw.cc). The paper of DCQCN+ itself was not at hand.
 */
const ParameterTable<DcqcnPlusParams>&
DcqcnPlusParams::Table()
{
    using P = DcqcnPlusParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::DcqcnPlus")
            .Duration("MinTimeBetweenCnps",
                      &P::minTimeBetweenCnpsPs,
                      {45 * PS_PER_US},
                      Range::Within(0, LONGEST_PS),
                      "Receiver: a flow's next CNP comes when more than this has passed")
            .Duration("ScanPeriod",
                      &P::scanPeriodPs,
                      {1 * PS_PER_US},
                      Range::Within(1000, LONGEST_PS),
                      "Receiver: time between visits to two entries of its table")
            .Constants({{"EntryTimeout", "200us"},
                        {"NewEntryAge", "50us"},
                        {"LeastTau", "50us"},
                        {"AlphaPeriods", "1"},
                        {"IncreasePeriods", "2"},
                        {"StepAlpha", "0.1"},
                        {"AiRateShare", "0.2"},
                        {"AiLineShare", "0.02"},
                        {"LowAiRateShare", "0.1"},
                        {"LowAiLineShare", "0.01"},
                        {"HaiRateShare", "1"},
                        {"HaiLineShare", "0.01"},
                        {"HaiStages", "4"}})
            .Number("Gain", &P::gain, {1.0 / 256}, Range::AboveUpTo(0, 1), "g of alpha's average")
            .Number("InitialAlpha", &P::initialAlpha, {1}, Range::Within(0, 1), "Alpha at first")
            .Rate("MinRate", &P::minRateBps, {1000000}, Range::Above(0), "Floor of the rate")
            .Count(
                "Threshold",
                &P::threshold,
                {1},
                Range::Within(1, 1000),
                "F: with T increases since the cut, T < F is fast recovery, T > F hyper increase")
            .Live()
            .Finish(FinishDcqcnPlus);
    return table;
}

Ptr<ReceiverFeedback>
DcqcnPlus::MakeFeedback() const
{
    Ptr<DcqcnPlusFeedback> feedback = CreateObject<DcqcnPlusFeedback>();
    feedback->Configure(m_parameters.Get());
    return feedback;
}

void
DcqcnPlus::DoStart(int64_t)
{
    m_p = m_parameters.Get();
    Begin(*m_p);
}

void
DcqcnPlus::OnRetune(const DcqcnPlusParams&, int64_t nowPs)
{
    Change(*m_p, nowPs);
}

void
DcqcnPlus::TakeOver()
{
    // Periods are set by CNPs.
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
    constexpr double LONGEST_X_PS = 1e17; // now and this are below 2^63 ps
    const double xPs = std::max({static_cast<double>(LEAST_TAU_PS),
                                 static_cast<double>(m_tauPs),
                                 m_path.fullFrameBytes * 8e12 / m_rate});
    const auto periods = [&](double n) {
        return static_cast<int64_t>(std::clamp(n * xPs, 1., LONGEST_X_PS));
    };
    m_alphaPeriodPs = periods(1);
    m_timeResetPs = periods(INCREASE_PERIODS);
    DcqcnReactionPoint::OnCnp(cnp);
}

double
DcqcnPlus::GetStep(Phase phase, int64_t atPs) const
{
    const auto least = [this](const Step& step, double times = 1) {
        return std::min(step.ofRate * m_rate, times * step.ofLine * m_line);
    };
    if (phase == Phase::HYPER)
    {
        const double stages = static_cast<double>(m_timeStage) - HYPER_STAGES * m_p->threshold + 1;
        return least(HYPER_STEP, std::max(1., stages));
    }
    return least(GetAlpha(atPs - 1) > STEP_ALPHA ? LARGE_STEP : SMALL_STEP);
}

void
DcqcnPlus::GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const
{
    DcqcnReactionPoint::GetVariables(nowPs, variables);
    variables.insert(variables.end(),
                     {{"receiver_flows", static_cast<double>(m_flows)},
                      {"tau_ns", static_cast<double>(m_tauPs) / 1000}});
}

} // namespace ns3::roce
