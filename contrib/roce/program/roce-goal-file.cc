// SPDX-License-Identifier: GPL-2.0-only
#include "roce-goal-file.h"

#include "roce-goal-binary.h"

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-line-reader.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr uint64_t MAX_RANKS = 1U << 24;

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
                op.tag = !isSend && Skip("-1") ? RankOp::ANY_TAG : Number("tag", GoalFile::MAX_TAG);
            }
        }
        else
        {
            if (!Skip("calc"))
            {
                Expected("send, recv or calc");
            }
            op.durationPs = static_cast<int64_t>(Number("nanoseconds", GoalBinary::MAX_CALC_NS)) *
                            GoalBinary::PS_PER_NS;
        }
        if (Skip("cpu"))
        {
            op.stream = static_cast<uint16_t>(Number("CPU", GoalFile::MAX_UNIT));
        }
        if (op.kind != RankOp::Kind::CALC && Skip("nic"))
        {
            op.nic = static_cast<uint16_t>(Number("NIC", GoalFile::MAX_UNIT));
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

} // namespace

RankProgram
GoalFile::Read(const std::string& path)
{
    std::ifstream file = InputFile::Open(path, "a GOAL schedule");
    RankProgram program = file.peek() == GoalBinary::FIRST_BYTE ? GoalBinary::Read(file, path)
                                                                : TextReader(file, path).Read();
    program.Check();
    return program;
}

} // namespace ns3::roce
