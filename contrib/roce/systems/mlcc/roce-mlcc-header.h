// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_HEADER_H
#define ROCE_MLCC_HEADER_H

#include "ns3/roce-frame-extension.h"

#include <algorithm>
#include <cstdint>

namespace ns3::roce
{

/**
 * @brief MLCC's header (the paper names the fields in section 3.3, but no widths), big-endian on
 * the wire:
 *
 * - data, 6 bytes: C_D 16, Q_c 32 bits. Data between datacenters carry it, zero, from the sender
 *   on; the receiver-side external switch writes it when it takes the frame out of the flow's
 *   queue.
 * - ACKs, 10 bytes: C_R 16, R_credit 32, Rbar_DQM 32 bits. The receiver writes all of it, the
 *   receiver-side external switch reads C_R and R_credit, the sender Rbar_DQM. So do they in an
 *   MlccUpdate.
 */
struct MlccHeader
{
    uint16_t epoch;   //!< data: C_D, the last C_R that the switch has seen, 0 before the first;
                      //!< ACK: C_R, number of the receiver's round, 1 at first, modulo 2^16
    uint32_t word;    //!< data: Q_c, bytes; ACK: R_credit, Mbit/s
    uint32_t dqmMbps; //!< ACK: Rbar_DQM, Mbit/s

    static const FrameExtension EXTENSION;

    /// @brief Of data: set the length of the flow's queue. @param bytes Q_c, what is left in it
    void SetQueueBytes(uint64_t bytes)
    {
        word = static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
    }

    /// @return of data: Q_c, wire bytes in the flow's queue
    uint32_t GetQueueBytes() const
    {
        return word;
    }

    /// @brief Of ACKs: set the receiver's rates. @param creditBps R_credit @param dqmBps Rbar_DQM,
    /// both in bit/s
    void SetRates(double creditBps, double dqmBps)
    {
        word = ToMbps(creditBps);
        dqmMbps = ToMbps(dqmBps);
    }

    /// @return of ACKs: R_credit, rate of the flow's queue, bit/s
    uint64_t GetCreditBps() const
    {
        return uint64_t{word} * 1000000;
    }

    /// @return of ACKs: Rbar_DQM, the most that the sender may send, bit/s
    uint64_t GetDqmBps() const
    {
        return uint64_t{dqmMbps} * 1000000;
    }

    /// @return the same in whole Mbit/s, rounded; at least 1 and at most 2^32 - 1. @param bps a
    /// rate, bit/s
    static uint32_t ToMbps(double bps)
    {
        return static_cast<uint32_t>(std::clamp(bps / 1e6 + 0.5, 1.0, 4294967295.0));
    }
};

/**
 * @brief MLCC's Switch-INT: the sender-side external switch's report to the sender about a data
 * frame (MLCC, section 3.2). It is a frame of kind NOTIFICATION without extension:
 *
 * - Notification::kind (Frame::msn) is KIND, psn that of the data frame;
 * - telemetry is the data frame's;
 * - ecn is ECN_CE if the data frame's is, else ECN_NOT_ECT, so that no switch on the way back marks
 *   it;
 * - sentPs, and FRAME_TIMESTAMP if it is there, are the data frame's.
 */
struct MlccSwitchInt
{
    /// Notification::kind.
    static constexpr uint32_t KIND = 0x4d6c63; // "Mlc"
};

/**
 * @brief What MLCC's receiver sends for data that the loss recovery refuses without an answer, as
 * go-back-N does behind a gap: a frame of kind NOTIFICATION, Notification::kind (Frame::msn) is
 * KIND, with the MlccHeader that an ACK would have. It acknowledges nothing.
 */
struct MlccUpdate
{
    /// Notification::kind.
    static constexpr uint32_t KIND = 0x4d6c75; // "Mlu"
};

} // namespace ns3::roce

#endif /* ROCE_MLCC_HEADER_H */
