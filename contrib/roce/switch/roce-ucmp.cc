// SPDX-License-Identifier: GPL-2.0-only
#include "roce-ucmp.h"

#include "ns3/boolean.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Ucmp);

TypeId
Ucmp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::Ucmp")
            .SetParent<PathPolicy>()
            .SetGroupName("Roce")
            .AddConstructor<Ucmp>()
            .AddAttribute("OnlyWidest",
                          "Only the ways whose next link has the highest rate, alike; "
                          "otherwise all, in proportion to these rates",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Ucmp::m_onlyWidest),
                          MakeBooleanChecker());
    return tid;
}

uint32_t
Ucmp::Choose(const Question& q)
{
    uint64_t widest = 0;
    for (uint32_t i = 0; i < q.count; ++i)
    {
        widest = std::max(widest, GetNextRateBps(q.paths[i]));
    }
    const auto share = [&](uint32_t i) {
        const uint64_t rate = GetNextRateBps(q.paths[i]);
        // In Mbit/s, so that 32 bits of hash times the sum fit into 64 bits.
        return m_onlyWidest ? uint64_t{rate == widest} : rate / 1'000'000 + 1;
    };
    uint64_t sum = 0;
    for (uint32_t i = 0; i < q.count; ++i)
    {
        sum += share(i);
    }
    uint64_t rest = PickByHash(q.hash, sum);
    uint32_t chosen = 0;
    while (rest >= share(chosen))
    {
        rest -= share(chosen);
        ++chosen;
    }
    return chosen;
}

} // namespace ns3::roce
