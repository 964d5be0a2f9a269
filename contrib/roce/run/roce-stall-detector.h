// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STALL_DETECTOR_H
#define ROCE_STALL_DETECTOR_H

#include "roce-stall-explainer.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/roce-network.h"
#include "ns3/roce-tcp-flows.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Notices flows that make no progress, says why in one line each, and ends a run in which
 * nothing makes progress any longer.
 *
 * Every CheckInterval a queue pair that has work but no newly acknowledged packet since the check
 * before counts as stalled, unless it only waits for its own pacing gap. So do flows and ranks that
 * wait for others, while no queue pair has work. Nothing is given up before
 * the last start of a flow, failure, repair and change of routes that is known: checks begin after
 * those.
 *
 * A TCP flow makes progress when its receiver gets bytes in order.
 *
 * Checks only read, and bring stations up to date: results are the same without.
 */
class StallDetector
{
  public:
    /// When to check and when to give up.
    struct Options
    {
        /** Time between checks; at least twice the longest retransmission timeout is taken. */
        Time checkInterval{MilliSeconds(10)};
        uint32_t patience{5}; //!< checks in a row without any progress that end the run; 0: never
        std::size_t maxReports{20}; //!< queue pairs that GetReports() describes, at most
        /// Start of the last flow that is known before the run: no end before it.
        int64_t lastStartPs{0};
        Ptr<const TcpFlows> tcp; //!< flows that no queue pair sends; null: none
    };

    /**
     * @param network built; outlives the detector
     * @param options see Options
     * @throw InputError if the interval is not positive
     */
    StallDetector(const Network& network, const Options& options);
    /// Cancels the next check.
    ~StallDetector();
    StallDetector(const StallDetector&) = delete;
    StallDetector& operator=(const StallDetector&) = delete;

    /// @brief Check periodically from now on, for as long as flows are unfinished or wait.
    void Start();

    /// @brief Check now. @return one line for each queue pair without progress since the check
    /// before; queue pairs that were not there at that time are not judged yet
    std::vector<std::string> Check();

    /// @return number of unfinished queue pairs, stalled or not; every process must call it
    std::size_t CountUnfinished() const;

    /**
     * @brief Explain unfinished queue pairs, stalled or not.
     * @param most number of queue pairs to explain, the first ones
     * @return one line each, by NIC and queue pair; every process must call it
     */
    std::vector<std::string> DescribeUnfinished(std::size_t most = SIZE_MAX) const;

    /// @return see Network::DescribeWaiting()
    std::string DescribeWaiting() const;

    /// @return why this detector has ended the simulation, one line for each queue pair and one
    /// for flows that wait for others; empty if it has not
    const std::vector<std::string>& GetReports() const
    {
        return m_reports;
    }

    /// @return whether this detector has ended the simulation
    bool HasStopped() const
    {
        return m_stopped;
    }

  private:
    int64_t LargestOfAll(int64_t own) const;
    bool HasUnfinished() const;
    bool HasWaiting() const;
    std::vector<TcpFlows::Open> GetOpenTcp() const;
    /// @return until when there is something to come, as far as is known now
    int64_t GetLastKnownPs() const;
    /// A check: @return those without progress since the check before
    std::vector<QueuePair*> FindStalled();
    void OnCheck();
    void ScheduleNext();

    const Network& m_network;
    StallExplainer m_explainer;
    Options m_options;
    std::map<StallExplainer::QpId, uint64_t>
        m_acked;                        //!< how far unfinished queue pairs were at the last check
    uint64_t m_openedQps{0};            //!< at the last check
    uint64_t m_tcpProgress{0};          //!< the same
    bool m_progress{false};             //!< the last check found some
    uint32_t m_idleChecks{0};           //!< checks in a row without progress
    bool m_stopped{false};              //!< Simulator::Stop() was called here
    std::vector<std::string> m_reports; //!< see GetReports()
    EventId m_next;                     //!< next check
};

} // namespace ns3::roce

#endif /* ROCE_STALL_DETECTOR_H */
