// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_INTERRUPTION_H
#define ROCE_INTERRUPTION_H

#include <csignal>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Signals that end a run in order, with its results so far: SIGINT, SIGTERM, SIGUSR1,
 * SIGUSR2 and SIGXCPU, by which people and batch systems end jobs.
 *
 * As long as one of these objects lives the first such signal ends the simulation after the event
 * under way. One that comes half a second later or more ends the process as usual. A signal that
 * the process ignores (nohup) stays ignored.
 */
class Interruption
{
  public:
    /**
     * @brief Begin to watch; right before Simulator::Run().
     * @param shared several processes simulate together: they end it when they meet, see Take()
     */
    explicit Interruption(bool shared);
    /// Restores the earlier effect of signals.
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /// @return number of the signal that has come, or 0
    static int GetRequested();

    /// @brief End the simulation after the event under way, because of a signal that one of several
    /// processes has got. All call it at the same simulated time. @param number of the signal
    static void Take(int number);

    /// @return number of the signal that has ended the simulation, or 0; ask right after
    /// Simulator::Run()
    static int GetTaken();

    /// @return name of a signal, for example SIGTERM. @param number of the signal
    static const char* NameOf(int number);

  private:
    using Action = struct sigaction;

    std::vector<std::pair<int, Action>> m_before;
};

} // namespace ns3::roce

#endif /* ROCE_INTERRUPTION_H */
