// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_LIST_H
#define ROCE_FLOW_LIST_H

#include "ns3/roce-flow-spec.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/// The two text formats of flow lists.
enum class FlowListFormat
{
    /**
     * Header line `src,dst,bytes,start_ns[,class[,srcport[,tag[,phase[,qp[,cc]]]]]]`, then one flow
     * per line. qp is FlowSpec::connection: flows of one class with the same src, dst and qp above
     * 0 are messages of one queue pair. cc is a rate law as for FullLaw(), or nothing. start_ns may
     * have up to three decimals (picoseconds). Absent columns take FlowSpec's defaults. `#` starts
     * a comment.
     *
     * Two more columns at the end, `,name,after`, make a graph (FlowDependencies): a name by which
     * other flows refer to this one, or nothing, and the names of those that it waits for, with
     * blanks between, or nothing. start_ns then counts from the moment that the last of them is
     * complete. A name is any text without blanks and commas; it may be used before the line that
     * has it.
     */
    Csv,
    /**
     * The HPCC simulator's `flow.txt`: first line the number of flows, then as many lines
     * `src dst pg dport size start_seconds`, or those of simulators made from it (FlowColumns).
     * Later lines are not read. pg is the traffic class. dport is not a UDP port here (RoCEv2 has
     * always 4791): 200 marks incast flows, as in HPCC's own analysis, and gives tag 1, others tag
     * 0. start_seconds is rounded half up to picoseconds. Node ids must be host ids: lists whose
     * topology numbers switches among the hosts have to be renumbered first.
     */
    HpccFlowTxt
};

/// @brief An explicit list of flows, as read from a file.
struct FlowList
{
    std::vector<FlowSpec> flows;                //!< sorted by (startPs, src, dst), ids from 0
    std::vector<uint64_t> rows;                 //!< by id: position in the file, from 0
    uint64_t outOfOrder{0};                     //!< flows that start before one listed earlier
    FlowListFormat format{FlowListFormat::Csv}; //!< the format found
    std::vector<std::string> notes;             //!< notes on the file
    /// Rate laws that flows name, ObjectFactory's text form: FlowSpec::law is 1 for the first one
    std::vector<std::string> laws;

    /**
     * @brief The text form of a rate law.
     * @param what for messages
     * @param text as for the programs' --cc, or one of ns-3's TCP (TcpCongestionOps), such as
     * TcpCubic
     * @return as ObjectFactory takes it
     * @throw InputError see ValueCheck::Factory()
     */
    static std::string FullLaw(const std::string& what, const std::string& text);

    /// @return whether it is one of ns-3's TCP
    static bool IsTcpLaw(const TypeId& law);

    /**
     * @brief Read a flow list; the format is recognised by the first line.
     *
     * Empty lines are skipped, `\r` before the line's end is ignored. Lists need not be sorted:
     * outOfOrder says whether this one was. A size of 0 is one message without payload.
     *
     * @param nHosts number of hosts; ids are 0..nHosts-1
     * @return the flows, at least one
     * @throw InputError naming file and line: unreadable file, unknown format or column, missing
     *        or extra field, not a number, host id or class out of range, src == dst, negative
     *        start or size, fewer flows than announced, sizes in packets, no flow; a repeated or
     *        unknown name, flows that wait for each other in a circle, or that have a phase, too
     */
    static FlowList Read(const std::string& path, uint32_t nHosts);

    /// What Read() takes for "this node has no NIC".
    static constexpr uint32_t NO_NIC = UINT32_MAX;

    /**
     * @brief Read a flow list whose hosts are nodes of a topology with switches among them.
     * @param path see above
     * @param nicOfNode NIC of each node, or NO_NIC for a switch; 2 or more nodes
     * @return flows between NICs
     * @throw InputError as above, and for a switch as source or destination
     */
    static FlowList Read(const std::string& path, const std::vector<uint32_t>& nicOfNode);

    /**
     * @brief Write a flow list that Read() reads back unchanged, but for ids and order.
     * @param path the file, overwritten
     * @param flows the flows, at least one, in the order in which they are to be written
     * @param format the format; flow.txt has no source port, no phase and no tag above 1
     * @param comments lines put before the header, each after `# `; only for Csv
     * @throw InputError if the file cannot be written, or the format cannot hold a flow or comments
     */
    static void Write(const std::string& path,
                      const std::vector<FlowSpec>& flows,
                      FlowListFormat format = FlowListFormat::Csv,
                      const std::vector<std::string>& comments = {});
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_LIST_H */
