// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_JOB_PLACEMENT_H
#define ROCE_JOB_PLACEMENT_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Which NICs (or hosts) of a network jobs have: the ranks of a job get them in order.
 *
 * A rank with n NICs gets n next to each other, the first of them a multiple of n.
 */
class JobPlacement
{
  public:
    /// How a job's NICs are chosen.
    enum class Rule
    {
        LINEAR, //!< the first ones that are free
        RAIL,   //!< the same, in servers that are all free: so the ranks of a server are each on
                //!< its rail, the first rank on the first one
        RANDOM  //!< any that are free
    };

    /// @param nNics in the network. @param perServer of each server; 1: there are no servers
    JobPlacement(uint32_t nNics, uint32_t perServer);

    /**
     * @param text numbers such as 0-7,12
     * @return the numbers
     * @throw InputError for any other form, a number twice or one that there is not; it does not
     * say where the text is from
     */
    std::vector<uint32_t> Parse(const std::string& text) const;

    /// @brief NICs are not free any more; they may have been taken before.
    void Take(const std::vector<uint32_t>& nics);

    /**
     * @brief Choose NICs and take them.
     * @param nRanks of the job. @param perRank NICs of each
     * @param stream of ns-3's random numbers, for RANDOM
     * @return the NICs of rank 0, of rank 1 and so on
     * @throw InputError if too few are free, without saying of which job
     */
    std::vector<uint32_t> Choose(Rule rule, uint32_t nRanks, uint32_t perRank, int64_t stream);

  private:
    std::vector<bool> m_isTaken; //!< by NIC
    uint32_t m_perServer;
};

} // namespace ns3::roce

#endif /* ROCE_JOB_PLACEMENT_H */
