// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-state.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-wake-timer.h"

#include <string>

namespace ns3::roce
{

void
NetworkState::Set(Phase phase)
{
    m_phase = phase;
    m_builtPs = NowPs();
}

NetworkState::Phase
NetworkState::Get() const
{
    return m_phase == Phase::BUILT && NowPs() > m_builtPs ? Phase::RUNNING : m_phase;
}

void
NetworkState::ExpectOpen(const char* function) const
{
    ExpectThere(function);
    if (m_phase == Phase::FAILED)
    {
        Refuse(function, "after a Build() that has failed, expected a new Network");
    }
    if (m_phase != Phase::OPEN)
    {
        Refuse(function, "after Build(), expected before");
    }
}

void
NetworkState::ExpectBuilt(const char* function) const
{
    ExpectThere(function);
    if (m_phase == Phase::FAILED)
    {
        Refuse(function, "after a Build() that has failed, expected a new Network");
    }
    if (m_phase == Phase::OPEN)
    {
        Refuse(function, "before Build(), expected after");
    }
}

void
NetworkState::ExpectNotRunning(const char* function) const
{
    ExpectBuilt(function);
    if (Get() == Phase::RUNNING)
    {
        Refuse(function, "while the simulation is on, expected before Simulator::Run()");
    }
}

void
NetworkState::Refuse(const char* function, const char* why)
{
    throw InputError(std::string("Network::") + function + " is called " + why);
}

} // namespace ns3::roce
