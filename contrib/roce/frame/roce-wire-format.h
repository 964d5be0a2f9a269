// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WIRE_FORMAT_H
#define ROCE_WIRE_FORMAT_H

#include "roce-frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// Offsets, sizes and numbers of the protocols; WireFormat explains them.
namespace wire
{

using Bytes = std::vector<uint8_t>; //!< bytes on the wire

// Offsets are from the MAC header.
constexpr uint32_t IP_OFFSET = ETHERNET_HEADER_BYTES;
constexpr uint32_t UDP_OFFSET = IP_OFFSET + IPV4_HEADER_BYTES;
constexpr uint32_t BTH_OFFSET = UDP_OFFSET + UDP_HEADER_BYTES;
constexpr uint32_t MIN_NO_FCS_BYTES = MIN_FRAME_BYTES - FCS_BYTES;
constexpr uint32_t MASKED_BTH_BYTE = 4; //!< FECN, BECN and six reserved bits
constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;
constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd;
constexpr uint16_t ETHERTYPE_MAC_CONTROL = 0x8808;
constexpr uint16_t PFC_OPCODE = 0x0101;
constexpr uint64_t PFC_DESTINATION = 0x0180c2000001;
constexpr uint8_t IP_PROTOCOL_UDP = 17;
constexpr uint64_t NIC_MAC_PREFIX = 0x020000000000;
constexpr uint32_t NIC_IPV4_PREFIX = 0x0a000000;

constexpr uint8_t WRITE_FIRST = 0x06;
constexpr uint8_t WRITE_MIDDLE = 0x07;
constexpr uint8_t WRITE_LAST = 0x08;
constexpr uint8_t WRITE_ONLY = 0x0a;
constexpr uint8_t ACKNOWLEDGE = 0x11;
constexpr uint8_t CNP_OPCODE = 0x81;
constexpr uint8_t AETH_ACK = 0x1f;
constexpr uint8_t AETH_NAK_PSN = 0x60;
constexpr uint8_t FECN = 0x80;
constexpr uint8_t BECN = 0x40;

constexpr uint8_t ACK_REQUEST = 0x80; //!< in front of the PSN
constexpr uint8_t CODED = 0x40;       //!< first of the reserved bits after it: FRAME_CODED
constexpr uint8_t EXTENDED = 0x20;    //!< the second one: a FrameExtension precedes the payload
constexpr uint8_t STAGE_MARK = 0x10;  //!< the third one: Frame::stageMark

constexpr uint8_t HAS_TIMESTAMP = 0x20; //!< telemetry code: the block begins with a time stamp
constexpr uint8_t INT_CODE_OTHER = 31;  //!< a length that the code cannot express

constexpr uint32_t INT_HEADER_BYTES = 2; //!< number of hops and path ID
constexpr uint32_t INT_HOP_BYTES = 8;    //!< one hop's record
constexpr uint32_t INT_MAX_NHOP = 15;    //!< where the number of hops saturates

} // namespace wire

/**
 * @brief Real bytes of a frame.
 *
 * RoCEv2 frame: Ethernet II 14 (IEEE 802.3), IPv4 20 (RFC 791), UDP 8 to port 4791 with checksum 0,
 * BTH 12, RETH 16 (WRITE first and only) or AETH 4 (ACK, NAK), telemetry, payload padded to 4
 * bytes, ICRC 4 (InfiniBand Architecture Specification 1.2.1, volume 1, chapter 9 and annex A17).
 * PFC frame: IEEE 802.1Qbb (MAC control opcode 0x0101, class-enable vector, eight timers).
 * PACKET: the bytes of ns-3's packet, with the ECN field and the TTL (hop limit) of the frame; an
 * IPv4 header's checksum is right if it was.
 *
 * Addresses: NIC index i is MAC 02:00:00 + (i + 1) in 24 bits, and IPv4 10.0.0.0 + i + 1.
 *
 * BECN is set in a CNP and, as the echo of a CE mark (FRAME_ECN_ECHO), in an ACK or NAK.
 * A NOTIFICATION is an ACK with FECN set, which ACKs do not have otherwise; its MSN names the
 * mechanism.
 *
 * Telemetry block: exactly Frame::telemetryBytes bytes after BTH (+ RETH or AETH): first, if the
 * frame has FRAME_TIMESTAMP, sentPs as 8 bytes of picoseconds; then the INT block of HPCC (Li et
 * al., SIGCOMM 2019, section 4): 4 bits number of hops (saturates at 15), 12 bits path ID (hop IDs
 * folded by exclusive or), and 8 bytes per hop: rate code 4 bits (RateCode()), time 24 bits in ns,
 * txBytes 20 bits in units of 128 bytes, queue 16 bits in units of 80 bytes (saturates; the others
 * wrap). What does not fit into the charged bytes is cut off at the end (if not even the time stamp
 * fits, all are zero); bytes charged but not needed are zero. A charge of 0 therefore puts nothing
 * on the wire.
 *
 * The six reserved bits after BECN, which the ICRC does not cover, are 0 in a frame without
 * telemetry and otherwise tell a reader the block's length: 0x20 = a time stamp is there; the low
 * five bits c = 0: no INT block, 1..30: INT block of 2 + 8 (c - 1) bytes, 31: another length.
 *
 * SACK: an ACK or NAK with FRAME_SACK has, after its telemetry, 8 bytes sackPsn and 8 bytes
 * sackBits. RoCE has no standard format for it; vendors' selective repeat is not published.
 *
 * Block codes: the bit after AckReq, reserved in a BTH, is FRAME_CODED. The first extension of data
 * that has it is the packet's place in its block (UnoErasureHeader). FRAME_CODED explains the bit
 * in an ACK or NAK; it has no further bytes.
 *
 * Extensions: the next reserved bit says that the bytes of one FrameExtension or several precede
 * the payload, or end an ACK, NAK, CNP or NOTIFICATION. The ICRC covers them.
 *
 * The bit after it is Frame::stageMark, of data only.
 *
 * The ICRC is the one of the same frame without telemetry: telemetry bytes are not covered and
 * the covered IP and UDP lengths are those without them. So hops can write telemetry without
 * changing the ICRC. A frame without telemetry has the standard ICRC.
 *
 * The UDP source port of an ACK or NAK is that of the data it answers, so that the sender knows
 * that data's path; see Frame::dataEntropy.
 *
 * Payload is zeros, so that no dissector takes it for an upper-layer protocol.
 *
 * Not supported: 802.1Q tags; for RoCE IPv6, IPv4 options and fragments, SEND and READ.
 */
class WireFormat
{
  public:
    static constexpr uint16_t UDP_PORT = 4791;          //!< destination port of RoCEv2
    static constexpr uint32_t MAX_NIC_INDEX = 0xfffffd; //!< keeps 10.255.255.255 free
    static constexpr uint32_t MAX_QP = 0xffffff;        //!< queue pair numbers have 24 bits

    /**
     * @brief Make the bytes of a frame, MAC header to ICRC, padded to 60 bytes.
     * @param frame Frame::frameBytes is not read: the bytes are those of the real format
     * @return the bytes, without FCS
     * @throw std::invalid_argument if a field does not fit its place on the wire: NIC index above
     * MAX_NIC_INDEX, dstQp above MAX_QP, DSCP above 63, ECN above 3, trafficClass above 7, unknown
     * kind, or an IP packet longer than 65535 bytes
     */
    static std::vector<uint8_t> Serialize(const Frame& frame);

    /**
     * @brief The invariant CRC that a RoCEv2 frame should have (InfiniBand 1.2.1 annex A17.3.3).
     *
     * CRC-32 of IEEE 802.3 over 8 bytes of ones, the IPv4 header with ToS, TTL and checksum as
     * ones, the UDP header with the checksum as ones, BTH with the FECN/BECN/reserved byte as ones,
     * and the rest up to the ICRC, without telemetry (see the class). On the wire its least
     * significant byte comes first.
     * @param bytes MAC header first
     * @param telemetryOffset where telemetry is or would be: after BTH and RETH or AETH
     * @param telemetryBytes bytes of telemetry
     * @param icrcOffset where the ICRC goes
     * @return the CRC
     */
    static uint32_t ComputeIcrc(const uint8_t* bytes,
                                size_t telemetryOffset,
                                size_t telemetryBytes,
                                size_t icrcOffset);

    /**
     * @brief Length of a frame from MAC header to FCS, before padding to 64.
     * @param payloadBytes RDMA payload of DATA, without pad; of a PACKET what follows its MAC
     * header; for other kinds not read
     * @param first DATA: first or only packet of its message (it has a RETH)
     * @param telemetryBytes bytes of telemetry; not read for PFC
     * @return bytes
     */
    static constexpr uint32_t FrameBytes(FrameKind kind,
                                         uint32_t payloadBytes,
                                         bool first,
                                         uint32_t telemetryBytes)
    {
        switch (kind)
        {
        case FrameKind::DATA:
            return DATA_HEADER_BYTES + (first ? RETH_BYTES : 0) + payloadBytes +
                   PadBytes(payloadBytes) + telemetryBytes;
        case FrameKind::ACK:
        case FrameKind::NAK:
        case FrameKind::NOTIFICATION:
            return ACK_FRAME_BYTES + telemetryBytes;
        case FrameKind::CNP:
            return CNP_FRAME_BYTES + telemetryBytes;
        case FrameKind::PACKET:
            return ETHERNET_HEADER_BYTES + payloadBytes + FCS_BYTES;
        case FrameKind::PFC:
            break;
        }
        return PFC_FRAME_BYTES;
    }

    /**
     * @param payloadBytes RDMA payload
     * @return BTH pad count, 0..3: bytes that fill the payload to a multiple of 4
     */
    static constexpr uint32_t PadBytes(uint32_t payloadBytes)
    {
        return (4 - payloadBytes % 4) % 4;
    }

    /// @param nic NIC index, 0..MAX_NIC_INDEX. @return its MAC address, first byte first
    static std::array<uint8_t, 6> MacOfNic(uint32_t nic);

    /// @param nic NIC index, 0..MAX_NIC_INDEX. @return its IPv4 address in host byte order
    static uint32_t Ipv4OfNic(uint32_t nic);

    /**
     * @param rateBps rate of a port in bit/s
     * @return its 4-bit code in an INT record: 1..7 = 25, 50, 100, 200, 400, 800, 1600 Gbit/s;
     * 8..13 = 10, 40, 1200, 2400, 3200, 1 Gbit/s; 0 = any other rate
     */
    static uint8_t RateCode(uint64_t rateBps);

    /**
     * @param stack telemetry, or none
     * @return exclusive or of all hop IDs, folded to 12 bits; 0 without hops
     */
    static uint16_t PathId(IntStack stack);
};

} // namespace ns3::roce

#endif /* ROCE_WIRE_FORMAT_H */
