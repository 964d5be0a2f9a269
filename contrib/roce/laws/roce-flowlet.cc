// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flowlet.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Flowlet);

TypeId
Flowlet::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::Flowlet")
            .SetParent<PathSelector>()
            .SetGroupName("Roce")
            .AddConstructor<Flowlet>()
            .AddAttribute("Gap",
                          "Least time between two packets that begins a new flowlet; 0: the base "
                          "RTT of the path",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Flowlet::m_gap),
                          MakeTimeChecker(Time(0)));
    return tid;
}

Ptr<PathSelector>
Flowlet::Fork() const
{
    return CopyObject<Flowlet>(this);
}

void
Flowlet::DoStart(const PathInfo& path)
{
    m_gapPs = m_gap.IsZero() ? path.baseRttPs : m_gap.GetPicoSeconds();
    m_lastPs = INT64_MAX;
}

uint16_t
Flowlet::Select(int64_t nowPs, uint64_t)
{
    if (nowPs > m_lastPs && nowPs - m_lastPs >= m_gapPs)
    {
        Move();
    }
    m_lastPs = nowPs;
    return m_entropy;
}

} // namespace ns3::roce
