// SPDX-License-Identifier: GPL-2.0-only
#include "roce-cycle.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

std::vector<uint32_t>
FindCycle(const std::vector<std::vector<uint32_t>>& after)
{
    // Depth first without recursion: chains may be as long as the list.
    enum class State : uint8_t
    {
        NEW,
        OPEN,
        DONE
    };

    std::vector<State> states(after.size(), State::NEW);
    std::vector<std::pair<uint32_t, std::size_t>>
        path; // item, and how many of its `after` are done
    for (uint32_t first = 0; first < after.size(); ++first)
    {
        if (states[first] == State::NEW)
        {
            path.emplace_back(first, 0);
            states[first] = State::OPEN;
        }
        while (!path.empty())
        {
            const auto [item, done] = path.back();
            if (done == after[item].size())
            {
                states[item] = State::DONE;
                path.pop_back();
                continue;
            }
            ++path.back().second;
            const uint32_t next = after[item][done];
            if (states[next] == State::OPEN)
            {
                std::vector<uint32_t> cycle;
                auto it = std::find_if(path.begin(), path.end(), [next](const auto& entry) {
                    return entry.first == next;
                });
                for (; it != path.end(); ++it)
                {
                    cycle.push_back(it->first);
                }
                return cycle;
            }
            if (states[next] == State::NEW)
            {
                states[next] = State::OPEN;
                path.emplace_back(next, 0);
            }
        }
    }
    return {};
}

} // namespace ns3::roce
