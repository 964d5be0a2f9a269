/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/roce-workload.h"

#include "roce-workload-internal.h"

#include <algorithm>
#include <tuple>

namespace ns3
{
namespace roce
{

using namespace workload;

namespace
{

/**
 * @brief The capacity that a load refers to; checks that it and what it needs is there.
 * @return bit/s: of one host (Host), all uplinks (Uplink), one direction (Wan)
 */
double
ReferenceCapacity(const char* who, const LoadCapacity& capacity, const HostIndex& index)
{
    const auto check = [who](uint64_t bps, const char* field, const char* reference) {
        if (bps == 0)
        {
            Fail(who,
                 ": ",
                 field,
                 " is 0, expected the capacity that LoadReference::",
                 reference,
                 " refers to");
        }
        return static_cast<double>(bps);
    };
    switch (capacity.reference)
    {
    case LoadReference::Host:
        return check(capacity.hostRateBps, "hostRateBps", "Host");
    case LoadReference::Uplink:
        if (!index.KnowsRacks())
        {
            Fail(who, ": rackOf is empty, expected the racks that LoadReference::Uplink needs");
        }
        return check(capacity.uplinkBps, "uplinkBps", "Uplink");
    case LoadReference::Wan:
        if (index.DatacenterOf(0).Size() == index.order.size())
        {
            Fail(who,
                 ": all hosts are in one datacenter, expected two or more for ",
                 "LoadReference::Wan");
        }
        return check(capacity.wanBps, "wanBps", "Wan");
    }
    Fail(who, ": unknown load reference");
}

/// Where the flows of one host of a PoissonWorkload go.
struct Destinations
{
    Candidates near;      //!< if the draw says near, or there is no draw
    Candidates far;       //!< other datacenters
    double interFraction; //!< probability of far
    double interDc;       //!< probability that a flow leaves the datacenter
    double interRack;     //!< probability that a flow leaves the rack
};

Destinations
FindDestinations(const PoissonWorkload& w, const HostIndex& index, uint32_t host)
{
    const Range own = w.interRackOnly ? index.RackOf(host) : index.Self(host);
    const Range datacenter = index.DatacenterOf(host);
    const Candidates far{index.All(), datacenter};
    const bool uniform = w.interFraction == -1;
    const Candidates near{uniform ? index.All() : datacenter, own};
    Destinations d{near, far, uniform ? 0 : w.interFraction, 0, 0};
    if (d.interFraction > 0 && far.Count() == 0)
    {
        Fail("Poisson workload: interFraction ",
             w.interFraction,
             " but host ",
             host,
             " has no host in another datacenter, expected 0, -1 or a second datacenter");
    }
    if (d.interFraction < 1 && near.Count() == 0)
    {
        Fail("Poisson workload: host ",
             host,
             " has no other host",
             w.interRackOnly ? " outside its rack" : "",
             uniform ? "" : " in its datacenter",
             ", expected at least one",
             uniform ? "" : " or interFraction 1");
    }
    // far.Count() hosts are in near as well if the choice is uniform
    d.interDc = uniform ? double(far.Count()) / near.Count() : w.interFraction;
    const Candidates beyondRack{near.outer, index.RackOf(host)};
    const double nearInterRack = near.Count() == 0 ? 0 : double(beyondRack.Count()) / near.Count();
    d.interRack = d.interFraction + (1 - d.interFraction) * nearInterRack;
    return d;
}

} // namespace

int64_t
PoissonWorkload::GetStreams() const
{
    return 3 * int64_t{hosts.nHosts};
}

std::vector<FlowSpec>
PoissonWorkload::Generate() const
{
    const char* who = "Poisson workload";
    const HostIndex index(hosts, who);
    CheckCommon(who, startPs, trafficClass, stream);
    CheckDuration(who, startPs, durationPs);
    CheckLoad(who, load);
    if (interFraction != -1 && !(interFraction >= 0 && interFraction <= 1))
    {
        Fail(who, ": interFraction ", interFraction, ", expected 0..1, or -1 for uniform");
    }
    if (interRackOnly && !index.KnowsRacks())
    {
        Fail(who, ": interRackOnly without racks, expected rackOf for each host");
    }
    const double capacityBps = ReferenceCapacity(who, capacity, index);

    // how many hosts' worth of flows load the reference
    std::vector<Destinations> destinations;
    std::vector<double> outOfDatacenter(index.nDatacenters, 0);
    double interRack = 0;
    for (uint32_t host = 0; host < hosts.nHosts; ++host)
    {
        destinations.push_back(FindDestinations(*this, index, host));
        outOfDatacenter[index.Datacenter(host)] += destinations.back().interDc;
        interRack += destinations.back().interRack;
    }
    double hostsOnReference = 1;
    if (capacity.reference == LoadReference::Uplink)
    {
        hostsOnReference = interRack;
    }
    else if (capacity.reference == LoadReference::Wan)
    {
        hostsOnReference = *std::max_element(outOfDatacenter.begin(), outOfDatacenter.end());
    }
    if (hostsOnReference <= 0)
    {
        Fail(who,
             ": no flow ever crosses the load reference, expected traffic between ",
             capacity.reference == LoadReference::Wan ? "datacenters" : "racks");
    }
    const double meanGapPs =
        PS_PER_S * 8 * sizes.MeanBytes() * hostsOnReference / (load * capacityBps);
    const double expectedFlows = hosts.nHosts * (static_cast<double>(durationPs) / meanGapPs);
    if (expectedFlows > MAX_FLOWS)
    {
        Fail(who, ": about ", expectedFlows, " flows, expected at most ", MAX_FLOWS);
    }

    std::vector<FlowSpec> flows;
    flows.reserve(static_cast<std::size_t>(expectedFlows * 1.01) + 16);
    for (uint32_t host = 0; host < hosts.nHosts; ++host)
    {
        const Destinations& to = destinations[host];
        auto arrivalRng = MakeStream<ExponentialRandomVariable>(stream + 3 * int64_t{host});
        auto sizeRng = MakeStream<UniformRandomVariable>(stream + 3 * int64_t{host} + 1);
        auto destinationRng = MakeStream<UniformRandomVariable>(stream + 3 * int64_t{host} + 2);
        double afterPs = arrivalRng->GetValue(meanGapPs, 0);
        while (afterPs < static_cast<double>(durationPs))
        {
            // two draws for each flow, needed or not, so that interFraction shifts nothing else
            const double side = destinationRng->GetValue(0.0, 1.0);
            const double place = destinationRng->GetValue(0.0, 1.0);
            const Candidates& among = side < to.interFraction ? to.far : to.near;
            const auto pick = static_cast<uint32_t>(place * among.Count());
            flows.push_back(MakeFlow(host,
                                     among.At(index, std::min(pick, among.Count() - 1)),
                                     sizes.Sample(sizeRng),
                                     startPs + static_cast<int64_t>(afterPs),
                                     trafficClass,
                                     tag));
            afterPs += arrivalRng->GetValue(meanGapPs, 0);
        }
    }
    SortAndNumber(flows);
    return flows;
}

void
SortByStart(std::vector<FlowSpec>& flows)
{
    std::stable_sort(flows.begin(), flows.end(), [](const FlowSpec& a, const FlowSpec& b) {
        return std::tie(a.startPs, a.src, a.dst) < std::tie(b.startPs, b.src, b.dst);
    });
}

void
SortAndNumber(std::vector<FlowSpec>& flows)
{
    SortByStart(flows);
    uint64_t id = 0;
    for (auto& flow : flows)
    {
        flow.id = id++;
    }
}

std::vector<FlowSpec>
Merge(const std::vector<std::vector<FlowSpec>>& workloads)
{
    std::vector<FlowSpec> flows;
    for (const auto& workload : workloads)
    {
        flows.insert(flows.end(), workload.begin(), workload.end());
    }
    SortAndNumber(flows);
    return flows;
}

OfferedLoad
OfferedLoad::Measure(const std::vector<FlowSpec>& flows,
                     const HostPlacement& hosts,
                     const LoadCapacity& capacity,
                     int64_t durationPs)
{
    const char* who = "offered load";
    const HostIndex index(hosts, who);
    CheckDuration(who, 0, durationPs);
    const double capacityBps = ReferenceCapacity(who, capacity, index);
    OfferedLoad offered;
    offered.bytesOutOfDc.assign(index.nDatacenters, 0);
    for (const auto& flow : flows)
    {
        if (flow.src >= hosts.nHosts || flow.dst >= hosts.nHosts)
        {
            Fail(who,
                 ": flow ",
                 flow.id,
                 " goes from host ",
                 flow.src,
                 " to host ",
                 flow.dst,
                 ", expected 0..",
                 hosts.nHosts - 1);
        }
        ++offered.flows;
        offered.bytes += flow.sizeBytes;
        if (index.KnowsRacks() && !index.SameRack(flow.src, flow.dst))
        {
            offered.bytesInterRack += flow.sizeBytes;
        }
        if (index.Datacenter(flow.src) != index.Datacenter(flow.dst))
        {
            ++offered.flowsInterDc;
            offered.bytesInterDc += flow.sizeBytes;
            offered.bytesOutOfDc[index.Datacenter(flow.src)] += flow.sizeBytes;
        }
    }
    double bytesOnReference = static_cast<double>(offered.bytes) / hosts.nHosts;
    if (capacity.reference == LoadReference::Uplink)
    {
        bytesOnReference = static_cast<double>(offered.bytesInterRack);
    }
    else if (capacity.reference == LoadReference::Wan)
    {
        bytesOnReference = static_cast<double>(
            *std::max_element(offered.bytesOutOfDc.begin(), offered.bytesOutOfDc.end()));
    }
    offered.load =
        bytesOnReference * 8 * PS_PER_S / (static_cast<double>(durationPs) * capacityBps);
    return offered;
}

} // namespace roce
} // namespace ns3
