/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_STATION_TRACE_H
#define ROCE_STATION_TRACE_H

#include "ns3/traced-callback.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief Whether some trace source has a sink: counts them all, since with several threads there
 * must be none (see ParallelRun).
 */
class SinkMark
{
  public:
    /// Sinks that are connected while one lives do not count: each touches nothing but what belongs
    /// to its station.
    class LocalSinks
    {
      public:
        LocalSinks()
        {
            ++s_local;
        }

        ~LocalSinks()
        {
            --s_local;
        }

        LocalSinks(const LocalSinks&) = delete;
        LocalSinks& operator=(const LocalSinks&) = delete;
    };

    SinkMark() = default;

    SinkMark(const SinkMark& other)
        : m_set(other.m_set)
    {
        s_count += m_set;
    }

    SinkMark& operator=(const SinkMark& other)
    {
        s_count += static_cast<int64_t>(other.m_set) - m_set;
        m_set = other.m_set;
        return *this;
    }

    ~SinkMark()
    {
        s_count -= m_set;
    }

    /// @brief There is a sink.
    void Set()
    {
        if (!s_local && !m_set)
        {
            ++s_count;
            m_set = true;
        }
    }

    /// @return marks in the process that are set
    static int64_t Count()
    {
        return s_count.load(std::memory_order_relaxed);
    }

  private:
    inline static std::atomic<int64_t> s_count{0};
    inline static unsigned s_local{0};

    bool m_set{false};
};

/**
 * @ingroup roce
 * @brief A trace source whose sinks are called while a station runs: so, with several threads, by
 * any of them.
 */
template <typename... Ts>
class StationTrace : public TracedCallback<Ts...>
{
  public:
    /// @brief See TracedCallback.
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        m_mark.Set();
        TracedCallback<Ts...>::ConnectWithoutContext(callback);
    }

    /// @brief See TracedCallback.
    void Connect(const CallbackBase& callback, std::string path)
    {
        m_mark.Set();
        TracedCallback<Ts...>::Connect(callback, path);
    }

  private:
    SinkMark m_mark;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_STATION_TRACE_H */
