// SPDX-License-Identifier: GPL-2.0-only
#include "roce-replay.h"

#include "roce-fork-keys.h"
#include "roce-hpcc-laws.h"
#include "roce-hpcc-network.h"
#include "roce-path-list.h"

#include "ns3/data-rate.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3::roce
{

namespace
{

/// Numbers of CC_MODE.
const std::map<std::string, std::string> CC_MODES{{"1", "Dcqcn"},
                                                  {"3", "Hpcc"},
                                                  {"7", "Timely"},
                                                  {"8", "Dctcp"}};

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
    {"ns3::roce::Switch::RefreshPause", "false"},  {"ns3::roce::Switch::RandomTies", "false"},
    {"ns3::roce::Dcqcn::Profile", "hpcc-sim"},     {"ns3::roce::Dctcp::Profile", "hpcc-sim"},
    {"ns3::roce::Hpcc::Profile", "hpcc-sim"},      {"ns3::roce::Timely::Profile", "hpcc-sim"},
    {"ns3::roce::PowerTcp::Profile", "inet-tub"},
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

ReplayOptions::ReplayOptions(bool hasFlows)
    : m_hasFlows(hasFlows)
{
    m_transport.cc = "";
    run.out = "results/replay";
    run.hpccFct = true;
    run.hpccPfc = true;
}

void
ReplayOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("topology", "topology.txt; empty: TOPOLOGY_FILE of the config", m_topologyFile);
    if (m_hasFlows)
    {
        cmd.AddValue("flows",
                     "flow.txt, or a list of this module's; empty: FLOW_FILE of the config",
                     m_flowFile);
    }
    cmd.AddValue("config", "Configuration file of the HPCC simulator", m_configFile);
    cmd.AddValue("set", "Replaces keys of the config, for example HAS_WIN=0,RP_TIMER=300", m_set);
    cmd.AddValue("ignoreUnknown", "Ignore unknown keys of the config", m_ignoreUnknown);
    if (m_hasFlows)
    {
        cmd.AddValue("pathFile", "Paths to pin flows to: lines id,node-node-...", m_pathFile)
            .Unused([this] { return m_perPacket ? "with --paths=" + m_transport.paths : ""; });
        cmd.AddRemoved("pathSelector", "--paths");
        cmd.AddValue("goal",
                     "In place of flows: schedule of each rank, GOAL as text or binary",
                     m_ranks.goalFile);
        cmd.AddValue("jobs", "In place of flows: JSON list of jobs", m_ranks.jobsFile);
        m_chakra.AddOptions(cmd);
        cmd.SetGroup(
            UnusedWhile([this] { return !HasRanks(); }, "without --goal, --trace or --jobs"));
        m_ranks.AddOptions(cmd);
        cmd.SetGroup(nullptr);
    }
    cmd.AddChoice("profile",
                  "hpcc-sim: sizes and mechanisms of that simulator; empty: of this module",
                  m_isHpccSim,
                  {{"hpcc-sim", true}, {"", false}});
    m_longLinks.AddOptions(cmd, m_topology);
    m_transport.AddOptions(cmd);
    m_faults.AddOptions(cmd);
    if (m_hasFlows)
    {
        run.AddOptions(cmd);
        return;
    }
    cmd.AddValue("seed", "Run number of all random streams", run.seed);
    cmd.AddValue("stop",
                 "End of the run; 0: when all ranks are done",
                 run.stop,
                 Range::Within(0, static_cast<double>(Network::LONGEST_RUN_PS)));
}

/// @return a number of the config times a unit
uint64_t
ReplayOptions::GetBytes(const std::string& key, double number, double unit) const
{
    if (number * unit > HpccConfig::MAX_BYTES)
    {
        m_config.Fail(key, ToText(number) + " is too large, expected at most 2^53 bytes");
    }
    return static_cast<uint64_t>(number * unit);
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
    else if (!configured.empty() && configured != m_transport.cc && cmd.IsGivenFor(&m_transport.cc))
    {
        Messages::Say("note",
                      "--cc=" + m_transport.cc + " instead of CC_MODE " + m_config.Text("CC_MODE") +
                          " (" + configured + ")");
    }
}

void
ReplayOptions::ApplyProfile()
{
    KeySettings& settings = *m_settings;
    if (!m_isHpccSim)
    {
        return;
    }
    for (const auto& [attribute, value] : HPCC_SIM_ATTRIBUTES)
    {
        settings.Set(attribute, value);
    }
    const std::string law = HpccLaws(m_config, m_transport.cc, true).GetName();
    // There, only the laws of telemetry move the end of a gap that has begun when the rate changes.
    settings.Set("ns3::roce::Nic::Repacing", law == "Hpcc" || law == "PowerTcp" ? "shift" : "none");
    const bool original = m_topology.layout != HpccTopology::Layout::INET_TUB;
    settings.Set("ns3::roce::Switch::ReservedBytes", original ? "4096" : "0");
    settings.Set("ns3::roce::Switch::XonOffset", original ? "3072" : "2496");
    settings.Set("ns3::roce::Switch::HeadroomInBuffer", original ? "true" : "false");
    if (original)
    {
        settings.Set("ns3::roce::Switch::AlphaReferenceRate",
                     std::to_string(m_topology.GetMaxHostRateBps()) + "bps");
    }
}

void
ReplayOptions::ApplyRateLaw()
{
    KeySettings& settings = *m_settings;
    const HpccConfig& c = m_config;
    const auto microseconds = [&](const char* key, const char* attribute) {
        if (c.Has(key))
        {
            settings.SetFrom(key, attribute, ToText(c.Number(key)) + "us");
        }
    };
    const auto copy = [&](const char* key, const std::vector<const char*>& attributes) {
        for (const char* attribute : attributes)
        {
            if (c.Has(key))
            {
                settings.SetFrom(key, attribute, c.Text(key));
            }
        }
    };
    const auto flag = [&](const char* key, const char* attribute) {
        if (c.Has(key))
        {
            settings.Set(attribute, c.Flag(key, false) ? "true" : "false");
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
        settings.Set("ns3::roce::Dcqcn::ClampTarget", "always");
    }
    if (c.Has("RATE_AI") && c.Has("RATE_HAI"))
    {
        const auto ai = static_cast<double>(DataRate(c.Text("RATE_AI")).GetBitRate());
        const auto hai = static_cast<double>(DataRate(c.Text("RATE_HAI")).GetBitRate());
        if (hai < ai && settings.IsInUse("ns3::roce::Timely::HaiFactor"))
        {
            c.Fail("RATE_HAI",
                   c.Text("RATE_HAI") + ", expected at least RATE_AI, which is " +
                       c.Text("RATE_AI"));
        }
        if (ai > 0)
        {
            settings.Set("ns3::roce::Timely::HaiFactor", ToText(hai / ai));
        }
    }
    const auto set = [&settings](const std::string& attribute, const std::string& value) {
        settings.Set(attribute, value);
    };
    const uint64_t payload = ValueCheck::DefaultNumber("ns3::roce::Nic::PathMtu");
    HpccLongest longest = HpccLongest::Find(m_topology, static_cast<uint32_t>(payload));
    ForkKeys(c, m_topology).Replace(longest);
    HpccLaws(c, m_transport.cc, m_isHpccSim).Apply(longest, set);
    ApplyHpccClasses(m_flows.flows, c, m_isHpccSim, set);
}

void
ReplayOptions::ApplySwitches()
{
    KeySettings& settings = *m_settings;
    const HpccConfig& c = m_config;
    const ForkKeys forks(m_config, m_topology);
    for (const auto& [key, attribute, value] : forks.GetSettings())
    {
        settings.SetFrom(key, attribute, value);
    }
    if (c.Has("BUFFER_SIZE"))
    {
        settings.SetFrom("BUFFER_SIZE",
                         "ns3::roce::Switch::BufferSize",
                         std::to_string(GetBytes("BUFFER_SIZE",
                                                 c.Number("BUFFER_SIZE"),
                                                 static_cast<double>(forks.GetBufferUnit()))) +
                             "B");
    }
    if (m_isHpccSim)
    {
        const double multi = c.Has("INT_MULTI") ? std::max(1.0, c.Number("INT_MULTI")) : 1;
        const auto unit = [&](const char* attribute, double bytes) {
            settings.SetFrom("INT_MULTI",
                             attribute,
                             std::to_string(GetBytes("INT_MULTI", multi, bytes)));
        };
        unit("ns3::roce::IntStamper::TxUnit", 128);
        unit("ns3::roce::IntStamper::QueueUnit", 80);
    }
    if (!c.Flag("ENABLE_QCN", true))
    {
        m_transport.ecn = false;
    }
    const std::string rateMap = "ns3::roce::EcnMarker::RateMap";
    const std::string curves =
        HpccEcnCurves(c, m_topology, m_transport.ecn && !m_cmd->IsGiven(rateMap));
    if (!curves.empty())
    {
        settings.Set(rateMap, curves);
    }
}

/// @return shared buffer of DCI switches; 0: as of the others
uint32_t
ReplayOptions::GetDciBufferBytes() const
{
    const char* key = "DCI_BUFFER_SIZE";
    if (!m_config.Has(key) || m_cmd->IsGiven("ns3::roce::Switch::BufferSize"))
    {
        return 0;
    }
    const uint64_t bytes = GetBytes(key, m_config.Number(key), 1048576);
    if (bytes == 0 || bytes > UINT32_MAX)
    {
        m_config.Fail(key, m_config.Text(key) + " MiB, expected more than 0 and less than 4096");
    }
    return static_cast<uint32_t>(bytes);
}

void
ReplayOptions::ApplyStopTime(const CheckedCommandLine& cmd)
{
    if (!m_config.Has("SIMULATOR_STOP_TIME") || cmd.IsGivenFor(&run.stop) ||
        (m_hasFlows && cmd.IsGivenFor(&run.safetyLimit)))
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
ReplayOptions::PrintUnused(const CongestionControl& law) const
{
    std::vector<std::pair<std::string, std::string>> unused = m_config.GetUnused();
    const auto add = [&unused](const std::vector<std::pair<std::string, std::string>>& more) {
        unused.insert(unused.end(), more.begin(), more.end());
    };
    add(ForkKeys(m_config, m_topology).GetUnused());
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
    add(HpccLaws(m_config, m_transport.cc, m_isHpccSim).FindUnused(law));
    while (!unused.empty())
    {
        // Keys with the same reason in one line.
        const std::string reason = unused.front().second;
        const auto rest =
            std::stable_partition(unused.begin(), unused.end(), [&](const auto& item) {
                return item.second == reason;
            });
        std::string keys;
        std::for_each(unused.begin(), rest, [&keys](const auto& item) {
            keys += (keys.empty() ? "" : ", ") + item.first;
        });
        const bool several = rest - unused.begin() > 1;
        Messages::Say("note", keys + (several ? " have" : " has") + " no effect: " + reason);
        unused.erase(unused.begin(), rest);
    }
}

int
ReplayOptions::Run(const CheckedCommandLine& cmd)
{
    int status = 0;
    NameKeys([&] {
        Network network;
        BuildFiles(cmd, network);
        status = RunFlows(cmd, network);
    });
    return status;
}

void
ReplayOptions::Build(const CheckedCommandLine& cmd, Network& network)
{
    NameKeys([&] { BuildFiles(cmd, network); });
}

/// Name keys in errors. @param call what may throw
void
ReplayOptions::NameKeys(const std::function<void()>& call) const
{
    try
    {
        call();
    }
    catch (const InputError& error)
    {
        // Values that are good each by itself: the object that has them knows attributes only.
        const std::string keys = m_settings ? m_settings->FindKeys(error.what()) : "";
        if (keys.empty())
        {
            throw;
        }
        throw InputError(std::string(error.what()) + " (" + keys + ")");
    }
}

void
ReplayOptions::BuildFiles(const CheckedCommandLine& cmd, Network& network)
{
    m_cmd = &cmd;
    ReadFiles(cmd);
    m_settings.emplace(cmd, m_config, m_transport.cc);
    ForkKeys(m_config, m_topology).Apply(cmd, m_transport);
    // What is set first is replaced by what is set later.
    ApplyProfile();
    ApplyRateLaw();
    ApplySwitches();
    ApplyStopTime(cmd);
    run.Apply(cmd);
    run.Warn(m_config.GetNotes());
    m_transport.Apply(cmd);

    run.threading.Expect(network);
    m_topology.Construct(network, GetDciBufferBytes(), m_isHpccSim && m_longLinks.delay.IsZero());
    m_longLinks.Build(network, m_topology, m_transport.MakeNetworkOptions());
    PrintUnused(*network.GetNic(0)->GetProfile()->GetLaw());
    m_topology.ApplyLoss(
        network,
        m_config.Has("ERROR_RATE_PER_LINK") ? m_config.Number("ERROR_RATE_PER_LINK") : 0);
    for (FlowSpec& flow : m_flows.flows)
    {
        flow.src = flow.job ? flow.src : network.GetHost(flow.src); // ranks are on hosts
        flow.dst = flow.job ? flow.dst : network.GetHost(flow.dst);
    }
    network.ChooseNics(m_flows.flows, NicRule::NEAREST);
    m_faults.Apply(network);
    HpccLinkDown(m_config, m_topology, network, !cmd.IsGivenFor(&m_faults.reroute));
    network.AssignStreams(RunOptions::NETWORK_STREAM);
    run.Warn(m_transport.Check(network));
    run.Warn(m_transport.laws.Apply(network, m_flows.laws, m_flows.flows));
    run.tcpLaws = m_transport.laws.tcpLaws;
    if (!m_pathFile.empty())
    {
        m_transport.laws.RefuseTcp("--pathFile");
    }
    run.Warn(TransportOptions::CheckRecovery(network, m_flows.flows));

    m_perPacket = network.GetNic(0)->GetProfile()->GetSelector()->IsPerPacket();
    run.Warn(cmd.DescribeUnused(m_transport.FindUnused(cmd, network, m_flows.flows)));
}

int
ReplayOptions::RunFlows(const CheckedCommandLine& cmd, Network& network)
{
    std::cout << m_topology.GetNHosts() << " hosts, " << network.GetNSwitches() << " switches, "
              << network.GetNLinks() << " links, " << m_flows.flows.size() << " flows";
    if (!m_pathFile.empty())
    {
        std::cout << ", " << PinPaths(m_pathFile, m_topology, network, m_flows)
                  << " of them with given paths";
    }
    std::cout << std::endl;
    run.hpccForm.derivePorts = true;
    run.hpccForm.nodeIds = m_topology.nodeOfNic;
    if (m_isHpccSim)
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

} // namespace ns3::roce
