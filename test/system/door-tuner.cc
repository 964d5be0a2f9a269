// SPDX-License-Identifier: GPL-2.0-only
#include "door-tuner.h"

#include "ns3/simulator.h"

namespace ns3::roce::test
{

void
DoorTuner::At(Time at, const ObjectFactory& law)
{
    Simulator::Schedule(at, &DoorTuner::Apply, this, law);
}

void
DoorTuner::Apply(const ObjectFactory& law)
{
    m_network.Retune(false, law.Create<CongestionControl>());
    m_done.push_back(Simulator::Now());
}

} // namespace ns3::roce::test
