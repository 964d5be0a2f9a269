// SPDX-License-Identifier: GPL-2.0-only
#include "roce-elastic-sketch.h"

#include "ns3/roce-hash.h"

#include <algorithm>
#include <numeric>

namespace ns3::roce
{

namespace
{

// Two hash functions that have nothing to do with each other.
constexpr uint64_t HEAVY_SALT = 0x9e3779b97f4a7c15ULL;
constexpr uint64_t LIGHT_SALT = 0xc2b2ae3d27d4eb4fULL;

/// @return index below n, every one as likely
uint32_t
IndexOf(FlowKey flow, uint64_t salt, uint32_t n)
{
    return static_cast<uint32_t>(((Mix64(flow ^ salt) >> 32) * n) >> 32);
}

} // namespace

void
ElasticSketch::Start(const Config& config)
{
    m_config = config;
    m_lightMax = (uint64_t{1} << config.lightBits) - 1;
    m_lightUsed = false;
    m_entries.assign(std::size_t{config.heavyBuckets} * config.entriesPerBucket, Entry());
    m_against.assign(config.heavyBuckets, 0);
    m_light.assign(config.lightCounters, 0);
}

uint32_t
ElasticSketch::BucketOf(FlowKey flow) const
{
    return IndexOf(flow, HEAVY_SALT, m_config.heavyBuckets);
}

uint32_t
ElasticSketch::CounterOf(FlowKey flow) const
{
    return IndexOf(flow, LIGHT_SALT, m_config.lightCounters);
}

void
ElasticSketch::AddToLight(FlowKey flow, uint64_t size)
{
    uint32_t& counter = m_light[CounterOf(flow)];
    counter = static_cast<uint32_t>(std::min(counter + size, m_lightMax));
    m_lightUsed = true;
}

/// The paper's sketch asks for Lambda times the votes, the public code for more than that.
bool
ElasticSketch::IsOverthrown(uint64_t against, uint64_t votes) const
{
    const double limit = m_config.lambda * static_cast<double>(votes);
    const auto have = static_cast<double>(against);
    return m_config.entriesPerBucket == 1 ? have >= limit : have > limit;
}

void
ElasticSketch::Insert(FlowKey flow, uint32_t bytes)
{
    const uint64_t size = m_config.inPackets ? 1 : bytes;
    const uint32_t bucket = BucketOf(flow);
    const auto first =
        m_entries.begin() + static_cast<std::ptrdiff_t>(bucket) *
                                static_cast<std::ptrdiff_t>(m_config.entriesPerBucket);
    auto smallest = first;
    for (auto entry = first; entry != first + m_config.entriesPerBucket; ++entry)
    {
        if (!entry->votes) // places fill up in order
        {
            *entry = {flow, size, false};
            return;
        }
        if (entry->flow == flow)
        {
            entry->votes += size;
            return;
        }
        if (entry->votes < smallest->votes)
        {
            smallest = entry;
        }
    }
    m_against[bucket] += size;
    if (!IsOverthrown(m_against[bucket], smallest->votes))
    {
        AddToLight(flow, size);
        return;
    }
    AddToLight(smallest->flow, smallest->votes);
    *smallest = {flow, size, true};
    m_against[bucket] = m_config.entriesPerBucket == 1 ? size : 0;
}

uint64_t
ElasticSketch::SizeOf(const Entry& entry) const
{
    return entry.votes + (entry.mayBePart ? GetLight(entry.flow) : uint64_t{0});
}

uint64_t
ElasticSketch::Estimate(FlowKey flow) const
{
    const std::size_t first = std::size_t{BucketOf(flow)} * m_config.entriesPerBucket;
    for (std::size_t i = first; i < first + m_config.entriesPerBucket; ++i)
    {
        if (m_entries[i].votes && m_entries[i].flow == flow)
        {
            return SizeOf(m_entries[i]);
        }
    }
    return GetLight(flow);
}

uint64_t
ElasticSketch::GetLightSum() const
{
    return std::accumulate(m_light.begin(), m_light.end(), uint64_t{0});
}

void
ElasticSketch::ReadAndReset(std::vector<FlowReading>& readings)
{
    readings.clear();
    for (Entry& entry : m_entries)
    {
        if (entry.votes)
        {
            readings.push_back({entry.flow, SizeOf(entry), entry.mayBePart});
            entry = Entry();
        }
    }
    std::fill(m_against.begin(), m_against.end(), 0);
    if (m_lightUsed) // rarely, and it is large
    {
        std::fill(m_light.begin(), m_light.end(), 0);
        m_lightUsed = false;
    }
}

} // namespace ns3::roce
