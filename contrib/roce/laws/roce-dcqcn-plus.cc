// SPDX-License-Identifier: GPL-2.0-only
#include "roce-dcqcn-plus.h"

#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(DcqcnPlusFeedback);

namespace
{

// As the law's values from PARALEON's second simulator.
constexpr int64_t ENTRY_TIMEOUT_PS =
    200 * PS_PER_US;                                 //!< an entry without CNP for longer is removed
constexpr int64_t NEW_ENTRY_AGE_PS = 50 * PS_PER_US; //!< a new one's last CNP was this long ago

} // namespace

const FrameExtension DcqcnPlusHeader::EXTENSION{
    "dcqcn-plus",
    {0, 0, 8, 0},
    false,
    [](const void* value, std::vector<uint8_t>& out) {
        const DcqcnPlusHeader& header = *static_cast<const DcqcnPlusHeader*>(value);
        for (const uint32_t word : {header.flows, header.tauNs})
        {
            for (int shift = 24; shift >= 0; shift -= 8)
            {
                out.push_back(static_cast<uint8_t>(word >> shift));
            }
        }
    }};

// ---------------------------------------------------------------- table

void
DcqcnPlusTable::OnMark(DcqcnPlusFeedback& flow, int64_t nowPs)
{
    SkipVisits(nowPs);
    if (!flow.m_isListed)
    {
        if (m_flows.empty())
        {
            m_next = 0;
            m_visitPs = nowPs + m_p->scanPeriodPs;
        }
        flow.m_isListed = true;
        flow.m_lastCnpPs = nowPs - NEW_ENTRY_AGE_PS;
        m_flows.emplace_back(&flow);
    }
    flow.m_isMarked = true;
    SetTimer(NextActionPs());
}

void
DcqcnPlusTable::SetParams(const std::shared_ptr<const DcqcnPlusParams>& params, int64_t nowPs)
{
    if (m_p == params)
    {
        return;
    }
    if (m_p)
    {
        SkipVisits(nowPs);
    }
    m_p = params;
    SetTimer(NextActionPs());
}

void
DcqcnPlusTable::SkipVisits(int64_t untilPs)
{
    const int64_t endPs = std::min(untilPs, GetTimerPs() - 1); // that visit does something
    if (m_flows.empty() || m_visitPs > endPs)
    {
        return;
    }
    const int64_t visits = (endPs - m_visitPs) / m_p->scanPeriodPs + 1;
    m_visitPs += visits * m_p->scanPeriodPs;
    m_next = (m_next + static_cast<std::size_t>(visits)) % m_flows.size();
}

int64_t
DcqcnPlusTable::NextActionPs() const
{
    const std::size_t n = m_flows.size();
    const int64_t roundPs = static_cast<int64_t>(n) * (m_p ? m_p->scanPeriodPs : 0);
    int64_t firstPs = NEVER_PS;
    int64_t visitPs = m_visitPs;
    // An entry later in the ring is not due before its own first visit.
    for (std::size_t i = 0; i < n && visitPs < firstPs; ++i, visitPs += m_p->scanPeriodPs)
    {
        const DcqcnPlusFeedback& flow = *m_flows[(m_next + i) % n];
        const int64_t waitPs = flow.m_isMarked
                                   ? std::min(m_p->minTimeBetweenCnpsPs, ENTRY_TIMEOUT_PS)
                                   : ENTRY_TIMEOUT_PS;
        const int64_t missingPs = flow.m_lastCnpPs + waitPs + 1 - visitPs;
        const int64_t rounds = missingPs > 0 ? (missingPs + roundPs - 1) / roundPs : 0;
        firstPs = std::min(firstPs, visitPs + rounds * roundPs);
    }
    return firstPs;
}

void
DcqcnPlusTable::Visit(int64_t nowPs, NicReplySink& sink)
{
    DcqcnPlusFeedback& flow = *m_flows[m_next];
    const int64_t agePs = nowPs - flow.m_lastCnpPs;
    if (flow.m_isMarked && agePs > m_p->minTimeBetweenCnpsPs)
    {
        ReplySink& own = sink.At(flow.m_qpn);
        Frame* cnp = own.Make(FrameKind::CNP);
        const auto tauNs = static_cast<int64_t>(m_flows.size()) * m_p->scanPeriodPs / 1000;
        cnp->Extend<DcqcnPlusHeader>() = {
            static_cast<uint32_t>(m_flows.size()),
            static_cast<uint32_t>(std::min<int64_t>(tauNs, UINT32_MAX))};
        own.Send(cnp);
        flow.m_isMarked = false;
        flow.m_lastCnpPs = nowPs;
        ++m_next;
    }
    else if (agePs > ENTRY_TIMEOUT_PS)
    {
        flow.m_isListed = flow.m_isMarked = false;
        m_flows.erase(m_flows.begin() + static_cast<std::ptrdiff_t>(m_next));
    }
    else
    {
        ++m_next;
    }
    m_next = m_next < m_flows.size() ? m_next : 0;
    m_visitPs = nowPs + m_p->scanPeriodPs;
}

void
DcqcnPlusTable::OnTimer(int64_t nowPs, NicReplySink& sink)
{
    SkipVisits(nowPs - 1);
    Visit(nowPs, sink);
    SetTimer(NextActionPs());
}

// ---------------------------------------------------------------- one flow

TypeId
DcqcnPlusFeedback::GetTypeId()
{
    static const TypeId tid = TypeId("ns3::roce::DcqcnPlusFeedback")
                                  .SetParent<ReceiverFeedback>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<DcqcnPlusFeedback>();
    return tid;
}

DcqcnPlusFeedback::DcqcnPlusFeedback()
    : m_p(Parameters<DcqcnPlusParams>().Get())
{
}

Ptr<ReceiverFeedback>
DcqcnPlusFeedback::Fork() const
{
    Ptr<DcqcnPlusFeedback> copy = CreateObject<DcqcnPlusFeedback>();
    copy->m_p = m_p;
    return copy;
}

void
DcqcnPlusFeedback::OnData(const Frame& data, int64_t nowPs, ReplySink& sink)
{
    if (data.ecn != ECN_CE || m_isMarked)
    {
        return;
    }
    if (!m_table)
    {
        m_table = &sink.Share<DcqcnPlusTable>();
        m_table->SetParams(m_p, nowPs);
        m_qpn = data.dstQp;
    }
    m_table->OnMark(*this, nowPs);
}

void
DcqcnPlusFeedback::Retune(const ReceiverFeedback& prototype, int64_t nowPs)
{
    m_p = Same<DcqcnPlusFeedback>(prototype).m_p;
    if (m_table)
    {
        m_table->SetParams(m_p, nowPs);
    }
}

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
    p.release = p.cnpInAck = p.bdpWindow = p.cutOnLoss = false;
    p.cutFaults = false;
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
                      Range::Within(0, LONGEST_PS))
            .Help("Receiver: a flow's next CNP comes when more than this has passed")
            .Duration("ScanPeriod",
                      &P::scanPeriodPs,
                      {1 * PS_PER_US},
                      Range::Within(1000, LONGEST_PS))
            .Help("Receiver: time between visits to two entries of its table")
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
            .Number("Gain", &P::gain, {1.0 / 256}, Range::AboveUpTo(0, 1))
            .Help("g of alpha's average")
            .Number("InitialAlpha", &P::initialAlpha, {1}, Range::Within(0, 1))
            .Help("Alpha at first")
            .Rate("MinRate", &P::minRateBps, {1000000}, Range::Above(0))
            .Help("Floor of the rate")
            .Count("Threshold", &P::threshold, {1}, Range::Within(1, 1000))
            .Help("F: with T increases since the cut, T < F is fast recovery, T > F hyper increase")
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
