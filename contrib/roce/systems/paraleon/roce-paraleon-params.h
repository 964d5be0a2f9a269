// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARALEON_PARAMS_H
#define ROCE_PARALEON_PARAMS_H

#include "roce-elastic-sketch.h"
#include "roce-flow-mix.h"
#include "roce-flow-states.h"
#include "roce-guided-annealing.h"
#include "roce-mutation-table.h"
#include "roce-tuning-utility.h"

#include "ns3/roce-parameters.h"

#include <cstdint>
#include <string>

namespace ns3::roce
{

/**
 * @brief PARALEON's parameters after the profile and the attributes have been put together.
 *
 * Profiles: paper, artifact-a1 and artifact-a2 (settings of the two simulators that the authors
 * have made public), and the ablations of the paper: naive-sa, no-fsd, naive-sketch, netflow.
 */
struct ParaleonParams
{
    /// Counter of flows at ToR switches.
    enum class Monitor : uint8_t
    {
        SKETCH,  //!< ElasticSketch
        NETFLOW, //!< NetFlowSampler
    };

    /// What RTTs and pauses are in the utility.
    enum class Metric : uint8_t
    {
        PAPER, //!< mean of base / RTT; paused time
        A1,    //!< 40 us / mean RTT; PAUSE frames of paused ports, 5 us each
        A2,    //!< 40 us / mean RTT; share of paused links
    };

    Monitor monitor;
    bool marks;               //!< a packet is counted by the first sketch on its way alone
    bool countsEmpty;         //!< a run goes on in an interval that measures nothing
    Metric metric;            //!< from which Finish() makes that of utility
    bool restartsByItself;    //!< a run begins with the first flows and whenever one has ended
    uint32_t sampling;        //!< N of NETFLOW
    int64_t exportIntervalPs; //!< of NETFLOW
    ElasticSketch::Config sketch;
    FlowStates::Config states;
    FlowMix::Config mix;
    TuningUtility::Config utility;
    GuidedAnnealing::Config annealing;
    MutationTable::Config mutation;
    std::string tuned; //!< rows of MutationTable::Parse(); empty: MutationTable::ForDcqcn()

    /// @return the rows that are tuned, for 100 Gb/s. @throw InputError if attribute Tuned is bad
    MutationTable MakeTable() const;

    static const ParameterTable<ParaleonParams>& Table();
};

} // namespace ns3::roce

#endif /* ROCE_PARALEON_PARAMS_H */
