// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-option-table.h"
#include "ns3/roce-parameters-base.h"

// Values of PARALEON for the rest of the module: DCQCN and marking before it tunes them, networks.

namespace ns3::roce
{

namespace
{

constexpr const char* DCQCN = "ns3::roce::Dcqcn";
constexpr const char* ECN = "ns3::roce::EcnMarker";

/*
 * Sources of the values:
 * [1] table I: "default" is the firmware's (profile nvidia); "expert". ECN: 400 and 1600 kB at 100
 *     Gbit/s, which is common, so four times that at 400; the expert's 1.6 and 6.4 MB, the setting
 *     of a cluster of 400 Gbit/s that the paper's simulations have at 100, for ports of any rate.
 * [2] its simulator (czt8888/Paraleon-ns3): a grid of cuts, no byte counter, stages by time alone,
 *     nothing forgotten.
 * [3] what our own search ended with on the LLM traffic of figure 9. On its other traffic no
 *     setting was better than the default.
 */
using Values = std::vector<std::pair<std::string, std::string>>;

OutsideProfile
MakeDcqcn(const char* name, const Values& values)
{
    OutsideProfile profile{DCQCN,
                           name,
                           "nvidia",
                           {{"CutTimerFreeRunning", "true"}, // all four: [2]
                            {"ByteReset", "0"},
                            {"StageRule", "time"},
                            {"ReleaseAtLineRate", "false"}}};
    profile.values.insert(profile.values.end(), values.begin(), values.end());
    return profile;
}

/// What [2] has in place of CNPs and their pacing, its cut at the first one, and its faults.
const Values A1{{"CnpInAck", "true"},
                {"MinTimeBetweenCnps", "0us"},
                {"FractionOnFirstCnp", "0.5"},
                {"CutFaults", "true"}};

[[maybe_unused]] const bool g_paraleonProfiles[] = {
    OutsideProfile::Register(MakeDcqcn("paraleon-default", {})),
    OutsideProfile::Register(MakeDcqcn("paraleon-expert", // [1]
                                       {{"CutPeriod", "80us"},
                                        {"AiRate", "50Mbps"},
                                        {"HaiRate", "150Mbps"},
                                        {"MinTimeBetweenCnps", "96us"}})),
    OutsideProfile::Register(MakeDcqcn("paraleon-pretrained-1", // [3]
                                       {{"Gain", "0.279297"},
                                        {"CutPeriod", "85us"},
                                        {"TimeReset", "5us"},
                                        {"AiRate", "471Mbps"},
                                        {"HaiRate", "745Mbps"},
                                        {"Gd", "13"},
                                        {"MinDecFac", "0.80892"},
                                        {"MinRate", "1703Mbps"},
                                        {"InitialAlpha", "0.875977"},
                                        {"MinTimeBetweenCnps", "153us"}})),
    OutsideProfile::Register(MakeDcqcn("paraleon-pretrained-2", {})),
    OutsideProfile::Register(MakeDcqcn("paraleon-a1", A1)),
    OutsideProfile::Register(MakeDcqcn(
        "paraleon-a1-expert",
        [] {
            Values values = A1;
            values.insert(values.end(),
                          {{"CutPeriod", "80us"}, {"AiRate", "50Mbps"}, {"HaiRate", "150Mbps"}});
            return values;
        }())),
    OutsideProfile::Register({ECN, "paraleon-default", "common", {}}),
    OutsideProfile::Register(
        {ECN, // [1]
         "paraleon-expert",
         "common",
         {{"Kmin", "1600000"}, {"Kmax", "6400000"}, {"ReferenceRate", "0bps"}}}),
    OutsideProfile::Register(
        {ECN, "paraleon-pretrained-1", "common", {{"Kmin", "400000"}, {"Kmax", "1389390"}}}), // [3]
    OutsideProfile::Register({ECN, "paraleon-pretrained-2", "common", {}}),
};

[[maybe_unused]] const bool g_paraleonPresets[] = {
    OptionPreset::Register(
        "leaf-spine",
        {"paraleon",
         "PARALEON (ICNP), section IV-B: one datacenter, 8 racks of 16 hosts of 100 Gbit/s, 4:1",
         {{"datacenters", "1"},
          {"spines", "4"},
          {"leaves", "8"},
          {"hostsPerLeaf", "16"},
          {"hostRate", "100Gbps"},
          {"hostDelay", "5us"},
          {"fabricRate", "100Gbps"},
          {"fabricDelay", "5us"},
          {"leafBuffer", "12MiB"}, // 12 * 2^20 in its authors' simulator
          {"spineBuffer", "12MiB"}}}),
    OptionPreset::Register(
        "leaf-spine",
        {"paraleon-testbed",
         "PARALEON, section IV-C: 8 racks of 4 hosts of 400 Gbit/s, 4 spines, 1:1",
         {{"datacenters", "1"},
          {"spines", "4"},
          {"leaves", "8"},
          {"hostsPerLeaf", "4"}, // not 32: 1:1 with 400 Gbit/s would need 64 uplinks a rack
          {"hostRate", "400Gbps"},
          {"hostDelay", "5us"}, // not given
          {"fabricRate", "400Gbps"},
          {"fabricDelay", "5us"},
          {"leafBuffer", "48MiB"}, // not given: grows with the rates
          {"spineBuffer", "48MiB"}}})};
} // namespace

} // namespace ns3::roce
