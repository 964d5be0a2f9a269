// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WORKLOAD_OPTIONS_H
#define ROCE_WORKLOAD_OPTIONS_H

#include "roce-chakra-options.h"
#include "roce-rank-options.h"

#include "ns3/roce-collective-workload.h"
#include "ns3/roce-on-off-workload.h"
#include "ns3/roce-option-table.h"
#include "ns3/roce-topology.h"
#include "ns3/roce-workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The options of a program that choose the flows.
 *
 * Patterns: poisson, incast, alltoall, permutation, allreduce, collective, onoff, list (from a
 * file), goal, chakra and jobs (ranks with programs, from files); several may be joined with `+`,
 * for example poisson+incast. Random streams are fixed for each, so that one does not shift
 * another. Tags: 1 incast, 2 allreduce, collective and onoff, 0 the others.
 */
struct WorkloadOptions
{
    /// Which flows are messages of one queue pair.
    enum class Connections : uint8_t
    {
        AUTO, //!< those of a collective between the same GPUs; of lists, as they say
        FLOW, //!< none
        PAIR, //!< all from one NIC to another, of one class
    };

    std::string pattern{"poisson"};
    LoadReference loadReference{LoadReference::Host};
    double interLoad{0}; //!< above 0: of flows between datacenters, drawn separately
    std::string workload{"websearch"};
    std::string interWorkload; //!< sizes of flows between datacenters; empty: workload
    uint64_t truncateBytes{0}; //!< of both; 0: not
    std::string flowsFile;
    std::string through; //!< switches, see PinThrough(); empty: as the hash has it
    std::string collectiveHosts{"all"};
    Connections connections{Connections::AUTO};
    std::optional<NicRule> nicChoice; //!< none: NEAREST if hosts have NICs at several switches,
                                      //!< otherwise NAMED
    uint64_t messageBytes{1000000};
    int64_t staggerPs{0};
    // Of these the options are set; placement, capacities and streams by Generate().
    PoissonWorkload poisson;
    IncastWorkload incast;
    AllReduceWorkload allReduce;
    CollectiveWorkload collective;
    OnOffWorkload onOff;
    RankOptions ranks;
    ChakraOptions chakra;

    WorkloadOptions();

    /// @brief Make every parameter an option. @param table of the program
    void AddOptions(OptionTable& table);

    /// @return how the NICs of flows are chosen. @param topology where the hosts are
    NicRule GetNicRule(const Topology& topology) const;

    /**
     * @brief Draw or read the flows; uses the ns-3 seed and run number.
     * @param topology where the hosts are
     * @param laws [out] those that a flow list names, see FlowList::laws; null: none are known
     * @return flows sorted by start, ids from 0; unless GetNicRule() is NAMED between hosts
     * @throw InputError for bad values, naming the option; also of unused patterns
     */
    std::vector<FlowSpec> Generate(const Topology& topology,
                                   std::vector<std::string>* laws = nullptr) const;

    /**
     * @brief Describe what the flows really offer.
     * @param flows from Generate()
     * @param topology the same
     * @return one line: flows, bytes, and, if arrivals last for `duration`, the load
     */
    std::string Report(const std::vector<FlowSpec>& flows, const Topology& topology) const;

  private:
    void AddPoissonOptions(OptionTable& table);
    HostPlacement GetEnds(const Topology& topology) const;
    uint32_t GetPerServer(const Topology& topology) const;
    LoadCapacity GetCapacity(const Topology& topology, LoadReference reference) const;
    void Check(const Topology& topology) const;
    void CheckLoops() const;
    bool Has(const std::string& name) const;
    bool IsRepeated() const;
    std::vector<FlowSpec> GenerateOne(const std::string& name,
                                      const Topology& topology,
                                      std::vector<std::string>* laws) const;
    std::vector<FlowSpec> Poisson(const Topology& topology) const;
    std::vector<FlowSpec> PoissonApart(PoissonWorkload within, const Topology& topology) const;
    std::vector<FlowSpec> Incast(const Topology& topology) const;
    std::vector<FlowSpec> AllToAll(uint32_t nNics) const;
    std::vector<FlowSpec> Permutation(uint32_t nNics) const;
    std::vector<FlowSpec> AllReduce(const Topology& topology) const;
    std::vector<FlowSpec> Collective(const Topology& topology) const;
    std::vector<FlowSpec> OnOff(const Topology& topology) const;
    std::vector<FlowSpec> List(uint32_t nNics, std::vector<std::string>* laws) const;
    FlowSizeDistribution GetSizes(const std::string& option, const std::string& text) const;
};

} // namespace ns3::roce

#endif /* ROCE_WORKLOAD_OPTIONS_H */
