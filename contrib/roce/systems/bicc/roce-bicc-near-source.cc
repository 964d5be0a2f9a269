// SPDX-License-Identifier: GPL-2.0-only
#include "roce-bicc-near-source.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

void
BiccNearSource::Configure(const Settings& settings, const std::vector<uint64_t>& portRates)
{
    m_portRates = portRates;
    m_flows = {};
    Retune(settings);
}

void
BiccNearSource::Retune(const Settings& settings)
{
    m_settings = settings;
    m_curves.clear();
    for (const uint64_t rate : m_portRates)
    {
        const double scale =
            settings.referenceRateBps ? static_cast<double>(rate) / settings.referenceRateBps : 1;
        const auto scaled = [scale](uint64_t bytes) {
            return static_cast<uint64_t>(std::llround(static_cast<double>(bytes) * scale));
        };
        m_curves.push_back({scaled(settings.kminBytes), scaled(settings.kmaxBytes), settings.pmax});
    }
    // A flow that is forgotten may have a CNP anyway. Not sooner than in 1 ms: it costs work.
    m_flows.SetTimeout(std::max<int64_t>(settings.cnpIntervalPs, 1000000000));
}

inline bool
BiccNearSource::TakeMark(Frame& data)
{
    if (data.ecn != ECN_CE)
    {
        return false;
    }
    data.ecn = ECN_ECT0;
    ++m_cleared;
    return true;
}

BiccNearSource::Answer
BiccNearSource::Signal(const Frame& data, int64_t nowPs)
{
    Flow& flow = m_flows.Touch(FlowOfData(data), nowPs);
    if (nowPs < flow.nextCnpPs)
    {
        return Answer::SUPPRESSED;
    }
    flow.nextCnpPs = nowPs + m_settings.cnpIntervalPs;
    return Answer::CNP;
}

BiccNearSource::Answer
BiccNearSource::OnArrival(Frame& data, int64_t nowPs)
{
    return TakeMark(data) && m_settings.marks != Marks::NONE ? Signal(data, nowPs)
                                                             : Answer::NOTHING;
}

BiccNearSource::Answer
BiccNearSource::OnDeparture(Frame& data, uint16_t port, uint64_t queueBytes, int64_t nowPs)
{
    if (data.ecn == ECN_NOT_ECT)
    {
        return Answer::NOTHING;
    }
    const bool marked = TakeMark(data) && m_settings.marks == Marks::ALL;
    return marked || m_curves[port].Draw(queueBytes, *m_random) ? Signal(data, nowPs)
                                                                : Answer::NOTHING;
}

} // namespace ns3::roce
