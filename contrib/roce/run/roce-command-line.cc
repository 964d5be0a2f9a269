// SPDX-License-Identifier: GPL-2.0-only
#include "roce-command-line.h"

#include "roce-print-profile.h"

#include "ns3/callback.h"
#include "ns3/global-value.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-version.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::roce
{

namespace
{

/// Number of characters to insert, remove or replace to make one text of the other.
std::size_t
EditDistance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j)
        {
            const std::size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

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

/// Kind and upper limit of an option's variable.
template <typename T>
constexpr std::pair<ValueKind, uint64_t>
KindOf()
{
    if constexpr (std::is_same_v<T, bool>)
    {
        return {ValueKind::BOOLEAN, 0};
    }
    else if constexpr (std::is_integral_v<T>)
    {
        static_assert(std::is_unsigned_v<T>, "options are not negative");
        return {ValueKind::UNSIGNED, std::numeric_limits<T>::max()};
    }
    else if constexpr (std::is_same_v<T, double>)
    {
        return {ValueKind::DOUBLE, 0};
    }
    else if constexpr (std::is_same_v<T, Time>)
    {
        return {ValueKind::TIME, 0};
    }
    else if constexpr (std::is_same_v<T, DataRate>)
    {
        return {ValueKind::DATA_RATE, 0};
    }
    else if constexpr (std::is_same_v<T, QueueSize>)
    {
        return {ValueKind::BYTES, 0};
    }
    else if constexpr (std::is_same_v<T, ByteSize>)
    {
        return {ValueKind::MANY_BYTES, 0};
    }
    else
    {
        static_assert(std::is_same_v<T, std::string>, "no option of this type");
        return {ValueKind::TEXT, 0};
    }
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
CheckedCommandLine::Describe(const std::string& name,
                             ValueKind kind,
                             uint64_t largest,
                             std::function<std::string()> print)
{
    m_options[name] = {kind, largest, std::move(print)};
}

template <typename T>
void
CheckedCommandLine::DescribeField(const std::string& name, const T& field)
{
    const auto [kind, largest] = KindOf<T>();
    Describe(name, kind, largest, [&field] {
        std::ostringstream text;
        if constexpr (std::is_same_v<T, Time>)
        {
            text << field.GetPicoSeconds() << "ps";
        }
        else
        {
            text << std::boolalpha << field;
        }
        return text.str();
    });
}

template <typename T>
void
CheckedCommandLine::Add(const std::string& name, const std::string& help, T& value)
{
    m_cmd.AddValue(name, help, value);
    DescribeField(name, value);
}

void
CheckedCommandLine::AddValue(const std::string& name, const std::string& help, bool& value)
{
    Add(name, help, value);
}

void
CheckedCommandLine::AddValue(const std::string& name, const std::string& help, uint32_t& value)
{
    Add(name, help, value);
}

void
CheckedCommandLine::AddValue(const std::string& name, const std::string& help, uint64_t& value)
{
    Add(name, help, value);
}

void
CheckedCommandLine::AddValue(const std::string& name, const std::string& help, double& value)
{
    Add(name, help, value);
}

void
CheckedCommandLine::AddValue(const std::string& name, const std::string& help, Time& value)
{
    Add(name, help, value);
}

void
CheckedCommandLine::AddValue(const std::string& name, const std::string& help, DataRate& value)
{
    Add(name, help, value);
}

void
CheckedCommandLine::AddValue(const std::string& name, const std::string& help, QueueSize& value)
{
    // ns-3 itself does not know GB and TB.
    const auto set = [&value](const std::string& text) {
        uint64_t bytes = 0;
        const bool good = ByteSize::Parse(text, bytes);
        value = QueueSize(QueueSizeUnit::BYTES, static_cast<uint32_t>(bytes));
        return good;
    };
    std::ostringstream usual;
    usual << value;
    m_cmd.AddValue(name, help, set, usual.str());
    DescribeField(name, value);
}

void
CheckedCommandLine::AddValue(const std::string& name, const std::string& help, ByteSize& value)
{
    Add(name, help, value);
}

void
CheckedCommandLine::AddValue(const std::string& name, const std::string& help, std::string& value)
{
    // ns-3's own string options end at the first blank and must not be empty. The callback takes
    // the text by value in ns-3.37, by reference since 3.38.
    const auto set = [&value](const std::string& text) {
        value = text;
        return true;
    };
    m_cmd.AddValue(name, help, set, value);
    DescribeField(name, value);
}

void
CheckedCommandLine::Parse(int argc, char** argv)
{
    for (int i = 1; i < argc && !m_beforeChecks.empty(); ++i)
    {
        const Argument argument = Split(argv[i]);
        const auto use = m_beforeChecks.find(argument.name);
        if (use != m_beforeChecks.end())
        {
            use->second(argument.value);
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
    AddValue("preset", help, m_preset);
}

/// @return the options that --preset sets, as they could be given
std::vector<std::string>
CheckedCommandLine::GetPresetArguments(int argc, char** argv) const
{
    std::string name;
    for (int i = 1; i < argc; ++i)
    {
        const Argument argument = Split(argv[i]);
        name = argument.name == "preset" ? argument.value : name;
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

void
CheckedCommandLine::BeforeChecks(const std::string& name,
                                 std::function<void(const std::string&)> use)
{
    m_beforeChecks[name] = std::move(use);
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
    if (m_options.count(name))
    {
        CheckOption(argument);
        return;
    }
    TypeId tid;
    if (name == "PrintAttributes" && !TypeId::LookupByNameFailSafe(value, &tid))
    {
        throw InputError("--PrintAttributes: unknown type '" + value +
                         "', expected one that --PrintTypeIds lists");
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
    const auto overridden = m_overridden.find(name);
    if (overridden != m_overridden.end())
    {
        throw InputError("--" + name + " has no effect here, expected --" + overridden->second);
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

void
CheckedCommandLine::Refuse(const std::string& attribute, const std::string& option)
{
    m_overridden[attribute] = option;
}

void
CheckedCommandLine::CheckOption(const Argument& argument)
{
    const auto& [name, value, hasValue] = argument;
    const Option& option = m_options[name];
    if (!hasValue && option.kind != ValueKind::BOOLEAN)
    {
        throw InputError("--" + name + " has no value, expected --" + name + "=VALUE with " +
                         ValueCheck::Expected(option.kind, option.largest));
    }
    if (hasValue)
    {
        ValueCheck::Value("--" + name, option.kind, value, option.largest);
    }
}

std::string
CheckedCommandLine::Suggest(const std::string& name) const
{
    std::string best;
    std::size_t least = name.size() / 3 + 2;
    for (const auto& [known, option] : m_options)
    {
        const std::size_t distance = EditDistance(name, known);
        if (distance < least)
        {
            least = distance;
            best = known;
        }
    }
    return best.empty() ? ", expected one that --help lists"
                        : ", expected one that --help lists, perhaps --" + best;
}

std::vector<std::string>
CheckedCommandLine::DescribeUnused(const std::vector<UnusedOptions>& unused) const
{
    std::vector<std::pair<std::string, std::string>> lines; // reason and options
    for (const UnusedOptions& entry : unused)
    {
        for (const std::string& name : entry.names)
        {
            if (!IsGiven(name))
            {
                continue;
            }
            const auto line =
                std::find_if(lines.begin(), lines.end(), [&entry](const auto& candidate) {
                    return candidate.first == entry.why;
                });
            if (line == lines.end())
            {
                lines.emplace_back(entry.why, "--" + name);
            }
            else
            {
                line->second += ", --" + name;
            }
        }
    }
    std::vector<std::string> text;
    for (const auto& [why, names] : lines)
    {
        text.push_back(names + ": without effect " + why);
    }
    return text;
}

std::map<std::string, std::string>
CheckedCommandLine::GetValues() const
{
    std::map<std::string, std::string> values;
    for (const auto& [name, option] : m_options)
    {
        values[name] = option.print();
    }
    return values;
}

} // namespace ns3::roce
