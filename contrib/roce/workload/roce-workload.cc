// SPDX-License-Identifier: GPL-2.0-only
#include "roce-workload.h"

#include "roce-workload-internal.h"

#include "ns3/roce-late-random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace ns3::roce
{

using namespace workload;

namespace
{

/**
 * @brief The capacity that a load refers to; checks that it and what it needs is there.
 * @return bit/s: of one host (Host), all uplinks (Uplink), one direction (Wan)
 */
double
ReferenceCapacity(const char* who,
                  LoadReference reference,
                  const LoadCapacity& capacity,
                  const HostIndex& index)
{
    const auto check = [who](uint64_t bps, const char* field, const char* name) {
        if (bps == 0)
        {
            Fail(who,
                 ": ",
                 field,
                 " is 0, expected the capacity that LoadReference::",
                 name,
                 " refers to");
        }
        return static_cast<double>(bps);
    };
    switch (reference)
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
    case LoadReference::Bottleneck:
        break; // not one capacity
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
    const Stretch own = w.interRackOnly ? index.RackOf(host) : index.Self(host);
    const Stretch datacenter = index.DatacenterOf(host);
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

/// The same if all go to one datacenter.
Destinations
FindDestinationsIn(Stretch datacenter, const HostIndex& index, uint32_t host)
{
    const bool isOwn = index.DatacenterOf(host).begin == datacenter.begin;
    const Stretch none{datacenter.begin, datacenter.begin};
    const Candidates near{datacenter, isOwn ? index.Self(host) : none};
    if (near.Count() == 0)
    {
        Fail("Poisson workload: host ", host, " is alone in the datacenter that flows go to");
    }
    const Candidates beyondRack{datacenter, isOwn ? index.RackOf(host) : none};
    return {near, near, 0, isOwn ? 0.0 : 1.0, double(beyondRack.Count()) / near.Count()};
}

/// Values computed from a PoissonWorkload.
struct Plan
{
    std::vector<uint32_t> hosts;            //!< those with arrivals of their own
    std::vector<Destinations> destinations; //!< of each of them
    double meanGapPs{0};                    //!< of each of them
    double expectedFlows{0};
};

/**
 * @brief The mean gap of each host's arrivals at which a reference carries the load.
 * @return picoseconds, 0 if nothing crosses the reference
 */
double
GapPs(const char* who,
      const PoissonWorkload& w,
      const HostIndex& index,
      const Plan& plan,
      LoadReference reference)
{
    const double capacityBps = ReferenceCapacity(who, reference, w.capacity, index);
    const double mean = w.sizes.MeanBytes();
    const double ratio = w.interSizes ? w.interSizes->MeanBytes() / mean : 1;
    // in means of `sizes`: what one flow of each host puts on the reference
    std::vector<double> outOfDatacenter(index.nDatacenters, 0);
    double interRack = 0;
    double all = 0;
    for (std::size_t i = 0; i < plan.hosts.size(); ++i)
    {
        const Destinations& to = plan.destinations[i];
        const double more = to.interDc * (ratio - 1); // 0 for one distribution, exactly
        outOfDatacenter[index.Datacenter(plan.hosts[i])] += to.interDc * ratio;
        interRack += to.interRack + more;
        all += 1 + more;
    }
    double onReference = all / static_cast<double>(plan.hosts.size());
    if (reference == LoadReference::Uplink)
    {
        onReference = interRack;
    }
    else if (reference == LoadReference::Wan)
    {
        onReference = *std::max_element(outOfDatacenter.begin(), outOfDatacenter.end());
    }
    return PS_PER_S * 8 * mean * onReference / (w.load * capacityBps);
}

Plan
MakePlan(const char* who, const PoissonWorkload& w, const HostIndex& index)
{
    CheckCommon(who, w.startPs, w.trafficClass, w.stream);
    CheckDuration(who, w.startPs, w.durationPs);
    CheckLoad(who, w.load);
    if (w.interFraction != -1 && !(w.interFraction >= 0 && w.interFraction <= 1))
    {
        Fail(who, ": interFraction ", w.interFraction, ", expected 0..1, or -1 for uniform");
    }
    if (w.interRackOnly && !index.KnowsRacks())
    {
        Fail(who, ": interRackOnly without racks, expected rackOf for each host");
    }
    CheckReceiver(who, w.receiver, w.hosts);
    Plan plan;
    plan.hosts = index.order;
    if (w.receiver)
    {
        plan.hosts = {*w.receiver};
    }
    std::sort(plan.hosts.begin(), plan.hosts.end());
    if (w.fromDatacenter)
    {
        plan.hosts.erase(std::remove_if(plan.hosts.begin(),
                                        plan.hosts.end(),
                                        [&](uint32_t host) {
                                            return index.Datacenter(host) != *w.fromDatacenter;
                                        }),
                         plan.hosts.end());
        Require(!plan.hosts.empty(), who, ": no host in datacenter ", *w.fromDatacenter);
    }
    bool leavesDatacenter = false;
    for (const uint32_t host : plan.hosts)
    {
        plan.destinations.push_back(
            w.toDatacenter
                ? FindDestinationsIn(index.NumberedDatacenter(*w.toDatacenter), index, host)
                : FindDestinations(w, index, host));
        leavesDatacenter = leavesDatacenter || plan.destinations.back().interDc > 0;
    }
    const LoadReference reference = w.capacity.reference;
    if (reference == LoadReference::Bottleneck)
    {
        plan.meanGapPs = GapPs(who, w, index, plan, LoadReference::Host);
        if (leavesDatacenter)
        {
            plan.meanGapPs =
                std::max(plan.meanGapPs, GapPs(who, w, index, plan, LoadReference::Wan));
        }
    }
    else
    {
        plan.meanGapPs = GapPs(who, w, index, plan, reference);
    }
    if (plan.meanGapPs <= 0)
    {
        Fail(who,
             ": no flow ever crosses the load reference, expected traffic between ",
             reference == LoadReference::Wan ? "datacenters" : "racks");
    }
    plan.expectedFlows = static_cast<double>(plan.hosts.size()) *
                         (static_cast<double>(w.durationPs) / plan.meanGapPs);
    return plan;
}

} // namespace

void
PoissonWorkload::AddOptions(OptionTable& table, const UnusedReason& fixedSide)
{
    table.AddValue("load",
                   "poisson: offered load, payload over the reference's capacity",
                   load,
                   Range::AboveUpTo(0, MAX_LOAD));
    table
        .AddValue("interFraction",
                  "poisson: share of the flows between datacenters; -1: destinations uniform",
                  interFraction,
                  Range::Within(0, 1).Or(-1))
        .Unused(fixedSide);
    table.AddValue("interRackOnly",
                   "poisson: flows within a datacenter go to other racks only",
                   interRackOnly);
    table.AddOptional("poissonReceiver",
                      "poisson: all flows go to this NIC, whose link has the load; empty: to all",
                      receiver,
                      "");
    table.AddOptional("poissonFrom",
                      "poisson: only hosts of this datacenter send; empty: all",
                      fromDatacenter,
                      "");
    table.AddOptional("poissonTo",
                      "poisson: all flows go to hosts of this datacenter; empty: see interFraction",
                      toDatacenter,
                      "");
    table.AddDuration("poissonStart", "poisson: start of arrivals", startPs);
}

int64_t
PoissonWorkload::GetStreams() const
{
    return 3 * int64_t{hosts.nHosts};
}

double
PoissonWorkload::GetExpectedFlows() const
{
    const char* who = "Poisson workload";
    const HostIndex index(hosts, who);
    return MakePlan(who, *this, index).expectedFlows;
}

std::vector<FlowSpec>
PoissonWorkload::Generate() const
{
    const char* who = "Poisson workload";
    const HostIndex index(hosts, who);
    const Plan plan = MakePlan(who, *this, index);
    CheckFlows(who, plan.expectedFlows);
    std::vector<FlowSpec> flows;
    flows.reserve(static_cast<std::size_t>(plan.expectedFlows * 1.01) + 16);
    for (std::size_t i = 0; i < plan.hosts.size(); ++i)
    {
        const uint32_t host = plan.hosts[i];
        const Destinations& to = plan.destinations[i];
        // Of many hosts, most send nothing in a short run.
        std::array<LateRandom, 3> random;
        for (int64_t i = 0; i < 3; ++i)
        {
            random[static_cast<std::size_t>(i)].SetStream(stream + 3 * int64_t{host} + i);
        }
        auto& [arrivals, sizesDrawn, destinations] = random;
        // As ns3::ExponentialRandomVariable.
        const auto drawGapPs = [&plan](LateRandom& from) {
            return -plan.meanGapPs * std::log(from.Draw());
        };
        double afterPs = drawGapPs(arrivals);
        while (afterPs < static_cast<double>(durationPs))
        {
            // two draws for each flow, needed or not, so that interFraction shifts nothing else
            const double side = destinations.Draw();
            const double place = destinations.Draw();
            const Candidates& among = side < to.interFraction ? to.far : to.near;
            const auto pick = static_cast<uint32_t>(place * among.Count());
            const uint32_t other = among.At(index, std::min(pick, among.Count() - 1));
            const bool inter = index.Datacenter(host) != index.Datacenter(other);
            const FlowSizeDistribution& its = inter && interSizes ? *interSizes : sizes;
            flows.push_back(MakeFlow(receiver ? other : host,
                                     receiver ? host : other,
                                     its.Quantile(sizesDrawn.Draw()),
                                     startPs + static_cast<int64_t>(afterPs),
                                     trafficClass,
                                     tag));
            afterPs += drawGapPs(arrivals);
        }
    }
    SortAndNumber(flows);
    return flows;
}

void
SortByStart(std::vector<FlowSpec>& flows)
{
    std::stable_sort(flows.begin(), flows.end(), [](const FlowSpec& a, const FlowSpec& b) {
        const uint32_t phaseA = a.IsScheduled() ? 0 : a.phase;
        const uint32_t phaseB = b.IsScheduled() ? 0 : b.phase;
        const uint32_t keyA = a.IsDependent() ? a.dependencies->key : 0;
        const uint32_t keyB = b.IsDependent() ? b.dependencies->key : 0;
        return std::tie(phaseA, keyA, a.startPs, a.src, a.dst) <
               std::tie(phaseB, keyB, b.startPs, b.src, b.dst);
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
    const auto loadOf = [&](LoadReference reference) {
        double bytes = static_cast<double>(offered.bytes) / hosts.nHosts;
        if (reference == LoadReference::Uplink)
        {
            bytes = static_cast<double>(offered.bytesInterRack);
        }
        else if (reference == LoadReference::Wan)
        {
            bytes = static_cast<double>(
                *std::max_element(offered.bytesOutOfDc.begin(), offered.bytesOutOfDc.end()));
        }
        return bytes * 8 * PS_PER_S /
               (static_cast<double>(durationPs) *
                ReferenceCapacity(who, reference, capacity, index));
    };
    const bool bottleneck = capacity.reference == LoadReference::Bottleneck;
    offered.load = loadOf(bottleneck ? LoadReference::Host : capacity.reference);
    if (bottleneck && offered.flowsInterDc)
    {
        offered.load = std::max(offered.load, loadOf(LoadReference::Wan));
    }
    return offered;
}

} // namespace ns3::roce
