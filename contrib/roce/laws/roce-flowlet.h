// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOWLET_H
#define ROCE_FLOWLET_H

#include "ns3/nstime.h"
#include "ns3/roce-path-selector.h"

namespace ns3::roce
{

/**
 * @brief Flowlets (Sinha et al., HotNets 2004; LetFlow, Vanini et al., NSDI 2017), chosen by the
 * sender: after a gap of at least Gap without a packet the flow takes another path at random.
 *
 * If the gap is longer than the paths' delays differ, nothing is reordered. RDMA senders are paced
 * by hardware and leave few gaps (Lu et al., "Multi-path transport for RDMA in datacenters", NSDI
 * 2018): a flow that is never without packets stays on its path. LetFlow decides in the switches;
 * here the NIC does, which sees the gaps of its own sending and not those that queues make.
 */
class Flowlet : public PathSelector
{
  public:
    static TypeId GetTypeId();

    Ptr<PathSelector> Fork() const override;
    uint16_t Select(int64_t nowPs, uint64_t inflightBytes) override;

  private:
    void DoStart(const PathInfo& path) override;

    Time m_gap;                  //!< attribute Gap
    int64_t m_gapPs{0};          //!< for this path
    int64_t m_lastPs{INT64_MAX}; //!< start of the last packet; INT64_MAX before the first
};

} // namespace ns3::roce

#endif /* ROCE_FLOWLET_H */
