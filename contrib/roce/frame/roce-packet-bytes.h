// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PACKET_BYTES_H
#define ROCE_PACKET_BYTES_H

#include <cstddef>
#include <cstdint>

namespace ns3::roce
{

/// @brief The bytes of an Ethernet frame that carries IPv4 or IPv6, as switches look at them.
struct PacketBytes
{
    /// So many bytes are enough for Read(): Ethernet, the longest IPv4 header, ports.
    static constexpr std::size_t HEAD_BYTES = 14 + 60 + 4;

    /// In names of flows: numbers of queue pairs, of 24 bits, do not have it.
    static constexpr uint32_t NO_QP = 1U << 31;

    bool isGroup{false}; //!< sent to several: broadcast or multicast
    bool isIp{false};    //!< and these are known:
    uint8_t dscp{0};
    uint8_t ecn{0};
    uint8_t ttl{0};
    uint16_t entropy{0};  //!< hash of addresses, protocol and, unless it is a fragment, ports
    uint32_t flow{NO_QP}; //!< more bits of that hash, never a queue pair's number

    /// @param bytes from the MAC header on @param size how many there are. @return what they say
    static PacketBytes Read(const uint8_t* bytes, std::size_t size);

    /**
     * @brief Write what switches on the way change, if it is IP and not for a group. A checksum
     * that was right is right again; ns-3 computes none unless asked to.
     * @param bytes see Read()
     */
    static void Write(uint8_t ecn, uint8_t ttl, uint8_t* bytes, std::size_t size);
};

} // namespace ns3::roce

#endif /* ROCE_PACKET_BYTES_H */
