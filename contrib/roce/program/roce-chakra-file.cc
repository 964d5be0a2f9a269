// SPDX-License-Identifier: GPL-2.0-only
#include "roce-chakra-file.h"

#include "roce-chakra-attribute.h"
#include "roce-wire-reader.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#ifdef ROCE_ZLIB
#include <zlib.h>
#endif

namespace ns3::roce
{

namespace
{

using Type = ChakraNode::Type;
using Collective = ChakraNode::Collective;
using namespace chakra;

/// A message AttributeProto: a name, and one value of one of 30 kinds.
struct Attribute
{
    std::string name;
    uint32_t field{0};          //!< of the value; 0: it has none
    uint64_t number{0};         //!< of a single number, negative ones as two's complement
    std::string text;           //!< of a single text
    std::vector<uint64_t> list; //!< of truth values
    std::size_t at{0};          //!< byte of the file
};

Attribute
ReadAttribute(WireReader wire)
{
    Attribute attribute;
    attribute.at = wire.GetAt();
    while (const uint32_t field = wire.Next())
    {
        switch (field)
        {
        case 1:
            attribute.name = wire.Text("name of an attribute");
            continue;
        case INT32:
        case INT64:
        case UINT32:
        case UINT64:
        case BOOL:
            attribute.number = wire.Number("an attribute's value");
            break;
        case SINT32:
        case SINT64:
            attribute.number = wire.Number("an attribute's value");
            attribute.number = attribute.number >> 1 ^ -(attribute.number & 1);
            break;
        case FIXED32:
            attribute.number = wire.Fixed32("an attribute's value");
            break;
        case SFIXED32:
            attribute.number = static_cast<uint64_t>(
                static_cast<int64_t>(static_cast<int32_t>(wire.Fixed32("an attribute's value"))));
            break;
        case FIXED64:
        case SFIXED64:
            attribute.number = wire.Fixed64("an attribute's value");
            break;
        case STRING:
            attribute.text = wire.Text("an attribute's value");
            break;
        case BOOL_LIST:
            for (WireReader values = wire.Message("a list of truth values");
                 const uint32_t inner = values.Next();)
            {
                if (inner == 1)
                {
                    values.Numbers("a truth value", attribute.list);
                }
                else
                {
                    values.Skip();
                }
            }
            break;
        default:
            wire.Skip();
        }
        attribute.field = field >= DOUBLE && field <= BYTES_LIST ? field : attribute.field;
    }
    return attribute;
}

/// @return the number of an attribute, which is at most `most`
uint64_t
NumberOf(const WireReader& wire, const Attribute& attribute, uint64_t most)
{
    if (attribute.field < INT32 || attribute.field > BOOL || attribute.field % 2 == 0)
    {
        wire.Refuse(attribute.at,
                    "attribute " + attribute.name + " has its value in field " +
                        std::to_string(attribute.field) + ", expected an integer (7 to 27)");
    }
    if (attribute.number > most)
    {
        const bool isUnsigned = attribute.field == UINT64 || attribute.field == FIXED64;
        wire.Refuse(attribute.at,
                    "attribute " + attribute.name + " is " +
                        (isUnsigned ? std::to_string(attribute.number)
                                    : std::to_string(static_cast<int64_t>(attribute.number))) +
                        ", expected 0 to " + std::to_string(most));
    }
    return attribute.number;
}

void
TakeAttribute(const WireReader& wire, const Attribute& attribute, ChakraNode& node)
{
    const std::string& name = attribute.name;
    const uint64_t ranks = UINT32_MAX - 1;
    const auto expect = [&](uint32_t field, const char* what) {
        if (attribute.field != field)
        {
            wire.Refuse(attribute.at,
                        "attribute " + name + " has its value in field " +
                            std::to_string(attribute.field) + ", expected " + what);
        }
    };
    if (name == "is_cpu_op")
    {
        node.isCpu = NumberOf(wire, attribute, 1) != 0;
    }
    else if (name == "comm_type")
    {
        const auto last = static_cast<uint64_t>(Collective::BARRIER);
        node.collective = static_cast<Collective>(NumberOf(wire, attribute, last));
    }
    else if (name == "comm_size")
    {
        node.bytes = NumberOf(wire, attribute, INT64_MAX);
    }
    else if (name == "comm_src")
    {
        node.source = NumberOf(wire, attribute, ranks);
    }
    else if (name == "comm_dst")
    {
        node.destination = NumberOf(wire, attribute, ranks);
    }
    else if (name == "comm_tag")
    {
        node.tag = NumberOf(wire, attribute, UINT32_MAX);
    }
    else if (name == "pg_name")
    {
        expect(STRING, "a text (29)");
        node.group = attribute.text;
    }
    else if (name == "involved_dim")
    {
        expect(BOOL_LIST, "a list of truth values (28)");
        node.dimensions.assign(attribute.list.begin(), attribute.list.end());
    }
}

ChakraNode
ReadNode(WireReader wire)
{
    ChakraNode node;
    node.at = wire.GetAt();
    while (const uint32_t field = wire.Next())
    {
        switch (field)
        {
        case 1:
            node.id = wire.Number("id of a node");
            break;
        case 2:
            node.name = wire.Text("name of a node");
            break;
        case 3: {
            const uint64_t type = wire.Number("type of a node");
            if (type > static_cast<uint64_t>(Type::COLLECTIVE))
            {
                wire.Refuse(wire.GetFieldAt(),
                            "node type " + std::to_string(type) + ", expected 0 to 7");
            }
            node.type = static_cast<Type>(type);
            break;
        }
        case 4:
            wire.Numbers("ctrl_deps of a node", node.afterControl);
            break;
        case 5:
            wire.Numbers("data_deps of a node", node.afterData);
            break;
        case 7:
            node.durationUs = wire.Number("duration of a node");
            break;
        case 8:
            for (WireReader inputs = wire.Message("inputs of a node");
                 const uint32_t inner = inputs.Next();)
            {
                if (inner == 1)
                {
                    node.inputs = inputs.Text("inputs of a node");
                }
                else
                {
                    inputs.Skip();
                }
            }
            break;
        case 10:
            TakeAttribute(wire, ReadAttribute(wire.Message("attribute of a node")), node);
            break;
        default:
            wire.Skip();
        }
    }
    if (node.type != Type::METADATA)
    {
        node.inputs = std::string();
    }
    return node;
}

/// @return what a file holds, decompressed if it is compressed
std::string
Load(const std::string& path)
{
    std::ostringstream all;
    all << InputFile::Open(path, "a Chakra execution trace").rdbuf();
    std::string bytes = all.str();
    if (bytes.compare(0, 2, "\x1f\x8b") != 0)
    {
        return bytes;
    }
#ifdef ROCE_ZLIB
    std::string plain;
    char piece[1 << 16];
    const gzFile file = gzopen(path.c_str(), "rb");
    int length = 0;
    while (file && (length = gzread(file, piece, sizeof piece)) > 0)
    {
        plain.append(piece, static_cast<std::size_t>(length));
    }
    if (!file || length < 0 || gzclose_r(file) != Z_OK) // the last one tells of a cut file
    {
        throw InputError(path + ": broken gzip file after " + std::to_string(plain.size()) +
                         " decompressed bytes, expected a whole one");
    }
    return plain;
#else
    throw InputError(path + ": byte 0: a gzip file, expected an uncompressed one (this module was "
                            "built without zlib; see gunzip)");
#endif
}

} // namespace

ChakraTrace
ChakraTrace::Read(const std::string& path)
{
    const std::string bytes = Load(path);
    WireReader wire(path, bytes);
    ChakraTrace trace;
    trace.file = path;
    trace.version.clear();
    WireReader metadata = wire.Delimited("GlobalMetadata");
    while (const uint32_t field = metadata.Next())
    {
        if (field == 1)
        {
            trace.version = metadata.Text("version");
        }
        else
        {
            metadata.Skip();
        }
    }
    while (!wire.AtEnd())
    {
        trace.nodes.push_back(ReadNode(wire.Delimited("a node")));
    }
    return trace;
}

std::vector<ChakraTrace>
ChakraTrace::ReadAll(const std::string& prefix)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(prefix).parent_path();
    const std::string begin = fs::path(prefix).filename().string() + ".";
    std::size_t ranks = 1;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error))
    {
        const std::string name = entry.path().filename().string();
        if (name.size() <= begin.size() + 3 || name.compare(0, begin.size(), begin) != 0 ||
            name.compare(name.size() - 3, 3, ".et") != 0)
        {
            continue;
        }
        const std::string rank = name.substr(begin.size(), name.size() - 3 - begin.size());
        if (rank.size() <= 7 &&
            std::all_of(rank.begin(), rank.end(), [](char c) { return c >= '0' && c <= '9'; }))
        {
            ranks = std::max<std::size_t>(ranks, std::stoul(rank) + 1);
        }
    }
    std::vector<ChakraTrace> traces;
    while (traces.size() < ranks)
    {
        const std::string path = NameOf(prefix, traces.size());
        if (!fs::exists(path, error) && ranks > 1)
        {
            throw InputError(path + ": no such file, expected one for each rank up to " +
                             NameOf(prefix, ranks - 1) + ", which is there");
        }
        traces.push_back(Read(path));
    }
    return traces;
}

std::string
ChakraTrace::NameOf(const std::string& prefix, std::size_t rank)
{
    return prefix + "." + std::to_string(rank) + ".et";
}

void
ChakraTrace::Refuse(const ChakraNode& node, const std::string& message) const
{
    throw InputError(file + ": byte " + std::to_string(node.at) + ": node " +
                     std::to_string(node.id) + " " + message);
}

} // namespace ns3::roce
