/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-leaf-spine-helper.h"

#include "roce-input-error.h"

#include <cmath>

namespace ns3
{
namespace roce
{

void
LeafSpineHelper::Validate() const
{
    const auto positive = [](uint64_t value, const char* name) {
        if (value == 0)
        {
            throw InputError(std::string("topology: ") + name + " is 0, expected at least 1");
        }
    };
    positive(datacenters, "datacenters");
    positive(spines, "spines");
    positive(leaves, "leaves");
    positive(hostsPerLeaf, "hostsPerLeaf");
    positive(nicsPerHost, "nicsPerHost");
    positive(hostRate.GetBitRate(), "hostRate");
    positive(GetFabricRateBps(), "fabricRate");
    if (!(oversubscription >= 0) || std::isinf(oversubscription))
    {
        throw InputError("topology: oversubscription is " + std::to_string(oversubscription) +
                         ", expected 0 (off) or more");
    }
    if (datacenters > 1)
    {
        positive(dcis, "dcis");
        positive(dciRate.GetBitRate(), "dciRate");
        positive(wanRate.GetBitRate(), "wanRate");
        positive(wanLinks, "wanLinks");
        if (dciAttach != "spine" && dciAttach != "leaf")
        {
            throw InputError("topology: dciAttach is '" + dciAttach + "', expected spine or leaf");
        }
        if (!(wanXonFraction >= 0 && wanXonFraction <= 1))
        {
            throw InputError("topology: wanXonFraction is " + std::to_string(wanXonFraction) +
                             ", expected 0 to 1");
        }
    }
    if (static_cast<uint64_t>(datacenters) * GetNicsPerDatacenter() > 1000000)
    {
        throw InputError("topology: more than 1,000,000 NICs");
    }
    for (const Time& delay : {hostDelay, fabricDelay, dciDelay, wanDelay})
    {
        if (delay.IsStrictlyNegative())
        {
            throw InputError("topology: a delay is negative");
        }
    }
}

uint64_t
LeafSpineHelper::GetFabricRateBps() const
{
    if (!(oversubscription > 0) || !spines)
    {
        return fabricRate.GetBitRate();
    }
    const double hosts = static_cast<double>(hostRate.GetBitRate()) * hostsPerLeaf * nicsPerHost;
    return static_cast<uint64_t>(std::llround(hosts / (oversubscription * spines)));
}

void
LeafSpineHelper::Construct(Network& network) const
{
    Validate();
    const auto factory = [](const QueueSize& buffer) {
        ObjectFactory f("ns3::roce::Switch");
        f.Set("BufferSize", QueueSizeValue(buffer));
        return f;
    };
    std::vector<std::vector<uint32_t>> dciSwitches(datacenters);
    for (uint32_t dc = 0; dc < datacenters; ++dc)
    {
        const std::string prefix = "dc" + std::to_string(dc) + "-";
        std::vector<uint32_t> leafSwitches;
        std::vector<uint32_t> spineSwitches;
        for (uint32_t l = 0; l < leaves; ++l)
        {
            const uint32_t leaf =
                network.AddSwitch(prefix + "leaf" + std::to_string(l), dc, factory(leafBuffer));
            leafSwitches.push_back(leaf);
            for (uint32_t h = 0; h < hostsPerLeaf; ++h)
            {
                const uint32_t host =
                    network.AddHost(prefix + "host" + std::to_string(l * hostsPerLeaf + h), dc);
                for (uint32_t n = 0; n < nicsPerHost; ++n)
                {
                    network.AddNic(host, leaf, hostRate.GetBitRate(), hostDelay.GetPicoSeconds());
                }
            }
        }
        for (uint32_t s = 0; s < spines; ++s)
        {
            const uint32_t spine =
                network.AddSwitch(prefix + "spine" + std::to_string(s), dc, factory(spineBuffer));
            spineSwitches.push_back(spine);
            for (uint32_t leaf : leafSwitches)
            {
                network.Connect(leaf, spine, GetFabricRateBps(), fabricDelay.GetPicoSeconds());
            }
        }
        for (uint32_t d = 0; datacenters > 1 && d < dcis; ++d)
        {
            const uint32_t dci =
                network.AddSwitch(prefix + "dci" + std::to_string(d), dc, factory(dciBuffer));
            dciSwitches[dc].push_back(dci);
            for (uint32_t sw : dciAttach == "spine" ? spineSwitches : leafSwitches)
            {
                network.Connect(sw, dci, dciRate.GetBitRate(), dciDelay.GetPicoSeconds());
            }
        }
    }
    ConnectDatacenters(network, dciSwitches);
}

void
LeafSpineHelper::ConnectDatacenters(Network& network,
                                    const std::vector<std::vector<uint32_t>>& dciSwitches) const
{
    if (datacenters < 2)
    {
        return;
    }
    const uint64_t rate = wanRate.GetBitRate();
    const int64_t delay = wanDelay.GetPicoSeconds();
    const double bdp = static_cast<double>(rate) * static_cast<double>(delay) / 8e12;
    SharedBuffer::PortConfig buffer;
    buffer.reservedBytes = 0;
    buffer.ownPoolBytes = wanPortBuffer.GetValue() ? wanPortBuffer.GetValue()
                                                   : static_cast<uint64_t>(4 * bdp) + (4ULL << 20);
    // The switch computes the exact headroom; this is to say early what is too small.
    const uint64_t headroom = HeadroomBytes(rate, delay, MIN_FRAME_BYTES);
    if (headroom >= buffer.ownPoolBytes)
    {
        throw InputError("topology: wanPortBuffer is " + std::to_string(buffer.ownPoolBytes) +
                         " B, expected more than the headroom of the WAN link, " +
                         std::to_string(headroom) + " B");
    }
    buffer.staticXoffBytes = SharedBuffer::WHOLE_POOL;
    buffer.xonFraction = wanXonFraction;
    for (uint32_t a = 0; a < datacenters; ++a)
    {
        for (uint32_t b = a + 1; b < datacenters; ++b)
        {
            for (uint32_t d = 0; d < dcis; ++d)
            {
                for (uint32_t l = 0; l < wanLinks; ++l)
                {
                    const auto [portA, portB] =
                        network.Connect(dciSwitches[a][d], dciSwitches[b][d], rate, delay);
                    network.GetSwitch(dciSwitches[a][d])->SetPortBuffer(portA, buffer);
                    network.GetSwitch(dciSwitches[b][d])->SetPortBuffer(portB, buffer);
                }
            }
        }
    }
}

HostPlacement
LeafSpineHelper::GetPlacement() const
{
    HostPlacement placement;
    placement.nHosts = datacenters * GetNicsPerDatacenter();
    for (uint32_t nic = 0; nic < placement.nHosts; ++nic)
    {
        placement.datacenterOf.push_back(nic / GetNicsPerDatacenter());
        placement.rackOf.push_back(nic / (hostsPerLeaf * nicsPerHost));
    }
    return placement;
}

LoadCapacity
LeafSpineHelper::GetCapacity(LoadReference reference) const
{
    LoadCapacity capacity;
    capacity.reference = reference;
    capacity.hostRateBps = hostRate.GetBitRate();
    capacity.uplinkBps = GetFabricRateBps() * spines * leaves * datacenters;
    if (datacenters > 1)
    {
        capacity.wanBps = wanRate.GetBitRate() * wanLinks * dcis * (datacenters - 1);
    }
    return capacity;
}

} // namespace roce
} // namespace ns3
