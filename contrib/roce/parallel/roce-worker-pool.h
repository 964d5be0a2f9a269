// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WORKER_POOL_H
#define ROCE_WORKER_POOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Threads that do the same thing together, again and again, for microseconds each: they spin
 * for a while before they sleep. The calling thread is one of them.
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

    /// @return threads, the caller's included
    unsigned GetThreads() const
    {
        return static_cast<unsigned>(m_threads.size()) + 1;
    }

  private:
    /// A number that changes, and waiting for it.
    class Bell
    {
      public:
        /// @brief Change it. @param more added
        void Ring(uint64_t more = 1);

        /// @brief Wait until it is at least.
        void WaitFor(uint64_t value);

      private:
        alignas(64) std::atomic<uint64_t> m_value{0};
        std::atomic<unsigned> m_sleepers{0};
        std::mutex m_mutex;
        std::condition_variable m_condition;
    };

    void Work(unsigned thread, const std::function<void()>& end);

    std::function<void(unsigned)> m_work;
    uint64_t m_rounds{0};
    std::atomic<bool> m_ends{false};
    Bell m_begin; //!< rounds begun
    Bell m_done;  //!< rounds ended, of all threads but the caller's
    std::vector<std::thread> m_threads;
};

} // namespace ns3::roce

#endif /* ROCE_WORKER_POOL_H */
