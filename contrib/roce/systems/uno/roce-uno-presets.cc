// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-parameters-base.h"

// Values of Uno for the rest of the module.

namespace ns3::roce
{

namespace
{

/*
 * Table 1: losses between cloud regions, as the probabilities that of ten consecutive packets one,
 * two, three are lost. The paper does not say how its own simulations make such losses.
 *
 * RunLoss keeps lost frames next to each other. Fitted so that chunks of ten cut at any phase have
 * the table's probabilities; mean loss rates 5.01e-5 and 1.00e-5, per chunk 3.04e-4, 7.50e-5,
 * 1.56e-5 and 4.00e-5, 2.27e-5, 4.88e-6.
 *
 * ChunkLoss scatters them over the chunk, as the authors' published simulator does on every queue
 * to, between and from border switches, all flows together. Mean loss rates 4.98e-5 and 1.01e-5.
 *
 * The second setup leaves a part of the mean loss rate of the text (1.22e-5) unexplained; the
 * profile reproduces the table.
 */
[[maybe_unused]] const bool g_unoLosses[] = {
    OutsideProfile::Register(
        {"ns3::roce::RunLoss",
         "uno-setup1",
         "none",
         {{"StartRate", "3.8318e-5"}, {"BurstSizes", "0.74296,0.20599,0.05104"}}}),
    OutsideProfile::Register(
        {"ns3::roce::RunLoss",
         "uno-setup2",
         "none",
         {{"StartRate", "6.3917e-6"}, {"BurstSizes", "0.53135,0.37331,0.09534"}}}),
    OutsideProfile::Register(
        {"ns3::roce::ChunkLoss", "uno-setup1", "none", {{"Probabilities", "3e-4,7.5e-5,1.6e-5"}}}),
    OutsideProfile::Register(
        {"ns3::roce::ChunkLoss", "uno-setup2", "none", {{"Probabilities", "4e-5,2.3e-5,4.9e-6"}}})};

} // namespace

} // namespace ns3::roce
