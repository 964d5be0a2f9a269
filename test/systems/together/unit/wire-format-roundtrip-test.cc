// SPDX-License-Identifier: GPL-2.0-only
#include "wire-format-test-util.h"

#include <algorithm>
#include <random>

using namespace ns3::roce;
using namespace ns3::roce::wiretest;

namespace
{

/// Expect that the bytes alone, without a sidecar, restore all that the wire has a place for.
void
ExpectWireAlone(const Frame& f, const Bytes& bytes, WireOptions options)
{
    options.telemetryBytes = f.telemetryBytes;
    TestFrame seen;
    ASSERT_NO_THROW(Read(bytes, seen, options));
    EXPECT_EQ(seen.kind, f.kind);
    EXPECT_EQ(seen.src, f.src);
    EXPECT_EQ(seen.frameBytes, f.frameBytes);
    if (f.kind == FrameKind::PFC)
    {
        return;
    }
    bool data = f.kind == FrameKind::DATA;
    bool reth = data && (f.flags & FRAME_FIRST);
    bool aeth = HasAeth(f.kind);
    bool stamped = (f.flags & FRAME_TIMESTAMP) && f.telemetryBytes >= 8;
    unsigned carried = FRAME_ACK_REQ | (data ? FRAME_FIRST | FRAME_LAST : 0) |
                       (aeth ? FRAME_ECN_ECHO | FRAME_SACK : 0) | (stamped ? FRAME_TIMESTAMP : 0) |
                       (data || aeth ? FRAME_CODED : 0);
    bool sack = aeth && (f.flags & FRAME_SACK);
    EXPECT_EQ(seen.flags, f.flags & carried);
    EXPECT_EQ(seen.psn, f.kind == FrameKind::CNP ? 0 : f.psn & 0xffffff);
    EXPECT_EQ(seen.dst, f.dst);
    EXPECT_EQ(seen.dstQp, f.dstQp);
    EXPECT_EQ(seen.telemetryBytes, f.telemetryBytes);
    EXPECT_EQ(seen.sentPs, stamped ? f.sentPs : 0);
    EXPECT_EQ(seen.msn, aeth ? f.msn & 0xffffff : 0);
    EXPECT_EQ(seen.remoteAddress, reth || sack ? f.remoteAddress : 0); // or sackBits
    EXPECT_EQ(seen.rKey, reth ? f.rKey : 0);
    const bool answers =
        f.kind == FrameKind::ACK || (f.kind == FrameKind::NAK && !(f.flags & FRAME_CODED));
    EXPECT_EQ(seen.dataEntropy, answers ? f.entropy : 0);
    EXPECT_EQ(seen.messageBytes, // or sackPsn
              sack   ? f.sackPsn
              : reth ? std::min<uint64_t>(f.messageBytes, UINT32_MAX)
                     : 0);
}

/// A frame with all fields at random; big and small values.
void
Randomise(TestFrame& f, std::mt19937_64& rng)
{
    auto below = [&rng](uint64_t n) { return rng() % n; };
    auto any = [&rng, &below](unsigned bits) { return rng() >> (64 - 1 - below(bits)); };
    f.kind = static_cast<FrameKind>(below(static_cast<unsigned>(FrameKind::PACKET)));
    f.src = static_cast<uint32_t>(below(WireFormat::MAX_NIC_INDEX + 1));
    f.dst = static_cast<uint32_t>(below(WireFormat::MAX_NIC_INDEX + 1));
    f.psn = any(64);
    f.dstQp = static_cast<uint32_t>(below(WireFormat::MAX_QP + 1));
    f.srcQp = static_cast<uint32_t>(any(32));
    f.flags = static_cast<uint8_t>(below(256));
    f.trafficClass = static_cast<uint8_t>(below(N_CLASSES));
    f.sentPs = static_cast<int64_t>(any(63));
    f.remoteHoldPs = static_cast<int64_t>(any(63)) - 1;
    f.messageBytes = any(64);
    f.remoteAddress = any(64);
    f.rKey = static_cast<uint32_t>(any(32));
    f.msn = static_cast<uint32_t>(any(32));
    f.ackedPackets = static_cast<uint32_t>(any(32));
    f.dataEntropy = static_cast<uint16_t>(any(16));
    if (f.kind == FrameKind::PFC)
    {
        f.ttl = 0;
        f.classEnable = static_cast<uint8_t>(any(8));
        for (unsigned c = 0; c < N_CLASSES; ++c)
        {
            f.SetQuanta(c, static_cast<uint16_t>(any(16)));
        }
        f.frameBytes = PFC_FRAME_BYTES;
        return;
    }
    f.entropy = static_cast<uint16_t>(any(16));
    f.ecn = static_cast<uint8_t>(below(4));
    f.dscp = static_cast<uint8_t>(below(64));
    f.ttl = static_cast<uint8_t>(below(256));
    f.payloadBytes = static_cast<uint16_t>(f.kind == FrameKind::DATA ? below(4097) : 0);
    uint32_t hops = static_cast<uint32_t>(below(21));
    for (uint32_t i = 0; i < hops; ++i)
    {
        uint64_t rate = below(4) ? RateOfCode(static_cast<uint8_t>(below(14))) : any(45);
        f.AddHop({static_cast<int64_t>(any(63)), any(64), any(64), any(40), rate, any(64)});
    }
    uint32_t natural = (f.flags & FRAME_TIMESTAMP ? 8 : 0) + (hops ? 2 + 8 * hops : 0);
    switch (below(4))
    {
    case 0:
        f.telemetryBytes = static_cast<uint16_t>(below(300)); // any charge: cut or filled
        break;
    case 1:
        f.telemetryBytes = 42;
        break;
    default:
        f.telemetryBytes = natural;
    }
    f.frameBytes =
        WireFormat::FrameBytes(f.kind, f.payloadBytes, f.flags & FRAME_FIRST, f.telemetryBytes);
    bool aeth = HasAeth(f.kind);
    f.frameBytes += aeth && (f.flags & FRAME_SACK) ? SACK_BYTES : 0;
    if (f.kind == FrameKind::DATA && (f.flags & FRAME_CODED))
    {
        f.Extend<UnoErasureHeader>().place = {static_cast<uint8_t>(below(64)),
                                              static_cast<uint8_t>(below(64)),
                                              static_cast<uint8_t>(below(65)),
                                              below(2) != 0};
    }
}

TEST(WireFormat, SidecarMakesRoundTripTheIdentity)
{
    std::mt19937_64 rng(20260101);
    unsigned kinds[N_FRAME_KINDS] = {};
    unsigned deep = 0;
    for (int n = 0; n < 10000 && !HasFailure(); ++n)
    {
        SCOPED_TRACE(n);
        TestFrame f;
        Randomise(f, rng);
        ++kinds[static_cast<int>(f.kind)];
        deep += f.telemetry && f.telemetry.hops > 16;
        WireOptions options;
        options.fcs = n & 1;
        options.icrc = n & 2 ? IcrcMode::ZERO : IcrcMode::REAL;
        Bytes bytes = Write(f, options);
        ExpectWireAlone(f, bytes, options);
        Bytes sidecar = WriteSidecar(f);
        TestFrame back;
        back.AddHop({1, 2, 3, 4, 5, 6}); // must be given back, not leak into the result
        back.timePs = 42;
        back.inPort = 7;
        Frame link{};
        back.next = &link;
        ASSERT_NO_THROW(Read(bytes, back, options, &sidecar));
        ExpectSame(f, back);
        EXPECT_EQ(back.timePs, 42);
        EXPECT_EQ(back.inPort, 7);
        EXPECT_EQ(back.next, &link);
        EXPECT_EQ(Write(back, options), bytes);
    }
    for (unsigned k = 0; k < static_cast<unsigned>(FrameKind::PACKET); ++k)
    {
        EXPECT_GT(kinds[k], 1000u) << k;
    }
    EXPECT_GT(deep, 500u);
}

TEST(WireFormat, WithoutSidecarTheWireSaysWhatItCan)
{
    TestFrame f;
    MakeData(f, FRAME_FIRST | FRAME_RETX, (7ULL << 24) + 0x123456, 1000);
    f.messageBytes = (1ULL << 32) + 5;
    f.srcQp = 9;
    f.dscp = 26;
    f.trafficClass = 5;
    f.remoteHoldPs = 12;
    TestFrame back;
    Read(Write(f), back);
    EXPECT_EQ(back.psn, 0x123456u);
    EXPECT_EQ(back.messageBytes, UINT32_MAX);
    EXPECT_EQ(back.remoteAddress, 0x1000u);
    EXPECT_EQ(back.rKey, 0x1234u);
    EXPECT_EQ(back.flags, FRAME_FIRST);
    EXPECT_EQ(back.srcQp, 0u);
    EXPECT_EQ(back.trafficClass, 26 >> 3);
    EXPECT_EQ(back.remoteHoldPs, 0);
    EXPECT_EQ(back.frameBytes, f.frameBytes);
    EXPECT_FALSE(back.telemetry);
    TestFrame ack;
    MakeControl(ack, FrameKind::ACK, 5, (1 << 24) + 2);
    ack.flags = FRAME_ECN_ECHO;
    ack.ackedPackets = 3;
    Bytes bytes = Write(ack);
    EXPECT_EQ(bytes[BTH + 4], 0x40); // BECN
    Read(bytes, back);
    EXPECT_EQ(back.flags, FRAME_ECN_ECHO);
    EXPECT_EQ(back.msn, 2u);
    EXPECT_EQ(back.ackedPackets, 0u);
    EXPECT_EQ(back.messageBytes, 0u);
}

// The place in the block stands behind the telemetry, a bit behind AckReq says so.
TEST(WireFormat, CodedFrames)
{
    TestFrame data;
    MakeData(data, FRAME_CODED | FRAME_TIMESTAMP, 7, 10, TIMESTAMP_BYTES);
    data.Extend<UnoErasureHeader>().place = {9, 8, 10, true};
    const Bytes bytes = Write(data);
    EXPECT_EQ(Field(bytes, BTH + 8, 1), 0x60u) << "coded, extended";
    EXPECT_EQ(Field(bytes, BODY + TIMESTAMP_BYTES, 4), 0x09080a01u);
    EXPECT_EQ(bytes.size() + FCS_BYTES, data.frameBytes);
    TestFrame back;
    Read(bytes, back);
    EXPECT_EQ(back.flags, FRAME_CODED | FRAME_TIMESTAMP);
    ExpectSame(data, back);
    EXPECT_EQ(back.payloadBytes, 10u);
    // Without payload, as parity of an empty message.
    TestFrame empty;
    MakeData(empty, FRAME_CODED | FRAME_ACK_REQ, 7, 0);
    empty.Extend<UnoErasureHeader>().place = {2, 1, 3, true};
    Read(Write(empty), back);
    EXPECT_EQ(back.flags, FRAME_CODED | FRAME_ACK_REQ);
    ASSERT_TRUE(back.FindExtension<UnoErasureHeader>());
    EXPECT_EQ(back.FindExtension<UnoErasureHeader>()->place.index, 2);
    EXPECT_EQ(back.payloadBytes, 0u);
    for (const FrameKind kind : {FrameKind::ACK, FrameKind::NAK})
    {
        TestFrame reply;
        MakeControl(reply, kind, 5, 1);
        reply.flags = FRAME_CODED | FRAME_SACK;
        reply.sackPsn = 1ULL << 40;
        reply.sackBits = 0x3ff;
        const Bytes replied = Write(reply);
        EXPECT_EQ(Field(replied, BTH + 8, 1), 0x40u);
        Read(replied, back);
        EXPECT_EQ(back.flags, FRAME_CODED | FRAME_SACK);
        EXPECT_EQ(back.msn, 1u);
        EXPECT_EQ(back.sackPsn, 1ULL << 40);
        EXPECT_EQ(back.sackBits, 0x3ffu);
    }
}

TEST(WireFormat, PsnWraps)
{
    const uint64_t wrap = 1 << 24;
    for (uint64_t psn : {wrap - 2, wrap - 1, wrap, wrap + 1, 5 * wrap - 1, 5 * wrap})
    {
        TestFrame f;
        MakeData(f, 0, psn, 64);
        TestFrame back;
        Read(Write(f), back);
        EXPECT_EQ(back.psn, psn % wrap);
    }
}

TEST(WireFormat, RouterChangesAreSeenInSpiteOfASidecar)
{
    for (uint8_t dscp : {0, 26, 48, 63})
    {
        for (uint8_t ecn : {ECN_NOT_ECT, ECN_ECT1, ECN_ECT0, ECN_CE})
        {
            TestFrame f;
            MakeData(f, FRAME_FIRST | FRAME_LAST, (1ULL << 40) + 3, 100);
            f.dscp = dscp;
            f.ecn = ecn;
            f.trafficClass = 3;
            Bytes bytes = Write(f);
            EXPECT_EQ(bytes[IP + 1], dscp << 2 | ecn);
            Bytes sidecar = WriteSidecar(f);
            bytes[IP + 1] |= ECN_CE;
            --bytes[IP + 8];
            bytes[0] = bytes[6] = 0x0a; // next hop's MAC addresses
            FixIpChecksum(bytes);
            TestFrame back;
            Read(bytes, back, {}, &sidecar);
            f.ecn = ECN_CE;
            f.ttl = 63;
            ExpectSame(f, back);
        }
    }
}

TEST(WireFormat, SidecarIsEmptyWhenTheWireSaysAll)
{
    TestFrame f;
    MakeControl(f, FrameKind::ACK, 5, 1, 48);
    EXPECT_EQ(WriteSidecar(f), Bytes{1});
    f.ackedPackets = 300; // tag 17, 300 = 0xac 0x02
    EXPECT_EQ(WriteSidecar(f), (Bytes{1, 17, 0xac, 0x02}));
}

TEST(WireFormat, MalformedBytesAreRejected)
{
    TestFrame data;
    MakeData(data, FRAME_FIRST | FRAME_LAST, 0, 16);
    TestFrame empty;
    MakeData(empty, 0, 0, 0);
    TestFrame ack;
    MakeControl(ack, FrameKind::ACK, 5, 1);
    TestFrame cnp;
    MakeControl(cnp, FrameKind::CNP, 0, 0, 48);
    TestFrame pfc;
    MakePfc(pfc, 9);

    struct
    {
        const Frame& frame;
        size_t at;
        Bytes put;
        const char* reason;
    } const table[] = {
        {data, 12, {0x86, 0xdd}, "EtherType 0x86dd, expected 0x800"},
        {data, IP, {0x46}, "IP version and header length 0x46, expected 0x45"},
        {data, IP + 2, {0, 75}, "UDP length 56, expected 55"},
        {data, IP + 2, {0, 77}, "IP total length 77 in a frame of 90 bytes, expected 44..76"},
        {data, IP + 2, {0, 43}, "IP total length 43 in a frame of 90"},
        {data, IP + 6, {0x60}, "IP fragment (flags and offset 0x6000)"},
        {data, IP + 9, {6}, "IP protocol 6, expected 17"},
        {data, IP + 12, {192}, "IP addresses in 192/8 and 10/8"},
        {data, IP + 13, {0, 0, 0}, "source IP address stands for no NIC: low 24 bits 0x0"},
        {data, IP + 17, {255, 255, 255}, "destination IP address stands for no NIC"},
        {data, UDP + 2, {0x12, 0xb6}, "UDP destination port 4790, expected 4791"},
        {data, UDP + 4, {0, 57}, "UDP length 57, expected 56"},
        {data, BTH, {0x04}, "unknown BTH opcode 0x4"},
        {data, BTH + 1, {0x01}, "BTH transport version 1"},
        {data, BTH + 4, {31}, "telemetry of a length that the frame does not tell"},
        {data, BTH + 4, {5}, "telemetry of 34 bytes, expected 0..16"},
        {data, BTH + 4, {1}, "payload and pad of 14 bytes with pad count 0"},
        {empty, BTH + 1, {0x30}, "payload and pad of 0 bytes with pad count 3"},
        {empty, BTH + 8, {0x40}, "coded data with a body of 0 bytes, expected at least 4"},
        {data, BTH + 8, {0x40}, ""}, // the first four bytes of payload are the place in the block
        {ack, BTH, {0x07}, ""},      // a WRITE middle that carries the AETH as payload
        {ack, BTH + 12, {0x61}, "AETH syndrome 0x61"},
        {ack, BTH + 12, {0x20}, "AETH syndrome 0x20"},
        {ack, BTH, {0x06}, "too short for the headers of BTH opcode 0x6"},
        {ack, BTH, {0x81}, "CNP with a payload of 4 bytes, expected 16"},
        {cnp, BTH, {0x11}, "ACK with a payload of 12 bytes, expected 0, or 16 with a SACK"},
        {pfc, 0, {0xff}, "PFC frame to MAC 0xff80c2000001"},
        {pfc, 6, {0x04}, "PFC frame from MAC 0x40000000009"},
        {pfc, 9, {0, 0, 0}, "PFC source MAC stands for no NIC"},
        {pfc, 14, {0, 1}, "MAC control opcode 0x1, expected 0x101"},
        {pfc, 16, {1}, "PFC class-enable vector 0x108"},
    };

    WireOptions unchecked;
    unchecked.icrc = IcrcMode::ZERO;
    for (const auto& row : table)
    {
        SCOPED_TRACE(row.reason);
        Bytes bytes = Write(row.frame);
        std::copy(row.put.begin(), row.put.end(), bytes.begin() + static_cast<long>(row.at));
        if (row.frame.kind != FrameKind::PFC)
        {
            FixIpChecksum(bytes);
        }
        std::string reason = Rejection(bytes, unchecked);
        EXPECT_NE(reason.find(row.reason), std::string::npos) << reason;
        EXPECT_EQ(reason.empty(), std::string(row.reason).empty());
    }
    Bytes bytes = Write(data);
    bytes[IP + 10] ^= 1;
    EXPECT_NE(Rejection(bytes).find("IP header checksum 0x279d, expected 0x269d"),
              std::string::npos);
    bytes = Write(data);
    bytes.back() ^= 1;
    EXPECT_NE(Rejection(bytes).find("ICRC"), std::string::npos);
    bytes = Write(data);
    bytes.insert(bytes.end(), 4, 0); // an FCS that nobody announced
    EXPECT_NE(Rejection(bytes).find("bytes left over"), std::string::npos);
    WireOptions fcs;
    fcs.fcs = true;
    EXPECT_NE(Rejection(bytes, fcs).find("FCS 0x0, expected"), std::string::npos);
}

TEST(WireFormat, EveryPrefixIsRejected)
{
    TestFrame frames[3];
    MakeData(frames[0], FRAME_FIRST, 0, 30, 26);
    frames[0].AddHop({1, 2, 3, 4, 5, 6});
    MakeControl(frames[1], FrameKind::NAK, 5, 1);
    MakePfc(frames[2], 9);
    for (const TestFrame& f : frames)
    {
        Bytes bytes = Write(f);
        for (size_t n = 0; n < bytes.size(); ++n)
        {
            EXPECT_NE(Rejection(Bytes(bytes.begin(), bytes.begin() + static_cast<long>(n))), "");
        }
        EXPECT_EQ(Rejection(bytes), "");
    }
}

TEST(WireFormat, DamagedBytesAreRejectedOrRead)
{
    std::mt19937_64 rng(7);
    WireOptions unchecked;
    unchecked.icrc = IcrcMode::ZERO;
    unsigned rejected = 0;
    constexpr unsigned runs = 20000;
    for (unsigned n = 0; n < runs; ++n)
    {
        TestFrame f;
        Randomise(f, rng);
        f.payloadBytes &= 63;
        Bytes bytes = Write(f);
        Bytes sidecar = WriteSidecar(f);
        for (unsigned i = 0; i < 3; ++i)
        {
            Bytes& victim = rng() % 2 ? bytes : sidecar;
            victim[rng() % victim.size()] = static_cast<uint8_t>(rng());
        }
        if (f.kind != FrameKind::PFC)
        {
            FixIpChecksum(bytes);
        }
        rejected += !Rejection(bytes, unchecked, &sidecar).empty(); // nothing else is thrown
    }
    EXPECT_GT(rejected, runs / 10);
    EXPECT_LT(rejected, runs);
}

TEST(WireFormat, MalformedSidecarsAreRejected)
{
    TestFrame f;
    MakeData(f, 0, 5, 16);
    Bytes bytes = Write(f);

    struct
    {
        Bytes sidecar;
        const char* reason;
    } const table[] = {
        {{}, "sidecar is empty"},
        {{2}, "sidecar version 2, expected 1"},
        {{1, 99, 0}, "unknown tag 99"},
        {{1, 8}, "ends inside a value"},
        {{1, 8, 0x80}, "ends inside a value"},
        {{1, 17, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2}, "more than 64 bits"},
        {{1, 8, 0x80, 0x80, 0x80, 0x80, 0x10}, "value 0x100000000 of tag 8 exceeds 0xffffffff"},
        {{1, 3, 6}, "sidecar of another frame: its PSN 0x6, the wire's 0x5"},
        {{1, 9, 8}, "traffic class 8"},
        {{1, 1, 3, 0, 0, 0, 0, 0, 0}, "announces 2 INT hops in 6 bytes"},
    };

    for (const auto& row : table)
    {
        EXPECT_NE(Rejection(bytes, {}, &row.sidecar).find(row.reason), std::string::npos)
            << Rejection(bytes, {}, &row.sidecar);
    }
}

TEST(WireFormat, AFailedReadChangesNothing)
{
    TestFrame f;
    MakeData(f, 0, 5, 16, 10);
    f.AddHop({1000, 128, 0, 80, 0, 0});
    Bytes bytes = Write(f);
    const Bytes bad{1, 99};
    TestFrame out;
    out.AddHop({1, 2, 3, 4, 5, 6});
    out.psn = 77;
    IntChunk* telemetry = out.telemetry.first;
    IntStack spare = FramePool::AllocInt();
    FramePool::FreeInt(spare);
    EXPECT_THROW(Read(bytes, out, {}, &bad), std::invalid_argument);
    EXPECT_EQ(out.psn, 77u);
    EXPECT_EQ(out.telemetry.first, telemetry);
    IntStack again = FramePool::AllocInt(); // what the failed read took has come back
    EXPECT_EQ(again.first, spare.first);
    FramePool::FreeInt(again);
}

TEST(WireFormat, FramesThatCannotStandOnTheWire)
{
    auto rejects = [](void (*spoil)(Frame&), const char* reason) {
        TestFrame f;
        MakeData(f, 0, 0, 16);
        spoil(f);
        const std::string error = test::ErrorOf<std::invalid_argument>([&] { Write(f); });
        EXPECT_NE(error.find(reason), std::string::npos) << error;
    };
    rejects([](Frame& f) { f.src = 0xfffffe; }, "NIC index 16777214, at most 16777213");
    rejects([](Frame& f) { f.dst = UINT32_MAX; }, "NIC index 4294967295");
    rejects([](Frame& f) { f.dstQp = 1 << 24; }, "queue pair 16777216 has more than 24 bits");
    rejects([](Frame& f) { f.dscp = 64; }, "DSCP 64");
    rejects([](Frame& f) { f.ecn = 4; }, "ECN 4");
    rejects([](Frame& f) { f.trafficClass = 8; }, "traffic class 8");
    rejects([](Frame& f) { f.kind = static_cast<FrameKind>(N_FRAME_KINDS); },
            "unknown frame kind 7");
    rejects([](Frame& f) { f.payloadBytes = 65500; }, "IP packet of 65544 bytes");
    rejects([](Frame& f) { f.telemetryBytes = UINT16_MAX; }, "IP packet of 65595 bytes");
    TestFrame last;
    MakeData(last, 0, 0, 65488);
    last.src = WireFormat::MAX_NIC_INDEX;
    EXPECT_EQ(ToHex(Write(last)).substr(12, 12), "020000fffffe");
    EXPECT_EQ(WireFormat::Ipv4OfNic(WireFormat::MAX_NIC_INDEX), 0x0afffffeu);
}

} // namespace
