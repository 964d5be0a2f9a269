// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_JOB_H
#define ROCE_FLOW_JOB_H

#include "roce-rank-job.h"

#include "ns3/roce-flow-spec.h"

#include <memory>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Flows of which some wait for others (FlowSpec::phase, FlowSpec::dependencies), as ranks
 * that send them.
 *
 * A rank is a NIC, which knows by itself what it has received and what of its own has been
 * acknowledged. NICs of which one waits for what another has sent are one rank together: all that
 * send in phases, and the sources of two flows of which one waits for the other, unless the first
 * one goes where the second one starts. Flows whose start is known are operations only because
 * others wait for them.
 */
struct FlowJob
{
    /**
     * @brief Make the job.
     * @param flows [in,out] all of the run; those that belong to it get job, rank and operation
     * @return the job; null: no flow waits for another one. An operation that waits has the flow's
     * id as its label, or belongs to the part "phase 2", "phase 3", ...
     * @throw InputError for a phase above 0 without a flow before a later one, a key that is there
     * twice, one that is waited for and not there, a cycle, and a flow that has a phase and waits
     * for single flows
     */
    static std::shared_ptr<const RankJob> Make(std::vector<FlowSpec>& flows);
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_JOB_H */
