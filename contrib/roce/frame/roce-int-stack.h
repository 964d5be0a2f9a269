// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_INT_STACK_H
#define ROCE_INT_STACK_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ns3::roce
{

/**
 * @brief What one switch port wrote about itself into a frame (in-band network telemetry).
 *
 * Values are exact, whatever number of bytes the wire is charged for them.
 */
struct IntHop
{
    int64_t timePs{0};      //!< when the frame left the egress queue
    uint64_t txBytes{0};    //!< wire bytes this port had started to send before this frame
    uint64_t rxBytes{0};    //!< bytes that had entered this port's egress queues (PowerTCP)
    uint64_t queueBytes{0}; //!< bytes left in this port's egress queues after this frame
    uint64_t rateBps{0};    //!< rate of the port
    uint64_t hopId{0};      //!< node id << 16 | port index: shows when the path has changed
};

/**
 * @brief Memory for the telemetry of some hops, pooled. Each record has a cache line of its own, so
 * that a switch which adds one touches no other.
 */
struct alignas(64) IntChunk
{
    static constexpr uint32_t HOPS = 8; //!< in one chunk

    /// A hop's record; the first record's line also has the chunk's links.
    struct alignas(64) Line
    {
        IntHop hop;
        IntChunk* next; //!< first line: further hops of the stack, or the next free chunk
    };

    Line lines[HOPS];
};

/**
 * @brief Telemetry of any number of hops: a handle of chained chunks. Copies name the same records.
 */
struct [[gnu::packed, gnu::aligned(2)]] IntStack
{
    IntChunk* first{nullptr}; //!< null: none, and none may be appended
    uint16_t hops{0};         //!< how many

    /// @return whether records can be appended: the frame is telemetry-capable
    explicit operator bool() const
    {
        return first != nullptr;
    }

    /// @brief The i-th hop's record. @param i 0 .. hops-1, in path order. @return the record
    IntHop& At(uint32_t i) const
    {
        IntChunk* chunk = first;
        for (; i >= IntChunk::HOPS; i -= IntChunk::HOPS)
        {
            chunk = chunk->lines[0].next;
        }
        return chunk->lines[i].hop;
    }

    /// @return cache line of the record that is appended next, if it is one of the first chunk; to
    /// be fetched only, as there may be no chunk
    const void* GetNextLine() const
    {
        return reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(first) +
                                             hops % IntChunk::HOPS * sizeof(IntChunk::Line));
    }

    /// Walks the records of all chunks in path order.
    class Iterator
    {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = IntHop;
        using difference_type = std::ptrdiff_t;
        using pointer = const IntHop*;
        using reference = const IntHop&;

        Iterator() = default;

        /// @param chunk where the record is. @param index of the record in the stack
        Iterator(const IntChunk* chunk, uint32_t index)
            : m_chunk(chunk),
              m_index(index)
        {
        }

        reference operator*() const
        {
            return m_chunk->lines[m_index % IntChunk::HOPS].hop;
        }

        pointer operator->() const
        {
            return &**this;
        }

        Iterator& operator++()
        {
            if (++m_index % IntChunk::HOPS == 0)
            {
                m_chunk = m_chunk->lines[0].next;
            }
            return *this;
        }

        Iterator operator++(int)
        {
            const Iterator before = *this;
            ++*this;
            return before;
        }

        /// Only for iterators of the same stack.
        bool operator==(const Iterator& other) const
        {
            return m_index == other.m_index;
        }

        bool operator!=(const Iterator& other) const
        {
            return m_index != other.m_index;
        }

      private:
        const IntChunk* m_chunk{nullptr}; //!< holds the record; null after a full last chunk
        uint32_t m_index{0};              //!< in the stack
    };

    /// @return first record
    Iterator begin() const
    {
        return {first, 0};
    }

    /// @return one past the last record
    Iterator end() const
    {
        return {nullptr, hops};
    }

    /**
     * @brief Whether the path is still the same.
     * @param samples what was kept of an earlier frame's records: a container in path order whose
     *        elements have a member hopId
     * @return whether these are the same hops
     */
    template <typename Samples>
    bool HasHopsOf(const Samples& samples) const
    {
        return hops == samples.size() &&
               std::equal(begin(), end(), samples.begin(), [](const IntHop& hop, const auto& old) {
                   return hop.hopId == old.hopId;
               });
    }

    /// @brief Append a record. @return the new record, all zero, to be filled in by the caller
    IntHop& Append();

    /// @brief Forget all records.
    void Clear()
    {
        KeepLast(0);
    }

    /**
     * @brief Forget all records but the last ones.
     * @param n how many stay, in path order; all if there are fewer
     */
    void KeepLast(uint32_t n);
};

} // namespace ns3::roce

#endif /* ROCE_INT_STACK_H */
