// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RUN_WATCHER_H
#define ROCE_RUN_WATCHER_H

#include <cstdint>
#include <vector>

namespace ns3::roce
{

class ParallelRun;

/**
 * @brief Learns how far all stations of a ParallelRun have come, while no thread is at work: puts
 * into order what sinks of many stations have noted meanwhile.
 */
class RunWatcher
{
  public:
    RunWatcher();
    virtual ~RunWatcher();
    RunWatcher(const RunWatcher&) = delete;
    RunWatcher& operator=(const RunWatcher&) = delete;

    /**
     * @brief All stations, those of other processes included, have done what is due before a time,
     * and completions by then have been reported. With several processes, all call it when they
     * meet.
     * @param run any one: there may be several networks
     * @param untilPs not included
     */
    virtual void OnSettled(const ParallelRun& run, int64_t untilPs) = 0;

    /// @brief Call OnSettled() of all that there are, in the order in which they were made.
    static void TellAll(const ParallelRun& run, int64_t untilPs);

  private:
    static std::vector<RunWatcher*>& All();
};

} // namespace ns3::roce

#endif /* ROCE_RUN_WATCHER_H */
