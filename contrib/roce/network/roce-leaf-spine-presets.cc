// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-option-table.h"

// Clusters of GPUs, and datacenters far apart.

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
                             {"fabricDelay", "500ns"}}}),
    OptionPreset::Register("leaf-spine",
                           {"lcmp8",
                            "8 datacenters of LCMP (EuroSys 2026): six ways of 25 to 200 Gbit/s "
                            "and 5 to 250 ms per link between the first and the last",
                            {{"datacenters", "8"},
                             {"leaves", "4"},
                             {"hostsPerLeaf", "4"},
                             {"spines", "2"},
                             {"hostRate", "100Gbps"},
                             {"hostDelay", "1us"},
                             {"fabricRate", "100Gbps"},
                             {"fabricDelay", "1us"},
                             {"dciRate", "400Gbps"},
                             {"dciDelay", "1us"},
                             {"wanGraph", "lcmp8"}}})};

} // namespace

} // namespace ns3::roce
