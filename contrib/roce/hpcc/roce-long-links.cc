// SPDX-License-Identifier: GPL-2.0-only
#include "roce-long-links.h"

#include "ns3/double.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-parameter-kinds.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ns3::roce
{

namespace
{

/// Bytes that a link holds one way.
double
BdpBytes(const HpccTopology::LinkLine& link)
{
    return static_cast<double>(link.rateBps) * static_cast<double>(link.delayPs) / 8e12;
}

/// @return what holds the headroom of all lossless classes and two one-way BDPs.
uint64_t
DefaultBytes(const Switch& sw, const HpccTopology::LinkLine& link)
{
    DoubleValue factor;
    UintegerValue classes;
    sw.GetAttribute("HeadroomFactor", factor);
    sw.GetAttribute("LosslessClasses", classes);
    // Headroom is a little over two one-way BDPs where no factor is given.
    const double headrooms =
        std::max(factor.Get(), 2.0) * __builtin_popcount(static_cast<unsigned>(classes.Get()));
    const double bytes = (headrooms + 2) * BdpBytes(link) + (4 << 20);
    return static_cast<uint64_t>(std::min(bytes, static_cast<double>(ByteSize::LIMIT)));
}

/// @return the least delay of links that fill a tenth of a default switch; else the longest
int64_t
SuggestPs(const HpccTopology& topology)
{
    constexpr double LARGE = (32 << 20) / 10.0;
    int64_t leastPs = INT64_MAX;
    int64_t longestPs = 0;
    for (const HpccTopology::LinkLine& link : topology.links)
    {
        longestPs = std::max(longestPs, link.delayPs);
        leastPs = BdpBytes(link) > LARGE ? std::min(leastPs, link.delayPs) : leastPs;
    }
    return std::min(leastPs, longestPs);
}

} // namespace

void
LongLinks::AddOptions(OptionTable& table, const HpccTopology& topology)
{
    const auto isNowhere = [this, &topology] {
        return !delay.IsZero() &&
               std::none_of(topology.links.begin(), topology.links.end(), [this](const auto& link) {
                   return link.delayPs >= delay.GetPicoSeconds();
               });
    };
    const char* const why = "without a link of that delay";
    table
        .AddValue("longLink",
                  "Links of this delay and more have ports with deep buffers; 0: none",
                  delay)
        .UnusedIf(isNowhere, why);
    table
        .AddValue("longLinkBuffer",
                  "Deep buffer of each such port; 0: its headroom, two one-way BDPs and 4 MiB",
                  buffer)
        .UnusedIf([this] { return delay.IsZero(); }, "without --longLink")
        .UnusedIf(isNowhere, why);
}

void
LongLinks::Build(Network& network,
                 const HpccTopology& topology,
                 const Network::Options& options) const
{
    for (uint32_t i = 0; i < topology.links.size() && !delay.IsZero(); ++i)
    {
        const HpccTopology::LinkLine& link = topology.links[i];
        for (unsigned end = 0; end < 2 && link.delayPs >= delay.GetPicoSeconds(); ++end)
        {
            const Ptr<Port> port = network.GetLink(i).GetPort(end);
            auto* sw = dynamic_cast<Switch*>(port->GetOwner());
            if (!sw)
            {
                continue;
            }
            SharedBuffer::PortConfig config;
            config.ownPoolBytes = buffer.GetValue() ? buffer.GetValue() : DefaultBytes(*sw, link);
            config.staticXoffBytes = SharedBuffer::WHOLE_POOL;
            sw->SetPortBuffer(port->GetIndex(), config);
        }
    }
    try
    {
        network.Build(options);
    }
    catch (const HeadroomError& error)
    {
        throw InputError(std::string(error.what()) +
                         " (--longLink=" + kind::Duration::Print(SuggestPs(topology)) +
                         " gives links of that delay and more such ports)");
    }
}

} // namespace ns3::roce
