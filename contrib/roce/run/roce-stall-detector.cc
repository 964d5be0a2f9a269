// SPDX-License-Identifier: GPL-2.0-only
#include "roce-stall-detector.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

/// Twice this and some simulated time are still times.
constexpr int64_t LONGEST_RTO_PS = INT64_MAX / 8;

/// Whether it may send, but its pacing gap is so long that there need not be a packet between
/// checks.
bool
IsPaced(const QueuePair& qp, int64_t checkIntervalPs)
{
    const CongestionControl& cc = qp.GetCc();
    const double gapPs = static_cast<double>(cc.GetPath().fullFrameBytes) * 8e12 /
                         static_cast<double>(std::max<uint64_t>(1, cc.GetRateBps()));
    return !qp.failed && qp.CanSend() && qp.nextAvailPs > NowPs() &&
           2 * gapPs > static_cast<double>(checkIntervalPs);
}

} // namespace

StallDetector::StallDetector(const Network& network, const Options& options)
    : m_network(network),
      m_explainer(network),
      m_options(options)
{
    if (!options.checkInterval.IsStrictlyPositive())
    {
        throw InputError("stall detector: check interval is not above 0");
    }
}

StallDetector::~StallDetector()
{
    m_next.Cancel();
}

void
StallDetector::Start()
{
    m_next.Cancel();
    ScheduleNext();
}

void
StallDetector::ScheduleNext()
{
    // A queue pair that waits for its timeout is not stalled yet.
    int64_t longestRtoPs = 0;
    for (const QueuePair* qp : m_explainer.FindUnfinished())
    {
        longestRtoPs = std::max(longestRtoPs, qp->GetRecovery().TimeoutPs(*qp));
    }
    for (const TcpFlows::Open& flow : GetOpenTcp())
    {
        longestRtoPs = std::max(longestRtoPs, flow.failure.empty() ? flow.rto.GetPicoSeconds() : 0);
    }
    longestRtoPs = std::min(LargestOfAll(longestRtoPs), LONGEST_RTO_PS);
    // The run does not end before everything that is known to come has begun.
    const Time interval = std::max({m_options.checkInterval,
                                    PicoSeconds(2 * longestRtoPs),
                                    PicoSeconds(GetLastKnownPs() - NowPs())});
    m_next = Simulator::Schedule(interval, &StallDetector::OnCheck, this);
}

void
StallDetector::OnCheck()
{
    FindStalled(); // stalled queue pairs are described only at the end: that takes longer
    const bool more = NowPs() < GetLastKnownPs();
    if (!more && !HasUnfinished() && !HasWaiting())
    {
        return;
    }
    m_idleChecks = m_progress || more ? 0 : m_idleChecks + 1;
    // Without any other event, nothing will ever happen again.
    const bool dry = m_network.IsSimulatorDone();
    if (dry || (m_options.patience && m_idleChecks >= m_options.patience))
    {
        m_reports = DescribeUnfinished(m_options.maxReports);
        if (std::string waiting = DescribeWaiting(); !waiting.empty())
        {
            m_reports.push_back(std::move(waiting));
        }
        m_stopped = true;
        Simulator::Stop();
        return;
    }
    ScheduleNext();
}

int64_t
StallDetector::GetLastKnownPs() const
{
    int64_t lastPs =
        std::max(m_options.lastStartPs, HasUnfinished() ? m_network.GetLastChangePs() : -1);
    if (m_network.HasWaitingFlows())
    {
        // Its flows may start after a check at that very time.
        lastPs = std::max(lastPs,
                          std::min(m_network.GetLastWaitedStartPs(), Network::LONGEST_RUN_PS) + 1);
    }
    return lastPs;
}

/// @return the largest of the numbers that the processes have.
int64_t
StallDetector::LargestOfAll(int64_t own) const
{
    RankExchange* const ranks = m_network.GetRanks();
    return ranks ? ranks->Largest(own) : own;
}

/// @return whether any process has unfinished queue pairs
bool
StallDetector::HasUnfinished() const
{
    return LargestOfAll(!m_explainer.FindUnfinished().empty() || !GetOpenTcp().empty());
}

/// @return whether in any process a flow or a rank waits for others
bool
StallDetector::HasWaiting() const
{
    return m_network.HasWaitingFlows() && LargestOfAll(!DescribeWaiting().empty());
}

std::vector<QueuePair*>
StallDetector::FindStalled()
{
    m_network.CatchUp();
    uint64_t opened = 0;
    for (uint32_t n = 0; n < m_network.GetNNics(); ++n)
    {
        opened += m_network.GetNic(n)->GetNQps();
    }
    const std::vector<QueuePair*> unfinished = m_explainer.FindUnfinished();
    std::map<StallExplainer::QpId, uint64_t> acked;
    std::vector<QueuePair*> stalled;
    for (QueuePair* qp : unfinished)
    {
        const StallExplainer::QpId id(qp->GetConfig().src, qp->GetQpn());
        // The oldest packet may be the last to arrive, and what is made up for is never
        // acknowledged.
        const uint64_t now = acked[id] = qp->GetUna() + qp->ackedPackets;
        const auto before = m_acked.find(id);
        if (before != m_acked.end() && before->second == now &&
            !IsPaced(*qp, m_options.checkInterval.GetPicoSeconds()))
        {
            stalled.push_back(qp);
        }
    }
    // One that has finished is missing now, one that has made progress is not among the stalled.
    const uint64_t tcpProgress = m_options.tcp ? m_options.tcp->GetProgress() : 0;
    m_progress =
        LargestOfAll(opened != m_openedQps || tcpProgress != m_tcpProgress ||
                     acked.size() != m_acked.size() || stalled.size() != unfinished.size());
    m_openedQps = opened;
    m_tcpProgress = tcpProgress;
    m_acked = std::move(acked);
    return stalled;
}

std::vector<std::string>
StallDetector::Check()
{
    return m_explainer.Describe(FindStalled());
}

std::size_t
StallDetector::CountUnfinished() const
{
    m_network.CatchUp();
    const uint64_t own = m_explainer.FindUnfinished().size() + GetOpenTcp().size();
    RankExchange* const ranks = m_network.GetRanks();
    return ranks ? ranks->Sum({own}).front() : own;
}

std::vector<std::string>
StallDetector::DescribeUnfinished(std::size_t most) const
{
    m_network.CatchUp();
    std::vector<QueuePair*> unfinished = m_explainer.FindUnfinished();
    unfinished.resize(std::min(unfinished.size(), most));
    std::vector<std::string> lines = m_explainer.Describe(unfinished);
    for (const TcpFlows::Open& flow : GetOpenTcp())
    {
        lines.push_back(
            "flow " + std::to_string(flow.spec.id) + ": TCP from NIC " +
            std::to_string(flow.spec.src) + " to NIC " + std::to_string(flow.spec.dst) + ", " +
            std::to_string(flow.deliveredBytes) + " of " + std::to_string(flow.spec.sizeBytes) +
            " B delivered, " + std::to_string(flow.retransmitted) + " segments sent again; " +
            (flow.failure.empty()
                 ? "its timeout is " + std::to_string(flow.rto.GetMilliSeconds()) + " ms"
                 : flow.failure));
    }
    lines.resize(std::min(lines.size(), most));
    return lines;
}

std::vector<TcpFlows::Open>
StallDetector::GetOpenTcp() const
{
    return m_options.tcp ? m_options.tcp->GetOpen() : std::vector<TcpFlows::Open>();
}

std::string
StallDetector::DescribeWaiting() const
{
    return m_network.DescribeWaiting();
}

} // namespace ns3::roce
