// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BLOCK_CODE_H
#define ROCE_BLOCK_CODE_H

#include "ns3/roce-message-layout.h"

#include <algorithm>
#include <cstdint>

namespace ns3::roce
{

/// Where a packet of a coded message is in its block.
struct BlockPlace
{
    uint8_t index{0}; //!< in the block; from `data` on they are parity
    uint8_t data{1};  //!< packets that are enough to rebuild the block
    uint8_t total{1}; //!< packets of the block
    bool last{false}; //!< the message ends with this block
};

/**
 * @brief Layout of a message that is sent in blocks of data and parity packets (systematic maximum
 * distance separable code): which packets there are and what each carries. Plain arithmetic.
 *
 * The packets of a message are numbered in the order in which they are sent: block by block, data
 * before parity. A parity packet is as long as the longest data packet of its block. Any `data` of
 * the `total` packets of a block rebuild it.
 */
struct BlockCode final : public MessageLayout
{
    static constexpr unsigned MAX_TOTAL = 64; //!< packets of a block: the size of a bitmap

    /// A last block with fewer than dataPackets of data.
    enum class LastBlock : uint8_t
    {
        SHORTENED,    //!< all the parity nevertheless
        PROPORTIONAL, //!< parity in proportion, rounded up
        PADDED,       //!< filled up with empty data, which is sent
    };

    uint8_t dataPackets{0};   //!< of each full block; 0: the message is not coded
    uint8_t parityPackets{0}; //!< of each full block
    LastBlock lastBlock{LastBlock::SHORTENED};

    /// A packet's block and place.
    struct Location
    {
        uint64_t block;
        BlockPlace place;
    };

    /// @return whether messages are coded
    bool IsOn() const
    {
        return dataPackets != 0;
    }

    uint64_t CountPackets(uint64_t dataCount) const override
    {
        if (!IsOn())
        {
            return dataCount;
        }
        const auto rest = static_cast<uint32_t>(dataCount % dataPackets);
        return dataCount / dataPackets * (dataPackets + parityPackets) +
               (rest ? (lastBlock == LastBlock::PADDED ? dataPackets : rest) + ParityOf(rest) : 0);
    }

    /**
     * @param position of a packet in its message
     * @param packets CountPackets() of the message
     * @return where it is
     */
    Location Locate(uint64_t position, uint64_t packets) const
    {
        const uint32_t full = dataPackets + parityPackets;
        const uint64_t block = position / full;
        BlockPlace place;
        place.index = static_cast<uint8_t>(position - block * full);
        place.last = (block + 1) * full >= packets;
        const auto total = static_cast<uint32_t>(std::min<uint64_t>(full, packets - block * full));
        uint32_t data = dataPackets;
        while (data > 1 && data + ParityOf(data) > total)
        {
            --data; // only in a shorter last block
        }
        place.total = static_cast<uint8_t>(total);
        place.data = static_cast<uint8_t>(data);
        return {block, place};
    }

    /**
     * @param where a packet
     * @param bytes length of its message
     * @param mtuBytes payload of a full packet
     */
    uint32_t PayloadOf(const Location& where, uint64_t bytes, uint32_t mtuBytes) const
    {
        const uint64_t before = where.block * dataPackets * mtuBytes;
        const uint64_t own = before + static_cast<uint64_t>(where.place.index) * mtuBytes;
        const bool real = where.place.index < where.place.data && own < bytes;
        return static_cast<uint32_t>(
            std::min<uint64_t>(mtuBytes,
                               bytes - (real && lastBlock != LastBlock::PADDED ? own : before)));
    }

    /**
     * @param block of a message
     * @param bytes length of the message
     * @param mtuBytes payload of a full packet
     * @return bytes of the message that the block carries
     */
    uint64_t BytesOf(uint64_t block, uint64_t bytes, uint32_t mtuBytes) const
    {
        const uint64_t whole = static_cast<uint64_t>(dataPackets) * mtuBytes;
        return std::min(whole, bytes - block * whole);
    }

    uint32_t GetPayload(uint64_t position,
                        uint64_t packets,
                        uint64_t bytes,
                        uint32_t mtuBytes) const override
    {
        return PayloadOf(Locate(position, packets), bytes, mtuBytes);
    }

    uint64_t CountDataBefore(uint64_t position) const override
    {
        const uint32_t full = dataPackets + parityPackets;
        return position / full * dataPackets + std::min<uint64_t>(position % full, dataPackets);
    }

  private:
    uint32_t ParityOf(uint32_t data) const
    {
        return lastBlock == LastBlock::PROPORTIONAL
                   ? (data * parityPackets + dataPackets - 1) / dataPackets
                   : parityPackets;
    }
};

} // namespace ns3::roce

#endif /* ROCE_BLOCK_CODE_H */
