// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_TRACE_H
#define ROCE_STATION_TRACE_H

#include "roce-input-error.h"

#include "ns3/callback.h"
#include "ns3/traced-callback.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace ns3::roce
{

/**
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
 * @brief A trace source that throws InputError for a sink with other arguments than its own, where
 * ns-3 ends the program.
 */
template <typename... Ts>
class CheckedTrace : public TracedCallback<Ts...>
{
  public:
    /// @brief See TracedCallback.
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        Check(Callback<void, Ts...>().CheckType(callback));
        TracedCallback<Ts...>::ConnectWithoutContext(callback);
    }

    /// @brief See TracedCallback.
    void Connect(const CallbackBase& callback, std::string path)
    {
        Check(Callback<void, std::string, Ts...>().CheckType(callback));
        TracedCallback<Ts...>::Connect(callback, path);
    }

  private:
    static void Check(bool fits)
    {
        if (!fits)
        {
            throw InputError("a sink has other arguments than its trace source, expected those "
                             "that the documentation of the trace source names");
        }
    }
};

/**
 * @brief A trace source whose sinks are called while a station runs: so, with several threads, by
 * any of them.
 */
template <typename... Ts>
class StationTrace : public CheckedTrace<Ts...>
{
  public:
    /// @brief See TracedCallback.
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        CheckedTrace<Ts...>::ConnectWithoutContext(callback);
        m_mark.Set();
    }

    /// @brief See TracedCallback.
    void Connect(const CallbackBase& callback, std::string path)
    {
        CheckedTrace<Ts...>::Connect(callback, path);
        m_mark.Set();
    }

  private:
    SinkMark m_mark;
};

/**
 * @brief A StationTrace that sets flags when a sink connects, so that the hot path tests one byte
 * instead of each trace source.
 */
template <typename... Ts>
class NoticedTrace : public StationTrace<Ts...>
{
  public:
    /// @param flag set to true on connection. @param other set as well, or null
    NoticedTrace(bool* flag, bool* other)
        : m_flag(flag),
          m_other(other)
    {
    }

    /// @brief See TracedCallback.
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        Notice();
        StationTrace<Ts...>::ConnectWithoutContext(callback);
    }

    /// @brief See TracedCallback.
    void Connect(const CallbackBase& callback, std::string path)
    {
        Notice();
        StationTrace<Ts...>::Connect(callback, path);
    }

  private:
    void Notice()
    {
        *m_flag = true;
        if (m_other)
        {
            *m_other = true;
        }
    }

    bool* m_flag;
    bool* m_other;
};

} // namespace ns3::roce

#endif /* ROCE_STATION_TRACE_H */
