// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WIRE_FORMAT_TEST_UTIL_H
#define ROCE_WIRE_FORMAT_TEST_UTIL_H

#include "roce-error-of.h"
#include "wire-reader.h"

#include "ns3/roce-uno-erasure-receiver.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::roce
{

/// What the tests of WireFormat share: frames to write, and comparison.
namespace wiretest
{

constexpr size_t IP = 14;
constexpr size_t UDP = 34;
constexpr size_t BTH = 42;
constexpr size_t BODY = 54; // behind BTH

inline std::string
ToHex(const Bytes& bytes)
{
    const char* digits = "0123456789abcdef";
    std::string text;
    for (uint8_t byte : bytes)
    {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

inline uint64_t
Field(const Bytes& bytes, size_t at, size_t n)
{
    return Get(&bytes.at(at), static_cast<unsigned>(n));
}

/// A frame that owns its telemetry.
struct TestFrame : Frame
{
    TestFrame()
        : Frame{}
    {
        ttl = 64;
    }

    ~TestFrame()
    {
        FramePool::FreeInt(telemetry);
    }

    TestFrame(const TestFrame&) = delete;
    TestFrame& operator=(const TestFrame&) = delete;

    void AddHop(const IntHop& hop)
    {
        telemetry = telemetry ? telemetry : FramePool::AllocInt();
        telemetry.Append() = hop;
    }
};

/// @return whether a frame of this kind has an AETH
inline bool
HasAeth(FrameKind kind)
{
    return kind == FrameKind::ACK || kind == FrameKind::NAK || kind == FrameKind::NOTIFICATION;
}

/// DATA frame from NIC 0 to NIC 1 as in the golden bytes.
inline void
MakeData(Frame& f, uint8_t flags, uint64_t psn, uint16_t payloadBytes, uint32_t telemetryBytes = 0)
{
    f.kind = FrameKind::DATA;
    f.dst = 1;
    f.ecn = ECN_ECT0;
    f.entropy = 49152;
    f.dstQp = 0x11;
    f.flags = flags;
    f.psn = psn;
    f.payloadBytes = payloadBytes;
    f.telemetryBytes = telemetryBytes;
    f.frameBytes =
        WireFormat::FrameBytes(f.kind, payloadBytes, flags & FRAME_FIRST, telemetryBytes);
    if (flags & FRAME_FIRST)
    {
        f.remoteAddress = 0x1000;
        f.rKey = 0x1234;
        f.messageBytes = 16;
    }
}

/// ACK, NAK or CNP from NIC 1 to NIC 0 as in the golden bytes.
inline void
MakeControl(Frame& f, FrameKind kind, uint64_t psn, uint32_t msn, uint8_t dscp = 0)
{
    f.kind = kind;
    f.src = 1;
    f.entropy = 49153;
    f.dataEntropy = HasAeth(kind) ? f.entropy : 0;
    f.dstQp = 0xd2;
    f.psn = psn;
    f.msn = msn;
    f.dscp = dscp;
    f.trafficClass = dscp >> 3;
    f.frameBytes = WireFormat::FrameBytes(kind, 0, false, 0);
}

inline void
MakePfc(Frame& f, uint16_t quanta)
{
    f.kind = FrameKind::PFC;
    f.src = 8;
    f.ttl = 0;
    f.classEnable = 1 << 3;
    f.SetQuanta(3, quanta);
    f.frameBytes = PFC_FRAME_BYTES;
}

/// @return the reason for which the bytes are rejected, or "" if they are not
inline std::string
Rejection(const Bytes& bytes, const WireOptions& options = {}, const Bytes* sidecar = nullptr)
{
    TestFrame f;
    const std::string error =
        test::ErrorOf<std::invalid_argument>([&] { Read(bytes, f, options, sidecar); });
    EXPECT_EQ(error.find('\n'), std::string::npos);
    return error == "no error" ? "" : error;
}

inline void
FixIpChecksum(Bytes& b)
{
    const uint16_t sum = IpChecksum(&b[IP]);
    b[IP + 10] = static_cast<uint8_t>(sum >> 8);
    b[IP + 11] = static_cast<uint8_t>(sum);
}

/// Expect that every field with a meaning is the same.
inline void
ExpectSame(const Frame& a, const Frame& b)
{
    bool pfc = a.kind == FrameKind::PFC;
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.psn, b.psn);
    EXPECT_EQ(a.frameBytes, b.frameBytes);
    EXPECT_EQ(a.src, b.src);
    EXPECT_EQ(a.dst, b.dst);
    EXPECT_EQ(a.dstQp, b.dstQp);
    EXPECT_EQ(a.srcQp, b.srcQp);
    EXPECT_EQ(a.payloadBytes, b.payloadBytes);
    EXPECT_EQ(a.entropy, b.entropy);
    EXPECT_EQ(a.trafficClass, b.trafficClass);
    EXPECT_EQ(a.ecn, b.ecn);
    EXPECT_EQ(a.flags, b.flags);
    EXPECT_EQ(a.ttl, b.ttl);
    EXPECT_EQ(a.dscp, b.dscp);
    EXPECT_EQ(a.sentPs, b.sentPs);
    EXPECT_EQ(a.remoteHoldPs, b.remoteHoldPs);
    EXPECT_EQ(a.messageBytes, b.messageBytes);
    EXPECT_EQ(a.remoteAddress, b.remoteAddress);
    EXPECT_EQ(a.rKey, b.rKey);
    EXPECT_EQ(a.msn, b.msn);
    ASSERT_EQ(a.GetExtension(0), b.GetExtension(0));
    if (const auto* x = a.FindExtension<UnoErasureHeader>())
    {
        const BlockPlace& y = b.FindExtension<UnoErasureHeader>()->place;
        EXPECT_EQ(std::tie(x->place.index, x->place.data, x->place.total, x->place.last),
                  std::tie(y.index, y.data, y.total, y.last));
    }
    EXPECT_EQ(a.telemetryBytes, b.telemetryBytes);
    EXPECT_EQ(a.ackedPackets, b.ackedPackets);
    EXPECT_EQ(a.dataEntropy, b.dataEntropy);
    EXPECT_EQ(a.classEnable, b.classEnable);
    for (unsigned i = 0; pfc && i < N_CLASSES; ++i)
    {
        EXPECT_EQ(a.GetQuanta(i), b.GetQuanta(i));
    }
    ASSERT_EQ(bool{a.telemetry}, bool{b.telemetry});
    ASSERT_TRUE(!a.telemetry || a.telemetry.hops == b.telemetry.hops);
    for (uint32_t i = 0; a.telemetry && i < a.telemetry.hops; ++i)
    {
        const IntHop& x = a.telemetry.At(i);
        const IntHop& y = b.telemetry.At(i);
        EXPECT_EQ(x.timePs, y.timePs);
        EXPECT_EQ(x.txBytes, y.txBytes);
        EXPECT_EQ(x.rxBytes, y.rxBytes);
        EXPECT_EQ(x.queueBytes, y.queueBytes);
        EXPECT_EQ(x.rateBps, y.rateBps);
        EXPECT_EQ(x.hopId, y.hopId);
    }
}

} // namespace wiretest
} // namespace ns3::roce

#endif /* ROCE_WIRE_FORMAT_TEST_UTIL_H */
