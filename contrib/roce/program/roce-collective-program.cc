// SPDX-License-Identifier: GPL-2.0-only
#include "roce-collective-program.h"

#include "roce-collective-part.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-text-form.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

using Kind = CollectiveProgram::Kind;
using Algorithm = CollectiveProgram::Algorithm;
using Level = CollectiveProgram::Level;
using Shares = CollectivePart::Shares;

/// @return bytes of a share of several
uint64_t
ShareOf(uint64_t bytes, uint64_t share, uint64_t shares)
{
    return bytes / shares + (share < bytes % shares ? 1 : 0);
}

/// @return what a level does first on the way through several, and what on the way back
std::pair<Kind, Kind>
WaysOf(Kind kind, bool isLast)
{
    return kind == Kind::ALL_REDUCE && !isLast ? std::pair(Kind::REDUCE_SCATTER, Kind::ALL_GATHER)
                                               : std::pair(kind, kind);
}

bool
GoesThere(Kind kind)
{
    return kind != Kind::ALL_GATHER && kind != Kind::BROADCAST;
}

bool
GoesBack(Kind kind, bool isLast)
{
    return !GoesThere(kind) || (kind == Kind::ALL_REDUCE && !isLast);
}

/// A group of a level that a rank is in.
struct Group
{
    std::vector<uint32_t> ranks;
    uint32_t place;  //!< of the rank in it
    uint64_t stride; //!< from one of its members to the next, in the list of all
    bool isFirst;    //!< of the groups of the levels before, the rank is the first one
};

/// @return the groups that a rank is in, one in each level
std::vector<Group>
GroupsOf(const CollectiveProgram& collective, uint32_t member)
{
    std::vector<Group> groups;
    uint64_t stride = 1;
    bool isFirst = true;
    for (const Level& level : collective.levels)
    {
        const auto place = static_cast<uint32_t>(member / stride % level.size);
        groups.push_back({{}, place, stride, isFirst});
        for (uint32_t q = 0; q < level.size; ++q)
        {
            groups.back().ranks.push_back(collective.ranks[member - place * stride + q * stride]);
        }
        stride *= level.size;
        isFirst = isFirst && place == 0;
    }
    return groups;
}

/// @return for each level, what each place of the rank's group has or gets there
std::vector<Shares>
SharesOf(const CollectiveProgram& collective,
         const std::vector<Group>& groups,
         uint32_t member,
         uint64_t bytes)
{
    const uint64_t nRanks = collective.ranks.size();
    const bool isRooted = collective.kind == Kind::REDUCE || collective.kind == Kind::BROADCAST;
    std::vector<Shares> all;
    uint64_t left = bytes;
    for (const Group& group : groups)
    {
        const uint64_t size = group.ranks.size();
        Shares shares(size);
        for (uint64_t q = 0; q < size; ++q)
        {
            if (collective.kind != Kind::ALL_TO_ALL)
            {
                shares[q] = ShareOf(left, q, size);
                continue;
            }
            // The levels before have brought here what is for ranks of these places in them.
            const uint64_t first = member % group.stride + q * group.stride;
            for (uint64_t to = first; to < nRanks; to += size * group.stride)
            {
                shares[q] += group.stride * ShareOf(bytes, to, nRanks);
            }
        }
        left = isRooted ? left : shares[group.place];
        all.push_back(std::move(shares));
    }
    return all;
}

/// @return the last level with more than one rank, 0 if there is none
std::size_t
LastOf(const std::vector<Level>& levels)
{
    std::size_t last = 0;
    for (std::size_t i = 0; i < levels.size(); ++i)
    {
        last = levels[i].size > 1 ? i : last;
    }
    return last;
}

} // namespace

std::string
CollectiveProgram::NameOf(Algorithm algorithm)
{
    const char* const names[] = {"ring", "tree", "halving-doubling", "direct", "chain"};
    return names[static_cast<std::size_t>(algorithm)];
}

std::string
CollectiveProgram::NameOf(Kind kind)
{
    const char* const names[] =
        {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "reduce", "broadcast"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<Level>
CollectiveProgram::ParseLevels(const std::string& text)
{
    static const TextForm form("([1-9][0-9]{0,6}):(ring|tree|halving-doubling|direct|chain)");
    std::vector<Level> levels;
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');)
    {
        const std::vector<std::string> match = form.Match(item);
        if (match.empty())
        {
            throw InputError("has '" + item +
                             "', expected SIZE:ALGORITHM, with ring, tree, halving-doubling, "
                             "direct or chain, such as 8:direct,4:ring");
        }
        auto algorithm = Algorithm::RING;
        while (NameOf(algorithm) != match[2])
        {
            algorithm = static_cast<Algorithm>(static_cast<int>(algorithm) + 1);
        }
        levels.push_back({static_cast<uint32_t>(std::stoul(match[1])), algorithm});
    }
    return levels;
}

RankPart
CollectiveProgram::MakePart(const std::string& of) const
{
    RankPart part;
    part.name = NameOf(kind) + " of " + of;
    part.bytes = bytes;
    const auto n = static_cast<double>(ranks.size());
    const bool isRooted = kind == Kind::REDUCE || kind == Kind::BROADCAST;
    part.busFactor = isRooted ? 1 : (kind == Kind::ALL_REDUCE ? 2 : 1) * (n - 1) / n;
    return part;
}

bool
CollectiveProgram::Has(Algorithm algorithm, Kind kind)
{
    const bool isOfTree = kind == Kind::REDUCE || kind == Kind::BROADCAST;
    switch (algorithm)
    {
    case Algorithm::TREE:
    case Algorithm::CHAIN:
        return isOfTree || kind == Kind::ALL_REDUCE;
    case Algorithm::HALVING_DOUBLING:
        return !isOfTree && kind != Kind::ALL_TO_ALL;
    default:
        return !isOfTree;
    }
}

void
CollectiveProgram::Check() const
{
    const std::string name = "collective " + NameOf(kind);
    if (ranks.empty() || pieces == 0)
    {
        throw InputError(name + ": " + std::to_string(ranks.size()) + " ranks and " +
                         std::to_string(pieces) + " pieces, expected at least one");
    }
    std::vector<uint32_t> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end() || sorted.back() == RankOp::ANY_RANK)
    {
        throw InputError(
            name + ": rank " + std::to_string(twice != sorted.end() ? *twice : sorted.back()) +
            (twice != sorted.end() ? " twice, expected it once" : ", expected at most 4294967294"));
    }
    double product = 1;
    for (std::size_t i = 0; i < levels.size(); ++i)
    {
        const auto& [size, algorithm, nic] = levels[i];
        product *= size;
        const Kind needed = WaysOf(kind, i == LastOf(levels)).first;
        if (size > 1 && !Has(algorithm, needed))
        {
            throw InputError(name + ": level " + std::to_string(i) + " is " + NameOf(needed) +
                             " by " + NameOf(algorithm) + ", expected an algorithm that has it");
        }
        if (block == 0 || size % block != 0)
        {
            throw InputError(name + ": level " + std::to_string(i) + " of " + std::to_string(size) +
                             " ranks in blocks of " + std::to_string(block) +
                             ", expected whole blocks");
        }
        if (algorithm == Algorithm::HALVING_DOUBLING && (size & (size - 1)) != 0)
        {
            throw InputError(name + ": " + std::to_string(size) +
                             " ranks by halving-doubling, expected a power of two");
        }
    }
    if (product != static_cast<double>(ranks.size()))
    {
        throw InputError(name + ": levels of " + std::to_string(static_cast<uint64_t>(product)) +
                         " ranks in all, expected " + std::to_string(ranks.size()));
    }
}

/// @return what all operations of a piece have in common
RankOp
CollectiveProgram::Model(uint32_t piece, uint64_t label) const
{
    RankOp model;
    model.stream = stream;
    model.tag = tag + piece;
    model.label = label;
    model.part = part;
    return model;
}

uint32_t
CollectiveProgram::Add(RankSchedule& schedule,
                       uint32_t member,
                       uint32_t after,
                       uint64_t label) const
{
    const std::vector<Group> groups = GroupsOf(*this, member);
    const std::size_t last = LastOf(levels);
    const bool isRooted = kind == Kind::REDUCE || kind == Kind::BROADCAST;
    std::vector<uint32_t> ends;
    for (uint32_t piece = 0; piece < pieces; ++piece)
    {
        const uint64_t bytesOfPiece = ShareOf(bytes, piece, pieces);
        const std::vector<Shares> shares = SharesOf(*this, groups, member, bytesOfPiece);
        CollectivePart part(schedule, Model(piece, label), block, atOnce);
        uint32_t received = after;
        const auto run = [&](std::size_t i, Kind what) {
            const Group& group = groups[i];
            if (group.ranks.size() > 1 && (group.isFirst || !isRooted))
            {
                part.Enter(group.ranks, group.place, levels[i].nic);
                const bool reversed = !isRooted && piece % 2 == 1;
                received = part.Run(levels[i].algorithm, what, shares[i], reversed, received);
            }
        };
        for (std::size_t i = 0; i < levels.size() && GoesThere(kind); ++i)
        {
            run(i, WaysOf(kind, i == last).first);
        }
        for (std::size_t i = levels.size(); i-- > 0;)
        {
            if (GoesBack(kind, i == last))
            {
                run(i, WaysOf(kind, i == last).second);
            }
        }
        const uint32_t end = part.Finish(received);
        if (end != RankOp::NO_OP && (ends.empty() || ends.back() != end)) // `after`, of several
        {
            ends.push_back(end);
        }
    }
    CollectivePart all(schedule, Model(0, label), block, atOnce);
    const uint32_t end = all.Join(ends, after);
    return end == RankOp::NO_OP ? all.Nothing() : end;
}

RankProgram
CollectiveProgram::Generate() const
{
    Check();
    RankProgram program;
    program.source = "collective " + NameOf(kind);
    program.ranks.resize(*std::max_element(ranks.begin(), ranks.end()) + std::size_t{1});
    for (uint32_t member = 0; member < ranks.size(); ++member)
    {
        Add(program.ranks[ranks[member]], member, RankOp::NO_OP);
    }
    return program;
}

} // namespace ns3::roce
