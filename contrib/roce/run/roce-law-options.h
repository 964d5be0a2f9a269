// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LAW_OPTIONS_H
#define ROCE_LAW_OPTIONS_H

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-network.h"
#include "ns3/roce-option-table.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The option of a program that gives some flows another rate law than --cc.
 *
 * ccOf lists rules with commas, each `SELECTOR:LAW`. SELECTOR is classN, nicN (its sender) or tagN,
 * or a range of them, as nic0-3; LAW is as for --cc. The first rule that fits a flow counts, and
 * before that what a flow list says itself.
 */
struct LawOptions
{
    std::string ccOf;

    /// @brief Make every parameter an option. @param table of the program
    void AddOptions(OptionTable& table);

    /**
     * @brief Give the network the laws, and flows their numbers.
     * @param network built; no flows are installed yet
     * @param listed laws in ObjectFactory's text form, see FlowList::laws
     * @param flows their FlowSpec::law is an index in listed plus 1, or 0; the network's afterwards
     * @return warnings
     * @throw InputError naming the option
     */
    std::vector<std::string> Apply(Network& network,
                                   const std::vector<std::string>& listed,
                                   std::vector<FlowSpec>& flows) const;
};

} // namespace ns3::roce

#endif /* ROCE_LAW_OPTIONS_H */
