// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MPI_RANKS_H
#define ROCE_MPI_RANKS_H

#include "ns3/roce-rank-exchange.h"
#include "ns3/roce-sha256.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Processes that mpirun or srun has started together. The only part of the module that uses
 * MPI, and only if there are several.
 *
 * The first process, number 0, writes files and prints; standard output of the others is closed. An
 * error before the run is shared by all: the first process that has one prints it. A later error
 * ends all processes.
 */
class MpiRanks final : public RankExchange
{
  public:
    /**
     * @brief Join the others, if this process was started as one of several. Call it once, first.
     * @param mayShare the program can run in several
     * @throw InputError if it cannot, or the module was built without MPI
     */
    static void Begin(bool mayShare);

    /// @return the processes, or null if it is one
    static MpiRanks* Get();

    /// @return whether this process writes files and prints
    static bool IsFirst();

    /**
     * @brief All processes wait here for each other.
     * @param parts of what the result is made of, which must be the same everywhere
     * @throw InputError if another process has met an error, or has something else in a part, which
     * the message names; that process knows of the error
     */
    static void Agree(const std::vector<PartDigest>& parts);

    /// @brief The simulation begins: from now on an error ends all processes.
    static void StartRun();

    /// @brief Print an error, see above. Call it at the end of the program. @param text one line
    static void SayError(const std::string& text);

    /**
     * @brief The program ends without an error. Of several processes, end this one at once: to free
     * the memory of a large network piece by piece would take long. A single process continues.
     */
    static void Leave(int status);

    ~MpiRanks() override;

    // inherited from RankExchange
    unsigned GetRank() const override;
    unsigned GetN() const override;
    std::vector<std::string> Gather(const std::string& own) override;
    std::vector<std::string> Swap(std::vector<int64_t>& numbers,
                                  const std::vector<std::string>& toEach) override;

  private:
    MpiRanks();

    /// A process that differs from process 0.
    struct Mismatch
    {
        unsigned rank{0};
        std::size_t part{0}; //!< the first one that differs
        bool isThere{false};
    };

    std::string FirstError(const std::string& own,
                           const std::vector<std::string>& digests,
                           Mismatch& mismatch);
    std::string Describe(const Mismatch& mismatch, const PartDigest& part);

    unsigned m_rank{0};
    unsigned m_n{1};
    bool m_running{false};
    bool m_told{false};
};

} // namespace ns3::roce

#endif /* ROCE_MPI_RANKS_H */
