// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CONGA_H
#define ROCE_CONGA_H

#include "roce-path-policy.h"

#include "ns3/roce-with-parameters.h"

#include <vector>

namespace ns3::roce
{

class CongaMeter;

/// Parameters of Conga.
struct CongaParams
{
    int64_t gapPs, tauPs, agePs;

    static const ParameterTable<CongaParams>& Table();
};

/**
 * @brief CONGA (Alizadeh et al., SIGCOMM 2014): a leaf sends each flowlet over the port with the
 * least congestion, which is the higher of its own link's use and of what the other leaf has told
 * of the way (CongaMeter). The flowlet's last port is preferred among equals, otherwise the flow's
 * hash decides.
 *
 * Give it to all switches (--pathPolicy): those that have none measure nothing. Switches without
 * NICs that have several ways, such as those of fat-trees and external ones, know their own links
 * only. Differences from the paper: flows have entries of their own in place of a table of 64 Ki;
 * news that are too old count as 0 at once; there is no overlay, so that 6 bytes are charged in
 * data and ACKs; CNPs and packets of ns-3 carry none. RDMA senders leave few gaps that are longer
 * than the 500 us of the paper: with a shorter one frames may overtake each other.
 */
class Conga : public WithParameters<Conga, PathPolicy, CongaParams>
{
  public:
    uint32_t Choose(const Question& question) override;
    void Count(std::map<std::string, uint64_t>& counters) const override;

  private:
    void DoInstall(Switch& sw) override;
    uint32_t Place(const Question& question, uint16_t lastPort);

    CongaMeter* m_meter{nullptr}; //!< a stage of the switch
    StickyWays m_ways;
    std::vector<uint32_t> m_best; //!< scratch: indices of the least congested ways
};

} // namespace ns3::roce

#endif /* ROCE_CONGA_H */
