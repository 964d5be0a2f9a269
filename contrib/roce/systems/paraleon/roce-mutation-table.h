// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MUTATION_TABLE_H
#define ROCE_MUTATION_TABLE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/// A parameter that is tuned: a row of a MutationTable. Its values are numbers in units of unit.
struct TunedParameter
{
    /// What a value is, and how it is written in an attribute.
    enum class Unit : uint8_t
    {
        NUMBER,       //!< offset + factor * value
        MICROSECONDS, //!< us
        MBPS,         //!< Mb/s
        KILOBYTES,    //!< 1000 bytes
    };

    std::string target;    //!< class of the attribute without ns3::roce::, such as Dcqcn
    std::string attribute; //!< its name
    Unit unit;
    bool up;             //!< larger is throughput-friendly; false: smaller is
    double step;         //!< s_p: a move is this times 1/2 to 1
    double least;        //!< bound
    double greatest;     //!< bound
    double start;        //!< default, where a search may begin; may be out of bounds
    bool isWhole{true};  //!< moves end at whole numbers
    bool scales{false};  //!< for 100 Gb/s; proportional to the line rate
    std::string below{}; //!< attribute of the same target that is never less than this one
    double factor{1};    //!< of NUMBER
    double offset{0};    //!< of NUMBER
};

/**
 * @brief Parameters that a tuner may change, with steps and bounds, as data: PARALEON's table for
 * DCQCN and its switches, or rows for any other law or stage.
 *
 * Vendors' parameters are not always attributes of the same form: dce_tcp_g, 1024 (1 - g), is here
 * a row of Dcqcn.Gain with factor -1/1024 and offset 1.
 */
class MutationTable
{
  public:
    /// A setting: a value for each row.
    using Values = std::vector<double>;

    /// Which rows ForDcqcn() has.
    enum class TunedSet : uint8_t
    {
        DEFAULT13,      //!< the 12 of artifact 1, and Dcqcn.CutPeriod
        A1_EFFECTIVE10, //!< of the 12, those that act in artifact 1; with its bounds
        A2,             //!< the 12 and EcnMarker.Pmax
    };

    /// Steps and bounds.
    enum class Bounds : uint8_t
    {
        A1, //!< of artifact 1; but TimeReset >= 5 us, MinDecFac <= 0.9
        A2, //!< of artifact 2
    };

    /// How to make PARALEON's table; see ParaleonParams::Table().
    struct Config
    {
        TunedSet tunedSet;
        Bounds bounds;
        bool minDecFacUp;        //!< direction of MinDecFac; the artifacts go down
        double firstCnpFraction; //!< start of FractionOnFirstCnp
    };

    /// @return PARALEON's rows for DCQCN and ECN, for 100 Gb/s. @param config see there
    static MutationTable ForDcqcn(const Config& config);

    /**
     * @brief Rows as text, separated by semicolons:
     * Target.Attribute:unit:direction:step:least:greatest:start, where unit is number, us, Mbps or
     * KB and direction + or -, for example Swift.BaseTarget:us:+:2:5:100:25. It may be followed by
     * :fraction (moves are not rounded), :scales and :below=Attribute.
     * @param text of one row or more
     * @throw InputError naming the row that is wrong
     */
    static MutationTable Parse(const std::string& text);

    /// @brief Add a row. @param row its bounds and references are right
    /// @throw InputError if a bound is above the other, or the step is not above 0
    void Add(const TunedParameter& row);

    const std::vector<TunedParameter>& GetRows() const
    {
        return m_rows;
    }

    /// @return number of rows
    std::size_t GetSize() const
    {
        return m_rows.size();
    }

    /// @return index of a row; GetSize() if there is none. @param target class @param attribute
    /// name
    std::size_t Find(const std::string& target, const std::string& attribute) const;

    /// @return the start of each row
    Values GetStart() const;

    /**
     * @brief Where a move ends: rounded unless it is a fraction, then clamped.
     * @param value before
     * @param distance by which it is to change, with its sign
     * @return value after
     */
    double Move(std::size_t row, double value, double distance) const;

    /// @brief Exchange values that must not be above each other, and are (Kmin, Kmax).
    /// @param values a setting
    void Order(Values& values) const;

    /// @return a value as text for the attribute, such as 300us. @param row index @param value of
    /// it
    std::string ToText(std::size_t row, double value) const;

    /// @return the value in an attribute's text. @param row index @param text as the attribute has
    /// @throw InputError if it cannot be read
    double FromText(std::size_t row, const std::string& text) const;

  private:
    std::vector<TunedParameter> m_rows;
};

} // namespace ns3::roce

#endif /* ROCE_MUTATION_TABLE_H */
