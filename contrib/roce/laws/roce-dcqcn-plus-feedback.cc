// SPDX-License-Identifier: GPL-2.0-only
#include "roce-dcqcn-plus-feedback.h"

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

} // namespace ns3::roce
