// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARALEON_PROFILES_H
#define ROCE_PARALEON_PROFILES_H

#include "roce-paraleon-params.h"

#include <cstddef>
#include <iterator>
#include <vector>

namespace ns3::roce
{

/// PARALEON's profiles: the paper, the two artifacts, ablations.
constexpr const char* PARALEON_PROFILES[] =
    {"paper", "artifact-a1", "artifact-a2", "naive-sa", "no-fsd", "naive-sketch", "netflow"};

/// Values of the profiles: the paper's are also those of its ablations.
template <typename T>
std::vector<T>
By(T paper, T a1, T a2)
{
    return {paper, a1, a2, paper, paper, paper, paper};
}

/// A value of one profile, at an index of PARALEON_PROFILES; another one elsewhere.
template <typename T>
std::vector<T>
OnlyAt(std::size_t profile, T value, T elsewhere)
{
    std::vector<T> values(std::size(PARALEON_PROFILES), elsewhere);
    values[profile] = value;
    return values;
}

/// Indices of ablations in PARALEON_PROFILES.
constexpr std::size_t NAIVE_SA = 3;
constexpr std::size_t NO_FSD = 4;
constexpr std::size_t NAIVE_SKETCH = 5;
constexpr std::size_t NETFLOW = 6;

/// @brief Rows of the search: Algorithm 1, table III. @param table is added to
void AddParaleonSearch(ParameterTable<ParaleonParams>& table);

} // namespace ns3::roce

#endif /* ROCE_PARALEON_PROFILES_H */
