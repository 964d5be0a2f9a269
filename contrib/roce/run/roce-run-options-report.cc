// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-options.h"

#include "ns3/roce-interruption.h"
#include "ns3/roce-messages.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <utility>

// What a run says at its end.

namespace ns3::roce
{

namespace
{

constexpr std::size_t MAX_LINES = 20; //!< of unfinished flows

} // namespace

void
RunOptions::PrintTable(std::ostream& out, const FctStats& stats, const RunSummary& summary)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(3);
    text << "scope      flows  finished unfinished  slowdown: mean        p50        p99\n";
    const std::pair<const char*, FlowScope> scopes[] = {{"all", FlowScope::ALL},
                                                        {"intra", FlowScope::INTRA},
                                                        {"inter", FlowScope::INTER}};
    for (const auto& [name, scope] : scopes)
    {
        const FctGroup group = stats.Group(scope);
        text << std::left << std::setw(6) << name << std::right << std::setw(10) << group.flows
             << std::setw(10) << group.finished << std::setw(11) << group.unfinished;
        const Distribution& d = group.slowdown;
        if (d.count)
        {
            text << std::setw(16) << d.mean << std::setw(11) << d.p50 << std::setw(11) << d.p99;
        }
        text << "\n";
    }
    const auto counter = [&summary](const char* name) { return summary.counters.at(name); };
    text << "PFC: " << counter("pfcXoffSent") << " XOFF, "
         << static_cast<double>(counter("pausedNs")) / 1e6
         << " ms paused (sum over ports); dropped frames: " << counter("framesDropped")
         << "; retransmitted: " << counter("retransmitted")
         << "; reordered: " << counter("reordered") << "\n";
    if (counter("framesLostOnLinks") || counter("linkFailures"))
    {
        text << "links: " << counter("framesLostOnLinks") << " frames lost, "
             << counter("framesLostLinkDown") << " of them on failed links; "
             << counter("linkFailures") << " failures\n";
    }
    const double hops = static_cast<double>(counter("packetHops"));
    text << "simulated " << static_cast<double>(counter("simulatedNs")) / 1e6 << " ms in "
         << std::setprecision(2) << summary.wallSeconds
         << " s: " << (summary.wallSeconds > 0 ? hops / summary.wallSeconds / 1e6 : 0.0)
         << " M packet-hops/s\n";
    out << text.str();
}

std::string
RunOptions::DescribeEnd(RunCollector::End end, int signal) const
{
    std::ostringstream text;
    switch (end)
    {
    case RunCollector::End::FLOWS_DONE:
        break;
    case RunCollector::End::STALLED:
        text << "; the run was ended since nothing made progress any longer";
        break;
    case RunCollector::End::STOP:
        text << "; the run was ended by "
             << (!limitName.empty() ? limitName
                 : stop.IsZero()    ? "the longest simulated time, 53 days"
                                    : "--stop");
        break;
    case RunCollector::End::SAFETY_LIMIT:
        text << "; the run was ended by " << (limitName.empty() ? "--safetyLimit" : limitName)
             << ", " << safetyLimit.GetSeconds() * 1e3 << " ms after the last start of a flow";
        break;
    case RunCollector::End::INTERRUPTED:
        text << "; the run was ended by " << Interruption::NameOf(signal);
        break;
    }
    return text.str();
}

/// Say why flows are not done, if any. @param collector after the run @param signal that has ended
/// it, or 0 @return whether all are done
bool
RunOptions::SayUnfinished(const RunCollector& collector, int signal) const
{
    const uint64_t unfinished = collector.GetTotal() - collector.GetFinished();
    if (unfinished == 0)
    {
        return true;
    }
    const StallDetector& detector = collector.GetStallDetector();
    const std::size_t begun = detector.CountUnfinished();
    std::ostringstream text;
    text << unfinished << " of " << collector.GetTotal() << " flows, "
         << unfinished - std::min<uint64_t>(unfinished, begun) << " of them not started"
         << DescribeEnd(collector.GetEnd(), signal);
    if (const std::string waiting = detector.DescribeWaiting(); !waiting.empty())
    {
        text << "; " << waiting;
    }
    std::vector<std::string> lines = detector.DescribeUnfinished(MAX_LINES);
    if (collector.GetEnd() == RunCollector::End::INTERRUPTED)
    {
        lines.clear(); // the flows are not to blame
    }
    else if (begun > MAX_LINES)
    {
        lines.push_back("and " + std::to_string(begun - MAX_LINES) + " more");
    }
    Messages::Say("unfinished", text.str(), lines);
    return false;
}

} // namespace ns3::roce
