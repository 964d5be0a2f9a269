// SPDX-License-Identifier: GPL-2.0-only
#include "roce-error-of.h"
#include "roce-test-time.h"

#include "ns3/roce-ideal-fct.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Path = std::vector<HopSpec>;

constexpr uint64_t GBPS = 1000000000ULL;

/// What each packet of a message does, packet by packet, with explicit arrival times.
IdealFct::Result
BruteForce(const Path& forward, const Path& ackPath, const WireSizes& sizes, uint64_t bytes)
{
    struct Packet
    {
        uint64_t payload;
        bool first;
    };

    std::vector<Packet> packets;
    uint64_t left = bytes;
    do
    {
        const uint64_t payload = std::min<uint64_t>(left, sizes.mtuBytes);
        packets.push_back({payload, packets.empty()});
        left -= payload;
    } while (left > 0);

    // Times at which packets reach the next device, link by link.
    std::vector<int64_t> arrival(packets.size(), 0);
    for (size_t h = 0; h < forward.size(); h++)
    {
        int64_t idleAt = 0;
        for (size_t i = 0; i < packets.size(); i++)
        {
            uint64_t payload = packets[i].payload;
            while (payload % sizes.payloadAlignBytes != 0)
            {
                payload++;
            }
            uint64_t frame = sizes.headerBytes + payload + sizes.dataExtraBytes +
                             sizes.intBytesBase + h * sizes.intBytesPerHop;
            frame += packets[i].first ? sizes.rethBytes : 0;
            const uint64_t wire =
                std::max<uint64_t>(frame, sizes.minFrameBytes) + sizes.framingOverheadBytes;
            const int64_t start = std::max(arrival[i], idleAt);
            idleAt = start + IdealFct::SerialisationPs(wire, forward[h].rateBps);
            arrival[i] = idleAt + forward[h].delayPs;
        }
    }
    const int64_t receiver = arrival.back();

    const uint64_t ackFrame = sizes.ackFrameBytes + sizes.ackExtraBytes + sizes.intBytesBase +
                              (forward.size() - 1) * sizes.intBytesPerHop;
    const uint64_t ackWire =
        std::max<uint64_t>(ackFrame, sizes.minFrameBytes) + sizes.framingOverheadBytes;
    for (const HopSpec& hop : ackPath)
    {
        int64_t idleAt = 0;
        for (size_t i = 0; i < packets.size(); i++)
        {
            if (!sizes.ackEveryPacket && i + 1 < packets.size())
            {
                continue;
            }
            idleAt = std::max(arrival[i], idleAt) + IdealFct::SerialisationPs(ackWire, hop.rateBps);
            arrival[i] = idleAt + hop.delayPs;
        }
    }
    return {arrival.back(), receiver};
}

Path
Equal(size_t hops, uint64_t rateBps, int64_t delayPs)
{
    return Path(hops, HopSpec{rateBps, delayPs});
}

} // namespace

// Frame sizes of RoCEv2 on Ethernet and their durations at 100 Gbit/s.
TEST(IdealFct, WireBytesAndSerialisation)
{
    const Path path = Equal(2, 100 * GBPS, US);
    const IdealFct ideal(path, path);
    EXPECT_EQ(ideal.DataWireBytes(1000, false, 0), 1082u);
    EXPECT_EQ(ideal.DataWireBytes(1024, false, 0), 1106u);
    EXPECT_EQ(ideal.DataWireBytes(1024, true, 0), 1122u);
    EXPECT_EQ(ideal.DataWireBytes(4096, false, 1), 4178u);
    EXPECT_EQ(ideal.DataWireBytes(4096, true, 1), 4194u);
    EXPECT_EQ(ideal.DataWireBytes(1, false, 0), 86u); // padded to 4 bytes
    EXPECT_EQ(ideal.DataWireBytes(0, true, 0), 98u);
    EXPECT_EQ(ideal.DataWireBytes(0, false, 0), 84u); // 62 bytes, minimum frame 64
    EXPECT_EQ(ideal.AckWireBytes(), 86u);
    EXPECT_EQ(IdealFct::SerialisationPs(1082, 100 * GBPS), 86560);
    EXPECT_EQ(IdealFct::SerialisationPs(86, 100 * GBPS), 6880);
    EXPECT_EQ(IdealFct::SerialisationPs(64, 1600 * GBPS), 320);
    // 8e12 / 3e12 = 2.67 and 8e12 / 6e12 = 1.33; a tie goes up: 8e12 / 16e12 = 0.5.
    EXPECT_EQ(IdealFct::SerialisationPs(1, 3000 * GBPS), 3);
    EXPECT_EQ(IdealFct::SerialisationPs(1, 6000 * GBPS), 1);
    EXPECT_EQ(IdealFct::SerialisationPs(1, 16000 * GBPS), 1);
    // The largest frame at the slowest and the fastest rate does not overflow.
    EXPECT_EQ(IdealFct::SerialisationPs((1u << 20) - 1, 1), 8388600000000000000LL);
    EXPECT_EQ(IdealFct::SerialisationPs((1u << 20) - 1, UINT64_MAX), 0);
}

TEST(IdealFct, KnownVectors)
{
    const Path path = Equal(2, 100 * GBPS, US);
    const IdealFct ideal(path, path);
    EXPECT_EQ(ideal.PacketCount(1000000), 245u);
    // 1,020,106 wire bytes, one more of the largest packet, 2 us, and the ACK's 2 us + 2 * 6.88 ns
    EXPECT_EQ(ideal.Compute(1000000).senderFctPs, 85957760);
    EXPECT_EQ(ideal.Compute(1000000).receiverFctPs, 85957760 - 2013760);
    EXPECT_EQ(ideal.Compute(1000).senderFctPs, 4189440);
    EXPECT_EQ(ideal.Compute(1000).receiverFctPs, 4189440 - 2013760);
    // An empty message: 98 wire bytes of RETH and headers.
    EXPECT_EQ(ideal.PacketCount(0), 1u);
    EXPECT_EQ(ideal.Compute(0).receiverFctPs, 2 * US + 2 * 7840);
    EXPECT_EQ(ideal.PacketCount(4096), 1u);
    EXPECT_EQ(ideal.PacketCount(4097), 2u);
}

// With equal rates the last byte arrives at sum(delay) + sum(w)*8/C + (H-1)*max(w)*8/C.
TEST(IdealFct, EqualRatesMatchTheTextbookForm)
{
    for (size_t hops = 1; hops <= 8; hops++)
    {
        const Path path = Equal(hops, 400 * GBPS, 3 * US);
        const IdealFct ideal(path, path);
        const uint64_t n = 1000;
        const uint64_t sum = 4194 + (n - 1) * 4178;
        EXPECT_EQ(ideal.Compute(n * 4096).receiverFctPs,
                  static_cast<int64_t>(hops) * 3 * US +
                      static_cast<int64_t>((sum + (hops - 1) * 4194) * 20));
    }
}

// A slow first link hides the others; a slow last link queues everything.
TEST(IdealFct, BottleneckPosition)
{
    const Path slowFirst{{10 * GBPS, US}, {100 * GBPS, US}};
    const Path slowLast{{100 * GBPS, US}, {10 * GBPS, US}};
    const uint64_t bytes = 100 * 4096;
    const int64_t slowPs = (4194 + 99 * 4178) * 800;
    EXPECT_EQ(IdealFct(slowFirst, slowLast).Compute(bytes).receiverFctPs,
              slowPs + 4178 * 80 + 2 * US);
    EXPECT_EQ(IdealFct(slowLast, slowFirst).Compute(bytes).receiverFctPs,
              slowPs + 4194 * 80 + 2 * US);
}

// The hop h carries base + h * perHop; the ACK carries what arrived, on each of its links.
TEST(IdealFct, TelemetryBytes)
{
    WireSizes sizes;
    sizes.intBytesBase = 2;
    sizes.intBytesPerHop = 8;
    sizes.dataExtraBytes = 4;
    sizes.ackExtraBytes = 12;
    const Path path = Equal(4, 100 * GBPS, 0);
    const IdealFct ideal(path, path, sizes);
    EXPECT_EQ(ideal.DataWireBytes(1000, true, 0), 1000u + 98 + 4 + 2);
    EXPECT_EQ(ideal.DataWireBytes(1000, true, 3), 1000u + 98 + 4 + 26);
    EXPECT_EQ(ideal.AckWireBytes(), 86u + 12 + 26);
    const auto result = ideal.Compute(1000);
    EXPECT_EQ(result.receiverFctPs, (4 * 1104 + 8 + 16 + 24) * 80);
    EXPECT_EQ(result.senderFctPs, result.receiverFctPs + 4 * 124 * 80);
}

// ACKs of earlier packets delay the last one when the way back is the slower one.
TEST(IdealFct, SlowReturnPath)
{
    const Path fast{{100 * GBPS, US}};
    const Path slow{{1 * GBPS, US}};
    WireSizes sizes;
    sizes.mtuBytes = 256;
    const auto each = IdealFct(fast, slow, sizes).Compute(256 * 1000);
    // 1000 ACKs of 688 ns one after the other, from the first arrival on
    EXPECT_EQ(each.senderFctPs, (256 + 98) * 80 + US + 1000 * 688000 + US);
    sizes.ackEveryPacket = false;
    const auto last = IdealFct(fast, slow, sizes).Compute(256 * 1000);
    EXPECT_EQ(last.senderFctPs, last.receiverFctPs + 688000 + US);
    EXPECT_EQ(last.receiverFctPs, each.receiverFctPs);
}

TEST(IdealFct, EqualsBruteForceOnRandomPaths)
{
    std::mt19937_64 random(20260101);
    const auto pick = [&random](uint64_t low, uint64_t high) {
        return low + random() % (high - low + 1);
    };
    const uint64_t rates[] = {10, 25, 40, 100, 200, 400, 800, 1600};
    const uint32_t mtus[] = {1, 5, 64, 256, 1000, 1024, 4096};
    for (int trial = 0; trial < 5000; trial++)
    {
        Path paths[2];
        // Every other trial uses odd rates, for rounding; every fifth one rate on all links.
        const uint64_t common = pick(1, 1000000000000ULL);
        for (Path& path : paths)
        {
            const size_t hops = pick(1, 9);
            for (size_t h = 0; h < hops; h++)
            {
                const uint64_t rate =
                    trial % 2 ? rates[pick(0, 7)] * GBPS : pick(100000000ULL, 1600000000000ULL);
                path.push_back({trial % 5 == 0 ? common : rate,
                                static_cast<int64_t>(pick(0, 3) * pick(0, 500 * US))});
            }
        }
        WireSizes sizes;
        sizes.mtuBytes = mtus[pick(0, 6)];
        sizes.payloadAlignBytes = trial % 7 == 0 ? 1 : 4;
        sizes.intBytesBase = static_cast<uint32_t>(pick(0, 1) * pick(0, 20));
        sizes.intBytesPerHop = static_cast<uint32_t>(pick(0, 1) * pick(0, 16));
        sizes.dataExtraBytes = static_cast<uint32_t>(pick(0, 1) * pick(0, 100));
        sizes.ackExtraBytes = static_cast<uint32_t>(pick(0, 1) * pick(0, 300));
        sizes.ackEveryPacket = trial % 3 != 0;
        const IdealFct ideal(paths[0], paths[1], sizes);
        const uint64_t bytes =
            sizes.mtuBytes * pick(0, pick(0, 9) ? 60 : 3000) + pick(0, 1) * pick(0, sizes.mtuBytes);
        const auto expected = BruteForce(paths[0], paths[1], sizes, bytes);
        const auto got = ideal.Compute(bytes);
        ASSERT_EQ(got.senderFctPs, expected.senderFctPs) << "trial " << trial << ", " << bytes;
        ASSERT_EQ(got.receiverFctPs, expected.receiverFctPs) << "trial " << trial;
    }
}

// 100 TiB at the cost of a short message: exact, no loop over 27 billion packets.
TEST(IdealFct, HugeMessages)
{
    const Path path = Equal(3, 100 * GBPS, US);
    const IdealFct ideal(path, path);
    const uint64_t n = (100ULL << 40) / 4096;
    const auto sum = static_cast<int64_t>(4194 + (n - 1) * 4178);
    EXPECT_EQ(ideal.Compute(n * 4096).receiverFctPs, (sum + 2 * 4194) * 80 + 3 * US);
    EXPECT_THROW(ideal.Compute(UINT64_MAX), InputError);
    // The limit itself: the largest message that fits gives a positive time that still grows.
    uint64_t low = n;
    uint64_t high = UINT64_MAX / 4096;
    while (high - low > 1)
    {
        const uint64_t middle = low + (high - low) / 2;
        try
        {
            ideal.Compute(middle * 4096);
            low = middle;
        }
        catch (const InputError&)
        {
            high = middle;
        }
    }
    const auto largest = ideal.Compute(low * 4096);
    EXPECT_GT(largest.receiverFctPs, INT64_MAX / 10 * 9);
    EXPECT_EQ(largest.receiverFctPs - ideal.Compute((low - 1) * 4096).receiverFctPs, 4178 * 80);
    EXPECT_GT(largest.senderFctPs, largest.receiverFctPs);
}

TEST(IdealFct, RefusesBadInput)
{
    const Path good = Equal(1, GBPS, 0);
    EXPECT_THROW(IdealFct({}, good), InputError);
    EXPECT_THROW(IdealFct(good, {}), InputError);
    EXPECT_THROW(IdealFct(Equal(1, 0, 0), good), InputError);
    EXPECT_THROW(IdealFct(good, Equal(2, GBPS, -1)), InputError);
    EXPECT_THROW(IdealFct(good, Equal(2, GBPS, INT64_MAX)), InputError);
    WireSizes sizes;
    sizes.mtuBytes = 0;
    EXPECT_THROW(IdealFct(good, good, sizes), InputError);
    sizes.mtuBytes = 1 << 20;
    EXPECT_THROW(IdealFct(good, good, sizes), InputError);
    sizes = WireSizes();
    sizes.payloadAlignBytes = 0;
    EXPECT_THROW(IdealFct(good, good, sizes), InputError);
    EXPECT_THROW(IdealFct::SerialisationPs(1 << 20, GBPS), InputError);
    EXPECT_THROW(IdealFct::SerialisationPs(1, 0), InputError);
    EXPECT_NE(ErrorOf([&] { IdealFct(Equal(1, 0, 7), good); }).find("rate 0 bit/s and delay 7 ps"),
              std::string::npos);
}
