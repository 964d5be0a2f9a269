// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_THREAD_OPTIONS_H
#define ROCE_THREAD_OPTIONS_H

#include "ns3/roce-network.h"
#include "ns3/roce-option-table.h"

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief The options of a program that say how many threads run it.
 */
struct ThreadOptions
{
    static constexpr unsigned MOST = 1024; //!< threads

    std::optional<uint32_t> threads{1}; //!< none: as many as the machine has
    uint32_t balance{0};

    /// @brief Make every parameter an option. @param table of the program
    void AddOptions(OptionTable& table);

    /**
     * @brief Check the options.
     * @param files options that follow every change of something, and whether they are given
     * @throw InputError for bad values, and for what several threads cannot do, naming the option
     */
    void Check(const std::map<std::string, bool>& files) const;

    /**
     * @brief Divide the network, if that is asked for.
     * @param network built, with all sinks connected
     * @throw InputError see Network::SetThreads()
     */
    void Apply(Network& network) const;

    /**
     * @brief Print how well threads would be used, if that is asked for.
     * @param out where to
     * @param network after the run
     */
    void PrintBalance(std::ostream& out, const Network& network) const;
};

} // namespace ns3::roce

#endif /* ROCE_THREAD_OPTIONS_H */
