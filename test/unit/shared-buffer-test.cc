// SPDX-License-Identifier: GPL-2.0-only
// Shared buffer: admission, accounting, XOFF and XON against hand-computed vectors and closed
// forms.
#include "roce-error-of.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-shared-buffer.h"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::roce;

namespace
{

using Verdict = SharedBuffer::Verdict;
using PortConfig = SharedBuffer::PortConfig;
using Which = std::pair<uint16_t, uint8_t>;

PortConfig
Port(uint64_t headroom, uint64_t reserved, double alpha)
{
    PortConfig port;
    port.headroomBytes = headroom;
    port.reservedBytes = reserved;
    port.alpha = alpha;
    return port;
}

/// One lossless data class, 3.
SharedBuffer::Config
OneClass(uint64_t buffer, std::vector<PortConfig> ports)
{
    SharedBuffer::Config config;
    config.bufferBytes = buffer;
    config.ports = std::move(ports);
    return config;
}

SharedBuffer
Make(const SharedBuffer::Config& config)
{
    SharedBuffer buffer;
    buffer.Configure(config, "sw");
    return buffer;
}

std::string
ErrorOf(const SharedBuffer::Config& config)
{
    return test::ErrorOf([&] { Make(config); });
}

/// Sends n frames in; @return the numbers (from 1) of the first XOFF and the first drop.
std::pair<int, int>
Fill(SharedBuffer& buffer, int n, uint16_t in, uint32_t bytes)
{
    std::pair<int, int> first{0, 0};
    for (int i = 1; i <= n; ++i)
    {
        const Verdict v = buffer.Charge(in, 1 - in, 3, bytes);
        first.first = v == Verdict::XOFF && !first.first ? i : first.first;
        first.second = v == Verdict::DROPPED && !first.second ? i : first.second;
    }
    return first;
}

} // namespace

TEST(Headroom, Vectors)
{
    EXPECT_EQ(HeadroomBytes(100000000000, 1000000, 4158), 33380u);
    EXPECT_EQ(HeadroomBytes(400000000000, 1000000000, 4158), 100008380u);
    EXPECT_EQ(HeadroomBytes(100000000000, 1000000, 4158, 5000), 38380u);
    // 3 ms at 1.6 Tbit/s: far above 32 bits.
    EXPECT_EQ(HeadroomBytes(1600000000000, 20000000000, 4158), 8000008380u);
}

TEST(Headroom, IsPositiveOnAZeroDelayLink)
{
    EXPECT_EQ(HeadroomBytes(100000000000, 0, 1062), 2u * 1062 + 64);
}

TEST(Headroom, RoundsUp)
{
    EXPECT_EQ(HeadroomBytes(25000000000, 1, 1062), 2u * 1062 + 64 + 1);
    EXPECT_EQ(HeadroomBytes(100000000000, 40, 1062), 2u * 1062 + 64 + 1); // exactly one byte
}

// PARALEON's switches as its authors simulate them: 12 MiB, per port 187,500 B of headroom and a
// reserve of 4 KiB, alpha 1/8. With k ports in alike, each is paused at pool / (8 + k) above its
// reserve.
TEST(SharedBuffer, ThresholdsOfSeveralPortsAlike)
{
    struct Case
    {
        std::size_t ports;
        uint64_t pool;
        std::vector<std::pair<unsigned, double>> paused; // ports in, bytes above the reserve
    };

    for (const Case& c :
         {Case{20,
               8750992,
               {{1, 972.3e3}, {2, 875.1e3}, {4, 729.2e3}, {8, 546.9e3}, {16, 364.6e3}}},
          Case{8, 11050144, {{1, 1227.8e3}, {2, 1105.0e3}, {4, 920.8e3}, {7, 736.7e3}}}})
    {
        for (const auto& [k, bytes] : c.paused)
        {
            SharedBuffer buffer = Make(
                OneClass(12 << 20, std::vector<PortConfig>(c.ports, Port(187500, 4096, 0.125))));
            EXPECT_EQ(buffer.GetPoolBytes(0), c.pool);
            Verdict verdict = Verdict::ADMITTED;
            for (unsigned i = 0; verdict == Verdict::ADMITTED; ++i)
            {
                verdict = buffer.Charge(static_cast<uint16_t>(i % k),
                                        static_cast<uint16_t>(c.ports - 1),
                                        3,
                                        1000);
            }
            EXPECT_EQ(verdict, Verdict::XOFF);
            EXPECT_NEAR(static_cast<double>(buffer.GetIngressBytes(0, 3)) - 4096, bytes, 2000)
                << k << " ports in";
        }
    }
}

// Buffer 100,000; two ports of 10,000 headroom and 1,000 reserve; alpha 1; frames of 1,000. Pool
// 78,000 and T = (78,000 - S) / 2 in the HPCC code's notation a = 1, that is alpha 1/2.
TEST(SharedBuffer, FillAndDrainVector)
{
    SharedBuffer buffer = Make(OneClass(100000, {Port(10000, 1000, 0.5), Port(10000, 1000, 0.5)}));
    EXPECT_EQ(buffer.GetPoolBytes(0), 78000u);
    EXPECT_EQ(buffer.GetThresholdBytes(0, 3), 39000u);
    for (int i = 1; i <= 37; ++i)
    {
        const Verdict v = buffer.Charge(0, 1, 3, 1000);
        EXPECT_EQ(v, i == 27 ? Verdict::XOFF : Verdict::ADMITTED) << i;
        EXPECT_EQ(buffer.GetHeadroomBytes(0, 3), i > 27 ? (i - 27) * 1000u : 0u) << i;
        EXPECT_EQ(buffer.GetIngressBytes(0, 3), i * 1000u);
    }
    EXPECT_EQ(buffer.Charge(0, 1, 3, 1000), Verdict::DROPPED);
    EXPECT_EQ(buffer.GetTotalBytes(), 37000u); // a refused frame is not charged anywhere
    EXPECT_EQ(buffer.GetEgressBytes(1, 3), 37000u);
    EXPECT_EQ(buffer.GetPaused(), std::vector<Which>({{0, 3}}));
    // The vector's hysteresis is 3,072 B.
    SharedBuffer::Config config =
        OneClass(100000, {Port(10000, 1000, 0.5), Port(10000, 1000, 0.5)});
    config.xonOffsetBytes = 3072;
    buffer = Make(config);
    EXPECT_EQ(Fill(buffer, 38, 0, 1000), std::make_pair(27, 38));
    EXPECT_EQ(buffer.GetEmptyThresholdsBytes(0, 3),
              std::make_pair(UINT64_C(39000), UINT64_C(35928)))
        << "while it is full, those of the empty buffer";
    Which which;
    for (int i = 1; i <= 37; ++i)
    {
        buffer.Uncharge(0, 1, 3, 1000);
        EXPECT_EQ(buffer.PopResumable(which), i == 13) << i;
    }
    EXPECT_EQ(which, Which(0, 3));
    EXPECT_EQ(buffer.GetTotalBytes(), 0u);
    EXPECT_EQ(buffer.GetPaused().size(), 0u);
    EXPECT_EQ(buffer.GetThresholdBytes(0, 3), 39000u);
}

// 32 MiB, 32 ports, 37,500 B of headroom and 4,096 B reserve each, alpha 1/8: n congested ingress
// queues settle at alpha P / (1 + alpha n) each.
TEST(SharedBuffer, ClosedFormOfTheEquilibrium)
{
    for (const auto& [n, expected] : {std::pair{1, 3580373u}, {8, 2013960u}})
    {
        SharedBuffer buffer =
            Make(OneClass(32 << 20, std::vector<PortConfig>(32, Port(37500, 4096, 0.125))));
        EXPECT_EQ(buffer.GetPoolBytes(0), 32223360u);
        std::vector<bool> paused(n, false);
        for (int open = n; open > 0;)
        {
            for (uint16_t p = 0; p < n; ++p)
            {
                if (!paused[p] && buffer.Charge(p, 31, 3, 64) == Verdict::XOFF)
                {
                    paused[p] = true;
                    --open;
                }
            }
        }
        for (uint16_t p = 0; p < n; ++p)
        {
            const double s = buffer.GetIngressBytes(p, 3) - 4096.0;
            EXPECT_NEAR(s, expected, 64 * n) << n << " port " << p;
        }
    }
}

TEST(SharedBuffer, StaticThresholds)
{
    PortConfig port = Port(5000, 0, 1);
    port.staticXoffBytes = 20000;
    port.staticXonBytes = 7000;
    SharedBuffer buffer = Make(OneClass(100000, {port, Port(5000, 0, 1)}));
    EXPECT_EQ(buffer.GetThresholdBytes(0, 3), 20000u);
    EXPECT_EQ(Fill(buffer, 30, 0, 1000), std::make_pair(20, 26));
    EXPECT_EQ(buffer.GetThresholdBytes(0, 3), 20000u); // does not move
    Which which;
    for (int i = 1; i <= 25; ++i)
    {
        buffer.Uncharge(0, 1, 3, 1000);
        EXPECT_EQ(buffer.PopResumable(which), i == 18) << i; // 7,000 left
    }
}

TEST(SharedBuffer, StaticXonDefaultsToTheOffset)
{
    PortConfig port = Port(5000, 0, 1);
    port.staticXoffBytes = 20000;
    SharedBuffer::Config config = OneClass(100000, {port, Port(5000, 0, 1)});
    config.xonOffsetBytes = 4000;
    SharedBuffer buffer = Make(config);
    Fill(buffer, 20, 0, 1000);
    Which which;
    for (int i = 1; i <= 20; ++i)
    {
        buffer.Uncharge(0, 1, 3, 1000);
        EXPECT_EQ(buffer.PopResumable(which), i == 4) << i;
    }
}

TEST(SharedBuffer, DeepPortHasItsOwnPool)
{
    PortConfig deep = Port(1000000, 0, 1);
    deep.ownPoolBytes = 3000000;
    SharedBuffer buffer = Make(OneClass(100000, {deep, Port(10000, 0, 1), Port(10000, 0, 1)}));
    EXPECT_EQ(buffer.GetPoolBytes(0), 2000000u);
    EXPECT_EQ(buffer.GetPoolBytes(1), 80000u);
    for (int i = 0; i < 900; ++i)
    {
        ASSERT_EQ(buffer.Charge(0, 1, 3, 1000), Verdict::ADMITTED);
    }
    // Frames of the deep port took nothing from the others' pool, and the other way round.
    EXPECT_EQ(buffer.GetThresholdBytes(1, 3), 80000u);
    EXPECT_EQ(buffer.GetThresholdBytes(0, 3), 1100000u);
    buffer.Charge(1, 0, 3, 1000);
    EXPECT_EQ(buffer.GetThresholdBytes(0, 3), 1100000u);
    EXPECT_EQ(buffer.GetThresholdBytes(2, 3), 79000u);
    EXPECT_EQ(buffer.GetTotalBytes(), 901000u);
    EXPECT_EQ(buffer.GetEgressBytes(1, 3), 900000u);
}

// A departure of one ingress queue raises the threshold of all: paused queues resume although
// nothing of theirs has left.
TEST(SharedBuffer, ResumeIsReevaluatedForAllPaused)
{
    SharedBuffer buffer =
        Make(OneClass(100000, {Port(5000, 0, 1), Port(5000, 0, 1), Port(5000, 0, 1)}));
    for (int i = 0; i < 40; ++i)
    {
        buffer.Charge(0, 2, 3, 1000);
    }
    int b = 0;
    while (buffer.Charge(1, 2, 3, 1000) != Verdict::XOFF)
    {
        ++b;
    }
    ASSERT_EQ(b + 1, 23); // 85 - 40 - 23 = 22 <= 23
    Which which;
    EXPECT_FALSE(buffer.PopResumable(which));
    buffer.Uncharge(0, 2, 3, 1000);
    which = Which(0, 3);
    EXPECT_FALSE(buffer.PopResumable(which, false)) << "ResumeOthers=false: not what is paused";
    ASSERT_TRUE(buffer.PopResumable(which));
    EXPECT_EQ(which, Which(1, 3));
    EXPECT_FALSE(buffer.PopResumable(which));
    EXPECT_EQ(buffer.GetPausedCount(), 0u);
}

TEST(SharedBuffer, HeadroomLargerThanTheBufferIsOneClearError)
{
    // 100G with 1 ms of delay needs 25 MB of each such port.
    std::vector<PortConfig> ports(4, Port(33380, 4096, 0.125));
    ports[2].headroomBytes = 25008380;
    const std::string error = ErrorOf(OneClass(20 << 20, ports));
    EXPECT_NE(error.find("switch sw"), std::string::npos) << error;
    EXPECT_NE(error.find("port 2"), std::string::npos) << error;
    EXPECT_NE(error.find("25008380"), std::string::npos) << error;
    EXPECT_NE(error.find("20971520"), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
    ports[2].ownPoolBytes = 100000000;
    EXPECT_EQ(ErrorOf(OneClass(20 << 20, ports)), "no error");
    ports[2].ownPoolBytes = 25008380;
    EXPECT_NE(ErrorOf(OneClass(20 << 20, ports)).find("own buffer is 25008380"), std::string::npos);
}

TEST(SharedBuffer, HeadroomIsReservedForEveryLosslessClass)
{
    SharedBuffer::Config config = OneClass(100000, {Port(10000, 0, 1), Port(10000, 0, 1)});
    config.dataMask = 0x3f;
    config.losslessMask = 0x18;
    EXPECT_EQ(Make(config).GetPoolBytes(0), 60000u);
    config.losslessMask = 0x3e;
    EXPECT_NE(ErrorOf(config).find("need 100000 B"), std::string::npos) << ErrorOf(config);
}

TEST(SharedBuffer, BadThresholdsAreRefused)
{
    PortConfig port = Port(5000, 0, 1);
    port.staticXoffBytes = 95000;
    EXPECT_NE(ErrorOf(OneClass(100000, {port, Port(5000, 0, 1)})).find("95000"), std::string::npos);
    port.staticXoffBytes = 1000;
    port.staticXonBytes = 1001;
    EXPECT_NE(ErrorOf(OneClass(100000, {port, Port(5000, 0, 1)})), "no error");
    EXPECT_NE(ErrorOf(OneClass(100000, {Port(5000, 0, 0), Port(5000, 0, 1)})), "no error");
    EXPECT_NE(ErrorOf(OneClass(100000, {Port(5000, 0, -1), Port(5000, 0, 1)})), "no error");
}

// When headroom and reserve of others have eaten the pool, thresholds are 0, not 2^64.
TEST(SharedBuffer, ThresholdSaturatesAtZero)
{
    PortConfig greedy = Port(1000, 0, 1);
    greedy.staticXoffBytes = 88000; // more than a fair share: may take the whole pool
    SharedBuffer buffer = Make(OneClass(90000, {greedy, Port(1000, 0, 1)}));
    Fill(buffer, 88, 0, 1000);
    EXPECT_EQ(buffer.GetThresholdBytes(1, 3), 0u);
    EXPECT_EQ(buffer.Charge(1, 0, 3, 1000), Verdict::XOFF); // headroom, at once
    EXPECT_EQ(buffer.Charge(1, 0, 3, 1000), Verdict::DROPPED);
}

// A reserve is a promise: full pools do not break it.
TEST(SharedBuffer, LossyClassKeepsItsReserve)
{
    SharedBuffer::Config config = OneClass(90000, {Port(0, 2000, 1), Port(0, 2000, 1)});
    config.losslessMask = 0;
    config.egressAlpha = 1000;
    config.ports[0].staticXoffBytes = 86000; // may take the whole pool
    SharedBuffer buffer = Make(config);
    Fill(buffer, 88, 0, 1000);
    EXPECT_EQ(buffer.Charge(0, 1, 3, 1000), Verdict::DROPPED);
    EXPECT_EQ(buffer.Charge(1, 0, 3, 1000), Verdict::ADMITTED);
    EXPECT_EQ(buffer.Charge(1, 0, 3, 1000), Verdict::ADMITTED);
    EXPECT_EQ(buffer.Charge(1, 0, 3, 1000), Verdict::DROPPED);
}

TEST(SharedBuffer, WholePoolIsDividedAmongTheLosslessClasses)
{
    PortConfig deep;
    deep.headroomBytes = 10000;
    deep.ownPoolBytes = 100000;
    deep.staticXoffBytes = SharedBuffer::WHOLE_POOL;
    deep.xonFraction = 0.25;
    SharedBuffer::Config config = OneClass(50000, {deep, Port(1000, 0, 1)});
    EXPECT_EQ(Make(config).GetThresholdBytes(0, 3), 90000u);
    config.dataMask = config.losslessMask = 0x18;
    SharedBuffer buffer = Make(config);
    EXPECT_EQ(buffer.GetThresholdBytes(0, 3), 40000u);
    EXPECT_EQ(buffer.GetThresholdBytes(0, 4), 40000u);
    EXPECT_EQ(buffer.GetEmptyThresholdsBytes(0, 4),
              std::make_pair(UINT64_C(40000), UINT64_C(10000)));
    // XOFF at the threshold, XON at a quarter of it.
    for (int i = 1; i < 40; ++i)
    {
        ASSERT_EQ(buffer.Charge(0, 1, 3, 1000), Verdict::ADMITTED) << i;
    }
    EXPECT_EQ(buffer.Charge(0, 1, 3, 1000), Verdict::XOFF);
    std::pair<uint16_t, uint8_t> which;
    for (int i = 0; i < 29; ++i)
    {
        buffer.Uncharge(0, 1, 3, 1000);
        ASSERT_FALSE(buffer.PopResumable(which)) << i;
    }
    buffer.Uncharge(0, 1, 3, 1000);
    EXPECT_TRUE(buffer.PopResumable(which));
}

TEST(SharedBuffer, LossyClassHasIngressAndEgressLimits)
{
    SharedBuffer::Config config =
        OneClass(100000, {Port(10000, 0, 8), Port(10000, 0, 8), Port(10000, 0, 8)});
    config.dataMask = 0x0a; // 1 lossy, 3 lossless
    config.losslessMask = 0x08;
    config.egressAlpha = 1;
    SharedBuffer buffer = Make(config);
    ASSERT_EQ(buffer.GetPoolBytes(0), 70000u);
    int n = 0;
    for (int i = 0; i < 100; ++i) // two ingress ports to one egress port
    {
        n += buffer.Charge(i % 2, 2, 1, 1000) == Verdict::ADMITTED;
    }
    EXPECT_EQ(n, 35); // q + 1 <= 70 - q
    EXPECT_EQ(buffer.GetHeadroomBytes(0, 1) + buffer.GetHeadroomBytes(1, 1), 0u);
    EXPECT_EQ(buffer.GetPausedCount(), 0u);                     // lossy classes are never paused
    EXPECT_EQ(buffer.Charge(0, 1, 1, 1000), Verdict::ADMITTED); // another egress queue has room
    config.egressAlpha = 0.1;
    buffer = Make(config);
    n = 0;
    for (int i = 0; i < 100; ++i)
    {
        n += buffer.Charge(i % 2, 2, 1, 1000) == Verdict::ADMITTED;
    }
    EXPECT_EQ(n, 6); // q + 1 <= (70 - q) / 10
}

TEST(SharedBuffer, ControlPoolIsSeparateAndLimited)
{
    SharedBuffer::Config config = OneClass(100000, {Port(10000, 0, 1), Port(10000, 0, 1)});
    config.controlPoolBytes = 1000;
    SharedBuffer buffer = Make(config);
    int n = 0;
    for (int i = 0; i < 20; ++i)
    {
        n += buffer.Charge(0, 1, 6, 66) == Verdict::ADMITTED;
    }
    EXPECT_EQ(n, 15);
    EXPECT_EQ(buffer.GetControlBytes(), 15u * 66);
    EXPECT_EQ(buffer.GetThresholdBytes(0, 3), 80000u);
    // What the switch emits goes there too, whatever its class.
    EXPECT_EQ(buffer.Charge(SharedBuffer::INTERNAL_PORT, 1, 3, 66), Verdict::DROPPED);
    buffer.Uncharge(0, 1, 6, 66);
    EXPECT_EQ(buffer.Charge(SharedBuffer::INTERNAL_PORT, 1, 3, 66), Verdict::ADMITTED);
    EXPECT_EQ(buffer.GetEgressBytes(1, 3), 66u);
    EXPECT_EQ(buffer.GetIngressBytes(0, 3), 0u);
    EXPECT_EQ(buffer.GetThresholdBytes(0, 3), 80000u);
    buffer.Uncharge(SharedBuffer::INTERNAL_PORT, 1, 3, 66);
    EXPECT_EQ(buffer.GetEgressBytes(1, 3), 0u);
    EXPECT_EQ(buffer.GetControlBytes(), 14u * 66);
}

TEST(SharedBuffer, PeakBytes)
{
    SharedBuffer buffer = Make(OneClass(100000, {Port(10000, 0, 1), Port(10000, 0, 1)}));
    Fill(buffer, 7, 0, 1000);
    buffer.Uncharge(0, 1, 3, 1000);
    EXPECT_EQ(buffer.GetPeakBytes(), 7000u);
    EXPECT_EQ(buffer.GetTotalBytes(), 6000u);
}

// Any sequence: the parts always add up, headroom never exceeds its limit, XOFF and XON alternate,
// nothing is left at the end.
TEST(SharedBuffer, RandomisedConservation)
{
    constexpr uint16_t PORTS = 6;

    struct Held
    {
        uint16_t in, out;
        uint8_t c;
        uint32_t bytes;
    };

    for (unsigned seed = 0; seed < 20; ++seed)
    {
        std::mt19937_64 rng(seed);
        SharedBuffer::Config config;
        config.bufferBytes = 400000;
        config.dataMask = 0x3f;
        config.losslessMask = 0x0c;
        config.xonOffsetBytes = rng() % 10000;
        config.controlPoolBytes = 20000;
        for (uint16_t p = 0; p < PORTS; ++p)
        {
            PortConfig port = Port(5000 + rng() % 5000, rng() % 3000, 0.1 + (rng() % 40) / 10.0);
            if (p == 5)
            {
                port.ownPoolBytes = 200000;
            }
            if (p >= 4)
            {
                port.staticXoffBytes = 30000;
                port.staticXonBytes = rng() % 30000;
            }
            config.ports.push_back(port);
        }
        SharedBuffer buffer = Make(config);
        std::vector<Held> held;
        std::array<std::array<bool, 8>, PORTS> paused{};
        uint64_t sum = 0;
        for (int step = 0; step < 20000; ++step)
        {
            const bool draining = step > 15000;
            if (!draining && (held.empty() || rng() % 100 < (step / 1000 % 2 ? 70 : 40)))
            {
                Held h{static_cast<uint16_t>(rng() % PORTS),
                       static_cast<uint16_t>(rng() % PORTS),
                       static_cast<uint8_t>(rng() % 8),
                       static_cast<uint32_t>(64 + rng() % 4200)};
                h.in = rng() % 50 == 0 ? SharedBuffer::INTERNAL_PORT : h.in;
                const Verdict v = buffer.Charge(h.in, h.out, h.c, h.bytes);
                if (v != Verdict::DROPPED)
                {
                    held.push_back(h);
                    sum += h.bytes;
                }
                if (v == Verdict::XOFF)
                {
                    ASSERT_TRUE(h.c == 2 || h.c == 3);
                    ASSERT_FALSE(paused[h.in][h.c]);
                    paused[h.in][h.c] = true;
                }
            }
            else if (!held.empty())
            {
                const std::size_t i = rng() % held.size();
                const Held h = held[i];
                held[i] = held.back();
                held.pop_back();
                buffer.Uncharge(h.in, h.out, h.c, h.bytes);
                sum -= h.bytes;
                Which w;
                while (buffer.PopResumable(w))
                {
                    ASSERT_TRUE(paused[w.first][w.second]);
                    paused[w.first][w.second] = false;
                    ASSERT_EQ(buffer.GetHeadroomBytes(w.first, w.second), 0u);
                }
            }
            uint64_t ingress = buffer.GetControlBytes();
            uint64_t egress = 0;
            for (uint16_t p = 0; p < PORTS; ++p)
            {
                for (uint8_t c = 0; c < 8; ++c)
                {
                    ingress += buffer.GetIngressBytes(p, c);
                    egress += buffer.GetEgressBytes(p, c);
                    ASSERT_LE(buffer.GetHeadroomBytes(p, c),
                              c == 2 || c == 3 ? config.ports[p].headroomBytes : 0);
                    ASSERT_LE(buffer.GetThresholdBytes(p, c), 4000000u); // no wrap below zero
                }
            }
            ASSERT_EQ(ingress, sum);
            ASSERT_EQ(egress, sum);
            ASSERT_EQ(buffer.GetTotalBytes(), sum);
            ASSERT_LE(buffer.GetControlBytes(), 20000u);
            ASSERT_LE(sum, 620000u);
        }
        EXPECT_TRUE(held.empty());
        EXPECT_EQ(buffer.GetTotalBytes(), 0u);
        EXPECT_EQ(buffer.GetPausedCount(), 0u);
        for (uint16_t p = 0; p < 4; ++p)
        {
            EXPECT_EQ(buffer.GetThresholdBytes(p, 3),
                      (buffer.GetPoolBytes(p) *
                       static_cast<uint64_t>(config.ports[p].alpha * 65536 + 0.5)) >>
                          16); // nothing of the pool is in use
        }
    }
}

// Port 1 holds at most 10,000 B of all data classes; ingress and pool have no say, and no share.
TEST(SharedBuffer, EgressLimitIsExactAndAlone)
{
    SharedBuffer::Config config =
        OneClass(20000, {Port(0, 1000, 0.001), Port(0, 1000, 0.001), Port(0, 1000, 0.001)});
    config.dataMask = 0x0a;
    config.losslessMask = 0;
    config.controlPoolBytes = 3000;
    config.ports[1].egressLimitBytes = 10000;
    SharedBuffer buffer = Make(config);
    EXPECT_EQ(buffer.GetEgressLimitBytes(0), 0u);
    EXPECT_EQ(buffer.GetEgressLimitBytes(1), 10000u);
    EXPECT_EQ(buffer.Charge(0, 1, 3, 6000), Verdict::ADMITTED);
    EXPECT_EQ(buffer.Charge(2, 1, 1, 4001), Verdict::DROPPED);
    EXPECT_EQ(buffer.Charge(2, 1, 1, 4000), Verdict::ADMITTED);
    EXPECT_EQ(buffer.Charge(2, 1, 3, 1), Verdict::DROPPED);
    EXPECT_EQ(buffer.GetLimitedBytes(1), 10000u);
    EXPECT_EQ(buffer.GetEgressBytes(1, 3), 6000u);
    EXPECT_EQ(buffer.GetEgressBytes(1, 1), 4000u);
    EXPECT_EQ(buffer.GetIngressBytes(0, 3), 0u);
    EXPECT_EQ(buffer.GetTotalBytes(), 10000u);
    EXPECT_EQ(buffer.GetPeakBytes(), 10000u);
    // Port 0 has no limit: it is the ingress threshold that refuses.
    EXPECT_EQ(buffer.Charge(2, 0, 3, 1000), Verdict::ADMITTED);
    EXPECT_EQ(buffer.Charge(2, 0, 3, 1000), Verdict::DROPPED);
    // Control classes and frames of the switch's own stay in their pool.
    EXPECT_EQ(buffer.Charge(0, 1, 6, 1500), Verdict::ADMITTED);
    EXPECT_EQ(buffer.Charge(SharedBuffer::INTERNAL_PORT, 1, 3, 1500), Verdict::ADMITTED);
    EXPECT_EQ(buffer.Charge(0, 1, 6, 1), Verdict::DROPPED);
    EXPECT_EQ(buffer.GetLimitedBytes(1), 10000u);
    buffer.Uncharge(SharedBuffer::INTERNAL_PORT, 1, 3, 1500);
    buffer.Uncharge(0, 1, 6, 1500);
    buffer.Uncharge(2, 0, 3, 1000);
    buffer.Uncharge(0, 1, 3, 6000);
    EXPECT_EQ(buffer.GetLimitedBytes(1), 4000u);
    EXPECT_EQ(buffer.Charge(0, 1, 3, 6000), Verdict::ADMITTED);
    buffer.Uncharge(0, 1, 3, 6000);
    buffer.Uncharge(2, 1, 1, 4000);
    EXPECT_EQ(buffer.GetLimitedBytes(1), 0u);
    EXPECT_EQ(buffer.GetTotalBytes(), 0u);
}

TEST(SharedBuffer, EgressLimitExcludesLosslessClasses)
{
    SharedBuffer::Config config = OneClass(100000, {Port(1000, 0, 1), Port(1000, 0, 1)});
    config.ports[1].egressLimitBytes = 10000;
    EXPECT_EQ(
        ErrorOf(config),
        "switch sw: port 1 has an egress limit of 10000 B and classes that PFC protects (mask "
        "8), expected one of them: LosslessClasses=0 (--lossless=0), or no limit");
}
