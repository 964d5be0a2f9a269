// SPDX-License-Identifier: GPL-2.0-only
#include "roce-worker-pool.h"

#include <utility>

namespace ns3::roce
{

namespace
{

/// Polls of a thread that has a core for itself, before it sleeps: some hundred microseconds.
constexpr unsigned SPINS = 8000;
/// The same without a core for each, when another thread may run after each poll.
constexpr unsigned YIELDS = 50;
/// The number of no round: the pool ends.
constexpr uint64_t END = UINT64_MAX;

/// @brief Wait for a few cycles.
void
Relax()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace

void
WorkerPool::Bell::Ring(uint64_t value)
{
    // In one order with what WaitFor() does: either it sees the value, or this the sleeper.
    m_value.store(value, std::memory_order_seq_cst);
    if (m_sleepers.load(std::memory_order_seq_cst))
    {
        const std::lock_guard lock(m_mutex);
        m_condition.notify_all();
    }
}

uint64_t
WorkerPool::Bell::WaitFor(uint64_t value, bool isCrowded)
{
    for (unsigned i = 0; i < (isCrowded ? YIELDS : SPINS); ++i)
    {
        if (const uint64_t now = m_value.load(std::memory_order_acquire); now >= value)
        {
            return now;
        }
        isCrowded ? std::this_thread::yield() : Relax();
    }
    std::unique_lock lock(m_mutex);
    m_sleepers.fetch_add(1, std::memory_order_seq_cst);
    m_condition.wait(lock, [&] { return m_value.load(std::memory_order_seq_cst) >= value; });
    m_sleepers.fetch_sub(1, std::memory_order_seq_cst);
    return m_value.load(std::memory_order_seq_cst);
}

WorkerPool::WorkerPool(unsigned threads,
                       std::function<void(unsigned)> work,
                       const std::function<void()>& end)
    : m_work(std::move(work)),
      m_isCrowded(threads > std::thread::hardware_concurrency()),
      m_done(std::make_unique<Bell[]>(threads))
{
    for (unsigned thread = 1; thread < threads; ++thread)
    {
        m_threads.emplace_back([this, thread, end] { Work(thread, end); });
    }
}

WorkerPool::~WorkerPool()
{
    m_begin.Ring(END);
    for (std::thread& thread : m_threads)
    {
        thread.join();
    }
}

void
WorkerPool::Run()
{
    m_begin.Ring(++m_rounds);
    m_work(0);
    for (unsigned thread = 1; thread <= m_threads.size(); ++thread)
    {
        m_done[thread].WaitFor(m_rounds, m_isCrowded);
    }
}

void
WorkerPool::Pause(unsigned polls) const
{
    m_isCrowded || polls >= SPINS ? std::this_thread::yield() : Relax();
}

void
WorkerPool::Work(unsigned thread, const std::function<void()>& end)
{
    for (uint64_t round = 1; m_begin.WaitFor(round, m_isCrowded) != END; ++round)
    {
        m_work(thread);
        m_done[thread].Ring(round);
    }
    end();
}

} // namespace ns3::roce
