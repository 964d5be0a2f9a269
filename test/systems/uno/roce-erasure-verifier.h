// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ERASURE_VERIFIER_H
#define ROCE_ERASURE_VERIFIER_H

#include "ns3/roce-block-code.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-uno-erasure-receiver.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::roce::test
{

/// @return where a coded packet says that it stands; it may be written. @param frame coded or not
inline UnoErasureHeader&
CodeHeaderOf(Frame& frame)
{
    return frame.Extend<UnoErasureHeader>();
}

/// @return where a coded packet says that it stands. @param frame coded
inline const UnoErasureHeader&
CodeHeaderOf(const Frame& frame)
{
    return *frame.FindExtension<UnoErasureHeader>();
}

/**
 * @brief UnoErasure with real bytes: the sender encodes with ISA-L (a Cauchy matrix over GF(2^8)),
 * the receiver decodes from the packets that have arrived and compares with what the message must
 * be.
 *
 * The bytes of a message are a function of the sending NIC and queue pair, its number on that queue
 * pair and the offset. The receiver counts messages and offsets itself, from the blocks it
 * delivers.
 *
 * Frames carry no bytes. That of a verified packet says in Frame::remoteAddress, which has no other
 * use in the simulation, which of the packets that its sender keeps it is: its PSN, and in the
 * upper 16 bits 0 (unless there are two networks in one process at a time). So a capture, which
 * shows it, does not depend on where things lie in this machine's memory. A receiver asks only for
 * blocks that it has not rebuilt; those its sender still has.
 */
class ErasureVerifier
{
  public:
    /// @return whether the tests were built with ISA-L
    static bool IsAvailable();

    class Sender;
    class Receiver;

    /**
     * @brief Find what a packet carries.
     * @param frame coded data that a Sender has seen
     * @return its payloadBytes bytes, which the sender keeps
     * @throw std::logic_error if that sender does not have them any more
     */
    static uint8_t* GetBytes(const Frame& frame);

  private:
    /// What has been found is wrong: throws std::runtime_error, one line.
    [[noreturn]] static void Fail(uint32_t src,
                                  uint32_t qp,
                                  uint64_t message,
                                  const std::string& what);
};

/**
 * @brief The bytes of the packets that a queue pair has sent and that are not acknowledged.
 */
class ErasureVerifier::Sender
{
  public:
    Sender() = default;
    ~Sender();
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    /**
     * @brief A packet is sent; the first of each block is sent before others of it, and blocks in
     * order.
     * @param frame coded data; its remoteAddress is set. What is there remains until Retire()
     */
    void OnSend(Frame& frame);

    /// @param unaPsn blocks that end here or below are forgotten
    void Retire(uint64_t unaPsn);

    /// @return blocks held
    std::size_t GetBlocks() const
    {
        return m_blocks.size();
    }

  private:
    /// A block's packets, one after another.
    struct Block
    {
        uint32_t total;
        uint32_t length; //!< of each
        std::vector<uint8_t> bytes;
    };

    Block Encode(const Frame& first, const BlockPlace& place);

    friend class ErasureVerifier;

    /// Sending NIC, queue pair, and how many others with the same numbers there were before.
    using Key = std::tuple<uint32_t, uint32_t, uint64_t>;

    /// @return those that have sent something
    static std::map<Key, Sender*>& GetTable();
    void Register(const Frame& first);

    std::optional<Key> m_key;           //!< in the table
    std::map<uint64_t, Block> m_blocks; //!< by first PSN
    uint64_t m_messages{0};             //!< begun
    uint64_t m_offset{0};               //!< of the next block in its message
};

/**
 * @brief What has arrived of blocks that are not delivered.
 */
class ErasureVerifier::Receiver
{
  public:
    /**
     * @brief A packet has arrived; its block is decoded once enough of it are there, and then wants
     * no more.
     * @param frame coded data
     */
    void Take(const Frame& frame);

    /**
     * @brief The next block in order is delivered: compare it.
     * @param firstPsn its first PSN
     * @return the first PSN of the next block
     * @throw std::runtime_error that names the first wrong byte
     */
    uint64_t Deliver(uint64_t firstPsn);

  private:
    /// Packets by their place in the block; empty: not there.
    struct Block
    {
        BlockPlace place;
        uint32_t bytes;        //!< of the message
        uint64_t messageBytes; //!< length of the message
        uint64_t arrived{0};   //!< bit i: packet i is there
        bool done{false};      //!< decoded
        std::vector<std::vector<uint8_t>> packets;
    };

    std::map<uint64_t, Block> m_blocks; //!< by first PSN
    uint32_t m_src{0};                  //!< sending NIC
    uint32_t m_srcQp{0};                //!< number there
    uint64_t m_message{0};              //!< number of the one that is being delivered
    uint64_t m_offset{0};               //!< what of it has been
};

} // namespace ns3::roce::test

#endif /* ROCE_ERASURE_VERIFIER_H */
