// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARAMETER_ROWS_H
#define ROCE_PARAMETER_ROWS_H

#include "roce-parameter-kinds.h"
#include "roce-parameter-value.h"

#include "ns3/attribute.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/roce-byte-size.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::roce
{

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

/**
 * @brief One parameter of a struct: the type of its value, and where in the struct the value is.
 * The type of the struct is not known here, so that all structs share this code.
 */
struct ParameterRow : public ParameterInfo
{
    /// @return where the value is. @param values the struct
    void* In(void* values) const
    {
        return static_cast<char*>(values) + offsetBytes;
    }

    /// @return where the value is. @param values the struct
    const void* In(const void* values) const
    {
        return static_cast<const char*>(values) + offsetBytes;
    }

    /// @brief Take the value over. @param to changed @param from unchanged
    virtual void Copy(void* to, const void* from) const = 0;
    /// @return false if it is of another type. @param held changed @param value new
    virtual bool Set(void* held, const AttributeValue& value) const = 0;
    /// @return false if it is of another type. @param held asked @param value [out] the value
    virtual bool Get(const void* held, AttributeValue& value) const = 0;
    /// @return false if it cannot be read. @param held changed @param text the value
    virtual bool Parse(void* held, const std::string& text) const = 0;
    /// @return the value as text that Parse() reads. @param held asked
    virtual std::string Print(const void* held) const = 0;
    /// @return whether the value is in its range. @param held asked
    virtual bool IsInRange(const void* held) const = 0;

    std::size_t offsetBytes{0}; //!< of the value from the start of the struct
};

/// A row whose value has a type.
template <typename Held>
class TypedRow : public ParameterRow
{
  public:
    bool Takes(const AttributeValue& value) const override
    {
        Held scratch{};
        return Set(&scratch, value);
    }

    bool Takes(const std::string& text) const override
    {
        Held scratch{};
        return (hasProfiles && text == PROFILE) || (Parse(&scratch, text) && IsInRange(&scratch));
    }

    void Copy(void* to, const void* from) const override
    {
        At(to) = At(from);
    }

    /// @return the value
    static Held& At(void* held)
    {
        return *static_cast<Held*>(held);
    }

    /// @return the value
    static const Held& At(const void* held)
    {
        return *static_cast<const Held*>(held);
    }
};

/// How a variable holds a number: as a number, or as one of the types that ns-3 has for it.
template <typename Held>
struct Holder
{
    static_assert(std::is_arithmetic_v<Held>);

    static Held Get(Held held)
    {
        return held;
    }
};

template <>
struct Holder<Time>
{
    static int64_t Get(const Time& held)
    {
        return held.GetPicoSeconds();
    }

    static Time Make(int64_t ps)
    {
        return PicoSeconds(ps);
    }
};

template <>
struct Holder<DataRate>
{
    static uint64_t Get(const DataRate& held)
    {
        return held.GetBitRate();
    }

    static DataRate Make(uint64_t bps)
    {
        return DataRate(bps);
    }
};

template <>
struct Holder<QueueSize>
{
    static uint32_t Get(const QueueSize& held)
    {
        return held.GetValue();
    }

    static QueueSize Make(uint32_t bytes)
    {
        return QueueSize(QueueSizeUnit::BYTES, bytes);
    }
};

template <>
struct Holder<ByteSize>
{
    static uint64_t Get(const ByteSize& held)
    {
        return held.GetValue();
    }

    static ByteSize Make(uint64_t bytes)
    {
        return ByteSize(bytes);
    }
};

/// A row of a number, a time, a rate, a size or a flag.
template <typename Kind, typename Held>
class NumberRow : public TypedRow<Held>
{
  public:
    using Plain = typename Kind::Plain;
    using TypedRow<Held>::At;

    explicit NumberRow(const Range& range)
        : m_range(range)
    {
    }

    bool Set(void* held, const AttributeValue& value) const override
    {
        Plain plain{};
        return Kind::Read(value, plain) && Take(held, plain);
    }

    bool Get(const void* held, AttributeValue& value) const override
    {
        return Kind::Write(static_cast<Plain>(Holder<Held>::Get(At(held))), value);
    }

    bool Parse(void* held, const std::string& text) const override
    {
        Plain plain{};
        return Kind::Parse(text, plain) && Take(held, plain);
    }

    std::string Print(const void* held) const override
    {
        return Kind::Print(static_cast<Plain>(Holder<Held>::Get(At(held))));
    }

    bool IsInRange(const void* held) const override
    {
        return m_range.Contains(static_cast<double>(Holder<Held>::Get(At(held))));
    }

  private:
    /// @return false if the member cannot hold the value. @param held changed @param plain new
    static bool Take(void* held, Plain plain)
    {
        if constexpr (!std::is_arithmetic_v<Held>)
        {
            At(held) = Holder<Held>::Make(plain);
            return true;
        }
        else
        {
            const bool good = IsHeld(plain);
            if (good)
            {
                At(held) = static_cast<Held>(plain);
            }
            return good;
        }
    }

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
template <typename Held, typename Codec>
class TextRow : public TypedRow<Held>
{
  public:
    using TypedRow<Held>::At;

    explicit TextRow(Codec codec)
        : m_codec(std::move(codec))
    {
    }

    bool Set(void*, const AttributeValue&) const override
    {
        return false; // texts are read by Parse()
    }

    bool Get(const void*, AttributeValue&) const override
    {
        return false;
    }

    bool Parse(void* held, const std::string& text) const override
    {
        return m_codec.Parse(text, At(held));
    }

    std::string Print(const void* held) const override
    {
        return m_codec.Print(At(held));
    }

    bool IsInRange(const void*) const override
    {
        return true;
    }

  private:
    Codec m_codec;
};

} // namespace ns3::roce

#endif /* ROCE_PARAMETER_ROWS_H */
