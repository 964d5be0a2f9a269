// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * One or several leaf-spine datacenters joined by long links, a congestion control, a workload.
 * Leaves a folder with flows.csv, summary.json and what else is asked for.
 *
 *     two-dc-leaf-spine --cc=Hpcc --load=0.6 --ns3::roce::Hpcc::Eta=0.9 --out=results/hpcc
 */

#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-scenario.h"

using namespace ns3::roce;

int
main(int argc, char* argv[])
{
    return RunScenario<LeafSpineHelper>(argc,
                                        argv,
                                        "two-dc-leaf-spine",
                                        "RDMA congestion control within and across datacenters.");
}
