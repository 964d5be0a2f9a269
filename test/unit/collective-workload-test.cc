// SPDX-License-Identifier: GPL-2.0-only
// Collectives: who sends how many bytes to whom in which step, and what that waits for.
#include "roce-error-of.h"
#include "roce-test-time.h"

#include "ns3/roce-collective-workload.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Kind = CollectiveWorkload::Kind;

CollectiveWorkload
Collective(Kind kind, uint32_t hosts, uint64_t bytes, uint32_t gpus = 1)
{
    CollectiveWorkload w;
    w.kind = kind;
    for (uint32_t h = 0; h < hosts; ++h)
    {
        w.hosts.push_back(10 + h); // any set of NICs
    }
    w.sizeBytes = bytes;
    w.gpusPerHost = gpus;
    return w;
}

/// Source, destination, bytes, step, after.
using Row = std::tuple<uint32_t, uint32_t, uint64_t, uint32_t, uint32_t>;

std::vector<Row>
Rows(const std::vector<FlowSpec>& flows)
{
    std::vector<Row> rows;
    for (const FlowSpec& flow : flows)
    {
        EXPECT_EQ(flow.id, rows.size());
        EXPECT_EQ(flow.phase, 0U);
        EXPECT_EQ(flow.tag, 2);
        rows.emplace_back(flow.src - 10, flow.dst - 10, flow.sizeBytes, flow.step, flow.after);
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return std::tie(std::get<3>(a), std::get<0>(a), std::get<1>(a)) <
               std::tie(std::get<3>(b), std::get<0>(b), std::get<1>(b));
    });
    return rows;
}

/// Sum of what each NIC sends.
std::map<uint32_t, uint64_t>
Sent(const std::vector<FlowSpec>& flows)
{
    std::map<uint32_t, uint64_t> sent;
    for (const FlowSpec& flow : flows)
    {
        sent[flow.src - 10] += flow.sizeBytes;
    }
    return sent;
}

// The messages between two GPUs are of one connection, and no others.
TEST(CollectiveWorkloadTest, ChannelsAreRingsOfTheirOwn)
{
    CollectiveWorkload w = Collective(Kind::RING_ALL_REDUCE, 8, 1003);
    w.channels = 2;
    w.hostsPerServer = 4;
    std::map<uint32_t, std::map<uint32_t, uint32_t>> nextOf; // by channel and host
    std::map<uint32_t, uint64_t> sent;
    for (const FlowSpec& flow : w.Generate())
    {
        EXPECT_EQ(flow.connection, 1 + flow.channel);
        const auto [next, isNew] = nextOf[flow.channel].try_emplace(flow.src - 10, flow.dst - 10);
        EXPECT_TRUE(isNew || next->second == flow.dst - 10) << "not a ring";
        sent[flow.src] += flow.sizeBytes;
    }
    // In at host c of the first server and out at the next, and back the same way.
    using Ring = std::map<uint32_t, uint32_t>;
    EXPECT_EQ(nextOf[0], (Ring{{0, 3}, {3, 2}, {2, 1}, {1, 5}, {5, 6}, {6, 7}, {7, 4}, {4, 0}}));
    EXPECT_EQ(nextOf[1], (Ring{{1, 0}, {0, 3}, {3, 2}, {2, 6}, {6, 7}, {7, 4}, {4, 5}, {5, 1}}));
    uint64_t all = 0;
    for (const auto& [host, bytes] : sent)
    {
        all += bytes;
    }
    EXPECT_EQ(all, 2u * 7 * 1003) << "pieces are lost or doubled";
    w.hosts.pop_back();
    EXPECT_EQ(ErrorOf([&] { w.Generate(); }),
              "collective: 7 hosts on several channels, expected whole servers of 4 hosts");
}

TEST(CollectiveWorkloadTest, ConnectionForEachTwoGpus)
{
    for (const Kind kind : {Kind::RING_ALL_REDUCE, Kind::TREE_ALL_REDUCE, Kind::ALL_TO_ALL})
    {
        std::map<std::pair<uint32_t, uint32_t>, std::map<uint32_t, unsigned>> messages;
        auto w = Collective(kind, 4, 4000, 2);
        w.rounds = 3;
        for (const FlowSpec& flow : w.Generate())
        {
            ++messages[{flow.src, flow.dst}][flow.connection];
        }
        for (const auto& [pair, connections] : messages)
        {
            const bool isAllToAll = kind == Kind::ALL_TO_ALL;
            EXPECT_EQ(connections.size(), isAllToAll ? 4u : 1u) << "of 2 x 2 GPUs";
            EXPECT_EQ(connections.begin()->first, 1u) << "it has a queue pair of its own";
            for (const auto& [connection, count] : connections)
            {
                EXPECT_EQ(count % 3, 0u) << "one in each round";
            }
        }
    }
}

TEST(CollectiveWorkloadTest, RingAllReduceOfThree)
{
    // 10 bytes are shares of 4, 3, 3. First each rank sends its own, then what it has received.
    const auto w = Collective(Kind::RING_ALL_REDUCE, 3, 10);
    EXPECT_EQ(w.GetShareBytes(0), 4U);
    EXPECT_EQ(w.GetShareBytes(2), 3U);
    const std::vector<Row> expected{{0, 1, 4, 1, 0},
                                    {1, 2, 3, 1, 0},
                                    {2, 0, 3, 1, 0},
                                    {0, 1, 3, 2, 1}, // share 2, of host 2
                                    {1, 2, 4, 2, 1}, // share 0, of host 0
                                    {2, 0, 3, 2, 1},
                                    {0, 1, 3, 3, 2}, // share 1, complete at host 0
                                    {1, 2, 3, 3, 2},
                                    {2, 0, 4, 3, 2},
                                    {0, 1, 4, 4, 3},
                                    {1, 2, 3, 4, 3},
                                    {2, 0, 3, 4, 3}};
    EXPECT_EQ(Rows(w.Generate()), expected);
}

TEST(CollectiveWorkloadTest, BytesOfRingsPerHost)
{
    // 64 ranks, 64 kB: 2 * 63 shares of 1000 bytes for an all-reduce, 63 for a half.
    const auto all = Collective(Kind::RING_ALL_REDUCE, 64, 64000).Generate();
    EXPECT_EQ(all.size(), 64U * 126);
    const auto gather = Collective(Kind::ALL_GATHER, 64, 64000).Generate();
    const auto scatter = Collective(Kind::REDUCE_SCATTER, 64, 64000).Generate();
    EXPECT_EQ(gather.size(), 64U * 63);
    EXPECT_EQ(scatter.size(), 64U * 63);
    for (uint32_t h = 0; h < 64; ++h)
    {
        EXPECT_EQ(Sent(all)[h], 126000U);
        EXPECT_EQ(Sent(gather)[h], 63000U);
        EXPECT_EQ(Sent(scatter)[h], 63000U);
    }
}

TEST(CollectiveWorkloadTest, GpusOfAHostAreHopsOfTheRing)
{
    // 2 hosts of 4 GPUs, shares of 1000 B; 80 Gbit/s inside a host: 100 ns per hop.
    auto w = Collective(Kind::RING_ALL_REDUCE, 2, 8000, 4);
    w.intraHostBps = 80000000000;
    w.startPs = 5 * US;
    w.computePs = 20 * US;
    w.rounds = 2;
    const auto flows = w.Generate();
    ASSERT_EQ(flows.size(), 2U * 2 * 14);
    EXPECT_EQ(Sent(flows)[0], 28000U); // as with one GPU: only the last one sends to the other host
    for (const FlowSpec& flow : flows)
    {
        const uint32_t round = (flow.step - 1) / 14;
        const uint32_t step = (flow.step - 1) % 14 + 1;
        EXPECT_EQ(flow.iteration, round + 1);
        // A share passes 4 GPUs in 4 steps, so what is sent in step 5 came in step 1.
        const uint32_t after = step > 4 ? step - 4 : 0;
        EXPECT_EQ(flow.after, round * 14 + after) << "step " << flow.step;
        const int64_t hops = (step > 4 ? 3 : step - 1) * 100 * NS;
        // The second round begins when the last share has reached all GPUs, and they have computed.
        const int64_t begin = after ? 0 : round == 0 ? 5 * US : 20 * US + 300 * NS;
        EXPECT_EQ(flow.startPs, begin + hops) << "step " << flow.step;
    }
    w.intraHostBps = 0;
    for (const FlowSpec& flow : w.Generate())
    {
        EXPECT_EQ(flow.startPs,
                  flow.step <= 4                       ? 5 * US
                  : flow.step >= 15 && flow.step <= 18 ? 20 * US
                                                       : 0);
    }
}

TEST(CollectiveWorkloadTest, TreeAllReduceOfFive)
{
    // 1 and 2 are under 0, 3 and 4 under 1.
    const std::vector<Row> expected{{3, 1, 900, 1, 0},
                                    {4, 1, 900, 1, 0},
                                    {1, 0, 900, 2, 1},
                                    {2, 0, 900, 2, 0}, // has no children to wait for
                                    {0, 1, 900, 3, 2},
                                    {0, 2, 900, 3, 2},
                                    {1, 3, 900, 4, 3},
                                    {1, 4, 900, 4, 3}};
    auto w = Collective(Kind::TREE_ALL_REDUCE, 5, 900);
    EXPECT_EQ(Rows(w.Generate()), expected);
    // Two GPUs per host: leaves send 90 ns later, as does the second round, once more for the way
    // back.
    w.gpusPerHost = 2;
    w.intraHostBps = 80000000000;
    w.rounds = 2;
    for (const FlowSpec& flow : w.Generate())
    {
        const bool leaf = flow.src >= 12 && flow.dst < flow.src;
        EXPECT_EQ(flow.startPs, leaf ? (flow.iteration == 1 ? 90 : 180) * NS : 0);
        EXPECT_EQ(flow.after >= 4, flow.iteration == 2);
    }
}

TEST(CollectiveWorkloadTest, AllToAllInRounds)
{
    const std::vector<Row> expected{{0, 1, 101, 1, 0}, // 302 bytes: shares of 101, 101, 100
                                    {1, 2, 100, 1, 0},
                                    {2, 0, 101, 1, 0},
                                    {0, 2, 100, 2, 1},
                                    {1, 0, 101, 2, 1},
                                    {2, 1, 101, 2, 1}};
    EXPECT_EQ(Rows(Collective(Kind::ALL_TO_ALL, 3, 302).Generate()), expected);
    // 3 hosts of 2 GPUs, shares of 100: 4 messages per pair of hosts and direction.
    const auto flows = Collective(Kind::ALL_TO_ALL, 3, 600, 2).Generate();
    EXPECT_EQ(flows.size(), 3U * 2 * 4);
    EXPECT_EQ(Sent(flows)[1], 800U);
}

TEST(CollectiveWorkloadTest, AllToAllWithRoundsSideBySide)
{
    CollectiveWorkload w = Collective(Kind::ALL_TO_ALL, 6, 600);
    w.channels = 2;
    w.rounds = 2;
    using Place = std::tuple<uint32_t, uint32_t, uint32_t>; // channel, step, after
    std::map<uint32_t, std::vector<Place>> places;          // of host 0, by distance
    for (const FlowSpec& flow : w.Generate())
    {
        if (flow.src == 10)
        {
            places[flow.dst - 10].emplace_back(flow.channel, flow.step, flow.after);
        }
    }
    for (auto& [distance, all] : places)
    {
        std::sort(all.begin(), all.end());
    }
    EXPECT_EQ(places[1], (std::vector<Place>{{0, 1, 0}, {0, 4, 3}}));
    EXPECT_EQ(places[2], (std::vector<Place>{{1, 1, 0}, {1, 4, 3}}));
    EXPECT_EQ(places[3], (std::vector<Place>{{0, 2, 1}, {0, 5, 4}}));
    EXPECT_EQ(places[4], (std::vector<Place>{{1, 2, 1}, {1, 5, 4}}));
    EXPECT_EQ(places[5], (std::vector<Place>{{0, 3, 2}, {0, 6, 5}}));
}

TEST(CollectiveWorkloadTest, BadInputIsRefused)
{
    const auto error = [](const CollectiveWorkload& w) { return ErrorOf([&w] { w.Generate(); }); };
    auto w = Collective(Kind::RING_ALL_REDUCE, 1, 10);
    EXPECT_EQ(error(w), "collective: 1 hosts, expected at least 2");
    w = Collective(Kind::ALL_TO_ALL, 3, 10);
    w.hosts[2] = 10;
    EXPECT_EQ(error(w), "collective: host 10 twice, expected it once");
    w = Collective(Kind::ALL_GATHER, 3, 10);
    w.rounds = 0;
    EXPECT_EQ(error(w), "collective: 0 rounds, expected at least 1");
    w = Collective(Kind::ALL_GATHER, 3, 10);
    w.gpusPerHost = 0;
    EXPECT_EQ(error(w),
              "collective: 3 hosts with 0 GPUs, expected at least 1 GPU and at most 10^6 of all");
    w = Collective(Kind::ALL_GATHER, 3, 10);
    w.computePs = -1;
    EXPECT_EQ(error(w), "collective: compute time -1 ps, expected 0 to 10^6 s");
    w = Collective(Kind::RING_ALL_REDUCE, 3, 10);
    w.rounds = 4000000000U;
    EXPECT_NE(error(w).find("steps, expected less than 4 * 10^9"), std::string::npos);
}

} // namespace
