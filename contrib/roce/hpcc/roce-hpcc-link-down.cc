// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-link-down.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

namespace
{

/// Times count from here.
constexpr int64_t ORIGIN_PS = 2000000000000;

constexpr uint64_t MAX_US = 1000000000000;

} // namespace

void
HpccLinkDown(const HpccConfig& config, const HpccTopology& topology, Network& network, bool reroute)
{
    const char* key = "LINK_DOWN";
    const std::vector<uint64_t> fields =
        config.Has(key) ? config.Numbers(key) : std::vector<uint64_t>{0};
    if (fields[0] == 0)
    {
        return;
    }
    if (fields[0] > MAX_US)
    {
        config.Fail(key,
                    std::to_string(fields[0]) + " us is too late, expected at most " +
                        std::to_string(MAX_US));
    }
    for (uint32_t i = 0; i < topology.links.size(); ++i)
    {
        const HpccTopology::LinkLine& link = topology.links[i];
        if (std::minmax<uint64_t>(link.a, link.b) == std::minmax(fields[1], fields[2]))
        {
            if (reroute)
            {
                network.SetReroute(0);
            }
            network.ScheduleLinkChange(ORIGIN_PS + static_cast<int64_t>(fields[0]) * 1000000,
                                       i,
                                       false);
            return;
        }
    }
    config.Fail(key,
                "no link joins " + std::to_string(fields[1]) + " and " + std::to_string(fields[2]) +
                    ", expected one of " + topology.path);
}

} // namespace ns3::roce
