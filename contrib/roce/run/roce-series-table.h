// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SERIES_TABLE_H
#define ROCE_SERIES_TABLE_H

#include "ns3/roce-frame.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3::roce
{

class CsvFile;

/// A value of form LIMIT that is written as an empty cell: there is no limit, or none is named.
constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

/// What a value is, and how it is written.
enum class SeriesForm : uint8_t
{
    COUNT,  //!< integer, 0 or more
    SIGNED, //!< integer
    NS,     //!< integer of picoseconds, written as nanoseconds with three decimals
    LIMIT,  //!< integer; empty if it is NO_LIMIT
    WHOLE,  //!< real, written without its fraction
    SHARE,  //!< real, written with six decimals
    REAL,   //!< real, written as the shortest text that reads back as the same
    TEXT,   //!< text that lives as long as the program
    PORT,   //!< SeriesRow::port; no value of the row
    SOURCE, //!< number of the sending NIC of the row's flow; no value of the row
    TARGET, //!< number of the receiving NIC of the row's flow; no value of the row
};

/// What else there is to know of a column; a bit mask.
enum SeriesRole : uint8_t
{
    KEY = 1,    //!< with the subject and the port it says what the row is about
    SILENT = 2, //!< if it is 0, a row of a sample says nothing: see SampleFilter
    STEADY = 4, //!< as long as it does not change, that holds; without it, always
    DRAWN = 8,  //!< the time line has a counter of it
    SLICE = 16, //!< the time line has a slice while it is not 0, with exact times
    HIDDEN = 32 //!< not in the table
};

/// A value of a row. Its SeriesForm says which member it is; count has the bits of any, and is 0 if
/// that is 0.
union SeriesValue {
    uint64_t count;
    double real;
    const char* text;

    constexpr SeriesValue()
        : count(0)
    {
    }

    /// @param value integer
    template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    constexpr SeriesValue(T value)
        : count(static_cast<uint64_t>(value))
    {
    }

    /// @param value real
    constexpr SeriesValue(double value)
        : real(value)
    {
    }

    /// @param value text, such as a literal
    constexpr SeriesValue(const char* value)
        : text(value)
    {
    }
};

/// A column.
struct SeriesColumn
{
    const char* name; //!< with its unit at the end, if it has one: queue_bytes
    SeriesForm form;
    unsigned roles{0}; //!< of SeriesRole

    /// @return whether a row has a value for it
    bool HasValue() const
    {
        return form < SeriesForm::PORT;
    }

    /// @return whether it has a role @param role of SeriesRole
    bool Is(SeriesRole role) const
    {
        return roles & role;
    }

    /// @param csv gets the value as a field @param value of this column
    void Write(CsvFile& csv, SeriesValue value) const;

    /// @return for labels @param value of this column
    std::string ToText(SeriesValue value) const;
};

/// The subject of a series, which options can select.
enum class SeriesSubject
{
    PORTS, //!< rows begin with the column node
    FLOWS, //!< rows begin with the column flow
};

/**
 * @brief A table of variables over time: what asks for it, and what a row has.
 *
 * The file has the option's name. Columns are time_ns, node or flow, and those listed; if the
 * subject is a node, its name (node_name), and that of the port (port_name) if it has a column of
 * form PORT.
 */
struct SeriesTable
{
    const char* option;
    SeriesSubject subject;
    const char* help;
    const char* label; //!< on the time line; {node} or a column in braces stands for its value
    const char* unit;  //!< on the time line
    std::vector<SeriesColumn> columns{}; //!< see SeriesValues
    bool isSwitch{false};                //!< on change only: the option has no value
    bool isSampled{false};               //!< at intervals only
    bool hasHosts{false}; //!< its ports are those of NICs, too, in the order of --seriesPorts

    /// @return names of all columns
    std::vector<std::string> GetHeader() const;

    /// @return whether there is a column of that form
    bool Has(SeriesForm form) const;
};

/// Values of a row, in the order of the columns that have one (SeriesColumn::HasValue()).
using SeriesValues = std::array<SeriesValue, 9>;

/// Files that a row goes to.
enum class SeriesFiles : uint8_t
{
    ALL,
    TABLE,
    TIME_LINE,
};

/// A row of any series.
struct SeriesRow
{
    uint8_t rank{0}; //!< of the series
    SeriesFiles files{SeriesFiles::ALL};
    uint16_t port{0};    //!< device index at the node
    uint32_t subject{0}; //!< node, or flow
    SeriesValues values{};
};

} // namespace ns3::roce

#endif /* ROCE_SERIES_TABLE_H */
