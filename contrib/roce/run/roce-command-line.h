// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COMMAND_LINE_H
#define ROCE_COMMAND_LINE_H

#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/roce-byte-size.h"
#include "ns3/roce-default-scope.h"
#include "ns3/roce-option-preset.h"
#include "ns3/roce-unused-options.h"
#include "ns3/roce-value-check.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief ns-3's CommandLine with every argument checked before it is used.
 *
 * ns-3 itself takes `--leaves=2.5` for 2 and `--leaves=-1` for 4294967295, prints its whole help
 * for a misspelt name, and aborts on some bad attribute values. Here all of these, in options, in
 * attributes (`--ns3::roce::Dcqcn::Profile=paper`) and in global values, throw one-line errors that
 * say what was expected.
 *
 * Defaults of attributes and global values are put back when it ends, also those set elsewhere
 * since it was made: a process can run one program after the other.
 */
class CheckedCommandLine
{
  public:
    /// Reads a file: full names of attributes, and values.
    using AttributeReader =
        std::function<std::vector<std::pair<std::string, std::string>>(const std::string& path)>;

    /**
     * @param file the program's source file (__FILE__), for its name
     * @param usage printed by --help
     */
    CheckedCommandLine(const std::string& file, const std::string& usage);

    /**
     * @brief Add an option.
     * @param name without dashes
     * @param help one line
     * @param value default and destination
     */
    void AddValue(const std::string& name, const std::string& help, bool& value);
    /// @copydoc AddValue(const std::string&,const std::string&,bool&)
    void AddValue(const std::string& name, const std::string& help, uint32_t& value);
    /// @copydoc AddValue(const std::string&,const std::string&,bool&)
    void AddValue(const std::string& name, const std::string& help, uint64_t& value);
    /// @copydoc AddValue(const std::string&,const std::string&,bool&)
    void AddValue(const std::string& name, const std::string& help, double& value);
    /// @copydoc AddValue(const std::string&,const std::string&,bool&)
    void AddValue(const std::string& name, const std::string& help, Time& value);
    /// @copydoc AddValue(const std::string&,const std::string&,bool&)
    void AddValue(const std::string& name, const std::string& help, DataRate& value);
    /// @copydoc AddValue(const std::string&,const std::string&,bool&)
    void AddValue(const std::string& name, const std::string& help, QueueSize& value);
    /// @copydoc AddValue(const std::string&,const std::string&,bool&)
    void AddValue(const std::string& name, const std::string& help, ByteSize& value);
    /// May be empty and may hold blanks. @copydoc AddValue(const std::string&,const
    /// std::string&,bool&)
    void AddValue(const std::string& name, const std::string& help, std::string& value);

    /**
     * @brief Add a topology's options, and refuse the attributes that it sets itself.
     * @tparam T LeafSpineHelper, FatTreeHelper
     * @param topology defaults and destination
     */
    template <typename T>
    void AddTopology(T& topology)
    {
        topology.AddOptions(*this);
        for (const auto& [attribute, options] : topology.GetOwnAttributes())
        {
            Refuse(attribute, options);
        }
        AddPresets(topology.GetPresets());
    }

    /**
     * @brief Let the option --preset set others, which take precedence where they are given.
     * @param presets of different names; none: there is no such option
     */
    void AddPresets(const std::vector<OptionPreset>& presets);

    /**
     * @brief Add an option that names a file of attributes. Given attributes take precedence.
     * @param name without dashes
     * @param help one line
     * @param read returns full names of attributes and their values; throws InputError
     */
    void AddAttributeFile(const std::string& name, const std::string& help, AttributeReader read);

    /**
     * @brief Refuse an attribute or global value that the program sets itself.
     * @param attribute full name
     * @param option the option to use instead, without dashes
     */
    void Refuse(const std::string& attribute, const std::string& option);

    /**
     * @brief Look at an option before anything is checked, for what concerns the checks' messages.
     * @param name of the option, without dashes
     * @param use called with each value given
     */
    void BeforeChecks(const std::string& name, std::function<void(const std::string&)> use);

    /**
     * @brief Check all arguments, then set options, attribute defaults and global values.
     *
     * Prints and exits with status 0 for --help, --version (this module's) and the --Print options
     * of ns-3.
     * @param argc number of arguments
     * @param argv arguments, the program's name first
     * @throw InputError for an unknown option, type or attribute, a missing or bad value, or an
     *        argument that is not an option
     */
    void Parse(int argc, char** argv);

    /// @param name of an option or global value. @return whether it was on the command line
    bool IsGiven(const std::string& name) const
    {
        return m_given.count(name) > 0;
    }

    /// @return names of options, attributes and global values that were on the command line
    const std::set<std::string>& GetGiven() const
    {
        return m_given;
    }

    /**
     * @brief Report options that have no effect.
     * @param unused options that change nothing
     * @return one line for each reason: "--a, --b: without effect with --c"
     */
    std::vector<std::string> DescribeUnused(const std::vector<UnusedOptions>& unused) const;

    /// @return every option with its present value as text
    std::map<std::string, std::string> GetValues() const;

  private:
    /// Our record of an option, next to ns-3's.
    struct Option
    {
        ValueKind kind;
        uint64_t largest; //!< UNSIGNED only
        std::function<std::string()> print;
    };

    /// A part of the command line: --name or --name=value.
    struct Argument
    {
        std::string name;
        std::string value;
        bool hasValue{false};
    };

    static Argument Split(const std::string& argument);
    void Describe(const std::string& name,
                  ValueKind kind,
                  uint64_t largest,
                  std::function<std::string()> print);
    template <typename T>
    void DescribeField(const std::string& name, const T& field);
    template <typename T>
    void Add(const std::string& name, const std::string& help, T& value);
    void CheckArgument(const std::string& text);
    std::vector<std::string> GetPresetArguments(int argc, char** argv) const;
    void AddFileArguments(int argc, char** argv, std::vector<std::string>& arguments);
    void CheckOption(const Argument& argument);
    std::string Suggest(const std::string& name) const;

    const DefaultScope m_defaults; // the first: put back when all else is gone
    CommandLine m_cmd;
    std::map<std::string, Option> m_options;
    std::set<std::string> m_given;
    std::map<std::string, std::string> m_overridden; //!< see Refuse()
    std::map<std::string, std::function<void(const std::string&)>> m_beforeChecks;
    std::map<std::string, AttributeReader> m_attributeFiles; //!< by option
    std::map<std::string, std::string> m_attributeFileNames; //!< values of these options
    std::string m_preset;                                    //!< name; empty: none
    std::vector<OptionPreset> m_presets;
};

} // namespace ns3::roce

#endif /* ROCE_COMMAND_LINE_H */
