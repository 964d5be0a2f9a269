// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SPRAY_H
#define ROCE_SPRAY_H

#include "ns3/roce-path-selector.h"

namespace ns3::roce
{

/**
 * @brief Packet spraying: a path for each packet (Dixit et al., INFOCOM 2013).
 *
 * With Paths = 0 each packet draws its entropy at random. With Paths = n the queue pair draws n
 * entropies when it starts and uses them in turn; several may share a path. Receivers see packets
 * out of order: use SelectiveRepeat with ReorderPackets above 0, since go-back-N takes each
 * overtaken packet for a loss (programs warn of that). INT-based rate laws see samples of different
 * paths (Hpcc leaves out those it cannot compare).
 */
class Spray : public PathSelector
{
  public:
    static TypeId GetTypeId();

    Ptr<PathSelector> Fork() const override;

    bool IsPerPacket() const override
    {
        return true;
    }

    uint16_t Select(int64_t nowPs, uint64_t inflightBytes) override;

  private:
    void DoStart(const PathInfo& path) override;

    uint32_t m_paths{0};   //!< attribute Paths
    uint32_t m_next{0};    //!< index of the next one, with Paths above 0
    uint64_t m_setSeed{0}; //!< entropy i is a function of this and i
};

} // namespace ns3::roce

#endif /* ROCE_SPRAY_H */
