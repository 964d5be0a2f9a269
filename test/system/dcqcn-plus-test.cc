// SPDX-License-Identifier: GPL-2.0-only
// DCQCN+ in a network: how many CNPs a receiver sends, what senders make of N and tau, and what
// becomes of the queue of a large incast, beside DCQCN.
#include "roce-test-network.h"

#include "ns3/roce-dcqcn-plus.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// What an incast was like, from 4 to 12 ms.
struct Seen
{
    double meanQueueBytes{0};
    uint64_t cnps{0};
    uint64_t bytesDelivered{0};
    double flowsTold{0}; //!< N of the last CNP of the first flow
    double tauUs{0};
};

/// So many flows from 32 hosts to one, each too long to end.
Seen
RunIncast(const std::string& law, uint32_t flows)
{
    Config::Reset();
    SetRateLaw(law);
    Network net;
    MakeStar(net, 33);
    net.Build();
    net.AssignStreams(1);
    std::vector<FlowSpec> list;
    for (uint32_t i = 0; i < flows; ++i)
    {
        list.push_back(Flow(i % 32, 32, 100000000, i * 100 * 1000));
    }
    net.InstallFlows(Numbered(list));
    const Ptr<Nic> receiver = net.GetNic(32);
    Seen seen;
    const auto read = [&] {
        net.CatchUp();
        return receiver->GetCounters();
    };
    Nic::Counters before;
    Simulator::Schedule(MilliSeconds(4), [&] { before = read(); });
    int samples = 0;
    for (int64_t us = 4000; us < 12000; us += 10)
    {
        Simulator::Schedule(MicroSeconds(us), [&] {
            net.CatchUp();
            seen.meanQueueBytes +=
                static_cast<double>(net.GetSwitch(0)->GetQueue(32).GetTotalBytes());
            ++samples;
        });
    }
    Simulator::Stop(MilliSeconds(12));
    Simulator::Run();
    const Nic::Counters after = read();
    seen.meanQueueBytes /= samples;
    seen.cnps = after.cnpsSent - before.cnpsSent;
    seen.bytesDelivered = after.bytesDelivered - before.bytesDelivered;
    std::vector<ControlVariable> variables;
    net.GetNic(0)->GetQp(2)->GetCc().GetVariables(Simulator::Now().GetTimeStep(), variables);
    for (const auto& [name, value] : variables)
    {
        seen.flowsTold = name == std::string("receiver_flows") ? value : seen.flowsTold;
        seen.tauUs = name == std::string("tau_ns") ? value / 1000 : seen.tauUs;
    }
    Simulator::Destroy();
    return seen;
}

} // namespace

// A receiver sends at most a CNP in a microsecond, and tells how many flows there are. With a floor
// of 100 Mbit/s, 256 flows then leave a queue that is a small part of DCQCN's, which stays at what
// PFC allows; their sum is two thirds of the link.
TEST_F(SystemTest, DcqcnPlusAtALargeIncast)
{
    const Seen plus = RunIncast("DcqcnPlus[MinRate=100Mbps]", 256);
    const Seen plain = RunIncast("Dcqcn", 256);
    EXPECT_LE(plus.cnps, 8000u) << "in 8 ms";
    EXPECT_GT(plus.cnps, 800u);
    EXPECT_GT(plain.cnps, 16000u) << "what the bound is good for";
    EXPECT_EQ(plus.flowsTold, 256);
    EXPECT_EQ(plus.tauUs, 256);
    EXPECT_LT(plus.meanQueueBytes, plain.meanQueueBytes / 10);
    EXPECT_GT(plus.meanQueueBytes, 100000);
    EXPECT_GT(plus.bytesDelivered, 60000000u) << "of 100 MB";
    const Seen few = RunIncast("DcqcnPlus", 4);
    EXPECT_EQ(few.flowsTold, 4);
    EXPECT_GT(few.bytesDelivered, 85000000u);
    EXPECT_LT(few.meanQueueBytes, 400000) << "Kmin of the port";
}

// With the values of PARALEON's second simulator, flows that all start at once fall to the floor of
// 1 Mbit/s: alpha is 1, each CNP halves the rate, and the first burst is marked for a millisecond.
// There X is the time of a frame, 33 ms, and nothing rises in these 12 ms.
TEST_F(SystemTest, DcqcnPlusStaysAtItsFloor)
{
    const Seen plus = RunIncast("DcqcnPlus", 32);
    EXPECT_LT(plus.bytesDelivered, 1000000u);
    EXPECT_EQ(plus.cnps, 0u);
    EXPECT_EQ(plus.meanQueueBytes, 0);
}
