// SPDX-License-Identifier: GPL-2.0-only
#include "roce-chakra-program.h"

#include "roce-chakra-graph.h"
#include "roce-chakra-teams.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

namespace ns3::roce
{

namespace
{

using Type = ChakraNode::Type;

/// Makes the operations of one rank.
class Writer
{
  public:
    Writer(const ChakraProgram& rules,
           const ChakraTeams& teams,
           const ChakraGraph& graph,
           uint32_t rank,
           uint32_t nRanks)
        : m_rules(rules),
          m_teams(teams),
          m_graph(graph),
          m_rank(rank),
          m_nRanks(nRanks)
    {
    }

    RankSchedule Write();

  private:
    uint32_t AddNode(uint32_t number);
    uint32_t AddCalculation(const ChakraNode& node);
    uint32_t AddMessage(const ChakraNode& node);
    uint32_t AddCollective(const ChakraNode& node, const ChakraTeams::Part& part);

    const ChakraProgram& m_rules;
    const ChakraTeams& m_teams;
    const ChakraGraph& m_graph;
    uint32_t m_rank;
    uint32_t m_nRanks;
    RankSchedule m_schedule;
};

RankSchedule
Writer::Write()
{
    std::vector<uint32_t> first; // operation of each node
    std::vector<uint32_t> last;
    const std::size_t nNodes = m_graph.nodes.size();
    for (uint32_t i = 0; i < nNodes; ++i)
    {
        first.push_back(static_cast<uint32_t>(m_schedule.ops.size()));
        last.push_back(AddNode(i));
    }
    for (uint32_t i = 0; i < nNodes; ++i)
    {
        for (const uint32_t before : m_graph.before[i])
        {
            m_schedule.Require(first[i], last[before]);
        }
    }
    return std::move(m_schedule);
}

/// @return the operation that is done when the node is
uint32_t
Writer::AddNode(uint32_t number)
{
    const ChakraNode& node = *m_graph.nodes[number];
    switch (node.type)
    {
    case Type::COLLECTIVE:
        return AddCollective(node, m_teams.GetPart(m_rank, number));
    case Type::SEND:
    case Type::RECV:
        return AddMessage(node);
    default:
        return AddCalculation(node);
    }
}

uint32_t
Writer::AddCalculation(const ChakraNode& node)
{
    RankOp op;
    op.label = node.id;
    op.stream = RankOp::NO_STREAM;
    if (node.type != Type::INVALID && node.type != Type::METADATA)
    {
        constexpr uint64_t PS_PER_US = 1000000;
        if (node.durationUs > INT64_MAX / PS_PER_US)
        {
            m_graph.trace.Refuse(node,
                                 "takes " + std::to_string(node.durationUs) +
                                     " us, expected at most " +
                                     std::to_string(INT64_MAX / PS_PER_US));
        }
        op.durationPs = static_cast<int64_t>(node.durationUs * PS_PER_US);
        if (m_rules.takesTurns)
        {
            op.stream = node.isCpu                ? ChakraProgram::CPU
                        : node.type == Type::COMP ? ChakraProgram::GPU
                                                  : ChakraProgram::COMMUNICATION;
        }
    }
    return m_schedule.Add(op);
}

uint32_t
Writer::AddMessage(const ChakraNode& node)
{
    const bool isSend = node.type == Type::SEND;
    const auto& peer = isSend ? node.destination : node.source;
    const auto& own = isSend ? node.source : node.destination;
    const std::string peerName = isSend ? "comm_dst" : "comm_src";
    const std::string ownName = isSend ? "comm_src" : "comm_dst";
    if (!peer || *peer >= m_nRanks || *peer == m_rank)
    {
        const std::string found =
            peer ? "has " + peerName + " " + std::to_string(*peer) : "has no " + peerName;
        m_graph.trace.Refuse(node,
                             found + ", expected another rank, 0 to " +
                                 std::to_string(m_nRanks - 1));
    }
    if (own && *own != m_rank)
    {
        m_graph.trace.Refuse(node,
                             "has " + ownName + " " + std::to_string(*own) +
                                 ", expected the rank itself, " + std::to_string(m_rank));
    }
    if (!node.bytes)
    {
        m_graph.trace.Refuse(node, "has no comm_size, expected one");
    }
    RankOp op;
    op.kind = isSend ? RankOp::Kind::SEND : RankOp::Kind::RECV;
    op.peer = static_cast<uint32_t>(*peer);
    op.bytes = *node.bytes;
    op.tag = node.tag;
    op.label = node.id;
    op.stream = RankOp::NO_STREAM;
    if (isSend && m_rules.takesTurns)
    {
        op.stream = ChakraProgram::COMMUNICATION;
        op.holdsUntil = static_cast<uint32_t>(m_schedule.ops.size());
    }
    return m_schedule.Add(op);
}

uint32_t
Writer::AddCollective(const ChakraNode& node, const ChakraTeams::Part& part)
{
    const ChakraTeams::Collective& collective = m_teams.GetCollective(part);
    const CollectiveProgram& program = collective.program;
    RankOp gate; // its turn lasts until all of the collective is done
    gate.label = node.id;
    gate.stream = RankOp::NO_STREAM;
    const uint32_t begin = m_schedule.Add(gate);
    uint32_t end = program.Add(m_schedule, part.member, begin, node.id);
    if (node.collective == ChakraNode::Collective::BARRIER)
    {
        CollectiveProgram back = program; // of a reduce
        back.kind = CollectiveProgram::Kind::BROADCAST;
        end = back.Add(m_schedule, part.member, end, node.id);
    }
    for (uint32_t op = begin; op < m_schedule.ops.size(); ++op)
    {
        m_schedule.ops[op].part = collective.part;
    }
    if (m_rules.takesTurns)
    {
        m_schedule.ops[begin].stream = ChakraProgram::COMMUNICATION;
        m_schedule.ops[begin].holdsUntil = end;
    }
    return end;
}

} // namespace

std::map<std::string, std::vector<uint32_t>>
ChakraProgram::ReadGroups(const std::string& path)
{
    std::ifstream in = InputFile::Open(path, "a file of process groups");
    try
    {
        return nlohmann::json::parse(in).get<std::map<std::string, std::vector<uint32_t>>>();
    }
    catch (const std::exception& e) // of JSON, or of the stream: it may be a directory
    {
        throw InputError(path,
                         1,
                         std::string("cannot be read (") + e.what() +
                             R"(), expected {"NAME": [RANK, ...], ...})");
    }
}

RankProgram
ChakraProgram::Make(const std::vector<ChakraTrace>& traces, const std::string& source) const
{
    const auto nRanks = static_cast<uint32_t>(traces.size());
    ChakraTeams teams(*this, nRanks);
    std::vector<ChakraGraph> graphs;
    for (const ChakraTrace& trace : traces)
    {
        graphs.emplace_back(trace);
        teams.Read(graphs.back());
    }
    RankProgram program;
    teams.Finish(program.parts);
    program.source = source;
    for (uint32_t rank = 0; rank < nRanks; ++rank)
    {
        program.ranks.push_back(Writer(*this, teams, graphs[rank], rank, nRanks).Write());
    }
    return program;
}

std::vector<ChakraTrace>
ChakraProgram::ToTraces(const RankProgram& program)
{
    std::vector<ChakraTrace> traces;
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    {
        const RankSchedule& schedule = program.ranks[rank];
        const auto refuse = [&](std::size_t op, const std::string& message) {
            throw InputError(program.source + ": rank " + std::to_string(rank) + ", operation " +
                             std::to_string(op) + " " + message);
        };
        ChakraTrace trace;
        trace.file = program.source;
        for (const RankOp& op : schedule.ops)
        {
            ChakraNode node;
            node.id = trace.nodes.size();
            if (op.nic)
            {
                refuse(node.id,
                       "is of NIC " + std::to_string(op.nic) + ", which Chakra has no form for");
            }
            if (op.kind == RankOp::Kind::CALC)
            {
                node.type = Type::COMP;
                node.name = "calc";
                node.durationUs = (static_cast<uint64_t>(op.durationPs) + 500000) / 1000000;
            }
            else
            {
                const bool isSend = op.kind == RankOp::Kind::SEND;
                node.type = isSend ? Type::SEND : Type::RECV;
                node.name = isSend ? "send" : "recv";
                node.bytes = op.bytes;
                node.tag = op.tag;
                node.source = isSend ? rank : op.peer;
                node.destination = isSend ? op.peer : rank;
                if (op.peer == RankOp::ANY_RANK || op.tag > INT32_MAX)
                {
                    refuse(node.id,
                           op.peer == RankOp::ANY_RANK
                               ? "receives from any rank, which Chakra has no form for"
                               : "has a tag above 2^31 - 1, which Chakra has no form for");
                }
            }
            if (!program.parts[op.part].name.empty())
            {
                node.name = program.parts[op.part].name;
            }
            trace.nodes.push_back(node);
        }
        for (const RankEdge& edge : schedule.edges)
        {
            if (edge.isStarted)
            {
                refuse(edge.op, "waits for the start of another one, which Chakra has no form for");
            }
            trace.nodes[edge.op].afterData.push_back(edge.before);
        }
        traces.push_back(std::move(trace));
    }
    return traces;
}

} // namespace ns3::roce
