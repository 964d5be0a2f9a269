// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FRAME_FIELDS_H
#define ROCE_FRAME_FIELDS_H

#include <cstdint>

// What fields of a Frame may hold: kinds, code points, flags; and sizes on the wire.

namespace ns3::roce
{

/// What a frame is. PFC frames never leave the link they are sent on. A NOTIFICATION names its
/// mechanism in msn, and in sentPs it echoes the time stamp of the data frame that it is about.
enum class FrameKind : uint8_t
{
    DATA = 0,     //!< RDMA WRITE first, middle, last or only
    ACK,          //!< acknowledgement (AETH syndrome 0x1f)
    NAK,          //!< PSN sequence error (AETH syndrome 0x60)
    CNP,          //!< congestion notification packet (BTH opcode 0x81)
    PFC,          //!< 802.1Qbb priority flow control
    NOTIFICATION, //!< a switch speaks to a sender; on the wire an ACK with FECN set
    PACKET,       //!< one of ns-3's packets: not of RDMA
};

/// Number of frame kinds.
constexpr unsigned N_FRAME_KINDS = 7;

/// @return a mask of kinds, for SwitchStage::GetKinds()
template <typename... Kinds>
constexpr uint32_t
MaskOfKinds(Kinds... kinds)
{
    return ((1U << static_cast<unsigned>(kinds)) | ...);
}

/// What loads a network: data of RDMA, and all that others send.
constexpr uint32_t LOAD_KINDS = MaskOfKinds(FrameKind::DATA, FrameKind::PACKET);

/// ECN code points, as in the IP header.
enum Ecn : uint8_t
{
    ECN_NOT_ECT = 0,
    ECN_ECT1 = 1,
    ECN_ECT0 = 2,
    ECN_CE = 3,
};

/// Bits of Frame::flags.
enum FrameFlag : uint8_t
{
    FRAME_FIRST = 1,      //!< first packet of its message (carries a RETH)
    FRAME_LAST = 2,       //!< last packet of its message
    FRAME_ACK_REQ = 4,    //!< BTH AckReq
    FRAME_ECN_ECHO = 8,   //!< ACK: the acknowledged data carried CE
    FRAME_RETX = 16,      //!< data sent again (statistics only; not on the wire)
    FRAME_TIMESTAMP = 32, //!< carries an 8-byte transmit time stamp (data) or its echo (ACK)
    FRAME_SACK = 64,      //!< ACK, NAK: carries sackPsn and sackBits
    FRAME_CODED = 128,    //!< data of a block code; ACK: the block of the data that it answers can
                          //!< be rebuilt; NAK: about the block that begins with sackPsn
};

/// Number of traffic classes (802.1p priorities) on every link.
constexpr unsigned N_CLASSES = 8;

// Sizes in bytes on the wire (IEEE 802.3, RFC 791, RFC 768, InfiniBand 1.2.1 annex
// A17).
constexpr uint32_t ETHERNET_HEADER_BYTES = 14;
constexpr uint32_t IPV4_HEADER_BYTES = 20;
constexpr uint32_t UDP_HEADER_BYTES = 8;
constexpr uint32_t BTH_BYTES = 12;
constexpr uint32_t RETH_BYTES = 16;
constexpr uint32_t AETH_BYTES = 4;
constexpr uint32_t CNP_PAYLOAD_BYTES = 16;
constexpr uint32_t ICRC_BYTES = 4;
constexpr uint32_t FCS_BYTES = 4;
constexpr uint32_t MIN_FRAME_BYTES = 64; //!< MAC header to FCS
constexpr uint32_t PFC_FRAME_BYTES = 64;
constexpr uint32_t TIMESTAMP_BYTES = 8;
constexpr uint32_t SACK_BYTES = 16; //!< sackPsn and sackBits

/// Header bytes, MAC header to FCS, of a data frame that is not the first of its message.
constexpr uint32_t DATA_HEADER_BYTES = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES +
                                       UDP_HEADER_BYTES + BTH_BYTES + ICRC_BYTES + FCS_BYTES;
/// An ACK or NAK without echoed telemetry, MAC header to FCS.
constexpr uint32_t ACK_FRAME_BYTES = DATA_HEADER_BYTES + AETH_BYTES;
/// A CNP, MAC header to FCS.
constexpr uint32_t CNP_FRAME_BYTES = DATA_HEADER_BYTES + CNP_PAYLOAD_BYTES;

} // namespace ns3::roce

#endif /* ROCE_FRAME_FIELDS_H */
