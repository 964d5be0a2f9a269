// SPDX-License-Identifier: GPL-2.0-only
#include "roce-line-rate.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(LineRate);

TypeId
LineRate::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::LineRate")
                            .SetParent<CongestionControl>()
                            .SetGroupName("Roce")
                            .AddConstructor<LineRate>()
                            .AddAttribute("Window",
                                          "Fixed window in wire bytes; 0 means no window",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&LineRate::m_windowLimitBytes),
                                          MakeUintegerChecker<uint64_t>());
    return tid;
}

Ptr<CongestionControl>
LineRate::Fork() const
{
    return CopyObject<LineRate>(this);
}

void
LineRate::DoStart(int64_t)
{
    m_rateBps = std::max<uint64_t>(1, m_rateBps);
    if (m_windowLimitBytes)
    {
        m_windowBytes = m_windowLimitBytes;
    }
}

} // namespace ns3::roce
