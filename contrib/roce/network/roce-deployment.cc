// SPDX-License-Identifier: GPL-2.0-only
#include "roce-deployment.h"

#include "ns3/roce-input-error.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

std::string
NameOf(const Object& object)
{
    return object.GetInstanceTypeId().GetName();
}

} // namespace

void
Deployment::Add(const Transport& transport)
{
    m_transports.push_back(transport);
}

void
Deployment::Add(Ptr<const SwitchStage> stage, SwitchRole where)
{
    m_stages.push_back({std::move(stage), where});
}

template <typename PREDICATE>
bool
Deployment::HasAnyStage(bool interDc, PREDICATE predicate) const
{
    return std::any_of(m_stages.begin(), m_stages.end(), [&](const Place& place) {
        return (interDc || place.where != SwitchRole::DCI) && predicate(*place.stage);
    });
}

bool
Deployment::HasMarks(bool interDc) const
{
    return HasAnyStage(interDc, [](const SwitchStage& stage) { return stage.MarksEcn(); });
}

bool
Deployment::HasTelemetry(bool interDc) const
{
    return HasAnyStage(interDc, [](const SwitchStage& stage) {
        return stage.GetTelemetryBytes().has_value();
    });
}

bool
Deployment::HasStage(const std::string& typeName, bool interDc) const
{
    return m_moreStages || HasAnyStage(interDc, [&](const SwitchStage& stage) {
               return NameOf(stage) == typeName;
           });
}

std::string
Deployment::GetSenderShim() const
{
    for (const Place& place : m_stages)
    {
        if (std::string shim = place.stage->GetSenderShim(); !shim.empty())
        {
            return shim;
        }
    }
    return "";
}

void
Deployment::CheckShims() const
{
    const SwitchStage* first = nullptr;
    for (const auto& [stage, where] : m_stages)
    {
        if (stage->GetSenderShim().empty())
        {
            continue;
        }
        if (where != SwitchRole::DCI)
        {
            throw InputError("stage " + NameOf(*stage) +
                             " steers the senders of flows between datacenters, expected it at "
                             "switches of role dci only (--edge)");
        }
        if (first)
        {
            throw InputError("stages " + NameOf(*first) + " and " + NameOf(*stage) +
                             " both steer the senders, expected one of them");
        }
        first = PeekPointer(stage);
    }
}

void
Deployment::CheckNeeds(const Transport& transport) const
{
    const bool interDc = transport.interDc;
    const auto refuse =
        [interDc](const std::string& what, const Object& who, const std::string& problem) {
            throw InputError(what + (interDc ? " between datacenters, " : ", ") + NameOf(who) +
                             ", needs " + problem);
        };
    if (transport.law->NeedsTelemetry() && !HasTelemetry(interDc))
    {
        refuse("the rate law",
               *transport.law,
               "telemetry, which no switch on the way stamps; expected an IntStamper (--int=1)");
    }
    const std::string marks = "ECN marks, but no switch on the way marks; expected an EcnMarker "
                              "(--ecn=1) or a stage that marks (--stages=PhantomQueue)";
    const bool hasMarks = HasMarks(interDc);
    if (transport.law->NeedsEcn() && !hasMarks)
    {
        refuse("the rate law", *transport.law, marks);
    }
    if (transport.selector->NeedsEcn() && !hasMarks)
    {
        refuse("the path selector", *transport.selector, marks);
    }
}

void
Deployment::Check() const
{
    CheckShims();
    for (const Transport& transport : m_transports)
    {
        transport.law->Check(*this, transport.interDc);
        transport.feedback->Check(*this, transport.interDc);
        transport.recovery->Check(*this, transport.interDc);
        transport.selector->Check(*this, transport.interDc);
    }
    for (const Place& place : m_stages)
    {
        place.stage->Check(*this);
    }
    // First the needs of single parts: their messages say more.
    for (const Transport& transport : m_transports)
    {
        if (!m_moreStages)
        {
            CheckNeeds(transport);
        }
    }
}

} // namespace ns3::roce
