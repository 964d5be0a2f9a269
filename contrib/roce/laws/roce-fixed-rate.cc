// SPDX-License-Identifier: GPL-2.0-only
#include "roce-fixed-rate.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(FixedRate);

const ParameterTable<FixedRateParams>&
FixedRateParams::Table()
{
    using P = FixedRateParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::FixedRate")
            .Rate("Rate", &P::rateBps, {10'000'000'000}, Range::AtLeast(1))
            .Live()
            .Help("Rate of each queue pair, framing included; at most the line rate");
    return table;
}

void
FixedRate::DoStart(int64_t)
{
    m_p = m_parameters.Get();
    RequirePath();
    m_rateBps = std::min(m_p->rateBps, m_path.lineRateBps);
}

void
FixedRate::OnRetune(const FixedRateParams&, int64_t)
{
    m_rateBps = std::min(m_p->rateBps, m_path.lineRateBps);
}

} // namespace ns3::roce
