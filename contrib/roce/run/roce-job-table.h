// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_JOB_TABLE_H
#define ROCE_JOB_TABLE_H

#include "roce-run-writer.h"

#include "ns3/roce-rank-engine.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief How long the iterations of jobs took, what of that their ranks did not compute, and how
 * fast their collectives were: jobs.csv and collectives.csv, of jobs that have names and
 * iterations.
 */
class JobTable
{
  public:
    static constexpr const char* JOBS = "jobs.csv";
    static constexpr const char* COLLECTIVES = "collectives.csv";

    /// A job. Of ranks and iterations that are done.
    struct Job
    {
        std::size_t number{0}; //!< in ranks.csv
        std::string name;
        std::size_t ranks{0};
        int64_t startPs{-1};            //!< the first operation's; -1: none has begun
        int64_t endPs{-1};              //!< of the last rank; -1: some are not done
        uint32_t iterations{0};         //!< that all ranks have done
        int64_t iterationPs[2]{-1, -1}; //!< from a first start to the last end: mean and longest
        int64_t computePs[2]{-1, -1};   //!< of a rank in an iteration: mean, and most of a rank
        int64_t exposedPs[2]{-1, -1};   //!< the same, of the time in which it does not compute
        std::size_t mostExposed{0};     //!< rank
        double busGbps{-1};             //!< of all its collectives; -1: has none
        std::size_t lastRank{0};        //!< that is done last
        int64_t behindPs{-1};           //!< how long after the median of all ranks
    };

    /// Collectives of one name and size.
    struct Collective
    {
        std::size_t job{0};
        std::string name;
        uint64_t bytes{0};
        double busFactor{0};
        uint64_t count{0};    //!< that are done
        int64_t sumPs{0};     //!< of times from the first rank's start to the last one's end
        int64_t longestPs{0}; //!< of these
        int64_t skewPs{0};    //!< sum of times from the first rank's start to the last one's

        /// @return bus bandwidth of the mean time, as NCCL's tests have it, Gbit/s
        double GetBusGbps() const;
    };

    /// @brief After RankEngine::Finish() of all jobs. @param engine of the run, with logs, or null
    explicit JobTable(const RankEngine* engine);

    /// @return whether there are flows of jobs that have names. @param flows of a run
    static bool IsUsed(const std::vector<FlowSpec>& flows);

    /// @return by job
    const std::vector<Job>& GetJobs() const
    {
        return m_jobs;
    }

    /// @return in the order in which programs have them
    const std::vector<Collective>& GetCollectives() const
    {
        return m_collectives;
    }

    /// @brief Write both files. What is not known is empty. @param writer of the run @throw
    /// InputError when they cannot be written
    void Write(RunWriter& writer) const;

    /// @brief A line for each job, for people. @param out where to
    void Print(std::ostream& out) const;

  private:
    void Add(std::size_t number, const RankJob& made, const RankLog& log);
    void AddCollectives(std::size_t number, const RankProgram& program, const RankLog& log);

    std::vector<Job> m_jobs;
    std::vector<Collective> m_collectives;
};

} // namespace ns3::roce

#endif /* ROCE_JOB_TABLE_H */
