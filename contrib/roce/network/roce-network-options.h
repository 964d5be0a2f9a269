// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_OPTIONS_H
#define ROCE_NETWORK_OPTIONS_H

#include "ns3/object-factory.h"
#include "ns3/roce-switch-role.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/// A switch stage and the switches that have it.
struct StagePlacement
{
    /// @param stage kind and parameters. @param where see SwitchRole
    StagePlacement(const ObjectFactory& stage, SwitchRole where = SwitchRole::ALL)
        : stage(stage),
          where(where)
    {
    }

    /// @param type TypeId of the stage. @param where see SwitchRole
    explicit StagePlacement(const std::string& type, SwitchRole where = SwitchRole::ALL)
        : StagePlacement(ObjectFactory(type), where)
    {
    }

    ObjectFactory stage; //!< kind and parameters
    SwitchRole where;    //!< the switches that have it
};

/// What Network::Build() puts into every switch in addition to its attributes.
struct NetworkOptions
{
    bool ecn{true};                                    //!< install an EcnMarker
    bool telemetry{true};                              //!< install an IntStamper
    uint64_t ecmpSeed{1};                              //!< salts differ by switch and by this
    ObjectFactory ecnMarker{"ns3::roce::EcnMarker"};   //!< kind and parameters
    ObjectFactory intStamper{"ns3::roce::IntStamper"}; //!< kind and parameters
    /// Further stages, in the order in which a switch has them, after the two above. A shim that
    /// one of them needs is put into all NICs.
    std::vector<StagePlacement> stages;
    bool moreStages{false}; //!< the program installs others after Build(): that nothing marks
                            //!< or stamps is not refused

    /// A PathPolicy, kind and parameters, of switches without and with a link to another
    /// datacenter; none: ECMP.
    std::optional<ObjectFactory> pathPolicy;
    std::optional<ObjectFactory> edgePathPolicy;
    /// Those with such a link may choose ways out of their datacenter that are a link longer than
    /// the shortest.
    bool detours{false};

    std::optional<ObjectFactory> tuner; //!< kind and parameters of a Tuner, or none

    /// @return all of them, the marker and the stamper first
    std::vector<StagePlacement> GetPlacements() const;
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_OPTIONS_H */
