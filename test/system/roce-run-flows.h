// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RUN_FLOWS_H
#define ROCE_RUN_FLOWS_H

#include "roce-test-network.h"

#include "ns3/roce-rank-engine.h"

#include <vector>

namespace ns3::roce::test
{

/**
 * @brief Run flows to their end; all must finish, with nothing left over.
 * @param net the network
 * @param flows numbered
 * @return their completion times, ps
 */
inline std::vector<int64_t>
RunFlows(Network& net, const std::vector<FlowSpec>& flows)
{
    const Completions done(net);
    RankEngine::Install(net, flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    std::vector<int64_t> times;
    for (const FlowSpec& flow : flows)
    {
        times.push_back(done.FctPs(flow.id));
    }
    return times;
}

} // namespace ns3::roce::test

#endif /* ROCE_RUN_FLOWS_H */
