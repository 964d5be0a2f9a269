// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CHAKRA_TEAMS_H
#define ROCE_CHAKRA_TEAMS_H

#include "roce-chakra-graph.h"
#include "roce-chakra-program.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// Which nodes of different ranks are one collective: those of one team and one number in it.
class ChakraTeams
{
  public:
    /// A collective, as the first rank that has it says.
    struct Collective
    {
        const ChakraTrace* trace;
        const ChakraNode* node;
        CollectiveProgram program{}; //!< of a barrier: the first half, a reduce
        uint32_t part{0};            //!< see RankProgram::parts
    };

    /// Ranks that do collectives with each other.
    struct Team
    {
        std::vector<uint32_t> ranks;
        std::vector<CollectiveProgram::Level> levels; //!< of these ranks
        std::vector<Collective> collectives;
        std::vector<std::size_t> counts; //!< of each rank: how many collectives it has
    };

    /// What a node of a collective is.
    struct Part
    {
        uint32_t team{0};
        uint32_t member{0};    //!< place among the team's ranks
        std::size_t number{0}; //!< of the team's collectives
    };

    /// @param rules of the program, there longer. @throw InputError if its levels are impossible
    ChakraTeams(const ChakraProgram& rules, uint32_t nRanks);

    /// @brief Read the next rank. @throw InputError for another collective than other ranks have
    void Read(const ChakraGraph& graph);

    /// @brief All ranks are read: make the collectives. @param parts [in,out] of the program: each
    /// collective is one. @throw InputError for a collective that a rank lacks
    void Finish(std::vector<RankPart>& parts);

    /// @return what a node is. @param node number in the graph, of a collective
    const Part& GetPart(uint32_t rank, uint32_t node) const
    {
        return m_parts[rank].at(node);
    }

    /// @return the collective of a part
    const Collective& GetCollective(const Part& part) const
    {
        return m_teams[part.team].collectives[part.number];
    }

  private:
    using Groups = std::map<std::string, std::vector<uint32_t>>;

    void ReadGroups(const ChakraTrace& trace, const ChakraNode& node, Groups& named) const;
    std::vector<uint32_t> RanksOf(const ChakraTrace& trace,
                                  const ChakraNode& node,
                                  const Groups& named) const;
    std::vector<uint32_t> SpannedBy(const ChakraTrace& trace, const ChakraNode& node) const;
    std::vector<CollectiveProgram::Level> LevelsOf(const std::vector<uint32_t>& ranks) const;
    RankPart PartOf(const Team& team, const Collective& collective) const;
    CollectiveProgram ProgramOf(const Team& team, const Collective& collective) const;
    uint32_t TeamOf(const std::string& name, const std::vector<uint32_t>& ranks);

    const ChakraProgram& m_rules;
    uint32_t m_nRanks;
    std::vector<CollectiveProgram::Level> m_levels;          //!< of all ranks
    std::vector<std::string> m_files;                        //!< by rank
    std::vector<std::unordered_map<uint32_t, Part>> m_parts; //!< by rank, and number of the node
    std::vector<Team> m_teams;
    std::map<std::pair<std::string, std::vector<uint32_t>>, uint32_t> m_teamOf; //!< name, ranks
    uint64_t m_tag{0}; //!< above those of sends and receives
};

/// @return name in the schema, such as "ALL_REDUCE"
const char* NameOf(ChakraNode::Collective collective);

} // namespace ns3::roce

#endif /* ROCE_CHAKRA_TEAMS_H */
