// SPDX-License-Identifier: GPL-2.0-only

// What switches read of IP packets, and what they write back.

#include "ns3/roce-packet-bytes.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3::roce::test
{

namespace
{

/// Ethernet and an IPv4 header with its right checksum, 0xb861 (the example of RFC 1071's pages),
/// and UDP ports 53 and 4000.
std::vector<uint8_t>
MakeIpv4()
{
    return {2,   0,    0,    0,    0,    2,    2,    0,    0,    0,    0,    1,    8,
            0,   0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61,
            192, 168,  0,    1,    192,  168,  0,    199,  0,    53,   15,   160};
}

std::vector<uint8_t>
MakeIpv6()
{
    std::vector<uint8_t> bytes{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd};
    bytes.insert(bytes.end(), {0x6b, 0x9f, 0xff, 0xff, 0, 4, 6, 64});
    for (int i = 0; i < 32; ++i)
    {
        bytes.push_back(static_cast<uint8_t>(i));
    }
    bytes.insert(bytes.end(), {0, 80, 1, 2});
    return bytes;
}

PacketBytes
Read(const std::vector<uint8_t>& bytes)
{
    return PacketBytes::Read(bytes.data(), bytes.size());
}

} // namespace

TEST(PacketBytes, ReadsIpv4)
{
    std::vector<uint8_t> bytes = MakeIpv4();
    bytes[15] = 46 << 2 | 2;
    const PacketBytes read = Read(bytes);
    EXPECT_TRUE(read.isIp);
    EXPECT_FALSE(read.isGroup);
    EXPECT_EQ(read.dscp, 46);
    EXPECT_EQ(read.ecn, 2);
    EXPECT_EQ(read.ttl, 64);
}

TEST(PacketBytes, ReadsIpv6)
{
    const PacketBytes read = Read(MakeIpv6());
    EXPECT_TRUE(read.isIp);
    EXPECT_EQ(read.dscp, 0xb9 >> 2);
    EXPECT_EQ(read.ecn, 0xb9 & 3);
    EXPECT_EQ(read.ttl, 64);
}

TEST(PacketBytes, KnowsWhatIsNoIpAndWhatGoesToAGroup)
{
    std::vector<uint8_t> arp = MakeIpv4();
    arp[13] = 6;
    EXPECT_FALSE(Read(arp).isIp);
    EXPECT_FALSE(Read(std::vector<uint8_t>(5)).isIp);
    std::vector<uint8_t> cut = MakeIpv4();
    cut.resize(33);
    EXPECT_FALSE(Read(cut).isIp);
    arp[0] = 0xff;
    EXPECT_TRUE(Read(arp).isGroup);
}

TEST(PacketBytes, TheHashIsOfAddressesPortsAndProtocol)
{
    const uint16_t first = Read(MakeIpv4()).entropy;
    const uint32_t flow = Read(MakeIpv4()).flow;
    EXPECT_TRUE(flow & PacketBytes::NO_QP) << "it may be the number of a queue pair";
    for (const std::size_t place : {23, 29, 33, 35, 37})
    {
        std::vector<uint8_t> other = MakeIpv4();
        other[place] = static_cast<uint8_t>(other[place] + 11);
        EXPECT_NE(Read(other).entropy, first) << "byte " << place << " does not count";
        EXPECT_NE(Read(other).flow, flow) << "byte " << place << " names no other flow";
    }
    std::vector<uint8_t> other = MakeIpv4();
    other[17] = 1;  // length
    other[22] = 63; // TTL
    EXPECT_EQ(Read(other).entropy, first);
    EXPECT_EQ(Read(other).flow, flow);
}

TEST(PacketBytes, FragmentsOfADatagramHaveOneHash)
{
    std::vector<uint8_t> begin = MakeIpv4();
    begin[20] = 0x20; // more fragments
    std::vector<uint8_t> later = MakeIpv4();
    later[21] = 185; // offset
    later[35] = 77;  // no port
    EXPECT_EQ(Read(begin).entropy, Read(later).entropy);
}

TEST(PacketBytes, WritesEcnAndTtlAndKeepsAChecksumThatWasRight)
{
    std::vector<uint8_t> bytes = MakeIpv4();
    PacketBytes::Write(3, 61, bytes.data(), bytes.size());
    EXPECT_EQ(bytes[15], 3);
    EXPECT_EQ(bytes[22], 61);
    uint32_t sum = 0;
    for (std::size_t i = 14; i < 34; i += 2)
    {
        sum += bytes[i] << 8 | bytes[i + 1];
    }
    EXPECT_EQ((sum & 0xffff) + (sum >> 16), 0xffffu);

    bytes = MakeIpv4();
    bytes[24] = bytes[25] = 0; // as ns-3 leaves it
    PacketBytes::Write(3, 61, bytes.data(), bytes.size());
    EXPECT_EQ(bytes[24] | bytes[25], 0);

    std::vector<uint8_t> six = MakeIpv6();
    PacketBytes::Write(1, 9, six.data(), six.size());
    EXPECT_EQ(Read(six).ecn, 1);
    EXPECT_EQ(Read(six).dscp, 0xb9 >> 2);
    EXPECT_EQ(Read(six).ttl, 9);
}

TEST(PacketBytes, LeavesGroupsAlone)
{
    std::vector<uint8_t> bytes = MakeIpv4();
    bytes[0] = 0xff;
    const std::vector<uint8_t> before = bytes;
    PacketBytes::Write(3, 61, bytes.data(), bytes.size());
    EXPECT_EQ(bytes, before);
}

} // namespace ns3::roce::test
