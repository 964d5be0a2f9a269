// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TRANSPORT_OPTIONS_H
#define ROCE_TRANSPORT_OPTIONS_H

#include "roce-command-line.h"
#include "roce-law-options.h"

#include "ns3/roce-network.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The options of a program that configure NICs and switches.
 *
 * Order of use: AddOptions(), CheckedCommandLine::Parse(), Apply(), Network::Build() with
 * MakeNetworkOptions(), Check().
 */
struct TransportOptions
{
    std::string cc{"Dcqcn"};             //!< short name or TypeId, attributes may follow
    std::string interCc;                 //!< the same, between datacenters; empty: cc
    std::string stages;                  //!< SwitchStages, by role of switch, with commas between
    std::string edge;                    //!< the same, of external switches
    std::string tuner;                   //!< a Tuner, or nothing
    std::string lossRecovery{"GoBackN"}; //!< the same for LossRecovery
    std::string interLossRecovery;       //!< the same, between datacenters; empty: lossRecovery
    std::string paths{"FlowHash"};       //!< the same for PathSelector
    std::string interPaths;              //!< the same, between datacenters; empty: paths
    std::string pathPolicy{"Ecmp"};      //!< of switches: Ecmp, or the same for PathPolicy
    std::string edgePathPolicy;          //!< the same, of external switches; empty: pathPolicy
    bool detours{false};                 //!< these may choose ways that are a link longer
    bool pfc{true};                      //!< off: no class is lossless
    bool ecn{true};                      //!< switches mark
    bool telemetry{true};                //!< switches stamp
    uint64_t ecmpSeed{1};                //!< salt of the ECMP hashes; 0: the run number
    LawOptions laws;                     //!< of some flows, instead of cc and interCc

    /// @brief Make every parameter an option. @param cmd command line
    void AddOptions(CheckedCommandLine& cmd);

    /// @return the parts of a text between commas outside of []
    static std::vector<std::string> SplitOutsideBrackets(const std::string& text);

    /**
     * @brief Set the defaults of attributes.
     * @param cmd already parsed
     * @throw InputError for unknown kinds, bad attributes and combinations, naming the option
     */
    void Apply(const CheckedCommandLine& cmd) const;

    /// @return what Network::Build() is to put into switches
    Network::Options MakeNetworkOptions() const;

    /**
     * @brief Refuse useless combinations, and bad parameters of the rate law.
     * @param network built
     * @return warnings, those of the network first
     * @throw InputError naming the option
     */
    std::vector<std::string> Check(const Network& network) const;

    /**
     * @brief Look for loss recoveries that repeat or give up packets that are not lost.
     * @param network built
     * @param flows all flows; the first within a datacenter and the first between two represent all
     * @return warnings
     */
    static std::vector<std::string> CheckRecovery(const Network& network,
                                                  const std::vector<FlowSpec>& flows);

    /**
     * @brief Look at what the rows of the options need to know of the run to say that they have no
     * effect.
     * @param cmd already parsed
     * @param network built, with loss models and failures
     * @param flows that run in it
     * @return given attributes of types that are not there
     */
    std::vector<UnusedOptions> FindUnused(const CheckedCommandLine& cmd,
                                          const Network& network,
                                          const std::vector<FlowSpec>& flows);

  private:
    void AddTypes(CheckedCommandLine& cmd);
    std::vector<StagePlacement> GetStages() const;
    static void RefuseShimAttributes(const CheckedCommandLine& cmd, const ObjectFactory& stage);

    std::array<bool, 2> m_scopes{true, true}; //!< flows within a datacenter, and between two
    bool m_passesExternals{true};             //!< frames within a datacenter, too
};

} // namespace ns3::roce

#endif /* ROCE_TRANSPORT_OPTIONS_H */
