// SPDX-License-Identifier: GPL-2.0-only
#include "roce-best-paths.h"

#include <algorithm>
#include <tuple>

namespace ns3::roce
{

namespace
{

/// More are forgotten before the next search: it takes about 50 MB.
constexpr std::size_t MOST_PAIRS = 1'000'000;

bool
IsLess(const HopSpec& a, const HopSpec& b)
{
    return std::tie(a.rateBps, a.delayPs) < std::tie(b.rateBps, b.delayPs);
}

int64_t
DelayPs(const BestPaths::Path& path)
{
    int64_t sumPs = 0;
    for (const HopSpec& hop : path)
    {
        sumPs += hop.delayPs;
    }
    return sumPs;
}

/// @return whether a is never slower than b
bool
IsAsGood(const BestPaths::Path& a, const BestPaths::Path& b)
{
    return a.size() == b.size() && DelayPs(a) <= DelayPs(b) &&
           std::equal(a.begin(), a.end(), b.begin(), [](const HopSpec& x, const HopSpec& y) {
               return x.rateBps >= y.rateBps;
           });
}

void
AddUnlessWorse(std::vector<BestPaths::Path>& paths, BestPaths::Path path)
{
    const auto isAsGoodAs = [&path](const BestPaths::Path& other) { return IsAsGood(other, path); };
    if (std::any_of(paths.begin(), paths.end(), isAsGoodAs))
    {
        return;
    }
    paths.erase(
        std::remove_if(paths.begin(),
                       paths.end(),
                       [&path](const BestPaths::Path& other) { return IsAsGood(path, other); }),
        paths.end());
    paths.push_back(std::move(path));
}

} // namespace

bool
BestPaths::Less::operator()(const Path& a, const Path& b) const
{
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), IsLess);
}

bool
BestPaths::Less::operator()(const std::vector<Path>& a, const std::vector<Path>& b) const
{
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), *this);
}

const std::vector<BestPaths::Path>&
BestPaths::Find(uint32_t from, uint32_t to, const Links& links)
{
    if (m_found.size() > MOST_PAIRS)
    {
        m_found.clear();
    }
    return Search(from, to, links);
}

const std::vector<BestPaths::Path>&
BestPaths::Search(uint32_t from, uint32_t to, const Links& links)
{
    const uint64_t pair = uint64_t{from} << 32 | to;
    if (const auto known = m_found.find(pair); known != m_found.end())
    {
        return *known->second;
    }
    std::vector<Path> paths;
    if (from == to)
    {
        paths.emplace_back();
    }
    /// Switches visited: mostly, all links lead to the same.
    std::vector<std::pair<HopSpec, const std::vector<Path>*>> seen;
    for (const Link& link : from == to ? std::vector<Link>() : links(from))
    {
        const std::vector<Path>& rests = Search(link.to, to, links);
        const bool isKnown = std::any_of(seen.begin(), seen.end(), [&](const auto& other) {
            return other.second == &rests && other.first.rateBps == link.spec.rateBps &&
                   other.first.delayPs == link.spec.delayPs;
        });
        if (isKnown)
        {
            continue;
        }
        seen.emplace_back(link.spec, &rests);
        for (const Path& rest : rests)
        {
            Path path{link.spec};
            path.insert(path.end(), rest.begin(), rest.end());
            AddUnlessWorse(paths, std::move(path));
        }
    }
    std::sort(paths.begin(), paths.end(), Less());
    const std::vector<Path>& found = *m_sets.insert(std::move(paths)).first;
    m_found[pair] = &found;
    return found;
}

} // namespace ns3::roce
