// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TIME_LINE_H
#define ROCE_TIME_LINE_H

#include "roce-buffered-file.h"

#include "ns3/roce-network.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// Tracks side by side, for slices that overlap.
class TimeLineLanes
{
  public:
    /// @return number of the first track that is free, which this slice takes
    std::size_t Take(int64_t fromPs, int64_t toPs);

  private:
    std::vector<int64_t> m_ends; //!< by track: of its last slice
};

/**
 * @brief A network's time line, in the Trace Event Format that Perfetto (ui.perfetto.dev) and
 * chrome://tracing read.
 *
 * An object with traceEvents and displayTimeUnit "ns". Each node is a process, named when something
 * of it is drawn first, and so is what AddProcess() adds. Slices are complete events (ph X),
 * counters ph C, names of processes and tracks ph M. Times (ts, dur) are microseconds with six
 * decimals, so that picoseconds survive; Perfetto itself keeps whole nanoseconds. Events are
 * written as they come, in any order of time.
 */
class TimeLine
{
  public:
    /**
     * @param network built; outlives this
     * @param path file to create or empty
     * @throw InputError when it cannot be created
     */
    TimeLine(const Network& network, const std::string& path);

    /// @brief Add a process that is no node. @param name of it. @return what stands for its node id
    uint32_t AddProcess(const std::string& name);

    /**
     * @brief A quantity of a node has a new value.
     * @param node ns-3 node id
     * @param name of the counter
     * @param unit name of the value in args
     * @param value from then on; left out if it is not finite, since JSON has no such numbers
     */
    template <typename T>
    void Counter(uint32_t node, const std::string& name, const char* unit, int64_t atPs, T value)
    {
        const uint32_t process = Process(node);
        if (std::isfinite(static_cast<double>(value)))
        {
            BeginCounter(process, name, unit, atPs);
            m_file.Number(value).Append("}}").FlushIfFull();
        }
    }

    /**
     * @brief A stretch of time on a track of a node. Those of one track must not overlap.
     * @param node ns-3 node id, or of AddProcess()
     * @param track name; made when it is first used
     * @param name of the slice
     * @param details args; an object
     */
    void Slice(uint32_t node,
               const std::string& track,
               const std::string& name,
               int64_t fromPs,
               int64_t toPs,
               const nlohmann::ordered_json& details);

    /**
     * @brief A slice of a class at a port begins, unless one is open, or ends, if one is open.
     * @param node ns-3 node id
     * @param port device index
     * @param what name of the slice; a literal
     * @param begins or ends
     */
    void PortSlice(uint32_t node,
                   uint16_t port,
                   uint8_t trafficClass,
                   const char* what,
                   bool begins,
                   int64_t atPs);

    /// @brief End open slices, as unfinished. @param nowPs end of the run
    void EndPortSlices(int64_t nowPs);

    /// @param node ns-3 node id. @param port device index. @return nic3 or port 2
    std::string PortLabel(uint32_t node, uint16_t port) const;

    /// @brief Complete the file. @throw InputError when it could not be written
    void Close();

  private:
    /// An open slice.
    struct OpenSlice
    {
        const char* what;
        int64_t fromPs;
    };

    uint32_t Process(uint32_t node);
    void BeginEvent(const char* kind, uint32_t process, uint32_t track);
    void BeginCounter(uint32_t process, const std::string& name, const char* unit, int64_t atPs);
    void Name(const char* what, uint32_t process, uint32_t track, const std::string& name);

    const Network& m_network;
    BufferedFile m_file;
    bool m_isFirst{true};                                             //!< no event yet
    std::vector<bool> m_named;                                        //!< by node: has a process
    std::map<std::pair<uint32_t, std::string>, uint32_t> m_tracks;    //!< by process and name
    std::map<std::pair<uint32_t, uint32_t>, std::string> m_nicLabels; //!< by node and device
    std::map<std::pair<uint32_t, std::string>, OpenSlice> m_open;     //!< by node and track
};

} // namespace ns3::roce

#endif /* ROCE_TIME_LINE_H */
