// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Runs the HPCC simulator's files: topology.txt, flow.txt, config.txt. Leaves fct.txt and pfc.txt
 * as that simulator does beside flows.csv and summary.json.
 *
 *     replay --topology=topology.txt --flows=flow.txt --cc=Hpcc --profile=hpcc-sim
 * --out=results/hpcc
 */

#include "ns3/roce-replay.h"
#include "ns3/roce-scenario.h"

using namespace ns3::roce;

int
main(int argc, char* argv[])
{
    return RunProgram(
        [&] {
            ReplayOptions replay;
            CheckedCommandLine cmd("replay", "Runs topologies and flows of the HPCC simulator.");
            replay.AddOptions(cmd);
            cmd.Parse(argc, argv);
            return replay.Run(cmd);
        },
        true);
}
