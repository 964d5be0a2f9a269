// SPDX-License-Identifier: GPL-2.0-only
#include "roce-deployment.h"
#include "roce-network.h"

#include "ns3/roce-input-error.h"
#include "ns3/string.h"

#include <algorithm>
#include <set>

// The stages of the switches, where they are, and whether they fit the NICs.

namespace ns3::roce
{

namespace
{

/// The type and the values of what NICs of the same kind use. @param nic any
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
Network::Options::GetPlacements() const
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

bool
Network::HasRole(uint32_t sw, SwitchRole role) const
{
    m_state.ExpectBuilt("HasRole()");
    const SwitchEntry& entry = SwitchAt(sw);
    const auto anyNeighbour = [&](auto predicate) {
        return std::any_of(entry.neighbours.begin(),
                           entry.neighbours.end(),
                           [&](const Neighbour& next) { return predicate(m_switches[next.sw]); });
    };
    const bool tor = entry.rack >= 0;
    const bool dci = anyNeighbour(
        [&](const SwitchEntry& other) { return other.datacenter != entry.datacenter; });
    const bool inner = !tor && !dci;
    switch (role)
    {
    case SwitchRole::ALL:
        return true;
    case SwitchRole::TOR:
        return tor;
    case SwitchRole::DCI:
        return dci;
    case SwitchRole::SPINE:
    case SwitchRole::CORE:
        break;
    }
    const bool belowIsTor = anyNeighbour([](const SwitchEntry& other) { return other.rack >= 0; });
    return inner && belowIsTor == (role == SwitchRole::SPINE);
}

std::string
Network::CheckDeployment(const Options& options)
{
    Deployment deployment;
    for (const StagePlacement& placement : options.GetPlacements())
    {
        deployment.Add(placement.stage.Create<SwitchStage>(), placement.where);
    }
    std::set<std::string> known;
    for (const NicEntry& entry : m_nics)
    {
        Nic& nic = *entry.nic;
        if (!known.insert(DescribeTransport(nic)).second)
        {
            continue;
        }
        for (const bool interDc : {false, true})
        {
            Deployment::Transport transport;
            transport.interDc = interDc;
            const TransportProfile& profile = *nic.GetProfile(interDc);
            transport.law = profile.GetLaw();
            transport.feedback = profile.GetFeedback();
            transport.recovery = profile.GetRecovery();
            transport.selector = profile.GetSelector();
            for (Ptr<const CongestionControl> law = transport.law; law; law = law->GetInnerLaw())
            {
                m_defaults->Note(*law);
            }
            m_defaults->Note(*transport.feedback);
            m_defaults->Note(*transport.recovery);
            m_defaults->Note(*transport.selector);
            deployment.Add(transport);
            m_needsLongestRtts |= transport.recovery->NeedsLongestRtt();
        }
    }
    if (options.moreStages)
    {
        deployment.ExpectMoreStages();
    }
    deployment.Check();
    return deployment.GetSenderShim();
}

void
Network::InstallStages(const Options& options)
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
        for (uint32_t s = 0; s < GetNSwitches(); ++s)
        {
            found = found || HasRole(s, where);
        }
        if (!found)
        {
            throw InputError("stage " + stage.GetTypeId().GetName() + " is for switches of role " +
                             SWITCH_ROLE_NAMES[static_cast<unsigned>(where)] + ", but no switch " +
                             missing[static_cast<unsigned>(where)] + ", expected one");
        }
    }
    for (uint32_t s = 0; s < GetNSwitches(); ++s)
    {
        std::set<TypeId> types;
        for (const auto& [stage, where] : placements)
        {
            if (HasRole(s, where) && !types.insert(stage.GetTypeId()).second)
            {
                throw InputError("stage " + stage.GetTypeId().GetName() + " is there twice at " +
                                 m_switches[s].name + ", expected each once");
            }
        }
    }
    for (uint32_t s = 0; s < GetNSwitches(); ++s)
    {
        uint32_t telemetryBytes = 0;
        for (const auto& [stage, where] : placements)
        {
            if (HasRole(s, where))
            {
                Ptr<SwitchStage> made = stage.Create<SwitchStage>();
                telemetryBytes += made->GetTelemetryBytes().value_or(0);
                m_switches[s].sw->Install(std::move(made));
            }
        }
        if (telemetryBytes > Frame::MAX_HOP_BYTES)
        {
            throw InputError("stages at " + m_switches[s].name + " charge a frame " +
                             std::to_string(telemetryBytes) +
                             " bytes of telemetry, expected at most " +
                             std::to_string(Frame::MAX_HOP_BYTES));
        }
        m_intBytesPerHop = std::max(m_intBytesPerHop, telemetryBytes);
    }
    for (const NicEntry& nic : m_nics)
    {
        if (!shim.empty())
        {
            nic.nic->SetInterShim(shim);
        }
    }
    if (!shim.empty())
    {
        m_defaults->Note(TypeId::LookupByName(shim.substr(0, shim.find('['))));
    }
}

} // namespace ns3::roce
