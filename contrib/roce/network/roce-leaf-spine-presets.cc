// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-option-table.h"

// Clusters of GPUs.

namespace ns3::roce
{

namespace
{

[[maybe_unused]] const bool g_presets[] = {
    OptionPreset::Register("leaf-spine",
                           {"rail-optimised",
                            "64 GPUs: 8 servers with NVSwitches, 8 rails of 400 Gbit/s, 8 spines",
                            {{"datacenters", "1"},
                             {"rails", "1"},
                             {"gpusPerServer", "8"},
                             {"leaves", "8"},
                             {"hostsPerLeaf", "8"},
                             {"spines", "8"},
                             {"hostRate", "400Gbps"},
                             {"hostDelay", "500ns"},
                             {"fabricRate", "400Gbps"},
                             {"fabricDelay", "500ns"}}}),
    OptionPreset::Register("leaf-spine",
                           {"dual-tor",
                            "64 hosts, each with 200 Gbit/s to both leaves of a pair, 8 spines",
                            {{"datacenters", "1"},
                             {"rails", "1"},
                             {"nicsPerHost", "2"},
                             {"leaves", "8"},
                             {"hostsPerLeaf", "16"},
                             {"spines", "8"},
                             {"hostRate", "200Gbps"},
                             {"hostDelay", "500ns"},
                             {"fabricRate", "400Gbps"},
                             {"fabricDelay", "500ns"}}})};

} // namespace

} // namespace ns3::roce
