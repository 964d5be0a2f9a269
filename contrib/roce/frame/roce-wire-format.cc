// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wire-format.h"

#include "roce-frame-extension.h"
#include "roce-packet-bytes.h"

#include "ns3/packet.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <iterator>
#include <stdexcept>
#include <string>

namespace ns3::roce
{

using namespace wire;

namespace
{

constexpr uint64_t RATE_GBPS[] = {0, 25, 50, 100, 200, 400, 800, 1600, 10, 40, 1200, 2400, 3200, 1};

[[noreturn]] void
Fail(const std::string& message)
{
    throw std::invalid_argument("wire format: " + message);
}

/// Append the low n bytes of an integer, most significant first.
void
Put(Bytes& out, uint64_t value, unsigned n)
{
    while (n-- > 0)
    {
        out.push_back(static_cast<uint8_t>(value >> (8 * n)));
    }
}

/// RFC 791 header checksum of an IPv4 header in which it is still zero.
uint16_t
IpChecksum(const uint8_t* header)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < IPV4_HEADER_BYTES; i += 2)
    {
        sum += header[i] << 8 | header[i + 1];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

/// The six reserved bits of BTH that describe a frame's telemetry block.
uint8_t
TelemetryCode(const Frame& frame)
{
    uint32_t rest = frame.telemetryBytes;
    uint8_t code = 0;
    if ((frame.flags & FRAME_TIMESTAMP) && rest >= TIMESTAMP_BYTES)
    {
        code = HAS_TIMESTAMP;
        rest -= TIMESTAMP_BYTES;
    }
    if (rest == 0)
    {
        return code;
    }
    if (rest < INT_HEADER_BYTES || (rest - INT_HEADER_BYTES) % INT_HOP_BYTES != 0)
    {
        return code | INT_CODE_OTHER;
    }
    uint32_t intCode = (rest - INT_HEADER_BYTES) / INT_HOP_BYTES + 1;
    return static_cast<uint8_t>(code | std::min<uint32_t>(intCode, INT_CODE_OTHER));
}

/// Appends exactly frame.telemetryBytes bytes.
void
PutTelemetry(Bytes& out, const Frame& frame)
{
    size_t end = out.size() + frame.telemetryBytes;
    bool hasTimestamp = frame.flags & FRAME_TIMESTAMP;
    bool fits = !hasTimestamp || frame.telemetryBytes >= TIMESTAMP_BYTES;
    if (hasTimestamp && fits)
    {
        Put(out, static_cast<uint64_t>(frame.sentPs), TIMESTAMP_BYTES);
    }
    if (frame.telemetry && fits)
    {
        uint32_t hops = frame.telemetry.hops;
        Put(out,
            std::min(hops, INT_MAX_NHOP) << 12 | WireFormat::PathId(frame.telemetry),
            INT_HEADER_BYTES);
        for (uint32_t i = 0; i < hops && out.size() < end; ++i)
        {
            const IntHop& hop = frame.telemetry.At(i);
            uint64_t ns = static_cast<uint64_t>(hop.timePs) / 1000;
            uint64_t record = WireFormat::RateCode(hop.rateBps);
            record = record << 24 | (ns & 0xffffff);
            record = record << 20 | (hop.txBytes / 128 & 0xfffff);
            record = record << 16 | std::min<uint64_t>(hop.queueBytes / 80, 0xffff);
            Put(out, record, INT_HOP_BYTES);
        }
    }
    out.resize(end, 0);
}

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
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        Put(out, frame.GetQuanta(c), 2);
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

bool
HasSack(const Frame& frame)
{
    return OpcodeOf(frame) == ACKNOWLEDGE && frame.flags & FRAME_SACK;
}

/// @return length of the IP packet
uint64_t
IpBytes(const Frame& frame)
{
    // Telemetry is added here, since the sum must not wrap around for what is refused.
    return uint64_t{WireFormat::FrameBytes(frame.kind,
                                           frame.payloadBytes,
                                           frame.flags & FRAME_FIRST,
                                           0)} -
           ETHERNET_HEADER_BYTES - FCS_BYTES + frame.telemetryBytes +
           FrameExtension::BytesIn(frame) + (HasSack(frame) ? SACK_BYTES : 0);
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
        Fail("queue pair " + std::to_string(frame.dstQp) + " has more than 24 bits");
    }
    if (frame.kind == FrameKind::PFC || frame.kind == FrameKind::PACKET)
    {
        return;
    }
    if (frame.dscp > 63 || frame.ecn > 3)
    {
        Fail("DSCP " + std::to_string(frame.dscp) + ", ECN " + std::to_string(frame.ecn) +
             ", expected 0..63, 0..3");
    }
    const uint64_t ipBytes = IpBytes(frame);
    if (ipBytes > UINT16_MAX)
    {
        Fail("IP packet of " + std::to_string(ipBytes) + " bytes, at most 65535 can be");
    }
}

void
WriteRoce(Bytes& out, const Frame& frame)
{
    uint8_t opcode = OpcodeOf(frame);
    bool isData = frame.kind == FrameKind::DATA;
    bool isCnp = frame.kind == FrameKind::CNP;
    bool first = frame.flags & FRAME_FIRST;
    const bool coded = frame.flags & FRAME_CODED && !isCnp;
    const uint64_t ipBytes = IpBytes(frame);

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
            (FrameExtension::BytesIn(frame) ? EXTENDED : 0) |
            (isData && frame.stageMark ? STAGE_MARK : 0),
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
    const size_t telemetryOffset = out.size();
    PutTelemetry(out, frame);
    if (HasSack(frame))
    {
        Put(out, frame.sackPsn, 8);
        Put(out, frame.sackBits, 8);
    }
    FrameExtension::Write(frame, out);
    out.resize(IP_OFFSET + ipBytes - ICRC_BYTES, 0); // payload, pad, CNP's 16 bytes
    const uint32_t icrc =
        WireFormat::ComputeIcrc(out.data(), telemetryOffset, frame.telemetryBytes, out.size());
    for (unsigned i = 0; i < ICRC_BYTES; ++i)
    {
        out.push_back(static_cast<uint8_t>(icrc >> (8 * i)));
    }
}

void
WritePacket(Bytes& out, const Frame& frame)
{
    out.resize(frame.packet->GetSize());
    frame.packet->CopyData(out.data(), static_cast<uint32_t>(out.size()));
    PacketBytes::Write(frame.ecn, frame.ttl, out.data(), out.size());
}

} // namespace

std::vector<uint8_t>
WireFormat::Serialize(const Frame& frame)
{
    CheckWritable(frame);
    Bytes out;
    if (frame.kind == FrameKind::PFC)
    {
        WritePfc(out, frame);
    }
    else if (frame.kind == FrameKind::PACKET)
    {
        WritePacket(out, frame);
    }
    else
    {
        out.reserve(FrameBytes(FrameKind::DATA, frame.payloadBytes, true, frame.telemetryBytes));
        WriteRoce(out, frame);
    }
    out.resize(std::max<size_t>(out.size(), MIN_NO_FCS_BYTES), 0);
    return out;
}

uint32_t
WireFormat::ComputeIcrc(const uint8_t* bytes,
                        size_t telemetryOffset,
                        size_t telemetryBytes,
                        size_t icrcOffset)
{
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
        const size_t plain = (length[0] << 8 | length[1]) - telemetryBytes;
        length[0] = static_cast<uint8_t>(plain >> 8);
        length[1] = static_cast<uint8_t>(plain);
    }
    const size_t extended = BTH_OFFSET + BTH_BYTES;
    const size_t payload = telemetryOffset + telemetryBytes;
    boost::crc_32_type crc;
    crc.process_bytes(head, sizeof(head));
    crc.process_bytes(bytes + extended, telemetryOffset - extended);
    crc.process_bytes(bytes + payload, icrcOffset - payload);
    return crc.checksum();
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

uint8_t
WireFormat::RateCode(uint64_t rateBps)
{
    for (uint8_t code = 1; code < std::size(RATE_GBPS); ++code)
    {
        if (RATE_GBPS[code] * 1'000'000'000 == rateBps)
        {
            return code;
        }
    }
    return 0;
}

uint16_t
WireFormat::PathId(IntStack stack)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < stack.hops; ++i)
    {
        all ^= stack.At(i).hopId;
    }
    uint16_t folded = 0;
    for (; all; all >>= 12)
    {
        folded ^= all & 0xfff;
    }
    return folded;
}

} // namespace ns3::roce
