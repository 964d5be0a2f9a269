// SPDX-License-Identifier: GPL-2.0-only
// What an event sees of a station through Network::GetNic() and GetSwitch() is up to date, although
// stations run late.
#include "roce-test-network.h"

#include "ns3/rng-seed-manager.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using StationHandleTest = SystemTest;

struct Seen
{
    uint64_t delivered;
    uint64_t forwarded;
    uint64_t queued;

    bool operator==(const Seen& other) const
    {
        return delivered == other.delivered && forwarded == other.forwarded &&
               queued == other.queued;
    }
};

/// What a program sees at odd times of an incast of two senders, looking in one of three ways.
enum class Way
{
    HANDLE,
    POINTER, // a Ptr made of the handle at each look
    LATE,    // past the handle
};

std::vector<Seen>
Look(Way way, bool eager)
{
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    Network net;
    MakeStar(net, 3, 100 * G, 5 * US);
    net.Build();
    InstallIncast(net, 400000);
    std::vector<Seen> seen;
    for (int64_t at = 6 * US; at < 80 * US; at += 777777)
    {
        Simulator::Schedule(TimeStep(at), [&] {
            const Nic* nic = net.GetNic(2).Peek();
            const Switch* sw = net.GetSwitch(0).Peek();
            if (way == Way::HANDLE)
            {
                nic = &*net.GetNic(2);
                sw = &*net.GetSwitch(0);
            }
            if (way == Way::POINTER)
            {
                const Ptr<Switch> held = net.GetSwitch(0);
                const Ptr<Port> port = net.GetNic(2);
                EXPECT_EQ(PeekPointer(port), nic);
                EXPECT_EQ(PeekPointer(held), sw);
            }
            seen.push_back({nic->GetCounters().bytesDelivered,
                            sw->GetPort(2)->GetTxWireBytes(),
                            sw->GetQueue(2).GetTotalBytes()});
        });
    }
    Simulator::Run();
    Simulator::Destroy();
    return seen;
}

} // namespace

TEST_F(StationHandleTest, SeesWhatIsDueByNow)
{
    const std::vector<Seen> exact = Look(Way::LATE, true);
    EXPECT_TRUE(Look(Way::HANDLE, false) == exact) << "a handle shows a station that lags behind";
    EXPECT_TRUE(Look(Way::POINTER, false) == exact) << "a Ptr from a handle lags behind";
    EXPECT_FALSE(Look(Way::LATE, false) == exact) << "nothing lags behind: the test shows nothing";
}

// A NIC's stream is its own from the start: when it first draws changes nothing at other stations.
TEST_F(StationHandleTest, StreamsAreMadeAtSetUp)
{
    Config::SetDefault("ns3::roce::Nic::PathSelector", StringValue("ns3::roce::Spray"));
    Network net;
    MakeStar(net, 3);
    net.Build();
    const uint64_t before = RngSeedManager::GetNextStreamIndex();
    net.InstallFlows(Numbered({Flow(0, 2, 5000), Flow(1, 2, 5000)}));
    Simulator::Run();
    EXPECT_EQ(RngSeedManager::GetNextStreamIndex(), before + 1)
        << "a stream was made while the simulation was on";
}
