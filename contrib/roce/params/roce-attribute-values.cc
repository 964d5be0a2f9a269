// SPDX-License-Identifier: GPL-2.0-only
#include "roce-attribute-values.h"

#include "roce-parameter-kinds.h"
#include "roce-parameter-value.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

namespace ns3::roce
{

namespace
{

using Attribute = TypeId::AttributeInformation;

/// @return name of the class of values without ns3::, which ns-3 puts before some only
std::string
TypeNameOf(const Attribute& attribute)
{
    const std::string name = attribute.checker->GetValueTypeName();
    return name.compare(0, 5, "ns3::") == 0 ? name.substr(5) : name;
}

/// Attributes that name parts of an object are listed with those parts.
bool
IsTold(const Attribute& attribute)
{
    static const std::set<std::string> parts{"ObjectFactoryValue",
                                             "PointerValue",
                                             "ObjectPtrContainerValue"};
    return attribute.flags & TypeId::ATTR_GET && attribute.accessor->HasGetter() &&
           !parts.count(TypeNameOf(attribute));
}

/// @return what a parameter's table says of it, or null if the attribute is none
const ParameterInfo*
InfoOf(const Attribute& attribute)
{
    const auto* checker = dynamic_cast<const ParameterChecker*>(PeekPointer(attribute.checker));
    return checker ? &checker->GetInfo() : nullptr;
}

/// @return the value as an option takes it, exactly
std::string
TextOf(const AttributeValue& value, const Attribute& attribute)
{
    if (const auto* time = dynamic_cast<const TimeValue*>(&value))
    {
        return kind::Duration::Print(time->Get().GetPicoSeconds());
    }
    if (const auto* rate = dynamic_cast<const DataRateValue*>(&value))
    {
        return kind::Rate::Print(rate->Get().GetBitRate());
    }
    if (const auto* size = dynamic_cast<const QueueSizeValue*>(&value))
    {
        return size->Get().GetUnit() == QueueSizeUnit::BYTES
                   ? kind::Size::Print(size->Get().GetValue())
                   : value.SerializeToString(attribute.checker);
    }
    return value.SerializeToString(attribute.checker);
}

/// @return unit or type, and range if there is one
std::string
KindOf(const Attribute& attribute)
{
    if (const ParameterInfo* info = InfoOf(attribute))
    {
        return info->values;
    }
    static const std::map<std::string, std::string> words{{"BooleanValue", "true, false"},
                                                          {"TimeValue", "time"},
                                                          {"DataRateValue", "rate"},
                                                          {"QueueSizeValue", "bytes"},
                                                          {"DoubleValue", "number"},
                                                          {"UintegerValue", "integer"},
                                                          {"IntegerValue", "integer"},
                                                          {"StringValue", "text"}};
    const auto word = words.find(TypeNameOf(attribute));
    return word == words.end() ? TypeNameOf(attribute) : word->second;
}

/**
 * @param tid its type or a parent
 * @return index of the effective profile in the type's table; -1 if the type has none
 */
int
FindProfile(const Object& object, const TypeId& tid)
{
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const Attribute attribute = tid.GetAttribute(i);
        const ParameterInfo* info = attribute.name == "Profile" ? InfoOf(attribute) : nullptr;
        if (info)
        {
            const Ptr<AttributeValue> value = attribute.checker->Create();
            object.GetAttribute(attribute.name, *value);
            const std::string profile = TextOf(*value, attribute);
            int index = 0;
            std::size_t begin = 0; // names with commas between
            for (std::size_t end; (end = info->values.find(", ", begin)) != std::string::npos;
                 begin = end + 2, ++index)
            {
                if (info->values.compare(begin, end - begin, profile) == 0)
                {
                    break;
                }
            }
            return index;
        }
    }
    return -1;
}

/// @return AttributeInForce::from. @param profile see FindProfile()
std::string
OriginOf(const AttributeValue& value,
         const std::string& text,
         const Attribute& attribute,
         int profile)
{
    const auto* parameter = dynamic_cast<const ParameterValue*>(&value);
    const ParameterInfo* info = InfoOf(attribute);
    if (!parameter || !info)
    {
        // The initial value may be a text, for example of a factory.
        const auto initial = attribute.checker->CreateValidValue(*attribute.originalInitialValue);
        return initial && text == TextOf(*initial, attribute) ? "default" : "attribute";
    }
    if (parameter->IsGiven())
    {
        return "attribute";
    }
    if (profile < 0 || attribute.name == "Profile")
    {
        return text == info->profileText.front() ? "default" : "derived";
    }
    return text == info->profileText.at(static_cast<std::size_t>(profile)) ? "profile" : "derived";
}

} // namespace

std::vector<AttributeInForce>
GetAttributesInForce(const Object& object)
{
    std::vector<AttributeInForce> found;
    TypeId tid = object.GetInstanceTypeId();
    for (bool more = true; more; tid = tid.GetParent())
    {
        const int profile = FindProfile(object, tid);
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const Attribute attribute = tid.GetAttribute(i);
            const bool isKnown =
                std::any_of(found.begin(), found.end(), [&attribute](const auto& other) {
                    return other.name == attribute.name; // a class's own hides a parent's
                });
            if (!IsTold(attribute) || isKnown)
            {
                continue;
            }
            const Ptr<AttributeValue> value = attribute.checker->Create();
            object.GetAttribute(attribute.name, *value);
            const std::string text = TextOf(*value, attribute);
            found.push_back({attribute.name,
                             text,
                             KindOf(attribute),
                             OriginOf(*value, text, attribute, profile),
                             attribute.help});
        }
        more = tid.HasParent();
    }
    return found;
}

namespace
{

template <typename T>
void
AppendBytes(const T& value, std::string& key)
{
    key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// How the value of a class of attribute values gets into a key.
template <typename V>
void
AppendNumber(const AttributeValue& value, const AttributeChecker&, std::string& key)
{
    AppendBytes(static_cast<const V&>(value).Get(), key);
}

void
AppendTime(const AttributeValue& value, const AttributeChecker&, std::string& key)
{
    AppendBytes(static_cast<const TimeValue&>(value).Get().GetTimeStep(), key);
}

void
AppendRate(const AttributeValue& value, const AttributeChecker&, std::string& key)
{
    AppendBytes(static_cast<const DataRateValue&>(value).Get().GetBitRate(), key);
}

void
AppendParameters(const AttributeValue& value, const AttributeChecker&, std::string& key)
{
    AppendBytes(static_cast<const ParameterKey&>(value).given, key);
}

void
AppendText(const AttributeValue& value, const AttributeChecker& checker, std::string& key)
{
    const std::string text = value.SerializeToString(Ptr<const AttributeChecker>(&checker));
    AppendBytes(text.size(), key);
    key += text;
}

using AppendValue = void (*)(const AttributeValue&, const AttributeChecker&, std::string&);

AppendValue
FindAppend(const AttributeValue& value)
{
    return dynamic_cast<const UintegerValue*>(&value)   ? &AppendNumber<UintegerValue>
           : dynamic_cast<const IntegerValue*>(&value)  ? &AppendNumber<IntegerValue>
           : dynamic_cast<const BooleanValue*>(&value)  ? &AppendNumber<BooleanValue>
           : dynamic_cast<const DoubleValue*>(&value)   ? &AppendNumber<DoubleValue>
           : dynamic_cast<const TimeValue*>(&value)     ? &AppendTime
           : dynamic_cast<const DataRateValue*>(&value) ? &AppendRate
           : dynamic_cast<const ParameterKey*>(&value)  ? &AppendParameters
                                                        : &AppendText;
}

} // namespace

/// An attribute of a class of objects.
struct AttributeKeys::Column
{
    Ptr<const AttributeAccessor> accessor;
    Ptr<const AttributeChecker> checker;
    Ptr<AttributeValue> value; //!< to be filled in
    AppendValue append;
};

AttributeKeys::AttributeKeys() = default;
AttributeKeys::~AttributeKeys() = default;

const std::vector<AttributeKeys::Column>&
AttributeKeys::ColumnsOf(TypeId tid)
{
    const auto [entry, isNew] = m_columns.try_emplace(tid.GetUid());
    for (bool more = isNew; more; tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const Attribute attribute = tid.GetAttribute(i);
            if (!IsTold(attribute))
            {
                continue;
            }
            const Ptr<AttributeValue> value = InfoOf(attribute)
                                                  ? Ptr<AttributeValue>(Create<ParameterKey>())
                                                  : attribute.checker->Create();
            entry->second.push_back(
                {attribute.accessor, attribute.checker, value, FindAppend(*value)});
        }
        more = tid.HasParent();
    }
    return entry->second;
}

void
AttributeKeys::Append(const Object& object, std::string& key)
{
    const TypeId tid = object.GetInstanceTypeId();
    AppendBytes(tid.GetUid(), key);
    for (const Column& column : ColumnsOf(tid))
    {
        if (column.accessor->Get(&object, *column.value))
        {
            column.append(*column.value, *column.checker, key);
        }
        else if (const Ptr<AttributeValue> other = column.checker->Create();
                 column.accessor->Get(&object, *other))
        {
            AppendText(*other, *column.checker, key);
        }
    }
}

} // namespace ns3::roce
