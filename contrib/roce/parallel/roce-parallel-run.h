// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARALLEL_RUN_H
#define ROCE_PARALLEL_RUN_H

#include "roce-cut-direction.h"
#include "roce-rank-mail.h"
#include "roce-round-runner.h"

#include "ns3/event-id.h"
#include "ns3/roce-partition.h"
#include "ns3/roce-wake-timer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Runs stations in several threads, with the results of one.
 *
 * Stations are divided into partitions. No link between two of them has a delay below L (the
 * window), so what they send to each other within a window arrives after it. A *round* is several
 * windows (RoundRunner). At its end W there is one event in the simulator; then every partition
 * does all that is due up to W, in threads. After that one thread calls sinks of MessageCompleted
 * and MessageReceived, and schedules the next round, which begins with the first thing that may
 * happen.
 *
 * So stations are late, as they are without threads. A look at one at a time u within a round
 * (Station::CatchUp()) ends the round at u: all threads run up to u first. Events of the simulator
 * run in one thread while no other is at work.
 *
 * A round has one window where a sink of the two trace sources may make work for stations
 * (ReplyMark), and where the last completion of all may be near, since that ends a run.
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
 * Trace sources that stations call have no sinks (StationTrace); the two named above are delayed
 * and called in the order of time, NICs in order, at most a round late; with several processes,
 * when these meet.
 */
class ParallelRun final : public PartitionOwner
{
  public:
    using Balance = RoundRunner::Balance;

    /**
     * @param partitions how many, at least 1
     * @param threads how many at most
     * @param windowPs L, above 0, at most the delay of each link between partitions of a process
     * @param measure keep a Balance of so many threads, with one only
     * @param mail of processes that share the partitions, equally many each; null: this one alone
     */
    ParallelRun(unsigned partitions,
                unsigned threads,
                int64_t windowPs,
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
     * @param meetingPs longest time between meetings of several processes, at most the delay of
     * each link between two of them
     */
    void Begin(int64_t meetingPs = NEVER_PS);

    /// Says by what stations of this process have still to send when the last completion of all is
    /// at the earliest; crossingPs is the shortest delay of a link between processes.
    using LeastEndFinder = std::function<int64_t(int64_t nowPs, int64_t crossingPs)>;

    /**
     * @brief Completions make no work for stations, and the last of all is known to be late. Before
     * Begin(), in all processes alike.
     * @param atPs not before this
     * @param find a later time
     */
    void SetLeastEnd(int64_t atPs, LeastEndFinder find)
    {
        m_leastEndPs = atPs;
        m_findLeastEnd = std::move(find);
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
        return m_rounds.GetBalance();
    }

    /// @return how many partitions so many threads of a process are best given: with two each, one
    /// that has less to do can take over
    static unsigned PartitionsOf(unsigned threads)
    {
        return threads == 1 ? 1 : 2 * threads;
    }

    /// @return threads that share the partitions of this process, or would if it measures
    unsigned GetNThreads() const
    {
        return m_rounds.GetThreads();
    }

    unsigned GetNPartitions() const
    {
        return m_rounds.GetNPartitions();
    }

    /// @return number of links between partitions, each direction
    std::size_t GetNCut() const
    {
        return m_cut.size();
    }

    /// @return L, picoseconds
    int64_t GetWindowPs() const
    {
        return m_rounds.GetWindowPs();
    }

    /// @return rounds that have begun
    uint64_t GetNRounds() const
    {
        return m_rounds.GetRound();
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

    /// @brief Called by the timer: a round ends.
    void OnWake(int64_t nowPs);

  private:
    int64_t FindRoundPs(int64_t firstPs) const;
    void Arm();
    void SeekLeastEnd();
    void Collect();
    void Tell();
    unsigned RankOf(std::size_t partition) const;
    void MeetAt(int64_t nowPs);
    void SwapMail();
    void ArrangeMeeting();
    int64_t FindLeastEnd();

    std::vector<Station*> m_stations;
    std::vector<std::unique_ptr<CutDirection>> m_cut;
    uint32_t m_links{0};              //!< visited by Cut()
    std::unique_ptr<RankMail> m_mail; //!< null: one process
    std::vector<RankMail::Report> m_reports;
    // Several processes. The first four and when they meet are the same in all of them.
    int64_t m_meetingPs{0};      //!< see Begin()
    int64_t m_metPs{-1};         //!< last time that they have met, or nothing has happened since
    int64_t m_firstPs{NEVER_PS}; //!< as of then, nothing happens earlier in any
    int64_t m_leastEndPs{0};     //!< see SetLeastEnd()
    LeastEndFinder m_findLeastEnd;
    int64_t m_soughtPs{-1};       //!< last search for a later one
    unsigned m_soughtFor{1};      //!< windows until the next one, if this is the only process
    EventId m_meeting;            //!< the next one
    int64_t m_meetAtPs{NEVER_PS}; //!< its time
    uint64_t m_meetings{0};
    int64_t m_outsidePs{-1}; //!< last call of NoteOutside()
    int64_t m_sharedPs{-1};  //!< last call of NoteShared()
    bool m_disturbed{false}; //!< NoteShared() has been called
    bool m_inside{false};    //!< AdvanceTo() is at work
    bool m_telling{false};
    WakeTimer<ParallelRun> m_timer;
    RoundRunner m_rounds; // the last: what it has sent is on its way between the others
};

} // namespace ns3::roce

#endif /* ROCE_PARALLEL_RUN_H */
