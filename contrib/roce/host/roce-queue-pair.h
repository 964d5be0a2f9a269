// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_QUEUE_PAIR_H
#define ROCE_QUEUE_PAIR_H

#include "roce-congestion-control.h"
#include "roce-message-layout.h"
#include "roce-path-selector.h"
#include "roce-queue-pair-config.h"
#include "roce-receiver-qp.h"
#include "roce-retransmission-timer.h"

#include "ns3/roce-frame.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::roce
{

class LossRecovery;

/// @brief A finished message, at its sender.
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
 * @brief Sending side of a reliable connection: a queue of messages and their PSNs.
 *
 * Arithmetic only; the NIC decides when it sends, and LossRecovery what is sent again. PSNs are
 * 64-bit and count packets over all messages of the queue pair, which are sent one after the other.
 * `inflight` counts wire bytes.
 */
class QueuePair
{
  public:
    using Config = QueuePairConfig;
    using Repacing = Config::Repacing;

    /// busyIndex of a queue pair all of whose messages are acknowledged.
    static constexpr uint32_t NOT_BUSY = UINT32_MAX;

    /// What an ACK or NAK did.
    struct AckResult
    {
        uint64_t packets{0};   //!< newly acknowledged, in order or not
        uint64_t bytes{0};     //!< their wire bytes
        uint64_t newestPsn{0}; //!< one past the newest PSN that is known to have arrived
        bool advanced{false};  //!< the first unacknowledged PSN has changed
        bool rewound{false};   //!< go-back-N has taken place
        bool loss{false};      //!< the first sign of a loss (or of several in one window)
        bool lateLoss{false};  //!< a timeout has found a loss, reported to the rate law now
    };

    /// A message as packets.
    struct Extent
    {
        uint64_t firstPsn;
        uint64_t packets;
        uint64_t bytes; //!< of the message
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
     * @param recovery of this queue pair
     * @param selector of its paths, already started, or null: every frame has the entropy of config
     */
    QueuePair(uint32_t qpn,
              const Config& config,
              Ptr<CongestionControl> cc,
              Ptr<LossRecovery> recovery,
              Ptr<PathSelector> selector = nullptr);
    ~QueuePair();
    QueuePair(const QueuePair&) = delete;
    QueuePair& operator=(const QueuePair&) = delete;

    /**
     * @brief Append a message.
     * @param bytes length; 0 is one packet without payload
     * @param cookie returned in its MessageRecord
     * @param nowPs current time
     */
    void Post(uint64_t bytes, uint64_t cookie, int64_t nowPs);

    // --- for MessageCosts

    /// @return whether a message has no SetReady() yet
    bool HasPosted() const
    {
        return m_ready < m_forgotten + m_messages.size();
    }

    /// @brief The next message that HasPosted() may be sent from then on. @param atPs not before
    /// that of the message before
    void SetReady(int64_t atPs)
    {
        m_messages[m_ready++ - m_forgotten].readyPs = atPs;
    }

    /// @return from when on the next message to Allow() may be sent, or NEVER_PS
    int64_t GetReadyPs() const
    {
        return m_allowed < m_ready ? m_messages[m_allowed - m_forgotten].readyPs : NEVER_PS;
    }

    /// @brief Let the next message be sent.
    void Allow()
    {
        ++m_allowed;
        SetSendEnd();
    }

    /// @return whether each packet of all messages that may be sent has been sent
    bool IsAllSent() const
    {
        const std::size_t next = m_allowed - m_forgotten;
        return m_highestPsn >= (next < m_messages.size() ? m_messages[next].firstPsn : m_endPsn);
    }

    /// @brief Go on with another rate law. @param cc of the same class, already started
    void Restart(Ptr<CongestionControl> cc);

    /// @return whether there is a packet to send, whatever the window says
    bool HasPacket() const
    {
        return m_nextPsn < m_sendEndPsn || m_hasRepeat;
    }

    /// @return whether there is a packet to send that the window allows
    bool CanSend() const
    {
        return HasPacket() && (m_inflightBytes < m_cc->GetWindowBytes() || NeedsProbe());
    }

    /**
     * @brief Fill in the next data frame and move on.
     * @param frame zeroed; telemetry is attached if configured
     * @param wireBytes [out] its size on the wire
     * @param nowPs current time
     */
    void BuildNext(Frame& frame, uint32_t& wireBytes, int64_t nowPs);

    // --- for LossRecovery

    /**
     * @brief Everything below a PSN has arrived.
     * @tparam F callable with (PSN, its wire bytes)
     * @param newUna above GetUna(), at most GetEndPsn()
     * @param nowPs current time
     * @param done [out] messages completed are appended
     * @param retired called for each of the PSNs, in order; accounts for what was in flight
     */
    template <typename F>
    void Retire(uint64_t newUna, int64_t nowPs, std::vector<MessageRecord>& done, F&& retired);

    /// @brief Send everything unacknowledged again.
    void GoBack();

    /// @param hasRepeat LossRecovery::TakeRepeat() has a packet to be sent, before new ones
    void SetRepeat(bool hasRepeat)
    {
        m_hasRepeat = hasRepeat;
    }

    /// @param packets PSNs that may be outstanding at most, from the first unacknowledged one on
    void SetSendLimit(uint64_t packets)
    {
        m_limitPackets = packets;
        SetSendEnd();
    }

    /// @param wireBytes added to what is in flight
    void AddInflight(int64_t wireBytes)
    {
        m_inflightBytes += static_cast<uint64_t>(wireBytes);
    }

    /// @return what a packet that is not acknowledged counts in flight, bytes
    uint32_t GetInflightShare(uint64_t psn) const
    {
        return InflightShareOf(m_messages[MessageOf(psn)], psn);
    }

    /// @return one past the highest PSN ever sent
    uint64_t GetHighestPsn() const
    {
        return m_highestPsn;
    }

    // --- observation

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

    /// @return acknowledged payload of the oldest message that is not complete
    uint64_t GetAckedPayloadBytes() const
    {
        if (m_oldest == m_messages.size())
        {
            return 0;
        }
        // Its last packet is not acknowledged, and the others are full; parity may follow.
        const Message& message = m_messages[m_oldest];
        const uint64_t packets = m_una - message.firstPsn;
        return std::min(message.bytes, CountDataBefore(packets) * m_config.mtuBytes);
    }

    /// @return payload that has not been sent at all
    uint64_t GetUnsentBytes() const
    {
        if (m_highestPsn == m_endPsn)
        {
            return 0;
        }
        const Message& message = m_messages[MessageOf(m_highestPsn)];
        const uint64_t sent = CountDataBefore(m_highestPsn - message.firstPsn) * m_config.mtuBytes;
        return m_postedBytes - message.bytesBefore - std::min(message.bytes, sent);
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

    /// @return what repairs losses
    LossRecovery& GetRecovery() const
    {
        return *m_recovery;
    }

    /// @return the message of a packet. @param psn of it, not acknowledged
    Extent GetMessageOf(uint64_t psn) const
    {
        const Message& message = m_messages[MessageOf(psn)];
        return {message.firstPsn, message.packets, message.bytes};
    }

    /// @return what chooses paths, or null if every frame takes the same
    PathSelector* GetSelector() const
    {
        return PeekPointer(m_selector);
    }

    /// @return entropy of the last frame sent; at first the queue pair's own
    uint16_t GetEntropy() const
    {
        return m_entropy;
    }

    /// @return cookie of the oldest message that is not complete, or UINT64_MAX
    uint64_t GetOldestCookie() const;

    /// A message that is not complete.
    struct Open
    {
        uint64_t cookie;
        uint64_t packets;       //!< parity included
        uint64_t bytes;         //!< of the message
        uint64_t bytesBefore;   //!< payload of all messages before
        uint64_t retransmitted; //!< see MessageRecord
    };

    /**
     * @tparam F callable with (Open)
     * @param visit called for the messages that are not complete, in order
     */
    template <typename F>
    void ForOpen(F&& visit) const
    {
        for (std::size_t i = m_oldest; i < m_messages.size(); ++i)
        {
            const Message& message = m_messages[i];
            visit(Open{message.cookie,
                       message.packets,
                       message.bytes,
                       message.bytesBefore,
                       i == m_oldest ? m_retransmitted - message.retransmittedBefore : 0});
        }
    }

    // State that belongs to the NIC's scheduling of this queue pair.
    QueuePair* nextReady{nullptr};       //!< ready ring
    int64_t nextAvailPs{INT64_MIN};      //!< pacing: earliest next start
    uint64_t pacedRateBps{0};            //!< rate that nextAvailPs was computed with
    int64_t burstStartPs{INT64_MIN / 2}; //!< pacing quantum under way: its start
    uint64_t burstBytes{0};              //!< and what of it has been sent
    int64_t heapPs{NEVER_PS};            //!< key of its valid timer heap entry
    uint64_t ackedPackets{0};            //!< acknowledged up to now, in order or not
    uint32_t pacedBytes{0};              //!< wire bytes that nextAvailPs was computed with
    Place place{Place::NOWHERE};
    bool failed{false};           //!< retry limit exceeded
    uint32_t retunings{0};        //!< of those at its NIC, how many its rate law has taken over
    uint32_t busyIndex{NOT_BUSY}; //!< in the NIC's list of those with unacknowledged messages
    RetransmissionTimer timeout;  //!< of its oldest packet, or what LossRecovery watches
    int64_t othersDuePs{0};       //!< see LossRecovery::CountsOthersDue()

    /// What MessageCosts keeps.
    struct Work
    {
        uint32_t underWay{0};          //!< messages posted whose completion is not seen
        bool hasTurn{false};           //!< is among those that wait for periodPs
        int64_t lastPs{INT64_MIN / 2}; //!< end of the last packet of a message
        int64_t entryPs{NEVER_PS};     //!< key of the valid entry in the heap
    };

    Work work;
    int64_t idleSincePs{NEVER_PS}; //!< since when all that was posted is acknowledged

  private:
    /// A posted message.
    struct Message
    {
        uint64_t firstPsn;
        uint64_t packets;
        uint64_t bytes;
        uint64_t bytesBefore; //!< of all messages before
        uint64_t cookie;
        int64_t postedPs;
        int64_t readyPs; //!< see SetReady()
        uint64_t retransmittedBefore;
    };

    /**
     * With coalesced ACKs, a window that shrinks below what is in flight could wait for an ACK that
     * nothing in flight causes. One more packet, with AckReq, is sent then.
     */
    bool NeedsProbe() const
    {
        return m_config.ackEveryN > 1 && m_ackRequestedEndPsn <= m_una &&
               m_nextPsn - m_una < m_config.ackEveryN;
    }

    uint32_t PayloadOf(const Message& message, uint64_t psn) const;
    uint32_t FrameBytesOf(const Message& message, uint64_t psn) const;
    uint32_t InflightShareOf(const Message& message, uint64_t psn) const;
    void SeekCursor();
    std::size_t MessageOf(uint64_t psn) const; //!< index, of those not complete

    void SetSendEnd()
    {
        const std::size_t allowed = m_config.costs ? m_allowed - m_forgotten : m_messages.size();
        const uint64_t endPsn =
            allowed < m_messages.size() ? m_messages[allowed].firstPsn : m_endPsn;
        m_sendEndPsn = m_limitPackets < endPsn - m_una ? m_una + m_limitPackets : endPsn;
    }

    /// @return data packets before one. @param packets of the message that come before it
    uint64_t CountDataBefore(uint64_t packets) const
    {
        return m_layout ? m_layout->CountDataBefore(packets) : packets;
    }

    Config m_config;
    std::array<const FrameExtension*, 2> m_extensions; //!< of each data frame; or null
    uint32_t m_extensionBytes{0};                      //!< of them in each data frame
    const MessageLayout* m_layout;                     //!< null: pieces of an MTU
    bool m_watched; //!< LossRecovery::OnSend() wants to be called
    Ptr<CongestionControl> m_cc;
    Ptr<LossRecovery> m_recovery;
    Ptr<PathSelector> m_selector;
    uint32_t m_qpn;
    uint16_t m_entropy; //!< of the last frame
    bool m_hasRepeat{false};
    uint64_t m_una{0};
    uint64_t m_nextPsn{0};
    uint64_t m_sendEndPsn{0}; //!< new packets may be sent below this
    uint64_t m_endPsn{0};
    uint64_t m_limitPackets{UINT64_MAX};
    uint64_t m_highestPsn{0};         //!< one past the highest PSN ever sent
    uint64_t m_ackRequestedEndPsn{0}; //!< one past the last PSN sent with AckReq
    uint64_t m_inflightBytes{0};
    uint64_t m_retransmitted{0};
    uint64_t m_postedBytes{0};
    uint64_t m_forgotten{0}; //!< messages
    uint64_t m_ready{0};     //!< messages that have SetReady()
    uint64_t m_allowed{0};   //!< messages, see Allow()
    std::vector<Message> m_messages;
    std::size_t m_oldest{0}; //!< index of the oldest message not complete
    std::size_t m_cursor{0}; //!< index of the message m_nextPsn belongs to
};

template <typename F>
void
QueuePair::Retire(uint64_t newUna, int64_t nowPs, std::vector<MessageRecord>& done, F&& retired)
{
    while (m_una < newUna)
    {
        const Message& message = m_messages[m_oldest];
        retired(m_una, InflightShareOf(message, m_una));
        ++m_una;
        if (m_una == message.firstPsn + message.packets)
        {
            done.push_back({message.cookie,
                            message.bytes,
                            message.postedPs,
                            nowPs,
                            message.packets,
                            m_retransmitted - message.retransmittedBefore});
            ++m_oldest;
            if (m_oldest < m_messages.size())
            {
                m_messages[m_oldest].retransmittedBefore = m_retransmitted;
            }
        }
    }
    // What was sent before a rewind may be acknowledged ahead of what has been sent again; what is
    // left of a block that can be rebuilt already is not sent at all.
    m_nextPsn = std::max(m_nextPsn, m_una);
    m_highestPsn = std::max(m_highestPsn, m_una);
    SetSendEnd();
}

/// The queue pairs of a NIC by number; null once closed.
using QueuePairList = std::vector<std::unique_ptr<QueuePair>>;

} // namespace ns3::roce

#endif /* ROCE_QUEUE_PAIR_H */
