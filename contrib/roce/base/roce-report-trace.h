// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_REPORT_TRACE_H
#define ROCE_REPORT_TRACE_H

#include "roce-station-trace.h"

#include <cstdint>
#include <string>

namespace ns3::roce
{

/**
 * @brief Whether some trace source that tells what stations have done has a sink that may answer
 * with new work for them. It is then told in time for that (see ParallelRun).
 */
class ReplyMark
{
  public:
    /// Sinks that are connected while one lives do not count: they only note what they are told.
    class Notes
    {
      public:
        Notes()
        {
            ++s_notes;
        }

        ~Notes()
        {
            --s_notes;
        }

        Notes(const Notes&) = delete;
        Notes& operator=(const Notes&) = delete;
    };

    ReplyMark() = default;
    ReplyMark(const ReplyMark&) = delete;
    ReplyMark& operator=(const ReplyMark&) = delete;

    ~ReplyMark()
    {
        s_count -= m_set;
    }

    /// @brief There is a sink.
    void Set()
    {
        if (!s_notes && !m_set)
        {
            ++s_count;
            m_set = true;
        }
    }

    /// @return marks in the process that are set
    static int64_t Count()
    {
        return s_count;
    }

  private:
    inline static int64_t s_count{0};
    inline static unsigned s_notes{0};

    bool m_set{false};
};

/// A trace source whose sinks are told later what a station has done, in the order of time.
template <typename... Ts>
class ReportTrace : public CheckedTrace<Ts...>
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
    ReplyMark m_mark;
};

} // namespace ns3::roce

#endif /* ROCE_REPORT_TRACE_H */
