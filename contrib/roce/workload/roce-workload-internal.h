// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WORKLOAD_INTERNAL_H
#define ROCE_WORKLOAD_INTERNAL_H

#include "roce-workload.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-memory-limit.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::roce
{
namespace workload // shared by the sources of the workloads; not installed
{
inline constexpr double PS_PER_S = 1e12;
inline constexpr double MAX_LOAD = 10;
inline constexpr double MAX_FLOWS = 1e9; // beyond it is a mistake in the input

/// Memory of a flow that is still to come, and more of one whose queue pair is open.
inline constexpr double FLOW_BYTES = 150;
inline constexpr double OPEN_FLOW_BYTES = 1000;

/// Columns of a flow list of our own, without the names of a graph.
inline const std::vector<std::string> CSV_COLUMNS =
    {"src", "dst", "bytes", "start_ns", "class", "srcport", "tag", "phase", "qp", "cc"};
/// Marks incast flows in HPCC's lists, and all others.
inline constexpr uint64_t HPCC_INCAST_DPORT = 200;
inline constexpr uint64_t HPCC_DPORT = 100;

/// Bytes of a flow, as the range of an option.
inline const Range FLOW_SIZES = Range::Within(0, MAX_FLOW_BYTES);

/// @brief Join anything printable to the message of an InputError.
template <typename... Parts>
[[noreturn]] void
Fail(const Parts&... parts)
{
    std::ostringstream message;
    (message << ... << parts);
    throw InputError(message.str());
}

/// Fail(parts...) unless ok.
template <typename... Parts>
inline void
Require(bool ok, const Parts&... parts)
{
    if (!ok)
    {
        Fail(parts...);
    }
}

/// A stretch of HostIndex::order.
struct Stretch
{
    uint32_t begin;
    uint32_t end;

    uint32_t Size() const
    {
        return end - begin;
    }
};

/**
 * Hosts ordered by (datacenter, rack, index), so that a rack is a stretch inside its datacenter's
 * stretch, and every choice is "uniform over one stretch without another inside it". Refers to the
 * placement, which must outlive it.
 */
class HostIndex
{
  public:
    /// Checks the placement; who begins the message of an InputError.
    HostIndex(const HostPlacement& hosts, const char* who)
        : m_hosts(hosts),
          m_position(hosts.nHosts)
    {
        const uint32_t n = hosts.nHosts;
        Require(n >= 2, who, ": ", n, " hosts, expected at least 2");
        for (const auto* v : {&hosts.datacenterOf, &hosts.rackOf})
        {
            if (!v->empty() && v->size() != n)
            {
                const char* field = v == &hosts.rackOf ? "rackOf" : "datacenterOf";
                Fail(who, ": ", field, " has ", v->size(), " entries, expected ", n);
            }
        }
        order.resize(n);
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
            return std::make_tuple(Datacenter(a), Rack(a), a) <
                   std::make_tuple(Datacenter(b), Rack(b), b);
        });
        if (Datacenter(order.back()) >= n)
        {
            const std::string where = std::to_string(Datacenter(order.back()));
            const char* expected = ", expected datacenters numbered from 0 and fewer than hosts";
            Fail(who, ": host ", order.back(), " is in datacenter ", where, expected);
        }
        nDatacenters = Datacenter(order.back()) + 1;
        for (uint32_t i = 0; i < n; ++i)
        {
            m_position[order[i]] = i;
        }
        m_datacenterRange =
            Stretches([this](uint32_t a, uint32_t b) { return Datacenter(a) == Datacenter(b); });
        m_rackRange = Stretches([this](uint32_t a, uint32_t b) { return SameRack(a, b); });
    }

    uint32_t Datacenter(uint32_t host) const
    {
        return m_hosts.datacenterOf.empty() ? 0 : m_hosts.datacenterOf[host];
    }

    bool KnowsRacks() const
    {
        return !m_hosts.rackOf.empty();
    }

    bool SameRack(uint32_t a, uint32_t b) const
    {
        return Datacenter(a) == Datacenter(b) && Rack(a) == Rack(b);
    }

    Stretch All() const
    {
        return {0, static_cast<uint32_t>(order.size())};
    }

    Stretch Self(uint32_t host) const
    {
        return {m_position[host], m_position[host] + 1};
    }

    Stretch DatacenterOf(uint32_t host) const
    {
        return m_datacenterRange[m_position[host]];
    }

    /// Empty if it has no host.
    Stretch NumberedDatacenter(uint32_t datacenter) const
    {
        const auto end = [&](uint32_t number) {
            const auto found = std::partition_point(order.begin(), order.end(), [&](uint32_t host) {
                return Datacenter(host) < number;
            });
            return static_cast<uint32_t>(found - order.begin());
        };
        return {end(datacenter), end(datacenter + 1)};
    }

    Stretch RackOf(uint32_t host) const
    {
        return m_rackRange[m_position[host]];
    }

    std::vector<uint32_t> order; //!< hosts by (datacenter, rack, index)
    uint32_t nDatacenters{0};    //!< highest datacenter index + 1

  private:
    /// Unknown racks are racks of one host.
    uint32_t Rack(uint32_t host) const
    {
        return KnowsRacks() ? m_hosts.rackOf[host] : host;
    }

    /// For each position, the stretch of hosts that are the same to it.
    template <typename Same>
    std::vector<Stretch> Stretches(Same same) const
    {
        std::vector<Stretch> ranges;
        for (uint32_t begin = 0; begin < order.size(); begin = ranges.back().end)
        {
            uint32_t end = begin + 1;
            while (end < order.size() && same(order[begin], order[end]))
            {
                ++end;
            }
            ranges.insert(ranges.end(), end - begin, Stretch{begin, end});
        }
        return ranges;
    }

    const HostPlacement& m_hosts;
    std::vector<uint32_t> m_position;       //!< of each host in order
    std::vector<Stretch> m_datacenterRange; //!< by position
    std::vector<Stretch> m_rackRange;       //!< by position
};

/// Candidates for a destination: those of `outer` that are not in `hole`, which lies inside it.
struct Candidates
{
    Stretch outer;
    Stretch hole;

    uint32_t Count() const
    {
        return outer.Size() - hole.Size();
    }

    uint32_t At(const HostIndex& index, uint32_t i) const
    {
        const uint32_t position = outer.begin + i;
        return index.order[position < hole.begin ? position : position + hole.Size()];
    }
};

/// A random variable on a fixed stream.
template <typename T>
Ptr<T>
MakeStream(int64_t stream)
{
    Ptr<T> rng = CreateObject<T>();
    rng->SetStream(stream);
    return rng;
}

/// What all workloads have; who begins the message, here and below.
inline void
CheckCommon(const char* who, int64_t startPs, uint8_t trafficClass, int64_t stream)
{
    Require(startPs >= 0, who, ": start ", startPs, " ps, expected 0 or more");
    Require(trafficClass <= 7, who, ": traffic class ", +trafficClass, ", expected 0..7");
    Require(stream >= 0, who, ": RNG stream ", stream, ", expected 0 or more");
}

/// Before flows are made: refuse too many, in all or open at the same time.
inline void
CheckFlows(const char* who, double nFlows, double nOpen = 0)
{
    Require(nFlows <= MAX_FLOWS, who, ": about ", nFlows, " flows, expected at most ", MAX_FLOWS);
    CheckMemory(who, nFlows, "flows", FLOW_BYTES);
    CheckMemory(who, nOpen, "flows at the same time", FLOW_BYTES + OPEN_FLOW_BYTES);
}

inline void
CheckSize(const char* who, uint64_t sizeBytes)
{
    const uint64_t limit = MAX_FLOW_BYTES;
    Require(sizeBytes <= limit, who, ": size ", sizeBytes, " bytes, expected at most ", limit);
}

inline void
CheckDuration(const char* who, int64_t startPs, int64_t durationPs)
{
    const int64_t limit = std::numeric_limits<int64_t>::max() - startPs;
    const char* expected = " ps, expected more than 0 and an end below 2^63 ps";
    Require(durationPs > 0 && durationPs <= limit, who, ": duration ", durationPs, expected);
}

inline void
CheckLoad(const char* who, double load)
{
    const bool ok = load > 0 && load <= MAX_LOAD; // false for nan
    Require(ok, who, ": load ", load, ", expected above 0 and at most ", MAX_LOAD);
}

inline void
CheckReceiver(const char* who, const std::optional<uint32_t>& receiver, const HostPlacement& hosts)
{
    const bool ok = !receiver || *receiver < hosts.nHosts;
    Require(ok, who, ": receiver ", receiver.value_or(0), ", expected 0..", hosts.nHosts - 1);
}

/// A flow whose id and source port are not set.
inline FlowSpec
MakeFlow(uint32_t src, uint32_t dst, uint64_t sizeBytes, int64_t startPs, uint8_t cls, uint8_t tag)
{
    return FlowSpec{0, src, dst, sizeBytes, startPs, cls, 0, tag};
}

} // namespace workload
} // namespace ns3::roce

#endif /* ROCE_WORKLOAD_INTERNAL_H */
