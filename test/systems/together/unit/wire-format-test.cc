// SPDX-License-Identifier: GPL-2.0-only
#include "wire-format-test-util.h"

#include <iterator>
#include <set>

using namespace ns3::roce;
using namespace ns3::roce::wiretest;

namespace
{

TEST(WireFormat, GoldenBytes)
{
    const std::string toB = "02000000000202000000000108004502";
    const std::string ipToB = "0a0000010a000002c00012b7";
    const std::string toA = "0200000000010200000000020800";
    const std::string ipToA = "0a0000020a000001c00112b7";
    const std::string payloadHex = "000102030405060708090a0b0c0d0e0f";
    Bytes payload(16);
    for (uint8_t i = 0; i < 16; ++i)
    {
        payload[i] = i;
    }
    WireOptions withPayload;
    withPayload.payload = payload.data();
    TestFrame frames[7];
    MakeData(frames[0], FRAME_FIRST | FRAME_LAST | FRAME_ACK_REQ, 0, 16);
    MakeData(frames[1], 0, 1, 16);
    MakeControl(frames[2], FrameKind::ACK, 5, 1);
    MakeControl(frames[3], FrameKind::NAK, 6, 1);
    MakeControl(frames[4], FrameKind::CNP, 0, 0, 48);
    MakePfc(frames[5], 65535);
    MakePfc(frames[6], 0);
    const std::string golden[] = {
        toB + "004c000040004011269d" + ipToB + "00380000" + "0a00ffff0000001180000000" +
            "00000000000010000000123400000010" + payloadHex + "751517d6",
        toB + "003c00004000401126ad" + ipToB + "00280000" + "0700ffff0000001100000001" +
            payloadHex + "c90f565c",
        toA + "4500003000004000401126bb" + ipToA + "001c0000" + "1100ffff000000d200000005" +
            "1f000001" + "818b6272",
        toA + "4500003000004000401126bb" + ipToA + "001c0000" + "1100ffff000000d200000006" +
            "60000001" + "9b419e06",
        toA + "45c0003c00004000401125ef" + ipToA + "00280000" + "8100ffff400000d200000000" +
            std::string(32, '0') + "22203ded",
        "0180c2000001020000000009880801010008000000000000ffff" + std::string(68, '0'),
        "0180c20000010200000000098808010100080000000000000000" + std::string(68, '0'),
    };
    for (size_t i = 0; i < std::size(golden); ++i)
    {
        SCOPED_TRACE(i);
        Bytes bytes = Write(frames[i], withPayload);
        EXPECT_EQ(ToHex(bytes), golden[i]);
        TestFrame back;
        Read(bytes, back);
        ExpectSame(frames[i], back);
    }
    // With FCS (computed with zlib), and zero ICRC.
    WireOptions fcs;
    fcs.fcs = true;
    Bytes pfc = Write(frames[5], fcs);
    EXPECT_EQ(ToHex(pfc), golden[5] + "aedfce62");
    Bytes ack = Write(frames[2], fcs);
    EXPECT_EQ(ToHex(ack), golden[2] + "1c134ed7");
    TestFrame back;
    Read(ack, back, fcs);
    ExpectSame(frames[2], back);
    WireOptions zero;
    zero.icrc = IcrcMode::ZERO;
    EXPECT_EQ(ToHex(Write(frames[2], zero)),
              golden[2].substr(0, golden[2].size() - 8) + "00000000");
}

TEST(WireFormat, SizesOfRealFrames)
{
    struct
    {
        FrameKind kind;
        uint16_t payload;
        bool first;
        uint32_t telemetry;
        uint32_t frame;
        uint32_t wire;
    } const table[] = {
        {FrameKind::DATA, 1000, false, 0, 1062, 1082},
        {FrameKind::DATA, 1024, false, 0, 1086, 1106},
        {FrameKind::DATA, 1024, true, 0, 1102, 1122},
        {FrameKind::DATA, 4096, false, 0, 4158, 4178},
        {FrameKind::DATA, 4096, true, 0, 4174, 4194},
        {FrameKind::DATA, 1, false, 0, 66, 86}, // padded to 4
        {FrameKind::DATA, 0, false, 0, 62, 84}, // padded to 64
        {FrameKind::DATA, 1000, false, 42, 1104, 1124},
        {FrameKind::ACK, 0, false, 0, 66, 86},
        {FrameKind::NAK, 0, false, 0, 66, 86},
        {FrameKind::ACK, 0, false, 50, 116, 136},
        {FrameKind::CNP, 0, false, 0, 78, 98},
        {FrameKind::PFC, 0, false, 0, 64, 84},
    };

    for (const auto& row : table)
    {
        SCOPED_TRACE(row.frame);
        EXPECT_EQ(WireFormat::FrameBytes(row.kind, row.payload, row.first, row.telemetry),
                  row.frame);
        TestFrame f;
        MakeData(f, row.first ? FRAME_FIRST : 0, 0, row.payload, row.telemetry);
        f.kind = row.kind;
        WireOptions fcs;
        fcs.fcs = true;
        EXPECT_EQ(Write(f, fcs).size() + 20, row.wire);
        EXPECT_EQ(Write(f).size() + 24, row.wire);
    }
    TestFrame data;
    MakeData(data, 0, 0, 4096);
    Bytes bytes = Write(data);
    EXPECT_EQ(Field(bytes, IP + 2, 2), 4140u);
    EXPECT_EQ(Field(bytes, UDP + 4, 2), 4120u);
}

TEST(WireFormat, IcrcCoversWhatNoHopChanges)
{
    Bytes payload(23, 0xa5);
    WireOptions options;
    options.payload = payload.data();
    TestFrame f;
    MakeData(f, FRAME_FIRST, 77, 23);
    const Bytes good = Write(f, options);
    const uint32_t icrc = IcrcOf(good);
    std::set<size_t> masked = {IP + 1, IP + 8, IP + 10, IP + 11, UDP + 6, UDP + 7, BTH + 4};
    std::set<size_t> structural = {IP, IP + 2, IP + 3, IP + 9, UDP + 2, UDP + 3, UDP + 4, UDP + 5};
    unsigned detected = 0;
    for (size_t bit = 8 * IP; bit < 8 * good.size(); ++bit)
    {
        Bytes bad = good;
        bad[bit / 8] ^= 1 << bit % 8;
        FixIpChecksum(bad); // so that the ICRC alone is at stake
        if (structural.count(bit / 8))
        {
            EXPECT_NE(Rejection(bad), "") << "bit " << bit;
        }
        else if (bit / 8 == BTH + 4 && bit % 8 < 6)
        {
            // telemetry announced that is not there: other bytes would be covered
            EXPECT_NE(Rejection(bad), "") << "bit " << bit;
        }
        else if (masked.count(bit / 8))
        {
            EXPECT_EQ(IcrcOf(bad), icrc) << "bit " << bit;
            EXPECT_EQ(Rejection(bad), "") << "bit " << bit;
        }
        else
        {
            EXPECT_NE(Rejection(bad), "") << "bit " << bit;
            detected += Rejection(bad).find("ICRC") != std::string::npos;
        }
    }
    EXPECT_GT(detected, 8u * 40);
    WireOptions unchecked;
    unchecked.icrc = IcrcMode::ZERO;
    Bytes bad = good;
    bad.back() ^= 1;
    EXPECT_EQ(Rejection(bad, unchecked), "");
}

TEST(WireFormat, TelemetryLayoutAndIcrc)
{
    TestFrame plain;
    MakeData(plain, 0, 9, 1000);
    TestFrame f;
    MakeData(f, FRAME_TIMESTAMP, 9, 1000, 8 + 2 + 2 * 8);
    f.sentPs = 0x0102030405060708;
    // 16777216 ns wrap the time stamp; 2^20 * 128 bytes wrap txBytes; the second queue saturates
    f.AddHop({(16777216 + 0xabcdefLL) * 1000 + 999,
              (1048576ULL + 0x12345) * 128 + 127,
              5,
              80 * 0x0102 + 79,
              100'000'000'000,
              0x7000'0000'0001});
    f.AddHop({1000, 128, 5, 80 * 65536, 123, 0x2});
    const Bytes bytes = Write(f);
    EXPECT_EQ(bytes[BTH + 4], 0x20 | 3);
    // path ID: 1 ^ 2 ^ 0x7000 << 32 in groups of 12 bits = 0x003 ^ 0x700
    EXPECT_EQ(ToHex(Bytes(bytes.begin() + BODY, bytes.begin() + BODY + 26)),
              "0102030405060708"
              "2703"
              "3abcdef123450102"
              "000000100001ffff");
    Bytes without = Write(plain);
    EXPECT_EQ(ToHex(Bytes(bytes.end() - 4, bytes.end())),
              ToHex(Bytes(without.end() - 4, without.end())));
    Bytes stamped = bytes; // a hop writes its record in place
    stamped[BODY + 17] ^= 0xff;
    EXPECT_EQ(Rejection(stamped), "");
    stamped[BODY + 26] ^= 1; // but the payload is covered
    EXPECT_NE(Rejection(stamped).find("ICRC"), std::string::npos);

    {
        TestFrame used; // leaves used records in the pool for the next reader
        used.AddHop({9, 9, 9, 9, 9, 9});
        used.AddHop({9, 9, 9, 9, 9, 9});
    }
    TestFrame back; // what the wire can say, without a sidecar
    Read(bytes, back);
    EXPECT_EQ(back.payloadBytes, 1000);
    EXPECT_EQ(back.sentPs, f.sentPs);
    EXPECT_EQ(back.flags, FRAME_TIMESTAMP);
    EXPECT_EQ(back.telemetryBytes, 26u);
    ASSERT_TRUE(back.telemetry);
    ASSERT_EQ(back.telemetry.hops, 2u);
    const IntHop& hop = back.telemetry.At(0);
    EXPECT_EQ(hop.timePs, 0xabcdef * 1000LL);
    EXPECT_EQ(hop.txBytes, 0x12345u * 128);
    EXPECT_EQ(hop.rxBytes, 0u);
    EXPECT_EQ(hop.queueBytes, 0x102u * 80);
    EXPECT_EQ(hop.rateBps, 100'000'000'000u);
    EXPECT_EQ(hop.hopId, 0x703u);
    EXPECT_EQ(back.telemetry.At(1).rateBps, 0u);
    EXPECT_EQ(back.telemetry.At(1).queueBytes, 65535u * 80);
    EXPECT_EQ(back.telemetry.At(1).hopId, 0u);

    f.telemetryBytes = 8 + 2 + 8 + 3; // cut inside the second hop
    Bytes cut = Write(f);
    EXPECT_EQ(cut[BTH + 4], 0x20 | 31);
    EXPECT_EQ(ToHex(Bytes(cut.begin() + BODY, cut.begin() + BODY + 21)),
              ToHex(Bytes(bytes.begin() + BODY, bytes.begin() + BODY + 21)));
    EXPECT_NE(Rejection(cut).find("expected a sidecar"), std::string::npos);
    WireOptions known;
    known.telemetryBytes = 21;
    TestFrame one;
    Read(cut, one, known);
    EXPECT_EQ(one.telemetry.hops, 1u);
    f.telemetryBytes = 8 + 42; // filled to five hops
    Bytes filled = Write(f);
    EXPECT_EQ(Field(filled, BODY + 26, 8) | Field(filled, BODY + 34, 8), 0u);
    TestFrame two;
    Read(filled, two);
    EXPECT_EQ(two.telemetry.hops, 2u);
    EXPECT_EQ(two.payloadBytes, 1000);
    f.telemetryBytes = 0; // free of charge: nothing on the wire
    EXPECT_EQ(ToHex(Write(f)), ToHex(without));
}

TEST(WireFormat, TwentyHopsOnTheWire)
{
    TestFrame f;
    MakeData(f, FRAME_LAST, 3, 64, 2 + 8 * 20);
    for (uint64_t i = 1; i <= 20; ++i)
    {
        f.AddHop({static_cast<int64_t>(i) * 1000, i * 128, 0, i * 80, 400'000'000'000, 0});
    }
    Bytes bytes = Write(f);
    EXPECT_EQ(bytes[BODY] >> 4, 15); // saturated
    TestFrame back;
    Read(bytes, back);
    ExpectSame(f, back);
}

TEST(WireFormat, RateCodes)
{
    const uint64_t gbps[] = {0, 25, 50, 100, 200, 400, 800, 1600, 10, 40, 1200, 2400, 3200, 1};
    for (uint8_t code = 0; code < 16; ++code)
    {
        uint64_t rate = code < std::size(gbps) ? gbps[code] * 1'000'000'000 : 0;
        EXPECT_EQ(RateOfCode(code), rate);
        EXPECT_EQ(WireFormat::RateCode(rate), rate ? code : 0);
    }
    EXPECT_EQ(WireFormat::RateCode(99'999'999'999), 0);
}

} // namespace
