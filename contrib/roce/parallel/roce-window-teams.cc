// SPDX-License-Identifier: GPL-2.0-only
#include "roce-window-teams.h"

#include <algorithm>
#include <numeric>

namespace ns3::roce
{

WindowTeams::WindowTeams(const std::vector<unsigned>& partitions)
    : m_partitions(partitions),
      m_teamOf(partitions.empty() ? 0
                                  : *std::max_element(partitions.begin(), partitions.end()) + 1),
      m_all(partitions)
{
    m_teams = std::make_unique<Team[]>(m_teamOf.size());
    std::iota(m_teamOf.begin(), m_teamOf.end(), 0);
    for (auto& round : m_sent)
    {
        round.fill(Flags(m_teamOf.size()));
    }
}

WindowTeams::WindowTeams(const WindowTeams& other)
    : WindowTeams(other.m_partitions)
{
    for (const unsigned partition : m_partitions)
    {
        Join(partition, other.m_teamOf[partition]);
    }
}

void
WindowTeams::Join(unsigned a, unsigned b)
{
    const unsigned to = std::min(m_teamOf[a], m_teamOf[b]);
    const unsigned from = std::max(m_teamOf[a], m_teamOf[b]);
    if (to != from)
    {
        std::replace(m_teamOf.begin(), m_teamOf.end(), from, to);
        m_teams[to].size += m_teams[from].size;
        m_all.erase(std::find(m_all.begin(), m_all.end(), from));
    }
}

void
WindowTeams::Begin(unsigned windows)
{
    m_windows = windows;
    ++m_round;
    for (Flags& sent : m_sent[m_round & 1])
    {
        std::fill(sent.begin(), sent.end(), 0);
    }
    for (const unsigned number : m_all)
    {
        Team& team = m_teams[number];
        team.left.store(team.size, std::memory_order_relaxed);
        team.isEnd.store(false, std::memory_order_relaxed);
        team.open.store(1, std::memory_order_release);
    }
}

void
WindowTeams::Finish(unsigned partition)
{
    Team& team = m_teams[m_teamOf[partition]];
    // The last one makes what all have done visible to those who see the next window.
    if (team.left.fetch_sub(1, std::memory_order_acq_rel) == 1)
    {
        const unsigned window = team.open.load(std::memory_order_relaxed);
        const bool isEnd = window == m_windows || team.isEnd.load(std::memory_order_relaxed);
        team.left.store(team.size, std::memory_order_relaxed);
        team.open.store(isEnd ? 0 : window + 1, std::memory_order_release);
    }
}

uint64_t
WindowTeams::CountLeft() const
{
    uint64_t left = 0;
    for (const unsigned number : m_all)
    {
        const unsigned open = m_teams[number].open.load(std::memory_order_acquire);
        left += open ? m_windows - open + 1 : 0;
    }
    return left;
}

} // namespace ns3::roce
