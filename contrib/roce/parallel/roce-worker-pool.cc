// SPDX-License-Identifier: GPL-2.0-only
#include "roce-worker-pool.h"

#include <utility>

namespace ns3::roce
{

namespace
{

/// Polls before a thread sleeps: some tens of microseconds, by which windows differ in length.
constexpr unsigned SPINS = 1500;

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
WorkerPool::Bell::Ring(uint64_t more)
{
    // In one order with what WaitFor() does: either it sees the value, or this the sleeper.
    m_value.fetch_add(more, std::memory_order_seq_cst);
    if (m_sleepers.load(std::memory_order_seq_cst))
    {
        const std::lock_guard lock(m_mutex);
        m_condition.notify_all();
    }
}

void
WorkerPool::Bell::WaitFor(uint64_t value)
{
    for (unsigned i = 0; i < SPINS; ++i)
    {
        if (m_value.load(std::memory_order_acquire) >= value)
        {
            return;
        }
        Relax();
    }
    std::unique_lock lock(m_mutex);
    m_sleepers.fetch_add(1, std::memory_order_seq_cst);
    m_condition.wait(lock, [&] { return m_value.load(std::memory_order_seq_cst) >= value; });
    m_sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

WorkerPool::WorkerPool(unsigned threads,
                       std::function<void(unsigned)> work,
                       const std::function<void()>& end)
    : m_work(std::move(work))
{
    for (unsigned thread = 1; thread < threads; ++thread)
    {
        m_threads.emplace_back([this, thread, end] { Work(thread, end); });
    }
}

WorkerPool::~WorkerPool()
{
    m_ends = true;
    m_begin.Ring();
    for (std::thread& thread : m_threads)
    {
        thread.join();
    }
}

void
WorkerPool::Run()
{
    ++m_rounds;
    m_begin.Ring();
    m_work(0);
    m_done.WaitFor(m_rounds * m_threads.size());
}

void
WorkerPool::Work(unsigned thread, const std::function<void()>& end)
{
    for (uint64_t round = 1;; ++round)
    {
        m_begin.WaitFor(round);
        if (m_ends)
        {
            break;
        }
        m_work(thread);
        m_done.Ring();
    }
    end();
}

} // namespace ns3::roce
