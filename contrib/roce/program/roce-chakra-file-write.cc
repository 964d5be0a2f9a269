// SPDX-License-Identifier: GPL-2.0-only
#include "roce-chakra-attribute.h"
#include "roce-chakra-file.h"
#include "roce-wire-reader.h"

#include "ns3/roce-input-error.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace ns3::roce
{

using namespace chakra;

namespace
{

/// @brief Append a field of a number.
void
PutNumber(std::string& out, uint32_t field, uint64_t number)
{
    WireWriter::Varint(out, field << 3);
    WireWriter::Varint(out, number);
}

/// @brief Append a field of a text, a message or a packed list.
void
PutBytes(std::string& out, uint32_t field, const std::string& bytes)
{
    WireWriter::Varint(out, field << 3 | 2);
    WireWriter::Varint(out, bytes.size());
    out += bytes;
}

void
PutList(std::string& out, uint32_t field, const std::vector<uint64_t>& numbers)
{
    std::string packed;
    for (const uint64_t number : numbers)
    {
        WireWriter::Varint(packed, number);
    }
    if (!packed.empty())
    {
        PutBytes(out, field, packed);
    }
}

/// @brief Append an attribute with the given field. @param value wire form of the value
void
PutAttribute(std::string& node, const char* name, const std::string& value)
{
    std::string attribute;
    PutBytes(attribute, 1, name);
    PutBytes(node, 10, attribute + value);
}

void
PutAttribute(std::string& node, const char* name, uint32_t field, std::optional<uint64_t> number)
{
    if (number)
    {
        std::string value;
        PutNumber(value, field, *number);
        PutAttribute(node, name, value);
    }
}

std::string
NodeBytes(const ChakraNode& node)
{
    std::string out;
    // What is 0 or empty is left out, as protobuf does.
    const auto number = [&out](uint32_t field, uint64_t value) {
        if (value != 0)
        {
            PutNumber(out, field, value);
        }
    };
    number(1, node.id);
    if (!node.name.empty())
    {
        PutBytes(out, 2, node.name);
    }
    number(3, static_cast<uint64_t>(node.type));
    PutList(out, 4, node.afterControl);
    PutList(out, 5, node.afterData);
    number(7, node.durationUs);
    if (!node.inputs.empty())
    {
        std::string inputs;
        PutBytes(inputs, 1, node.inputs);
        PutBytes(out, 8, inputs);
    }
    PutAttribute(out, "is_cpu_op", BOOL, node.isCpu ? 1 : 0);
    if (node.collective)
    {
        PutAttribute(out, "comm_type", INT64, static_cast<uint64_t>(*node.collective));
    }
    PutAttribute(out, "comm_size", INT64, node.bytes);
    PutAttribute(out, "comm_src", INT32, node.source);
    PutAttribute(out, "comm_dst", INT32, node.destination);
    if (node.source || node.destination)
    {
        PutAttribute(out, "comm_tag", INT32, node.tag);
    }
    std::string value;
    if (!node.group.empty())
    {
        PutBytes(value, STRING, node.group);
        PutAttribute(out, "pg_name", value);
    }
    if (!node.dimensions.empty())
    {
        std::string list;
        PutList(list, 1, {node.dimensions.begin(), node.dimensions.end()});
        value.clear();
        PutBytes(value, BOOL_LIST, list);
        PutAttribute(out, "involved_dim", value);
    }
    return out;
}

} // namespace

void
ChakraTrace::Write(const std::string& path) const
{
    std::string metadata;
    if (!version.empty())
    {
        PutBytes(metadata, 1, version);
    }
    std::string all;
    WireWriter::Varint(all, metadata.size());
    all += metadata;
    for (const ChakraNode& node : nodes)
    {
        const std::string one = NodeBytes(node);
        WireWriter::Varint(all, one.size());
        all += one;
    }
    errno = 0;
    std::ofstream out(path, std::ios::binary);
    out << all << std::flush;
    if (!out)
    {
        throw InputError(path + ": cannot be written (" + std::strerror(errno) + ")");
    }
}

} // namespace ns3::roce
