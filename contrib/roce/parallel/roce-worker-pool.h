// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WORKER_POOL_H
#define ROCE_WORKER_POOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Threads that do the same thing together, again and again, for microseconds each. The
 * calling thread is one of them.
 *
 * The caller writes one number, which all others read; each of these has one of its own, which the
 * caller reads. So beginning and ending a round takes a few times as long as a cache line needs to
 * get from one core to another. With a core for each thread, who waits spins for longer than most
 * rounds last before it sleeps, since to be woken up takes tens of microseconds. With fewer cores
 * it lets the other threads work.
 */
class WorkerPool
{
  public:
    /**
     * @param threads in all, at least 1
     * @param work called with the number of the thread, 0 for the caller of Run()
     * @param end called by each thread but the caller's when the pool ends
     */
    WorkerPool(unsigned threads,
               std::function<void(unsigned)> work,
               const std::function<void()>& end);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// @brief Have every thread do its work; return when all have.
    void Run();

    /// @brief Called by a thread at work between two polls of what another one does.
    /// @param polls before this one
    void Pause(unsigned polls) const;

    /// @return threads, the caller's included
    unsigned GetThreads() const
    {
        return static_cast<unsigned>(m_threads.size()) + 1;
    }

  private:
    /// A number that one thread writes and others wait for.
    class alignas(128) Bell
    {
      public:
        /// @brief Change it. @param value higher than before
        void Ring(uint64_t value);

        /**
         * @brief Wait until it is at least so much.
         * @param isCrowded there are fewer cores than threads
         * @return it
         */
        uint64_t WaitFor(uint64_t value, bool isCrowded);

      private:
        std::atomic<uint64_t> m_value{0};
        std::atomic<unsigned> m_sleepers{0};
        std::mutex m_mutex;
        std::condition_variable m_condition;
    };

    void Work(unsigned thread, const std::function<void()>& end);

    std::function<void(unsigned)> m_work;
    const bool m_isCrowded; //!< there are fewer cores than threads
    uint64_t m_rounds{0};
    Bell m_begin;                   //!< rounds begun
    std::unique_ptr<Bell[]> m_done; //!< rounds ended, by thread but the caller's
    std::vector<std::thread> m_threads;
};

} // namespace ns3::roce

#endif /* ROCE_WORKER_POOL_H */
