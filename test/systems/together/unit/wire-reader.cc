// SPDX-License-Identifier: GPL-2.0-only
#include "wire-reader.h"

#include "ns3/roce-uno-erasure-receiver.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace ns3::roce
{
namespace wiretest
{

using namespace wire;

namespace
{

constexpr uint32_t MIN_ROCE_BYTES = DATA_HEADER_BYTES - FCS_BYTES;
constexpr uint8_t INT_CODE_MASK = 0x1f; //!< telemetry code: bits for the INT block's length

void
PutCrc(Bytes& out, uint32_t crc)
{
    for (unsigned i = 0; i < 4; ++i)
    {
        out.push_back(static_cast<uint8_t>(crc >> (8 * i)));
    }
}

uint32_t
GetCrc(const uint8_t* p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | static_cast<uint32_t>(p[3]) << 24;
}

/// CRC-32 of IEEE 802.3.
uint32_t
Crc32(const uint8_t* p, size_t n)
{
    boost::crc_32_type crc;
    crc.process_bytes(p, n);
    return crc.checksum();
}

/// Where the parts of a RoCEv2 frame are; offsets from the MAC header.
struct Layout
{
    uint32_t extendedEnd; //!< behind BTH and RETH or AETH: telemetry, if any
    uint32_t icrcOffset;  //!< the ICRC
};

/// Finds the ICRC, and checks everything that its position depends on.
Layout
Locate(const uint8_t* b, size_t n)
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

void
GetTelemetry(const uint8_t* p, uint8_t code, Frame& frame)
{
    uint32_t rest = frame.telemetryBytes;
    if (code & HAS_TIMESTAMP)
    {
        frame.flags |= FRAME_TIMESTAMP;
        frame.sentPs = static_cast<int64_t>(Get(p, TIMESTAMP_BYTES));
        p += TIMESTAMP_BYTES;
        rest -= TIMESTAMP_BYTES;
    }
    if (rest < INT_HEADER_BYTES)
    {
        return;
    }
    uint32_t slots = (rest - INT_HEADER_BYTES) / INT_HOP_BYTES;
    uint32_t header = static_cast<uint32_t>(Get(p, INT_HEADER_BYTES));
    uint32_t hops = std::min(header >> 12, slots);
    p += INT_HEADER_BYTES;
    // A saturated count: the records go on until the unused, all-zero ones.
    while (header >> 12 == INT_MAX_NHOP && hops < slots && Get(p + INT_HOP_BYTES * hops, 8) != 0)
    {
        ++hops;
    }
    frame.telemetry = FramePool::AllocInt();
    for (uint32_t i = 0; i < hops; ++i)
    {
        uint64_t record = Get(p + INT_HOP_BYTES * i, INT_HOP_BYTES);
        IntHop& hop = frame.telemetry.Append();
        hop = IntHop{};
        hop.rateBps = RateOfCode(static_cast<uint8_t>(record >> 60));
        hop.timePs = static_cast<int64_t>(record >> 36 & 0xffffff) * 1000;
        hop.txBytes = (record >> 16 & 0xfffff) * 128;
        hop.queueBytes = (record & 0xffff) * 80;
        hop.hopId = i == 0 ? header & 0xfff : 0;
    }
}

uint32_t
NicOfAddress(uint64_t low24, const char* what)
{
    if (low24 == 0 || low24 > WireFormat::MAX_NIC_INDEX + 1)
    {
        Fail(std::string(what) + " stands for no NIC: low 24 bits " + Hex(low24));
    }
    return static_cast<uint32_t>(low24 - 1);
}

/// A frame under construction that gives its telemetry back when reading fails.
struct Draft
{
    Draft() = default;
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    ~Draft()
    {
        FramePool::FreeInt(frame.telemetry);
    }

    Frame frame{};
};

void
ReadData(const uint8_t* b, const uint8_t* body, uint32_t bodyBytes, Frame& frame)
{
    if (frame.flags & FRAME_CODED)
    {
        if (bodyBytes < CODE_HEADER_BYTES)
        {
            Fail("coded data with a body of " + std::to_string(bodyBytes) + " bytes, expected at " +
                 "least " + std::to_string(CODE_HEADER_BYTES));
        }
        auto* header = static_cast<UnoErasureHeader*>(UnoErasureHeader::EXTENSION.AddTo(frame));
        header->place = {body[0], body[1], body[2], body[3] != 0};
        bodyBytes -= CODE_HEADER_BYTES;
    }
    uint8_t opcode = b[BTH_OFFSET];
    uint32_t pad = b[BTH_OFFSET + 1] >> 4 & 3;
    frame.kind = FrameKind::DATA;
    if (pad > bodyBytes || bodyBytes % 4 != 0)
    {
        Fail("payload and pad of " + std::to_string(bodyBytes) + " bytes with pad count " +
             std::to_string(pad) + ", expected a multiple of 4 not less than the pad");
    }
    frame.payloadBytes = static_cast<uint16_t>(bodyBytes - pad);
    if (opcode == WRITE_FIRST || opcode == WRITE_ONLY)
    {
        const uint8_t* reth = b + BTH_OFFSET + BTH_BYTES;
        frame.flags |= FRAME_FIRST;
        frame.remoteAddress = Get(reth, 8);
        frame.rKey = static_cast<uint32_t>(Get(reth + 8, 4));
        frame.messageBytes = Get(reth + 12, 4);
    }
    if (opcode == WRITE_LAST || opcode == WRITE_ONLY)
    {
        frame.flags |= FRAME_LAST;
    }
}

void
ReadControl(const uint8_t* b, const uint8_t* body, uint32_t bodyBytes, Frame& frame)
{
    bool isCnp = b[BTH_OFFSET] == CNP_OPCODE;
    frame.kind = FrameKind::CNP;
    if (!isCnp)
    {
        const uint8_t* aeth = b + BTH_OFFSET + BTH_BYTES;
        if (aeth[0] >> 5 != 0 && aeth[0] != AETH_NAK_PSN)
        {
            Fail("AETH syndrome " + Hex(aeth[0]) +
                 ", expected an ACK (0x0..0x1f) or a PSN sequence error (0x60)");
        }
        const bool fecn = b[BTH_OFFSET + MASKED_BTH_BYTE] & FECN;
        if (fecn && aeth[0] == AETH_NAK_PSN)
        {
            Fail("FECN in a NAK, expected it in an ACK only (notification)");
        }
        frame.kind = aeth[0] == AETH_NAK_PSN ? FrameKind::NAK
                     : fecn                  ? FrameKind::NOTIFICATION
                                             : FrameKind::ACK;
        frame.msn = static_cast<uint32_t>(Get(aeth + 1, 3));
        frame.flags |= b[BTH_OFFSET + MASKED_BTH_BYTE] & BECN ? FRAME_ECN_ECHO : 0;
    }
    if (!isCnp && bodyBytes == SACK_BYTES)
    {
        frame.flags |= FRAME_SACK;
        frame.sackPsn = Get(body, 8);
        frame.sackBits = Get(body + 8, 8);
        return;
    }
    uint32_t expected = isCnp ? CNP_PAYLOAD_BYTES : 0;
    if (bodyBytes != expected)
    {
        Fail(std::string(isCnp ? "CNP" : "ACK") + " with a payload of " +
             std::to_string(bodyBytes) + " bytes, expected " + std::to_string(expected) +
             (isCnp ? "" : ", or 16 with a SACK"));
    }
}

void
ReadRoce(const uint8_t* b,
         size_t n,
         Frame& frame,
         const WireOptions& options,
         const std::optional<uint32_t>& givenTelemetry)
{
    Layout layout = Locate(b, n);
    uint32_t used = layout.icrcOffset + ICRC_BYTES;
    if (n != used && n != std::max(used, MIN_NO_FCS_BYTES))
    {
        Fail("frame of " + std::to_string(n) + " bytes with an IP packet that ends at " +
             std::to_string(used) + ": bytes left over");
    }
    const uint8_t* ip = b + IP_OFFSET;
    const uint8_t* bth = b + BTH_OFFSET;
    uint64_t checksum = Get(ip + 10, 2);
    if (checksum != IpChecksum(ip))
    {
        Fail("IP header checksum " + Hex(checksum) + ", expected " + Hex(IpChecksum(ip)));
    }
    if (Get(ip + 6, 2) & 0x3fff)
    {
        Fail("IP fragment (flags and offset " + Hex(Get(ip + 6, 2)) + "), expected a whole packet");
    }
    if (ip[12] != NIC_IPV4_PREFIX >> 24 || ip[16] != NIC_IPV4_PREFIX >> 24)
    {
        Fail("IP addresses in " + std::to_string(ip[12]) + "/8 and " + std::to_string(ip[16]) +
             "/8, expected 10.0.0.0/8");
    }
    if (bth[1] & 0x0f)
    {
        Fail("BTH transport version " + std::to_string(bth[1] & 0x0f) + ", expected 0");
    }
    uint8_t code = bth[MASKED_BTH_BYTE] & (HAS_TIMESTAMP | INT_CODE_MASK);
    std::optional<uint32_t> telemetry = TelemetryLength(code);
    telemetry = telemetry ? telemetry : givenTelemetry;
    if (!telemetry)
    {
        Fail("telemetry of a length that the frame does not tell, expected a sidecar or "
             "WireOptions::telemetryBytes");
    }
    uint32_t room = layout.icrcOffset - layout.extendedEnd;
    uint32_t needed = code & HAS_TIMESTAMP ? TIMESTAMP_BYTES : 0;
    if (*telemetry > room || *telemetry < needed)
    {
        Fail("telemetry of " + std::to_string(*telemetry) + " bytes, expected " +
             std::to_string(needed) + ".." + std::to_string(room));
    }
    if (options.icrc == IcrcMode::REAL)
    {
        uint32_t expected =
            WireFormat::ComputeIcrc(b, layout.extendedEnd, *telemetry, layout.icrcOffset);
        uint32_t found = GetCrc(b + layout.icrcOffset);
        if (found != expected)
        {
            Fail("ICRC " + Hex(found) + ", expected " + Hex(expected));
        }
    }

    frame.frameBytes = used + FCS_BYTES;
    frame.src = NicOfAddress(Get(ip + 13, 3), "source IP address");
    frame.dst = NicOfAddress(Get(ip + 17, 3), "destination IP address");
    frame.dscp = ip[1] >> 2;
    frame.ecn = ip[1] & 3;
    frame.ttl = ip[8];
    frame.trafficClass = frame.dscp >> 3;
    frame.entropy = static_cast<uint16_t>(Get(b + UDP_OFFSET, 2));
    frame.dstQp = static_cast<uint32_t>(Get(bth + 5, 3));
    frame.psn = Get(bth + 9, 3);
    frame.flags = static_cast<uint8_t>((bth[8] & ACK_REQUEST ? FRAME_ACK_REQ : 0) |
                                       (bth[8] & CODED ? FRAME_CODED : 0));
    frame.telemetryBytes = *telemetry;
    const uint8_t* body = b + layout.extendedEnd + *telemetry;
    if (bth[0] == ACKNOWLEDGE || bth[0] == CNP_OPCODE)
    {
        ReadControl(b, body, room - *telemetry, frame);
    }
    else
    {
        ReadData(b, body, room - *telemetry, frame);
    }
    GetTelemetry(b + layout.extendedEnd, code, frame);
    // A NAK about a block is sent by a timer, and answers no data.
    const bool answers = frame.kind == FrameKind::ACK ||
                         (frame.kind == FrameKind::NAK && !(frame.flags & FRAME_CODED));
    frame.dataEntropy = answers ? frame.entropy : 0;
}

void
ReadPfc(const uint8_t* b, size_t n, Frame& frame)
{
    if (n != MIN_NO_FCS_BYTES)
    {
        Fail("MAC control frame of " + std::to_string(n) + " bytes, expected " +
             std::to_string(MIN_NO_FCS_BYTES));
    }
    const uint8_t* body = b + ETHERNET_HEADER_BYTES;
    if (Get(b, 6) != PFC_DESTINATION)
    {
        Fail("PFC frame to MAC " + Hex(Get(b, 6)) + ", expected " + Hex(PFC_DESTINATION));
    }
    if (Get(body, 2) != PFC_OPCODE)
    {
        Fail("MAC control opcode " + Hex(Get(body, 2)) + ", expected 0x101 (PFC)");
    }
    if (body[2] != 0)
    {
        Fail("PFC class-enable vector " + Hex(Get(body + 2, 2)) + ", expected 8 bits");
    }
    if (Get(b + 6, 3) != NIC_MAC_PREFIX >> 24)
    {
        Fail("PFC frame from MAC " + Hex(Get(b + 6, 6)) + ", expected 02:00:00 in front");
    }
    frame.kind = FrameKind::PFC;
    frame.frameBytes = PFC_FRAME_BYTES;
    frame.src = NicOfAddress(Get(b + 9, 3), "PFC source MAC");
    frame.classEnable = body[3];
    for (unsigned i = 0; i < N_CLASSES; ++i)
    {
        frame.SetQuanta(i, static_cast<uint16_t>(Get(body + 4 + 2 * i, 2)));
    }
}

} // namespace

[[noreturn]] void
Fail(const std::string& message)
{
    throw std::invalid_argument("wire format: " + message);
}

std::string
Hex(uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

uint64_t
Get(const uint8_t* p, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n; ++i)
    {
        value = value << 8 | p[i];
    }
    return value;
}

uint16_t
IpChecksum(const uint8_t* header)
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

std::optional<uint32_t>
TelemetryLength(uint8_t code)
{
    uint32_t length = code & HAS_TIMESTAMP ? TIMESTAMP_BYTES : 0;
    uint32_t intCode = code & INT_CODE_MASK;
    if (intCode == INT_CODE_OTHER)
    {
        return std::nullopt;
    }
    return length + (intCode ? INT_HEADER_BYTES + INT_HOP_BYTES * (intCode - 1) : 0);
}

uint64_t
RateOfCode(uint8_t code)
{
    constexpr uint64_t GBPS[] = {0, 25, 50, 100, 200, 400, 800, 1600, 10, 40, 1200, 2400, 3200, 1};
    return code < std::size(GBPS) ? GBPS[code] * 1'000'000'000 : 0;
}

uint32_t
IcrcOf(const Bytes& bytes, uint32_t telemetryBytes)
{
    const Layout layout = Locate(bytes.data(), bytes.size());
    return WireFormat::ComputeIcrc(bytes.data(),
                                   layout.extendedEnd,
                                   telemetryBytes,
                                   layout.icrcOffset);
}

Bytes
Write(const Frame& frame, const WireOptions& options)
{
    Bytes out = WireFormat::Serialize(frame);
    if (frame.kind != FrameKind::PFC && (options.payload || options.icrc == IcrcMode::ZERO))
    {
        const Layout layout = Locate(out.data(), out.size());
        const auto icrc = out.begin() + layout.icrcOffset;
        if (options.payload)
        {
            const uint32_t padded = frame.payloadBytes + WireFormat::PadBytes(frame.payloadBytes);
            std::copy_n(options.payload, frame.payloadBytes, icrc - padded);
        }
        const uint32_t crc = options.icrc == IcrcMode::ZERO ? 0 : IcrcOf(out, frame.telemetryBytes);
        for (unsigned i = 0; i < ICRC_BYTES; ++i)
        {
            icrc[i] = static_cast<uint8_t>(crc >> (8 * i));
        }
    }
    if (options.fcs)
    {
        PutCrc(out, Crc32(out.data(), out.size()));
    }
    return out;
}

void
Read(const Bytes& data, Frame& out, const WireOptions& options, const Bytes* sidecar)
{
    const uint8_t* bytes = data.data();
    size_t size = data.size();
    if (size < (options.fcs ? MIN_FRAME_BYTES : ETHERNET_HEADER_BYTES))
    {
        Fail("frame of " + std::to_string(size) + " bytes is too short for Ethernet");
    }
    if (options.fcs)
    {
        size -= FCS_BYTES;
        uint32_t expected = Crc32(bytes, size);
        if (GetCrc(bytes + size) != expected)
        {
            Fail("FCS " + Hex(GetCrc(bytes + size)) + ", expected " + Hex(expected));
        }
    }
    Draft draft;
    Frame& frame = draft.frame;
    uint64_t etherType = Get(bytes + 12, 2);
    if (etherType == ETHERTYPE_MAC_CONTROL)
    {
        ReadPfc(bytes, size, frame);
    }
    else if (etherType == ETHERTYPE_IPV4)
    {
        std::optional<uint32_t> given = SidecarTelemetryBytes(sidecar);
        ReadRoce(bytes, size, frame, options, given ? given : options.telemetryBytes);
    }
    else
    {
        Fail("EtherType " + Hex(etherType) + ", expected 0x800 (IPv4) or 0x8808 (MAC control)");
    }
    if (sidecar)
    {
        ApplySidecar(*sidecar, frame);
    }
    frame.next = out.next;
    frame.timePs = out.timePs;
    frame.inPort = out.inPort;
    std::swap(frame, out); // the draft takes and frees out's old telemetry
}

} // namespace wiretest
} // namespace ns3::roce
