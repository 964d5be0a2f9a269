// SPDX-License-Identifier: GPL-2.0-only
#include "roce-conga.h"

#include "roce-conga-meter.h"
#include "roce-switch.h"

#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Conga);

const ParameterTable<CongaParams>&
CongaParams::Table()
{
    using P = CongaParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Conga")
            .Duration("Gap", &P::gapPs, {500 * PS_PER_US}, Range::AtLeast(PS_PER_US))
            .Help("A flow that pauses for longer may take another way: a flowlet")
            .Duration("Tau", &P::tauPs, {160 * PS_PER_US}, Range::AtLeast(PS_PER_US))
            .Help("Time that the use of links is averaged over")
            .Duration("Age", &P::agePs, {10 * PS_PER_MS}, Range::AtLeast(0))
            .Help("What another leaf has told counts for so long");
    return table;
}

void
Conga::DoInstall(Switch& sw)
{
    m_p = m_parameters.Get();
    m_ways.SetGap(m_p->gapPs);
    const Ptr<CongaMeter> meter = CreateObject<CongaMeter>(m_p->tauPs, m_p->agePs);
    sw.Install(meter);
    m_meter = PeekPointer(meter);
}

uint32_t
Conga::Choose(const Question& q)
{
    return m_ways.Find(q, [&](uint16_t lastPort) { return Place(q, lastPort); });
}

uint32_t
Conga::Place(const Question& q, uint16_t lastPort)
{
    uint8_t least = CongaMeter::LEVELS;
    for (uint32_t i = 0; i < q.count; ++i)
    {
        const uint16_t port = q.paths[i].port;
        const uint8_t level = std::max(m_meter->GetLevel(port, q.nowPs),
                                       m_meter->GetToldLevel(q.frame.dst, port, q.nowPs));
        if (level < least)
        {
            least = level;
            m_best.clear();
        }
        if (level == least)
        {
            m_best.push_back(i);
        }
    }
    for (const uint32_t i : m_best)
    {
        if (q.paths[i].port == lastPort)
        {
            return i;
        }
    }
    return m_best[PickByHash(q.hash, m_best.size())];
}

void
Conga::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["congaFlowletsPlaced"] += m_ways.GetPlaced();
}

} // namespace ns3::roce
