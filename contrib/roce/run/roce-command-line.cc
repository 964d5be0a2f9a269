// SPDX-License-Identifier: GPL-2.0-only
#include "roce-command-line.h"

#include "roce-values-in-force.h"

#include "ns3/global-value.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-value-check.h"
#include "ns3/roce-version.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>
#include <vector>

namespace ns3::roce
{

namespace
{

const char* const PRESET = "preset";

GlobalValue*
FindGlobal(const std::string& name)
{
    for (auto it = GlobalValue::Begin(); it != GlobalValue::End(); ++it)
    {
        if ((*it)->GetName() == name)
        {
            return *it;
        }
    }
    return nullptr;
}

} // namespace

CheckedCommandLine::CheckedCommandLine(const std::string& file, const std::string& usage)
    : m_cmd(file)
{
    Messages::SetForm(Messages::Form::TEXT);
    InputFile::ForgetOpened();
    m_cmd.Usage(usage +
                "\n\n--PrintProfile=TYPE or --PrintProfile='TYPE[Attribute=value|...]' prints "
                "every parameter of a type, its value and where it comes from.");
}

void
CheckedCommandLine::Parse(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i)
    {
        const Argument argument = Split(argv[i]);
        const Option* option = Find(argument.name);
        if (option && option->beforeChecks)
        {
            option->beforeChecks(argument.value);
        }
    }
    ValueCheck::GetEnvironmentAttributes(); // throws for bad ones
    std::vector<std::string> arguments = GetPresetArguments(argc, argv);
    AddFileArguments(argc, argv, arguments);
    for (const std::string& argument : arguments)
    {
        CheckArgument(argument);
    }
    for (int i = 1; i < argc; ++i)
    {
        CheckArgument(argv[i]);
        m_given.insert(Split(argv[i]).name);
    }
    for (const Option& option : m_options)
    {
        // The callback takes the text by value in ns-3.37, by reference since 3.38.
        const auto set = [&option](const std::string& text) {
            option.Set(text);
            return true;
        };
        m_cmd.AddValue(option.row->name, option.row->help, set, option.row->Print(option.variable));
    }
    arguments.insert(arguments.begin(), argc ? argv[0] : ""); // of one option the last value counts
    arguments.insert(arguments.end(), argv + std::min(argc, 1), argv + argc);
    m_cmd.Parse(arguments);
}

void
CheckedCommandLine::AddPresets(const std::vector<OptionPreset>& presets)
{
    m_presets = presets;
    if (presets.empty())
    {
        return;
    }
    std::string help = "Network of a paper, in place of the defaults: ";
    for (const OptionPreset& preset : presets)
    {
        help += (&preset == &presets.front() ? "" : "; ") + preset.name + ", " + preset.what;
    }
    AddValue(PRESET, help, m_preset);
}

/// @return the options that --preset sets, as they could be given
std::vector<std::string>
CheckedCommandLine::GetPresetArguments(int argc, char** argv) const
{
    std::string name;
    for (int i = 1; i < argc; ++i)
    {
        const Argument argument = Split(argv[i]);
        name = argument.name == PRESET ? argument.value : name;
    }
    std::vector<std::string> arguments;
    if (name.empty() || m_presets.empty())
    {
        return arguments;
    }
    std::string known;
    for (const OptionPreset& preset : m_presets)
    {
        known += (known.empty() ? "" : ", ") + preset.name;
        if (preset.name == name)
        {
            for (const auto& [option, value] : preset.values)
            {
                arguments.push_back("--" + option + "=" + value);
            }
            return arguments;
        }
    }
    throw InputError("--preset is '" + name + "', expected " + known);
}

void
CheckedCommandLine::AddAttributeFile(const std::string& name,
                                     const std::string& help,
                                     AttributeReader read)
{
    AddValue(name, help, m_attributeFileNames[name]);
    m_attributeFiles[name] = std::move(read);
}

/// Append the attributes that files on the command line set. They count as given.
void
CheckedCommandLine::AddFileArguments(int argc, char** argv, std::vector<std::string>& arguments)
{
    for (int i = 1; i < argc; ++i)
    {
        const Argument argument = Split(argv[i]);
        const auto file = m_attributeFiles.find(argument.name);
        if (file == m_attributeFiles.end() || argument.value.empty())
        {
            continue;
        }
        for (const auto& [attribute, value] : file->second(argument.value))
        {
            arguments.push_back("--" + attribute + "=" + value);
            m_given.insert(attribute);
        }
    }
}

/// @return the parts of an argument; without a name if it is no option
CheckedCommandLine::Argument
CheckedCommandLine::Split(const std::string& argument)
{
    const std::size_t begin = argument.compare(0, 2, "--") == 0 ? 2 : 1;
    if (argument.size() <= begin || argument[0] != '-')
    {
        return {};
    }
    const std::size_t equal = argument.find('=');
    const bool hasValue = equal != std::string::npos;
    return {argument.substr(begin, hasValue ? equal - begin : equal),
            hasValue ? argument.substr(equal + 1) : "",
            hasValue};
}

void
CheckedCommandLine::CheckArgument(const std::string& text)
{
    const Argument argument = Split(text);
    const auto& [name, value, hasValue] = argument;
    if (name.empty() && !hasValue)
    {
        throw InputError("argument '" + text + "', expected --name=value");
    }
    if (const Option* option = Find(name))
    {
        CheckOption(*option, argument);
        return;
    }
    CheckReplaced(name);
    TypeId tid;
    if (name == "PrintAttributes" && !TypeId::LookupByNameFailSafe(value, &tid))
    {
        throw InputError("--PrintAttributes: unknown type '" + value +
                         "', expected one that --PrintTypeIds lists" +
                         ValueCheck::Perhaps(value, ValueCheck::TypeNames()));
    }
    if (name == "version" || name == "PrintVersion")
    {
        // Not ns-3's own, which is that of its source tree.
        std::cout << m_cmd.GetName() << " (ns-3 RoCE) " << MODULE_VERSION << std::endl;
        std::exit(0);
    }
    if (name == "PrintProfile")
    {
        std::cout << PrintProfile(value) << std::flush;
        std::exit(0);
    }
    static const std::set<std::string> printers{"help",
                                                "PrintHelp",
                                                "PrintGroups",
                                                "PrintGroup",
                                                "PrintTypeIds",
                                                "PrintGlobals",
                                                "PrintAttributes"};
    if (printers.count(name))
    {
        return;
    }
    if (GlobalValue* global = FindGlobal(name))
    {
        ValueCheck::Global(name, global->GetChecker(), value);
        return;
    }
    if (name.find("::") == std::string::npos)
    {
        throw InputError("unknown option '--" + name + "'" + Suggest(name));
    }
    ValueCheck::Attribute(name, value);
}

/// Refuse what an option of the program sets, and options that are gone.
void
CheckedCommandLine::CheckReplaced(const std::string& name) const
{
    const auto removed = m_removed.find(name);
    if (removed != m_removed.end())
    {
        throw InputError("there is no --" + name + " any more, expected " + removed->second);
    }
    std::vector<std::string> options;
    for (const Option& option : m_options)
    {
        if (std::count(option.replaced.begin(), option.replaced.end(), name))
        {
            options.push_back("--" + option.row->name);
        }
    }
    std::string text;
    for (const std::string& option : options)
    {
        text += (text.empty() ? "" : &option == &options.back() ? " or " : ", ") + option;
    }
    if (!text.empty())
    {
        throw InputError("--" + name + " has no effect here, expected " + text);
    }
}

void
CheckedCommandLine::CheckOption(const Option& option, const Argument& argument)
{
    const auto& [name, value, hasValue] = argument;
    if (!hasValue && !option.isFlag)
    {
        throw InputError("--" + name + " has no value, expected --" + name + "=VALUE with " +
                         option.row->expected);
    }
    if (hasValue)
    {
        option.Check(value);
    }
}

std::string
CheckedCommandLine::Suggest(const std::string& name) const
{
    std::vector<std::string> known;
    for (const Option& option : m_options)
    {
        known.push_back("--" + option.row->name);
    }
    return ", expected one that --help lists" + ValueCheck::Perhaps("--" + name, known);
}

std::vector<std::string>
CheckedCommandLine::DescribeUnused(const std::vector<UnusedOptions>& more) const
{
    std::vector<std::pair<std::string, std::string>> lines; // reason and options
    const auto add = [&](const std::string& name, const std::string& why) {
        const auto line = std::find_if(lines.begin(), lines.end(), [&why](const auto& candidate) {
            return candidate.first == why;
        });
        if (why.empty() || !IsGiven(name))
        {
            return;
        }
        if (line == lines.end())
        {
            lines.emplace_back(why, "--" + name);
        }
        else
        {
            line->second += ", --" + name;
        }
    };
    for (const Option& option : m_options)
    {
        add(option.row->name, option.FindUnusedReason());
    }
    for (const auto& [names, reason] : m_attributes)
    {
        const std::string why = reason();
        std::for_each(names.begin(), names.end(), [&](const auto& name) { add(name, why); });
    }
    for (const UnusedOptions& entry : more)
    {
        std::for_each(entry.names.begin(), entry.names.end(), [&](const auto& name) {
            add(name, entry.why);
        });
    }
    std::vector<std::string> text;
    for (const auto& [why, names] : lines)
    {
        text.push_back(names + ": without effect " + why);
    }
    return text;
}

} // namespace ns3::roce
