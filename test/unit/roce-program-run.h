// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PROGRAM_RUN_H
#define ROCE_PROGRAM_RUN_H

#include "ns3/roce-rank-program.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::roce::test
{

/**
 * @brief Runs a program where each message takes one step and all else no time, without streams.
 *
 * A message matches the first receive of its source and tag that waits, as RankProgram says.
 */
class ProgramRun
{
  public:
    explicit ProgramRun(const RankProgram& program)
        : m_program(program)
    {
        const std::size_t nRanks = program.ranks.size();
        for (std::size_t rank = 0; rank < nRanks; ++rank)
        {
            const RankSchedule& schedule = program.ranks[rank];
            m_left.emplace_back(schedule.ops.size());
            m_next.emplace_back(schedule.ops.size());
            knows.emplace_back(schedule.ops.size());
            for (const RankEdge& edge : schedule.edges)
            {
                ++m_left[rank][edge.op];
                m_next[rank][edge.before].push_back(edge.op);
            }
            for (uint32_t op = 0; op < schedule.ops.size(); ++op)
            {
                ++nOps;
                if (m_left[rank][op] == 0)
                {
                    m_events.emplace(0, rank, op, false);
                }
            }
        }
        while (!m_events.empty())
        {
            const auto [step, rank, op, isDone] = m_events.top();
            m_events.pop();
            isDone ? Finish(step, rank, op) : Start(step, rank, op);
        }
    }

    std::size_t nOps{0};     //!< in all
    std::size_t nDone{0};    //!< of these, those that came to their end
    uint32_t nSteps{0};      //!< until the last one
    std::size_t nUnequal{0}; //!< messages of another size than their receive
    using Ranks = std::bitset<256>;
    /// By rank and operation: ranks whose beginning it comes after.
    std::vector<std::vector<Ranks>> knows;

  private:
    using Op = std::pair<uint32_t, uint32_t>;

    struct Channel
    {
        std::deque<std::pair<Op, uint32_t>> sent; //!< and when it is there
        std::deque<Op> waiting;
    };

    void Start(uint32_t step, uint32_t rank, uint32_t number)
    {
        const RankOp& op = m_program.ranks[rank].ops[number];
        knows[rank][number].set(rank);
        if (op.kind != RankOp::Kind::RECV)
        {
            m_events.emplace(step, rank, number, true);
        }
        if (op.kind == RankOp::Kind::CALC)
        {
            return;
        }
        const bool isSend = op.kind == RankOp::Kind::SEND;
        Channel& channel = m_channels[{isSend ? rank : op.peer, isSend ? op.peer : rank, op.tag}];
        if (isSend)
        {
            channel.sent.push_back({{rank, number}, step + 1});
        }
        else
        {
            channel.waiting.emplace_back(rank, number);
        }
        if (!channel.sent.empty() && !channel.waiting.empty())
        {
            const auto [from, at] = channel.sent.front();
            const Op to = channel.waiting.front();
            channel.sent.pop_front();
            channel.waiting.pop_front();
            knows[to.first][to.second] |= knows[from.first][from.second];
            nUnequal += m_program.ranks[from.first].ops[from.second].bytes !=
                        m_program.ranks[to.first].ops[to.second].bytes;
            m_events.emplace(std::max(step, at), to.first, to.second, true);
        }
    }

    void Finish(uint32_t step, uint32_t rank, uint32_t number)
    {
        ++nDone;
        nSteps = std::max(nSteps, step);
        for (const uint32_t next : m_next[rank][number])
        {
            knows[rank][next] |= knows[rank][number];
            if (--m_left[rank][next] == 0)
            {
                m_events.emplace(step, rank, next, false);
            }
        }
    }

    const RankProgram& m_program;
    std::vector<std::vector<uint32_t>> m_left; //!< what an operation waits for
    std::vector<std::vector<std::vector<uint32_t>>> m_next;
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Channel> m_channels;
    using Event = std::tuple<uint32_t, uint32_t, uint32_t, bool>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
};

/// @return messages of a rank in the order of its operations: "S1:250" to 1, "R3:251" from 3
inline std::string
MessagesOf(const RankSchedule& schedule)
{
    std::string all;
    for (const RankOp& op : schedule.ops)
    {
        if (op.kind != RankOp::Kind::CALC)
        {
            all += (all.empty() ? "" : " ") + std::string(1, "CSR"[static_cast<int>(op.kind)]) +
                   std::to_string(op.peer) + ":" + std::to_string(op.bytes);
        }
    }
    return all;
}

/// @return bytes that a rank sends
inline uint64_t
BytesSent(const RankSchedule& schedule)
{
    uint64_t bytes = 0;
    for (const RankOp& op : schedule.ops)
    {
        bytes += op.kind == RankOp::Kind::SEND ? op.bytes : 0;
    }
    return bytes;
}

} // namespace ns3::roce::test

#endif /* ROCE_PROGRAM_RUN_H */
