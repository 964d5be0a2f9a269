// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_OPTION_TABLE_H
#define ROCE_OPTION_TABLE_H

#include "roce-parameter-rows.h"
#include "roce-value-check.h"

#include "ns3/type-id.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// A named set of option values, such as the network of a paper; each can still be given otherwise.
struct OptionPreset
{
    std::string name;                                        //!< as in --preset=NAME
    std::string what;                                        //!< a few words for --help
    std::vector<std::pair<std::string, std::string>> values; //!< options without dashes, and values

    /**
     * @brief Add a preset of a kind of topology.
     * @param topology as its class calls it: `leaf-spine`, `fat-tree`
     * @param preset a new name
     * @return true, for the initialisation of a static variable
     */
    static bool Register(const std::string& topology, const OptionPreset& preset);

    /// @return presets by name. @param topology see Register()
    static std::vector<OptionPreset> Of(const std::string& topology);
};

/// Options and attributes of a program that have no effect with the current values of the others.
struct UnusedOptions
{
    std::vector<std::string> names; //!< without dashes
    std::string why;                //!< "with --datacenters=1"
};

/// Why an option has no effect with the current values of the others, for example "with
/// --datacenters=1"; empty if it has.
using UnusedReason = std::function<std::string()>;

/// @return why while a condition holds. @param holds the condition @param why see UnusedReason
UnusedReason UnusedWhile(std::function<bool()> holds, const std::string& why);

/// @brief An option of a program: a row of a table, and the variable that it sets.
class Option
{
  public:
    /// @brief It has no effect while a condition holds. @param holds see UnusedWhile() @param why
    /// see there @return this
    Option& UnusedIf(std::function<bool()> holds, const std::string& why)
    {
        return Unused(UnusedWhile(std::move(holds), why));
    }

    /// @brief It may have no effect. @param reason why, if so
    Option& Unused(UnusedReason reason)
    {
        reasons.push_back(std::move(reason));
        return *this;
    }

    /// @brief The program sets an attribute or global value by this option, or an earlier option is
    /// gone: the message for that one names this one. @param name full @return this
    Option& Replaces(const std::string& name)
    {
        replaced.push_back(name);
        return *this;
    }

    /// @brief It changes no result of a simulation, only what is seen of it.
    Option& OnlyWatches()
    {
        onlyWatches = true;
        return *this;
    }

    /// @brief Look at its texts before anything is checked, for what concerns the checks' messages.
    /// @param use called with each @return this
    Option& BeforeChecks(std::function<void(const std::string&)> use)
    {
        beforeChecks = std::move(use);
        return *this;
    }

    /// @return why it has no effect; empty if it has
    std::string FindUnusedReason() const;

    /// @throw InputError unless a text is a value.
    void Check(const std::string& text) const;

    /// @brief Set the variable. @param text a value
    void Set(const std::string& text) const;

    std::shared_ptr<ParameterRow> row;  //!< name, help, type and range
    void* variable{nullptr};            //!< of the row's type
    std::function<std::string()> print; //!< its value, in the unit in which it is held
    std::vector<UnusedReason> reasons;  //!< the first that applies counts
    std::vector<std::string> replaced;  //!< see Replaces()
    std::function<void(const std::string&)> beforeChecks; //!< null: none
    bool isFlag{false};                                   //!< --name alone inverts it
    bool onlyWatches{false};                              //!< see OnlyWatches()
};

/**
 * @brief The options of a program, a row for each: name, help, variable (whose value is the
 * default), and range or choices.
 *
 * From a row come the option, its check with its message, the line of --help and the warning that
 * it has no effect. A struct of options has a function AddOptions(OptionTable&), and its members
 * are used directly. The struct must outlive the table.
 */
class OptionTable
{
    // What kind of value a variable has; declared only.
    static kind::Flag KindFor(bool);
    static kind::Unsigned KindFor(uint32_t);
    static kind::Unsigned KindFor(uint64_t);
    static kind::Number KindFor(double);
    static kind::Duration KindFor(const Time&);
    static kind::Rate KindFor(const DataRate&);
    static kind::Size KindFor(const QueueSize&);
    static kind::LargeSize KindFor(const ByteSize&);

  public:
    /// The kind of value of a variable.
    template <typename T>
    using KindOf = decltype(KindFor(std::declval<const T&>()));
    /// The choices of an option: texts and what they mean.
    template <typename T>
    using Names = typename NamedValues<T>::Names;

    OptionTable() = default;
    OptionTable(const OptionTable&) = delete;
    OptionTable& operator=(const OptionTable&) = delete;

    /**
     * @brief Add an option.
     * @param name without dashes
     * @param value default and destination: bool, unsigned number, double, Time (0 or more),
     *        DataRate, QueueSize, ByteSize, or a std::string, which may be empty and hold blanks
     */
    template <typename T>
    Option& AddValue(const std::string& name, const std::string& help, T& value)
    {
        if constexpr (std::is_same_v<T, std::string>)
        {
            return AddText(name, help, value, AnyText(), "text");
        }
        else
        {
            return AddValue(name,
                            help,
                            value,
                            std::is_same_v<T, Time> ? Range::AtLeast(0) : Range::Any());
        }
    }

    /// @copydoc AddValue() @param range what is accepted; times in ps, rates in bit/s, sizes in
    /// bytes
    template <typename T>
    Option& AddValue(const std::string& name, const std::string& help, T& value, const Range& range)
    {
        return AddNumber<KindOf<T>>(name, help, value, range);
    }

    /// @brief A time that is held in picoseconds. @param name see AddValue() @param help see there
    /// @param valuePs see there @return the option
    Option& AddDuration(const std::string& name, const std::string& help, int64_t& valuePs)
    {
        return AddNumber<kind::Duration>(name, help, valuePs, Range::AtLeast(0));
    }

    /// @brief The delay of a link one way, as a time or as kilometres of fibre. @param name see
    /// AddValue() @param help see there @param value see there @return the option
    Option& AddDelay(const std::string& name, const std::string& help, Time& value)
    {
        return AddNumber<LinkDelay>(name, help, value, Range::AtLeast(0));
    }

    /// @brief A rate that is held in bit/s. @param name see AddValue() @param help see there @param
    /// valueBps see there @return the option
    Option& AddRate(const std::string& name, const std::string& help, uint64_t& valueBps)
    {
        return AddNumber<kind::Rate>(name, help, valueBps, Range::Any());
    }

    /// @brief A number of bytes, with or without a unit. @param name see AddValue() @param help see
    /// there @param bytes see there @param range see AddValue() @return the option
    Option& AddBytes(const std::string& name,
                     const std::string& help,
                     uint64_t& bytes,
                     const Range& range = Range::Any())
    {
        return AddNumber<Bytes>(name, help, bytes, range);
    }

    /// @brief A number, time or rate, or a word (perhaps "") for none. @param name see AddValue()
    /// @param help see there @param value see there @param word for none @param range see
    /// AddValue() @return the option
    template <typename T>
    Option& AddOptional(const std::string& name,
                        const std::string& help,
                        std::optional<T>& value,
                        const std::string& word,
                        const Range& range = Range::AtLeast(0))
    {
        using Row = NumberRow<KindOf<T>, T>;
        const std::string expected = ExpectedOf<KindOf<T>, T>(name, range);
        return AddText(name,
                       help,
                       value,
                       OrNone<Row, T>{Row(range), word},
                       expected + ", or " + (word.empty() ? "nothing" : word));
    }

    /// @brief One of several texts. @param name see AddValue() @param help see there @param value
    /// see there @param names texts and what they mean @return the option
    template <typename T>
    Option& AddChoice(const std::string& name,
                      const std::string& help,
                      T& value,
                      const Names<T>& names)
    {
        std::string expected;
        for (const auto& entry : names)
        {
            expected += (expected.empty()          ? ""
                         : &entry == &names.back() ? " or "
                                                   : ", ") +
                        (entry.first.empty() ? "nothing" : entry.first);
        }
        return AddText(name, help, value, NamedValues<T>{names}, expected);
    }

    /// @brief A type, attributes in brackets may follow; see ValueCheck::Factory(). @param name see
    /// AddValue() @param help see there @param value see there @param base what the type derives
    /// from @param words that may be given instead @return the option
    Option& AddFactory(const std::string& name,
                       const std::string& help,
                       std::string& value,
                       const TypeId& base,
                       const std::vector<std::string>& words = {});

    /// @brief The options that follow have an effect only while there is no reason. @param reason
    /// null: they always have
    void SetGroup(UnusedReason reason)
    {
        m_group = std::move(reason);
    }

    /// @brief Attributes that have no effect. @param names full @param reason why, if so
    void AddUnusedAttributes(const std::vector<std::string>& names, UnusedReason reason);

    /// @brief An option is gone. @param instead what is done, for the message
    void AddRemoved(const std::string& name, const std::string& instead)
    {
        m_removed[name] = instead;
    }

    /// @return every option with its present value as text
    std::map<std::string, std::string> GetValues() const;

    /// @return names of the options that change no result
    std::set<std::string> GetWatching() const;

    /**
     * @brief Check a struct of options that no command line has set.
     * @param options with AddOptions()
     * @param what for messages, before the option's name: "topology: "
     * @throw InputError for a value out of its range, unless it has no effect
     */
    template <typename T>
    static void Check(const T& options, const std::string& what)
    {
        OptionTable table;
        const_cast<T&>(options).AddOptions(table); // to be read only
        table.CheckAll(what);
    }

  protected:
    /// @return the option or null.
    const Option* Find(const std::string& name) const;

    /// @return the option that sets a variable, or null.
    const Option* FindFor(const void* variable) const;

    std::deque<Option> m_options;
    std::vector<std::pair<std::vector<std::string>, UnusedReason>> m_attributes; //!< unused
    std::map<std::string, std::string> m_removed; //!< options that are gone, and what to say

  private:
    /// A time, or kilometres of fibre, in which light takes 5 us for one.
    struct LinkDelay : public kind::Duration
    {
        static bool Parse(const std::string& text, int64_t& ps);
    };

    /// 1000000 as well as 1MB.
    struct Bytes : public kind::Unsigned
    {
        static bool Parse(const std::string& text, uint64_t& bytes);
    };

    /// A number, or a word for none.
    template <typename Row, typename T>
    struct OrNone
    {
        bool Parse(const std::string& text, std::optional<T>& held) const
        {
            T number{};
            if (text == word)
            {
                held.reset();
                return true;
            }
            if (!row.Parse(&number, text) || !row.IsInRange(&number))
            {
                return false;
            }
            held = number;
            return true;
        }

        std::string Print(const std::optional<T>& held) const
        {
            return held ? row.Print(&*held) : word;
        }

        Row row;
        std::string word;
    };

    template <typename Kind, typename T>
    static std::string ExpectedOf(const std::string& name, const Range& range)
    {
        constexpr bool isTime = std::is_base_of_v<kind::Duration, Kind>;
        const std::string bounds =
            range.ToText(name, isTime ? &kind::Duration::PrintBound : nullptr);
        const ValueKind what = std::is_same_v<Kind, kind::Flag>       ? ValueKind::BOOLEAN
                               : std::is_same_v<Kind, kind::Unsigned> ? ValueKind::UNSIGNED
                               : std::is_same_v<Kind, kind::Number>   ? ValueKind::DOUBLE
                               : isTime                               ? ValueKind::TIME
                               : std::is_same_v<Kind, kind::Rate>     ? ValueKind::DATA_RATE
                               : std::is_same_v<Kind, kind::Size>     ? ValueKind::BYTES
                                                                      : ValueKind::MANY_BYTES;
        uint64_t largest = 0;
        if constexpr (std::is_unsigned_v<T>)
        {
            largest = std::numeric_limits<T>::max();
        }
        const std::string text =
            std::is_same_v<Kind, Bytes>
                ? std::string("bytes, for example 1000000 or 1MB (") + ByteSize::UNITS + ")"
                : ValueCheck::Expected(what, largest);
        return text +
               (std::is_same_v<Kind, LinkDelay> ? ", or a length of fibre, for example 80km" : "") +
               (bounds.empty() ? "" : ", " + bounds);
    }

    template <typename Kind, typename T>
    Option& AddNumber(const std::string& name,
                      const std::string& help,
                      T& value,
                      const Range& range)
    {
        const auto row = std::make_shared<NumberRow<Kind, T>>(range);
        row->expected = ExpectedOf<Kind, T>(name, range);
        Option& option = Add(name, help, row, &value, [&value] {
            std::ostringstream text;
            const char* unit = std::is_base_of_v<kind::Duration, Kind> ? "ps"
                               : std::is_same_v<Kind, kind::Rate>      ? "bps"
                               : std::is_same_v<Kind, kind::Size>      ? "B"
                               : std::is_same_v<Kind, kind::LargeSize> ? "B"
                                                                       : "";
            text << std::boolalpha << Holder<T>::Get(value) << unit;
            return text.str();
        });
        option.isFlag = std::is_same_v<T, bool>;
        return option;
    }

    template <typename T, typename Codec>
    Option& AddText(const std::string& name,
                    const std::string& help,
                    T& value,
                    const Codec& codec,
                    const std::string& expected)
    {
        const auto row = std::make_shared<TextRow<T, Codec>>(codec);
        row->expected = expected;
        return Add(name, help, row, &value, [&value, codec] { return codec.Print(value); });
    }

    Option& Add(const std::string& name,
                const std::string& help,
                std::shared_ptr<ParameterRow> row,
                void* variable,
                std::function<std::string()> print);
    void CheckAll(const std::string& what) const;

    UnusedReason m_group;
};

} // namespace ns3::roce

#endif /* ROCE_OPTION_TABLE_H */
