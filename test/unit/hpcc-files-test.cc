// SPDX-License-Identifier: GPL-2.0-only

// Files of the HPCC simulator: topologies, configurations, and its ideal FCT.

#include "roce-error-of.h"
#include "roce-temp-file.h"
#include "roce-test-time.h"

#include "ns3/roce-flow-list.h"
#include "ns3/roce-hpcc-config.h"
#include "ns3/roce-hpcc-longest.h"
#include "ns3/roce-hpcc-topology.h"
#include "ns3/roce-input-error.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// What the InputError says behind the file's name, or "no error".
template <typename F>
std::string
FileErrorOf(const std::string& text, F read)
{
    const TempFile file(text);
    const std::string message = ErrorOf([&] { read(file.path); });
    return message.compare(0, file.path.size(), file.path) == 0 ? message.substr(file.path.size())
                                                                : message;
}

std::string
TopologyError(const std::string& text)
{
    return FileErrorOf(text, [](const std::string& path) { HpccTopology::Read(path); });
}

std::string
ConfigError(const std::string& text)
{
    return FileErrorOf(text, [](const std::string& path) { HpccConfig::Read(path); });
}

} // namespace

TEST(HpccTopology, ReadsNodesAndLinks)
{
    // Switches 0 and 3, hosts 1, 2 and 4, whose links are in another order.
    const TempFile file("5 2 4\n0\n3\n0 3 400Gbps 2us 0.5\n4 0 100Gbps 1000ns 0\n"
                        "# a comment\n\n3 1 25Gb/s 0.001ms 0\n2 3 100000000000bps 1us 1e-3\n");
    const HpccTopology topology = HpccTopology::Read(file.path);
    EXPECT_EQ(topology.layout, HpccTopology::Layout::ORIGINAL);
    EXPECT_EQ(topology.isSwitch, (std::vector<bool>{true, false, false, true, false}));
    EXPECT_EQ(topology.nodeOfNic, (std::vector<uint32_t>{4, 1, 2}));
    const uint32_t none = FlowList::NO_NIC;
    EXPECT_EQ(topology.nicOfNode, (std::vector<uint32_t>{none, 1, 2, none, 0}));
    ASSERT_EQ(topology.links.size(), 4u);
    EXPECT_EQ(topology.links[0].rateBps, 400000000000u);
    EXPECT_EQ(topology.links[0].delayPs, 2000000);
    EXPECT_EQ(topology.links[0].lossRate, 0.5);
    EXPECT_EQ(topology.links[2].rateBps, 25000000000u);
    EXPECT_EQ(topology.links[2].delayPs, 1000000);
    EXPECT_EQ(topology.links[2].line, 8u);
    EXPECT_EQ(topology.links[3].lossRate, 1e-3);
    EXPECT_EQ(topology.GetMaxHostRateBps(), 100000000000u);
    Simulator::Destroy();
}

TEST(HpccTopology, FourNumbersAreTheOtherFamily)
{
    const TempFile file("3 1 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
    EXPECT_EQ(HpccTopology::Read(file.path).layout, HpccTopology::Layout::INET_TUB);
}

TEST(HpccTopology, SaysWhatIsWrongAndWhere)
{
    const std::string head = "4 1 3\n3\n";
    const std::string good = "0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n";
    EXPECT_EQ(TopologyError("4 1\n").find(":1: found 2 fields, expected nodes switches links, "),
              0U);
    EXPECT_EQ(TopologyError(""),
              ":1: the file ends, expected the numbers of nodes, switches and links");
    EXPECT_EQ(TopologyError("4 x 3\n"),
              ":1: number of switches 'x' is not an integer, expected 0..4");
    EXPECT_EQ(TopologyError("4 3 3\n"),
              ":1: 4 nodes with 3 switches, expected at least one switch and two hosts: hosts are "
              "joined by switches, and forward nothing");
    EXPECT_EQ(TopologyError("4 1 3\n4\n"), ":2: switch 4 out of range, expected 0..3");
    EXPECT_EQ(TopologyError("5 2 3\n3 3\n"), ":2: switch 3 is there twice, expected each once");
    EXPECT_EQ(TopologyError("5 2 3\n3\n"), ":3: the file ends, expected the ids of 2 switches");
    EXPECT_EQ(TopologyError("4 1 3\n3 2\n"),
              ":2: more than 1 switch ids, expected as many as the first line says");
    EXPECT_EQ(TopologyError(head + "0 3 100Gbps 1us\n"),
              ":3: found 4 fields, expected 5: a b rate delay error_rate (links without error_rate "
              "are bobzhuyb/ns3-rdma's: append 0)");
    EXPECT_EQ(TopologyError(head + "0 9 100Gbps 1us 0\n"),
              ":3: node 9 out of range, expected 0..3");
    EXPECT_EQ(TopologyError(head + "0 0 100Gbps 1us 0\n"),
              ":3: a and b are both 0, expected two different nodes");
    EXPECT_EQ(TopologyError(head + "0 1 100Gbps 1us 0\n"),
              ":3: nodes 0 and 1 are both hosts, expected at least one switch");
    EXPECT_NE(TopologyError(head + "0 3 100Gbit 1us 0\n").find(":3: rate is '100Gbit', expected"),
              std::string::npos);
    EXPECT_NE(TopologyError(head + "0 3 100Gbps 1 0\n").find(":3: delay is '1', expected"),
              std::string::npos);
    EXPECT_NE(TopologyError(head + "0 3 0bps 1us 0\n").find(":3: "), std::string::npos);
    EXPECT_EQ(TopologyError(head + "0 3 100Gbps 1us 2\n"),
              ":3: error_rate '2' is not a probability, expected 0 to 1");
    EXPECT_EQ(TopologyError(head + good),
              ":5: the file ends after 2 links, expected 3 as the first line says");
    EXPECT_EQ(TopologyError("4 1 2\n3\n" + good),
              ": host 2 has no link, expected one for each host");
}

TEST(HpccTopology, WhatFollowsTheCountedLinksIsNotRead)
{
    const std::string text = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n";
    for (const std::string more : {"", "\nFirst line: total node #\n", "\x01\n"})
    {
        const TempFile file(text + more);
        EXPECT_EQ(HpccTopology::Read(file.path).unreadLine, 0U) << more;
    }
    const TempFile file(text + "\n9 2 1Gbps 1us 0\n");
    const HpccTopology topology = HpccTopology::Read(file.path);
    EXPECT_EQ(topology.links.size(), 2U);
    EXPECT_EQ(topology.unreadLine, 6U);
}

TEST(HpccTopology, LayoutsOfOtherSimulatorsAreKnown)
{
    using Layout = HpccTopology::Layout;
    const std::string links = "0 3 100000000000 1us 0\n1 4 100Gbps 1us 0\n3 4 100Gbps 1us 0\n"
                              "2 4 100Gbps 1us 0\n";
    const std::pair<const char*, Layout> cases[] = {
        {"5 2 4\n3 4\n", Layout::ORIGINAL},
        {"5 2 1 4\n3 4\n", Layout::INET_TUB},
        {"5 2 1 4 25000000000 25000000000\n3 4\n", Layout::INET_TUB},
        {"5 1 1 4\n3\n4\n", Layout::LCMP},
        {"5 1 1 4\n3 4\n", Layout::LCMP},
        {"5 2 0 2 4 A100\n3 4\n", Layout::SIM_AI},
        {"5 2 1 1 4 H100 8\n3\n4\n", Layout::SIM_AI}};
    for (const auto& [head, layout] : cases)
    {
        const TempFile file(head + links);
        const HpccTopology topology = HpccTopology::Read(file.path);
        EXPECT_EQ(topology.layout, layout) << head;
        EXPECT_EQ(topology.nodeOfNic, (std::vector<uint32_t>{0, 1, 2})) << head;
        EXPECT_EQ(topology.isDci[4], layout == Layout::LCMP) << head;
        EXPECT_EQ(topology.links[0].rateBps, 100000000000U) << head;
    }
    EXPECT_EQ(TopologyError("5 2 1 4\n3 4\n0 1\n"),
              ":3: more than 2 switch ids, expected as many as the first line says");
}

// Host 0, leaf 2, DCI switch 3; host 1, DCI switch 4; between them DCI switches 5 and 6.
TEST(HpccTopology, LcmpsDatacentersAreWhatDciLinksJoin)
{
    const std::string links = "0 2 100Gbps 1us 0\n2 3 100Gbps 1us 0\n1 4 100Gbps 1us 0\n"
                              "3 5 25Gbps 5ms 0\n5 4 25Gbps 5ms 0\n3 6 200Gbps 100ms 0\n"
                              "6 4 200Gbps 100ms 0\n";
    const TempFile file("7 1 4 7\n2\n3 4 5 6\n" + links);
    const HpccTopology topology = HpccTopology::Read(file.path);
    EXPECT_EQ(topology.FindDatacenters(), (std::vector<uint32_t>{0, 1, 0, 0, 1, 2, 3}));
    // The quickest of the ways with the fewest links, not the longest.
    EXPECT_EQ(HpccLongest::Find(topology, 1000).rttPs,
              2 * (10 * MS + 3 * US) + 3 * 80 * NS + 2 * 320 * NS);
    // Three times 15,625,000 B, twice. 100 ms of 200 Gbit/s are too many bit/s * ns for 64 bits.
    EXPECT_EQ(topology.WrapBufferBytes(5, 134217728), 134217728u - 2 * 46875000u);
    EXPECT_EQ(topology.WrapBufferBytes(3, 100000),
              4294967296u + 100000u - 37500u - 46875000u - 582470970u);

    const TempFile plain("7 5 7\n2 3 4 5 6\n" + links);
    EXPECT_EQ(HpccTopology::Read(plain.path).FindDatacenters(), (std::vector<uint32_t>(7)));
}

TEST(HpccTopology, HostsHaveSeveralLinks)
{
    // Two GPUs, their NVSwitch, two leaves, of which one is at an NVSwitch that is in the fabric.
    const TempFile file("6 2 2 2 6 H100\n2 3\n4 5\n0 2 2880Gbps 25ns 0\n0 4 400Gbps 500ns 0\n"
                        "1 2 2880Gbps 25ns 0\n1 5 400Gbps 500ns 0\n4 3 400Gbps 500ns 0\n"
                        "5 3 400Gbps 500ns 0\n");
    const HpccTopology topology = HpccTopology::Read(file.path);
    EXPECT_EQ(topology.nodeOfNic, (std::vector<uint32_t>{0, 0, 1, 1}));
    EXPECT_EQ(topology.nicOfNode[0], 0u);
    EXPECT_EQ(topology.nicOfNode[1], 2u);
    EXPECT_EQ(topology.GetNHosts(), 2u);
    EXPECT_EQ(topology.isNvSwitch, (std::vector<bool>{false, false, true, false, false, false}));
    EXPECT_EQ(topology.GetMaxHostRateBps(), 400000000000u);
}

TEST(HpccTopology, FlowsFromSwitchesAreRefused)
{
    const TempFile file("1\n0 3 3 100 1000 0.1\n");
    const uint32_t none = FlowList::NO_NIC;
    EXPECT_EQ(test::ErrorOf([&] {
                  FlowList::Read(file.path, {0, 1, 2, none});
              }),
              file.path + ":2: dst 3 is a switch, expected a host");
}

TEST(HpccTopology, NodesBecomeNicsAndRowsAreKept)
{
    const TempFile file("2\n0 2 3 100 1000 0.2\n2 0 3 200 500 0.1\n");
    const FlowList list = FlowList::Read(file.path, {1, FlowList::NO_NIC, 0});
    ASSERT_EQ(list.flows.size(), 2u);
    EXPECT_EQ(list.flows[0].src, 0u); // node 2
    EXPECT_EQ(list.flows[0].dst, 1u);
    EXPECT_EQ(list.rows, (std::vector<uint64_t>{1, 0}));
}

TEST(HpccIdeal, SpecificationVectors)
{
    // Two hops of 100 Gbit/s and 1 us, payload 1000: base RTT 4160 ns.
    const Network::PathHop hop{nullptr, {100000000000, 1000000}};
    EXPECT_EQ(HpccIdeal::BaseRttPs({hop, hop}, 1000), 4160000);
    EXPECT_EQ(HpccIdeal::FctPs({hop, hop}, 1000, 1000000), 88000000);
    EXPECT_EQ(HpccIdeal::FctPs({hop, hop}, 1000, 1000), 4243000); // 4243.84 ns, cut
    const Network::PathHop slow{nullptr, {25000000000, 0}};
    EXPECT_EQ(HpccIdeal::FctPs({hop, slow}, 1000, 1000), 2000000 + 80000 + 320000 + 335000);
}

TEST(HpccConfig, ReadsKeys)
{
    const TempFile file("CC_MODE 3\nRATE_AI 50Mb/s\r\n\nKMAX_MAP 2 25000000000 400 100000000000 "
                        "1600.5\nLINK_DOWN 5 1 2\nHAS_WIN 1\nENABLE_TRACE 1\n");
    HpccConfig config = HpccConfig::Read(file.path);
    EXPECT_EQ(config.Number("CC_MODE"), 3);
    EXPECT_EQ(config.Text("RATE_AI"), "50Mb/s");
    EXPECT_EQ(config.Map("KMAX_MAP"),
              (std::map<uint64_t, double>{{25000000000, 400}, {100000000000, 1600.5}}));
    EXPECT_EQ(config.Numbers("LINK_DOWN"), (std::vector<uint64_t>{5, 1, 2}));
    EXPECT_TRUE(config.Flag("HAS_WIN", false));
    EXPECT_TRUE(config.Flag("GLOBAL_T", true));
    EXPECT_FALSE(config.Has("GLOBAL_T"));
    ASSERT_EQ(config.GetUnused().size(), 1u);
    EXPECT_EQ(config.GetUnused()[0].first, "ENABLE_TRACE");
    config.Override("HAS_WIN=0, RP_TIMER=300");
    EXPECT_FALSE(config.Flag("HAS_WIN", true));
    EXPECT_EQ(config.Number("RP_TIMER"), 300);
}

TEST(HpccConfig, SaysWhatIsWrongAndWhere)
{
    const std::string known = ", expected those of the HPCC simulator, for example CC_MODE, or "
                              "--ignoreUnknown to go on without them";
    EXPECT_EQ(ConfigError("CC_MODE 1\nCC_MOD 3\n"), ":2: unknown key 'CC_MOD' (line 2)" + known);
    EXPECT_EQ(ConfigError("A 1\nCC_MODE 1\nB\n"),
              ":1: unknown keys 'A' (line 1), 'B' (line 3)" + known);
    EXPECT_EQ(
        ConfigError("TCP_FLOW_FILE x\n"),
        ":1: unknown key 'TCP_FLOW_FILE' (line 1); the file is taken for bobzhuyb/ns3-rdma's, "
        "whose flow lists count packets" +
            known);
    EXPECT_EQ(ConfigError("CC_MODE 1\n\nCC_MODE 3\n"),
              ":3: key CC_MODE is in line 1 with another value already, expected each once");
    EXPECT_EQ(ConfigError("CC_MODE 1\nCC_MODE 1 {as above}\n"), "no error");
    EXPECT_EQ(ConfigError("HAS_WIN 2\n"), ":1: HAS_WIN is '2', expected 0 or 1");
    EXPECT_EQ(ConfigError("U_TARGET\n"), ":1: U_TARGET is '', expected a number of 0 or more");
    EXPECT_EQ(ConfigError("U_TARGET -1\n"), ":1: U_TARGET is '-1', expected a number of 0 or more");
    EXPECT_EQ(ConfigError("U_TARGET 0.9x\n"),
              ":1: U_TARGET is '0.9x', expected a number of 0 or more");
    EXPECT_EQ(ConfigError("RATE_AI 50Q\n"),
              ":1: RATE_AI is '50Q', expected a rate with unit, for example 50Mb/s");
    EXPECT_EQ(ConfigError("KMIN_MAP 2 1 2\n"),
              ":1: KMIN_MAP is '2 1 2', expected N, then N pairs of a rate in bit/s and a number");
    EXPECT_EQ(ConfigError("LINK_DOWN 1 2\n"), ":1: LINK_DOWN is '1 2', expected three integers");
    EXPECT_EQ(ConfigError("ERROR_RATE_PER_LINK 2\n"),
              ":1: ERROR_RATE_PER_LINK is '2', expected a probability, 0 to 1");
    EXPECT_EQ(ConfigError(std::string("CC_MODE\0 1\n", 11)),
              ":1: control character 0, expected plain text");
    EXPECT_EQ(ConfigError("CC_MODE 1\nCC\x1b_MODE 1\n"),
              ":2: control character 27, expected plain text");
    EXPECT_EQ(ConfigError("\xef\xbb\xbf"
                          "CC_MODE\t1\r\n"),
              "no error");
    HpccConfig config;
    EXPECT_THROW(config.Override("HAS_WIN"), InputError);
    EXPECT_THROW(config.Override("HAS_WIN=yes"), InputError);
    EXPECT_THROW(config.Override("COLOUR=1"), InputError);
    EXPECT_NO_THROW(config.Override(""));
}

TEST(HpccConfig, UnknownKeysCanBeIgnored)
{
    const TempFile file("A 1\nCC_MODE 1\nB\n");
    const HpccConfig config = HpccConfig::Read(file.path, true);
    EXPECT_EQ(config.Number("CC_MODE"), 1);
    EXPECT_EQ(config.GetNotes(),
              (std::vector<std::string>{file.path +
                                        ": unknown keys 'A' (line 1), 'B' (line 3); ignored"}));
}

TEST(HpccConfig, MapsHaveAsManyPairsAsTheirCountSays)
{
    const TempFile file("KMIN_MAP 1 25000000000 100 50000000000 200\n"
                        "PMAX_MAP 2 25000000000 0.2 25000000000 0.2\n"
                        "KMAX_MAP 2 25000000000 400 25000000000 500\n");
    const HpccConfig config = HpccConfig::Read(file.path);
    EXPECT_EQ(config.Map("KMIN_MAP"), (std::map<uint64_t, double>{{25000000000, 100}}));
    EXPECT_EQ(config.Map("PMAX_MAP"), (std::map<uint64_t, double>{{25000000000, 0.2}}));
    EXPECT_THROW(config.Map("KMAX_MAP"), InputError);
    EXPECT_EQ(config.GetNotes().size(), 1U);
}

TEST(HpccConfig, FilesAreFoundBesideItAndInTheWorkingDirectory)
{
    const TempFile other("");
    const std::string name = other.path.substr(other.path.rfind('/') + 1);
    const TempFile file("WORKING_DIR ./\nTOPOLOGY_FILE ${WORKING_DIR}" + name +
                        "\nFLOW_FILE no/such.txt\nTRACE_FILE ${X}t.txt\n");
    const HpccConfig config = HpccConfig::Read(file.path);
    const std::string folder = file.path.substr(0, file.path.rfind('/') + 1);
    EXPECT_EQ(config.FindFile("TOPOLOGY_FILE"), folder + "./" + name);
    EXPECT_EQ(ErrorOf([&] { config.FindFile("FLOW_FILE"); }),
              file.path + ":3: FLOW_FILE: no file '" + folder +
                  "no/such.txt' (beside the configuration), nor 'no/such.txt' (from the working "
                  "directory), expected one");
    EXPECT_EQ(ErrorOf([&] { config.FindFile("TRACE_FILE"); }),
              file.path +
                  ":4: TRACE_FILE: '${X}t.txt', expected ${NAME} with the name of another key");
}
