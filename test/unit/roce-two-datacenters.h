// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TWO_DATACENTERS_H
#define ROCE_TWO_DATACENTERS_H

#include "ns3/roce-workload.h"

namespace ns3::roce::test
{

/// @return hosts of two datacenters, half of them in each, four to a rack; racks are numbered
/// within their datacenter
inline HostPlacement
TwoDatacenters(uint32_t nHosts = 16)
{
    HostPlacement hosts;
    hosts.nHosts = nHosts;
    for (uint32_t h = 0; h < nHosts; ++h)
    {
        hosts.datacenterOf.push_back(h / (nHosts / 2));
        hosts.rackOf.push_back(h % (nHosts / 2) / 4);
    }
    return hosts;
}

} // namespace ns3::roce::test

#endif /* ROCE_TWO_DATACENTERS_H */
