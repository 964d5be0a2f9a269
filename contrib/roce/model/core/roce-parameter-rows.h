/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_PARAMETER_ROWS_H
#define ROCE_PARAMETER_ROWS_H

#include "roce-parameter-kinds.h"
#include "roce-parameter-value.h"

#include "ns3/attribute.h"
#include "ns3/object-base.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{
namespace roce
{

template <typename P>
class Parameters;

/**
 * @param outer member of P that is a struct
 * @param inner member of that struct
 * @return what a row of a ParameterTable takes in place of a pointer to a member of P
 */
template <typename P, typename S, typename T>
auto
Nested(S P::*outer, T S::*inner)
{
    return [outer, inner](P& p) -> T& { return p.*outer.*inner; };
}

/// Type of the value in P that a pointer to a member, or a function, leads to.
template <typename P, typename M>
using HeldBy = std::decay_t<std::invoke_result_t<M, P&>>;

/// Whether a class has a function OnParameterChange(), to be told of attributes that are set.
template <typename T, typename = void>
struct WantsChanges : std::false_type
{
};

template <typename T>
struct WantsChanges<T, std::void_t<decltype(std::declval<T&>().OnParameterChange())>>
    : std::true_type
{
};

/**
 * @ingroup roce
 * @brief One parameter of a struct P.
 * @tparam P the struct
 */
template <typename P>
struct ParameterRow : public ParameterInfo
{
    /// @brief Take the value over. @param to changed @param from unchanged
    virtual void Copy(P& to, const P& from) const = 0;
    /// @return false if it is of another type. @param p changed @param value new
    virtual bool Set(P& p, const AttributeValue& value) const = 0;
    /// @return false if it is of another type. @param p asked @param value [out] the value
    virtual bool Get(const P& p, AttributeValue& value) const = 0;
    /// @return false if it cannot be read. @param p changed @param text the value
    virtual bool Parse(P& p, const std::string& text) const = 0;
    /// @return the value as text that Parse() reads. @param p asked
    virtual std::string Print(const P& p) const = 0;
    /// @return whether the value is in its range. @param p asked
    virtual bool IsInRange(const P& p) const = 0;
    using ParameterInfo::Takes;

    bool Takes(const AttributeValue& value) const override
    {
        P scratch{};
        return Set(scratch, value);
    }

    bool Takes(const std::string& text) const override
    {
        P scratch{};
        return (hasProfiles && text == PROFILE) || (Parse(scratch, text) && IsInRange(scratch));
    }
};

/// A row of a number, a time, a rate, a size or a flag.
template <typename P, typename Kind, typename M>
class NumberRow : public ParameterRow<P>
{
  public:
    using Held = HeldBy<P, M>;
    using Plain = typename Kind::Plain;

    NumberRow(M member, const Range& range)
        : m_member(member),
          m_range(range)
    {
    }

    void Copy(P& to, const P& from) const override
    {
        At(to) = At(from);
    }

    bool Set(P& p, const AttributeValue& value) const override
    {
        Plain plain{};
        const bool good = Kind::Read(value, plain) && IsHeld(plain);
        if (good)
        {
            Store(p, static_cast<Held>(plain));
        }
        return good;
    }

    bool Get(const P& p, AttributeValue& value) const override
    {
        return Kind::Write(Load(p), value);
    }

    bool Parse(P& p, const std::string& text) const override
    {
        Plain plain{};
        const bool good = Kind::Parse(text, plain) && IsHeld(plain);
        if (good)
        {
            Store(p, static_cast<Held>(plain));
        }
        return good;
    }

    std::string Print(const P& p) const override
    {
        return Kind::Print(Load(p));
    }

    bool IsInRange(const P& p) const override
    {
        return m_range.Contains(static_cast<double>(At(p)));
    }

    /// @brief Set the value of a profile. @param p changed @param value the value
    void Store(P& p, const Held& value) const
    {
        At(p) = value;
    }

  private:
    /// @return whether the member can hold a value
    static bool IsHeld(Plain plain)
    {
        // Beyond these ends the conversions below are undefined.
        if constexpr (std::is_floating_point_v<Plain> && std::is_integral_v<Held>)
        {
            if (!IsWithin<Held>(plain))
            {
                return false;
            }
        }
        if constexpr (std::is_integral_v<Plain> && std::is_floating_point_v<Held>)
        {
            if (!IsWithin<Plain>(static_cast<Held>(plain)))
            {
                return false;
            }
        }
        return static_cast<Plain>(static_cast<Held>(plain)) == plain &&
               (plain < Plain()) == (static_cast<Held>(plain) < Held());
    }

    /// @return whether a number can be converted to an integer of type I
    template <typename I, typename F>
    static bool IsWithin(F number)
    {
        constexpr F END = F(std::numeric_limits<I>::max() / 2 + 1) * 2; // a power of two: exact
        return number >= F(std::numeric_limits<I>::min()) && number < END;
    }

    Plain Load(const P& p) const
    {
        return static_cast<Plain>(At(p));
    }

    Held& At(P& p) const
    {
        return std::invoke(m_member, p);
    }

    const Held& At(const P& p) const
    {
        return std::invoke(m_member, const_cast<P&>(p)); // a function may take P& only
    }

    M m_member;
    Range m_range;
};

/// One of several texts.
template <typename T>
struct NamedValues
{
    /// Texts and what they mean.
    using Names = std::vector<std::pair<std::string, T>>;

    bool Parse(const std::string& text, T& held) const
    {
        for (const auto& [name, value] : names)
        {
            if (text == name)
            {
                held = value;
                return true;
            }
        }
        return false;
    }

    std::string Print(const T& held) const
    {
        for (const auto& [name, value] : names)
        {
            if (held == value)
            {
                return name;
            }
        }
        throw std::logic_error("a parameter has a value without name");
    }

    Names names;
};

/// A text as it is.
struct AnyText
{
    bool Parse(const std::string& text, std::string& held) const
    {
        held = text;
        return true;
    }

    std::string Print(const std::string& held) const
    {
        return held;
    }
};

/// A row of a text; the codec says what it means.
template <typename P, typename M, typename Codec>
class TextRow : public ParameterRow<P>
{
  public:
    using Held = HeldBy<P, M>;

    TextRow(M member, Codec codec)
        : m_member(member),
          m_codec(std::move(codec))
    {
    }

    void Copy(P& to, const P& from) const override
    {
        At(to) = At(const_cast<P&>(from)); // a function may take P& only
    }

    bool Set(P&, const AttributeValue&) const override
    {
        return false; // texts are read by Parse()
    }

    bool Get(const P&, AttributeValue&) const override
    {
        return false;
    }

    bool Parse(P& p, const std::string& text) const override
    {
        return m_codec.Parse(text, At(p));
    }

    std::string Print(const P& p) const override
    {
        return m_codec.Print(At(const_cast<P&>(p)));
    }

    bool IsInRange(const P&) const override
    {
        return true;
    }

    /// @brief Set the value of a profile. @param p changed @param value the value
    void Store(P& p, const Held& value) const
    {
        At(p) = value;
    }

  private:
    Held& At(P& p) const
    {
        return std::invoke(m_member, p);
    }

    M m_member;
    Codec m_codec;
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
        if (!owner || !(owner->*m_member).Set(m_row, value))
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
        return owner && (owner->*m_member).Get(m_row, value);
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

} // namespace roce
} // namespace ns3

#endif /* ROCE_PARAMETER_ROWS_H */
