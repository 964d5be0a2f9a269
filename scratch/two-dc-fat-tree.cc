// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * One or several fat-tree (or other three-tier) datacenters joined by long links, a congestion
 * control, a workload. The defaults are Uno's network (see FatTreeHelper): 256 hosts, base RTTs of
 * 14 us and 2 ms.
 *
 *     two-dc-fat-tree --k=4 --cc=Hpcc --load=0.6 --out=results/fat-tree-hpcc
 *     two-dc-fat-tree --k=4 --hostsPerEdge=4 --borderLinks=1 --wanLinks=1 --wanRate=400Gbps \
 *         --wanDelay=1ms                                                         (WRCC's network)
 */

#include "ns3/roce-fat-tree-helper.h"
#include "ns3/roce-scenario.h"

using namespace ns3::roce;

int
main(int argc, char* argv[])
{
    return RunScenario<FatTreeHelper>(
        argc,
        argv,
        "two-dc-fat-tree",
        "RDMA congestion control within and across fat-tree datacenters.");
}
