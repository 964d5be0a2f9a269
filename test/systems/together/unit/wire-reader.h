// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WIRE_READER_H
#define ROCE_WIRE_READER_H

#include "ns3/roce-wire-format.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/// Reads WireFormat's bytes back.
namespace wiretest
{

using Bytes = std::vector<uint8_t>; //!< bytes as they stand on the wire

/// What stands in, and is expected of, the four ICRC bytes.
enum class IcrcMode : uint8_t
{
    REAL, //!< as WireFormat writes it; verified when reading
    ZERO, //!< written as zero, not looked at when reading
};

/// How bytes are written and read.
struct WireOptions
{
    IcrcMode icrc{IcrcMode::REAL}; //!< treatment of the ICRC
    bool fcs{false};               //!< the frame check sequence is there (and verified on reading)
    /// Writing: the frame's payloadBytes bytes of payload, or null for zeros.
    const uint8_t* payload{nullptr};
    /// Reading: telemetry bytes of the frame, for charges that the wire cannot tell
    /// (see WireFormat); a sidecar's value comes before this one.
    std::optional<uint32_t> telemetryBytes{};
};

/**
 * @brief WireFormat::Serialize(), with what only tests want.
 * @param frame as there
 * @param options see WireOptions
 * @return the bytes, with FCS if options say so
 */
Bytes Write(const Frame& frame, const WireOptions& options = {});

/**
 * @brief Make what the wire bytes of a frame cannot carry.
 *
 * A version byte, then (tag, value) for each field that reading the wire bytes alone would not
 * restore; values are variable-length integers, 7 bits a byte, least significant first.
 * @param frame as given to Write()
 * @return the sidecar; one byte or more
 */
Bytes WriteSidecar(const Frame& frame);

/**
 * @brief Read the bytes of one frame.
 *
 * NICs come from the IPv4 addresses (for PFC: from the source MAC), so that routers may replace MAC
 * addresses under way. Without a sidecar a frame read back has: a 24-bit PSN and MSN, the INT
 * values as quantised on the wire (rxBytes 0; hop ID of the first hop = path ID, of others 0),
 * message length (at most 2^32 - 1), remote address and R_Key only from a RETH, srcQp,
 * ackedPackets and remoteHoldPs 0, no FRAME_RETX, trafficClass = DSCP >> 3, sentPs only with a time
 * stamp on the wire, dataEntropy = entropy of an ACK or NAK that answers data, frameBytes = real
 * length. With it every field is the original's, except: next, timePs and inPort, never touched; of
 * a PFC frame ttl, ecn, dscp, entropy and payloadBytes; of ACK, NAK, NOTIFICATION and CNP
 * payloadBytes; of all but PFC quanta and classEnable, which are without meaning there and read
 * back as 0. What the wire does carry is never taken from the sidecar, so a CE mark or a lower TTL
 * written into the bytes under way is seen.
 * @param bytes MAC header to ICRC, or to FCS if options.fcs; Ethernet padding is skipped
 * @param out overwritten but for next, timePs and inPort; must be a valid frame, its telemetry
 * goes back to the pool; unchanged if this throws
 * @param options see WireOptions
 * @param sidecar what WriteSidecar() made of the same frame, or null
 * @throw std::invalid_argument if the bytes or the sidecar are malformed (one line that says
 * what was found and what was expected)
 */
void Read(const Bytes& bytes,
          Frame& out,
          const WireOptions& options = {},
          const Bytes* sidecar = nullptr);

/**
 * @param bytes MAC header first; more than the IP packet's (padding, FCS) are not read
 * @param telemetryBytes bytes of telemetry in it
 * @return the ICRC that it should have
 * @throw std::invalid_argument if the lengths in the bytes do not fit together
 */
uint32_t IcrcOf(const Bytes& bytes, uint32_t telemetryBytes = 0);

/**
 * @param code 4-bit code of WireFormat::RateCode()
 * @return rate in bit/s; 0 if the code stands for none
 */
uint64_t RateOfCode(uint8_t code);

/**
 * @brief Read an integer, most significant byte first.
 * @param p first of its bytes
 * @param n number of bytes, at most 8
 * @return the integer
 */
uint64_t Get(const uint8_t* p, unsigned n);

/**
 * @param header 20 bytes of IPv4 header; the checksum field itself counts as zero
 * @return RFC 791 header checksum
 */
uint16_t IpChecksum(const uint8_t* header);

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
 * @brief Overlay a frame read from the wire with a sidecar's values.
 * @param sidecar made by WriteSidecar()
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

/**
 * @param code six bits behind FECN and BECN
 * @return bytes of the telemetry block it describes, or nothing if the code cannot tell
 */
std::optional<uint32_t> TelemetryLength(uint8_t code);

} // namespace wiretest
} // namespace ns3::roce

#endif /* ROCE_WIRE_READER_H */
