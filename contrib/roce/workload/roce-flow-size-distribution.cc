// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-size-distribution.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-line-reader.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

/// A built-in table: its name and its text.
struct BuiltIn
{
    const char* name;
    const char* text;
};

const BuiltIn BUILT_INS[] = {
    {
        "websearch",
#include "../data/roce-websearch.inc"
    },
    {
        "websearch-abm",
#include "../data/roce-websearch-abm.inc"
    },
    {
        "fbhadoop",
#include "../data/roce-fbhadoop.inc"
    },
    {
        "hadoop-abm",
#include "../data/roce-hadoop-abm.inc"
    },
    {
        "googlerpc",
#include "../data/roce-googlerpc.inc"
    },
    {
        "alistorage",
#include "../data/roce-alistorage.inc"
    },
    {
        "solar",
#include "../data/roce-solar.inc"
    },
    {
        "datamining",
#include "../data/roce-datamining.inc"
    },
    {
        "alibaba-wan",
#include "../data/roce-alibaba-wan.inc"
    },
};

/// A point as written in the text, with its line for messages.
struct RawPoint
{
    double sizeBytes;
    double cumulative;
    std::string cumulativeText;
    unsigned line;
};

/**
 * @brief Read a decimal number, whatever the locale; not nan, inf or hexadecimal.
 * @param token the whole token must be the number
 * @param[out] value the number
 * @return whether it is one
 */
bool
ParseDecimal(const std::string& token, double& value)
{
    if (token.find_first_not_of("0123456789+-.eE") != std::string::npos)
    {
        return false;
    }
    std::istringstream in(token);
    in.imbue(std::locale::classic());
    return (in >> value) && in.peek() == std::char_traits<char>::eof() && std::isfinite(value);
}

/// A line of a table, for messages.
struct Place
{
    const std::string& source;
    unsigned line;

    /// @throw InputError unless ok
    void Require(bool ok, const std::string& what) const
    {
        if (!ok)
        {
            throw InputError(source, line, what);
        }
    }
};

/// @param text of a line, not empty @param before the point of an earlier line, or null
/// @return the point
RawPoint
ParsePoint(const Place& at, const std::string& text, const RawPoint* before)
{
    std::istringstream fields(text);
    std::string sizeText;
    std::string junk;
    RawPoint point{};
    point.line = at.line;
    fields >> sizeText;
    at.Require(!!(fields >> point.cumulativeText),
               "found only '" + sizeText + "', expected two numbers: size_bytes cumulative");
    at.Require(ParseDecimal(sizeText, point.sizeBytes),
               "size '" + sizeText + "' is not a number, expected bytes");
    at.Require(ParseDecimal(point.cumulativeText, point.cumulative),
               "probability '" + point.cumulativeText +
                   "' is not a number, expected 0..1 or 0..100");
    fields >> junk;
    at.Require(junk.empty(),
               "found '" + junk + "' after the point, expected two numbers: size_bytes cumulative");
    at.Require(point.sizeBytes >= 0 && point.sizeBytes <= static_cast<double>(MAX_FLOW_BYTES),
               "size " + sizeText + " out of range, expected 0.." + std::to_string(MAX_FLOW_BYTES) +
                   " bytes");
    at.Require(point.cumulative >= 0,
               "probability " + point.cumulativeText + " is negative, expected 0 or more");
    const std::string earlier = before ? std::to_string(before->line) : "";
    at.Require(!before || point.sizeBytes >= before->sizeBytes,
               "size " + sizeText + " is below that of line " + earlier +
                   ", expected sizes to grow");
    at.Require(!before || point.cumulative >= before->cumulative,
               "probability " + point.cumulativeText + " is below that of line " + earlier +
                   ", expected cumulative probabilities");
    return point;
}

} // namespace

FlowSizeDistribution::FlowSizeDistribution(std::string name, std::vector<Point> points)
    : m_name(std::move(name)),
      m_points(std::move(points)),
      m_meanBytes(m_points.front().sizeBytes * m_points.front().cumulative)
{
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        m_meanBytes += (m_points[i].sizeBytes + m_points[i - 1].sizeBytes) / 2 *
                       (m_points[i].cumulative - m_points[i - 1].cumulative);
    }
}

FlowSizeDistribution
FlowSizeDistribution::Named(const std::string& name)
{
    for (const auto& builtIn : BUILT_INS)
    {
        if (name == builtIn.name)
        {
            std::istringstream in(builtIn.text);
            return Parse(in, "roce-" + name + ".inc", name);
        }
    }
    std::string known;
    for (const auto& builtIn : BUILT_INS)
    {
        known += (known.empty() ? "" : ", ") + std::string(builtIn.name);
    }
    throw InputError("unknown flow-size distribution '" + name + "', expected one of " + known);
}

std::vector<std::string>
FlowSizeDistribution::Names()
{
    std::vector<std::string> names;
    for (const auto& builtIn : BUILT_INS)
    {
        names.emplace_back(builtIn.name);
    }
    return names;
}

FlowSizeDistribution
FlowSizeDistribution::FromFile(const std::string& path)
{
    std::ifstream in = InputFile::Open(path, "a flow-size table");
    return Parse(in, path, path);
}

FlowSizeDistribution
FlowSizeDistribution::Constant(uint64_t bytes)
{
    if (bytes < 1 || bytes > MAX_FLOW_BYTES)
    {
        throw InputError("constant flow size " + std::to_string(bytes) + ", expected 1.." +
                         std::to_string(MAX_FLOW_BYTES) + " bytes");
    }
    return FlowSizeDistribution("constant-" + std::to_string(bytes),
                                {{static_cast<double>(bytes), 1.0}});
}

FlowSizeDistribution
FlowSizeDistribution::Parse(std::istream& in, const std::string& source, const std::string& name)
{
    std::vector<RawPoint> raw;
    std::string text;
    unsigned line = 0;
    while (ReadLine(in, text, source, line + 1))
    {
        ++line;
        const std::string point = text.substr(0, text.find('#'));
        if (point.find_first_not_of(" \t\r\n\v\f") != std::string::npos)
        {
            raw.push_back(ParsePoint({source, line}, point, raw.empty() ? nullptr : &raw.back()));
        }
    }
    Place{source, line + 1}.Require(!in.bad(), "cannot be read, expected a flow-size table");
    Place{source, std::max(line, 1U)}.Require(
        !raw.empty(),
        "no point found, expected lines of size_bytes cumulative: two or more, or one for a "
        "constant size");
    const Place last{source, raw.back().line};
    const double total = raw.back().cumulative;
    last.Require(total == 1 || total == 100,
                 "last probability is " + raw.back().cumulativeText +
                     ", expected exactly 100 (percent) or 1");
    std::vector<Point> points;
    points.reserve(raw.size());
    for (const auto& point : raw)
    {
        points.push_back({point.sizeBytes, point.cumulative / total});
    }
    FlowSizeDistribution distribution(name, std::move(points));
    last.Require(distribution.MeanBytes() > 0,
                 "all sizes are 0, expected a positive number of bytes");
    // Flows have whole bytes: such ones would offer more than the load that was asked for.
    last.Require(distribution.MeanBytes() >= 1,
                 "sizes are less than 1 byte on average, expected 1 or more");
    return distribution;
}

FlowSizeDistribution
FlowSizeDistribution::TruncatedAt(uint64_t maxBytes) const
{
    const auto limit = static_cast<double>(maxBytes);
    if (limit >= m_points.back().sizeBytes)
    {
        return *this;
    }
    // first point above the limit: the segment that ends there is cut
    auto above =
        std::upper_bound(m_points.begin(), m_points.end(), limit, [](double size, const Point& p) {
            return size < p.sizeBytes;
        });
    std::vector<Point> points(m_points.begin(), above);
    if (!points.empty() && points.back().sizeBytes < limit)
    {
        const Point& below = points.back();
        const double share = (limit - below.sizeBytes) / (above->sizeBytes - below.sizeBytes);
        const double cumulative = below.cumulative + share * (above->cumulative - below.cumulative);
        points.push_back({limit, cumulative});
    }
    if (points.empty() || points.back().cumulative <= 0)
    {
        throw InputError("cannot truncate flow sizes '" + m_name + "' at " +
                         std::to_string(maxBytes) +
                         " bytes: expected more than the smallest size, " +
                         std::to_string(Quantile(0)) + " bytes");
    }
    const double total = points.back().cumulative;
    for (auto& point : points)
    {
        point.cumulative /= total;
    }
    return FlowSizeDistribution(m_name + "<=" + std::to_string(maxBytes), std::move(points));
}

uint64_t
FlowSizeDistribution::Quantile(double u) const
{
    if (!(u >= 0 && u <= 1))
    {
        throw InputError("quantile " + std::to_string(u) + ", expected 0..1");
    }
    // u = 0 is taken as the limit from above, so that leading points without mass never occur
    const auto byCumulative = [](const Point& p, double value) { return p.cumulative < value; };
    auto end = u > 0 ? std::lower_bound(m_points.begin(), m_points.end(), u, byCumulative)
                     : std::find_if(m_points.begin(), m_points.end(), [](const Point& p) {
                           return p.cumulative > 0;
                       });
    double size = end->sizeBytes;
    if (end != m_points.begin())
    {
        const auto begin = end - 1;
        const double share = (u - begin->cumulative) / (end->cumulative - begin->cumulative);
        size = begin->sizeBytes + share * (end->sizeBytes - begin->sizeBytes);
    }
    return std::max<uint64_t>(1, static_cast<uint64_t>(std::floor(size + 0.5)));
}

uint64_t
FlowSizeDistribution::Sample(Ptr<UniformRandomVariable> rng) const
{
    return Quantile(rng->GetValue(0.0, 1.0));
}

} // namespace ns3::roce
