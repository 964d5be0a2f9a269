// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CHAKRA_ATTRIBUTE_H
#define ROCE_CHAKRA_ATTRIBUTE_H

#include <cstdint>

namespace ns3::roce::chakra
{

/// Kinds of values, as fields of AttributeProto; each has a list next to it.
enum AttributeField : uint32_t
{
    DOUBLE = 3,
    FLOAT = 5,
    INT32 = 7,
    INT64 = 9,
    UINT32 = 11,
    UINT64 = 13,
    SINT32 = 15,
    SINT64 = 17,
    FIXED32 = 19,
    FIXED64 = 21,
    SFIXED32 = 23,
    SFIXED64 = 25,
    BOOL = 27,
    BOOL_LIST = 28,
    STRING = 29,
    BYTES_LIST = 32
};

} // namespace ns3::roce::chakra

#endif /* ROCE_CHAKRA_ATTRIBUTE_H */
