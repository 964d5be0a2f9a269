// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mpi-ranks.h"

#include "ns3/roce-byte-stream.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"

#include <algorithm>
#include <set>
#include <utility>

// Whether all processes have the same options and input, and no error.

namespace ns3::roce
{

namespace
{

using Entries = std::vector<std::pair<std::string, std::string>>;

/// @return names and values that have been packed
Entries
Unpack(const std::string& bytes)
{
    Entries entries;
    for (ByteReader reader(bytes); !reader.IsEmpty();)
    {
        auto& [name, value] = entries.emplace_back();
        reader(name)(value);
    }
    return entries;
}

/// @return the first thing that process 0 has otherwise. @param there of process 0 @param here of
/// the other one, both packed
std::string
FindDifference(const std::string& there, const std::string& here)
{
    constexpr std::size_t MOST_SHOWN = 100;
    const Entries first = Unpack(there);
    const Entries other = Unpack(here);
    const std::set<std::pair<std::string, std::string>> inFirst(first.begin(), first.end());
    const std::set<std::pair<std::string, std::string>> inOther(other.begin(), other.end());
    const auto valueIn = [](const Entries& entries, const std::string& name) {
        const auto found = std::find_if(entries.begin(), entries.end(), [&name](const auto& entry) {
            return entry.first == name;
        });
        return found == entries.end() ? "not set" : found->second;
    };
    for (const auto* entries : {&other, &first})
    {
        for (const auto& entry : *entries)
        {
            if (!inFirst.count(entry) || !inOther.count(entry))
            {
                const std::string mine = valueIn(other, entry.first);
                const std::string theirs = valueIn(first, entry.first);
                return mine.size() > MOST_SHOWN || theirs.size() > MOST_SHOWN
                           ? entry.first
                           : entry.first + " is " + mine + ", there " + theirs;
            }
        }
    }
    return "their order";
}

} // namespace

void
MpiRanks::Agree(const std::vector<PartDigest>& parts)
{
    MpiRanks* const ranks = Get();
    if (!ranks)
    {
        return;
    }
    std::vector<std::string> digests;
    for (const PartDigest& part : parts)
    {
        digests.push_back(part.sha256);
    }
    Mismatch mismatch;
    std::string error = ranks->FirstError("", digests, mismatch);
    if (mismatch.isThere && mismatch.part < parts.size())
    {
        error = ranks->Describe(mismatch, parts.at(mismatch.part));
    }
    if (!error.empty())
    {
        if (IsFirst())
        {
            Messages::Say("error", error);
        }
        ranks->m_told = true;
        throw InputError(error);
    }
}

/**
 * All processes tell what errors they have met.
 * @param own error of this one
 * @param digests of this one, none after an error
 * @param [out] mismatch the first process with other digests, if none has met an error
 * @return the first error
 */
std::string
MpiRanks::FirstError(const std::string& own,
                     const std::vector<std::string>& digests,
                     Mismatch& mismatch)
{
    std::string bytes;
    ByteWriter writer(bytes);
    writer(own);
    for (const std::string& digest : digests)
    {
        writer(digest);
    }
    std::string error;
    std::vector<std::string> first;
    unsigned rank = 0;
    for (const std::string& other : Gather(bytes))
    {
        std::string theirs;
        ByteReader reader(other);
        reader(theirs);
        std::vector<std::string> theirDigests;
        while (!reader.IsEmpty())
        {
            reader(theirDigests.emplace_back());
        }
        first = rank == 0 ? theirDigests : first;
        if (error.empty() && !theirs.empty())
        {
            error = (rank ? "process " + std::to_string(rank) + ": " : "") + theirs;
        }
        if (!mismatch.isThere && theirDigests != first)
        {
            const std::size_t n = std::min(first.size(), theirDigests.size());
            const auto differ =
                std::mismatch(first.begin(), first.begin() + n, theirDigests.begin());
            mismatch = {rank, static_cast<std::size_t>(differ.first - first.begin()), true};
        }
        ++rank;
    }
    mismatch.isThere = mismatch.isThere && error.empty();
    return error;
}

/// Find what differs in a part. All processes call it. @return the message
std::string
MpiRanks::Describe(const Mismatch& mismatch, const PartDigest& part)
{
    constexpr std::size_t MOST_BYTES = 16 << 20; // of a long list of flows, the beginning
    std::string own;
    ByteWriter writer(own);
    if (m_rank == 0 || m_rank == mismatch.rank)
    {
        part.visit([&](const std::string& name, const std::string& value) {
            if (own.size() < MOST_BYTES)
            {
                writer(name)(value);
            }
        });
    }
    const std::vector<std::string> all = Gather(own);
    return "process " + std::to_string(mismatch.rank) +
           ": its options or input are not those of process 0 (" + part.name + ": " +
           OneLine(FindDifference(all[0], all[mismatch.rank])) + "), expected the same everywhere";
}

} // namespace ns3::roce
