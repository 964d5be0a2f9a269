// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_DIVISION_H
#define ROCE_NETWORK_DIVISION_H

#include "ns3/roce-parallel-run.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ns3::roce
{

class NetworkFlows;
struct NetworkParts;

/// How the stations of a network are divided among threads and processes.
class NetworkDivision
{
  public:
    /// @param parts outlive this
    explicit NetworkDivision(const NetworkParts& parts);
    ~NetworkDivision();

    /// @brief See Network::ExpectRanks().
    void Expect(const RankExchange& ranks, unsigned threads);

    /// @brief All stations and links are known: stations that processes of Expect() do not run here
    /// are copies from now on. Before they are set up.
    void MakeCopies();

    /// @return whether there are copies, with which nothing can be run before Divide()
    bool HasCopies() const
    {
        return m_expected != nullptr;
    }

    /**
     * @brief Divide the stations, in place of an earlier division. All have caught up: partitions
     * are never as late as stations that take turns.
     * @param flows that are installed
     * @param partitions at most
     * @param threads of each process
     * @param measure see Network::MeasureBalance()
     * @param ranks see Network::SetRanks(), or null
     * @throw InputError see Network::SetThreads()
     */
    void Divide(const NetworkFlows& flows,
                unsigned partitions,
                unsigned threads,
                bool measure,
                RankExchange* ranks);

    /// @brief End an earlier division. All stations have caught up.
    void Unite();

    /// @return the parts at work, or null
    const ParallelRun* Get() const
    {
        return m_parallel.get();
    }

    /// @return the processes, or null
    RankExchange* GetRanks() const
    {
        return m_parallel ? m_parallel->GetRanks() : nullptr;
    }

    /// @brief Links, routes or parameters have changed, in all processes.
    void NoteShared() const;

    /// @return counters of all processes.
    std::map<std::string, uint64_t> AddRanks(const std::map<std::string, uint64_t>& own) const;

  private:
    /// The division that Expect() leads to.
    struct Expected;

    void Check() const;
    std::unique_ptr<RankMail> MakeMail(RankExchange& ranks) const;
    int64_t FindLeastEnd(int64_t nowPs, int64_t crossingPs) const;

    const NetworkParts& m_parts;
    const RankExchange* m_ranks{nullptr};       //!< see Expect()
    unsigned m_threads{0};                      //!< the same
    std::unique_ptr<const Expected> m_expected; //!< null: no copies
    std::unique_ptr<ParallelRun> m_parallel;    //!< null: one thread
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_DIVISION_H */
