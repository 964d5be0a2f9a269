/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_WIRE_INTERNAL_H
#define ROCE_WIRE_INTERNAL_H

#include "ns3/roce-frame.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

/// What the source files of WireFormat share; WireFormat says what things mean. Not for users.
namespace wire
{

using Bytes = std::vector<uint8_t>; //!< bytes as they stand on the wire

// Offsets from the MAC header, sizes and numbers of the protocols (see WireFormat).
constexpr uint32_t IP_OFFSET = ETHERNET_HEADER_BYTES;
constexpr uint32_t UDP_OFFSET = IP_OFFSET + IPV4_HEADER_BYTES;
constexpr uint32_t BTH_OFFSET = UDP_OFFSET + UDP_HEADER_BYTES;
constexpr uint32_t MIN_NO_FCS_BYTES = MIN_FRAME_BYTES - FCS_BYTES;
constexpr uint32_t MIN_ROCE_BYTES = DATA_HEADER_BYTES - FCS_BYTES;
constexpr uint32_t MASKED_BTH_BYTE = 4; //!< FECN, BECN and six reserved bits
constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;
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
constexpr uint8_t CODED = 0x40;       //!< first of the reserved bits behind it: FRAME_CODED
constexpr uint8_t EXTENDED = 0x20;    //!< the second one: a FrameExtension precedes the payload

constexpr uint8_t HAS_TIMESTAMP = 0x20; //!< telemetry code: the block begins with a time stamp
constexpr uint8_t INT_CODE_MASK = 0x1f; //!< telemetry code: bits for the INT block's length
constexpr uint8_t INT_CODE_OTHER = 31;  //!< a length that the code cannot tell

/**
 * @brief Throw std::invalid_argument.
 * @param message what was found and what was expected, one line
 */
[[noreturn]] void Fail(const std::string& message);

/**
 * @param value any value
 * @return it in hexadecimal, with 0x
 */
std::string Hex(uint64_t value);

/**
 * @brief Append an integer, most significant byte first.
 * @param out where to
 * @param value its low n bytes are appended
 * @param n number of bytes, at most 8
 */
inline void
Put(Bytes& out, uint64_t value, unsigned n)
{
    while (n-- > 0)
    {
        out.push_back(static_cast<uint8_t>(value >> (8 * n)));
    }
}

/**
 * @brief Read an integer, most significant byte first.
 * @param p first of its bytes
 * @param n number of bytes, at most 8
 * @return the integer
 */
inline uint64_t
Get(const uint8_t* p, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n; ++i)
    {
        value = value << 8 | p[i];
    }
    return value;
}

/**
 * @brief Append a CRC, least significant byte first.
 * @param out where to
 * @param crc the CRC
 */
void PutCrc(Bytes& out, uint32_t crc);

/**
 * @param p four bytes of a CRC, least significant first
 * @return the CRC
 */
uint32_t GetCrc(const uint8_t* p);

/**
 * @param p any bytes
 * @param n how many
 * @return CRC-32 of IEEE 802.3
 */
uint32_t Crc32(const uint8_t* p, size_t n);

/**
 * @param header 20 bytes of IPv4 header; the checksum field itself counts as zero
 * @return RFC 791 header checksum
 */
uint16_t IpChecksum(const uint8_t* header);

/// Where the parts of a RoCEv2 frame are; offsets from the MAC header.
struct Layout
{
    uint32_t extendedEnd; //!< behind BTH and RETH or AETH: telemetry, if any
    uint32_t icrcOffset;  //!< the ICRC
};

/**
 * @brief Find the ICRC, and check everything that its position depends on.
 * @param b frame, MAC header first
 * @param n number of bytes
 * @return the offsets
 * @throw std::invalid_argument if this is no RoCEv2 frame or its lengths do not fit together
 */
Layout Locate(const uint8_t* b, size_t n);

/**
 * @param frame any but a PFC frame
 * @return the six reserved BTH bits that describe the frame's telemetry block
 */
uint8_t TelemetryCode(const Frame& frame);

/**
 * @param code six bits made by TelemetryCode()
 * @return bytes of the block it describes, or nothing if the code cannot tell
 */
std::optional<uint32_t> TelemetryLength(uint8_t code);

/**
 * @brief Append a frame's telemetry block.
 * @param out grows by exactly frame.telemetryBytes
 * @param frame any but a PFC frame
 */
void PutTelemetry(Bytes& out, const Frame& frame);

/**
 * @brief Read a telemetry block.
 * @param p frame.telemetryBytes bytes (at least 8 if the code says that there is a time stamp)
 * @param code from TelemetryCode()
 * @param frame gets FRAME_TIMESTAMP, sentPs and telemetry; telemetry must be null before
 */
void GetTelemetry(const uint8_t* p, uint8_t code, Frame& frame);

/**
 * @brief Overlay a frame read from the wire with a sidecar's values.
 * @param sidecar made by WireFormat::SerializeSidecar()
 * @param frame read from the wire; partly changed if this throws
 * @throw std::invalid_argument if the sidecar is malformed or belongs to another PSN
 */
void ApplySidecar(const Bytes& sidecar, Frame& frame);

/**
 * @brief The telemetry length that a sidecar gives.
 * @param sidecar may be null
 * @return bytes, or nothing if the wire can tell
 * @throw std::invalid_argument if the sidecar ends too early
 */
std::optional<uint32_t> SidecarTelemetryBytes(const Bytes* sidecar);

} // namespace wire
} // namespace roce
} // namespace ns3

#endif /* ROCE_WIRE_INTERNAL_H */
