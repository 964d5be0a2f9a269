// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LOG_GP_H
#define ROCE_LOG_GP_H

#include "roce-rank-runner.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The network of LogGP, on which LogGOPSim runs programs of ranks: without packets and
 * without links that messages share.
 *
 * A message's first byte takes o + L. Each byte after it takes G, at the sender's NIC, which begins
 * the next message then, though not before g; and at the receiver's NIC and CPU, which are taken by
 * one message after the other. The CPU takes in a message o later. A send of more than S bytes is
 * done when its message has met its receive.
 */
struct LogGp
{
    /**
     * @param program checked
     * @param costs with RankCosts::ideal
     * @return when each rank is done, picoseconds; -1: never, as it waits for what does not come
     * @throw InputError if it takes longer than NetworkMap::LONGEST_RUN_PS
     */
    static std::vector<int64_t> Run(const RankProgram& program, const RankCosts& costs);

    /**
     * @param text L, g and G with their units, between commas, such as "2us,5ns,0.04ns"; G is the
     * time of a byte
     * @throw InputError for anything else
     */
    static LogGpParams Parse(const std::string& text);
};

} // namespace ns3::roce

#endif /* ROCE_LOG_GP_H */
