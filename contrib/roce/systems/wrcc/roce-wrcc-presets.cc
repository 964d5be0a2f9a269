// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-option-table.h"

// WRCC's networks.

namespace ns3::roce
{

namespace
{

[[maybe_unused]] const bool g_wrccPresets[] = {OptionPreset::Register(
    "fat-tree",
    {"wrcc",
     "WRCC (Journal on Communications 2026), section 4.1: 64 hosts, 400 Gbit/s and 1 ms",
     {{"k", "4"},
      {"hostsPerEdge", "4"},
      {"borderLinks", "1"},
      {"wanLinks", "1"},
      {"wanRate", "400Gbps"},
      {"wanDelay", "1ms"},
      {"edgeBuffer", "16MB"},
      {"aggBuffer", "16MB"},
      {"coreBuffer", "16MB"},
      {"borderBuffer", "250MB"},
      {"wanPortBuffer", "250MB"}}})};

} // namespace

} // namespace ns3::roce
