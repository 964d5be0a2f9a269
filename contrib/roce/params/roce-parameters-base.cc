// SPDX-License-Identifier: GPL-2.0-only
#include "roce-parameters-base.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace ns3::roce
{

namespace
{

/// @return values by type and name
std::map<std::string, std::string>&
Values()
{
    static std::map<std::string, std::string> values;
    return values;
}

} // namespace

bool
FixedValues::Add(const std::string& type, const std::string& name, const std::string& value)
{
    Values()[type + "::" + name] = value;
    return true;
}

std::string
FixedValues::Explain(const std::string& type, const std::string& name)
{
    const auto found = Values().find(type + "::" + name);
    return found == Values().end() ? "" : "it is fixed at " + found->second;
}

namespace
{

/// @return all tables that are complete, by type
std::map<std::string, const ParameterTableBase*>&
Tables()
{
    static std::map<std::string, const ParameterTableBase*> tables;
    return tables;
}

/// @return profiles from outside that came before their tables
std::vector<OutsideProfile>&
Waiting()
{
    static std::vector<OutsideProfile> waiting;
    return waiting;
}

} // namespace

bool
OutsideProfile::Register(const OutsideProfile& profile)
{
    const auto table = Tables().find(profile.type);
    if (table == Tables().end())
    {
        Waiting().push_back(profile);
    }
    else
    {
        table->second->AddProfile(profile);
    }
    return true;
}

void
ParameterTableBase::AddProfile(const OutsideProfile& profile) const
{
    const std::string where = std::string(m_typeName) + ", profile " + profile.name + ": ";
    const std::vector<std::string>& names = m_profile->GetNames();
    const auto base = std::find(names.begin(), names.end(), profile.base);
    if (base == names.end())
    {
        throw std::logic_error(where + "no profile " + profile.base);
    }
    if (std::find(names.begin(), names.end(), profile.name) != names.end())
    {
        throw std::logic_error(where + "is there already");
    }
    const auto rowOf = [this](const std::string& name) {
        return std::find_if(m_rows.begin(), m_rows.end(), [&name](const auto& row) {
            return row->name == name;
        });
    };
    for (const auto& [name, text] : profile.values)
    {
        const auto row = rowOf(name);
        if (row == m_rows.end() || text == ParameterInfo::PROFILE || !(*row)->Takes(text))
        {
            throw std::logic_error(where + "no attribute " + name + " that can be " + text);
        }
    }
    void* const values = CopyProfile(static_cast<std::size_t>(base - names.begin()));
    for (const auto& [name, text] : profile.values)
    {
        const ParameterRow& row = **rowOf(name);
        row.Parse(row.In(values), text);
    }
    for (const std::shared_ptr<ParameterRow>& row : m_rows)
    {
        row->profileText.push_back(row->Print(row->In(values)));
        row->hasProfiles = true;
    }
    m_profile->Add(profile.name);
}

ParameterTableBase::ParameterTableBase(const char* typeName,
                                       const std::vector<std::string>& profiles)
    : m_typeName(typeName),
      m_profile(std::make_shared<ProfileInfo>(profiles))
{
}

std::size_t
ParameterTableBase::CountProfiles() const
{
    return std::max<std::size_t>(1, m_profile->GetNames().size());
}

void
ParameterTableBase::Begin(ParameterRow& row,
                          const char* name,
                          std::size_t offsetBytes,
                          std::size_t nValues,
                          const char* help) const
{
    if (nValues != 1 && nValues != CountProfiles())
    {
        throw std::logic_error(std::string(m_typeName) + ": " + name + " has " +
                               std::to_string(nValues) + " values, expected 1 or " +
                               std::to_string(CountProfiles()));
    }
    row.name = name;
    row.help = help;
    row.hasProfiles = m_profile->GetNames().size() > 1;
    row.offsetBytes = offsetBytes;
}

void
ParameterTableBase::AddText(const char* name,
                            std::size_t offsetBytes,
                            const std::vector<std::string>& values,
                            const char* help)
{
    const auto row = std::make_shared<TextRow<std::string, AnyText>>(AnyText());
    row->expected = row->values = "text";
    Add(row, name, offsetBytes, values, help);
}

void
ParameterTableBase::SetHelp(const char* help)
{
    m_rows.back()->help = help;
}

void
ParameterTableBase::MakeFixed()
{
    m_rows.back()->isFixed = true;
}

void
ParameterTableBase::AddConstants(const std::vector<std::pair<std::string, std::string>>& values)
{
    m_constants.insert(m_constants.end(), values.begin(), values.end());
}

void
ParameterTableBase::MakeLive()
{
    for (const std::shared_ptr<ParameterRow>& row : m_rows)
    {
        row->isLive = true;
    }
}

TypeId
ParameterTableBase::AddAttributes(TypeId tid, const MakeAccessor& make) const
{
    Tables()[m_typeName] = this;
    for (const OutsideProfile& profile : Waiting())
    {
        if (profile.type == m_typeName)
        {
            AddProfile(profile);
        }
    }
    const auto add = [&](const std::shared_ptr<const ParameterInfo>& info, std::size_t row) {
        tid.AddAttribute(info->name,
                         info->help,
                         ParameterValue(info),
                         make(row),
                         Create<ParameterChecker>(info));
    };
    if (!m_profile->GetNames().empty())
    {
        add(m_profile, PROFILE_ROW);
    }
    for (const auto& [name, value] : m_constants)
    {
        FixedValues::Add(m_typeName, name, value);
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i)
    {
        const ParameterRow& row = *m_rows[i];
        if (!row.isFixed)
        {
            add(m_rows[i], i);
            continue;
        }
        std::string byProfile;
        std::vector<std::string> names = m_profile->GetNames();
        const std::vector<std::string>& texts = row.profileText;
        if (std::count(texts.begin(), texts.end(), texts.front()) ==
            static_cast<std::ptrdiff_t>(texts.size()))
        {
            byProfile = texts.front();
            names.clear();
        }
        for (std::size_t p = 0; p < names.size(); ++p)
        {
            byProfile += (p ? ", " : "") + row.profileText[p] + " with Profile=" + names[p];
        }
        FixedValues::Add(m_typeName, row.name, byProfile);
    }
    return tid;
}

ParametersBase::State&
ParametersBase::Change()
{
    if (m_state.use_count() > 1)
    {
        m_state = m_state->Clone();
    }
    m_state->Forget();
    m_state->isGiven.resize(m_state->Table().m_rows.size());
    return *m_state;
}

bool
ParametersBase::SetRow(std::size_t row, const AttributeValue& value)
{
    const auto* text = dynamic_cast<const ParameterValue*>(&value);
    if (row == ParameterTableBase::PROFILE_ROW)
    {
        const std::string profile = text && text->IsGiven() ? text->GetText() : "";
        if (profile != m_state->profile)
        {
            Change().profile = profile;
        }
        return text;
    }
    const ParameterRow& what = *m_state->Table().m_rows[row];
    if (text && !text->IsGiven() && (m_state->isGiven.empty() || !m_state->isGiven[row]))
    {
        return true; // as it is: objects are made by the thousand
    }
    State& state = Change();
    state.bad.erase(row);
    state.isGiven[row] = !text || text->IsGiven();
    void* held = what.In(state.Given());
    if (!text)
    {
        return what.Set(held, value);
    }
    if (text->IsGiven() && !what.Parse(held, text->GetText()))
    {
        state.bad[row] = text->GetText();
    }
    return true;
}

bool
ParametersBase::GetRow(std::size_t row, AttributeValue& value) const
{
    auto* text = dynamic_cast<ParameterValue*>(&value);
    if (auto* key = text ? nullptr : dynamic_cast<ParameterKey*>(&value))
    {
        const auto& isGiven = m_state->isGiven;
        const bool isAny = !m_state->profile.empty() || !m_state->bad.empty() ||
                           std::find(isGiven.begin(), isGiven.end(), true) != isGiven.end();
        key->given = isAny ? m_state.get() : nullptr;
        return true;
    }
    if (row == ParameterTableBase::PROFILE_ROW)
    {
        if (text)
        {
            *text = ParameterValue(GetProfile(), !m_state->profile.empty());
        }
        return text;
    }
    const ParameterRow& what = *m_state->Table().m_rows[row];
    const auto bad = m_state->bad.find(row);
    const bool isGiven = !m_state->isGiven.empty() && m_state->isGiven[row];
    if (bad != m_state->bad.end())
    {
        if (text)
        {
            *text = ParameterValue(bad->second, true);
        }
        return text;
    }
    const void* held = what.In(InForce(isGiven));
    if (text)
    {
        *text = ParameterValue(what.Print(held), isGiven);
    }
    return text || what.Get(held, value);
}

/// @return the effective values; if another row is bad, those of the profile or the given ones
const void*
ParametersBase::InForce(bool isGiven) const
{
    try
    {
        return m_state->InForce(*this);
    }
    catch (const InputError&) // reported by the user of the parameters
    {
        return isGiven ? m_state->Given() : m_state->Table().ProfileValues(ProfileIndex());
    }
}

std::string
ParametersBase::GetProfile() const
{
    const std::vector<std::string>& names = m_state->Table().m_profile->GetNames();
    return m_state->profile.empty() && !names.empty() ? names.front() : m_state->profile;
}

/// @return index of the profile; 0 for one that is not known, which RequireProfile() refuses
std::size_t
ParametersBase::ProfileIndex() const
{
    const std::vector<std::string>& names = m_state->Table().m_profile->GetNames();
    const auto found = std::find(names.begin(), names.end(), m_state->profile);
    return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
}

bool
ParametersBase::IsGiven(const std::string& name) const
{
    const auto& rows = m_state->Table().m_rows;
    const auto found = std::find_if(rows.begin(), rows.end(), [&name](const auto& row) {
        return row->name == name;
    });
    if (found == rows.end())
    {
        throw std::logic_error("no parameter " + name);
    }
    return !m_state->isGiven.empty() &&
           m_state->isGiven[static_cast<std::size_t>(found - rows.begin())];
}

std::size_t
ParametersBase::RequireProfile() const
{
    const ParameterTableBase& table = m_state->Table();
    const std::size_t profile = ProfileIndex();
    if (!m_state->profile.empty() && table.m_profile->GetNames()[profile] != m_state->profile)
    {
        table.Require(false,
                      "Profile",
                      "'" + m_state->profile + "'",
                      table.m_profile->GetExpected());
    }
    return profile;
}

void
ParametersBase::PutGiven(void* values) const
{
    const ParameterTableBase& table = m_state->Table();
    for (std::size_t i = 0; i < m_state->isGiven.size(); ++i)
    {
        const ParameterRow& row = *table.m_rows[i];
        const auto bad = m_state->bad.find(i);
        if (bad != m_state->bad.end())
        {
            table.Require(false, row.name, "'" + bad->second + "'", row.GetExpected());
        }
        if (m_state->isGiven[i])
        {
            void* held = row.In(values);
            row.Copy(held, row.In(m_state->Given()));
            table.Require(row.IsInRange(held), row.name, row.Print(held), row.GetExpected());
        }
    }
}

void
ParametersBase::RequireLive(const void* inForce, const void* next) const
{
    const ParameterTableBase& table = m_state->Table();
    for (const std::shared_ptr<ParameterRow>& row : table.m_rows)
    {
        const std::string before = row->Print(row->In(inForce));
        const std::string after = row->Print(row->In(next));
        table.Require(row->isLive || before == after,
                      row->name,
                      after,
                      before + ": it cannot change while the simulation is on");
    }
}

} // namespace ns3::roce
