// SPDX-License-Identifier: GPL-2.0-only
// The part of Network that is about its end, and about who may call it while stations are at work.
#include "roce-network-division.h"
#include "roce-network-flows.h"
#include "roce-network-paths.h"
#include "roce-network-routes.h"
#include "roce-network-stages.h"
#include "roce-network.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-tuner.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace ns3::roce
{

/// @return whether the caller is a sink or a stage, or a law: a station or their clock goes on when
/// it returns
bool
Network::IsAtWork() const
{
    const auto runs = [](const auto& entries, auto station) {
        return std::any_of(entries.begin(), entries.end(), [station](const auto& entry) {
            return (entry.*station)->IsRunning();
        });
    };
    return m_clock->IsAtWork() || (m_division->Get() && m_division->Get()->IsAtWork()) ||
           runs(m_parts.nics, &NetworkParts::NicEntry::nic) ||
           runs(m_parts.switches, &NetworkParts::SwitchEntry::sw);
}

/// @throw InputError if IsAtWork(). @param function that has been called
void
Network::ExpectIdle(const char* function) const
{
    if (IsAtWork())
    {
        throw InputError(std::string(function) +
                         " is called by a sink, a stage or a rate law, expected an event of its "
                         "own, or after Simulator::Run()");
    }
}

void
Network::OnSimulatorDestroy()
{
    m_state.Set(NetworkState::Phase::ENDED);
    ExpectIdle("Simulator::Destroy()");
}

Network::~Network()
{
    if (m_runsStations)
    {
        // The function that has called the sink cannot go on, and a destructor cannot refuse.
        std::cerr << "error: a Network is destroyed by a sink while one of its functions is at "
                     "work, expected after Simulator::Run()"
                  << std::endl;
        std::_Exit(2);
    }
    const bool isAtWork = IsAtWork();
    m_destroyed.Cancel();
    for (EventId& change : m_changes)
    {
        change.Cancel();
    }
    if (m_defaults)
    {
        m_defaults->Forget();
    }
    if (m_tuner)
    {
        m_tuner->Dispose();
    }
    for (uint32_t i = 0; i < GetNNics(); ++i)
    {
        m_parts.nics[i].nic->SetClock(nullptr);
        m_parts.nics[i].nic->SetIdentity(i, [](auto...) -> PathInfo {
            throw InputError("a flow starts after its Network was destroyed, expected a Network "
                             "that lives until Simulator::Run() has returned");
        });
    }
    for (const auto& entry : m_parts.switches)
    {
        entry.sw->SetClock(nullptr);
    }
    if (isAtWork)
    {
        // The caller continues with them; then the run ends.
        Simulator::ScheduleNow([clock = std::shared_ptr<StationClock>(std::move(m_clock)),
                                division = std::shared_ptr<NetworkDivision>(std::move(m_division)),
                                flows =
                                    std::shared_ptr<NetworkFlows>(std::move(m_flows))]() mutable {
            clock = nullptr;
            division = nullptr;
            flows = nullptr;
            throw InputError("a Network is destroyed by a sink, a stage or a rate law of its own, "
                             "expected after Simulator::Run()");
        });
    }
}

} // namespace ns3::roce
