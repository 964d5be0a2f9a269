// SPDX-License-Identifier: GPL-2.0-only
#include "roce-goal-binary.h"

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <istream>
#include <sstream>
#include <vector>

namespace ns3::roce
{

namespace
{

/// Bytes of the binary form: little endian, without padding.
class Bytes
{
  public:
    Bytes(const std::string& data, const std::string& path)
        : m_data(data),
          m_path(path)
    {
    }

    [[noreturn]] void Fail(const std::string& message) const
    {
        throw InputError(m_path + ": byte " + std::to_string(m_at) + ": " + message);
    }

    /// @brief Go on from here. @param at byte. @param end first one that does not belong to it
    void Seek(uint64_t at, uint64_t end)
    {
        m_at = std::min<uint64_t>(at, m_data.size());
        m_end = std::min<uint64_t>(end, m_data.size());
    }

    uint64_t Get(unsigned bytes)
    {
        if (m_at > m_end || bytes > m_end - m_at)
        {
            Fail("the file or the rank ends, expected " + std::to_string(bytes) + " more bytes");
        }
        uint64_t value = 0;
        for (unsigned i = 0; i < bytes; ++i)
        {
            value |= uint64_t{static_cast<unsigned char>(m_data[m_at++])} << (8 * i);
        }
        return value;
    }

    /// @return number of things that follow. @param size least bytes of each
    uint64_t Count(unsigned size)
    {
        const uint64_t count = Get(4);
        if (count > (m_end - m_at) / size)
        {
            Fail("a number of " + std::to_string(count) + ", more than the rest has room for");
        }
        return count;
    }

    uint64_t GetAt() const
    {
        return m_at;
    }

    uint64_t GetSize() const
    {
        return m_data.size();
    }

  private:
    const std::string& m_data;
    const std::string& m_path;
    uint64_t m_at{0};
    uint64_t m_end{0};
};

/*
 * The binary form: MAGIC; then, at offsets that count from here, the number of ranks, the highest
 * CPU and NIC, and where each rank begins and ends. A rank has the number of its operations, the
 * list of those that wait for none, the operations, and a list of numbers: an operation names the
 * places in it of those that wait for its end and for its start.
 */
constexpr uint64_t MAGIC = 4223;
constexpr unsigned MAGIC_BYTES = 8;
constexpr unsigned OP_BYTES = 39;

/// Who waits for an operation: places in the list of a rank.
struct Places
{
    uint64_t n[2]; //!< of those that wait for its end, and for its start
    uint64_t first[2];
};

RankOp
ReadOp(Bytes& in, Places& places)
{
    enum
    {
        SEND = 1,
        RECV = 2,
        CALC = 3
    };

    RankOp op;
    in.Get(4); // what it waits for: the lists have it, too
    const uint64_t kind = in.Get(1);
    if (kind < SEND || kind > CALC)
    {
        in.Fail("an operation of kind " + std::to_string(kind) + ", expected 1, 2 or 3");
    }
    op.kind = kind == SEND   ? RankOp::Kind::SEND
              : kind == RECV ? RankOp::Kind::RECV
                             : RankOp::Kind::CALC;
    op.peer = static_cast<uint32_t>(in.Get(4));
    const uint64_t size = in.Get(8);
    if (size > (kind == CALC ? GoalBinary::MAX_CALC_NS : MAX_FLOW_BYTES))
    {
        in.Fail(std::to_string(size) + (kind == CALC ? " ns" : " B") + ", expected at most " +
                std::to_string(kind == CALC ? GoalBinary::MAX_CALC_NS : MAX_FLOW_BYTES));
    }
    op.bytes = kind == CALC ? 0 : size;
    op.durationPs = kind == CALC ? static_cast<int64_t>(size) * GoalBinary::PS_PER_NS : 0;
    const uint64_t tag = in.Get(4);
    op.tag = tag == UINT32_MAX ? RankOp::ANY_TAG : tag;
    op.stream = static_cast<uint16_t>(in.Get(1));
    op.nic = static_cast<uint16_t>(in.Get(1));
    for (const unsigned of : {0, 1})
    {
        places.n[of] = in.Get(4);
        places.first[of] = in.Get(4);
    }
    return op;
}

void
ReadRank(Bytes& in, RankSchedule& rank)
{
    const uint64_t nOps = in.Count(OP_BYTES);
    const uint64_t nFree = in.Count(4);
    for (uint64_t i = 0; i < nFree; ++i)
    {
        in.Get(4); // follows from the rest
    }
    std::vector<Places> places(nOps);
    uint64_t nEdges = 0;
    for (uint64_t i = 0; i < nOps; ++i)
    {
        RankOp op = ReadOp(in, places[i]);
        op.label = i + 1;
        rank.Add(op);
        for (const unsigned of : {0, 1})
        {
            if (places[i].n[of])
            {
                nEdges = std::max(nEdges, places[i].first[of] + places[i].n[of]);
            }
        }
    }
    std::vector<uint32_t> list;
    for (uint64_t i = 0; i < nEdges; ++i)
    {
        list.push_back(static_cast<uint32_t>(in.Get(4)));
        if (list.back() >= nOps)
        {
            in.Fail("operation " + std::to_string(list.back()) +
                    " waits for another one, and the "
                    "rank has " +
                    std::to_string(nOps));
        }
    }
    for (uint32_t op = 0; op < nOps; ++op)
    {
        for (const unsigned of : {0, 1})
        {
            for (uint64_t i = 0; i < places[op].n[of]; ++i)
            {
                // More edges than places would make a small file large.
                if (rank.edges.size() >= list.size())
                {
                    in.Fail("operations of the rank share those that wait for them");
                }
                rank.edges.push_back({list[places[op].first[of] + i], op, of == 1});
            }
        }
    }
}

} // namespace

RankProgram
GoalBinary::Read(std::istream& file, const std::string& path)
{
    std::ostringstream data;
    data << file.rdbuf();
    const std::string bytes = data.str();
    RankProgram program;
    program.source = path;
    Bytes in(bytes, path);
    in.Seek(0, in.GetSize());
    if (in.Get(MAGIC_BYTES) != MAGIC)
    {
        in.Fail("is not the binary form of GOAL, which begins with the number 4223");
    }
    const uint64_t nRanks = in.Get(4);
    in.Get(2); // the highest CPU and NIC: the operations have them, too
    const uint64_t table = in.GetAt();
    if (!nRanks || nRanks > (in.GetSize() - table) / 16)
    {
        in.Fail(std::to_string(nRanks) + " ranks in a file of " + std::to_string(in.GetSize()) +
                " bytes");
    }
    program.ranks.resize(nRanks);
    uint64_t lastEnd = MAGIC_BYTES;
    for (uint64_t rank = 0; rank < nRanks; ++rank)
    {
        in.Seek(table + 16 * rank, in.GetSize());
        const uint64_t begin = in.Get(8);
        const uint64_t end = in.Get(8);
        if (begin > end || end > in.GetSize() - MAGIC_BYTES || begin + MAGIC_BYTES < lastEnd)
        {
            in.Fail("rank " + std::to_string(rank) + " is from byte " + std::to_string(begin) +
                    " to " + std::to_string(end) + ", expected one behind the other in the file");
        }
        lastEnd = end + MAGIC_BYTES;
        in.Seek(begin + MAGIC_BYTES, lastEnd);
        ReadRank(in, program.ranks[rank]);
    }
    return program;
}

} // namespace ns3::roce
