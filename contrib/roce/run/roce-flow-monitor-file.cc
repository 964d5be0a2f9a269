// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-monitor-file.h"

#include "ns3/flow-monitor.h"
#include "ns3/nstime.h"
#include "ns3/roce-tcp-flows.h"
#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

FlowMonitorFile::FlowMonitorFile(const Network& network,
                                 const std::vector<FlowSpec>& flows,
                                 RunWriter& writer)
    : m_writer(writer),
      m_lostPs(NEVER_PS)
{
    m_helper.Install(network.GetNodes());
    m_helper.GetMonitor()->StartRightNow(); // by itself it starts after the flows that start at 0
    for (const FlowSpec& flow : flows)
    {
        if (TcpFlows::IsTcp(flow))
        {
            // When a flow is done, a loss has been made up for: that has taken a round trip.
            m_lostPs = std::min(m_lostPs, network.GetPath(flow.src, flow.dst, 0).baseRttPs);
        }
    }
}

void
FlowMonitorFile::Finish()
{
    const Ptr<FlowMonitor> monitor = m_helper.GetMonitor();
    monitor->CheckForLostPackets(PicoSeconds(m_lostPs));
    m_writer.WriteFile(NAME,
                       "<?xml version=\"1.0\" ?>\n" +
                           monitor->SerializeToXmlString(0, true, false));
}

} // namespace ns3::roce
