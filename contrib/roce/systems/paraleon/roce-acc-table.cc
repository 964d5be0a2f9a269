// SPDX-License-Identifier: GPL-2.0-only
#include "roce-acc-table.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-line-reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iomanip>
#include <locale>
#include <sstream>

namespace ns3::roce
{

unsigned
AccState::LevelOf(double bytes)
{
    unsigned level = 0;
    while (level < LEVELS && bytes > static_cast<double>(ThresholdBytes(level)))
    {
        ++level;
    }
    return level;
}

double
AccState::RewardOf(const Observation& observation, const Weights& weights)
{
    const double queue = 1 - static_cast<double>(LevelOf(observation.queueBytes)) / LEVELS;
    return weights.throughput * observation.utilisation + weights.queue * queue;
}

AccState::AccState(unsigned intervals)
    : m_intervals(intervals)
{
}

void
AccState::Observe(const Observation& observation)
{
    m_seen.push_back(observation);
    if (m_seen.size() > m_intervals)
    {
        m_seen.pop_front();
    }
}

unsigned
AccState::GetCell() const
{
    double level = 0;
    double utilisation = 0;
    double marked = 0;
    for (const Observation& seen : m_seen)
    {
        level += LevelOf(seen.queueBytes);
        utilisation += seen.utilisation;
        marked += seen.markedShare;
    }
    const double n = static_cast<double>(std::max<std::size_t>(1, m_seen.size()));
    const double kmax =
        m_seen.empty() ? 0 : LevelOf(static_cast<double>(m_seen.back().curve.kmaxBytes));
    const auto classOf = [](double value, std::initializer_list<double> bounds) {
        return static_cast<unsigned>(
            std::count_if(bounds.begin(), bounds.end(), [&](double b) { return value >= b; }));
    };
    return CellOf({classOf(level / n, {0.5, 3.5, 6.5}),
                   classOf(utilisation / n, {0.3, 0.6, 0.9}),
                   classOf(marked / n, {0.001, 0.1}),
                   classOf(kmax, {4, 7})});
}

std::array<unsigned, 4>
AccState::ClassesOf(unsigned cell)
{
    std::array<unsigned, 4> classes{};
    for (std::size_t i = classes.size(); i-- > 0;)
    {
        classes[i] = cell % CLASSES[i];
        cell /= CLASSES[i];
    }
    return classes;
}

unsigned
AccState::CellOf(const std::array<unsigned, 4>& classes)
{
    unsigned cell = 0;
    for (std::size_t i = 0; i < classes.size(); ++i)
    {
        cell = cell * CLASSES[i] + classes[i];
    }
    return cell;
}

namespace
{

const char* const BUILT_IN =
#include "../../data/roce-acc-table.inc"
    ;

const char* const VERSION = "acc-table 1";  //!< first line
constexpr double MAX_VALUE = 1e6;           //!< rewards are 2 at most
constexpr double MAX_TRIES = 1e9;           //!< of tries
constexpr double MAX_BYTES = 1'000'000'000; //!< of a threshold

/// Splits text into lines and fields, and knows where it is.
class Lines
{
  public:
    Lines(std::istream& in, const std::string& name)
        : m_in(in),
          m_name(name)
    {
    }

    /// @return whether there is another line with something on it
    bool Next()
    {
        for (std::string line; ReadLine(m_in, line, m_name, m_line + 1);)
        {
            ++m_line;
            std::istringstream words(line.substr(0, line.find('#')));
            m_fields.clear();
            for (std::string word; words >> word;)
            {
                m_fields.push_back(word);
            }
            if (!m_fields.empty())
            {
                return true;
            }
        }
        m_fields.clear();
        return false;
    }

    const std::vector<std::string>& Fields() const
    {
        return m_fields;
    }

    [[noreturn]] void Fail(const std::string& message) const
    {
        throw InputError(m_name, std::max(1U, m_line), message);
    }

    /// Refuse a line with more or fewer fields after its first word.
    void Expect(std::size_t fields, const std::string& what) const
    {
        if (m_fields.size() != fields + 1)
        {
            Fail("'" + m_fields[0] + "' with " + std::to_string(m_fields.size() - 1) +
                 " numbers, expected " + what);
        }
    }

    /// @return a field as a number from least to greatest
    double Number(std::size_t field, double least, double greatest, const std::string& what) const
    {
        std::istringstream text(m_fields[field]);
        text.imbue(std::locale::classic());
        double value = 0;
        if (!(text >> value) || text.peek() != std::char_traits<char>::eof() ||
            !(value >= least && value <= greatest))
        {
            std::ostringstream range;
            range << least << " to " << greatest;
            Fail(what + " is '" + m_fields[field] + "', expected a number from " + range.str());
        }
        return value;
    }

    /// @return the same, a whole number
    uint32_t Whole(std::size_t field, double least, double greatest, const std::string& what) const
    {
        const double value = Number(field, least, greatest, what);
        if (value != std::floor(value))
        {
            Fail(what + " is '" + m_fields[field] + "', expected a whole number");
        }
        return static_cast<uint32_t>(value);
    }

  private:
    std::istream& m_in;
    std::string m_name;
    unsigned m_line{0};
    std::vector<std::string> m_fields;
};

/// @return the curve of a line "action KMIN KMAX PMAX"
EcnCurve
ReadCurve(const Lines& lines)
{
    EcnCurve curve;
    curve.kminBytes = lines.Whole(1, 0, MAX_BYTES, "Kmin");
    curve.kmaxBytes = lines.Whole(2, 0, MAX_BYTES, "Kmax");
    curve.pmax = lines.Number(3, 0, 1, "Pmax");
    if (!curve.IsValid())
    {
        lines.Fail("Kmin is " + std::to_string(curve.kminBytes) + ", expected at most Kmax, " +
                   std::to_string(curve.kmaxBytes));
    }
    return curve;
}

} // namespace

AccTable::AccTable(unsigned intervals, std::vector<EcnCurve> actions)
    : m_intervals(intervals),
      m_actions(std::move(actions))
{
    Clear();
}

void
AccTable::Clear()
{
    m_values.assign(std::size_t{AccState::CELLS} * m_actions.size(), 0);
    m_target = m_values;
    m_counts.assign(m_values.size(), 0);
}

AccTable
AccTable::BuiltIn()
{
    std::istringstream in(BUILT_IN);
    return Parse(in, "roce-acc-table.inc");
}

AccTable
AccTable::Read(const std::string& path)
{
    std::ifstream in = InputFile::Open(path, "a table of Acc");
    return Parse(in, path);
}

AccTable
AccTable::Parse(std::istream& in, const std::string& name)
{
    Lines lines(in, name);
    const auto words = [&lines] {
        std::string text;
        for (const std::string& field : lines.Fields())
        {
            text += (text.empty() ? "" : " ") + field;
        }
        return text;
    };
    if (!lines.Next() || words() != VERSION)
    {
        lines.Fail("'" + words() + "', expected '" + VERSION + "'");
    }
    if (!lines.Next() || lines.Fields().size() != 2 || lines.Fields()[0] != "intervals")
    {
        lines.Fail("'" + words() + "', expected 'intervals' and their number");
    }
    AccTable table;
    table.m_intervals = static_cast<unsigned>(lines.Whole(1, 1, MAX_INTERVALS, "intervals"));
    bool more = lines.Next();
    for (; more && lines.Fields()[0] == "action"; more = lines.Next())
    {
        lines.Expect(3, "Kmin, Kmax and Pmax");
        if (table.m_actions.size() == MAX_ACTIONS)
        {
            lines.Fail("one action more than " + std::to_string(MAX_ACTIONS) + ", expected fewer");
        }
        table.m_actions.push_back(ReadCurve(lines));
    }
    if (table.m_actions.empty())
    {
        lines.Fail("'" + words() + "', expected 'action', Kmin, Kmax and Pmax");
    }
    table.Clear();
    for (; more; more = lines.Next())
    {
        if (lines.Fields()[0] != "value")
        {
            lines.Fail("'" + lines.Fields()[0] + "', expected 'value'");
        }
        lines.Expect(7, "four classes of the state, action, value and count");
        std::array<unsigned, 4> classes{};
        for (std::size_t i = 0; i < classes.size(); ++i)
        {
            classes[i] = lines.Whole(i + 1, 0, AccState::CLASSES[i] - 1, "a class");
        }
        const auto last = static_cast<double>(table.m_actions.size() - 1);
        const std::size_t at =
            table.IndexOf(AccState::CellOf(classes), lines.Whole(5, 0, last, "the action"));
        if (table.m_counts[at])
        {
            lines.Fail("a second value of this state and action, expected one");
        }
        table.m_values[at] = lines.Number(6, -MAX_VALUE, MAX_VALUE, "the value");
        table.m_counts[at] = lines.Whole(7, 1, MAX_TRIES, "the count");
    }
    table.m_target = table.m_values;
    return table;
}

std::string
AccTable::Print() const
{
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << VERSION << "\nintervals " << m_intervals << "\n" << std::setprecision(9);
    for (const EcnCurve& curve : m_actions)
    {
        out << "action " << curve.kminBytes << ' ' << curve.kmaxBytes << ' ' << curve.pmax << '\n';
    }
    for (unsigned cell = 0; cell < AccState::CELLS; ++cell)
    {
        for (std::size_t a = 0; a < m_actions.size(); ++a)
        {
            if (const uint32_t count = CountOf(cell, a))
            {
                out << "value";
                for (const unsigned c : AccState::ClassesOf(cell))
                {
                    out << ' ' << c;
                }
                out << ' ' << a << ' ' << ValueOf(cell, a) << ' ' << count << '\n';
            }
        }
    }
    return out.str();
}

std::size_t
AccTable::BestOf(unsigned cell) const
{
    std::size_t best = NONE;
    for (std::size_t a = 0; a < m_actions.size(); ++a)
    {
        if (CountOf(cell, a) >= KNOWN && (best == NONE || ValueOf(cell, a) > ValueOf(cell, best)))
        {
            best = a;
        }
    }
    return best;
}

double
AccTable::Learn(const Transition& step, const Learning& learning)
{
    const std::size_t next = BestOf(step.next);
    const std::size_t at = IndexOf(step.cell, step.action);
    const double later = next == NONE ? m_target[at] : m_target[IndexOf(step.next, next)];
    const double error = step.reward + learning.discount * later - m_values[at];
    ++m_counts[at];
    m_values[at] += std::max(learning.rate, 1.0 / m_counts[at]) * error;
    if (++m_steps >= learning.targetPeriod)
    {
        m_target = m_values;
        m_steps = 0;
    }
    return error;
}

} // namespace ns3::roce
