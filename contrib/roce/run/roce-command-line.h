// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COMMAND_LINE_H
#define ROCE_COMMAND_LINE_H

#include "ns3/command-line.h"
#include "ns3/roce-default-watch.h"
#include "ns3/roce-option-table.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
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
class CheckedCommandLine : public OptionTable
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
     * @brief Add a topology's options and presets.
     * @tparam T LeafSpineHelper, FatTreeHelper
     * @param topology defaults and destination
     */
    template <typename T>
    void AddTopology(T& topology)
    {
        topology.AddOptions(*this);
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
     * @param read returns full names of attributes and their values; throws InputError
     */
    void AddAttributeFile(const std::string& name, const std::string& help, AttributeReader read);

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

    /// @param variable that an option sets. @return the option's name
    const std::string& NameFor(const void* variable) const
    {
        return FindFor(variable)->row->name;
    }

    /// @param variable that an option sets. @return whether that was on the command line
    bool IsGivenFor(const void* variable) const
    {
        return IsGiven(NameFor(variable));
    }

    /// @return names of options, attributes and global values that were on the command line
    const std::set<std::string>& GetGiven() const
    {
        return m_given;
    }

    /**
     * @brief Report options and attributes that were given and have no effect.
     * @param more that only the caller knows
     * @return one line for each reason: "--a, --b: without effect with --c"
     */
    std::vector<std::string> DescribeUnused(const std::vector<UnusedOptions>& more = {}) const;

  private:
    /// A part of the command line: --name or --name=value.
    struct Argument
    {
        std::string name;
        std::string value;
        bool hasValue{false};
    };

    static Argument Split(const std::string& argument);
    void CheckArgument(const std::string& text);
    std::vector<std::string> GetPresetArguments(int argc, char** argv) const;
    void AddFileArguments(int argc, char** argv, std::vector<std::string>& arguments);
    static void CheckOption(const Option& option, const Argument& argument);
    void CheckReplaced(const std::string& name) const;
    std::string Suggest(const std::string& name) const;

    const DefaultScope m_defaults; // the first: put back when all else is gone
    CommandLine m_cmd;
    std::set<std::string> m_given;
    std::map<std::string, AttributeReader> m_attributeFiles; //!< by option
    std::map<std::string, std::string> m_attributeFileNames; //!< values of these options
    std::string m_preset;                                    //!< name; empty: none
    std::vector<OptionPreset> m_presets;
};

} // namespace ns3::roce

#endif /* ROCE_COMMAND_LINE_H */
