// SPDX-License-Identifier: GPL-2.0-only
#include "roce-chakra-teams.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace ns3::roce
{

namespace
{

using Type = ChakraNode::Type;

/// @return what two nodes of one collective have in common
std::string
Describe(const ChakraNode& node)
{
    return (node.collective ? NameOf(*node.collective) : std::string("no comm_type")) + " of " +
           (node.bytes ? std::to_string(*node.bytes) + " bytes" : "no comm_size");
}

} // namespace

const char*
NameOf(ChakraNode::Collective collective)
{
    const char* const names[] = {"ALL_REDUCE",
                                 "REDUCE",
                                 "ALL_GATHER",
                                 "GATHER",
                                 "SCATTER",
                                 "BROADCAST",
                                 "ALL_TO_ALL",
                                 "REDUCE_SCATTER",
                                 "REDUCE_SCATTER_BLOCK",
                                 "BARRIER"};
    return names[static_cast<std::size_t>(collective)];
}

ChakraTeams::ChakraTeams(const ChakraProgram& rules, uint32_t nRanks)
    : m_rules(rules),
      m_nRanks(nRanks),
      m_levels(rules.levels)
{
    if (m_levels.empty())
    {
        m_levels = {{nRanks, CollectiveProgram::Algorithm::RING}};
    }
    double product = 1;
    for (const CollectiveProgram::Level& level : m_levels)
    {
        product *= level.size;
    }
    if (product != nRanks || rules.pieces == 0)
    {
        throw InputError("Chakra: levels of " + std::to_string(static_cast<uint64_t>(product)) +
                         " ranks, and " + std::to_string(rules.pieces) + " pieces, expected " +
                         std::to_string(nRanks) + " ranks and at least one piece");
    }
}

void
ChakraTeams::ReadGroups(const ChakraTrace& trace, const ChakraNode& node, Groups& named) const
{
    // PyTorch's text of a list of texts, of which one is JSON.
    const std::size_t begin = node.inputs.find("[{");
    const std::size_t end = node.inputs.rfind("}]");
    if (node.inputs.find("pg_name") == std::string::npos || begin == std::string::npos ||
        end == std::string::npos || end < begin)
    {
        return;
    }
    try
    {
        for (const auto& group : nlohmann::json::parse(node.inputs.substr(begin, end + 2 - begin)))
        {
            std::vector<uint32_t> ranks = group.at("ranks");
            if (ranks.empty())
            {
                ranks.resize(m_nRanks);
                std::iota(ranks.begin(), ranks.end(), 0);
            }
            named[group.at("pg_name").get<std::string>()] = ranks;
        }
    }
    catch (const nlohmann::json::exception& e)
    {
        trace.Refuse(node,
                     std::string("has process groups that cannot be read (") + e.what() +
                         "), expected a list of objects with pg_name and ranks");
    }
}

std::vector<uint32_t>
ChakraTeams::RanksOf(const ChakraTrace& trace, const ChakraNode& node, const Groups& named) const
{
    const auto rank = static_cast<uint32_t>(m_files.size() - 1);
    if (!node.group.empty())
    {
        for (const Groups* groups : {&named, &m_rules.groups})
        {
            const auto found = groups->find(node.group);
            if (found == groups->end())
            {
                continue;
            }
            const std::vector<uint32_t>& ranks = found->second;
            const std::set<uint32_t> different(ranks.begin(), ranks.end());
            if (different.count(rank) == 0 || different.size() != ranks.size() ||
                *different.rbegin() >= m_nRanks)
            {
                trace.Refuse(node,
                             "is of process group '" + node.group +
                                 "', expected a group of different ranks from 0 to " +
                                 std::to_string(m_nRanks - 1) + ", with rank " +
                                 std::to_string(rank));
            }
            return ranks;
        }
        if (node.group != "0")
        {
            trace.Refuse(node,
                         "is of process group '" + node.group +
                             "', expected one of a METADATA node or of a file of groups");
        }
    }
    return SpannedBy(trace, node);
}

/// @return ranks that are in the same place in all levels that a node does not span
std::vector<uint32_t>
ChakraTeams::SpannedBy(const ChakraTrace& trace, const ChakraNode& node) const
{
    const std::vector<bool>& spans = node.dimensions;
    const bool all =
        !node.group.empty() || std::find(spans.begin(), spans.end(), false) == spans.end();
    if (!all && spans.size() < m_levels.size())
    {
        trace.Refuse(node,
                     "has " + std::to_string(spans.size()) + " values in involved_dim, expected " +
                         std::to_string(m_levels.size()) + ", one for each level");
    }
    std::vector<uint32_t> ranks{static_cast<uint32_t>(m_files.size() - 1)};
    uint32_t stride = 1;
    for (std::size_t i = 0; i < m_levels.size(); ++i)
    {
        const uint32_t size = m_levels[i].size;
        if (all || spans[i])
        {
            const std::vector<uint32_t> inner = ranks;
            ranks.clear();
            for (uint32_t q = 0; q < size; ++q)
            {
                for (const uint32_t r : inner)
                {
                    ranks.push_back(r - r / stride % size * stride + q * stride);
                }
            }
        }
        stride *= size;
    }
    return ranks;
}

std::vector<CollectiveProgram::Level>
ChakraTeams::LevelsOf(const std::vector<uint32_t>& ranks) const
{
    std::vector<CollectiveProgram::Level> levels;
    std::size_t product = 1;
    uint32_t stride = 1;
    for (CollectiveProgram::Level level : m_levels)
    {
        std::set<uint32_t> places;
        for (const uint32_t rank : ranks)
        {
            places.insert(rank / stride % level.size);
        }
        stride *= level.size;
        level.size = static_cast<uint32_t>(places.size());
        product *= places.size();
        if (level.size > 1)
        {
            levels.push_back(level);
        }
    }
    if (product != ranks.size()) // no part of each level
    {
        levels = {m_levels.back()};
        levels.back().size = static_cast<uint32_t>(ranks.size());
    }
    return levels;
}

uint32_t
ChakraTeams::TeamOf(const std::string& name, const std::vector<uint32_t>& ranks)
{
    const auto number = static_cast<uint32_t>(m_teams.size());
    const auto [found, isNew] = m_teamOf.try_emplace({name, ranks}, number);
    if (isNew)
    {
        Team team;
        team.ranks = ranks;
        team.levels = LevelsOf(ranks);
        team.counts.resize(ranks.size());
        if (team.levels.size() > 1)
        {
            std::sort(team.ranks.begin(), team.ranks.end()); // as the levels are
        }
        m_teams.push_back(team);
    }
    return found->second;
}

void
ChakraTeams::Read(const ChakraGraph& graph)
{
    const ChakraTrace& trace = graph.trace;
    const auto rank = static_cast<uint32_t>(m_files.size());
    m_files.push_back(trace.file);
    m_parts.emplace_back();
    Groups named;
    for (const ChakraNode* node : graph.nodes)
    {
        if (node->type == Type::METADATA)
        {
            ReadGroups(trace, *node, named);
        }
        if (node->type == Type::SEND || node->type == Type::RECV)
        {
            m_tag = std::max(m_tag, node->tag + 1);
        }
    }
    std::map<std::pair<std::string, std::vector<bool>>, Part> known;
    for (const uint32_t number : graph.order)
    {
        const ChakraNode& node = *graph.nodes[number];
        if (node.type != Type::COLLECTIVE)
        {
            continue;
        }
        const auto [found, isNew] = known.try_emplace({node.group, node.dimensions});
        Part& part = found->second;
        if (isNew)
        {
            part.team = TeamOf(node.group, RanksOf(trace, node, named));
            const std::vector<uint32_t>& ranks = m_teams[part.team].ranks;
            const auto own = std::find(ranks.begin(), ranks.end(), rank);
            part.member = static_cast<uint32_t>(own - ranks.begin());
        }
        Team& team = m_teams[part.team];
        part.number = team.counts[part.member]++;
        if (part.number == team.collectives.size())
        {
            team.collectives.push_back({&trace, &node});
        }
        const Collective& first = team.collectives[part.number];
        if (Describe(node) != Describe(*first.node))
        {
            trace.Refuse(node,
                         "is " + Describe(node) + ", expected " + Describe(*first.node) +
                             " as node " + std::to_string(first.node->id) + " of " +
                             first.trace->file);
        }
        m_parts.back()[number] = part;
    }
}

CollectiveProgram
ChakraTeams::ProgramOf(const Team& team, const Collective& collective) const
{
    using Kind = CollectiveProgram::Kind;
    using Name = ChakraNode::Collective;
    const ChakraTrace* const trace = collective.trace;
    const ChakraNode* const node = collective.node;
    const bool isBarrier = node->collective == Name::BARRIER;
    if (!node->collective || (!node->bytes && !isBarrier))
    {
        trace->Refuse(*node, "has no comm_type or no comm_size, expected both");
    }
    static const std::map<Name, Kind> kinds{
        {Name::ALL_REDUCE, Kind::ALL_REDUCE},
        {Name::ALL_GATHER, Kind::ALL_GATHER},
        {Name::REDUCE_SCATTER, Kind::REDUCE_SCATTER},
        {Name::REDUCE_SCATTER_BLOCK, Kind::REDUCE_SCATTER},
        {Name::ALL_TO_ALL, Kind::ALL_TO_ALL},
        {Name::REDUCE, Kind::REDUCE},
        {Name::BROADCAST, Kind::BROADCAST},
        {Name::BARRIER, Kind::REDUCE},
    };
    const auto found = kinds.find(*node->collective);
    if (found == kinds.end())
    {
        trace->Refuse(*node,
                      std::string("is ") + NameOf(*node->collective) +
                          ", expected ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, REDUCE, "
                          "BROADCAST or BARRIER");
    }
    CollectiveProgram program;
    program.kind = found->second;
    program.ranks = team.ranks;
    program.levels = team.levels;
    program.bytes = isBarrier ? 1 : *node->bytes;
    program.pieces = isBarrier ? 1 : m_rules.pieces;
    program.tag = m_tag;
    if (program.kind == Kind::ALL_GATHER)
    {
        if (program.bytes > INT64_MAX / team.ranks.size())
        {
            trace->Refuse(*node,
                          "has a result of more than 2^63 - 1 bytes, expected a smaller one");
        }
        program.bytes *= team.ranks.size();
    }
    for (CollectiveProgram::Level& level : program.levels)
    {
        const bool isRooted = program.kind == Kind::REDUCE || program.kind == Kind::BROADCAST;
        level.algorithm = isRooted                           ? CollectiveProgram::Algorithm::TREE
                          : program.kind == Kind::ALL_TO_ALL ? m_rules.allToAll
                                                             : level.algorithm;
    }
    try
    {
        program.Check();
    }
    catch (const InputError& e)
    {
        trace->Refuse(*node, std::string("cannot be laid out: ") + e.what());
    }
    return program;
}

RankPart
ChakraTeams::PartOf(const Team& team, const Collective& collective) const
{
    const std::string& group = collective.node->group;
    const std::string of = !group.empty() ? "group " + group
                           : team.ranks.size() == m_nRanks
                               ? "all ranks"
                               : "the group of rank " + std::to_string(team.ranks[0]);
    RankPart part = collective.program.MakePart(of);
    if (collective.node->collective == ChakraNode::Collective::BARRIER)
    {
        part = {};
        part.name = "barrier of " + of;
    }
    return part;
}

void
ChakraTeams::Finish(std::vector<RankPart>& parts)
{
    for (Team& team : m_teams)
    {
        for (std::size_t member = 0; member < team.ranks.size(); ++member)
        {
            if (team.counts[member] < team.collectives.size())
            {
                const Collective& missing = team.collectives[team.counts[member]];
                missing.trace->Refuse(
                    *missing.node,
                    "is a collective with rank " + std::to_string(team.ranks[member]) +
                        ", expected a node of it in " + m_files[team.ranks[member]]);
            }
        }
        for (Collective& collective : team.collectives)
        {
            collective.program = ProgramOf(team, collective);
            m_tag += m_rules.pieces;
            collective.part = static_cast<uint32_t>(parts.size());
            parts.push_back(PartOf(team, collective));
        }
    }
}

} // namespace ns3::roce
