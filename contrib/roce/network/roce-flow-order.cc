// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-order.h"

#include "ns3/abort.h"
#include "ns3/roce-nic.h"

#include <algorithm>

namespace ns3::roce
{

int64_t
FlowOrder::LastScheduledPs(const std::vector<FlowSpec>& flows)
{
    int64_t lastPs = 0;
    for (const FlowSpec& flow : flows)
    {
        lastPs = std::max(lastPs, flow.IsScheduled() ? flow.startPs : 0);
    }
    return lastPs;
}

void
FlowOrder::Connect(Nic& nic, const std::string& source, const CallbackBase& sink)
{
    const bool connected = nic.TraceConnectWithoutContext(source, sink);
    NS_ABORT_MSG_UNLESS(connected, "no trace source " << source);
}

int64_t
FlowOrder::StartPs(const FlowSpec& flow, int64_t readyPs, int64_t marginPs)
{
    return readyPs + std::min(std::max(flow.startPs, marginPs), INT64_MAX - readyPs);
}

void
FlowOrder::Start(WaitingFlow& waiting, int64_t startPs, int64_t readyPs)
{
    m_lastStartPs = std::max(m_lastStartPs, startPs);
    waiting.flow.startPs = startPs;
    waiting.application->AddFlow(waiting.flow, waiting.dstQp, readyPs);
}

} // namespace ns3::roce
