/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_SETTINGS_ATTRIBUTES_H
#define ROCE_SETTINGS_ATTRIBUTES_H

#include "roce-tunable-control.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief Adds the members of Settings to the TypeId of a TunableControl as attributes.
 *
 * @code
 * using S = SwiftSettings;
 * static const TypeId tid =
 *     SettingsAttributes<S>(TypeId("ns3::roce::Swift").SetParent<CongestionControl>() ...)
 *         .Text<&S::profile>("Profile", "falcon", "falcon, paper, htsim or reflex")
 *         .Number<&S::beta>("Beta", "Multiplicative decrease; -1: profile");
 * @endcode
 *
 * An attribute without a value of its own stands for the profile's: an empty text, -1 for numbers
 * and counts, -1ns for times, 0 for rates.
 *
 * @tparam Settings see TunableControl
 */
template <typename Settings>
class SettingsAttributes
{
  public:
    /// @param tid the rate law's
    explicit SettingsAttributes(TypeId tid)
        : m_tid(tid)
    {
    }

    /**
     * @brief An attribute of any type.
     * @tparam M pointer to the member of Settings
     * @param name of the attribute
     * @param value initial value
     * @param help one line
     * @param checker what is accepted
     * @return this
     */
    template <auto M, typename Value>
    SettingsAttributes& Add(const char* name,
                            const Value& value,
                            const char* help,
                            const Ptr<const AttributeChecker>& checker)
    {
        using Control = TunableControl<Settings>;
        m_tid.AddAttribute(
            name,
            help,
            value,
            MakeAccessorHelper<Value>(&Control::template Set<M>, &Control::template Get<M>),
            checker);
        return *this;
    }

    /// @brief A std::string; parameters as with Add(). @return this
    template <auto M>
    SettingsAttributes& Text(const char* name, const char* value, const char* help)
    {
        return Add<M>(name, StringValue(value), help, MakeStringChecker());
    }

    /// @brief A std::string, by default the profile's. @return this
    template <auto M>
    SettingsAttributes& Text(const char* name, const char* help)
    {
        return Text<M>(name, "", help);
    }

    /// @brief A bool. @return this
    template <auto M>
    SettingsAttributes& Flag(const char* name, bool value, const char* help)
    {
        return Add<M>(name, BooleanValue(value), help, MakeBooleanChecker());
    }

    /// @brief A double. @return this
    template <auto M>
    SettingsAttributes& Number(const char* name, double value, const char* help)
    {
        return Add<M>(name, DoubleValue(value), help, MakeDoubleChecker<double>());
    }

    /// @brief A double, by default the profile's. @return this
    template <auto M>
    SettingsAttributes& Number(const char* name, const char* help)
    {
        return Number<M>(name, -1, help);
    }

    /// @brief An int64_t. @return this
    template <auto M>
    SettingsAttributes& Count(const char* name, int64_t value, const char* help)
    {
        return Add<M>(name, IntegerValue(value), help, MakeIntegerChecker<int64_t>());
    }

    /// @brief An int64_t, by default the profile's. @return this
    template <auto M>
    SettingsAttributes& Count(const char* name, const char* help)
    {
        return Count<M>(name, -1, help);
    }

    /// @brief A Time. @return this
    template <auto M>
    SettingsAttributes& Duration(const char* name, const Time& value, const char* help)
    {
        return Add<M>(name, TimeValue(value), help, MakeTimeChecker());
    }

    /// @brief A Time, by default the profile's. @return this
    template <auto M>
    SettingsAttributes& Duration(const char* name, const char* help)
    {
        return Duration<M>(name, NanoSeconds(-1), help);
    }

    /// @brief A DataRate, by default the profile's (or 0). @return this
    template <auto M>
    SettingsAttributes& Rate(const char* name, const char* help)
    {
        return Add<M>(name, DataRateValue(DataRate(0)), help, MakeDataRateChecker());
    }

    /// @return the TypeId with all these attributes
    operator TypeId() const
    {
        return m_tid;
    }

  private:
    TypeId m_tid; //!< a handle: what is added goes into ns-3's registry
};

/**
 * @ingroup roce
 * @brief Reads the attributes of one rate law: the profile's value if none was set, InputError if a
 * value is bad.
 */
class SettingsCheck
{
  public:
    /**
     * @param typeName the rate law's, `ns3::roce::X`; outlives this
     * @param source what gives values to attributes that were not set; outlives this
     */
    explicit constexpr SettingsCheck(const char* typeName, const char* source = "profile")
        : m_typeName(typeName),
          m_source(source)
    {
    }

    /**
     * @param ok nothing happens if it is true
     * @param attribute name
     * @param value as it was found, in words; texts in quotation marks
     * @param expected in words
     * @throw InputError "ns3::roce::X: attribute is value, expected ..."
     */
    void Require(bool ok,
                 const char* attribute,
                 const std::string& value,
                 const std::string& expected) const
    {
        if (!ok)
        {
            throw InputError(std::string(m_typeName) + ": " + attribute + " is " + value +
                             ", expected " + expected);
        }
    }

    /**
     * @param attribute name
     * @param value 'true', 'false' or '' for the profile's
     * @param profile the profile's
     * @return the value in force
     */
    bool Flag(const char* attribute, const std::string& value, bool profile) const
    {
        Require(value.empty() || value == "true" || value == "false",
                attribute,
                "'" + value + "'",
                "'true', 'false' or '' " + FromSource());
        return value.empty() ? profile : value == "true";
    }

    /**
     * @tparam E bool, or an enumeration with the values 0, 1 ...
     * @param attribute name
     * @param value one of names, or '' for the profile's
     * @param names of the values 0, 1 ...
     * @param profile the profile's
     * @return the value in force
     */
    template <typename E>
    E Choice(const char* attribute,
             const std::string& value,
             std::initializer_list<const char*> names,
             E profile) const
    {
        if (value.empty())
        {
            return profile;
        }
        std::string expected;
        int i = 0;
        for (const char* name : names)
        {
            if (value == name)
            {
                return static_cast<E>(i);
            }
            expected += std::string(i ? ", '" : "'") + name + "'";
            ++i;
        }
        Require(false, attribute, "'" + value + "'", expected + " or '' " + FromSource());
        return profile;
    }

    /**
     * @param attribute name
     * @param value 0 or more, or -1ns for the profile's
     * @param profilePs the profile's
     * @return the value in force, ps
     */
    int64_t Duration(const char* attribute, const Time& value, int64_t profilePs) const
    {
        if (value == NanoSeconds(-1))
        {
            return profilePs;
        }
        Require(!value.IsStrictlyNegative(),
                attribute,
                std::to_string(value.GetPicoSeconds()) + " ps",
                "a time of 0 or more, or -1ns " + FromSource());
        return value.GetPicoSeconds();
    }

    /**
     * @param attribute name
     * @param value one of the names, or '' for the profile's
     * @param names what there is to choose from
     * @param profile index of the profile's; -1: '' is not accepted
     * @return index of the one in force
     */
    int Choice(const char* attribute,
               const std::string& value,
               std::initializer_list<const char*> names,
               int profile = -1) const
    {
        const auto found = std::find(names.begin(), names.end(), value);
        if (found != names.end())
        {
            return static_cast<int>(found - names.begin());
        }
        std::string expected;
        for (const char* name : names)
        {
            expected += (expected.empty() ? "'" : ", '") + std::string(name) + "'";
        }
        Require(value.empty() && profile >= 0,
                attribute,
                "'" + value + "'",
                expected + (profile >= 0 ? " or '' (from the profile)" : ""));
        return profile;
    }

    /**
     * @param path what Start() was given
     * @throw InputError unless base RTT, line rate and full frame are positive
     */
    void Path(const PathInfo& path) const
    {
        Require(path.baseRttPs > 0 && path.lineRateBps && path.fullFrameBytes,
                "path",
                std::to_string(path.baseRttPs) + " ps of base RTT, " +
                    std::to_string(path.lineRateBps) + " bit/s of line rate, " +
                    std::to_string(path.fullFrameBytes) + " B of full frame",
                "positive values");
    }

    /**
     * @param value -1 for the profile's
     * @param profile the profile's
     * @return the value in force
     */
    static double Number(double value, double profile)
    {
        return value == -1 ? profile : value;
    }

    /// @return "(from the profile)"
    std::string FromSource() const
    {
        return std::string("(from the ") + m_source + ")";
    }

  private:
    const char* m_typeName;
    const char* m_source;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_SETTINGS_ATTRIBUTES_H */
