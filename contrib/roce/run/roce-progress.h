// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PROGRESS_H
#define ROCE_PROGRESS_H

#include "ns3/event-id.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace ns3::roce
{

/**
 * @brief Says about once a second of wall-clock time how far a run has come.
 *
 * Looks at the clock from a periodic event whose period in simulated time adapts to the speed of
 * the run, so that there are a few such events per second. They change no result; GetEvents() says
 * how many there were. The only place in the module that reads a wall clock.
 *
 * Lines in mode TEXT are for people; on a terminal each takes the place of the one before. In mode
 * JSON each is an object with one member, as Messages are:
 * `{"progress":{"simulatedPs":..,"endPs":..,"done":..,"flowsDone":..,"flowsTotal":..,
 * "packetHops":..,"goodputBps":..,"queuedBytes":..,"longestQueuedBytes":..,"wallSeconds":..}}`.
 */
class Progress
{
  public:
    /// Which lines are written.
    enum class Mode
    {
        NONE,
        TEXT,
        JSON
    };

    /// What a line tells of the run. With several processes all but flows are those of this one.
    struct Status
    {
        double done{0}; //!< share of the run, 0 to 1, by which the rest is estimated
        uint64_t flowsDone{0};
        uint64_t flowsTotal{0};
        uint64_t packetHops{0};         //!< see Network::CountPacketHops()
        uint64_t deliveredBytes{0};     //!< payload at receivers so far
        uint64_t queuedBytes{0};        //!< in the buffers of all switches
        uint64_t longestQueuedBytes{0}; //!< in the fullest one
        std::string fullestSwitch{};    //!< its name
    };

    /// @param text none, text or json. @throw InputError for anything else
    static Mode ParseMode(const std::string& text);

    /**
     * @param mode which lines
     * @param endPs end of the run or, if none is given, of what is scheduled, simulated
     *        picoseconds; may be passed
     * @param status asked for each line
     * @param out where lines go, flushed after each; a terminal only if it is std::cerr
     */
    Progress(Mode mode, int64_t endPs, std::function<Status()> status, std::ostream& out);
    /// Standard error.
    Progress(Mode mode, int64_t endPs, std::function<Status()> status);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// @brief Begin: the clocks start. Call right before Simulator::Run().
    void Start();

    /// @brief Call after Simulator::Run(): the clocks stop, and the last line is written.
    void Finish();

    /// @return elapsed time from Start() to Finish() or now, seconds
    double GetWallSeconds() const;

    /// @return processor time of the process from Start() to Finish() or now, seconds
    double GetCpuSeconds() const;

    /// @return events this object has caused
    uint64_t GetEvents() const
    {
        return m_events;
    }

    /**
     * @param wallSeconds elapsed time
     * @param goodputBps payload delivered, in simulated time, bit/s
     * @return one line without its end, in this object's mode
     */
    std::string Format(int64_t simulatedPs,
                       double wallSeconds,
                       const Status& status,
                       double goodputBps) const;

  private:
    void OnTick();
    void ScheduleNext();
    void Write(bool isLast);
    static double ProcessSeconds();

    Mode m_mode;
    int64_t m_endPs;
    std::function<Status()> m_status;
    std::ostream& m_out;
    int64_t m_periodPs;      //!< present distance of ticks, simulated time
    uint64_t m_events{0};    //!< see GetEvents()
    double m_lastTick{0};    //!< wall-clock time of the last tick since Start(), seconds
    double m_lastLine{0};    //!< the same of the last line
    bool m_isTerminal;       //!< one line is written again and again
    int64_t m_lastPs{0};     //!< simulated time of the last line
    uint64_t m_lastBytes{0}; //!< Status::deliveredBytes of it
    bool m_running{false};   //!< between Start() and Finish()
    double m_wallSeconds{0}; //!< once finished
    double m_cpuSeconds{0};  //!< once finished
    double m_cpuStart{0};    //!< processor time at Start()
    std::chrono::steady_clock::time_point m_wallStart;
    EventId m_next;
};

} // namespace ns3::roce

#endif /* ROCE_PROGRESS_H */
