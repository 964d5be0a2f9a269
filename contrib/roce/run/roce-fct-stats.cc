// SPDX-License-Identifier: GPL-2.0-only
#include "roce-fct-stats.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <limits>

namespace ns3::roce
{

FctStats::FctStats(const Options& options)
    : m_options(options)
{
    if (options.warmupPs < 0)
    {
        throw InputError("FCT statistics: warm-up of " + std::to_string(options.warmupPs) +
                         " ps, expected 0 or more");
    }
    const auto& edges = options.binEdgesBytes;
    for (size_t i = 1; i < edges.size(); i++)
    {
        if (edges[i] <= edges[i - 1])
        {
            throw InputError("FCT statistics: size bin edge " + std::to_string(edges[i]) +
                             " after " + std::to_string(edges[i - 1]) +
                             ", expected ascending edges");
        }
    }
}

FctStats::FctStats()
    : FctStats(Options())
{
}

void
FctStats::Add(const FlowRecord& record)
{
    if (record.IsFinished() && record.idealPs <= 0)
    {
        throw InputError("FCT statistics: flow " + std::to_string(record.spec.id) +
                         " has an ideal FCT of " + std::to_string(record.idealPs) +
                         " ps, expected a positive one");
    }
    if (record.spec.startPs >= 0 && record.spec.startPs < m_options.warmupPs)
    {
        m_excluded++;
        return;
    }
    m_samples.push_back(Sample{record.spec.id,
                               record.spec.sizeBytes,
                               record.IsFinished() ? record.fctPs : -1,
                               record.idealPs,
                               record.packets,
                               record.retransmittedPackets,
                               record.deliveredBytes,
                               record.interDc});
}

uint64_t
FctStats::NearestRank(uint64_t count, uint32_t perMillion)
{
    constexpr uint64_t million = 1000000;
    if (count == 0 || perMillion > million)
    {
        throw InputError("percentile of " + std::to_string(perMillion) + " per million over " +
                         std::to_string(count) +
                         " samples, expected at most 1000000 and at least one sample");
    }
    // ceil(count * p / 10^6) split so that the product cannot overflow
    const uint64_t rank =
        count / million * perMillion + (count % million * perMillion + million - 1) / million;
    return std::max<uint64_t>(rank, 1);
}

Distribution
FctStats::Describe(std::vector<double> values)
{
    Distribution d;
    d.count = values.size();
    if (values.empty())
    {
        return d;
    }
    std::sort(values.begin(), values.end());
    // Summing in sorted order makes the mean independent of the order of the samples.
    double sum = 0;
    for (double value : values)
    {
        sum += value;
    }
    d.mean = sum / static_cast<double>(values.size());
    const auto at = [&values](uint32_t perMillion) {
        return values[NearestRank(values.size(), perMillion) - 1];
    };
    d.p50 = at(500000);
    d.p95 = at(950000);
    d.p99 = at(990000);
    d.p999 = at(999000);
    d.max = values.back();
    return d;
}

std::string
FctStats::SizeLabel(uint64_t bytes)
{
    static const std::pair<uint64_t, const char*> units[] = {{1000000000ULL, "GB"},
                                                             {1000000ULL, "MB"},
                                                             {1000ULL, "KB"}};
    for (const auto& unit : units)
    {
        if (bytes != 0 && bytes % unit.first == 0)
        {
            return std::to_string(bytes / unit.first) + unit.second;
        }
    }
    return std::to_string(bytes) + "B";
}

std::vector<const FctStats::Sample*>
FctStats::Select(FlowScope scope) const
{
    std::vector<const Sample*> chosen;
    for (const Sample& sample : m_samples)
    {
        if (scope == FlowScope::ALL || sample.interDc == (scope == FlowScope::INTER))
        {
            chosen.push_back(&sample);
        }
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const Sample* a, const Sample* b) {
        return a->sizeBytes != b->sizeBytes ? a->sizeBytes < b->sizeBytes : a->id < b->id;
    });
    return chosen;
}

FctGroup
FctStats::Summarise(const Sample* const* first, const Sample* const* last)
{
    FctGroup group;
    std::vector<double> slowdowns;
    std::vector<double> fcts;
    for (; first != last; ++first)
    {
        const Sample& sample = **first;
        group.flows++;
        group.packets += sample.packets;
        group.retransmittedPackets += sample.retransmitted;
        group.deliveredBytes += sample.delivered;
        if (sample.fctPs < 0)
        {
            group.unfinished++;
            continue;
        }
        group.finished++;
        slowdowns.push_back(static_cast<double>(sample.fctPs) /
                            static_cast<double>(sample.idealPs));
        fcts.push_back(static_cast<double>(sample.fctPs));
    }
    group.slowdown = Describe(std::move(slowdowns));
    group.fctPs = Describe(std::move(fcts));
    return group;
}

FctGroup
FctStats::Group(FlowScope scope) const
{
    const auto chosen = Select(scope);
    return Summarise(chosen.data(), chosen.data() + chosen.size());
}

std::vector<FctBin>
FctStats::Bins(FlowScope scope) const
{
    const auto chosen = Select(scope);
    std::vector<FctBin> bins;
    if (m_options.equalCountBins > 0)
    {
        const size_t wanted = std::min<size_t>(m_options.equalCountBins, chosen.size());
        for (size_t b = 0; b < wanted; b++)
        {
            const size_t begin = b * chosen.size() / wanted;
            const size_t end = (b + 1) * chosen.size() / wanted;
            FctBin bin;
            bin.lowBytes = chosen[begin]->sizeBytes;
            bin.highBytes = chosen[end - 1]->sizeBytes;
            bin.label = SizeLabel(bin.lowBytes) + "-" + SizeLabel(bin.highBytes);
            bin.group = Summarise(chosen.data() + begin, chosen.data() + end);
            bins.push_back(std::move(bin));
        }
        return bins;
    }
    const auto& edges = m_options.binEdgesBytes;
    size_t begin = 0;
    for (size_t b = 0; b <= edges.size(); b++)
    {
        FctBin bin;
        bin.lowBytes = b == 0 ? 0 : edges[b - 1] + 1;
        bin.highBytes = b < edges.size() ? edges[b] : std::numeric_limits<uint64_t>::max();
        if (edges.empty())
        {
            bin.label = "all sizes";
        }
        else if (b == 0)
        {
            bin.label = "<=" + SizeLabel(edges[0]);
        }
        else if (b < edges.size())
        {
            bin.label = SizeLabel(edges[b - 1]) + "-" + SizeLabel(edges[b]);
        }
        else
        {
            bin.label = ">" + SizeLabel(edges.back());
        }
        size_t end = begin;
        while (end < chosen.size() && chosen[end]->sizeBytes <= bin.highBytes)
        {
            end++;
        }
        bin.group = Summarise(chosen.data() + begin, chosen.data() + end);
        bins.push_back(std::move(bin));
        begin = end;
    }
    return bins;
}

uint64_t
FctStats::Excluded() const
{
    return m_excluded;
}

const FctStats::Options&
FctStats::GetOptions() const
{
    return m_options;
}

} // namespace ns3::roce
