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
 * @brief A mark on a trace source that says whether it has a sink. Count() is the number of marks
 * that are set in the process.
 * @tparam Kind the class that derives from this; each has a count of its own
 */
template <typename Kind>
class SinkCount
{
  public:
    /// Sinks that are connected while one lives do not count.
    class Harmless
    {
      public:
        Harmless()
        {
            ++s_harmless;
        }

        ~Harmless()
        {
            --s_harmless;
        }

        Harmless(const Harmless&) = delete;
        Harmless& operator=(const Harmless&) = delete;
    };

    SinkCount() = default;

    SinkCount(const SinkCount& other)
        : m_set(other.m_set)
    {
        s_count += m_set;
    }

    SinkCount& operator=(const SinkCount& other)
    {
        s_count += static_cast<int64_t>(other.m_set) - m_set;
        m_set = other.m_set;
        return *this;
    }

    ~SinkCount()
    {
        s_count -= m_set;
    }

    /// @brief There is a sink.
    void Set()
    {
        if (!s_harmless && !m_set)
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
    inline static unsigned s_harmless{0};

    bool m_set{false};
};

/// Whether a trace source that stations call has a sink: with several threads there must be none
/// (see ParallelRun).
class SinkMark : public SinkCount<SinkMark>
{
  public:
    /// Each sink touches nothing but what belongs to its station.
    using LocalSinks = Harmless;
};

/**
 * @brief Whether a trace source that tells what stations have done has a sink that may answer with
 * new work for them. It is then called in time for that (see ParallelRun).
 */
class ReplyMark : public SinkCount<ReplyMark>
{
  public:
    /// Each sink only notes what it hears.
    using Notes = Harmless;
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

/// A trace source that sets a mark when a sink connects.
template <typename Mark, typename... Ts>
class MarkedTrace : public CheckedTrace<Ts...>
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
    Mark m_mark;
};

/**
 * @brief A trace source whose sinks are called while a station runs: so, with several threads, by
 * any of them.
 */
template <typename... Ts>
class StationTrace : public MarkedTrace<SinkMark, Ts...>
{
};

/// A trace source whose sinks are called later than a station acts, in the order of time.
template <typename... Ts>
class ReportTrace : public MarkedTrace<ReplyMark, Ts...>
{
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
