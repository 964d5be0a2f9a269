// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WRCC_HEADER_H
#define ROCE_WRCC_HEADER_H

#include "ns3/roce-frame-extension.h"

#include <cstdint>

namespace ns3::roce
{

/**
 * @brief WRCC's header of data frames and ACKs, 12 bytes: DomainID, FBDP, FairRate, RTT_est (WRCC,
 * section 3.2). All integers big-endian on the wire, in this order.
 */
struct WrccHeader
{
    static constexpr uint16_t BURST = 1;   //!< in fbdp: no ACK has come yet, or another domain
    static constexpr uint16_t CLIPPED = 2; //!< in fbdp: a switch has lowered the fair rate

    uint16_t domainId;     //!< datacenter: of the sender in data, of the receiver in ACKs
    uint16_t fbdp;         //!< BURST, CLIPPED
    uint32_t fairRateMbps; //!< of the sender first, then the least of the ports on the way
    uint32_t rttUs;        //!< RTT_est of the connection

    static const FrameExtension EXTENSION;
};

/**
 * @brief Contents of a fast congestion notification (FCNP), 12 bytes: DomainID 16, FBDP 16,
 * reserved 8, PSN 24, FairRate 32 bits (WRCC, section 3.3). It is a frame of kind NOTIFICATION.
 */
struct WrccFcnp
{
    /// Notification::kind.
    static constexpr uint32_t KIND = 0x577263; // "Wrc"

    uint16_t domainId;     //!< of the switch
    uint16_t fbdp;         //!< of the data frame it is about
    uint32_t psn;          //!< 24 bits, of that frame
    uint32_t fairRateMbps; //!< of the port

    static const FrameExtension EXTENSION;
};

/**
 * @param bps a rate, bit/s
 * @return the same in whole Mbit/s, rounded down; at least 1 and at most 2^32 - 1
 */
uint32_t WrccMbps(double bps);

/**
 * @param a a PSN
 * @param b another one
 * @return whether a is later; of both, the low 24 bits count, as on the wire
 */
inline bool
IsLaterPsn(uint64_t a, uint64_t b)
{
    const uint64_t ahead = (a - b) & 0xffffff;
    return ahead != 0 && ahead < 0x800000;
}

} // namespace ns3::roce

#endif /* ROCE_WRCC_HEADER_H */
