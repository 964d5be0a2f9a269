// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARAMETER_KINDS_H
#define ROCE_PARAMETER_KINDS_H

#include "ns3/attribute.h"

#include <cstdint>
#include <limits>
#include <string>

namespace ns3::roce
{

/// @brief The numbers that a parameter may have.
class Range
{
  public:
    /// @return every number
    static Range Any()
    {
        return {-INFINITE, INFINITE, false};
    }

    /// @return low and more. @param low the least value
    static Range AtLeast(double low)
    {
        return {low, INFINITE, false};
    }

    /// @return more than low. @param low just outside
    static Range Above(double low)
    {
        return {low, INFINITE, true};
    }

    /// @return from low to high, both included. @param low the least @param high the greatest
    static Range Within(double low, double high)
    {
        return {low, high, false};
    }

    /// @return more than low, up to high. @param low just outside @param high the greatest
    static Range AboveUpTo(double low, double high)
    {
        return {low, high, true};
    }

    /// @return this, but less than high. @param high just outside
    Range Below(double high) const
    {
        Range range = *this;
        range.m_high = high;
        range.m_openHigh = true;
        return range;
    }

    /// @return this and one value more, that has a meaning of its own. @param value outside of this
    Range Or(double value) const
    {
        Range range = *this;
        range.m_other = value;
        return range;
    }

    /// @return whether a value is in it. @param value any; false for NaN
    bool Contains(double value) const
    {
        return value == m_other || ((m_open ? value > m_low : value >= m_low) &&
                                    (m_openHigh ? value < m_high : value <= m_high));
    }

    /**
     * @param name what is compared
     * @param print writes a bound; null: as a number
     * @return for example `0 < Gain <= 1`, `Period >= 1us`, `Window >= 1 or 0`; empty for Any()
     */
    std::string ToText(const std::string& name, std::string (*print)(double) = nullptr) const;

  private:
    static constexpr double INFINITE = std::numeric_limits<double>::infinity();

    Range(double low, double high, bool open)
        : m_low(low),
          m_high(high),
          m_open(open)
    {
    }

    double m_low;
    double m_high;
    bool m_open;                                              //!< m_low is outside
    bool m_openHigh{false};                                   //!< m_high is outside
    double m_other{std::numeric_limits<double>::quiet_NaN()}; //!< this one, too; NaN: none
};

/**
 * @brief The kinds of parameters: what a value is as ns-3's value, as a plain number and as text.
 *
 * Parse() accepts what a user may write and is the only reader of it: nothing aborts. Print() gives
 * text that Parse() reads back as the same. Read() and Write() are false for values of another
 * type. WHAT is for messages, NAME for tables.
 */
namespace kind
{

/// A number without unit: DoubleValue.
struct Number
{
    using Plain = double;
    static constexpr const char* WHAT = "a number";
    static constexpr const char* NAME = "number";
    static bool Parse(const std::string& text, double& number);
    static std::string Print(double number);
    static bool Read(const AttributeValue& from, double& number);
    static bool Write(double number, AttributeValue& to);
};

/// A whole number: IntegerValue, UintegerValue.
struct Count
{
    using Plain = int64_t;
    static constexpr const char* WHAT = "a whole number";
    static constexpr const char* NAME = "integer";
    static bool Parse(const std::string& text, int64_t& number);
    static std::string Print(int64_t number);
    static bool Read(const AttributeValue& from, int64_t& number);
    static bool Write(int64_t number, AttributeValue& to);
};

/// A whole number that is not negative: UintegerValue.
struct Unsigned
{
    using Plain = uint64_t;
    static bool Parse(const std::string& text, uint64_t& number);
    static std::string Print(uint64_t number);
    static bool Read(const AttributeValue& from, uint64_t& number);
    static bool Write(uint64_t number, AttributeValue& to);
};

/// A time in picoseconds: TimeValue.
struct Duration
{
    using Plain = int64_t;
    static constexpr const char* WHAT = "a time with unit, for example 10us";
    static constexpr const char* NAME = "time";
    static bool Parse(const std::string& text, int64_t& ps);
    static std::string Print(int64_t ps);
    static std::string PrintBound(double ps); //!< with unit, but for 0
    static bool Read(const AttributeValue& from, int64_t& ps);
    static bool Write(int64_t ps, AttributeValue& to);
};

/// A rate in bit/s: DataRateValue.
struct Rate
{
    using Plain = uint64_t;
    static constexpr const char* WHAT = "a rate with unit, for example 100Gbps";
    static constexpr const char* NAME = "rate";
    static bool Parse(const std::string& text, uint64_t& bps);
    static std::string Print(uint64_t bps);
    static bool Read(const AttributeValue& from, uint64_t& bps);
    static bool Write(uint64_t bps, AttributeValue& to);
};

/// A size in bytes: QueueSizeValue.
struct Size
{
    using Plain = uint32_t;
    static constexpr const char* WHAT = "a size below 4 GiB with unit, for example 32MiB";
    static constexpr const char* NAME = "bytes";
    static bool Parse(const std::string& text, uint32_t& bytes);
    static std::string Print(uint32_t bytes);
    static bool Read(const AttributeValue& from, uint32_t& bytes);
    static bool Write(uint32_t bytes, AttributeValue& to);
};

/// A size in bytes that may need 64 bits: as option only.
struct LargeSize
{
    using Plain = uint64_t;
    static bool Parse(const std::string& text, uint64_t& bytes);
    static std::string Print(uint64_t bytes);
    static bool Read(const AttributeValue& from, uint64_t& bytes);
    static bool Write(uint64_t bytes, AttributeValue& to);
};

/// BooleanValue.
struct Flag
{
    using Plain = bool;
    static constexpr const char* WHAT = "true or false";
    static constexpr const char* NAME = "true, false";
    static bool Parse(const std::string& text, bool& flag);
    static std::string Print(bool flag);
    static bool Read(const AttributeValue& from, bool& flag);
    static bool Write(bool flag, AttributeValue& to);
};

} // namespace kind

} // namespace ns3::roce

#endif /* ROCE_PARAMETER_KINDS_H */
