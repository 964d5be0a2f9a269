// SPDX-License-Identifier: GPL-2.0-only
#include "roce-switch-stage.h"

#include "roce-switch.h"

#include "ns3/roce-input-error.h"
#include "ns3/simulator.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(SwitchStage);

TypeId
SwitchStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::SwitchStage").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

void
SwitchStage::RefuseRetune(const SwitchStage& prototype) const
{
    throw InputError(GetInstanceTypeId().GetName() + " cannot take over the parameters of " +
                     prototype.GetInstanceTypeId().GetName() +
                     (prototype.GetInstanceTypeId() == GetInstanceTypeId()
                          ? ": they cannot change while the simulation is on"
                          : ", expected a stage of its own class"));
}

void
SwitchStage::Retune(const SwitchStage& prototype, int64_t)
{
    RefuseRetune(prototype);
}

void
SwitchStage::OnParameterChange()
{
    if (m_switch && !m_retuning)
    {
        m_retuning = true;
        Simulator::ScheduleNow(&SwitchStage::RetuneNow, Ptr<SwitchStage>(this));
    }
}

void
SwitchStage::RetuneNow()
{
    m_retuning = false;
    m_switch->CatchUp(NowPs());
    Retune(*this, NowPs());
    m_switch->OnWake(NowPs());
}

} // namespace ns3::roce
