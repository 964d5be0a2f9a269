// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARALLEL_RUN_H
#define ROCE_PARALLEL_RUN_H

#include "roce-rank-mail.h"
#include "roce-worker-pool.h"

#include "ns3/event-id.h"
#include "ns3/roce-partition.h"
#include "ns3/roce-port.h"
#include "ns3/roce-wake-timer.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/// @brief What is sent on a link between two partitions, until no thread is at work.
class CutDirection final : public FrameSink
{
  public:
    /**
     * @param link that is cut
     * @param end the sending one
     * @param from partition of the sending station
     */
    CutDirection(Link& link, unsigned end, Partition& from);
    ~CutDirection() override;
    CutDirection(const CutDirection&) = delete;
    CutDirection& operator=(const CutDirection&) = delete;

    void Take(Frame* frame) override;

    /**
     * @brief Append what has been sent to the frames on the link.
     * @param donePs the receiver has run so far
     */
    void Splice(int64_t donePs);

    /**
     * @brief Append what has been sent to bytes for another process: how many frames, and these.
     * @param out appended to
     * @return when the first one arrives there
     */
    int64_t Pack(std::string& out);

    /// @brief Stop the program if a frame comes too late. @param frame it @param donePs the
    /// receiver has run so far
    static void CheckArrival(const Frame& frame, int64_t donePs);

  private:
    Ptr<Link> m_link; //!< it and the port are used as long as this lives
    Ptr<Port> m_port;
    Link::Direction& m_onLink;
    Link::Direction m_sent;
    Partition& m_from;
};

/**
 * @brief Runs stations in several threads, with the results of one.
 *
 * Stations are divided into partitions. No link between two of them has a delay below L (the
 * window), so what they send to each other within a window arrives after it. At the end W of each
 * window there is one event in the simulator; then every partition does all that is due up to W, in
 * threads, and after that one thread puts frames onto the links between partitions, calls sinks of
 * MessageCompleted and MessageReceived, and schedules the next window. It ends L after the first
 * thing that may happen.
 *
 * So stations are late, as they are without threads. A look at one at a time u within a window
 * (Station::CatchUp()) ends the window at u: all threads run up to u first. Events of the simulator
 * run in one thread while no other is at work.
 *
 * What happens within a station at a time depends only on the frames on its links by then, and
 * links keep the order; so results depend neither on the number of threads nor on windows.
 *
 * Partitions may be shared by several processes (RankExchange). Each has the whole network and all
 * events of the simulator, and runs its own partitions; stations of others are only copies: nothing
 * ever happens there, and what they count stays at zero. Windows are each process's own. Now and
 * then all meet, at a time that all know: they exchange frames and completions (RankMail), so that
 * sinks of the two trace sources above are called alike in all of them. They meet whenever an event
 * looks at a station, and no later than the shortest delay of a link between processes after the
 * first thing that may happen; so all frames still come in time. They also meet early enough to
 * tell of the last completion of all at most L late, since that ends a run.
 *
 * Stations at work touch nothing that belongs to another partition, use no ns-3 simulator, and
 * count no references of what others have (ObjectLock). Events that they schedule end the run with
 * an error after the window, if two threads have not wrecked the simulator's list by then. Trace
 * sources that stations call have no sinks (StationTrace); the two named above are delayed and
 * called in the order of time, NICs in order, at most L late; with several processes, when these
 * meet.
 */
class ParallelRun final : public PartitionOwner
{
  public:
    /// Cost so far.
    struct Balance
    {
        uint64_t windows{0};
        int64_t workNs{0};    //!< of all partitions
        int64_t longestNs{0}; //!< sum over windows of the partition that worked longest
        int64_t serialNs{0};  //!< between windows: splicing, telling
    };

    /**
     * @param partitions how many, at least 1
     * @param threads how many at most
     * @param measure keep a Balance, with one thread only
     * @param mail of processes that share the partitions, equally many each; null: this one alone
     */
    ParallelRun(unsigned partitions,
                unsigned threads,
                bool measure,
                std::unique_ptr<RankMail> mail = nullptr);
    ~ParallelRun();
    ParallelRun(const ParallelRun&) = delete;
    ParallelRun& operator=(const ParallelRun&) = delete;

    // --- set-up, in this order

    /// @brief Give a station to a partition. @param station outlives this.
    void Add(Station& station, unsigned partition);

    /**
     * @brief Cut a link if it is between two partitions. All links, in the same order everywhere.
     * @param link outlives this
     */
    void Cut(Link& link);

    /**
     * @brief Everything is there.
     * @param windowPs L, above 0, at most the delay of each link between partitions of a process
     * @param meetingPs longest time between meetings of several processes, at most the delay of
     * each link between two of them
     */
    void Begin(int64_t windowPs, int64_t meetingPs = NEVER_PS);

    /// @brief The last completion of all is no earlier than this, see RankMail::ReportCodec. Before
    /// Begin(), in all processes alike. @param atPs time
    void SetLeastEnd(int64_t atPs)
    {
        m_leastEndPs = atPs;
    }

    // --- at work

    void AdvanceTo(int64_t nowPs) override;
    void NoteOutside() override;
    void NoteShared() override;

    /// @return the processes, or null if it is one
    RankExchange* GetRanks() const
    {
        return m_mail ? &m_mail->GetRanks() : nullptr;
    }

    /// @throw InputError if a trace source that stations call has a sink
    static void CheckSinks();

    /// @return whether partitions are doing what is due, or sinks are being called
    bool IsAtWork() const
    {
        return m_inside;
    }

    bool IsTelling() const override
    {
        return m_telling;
    }

    /// @return cost so far
    const Balance& GetBalance() const
    {
        return m_balance;
    }

    unsigned GetNPartitions() const
    {
        return static_cast<unsigned>(m_partitions.size());
    }

    /// @return number of links between partitions, each direction
    std::size_t GetNCut() const
    {
        return m_cut.size();
    }

    /// @return L, picoseconds
    int64_t GetWindowPs() const
    {
        return m_windowPs;
    }

    /// @return how often several processes have met
    uint64_t GetNMeetings() const
    {
        return m_meetings;
    }

    /**
     * @param ranks how many processes share them
     * @return the process that has it
     */
    static unsigned RankOf(std::size_t partition, std::size_t partitions, unsigned ranks)
    {
        return static_cast<unsigned>(partition * ranks / partitions);
    }

    /// @brief Called by the timer: a window ends.
    void OnWake(int64_t nowPs);

  private:
    int64_t GetNextPs() const;
    int64_t GetFirstPs() const;
    void Arm(int64_t firstPs);
    void Work(unsigned thread);
    void RunPartition(unsigned partition);
    void RunWindow(int64_t basePs, int64_t untilPs);
    void Splice();
    void Collect();
    void Tell();
    void RunHere(int64_t nowPs);
    unsigned RankOf(std::size_t partition) const;
    void MeetAt(int64_t nowPs);
    void SwapMail();
    void ArrangeMeeting();
    int64_t FindLeastEnd();

    std::vector<std::unique_ptr<Partition>> m_partitions;
    std::vector<Station*> m_stations;
    std::vector<std::unique_ptr<CutDirection>> m_cut;
    const unsigned m_nPartitions;
    uint32_t m_links{0};                  //!< visited by Cut()
    std::vector<unsigned> m_here;         //!< partitions that this process runs
    std::unique_ptr<RankMail> m_mail;     //!< null: one process
    std::vector<CutDirection*> m_toRanks; //!< with frames for other processes
    std::vector<RankMail::Report> m_reports;
    // Several processes. The first four and when they meet are the same in all of them.
    int64_t m_meetingPs{0};       //!< see Begin()
    int64_t m_metPs{-1};          //!< last time that they have met, or nothing has happened since
    int64_t m_firstPs{NEVER_PS};  //!< as of then, nothing happens earlier in any
    int64_t m_leastEndPs{0};      //!< see SetLeastEnd()
    int64_t m_soughtPs{-1};       //!< last search for a later one
    EventId m_meeting;            //!< the next one
    int64_t m_meetAtPs{NEVER_PS}; //!< its time
    uint64_t m_meetings{0};
    int64_t m_outsidePs{-1};                  //!< last call of NoteOutside()
    int64_t m_sharedPs{-1};                   //!< last call of NoteShared()
    bool m_disturbed{false};                  //!< NoteShared() has been called
    std::vector<std::exception_ptr> m_errors; //!< by partition
    int64_t m_windowPs{0};
    int64_t m_slackPs{0}; //!< longest of the stations
    int64_t m_donePs{-1}; //!< those of this process have run up to then
    int64_t m_basePs{0};  //!< of the window under way
    int64_t m_untilPs{0};
    bool m_inside{false}; //!< AdvanceTo() is at work
    bool m_telling{false};
    bool m_measure;
    std::vector<int64_t> m_workNs; //!< of the window, by partition
    Balance m_balance;
    WakeTimer<ParallelRun> m_timer;
    WorkerPool m_pool; // the last: its threads use the others
};

} // namespace ns3::roce

#endif /* ROCE_PARALLEL_RUN_H */
