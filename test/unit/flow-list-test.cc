// SPDX-License-Identifier: GPL-2.0-only
#include "roce-error-of.h"
#include "roce-temp-file.h"

#include "ns3/roce-flow-list.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

FlowList
ReadText(const std::string& text, uint32_t nHosts = 4)
{
    const TempFile file(text);
    return FlowList::Read(file.path, nHosts);
}

/// A list for 4 hosts is refused.
void
ExpectRefused(const std::string& text, unsigned line, const std::string& message)
{
    ExpectFileRefused([](const auto& path) { FlowList::Read(path, 4); }, text, line, message);
}

FlowSpec
Flow(uint32_t src, uint32_t dst, uint64_t bytes, int64_t startPs, int cls, int port, int tag)
{
    return {0, src, dst, bytes, startPs, uint8_t(cls), uint16_t(port), uint8_t(tag)};
}

void
ExpectFlows(const std::vector<FlowSpec>& found, const std::vector<FlowSpec>& expected)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
    {
        EXPECT_EQ(found[i].id, i);
        EXPECT_EQ(found[i].src, expected[i].src) << i;
        EXPECT_EQ(found[i].dst, expected[i].dst) << i;
        EXPECT_EQ(found[i].sizeBytes, expected[i].sizeBytes) << i;
        EXPECT_EQ(found[i].startPs, expected[i].startPs) << i;
        EXPECT_EQ(found[i].trafficClass, expected[i].trafficClass) << i;
        EXPECT_EQ(found[i].srcPort, expected[i].srcPort) << i;
        EXPECT_EQ(found[i].tag, expected[i].tag) << i;
        EXPECT_EQ(found[i].phase, expected[i].phase) << i;
        EXPECT_EQ(found[i].connection, expected[i].connection) << i;
    }
}

TEST(FlowListTest, ReadsCsvWithEachHeader)
{
    auto list = ReadText("src,dst,bytes,start_ns\n0,1,1000,5\n");
    EXPECT_EQ(list.format, FlowListFormat::Csv);
    EXPECT_EQ(list.outOfOrder, 0U);
    ExpectFlows(list.flows, {Flow(0, 1, 1000, 5000, 3, 0, 0)});
    list = ReadText("src,dst,bytes,start_ns,class\n0,1,1000,5,0\n");
    ExpectFlows(list.flows, {Flow(0, 1, 1000, 5000, 0, 0, 0)});
    list = ReadText("src,dst,bytes,start_ns,class,srcport\n0,1,1000,5,7,65535\n");
    ExpectFlows(list.flows, {Flow(0, 1, 1000, 5000, 7, 65535, 0)});
    list = ReadText("src,dst,bytes,start_ns,class,srcport,tag\n0,1,1000,5,7,0,255\n");
    ExpectFlows(list.flows, {Flow(0, 1, 1000, 5000, 7, 0, 255)});
}

TEST(FlowListTest, ReadsCsvWithCommentsBlanksAndPicoseconds)
{
    const auto list = ReadText("# made by hand\n\nsrc, dst, bytes, start_ns\r\n"
                               " 3 , 2 , 0 , 0.001 # an empty message\r\n"
                               "\n0,1,1000000000000000,9223372036854775.807\n"
                               "2,1,7,1.50\n2,0,7,1.5e3");
    EXPECT_EQ(list.outOfOrder, 2U); // both after the one at the end of time
    ExpectFlows(list.flows,
                {Flow(3, 2, 0, 1, 3, 0, 0),
                 Flow(2, 1, 7, 1500, 3, 0, 0),
                 Flow(2, 0, 7, 1500000, 3, 0, 0),
                 Flow(0, 1, 1000000000000000ULL, INT64_MAX, 3, 0, 0)});
}

TEST(FlowListTest, ReadsHpccFlowTxt)
{
    const auto list = ReadText("4\n"
                               "3 0 3 100 5704080 0.000000934\n"
                               "2 1 5 200 70 0.000002304\n"
                               "\n"
                               "1 2 3 100 1 2\n"
                               "0 1 3 10000 0 2.000000000000\n");
    EXPECT_EQ(list.format, FlowListFormat::HpccFlowTxt);
    EXPECT_EQ(list.outOfOrder, 0U); // equal starts are no disorder
    ExpectFlows(list.flows,
                {Flow(3, 0, 5704080, 934000, 3, 0, 0),
                 Flow(2, 1, 70, 2304000, 5, 0, 1),
                 Flow(0, 1, 0, 2000000000000, 3, 0, 0),
                 Flow(1, 2, 1, 2000000000000, 3, 0, 0)});
}

TEST(FlowListTest, StartSecondsAreExactOrRoundedHalfUp)
{
    // all but the first two cannot be had by way of double
    const auto list = ReadText("7\n0 1 3 100 1 1e-06\n0 1 3 100 1 1.25E-5\n"
                               "0 1 3 100 1 1000000.000000000001\n"
                               "0 1 3 100 1 1000000.0000000000014999\n"
                               "0 1 3 100 1 1000000.0000000000015\n"
                               "0 1 3 100 1 1000000.0000000000025\n"
                               "0 1 3 100 1 1000000.0000000000034999999999999999999999999\n");
    const int64_t s = 1000000000000;
    std::vector<int64_t> starts;
    for (const auto& f : list.flows)
    {
        starts.push_back(f.startPs);
    }
    EXPECT_EQ(starts,
              (std::vector<int64_t>{1000000,
                                    12500000,
                                    1000000 * s + 1,
                                    1000000 * s + 1,
                                    1000000 * s + 2,
                                    1000000 * s + 3,
                                    1000000 * s + 3}));
}

TEST(FlowListTest, UnsortedListsAreSortedAndCounted)
{
    const auto list = ReadText("src,dst,bytes,start_ns\n0,1,1,30\n0,1,2,10\n1,0,3,20\n1,2,4,30\n"
                               "0,2,5,30\n3,0,6,29\n");
    EXPECT_EQ(list.outOfOrder, 3U); // those at 10, 20 and 29
    ExpectFlows(list.flows,
                {Flow(0, 1, 2, 10000, 3, 0, 0),
                 Flow(1, 0, 3, 20000, 3, 0, 0),
                 Flow(3, 0, 6, 29000, 3, 0, 0),
                 Flow(0, 1, 1, 30000, 3, 0, 0),
                 Flow(0, 2, 5, 30000, 3, 0, 0),
                 Flow(1, 2, 4, 30000, 3, 0, 0)});
}

TEST(FlowListTest, WrittenListsReadBackUnchanged)
{
    std::vector<FlowSpec> flows = {Flow(0, 1, 0, 0, 0, 0, 0),
                                   Flow(1, 3, 1000000000000000ULL, 1, 7, 0, 1),
                                   Flow(2, 3, 5000, 120000, 3, 0, 0),
                                   Flow(3, 2, 77, 2000000001230, 4, 0, 1),
                                   Flow(3, 2, 77, INT64_MAX, 4, 0, 1)};
    const TempFile file("old content");
    FlowList::Write(file.path, flows, FlowListFormat::HpccFlowTxt);
    auto list = FlowList::Read(file.path, 4);
    EXPECT_EQ(list.format, FlowListFormat::HpccFlowTxt);
    ExpectFlows(list.flows, flows);

    flows[2].srcPort = 49152;
    flows[3].tag = 255;
    FlowList::Write(file.path, flows, FlowListFormat::Csv, {"offered load 0.5", "seed 1"});
    list = FlowList::Read(file.path, 4);
    EXPECT_EQ(list.format, FlowListFormat::Csv);
    EXPECT_EQ(list.outOfOrder, 0U);
    ExpectFlows(list.flows, flows);
}

// Starts in later phases are relative: such flows come behind the others and are never out of
// order.
TEST(FlowListTest, ReadsAndWritesPhases)
{
    const std::string text = "src,dst,bytes,start_ns,class,srcport,tag,phase\n"
                             "0,1,1,30,3,0,0,1\n1,2,2,5,3,0,0,3\n2,1,3,0,3,0,0,2\n"
                             "3,0,4,40,3,0,0,0\n0,3,5,7,3,0,0,2\n";
    auto list = ReadText(text);
    EXPECT_EQ(list.outOfOrder, 0U);
    std::vector<FlowSpec> expected = {Flow(0, 1, 1, 30000, 3, 0, 0),
                                      Flow(3, 0, 4, 40000, 3, 0, 0),
                                      Flow(2, 1, 3, 0, 3, 0, 0),
                                      Flow(0, 3, 5, 7000, 3, 0, 0),
                                      Flow(1, 2, 2, 5000, 3, 0, 0)};
    const uint32_t phases[] = {1, 0, 2, 2, 3};
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        expected[i].phase = phases[i];
    }
    ExpectFlows(list.flows, expected);
    EXPECT_EQ(list.rows, (std::vector<uint64_t>{0, 3, 2, 4, 1}));
    const TempFile file("");
    FlowList::Write(file.path, expected);
    ExpectFlows(FlowList::Read(file.path, 4).flows, expected);
    ExpectRefused("src,dst,bytes,start_ns,class,srcport,tag,phase\n0,1,1,1,3,0,0,-1\n",
                  2,
                  "phase -1 out of range, expected 0..1000000000");
}

TEST(FlowListTest, ReadsAndWritesConnections)
{
    const std::string header = "src,dst,bytes,start_ns,class,srcport,tag,phase,qp\n";
    const std::string rows = "0,1,1,30,3,0,0,0,7\n0,1,2,40,3,0,0,0,7\n0,1,3,50,3,0,0,0,0\n";
    auto list = ReadText(header + rows);
    std::vector<FlowSpec> expected = {Flow(0, 1, 1, 30000, 3, 0, 0),
                                      Flow(0, 1, 2, 40000, 3, 0, 0),
                                      Flow(0, 1, 3, 50000, 3, 0, 0)};
    expected[0].connection = expected[1].connection = 7;
    ExpectFlows(list.flows, expected);
    const TempFile file("");
    FlowList::Write(file.path, expected);
    EXPECT_EQ(file.Text(), header + rows);
    ExpectRefused(header + "0,1,1,1,3,0,0,0,x\n",
                  2,
                  "qp 'x' is not an integer, expected 0..4294967295");
    ExpectRefused(header + "0,1,1,1,3,0,0,0,4294967296\n",
                  2,
                  "qp 4294967296 out of range, expected 0..4294967295");
}

TEST(FlowListTest, ReadsLaws)
{
    const std::string header = "src,dst,bytes,start_ns,class,srcport,tag,phase,qp,cc\n";
    const TempFile file(header + "0,1,1,0,3,0,0,0,0,Hpcc\n0,2,1,1,3,0,0,0,0,\n"
                                 "0,3,1,2,3,0,0,0,0,none\n0,4,1,3,3,0,0,0,0,Hpcc\n");
    const FlowList list = FlowList::Read(file.path, 5);
    ASSERT_EQ(list.flows.size(), 4u);
    EXPECT_EQ(list.flows[0].law, 1);
    EXPECT_EQ(list.flows[1].law, 0) << "nothing is the NIC's law";
    EXPECT_EQ(list.flows[2].law, 2);
    EXPECT_EQ(list.flows[3].law, 1) << "each law is there once";
    EXPECT_EQ(list.laws, (std::vector<std::string>{"ns3::roce::Hpcc", "ns3::roce::LineRate"}));
    EXPECT_EQ(ErrorOf([&] { FlowList::Write(file.path, list.flows); }),
              file.path + ": flow 0 has a rate law of its own, expected none: it is not written");
}

TEST(FlowListTest, WrittenTextIsAsDocumented)
{
    const TempFile file("");
    const std::vector<FlowSpec> flows = {Flow(0, 1, 9, 0, 3, 0, 0),
                                         Flow(1, 0, 10, 1234560, 3, 7, 2),
                                         Flow(1, 0, 10, 5000000000000, 3, 0, 1)};
    FlowList::Write(file.path, flows, FlowListFormat::Csv, {"hello"});
    EXPECT_EQ(file.Text(),
              "# hello\nsrc,dst,bytes,start_ns,class,srcport,tag\n0,1,9,0,3,0,0\n"
              "1,0,10,1234.56,3,7,2\n1,0,10,5000000000,3,0,1\n");
    FlowList::Write(file.path, {flows[0], flows[2]}, FlowListFormat::HpccFlowTxt);
    EXPECT_EQ(file.Text(), "2\n0 1 3 100 9 0\n1 0 3 200 10 5\n");
}

TEST(FlowListTest, WriteRefusesWhatCouldNotBeReadBack)
{
    const TempFile file("kept");
    const auto write = [&](const FlowSpec& f, FlowListFormat format) {
        return ErrorOf([&] { FlowList::Write(file.path, {f}, format); });
    };
    EXPECT_EQ(write(Flow(0, 1, 1, 0, 3, 7, 0), FlowListFormat::HpccFlowTxt),
              file.path + ": flow 0 has source port 7, tag 0, phase 0 and qp 0, expected 0, 0..1, "
                          "0 and 0: flow.txt "
                          "holds no others");
    EXPECT_NE(write(Flow(0, 1, 1, 0, 3, 0, 2), FlowListFormat::HpccFlowTxt), "no error");
    FlowSpec phased = Flow(0, 1, 1, 0, 3, 0, 0);
    phased.phase = 1;
    EXPECT_NE(write(phased, FlowListFormat::HpccFlowTxt), "no error");
    EXPECT_EQ(write(Flow(0, 0, 1, -1, 3, 0, 0), FlowListFormat::Csv),
              file.path + ": flow 0 from 0 to 0, 1 bytes, start -1 ps, class 3, expected "
                          "different hosts, at most 1000000000000000 bytes, a start of 0 or more "
                          "and class 0..7");
    EXPECT_NE(write(Flow(0, 1, 1, -1, 3, 0, 0), FlowListFormat::Csv), "no error");
    EXPECT_NE(write(Flow(0, 1, 1, 0, 8, 0, 0), FlowListFormat::Csv), "no error");
    EXPECT_NE(write(Flow(0, 1, UINT64_MAX, 0, 3, 0, 0), FlowListFormat::Csv), "no error");
    EXPECT_EQ(ErrorOf([&] { FlowList::Write(file.path, {}); }),
              file.path + ": no flow to write, expected at least one");
    const std::vector<FlowSpec> good = {Flow(0, 1, 1, 0, 3, 0, 0)};
    const auto csv = FlowListFormat::Csv;
    EXPECT_NE(ErrorOf([&] { FlowList::Write(file.path, good, csv, {"a\nb"}); }), "no error");
    EXPECT_NE(
        ErrorOf([&] { FlowList::Write(file.path, good, FlowListFormat::HpccFlowTxt, {"a"}); }),
        "no error");
    EXPECT_EQ(file.Text(), "kept");
    EXPECT_EQ(ErrorOf([&] { FlowList::Write("/no/such/folder/f.csv", good); }),
              "/no/such/folder/f.csv: cannot be written (No such file or directory), expected a "
              "writable file");
}

TEST(FlowListTest, RefusesUnreadableOrUnknownFiles)
{
    const std::string missing = testing::TempDir() + "roce-no-such-flow-list.csv";
    EXPECT_EQ(ErrorOf([&] { FlowList::Read(missing, 4); }),
              missing + ":1: cannot be read (No such file or directory), expected a flow list");
    EXPECT_EQ(ErrorOf([] { FlowList::Read("/", 4); }), "/:1: cannot be read, expected a flow list");
    EXPECT_EQ(ErrorOf([] { FlowList::Read("x.csv", 1); }),
              "flow list x.csv for 1 hosts, expected at least 2");
    const std::string header =
        "expected a header "
        "src,dst,bytes,start_ns[,class[,srcport[,tag[,phase[,qp[,cc]]]]]][,name,after] "
        "or a number of flows";
    ExpectRefused("", 1, "empty, " + header);
    ExpectRefused("# only a comment\n\n", 1, "empty, " + header);
    ExpectRefused("\n0 1 3 100 5 0.1\n", 2, "first line is '0 1 3 100 5 0.1', " + header);
    ExpectRefused("-1\n", 1, "first line is '-1', " + header);
}

TEST(FlowListTest, StartsMayBeInMicroseconds)
{
    const TempFile file("src,dst,bytes,start_us\n1,0,5,1460\n0,1,7,0.25\n");
    const FlowList list = FlowList::Read(file.path, 4);
    ASSERT_EQ(list.flows.size(), 2u);
    EXPECT_EQ(list.flows[0].startPs, 250000) << "start_us is not read as microseconds";
    EXPECT_EQ(list.flows[1].startPs, 1460000000);
    ExpectRefused("src,dst,bytes,start_us\n0,1,1,-1\n",
                  2,
                  "start_us '-1' is negative, expected 0 or more");
    ExpectRefused("start_us,dst,bytes,src\n",
                  1,
                  "unknown column 'start_us', expected 'src' in the header "
                  "src,dst,bytes,start_ns[,class[,srcport[,tag[,phase[,qp[,cc]]]]]][,name,after]");
}

TEST(FlowListTest, RefusesUnknownColumns)
{
    const std::string form =
        "the header src,dst,bytes,start_ns[,class[,srcport[,tag[,phase[,qp[,cc]]]]]][,name,after]";
    ExpectRefused("src,dst,size,start_ns\n0,1,1,1\n",
                  1,
                  "unknown column 'size', expected 'bytes' in " + form);
    ExpectRefused("# x\nsrc,dst,bytes,start_ns,prio\n",
                  2,
                  "unknown column 'prio', expected 'class' in " + form);
    ExpectRefused("src,dst,bytes,start_ns,class,srcport,tag,phase,qp,cc,more\n",
                  1,
                  "unknown column 'more', expected no more columns in " + form);
    ExpectRefused("src,dst,bytes\n", 1, "column 'start_ns' missing, expected " + form);
    ExpectRefused("0,1,1000,5\n", 1, "unknown column '0', expected 'src' in " + form);
}

TEST(FlowListTest, RefusesWrongCsvLines)
{
    const std::string h = "src,dst,bytes,start_ns,class\n0,1,1,1,1\n";
    const std::string form = ": src,dst,bytes,start_ns,class";
    ExpectRefused(h + "0,1,1,1\n", 3, "found 4 fields, expected 5" + form);
    ExpectRefused(h + "0,1,1,1,1,\n", 3, "found 6 fields, expected 5" + form);
    ExpectRefused(h + "2,2,1,1,1\n", 3, "src and dst are both 2, expected two different hosts");
    ExpectRefused(h + "\n4,2,1,1,1\n", 4, "src 4 out of range, expected 0..3");
    ExpectRefused(h + "0,-1,1,1,1\n", 3, "dst -1 out of range, expected 0..3");
    ExpectRefused(h + "h0,1,1,1,1\n", 3, "src 'h0' is not an integer, expected 0..3");
    ExpectRefused(h + "0,,1,1,1\n", 3, "dst '' is not an integer, expected 0..3");
    ExpectRefused(h + "0,1,-5,1,1\n", 3, "bytes -5 out of range, expected 0..1000000000000000");
    ExpectRefused(h + "0,1,1e6,1,1\n",
                  3,
                  "bytes '1e6' is not an integer, expected 0..1000000000000000");
    ExpectRefused(h + "0,1,99999999999999999999,1,1\n",
                  3,
                  "bytes 99999999999999999999 out of range, expected 0..1000000000000000");
    ExpectRefused(h + "0,1,1,1,8\n", 3, "class 8 out of range, expected 0..7");
    ExpectRefused(h + "0,1,1,-1,1\n", 3, "start_ns '-1' is negative, expected 0 or more");
    for (const char* bad : {"",
                            ".",
                            "-",
                            "1.2.3",
                            "0x1",
                            "nan",
                            "inf",
                            "1s",
                            "1e",
                            "e5",
                            "1e1e1",
                            "1e101",
                            "+1",
                            "1e+-5",
                            "1e99999999999"})
    {
        ExpectRefused(h + "0,1,1," + bad + ",1\n",
                      3,
                      "start_ns '" + std::string(bad) + "' is not a number, expected 0 or more");
    }
    ExpectRefused(h + "0,1,1,0.0005,1\n",
                  3,
                  "start_ns '0.0005' is finer than a picosecond, expected at most 3 decimals");
    ExpectRefused(h + "0,1,1,9223372036854775.808,1\n",
                  3,
                  "start_ns '9223372036854775.808' is too late, expected less than 2^63 "
                  "picoseconds");
    const std::string full = "src,dst,bytes,start_ns,class,srcport,tag\n";
    ExpectRefused(full + "0,1,1,1,1,65536,0\n", 2, "srcport 65536 out of range, expected 0..65535");
    ExpectRefused(full + "0,1,1,1,1,0,256\n", 2, "tag 256 out of range, expected 0..255");
    ExpectRefused("src,dst,bytes,start_ns\n\n",
                  2,
                  "no flow after the header, expected at least one");
}

TEST(FlowListTest, RefusesWrongHpccLists)
{
    const std::string f = "0 1 3 100 1000 0.1\n";
    ExpectRefused("0\n", 1, "number of flows is 0, expected at least one");
    ExpectRefused("# x\n3\n" + f + f, 2, "number of flows is 3, expected 2 as the list has");
    ExpectRefused("1\n", 1, "number of flows is 1, expected 0 as the list has");
    ExpectRefused("5000000000\n" + f,
                  1,
                  "number of flows 5000000000 out of range, expected 0..1000000000");
    const std::string form = ": src dst pg dport size start_seconds";
    ExpectRefused("1\n0 1 3 0.1\n", 2, "found 4 fields, expected 6" + form);
    ExpectRefused("2\n" + f + "0 1 3 1000 0.1\n", 3, "found 5 fields, expected 6" + form);
    ExpectRefused("1\n0 1 3 100 1000 0.1 9 9\n", 2, "found 8 fields, expected 6" + form);
    ExpectRefused("2\n" + f + "1 1 3 100 1000 0.1\n",
                  3,
                  "src and dst are both 1, expected two different hosts");
    ExpectRefused("1\n0 4 3 100 1000 0.1\n", 2, "dst 4 out of range, expected 0..3");
    ExpectRefused("1\n0 1 8 100 1000 0.1\n", 2, "pg (class) 8 out of range, expected 0..7");
    ExpectRefused("1\n0 1 3 x 1000 0.1\n", 2, "dport 'x' is not an integer, expected 0..65535");
    ExpectRefused("1\n0 1 3 100 -1 0.1\n", 2, "size -1 out of range, expected 0..1000000000000000");
    ExpectRefused("1\n0 1 3 100 1000 -0.1\n",
                  2,
                  "start_seconds '-0.1' is negative, expected 0 or more");
    ExpectRefused("1\n0 1 3 100 1000 soon\n",
                  2,
                  "start_seconds 'soon' is not a number, expected 0 or more");
    ExpectRefused("1\n0 1 3 100 1000 9223373\n",
                  2,
                  "start_seconds '9223373' is too late, expected less than 2^63 picoseconds");
}

TEST(FlowListTest, WhatFollowsTheCountedFlowsIsNotRead)
{
    const std::string f = "0 1 3 100 1000 0.1\n";
    for (const std::string text : {"", "\nFirst line: # of flows\n", "a b c d e f\n", "\x01\n"})
    {
        const FlowList list = ReadText("1\n" + f + text);
        ExpectFlows(list.flows, {Flow(0, 1, 1000, 100000000000, 3, 0, 0)});
        EXPECT_TRUE(list.notes.empty()) << text;
    }
    const FlowList list = ReadText("1\n" + f + "\n" + f);
    EXPECT_EQ(list.flows.size(), 1U);
    EXPECT_EQ(list.notes,
              (std::vector<std::string>{"line 4 has one more flow, but the first line says 1; what "
                                        "follows them is not read"}));
}

TEST(FlowListTest, ColumnsOfOtherSimulatorsAreKnown)
{
    const std::vector<FlowSpec> flows = {Flow(0, 1, 1000, 1000000000000, 3, 0, 0),
                                         Flow(1, 2, 70, 2000000000000, 4, 0, 0)};
    for (const std::string text : {"2\n0 1 3 1000 1\n1 2 4 70 2\n",
                                   "2\n0 1 3 100 1000 1 3\n1 2 4 100 70 2 2\n",
                                   "2\n0 0 1 3 100 1000 1\n1 1 2 4 100 70 2\n",
                                   "2\n1 0 1 3 100 1000 1\n2 1 2 4 100 70 2\n"})
    {
        const FlowList list = ReadText(text);
        ExpectFlows(list.flows, flows);
        EXPECT_EQ(list.notes.size(), 1U) << text;
    }
}

// Packets taken for a port and seconds taken for bytes would be wrong without a word.
TEST(FlowListTest, ListsThatCountPacketsAreRefused)
{
    const std::string message =
        "the list is taken for bobzhuyb/ns3-rdma's, src dst pg packets start stop, whose sizes are "
        "packets; expected bytes: src dst pg dport size start_seconds";
    ExpectRefused("1\n0 1 3 60000 2.0 9.5\n", 2, message);
    ExpectRefused("1\n0 1 3 10000000 2 9.5\n", 2, message);
    ExpectRefused("# x\n2\n0 1 3 60000 2 9.5\n1 2 3 100 0 5\n", 2, message);
    // Ports that analyses know, a size that is no start, or a start before the size: a list of
    // bytes.
    for (const std::string text : {"1\n0 1 3 100 2 9.5\n",
                                   "2\n0 1 3 60000 2 9.5\n1 2 3 100 1000 9.5\n",
                                   "1\n0 1 3 60000 2 0.5\n"})
    {
        EXPECT_GT(ReadText(text).flows.size(), 0U) << text;
    }
}

} // namespace
