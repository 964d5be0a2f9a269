// SPDX-License-Identifier: GPL-2.0-only
// Graphs of datacenters: the file, the known one, and what is refused.
#include "roce-error-of.h"
#include "roce-temp-file.h"

#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-wan-graph.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

TEST(WanGraph, ReadsLinksAndParallelOnes)
{
    const TempFile file("# a b rate delay\n0 2 200Gbps 25ms\n\n2 1 25Gbps 5us\n2 1 25Gbps 5us\n");
    const WanGraph graph = WanGraph::Read(file.path, 3);
    ASSERT_EQ(graph.links.size(), 3u);
    EXPECT_EQ(graph.links[0].b, 2u);
    EXPECT_EQ(graph.links[0].rate, DataRate("200Gbps"));
    EXPECT_EQ(graph.links[0].delay, MilliSeconds(25));
    EXPECT_EQ(graph.links[2].a, 2u);
    EXPECT_EQ(graph.links[2].b, 1u);
}

TEST(WanGraph, Lcmp8HasSixWays)
{
    const WanGraph graph = WanGraph::Read("lcmp8", 8);
    ASSERT_EQ(graph.links.size(), 12u);
    for (uint32_t i = 0; i < 12; i += 2)
    {
        EXPECT_EQ(graph.links[i].a, 0u);
        EXPECT_EQ(graph.links[i].b, 1 + i / 2);
        EXPECT_EQ(graph.links[i + 1].a, 1 + i / 2);
        EXPECT_EQ(graph.links[i + 1].b, 7u);
        EXPECT_EQ(graph.links[i].delay, graph.links[i + 1].delay);
    }
    EXPECT_EQ(graph.links[2].delay, MilliSeconds(250));
    EXPECT_EQ(graph.links[10].rate, DataRate("25Gbps"));
    EXPECT_NE(ErrorOf([] { WanGraph::Read("lcmp8", 4); }).find("expected 8"), std::string::npos);
}

TEST(WanGraph, BadLinesAreRefused)
{
    const std::pair<const char*, const char*> cases[] = {
        {"0 3 1Gbps 1ms\n", ":1: datacenter"},
        {"0 0 1Gbps 1ms\n", ":1: a and b are both 0"},
        {"0 1 1Gbps\n", ":1: found 3 fields"},
        {"0 1 fast 1ms\n", ":1: rate"},
        {"0 1 0Gbps 1ms\n", ":1: rate 0Gbps"},
        {"0 1 1Gbps -1ms\n", ":1: "},
        {"0 1 1Gbps 2h\n", ":1: "},
        {"# nothing\n", ": no links"}};
    for (const auto& [text, message] : cases)
    {
        const TempFile file(text);
        const std::string error = ErrorOf([&] { WanGraph::Read(file.path, 3); });
        EXPECT_EQ(error.find(file.path + message), 0u) << error;
    }
}

TEST(WanGraph, IsReadOnce)
{
    LeafSpineHelper topology;
    topology.datacenters = 3;
    Network network;
    {
        const TempFile file("0 1 200Gbps 5ms\n1 2 100Gbps 5ms\n");
        topology.wanGraph = file.path;
        topology.Construct(network);
    }
    EXPECT_EQ(topology.GetCapacity(LoadReference::Host).wanBps, 200'000'000'000u);
    topology.wanGraph = "lcmp8";
    Network other;
    EXPECT_NE(ErrorOf([&] { topology.Construct(other); }).find("expected 8"), std::string::npos)
        << "another one";
}
