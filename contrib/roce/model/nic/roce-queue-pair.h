/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_QUEUE_PAIR_H
#define ROCE_QUEUE_PAIR_H

#include "roce-receiver-feedback.h"

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-frame.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief What a finished message was like, at its sender.
 */
struct MessageRecord
{
    uint64_t cookie{0};     //!< as given to QueuePair::Post()
    uint64_t bytes{0};      //!< its length
    int64_t postedPs{0};    //!< when it was posted
    int64_t completedPs{0}; //!< arrival of the ACK that covers its last packet
    uint64_t packets{0};    //!< packets it consists of
    uint64_t retransmitted{
        0}; //!< packets its queue pair sent again while it was the oldest message
};

/**
 * @ingroup roce
 * @brief Sending side of a reliable connection: a queue of messages, PSNs, go-back-N.
 *
 * Arithmetic only; the NIC decides when it sends. PSNs are 64-bit and count packets over all
 * messages of the queue pair. `inflight` counts wire bytes.
 */
class QueuePair
{
  public:
    /// What a queue pair is made with.
    struct Config
    {
        uint32_t src{0};                         //!< own NIC
        uint32_t dst{0};                         //!< NIC of the receiver
        uint32_t dstQp{0};                       //!< its number there
        uint8_t trafficClass{3};                 //!< class of its data
        uint16_t entropy{0};                     //!< UDP source port
        uint32_t mtuBytes{4096};                 //!< payload of a full packet
        uint32_t telemetryBytes{0};              //!< charged to each data frame at the sender
        uint32_t framingBytes{20};               //!< wire bytes per frame besides frameBytes
        uint32_t minFrameBytes{MIN_FRAME_BYTES}; //!< padding
        uint8_t flags{0};                        //!< FRAME_TIMESTAMP if the rate law needs it
        uint8_t ecn{ECN_ECT0};                   //!< code point of its data
        uint32_t ackEveryN{1};    //!< the receiver acknowledges at the latest every N packets
        uint32_t burstBytes{0};   //!< pacing quantum; 0: each packet
        bool telemetry{false};    //!< data carries an INT stack
        bool closeWhenDone{true}; //!< free it when every message is acknowledged
    };

    /// What an ACK or NAK did.
    struct AckResult
    {
        uint64_t packets{0}; //!< newly acknowledged
        uint64_t bytes{0};   //!< their wire bytes
        bool rewound{false}; //!< go-back-N has taken place
    };

    /// Where the NIC keeps the queue pair.
    enum class Place : uint8_t
    {
        NOWHERE, //!< nothing to send, or the window is full
        READY,   //!< in the ready ring: may send as soon as the port is free
        TIMED,   //!< in the timer heap: the pacing gap has not passed
    };

    /**
     * @param qpn number at its NIC
     * @param config parameters
     * @param cc rate law, already started
     */
    QueuePair(uint32_t qpn, const Config& config, Ptr<CongestionControl> cc);

    /**
     * @brief Append a message.
     * @param bytes length; 0 is one packet without payload
     * @param cookie returned in its MessageRecord
     * @param nowPs current time
     */
    void Post(uint64_t bytes, uint64_t cookie, int64_t nowPs);

    /// @return whether there is a packet to send that the window allows
    bool CanSend() const
    {
        return m_nextPsn < m_endPsn && (m_inflightBytes < m_cc->GetWindowBytes() || NeedsProbe());
    }

    /**
     * @brief Fill in the next data frame and move on.
     * @param frame zeroed; telemetry is attached if configured
     * @param wireBytes [out] its size on the wire
     */
    void BuildNext(Frame& frame, uint32_t& wireBytes);

    /**
     * @brief Process a cumulative acknowledgement.
     * @param newUna every PSN below is acknowledged
     * @param isNak go back to newUna
     * @param nowPs current time
     * @param done [out] messages completed are appended
     * @return what it did; nothing if it was old or impossible
     */
    AckResult Acknowledge(uint64_t newUna,
                          bool isNak,
                          int64_t nowPs,
                          std::vector<MessageRecord>& done);

    /// @brief Retransmission timeout: send everything unacknowledged again.
    void GoBack();

    /// @return first unacknowledged PSN
    uint64_t GetUna() const
    {
        return m_una;
    }

    /// @return next PSN to be sent
    uint64_t GetNextPsn() const
    {
        return m_nextPsn;
    }

    /// @return one past the last PSN of the posted messages
    uint64_t GetEndPsn() const
    {
        return m_endPsn;
    }

    /// @return wire bytes sent and not acknowledged
    uint64_t GetInflightBytes() const
    {
        return m_inflightBytes;
    }

    /// @return packets sent more than once
    uint64_t GetRetransmitted() const
    {
        return m_retransmitted;
    }

    /// @return number at its NIC
    uint32_t GetQpn() const
    {
        return m_qpn;
    }

    /// @return parameters
    const Config& GetConfig() const
    {
        return m_config;
    }

    /// @return rate law
    CongestionControl& GetCc() const
    {
        return *m_cc;
    }

    /// @return cookie of the oldest message that is not complete, or UINT64_MAX
    uint64_t GetOldestCookie() const;

    // State that belongs to the NIC's scheduling of this queue pair.
    QueuePair* nextReady{nullptr};       //!< ready ring
    int64_t nextAvailPs{INT64_MIN};      //!< pacing: earliest next start
    uint64_t pacedRateBps{0};            //!< rate that nextAvailPs was computed with
    int64_t burstStartPs{INT64_MIN / 2}; //!< pacing quantum under way: its start
    uint64_t burstBytes{0};              //!< and what of it has been sent
    int64_t heapPs{NEVER_PS};            //!< key of its valid timer heap entry
    int64_t rtoDeadlinePs{NEVER_PS}; //!< retransmission timeout, NEVER_PS if nothing is outstanding
    int64_t rtoPs{0};                //!< length of the timeout
    uint32_t retries{0};             //!< consecutive timeouts without progress
    Place place{Place::NOWHERE};
    bool rtoQueued{false}; //!< has an entry in the NIC's timeout heap
    bool failed{false};    //!< retry limit exceeded

  private:
    /// A posted message.
    struct Message
    {
        uint64_t firstPsn;
        uint64_t packets;
        uint64_t bytes;
        uint64_t cookie;
        int64_t postedPs;
        uint64_t retransmittedBefore;
    };

    /**
     * With coalesced ACKs, a window that shrinks below what is in flight could wait for an ACK that
     * nothing in flight will bring about. One more packet, with AckReq, is sent then.
     */
    bool NeedsProbe() const
    {
        return m_config.ackEveryN > 1 && m_ackRequestedEndPsn <= m_una &&
               m_nextPsn - m_una < m_config.ackEveryN;
    }

    uint32_t PayloadOf(const Message& message, uint64_t psn) const;
    uint32_t FrameBytesOf(const Message& message, uint64_t psn) const;
    uint32_t WireBytesOf(const Message& message, uint64_t psn) const;
    void SeekCursor();

    Config m_config;
    Ptr<CongestionControl> m_cc;
    uint32_t m_qpn;
    uint64_t m_una{0};
    uint64_t m_nextPsn{0};
    uint64_t m_endPsn{0};
    uint64_t m_highestPsn{0};         //!< one past the highest PSN ever sent
    uint64_t m_ackRequestedEndPsn{0}; //!< one past the last PSN sent with AckReq
    uint64_t m_inflightBytes{0};
    uint64_t m_retransmitted{0};
    std::vector<Message> m_messages;
    std::size_t m_oldest{0}; //!< index of the oldest message not complete
    std::size_t m_cursor{0}; //!< index of the message m_nextPsn belongs to
};

/**
 * @ingroup roce
 * @brief Receiving side of a reliable connection: order, ACK and NAK decisions.
 */
struct ReceiverQp
{
    uint64_t expectedPsn{0};    //!< next in order
    uint64_t receivedBytes{0};  //!< payload delivered in order
    uint32_t msn{0};            //!< messages delivered
    uint32_t unackedPackets{0}; //!< in-order packets since the last ACK
    bool nakSent{false};        //!< a NAK for expectedPsn is out
    uint32_t markedPackets{0};  //!< packets with CE since the last ACK
    Ptr<ReceiverFeedback> feedback;

    /// What to do with a data frame.
    enum class Action : uint8_t
    {
        ACK,     //!< acknowledge up to expectedPsn - 1
        NAK,     //!< report expectedPsn missing
        NOTHING, //!< in order, no ACK due yet; or a NAK is already out
    };

    /**
     * @brief Go-back-N responder (InfiniBand reliable connection): in order is delivered, ahead is
     * refused with one NAK per gap, behind is acknowledged again.
     * @param frame data
     * @param ackEveryN ACK at the latest every N packets; the last of a message and requested ones
     * at once
     * @return what to send
     */
    Action OnData(const Frame& frame, uint32_t ackEveryN);
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_QUEUE_PAIR_H */
