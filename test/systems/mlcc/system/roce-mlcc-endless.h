// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_ENDLESS_H
#define ROCE_MLCC_ENDLESS_H

#include "roce-mlcc-network.h"

#include "ns3/roce-mlcc-credit.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace ns3::roce::test
{

/// What endless flows are like from a time on.
struct Shares
{
    std::map<uint32_t, double> gbps;       //!< payload that has come, by sender
    std::map<uint32_t, double> creditGbps; //!< R_credit at the end, by sender
    double queueBytes{0};                  //!< mean of one flow's queue
    uint64_t matches{0};                   //!< of the first flow
};

/// Endless flows over a quicker loop than the paper's: a WAN of 0.3 ms, a target of 0.2 ms.
struct MlccEndlessTest : public MlccSystemTest
{
    static constexpr int64_t WAN = 300 * US;

    void SetUp() override
    {
        MlccSystemTest::SetUp();
        SetEdge("::Theta", "2ms");
        SetEdge("::TargetDelay", "200us");
        Config::SetDefault("ns3::roce::Hpcc::Rai", StringValue("50Mbps"));
    }

    static const MlccCredit* ReceiverOf(const Network& net, uint32_t src)
    {
        const QueuePair* qp = nullptr;
        const Ptr<Nic> nic = net.GetNic(src);
        for (uint32_t q = 0; q < nic->GetNQps(); ++q)
        {
            qp = nic->GetQp(q) ? nic->GetQp(q) : qp;
        }
        if (!qp)
        {
            return nullptr;
        }
        const Ptr<Nic> to = net.GetNic(qp->GetConfig().dst);
        const ReceiverQp* receiver = to->GetReceiver(qp->GetConfig().dstQp);
        return receiver ? dynamic_cast<const MlccCredit*>(PeekPointer(receiver->feedback))
                        : nullptr;
    }

    /// @param flows source and destination @param fromPs shares count from then on
    static Shares RunEndless(const std::vector<std::pair<uint32_t, uint32_t>>& flows,
                             int64_t fromPs,
                             int64_t untilPs)
    {
        Shares shares;
        MlccNetwork dc(WAN);
        dc.Build();
        std::vector<FlowSpec> specs;
        for (const auto& [src, dst] : flows)
        {
            specs.push_back(Flow(src, dst, 2'000'000'000));
        }
        dc.net.InstallFlows(Numbered(specs));
        std::map<uint32_t, uint64_t> bytes;
        for (uint32_t h = 0; h < MlccNetwork::N_HOSTS; ++h)
        {
            dc.net.GetNic(h)->TraceConnectWithoutContext(
                "RxEnd",
                Callback<void, const Frame&, Time>([&bytes](const Frame& f, Time) {
                    bytes[f.src] += f.kind == FrameKind::DATA ? f.payloadBytes : 0;
                }));
        }
        Simulator::Schedule(PicoSeconds(fromPs), [&] {
            dc.net.CatchUp();
            bytes.clear();
        });
        constexpr int SAMPLES = 100;
        for (int i = 0; i < SAMPLES; ++i)
        {
            Simulator::Schedule(PicoSeconds(fromPs + (untilPs - fromPs) / SAMPLES * i), [&] {
                dc.net.CatchUp();
                shares.queueBytes += static_cast<double>(dc.far->GetTotalBytes()) /
                                     static_cast<double>(flows.size()) / SAMPLES;
            });
        }
        Simulator::Stop(PicoSeconds(untilPs));
        Simulator::Run();
        dc.net.CatchUp();
        for (const auto& [src, dst] : flows)
        {
            shares.gbps[src] =
                static_cast<double>(bytes[src]) * 8e3 / static_cast<double>(untilPs - fromPs);
            if (const MlccCredit* credit = ReceiverOf(dc.net, src))
            {
                shares.creditGbps[src] = credit->GetCreditBps() / 1e9;
                shares.matches = std::max(shares.matches, credit->GetMatches());
            }
        }
        EXPECT_EQ(dc.net.Audit(false), "");
        EXPECT_EQ(Sum(dc.net).lost, 0u);
        EXPECT_EQ(Sum(dc.net).retransmitted, 0u);
        Simulator::Destroy();
        return shares;
    }
};

} // namespace ns3::roce::test

#endif /* ROCE_MLCC_ENDLESS_H */
