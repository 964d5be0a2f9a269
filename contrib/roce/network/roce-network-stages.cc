// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-stages.h"

#include "roce-network-map.h"

#include "ns3/roce-input-error.h"
#include "ns3/string.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ns3::roce
{

namespace
{

/// The type and the values of what NICs of the same kind use.
std::string
DescribeTransport(const Nic& nic)
{
    std::string text;
    for (const char* part : {"CongestionControl", "LossRecovery", "PathSelector"})
    {
        for (const char* scope : {"", "Inter"})
        {
            StringValue value;
            nic.GetAttribute(std::string(scope) + part, value);
            text += value.Get() + "\n";
        }
    }
    return text;
}

} // namespace

std::vector<StagePlacement>
NetworkOptions::GetPlacements() const
{
    std::vector<StagePlacement> all;
    if (ecn)
    {
        all.emplace_back(ecnMarker);
    }
    if (telemetry)
    {
        all.emplace_back(intStamper);
    }
    all.insert(all.end(), stages.begin(), stages.end());
    return all;
}

/// @param law see FlowSpec::law
void
NetworkStages::AddTransport(Nic& nic, bool interDc, uint8_t law)
{
    Deployment::Transport transport;
    transport.interDc = interDc;
    transport.lineRateBps = nic.GetRateBps();
    const TransportProfile& profile = *nic.GetProfile(interDc, law);
    transport.law = profile.GetLaw();
    transport.feedback = profile.GetFeedback();
    transport.recovery = profile.GetRecovery();
    transport.selector = profile.GetSelector();
    for (Ptr<const CongestionControl> inner = transport.law; inner; inner = inner->GetInnerLaw())
    {
        m_defaults.Note(*inner);
    }
    m_defaults.Note(*transport.feedback);
    m_defaults.Note(*transport.recovery);
    m_defaults.Note(*transport.selector);
    m_deployment.Add(transport);
    m_needsLongestRtts |= transport.recovery->NeedsLongestRtt();
}

std::string
NetworkStages::CheckDeployment(const NetworkOptions& options)
{
    for (const StagePlacement& placement : options.GetPlacements())
    {
        m_deployment.Add(placement.stage.Create<SwitchStage>(), placement.where);
    }
    std::set<std::pair<std::string, uint64_t>> known;
    const void* alike = nullptr;
    uint64_t rateBps = 0;
    for (const auto& entry : m_parts.nics)
    {
        if (alike && entry.nic->GetAlike() == alike && entry.nic->GetRateBps() == rateBps)
        {
            continue;
        }
        alike = entry.nic->GetAlike();
        rateBps = entry.nic->GetRateBps();
        if (known.emplace(DescribeTransport(*entry.nic), rateBps).second)
        {
            AddTransport(*entry.nic, false, 0);
            AddTransport(*entry.nic, true, 0);
        }
    }
    if (options.moreStages)
    {
        m_deployment.ExpectMoreStages();
    }
    m_deployment.Check();
    return m_deployment.GetSenderShim();
}

void
NetworkStages::CheckLaws(const std::vector<FlowSpec>& flows)
{
    std::set<std::tuple<uint8_t, bool, uint32_t>> used;
    for (const FlowSpec& flow : flows)
    {
        if (flow.law)
        {
            used.emplace(flow.law, m_parts.IsInterDc(flow.src, flow.dst), flow.src);
        }
    }
    std::set<std::tuple<uint8_t, bool, uint64_t, std::string>> known;
    for (const auto& [law, interDc, src] : used)
    {
        Nic& nic = *m_parts.nics[src].nic;
        if (known.emplace(law, interDc, nic.GetRateBps(), DescribeTransport(nic)).second)
        {
            AddTransport(nic, interDc, law);
        }
    }
    if (!used.empty())
    {
        m_deployment.Check();
    }
}

void
NetworkStages::Install(const NetworkOptions& options)
{
    const std::vector<StagePlacement> placements = options.GetPlacements();
    const std::string shim = CheckDeployment(options);
    for (const auto& [stage, where] : placements)
    {
        static const char* const missing[] = {
            "",
            "has a NIC",
            "is without NICs and next to one with NICs",
            "is without NICs and next to none with NICs",
            "has a link to another datacenter",
        };
        bool found = false;
        for (uint32_t s = 0; s < m_parts.switches.size(); ++s)
        {
            found = found || m_parts.HasRole(s, where);
        }
        if (!found)
        {
            throw InputError("stage " + stage.GetTypeId().GetName() + " is for switches of role " +
                             SWITCH_ROLE_NAMES[static_cast<unsigned>(where)] + ", but no switch " +
                             missing[static_cast<unsigned>(where)] + ", expected one");
        }
    }
    for (uint32_t s = 0; s < m_parts.switches.size(); ++s)
    {
        std::set<TypeId> types;
        for (const auto& [stage, where] : placements)
        {
            if (m_parts.HasRole(s, where) && !types.insert(stage.GetTypeId()).second)
            {
                throw InputError("stage " + stage.GetTypeId().GetName() + " is there twice at " +
                                 m_parts.switches[s].name + ", expected each once");
            }
        }
    }
    for (uint32_t s = 0; s < m_parts.switches.size(); ++s)
    {
        uint32_t telemetryBytes = 0;
        for (const auto& [stage, where] : placements)
        {
            if (m_parts.HasRole(s, where))
            {
                Ptr<SwitchStage> made = stage.Create<SwitchStage>();
                telemetryBytes += made->GetTelemetryBytes().value_or(0);
                m_parts.switches[s].sw->Install(std::move(made));
            }
        }
        if (telemetryBytes > Frame::MAX_HOP_BYTES)
        {
            throw InputError("stages at " + m_parts.switches[s].name + " charge a frame " +
                             std::to_string(telemetryBytes) +
                             " bytes of telemetry, expected at most " +
                             std::to_string(Frame::MAX_HOP_BYTES));
        }
        m_intBytesPerHop = std::max(m_intBytesPerHop, telemetryBytes);
    }
    for (const auto& nic : m_parts.nics)
    {
        if (!shim.empty())
        {
            nic.nic->SetInterShim(shim);
        }
    }
    if (!shim.empty())
    {
        m_defaults.Note(TypeId::LookupByName(shim.substr(0, shim.find('['))));
    }
}

std::vector<std::string>
NetworkStages::GetWarnings() const
{
    std::vector<std::string> all;
    for (const NetworkParts::SwitchEntry& entry : m_parts.switches)
    {
        for (const Ptr<SwitchStage>& stage : entry.sw->GetStages())
        {
            for (const std::string& line : stage->GetWarnings(m_deployment))
            {
                if (std::find(all.begin(), all.end(), line) == all.end())
                {
                    all.push_back(line);
                }
            }
        }
    }
    return all;
}

} // namespace ns3::roce
