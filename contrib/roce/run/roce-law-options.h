// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LAW_OPTIONS_H
#define ROCE_LAW_OPTIONS_H

#include "ns3/object-factory.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-network.h"
#include "ns3/roce-option-table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The options of a program that give some flows another rate law than --cc.
 *
 * ccOf lists rules with commas, each `SELECTOR:LAW`. SELECTOR is classN, nicN (its sender) or tagN,
 * or a range of them, as nic0-3; LAW is as for --cc. The first rule that fits a flow counts, and
 * before that what a flow list says itself. Flows with a law of ns-3's TCP are TcpFlows.
 */
struct LawOptions
{
    std::string ccOf;
    std::optional<uint32_t> tcpClass{0}; //!< of TCP flows; none: their own
    std::vector<ObjectFactory> tcpLaws;  //!< of TCP flows, see TcpFlows::Install(); set by Apply()

    /// @brief Make every parameter an option. @param table of the program
    void AddOptions(OptionTable& table);

    /**
     * @brief Give the network the laws, and flows their numbers; TCP flows their class, too.
     * @param network built; no flows are installed yet
     * @param listed laws in ObjectFactory's text form, see FlowList::laws
     * @param flows their FlowSpec::law is an index in listed plus 1, or 0; the network's afterwards
     * @return warnings
     * @throw InputError naming the option
     */
    std::vector<std::string> Apply(Network& network,
                                   const std::vector<std::string>& listed,
                                   std::vector<FlowSpec>& flows);

    /// @brief After Apply(): refuse an option that TCP flows do not follow. @param option and what
    /// it does @throw InputError if there are TCP flows
    void RefuseTcp(const std::string& option) const;
};

} // namespace ns3::roce

#endif /* ROCE_LAW_OPTIONS_H */
