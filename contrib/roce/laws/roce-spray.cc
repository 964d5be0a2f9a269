// SPDX-License-Identifier: GPL-2.0-only
#include "roce-spray.h"

#include "ns3/uinteger.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Spray);

TypeId
Spray::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::Spray")
                            .SetParent<PathSelector>()
                            .SetGroupName("Roce")
                            .AddConstructor<Spray>()
                            .AddAttribute("Paths",
                                          "Entropies of a queue pair, used in turn; 0: one at "
                                          "random for each packet",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&Spray::m_paths),
                                          MakeUintegerChecker<uint32_t>(0, 16384));
    return tid;
}

Ptr<PathSelector>
Spray::Fork() const
{
    return CopyObject<Spray>(this);
}

void
Spray::DoStart(const PathInfo&)
{
    m_setSeed = Draw();
    m_next = 0;
}

uint16_t
Spray::Select(int64_t, uint64_t)
{
    if (!m_paths)
    {
        return DrawEntropy();
    }
    const uint32_t i = m_next;
    m_next = i + 1 == m_paths ? 0 : i + 1;
    return static_cast<uint16_t>(0xc000 | (Mix64(m_setSeed + i * 0x9e3779b97f4a7c15ULL) >> 50));
}

} // namespace ns3::roce
