// SPDX-License-Identifier: GPL-2.0-only
// Chakra execution traces: bytes of a file, and files that are broken.
#include "roce-temp-file.h"

#include "ns3/roce-chakra-file.h"

#include <cctype>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Type = ChakraNode::Type;

/// @return bytes of pairs of hexadecimal digits; anything else between them is left out
std::string
Hex(const std::string& text)
{
    std::string bytes;
    std::string pair;
    for (const char c : text)
    {
        pair += std::isxdigit(static_cast<unsigned char>(c)) ? std::string(1, c) : "";
        if (pair.size() == 2)
        {
            bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
            pair.clear();
        }
    }
    return bytes;
}

const std::string METADATA = Hex("07 0a05302e302e34"); // version 0.0.4

/// @return a file of one node, with its length
std::string
FileOf(const std::string& node)
{
    return METADATA + std::string(1, static_cast<char>(node.size())) + node;
}

ChakraNode
ReadOne(const std::string& node)
{
    const TempFile file(FileOf(node));
    return ChakraTrace::Read(file.path).nodes.at(0);
}

std::string
Refusal(const std::string& bytes)
{
    const TempFile file(bytes);
    const std::string error = ErrorOf([&] { ChakraTrace::Read(file.path); });
    return error.compare(0, file.path.size(), file.path) == 0 ? error.substr(file.path.size())
                                                              : error;
}

TEST(ChakraFileTest, WritesProtobuf)
{
    ChakraTrace trace;
    ChakraNode node;
    node.id = 300;
    node.name = "ab";
    node.type = Type::SEND;
    node.afterData = {1, 200};
    node.afterControl = {2};
    node.durationUs = 5;
    node.bytes = 1 << 20;
    node.source = 0;
    node.destination = 7;
    node.tag = 9;
    trace.nodes = {node};
    const TempFile file("");
    trace.Write(file.path);
    // As protobuf's own classes write it: fields in order, lists packed, zeros of Node left out,
    // zeros of an attribute's value not.
    EXPECT_EQ(file.Text(),
              METADATA + Hex("5e"
                             "08ac02"                                // id
                             "12026162"                              // name
                             "1805"                                  // type
                             "220102"                                // ctrl_deps
                             "2a0301c801"                            // data_deps
                             "3805"                                  // duration_micros
                             "520e 0a09 69735f6370755f6f70 d80100"   // is_cpu_op
                             "520f 0a09 636f6d6d5f73697a65 48808040" // comm_size
                             "520c 0a08 636f6d6d5f737263 3800"       // comm_src
                             "520c 0a08 636f6d6d5f647374 3807"       // comm_dst
                             "520c 0a08 636f6d6d5f746167 3809"));    // comm_tag
}

TEST(ChakraFileTest, ReadsWhatItWrites)
{
    ChakraTrace trace;
    ChakraNode node;
    node.id = uint64_t{1} << 63;
    node.type = Type::COLLECTIVE;
    node.isCpu = true;
    node.collective = ChakraNode::Collective::BARRIER;
    node.bytes = INT64_MAX;
    node.group = "tensor 0";
    node.dimensions = {true, false, true};
    trace.nodes.push_back(node);
    node = {};
    node.id = 4;
    node.type = Type::METADATA;
    node.inputs = "['[{}]']";
    node.name = std::string(300, 'n');
    trace.nodes.push_back(node);
    node = {};
    node.type = Type::RECV;
    node.source = 4000000000;
    node.destination = 2;
    node.tag = 4294967295;
    node.afterControl = {4, 4, uint64_t{1} << 63};
    trace.nodes.push_back(node);
    const TempFile file("");
    trace.Write(file.path);
    const ChakraTrace read = ChakraTrace::Read(file.path);
    EXPECT_EQ(read.version, "0.0.4");
    ASSERT_EQ(read.nodes.size(), 3u);
    EXPECT_EQ(read.nodes[0].id, uint64_t{1} << 63);
    EXPECT_EQ(read.nodes[0].type, Type::COLLECTIVE);
    EXPECT_TRUE(read.nodes[0].isCpu);
    EXPECT_EQ(read.nodes[0].collective, ChakraNode::Collective::BARRIER);
    EXPECT_EQ(read.nodes[0].bytes, static_cast<uint64_t>(INT64_MAX));
    EXPECT_EQ(read.nodes[0].group, "tensor 0");
    EXPECT_EQ(read.nodes[0].dimensions, (std::vector<bool>{true, false, true}));
    EXPECT_EQ(read.nodes[0].at, 9u);
    EXPECT_EQ(read.nodes[1].inputs, "['[{}]']");
    EXPECT_EQ(read.nodes[1].name, std::string(300, 'n'));
    EXPECT_EQ(read.nodes[2].source, 4000000000u);
    EXPECT_EQ(read.nodes[2].tag, 4294967295u);
    EXPECT_EQ(read.nodes[2].afterControl, (std::vector<uint64_t>{4, 4, uint64_t{1} << 63}));
    const std::string bytes = file.Text();
    read.Write(file.path);
    EXPECT_EQ(file.Text(), bytes);
}

TEST(ChakraFileTest, OtherFormsOfTheSame)
{
    // Lists that are not packed, fields in any order, fields that nobody knows of all forms.
    const ChakraNode node = ReadOne(
        Hex("2807 f8ff0301 1804 2809 65 01020304 59 0102030405060708 7203aabbcc 2a020102 0805"));
    EXPECT_EQ(node.id, 5u);
    EXPECT_EQ(node.type, Type::COMP);
    EXPECT_EQ(node.afterData, (std::vector<uint64_t>{7, 9, 1, 2}));
    // comm_dst as each kind of integer: the value may come before the name.
    const std::string name = Hex("0a08 636f6d6d5f647374");
    for (const char* const value : {"3805",
                                    "4805",
                                    "5805",
                                    "6805",
                                    "780a",
                                    "88010a",
                                    "9d0105000000",
                                    "a9010500000000000000",
                                    "bd0105000000",
                                    "c9010500000000000000"})
    {
        const std::string attribute = Hex(value) + name;
        EXPECT_EQ(ReadOne(Hex("52") + static_cast<char>(attribute.size()) + attribute).destination,
                  5u)
            << value;
    }
    // Attributes of other names, whatever their values are.
    EXPECT_EQ(ReadOne(Hex("5206 0a0161 ea0100 5208 0a0162 42030a0101 0801")).id, 1u);
    // Inputs are kept of METADATA only, before or after the type.
    EXPECT_EQ(ReadOne(Hex("4203 0a0178 1801")).inputs, "x");
    EXPECT_EQ(ReadOne(Hex("4203 0a0178 1804")).inputs, "");
    // No version, no nodes.
    const TempFile empty(Hex("00"));
    EXPECT_TRUE(ChakraTrace::Read(empty.path).nodes.empty());
}

TEST(ChakraFileTest, RefusesBrokenFiles)
{
    EXPECT_EQ(Refusal(""), ": byte 0: the end, expected GlobalMetadata");
    EXPECT_EQ(Refusal(METADATA.substr(0, 4)),
              ": byte 0: GlobalMetadata of 7 bytes, expected at most the 3 that are left");
    EXPECT_EQ(Refusal(Hex("02 0001")), ": byte 1: field 0, expected 1 to 536870911");
    EXPECT_EQ(Refusal(Hex("02 0801")), ": byte 1: field 1 (version) has wire type 0, expected 2");
    EXPECT_EQ(Refusal(METADATA + Hex("05 0801")),
              ": byte 8: a node of 5 bytes, expected at most the 2 that are left");
    EXPECT_EQ(Refusal(METADATA + Hex("80")), ": byte 8: the end, expected a node");
    EXPECT_EQ(Refusal(FileOf(Hex("0880"))), ": byte 10: the end, expected id of a node");
    EXPECT_EQ(Refusal(FileOf(Hex("08 ffffffffffffffffffff01"))),
              ": byte 10: an integer of more than 10 bytes, expected id of a node");
    EXPECT_EQ(Refusal(FileOf(Hex("0a0101"))),
              ": byte 9: field 1 (id of a node) has wire type 2, expected 0");
    EXPECT_EQ(Refusal(FileOf(Hex("120561"))),
              ": byte 10: name of a node of 5 bytes, expected at most the 1 that are left");
    EXPECT_EQ(Refusal(FileOf(Hex("1808"))), ": byte 9: node type 8, expected 0 to 7");
    EXPECT_EQ(Refusal(FileOf(Hex("2a0180"))), ": byte 11: the end, expected data_deps of a node");
    EXPECT_EQ(Refusal(FileOf(Hex("7b"))),
              ": byte 9: field 15 has wire type 3, expected 0, 1, 2 or 5");
    EXPECT_EQ(Refusal(FileOf(Hex("7d0102"))), ": byte 10: the end, expected 4 bytes of a value");
    EXPECT_EQ(Refusal(FileOf(Hex("520d 0a09636f6d6d5f74797065 480a"))),
              ": byte 11: attribute comm_type is 10, expected 0 to 9");
    EXPECT_EQ(Refusal(FileOf(Hex("5216 0a09636f6d6d5f73697a65 48ffffffffffffffffff01"))),
              ": byte 11: attribute comm_size is -1, expected 0 to 9223372036854775807");
    EXPECT_EQ(Refusal(FileOf(Hex("5214 0a09636f6d6d5f73697a65 190000000000000840"))),
              ": byte 11: attribute comm_size has its value in field 3, expected an integer (7 to "
              "27)");
    EXPECT_EQ(Refusal(FileOf(Hex("520b 0a0770675f6e616d65 4801"))),
              ": byte 11: attribute pg_name has its value in field 9, expected a text (29)");
    EXPECT_EQ(ErrorOf([] { ChakraTrace::Read("/no/such.et"); }),
              "/no/such.et:1: cannot be read (No such file or directory), expected a Chakra "
              "execution trace");
}

// A file that is cut anywhere is refused, or is one of fewer nodes.
TEST(ChakraFileTest, CutAnywhere)
{
    ChakraTrace trace;
    ChakraNode node;
    node.type = Type::COLLECTIVE;
    node.collective = ChakraNode::Collective::ALL_TO_ALL;
    node.bytes = 1000;
    node.dimensions = {true};
    trace.nodes = {node, node};
    const TempFile file("");
    trace.Write(file.path);
    const std::string bytes = file.Text();
    const std::size_t nodeBytes = (bytes.size() - METADATA.size()) / 2;
    for (std::size_t length = 0; length < bytes.size(); ++length)
    {
        std::ofstream(file.path, std::ios::binary) << bytes.substr(0, length);
        const bool isWhole =
            length >= METADATA.size() && (length - METADATA.size()) % nodeBytes == 0;
        const std::string error = ErrorOf([&] { ChakraTrace::Read(file.path); });
        EXPECT_EQ(error == "no error", isWhole) << length << ": " << error;
    }
}

TEST(ChakraFileTest, Compressed)
{
    // gzip of METADATA and of a node with id 3.
    const std::string bytes =
        Hex("1f8b080000000000020363e76235d033d033e1e4601662ac9060b16005001d727ea412000000");
    if (Refusal(bytes).find("without zlib") != std::string::npos)
    {
        GTEST_SKIP() << "built without zlib";
    }
    const TempFile file(bytes);
    EXPECT_EQ(ChakraTrace::Read(file.path).nodes.at(0).id, 3u);
    std::ofstream(file.path, std::ios::binary) << bytes.substr(0, bytes.size() - 6);
    EXPECT_EQ(ErrorOf([&] { ChakraTrace::Read(file.path); }),
              file.path + ": broken gzip file after 18 decompressed bytes, expected a whole one");
}

TEST(ChakraFileTest, FilesOfAllRanks)
{
    const std::string prefix = testing::TempDir() + "roce-chakra-" + std::to_string(getpid());
    ChakraTrace trace;
    const auto make = [&](std::size_t rank) {
        trace.nodes.resize(rank + 1);
        trace.Write(ChakraTrace::NameOf(prefix, rank));
    };
    EXPECT_EQ(ErrorOf([&] { ChakraTrace::ReadAll(prefix); }),
              prefix + ".0.et:1: cannot be read (No such file or directory), expected a Chakra "
                       "execution trace");
    for (const std::size_t rank : {0, 1, 10})
    {
        make(rank);
    }
    EXPECT_EQ(ErrorOf([&] { ChakraTrace::ReadAll(prefix); }),
              prefix + ".2.et: no such file, expected one for each rank up to " + prefix +
                  ".10.et, which is there");
    for (std::size_t rank = 2; rank < 10; ++rank)
    {
        make(rank);
    }
    const std::vector<ChakraTrace> traces = ChakraTrace::ReadAll(prefix);
    ASSERT_EQ(traces.size(), 11u);
    for (std::size_t rank = 0; rank < 11; ++rank)
    {
        EXPECT_EQ(traces[rank].nodes.size(), rank + 1);
        std::remove(ChakraTrace::NameOf(prefix, rank).c_str());
    }
}

} // namespace
