// SPDX-License-Identifier: GPL-2.0-only
// Block codes: which packets a message has, and what each carries.
#include "roce-test-time.h"

#include "ns3/roce-block-code.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

using Last = BlockCode::LastBlock;
constexpr uint32_t MTU = 1000;

BlockCode
Code(unsigned x, unsigned y, Last last = Last::SHORTENED)
{
    BlockCode code;
    code.dataPackets = static_cast<uint8_t>(x);
    code.parityPackets = static_cast<uint8_t>(y);
    code.lastBlock = last;
    return code;
}

uint64_t
DataCount(uint64_t bytes)
{
    return bytes ? (bytes + MTU - 1) / MTU : 1;
}

/// Payloads of a message's packets, in order.
std::vector<uint32_t>
Payloads(const BlockCode& code, uint64_t bytes)
{
    const uint64_t packets = code.CountPackets(DataCount(bytes));
    std::vector<uint32_t> payloads;
    for (uint64_t i = 0; i < packets; ++i)
    {
        payloads.push_back(code.PayloadOf(code.Locate(i, packets), bytes, MTU));
    }
    return payloads;
}

using V = std::vector<uint32_t>;

} // namespace

// Uno with (8,2): what is sent for 1, 7, 8, 9, 1280 data packets.
TEST(BlockCode, PacketsOfAMessage)
{
    const uint64_t data[] = {1, 7, 8, 9, 16, 1280};
    const uint64_t shortened[] = {3, 9, 10, 13, 20, 1600};
    const uint64_t proportional[] = {2, 9, 10, 12, 20, 1600};
    const uint64_t padded[] = {10, 10, 10, 20, 20, 1600};
    for (int i = 0; i < 6; ++i)
    {
        EXPECT_EQ(Code(8, 2).CountPackets(data[i]), shortened[i]) << data[i];
        EXPECT_EQ(Code(8, 2, Last::PROPORTIONAL).CountPackets(data[i]), proportional[i]) << data[i];
        EXPECT_EQ(Code(8, 2, Last::PADDED).CountPackets(data[i]), padded[i]) << data[i];
        EXPECT_EQ(BlockCode().CountPackets(data[i]), data[i]);
    }
    EXPECT_FALSE(BlockCode().IsOn());
    // 3 of 4 data packets and 3 of parity: 2.25 rounded up.
    EXPECT_EQ(Code(4, 3, Last::PROPORTIONAL).CountPackets(4 + 3), 7u + 3 + 3);
    EXPECT_EQ(Code(4, 0).CountPackets(9), 9u);
}

TEST(BlockCode, Payloads)
{
    // 2.5 packets in blocks of 2 and 1.
    EXPECT_EQ(Payloads(Code(2, 1), 2500), (V{1000, 1000, 1000, 500, 500}));
    EXPECT_EQ(Payloads(Code(2, 1, Last::PADDED), 2500), (V{1000, 1000, 1000, 500, 500, 500}));
    // Parity is as long as the block's longest packet.
    EXPECT_EQ(Payloads(Code(2, 1), 3500), (V{1000, 1000, 1000, 1000, 500, 1000}));
    EXPECT_EQ(Payloads(Code(2, 1, Last::PADDED), 3500), (V{1000, 1000, 1000, 1000, 1000, 1000}));
    EXPECT_EQ(Payloads(Code(4, 2, Last::PROPORTIONAL), 1), (V{1, 1}));
    EXPECT_EQ(Payloads(Code(4, 2), 1), (V{1, 1, 1}));
    EXPECT_EQ(Payloads(Code(4, 2), 0), (V{0, 0, 0}));
    EXPECT_EQ(Payloads(Code(2, 1, Last::PADDED), 0), (V{0, 0, 0}));
    EXPECT_EQ(Payloads(Code(2, 1), 2000), (V{1000, 1000, 1000}));
}

TEST(BlockCode, Places)
{
    const BlockCode code = Code(8, 2);
    const uint64_t packets = code.CountPackets(11); // 10 and 5
    const auto at = [&](uint64_t i) { return code.Locate(i, packets); };
    EXPECT_EQ(packets, 15u);
    EXPECT_EQ(at(9).block, 0u);
    EXPECT_EQ(at(9).place.index, 9u);
    EXPECT_EQ(at(9).place.data, 8u);
    EXPECT_EQ(at(9).place.total, 10u);
    EXPECT_FALSE(at(9).place.last);
    EXPECT_EQ(at(10).block, 1u);
    EXPECT_EQ(at(12).place.index, 2u);
    EXPECT_EQ(at(12).place.data, 3u);
    EXPECT_EQ(at(12).place.total, 5u);
    EXPECT_TRUE(at(12).place.last);
    EXPECT_TRUE(code.Locate(0, 10).place.last);
    EXPECT_EQ(code.CountDataBefore(9), 8u);
    EXPECT_EQ(code.CountDataBefore(10), 8u);
    EXPECT_EQ(code.CountDataBefore(12), 10u);
    EXPECT_EQ(at(12).place.index, 2u);
}

// For all codes, last blocks and lengths around the ends of blocks.
TEST(BlockCode, EveryByteIsCarriedOnce)
{
    for (const Last last : {Last::SHORTENED, Last::PROPORTIONAL, Last::PADDED})
    {
        for (unsigned x = 1; x <= 20; ++x)
        {
            for (unsigned y = 0; y <= 6; ++y)
            {
                const BlockCode code = Code(x, y, last);
                for (uint64_t bytes = 0; bytes <= 2 * x * MTU + MTU; bytes += 125)
                {
                    const uint64_t packets = code.CountPackets(DataCount(bytes));
                    uint64_t data = 0;
                    uint64_t ofBlocks = 0;
                    uint32_t longest = 0;
                    uint64_t next = 0; // first of the next block
                    for (uint64_t i = 0; i < packets; ++i)
                    {
                        const auto where = code.Locate(i, packets);
                        const BlockPlace& place = where.place;
                        const uint32_t payload = code.PayloadOf(where, bytes, MTU);
                        if (place.index == 0)
                        {
                            ASSERT_EQ(i, next);
                            next += place.total;
                            longest = payload;
                            ofBlocks += code.BytesOf(where.block, bytes, MTU);
                        }
                        ASSERT_EQ(i + place.total - place.index, next);
                        ASSERT_LE(place.data, place.total);
                        ASSERT_EQ(place.last, next == packets);
                        ASSERT_LE(payload, longest);
                        ASSERT_TRUE(place.index < place.data || payload == longest);
                        const bool full = !place.last || last == Last::PADDED;
                        ASSERT_TRUE(!full || (place.data == x && place.total == x + y));
                        ASSERT_TRUE(last == Last::PROPORTIONAL || place.total == place.data + y);
                        data += place.index < place.data ? payload : 0;
                    }
                    ASSERT_EQ(next, packets);
                    ASSERT_EQ(ofBlocks, bytes);
                    ASSERT_TRUE(last == Last::PADDED ? data >= bytes : data == bytes)
                        << x << "," << y << ": " << data << " of " << bytes;
                }
            }
        }
    }
}

// Proportional parity repairs at least the same share of a block.
TEST(BlockCode, ProportionalParity)
{
    for (unsigned x = 1; x <= 32; ++x)
    {
        for (unsigned y = 0; y + x <= BlockCode::MAX_TOTAL; ++y)
        {
            const BlockCode code = Code(x, y, Last::PROPORTIONAL);
            for (unsigned rest = 1; rest < x; ++rest)
            {
                const uint64_t parity = code.CountPackets(rest) - rest;
                ASSERT_GE(parity * x, rest * y);
                ASSERT_LT(parity * x, rest * y + x);
                ASSERT_EQ(code.Locate(0, rest + parity).place.data, rest);
            }
        }
    }
}
