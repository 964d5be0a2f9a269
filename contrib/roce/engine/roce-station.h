// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_H
#define ROCE_STATION_H

#include "roce-agenda.h"
#include "roce-station-clock.h"
#include "roce-wake-timer.h"

#include "ns3/roce-fetch.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-time.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

class Port;

/**
 * @brief A node's RDMA machinery: a switch or a NIC. Owns ports and runs on a clock of its own.
 *
 * What a station does at time t reaches another station no earlier than t plus the delay of a link.
 * So a station may act at any time before t plus the shortest delay of its links (its slack), as
 * long as it handles everything in order of time. What it then sends arrives after the present,
 * since a transmission takes time as well. It keeps an agenda (next departure and next arrival of
 * each port, one timer) and has one event pending in the simulator, at the earliest item plus the
 * slack. When the event comes, it runs all items up to the present, in the order (time, departures
 * before arrivals before the timer, port); frames that arrive at the same time can be taken in
 * random order, see SetRandomTies(). Results do not depend on when the events come: with slack 0
 * (attribute Eager) there is one for each item, and the outcome is the same, frame for frame.
 * Stations that share a clock wake up together and may be later (StationClock).
 *
 * Consequences: model code is given the time and never asks Simulator::Now(), which may be later by
 * up to GetSlackPs(); code that looks at a station from outside calls CatchUp() first, as the
 * handles of Network::GetNic() and GetSwitch() do.
 */
class Station
{
  public:
    /// Two items of the agenda for each port and the timer are numbered with 16 bits.
    static constexpr uint32_t MAX_PORTS = 32767;

    Station();
    virtual ~Station();

    /// @brief Run everything that is due up to and including nowPs. Called from inside, it does
    /// nothing: the station is at work already. @param nowPs present time
    void CatchUp(int64_t nowPs)
    {
        if (m_partition)
        {
            m_partition->Await(nowPs);
        }
        else if (m_clock && m_clock->HasTurns())
        {
            CatchUpNeighbours(nowPs);
        }
        RunDue(nowPs);
    }

    /// @brief CatchUp() for a caller that knows all neighbours are far enough.
    void RunDue(int64_t nowPs)
    {
        if (m_agenda.GetFirstPs() <= nowPs && !m_running)
        {
            Run(nowPs);
        }
    }

    /// @brief Belong to a partition, or to the simulator again. @param partition null: none
    void SetPartition(Partition* partition)
    {
        m_partition = partition;
        m_alarmPs = NEVER_PS;
        m_wake.SetPartition(partition);
    }

    /// @return see SetPartition()
    Partition* GetPartition() const
    {
        return m_partition;
    }

    /// @return whether this process runs the station; else another one does
    bool IsHere() const
    {
        return !m_partition || !m_partition->IsRemote();
    }

    /// @brief Another process is going to run the station: keep only what is asked of it here.
    /// Before SetUp().
    void MakeCopy()
    {
        m_isCopy = true;
    }

    /// @return see MakeCopy()
    bool IsCopy() const
    {
        return m_isCopy;
    }

    /// @brief Make sure an event is pending in time, if there is anything to do.
    void Resume()
    {
        Rearm();
    }

    /**
     * @brief Call the sinks of what was given to Partition::Report().
     * @param index of the report, from 0
     */
    virtual void Tell([[maybe_unused]] std::size_t index)
    {
    }

    uint32_t GetStationNodeId() const
    {
        return m_nodeId;
    }

    /**
     * @brief A frame has been put on an empty link towards this station.
     * @param port index of the receiving port
     * @param atPs when it arrives; in the future
     */
    void SetArrival(uint16_t port, int64_t atPs)
    {
        m_agenda.Set(m_nPorts + port, atPs);
        Rearm();
    }

    /**
     * @brief Called by the neighbour, if Port::TellPeer() says so: what a host's stack needs to see
     * at its exact time, a PACKET or a pause, is on its way here.
     * @param atPs when it arrives, unless it is lost
     */
    virtual void Foresee([[maybe_unused]] int64_t atPs)
    {
    }

    /// @brief A pause frame has changed what a port may send.
    virtual void OnPauseChange(Port& port, int64_t atPs) = 0;

    /**
     * @brief What is sent from a port arrives again, after a failure of its link in that direction.
     * Pause frames sent meanwhile are lost.
     */
    virtual void OnLinkRepair([[maybe_unused]] Port& port, [[maybe_unused]] int64_t atPs)
    {
    }

    /// @brief Called by the wake timer.
    void OnWake(int64_t nowPs)
    {
        RunDue(m_partition ? m_partition->GetReachPs(m_slackPs, nowPs) : nowPs);
        Rearm();
    }

    /**
     * @brief Have events in the simulator together with other stations, or on its own again.
     * @param clock outlives the station, or is taken away before; null: on its own
     * @param turn when it runs, if stations of the clock take turns
     */
    void SetClock(StationClock* clock, StationTurn turn = StationTurn::EACH)
    {
        m_clock = clock;
        m_turn = turn;
        m_alarmPs = NEVER_PS;
        if (clock)
        {
            clock->Add();
        }
    }

    /// @return see SetClock()
    StationTurn GetTurn() const
    {
        return m_turn;
    }

    /// @return when the clock calls, or NEVER_PS
    int64_t GetAlarmPs() const
    {
        return m_alarmPs;
    }

    /// @brief Called by the clock; there may be an earlier alarm by now, or none.
    void OnAlarm(int64_t nowPs)
    {
        if (m_alarmPs <= nowPs)
        {
            m_alarmPs = NEVER_PS;
            OnWake(nowPs);
        }
    }

    /// What a station that is going to run soon is going to do.
    struct Plan
    {
        static constexpr uint32_t MAX = 16; //!< items of a kind that are fetched for

        uint32_t nArrivals;
        uint32_t nDepartures;
        std::array<uint16_t, MAX> arrivals; //!< ports where a frame arrives
        std::array<uint16_t, MAX> departures;
    };

    /// Steps of Fetch().
    enum FetchStep
    {
        FETCH_TABLES, //!< what the station's members point to
        FETCH_LINKS,  //!< links and ports of the items that are due
        FETCH_FRAMES,
        FETCH_NEXT, //!< what is where frames say that they go
        N_FETCH_STEPS
    };

    /// @brief The station is going to run soon: prefetch its members.
    void FetchMembers() const
    {
        FetchBytes(this, sizeof(Station));
    }

    /**
     * @brief Prefetch what it needs when it runs, in steps, as each reads what those before have
     * fetched.
     * @param plan [in,out] of the station; the same for all steps
     * @param nowPs up to when it is going to run
     */
    virtual void Fetch(FetchStep step, Plan& plan, int64_t nowPs) const = 0;

    /// @return how much later than their time things may be done, picoseconds
    int64_t GetSlackPs() const
    {
        return m_turn == StationTurn::EACH ? m_slackPs : 2 * m_slackPs;
    }

    /// @return shortest delay of a link, picoseconds; 0 if the station is eager
    int64_t GetShortestDelayPs() const
    {
        return m_slackPs;
    }

    /// @return whether SetUp() has been called, since when attributes are what they are
    bool IsSetUp() const
    {
        return m_nPorts != 0;
    }

    /// @return whether the station is at work: the caller is a sink of one of its traces
    bool IsRunning() const
    {
        return m_running;
    }

  protected:
    /**
     * @brief Ports, node and slack are known: make the agenda. Before any frame is sent.
     * @param nodeId node the station belongs to
     * @param ports by index
     * @param eager slack 0 instead of the shortest link delay
     */
    void SetUp(uint32_t nodeId, const std::vector<Port*>& ports, bool eager);

    /**
     * @brief Take frames that arrive at the same time in random order, not in that of the ports'
     * numbers. After SetUp().
     * @param seed of the order, which depends on it, the time and the ports only
     */
    void SetRandomTies(uint64_t seed);

    /**
     * @param which of several, such as an item of the agenda
     * @return random number, always the same for these two
     */
    uint64_t TieKey(int64_t atPs, uint64_t which) const;

    /**
     * @brief When a port may start its next transmission.
     * @param atPs time, or NEVER_PS; not before the time being run
     */
    void SetDeparture(uint16_t port, int64_t atPs)
    {
        m_agenda.Set(port, atPs);
    }

    /// @return see SetDeparture()
    int64_t GetDeparture(uint16_t port) const
    {
        return m_agenda.Get(port);
    }

    /// @brief When Timer() is wanted next. @param atPs time, or NEVER_PS
    void SetTimer(int64_t atPs)
    {
        m_agenda.Set(2 * m_nPorts, atPs);
    }

    /**
     * @brief Make sure an event is pending in time. To be called after agenda changes outside
     * Run().
     */
    void Rearm()
    {
        const int64_t first = m_agenda.GetFirstPs();
        if (first == NEVER_PS || m_running)
        {
            return;
        }
        const int64_t latestPs = first + m_slackPs;
        if (!m_clock || m_partition)
        {
            m_wake.Arm(m_nodeId, latestPs);
        }
        else if (latestPs < m_alarmPs)
        {
            m_alarmPs = m_clock->Set(this, latestPs, m_slackPs);
        }
    }

    /// @return the time it is for this station: that of the item being run, or the present
    int64_t PresentPs() const
    {
        return m_running ? m_presentPs : m_partition ? m_partition->GetPresentPs() : NowPs();
    }

    // The first steps of Fetch(), as far as agenda and links go.

    /// @brief FETCH_TABLES.
    void FetchTables() const;

    /// @brief FETCH_LINKS. @param [out] plan what is due @param nowPs by then
    void FetchLinks(Plan& plan, int64_t nowPs) const;

    /// @brief FETCH_FRAMES. @param plan what is due
    void FetchFrames(const Plan& plan) const;

    /// @brief Say what queues a port has, to be fetched with it. @param port index @param queue
    /// an EgressScheduler
    void SetQueueOf(uint16_t port, const void* queue);

    /// @brief Prefetch what sending from a port reads.
    void FetchOut(uint16_t port) const;

    /// @brief Prefetch what of a frame only end hosts look at.
    static void FetchRest(const Frame& frame);

    /// @return the frame that arrives first, or null
    const Frame* PeekArrival(uint16_t port) const;

  private:
    /// @brief Start the port's next transmission and set its next departure (always).
    virtual void Depart(uint16_t port, int64_t atPs) = 0;

    /**
     * @brief A frame other than PFC has arrived completely.
     * @param frame handed over
     */
    virtual void Receive(Port& port, Frame* frame, int64_t atPs) = 0;

    /// @brief The timer; sets the next time (always).
    virtual void Timer(int64_t atPs) = 0;

    /// Where frames come from.
    struct Inlet;

    /// A frame that arrives at the same time as others.
    struct Tied
    {
        uint64_t key; //!< the lowest goes first
        uint32_t inlet;
        Frame* frame;
    };

    void Run(int64_t nowPs);
    void RunTied(uint32_t item, Frame* frame, int64_t atPs, int64_t nowPs);
    void RunItems(int64_t nowPs);
    void CatchUpNeighbours(int64_t nowPs);

    // Fields used for each frame are next to each other.
    uint32_t m_nPorts{0};
    uint32_t m_nodeId{0};
    int64_t m_slackPs{0};   //!< shortest delay of a link
    int64_t m_presentPs{0}; //!< time of the item being run
    bool m_running{false};
    StationTurn m_turn{StationTurn::EACH};
    bool m_isCopy{false};            //!< see MakeCopy()
    StationClock* m_clock{nullptr};  //!< null, or a partition is given: m_wake
    int64_t m_alarmPs{NEVER_PS};     //!< when the clock calls
    std::vector<Inlet> m_inlets;     //!< by port; none of a copy
    Partition* m_partition{nullptr}; //!< null: events in the simulator
    Agenda m_agenda;
    WakeTimer<Station> m_wake;
    bool m_randomTies{false}; //!< see SetRandomTies()
    uint64_t m_tieSeed{0};    //!< see SetRandomTies()
    std::vector<Tied> m_tied; //!< see RunTied()
};

} // namespace ns3::roce

#endif /* ROCE_STATION_H */
