// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_JOB_FILE_H
#define ROCE_JOB_FILE_H

#include "roce-rank-job.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A file of jobs that share a network: a JSON list of objects.
 *
 * A job has a `name`, one of `goal`, `trace`, `collective` and `training` (what its ranks do, see
 * the chapter on jobs), and may have `ranks`, `placement`, `stream`, `start`, `repetitions` and
 * `pause`. Files are named relative to it.
 */
struct JobFile
{
    static constexpr int64_t STREAM = 10000012; //!< first one of random placements
    static constexpr uint32_t MOST_JOBS = 1000;

    /**
     * @brief Read jobs and place them: those with lists first, the others in order.
     * @param path of the file
     * @param nNics in the network, or hosts. @param perServer of each server; 1: there are none
     * @param rules of all jobs: costs, receiveAt, ideal
     * @return jobs in the order of the file, numbered from 1
     * @throw InputError with file and JSON pointer or line, what was found and what was expected
     */
    static std::vector<std::shared_ptr<const RankJob>> Read(const std::string& path,
                                                            uint32_t nNics,
                                                            uint32_t perServer,
                                                            const RankJob& rules);
};

} // namespace ns3::roce

#endif /* ROCE_JOB_FILE_H */
