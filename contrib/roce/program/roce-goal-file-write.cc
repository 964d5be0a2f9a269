// SPDX-License-Identifier: GPL-2.0-only
#include "roce-goal-binary.h"
#include "roce-goal-file.h"
#include "roce-stream-order.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <ostream>
#include <set>

namespace ns3::roce
{

namespace
{

/// Give CPUs to what needs none, and take them from what has them for longer than GOAL knows, where
/// that makes no difference. @throw InputError where it does
RankSchedule
OnCpus(const RankProgram& program, uint32_t rank)
{
    RankSchedule schedule = program.ranks[rank];
    uint32_t spare = 0; // the first that the program does not have
    for (const RankOp& op : schedule.ops)
    {
        spare = op.stream == RankOp::NO_STREAM ? spare : std::max(spare, op.stream + 1U);
    }
    std::set<uint16_t> doubtful;
    for (RankOp& op : schedule.ops)
    {
        if (op.stream == RankOp::NO_STREAM)
        {
            // Messages do not wait for those that compute.
            op.stream = static_cast<uint16_t>(spare + (op.durationPs > 0));
            op.holdsUntil = RankOp::NO_OP;
        }
        if (op.stream >= spare || op.holdsUntil != RankOp::NO_OP)
        {
            doubtful.insert(op.stream);
        }
    }
    for (const uint16_t cpu : doubtful)
    {
        const uint32_t found = StreamOrder::FindUnordered(schedule, cpu);
        if (found != RankOp::NO_OP)
        {
            throw InputError(program.Where(rank, found) + ": " +
                             (cpu >= spare ? "computes without a stream"
                                           : "shares a stream that operations hold") +
                             " while others may, too, which GOAL has no form for");
        }
    }
    return schedule;
}

} // namespace

void
GoalFile::WriteText(std::ostream& out, const RankProgram& program)
{
    constexpr int64_t PS_PER_NS = GoalBinary::PS_PER_NS;
    out << "num_ranks " << program.ranks.size() << "\n";
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    {
        out << "\nrank " << rank << " {\n";
        const RankSchedule schedule = OnCpus(program, rank);
        for (uint32_t number = 0; number < schedule.ops.size(); ++number)
        {
            const RankOp& op = schedule.ops[number];
            if (std::max(op.stream, op.nic) > MAX_UNIT ||
                (op.tag > MAX_TAG && op.tag != RankOp::ANY_TAG))
            {
                throw InputError(program.Where(rank, number) + ": has CPU " +
                                 std::to_string(op.stream) + ", NIC " + std::to_string(op.nic) +
                                 ", tag " + std::to_string(op.tag) + ", expected up to " +
                                 std::to_string(MAX_UNIT) + ", " + std::to_string(MAX_UNIT) + ", " +
                                 std::to_string(MAX_TAG) + " for GOAL");
            }
            out << "l" << number + 1 << ": ";
            if (op.kind == RankOp::Kind::CALC)
            {
                out << "calc " << (op.durationPs + PS_PER_NS / 2) / PS_PER_NS << " cpu "
                    << op.stream << "\n";
                continue;
            }
            const bool isSend = op.kind == RankOp::Kind::SEND;
            const auto orAny = [](uint64_t value, uint64_t any) {
                return value == any ? std::string("-1") : std::to_string(value);
            };
            out << (isSend ? "send " : "recv ") << op.bytes << (isSend ? "b to " : "b from ")
                << orAny(op.peer, RankOp::ANY_RANK) << " tag " << orAny(op.tag, RankOp::ANY_TAG)
                << " cpu " << op.stream << " nic " << op.nic << "\n";
        }
        for (const RankEdge& edge : schedule.edges)
        {
            out << "l" << edge.op + 1 << (edge.isStarted ? " irequires l" : " requires l")
                << edge.before + 1 << "\n";
        }
        out << "}\n";
    }
}

} // namespace ns3::roce
