// SPDX-License-Identifier: GPL-2.0-only
#include "roce-lcmp.h"

#include "roce-switch.h"

#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Lcmp);

namespace
{

constexpr uint32_t MOST = 255;        //!< highest cost
constexpr uint64_t LEVELS = 10;       //!< of rates, queues and trends
constexpr uint32_t HIGH_COST = 204;   //!< 80 %: avoided if possible; such a queue is long
constexpr uint32_t SHORT_QUEUE = 102; //!< 40 %
constexpr int64_t TREND_PART = 8;     //!< of a new difference in the average
constexpr uint32_t TIMES_PART = 4;    //!< times that a queue was long for each point

/// @return cost of a level, of which there are ten
uint32_t
Points(uint64_t level)
{
    return static_cast<uint32_t>(MOST * std::min(level, LEVELS) / LEVELS);
}

uint32_t
Clip(uint64_t sum, uint32_t shift)
{
    return static_cast<uint32_t>(std::min<uint64_t>(sum >> shift, MOST));
}

} // namespace

/*
 * The values are those of the authors' runs (github.com/dyyuCS/LCMP, config_batch.txt of their
 * network of 8 datacenters, and what its DCI switch has as constants). [a] The limits of its ten
 * levels of queues are multiples of 500 MB; the last, 4.5 GB, has 32 bits there.
 */
const ParameterTable<LcmpParams>&
LcmpParams::Table()
{
    using P = LcmpParams;
    const Range weight = Range::Within(0, 1000);
    const Range shift = Range::Within(0, 20);
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Lcmp")
            .Choice("Quality", &P::ofPath, {false}, {{"link", false}, {"path", true}})
            .Help("Delay and rate are those of the way's first link, as in their simulator, or of "
                  "the whole path")
            .Duration("MaxDelay", &P::maxDelayPs, {32 * PS_PER_MS}, Range::AtLeast(PS_PER_MS))
            .Help("Delay of the highest cost")
            .Rate("MaxRate", &P::maxRateBps, {400'000'000'000}, Range::AtLeast(1e10))
            .Help("Rate of the lowest cost")
            .Count("DelayWeight", &P::delayWeight, {3}, weight, "Of delay in quality")
            .Count("RateWeight", &P::rateWeight, {1}, weight, "Of rate in quality")
            .Count("QualityShift", &P::qualityShift, {2}, shift, "Quality is the sum over 2^this")
            .Size("QueueCapacity", &P::queueCapacityBytes, {5'000'000'000}, Range::AtLeast(1e3))
            .Help("Queue that ten levels divide")
            .Size("FullQueue", &P::fullQueueBytes, {205'032'704}, Range::AtLeast(1)) // [a]
            .Help("Queue of the highest level")
            .Count("QueueWeight", &P::queueWeight, {2}, weight, "Of the queue in congestion")
            .Count("TrendWeight", &P::trendWeight, {1}, weight, "Of its growth in congestion")
            .Count("DurationWeight", &P::durationWeight, {1}, weight, "Of how often it was long")
            .Count("CongestionShift", &P::congestionShift, {2}, shift)
            .Help("Congestion is the sum over 2^this")
            .Count("QualityShare", &P::qualityShare, {3}, weight, "Weight of quality in the cost")
            .Count("CongestionShare", &P::congestionShare, {1}, weight)
            .Help("Weight of congestion in the cost")
            .Count("TotalShift", &P::totalShift, {2}, shift, "The cost is the sum over 2^this")
            .Duration("IdleTimeout",
                      &P::idleTimeoutPs,
                      {2000 * PS_PER_MS},
                      Range::AtLeast(PS_PER_US))
            .Help("A flow without frames for longer is placed anew");
    return table;
}

void
Lcmp::DoInstall(Switch& sw)
{
    m_p = m_parameters.Get();
    m_ports.resize(sw.GetNPorts());
    m_ways.SetGap(m_p->idleTimeoutPs);
}

uint32_t
Lcmp::QualityCost(const PathEntry& path) const
{
    const int64_t ps = m_p->ofPath ? path.delayPs : GetNextDelayPs(path);
    const uint64_t bps = m_p->ofPath ? path.leastBps : GetNextRateBps(path);
    const uint64_t delay =
        ps > m_p->maxDelayPs ? MOST : ps / PS_PER_MS * MOST / (m_p->maxDelayPs / PS_PER_MS);
    const uint64_t rate = MOST - Points(bps / 1000 * LEVELS / (m_p->maxRateBps / 1000));
    return Clip(m_p->delayWeight * delay + m_p->rateWeight * rate, m_p->qualityShift);
}

uint32_t
Lcmp::CongestionCost(const PathEntry& path)
{
    PortState& port = m_ports[path.port];
    const uint64_t bytes = port.queue.bytes;
    const uint64_t level = std::min(LEVELS - 1, bytes * LEVELS / m_p->queueCapacityBytes + 1);
    const uint32_t queue = bytes >= m_p->fullQueueBytes ? MOST : bytes ? Points(level) : 0;
    port.timesLong += queue >= HIGH_COST;
    port.timesLong -= queue <= SHORT_QUEUE && port.timesLong;
    // In tenths of what the link carries in a millisecond.
    const auto tenth = static_cast<int64_t>(GetNextRateBps(path) / 8 / 1000 / LEVELS);
    const uint32_t trend =
        Points(std::max<int64_t>(port.queue.grownBytes, 0) / std::max<int64_t>(tenth, 1));
    return Clip(uint64_t{m_p->queueWeight} * queue + m_p->trendWeight * trend +
                    m_p->durationWeight * std::min(port.timesLong / TIMES_PART, MOST),
                m_p->congestionShift);
}

uint32_t
Lcmp::Decide(const Question& q)
{
    m_costs.clear();
    for (uint32_t i = 0; i < q.count; ++i)
    {
        for (uint16_t p = 0; p < m_ports.size(); ++p) // for each way, as there: trends fade
        {
            m_ports[p].queue.Look(GetQueueBytes(p), TREND_PART);
        }
        const uint64_t cost = uint64_t{m_p->qualityShare} * QualityCost(q.paths[i]) +
                              uint64_t{m_p->congestionShare} * CongestionCost(q.paths[i]);
        m_costs.emplace_back(Clip(cost, m_p->totalShift), i);
    }
    std::sort(m_costs.begin(), m_costs.end());
    const uint32_t half = q.count / 2 < 2 ? q.count : q.count / 2;
    uint32_t good = 0;
    while (good < half && m_costs[good].first < HIGH_COST)
    {
        ++good;
    }
    return m_costs[PickByHash(q.hash, good ? good : q.count)].second;
}

uint32_t
Lcmp::Choose(const Question& q)
{
    return m_ways.Find(q, [&](uint16_t) { return Decide(q); });
}

void
Lcmp::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["lcmpFlowsPlaced"] += m_ways.GetPlaced();
}

} // namespace ns3::roce
