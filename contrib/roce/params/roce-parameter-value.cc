// SPDX-License-Identifier: GPL-2.0-only
#include "roce-parameter-value.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

const char* const ParameterInfo::PROFILE = "profile";

std::string
ParameterInfo::GetDefault() const
{
    for (const std::string& text : profileText)
    {
        if (text != profileText.front())
        {
            return PROFILE;
        }
    }
    return profileText.front();
}

std::string
ParameterInfo::GetExpected() const
{
    return expected + (hasProfiles ? std::string(", or ") + PROFILE : "");
}

ProfileInfo::ProfileInfo(const std::vector<std::string>& names)
{
    name = "Profile";
    help = "Gives their values to the attributes that are not set";
    for (const std::string& text : names)
    {
        Add(text);
    }
}

void
ProfileInfo::Add(const std::string& text)
{
    m_names.push_back(text);
    profileText = {m_names.front()};
    expected += (expected.empty() ? "'" : ", '") + text + "'";
    values += (values.empty() ? "" : ", ") + text;
}

bool
ProfileInfo::Takes(const AttributeValue&) const
{
    return false; // a text only
}

bool
ProfileInfo::Takes(const std::string& text) const
{
    return std::find(m_names.begin(), m_names.end(), text) != m_names.end();
}

ParameterValue::ParameterValue(std::shared_ptr<const ParameterInfo> info)
    : m_info(std::move(info))
{
}

ParameterValue::ParameterValue(std::string text, bool isGiven)
    : m_text(std::move(text)),
      m_isGiven(isGiven)
{
}

Ptr<AttributeValue>
ParameterValue::Copy() const
{
    return Create<ParameterValue>(*this);
}

std::string
ParameterValue::SerializeToString(Ptr<const AttributeChecker>) const
{
    return GetText();
}

bool
ParameterValue::DeserializeFromString(std::string value, Ptr<const AttributeChecker>)
{
    m_isGiven = value != ParameterInfo::PROFILE;
    m_info = nullptr;
    m_text = std::move(value);
    return true;
}

Ptr<AttributeValue>
ParameterKey::Copy() const
{
    return Create<ParameterKey>(*this);
}

std::string
ParameterKey::SerializeToString(Ptr<const AttributeChecker>) const
{
    return given ? "given" : "";
}

bool
ParameterKey::DeserializeFromString(std::string, Ptr<const AttributeChecker>)
{
    return false;
}

ParameterChecker::ParameterChecker(std::shared_ptr<const ParameterInfo> info)
    : m_info(std::move(info))
{
}

bool
ParameterChecker::Check(const AttributeValue& value) const
{
    return dynamic_cast<const ParameterValue*>(&value) || m_info->Takes(value);
}

std::string
ParameterChecker::GetValueTypeName() const
{
    return "ns3::roce::ParameterValue";
}

bool
ParameterChecker::HasUnderlyingTypeInformation() const
{
    return true;
}

std::string
ParameterChecker::GetUnderlyingTypeInformation() const
{
    return m_info->GetExpected();
}

Ptr<AttributeValue>
ParameterChecker::Create() const
{
    return ns3::Create<ParameterValue>();
}

bool
ParameterChecker::Copy(const AttributeValue& source, AttributeValue& destination) const
{
    const auto* from = dynamic_cast<const ParameterValue*>(&source);
    auto* to = dynamic_cast<ParameterValue*>(&destination);
    if (!from || !to)
    {
        return false;
    }
    *to = *from;
    return true;
}

void
RequireParameter(bool ok,
                 const std::string& typeName,
                 const std::string& name,
                 const std::string& value,
                 const std::string& expected)
{
    if (!ok)
    {
        throw InputError(typeName + ": " + name + " is " + value + ", expected " + expected);
    }
}

} // namespace ns3::roce
