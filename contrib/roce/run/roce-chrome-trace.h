// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CHROME_TRACE_H
#define ROCE_CHROME_TRACE_H

#include "roce-buffered-file.h"

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Writes a time line in the Trace Event Format, which Perfetto (ui.perfetto.dev) and
 * chrome://tracing read.
 *
 * An object with traceEvents and displayTimeUnit "ns". Slices are complete events (ph X), counters
 * ph C, names of processes and tracks ph M. Times (ts, dur) are microseconds with six decimals, so
 * that picoseconds survive; Perfetto itself keeps whole nanoseconds. Events are written as they
 * come, in any order of time, and nothing but the names of tracks is kept.
 */
class ChromeTrace
{
  public:
    /// @param path file to create or empty. @throw InputError when it cannot be created
    explicit ChromeTrace(const std::string& path);

    /**
     * @brief A group of tracks and counters. Once for each.
     * @param process number
     * @param name of it
     */
    void NameProcess(uint32_t process, const std::string& name);

    /**
     * @brief A stretch of time on a track. Those of one track must not overlap.
     * @param process it belongs to
     * @param track name; made when it is first used
     * @param name of the slice
     * @param fromPs begin
     * @param toPs end
     * @param details args; an object
     */
    void Slice(uint32_t process,
               const std::string& track,
               const std::string& name,
               int64_t fromPs,
               int64_t toPs,
               const nlohmann::ordered_json& details);

    /**
     * @brief A quantity has a new value.
     * @param process it belongs to
     * @param name of the counter
     * @param unit name of the value in args
     * @param atPs time
     * @param value from then on
     */
    template <typename T>
    void Counter(uint32_t process, const std::string& name, const char* unit, int64_t atPs, T value)
    {
        BeginCounter(process, name, unit, atPs);
        m_file.Number(value).Append("}}").FlushIfFull();
    }

    /// @brief Complete the file. @throw InputError when it could not be written
    void Close();

  private:
    void BeginEvent(const char* kind, uint32_t process, uint32_t track);
    void BeginCounter(uint32_t process, const std::string& name, const char* unit, int64_t atPs);
    void Metadata(const char* what, uint32_t process, uint32_t track, const std::string& name);
    uint32_t TrackOf(uint32_t process, const std::string& name);

    BufferedFile m_file;
    bool m_first{true};
    std::map<std::pair<uint32_t, std::string>, uint32_t> m_tracks;
};

} // namespace ns3::roce

#endif /* ROCE_CHROME_TRACE_H */
