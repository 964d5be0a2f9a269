// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DOOR_TUNER_H
#define ROCE_DOOR_TUNER_H

#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/roce-network.h"

#include <vector>

namespace ns3::roce::test
{

/// Gives all senders and receivers other parameters at given times.
class DoorTuner
{
  public:
    /**
     * @param network built
     */
    explicit DoorTuner(const Network& network)
        : m_network(network)
    {
    }

    /**
     * @brief Retune at a time.
     * @param at time
     * @param law with its attributes
     */
    void At(Time at, const ObjectFactory& law);

    /// @return times at which it has been done
    const std::vector<Time>& GetDone() const
    {
        return m_done;
    }

  private:
    void Apply(const ObjectFactory& law);

    const Network& m_network;
    std::vector<Time> m_done;
};

} // namespace ns3::roce::test

#endif /* ROCE_DOOR_TUNER_H */
