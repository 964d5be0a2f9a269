// SPDX-License-Identifier: GPL-2.0-only
#include "roce-value-check.h"

#include "roce-parameter-kinds.h"
#include "roce-parameter-value.h"
#include "roce-parameters-base.h"

#include "ns3/data-rate.h"
#include "ns3/object.h"
#include "ns3/roce-byte-size.h"
#include "ns3/roce-input-error.h"
#include "ns3/scheduler.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <set>
#include <sstream>

namespace ns3::roce
{

namespace
{

const std::string PREFIX = "ns3::roce::";

/// The only simulator that stations can work with.
const char* const SIMULATOR = "ns3::DefaultSimulatorImpl";

/// Largest seed of ns-3's generator MRG32k3a.
constexpr uint64_t LARGEST_SEED = 4294944442;

/// Attribute values that no text gives: ns-3 aborts, or shares one object between all that take it.
constexpr std::array OBJECTS{"PointerValue", "CallbackValue", "ObjectPtrContainerValue"};

/// @return whether a text is of a kind.
template <typename Kind>
bool
IsA(const std::string& text)
{
    typename Kind::Plain ignored{};
    return Kind::Parse(text, ignored);
}

bool
IsUnsigned(const std::string& text, uint64_t largest)
{
    uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end && value <= largest;
}

/// @return number of characters to insert, remove or replace to make one text of the other
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

/// @return name of the attribute value's class without ns3::, which ns-3 puts before some only
std::string
TypeOf(const Ptr<const AttributeChecker>& checker)
{
    const std::string name = checker->GetValueTypeName();
    return name.compare(0, 5, "ns3::") == 0 ? name.substr(5) : name;
}

bool
IsFactory(const Ptr<const AttributeChecker>& checker)
{
    return TypeOf(checker) == "ObjectFactoryValue";
}

/// @return bases, and types that are none of their choices; see ValueCheck::Exclude()
std::vector<std::pair<std::string, std::string>>&
Exclusions()
{
    static std::vector<std::pair<std::string, std::string>> exclusions;
    return exclusions;
}

/// @return whether a value of a factory that makes objects of a base may have this type
bool
IsChoice(const TypeId& tid, const TypeId& base)
{
    const auto& excluded = Exclusions();
    return tid.IsChildOf(base) && tid.HasConstructor() &&
           std::none_of(excluded.begin(), excluded.end(), [&](const auto& pair) {
               return base.GetName() == pair.first &&
                      tid.IsChildOf(TypeId::LookupByName(pair.second));
           });
}

/// @brief Refuse what was an attribute once. @param what names it in the message @param type that
/// has no such attribute @param name of it @throw InputError if it was one of that type or a parent
void
RefuseFixed(const std::string& what, TypeId type, const std::string& name)
{
    for (bool more = true; more; type = type.GetParent())
    {
        const std::string reason = FixedValues::Explain(type.GetName(), name);
        if (!reason.empty())
        {
            throw InputError(what + ": " + reason + ", expected no value");
        }
        more = type.HasParent();
    }
}

/// @return names of a type's attributes, those of its parents included
std::vector<std::string>
AttributeNames(TypeId type)
{
    std::vector<std::string> names;
    for (bool more = true; more; type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            names.push_back(type.GetAttribute(i).name);
        }
        more = type.HasParent();
    }
    return names;
}

bool
IsOfKind(ValueKind what, uint64_t largest, const std::string& text)
{
    switch (what)
    {
    case ValueKind::BOOLEAN:
        return IsA<kind::Flag>(text);
    case ValueKind::UNSIGNED:
        return IsUnsigned(text, largest);
    case ValueKind::INTEGER:
        return IsA<kind::Count>(text);
    case ValueKind::DOUBLE:
        return IsA<kind::Number>(text);
    case ValueKind::TIME:
        return IsA<kind::Duration>(text);
    case ValueKind::DATA_RATE:
        return IsA<kind::Rate>(text);
    case ValueKind::BYTES:
        return IsA<kind::Size>(text);
    case ValueKind::MANY_BYTES: {
        uint64_t ignored = 0;
        return ByteSize::Parse(text, ignored);
    }
    case ValueKind::FACTORY:
        return !text.empty() && text.find_first_of(" \t\n") == std::string::npos;
    case ValueKind::TEXT:
        break;
    }
    return true;
}

} // namespace

std::string
ValueCheck::Expected(ValueKind kind, uint64_t largest)
{
    switch (kind)
    {
    case ValueKind::BOOLEAN:
        return "true or false";
    case ValueKind::UNSIGNED:
        return "a whole number from 0 to " + std::to_string(largest);
    case ValueKind::INTEGER:
        return "a whole number";
    case ValueKind::DOUBLE:
        return "a number";
    case ValueKind::TIME:
        return "a time with unit below 106 days, for example 10us (fs ps ns us ms s min h d)";
    case ValueKind::DATA_RATE:
        return "a rate with unit, for example 100Gbps";
    case ValueKind::BYTES:
        return std::string("a size below 4 GiB with unit, for example 32MiB (") + ByteSize::UNITS +
               ")";
    case ValueKind::MANY_BYTES:
        return std::string("a size below 16 TiB with unit, for example 8GB (") + ByteSize::UNITS +
               ")";
    case ValueKind::FACTORY:
        return "a type, for example ns3::roce::Dcqcn or ns3::roce::Dcqcn[Profile=paper|Gain=0.5]";
    case ValueKind::TEXT:
        break;
    }
    return "text";
}

bool
ValueCheck::Exclude(const std::string& base, const std::string& type)
{
    Exclusions().emplace_back(base, type);
    return true;
}

void
ValueCheck::Value(const std::string& what,
                  ValueKind kind,
                  const std::string& text,
                  uint64_t largest)
{
    if (!IsOfKind(kind, largest, text))
    {
        throw InputError(what + " is '" + text + "', expected " + Expected(kind, largest));
    }
}

void
ValueCheck::Attribute(const std::string& path, const std::string& value)
{
    const std::size_t colon = path.rfind("::");
    const std::string type = path.substr(0, colon);
    const std::string name = path.substr(colon + 2);
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(type, &tid))
    {
        throw InputError("--" + path + ": unknown type '" + type +
                         "', expected --TYPE::ATTRIBUTE=VALUE with a type that --PrintTypeIds "
                         "lists" +
                         Perhaps(type, TypeNames()));
    }
    std::string known;
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const TypeId::AttributeInformation info = tid.GetAttribute(i);
        known += (known.empty() ? "" : ", ") + info.name;
        if (info.name != name)
        {
            continue;
        }
        const std::string usual = info.originalInitialValue->SerializeToString(info.checker);
        TypeId usualType;
        if (IsFactory(info.checker) &&
            TypeId::LookupByNameFailSafe(usual.substr(0, usual.find('[')), &usualType))
        {
            // What the default derives from is what the attribute takes.
            Factory("--" + path, value, usualType.GetParent());
        }
        AttributeValue("--" + path, info.checker, value);
        return;
    }
    RefuseFixed("--" + path, tid, name);
    constexpr std::size_t MOST = 12; // more would bury the message
    if (tid.GetAttributeN() > MOST)
    {
        known =
            "those that --PrintAttributes=" + type + " lists" + Perhaps(name, AttributeNames(tid));
    }
    throw InputError("--" + path + ": " + type + " itself has no attribute '" + name +
                     "', expected one of: " + (known.empty() ? "(none)" : known));
}

uint64_t
ValueCheck::DefaultNumber(const std::string& path)
{
    const std::size_t colon = path.rfind("::");
    TypeId::AttributeInformation info;
    TypeId::LookupByName(path.substr(0, colon))
        .LookupAttributeByName(path.substr(colon + 2), &info);
    return DynamicCast<const UintegerValue>(info.initialValue)->Get();
}

void
ValueCheck::AttributeValue(const std::string& what,
                           const Ptr<const AttributeChecker>& checker,
                           const std::string& value)
{
    static const std::map<std::string, ValueKind> numbers{
        {"UintegerValue", ValueKind::UNSIGNED},
        {"IntegerValue", ValueKind::INTEGER},
        {"DoubleValue", ValueKind::DOUBLE},
    };
    static const std::map<std::string, ValueKind> others{
        {"BooleanValue", ValueKind::BOOLEAN},
        {"TimeValue", ValueKind::TIME},
        {"DataRateValue", ValueKind::DATA_RATE},
        {"QueueSizeValue", ValueKind::BYTES},
    };
    if (const auto* parameter = dynamic_cast<const ParameterChecker*>(PeekPointer(checker)))
    {
        const ParameterInfo& info = parameter->GetInfo();
        if (!info.Takes(value))
        {
            throw InputError(what + " is '" + value + "', expected " + info.GetExpected());
        }
        return;
    }
    if (std::any_of(OBJECTS.begin(), OBJECTS.end(), [&checker](const char* type) {
            return TypeOf(checker) == type;
        }))
    {
        throw InputError(what + " is '" + value +
                         "', but it is an object that only a program can set, expected no value");
    }
    // The text first: where ns-3 cannot read all of it, it aborts.
    const auto number = numbers.find(TypeOf(checker));
    const auto other = others.find(TypeOf(checker));
    bool good = true;
    if (other != others.end())
    {
        Value(what, other->second, value);
    }
    else if (number != numbers.end())
    {
        good = IsOfKind(number->second, std::numeric_limits<uint64_t>::max(), value);
    }
    else if (TypeOf(checker) == "TypeIdValue")
    {
        TypeId tid;
        good = TypeId::LookupByNameFailSafe(value, &tid);
    }
    else if (IsFactory(checker))
    {
        FullFactory(what, value, Object::GetTypeId());
    }
    if (!good || !checker->CreateValidValue(StringValue(value)))
    {
        throw InputError(what + " is '" + value + "', expected " +
                         (checker->HasUnderlyingTypeInformation()
                              ? checker->GetUnderlyingTypeInformation()
                              : checker->GetValueTypeName()));
    }
}

void
ValueCheck::Global(const std::string& name,
                   const Ptr<const AttributeChecker>& checker,
                   const std::string& value)
{
    const std::string what = "--" + name;
    AttributeValue(what, checker, value);
    // What ns-3 takes and aborts at later.
    TypeId tid;
    if (name == "RngSeed" &&
        (value.find_first_not_of('0') == std::string::npos || std::stoull(value) > LARGEST_SEED))
    {
        throw InputError(what + " is '" + value + "', expected a whole number from 1 to " +
                         std::to_string(LARGEST_SEED));
    }
    if (name == "SchedulerType" &&
        (!TypeId::LookupByNameFailSafe(value, &tid) || !IsChoice(tid, Scheduler::GetTypeId())))
    {
        throw InputError(what + " is '" + value +
                         "', expected one of: " + KnownTypes(Scheduler::GetTypeId()));
    }
    if (name == "SimulatorImplementationType" && value != SIMULATOR)
    {
        throw InputError(what + " is '" + value + "', expected " + SIMULATOR +
                         ": neither real time nor MPI");
    }
}

std::string
ValueCheck::Perhaps(const std::string& name, const std::vector<std::string>& known)
{
    std::string best;
    std::size_t least = name.size() / 3 + 2;
    for (const std::string& candidate : known)
    {
        const std::size_t distance = EditDistance(name, candidate);
        if (distance < least)
        {
            least = distance;
            best = candidate;
        }
    }
    return best.empty() ? "" : ", perhaps " + best;
}

std::vector<std::string>
ValueCheck::TypeNames()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        names.push_back(TypeId::GetRegistered(i).GetName());
    }
    return names;
}

std::string
ValueCheck::KnownTypes(const TypeId& base, const std::string& group)
{
    std::set<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (IsChoice(tid, base) && (group.empty() || tid.GetGroupName() == group))
        {
            const std::string name = tid.GetName();
            names.insert(name.compare(0, PREFIX.size(), PREFIX) == 0 ? name.substr(PREFIX.size())
                                                                     : name);
        }
    }
    std::string list;
    for (const std::string& name : names)
    {
        list += (list.empty() ? "" : ", ") + name;
    }
    return list;
}

std::string
ValueCheck::Factory(const std::string& what, const std::string& text, const TypeId& base)
{
    const std::size_t bracket = text.find('[');
    std::string name = text.substr(0, bracket);
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(name, &tid) &&
        TypeId::LookupByNameFailSafe(PREFIX + name, &tid))
    {
        name = PREFIX + name;
    }
    if (!TypeId::LookupByNameFailSafe(name, &tid) || !IsChoice(tid, base))
    {
        throw InputError(what + " is '" + text + "', expected " +
                         (base == Object::GetTypeId() ? Expected(ValueKind::FACTORY)
                                                      : "one of: " + KnownTypes(base)));
    }
    if (bracket == std::string::npos)
    {
        return name;
    }
    if (text.back() != ']' || text.find_first_of("[]", bracket + 1) != text.size() - 1)
    {
        throw InputError(what + " is '" + text + "', expected TYPE[ATTRIBUTE=VALUE|...]");
    }
    std::istringstream list(text.substr(bracket + 1, text.size() - bracket - 2));
    for (std::string item; std::getline(list, item, '|');)
    {
        const std::size_t equal = item.find('=');
        TypeId::AttributeInformation info;
        if (equal == std::string::npos || !tid.LookupAttributeByName(item.substr(0, equal), &info))
        {
            RefuseFixed(what + " " + item.substr(0, equal), tid, item.substr(0, equal));
            throw InputError(what + " has '" + item + "', expected ATTRIBUTE=VALUE with an " +
                             "attribute that --PrintAttributes=" + name + " lists" +
                             Perhaps(item.substr(0, equal), AttributeNames(tid)));
        }
        AttributeValue(what + " " + info.name, info.checker, item.substr(equal + 1));
    }
    return name + text.substr(bracket);
}

void
ValueCheck::FullFactory(const std::string& what, const std::string& text, const TypeId& base)
{
    if (Factory(what, text, base) != text)
    {
        throw InputError(what + " is '" + text + "', expected the full name " + PREFIX + text);
    }
}

std::map<std::string, std::string>
ValueCheck::GetChangedAttributes()
{
    std::map<std::string, std::string> changed;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        for (std::size_t a = 0; tid.GetGroupName() == "Roce" && a < tid.GetAttributeN(); ++a)
        {
            const TypeId::AttributeInformation info = tid.GetAttribute(a);
            const std::string now = info.initialValue->SerializeToString(info.checker);
            if (now != info.originalInitialValue->SerializeToString(info.checker))
            {
                changed[tid.GetAttributeFullName(a)] = now;
            }
        }
    }
    for (const auto& [name, value] : GetEnvironmentAttributes())
    {
        changed[name] = value;
    }
    return changed;
}

std::map<std::string, std::string>
ValueCheck::GetEnvironmentAttributes()
{
    const char* const variable = "NS_ATTRIBUTE_DEFAULT";
    const char* const text = std::getenv(variable);
    std::map<std::string, std::string> values;
    std::istringstream list(text ? text : "");
    for (std::string item; std::getline(list, item, ';');)
    {
        const std::size_t equal = item.find('=');
        const std::string name = item.substr(0, equal);
        if (equal == std::string::npos)
        {
            continue; // as ns-3 does
        }
        const std::string value = item.substr(equal + 1);
        try
        {
            if (name.compare(0, PREFIX.size(), PREFIX) == 0)
            {
                Attribute(name, value);
            }
        }
        catch (const InputError& error)
        {
            throw InputError(std::string(variable) + ": " + (error.what() + 2)); // without --
        }
        values.emplace(name, value); // of several the first one counts
    }
    return values;
}

} // namespace ns3::roce
