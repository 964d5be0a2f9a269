// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FAULT_OPTIONS_H
#define ROCE_FAULT_OPTIONS_H

#include "ns3/nstime.h"
#include "ns3/roce-network.h"
#include "ns3/roce-option-table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The options of a program that make links lose frames and fail.
 *
 * Order of use: AddOptions(), CheckedCommandLine::Parse(), Network::Build(), Apply(),
 * Network::AssignStreams().
 *
 * - lossModel is a LossModel (`ns3::roce::` may be left out) or an ErrorModel of ns-3, with
 *   attributes in brackets if wanted; every chosen port gets one of its own. loss sets its mean
 *   rate; without lossModel, losses are independent (RandomLoss).
 * - lossLinks chooses links, both directions of each: all, host (NICs), fabric (switches of one
 *   datacenter), wan (switches of two datacenters), border (wan, and the other links of the
 *   switches that have WAN links, as in the published simulator of Uno).
 * - failLinks lists failures with commas, each `NAME/NAME[#INDEX]@FROM[-TO]`, for example
 *   `dc0-leaf0/dc0-spine1@10ms-20ms`. Names are those of switches and hosts, or nicN; INDEX counts
 *   parallel links from 0; without TO the link is never repaired. `>` instead of `/` fails only
 *   the direction from the first to the second.
 * - pausePeers lists what pauses its peer without being full, each
 * `NAME>NAME[#INDEX][:RATE]@FROM[-TO]`: the first pauses the second all the time; a host with a
 * RATE does when it is behind, as it takes in no more than that.
 * - reroute is none (routes do not change) or the time after which they follow each change.
 */
struct FaultOptions
{
    /// One entry of failLinks or pausePeers.
    struct Failure
    {
        std::string text; //!< for messages
        std::string first;
        std::string second;
        uint32_t index{0};
        bool oneWay{false};
        uint64_t drainBps{0}; //!< of pausePeers; 0: none is given
        int64_t fromPs{0};
        int64_t toPs{-1}; //!< -1: never
    };

    /// Choices of lossLinks.
    enum class LossyLinks : uint8_t
    {
        ALL,
        HOST,
        FABRIC,
        WAN,
        BORDER,
    };

    double loss{0};
    LossyLinks lossLinks{LossyLinks::ALL};
    std::string lossModel;
    std::string failLinks;
    std::string pausePeers;
    std::optional<Time> reroute;

    /// @brief Make every parameter an option. @param table of the program
    void AddOptions(OptionTable& table);

    /**
     * @brief Check everything, give ports their loss models, schedule failures and repairs.
     * @param network built
     * @throw InputError naming the option
     */
    void Apply(Network& network);

    /**
     * @param text value of failLinks
     * @return its entries; names are not checked yet
     * @throw InputError for bad syntax
     */
    static std::vector<Failure> ParseFailures(const std::string& text);

    /// As above. @param text value of pausePeers
    static std::vector<Failure> ParsePauses(const std::string& text);

  private:
    bool IsLossy(const Network& network, uint32_t link) const;
    void ApplyLoss(Network& network) const;
    void ApplyFailures(Network& network) const;
    void ApplyPauses(Network& network) const;

    const Network* m_network{nullptr}; //!< once applied
};

} // namespace ns3::roce

#endif /* ROCE_FAULT_OPTIONS_H */
