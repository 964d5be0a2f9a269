// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-option-table.h"

// MLCC's networks.

namespace ns3::roce
{

namespace
{

[[maybe_unused]] const bool g_mlccPresets[] = {
    OptionPreset::Register("leaf-spine",
                           {"mlcc",
                            "MLCC (ICPP 2025), section 4.1: 256 hosts of 25 Gbit/s, 4:1, 3 ms",
                            {{"spines", "2"},
                             {"leaves", "4"},
                             {"hostsPerLeaf", "32"}, // makes the paper's 4:1
                             {"hostRate", "25Gbps"},
                             {"hostDelay", "1us"},
                             {"fabricRate", "100Gbps"},
                             {"fabricDelay", "5us"},
                             {"dciRate", "100Gbps"},
                             {"dciDelay", "5us"},
                             {"wanRate", "100Gbps"},
                             {"wanDelay", "3ms"},
                             {"leafBuffer", "22MB"},
                             {"spineBuffer", "22MB"},
                             {"dciBuffer", "128MB"},
                             {"wanPortBuffer", "128MB"}}}),
    OptionPreset::Register(
        "leaf-spine",
        {"mlcc-testbed",
         "MLCC, section 4.1, testbed: a ToR and a DCI switch, 2 hosts of 100 Gbit/s on each side",
         {{"spines", "1"}, // of no use behind a single ToR
          {"leaves", "1"},
          {"hostsPerLeaf", "2"},
          {"dciAttach", "leaf"},
          {"dciDelay", "1us"},
          {"wanRate", "100Gbps"},
          {"wanDelay", "1ms"}, // not given
          {"leafBuffer", "22MB"},
          {"dciBuffer", "128MB"},
          {"wanPortBuffer", "128MB"}}})};

} // namespace

} // namespace ns3::roce
