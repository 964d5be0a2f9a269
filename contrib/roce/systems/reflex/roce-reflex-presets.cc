// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-parameters-base.h"

// Values of the Reflex paper for the rest of the module.

namespace ns3::roce
{

namespace
{

/*
 * The text gives 200 ns and 1 us per hop; what is not stated is as in falcon, but for the first
 * window: line rate, as with the other rate laws. What a hop is: its own path within a datacenter
 * (8 us, four links of 1 us each way) has a propagation delay above 200 ns + 3 or 4 hops; only
 * links there and back (8.2 us) leave it below the target.
 */
[[maybe_unused]] const bool g_reflexSwift = OutsideProfile::Register(
    {"ns3::roce::Swift",
     "reflex",
     "falcon",
     {{"BaseTarget", "200ns"}, {"HopCount", "roundTrip"}, {"InitialCwnd", "0"}}});

} // namespace

} // namespace ns3::roce
