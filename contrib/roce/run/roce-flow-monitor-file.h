// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_MONITOR_FILE_H
#define ROCE_FLOW_MONITOR_FILE_H

#include "roce-run-writer.h"

#include "ns3/flow-monitor-helper.h"
#include "ns3/roce-network.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/// @brief Writes flowmon.xml: what ns-3's FlowMonitor sees of TCP flows, two for each connection.
class FlowMonitorFile
{
  public:
    static constexpr const char* NAME = "flowmon.xml";

    /// @brief Begin to watch. @param network whose hosts have stacks; outlives this. @param flows
    /// of the run. @param writer takes the file; outlives this
    FlowMonitorFile(const Network& network, const std::vector<FlowSpec>& flows, RunWriter& writer);

    /// @brief Write it, after the run. @throw InputError if it cannot be written
    void Finish();

  private:
    FlowMonitorHelper m_helper;
    RunWriter& m_writer;
    int64_t m_lostPs; //!< a packet that was sent so long ago and is not there is lost
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_MONITOR_FILE_H */
