// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARAMETER_VALUE_H
#define ROCE_PARAMETER_VALUE_H

#include "ns3/attribute.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/// @brief Description of a parameter of any type: for attributes, messages, documentation.
struct ParameterInfo
{
    virtual ~ParameterInfo() = default;

    /// @return whether a value is of the ns-3 type that the parameter takes.
    virtual bool Takes(const AttributeValue& value) const = 0;

    /// @return whether a text can be read and is in range.
    virtual bool Takes(const std::string& text) const = 0;

    /// @return the default as text: PROFILE if profiles differ
    std::string GetDefault() const;

    /// @return which values there are, in words, PROFILE included
    std::string GetExpected() const;

    /// The text that selects the profile's value.
    static const char* const PROFILE;

    std::string name;                     //!< of the attribute
    std::string help;                     //!< one line
    std::string expected;                 //!< which values, for messages
    std::string values;                   //!< the same for tables
    std::vector<std::string> profileText; //!< value in each profile
    bool hasProfiles{false};              //!< PROFILE is a value, too
    bool isLive{false};                   //!< may be changed during a simulation
    bool isFixed{false};                  //!< profiles alone decide: no attribute
};

/// The attribute Profile.
struct ProfileInfo : public ParameterInfo
{
    /// @param names of the profiles, the default first
    explicit ProfileInfo(const std::vector<std::string>& names);

    /// @brief One more profile.
    void Add(const std::string& name);

    /// @return names of the profiles
    const std::vector<std::string>& GetNames() const
    {
        return m_names;
    }

    bool Takes(const AttributeValue& value) const override;
    bool Takes(const std::string& text) const override;

  private:
    std::vector<std::string> m_names;
};

/**
 * @brief A parameter's value as text, and where it comes from: the ns-3 attribute value of all
 * parameters. Values of ns-3's own types (DoubleValue, TimeValue ...) are taken and given as well.
 */
class ParameterValue : public AttributeValue
{
  public:
    ParameterValue() = default;

    /// @param info of the parameter whose default it is, which may still change
    explicit ParameterValue(std::shared_ptr<const ParameterInfo> info);

    /// @param text as the user gave it @param isGiven false: it is the profile's (or the default)
    ParameterValue(std::string text, bool isGiven);

    Ptr<AttributeValue> Copy() const override;
    std::string SerializeToString(Ptr<const AttributeChecker> checker) const override;
    bool DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker) override;

    /// @return the value
    std::string GetText() const
    {
        return m_info ? m_info->GetDefault() : m_text;
    }

    /// @return whether it was given, as an attribute; otherwise it comes from the profile
    bool IsGiven() const
    {
        return m_isGiven;
    }

  private:
    std::string m_text;
    std::shared_ptr<const ParameterInfo> m_info; //!< whose default it is; or null
    bool m_isGiven{false};
};

/**
 * @brief Asked of a parameter's attribute in place of its value: what all parameters of the object
 * depend on. Objects of one class with the same answer have the same values.
 */
class ParameterKey : public AttributeValue
{
  public:
    Ptr<AttributeValue> Copy() const override;
    std::string SerializeToString(Ptr<const AttributeChecker> checker) const override;
    bool DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker) override;

    const void* given{nullptr}; //!< null: nothing was given, all values are defaults
};

/**
 * @brief The attribute checker of a parameter. It accepts any text: one that cannot be read is
 * reported as an InputError by the object that uses it. So a bad value never ends in an abort.
 */
class ParameterChecker : public AttributeChecker
{
  public:
    /// @param info what it is about
    explicit ParameterChecker(std::shared_ptr<const ParameterInfo> info);

    /// @return what it is about
    const ParameterInfo& GetInfo() const
    {
        return *m_info;
    }

    bool Check(const AttributeValue& value) const override;
    std::string GetValueTypeName() const override;
    bool HasUnderlyingTypeInformation() const override;
    std::string GetUnderlyingTypeInformation() const override;
    Ptr<AttributeValue> Create() const override;
    bool Copy(const AttributeValue& source, AttributeValue& destination) const override;

  private:
    std::shared_ptr<const ParameterInfo> m_info;
};

/**
 * @param ok nothing happens if it is true
 * @param typeName `ns3::roce::X`
 * @param name of the parameter
 * @param value as it was found; texts in quotation marks
 * @param expected in words
 * @throw InputError "ns3::roce::X: name is value, expected ..."
 */
void RequireParameter(bool ok,
                      const std::string& typeName,
                      const std::string& name,
                      const std::string& value,
                      const std::string& expected);

} // namespace ns3::roce

#endif /* ROCE_PARAMETER_VALUE_H */
