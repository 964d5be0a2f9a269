// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WORKLOAD_OPTIONS_H
#define ROCE_WORKLOAD_OPTIONS_H

#include "roce-collective-options.h"
#include "roce-command-line.h"
#include "roce-incast-options.h"
#include "roce-on-off-options.h"

#include "ns3/nstime.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-topology.h"
#include "ns3/roce-workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief The options of a program that choose the flows.
 *
 * Patterns: poisson, incast, alltoall, permutation, allreduce, collective, onoff, list (from a
 * file); several may be joined with `+`, for example poisson+incast. Random streams are fixed for
 * each, so that one does not shift another. Tags: 1 incast, 2 allreduce, collective and onoff, 0
 * the others.
 */
struct WorkloadOptions
{
    std::string pattern{"poisson"};
    double load{0.5};
    std::string loadReference{"host"};
    double interFraction{0.2}; //!< see PoissonWorkload
    double interLoad{0};       //!< above 0: of flows between datacenters, drawn separately
    bool interRackOnly{false}; //!< see PoissonWorkload
    std::string workload{"websearch"};
    std::string interWorkload;   //!< sizes of flows between datacenters; empty: workload
    uint64_t truncateBytes{0};   //!< of both; 0: not
    std::string poissonReceiver; //!< empty: all to all
    Time poissonStart{0};
    Time duration{MilliSeconds(2)};
    std::string flowsFile;
    std::string through; //!< switches, see PinThrough(); empty: as the hash has it
    IncastOptions incast;
    uint64_t messageBytes{1000000};
    Time stagger{0};
    AllReduceWorkload allReduce; //!< its options; placement and stream are set by Generate()
    Time computeTime{MilliSeconds(1)};
    CollectiveOptions collective;
    OnOffOptions onOff;

    /// @brief Make every parameter an option. @param cmd command line
    void AddOptions(CheckedCommandLine& cmd);

    /**
     * @brief Draw or read the flows; uses the ns-3 seed and run number.
     * @param topology where the hosts are
     * @return flows sorted by start, ids from 0
     * @throw InputError for bad values, naming the option; also of unused patterns
     */
    std::vector<FlowSpec> Generate(const Topology& topology) const;

    /// @return options of unused patterns, and others that change nothing
    std::vector<UnusedOptions> GetUnused() const;

    /**
     * @brief Describe what the flows really offer.
     * @param flows from Generate()
     * @param topology the same
     * @return one line: flows, bytes, and, if arrivals last for `duration`, the load
     */
    std::string Report(const std::vector<FlowSpec>& flows, const Topology& topology) const;

  private:
    void Check(const Topology& topology) const;
    void CheckLoops() const;
    bool Has(const std::string& name) const;
    bool IsRepeated() const;
    std::vector<FlowSpec> GenerateOne(const std::string& name, const Topology& topology) const;
    std::vector<FlowSpec> Poisson(const Topology& topology) const;
    std::vector<FlowSpec> PoissonApart(PoissonWorkload poisson, const Topology& topology) const;
    std::vector<FlowSpec> AllReduce(const Topology& topology) const;
    FlowSizeDistribution GetSizes(const std::string& option, const std::string& text) const;
    LoadReference GetReference() const;
};

} // namespace ns3::roce

#endif /* ROCE_WORKLOAD_OPTIONS_H */
