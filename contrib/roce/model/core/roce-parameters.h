/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_PARAMETERS_H
#define ROCE_PARAMETERS_H

#include "roce-parameter-kinds.h"
#include "roce-parameter-rows.h"
#include "roce-parameter-value.h"

#include "ns3/roce-input-error.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief All that there is to say about the parameters of one type, a row for each.
 *
 * A row gives the attribute's name, the member of P that holds the value, the value in each
 * profile, the range or the choices, and the help text. From it come the ns-3 attribute, the
 * profiles, the check with its message, and the row of the documentation. A parameter stands
 * nowhere else.
 *
 * @code
 * const ParameterTable<LawParams>&
 * LawParams::Table()
 * {
 *     using P = LawParams;
 *     static const auto table =
 *         ParameterTable<P>("ns3::roce::Law", {"paper", "simulator"})
 *             .Number("Gain", &P::gain, {1.0 / 256, 0.5}, Range::Within(0, 1), "g of the average")
 *             .Duration("Period", &P::periodPs, {55'000'000}, Range::AtLeast(0), "Timer; 0: off")
 *             .Flag("Restarts", &P::restarts, {true, false}, "Marks start the timer again");
 *     return table;
 * }
 * @endcode
 *
 * The first profile is the default. One value stands for all profiles. An attribute that is not
 * set, or set to the text `profile`, has the profile's value. What depends on several rows is for
 * Finish().
 *
 * @tparam P plain struct of the values, in the units in which they are used; copyable
 */
template <typename P>
class ParameterTable
{
  public:
    /// Type of the value that a pointer to a member, or a function, leads to.
    template <typename M>
    using Held = HeldBy<P, M>;
    /// The choices of a parameter: texts and what they mean.
    template <typename T>
    using Names = typename NamedValues<T>::Names;
    /// Looks at all values once they are put together: derives members, throws InputError.
    using FinishFunction = std::function<void(P& values, const Parameters<P>& given)>;

    /**
     * @param typeName `ns3::roce::X`, for messages
     * @param profiles names; the first is the default. Empty: there are no profiles
     */
    explicit ParameterTable(const char* typeName, std::vector<std::string> profiles = {})
        : m_typeName(typeName),
          m_profileNames(std::move(profiles)),
          m_profiles(std::max<std::size_t>(1, m_profileNames.size()))
    {
    }

    /**
     * @brief A number without unit, held as a double.
     * @param name of the attribute
     * @param member pointer to the member of P, or a function from P& to a reference
     * @param values in each profile, or one for all
     * @param range what is accepted
     * @param help one line
     * @return this
     */
    template <typename M, typename T = Held<M>>
    ParameterTable& Number(const char* name,
                           M member,
                           const std::vector<T>& values,
                           const Range& range,
                           const char* help)
    {
        return AddNumber<kind::Number>(name, member, values, range, help);
    }

    /// @brief A whole number, held as any integer. Parameters as Number(). @return this
    template <typename M, typename T = Held<M>>
    ParameterTable& Count(const char* name,
                          M member,
                          const std::vector<T>& values,
                          const Range& range,
                          const char* help)
    {
        return AddNumber<kind::Count>(name, member, values, range, help);
    }

    /// @brief A time, held in ps as an int64_t or double; range in ps. Parameters as Number().
    /// @return this
    template <typename M, typename T = Held<M>>
    ParameterTable& Duration(const char* name,
                             M member,
                             const std::vector<T>& valuesPs,
                             const Range& rangePs,
                             const char* help)
    {
        return AddNumber<kind::Duration>(name, member, valuesPs, rangePs, help);
    }

    /// @brief A rate, held in bit/s as a double or uint64_t. Parameters as Number(). @return this
    template <typename M, typename T = Held<M>>
    ParameterTable& Rate(const char* name,
                         M member,
                         const std::vector<T>& valuesBps,
                         const Range& rangeBps,
                         const char* help)
    {
        return AddNumber<kind::Rate>(name, member, valuesBps, rangeBps, help);
    }

    /// @brief A size, held in bytes as any number. Parameters as Number(). @return this
    template <typename M, typename T = Held<M>>
    ParameterTable& Size(const char* name,
                         M member,
                         const std::vector<T>& valuesBytes,
                         const Range& rangeBytes,
                         const char* help)
    {
        return AddNumber<kind::Size>(name, member, valuesBytes, rangeBytes, help);
    }

    /// @brief true or false. Parameters as Number(). @return this
    template <typename M>
    ParameterTable& Flag(const char* name,
                         M member,
                         const std::vector<bool>& values,
                         const char* help)
    {
        return AddNumber<kind::Flag>(name, member, values, Range::Any(), help);
    }

    /**
     * @brief One of several texts.
     * @param name of the attribute
     * @param member pointer to the member of P, or a function from P& to a reference
     * @param values in each profile, or one for all
     * @param names texts and what they mean
     * @param help one line
     * @return this
     */
    template <typename M, typename T = Held<M>>
    ParameterTable& Choice(const char* name,
                           M member,
                           const std::vector<T>& values,
                           const Names<T>& names,
                           const char* help);

    /// @brief Any text, held as a std::string. Parameters as Number(). @return this
    template <typename M>
    ParameterTable& Text(const char* name,
                         M member,
                         const std::vector<std::string>& values,
                         const char* help);

    /// @brief See FinishFunction. @param finish called whenever values are put together @return
    /// this
    ParameterTable& Finish(FinishFunction finish)
    {
        m_finish = std::move(finish);
        return *this;
    }

    /// @brief All rows so far may be changed while a simulation is on; others may not. @return this
    ParameterTable& Live()
    {
        for (const std::shared_ptr<ParameterRow<P>>& row : m_rows)
        {
            row->isLive = true;
        }
        return *this;
    }

    /**
     * @brief Add the attributes, Profile first.
     * @tparam T class that has the parameters
     * @param tid of that class
     * @param member its Parameters<P>
     * @return the same
     */
    template <typename T>
    TypeId AddTo(TypeId tid, Parameters<P> T::*member) const;

    /// @brief RequireParameter() for this type. @param ok see there @param name see there @param
    /// value see there @param expected see there
    void Require(bool ok,
                 const std::string& name,
                 const std::string& value,
                 const std::string& expected) const
    {
        RequireParameter(ok, m_typeName, name, value, expected);
    }

  private:
    friend class Parameters<P>;

    template <typename Kind, typename M, typename V>
    ParameterTable& AddNumber(const char* name,
                              M member,
                              const std::vector<V>& values,
                              const Range& range,
                              const char* help);

    /// @brief Take a row whose values by profile are set() by the caller.
    template <typename V, typename SetFunction>
    ParameterTable& Add(std::shared_ptr<ParameterRow<P>> row,
                        const char* name,
                        const char* help,
                        const std::vector<V>& values,
                        const SetFunction& set);

    /// Stands for the attribute Profile in place of a row's index.
    static constexpr std::size_t PROFILE_ROW = SIZE_MAX;

    const char* m_typeName;
    std::vector<std::string> m_profileNames;
    std::vector<P> m_profiles; //!< values
    std::vector<std::shared_ptr<ParameterRow<P>>> m_rows;
    FinishFunction m_finish;
};

/**
 * @ingroup roce
 * @brief The parameters of one object: what was given, and the values in force.
 *
 * A copy shares both until one of the two is changed: a network has thousands of queue pairs and a
 * few settings. A class has this as a member, and its TypeId the attributes by
 * ParameterTable::AddTo().
 *
 * @tparam P plain struct of the values, with a static function Table()
 */
template <typename P>
class Parameters
{
  public:
    Parameters()
        : m_state(std::make_shared<State>())
    {
    }

    /**
     * @return the values in force, as the attributes stand now; the same object until they change
     * @throw InputError for a value that cannot be read or is out of range
     */
    const std::shared_ptr<const P>& Get() const
    {
        if (!m_state->values)
        {
            m_state->values = std::make_shared<const P>(Resolve());
        }
        return m_state->values;
    }

    /// @return whether an attribute was given, whatever the profile. @param name of the attribute
    bool IsGiven(const std::string& name) const;

    /// @return name of the profile; empty if there are none
    std::string GetProfile() const;

    /**
     * @brief Share the parameters of another object from now on, while a simulation is on.
     * @param from may be the same
     * @param inForce the values so far
     * @return the values from now on
     * @throw InputError if a parameter differs that is not live, or a value of from is bad
     */
    std::shared_ptr<const P> Retune(const Parameters& from, const P& inForce);

  private:
    friend class ParameterTable<P>;
    template <typename, typename>
    friend class ParameterAccessor;

    /// What copies share.
    struct State
    {
        std::string profile;                    //!< attribute Profile; empty: the first
        std::vector<bool> isGiven;              //!< by row
        P given{};                              //!< values of the rows that were given
        std::map<std::size_t, std::string> bad; //!< by row: given, but cannot be read
        std::shared_ptr<const P> values;        //!< in force; null: to be put together
    };

    P Resolve() const;
    State& Change();
    std::size_t ProfileIndex() const;
    bool Set(std::size_t row, const AttributeValue& value);
    bool Get(std::size_t row, AttributeValue& value) const;
    const P& InForce(bool isGiven) const;

    std::shared_ptr<State> m_state;
};

template <typename P>
template <typename V, typename SetFunction>
ParameterTable<P>&
ParameterTable<P>::Add(std::shared_ptr<ParameterRow<P>> row,
                       const char* name,
                       const char* help,
                       const std::vector<V>& values,
                       const SetFunction& set)
{
    if (values.size() != 1 && values.size() != m_profiles.size())
    {
        throw std::logic_error(std::string(m_typeName) + ": " + name + " has " +
                               std::to_string(values.size()) + " values, expected 1 or " +
                               std::to_string(m_profiles.size()));
    }
    row->name = name;
    row->help = help;
    row->hasProfiles = m_profileNames.size() > 1;
    for (std::size_t i = 0; i < m_profiles.size(); ++i)
    {
        set(m_profiles[i], static_cast<V>(values[values.size() == 1 ? 0 : i]));
        row->profileText.push_back(row->Print(m_profiles[i]));
    }
    m_rows.push_back(std::move(row));
    return *this;
}

template <typename P>
template <typename Kind, typename M, typename V>
ParameterTable<P>&
ParameterTable<P>::AddNumber(const char* name,
                             M member,
                             const std::vector<V>& values,
                             const Range& range,
                             const char* help)
{
    auto row = std::make_shared<NumberRow<P, Kind, M>>(member, range);
    std::string (*print)(double) = nullptr;
    if constexpr (std::is_same_v<Kind, kind::Duration>)
    {
        print = &Kind::PrintBound;
    }
    const std::string bounds = range.ToText(name, print);
    row->expected = Kind::WHAT + (bounds.empty() ? "" : ", " + bounds);
    row->values = Kind::NAME + (bounds.empty() ? "" : ", " + bounds);
    return Add(row, name, help, values, [&row](P& p, V value) { row->Store(p, value); });
}

template <typename P>
template <typename M, typename T>
ParameterTable<P>&
ParameterTable<P>::Choice(const char* name,
                          M member,
                          const std::vector<T>& values,
                          const Names<T>& names,
                          const char* help)
{
    auto row = std::make_shared<TextRow<P, M, NamedValues<T>>>(member, NamedValues<T>{names});
    for (const auto& [text, value] : names)
    {
        row->expected += (row->expected.empty() ? "'" : ", '") + text + "'";
        row->values += (row->values.empty() ? "" : ", ") + text;
    }
    return Add(row, name, help, values, [&row](P& p, const T& value) { row->Store(p, value); });
}

template <typename P>
template <typename M>
ParameterTable<P>&
ParameterTable<P>::Text(const char* name,
                        M member,
                        const std::vector<std::string>& values,
                        const char* help)
{
    auto row = std::make_shared<TextRow<P, M, AnyText>>(member, AnyText());
    row->expected = row->values = "text";
    return Add(row, name, help, values, [&row](P& p, const std::string& value) {
        row->Store(p, value);
    });
}

template <typename P>
template <typename T>
TypeId
ParameterTable<P>::AddTo(TypeId tid, Parameters<P> T::*member) const
{
    const auto add = [&](const std::shared_ptr<const ParameterInfo>& info, std::size_t row) {
        tid.AddAttribute(info->name,
                         info->help,
                         ParameterValue(info->GetDefault(), false),
                         Create<ParameterAccessor<P, T>>(member, row),
                         Create<ParameterChecker>(info));
    };
    if (m_profileNames.size() > 1)
    {
        add(std::make_shared<ProfileInfo>(m_profileNames), PROFILE_ROW);
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i)
    {
        add(m_rows[i], i);
    }
    return tid;
}

template <typename P>
typename Parameters<P>::State&
Parameters<P>::Change()
{
    if (m_state.use_count() > 1)
    {
        m_state = std::make_shared<State>(*m_state);
    }
    m_state->values = nullptr;
    m_state->isGiven.resize(P::Table().m_rows.size());
    return *m_state;
}

template <typename P>
bool
Parameters<P>::Set(std::size_t row, const AttributeValue& value)
{
    const auto* text = dynamic_cast<const ParameterValue*>(&value);
    if (row == ParameterTable<P>::PROFILE_ROW)
    {
        const std::string profile = text && text->IsGiven() ? text->GetText() : "";
        if (profile != m_state->profile)
        {
            Change().profile = profile;
        }
        return text;
    }
    const ParameterRow<P>& what = *P::Table().m_rows[row];
    if (text && !text->IsGiven() && (m_state->isGiven.empty() || !m_state->isGiven[row]))
    {
        return true; // as it is: objects are made by the thousand
    }
    State& state = Change();
    state.bad.erase(row);
    state.isGiven[row] = !text || text->IsGiven();
    if (!text)
    {
        return what.Set(state.given, value);
    }
    if (text->IsGiven() && !what.Parse(state.given, text->GetText()))
    {
        state.bad[row] = text->GetText();
    }
    return true;
}

template <typename P>
bool
Parameters<P>::Get(std::size_t row, AttributeValue& value) const
{
    auto* text = dynamic_cast<ParameterValue*>(&value);
    if (row == ParameterTable<P>::PROFILE_ROW)
    {
        if (text)
        {
            *text = ParameterValue(GetProfile(), !m_state->profile.empty());
        }
        return text;
    }
    const ParameterRow<P>& what = *P::Table().m_rows[row];
    const auto bad = m_state->bad.find(row);
    const bool isGiven = !m_state->isGiven.empty() && m_state->isGiven[row];
    if (bad != m_state->bad.end())
    {
        if (text)
        {
            *text = ParameterValue(bad->second, true);
        }
        return text;
    }
    const P& values = InForce(isGiven);
    if (text)
    {
        *text = ParameterValue(what.Print(values), isGiven);
    }
    return text || what.Get(values, value);
}

/// @return the values in force; if another row is bad, those of the profile or the given ones
template <typename P>
const P&
Parameters<P>::InForce(bool isGiven) const
{
    try
    {
        return *Get();
    }
    catch (const InputError&) // told by who uses the parameters
    {
        return isGiven ? m_state->given : P::Table().m_profiles[ProfileIndex()];
    }
}

template <typename P>
std::string
Parameters<P>::GetProfile() const
{
    const std::vector<std::string>& names = P::Table().m_profileNames;
    return m_state->profile.empty() && !names.empty() ? names.front() : m_state->profile;
}

/// @return index of the profile; 0 for one that is not known, which Resolve() refuses
template <typename P>
std::size_t
Parameters<P>::ProfileIndex() const
{
    const std::vector<std::string>& names = P::Table().m_profileNames;
    const auto found = std::find(names.begin(), names.end(), m_state->profile);
    return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
}

template <typename P>
bool
Parameters<P>::IsGiven(const std::string& name) const
{
    const auto& rows = P::Table().m_rows;
    const auto found = std::find_if(rows.begin(), rows.end(), [&name](const auto& row) {
        return row->name == name;
    });
    if (found == rows.end())
    {
        throw std::logic_error("no parameter " + name);
    }
    return !m_state->isGiven.empty() &&
           m_state->isGiven[static_cast<std::size_t>(found - rows.begin())];
}

template <typename P>
P
Parameters<P>::Resolve() const
{
    const ParameterTable<P>& table = P::Table();
    const std::size_t profile = ProfileIndex();
    if (!m_state->profile.empty() && table.m_profileNames[profile] != m_state->profile)
    {
        table.Require(false,
                      "Profile",
                      "'" + m_state->profile + "'",
                      ProfileInfo(table.m_profileNames).GetExpected());
    }
    P values = table.m_profiles[profile];
    for (std::size_t i = 0; i < m_state->isGiven.size(); ++i)
    {
        const ParameterRow<P>& row = *table.m_rows[i];
        const auto bad = m_state->bad.find(i);
        if (bad != m_state->bad.end())
        {
            table.Require(false, row.name, "'" + bad->second + "'", row.GetExpected());
        }
        if (m_state->isGiven[i])
        {
            row.Copy(values, m_state->given);
            table.Require(row.IsInRange(values), row.name, row.Print(values), row.GetExpected());
        }
    }
    if (table.m_finish)
    {
        table.m_finish(values, *this);
    }
    return values;
}

template <typename P>
std::shared_ptr<const P>
Parameters<P>::Retune(const Parameters& from, const P& inForce)
{
    const ParameterTable<P>& table = P::Table();
    const std::shared_ptr<const P> next = from.Get();
    for (const std::shared_ptr<ParameterRow<P>>& row : table.m_rows)
    {
        table.Require(row->isLive || row->Print(inForce) == row->Print(*next),
                      row->name,
                      row->Print(*next),
                      row->Print(inForce) + ": it cannot change while the simulation is on");
    }
    m_state = from.m_state;
    return next;
}

} // namespace roce
} // namespace ns3

#endif /* ROCE_PARAMETERS_H */
