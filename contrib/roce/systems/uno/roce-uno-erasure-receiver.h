// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_ERASURE_RECEIVER_H
#define ROCE_UNO_ERASURE_RECEIVER_H

#include "roce-block-code.h"

#include "ns3/roce-frame-extension.h"
#include "ns3/roce-queue-pair.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>

namespace ns3::roce
{

constexpr uint32_t CODE_HEADER_BYTES = 4; //!< UnoErasureHeader on the wire

/**
 * @brief Where a coded packet is: index in the block, packets that rebuild it, packets of it,
 * whether the message ends with it, one byte each on the wire, in this order. (The Uno paper names
 * no format.)
 */
struct UnoErasureHeader
{
    BlockPlace place;
    uint32_t blockBytes; //!< bytes of the message in the block; not on the wire: they follow from
                         //!< the length of the message, which is there

    static const FrameExtension EXTENSION;
};

/**
 * @brief Receiving half of UnoErasure, for coded messages: which packets of which block have
 * arrived, and when to ask for the rest.
 */
class UnoErasureReceiver : public ReceiverQp
{
  public:
    /// Parameters; see UnoErasure.
    struct Config
    {
        int64_t timeoutPs{0};      //!< a block's timer without the time of its packets
        bool allowsForGaps{true};  //!< add that time
        int64_t framePs{0};        //!< least time between packets
        int64_t baseRttPs{0};      //!< between NACKs that no timer sends, and longest gap counted
        bool rearmOnPacket{false}; //!< see UnoErasure
        uint32_t maxNacks{16};     //!< for one block
    };

    explicit UnoErasureReceiver(const Config& config)
        : m_config(config)
    {
    }

    Action OnData(const Frame& frame,
                  uint32_t ackEveryN,
                  int64_t nowPs,
                  std::vector<uint64_t>& done) override;
    bool OnTimer(int64_t nowPs, Frame& nak) override;
    void FillAck(Frame& ack, const Frame& data) const override;

  private:
    /// A block of which something has arrived, and that is not delivered with all before it.
    struct Block
    {
        uint64_t firstPsn{0};
        uint64_t arrived{0};     //!< bit i: packet i has arrived
        uint64_t cookie{0};      //!< of the message
        int64_t duePs{NEVER_PS}; //!< when to send a NACK
        uint32_t bytes{0};       //!< of the message
        uint16_t nacks{0};       //!< sent
        BlockPlace place;        //!< of any of its packets
        bool done{false};        //!< can be rebuilt

        uint64_t EndPsn() const
        {
            return firstPsn + place.total;
        }
    };

    Block& FindBlock(const Frame& frame, int64_t nowPs);
    int64_t TimeoutPs(const Block& block) const;
    void NoteGap(int64_t nowPs);
    void Arm(Block& block, int64_t atPs);
    void Deliver(std::vector<uint64_t>& done);

    Config m_config;
    boost::circular_buffer<Block> m_blocks; //!< by PSN; what is before expectedPsn is not kept
    int64_t m_lastArrivalPs{NEVER_PS};
    double m_gapPs{0};         //!< average time between packets
    bool m_answerDone{false};  //!< the block of the data answered can be rebuilt
    uint64_t m_rebuiltPsn{0};  //!< first of the last block that could be rebuilt
    uint64_t m_rebuiltBits{0}; //!< what of it had arrived then
};

} // namespace ns3::roce

#endif /* ROCE_UNO_ERASURE_RECEIVER_H */
