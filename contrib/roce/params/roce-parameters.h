// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARAMETERS_H
#define ROCE_PARAMETERS_H

#include "roce-parameters-base.h"

#include "ns3/object-base.h"
#include "ns3/type-id.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::roce
{

template <typename P>
class Parameters;

/**
 * @brief The parameters of one type, a row for each.
 *
 * A row gives the attribute's name, the member of P that holds the value, the value in each
 * profile, the range or the choices, and the help text. From it come the ns-3 attribute, the
 * profiles, the check with its message, and the row of the documentation. A parameter is declared
 * nowhere else.
 *
 * @code
 * const ParameterTable<LawParams>&
 * LawParams::Table()
 * {
 *     using P = LawParams;
 *     static const auto table =
 *         ParameterTable<P>("ns3::roce::Law", {"paper", "simulator"})
 *             .Number("Gain", &P::gain, {1.0 / 256, 0.5}, Range::Within(0, 1))
.Help("g of the average")
 *             .Duration("Period", &P::periodPs, {55'000'000}, Range::AtLeast(0))
.Help("Timer; 0: off")
 *             .Flag("Restarts", &P::restarts, {true, false})
.Help("Marks start the timer again");
 *     return table;
 * }
 * @endcode
 *
 * The first profile is the default. One value is for all profiles. An attribute that is not set, or
 * set to the text `profile`, has the profile's value. What depends on several rows is for Finish().
 *
 * @tparam P plain struct of the values, in the units in which they are used; copyable
 */
template <typename P>
class ParameterTable : public ParameterTableBase
{
  public:
    /// Type of the value that a pointer to a member, or a function, leads to.
    template <typename M>
    using Held = HeldBy<P, M>;
    /// The choices of a parameter: texts and what they mean.
    template <typename T>
    using Names = typename NamedValues<T>::Names;
    /// Called with all values: derives members, throws InputError.
    using FinishFunction = std::function<void(P& values, const Parameters<P>& given)>;

    /**
     * @param typeName `ns3::roce::X`, for messages
     * @param profiles names; the first is the default. Empty: there are no profiles
     */
    explicit ParameterTable(const char* typeName, const std::vector<std::string>& profiles = {})
        : ParameterTableBase(typeName, profiles),
          m_profiles(CountProfiles())
    {
    }

    /**
     * @brief A number without unit, held as a double.
     * @param name of the attribute
     * @param member pointer to the member of P, or a function from P& to a reference
     * @param values in each profile, or one for all
     * @param range what is accepted
     */
    template <typename M, typename T = Held<M>>
    ParameterTable& Number(const char* name,
                           M member,
                           const std::vector<T>& values,
                           const Range& range,
                           const char* help = "")
    {
        AddNumber<kind::Number>(name, OffsetBytes(member), ValuesOf(member, values), range, help);
        return *this;
    }

    /// @brief A whole number, held as any integer. Parameters as Number().
    template <typename M, typename T = Held<M>>
    ParameterTable& Count(const char* name,
                          M member,
                          const std::vector<T>& values,
                          const Range& range,
                          const char* help = "")
    {
        AddNumber<kind::Count>(name, OffsetBytes(member), ValuesOf(member, values), range, help);
        return *this;
    }

    /// @brief A time, held in ps as an int64_t or double; range in ps. Parameters as Number().
    /// @return this
    template <typename M, typename T = Held<M>>
    ParameterTable& Duration(const char* name,
                             M member,
                             const std::vector<T>& valuesPs,
                             const Range& rangePs,
                             const char* help = "")
    {
        AddNumber<kind::Duration>(name,
                                  OffsetBytes(member),
                                  ValuesOf(member, valuesPs),
                                  rangePs,
                                  help);
        return *this;
    }

    /// @brief A rate, held in bit/s as a double or uint64_t. Parameters as Number().
    template <typename M, typename T = Held<M>>
    ParameterTable& Rate(const char* name,
                         M member,
                         const std::vector<T>& valuesBps,
                         const Range& rangeBps,
                         const char* help = "")
    {
        AddNumber<kind::Rate>(name,
                              OffsetBytes(member),
                              ValuesOf(member, valuesBps),
                              rangeBps,
                              help);
        return *this;
    }

    /// @brief A size, held in bytes as any number. Parameters as Number().
    template <typename M, typename T = Held<M>>
    ParameterTable& Size(const char* name,
                         M member,
                         const std::vector<T>& valuesBytes,
                         const Range& rangeBytes,
                         const char* help = "")
    {
        AddNumber<kind::Size>(name,
                              OffsetBytes(member),
                              ValuesOf(member, valuesBytes),
                              rangeBytes,
                              help);
        return *this;
    }

    /// @brief true or false. Parameters as Number().
    template <typename M>
    ParameterTable& Flag(const char* name,
                         M member,
                         const std::vector<bool>& values,
                         const char* help = "")
    {
        static_assert(std::is_same_v<Held<M>, bool>);
        AddNumber<kind::Flag, bool>(name, OffsetBytes(member), values, Range::Any(), help);
        return *this;
    }

    /**
     * @brief One of several texts.
     * @param name of the attribute
     * @param member pointer to the member of P, or a function from P& to a reference
     * @param values in each profile, or one for all
     * @param names texts and what they mean
     */
    template <typename M, typename T = Held<M>>
    ParameterTable& Choice(const char* name,
                           M member,
                           const std::vector<T>& values,
                           const Names<T>& names,
                           const char* help = "")
    {
        static_assert(std::is_same_v<Held<M>, T>);
        AddChoice<T>(name, OffsetBytes(member), values, names, help);
        return *this;
    }

    /// @brief Any text, held as a std::string. Parameters as Number().
    template <typename M>
    ParameterTable& Text(const char* name,
                         M member,
                         const std::vector<std::string>& values,
                         const char* help = "")
    {
        static_assert(std::is_same_v<Held<M>, std::string>);
        AddText(name, OffsetBytes(member), values, help);
        return *this;
    }

    /// @brief What the last row is for. @param help one line; also the last argument of a row
    ParameterTable& Help(const char* help)
    {
        SetHelp(help);
        return *this;
    }

    /**
     * @brief A number or flag that profiles alone decide, without an attribute.
     * @tparam Kind of the number, if it has a unit
     * @param name that an attribute would have, for messages
     * @param member pointer to the member of P, or a function from P& to a reference
     * @param values in each profile, or one for all
     */
    template <typename Kind = void, typename M, typename T = Held<M>>
    ParameterTable& Fixed(const char* name, M member, const std::vector<T>& values)
    {
        using Plain = std::conditional_t<
            std::is_same_v<T, bool>,
            kind::Flag,
            std::conditional_t<std::is_integral_v<T>, kind::Count, kind::Number>>;
        using Row = std::conditional_t<std::is_void_v<Kind>, Plain, Kind>;
        AddNumber<Row>(name, OffsetBytes(member), values, Range::Any(), "");
        MakeFixed();
        return *this;
    }

    /// @brief One of several texts that profiles alone decide. @param name see above @param member
    /// see above @param values see above @param names texts and what they mean @return this
    template <typename M, typename T = Held<M>>
    ParameterTable& Fixed(const char* name,
                          M member,
                          const std::vector<T>& values,
                          const Names<T>& names)
    {
        AddChoice<T>(name, OffsetBytes(member), values, names, "");
        MakeFixed();
        return *this;
    }

    /// @brief Attributes that there were once and are constants in the code now, for messages.
    /// @param values names, and values as text @return this
    ParameterTable& Constants(const std::vector<std::pair<std::string, std::string>>& values)
    {
        AddConstants(values);
        return *this;
    }

    /// @brief See FinishFunction. @param finish called whenever values are put together @return
    /// this
    ParameterTable& Finish(FinishFunction finish)
    {
        m_finish = std::move(finish);
        return *this;
    }

    /// @brief All rows so far may be changed during a simulation; others may not.
    ParameterTable& Live()
    {
        MakeLive();
        return *this;
    }

    /**
     * @brief Add the attributes, Profile first.
     * @tparam T class that has the parameters
     * @param tid of that class
     * @param member its Parameters<P>
     * @param wrap given each accessor, returns the one to be used; null: the same
     * @return the same TypeId
     */
    template <typename T>
    TypeId AddTo(
        TypeId tid,
        Parameters<P> T::*member,
        Ptr<const AttributeAccessor> (*wrap)(Ptr<const AttributeAccessor>) = nullptr) const;

  private:
    friend class Parameters<P>;

    const void* ProfileValues(std::size_t index) const override
    {
        return &m_profiles[index];
    }

    void* CopyProfile(std::size_t index) const override
    {
        const P copy = m_profiles[index];
        return &m_profiles.emplace_back(copy);
    }

    /// @return the values as the member holds them, which may be another type of number
    template <typename M, typename T>
    static std::vector<Held<M>> ValuesOf(const M&, const std::vector<T>& values)
    {
        return std::vector<Held<M>>(values.begin(), values.end());
    }

    /// @return where in P a pointer to a member, or a function, leads to
    template <typename M>
    std::size_t OffsetBytes(M member)
    {
        P& values = m_profiles.front();
        const auto offset =
            static_cast<std::size_t>(reinterpret_cast<const char*>(&std::invoke(member, values)) -
                                     reinterpret_cast<const char*>(&values));
        if (offset >= sizeof(P) || offset + sizeof(Held<M>) > sizeof(P))
        {
            throw std::logic_error("a parameter is not held within its struct");
        }
        return offset;
    }

    mutable std::vector<P> m_profiles; //!< values; more with profiles from outside
    FinishFunction m_finish;
};

/**
 * @brief The parameters of one object: what was given, and the effective values.
 *
 * A copy shares both until one of the two is changed: a network has thousands of queue pairs and a
 * few settings. A class has this as a member, and its TypeId the attributes by
 * ParameterTable::AddTo().
 *
 * @tparam P plain struct of the values, with a static function Table()
 */
template <typename P>
class Parameters : public ParametersBase
{
  public:
    Parameters()
        : ParametersBase(std::make_shared<TypedState>())
    {
    }

    /**
     * @return the effective values, from the current attributes; the same object until they change
     * @throw InputError for a value that cannot be read or is out of range
     */
    const std::shared_ptr<const P>& Get() const
    {
        auto& state = static_cast<TypedState&>(*m_state);
        if (!state.values)
        {
            state.values = std::make_shared<const P>(Resolve());
        }
        return state.values;
    }

    /**
     * @brief Share the parameters of another object from now on, during a simulation.
     * @param from may be the same
     * @param inForce the values so far
     * @return the values from now on
     * @throw InputError if a parameter differs that is not live, or a value of from is bad
     */
    std::shared_ptr<const P> Retune(const Parameters& from, const P& inForce)
    {
        const std::shared_ptr<const P> next = from.Get();
        RequireLive(&inForce, next.get());
        m_state = from.m_state;
        return next;
    }

  private:
    struct TypedState : public State
    {
        std::shared_ptr<State> Clone() const override
        {
            return std::make_shared<TypedState>(*this);
        }

        const ParameterTableBase& Table() const override
        {
            return P::Table();
        }

        void* Given() override
        {
            return &given;
        }

        const void* InForce(const ParametersBase& owner) override
        {
            return static_cast<const Parameters&>(owner).Get().get();
        }

        void Forget() override
        {
            values = nullptr;
        }

        P given{};                       //!< values of the rows that were given
        std::shared_ptr<const P> values; //!< effective; null: to be computed
    };

    P Resolve() const
    {
        const ParameterTable<P>& table = P::Table();
        P values = table.m_profiles[RequireProfile()];
        PutGiven(&values);
        if (table.m_finish)
        {
            table.m_finish(values, *this);
        }
        return values;
    }
};

/// Whether a class has a function OnParameterChange(), to be called when an attribute is set.
template <typename T, typename = void>
struct WantsChanges : std::false_type
{
};

template <typename T>
struct WantsChanges<T, std::void_t<decltype(std::declval<T&>().OnParameterChange())>>
    : std::true_type
{
};

/// Connects an attribute with a row.
template <typename P, typename T>
class ParameterAccessor : public AttributeAccessor
{
  public:
    ParameterAccessor(Parameters<P> T::*member, std::size_t row)
        : m_member(member),
          m_row(row)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto* owner = dynamic_cast<T*>(object);
        if (!owner || !(owner->*m_member).SetRow(m_row, value))
        {
            return false;
        }
        if constexpr (WantsChanges<T>::value)
        {
            owner->OnParameterChange();
        }
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto* owner = dynamic_cast<const T*>(object);
        return owner && (owner->*m_member).GetRow(m_row, value);
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    Parameters<P> T::*m_member;
    std::size_t m_row;
};

template <typename P>
template <typename T>
TypeId
ParameterTable<P>::AddTo(TypeId tid,
                         Parameters<P> T::*member,
                         Ptr<const AttributeAccessor> (*wrap)(Ptr<const AttributeAccessor>)) const
{
    return AddAttributes(tid, [member, wrap](std::size_t row) -> Ptr<const AttributeAccessor> {
        const Ptr<const AttributeAccessor> accessor = Create<ParameterAccessor<P, T>>(member, row);
        return wrap ? wrap(accessor) : accessor;
    });
}

} // namespace ns3::roce

#endif /* ROCE_PARAMETERS_H */
