// SPDX-License-Identifier: GPL-2.0-only
#include "roce-class-check.h"

#include "ns3/object-factory.h"
#include "ns3/queue-size.h"
#include "ns3/roce-flow-application.h"
#include "ns3/roce-path-policy.h"
#include "ns3/roce-tcp-flows.h"
#include "ns3/roce-tuner.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

/// @return the value of an attribute that is a mask; 0 if there is no such attribute
uint32_t
MaskOf(const Object& object, const std::string& attribute)
{
    UintegerValue mask(0);
    object.GetAttributeFailSafe(attribute, mask);
    return static_cast<uint32_t>(mask.Get());
}

/// Flows by class.
class ClassCount
{
  public:
    explicit ClassCount(const std::vector<FlowSpec>& flows)
    {
        for (const FlowSpec& flow : flows)
        {
            m_flows.at(flow.trafficClass) += !TcpFlows::IsTcp(flow); // TCP bears losses
        }
    }

    /// @return the classes that have flows, bit c for class c
    uint32_t GetUsed() const
    {
        uint32_t used = 0;
        for (unsigned c = 0; c < N_CLASSES; ++c)
        {
            used |= m_flows[c] ? 1U << c : 0;
        }
        return used;
    }

    /// @return for example "5 flows are in classes 6, 7". @param mask at least one class of them
    std::string Describe(uint32_t mask) const
    {
        uint64_t count = 0;
        std::string names;
        for (unsigned c = 0; c < N_CLASSES; ++c)
        {
            if (mask >> c & 1)
            {
                count += m_flows[c];
                names += (names.empty() ? "" : ", ") + std::to_string(c);
            }
        }
        return std::to_string(count) + (count == 1 ? " flow is in class" : " flows are in class") +
               (mask & (mask - 1) ? "es " : " ") + names;
    }

  private:
    std::array<uint64_t, N_CLASSES> m_flows{};
};

} // namespace

std::vector<std::string>
CheckClasses(const Network& network, const std::vector<FlowSpec>& flows, bool lossyOnPurpose)
{
    const ClassCount count(flows);
    const uint32_t used = count.GetUsed();
    uint32_t limited = 0; // by the control pool
    uint32_t strict = 0;
    uint32_t lossy = 0;
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Switch& sw = *network.GetSwitch(s);
        const uint32_t data = MaskOf(sw, "DataClasses");
        const uint32_t lossless = MaskOf(sw, "LosslessClasses");
        QueueSizeValue pool;
        sw.GetAttribute("ControlPoolSize", pool);
        limited |= pool.Get().GetValue() ? used & ~data : 0;
        lossy |= lossless ? used & data & ~lossless : 0;
        if (sw.GetNPorts()) // all ports have the same
        {
            strict |= used & MaskOf(sw.GetQueue(0), "StrictClasses");
        }
    }
    std::vector<std::string> lines;
    if (limited)
    {
        lines.push_back(count.Describe(limited) +
                        ", whose frames use the switches' control pool (Switch::DataClasses, "
                        "Switch::ControlPoolSize): without PFC, dropped when it is full" +
                        (limited & strict ? ", and before all other classes" : ""));
    }
    if (const uint32_t rest = strict & ~limited)
    {
        lines.push_back(count.Describe(rest) +
                        ", which switches serve before all others (DwrrScheduler::StrictClasses)");
    }
    if (lossy && !lossyOnPurpose)
    {
        lines.push_back(count.Describe(lossy) +
                        ", which PFC does not protect (Switch::LosslessClasses)");
    }
    return lines;
}

namespace
{

const std::string MODULE = "ns3::roce::";

/// Types of what queue pairs have. @param profile theirs @param used filled in
void
AddQueuePairTypes(const TransportProfile& profile, std::set<TypeId>& used)
{
    for (Ptr<const CongestionControl> law = profile.GetLaw(); law; law = law->GetInnerLaw())
    {
        used.insert(law->GetInstanceTypeId());
    }
    used.insert(profile.GetFeedback()->GetInstanceTypeId());
    used.insert(profile.GetRecovery()->GetInstanceTypeId());
    used.insert(profile.GetSelector()->GetInstanceTypeId());
}

/// @return the types of all objects of a network
std::set<TypeId>
FindUsedTypes(const Network& network, const std::array<bool, 2>& scopes)
{
    std::set<TypeId> used{FlowApplication::GetTypeId()};
    if (const Ptr<Tuner> tuner = network.GetTuner())
    {
        used.insert(tuner->GetInstanceTypeId());
    }
    const void* alike = nullptr; // what NICs are like that have been looked at
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        Nic& nic = *network.GetNic(n);
        if (alike && nic.GetAlike() == alike && nic.GetNLaws() == 1)
        {
            continue; // nothing is made only to be looked at
        }
        alike = nic.GetNLaws() == 1 ? nic.GetAlike() : nullptr;
        for (const bool interDc : {false, true})
        {
            for (std::size_t law = 0; scopes[interDc] && law < nic.GetNLaws(); ++law)
            {
                AddQueuePairTypes(*nic.GetProfile(interDc, static_cast<uint8_t>(law)), used);
            }
        }
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = network.GetSwitch(s);
        used.insert(sw->GetInstanceTypeId());
        for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
        {
            used.insert(sw->GetQueue(p).GetInstanceTypeId());
        }
        for (const Ptr<SwitchStage>& stage : sw->GetStages())
        {
            used.insert(stage->GetInstanceTypeId());
        }
        if (const Ptr<PathPolicy> policy = sw->GetPathPolicy())
        {
            used.insert(policy->GetInstanceTypeId());
        }
    }
    for (const Ptr<Port>& port : network.GetPorts())
    {
        used.insert(port->GetInstanceTypeId());
        used.insert(port->GetLink()->GetInstanceTypeId());
        if (const Ptr<LossModel> model = port->GetLossModel())
        {
            used.insert(model->GetInstanceTypeId());
        }
    }
    return used;
}

/// @return names of the loss recoveries if none of them looks at it, or nothing
std::string
FindIgnorants(LossRecovery::NicTimeout what,
              const Network& network,
              const std::array<bool, 2>& scopes)
{
    std::set<std::string> names;
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        for (const bool interDc : {false, true})
        {
            const Ptr<TransportProfile> profile =
                scopes[interDc] ? network.GetNic(n)->GetProfile(interDc) : nullptr;
            if (profile && profile->GetRecovery()->LooksAt(what))
            {
                return "";
            }
            if (profile)
            {
                const std::string type =
                    profile->GetRecovery()->GetInstanceTypeId().GetName().substr(MODULE.size());
                names.insert(type);
            }
        }
    }
    std::string text;
    for (const std::string& name : names)
    {
        text += (text.empty() ? "" : " and ") + name;
    }
    return text;
}

} // namespace

std::array<bool, 2>
FindScopes(const Network& network, const std::vector<FlowSpec>& flows)
{
    std::array<bool, 2> scopes{};
    for (const FlowSpec& flow : flows)
    {
        if (!TcpFlows::IsTcp(flow))
        {
            scopes[network.GetDatacenter(flow.src) != network.GetDatacenter(flow.dst)] = true;
        }
    }
    return scopes;
}

std::vector<UnusedOptions>
FindUnusedAttributes(const std::set<std::string>& given,
                     const Network& network,
                     const std::array<bool, 2>& scopes)
{
    std::vector<UnusedOptions> unused;
    std::set<TypeId> used;
    for (const std::string& name : given)
    {
        const std::string type = name.substr(0, name.rfind("::"));
        TypeId tid;
        if (name.compare(0, MODULE.size(), MODULE) != 0 ||
            !TypeId::LookupByNameFailSafe(type, &tid))
        {
            continue;
        }
        if (used.empty())
        {
            used = FindUsedTypes(network, scopes);
        }
        if (std::none_of(used.begin(), used.end(), [&tid](const TypeId& candidate) {
                return candidate == tid || candidate.IsChildOf(tid);
            }))
        {
            unused.push_back({{name}, "since there is no " + type.substr(MODULE.size())});
        }
    }
    const std::pair<const char*, LossRecovery::NicTimeout> timeouts[] = {
        {"RtoFactor", LossRecovery::NicTimeout::RTO_FACTOR},
        {"RtoMin", LossRecovery::NicTimeout::RTO_MIN}};
    for (const auto& [attribute, what] : timeouts)
    {
        const std::string name = MODULE + "Nic::" + attribute;
        const std::string recoveries =
            given.count(name) ? FindIgnorants(what, network, scopes) : "";
        if (!recoveries.empty())
        {
            unused.push_back({{name}, "with the timeouts of " + recoveries});
        }
    }
    return unused;
}

} // namespace ns3::roce
