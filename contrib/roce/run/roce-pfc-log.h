// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PFC_LOG_H
#define ROCE_PFC_LOG_H

#include "roce-buffered-file.h"
#include "roce-station-records.h"

#include "ns3/roce-network.h"

#include <cstdint>
#include <string>

namespace ns3::roce
{

/**
 * @brief Records pause frames received, as the HPCC simulator's pfc.txt does.
 *
 * Lines `time_ns node node_type port type`: node is ns-3's id, node_type 0 a host, 1 a switch; port
 * counts from 1, as that simulator's interface 0 is the loopback one; type 1 pauses, 0 resumes.
 *
 * Lines are in order of time, node and port, and are written as soon as none can come before them:
 * the memory does not grow with the run.
 */
class PfcLog
{
  public:
    static constexpr const char* FILE_NAME = "pfc.txt"; //!< in a run's folder

    /**
     * @param network built; outlives the log, which is not moved meanwhile
     * @throw InputError if it cannot be created
     */
    PfcLog(const Network& network, const std::string& path);
    PfcLog(const PfcLog&) = delete;
    PfcLog& operator=(const PfcLog&) = delete;

    /**
     * @brief Write what is left. After the run, with the network caught up.
     * @throw InputError if it cannot be written
     */
    void Finish();

  private:
    /// One line, but for its time.
    struct Row
    {
        uint32_t node;
        uint32_t port;
        bool isSwitch{false};
        bool isPause{false};
    };

    void Write(int64_t atPs, const Row& row);

    BufferedFile m_file;
    StationRecords<Row> m_rows; //!< reported, but not written yet
};

} // namespace ns3::roce

#endif /* ROCE_PFC_LOG_H */
