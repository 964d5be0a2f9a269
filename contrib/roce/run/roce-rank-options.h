// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_OPTIONS_H
#define ROCE_RANK_OPTIONS_H

#include "ns3/roce-option-table.h"
#include "ns3/roce-rank-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/// The options of a program that have ranks send the flows: --pattern=goal, chakra or jobs.
struct RankOptions
{
    std::string goalFile;
    std::string jobsFile;
    std::string logGp; //!< see LogGp::Parse(); empty: no ideal network
    RankCosts costs;
    RankJob::ReceiveAt receiveAt{RankJob::ReceiveAt::LAST_BYTE};

    /// @brief Make every parameter an option. @param table of the program
    void AddOptions(OptionTable& table);

    /**
     * @brief Read the GOAL schedule.
     * @param nNics in the network
     * @return see RankJob::MakeFlows()
     * @throw InputError for a file or values that make no sense
     */
    std::vector<FlowSpec> Generate(uint32_t nNics) const;

    /// @param program checked. @return the flows of any program of ranks. @throw as Generate()
    std::vector<FlowSpec> Generate(RankProgram program, uint32_t nNics) const;

    /**
     * @brief Read the file of jobs and place them.
     * @param nNics in the network, or hosts. @param perServer of each server; 1: there are none
     * @return the flows of each job
     * @throw as Generate()
     */
    std::vector<std::vector<FlowSpec>> GenerateJobs(uint32_t nNics, uint32_t perServer) const;

  private:
    RankJob MakeRules() const;
};

} // namespace ns3::roce

#endif /* ROCE_RANK_OPTIONS_H */
