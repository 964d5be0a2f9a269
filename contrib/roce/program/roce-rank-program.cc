// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-program.h"

#include "ns3/roce-cycle.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-sha256.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3::roce
{

namespace
{

/// Finds what is wrong with a program.
class Checker
{
  public:
    explicit Checker(const RankProgram& program)
        : m_program(program)
    {
    }

    void Check()
    {
        if (m_program.ranks.empty())
        {
            throw InputError(m_program.source + ": no rank, expected at least one");
        }
        for (uint32_t rank = 0; rank < m_program.ranks.size(); ++rank)
        {
            for (uint32_t op = 0; op < Ops(rank).size(); ++op)
            {
                CheckOp(rank, op);
            }
            CheckEdges(rank);
        }
        for (uint32_t rank = 0; rank < m_program.ranks.size(); ++rank)
        {
            CheckMessages(rank);
        }
    }

  private:
    const std::vector<RankOp>& Ops(uint32_t rank) const
    {
        return m_program.ranks[rank].ops;
    }

    [[noreturn]] void Refuse(uint32_t rank, uint32_t op, const std::string& what) const
    {
        throw InputError(m_program.Where(rank, op) + ": " + what);
    }

    void CheckOp(uint32_t rank, uint32_t number) const
    {
        const RankOp& op = Ops(rank)[number];
        if (op.holdsUntil != RankOp::NO_OP && op.holdsUntil >= Ops(rank).size())
        {
            Refuse(rank, number, "holds its stream until an operation that there is not");
        }
        if (op.kind == RankOp::Kind::CALC)
        {
            if (op.durationPs < 0)
            {
                Refuse(rank, number, "computes for less than 0 s, expected 0 or more");
            }
            return;
        }
        const bool isAny = op.kind == RankOp::Kind::RECV && op.peer == RankOp::ANY_RANK;
        if (op.peer >= m_program.ranks.size() && !isAny)
        {
            Refuse(rank,
                   number,
                   "names rank " + std::to_string(op.peer) + ", expected 0 to " +
                       std::to_string(m_program.ranks.size() - 1));
        }
        if (op.peer == rank)
        {
            Refuse(rank, number, "a message of rank " + std::to_string(rank) + " to itself");
        }
        if (op.kind == RankOp::Kind::SEND && op.tag == RankOp::ANY_TAG)
        {
            Refuse(rank, number, "sends with any tag, expected one of 0 or more");
        }
        if (op.bytes > MAX_FLOW_BYTES)
        {
            Refuse(rank,
                   number,
                   "has " + std::to_string(op.bytes) + " B, expected at most " +
                       std::to_string(MAX_FLOW_BYTES));
        }
    }

    void CheckEdges(uint32_t rank) const
    {
        std::vector<std::vector<uint32_t>> after(Ops(rank).size());
        for (const RankEdge& edge : m_program.ranks[rank].edges)
        {
            if (edge.op >= after.size() || edge.before >= after.size())
            {
                throw InputError(m_program.source + ": rank " + std::to_string(rank) +
                                 ": an operation waits for another one, and one of them is not "
                                 "there");
            }
            after[edge.op].push_back(edge.before);
        }
        if (const std::vector<uint32_t> cycle = FindCycle(after); !cycle.empty())
        {
            Refuse(rank,
                   cycle[0],
                   "waits for itself, by way of " + std::to_string(cycle.size() - 1) + " others");
        }
    }

    /// Operations of the same source and tag, or of all.
    struct Group
    {
        std::vector<std::pair<uint32_t, uint32_t>> sends; //!< rank and number
        std::vector<uint32_t> receives;
    };

    /// Whether all that is sent to a rank is received.
    void CheckMessages(uint32_t to)
    {
        if (m_sendsTo.empty())
        {
            m_sendsTo.resize(m_program.ranks.size());
            for (uint32_t rank = 0; rank < m_program.ranks.size(); ++rank)
            {
                for (uint32_t op = 0; op < Ops(rank).size(); ++op)
                {
                    if (Ops(rank)[op].kind == RankOp::Kind::SEND)
                    {
                        m_sendsTo[Ops(rank)[op].peer].emplace_back(rank, op);
                    }
                }
            }
        }
        const auto isAny = [](const RankOp& op) {
            return op.kind == RankOp::Kind::RECV &&
                   (op.peer == RankOp::ANY_RANK || op.tag == RankOp::ANY_TAG);
        };
        const bool oneGroup = std::any_of(Ops(to).begin(), Ops(to).end(), isAny);
        std::map<std::pair<uint32_t, uint64_t>, Group> groups;
        for (const auto& [rank, op] : m_sendsTo[to])
        {
            const uint64_t tag = Ops(rank)[op].tag;
            groups[oneGroup ? std::make_pair(0U, uint64_t{0}) : std::make_pair(rank, tag)]
                .sends.emplace_back(rank, op);
        }
        for (uint32_t op = 0; op < Ops(to).size(); ++op)
        {
            const RankOp& receive = Ops(to)[op];
            if (receive.kind == RankOp::Kind::RECV)
            {
                groups[oneGroup ? std::make_pair(0U, uint64_t{0})
                                : std::make_pair(receive.peer, receive.tag)]
                    .receives.push_back(op);
            }
        }
        for (const auto& [key, group] : groups)
        {
            CheckGroup(to, key, oneGroup, group);
        }
    }

    void CheckGroup(uint32_t to,
                    const std::pair<uint32_t, uint64_t>& key,
                    bool oneGroup,
                    const Group& group) const
    {
        const std::size_t sends = group.sends.size();
        const std::size_t receives = group.receives.size();
        const std::string kind = oneGroup ? ""
                                          : " from rank " + std::to_string(key.first) + " of tag " +
                                                std::to_string(key.second);
        const std::string counts = "rank " + std::to_string(to) + " receives " +
                                   std::to_string(receives) + " messages" + kind + ", and " +
                                   std::to_string(sends) + " are sent";
        if (sends > receives)
        {
            Refuse(group.sends[receives].first,
                   group.sends[receives].second,
                   "is not received: " + counts);
        }
        if (receives > sends)
        {
            Refuse(to, group.receives[sends], "receives what is not sent: " + counts);
        }
    }

    const RankProgram& m_program;
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> m_sendsTo; //!< rank and number, by peer
};

} // namespace

void
RankProgram::Check() const
{
    Checker(*this).Check();
}

namespace
{

/// Adds iterations of one rank.
class Repeater
{
  public:
    /// @param once operations, 1 or more. @param nParts of the program
    Repeater(const RankSchedule& once, uint32_t nParts)
        : m_once(once),
          m_nParts(nParts),
          m_isFirst(once.ops.size(), true),
          m_isLast(once.ops.size(), true)
    {
        for (const RankEdge& edge : once.edges)
        {
            m_isFirst[edge.op] = false;
            m_isLast[edge.before] = m_isLast[edge.before] && edge.isStarted;
        }
    }

    /// @brief Add the next iteration. @param after how long, picoseconds
    void Add(RankSchedule& all, int64_t afterPs)
    {
        const auto n = static_cast<uint32_t>(m_once.ops.size());
        const uint32_t before = m_begin;
        const bool waits = afterPs > 0 || m_iteration > 0;
        uint32_t gate = RankOp::NO_OP;
        if (waits)
        {
            RankOp op;
            op.stream = RankOp::NO_STREAM;
            op.durationPs = afterPs;
            gate = all.Add(op);
        }
        m_begin = static_cast<uint32_t>(all.ops.size());
        for (uint32_t i = 0; i < n; ++i)
        {
            RankOp op = m_once.ops[i];
            op.holdsUntil += op.holdsUntil == RankOp::NO_OP ? 0 : m_begin;
            op.part += 1 + m_iteration * m_nParts; // the first is of what is in no iteration
            all.ops.push_back(op);
            if (waits && m_isFirst[i])
            {
                all.Require(m_begin + i, gate);
            }
            if (m_iteration > 0 && m_isLast[i])
            {
                all.Require(gate, before + i);
            }
        }
        for (const RankEdge& edge : m_once.edges)
        {
            all.edges.push_back({m_begin + edge.op, m_begin + edge.before, edge.isStarted});
        }
        ++m_iteration;
    }

  private:
    const RankSchedule& m_once;
    const uint32_t m_nParts;
    std::vector<bool> m_isFirst; //!< by operation: it waits for none
    std::vector<bool> m_isLast;  //!< none waits for its end
    uint32_t m_iteration{0};     //!< how many there are
    uint32_t m_begin{0};         //!< first operation of the last one
};

} // namespace

RankProgram
RankProgram::Repeat(RankProgram once, int64_t startPs, uint32_t times, int64_t pausePs)
{
    RankProgram all;
    all.source = std::move(once.source);
    const auto nParts = static_cast<uint32_t>(once.parts.size());
    for (uint32_t iteration = 1; iteration <= times; ++iteration)
    {
        for (RankPart part : once.parts)
        {
            part.iteration = iteration;
            all.parts.push_back(std::move(part));
        }
    }
    for (RankSchedule& rank : once.ranks)
    {
        const RankSchedule schedule = std::exchange(rank, {});
        RankSchedule& added = all.ranks.emplace_back();
        Repeater repeater(schedule, nParts);
        for (uint32_t i = 0; i < times && !schedule.ops.empty(); ++i)
        {
            repeater.Add(added, i == 0 ? startPs : pausePs);
        }
    }
    return all;
}

std::string
RankProgram::Where(uint32_t rank, uint32_t op) const
{
    const RankOp& found = ranks.at(rank).ops.at(op);
    return found.line ? source + ":" + std::to_string(found.line)
                      : source + ": rank " + std::to_string(rank) + ", operation " +
                            std::to_string(found.label);
}

std::string
RankProgram::GetDigest() const
{
    Sha256 hash;
    for (const RankSchedule& rank : ranks)
    {
        const uint64_t counts[] = {rank.ops.size(), rank.edges.size()};
        hash.Add(counts, sizeof(counts));
        for (const RankOp& op : rank.ops)
        {
            const uint64_t fields[] = {static_cast<uint64_t>(op.kind),
                                       op.stream,
                                       op.nic,
                                       op.peer,
                                       op.holdsUntil,
                                       op.tag,
                                       op.bytes,
                                       static_cast<uint64_t>(op.durationPs)};
            hash.Add(fields, sizeof(fields));
        }
        for (const RankEdge& edge : rank.edges)
        {
            const uint32_t fields[] = {edge.op, edge.before, edge.isStarted};
            hash.Add(fields, sizeof(fields));
        }
    }
    return hash.Finish();
}

uint16_t
RankProgram::GetNNics() const
{
    uint16_t most = 0;
    for (const RankSchedule& rank : ranks)
    {
        for (const RankOp& op : rank.ops)
        {
            most = std::max(most, op.nic);
        }
    }
    return static_cast<uint16_t>(most + 1);
}

} // namespace ns3::roce
