// SPDX-License-Identifier: GPL-2.0-only
// Ranks as callbacks: a front end such as astra-sim's, which needs what is not there when this is
// built.
#include "roce-error-of.h"
#include "roce-events-throw.h"
#include "roce-star-run.h"

#include "ns3/boolean.h"
#include "ns3/roce-collective-program.h"
#include "ns3/roce-message-network.h"
#include "ns3/roce-rank-engine.h"

#include <algorithm>
#include <memory>
#include <numeric>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using ReceiveAt = RankJob::ReceiveAt;

void
MakeEager()
{
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(true));
}

/// A star with one slow host, and its ranks.
struct Front
{
    explicit Front(uint32_t ranks, ReceiveAt receiveAt = ReceiveAt::LAST_BYTE)
    {
        MakeStar(net, ranks - 1);
        net.AddNic(net.AddHost("slow", 0), 0, DataRate("10Gbps"), MicroSeconds(1));
        net.Build();
        MessageNetwork::Options options;
        options.ranks = ranks;
        options.receiveAt = receiveAt;
        messages = std::make_unique<MessageNetwork>(net, options);
    }

    Network net;
    std::unique_ptr<MessageNetwork> messages;
};

/// A ring all-reduce, as simulators of applications have it: each rank passes on what it gets.
class Ring
{
  public:
    Ring(MessageNetwork& messages, uint64_t shareBytes)
        : m_messages(messages),
          m_shareBytes(shareBytes),
          m_received(messages.GetNRanks()),
          endPs(messages.GetNRanks(), -1)
    {
        for (uint32_t rank = 0; rank < messages.GetNRanks(); ++rank)
        {
            Step(rank);
        }
    }

  private:
    void Step(uint32_t rank)
    {
        const uint32_t n = m_messages.GetNRanks();
        const auto end = [this, rank] { endPs[rank] = m_messages.NowPs(); };
        m_messages.Send(rank, (rank + 1) % n, m_shareBytes, 7, end);
        m_messages.Receive(rank, (rank + n - 1) % n, m_shareBytes, 7, [this, rank, end, n] {
            end();
            if (++m_received[rank] < 2 * (n - 1))
            {
                Step(rank);
            }
        });
    }

    MessageNetwork& m_messages;
    uint64_t m_shareBytes;
    std::vector<uint32_t> m_received;

  public:
    std::vector<int64_t> endPs; //!< when a rank's last send or receive is done
};

std::vector<int64_t>
EndsByCallbacks(uint32_t ranks, ReceiveAt receiveAt, uint64_t shareBytes)
{
    Front front(ranks, receiveAt);
    const Ring ring(*front.messages, shareBytes);
    Simulator::Run();
    EXPECT_EQ(front.messages->Describe(), "");
    EXPECT_EQ(front.messages->GetTotals().matched, 2 * ranks * (ranks - 1));
    return ring.endPs;
}

std::vector<int64_t>
EndsByEngine(uint32_t ranks, ReceiveAt receiveAt, uint64_t shareBytes)
{
    CollectiveProgram ring;
    ring.ranks.resize(ranks);
    std::iota(ring.ranks.begin(), ring.ranks.end(), 0);
    ring.levels = {{ranks, CollectiveProgram::Algorithm::RING, 0}};
    ring.bytes = shareBytes * ranks;
    auto job = std::make_shared<RankJob>();
    job->program = ring.Generate();
    job->receiveAt = receiveAt;
    Front front(ranks);
    front.messages = nullptr;
    const std::vector<FlowSpec> flows = RankJob::MakeFlows(job, ranks);
    RankEngine* const engine = RankEngine::Install(front.net, flows);
    Simulator::Run();
    return engine->Finish(0);
}

struct MessageNetworkTest : WaitingFlowsTest
{
};

TEST_F(MessageNetworkTest, ARingEndsWhenItDoesForTheRankEngine)
{
    for (const ReceiveAt receiveAt : {ReceiveAt::LAST_BYTE, ReceiveAt::LAST_ACK})
    {
        const std::vector<int64_t> expected = EndsByEngine(5, receiveAt, 100000);
        Simulator::Destroy();
        EXPECT_EQ(EndsByCallbacks(5, receiveAt, 100000), expected);
        Simulator::Destroy();
    }
}

TEST_F(MessageNetworkTest, EagerNicsMakeNoDifference)
{
    const std::vector<int64_t> expected = EndsByCallbacks(4, ReceiveAt::LAST_BYTE, 50000);
    Simulator::Destroy();
    MakeEager();
    EXPECT_EQ(EndsByCallbacks(4, ReceiveAt::LAST_BYTE, 50000), expected);
}

// Data of the receiver delay the ACK.
TEST_F(MessageNetworkTest, EagerNicsWaitForTheLastAckItself)
{
    MakeEager();
    Front front(3, ReceiveAt::LAST_ACK);
    int64_t sentPs = -1;
    int64_t receivedPs = -1;
    front.messages->Send(0, 1, 20000, 1, [&] { sentPs = Simulator::Now().GetPicoSeconds(); });
    front.messages->Receive(1, 0, 20000, 1, [&] {
        receivedPs = Simulator::Now().GetPicoSeconds();
    });
    front.messages->Send(1, 2, 1000000, 2, {});
    Simulator::Run();
    EXPECT_GT(sentPs, 0);
    EXPECT_EQ(receivedPs, sentPs);
    EXPECT_EQ(front.messages->GetTotals().received, 2U);
    EXPECT_EQ(front.messages->GetTotals().matched, 1U) << "nobody receives the second one";
}

TEST_F(MessageNetworkTest, MessagesAreMatchedBySourceTagAndLengthInOrder)
{
    Front front(4);
    std::vector<std::string> seen;
    MessageNetwork& messages = *front.messages;
    const auto note = [&](const std::string& what) {
        return [&seen, &messages, what] {
            seen.push_back(what + " " + std::to_string(messages.NowPs() / US));
        };
    };
    messages.Send(0, 1, 1000, 5, {});
    messages.Send(0, 1, 1000, 5, {});
    messages.Send(0, 1, 0, 5, {});
    messages.Send(0, 1, 1000, 6, {});
    messages.Send(2, 1, 1000, 5, {});
    messages.Schedule(1, 100 * US, [&] {
        // All are there.
        messages.Receive(1, 0, 1000, 5, note("first"));
        messages.Receive(1, 2, 1000, 5, note("other source"));
        messages.Receive(1, 0, 1000, 5, note("second"));
        messages.Receive(1, 0, 0, 5, note("other length"));
        messages.Receive(1, 0, 1000, 5, note("not sent"));
        messages.Schedule(1, 3 * US, note("later"));
    });
    Simulator::Run();
    EXPECT_EQ(seen,
              (std::vector<std::string>{"first 100",
                                        "other source 100",
                                        "second 100",
                                        "other length 100",
                                        "later 103"}));
    EXPECT_EQ(messages.Describe(),
              "rank 1 waits for 1000 B with tag 5 from rank 0, which has not sent that");
}

TEST_F(MessageNetworkTest, EventsOfTheSimulatorMaySendAndReceiveToo)
{
    Front front(3);
    MessageNetwork& messages = *front.messages;
    int64_t alonePs = -1;
    int64_t latePs = -1;
    messages.Send(0, 1, 5000, 1, {});
    messages.Receive(1, 0, 5000, 1, [&] { alonePs = messages.NowPs(); });
    Simulator::Schedule(MicroSeconds(70), [&] {
        messages.Send(0, 1, 5000, 2, {});
        messages.Receive(1, 0, 5000, 2, [&] { latePs = messages.NowPs(); });
    });
    Simulator::Run();
    EXPECT_EQ(latePs, alonePs + 70 * US);
}

TEST_F(MessageNetworkTest, EachMessageArrivesOnceThoughFramesAreLost)
{
    Front front(4, ReceiveAt::LAST_ACK);
    for (uint32_t nic = 0; nic < 4; ++nic)
    {
        LoseFrames(front.net.GetNic(nic),
                   [count = nic](const Frame&) mutable { return ++count % 17 == 0; });
    }
    const Ring ring(*front.messages, 100000);
    Simulator::Run();
    EXPECT_GT(Sum(front.net).retransmitted, 0U);
    EXPECT_EQ(front.messages->Describe(), "");
    EXPECT_EQ(front.messages->GetTotals().matched, 24U);
    EXPECT_EQ(front.messages->GetTotals().received, 24U);
    EXPECT_GT(*std::min_element(ring.endPs.begin(), ring.endPs.end()), 0);
}

/// Two hosts with a number of NICs each, all at one switch. @return when a message has arrived
int64_t
ArrivalBetweenHosts(unsigned nics, uint64_t bytes, uint64_t rateBps)
{
    Network net;
    const uint32_t sw = net.AddSwitch("sw", 0);
    for (const char* name : {"a", "b"})
    {
        const uint32_t host = net.AddHost(name, 0);
        for (unsigned nic = 0; nic < nics; ++nic)
        {
            net.AddNic(host, sw, rateBps, US);
        }
    }
    net.Build();
    MessageNetwork::Options options;
    options.ranks = 2;
    MessageNetwork messages(net, options);
    int64_t arrivedPs = -1;
    messages.Send(0, 1, bytes, 0, {});
    messages.Receive(1, 0, bytes, 0, [&] { arrivedPs = messages.NowPs(); });
    Simulator::Run();
    EXPECT_EQ(messages.GetTotals().bytes, bytes);
    uint64_t delivered = 0;
    for (uint32_t nic = 0; nic < net.GetNNics(); ++nic)
    {
        delivered += net.GetNic(nic)->GetCounters().bytesDelivered;
    }
    EXPECT_EQ(delivered, bytes);
    return arrivedPs;
}

TEST_F(MessageNetworkTest, AMessageGoesOverAllNicsOfItsHosts)
{
    const auto alone = [] { return ArrivalBetweenHosts(2, 10000001, 100 * G); };
    EXPECT_EQ(ErrorOf(alone),
              "rank 0: ns3::roce::Nic::Eager is false, expected true for all NICs if ranks have "
              "several, or if one has it");
    Simulator::Destroy();
    MakeEager();
    const int64_t halfPs = ArrivalBetweenHosts(1, 5000001, 100 * G);
    Simulator::Destroy();
    EXPECT_EQ(ArrivalBetweenHosts(2, 10000001, 100 * G), halfPs);
    Simulator::Destroy();
    const int64_t packetPs = ArrivalBetweenHosts(1, 100, 100 * G);
    Simulator::Destroy();
    EXPECT_EQ(ArrivalBetweenHosts(2, 100, 100 * G), packetPs) << "in one part";
}

TEST_F(MessageNetworkTest, AMessageMayHaveMoreThanFourGibibytes)
{
    Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(65000));
    const uint64_t bytes = (uint64_t{5} << 30) + 1;
    const int64_t atPs = ArrivalBetweenHosts(1, bytes, 800 * G);
    EXPECT_GT(atPs, static_cast<int64_t>(bytes * 10)) << "10 ps per byte";
    EXPECT_LT(atPs, static_cast<int64_t>(bytes * 10 / 100 * 101));
}

TEST_F(MessageNetworkTest, WrongRanksAndHostsAreRefused)
{
    Front front(3);
    MessageNetwork& messages = *front.messages;
    EXPECT_EQ(ErrorOf([&] { messages.Send(0, 3, 1, 0, {}); }),
              "rank 3 does not exist, expected 0 to 2");
    EXPECT_EQ(ErrorOf([&] { messages.Send(1, 1, 1, 0, {}); }),
              "rank 1 sends 1 B to rank 1, expected another rank and at most 1000000000000000 B");
    EXPECT_EQ(ErrorOf([&] { messages.Schedule(1, -1, {}); }),
              "rank 1 waits -1 ps, expected 0 to 4611686018427387904");
    MessageNetwork::Options options;
    EXPECT_EQ(ErrorOf([&] { MessageNetwork(front.net, options); }),
              "0 hosts of 0 ranks, expected one for each, and a rank");
    options.ranks = 4;
    EXPECT_EQ(ErrorOf([&] { MessageNetwork(front.net, options); }),
              "rank 3: host 3, expected another one for each rank, from 0 to 2");
    options.ranks = 2;
    options.hosts = {1, 1};
    EXPECT_EQ(ErrorOf([&] { MessageNetwork(front.net, options); }),
              "rank 1: host 1, expected another one for each rank, from 0 to 2");
}

TEST_F(MessageNetworkTest, OnlyEagerNicsAllowCallbacksOfOthers)
{
    [[maybe_unused]] const EventsThrow events;
    int64_t calledPs = -1;
    const auto disturb = [&] {
        Front front(3);
        MessageNetwork& messages = *front.messages;
        messages.Schedule(0, 5, [&] {
            messages.Schedule(1, 7, [&] { calledPs = messages.NowPs(); });
        });
        Simulator::Run();
    };
    EXPECT_EQ(ErrorOf(disturb),
              "rank 1 does something in a callback of another one; expected "
              "ns3::roce::Nic::Eager=true for that");
    Simulator::Destroy();
    MakeEager();
    disturb();
    EXPECT_EQ(calledPs, 12);
}

} // namespace
