/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/roce-wire-format.h"

#include "ns3/roce-frame-extension.h"
#include "ns3/roce-wire-internal.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <string>

namespace ns3
{
namespace roce
{

using namespace wire;

namespace
{

void
PutMac(Bytes& out, uint32_t nic)
{
    for (uint8_t byte : WireFormat::MacOfNic(nic))
    {
        out.push_back(byte);
    }
}

void
WritePfc(Bytes& out, const Frame& frame)
{
    Put(out, PFC_DESTINATION, 6);
    PutMac(out, frame.src);
    Put(out, ETHERTYPE_MAC_CONTROL, 2);
    Put(out, PFC_OPCODE, 2);
    Put(out, frame.classEnable, 2);
    for (uint16_t quanta : frame.quanta)
    {
        Put(out, quanta, 2);
    }
}

uint8_t
OpcodeOf(const Frame& frame)
{
    switch (frame.kind)
    {
    case FrameKind::DATA:
        if (frame.flags & FRAME_FIRST)
        {
            return frame.flags & FRAME_LAST ? WRITE_ONLY : WRITE_FIRST;
        }
        return frame.flags & FRAME_LAST ? WRITE_LAST : WRITE_MIDDLE;
    case FrameKind::ACK:
    case FrameKind::NAK:
    case FrameKind::NOTIFICATION:
        return ACKNOWLEDGE;
    default:
        return CNP_OPCODE;
    }
}

void
CheckWritable(const Frame& frame)
{
    if (frame.src > WireFormat::MAX_NIC_INDEX || frame.dst > WireFormat::MAX_NIC_INDEX)
    {
        Fail("NIC index " + std::to_string(std::max(frame.src, frame.dst)) + ", at most " +
             std::to_string(WireFormat::MAX_NIC_INDEX) + " has an address");
    }
    if (static_cast<unsigned>(frame.kind) >= N_FRAME_KINDS)
    {
        Fail("unknown frame kind " + std::to_string(static_cast<unsigned>(frame.kind)));
    }
    if (frame.trafficClass >= N_CLASSES)
    {
        Fail("traffic class " + std::to_string(frame.trafficClass) + ", expected 0..7");
    }
    if (frame.dstQp > WireFormat::MAX_QP)
    {
        Fail("queue pair " + Hex(frame.dstQp) + " has more than 24 bits");
    }
    if (frame.kind == FrameKind::PFC)
    {
        return;
    }
    if (frame.dscp > 63 || frame.ecn > 3)
    {
        Fail("DSCP " + std::to_string(frame.dscp) + ", ECN " + std::to_string(frame.ecn) +
             ", expected 0..63, 0..3");
    }
    uint64_t plain =
        WireFormat::FrameBytes(frame.kind, frame.payloadBytes, frame.flags & FRAME_FIRST, 0);
    uint64_t ipBytes =
        plain - ETHERNET_HEADER_BYTES - FCS_BYTES + frame.telemetryBytes +
        FrameExtension::BytesIn(frame) +
        (frame.kind == FrameKind::DATA && frame.flags & FRAME_CODED ? CODE_HEADER_BYTES : 0);
    if (ipBytes > UINT16_MAX)
    {
        Fail("IP packet of " + std::to_string(ipBytes) + " bytes, at most 65535 can be");
    }
}

void
WriteRoce(Bytes& out, const Frame& frame, const WireOptions& options)
{
    uint8_t opcode = OpcodeOf(frame);
    bool isData = frame.kind == FrameKind::DATA;
    bool isCnp = frame.kind == FrameKind::CNP;
    bool first = frame.flags & FRAME_FIRST;
    bool sack = opcode == ACKNOWLEDGE && (frame.flags & FRAME_SACK);
    const bool coded = frame.flags & FRAME_CODED && !isCnp;
    uint32_t ipBytes =
        WireFormat::FrameBytes(frame.kind, frame.payloadBytes, first, frame.telemetryBytes) -
        ETHERNET_HEADER_BYTES - FCS_BYTES + FrameExtension::BytesIn(frame) +
        (sack ? SACK_BYTES : 0) + (coded && isData ? CODE_HEADER_BYTES : 0);

    PutMac(out, frame.dst);
    PutMac(out, frame.src);
    Put(out, ETHERTYPE_IPV4, 2);
    Put(out, 0x4500 | frame.dscp << 2 | frame.ecn, 2);
    Put(out, ipBytes, 2);
    Put(out, 0x00004000, 4); // identification 0, do not fragment
    Put(out, frame.ttl, 1);
    Put(out, IP_PROTOCOL_UDP, 1);
    Put(out, 0, 2);
    Put(out, WireFormat::Ipv4OfNic(frame.src), 4);
    Put(out, WireFormat::Ipv4OfNic(frame.dst), 4);
    uint16_t checksum = IpChecksum(&out[IP_OFFSET]);
    out[IP_OFFSET + 10] = static_cast<uint8_t>(checksum >> 8);
    out[IP_OFFSET + 11] = static_cast<uint8_t>(checksum);

    Put(out, frame.entropy, 2);
    Put(out, WireFormat::UDP_PORT, 2);
    Put(out, ipBytes - IPV4_HEADER_BYTES, 2);
    Put(out, 0, 2); // checksum: none

    Put(out, opcode, 1);
    Put(out, isData ? WireFormat::PadBytes(frame.payloadBytes) << 4 : 0, 1);
    Put(out, 0xffff, 2); // default P_Key
    bool becn = isCnp || (!isData && (frame.flags & FRAME_ECN_ECHO));
    const bool fecn = frame.kind == FrameKind::NOTIFICATION;
    Put(out, (fecn ? FECN : 0) | (becn ? BECN : 0) | TelemetryCode(frame), 1);
    Put(out, frame.dstQp, 3);
    Put(out,
        (frame.flags & FRAME_ACK_REQ ? ACK_REQUEST : 0) | (coded ? CODED : 0) |
            (FrameExtension::BytesIn(frame) ? EXTENDED : 0),
        1);
    Put(out, isCnp ? 0 : frame.psn, 3);
    if (isData && first)
    {
        Put(out, frame.remoteAddress, 8);
        Put(out, frame.rKey, 4);
        Put(out, std::min<uint64_t>(frame.messageBytes, UINT32_MAX), 4);
    }
    if (opcode == ACKNOWLEDGE)
    {
        Put(out, frame.kind == FrameKind::NAK ? AETH_NAK_PSN : AETH_ACK, 1);
        Put(out, frame.msn, 3);
    }
    PutTelemetry(out, frame);
    if (sack)
    {
        Put(out, frame.sackPsn, 8);
        Put(out, frame.sackBits, 8);
    }
    if (coded && isData)
    {
        Put(out, frame.msn, CODE_HEADER_BYTES);
    }
    FrameExtension::Write(frame, out);
    if (isData && options.payload)
    {
        out.insert(out.end(), options.payload, options.payload + frame.payloadBytes);
    }
    out.resize(IP_OFFSET + ipBytes, 0); // zero payload, pad, CNP's 16 bytes, ICRC
    if (options.icrc == IcrcMode::REAL)
    {
        uint32_t icrc = WireFormat::ComputeIcrc(out.data(), out.size(), frame.telemetryBytes);
        out.resize(out.size() - ICRC_BYTES);
        PutCrc(out, icrc);
    }
}

} // namespace

void
wire::PutCrc(Bytes& out, uint32_t crc)
{
    for (unsigned i = 0; i < 4; ++i)
    {
        out.push_back(static_cast<uint8_t>(crc >> (8 * i)));
    }
}

uint32_t
wire::GetCrc(const uint8_t* p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | static_cast<uint32_t>(p[3]) << 24;
}

uint32_t
wire::Crc32(const uint8_t* p, size_t n)
{
    boost::crc_32_type crc;
    crc.process_bytes(p, n);
    return crc.checksum();
}

uint16_t
wire::IpChecksum(const uint8_t* header)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < IPV4_HEADER_BYTES; i += 2)
    {
        sum += i == 10 ? 0 : static_cast<uint32_t>(Get(header + i, 2));
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

Layout
wire::Locate(const uint8_t* b, size_t n)
{
    if (n < MIN_ROCE_BYTES)
    {
        Fail("frame of " + std::to_string(n) +
             " bytes is too short for RoCEv2, expected at least " + std::to_string(MIN_ROCE_BYTES));
    }
    if (b[IP_OFFSET] != 0x45)
    {
        Fail("IP version and header length " + Hex(b[IP_OFFSET]) + ", expected 0x45");
    }
    if (b[IP_OFFSET + 9] != IP_PROTOCOL_UDP)
    {
        Fail("IP protocol " + std::to_string(b[IP_OFFSET + 9]) + ", expected 17 (UDP)");
    }
    uint64_t port = Get(b + UDP_OFFSET + 2, 2);
    if (port != WireFormat::UDP_PORT)
    {
        Fail("UDP destination port " + std::to_string(port) + ", expected 4791 (RoCEv2)");
    }
    uint32_t ipBytes = static_cast<uint32_t>(Get(b + IP_OFFSET + 2, 2));
    if (ipBytes < MIN_ROCE_BYTES - IP_OFFSET || ipBytes > n - IP_OFFSET)
    {
        Fail("IP total length " + std::to_string(ipBytes) + " in a frame of " + std::to_string(n) +
             " bytes, expected " + std::to_string(MIN_ROCE_BYTES - IP_OFFSET) + ".." +
             std::to_string(n - IP_OFFSET));
    }
    uint64_t udpBytes = Get(b + UDP_OFFSET + 4, 2);
    if (udpBytes != ipBytes - IPV4_HEADER_BYTES)
    {
        Fail("UDP length " + std::to_string(udpBytes) + ", expected " +
             std::to_string(ipBytes - IPV4_HEADER_BYTES) + " (IP total length - 20)");
    }
    Layout layout{BTH_OFFSET + BTH_BYTES, IP_OFFSET + ipBytes - ICRC_BYTES};
    switch (b[BTH_OFFSET])
    {
    case WRITE_FIRST:
    case WRITE_ONLY:
        layout.extendedEnd += RETH_BYTES;
        break;
    case ACKNOWLEDGE:
        layout.extendedEnd += AETH_BYTES;
        break;
    case WRITE_MIDDLE:
    case WRITE_LAST:
    case CNP_OPCODE:
        break;
    default:
        Fail("unknown BTH opcode " + Hex(b[BTH_OFFSET]) +
             ", expected RC WRITE (0x6, 0x7, 0x8, 0xa), ACK (0x11) or CNP (0x81)");
    }
    if (layout.extendedEnd > layout.icrcOffset)
    {
        Fail("IP total length " + std::to_string(ipBytes) + " is too short for the headers of " +
             "BTH opcode " + Hex(b[BTH_OFFSET]));
    }
    return layout;
}

std::vector<uint8_t>
WireFormat::Serialize(const Frame& frame, const Options& options)
{
    CheckWritable(frame);
    Bytes out;
    if (frame.kind == FrameKind::PFC)
    {
        WritePfc(out, frame);
    }
    else
    {
        out.reserve(FrameBytes(FrameKind::DATA, frame.payloadBytes, true, frame.telemetryBytes));
        WriteRoce(out, frame, options);
    }
    out.resize(std::max<size_t>(out.size(), MIN_NO_FCS_BYTES), 0);
    if (options.fcs)
    {
        PutCrc(out, Crc32(out.data(), out.size()));
    }
    return out;
}

uint32_t
WireFormat::ComputeIcrc(const uint8_t* bytes, size_t size, uint32_t telemetryBytes)
{
    Layout layout = Locate(bytes, size);
    if (telemetryBytes > layout.icrcOffset - layout.extendedEnd)
    {
        Fail("telemetry of " + std::to_string(telemetryBytes) + " bytes is longer than the frame");
    }
    uint8_t head[8 + IPV4_HEADER_BYTES + UDP_HEADER_BYTES + BTH_BYTES];
    std::fill(head, head + 8, 0xff);
    std::copy(bytes + IP_OFFSET, bytes + BTH_OFFSET + BTH_BYTES, head + 8);
    uint8_t* ip = head + 8;
    uint8_t* udp = ip + IPV4_HEADER_BYTES;
    for (unsigned variable : {1, 8, 10, 11}) // ToS, TTL, checksum
    {
        ip[variable] = 0xff;
    }
    udp[6] = udp[7] = 0xff; // checksum
    udp[UDP_HEADER_BYTES + MASKED_BTH_BYTE] = 0xff;
    for (uint8_t* length : {ip + 2, udp + 4})
    {
        uint64_t plain = Get(length, 2) - telemetryBytes;
        length[0] = static_cast<uint8_t>(plain >> 8);
        length[1] = static_cast<uint8_t>(plain);
    }
    uint32_t extended = BTH_OFFSET + BTH_BYTES;
    uint32_t payload = layout.extendedEnd + telemetryBytes;
    boost::crc_32_type crc;
    crc.process_bytes(head, sizeof(head));
    crc.process_bytes(bytes + extended, layout.extendedEnd - extended);
    crc.process_bytes(bytes + payload, layout.icrcOffset - payload);
    return crc.checksum();
}

uint64_t
WireFormat::ExpandPsn(uint32_t wirePsn, uint64_t reference)
{
    uint64_t ahead = (wirePsn - reference) & PSN_MASK;
    uint64_t above = reference + ahead;
    bool nearerBelow = ahead >= (PSN_MASK + 1) / 2 && above > PSN_MASK;
    return nearerBelow ? above - (PSN_MASK + 1) : above;
}

std::array<uint8_t, 6>
WireFormat::MacOfNic(uint32_t nic)
{
    uint64_t mac = NIC_MAC_PREFIX | (nic + 1);
    std::array<uint8_t, 6> out;
    for (unsigned i = 0; i < 6; ++i)
    {
        out[i] = static_cast<uint8_t>(mac >> (40 - 8 * i));
    }
    return out;
}

uint32_t
WireFormat::Ipv4OfNic(uint32_t nic)
{
    return NIC_IPV4_PREFIX + nic + 1;
}

} // namespace roce
} // namespace ns3
