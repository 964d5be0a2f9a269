// SPDX-License-Identifier: GPL-2.0-only
// Flow lists with names: which flows wait for which, and what is refused, with its line.
#include "roce-error-of.h"
#include "roce-temp-file.h"

#include "ns3/roce-cycle.h"
#include "ns3/roce-flow-list.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

const std::string HEADER = "src,dst,bytes,start_ns,name,after\n";

/// Lines behind the header are refused.
void
ExpectRefused(const std::string& lines, unsigned line, const std::string& message)
{
    ExpectFileRefused([](const auto& path) { FlowList::Read(path, 4); },
                      HEADER + lines,
                      line,
                      message);
}

TEST(FlowListGraphTest, NamesBecomeKeysInTheOrderOfTheFile)
{
    const TempFile file(HEADER + "2,3,7,50,last, first second\n" // before those that it names
                                 "0,1,5,9000,first,\n"
                                 "1,2,6,0,second,first\n"
                                 "3,0,1,10,,\n"
                                 "3,1,2,0,,second\n");
    const std::vector<FlowSpec> flows = FlowList::Read(file.path, 4).flows;
    // Those that wait come last, in their order in the file.
    ASSERT_EQ(flows.size(), 5U);
    const uint64_t bytes[] = {1, 5, 7, 6, 2};
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        EXPECT_EQ(flows[i].sizeBytes, bytes[i]) << i;
        EXPECT_EQ(flows[i].IsDependent(), i >= 2) << i;
    }
    EXPECT_EQ(flows[0].dependencies, nullptr) << "nobody waits for it, and it for nobody";
    EXPECT_EQ(flows[1].dependencies->key, 2U);
    EXPECT_EQ(flows[2].dependencies->name, "last");
    EXPECT_EQ(flows[2].dependencies->after, (std::vector<uint32_t>{2, 3}));
    EXPECT_EQ(flows[2].startPs, 50000);
    EXPECT_EQ(flows[3].dependencies->after, (std::vector<uint32_t>{2}));
    EXPECT_EQ(flows[4].dependencies->after, (std::vector<uint32_t>{3}));
}

TEST(FlowListGraphTest, OtherColumnsMayStandBefore)
{
    const TempFile file(
        "src,dst,bytes,start_us,class,srcport,name,after\n0,1,5,2,4,777,a,\n1,0,5,1,5,0,b,a\n");
    const std::vector<FlowSpec> flows = FlowList::Read(file.path, 4).flows;
    EXPECT_EQ(flows[0].trafficClass, 4U);
    EXPECT_EQ(flows[0].srcPort, 777U);
    EXPECT_EQ(flows[0].startPs, 2000000);
    EXPECT_EQ(flows[1].dependencies->after.size(), 1U);
}

TEST(FlowListGraphTest, BadGraphsAreRefused)
{
    ExpectRefused("0,1,1,0,a,\n1,2,1,0,b,c\n",
                  3,
                  "waits for 'c', expected the name of a flow of this list");
    ExpectRefused("0,1,1,0,a,\n\n1,2,1,0,a,\n",
                  4,
                  "name 'a' is that of line 2, too, expected each once");
    ExpectRefused("0,1,1,0,a,\n1,2,1,0,b,a a\n",
                  3,
                  "after names 'a' twice, expected each flow once");
    ExpectRefused("0,1,1,0,a b,\n", 2, "name 'a b' has blanks, expected one word or nothing");
    ExpectRefused(
        "0,1,1,0,a,a\n",
        2,
        "waits for itself (a after a), expected flows that can start one after the other");
    ExpectRefused("0,1,1,0,z,\n0,1,1,0,a,c z\n1,2,1,0,b,a\n2,3,1,0,c,b\n",
                  3,
                  "waits for itself (a after c after b after a), expected flows that can start one "
                  "after the other");
    ExpectRefused("0,1,1,0,a\n",
                  2,
                  "found 5 fields, expected 6: src,dst,bytes,start_ns,name,after");
    const TempFile phases("src,dst,bytes,start_ns,class,srcport,tag,phase,name,after\n"
                          "0,1,1,0,3,0,0,1,a,\n1,2,1,0,3,0,0,2,b,a\n");
    EXPECT_EQ(ErrorOf([&] { FlowList::Read(phases.path, 4); }),
              phases.path + ":3: a phase and flows to wait for, expected one of them");
    const TempFile one(HEADER + "0,1,1,0,a,\n");
    const std::vector<FlowSpec> flows = FlowList::Read(one.path, 4).flows;
    EXPECT_NE(ErrorOf([&] { FlowList::Write(one.path, flows); }).find("graph of flows"),
              std::string::npos);
}

// A chain as long as a list may be: no recursion.
TEST(FlowListGraphTest, LongChainsHaveNoCycle)
{
    std::vector<std::vector<uint32_t>> after(1000000);
    for (uint32_t i = 0; i + 1 < after.size(); ++i)
    {
        after[i] = {i + 1};
    }
    EXPECT_TRUE(FindCycle(after).empty());
    after.back() = {3};
    EXPECT_EQ(FindCycle(after).size(), after.size() - 3);
    EXPECT_EQ(FindCycle({{1, 2}, {3}, {3}, {}}), std::vector<uint32_t>()) << "a diamond";
}

} // namespace
