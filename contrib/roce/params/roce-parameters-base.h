// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARAMETERS_BASE_H
#define ROCE_PARAMETERS_BASE_H

#include "roce-parameter-kinds.h"
#include "roce-parameter-rows.h"
#include "roce-parameter-value.h"

#include "ns3/attribute.h"
#include "ns3/type-id.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Values that were attributes once and cannot be set any more, for the message to those who
 * try.
 */
class FixedValues
{
  public:
    /// @param type `ns3::roce::X` @param name of the attribute that there was @param value as text
    /// @return true, for the initialisation of a static variable
    static bool Add(const std::string& type, const std::string& name, const std::string& value);

    /// @param type `ns3::roce::X` @param name of an attribute that it does not have
    /// @return "it is fixed at ..."; empty if there never was one
    static std::string Explain(const std::string& type, const std::string& name);
};

/**
 * @brief A profile of a type that is defined elsewhere than in the type's table: by the system of
 * a paper that sets a law of the module, say.
 */
struct OutsideProfile
{
    std::string type;                                        //!< `ns3::roce::X`
    std::string name;                                        //!< of the profile
    std::string base;                                        //!< profile with all other values
    std::vector<std::pair<std::string, std::string>> values; //!< attributes, and values as text

    /**
     * @brief Add it to the type's table, before or after the table is made.
     * @param profile a new name for that type
     * @return true, for the initialisation of a static variable
     * @throw std::logic_error if the table is there without what the profile names
     */
    static bool Register(const OutsideProfile& profile);
};

/**
 * @brief The part of ParameterTable that does not depend on the struct of its values; compiled
 * once.
 */
class ParameterTableBase
{
  public:
    virtual ~ParameterTableBase() = default;

    /// @return `ns3::roce::X`, the type that has the parameters
    const char* GetTypeName() const
    {
        return m_typeName;
    }

    /// @brief RequireParameter() for this type. @param ok see there @param name see there @param
    /// value see there @param expected see there
    void Require(bool ok,
                 const std::string& name,
                 const std::string& value,
                 const std::string& expected) const
    {
        RequireParameter(ok, m_typeName, name, value, expected);
    }

  protected:
    friend class ParametersBase;
    friend struct OutsideProfile;

    /// Means the attribute Profile, in place of a row's index.
    static constexpr std::size_t PROFILE_ROW = SIZE_MAX;

    /// Makes the accessor of the attribute of a row.
    using MakeAccessor = std::function<Ptr<const AttributeAccessor>(std::size_t row)>;

    /// @param typeName `ns3::roce::X`, for messages @param profiles names; the first is the default
    ParameterTableBase(const char* typeName, const std::vector<std::string>& profiles);

    ParameterTableBase(const ParameterTableBase&) = default;

    /// @return number of profiles, at least 1
    std::size_t CountProfiles() const;

    /// @return the struct with a profile's values. @param index of the profile
    virtual const void* ProfileValues(std::size_t index) const = 0;

    /// @return struct of one more profile, a copy of another one.
    virtual void* CopyProfile(std::size_t index) const = 0;

    /// @brief Take a row of a number. @param offsetBytes of the value; the rest as in
    /// ParameterTable::Number()
    template <typename Kind, typename Held>
    void AddNumber(const char* name,
                   std::size_t offsetBytes,
                   const std::vector<Held>& values,
                   const Range& range,
                   const char* help);

    /// @brief Take a row of texts. @param offsetBytes of the value; the rest as in
    /// ParameterTable::Choice()
    template <typename Held>
    void AddChoice(const char* name,
                   std::size_t offsetBytes,
                   const std::vector<Held>& values,
                   const typename NamedValues<Held>::Names& names,
                   const char* help);

    /// @brief Take a row of any text. @param offsetBytes of the value; the rest as in
    /// ParameterTable::Text()
    void AddText(const char* name,
                 std::size_t offsetBytes,
                 const std::vector<std::string>& values,
                 const char* help);

    /// @brief What the last row is for.
    void SetHelp(const char* help);

    /// @brief The last row is for profiles alone: no attribute.
    void MakeFixed();

    /// @brief Take values that are no parameters any more. @param values see
    /// ParameterTable::Constants()
    void AddConstants(const std::vector<std::pair<std::string, std::string>>& values);

    /// @brief All rows so far may be changed during a simulation.
    void MakeLive();

    /// @return tid with an attribute for Profile, if there are several, and for each row. @param
    /// tid of the class @param make accessors
    TypeId AddAttributes(TypeId tid, const MakeAccessor& make) const;

  private:
    template <typename Row, typename Held>
    void Add(const std::shared_ptr<Row>& row,
             const char* name,
             std::size_t offsetBytes,
             const std::vector<Held>& values,
             const char* help);

    /// @brief Fill in what rows of all types have. @throw std::logic_error wrong number of values
    void Begin(ParameterRow& row,
               const char* name,
               std::size_t offsetBytes,
               std::size_t nValues,
               const char* help) const;

    void AddProfile(const OutsideProfile& profile) const;

    const char* m_typeName;
    std::shared_ptr<ProfileInfo> m_profile;
    std::vector<std::shared_ptr<ParameterRow>> m_rows;
    std::vector<std::pair<std::string, std::string>> m_constants; //!< names and values
};

/// @brief The part of Parameters that does not depend on the struct of its values.
class ParametersBase
{
  public:
    /// @return whether an attribute was given, whatever the profile. @param name of the attribute
    bool IsGiven(const std::string& name) const;

    /// @return name of the profile; empty if there are none
    std::string GetProfile() const;

  protected:
    template <typename, typename>
    friend class ParameterAccessor;

    /// Shared by copies.
    struct State
    {
        virtual ~State() = default;

        virtual std::shared_ptr<State> Clone() const = 0;    //!< without the effective values
        virtual const ParameterTableBase& Table() const = 0; //!< of the struct
        virtual void* Given() = 0;                           //!< values of given rows
        virtual const void* InForce(const ParametersBase& owner) = 0; //!< as Parameters::Get()
        virtual void Forget() = 0; //!< the effective values must be computed again

        std::string profile;                    //!< attribute Profile; empty: the first
        std::vector<bool> isGiven;              //!< by row
        std::map<std::size_t, std::string> bad; //!< by row: given, but cannot be read
    };

    explicit ParametersBase(std::shared_ptr<State> state)
        : m_state(std::move(state))
    {
    }

    /// @return index of the profile @throw InputError for one that is not known
    std::size_t RequireProfile() const;

    /// @brief Set the rows that were given. @param values a profile's @throw InputError for one
    /// that cannot be read or is out of range
    void PutGiven(void* values) const;

    /// @throw InputError if a parameter differs that is not live. @param inForce the values so far
    /// @param next the values from now on
    void RequireLive(const void* inForce, const void* next) const;

    std::shared_ptr<State> m_state;

  private:
    State& Change();
    std::size_t ProfileIndex() const;
    bool SetRow(std::size_t row, const AttributeValue& value);
    bool GetRow(std::size_t row, AttributeValue& value) const;
    const void* InForce(bool isGiven) const;
};

template <typename Row, typename Held>
void
ParameterTableBase::Add(const std::shared_ptr<Row>& row,
                        const char* name,
                        std::size_t offsetBytes,
                        const std::vector<Held>& values,
                        const char* help)
{
    Begin(*row, name, offsetBytes, values.size(), help);
    for (std::size_t i = 0; i < CountProfiles(); ++i)
    {
        void* held = row->In(const_cast<void*>(ProfileValues(i))); // this table is not const yet
        Row::At(held) = static_cast<Held>(values[values.size() == 1 ? 0 : i]);
        row->profileText.push_back(row->Print(held));
    }
    m_rows.push_back(row);
}

template <typename Kind, typename Held>
void
ParameterTableBase::AddNumber(const char* name,
                              std::size_t offsetBytes,
                              const std::vector<Held>& values,
                              const Range& range,
                              const char* help)
{
    const auto row = std::make_shared<NumberRow<Kind, Held>>(range);
    std::string (*print)(double) = nullptr;
    if constexpr (std::is_same_v<Kind, kind::Duration>)
    {
        print = &Kind::PrintBound;
    }
    const std::string bounds = range.ToText(name, print);
    row->expected = Kind::WHAT + (bounds.empty() ? "" : ", " + bounds);
    row->values = Kind::NAME + (bounds.empty() ? "" : ", " + bounds);
    Add(row, name, offsetBytes, values, help);
}

template <typename Held>
void
ParameterTableBase::AddChoice(const char* name,
                              std::size_t offsetBytes,
                              const std::vector<Held>& values,
                              const typename NamedValues<Held>::Names& names,
                              const char* help)
{
    const auto row = std::make_shared<TextRow<Held, NamedValues<Held>>>(NamedValues<Held>{names});
    for (const auto& [text, value] : names)
    {
        row->expected += (row->expected.empty() ? "'" : ", '") + text + "'";
        row->values += (row->values.empty() ? "" : ", ") + text;
    }
    Add(row, name, offsetBytes, values, help);
}

} // namespace ns3::roce

#endif /* ROCE_PARAMETERS_BASE_H */
