// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-scenario.h"

using namespace ns3::roce;

int
main(int argc, char* argv[])
{
    return RunScenario<LeafSpineHelper>(argc, argv, "mine", "An experiment of my own.");
}
