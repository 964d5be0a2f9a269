// SPDX-License-Identifier: GPL-2.0-only
#include "roce-frame.h"

#include "ns3/packet.h"
#include "ns3/roce-huge-pages.h"

#include <cstddef>
#include <mutex>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// Chains that no thread has, of all kinds; and the memory.
class FramePool::Store
{
  public:
    /// @return the one of this process. Slabs are never freed: links that die after main() still
    /// give their frames back. Leak checkers see them as reachable.
    static Store& Get()
    {
        static auto* const store = new Store;
        return *store;
    }

    /// @brief A thread has none left: give it a chain. @param chain whose first is null
    template <typename T>
    void Refill(FreeChain<T>& chain)
    {
        if (chain.spare)
        {
            chain.first = std::exchange(chain.spare, nullptr);
            chain.count = BATCH;
            return;
        }
        if (TakeKept(chain))
        {
            return;
        }
        // The system clears pages that are written to for the first time, which takes long. Others
        // need not wait for it.
        chain.first = std::exchange(chain.unused, chain.unused + BATCH);
        chain.count = BATCH;
        for (uint32_t i = 0; i < BATCH; ++i)
        {
            NextOf(&chain.first[i]) = i + 1 < BATCH ? &chain.first[i + 1] : nullptr;
        }
    }

    /// @brief A thread's chain is full: begin another one. @param chain of BATCH pieces
    template <typename T>
    void Stow(FreeChain<T>& chain)
    {
        if (chain.spare)
        {
            Take(chain.spare, BATCH);
        }
        chain.spare = std::exchange(chain.first, nullptr);
        chain.count = 0;
    }

    /// @brief Take all that a thread has. @param chain of the thread
    template <typename T>
    void Empty(FreeChain<T>& chain)
    {
        Take(chain.spare, BATCH);
        Take(chain.first, chain.count);
        if (chain.unused != chain.unusedEnd)
        {
            const std::lock_guard lock(m_mutex);
            std::get<Kept<T>>(m_kept).unused.push_back({chain.unused, chain.unusedEnd});
        }
        chain = {};
    }

    /// @return pieces with threads, in use or free
    uint64_t CountFramesOut()
    {
        const std::lock_guard lock(m_mutex);
        return std::get<Kept<Frame>>(m_kept).out;
    }

  private:
    /// A chain of free pieces.
    template <typename T>
    struct Chain
    {
        T* first;
        uint32_t count;
    };

    /// What is kept of one kind.
    template <typename T>
    struct Kept
    {
        std::vector<Chain<T>> chains;
        std::vector<std::pair<T*, T*>> unused; //!< what threads that have ended left of slabs
        std::vector<void*> slabs;              //!< so that leak checkers see them
        uint64_t out{0};                       //!< pieces that threads have
    };

    /// Take a chain that was given back; without one, see that there is unused memory.
    /// Says whether there was one.
    template <typename T>
    bool TakeKept(FreeChain<T>& chain)
    {
        const std::lock_guard lock(m_mutex);
        Kept<T>& kept = std::get<Kept<T>>(m_kept);
        if (kept.chains.empty())
        {
            if (chain.unused == chain.unusedEnd)
            {
                TakeSlab(kept, chain);
            }
            kept.out += BATCH;
            return false;
        }
        chain.first = kept.chains.back().first;
        chain.count = kept.chains.back().count;
        kept.out += chain.count;
        kept.chains.pop_back();
        return true;
    }

    /// Unused memory: one chain at first, then as many as fill a huge page, or nearly.
    template <typename T>
    static void TakeSlab(Kept<T>& kept, FreeChain<T>& chain)
    {
        if (!kept.unused.empty())
        {
            std::tie(chain.unused, chain.unusedEnd) = kept.unused.back();
            kept.unused.pop_back();
            return;
        }
        constexpr std::size_t LARGE = HugePages::BYTES / (BATCH * sizeof(T));
        const std::size_t batches = kept.slabs.size() < LARGE ? 1 : LARGE;
        const std::size_t bytes = batches == 1 ? BATCH * sizeof(T) : HugePages::BYTES;
        void* memory = operator new (bytes, std::align_val_t{batches == 1 ? 64 : HugePages::BYTES});
        kept.slabs.push_back(memory);
        if (batches > 1)
        {
            HugePages::Ask(memory, static_cast<char*>(memory) + bytes);
        }
        chain.unused = static_cast<T*>(memory);
        chain.unusedEnd = chain.unused + batches * BATCH;
    }

    template <typename T>
    void Take(T* first, uint32_t count)
    {
        const std::lock_guard lock(m_mutex);
        Kept<T>& kept = std::get<Kept<T>>(m_kept);
        if (first)
        {
            kept.chains.push_back({first, count});
            kept.out -= count;
        }
    }

    std::mutex m_mutex;
    std::tuple<Kept<Frame>, Kept<IntChunk>, Kept<ExtensionChunk>> m_kept;
};

template <typename T>
void
FramePool::Refill(FreeChain<T>& chain)
{
    Store::Get().Refill(chain);
}

template <typename T>
void
FramePool::Stow(FreeChain<T>& chain)
{
    Store::Get().Stow(chain);
}

template void FramePool::Refill(FreeChain<Frame>&);
template void FramePool::Refill(FreeChain<IntChunk>&);
template void FramePool::Refill(FreeChain<ExtensionChunk>&);
template void FramePool::Stow(FreeChain<Frame>&);
template void FramePool::Stow(FreeChain<IntChunk>&);
template void FramePool::Stow(FreeChain<ExtensionChunk>&);

void
FramePool::ReleaseThread()
{
    Store::Get().Empty(t_chains.frames);
    Store::Get().Empty(t_chains.chunks);
    Store::Get().Empty(t_chains.extensions);
}

uint64_t
FramePool::Outstanding()
{
    const FreeChain<Frame>& own = t_chains.frames;
    return Store::Get().CountFramesOut() - own.count - (own.spare ? BATCH : 0);
}

void
IntStack::KeepLast(uint32_t n)
{
    const uint32_t skip = n < hops ? hops - n : 0;
    if (!skip)
    {
        return;
    }
    for (uint32_t i = 0; i < n; ++i)
    {
        At(i) = At(skip + i);
    }
    IntChunk* last = first;
    for (uint32_t j = IntChunk::HOPS; j < n; j += IntChunk::HOPS)
    {
        last = FramePool::NextOf(last);
    }
    FramePool::FreeChunks(std::exchange(FramePool::NextOf(last), nullptr));
    hops = static_cast<uint16_t>(n);
}

void
FramePool::ReleasePacket(Frame* frame)
{
    if (frame->packet)
    {
        frame->packet->Unref();
    }
}

} // namespace ns3::roce
