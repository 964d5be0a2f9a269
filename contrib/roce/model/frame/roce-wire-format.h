/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_WIRE_FORMAT_H
#define ROCE_WIRE_FORMAT_H

#include "ns3/roce-frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace roce
{

/// What stands in, and is expected of, the four ICRC bytes.
enum class IcrcMode : uint8_t
{
    REAL, //!< computed when writing, verified when reading
    ZERO, //!< written as zero, not looked at when reading
};

/// How WireFormat writes and reads bytes.
struct WireOptions
{
    IcrcMode icrc{IcrcMode::REAL}; //!< treatment of the ICRC
    bool fcs{false};               //!< the frame check sequence is there (and verified on reading)
    /// Writing: the frame's payloadBytes bytes of payload, or null for zeros, so that no dissector
    /// takes the payload for an upper-layer protocol.
    const uint8_t* payload{nullptr};
    /// Reading: telemetry bytes of the frame, for charges that the wire cannot tell
    /// (see WireFormat); a sidecar's value comes before this one.
    std::optional<uint32_t> telemetryBytes{};
};

/**
 * @ingroup roce
 * @brief Real bytes of a frame, and back.
 *
 * RoCEv2 frame: Ethernet II 14 (IEEE 802.3), IPv4 20 (RFC 791), UDP 8 to port 4791 with checksum 0,
 * BTH 12, RETH 16 (WRITE first and only) or AETH 4 (ACK, NAK), telemetry, payload padded to 4
 * bytes, ICRC 4 (InfiniBand Architecture Specification 1.2.1, volume 1, chapter 9 and annex A17).
 * PFC frame: IEEE 802.1Qbb (MAC control opcode 0x0101, class-enable vector, eight timers).
 *
 * Addresses: NIC index i is MAC 02:00:00 + (i + 1) in 24 bits, and IPv4 10.0.0.0 + i + 1. When
 * reading, NICs come from the IPv4 addresses (for PFC: from the source MAC), so that routers may
 * replace MAC addresses under way.
 *
 * BECN is set in a CNP and, as the echo of a CE mark (FRAME_ECN_ECHO), in an ACK or NAK.
 * A NOTIFICATION is an ACK with FECN set, which ACKs do not have otherwise; its MSN names the
 * mechanism.
 *
 * Telemetry block: exactly Frame::telemetryBytes bytes behind BTH (+ RETH or AETH): first, if the
 * frame has FRAME_TIMESTAMP, sentPs as 8 bytes of picoseconds; then the INT block of HPCC (Li et
 * al., SIGCOMM 2019, section 4): 4 bits number of hops (saturates at 15), 12 bits path ID
 * (hop IDs folded by exclusive or), and 8 bytes per hop: rate code 4 bits (RateCode()), time 24
 * bits in ns, txBytes 20 bits in units of 128 bytes, queue 16 bits in units of 80 bytes
 * (saturates; the others wrap). What does not fit into the charged bytes is cut off at the end (if
 * not even the time stamp fits, all are zero); bytes charged but not needed are zero. A charge of 0
 * therefore puts nothing on the wire.
 *
 * The six reserved bits behind BECN, which the ICRC does not cover, are 0 in a frame without
 * telemetry and otherwise tell a reader the block's length: 0x20 = a time stamp is there; the low
 * five bits c = 0: no INT block, 1..30: INT block of 2 + 8 (c - 1) bytes, 31: another length,
 * readable only with WireOptions::telemetryBytes or with a sidecar.
 *
 * SACK: an ACK or NAK with FRAME_SACK has, behind its telemetry, 8 bytes sackPsn and 8 bytes
 * sackBits. RoCE has no standard format for it; vendors' selective repeat is not published.
 *
 * Block codes: the bit behind AckReq, reserved in a BTH, is FRAME_CODED. Data that has it carries,
 * behind its telemetry, 4 bytes that BlockPlace packs (index, data, total, last); the ICRC covers
 * them. What an ACK or NAK says with the bit is FRAME_CODED's matter; it has no further bytes.
 *
 * Extensions: the next reserved bit says that the bytes of a FrameExtension precede the payload, or
 * end an ACK, NAK, CNP or NOTIFICATION. The ICRC covers them. Reading does not know them.
 *
 * The ICRC is the one of the same frame without telemetry: telemetry bytes are not covered and
 * the covered IP and UDP lengths are those without them. Hops can so write telemetry without
 * touching the ICRC. A frame without telemetry has the standard ICRC.
 *
 * A sidecar carries what these bytes cannot. Without it a frame read back has: a 24-bit PSN and
 * MSN, the INT values as quantised above (rxBytes 0; hop ID of the first hop = path ID, of others
 * 0), message length (at most 2^32 - 1), remote address and R_Key only from a RETH, srcQp,
 * ackedPackets and remoteHoldPs 0, no FRAME_RETX, trafficClass = DSCP >> 3, sentPs only with a time
 * stamp on the wire, frameBytes = real length. With it every field is the original's, except:
 * next, timePs and inPort, never touched; of a PFC frame ttl, ecn, dscp, entropy and
 * payloadBytes; of ACK, NAK, NOTIFICATION and CNP payloadBytes; of all but PFC quanta and
 * classEnable, which are without meaning there and read back as 0. What the wire does carry is
 * never taken from the sidecar, so a CE mark or a lower TTL written into the bytes under way is
 * seen.
 *
 * Not supported: IPv6, 802.1Q tags, IPv4 options and fragments, SEND and READ. The UDP checksum is
 * not looked at when reading.
 */
class WireFormat
{
  public:
    using Options = WireOptions; //!< short name

    static constexpr uint16_t UDP_PORT = 4791;          //!< destination port of RoCEv2
    static constexpr uint32_t MAX_NIC_INDEX = 0xfffffd; //!< keeps 10.255.255.255 free
    static constexpr uint32_t MAX_QP = 0xffffff;        //!< queue pair numbers have 24 bits
    static constexpr uint32_t PSN_MASK = 0xffffff;      //!< PSNs have 24 bits on the wire
    static constexpr uint32_t FRAMING_BYTES = 20;       //!< preamble, SFD and inter-frame gap

    /**
     * @brief Make the bytes of a frame, MAC header to ICRC, padded to 60 bytes; with
     * WireOptions::fcs the FCS follows (so at least 64).
     * @param frame Frame::frameBytes is not read: the bytes are those of the real format
     * @param options see WireOptions
     * @return the bytes
     * @throw std::invalid_argument if a field cannot stand on the wire: NIC index above
     * MAX_NIC_INDEX, dstQp above MAX_QP, DSCP above 63, ECN above 3, trafficClass above 7, unknown
     * kind, or an IP packet longer than 65535 bytes
     */
    static std::vector<uint8_t> Serialize(const Frame& frame, const Options& options = {});

    /**
     * @brief Make what the wire bytes of this frame cannot carry.
     *
     * A version byte, then (tag, value) for each field that reading the wire bytes alone would not
     * restore; values are variable-length integers, 7 bits a byte, least significant first.
     * @param frame as given to Serialize()
     * @return the sidecar; one byte or more
     * @throw std::invalid_argument as Serialize()
     */
    static std::vector<uint8_t> SerializeSidecar(const Frame& frame);

    /**
     * @brief Read the bytes of one frame.
     * @param bytes MAC header to ICRC, or to FCS if options.fcs; Ethernet padding is skipped
     * @param size number of bytes
     * @param out overwritten but for next, timePs and inPort; must be a valid frame, its telemetry
     * goes back to the pool; unchanged if this throws
     * @param options see WireOptions
     * @param sidecar what SerializeSidecar() made of the same frame, or null
     * @throw std::invalid_argument if the bytes or the sidecar are malformed (one line that says
     * what was found and what was expected)
     */
    static void Deserialize(const uint8_t* bytes,
                            size_t size,
                            Frame& out,
                            const Options& options = {},
                            const std::vector<uint8_t>* sidecar = nullptr);

    /**
     * @brief The invariant CRC that a RoCEv2 frame should have (InfiniBand 1.2.1 annex A17.3.3).
     *
     * CRC-32 of IEEE 802.3 over 8 bytes of ones, the IPv4 header with ToS, TTL and checksum as
     * ones, the UDP header with the checksum as ones, BTH with the FECN/BECN/reserved byte as ones,
     * and the rest up to the ICRC, without telemetry (see the class). On the wire its least
     * significant byte comes first.
     * @param bytes MAC header first
     * @param size number of bytes; more than the IP packet's (padding, FCS) are not read
     * @param telemetryBytes bytes of telemetry in it
     * @return the CRC
     * @throw std::invalid_argument if the lengths in the bytes do not fit together
     */
    static uint32_t ComputeIcrc(const uint8_t* bytes, size_t size, uint32_t telemetryBytes = 0);

    /**
     * @brief Length of a frame from MAC header to FCS, before padding to 64.
     * @param kind what it is
     * @param payloadBytes RDMA payload of DATA, without pad; for other kinds not read
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
        case FrameKind::PFC:
            break;
        }
        return PFC_FRAME_BYTES;
    }

    /**
     * @brief Byte times that a frame occupies on a link.
     * @param frameBytes MAC header to FCS, before padding
     * @param framingBytes preamble, SFD and inter-frame gap
     * @return bytes
     */
    static constexpr uint32_t WireBytes(uint32_t frameBytes, uint32_t framingBytes = FRAMING_BYTES)
    {
        return (frameBytes < MIN_FRAME_BYTES ? MIN_FRAME_BYTES : frameBytes) + framingBytes;
    }

    /**
     * @param payloadBytes RDMA payload
     * @return BTH pad count, 0..3: bytes that fill the payload to a multiple of 4
     */
    static constexpr uint32_t PadBytes(uint32_t payloadBytes)
    {
        return (4 - payloadBytes % 4) % 4;
    }

    /**
     * @brief The full sequence number that a 24-bit PSN stands for.
     * @param wirePsn PSN from the wire; only its low 24 bits count
     * @param reference a sequence number less than 2^23 packets away
     * @return the number nearest to the reference (of two equally near ones the lower) with these
     * low 24 bits; never negative
     */
    static uint64_t ExpandPsn(uint32_t wirePsn, uint64_t reference);

    /**
     * @param nic NIC index, 0..MAX_NIC_INDEX
     * @return its MAC address, first byte first
     */
    static std::array<uint8_t, 6> MacOfNic(uint32_t nic);

    /**
     * @param nic NIC index, 0..MAX_NIC_INDEX
     * @return its IPv4 address in host byte order
     */
    static uint32_t Ipv4OfNic(uint32_t nic);

    /**
     * @param rateBps rate of a port in bit/s
     * @return its 4-bit code in an INT record: 1..7 = 25, 50, 100, 200, 400, 800, 1600 Gbit/s;
     * 8..13 = 10, 40, 1200, 2400, 3200, 1 Gbit/s; 0 = any other rate
     */
    static uint8_t RateCode(uint64_t rateBps);

    /**
     * @param code 4-bit code of RateCode()
     * @return rate in bit/s; 0 if the code stands for none
     */
    static uint64_t RateOfCode(uint8_t code);

    /**
     * @param stack telemetry, or null
     * @return exclusive or of all hop IDs, folded to 12 bits; 0 without hops
     */
    static uint16_t PathId(const IntStack* stack);
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_WIRE_FORMAT_H */
