// SPDX-License-Identifier: GPL-2.0-only
#include "roce-packet-bytes.h"

#include "roce-wire-format.h"

#include "ns3/roce-hash.h"

namespace ns3::roce
{

using namespace wire;

namespace
{

constexpr std::size_t IPV6_HEADER_BYTES = 40;
constexpr uint8_t IP_PROTOCOL_TCP = 6;

/// Where the IP header is, and what it is.
struct IpPlace
{
    bool is4;
    bool is6;
    std::size_t headerBytes;
};

uint16_t
Get16(const uint8_t* bytes)
{
    return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
}

IpPlace
FindIp(const uint8_t* bytes, std::size_t size)
{
    const uint16_t type = size >= IP_OFFSET ? Get16(bytes + IP_OFFSET - 2) : 0;
    const bool is4 = type == ETHERTYPE_IPV4 && size >= IP_OFFSET + IPV4_HEADER_BYTES;
    const bool is6 = type == ETHERTYPE_IPV6 && size >= IP_OFFSET + IPV6_HEADER_BYTES;
    return {is4, is6, is4 ? bytes[IP_OFFSET] % 16 * 4U : IPV6_HEADER_BYTES};
}

/// @return sum of 16-bit words, 0xffff if a checksum among them is right
uint16_t
SumOf(const uint8_t* header, std::size_t bytes)
{
    uint32_t all = 0;
    for (std::size_t i = 0; i + 1 < bytes; i += 2)
    {
        all += Get16(header + i);
    }
    all = (all & 0xffff) + (all >> 16);
    return static_cast<uint16_t>((all & 0xffff) + (all >> 16));
}

} // namespace

PacketBytes
PacketBytes::Read(const uint8_t* bytes, std::size_t size)
{
    PacketBytes read;
    read.isGroup = size > 0 && bytes[0] & 1;
    const IpPlace place = FindIp(bytes, size);
    read.isIp = place.is4 || place.is6;
    if (!read.isIp)
    {
        return read;
    }
    const uint8_t* ip = bytes + IP_OFFSET;
    const uint8_t tos = place.is4 ? ip[1] : static_cast<uint8_t>((ip[0] & 0xf) << 4 | ip[1] >> 4);
    read.dscp = tos >> 2;
    read.ecn = tos & 3;
    read.ttl = place.is4 ? ip[8] : ip[7];
    const uint8_t protocol = place.is4 ? ip[9] : ip[6];
    // A fragment other than the first has no ports; all fragments take one path.
    const bool isFragment = place.is4 && (Get16(ip + 6) & 0x3fff);
    const bool hasPorts = (protocol == IP_PROTOCOL_TCP || protocol == IP_PROTOCOL_UDP) &&
                          !isFragment && size >= IP_OFFSET + place.headerBytes + 4;
    uint64_t hash = protocol;
    const auto mix = [&hash](const uint8_t* from, std::size_t n) {
        for (std::size_t i = 0; i < n; i += 4)
        {
            hash =
                Mix64(hash ^ (static_cast<uint64_t>(Get16(from + i)) << 16 | Get16(from + i + 2)));
        }
    };
    mix(ip + (place.is4 ? 12 : 8), place.is4 ? 8 : 32);
    if (hasPorts)
    {
        mix(ip + place.headerBytes, 4);
    }
    read.entropy = static_cast<uint16_t>(hash);
    read.flow = NO_QP | static_cast<uint32_t>(hash);
    return read;
}

void
PacketBytes::Write(uint8_t ecn, uint8_t ttl, uint8_t* bytes, std::size_t size)
{
    const IpPlace place = FindIp(bytes, size);
    if (!(place.is4 || place.is6) || bytes[0] & 1)
    {
        return;
    }
    uint8_t* ip = bytes + IP_OFFSET;
    if (place.is6)
    {
        ip[1] = static_cast<uint8_t>((ip[1] & 0xcf) | ecn << 4);
        ip[7] = ttl;
        return;
    }
    const std::size_t length =
        size < IP_OFFSET + place.headerBytes ? IPV4_HEADER_BYTES : place.headerBytes;
    const bool isRight = SumOf(ip, length) == 0xffff;
    ip[1] = static_cast<uint8_t>((ip[1] & 0xfc) | ecn);
    ip[8] = ttl;
    if (isRight)
    {
        ip[10] = ip[11] = 0;
        const auto checksum = static_cast<uint16_t>(~SumOf(ip, length));
        ip[10] = static_cast<uint8_t>(checksum >> 8);
        ip[11] = static_cast<uint8_t>(checksum);
    }
}

} // namespace ns3::roce
