// SPDX-License-Identifier: GPL-2.0-only
#include "roce-goal-file.h"

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-line-reader.h"
#include "ns3/roce-network-map.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ostream>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr uint64_t MAX_RANKS = 1U << 24;
constexpr uint64_t MAX_TAG = UINT32_MAX - 1; // the binary form's largest number is any tag
constexpr uint64_t MAX_UNIT = UINT8_MAX;     // CPU or NIC
constexpr int64_t PS_PER_NS = 1000;
constexpr uint64_t MAX_CALC_NS = static_cast<uint64_t>(NetworkMap::LONGEST_RUN_PS / PS_PER_NS);

/// Reads the text, word by word.
class TextReader
{
  public:
    TextReader(std::istream& in, const std::string& path)
        : m_in(in)
    {
        m_program.source = path;
    }

    RankProgram Read()
    {
        while (NextLine())
        {
            while (HasWord()) // several statements outside of ranks may be in one line
            {
                m_rank ? Statement() : Outside();
            }
        }
        if (m_rank)
        {
            Fail("the file ends within rank " + std::to_string(m_number) + ", expected }");
        }
        if (m_program.ranks.empty())
        {
            Fail("the file ends, expected num_ranks");
        }
        for (std::size_t rank = 0; rank < m_lineOf.size(); ++rank)
        {
            if (!m_lineOf[rank])
            {
                Fail("the file ends without rank " + std::to_string(rank) + " of " +
                     std::to_string(m_lineOf.size()));
            }
        }
        return std::move(m_program);
    }

  private:
    [[noreturn]] void Fail(const std::string& message) const
    {
        throw InputError(m_program.source, std::max(1U, m_line), message);
    }

    /// @return the present word, for messages
    std::string Found() const
    {
        return HasWord() ? "'" + m_words[m_at] + "'" : "the end of the line";
    }

    [[noreturn]] void Expected(const std::string& what) const
    {
        Fail(Found() + ", expected " + what);
    }

    bool HasWord() const
    {
        return m_at < m_words.size();
    }

    /// Take a word if it is this one.
    bool Skip(const char* word)
    {
        const bool isIt = HasWord() && m_words[m_at] == word;
        m_at += isIt;
        return isIt;
    }

    void Need(const char* word)
    {
        if (!Skip(word))
        {
            Expected(word);
        }
    }

    uint64_t Number(const char* what, uint64_t max)
    {
        uint64_t value = 0;
        if (HasWord())
        {
            const std::string& word = m_words[m_at];
            const auto [end, error] =
                std::from_chars(word.data(), word.data() + word.size(), value);
            if (error == std::errc() && end == word.data() + word.size() && value <= max)
            {
                ++m_at;
                return value;
            }
        }
        Expected(std::string(what) + ", 0 to " + std::to_string(max));
    }

    /// Split the next line into words, without comments. @return whether there is one
    bool NextLine()
    {
        std::string text;
        if (!ReadLine(m_in, text, m_program.source, m_line + 1))
        {
            if (m_inComment)
            {
                Fail("the file ends within a comment, expected */");
            }
            return false;
        }
        ++m_line;
        m_words.clear();
        m_at = 0;
        std::string word;
        const auto endWord = [&] {
            if (!word.empty())
            {
                m_words.push_back(std::move(word));
                word.clear();
            }
        };
        for (std::size_t i = 0; i < text.size(); ++i)
        {
            const char c = text[i];
            const char next = i + 1 < text.size() ? text[i + 1] : '\0';
            if (m_inComment)
            {
                m_inComment = c != '*' || next != '/';
                i += !m_inComment;
            }
            else if (c == '/' && (next == '/' || next == '*'))
            {
                endWord();
                if (next == '/')
                {
                    break;
                }
                m_inComment = true;
                ++i;
            }
            else if (c == ' ' || c == '\t' || c == '\r')
            {
                endWord();
            }
            else if (c == ':' || c == '{' || c == '}')
            {
                endWord();
                m_words.emplace_back(1, c);
            }
            else
            {
                word += c;
            }
        }
        endWord();
        return true;
    }

    /// num_ranks N, or the head of a rank.
    void Outside()
    {
        if (Skip("num_ranks"))
        {
            if (!m_program.ranks.empty())
            {
                Fail("a second num_ranks, expected one");
            }
            const uint64_t ranks = Number("number of ranks", MAX_RANKS);
            if (!ranks)
            {
                Fail("no ranks, expected at least one");
            }
            m_program.ranks.resize(ranks);
            m_lineOf.resize(ranks);
            return;
        }
        if (m_program.ranks.empty())
        {
            Expected("num_ranks");
        }
        if (!Skip("rank"))
        {
            Expected("rank");
        }
        m_number = static_cast<uint32_t>(Number("rank", m_program.ranks.size() - 1));
        if (m_lineOf[m_number])
        {
            Fail("rank " + std::to_string(m_number) + " again, after line " +
                 std::to_string(m_lineOf[m_number]));
        }
        m_lineOf[m_number] = m_line;
        Need("{");
        m_rank = &m_program.ranks[m_number];
    }

    static bool IsLabel(const std::string& word)
    {
        const auto isLetter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
        return isLetter(word[0]) && std::all_of(word.begin(), word.end(), [&](char c) {
                   return isLetter(c) || (c >= '0' && c <= '9') || c == '_';
               });
    }

    /// A line of a rank.
    void Statement()
    {
        if (Skip("}"))
        {
            EndRank();
            return;
        }
        const std::string& first = m_words[m_at];
        if (first == "send" || first == "recv" || first == "calc")
        {
            Operation("");
        }
        else
        {
            if (!IsLabel(first))
            {
                Expected("an operation, a label or }");
            }
            const std::string label = first;
            ++m_at;
            if (Skip(":"))
            {
                Operation(label);
            }
            else
            {
                const bool isStarted = Skip("irequires");
                if (!isStarted && !Skip("requires"))
                {
                    Expected(": or requires or irequires");
                }
                if (!HasWord() || !IsLabel(m_words[m_at]))
                {
                    Expected("a label");
                }
                m_waits.push_back({label, m_words[m_at++], isStarted, m_line});
            }
        }
        if (HasWord() && m_words[m_at] != "}")
        {
            Expected("the end of the line");
        }
    }

    void Operation(const std::string& label)
    {
        RankOp op;
        op.line = m_line;
        op.label = m_rank->ops.size() + 1;
        const bool isSend = Skip("send");
        if (isSend || Skip("recv"))
        {
            op.kind = isSend ? RankOp::Kind::SEND : RankOp::Kind::RECV;
            op.bytes = Bytes();
            Need(isSend ? "to" : "from");
            op.peer = !isSend && Skip("-1")
                          ? RankOp::ANY_RANK
                          : static_cast<uint32_t>(Number("rank", m_program.ranks.size() - 1));
            if (Skip("tag"))
            {
                op.tag = !isSend && Skip("-1") ? RankOp::ANY_TAG : Number("tag", MAX_TAG);
            }
        }
        else
        {
            if (!Skip("calc"))
            {
                Expected("send, recv or calc");
            }
            op.durationPs = static_cast<int64_t>(Number("nanoseconds", MAX_CALC_NS)) * PS_PER_NS;
        }
        if (Skip("cpu"))
        {
            op.stream = static_cast<uint16_t>(Number("CPU", MAX_UNIT));
        }
        if (op.kind != RankOp::Kind::CALC && Skip("nic"))
        {
            op.nic = static_cast<uint16_t>(Number("NIC", MAX_UNIT));
        }
        if (!label.empty())
        {
            const auto [found, isNew] =
                m_labels.emplace(label, static_cast<uint32_t>(m_rank->ops.size()));
            if (!isNew)
            {
                Fail("label '" + label + "' again, after line " +
                     std::to_string(m_rank->ops[found->second].line));
            }
        }
        m_rank->Add(op);
    }

    /// @return of a word such as 100b, or of 100 and b
    uint64_t Bytes()
    {
        if (HasWord() && m_words[m_at].size() > 1 && m_words[m_at].back() == 'b')
        {
            m_words[m_at].pop_back();
            m_words.insert(m_words.begin() + static_cast<std::ptrdiff_t>(m_at) + 1, "b");
        }
        const uint64_t bytes = Number("a length such as 100b", MAX_FLOW_BYTES);
        Need("b");
        return bytes;
    }

    void EndRank()
    {
        for (const Wait& wait : m_waits)
        {
            const auto find = [&](const std::string& label) {
                const auto found = m_labels.find(label);
                if (found == m_labels.end())
                {
                    throw InputError(m_program.source,
                                     wait.line,
                                     "rank " + std::to_string(m_number) + " has no label '" +
                                         label + "'");
                }
                return found->second;
            };
            m_rank->edges.push_back({find(wait.op), find(wait.before), wait.isStarted});
        }
        m_waits.clear();
        m_labels.clear();
        m_rank = nullptr;
    }

    /// A `requires`, whose labels may come later.
    struct Wait
    {
        std::string op;
        std::string before;
        bool isStarted;
        unsigned line;
    };

    std::istream& m_in;
    RankProgram m_program;
    unsigned m_line{0};
    bool m_inComment{false};
    std::vector<std::string> m_words;                   //!< of the line
    std::size_t m_at{0};                                //!< the present one
    std::vector<unsigned> m_lineOf;                     //!< by rank: where it begins; 0: not yet
    RankSchedule* m_rank{nullptr};                      //!< the present one, or null
    uint32_t m_number{0};                               //!< of it
    std::vector<Wait> m_waits;                          //!< of it
    std::unordered_map<std::string, uint32_t> m_labels; //!< of it: number of the operation
};

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
    if (size > (kind == CALC ? MAX_CALC_NS : MAX_FLOW_BYTES))
    {
        in.Fail(std::to_string(size) + (kind == CALC ? " ns" : " B") + ", expected at most " +
                std::to_string(kind == CALC ? MAX_CALC_NS : MAX_FLOW_BYTES));
    }
    op.bytes = kind == CALC ? 0 : size;
    op.durationPs = kind == CALC ? static_cast<int64_t>(size) * PS_PER_NS : 0;
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

RankProgram
ReadBinary(const std::string& data, const std::string& path)
{
    RankProgram program;
    program.source = path;
    Bytes in(data, path);
    in.Seek(MAGIC_BYTES, in.GetSize());
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

} // namespace

RankProgram
GoalFile::Read(const std::string& path)
{
    std::ifstream file = InputFile::Open(path, "a GOAL schedule");
    char head[MAGIC_BYTES] = {};
    file.read(head, MAGIC_BYTES);
    const bool isWhole = file.gcount() == MAGIC_BYTES;
    file.clear();
    file.seekg(0);
    uint64_t magic = 0;
    for (unsigned i = 0; i < MAGIC_BYTES; ++i)
    {
        magic |= uint64_t{static_cast<unsigned char>(head[i])} << (8 * i);
    }
    RankProgram program;
    if (isWhole && magic == MAGIC)
    {
        std::ostringstream data;
        data << file.rdbuf();
        program = ReadBinary(data.str(), path);
    }
    else
    {
        program = TextReader(file, path).Read();
    }
    program.Check();
    return program;
}

void
GoalFile::WriteText(std::ostream& out, const RankProgram& program)
{
    out << "num_ranks " << program.ranks.size() << "\n";
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    {
        out << "\nrank " << rank << " {\n";
        const RankSchedule& schedule = program.ranks[rank];
        for (uint32_t number = 0; number < schedule.ops.size(); ++number)
        {
            const RankOp& op = schedule.ops[number];
            if (op.stream == RankOp::NO_STREAM || op.holdsUntil != RankOp::NO_OP)
            {
                throw InputError(program.Where(rank, number) +
                                 ": has no stream or holds one, expected a CPU for GOAL");
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
