// SPDX-License-Identifier: GPL-2.0-only
#include "roce-topology.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-memory-limit.h"

#include <cmath>

namespace ns3::roce
{

void
Topology::CheckPositive(uint64_t value, const char* name)
{
    if (value == 0)
    {
        throw InputError(std::string("topology: ") + name + " is 0, expected at least 1");
    }
}

void
Topology::CheckDelay(const Time& delay, const char* name)
{
    if (delay.IsStrictlyNegative())
    {
        throw InputError(std::string("topology: ") + name + " is negative, expected 0 or more");
    }
}

void
Topology::CheckChoice(const std::string& value,
                      const char* name,
                      const char* first,
                      const char* second)
{
    if (value != first && value != second)
    {
        throw InputError(std::string("topology: ") + name + " is '" + value + "', expected " +
                         first + " or " + second);
    }
}

void
Topology::RefuseBoth(const ByteSize& pool,
                     const char* poolName,
                     const ByteSize& limit,
                     const char* limitName)
{
    if (pool.GetValue() && limit.GetValue())
    {
        throw InputError(std::string("topology: ") + poolName + " and " + limitName +
                         " are both given, expected one of them: ports with an egress limit use no "
                         "other buffer");
    }
}

void
Topology::CheckOversubscription(double value, const char* name)
{
    if (!(value == 0 || value >= 0.001) || std::isinf(value))
    {
        throw InputError(std::string("topology: ") + name + " is " + std::to_string(value) +
                         ", expected 0 (off) or at least 0.001");
    }
}

void
Topology::ValidateCommon(double nSwitches, double nLinks) const
{
    CheckPositive(datacenters, "datacenters");
    CheckPositive(nicsPerHost, "nicsPerHost");
    CheckPositive(hostRate.GetBitRate(), "hostRate");
    CheckDelay(hostDelay, "hostDelay");
    if (datacenters > 1)
    {
        CheckPositive(wanRate.GetBitRate(), "wanRate");
        CheckDelay(wanDelay, "wanDelay");
        CheckPositive(wanLinks, "wanLinks");
        if (!(wanXonFraction >= 0 && wanXonFraction <= 1))
        {
            throw InputError("topology: wanXonFraction is " + std::to_string(wanXonFraction) +
                             ", expected 0 to 1");
        }
    }
    RefuseBoth(wanPortBuffer, "wanPortBuffer", egressBuffer, "egressBuffer");
    if (datacenters > 1)
    {
        Network::GetLongLinkBufferBytes(wanRate,
                                        wanDelay,
                                        wanPortBuffer,
                                        "topology: wanPortBuffer");
    }
    // As double: the product of four 32-bit numbers.
    const double nNics = 1.0 * datacenters * GetRacks() * GetHostsPerRack() * nicsPerHost;
    if (nNics > 1e6)
    {
        throw InputError("topology: more than 1,000,000 NICs");
    }
    if (datacenters * nSwitches > 1e6)
    {
        throw InputError("topology: more than 1,000,000 switches");
    }
    // Each link between switches has two ports, a NIC one more; each switch has routes to each
    // rack.
    CheckMemory("topology", nNics, "NICs", 8000);
    CheckMemory("topology", datacenters * nLinks, "links between switches", 4000);
    CheckMemory("topology",
                1.0 * datacenters * nSwitches * datacenters * GetRacks(),
                "routes (of each switch to each rack)",
                8);
}

uint64_t
Topology::UplinkRateBps(double belowBps,
                        uint32_t uplinks,
                        double oversubscription,
                        const DataRate& given)
{
    if (!(oversubscription > 0) || !uplinks)
    {
        return given.GetBitRate();
    }
    return static_cast<uint64_t>(std::llround(belowBps / (oversubscription * uplinks)));
}

uint32_t
Topology::AddSwitch(Network& network,
                    uint32_t datacenter,
                    const std::string& name,
                    const QueueSize& buffer,
                    const QueueSize& egressLimit) const
{
    ObjectFactory factory("ns3::roce::Switch");
    factory.Set("BufferSize", QueueSizeValue(buffer));
    if (egressLimit.GetValue() || egressBuffer.GetValue())
    {
        factory.Set("EgressLimit",
                    QueueSizeValue(egressLimit.GetValue() ? egressLimit : egressBuffer));
    }
    return network.AddSwitch("dc" + std::to_string(datacenter) + "-" + name, datacenter, factory);
}

uint32_t
Topology::AddRack(Network& network,
                  uint32_t datacenter,
                  const std::string& name,
                  uint32_t index,
                  const QueueSize& buffer) const
{
    const uint32_t rack = AddSwitch(network, datacenter, name, buffer);
    const std::string prefix = "dc" + std::to_string(datacenter) + "-host";
    for (uint32_t h = 0; h < GetHostsPerRack(); ++h)
    {
        const uint32_t host =
            network.AddHost(prefix + std::to_string(index * GetHostsPerRack() + h), datacenter);
        for (uint32_t n = 0; n < nicsPerHost; ++n)
        {
            network.AddNic(host, rack, hostRate, hostDelay);
        }
    }
    return rack;
}

std::vector<UnusedOptions>
Topology::GetUnused() const
{
    std::vector<UnusedOptions> unused;
    if (datacenters < 2)
    {
        unused.push_back({{"wanRate", "wanDelay", "wanLinks", "wanPortBuffer", "wanXonFraction"},
                          "with --datacenters=1"});
    }
    else if (egressBuffer.GetValue())
    {
        unused.push_back({{"wanXonFraction"}, "with --egressBuffer"});
    }
    if (egressBuffer.GetValue())
    {
        unused.push_back({{"ns3::roce::Switch::Alpha",
                           "ns3::roce::Switch::EgressAlpha",
                           "ns3::roce::Switch::ReservedBytes"},
                          "with --egressBuffer"});
    }
    return unused;
}

void
Topology::Construct(Network& network) const
{
    Validate();
    std::vector<std::vector<uint32_t>> externals;
    for (uint32_t dc = 0; dc < datacenters; ++dc)
    {
        externals.push_back(ConstructDatacenter(network, dc));
    }
    if (datacenters > 1)
    {
        ConnectDatacenters(network, externals);
    }
}

void
Topology::ConnectDatacenters(Network& network,
                             const std::vector<std::vector<uint32_t>>& externals) const
{
    for (uint32_t a = 0; a < datacenters; ++a)
    {
        for (uint32_t b = a + 1; b < datacenters; ++b)
        {
            for (uint32_t e = 0; e < GetExternals(); ++e)
            {
                for (uint32_t l = 0; l < wanLinks; ++l)
                {
                    network.ConnectLong(externals[a][e],
                                        externals[b][e],
                                        wanRate,
                                        wanDelay,
                                        wanPortBuffer,
                                        wanXonFraction);
                }
            }
        }
    }
}

HostPlacement
Topology::GetPlacement() const
{
    HostPlacement placement;
    placement.nHosts = datacenters * GetNicsPerDatacenter();
    for (uint32_t nic = 0; nic < placement.nHosts; ++nic)
    {
        placement.datacenterOf.push_back(nic / GetNicsPerDatacenter());
        placement.rackOf.push_back(nic / (GetHostsPerRack() * nicsPerHost));
    }
    return placement;
}

LoadCapacity
Topology::GetCapacity(LoadReference reference) const
{
    LoadCapacity capacity;
    capacity.reference = reference;
    capacity.hostRateBps = hostRate.GetBitRate();
    capacity.uplinkBps = GetRackUplinkBps() * GetRacks() * datacenters;
    if (datacenters > 1)
    {
        capacity.wanBps = wanRate.GetBitRate() * wanLinks * GetExternals() * (datacenters - 1);
    }
    return capacity;
}

} // namespace ns3::roce
