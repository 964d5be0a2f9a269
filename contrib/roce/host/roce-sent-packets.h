// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SENT_PACKETS_H
#define ROCE_SENT_PACKETS_H

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief What a sender knows of each packet that is sent and not acknowledged: for loss recoveries
 * that give each packet a timer of its own.
 *
 * PSNs from a base on that only grows, and the HISTORY before it: packets that are no longer needed
 * may still arrive. A packet's timeout is base timeout * 2^(times it has been sent again), at most
 * times the greatest factor. Transmissions with the same factor are in a queue of their own, in the
 * order they were made, which is the order in which they are due: no sorting. Nothing is allocated
 * once the greatest number of packets has been outstanding.
 */
class SentPackets
{
  public:
    /// State of a packet.
    enum class State : uint8_t
    {
        UNSENT,      //!< never sent
        OUT,         //!< sent: in flight, as far as is known
        LOST,        //!< taken for lost
        ARRIVED,     //!< known to have arrived
        WAITING,     //!< taken for lost, and to be sent again
        SPARED,      //!< in flight, but no longer needed: its block can be rebuilt without it
        WRITTEN_OFF, //!< taken for lost, and no longer needed
    };

    /// One packet.
    struct Packet
    {
        int64_t sentPs{0};          //!< start of its last transmission
        uint32_t inflightBytes{0};  //!< what it counts in flight
        uint16_t entropy{0};        //!< of its last transmission
        uint8_t repeats{0};         //!< times it has been sent again; stops at MAX_REPEATS
        State state{State::UNSENT}; //!< see State

        /// @return whether it has been sent, is needed, and is not known to have arrived
        bool IsMissing() const
        {
            return state == State::OUT || state == State::LOST || state == State::WAITING;
        }

        /// @return whether it has been sent and is not known to have arrived, needed or not
        bool MayArrive() const
        {
            return state != State::UNSENT && state != State::ARRIVED;
        }

        /// @brief It is no longer needed.
        void Spare()
        {
            state = state == State::OUT ? State::SPARED : IsMissing() ? State::WRITTEN_OFF : state;
        }
    };

    /// PSNs below the base that are remembered: a queue of 1 MiB.
    static constexpr uint64_t HISTORY = 256;

    /// A limit on the factor by which timeouts grow.
    static constexpr uint32_t MAX_BACKOFF = 128;

    /// @param backoff greatest factor, 1 to MAX_BACKOFF; only powers of two are used
    void SetBackoff(uint32_t backoff);

    /**
     * @param psn at least the base less HISTORY, below the end of what has been sent
     * @return the packet
     */
    Packet& At(uint64_t psn)
    {
        return m_packets[psn & (m_packets.size() - 1)];
    }

    /**
     * @brief A packet is sent.
     * @param psn at least the base
     * @param basePsn first unacknowledged
     * @param sent its new state but for repeats
     */
    void OnSend(uint64_t psn, uint64_t basePsn, const Packet& sent);

    /**
     * @brief The base moves past a packet, which is not needed any more.
     * @param psn the base
     * @return what is forgotten instead: the packet HISTORY before, UNSENT if there is none
     */
    Packet Retire(uint64_t psn)
    {
        Packet forgotten;
        if (psn >= HISTORY)
        {
            std::swap(forgotten, At(psn - HISTORY));
        }
        At(psn).Spare();
        return forgotten;
    }

    /**
     * @param basePsn first unacknowledged
     * @param timeoutPs base timeout
     * @return when the first packet in flight is due, or NEVER_PS
     */
    int64_t NextDuePs(uint64_t basePsn, int64_t timeoutPs);

    /**
     * @brief Take out one packet in flight whose timeout has run out.
     * @param basePsn first unacknowledged
     * @param timeoutPs base timeout
     * @param nowPs current time
     * @param [out] psn of the packet
     * @return whether there was one
     */
    bool PopDue(uint64_t basePsn, int64_t timeoutPs, int64_t nowPs, uint64_t& psn);

    /// @param psn of a packet in flight. @param timeoutPs base timeout. @return when it is due
    int64_t DuePs(uint64_t psn, int64_t timeoutPs)
    {
        const Packet& packet = At(psn);
        return packet.sentPs + (timeoutPs << LevelOf(packet));
    }

    /**
     * @brief Have a packet sent again, after those named before.
     * @param psn of a packet that is LOST; it is WAITING then
     */
    void PushRepeat(uint64_t psn);

    /**
     * @param basePsn first unacknowledged
     * @param [out] psn of the first packet that is WAITING
     * @return whether there is one
     */
    bool PeekRepeat(uint64_t basePsn, uint64_t& psn);

    /// @brief Take out what PeekRepeat() names.
    void PopRepeat()
    {
        m_repeats.pop_front();
    }

  private:
    /// A transmission.
    struct Sent
    {
        uint64_t psn;
        int64_t sentPs;
    };

    using SentQueue = boost::circular_buffer<Sent>;

    static constexpr std::size_t N_LEVELS = 8;  //!< factors 1 to MAX_BACKOFF
    static constexpr uint8_t MAX_REPEATS = 255; //!< what is counted

    std::size_t LevelOf(const Packet& packet) const
    {
        return packet.repeats < m_maxLevel ? packet.repeats : m_maxLevel;
    }

    template <typename T>
    static void Push(boost::circular_buffer<T>& queue, const T& value);
    void Grow(uint64_t psn, uint64_t firstPsn);
    void DropStale(SentQueue& queue, uint64_t basePsn);

    std::vector<Packet> m_packets; //!< a power of two of them, by PSN
    std::array<SentQueue, N_LEVELS> m_sent;
    boost::circular_buffer<uint64_t> m_repeats;
    std::size_t m_maxLevel{0};
};

} // namespace ns3::roce

#endif /* ROCE_SENT_PACKETS_H */
