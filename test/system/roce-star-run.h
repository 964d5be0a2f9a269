// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STAR_RUN_H
#define ROCE_STAR_RUN_H

#include "roce-test-network.h"

#include "ns3/roce-rank-engine.h"
#include "ns3/roce-run-collector.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::roce::test
{

/// Tests of flows that wait for others, all at line rate.
struct WaitingFlowsTest : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("LineRate");
    }
};

/// Runs flows in a star of some hosts and a slow one (10 Gbit/s), and notes when they are complete.
struct StarRun
{
    /**
     * @param hosts without the slow one, whose NIC is the last
     * @param list flows, which get numbers here
     * @param prepare called before they are installed
     * @param prepareRanks called then, if ranks send flows
     */
    StarRun(uint32_t hosts,
            std::vector<FlowSpec> list,
            const std::function<void(Network&)>& prepare = {},
            const std::function<void(RankEngine&)>& prepareRanks = {})
        : flows(Numbered(std::move(list))),
          receivedPs(flows.size(), -1),
          completedPs(flows.size(), -1)
    {
        MakeStar(net, hosts);
        net.AddNic(net.AddHost("slow", 0), 0, DataRate("10Gbps"), MicroSeconds(1));
        net.Build();
        if (prepare)
        {
            prepare(net);
        }
        engine = RankEngine::Install(net, flows);
        if (engine && prepareRanks)
        {
            prepareRanks(*engine);
        }
        for (uint32_t n = 0; n < net.GetNNics(); ++n)
        {
            net.GetNic(n)->TraceConnectWithoutContext(
                "MessageReceived",
                Callback<void, uint64_t, Time>([this](uint64_t cookie, Time at) {
                    receivedPs[cookie] = at.GetPicoSeconds();
                }));
            net.GetNic(n)->TraceConnectWithoutContext(
                "MessageCompleted",
                Callback<void, const MessageRecord&>([this](const MessageRecord& record) {
                    completedPs[record.cookie] = record.completedPs;
                }));
        }
        collector = std::make_unique<RunCollector>(net, flows, RunCollector::Options());
        collector->Start();
        Simulator::Run();
        collector->Finish();
        records = collector->GetRecords();
    }

    /// @param flow its number @return picoseconds
    int64_t StartOf(std::size_t flow) const
    {
        return records[flow].spec.startPs;
    }

    Network net;
    RankEngine* engine{nullptr}; //!< if ranks send flows
    std::vector<FlowSpec> flows;
    std::vector<int64_t> receivedPs;  //!< by flow
    std::vector<int64_t> completedPs; //!< by flow
    std::unique_ptr<RunCollector> collector;
    std::vector<FlowRecord> records;
};

} // namespace ns3::roce::test

#endif /* ROCE_STAR_RUN_H */
