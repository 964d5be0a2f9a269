// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LONG_LINKS_H
#define ROCE_LONG_LINKS_H

#include "roce-hpcc-topology.h"

#include "ns3/nstime.h"
#include "ns3/roce-byte-size.h"
#include "ns3/roce-network.h"
#include "ns3/roce-option-table.h"

namespace ns3::roce
{

/**
 * @brief Options of a program with a topology of its own: which links are long, so that the switch
 * ports at their ends have deep buffers and their headroom does not come out of the shared buffers.
 */
struct LongLinks
{
    Time delay{0};   //!< links of this delay and more are long; 0: none
    ByteSize buffer; //!< of each of their ports; 0: headroom, two one-way BDPs and 4 MiB

    /// @brief Make both options. @param table of the program @param topology that it has read when
    /// options without effect are looked for
    void AddOptions(OptionTable& table, const HpccTopology& topology);

    /**
     * @brief Give ports deep buffers, and build the network.
     * @param network made by HpccTopology::Construct()
     * @param topology the same
     * @param options for Network::Build()
     * @throw InputError as Network::Build(); if headroom does not fit into a switch's buffer, it
     *        names the option that helps
     */
    void Build(Network& network,
               const HpccTopology& topology,
               const Network::Options& options) const;
};

} // namespace ns3::roce

#endif /* ROCE_LONG_LINKS_H */
