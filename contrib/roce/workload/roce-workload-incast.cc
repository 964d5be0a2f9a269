// SPDX-License-Identifier: GPL-2.0-only
#include "roce-workload-internal.h"
#include "roce-workload.h"

#include <algorithm>
#include <limits>
#include <map>

namespace ns3::roce
{

using namespace workload;

namespace
{

const char* const INCAST = "incast workload";

/// A number of senders of one incast, out of these hosts.
struct Share
{
    Candidates among;
    uint32_t count;
};

/// Where the senders to a receiver come from.
std::vector<Share>
FindShares(const IncastWorkload& w, const HostIndex& index, uint32_t to)
{
    const Candidates local{index.DatacenterOf(to), index.Self(to)};
    const Candidates remote{index.All(), index.DatacenterOf(to)};
    if (w.nLocalSenders)
    {
        return {{local, *w.nLocalSenders}, {remote, w.nSenders - *w.nLocalSenders}};
    }
    switch (w.senders)
    {
    case IncastSenders::RemoteDatacenter:
        return {{remote, w.nSenders}};
    case IncastSenders::LocalDatacenter:
        return {{local, w.nSenders}};
    case IncastSenders::All:
        break;
    }
    return {{Candidates{index.All(), index.Self(to)}, w.nSenders}};
}

void
CheckSenders(const IncastWorkload& w, const HostIndex& index)
{
    if (w.nSenders == 0)
    {
        Fail(INCAST, ": 0 senders, expected at least 1");
    }
    if (w.nLocalSenders && *w.nLocalSenders > w.nSenders)
    {
        Fail(INCAST,
             ": ",
             *w.nLocalSenders,
             " local senders, expected at most all ",
             w.nSenders,
             " senders");
    }
    if (w.nLocalSenders && w.senders != IncastSenders::All)
    {
        Fail(INCAST, ": a number of local senders and a side of all, expected one of them");
    }
    if (w.spread && !index.KnowsRacks())
    {
        Fail(INCAST, ": spread without racks, expected rackOf for each host");
    }
    CheckReceiver(INCAST, w.receiver, w.hosts);
    // leaving out the receivers with too few senders would skew the load: refuse instead
    const uint32_t end = w.receiver ? *w.receiver + 1 : w.hosts.nHosts;
    for (uint32_t to = w.receiver.value_or(0); to < end; ++to)
    {
        for (const Share& share : FindShares(w, index, to))
        {
            if (share.among.Count() < share.count)
            {
                Fail(INCAST,
                     ": ",
                     share.count,
                     " senders but only ",
                     share.among.Count(),
                     " hosts may send to receiver ",
                     to,
                     ", expected at most that many");
            }
        }
    }
}

/// The (mean) gap between incasts in picoseconds; checks what it follows from.
double
FindGapPs(const IncastWorkload& w)
{
    const bool once = w.arrivals == IncastArrivals::Once;
    if (w.periodPs < 0)
    {
        Fail(INCAST, ": period ", w.periodPs, " ps, expected 0 or more");
    }
    if (once ? (w.periodPs != 0 || w.load != 0) : (w.periodPs != 0) == (w.load != 0))
    {
        Fail(INCAST,
             ": period ",
             w.periodPs,
             " ps and load ",
             w.load,
             ", expected ",
             once ? "neither for a single incast" : "exactly one of them to repeat the incast");
    }
    auto gapPs = static_cast<double>(w.periodPs);
    if (once)
    {
        return gapPs;
    }
    CheckDuration(INCAST, w.startPs, w.durationPs);
    if (w.load != 0)
    {
        CheckLoad(INCAST, w.load);
        if (w.hostRateBps == 0 || w.sizeBytes == 0)
        {
            Fail(INCAST,
                 ": load ",
                 w.load,
                 " with hostRateBps ",
                 w.hostRateBps,
                 " and size ",
                 w.sizeBytes,
                 " bytes, expected both above 0");
        }
        gapPs = PS_PER_S * 8 * static_cast<double>(w.sizeBytes) * w.nSenders /
                (w.load * static_cast<double>(w.hostRateBps) * w.hosts.nHosts);
    }
    const double expectedFlows = w.nSenders * (static_cast<double>(w.durationPs) / gapPs);
    CheckFlows(INCAST, expectedFlows, w.nSenders);
    return gapPs;
}

/**
 * Draws distinct senders.
 *
 * @param share how many of which hosts
 * @param to the receiver
 * @param spread as evenly over the racks as possible, the receiver counted
 * @param rng one draw for each sender, or with spread for each host that may send
 */
std::vector<uint32_t>
DrawSenders(const Share& share,
            const HostIndex& index,
            uint32_t to,
            bool spread,
            const Ptr<UniformRandomVariable>& rng)
{
    std::vector<uint32_t> left(share.among.Count());
    for (uint32_t i = 0; i < left.size(); ++i)
    {
        left[i] = share.among.At(index, i);
    }
    // the first places of a shuffle
    const auto last = static_cast<uint32_t>(left.size()) - 1;
    for (uint32_t i = 0; i < (spread ? left.size() : share.count); ++i)
    {
        std::swap(left[i], left[rng->GetInteger(i, last)]);
    }
    if (spread)
    {
        // how many of the same rack come before it: all firsts, then all seconds, ...
        std::map<uint32_t, uint32_t> seen; // by where the rack begins
        seen[index.RackOf(to).begin] = 1;
        std::vector<std::pair<uint32_t, uint32_t>> ranked;
        for (const uint32_t host : left)
        {
            ranked.emplace_back(seen[index.RackOf(host).begin]++, host);
        }
        std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
            return a.first < b.first;
        });
        for (std::size_t i = 0; i < left.size(); ++i)
        {
            left[i] = ranked[i].second;
        }
    }
    left.resize(share.count);
    return left;
}

} // namespace

void
IncastWorkload::AddOptions(OptionTable& table)
{
    table.AddValue("incastSenders", "incast: senders", nSenders, Range::AtLeast(1));
    table.AddBytes("incastBytes", "incast: bytes of each sender", sizeBytes, FLOW_SIZES);
    table.AddDuration("incastPeriod",
                      "incast: time between incasts; 0: by incastLoad, or once",
                      periodPs);
    table.AddValue("incastLoad",
                   "incast: Poisson, this share of all host links' capacity; 0: not",
                   load,
                   Range::Within(0, MAX_LOAD));
    table.AddChoice("incastFrom",
                    "incast: senders are in any, the receiver's or another datacenter: all, local "
                    "or remote",
                    senders,
                    {{"all", IncastSenders::All},
                     {"local", IncastSenders::LocalDatacenter},
                     {"remote", IncastSenders::RemoteDatacenter}});
    table.AddOptional(
        "incastLocalSenders",
        "incast: number of senders in the receiver's datacenter, the others elsewhere; "
        "-1: as incastFrom says",
        nLocalSenders,
        "-1");
    table.AddValue("incastSpread",
                   "incast: senders are in different racks as far as possible",
                   spread);
    table.AddDuration("incastJitter",
                      "incast: each sender starts later by a time uniform from 0 to this",
                      jitterPs);
    table.AddOptional("incastReceiver",
                      "incast: receiving NIC; empty: random each time",
                      receiver,
                      "");
}

std::vector<FlowSpec>
IncastWorkload::Generate() const
{
    const HostIndex index(hosts, INCAST);
    CheckCommon(INCAST, startPs, trafficClass, stream);
    CheckSize(INCAST, sizeBytes);
    CheckSenders(*this, index);
    const double gapPs = FindGapPs(*this);
    const int64_t latestPs =
        startPs + (arrivals == IncastArrivals::Once ? 0 : durationPs); // checked above
    if (jitterPs < 0 || jitterPs > std::numeric_limits<int64_t>::max() - latestPs)
    {
        Fail(INCAST, ": jitter ", jitterPs, " ps, expected 0 or more and all starts below 2^63 ps");
    }

    auto gapRng = MakeStream<ExponentialRandomVariable>(stream);
    auto receiverRng = MakeStream<UniformRandomVariable>(stream + 1);
    auto senderRng = MakeStream<UniformRandomVariable>(stream + 2);
    auto jitterRng = MakeStream<UniformRandomVariable>(stream + 3);
    std::vector<FlowSpec> flows;
    const bool once = arrivals == IncastArrivals::Once;
    const bool poisson = arrivals == IncastArrivals::Poisson;
    double afterPs = poisson ? gapRng->GetValue(gapPs, 0) : 0;
    for (uint64_t k = 1; once ? k == 1 : afterPs < static_cast<double>(durationPs); ++k)
    {
        const uint32_t to = receiver ? *receiver : receiverRng->GetInteger(0, hosts.nHosts - 1);
        const int64_t atPs = startPs + static_cast<int64_t>(afterPs);
        for (const Share& share : FindShares(*this, index, to))
        {
            for (const uint32_t from : DrawSenders(share, index, to, spread, senderRng))
            {
                int64_t latePs = 0;
                if (jitterPs)
                {
                    latePs =
                        static_cast<int64_t>(jitterRng->GetValue(0, static_cast<double>(jitterPs)));
                }
                flows.push_back(MakeFlow(from, to, sizeBytes, atPs + latePs, trafficClass, tag));
            }
        }
        // multiples of the exact period, so that rounding to picoseconds does not add up
        afterPs = poisson ? afterPs + gapRng->GetValue(gapPs, 0) : static_cast<double>(k) * gapPs;
    }
    SortAndNumber(flows);
    return flows;
}

} // namespace ns3::roce
