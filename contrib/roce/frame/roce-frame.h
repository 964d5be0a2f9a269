// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FRAME_H
#define ROCE_FRAME_H

#include "roce-frame-fields.h"
#include "roce-int-stack.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace ns3
{
class Packet;
}

namespace ns3::roce
{

/// @brief Memory for what mechanisms add to one frame, pooled; most frames have none.
struct alignas(64) ExtensionChunk
{
    static constexpr uint32_t MAX = 3;    //!< extensions
    static constexpr uint32_t BYTES = 16; //!< room for each

    ExtensionChunk* next;                       //!< the next free one
    uint8_t tag[MAX];                           //!< of the FrameExtensions that there are, then 0
    alignas(8) unsigned char value[MAX][BYTES]; //!< of each tag
};

/**
 * @brief A frame inside the simulator: parsed fields, pooled, handed over and never shared.
 *
 * Whoever holds a frame passes it on or gives it back with FramePool::Free(). Quantities are full
 * 64-bit ones; WireFormat makes the real bytes where they are needed.
 */
struct alignas(64) Frame
{
    static constexpr uint32_t MAX_EXTENSIONS = ExtensionChunk::MAX;    //!< that it can carry
    static constexpr uint32_t EXTENSION_BYTES = ExtensionChunk::BYTES; //!< room for each
    // What may be charged for telemetry, so that 255 hops and a time stamp fit telemetryBytes.
    static constexpr uint32_t MAX_HOP_BYTES = 256;        //!< by a switch
    static constexpr uint32_t MAX_INT_HEADER_BYTES = 240; //!< by the sender

    Frame* next;             //!< link of the one queue the frame is in
    int64_t timePs;          //!< arrival time while in flight; free for the holder otherwise
    uint64_t psn;            //!< DATA: packet sequence; ACK: last in order; NAK: expected
    IntStack telemetry;      //!< INT records, if the frame is telemetry-capable
    uint16_t payloadBytes;   //!< RDMA payload without pad
    uint32_t frameBytes;     //!< MAC header to FCS, with telemetry; before padding to 64
    uint32_t src;            //!< index of the sending NIC
    uint32_t dst;            //!< index of the receiving NIC
    uint16_t telemetryBytes; //!< bytes of frameBytes that are telemetry or time stamps
    uint16_t entropy;        //!< UDP source port
    uint16_t inPort;         //!< scratch of the switch that holds the frame: arrival port
    FrameKind kind;          //!< see FrameKind
    uint8_t trafficClass;    //!< 0..7
    uint8_t ecn;             //!< see Ecn
    uint8_t flags;           //!< see FrameFlag
    uint8_t ttl;             //!< IPv4 time to live
    uint8_t dscp;            //!< IPv4 DSCP; class << 3 by default
    uint32_t nextGapPs;      //!< in flight: timePs of next less its own, or UINT32_MAX if that is
                             //!< too long: the next one need not be read with this one
    // --- second cache line: what only end hosts read
    alignas(64) uint32_t dstQp; //!< queue pair number at the receiving NIC
    uint32_t srcQp;             //!< queue pair number at the sending NIC; PACKET: names its flow
    int64_t sentPs; //!< DATA: start of transmission at the sender; ACK, NOTIFICATION: the
                    //!< echo of it

    union {
        uint64_t cookie;      //!< DATA: of the message, see QueuePair::Post(); not on the wire
        int64_t remoteHoldPs; //!< ACK: time the receiver held the data before acknowledging
        Packet* packet; //!< PACKET: from the MAC header on, without FCS; the frame has a reference
    };

    union {
        uint64_t messageBytes; //!< DATA: length of the message (RETH DMA length)
        uint64_t sackPsn;      //!< ACK, NAK: PSN of bit 0 of sackBits
        uint64_t lowQuanta;    //!< PFC: of classes 0 to 3, see GetQuanta()
    };

    union {
        uint64_t remoteAddress; //!< DATA: RETH virtual address
        uint64_t sackBits;      //!< ACK, NAK: bit i: PSN sackPsn + i has arrived out of order
        uint64_t highQuanta;    //!< PFC: of classes 4 to 7, see GetQuanta()
    };

    union {
        uint32_t rKey;          //!< DATA: RETH R_Key
        uint32_t markedPackets; //!< ACK, NAK: data frames with CE since the last one
    };

    uint32_t msn;          //!< ACK, NAK: messages completed; NOTIFICATION: mechanism
    uint32_t ackedPackets; //!< ACK: data frames this ACK acknowledges
    uint16_t dataEntropy;  //!< ACK, NAK: UDP source port of the data frame it answers, or 0 if a
                           //!< timer sends it. A NIC knows it from the wire: its reply has the same
                           //!< source port, unless replies of the flow have a port of their own
    bool stageMark;      //!< DATA, PACKET: a stage of a switch on its way has set it, for a use of
                         //!< its own; never set by NICs
    uint8_t classEnable; //!< PFC: class-enable vector
    ExtensionChunk* extensions; //!< null if it has never carried one

    /// @return PFC: pause time, units of 512 bits. @param trafficClass 0 to 7
    uint16_t GetQuanta(unsigned trafficClass) const
    {
        return static_cast<uint16_t>((trafficClass < 4 ? lowQuanta : highQuanta) >>
                                     trafficClass % 4 * 16);
    }

    /// @brief PFC: see GetQuanta(). @param trafficClass 0 to 7 @param quanta units of 512 bits
    void SetQuanta(unsigned trafficClass, uint16_t quanta)
    {
        uint64_t& four = trafficClass < 4 ? lowQuanta : highQuanta;
        const unsigned shift = trafficClass % 4 * 16;
        four = (four & ~(uint64_t{UINT16_MAX} << shift)) | uint64_t{quanta} << shift;
    }

    /// @return tag of the i-th FrameExtension that it carries, or 0. @param i 0 to MAX_EXTENSIONS
    uint8_t GetExtension(uint32_t i) const
    {
        return extensions && i < MAX_EXTENSIONS ? extensions->tag[i] : 0;
    }

    // Defined in roce-frame-extension.h; T is a plain struct with a FrameExtension EXTENSION.

    /**
     * @brief Carry an extension: its bytes are added to frameBytes, its value is zero.
     * @return the value; as it is, if the frame carries it already
     * @throw InputError if the frame carries MAX_EXTENSIONS others
     */
    template <typename T>
    T& Extend();

    /// @return the value of an extension, or null if the frame does not carry it
    template <typename T>
    T* FindExtension();

    /// @return the value of an extension, or null if the frame does not carry it
    template <typename T>
    const T* FindExtension() const;

    /// @return its telemetry, or null if it is not telemetry-capable
    const IntStack* FindTelemetry() const
    {
        return telemetry ? &telemetry : nullptr;
    }

    /// @brief Remove an extension, and its bytes from frameBytes.
    template <typename T>
    void RemoveExtension();
};

static_assert(sizeof(Frame) == 128 && offsetof(Frame, dstQp) == 64 && sizeof(ExtensionChunk) == 64,
              "what a switch looks at is one cache line, an end host two");

/**
 * @brief Free lists of frames, telemetry stacks and extensions: no allocation in steady state.
 *
 * One pool per thread; surplus of one thread goes to others through a store (see FreeChain). It
 * holds no simulation state, only free memory, so nothing that a run computes depends on it.
 * AddressSanitizer knows which memory is free, so it finds the use of a frame that was given back.
 */
class FramePool
{
  public:
    /// @return a frame whose fields are all zero
    static Frame* Alloc();

    /**
     * @brief Give a frame (and its telemetry and extensions) back.
     * @param frame a frame the caller holds
     */
    static void Free(Frame* frame);

    /// @return whether it is the one that this thread has given back last
    static bool IsFree(const Frame* frame)
    {
        return frame == t_chains.frames.first;
    }

    /// @return an empty telemetry stack, to which records can be appended
    static IntStack AllocInt();

    /// @brief Give a telemetry stack back. @param stack may have no memory
    static void FreeInt(IntStack stack);

    /// @return memory for extensions: no tags
    static ExtensionChunk* AllocExtensions();

    /// @brief Give memory for extensions back. @param extensions not null
    static void FreeExtensions(ExtensionChunk* extensions);

    /**
     * @return frames handed out and not given back: 0 once a run has drained. What other threads
     * have that still live counts as handed out
     */
    static uint64_t Outstanding();

    /// @brief A thread ends: its memory goes to the others.
    static void ReleaseThread();

  private:
    /// Free memory of one thread: a chain of at most BATCH pieces, and perhaps a full one more, so
    /// that the store, which has further chains, is seldom used; and what is left of its last slab.
    template <typename T>
    struct FreeChain
    {
        T* first;       //!< or null
        T* spare;       //!< another chain, of BATCH pieces, or null
        T* unused;      //!< to unusedEnd: never written to, a multiple of BATCH pieces
        T* unusedEnd;   //!< see there
        uint32_t count; //!< pieces in the chain that begins with first
    };

    static constexpr uint32_t BATCH = 256; //!< pieces that the store takes and gives at once

    /// Free memory of a thread.
    struct Chains
    {
        FreeChain<Frame> frames;
        FreeChain<IntChunk> chunks;
        FreeChain<ExtensionChunk> extensions;
    };

    class Store;

    // Found without a function call: see the C++ library's documents on thread-local storage.
    [[gnu::tls_model("initial-exec")]] inline static thread_local Chains t_chains;

    /// Mark memory as free or in use, for AddressSanitizer.
    static void Poison([[maybe_unused]] void* memory,
                       [[maybe_unused]] std::size_t bytes,
                       [[maybe_unused]] bool isFree)
    {
#ifdef __SANITIZE_ADDRESS__
        if (isFree)
        {
            __asan_poison_memory_region(memory, bytes);
        }
        else
        {
            __asan_unpoison_memory_region(memory, bytes);
        }
#endif
    }

    template <typename T>
    static void Refill(FreeChain<T>& chain);
    template <typename T>
    static void Stow(FreeChain<T>& chain);

    /// @return a piece of memory, as it was left. @param chain of the thread
    template <typename T>
    static T* Take(FreeChain<T>& chain);

    /// @brief Give a piece of memory back. @param chain of the thread @param piece of memory
    template <typename T>
    static void Give(FreeChain<T>& chain, T* piece);

    static void ReleasePacket(Frame* frame);
    static IntChunk* AllocChunk();
    static void FreeChunks(IntChunk* chunk);

    /// @return where a piece of free memory has the link to the next one
    static Frame*& NextOf(Frame* frame)
    {
        return frame->next;
    }

    /// @return see the other one
    static ExtensionChunk*& NextOf(ExtensionChunk* extensions)
    {
        return extensions->next;
    }

    /// @return see the other one
    static IntChunk*& NextOf(IntChunk* chunk)
    {
        return chunk->lines[0].next;
    }

    friend struct IntStack;
};

/// @brief An intrusive first-in-first-out queue of frames with a byte count.
class FrameQueue
{
  public:
    /// @param frame goes to the tail
    void Push(Frame* frame)
    {
        frame->next = nullptr;
        (m_head ? m_tail->next : m_head) = frame;
        m_tail = frame;
        m_bytes += frame->frameBytes;
        ++m_frames;
    }

    /// @return the head, taken out; the queue must not be empty
    Frame* Pop()
    {
        Frame* frame = m_head;
        m_head = frame->next;
        __builtin_prefetch(m_head); // the next to be popped
        m_bytes -= frame->frameBytes;
        --m_frames;
        return frame;
    }

    /// @return the head or null
    Frame* Peek() const
    {
        return m_head;
    }

    /// @return the tail or null
    Frame* PeekLast() const
    {
        return m_head ? m_tail : nullptr;
    }

    /// @return whether there is no frame
    bool IsEmpty() const
    {
        return !m_head;
    }

    /// @return sum of frameBytes
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    uint32_t GetFrames() const
    {
        return m_frames;
    }

    /// @brief Free every frame.
    void Clear()
    {
        while (m_head)
        {
            FramePool::Free(Pop());
        }
    }

  private:
    Frame* m_head{nullptr};
    Frame* m_tail{nullptr};
    uint64_t m_bytes{0};
    uint32_t m_frames{0};
};

template <typename T>
T*
FramePool::Take(FreeChain<T>& chain)
{
    if (!chain.first)
    {
        Refill(chain);
    }
    T* piece = chain.first;
    Poison(piece, sizeof *piece, false);
    chain.first = NextOf(piece);
    --chain.count;
    return piece;
}

template <typename T>
void
FramePool::Give(FreeChain<T>& chain, T* piece)
{
    if (chain.count == BATCH)
    {
        Stow(chain);
    }
    NextOf(piece) = chain.first;
    Poison(piece, sizeof *piece, true);
    chain.first = piece;
    ++chain.count;
}

inline Frame*
FramePool::Alloc()
{
    Frame* frame = Take(t_chains.frames);
    std::memset(static_cast<void*>(frame), 0, sizeof *frame);
    return frame;
}

inline void
FramePool::Free(Frame* frame)
{
    if (frame->telemetry)
    {
        FreeInt(frame->telemetry);
    }
    if (frame->extensions)
    {
        FreeExtensions(frame->extensions);
    }
    if (__builtin_expect(frame->kind == FrameKind::PACKET, 0))
    {
        ReleasePacket(frame);
    }
    Give(t_chains.frames, frame);
}

inline IntChunk*
FramePool::AllocChunk()
{
    IntChunk* chunk = Take(t_chains.chunks);
    NextOf(chunk) = nullptr;
    return chunk;
}

inline void
FramePool::FreeChunks(IntChunk* chunk)
{
    while (chunk)
    {
        IntChunk* next = NextOf(chunk);
        Give(t_chains.chunks, chunk);
        chunk = next;
    }
}

inline ExtensionChunk*
FramePool::AllocExtensions()
{
    ExtensionChunk* extensions = Take(t_chains.extensions);
    std::memset(extensions->tag, 0, sizeof extensions->tag);
    return extensions;
}

inline void
FramePool::FreeExtensions(ExtensionChunk* extensions)
{
    Give(t_chains.extensions, extensions);
}

inline IntStack
FramePool::AllocInt()
{
    return {AllocChunk(), 0};
}

inline void
FramePool::FreeInt(IntStack stack)
{
    FreeChunks(stack.first);
}

inline IntHop&
IntStack::Append()
{
    IntChunk* chunk = first;
    uint32_t i = hops++;
    for (; i >= IntChunk::HOPS; i -= IntChunk::HOPS)
    {
        IntChunk*& next = FramePool::NextOf(chunk);
        if (!next)
        {
            next = FramePool::AllocChunk();
        }
        chunk = next;
    }
    return chunk->lines[i].hop = IntHop{};
}

} // namespace ns3::roce

#endif /* ROCE_FRAME_H */
