/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-replay.h"

#include "roce-path-list.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-value-check.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3
{
namespace roce
{

namespace
{

const char* const HPCC_SIM = "hpcc-sim";

/// Numbers of CC_MODE.
const std::map<std::string, std::string> CC_MODES{{"1", "Dcqcn"},
                                                  {"3", "Hpcc"},
                                                  {"7", "Timely"},
                                                  {"8", "Dctcp"}};

/// LINK_DOWN counts from here, as that simulator's example flows do.
constexpr int64_t LINK_DOWN_ORIGIN_PS = 2000000000000;

constexpr uint64_t LINK_DOWN_MAX_US = 1000000000000;

/// Exact in a double.
constexpr double MAX_BYTES = 9007199254740992;

/// That simulator's sizes: "Ethernet" 14, IPv4 20, UDP 8, sequence 6; see its headers.
const std::vector<std::pair<const char*, const char*>> HPCC_SIM_ATTRIBUTES{
    {"ns3::roce::Port::FramingBytes", "0"},        {"ns3::roce::Port::MinFrameBytes", "0"},
    {"ns3::roce::Port::SerialisationTick", "1ns"}, {"ns3::roce::Port::PfcFrameBytes", "43"},
    {"ns3::roce::Port::InfinitePause", "true"},    {"ns3::roce::Nic::PathMtu", "1000"},
    {"ns3::roce::Nic::DataHeaderBytes", "48"},     {"ns3::roce::Nic::FirstHeaderBytes", "0"},
    {"ns3::roce::Nic::PayloadAlign", "1"},         {"ns3::roce::Nic::AckFrameBytes", "46"},
    {"ns3::roce::Nic::AckMinBytes", "60"},         {"ns3::roce::Nic::CnpFrameBytes", "60"},
    {"ns3::roce::Nic::PayloadWindow", "true"},     {"ns3::roce::Nic::IntHeaderBytes", "42"},
    {"ns3::roce::IntStamper::BytesPerHop", "0"},   {"ns3::roce::Switch::HeadroomFactor", "3"},
    {"ns3::roce::Switch::RefreshPause", "false"},  {"ns3::roce::Dcqcn::Profile", "hpcc-sim"},
    {"ns3::roce::Dctcp::Profile", "hpcc-sim"},     {"ns3::roce::Hpcc::Profile", "hpcc-sim"},
    {"ns3::roce::Timely::Profile", "hpcc-sim"},    {"ns3::roce::PowerTcp::Profile", "inet-tub"},
};

std::string
ToText(double value)
{
    std::ostringstream text;
    text.precision(17);
    text << value;
    return text.str();
}

} // namespace

ReplayOptions::ReplayOptions()
{
    m_transport.cc = "";
    m_transport.pathsOption = "pathSelector";
    run.out = "results/replay";
    run.hpccFct = true;
    run.hpccPfc = true;
}

void
ReplayOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("topology", "topology.txt; empty: TOPOLOGY_FILE of the config", m_topologyFile);
    cmd.AddValue("flows",
                 "flow.txt, or a list of this module's; empty: FLOW_FILE of the config",
                 m_flowFile);
    cmd.AddValue("config", "Configuration file of the HPCC simulator", m_configFile);
    cmd.AddValue("set", "Replaces keys of the config, for example HAS_WIN=0,RP_TIMER=300", m_set);
    cmd.AddValue("paths", "Paths to pin flows to: lines id,node-node-...", m_pathFile);
    cmd.AddValue("profile",
                 "hpcc-sim: sizes and mechanisms of that simulator; empty: of this module",
                 m_profile);
    m_transport.AddOptions(cmd);
    m_faults.AddOptions(cmd);
    run.AddOptions(cmd);
}

bool
ReplayOptions::IsHpccSim() const
{
    return m_profile == HPCC_SIM;
}

/// Change an attribute's default unless the user has.
void
ReplayOptions::Set(const std::string& attribute, const std::string& value) const
{
    if (!m_cmd->IsGiven(attribute))
    {
        ValueCheck::Attribute(attribute, value);
        Config::SetDefault(attribute, StringValue(value));
    }
}

/// Change an attribute's default unless the user has; what is wrong is said of the key.
void
ReplayOptions::SetFrom(const std::string& key,
                       const std::string& attribute,
                       const std::string& value) const
{
    try
    {
        Set(attribute, value);
    }
    catch (const InputError& error)
    {
        m_config.Fail(key, error.what());
    }
}

/// @return a number of the config times a unit
uint64_t
ReplayOptions::GetBytes(const std::string& key, double number, double unit) const
{
    if (number * unit > MAX_BYTES)
    {
        m_config.Fail(key, ToText(number) + " is too large, expected at most 2^53 bytes");
    }
    return static_cast<uint64_t>(number * unit);
}

void
ReplayOptions::ReadFiles(const CheckedCommandLine& cmd)
{
    if (!m_profile.empty() && !IsHpccSim())
    {
        throw InputError("--profile is '" + m_profile + "', expected hpcc-sim or nothing");
    }
    if (!m_configFile.empty())
    {
        m_config = HpccConfig::Read(m_configFile);
    }
    m_config.Override(m_set);
    const auto choose = [&](std::string& file, const char* option, const char* key) {
        if (file.empty() && m_config.Has(key))
        {
            // As in that simulator, but relative to the file that names it.
            file =
                (std::filesystem::path(m_configFile).parent_path() / m_config.Text(key)).string();
        }
        if (file.empty())
        {
            throw InputError(std::string("--") + option + " is missing, expected a file (or " +
                             key + " in --config)");
        }
    };
    choose(m_topologyFile, "topology", "TOPOLOGY_FILE");
    choose(m_flowFile, "flows", "FLOW_FILE");
    m_topology = HpccTopology::Read(m_topologyFile);
    m_flows = FlowList::Read(m_flowFile, m_topology.nicOfNode);
    if (m_flows.outOfOrder)
    {
        Messages::Say("note",
                      m_flowFile + ": " + std::to_string(m_flows.outOfOrder) +
                          " flows start before one that is listed earlier; they start when they "
                          "say");
    }
    ChooseCc(cmd);
}

void
ReplayOptions::ChooseCc(const CheckedCommandLine& cmd)
{
    std::string configured;
    if (m_config.Has("CC_MODE"))
    {
        const auto mode = CC_MODES.find(m_config.Text("CC_MODE"));
        if (mode != CC_MODES.end())
        {
            configured = mode->second;
        }
        else if (m_transport.cc.empty())
        {
            m_config.Fail("CC_MODE",
                          "mode " + m_config.Text("CC_MODE") +
                              ", expected 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP), or --cc");
        }
    }
    if (m_transport.cc.empty() && configured.empty())
    {
        throw InputError("--cc is missing, expected one (or CC_MODE in --config)");
    }
    if (m_transport.cc.empty())
    {
        m_transport.cc = configured;
    }
    else if (!configured.empty() && configured != m_transport.cc && cmd.IsGiven("cc"))
    {
        Messages::Say("note",
                      "--cc=" + m_transport.cc + " instead of CC_MODE " + m_config.Text("CC_MODE") +
                          " (" + configured + ")");
    }
}

void
ReplayOptions::ApplyProfile()
{
    if (!IsHpccSim())
    {
        return;
    }
    for (const auto& [attribute, value] : HPCC_SIM_ATTRIBUTES)
    {
        Set(attribute, value);
    }
    uint32_t classes = 0;
    for (const FlowSpec& flow : m_flows.flows)
    {
        classes |= 1U << flow.trafficClass;
    }
    Set("ns3::roce::Switch::DataClasses", std::to_string(classes));
    Set("ns3::roce::Switch::LosslessClasses", std::to_string(classes));
    Set("ns3::roce::Nic::ControlClass", std::to_string(m_flows.flows.front().trafficClass));
    const std::string law = m_transport.cc.substr(0, m_transport.cc.find('['));
    // There, only the laws of telemetry move the end of a gap that has begun when the rate changes.
    Set("ns3::roce::Nic::Repacing", law == "Hpcc" || law == "PowerTcp" ? "shift" : "none");
    const bool original = !m_topology.fourNumbers;
    Set("ns3::roce::Switch::ReservedBytes", original ? "4096" : "0");
    Set("ns3::roce::Switch::XonOffset", original ? "3072" : "2496");
    Set("ns3::roce::Switch::HeadroomInBuffer", original ? "true" : "false");
    if (original)
    {
        Set("ns3::roce::Switch::AlphaReferenceRate",
            std::to_string(m_topology.GetMaxHostRateBps()) + "bps");
    }
}

void
ReplayOptions::ApplyRateLaw()
{
    const HpccConfig& c = m_config;
    const auto microseconds = [&](const char* key, const char* attribute) {
        if (c.Has(key))
        {
            SetFrom(key, attribute, ToText(c.Number(key)) + "us");
        }
    };
    const auto copy = [&](const char* key, const std::vector<const char*>& attributes) {
        for (const char* attribute : attributes)
        {
            if (c.Has(key))
            {
                SetFrom(key, attribute, c.Text(key));
            }
        }
    };
    const auto flag = [&](const char* key, const char* attribute) {
        if (c.Has(key))
        {
            Set(attribute, c.Flag(key, false) ? "true" : "false");
        }
    };
    microseconds("ALPHA_RESUME_INTERVAL", "ns3::roce::Dcqcn::AlphaPeriod");
    microseconds("RATE_DECREASE_INTERVAL", "ns3::roce::Dcqcn::CutPeriod");
    microseconds("RP_TIMER", "ns3::roce::Dcqcn::TimeReset");
    copy("EWMA_GAIN", {"ns3::roce::Dcqcn::Gain", "ns3::roce::Dctcp::Gain"});
    copy("FAST_RECOVERY_TIMES", {"ns3::roce::Dcqcn::Threshold"});
    copy("RATE_AI",
         {"ns3::roce::Dcqcn::AiRate", "ns3::roce::Hpcc::Rai", "ns3::roce::Timely::Delta"});
    copy("RATE_HAI", {"ns3::roce::Dcqcn::HaiRate"});
    copy("MIN_RATE",
         {"ns3::roce::Dcqcn::MinRate",
          "ns3::roce::Hpcc::MinRate",
          "ns3::roce::Timely::MinRate",
          "ns3::roce::Dctcp::MinRate"});
    copy("DCTCP_RATE_AI", {"ns3::roce::Dctcp::Ai"});
    copy("U_TARGET", {"ns3::roce::Hpcc::Eta"});
    copy("MI_THRESH", {"ns3::roce::Hpcc::MaxStage"});
    copy("PACKET_PAYLOAD_SIZE", {"ns3::roce::Nic::PathMtu"});
    flag("FAST_REACT", "ns3::roce::Hpcc::FastReact");
    flag("MULTI_RATE", "ns3::roce::Hpcc::MultiRate");
    if (c.Flag("CLAMP_TARGET_RATE", false))
    {
        Set("ns3::roce::Dcqcn::ClampTarget", "always");
    }
    if (c.Has("RATE_AI") && c.Has("RATE_HAI"))
    {
        const auto ai = static_cast<double>(DataRate(c.Text("RATE_AI")).GetBitRate());
        const auto hai = static_cast<double>(DataRate(c.Text("RATE_HAI")).GetBitRate());
        if (ai > 0)
        {
            Set("ns3::roce::Timely::HaiFactor", ToText(hai / ai));
        }
    }
    if (c.Flag("HAS_WIN", false))
    {
        Set("ns3::roce::Dcqcn::Window", "bdp");
        Set("ns3::roce::Timely::Window", "bdp");
    }
    if (c.Has("ACK_HIGH_PRIO"))
    {
        Set("ns3::roce::Nic::ControlClass",
            c.Flag("ACK_HIGH_PRIO", false) ? "6"
                                           : std::to_string(m_flows.flows.front().trafficClass));
    }
}

void
ReplayOptions::ApplySwitches()
{
    const HpccConfig& c = m_config;
    if (c.Has("BUFFER_SIZE"))
    {
        SetFrom("BUFFER_SIZE",
                "ns3::roce::Switch::BufferSize",
                std::to_string(GetBytes("BUFFER_SIZE", c.Number("BUFFER_SIZE"), 1048576)) + "B");
    }
    if (IsHpccSim())
    {
        const double multi = c.Has("INT_MULTI") ? std::max(1.0, c.Number("INT_MULTI")) : 1;
        const auto unit = [&](const char* attribute, double bytes) {
            SetFrom("INT_MULTI", attribute, std::to_string(GetBytes("INT_MULTI", multi, bytes)));
        };
        unit("ns3::roce::IntStamper::TxUnit", 128);
        unit("ns3::roce::IntStamper::QueueUnit", 80);
    }
    if (!c.Flag("ENABLE_QCN", true))
    {
        m_transport.ecn = false;
    }
    const char* maps[] = {"KMIN_MAP", "KMAX_MAP", "PMAX_MAP"};
    const auto given = std::count_if(std::begin(maps), std::end(maps), [&](const char* map) {
        return c.Has(map);
    });
    if (given == 0)
    {
        return;
    }
    for (const char* map : maps)
    {
        if (!c.Has(map))
        {
            throw InputError((m_configFile.empty() ? "--set" : m_configFile) + ": " + map +
                             " is missing, expected KMIN_MAP, KMAX_MAP and PMAX_MAP or none");
        }
    }
    const std::map<uint64_t, double> kmin = c.Map("KMIN_MAP");
    const std::map<uint64_t, double> kmax = c.Map("KMAX_MAP");
    std::string curves;
    for (const auto& [rate, pmax] : c.Map("PMAX_MAP"))
    {
        if (!kmin.count(rate) || !kmax.count(rate))
        {
            c.Fail("PMAX_MAP",
                   "rate " + std::to_string(rate) +
                       ", expected the rates of KMIN_MAP and KMAX_MAP");
        }
        // 1 KB is 1000 bytes there.
        curves += (curves.empty() ? "" : ",") + std::to_string(rate) + "bps/" +
                  std::to_string(GetBytes("KMIN_MAP", kmin.at(rate), 1000)) + "/" +
                  std::to_string(GetBytes("KMAX_MAP", kmax.at(rate), 1000)) + "/" + ToText(pmax);
    }
    Set("ns3::roce::EcnMarker::RateMap", curves);
}

void
ReplayOptions::ApplyLinkDown(Network& network) const
{
    if (!m_config.Has("LINK_DOWN"))
    {
        return;
    }
    const std::vector<uint64_t> fields = m_config.Numbers("LINK_DOWN");
    if (fields[0] == 0)
    {
        return;
    }
    if (fields[0] > LINK_DOWN_MAX_US)
    {
        m_config.Fail("LINK_DOWN",
                      std::to_string(fields[0]) + " us is too late, expected at most " +
                          std::to_string(LINK_DOWN_MAX_US));
    }
    for (uint32_t i = 0; i < m_topology.links.size(); ++i)
    {
        const HpccTopology::LinkLine& link = m_topology.links[i];
        if (std::minmax<uint64_t>(link.a, link.b) == std::minmax(fields[1], fields[2]))
        {
            if (!m_cmd->IsGiven("reroute"))
            {
                network.SetReroute(0);
            }
            network.ScheduleLinkChange(LINK_DOWN_ORIGIN_PS +
                                           static_cast<int64_t>(fields[0]) * 1000000,
                                       i,
                                       false);
            return;
        }
    }
    m_config.Fail("LINK_DOWN",
                  "no link joins " + std::to_string(fields[1]) + " and " +
                      std::to_string(fields[2]) + ", expected one of " + m_topologyFile);
}

/// GLOBAL_T: one base RTT, the network's longest, for every flow.
void
ReplayOptions::ApplyGlobalT(const Network& network)
{
    if (!m_config.Flag("GLOBAL_T", IsHpccSim()))
    {
        return;
    }
    const uint32_t payload = network.GetNic(0)->GetMtuBytes();
    const std::string t = std::to_string(m_topology.GetMaxRttPs(network, payload)) + "ps";
    Set("ns3::roce::Hpcc::BaseRtt", t);
    Set("ns3::roce::PowerTcp::BaseRtt", t);
}

void
ReplayOptions::ApplyStopTime(const CheckedCommandLine& cmd)
{
    if (!m_config.Has("SIMULATOR_STOP_TIME") || cmd.IsGiven("stop") || cmd.IsGiven("safetyLimit"))
    {
        return;
    }
    const double seconds = m_config.Number("SIMULATOR_STOP_TIME");
    if (!(seconds * 1e12 >= 1))
    {
        m_config.Fail("SIMULATOR_STOP_TIME",
                      m_config.Text("SIMULATOR_STOP_TIME") + " seconds, expected more than 0");
    }
    const Time end = PicoSeconds(static_cast<int64_t>(std::min(seconds, 9e6) * 1e12));
    const Time last = PicoSeconds(FlowOrder::LastScheduledPs(m_flows.flows));
    // When all flows are done the run ends earlier.
    (end > last ? run.safetyLimit : run.stop) = end > last ? end - last : end;
    run.limitName = "SIMULATOR_STOP_TIME";
}

void
ReplayOptions::PrintUnused() const
{
    std::vector<std::pair<std::string, std::string>> unused = m_config.GetUnused();
    const auto differs = [&](const char* key, bool usual, const char* reason) {
        if (m_config.Flag(key, usual) != usual)
        {
            unused.emplace_back(key, reason);
        }
    };
    differs("USE_DYNAMIC_PFC_THRESHOLD", true, "thresholds are dynamic");
    differs("RATE_BOUND", true, "rates are always enforced");
    differs("L2_BACK_TO_ZERO", false, "losses are repaired from the first missing packet on");
    differs("SAMPLE_FEEDBACK", false, "HPCC looks at every hop");
    const std::string law = m_transport.cc.substr(0, m_transport.cc.find('['));
    if (law == "Hpcc" && !m_config.Flag("HAS_WIN", true))
    {
        unused.emplace_back("HAS_WIN", "HPCC always has a window");
    }
    if (!m_config.Flag("VAR_WIN", true) && m_config.Flag("HAS_WIN", true))
    {
        unused.emplace_back("VAR_WIN", "windows follow the rate");
    }
    for (const auto& [key, reason] : unused)
    {
        Messages::Say("note", key + " has no effect: " + reason);
    }
}

int
ReplayOptions::Run(const CheckedCommandLine& cmd)
{
    m_cmd = &cmd;
    ReadFiles(cmd);
    // What is set first is replaced by what is set later.
    ApplyProfile();
    ApplyRateLaw();
    ApplySwitches();
    ApplyStopTime(cmd);
    PrintUnused();
    run.Apply(cmd);
    m_transport.Apply(cmd);

    Network network;
    m_topology.Construct(network);
    network.Build(m_transport.MakeNetworkOptions());
    m_topology.ApplyLoss(
        network,
        m_config.Has("ERROR_RATE_PER_LINK") ? m_config.Number("ERROR_RATE_PER_LINK") : 0);
    m_faults.Apply(network);
    ApplyLinkDown(network);
    network.AssignStreams(RunOptions::NETWORK_STREAM);
    ApplyGlobalT(network);
    run.Warn(m_transport.Check(network));
    run.Warn(TransportOptions::CheckRecovery(network, m_flows.flows));

    std::vector<UnusedOptions> own;
    if (network.GetNic(0)->GetProfile()->GetSelector()->IsPerPacket())
    {
        own.push_back({{"paths"}, "with --pathSelector=" + m_transport.paths});
    }
    run.WarnUnused(
        cmd,
        {m_transport.GetUnused(cmd, network, m_flows.flows), m_faults.GetUnused(network), own});

    std::cout << m_topology.nodeOfNic.size() << " hosts, " << network.GetNSwitches()
              << " switches, " << network.GetNLinks() << " links, " << m_flows.flows.size()
              << " flows";
    if (!m_pathFile.empty())
    {
        std::cout << ", " << PinPaths(m_pathFile, m_topology, network, m_flows)
                  << " of them with given paths";
    }
    std::cout << std::endl;
    run.hpccForm.derivePorts = true;
    run.hpccForm.nodeIds = m_topology.nodeOfNic;
    if (IsHpccSim())
    {
        const uint32_t payload = network.GetNic(0)->GetMtuBytes();
        run.ideal = [&network, payload](const FlowSpec& flow) {
            int64_t bestPs = INT64_MAX;
            for (const std::vector<HopSpec>& links : network.GetBestPaths(flow.src, flow.dst))
            {
                std::vector<Network::PathHop> path;
                for (const HopSpec& link : links)
                {
                    path.push_back({nullptr, link});
                }
                bestPs = std::min(bestPs, HpccIdeal::FctPs(path, payload, flow.sizeBytes));
            }
            return bestPs;
        };
    }
    return run.Run(cmd, network, m_flows.flows);
}

} // namespace roce
} // namespace ns3
