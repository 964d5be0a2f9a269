// SPDX-License-Identifier: GPL-2.0-only
#include "roce-drill.h"

#include "roce-switch.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Drill);

const ParameterTable<DrillParams>&
DrillParams::Table()
{
    using P = DrillParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Drill")
            .Count("Samples", &P::samples, {2}, Range::Within(1, 64), "Random ports looked at")
            .Count("Memory", &P::memory, {1}, Range::Within(0, 64), "Best ones looked at again");
    return table;
}

void
Drill::DoInstall(Switch& sw)
{
    m_p = m_parameters.Get();
    m_best.resize(sw.GetNPorts());
}

int64_t
Drill::AssignStreams(int64_t stream)
{
    m_random.SetStream(stream);
    return 1;
}

void
Drill::Look(const Question& q, std::size_t path)
{
    const auto isPath = [path](const Seen& seen) { return seen.path == path; };
    if (std::none_of(m_seen.begin(), m_seen.end(), isPath))
    {
        m_seen.push_back({GetWaitPs(q.paths[path].port, q.nowPs), m_seen.size(), path});
    }
}

uint32_t
Drill::Choose(const Question& q)
{
    if (m_order.size() != q.count)
    {
        m_order.resize(q.count);
        std::iota(m_order.begin(), m_order.end(), 0);
    }
    m_seen.clear();
    for (uint32_t i = 0; i < std::min(m_p->samples, q.count); ++i)
    {
        std::swap(m_order[i], m_order[i + static_cast<uint32_t>(m_random.Draw() * (q.count - i))]);
        Look(q, m_order[i]);
    }
    std::vector<uint16_t>& best = m_best[q.paths->port];
    for (const uint16_t port : best)
    {
        for (uint32_t i = 0; i < q.count; ++i) // if it has not failed
        {
            if (q.paths[i].port == port)
            {
                Look(q, i);
            }
        }
    }
    std::sort(m_seen.begin(), m_seen.end(), [](const Seen& a, const Seen& b) {
        return std::tie(a.waitPs, a.turn) < std::tie(b.waitPs, b.turn);
    });
    best.clear();
    for (uint32_t i = 0; i < m_seen.size() && i < m_p->memory; ++i)
    {
        best.push_back(q.paths[m_seen[i].path].port);
    }
    return static_cast<uint32_t>(m_seen.front().path);
}

} // namespace ns3::roce
