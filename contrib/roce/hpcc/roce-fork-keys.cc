// SPDX-License-Identifier: GPL-2.0-only
#include "roce-fork-keys.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-value-check.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

constexpr double MAX_INTEGER = 9007199254740992; //!< exact in a double
constexpr uint64_t KIB = 1 << 10;
constexpr uint64_t MIB = 1 << 20;

/// ConWeave's numbers of ways to balance load, and what is here for them.
struct LbMode
{
    double number;
    const char* name;
    const char* selector; //!< or null
};

const LbMode LB_MODES[] = {{0, "ECMP", "FlowHash"},
                           {2, "DRILL", nullptr},
                           {3, "CONGA", nullptr},
                           {6, "LetFlow", "Flowlet"},
                           {9, "ConWeave", nullptr}};

/// LCMP's numbers of ways to choose a route at DCI switches.
const char* const ROUTING_MODES[] = {"Ecmp", "Ucmp[OnlyWidest=true]", "Lcmp"};

/// LCMP's weights, and attributes of Lcmp.
const std::pair<const char*, const char*> LCMP_WEIGHTS[] = {
    {"W_DL", "DelayWeight"},
    {"W_BW", "RateWeight"},
    {"S_STATIC", "QualityShift"},
    {"W_QL", "QueueWeight"},
    {"W_TL", "TrendWeight"},
    {"W_DP", "DurationWeight"},
    {"S_CONG", "CongestionShift"},
    {"ALPHA", "QualityShare"},
    {"BETA", "CongestionShare"},
    {"S_TOTAL", "TotalShift"},
};

} // namespace

void
ForkKeys::ApplyRoutingMode(const CheckedCommandLine& cmd, TransportOptions& transport) const
{
    if (!m_config.Has("ROUTING_MODE"))
    {
        return;
    }
    const double mode = m_config.Number("ROUTING_MODE");
    if (mode != 0 && mode != 1 && mode != 2)
    {
        m_config.Fail("ROUTING_MODE",
                      "mode " + m_config.Text("ROUTING_MODE") +
                          ", expected 0 (ECMP), 1 (UCMP) or 2 (LCMP)");
    }
    if (!cmd.IsGivenFor(&transport.edgePathPolicy))
    {
        transport.edgePathPolicy = ROUTING_MODES[static_cast<unsigned>(mode)];
    }
}

void
ForkKeys::Apply(const CheckedCommandLine& cmd, TransportOptions& transport) const
{
    if (m_config.Has("ENABLE_PFC") && !cmd.IsGivenFor(&transport.pfc))
    {
        transport.pfc = m_config.Flag("ENABLE_PFC", true);
    }
    if (m_config.Has("ENABLE_IRN") && !cmd.IsGivenFor(&transport.lossRecovery))
    {
        transport.lossRecovery =
            m_config.Flag("ENABLE_IRN", false) ? "SelectiveRepeat" : transport.lossRecovery;
    }
    ApplyRoutingMode(cmd, transport);
    if (!m_config.Has("LB_MODE"))
    {
        return;
    }
    const double number = m_config.Number("LB_MODE");
    const auto* mode = std::find_if(std::begin(LB_MODES), std::end(LB_MODES), [&](const auto& m) {
        return m.number == number;
    });
    const std::string name = mode == std::end(LB_MODES) ? "" : std::string(" (") + mode->name + ")";
    if (cmd.IsGivenFor(&transport.paths))
    {
        Messages::Say("note",
                      "--paths=" + transport.paths + " instead of LB_MODE " +
                          m_config.Text("LB_MODE") + name);
        return;
    }
    if (mode == std::end(LB_MODES) || !mode->selector)
    {
        m_config.Fail("LB_MODE",
                      "mode " + m_config.Text("LB_MODE") + name +
                          ", expected 0 (ECMP) or 6 (LetFlow), or --paths");
    }
    transport.paths = mode->selector;
}

std::vector<ForkKeys::Setting>
ForkKeys::GetSettings() const
{
    std::vector<Setting> settings;
    const auto add = [&](const char* key, const char* attribute, const char* unit) {
        if (m_config.Has(key))
        {
            settings.push_back({key, attribute, m_config.Text(key) + unit});
        }
    };
    add("TIMELY_T_HIGH", "ns3::roce::Timely::THigh", "ns");
    add("TIMELY_T_LOW", "ns3::roce::Timely::TLow", "ns");
    add("TIMELY_MIN_RTT", "ns3::roce::Timely::MinRtt", "ns");
    add("TIMELY_BETA", "ns3::roce::Timely::Beta", "");
    add("TIMELY_ALPHA", "ns3::roce::Timely::Alpha", "");
    add("HEADROOM_FACTOR", "ns3::roce::Switch::HeadroomFactor", "");
    for (const auto& [key, attribute] : LCMP_WEIGHTS)
    {
        if (m_config.Has(key))
        {
            settings.push_back(
                {key, std::string("ns3::roce::Lcmp::") + attribute, m_config.Text(key)});
        }
    }
    if (m_config.Has("MAX_RATE"))
    {
        const uint64_t bps = DataRate(m_config.Text("MAX_RATE")).GetBitRate();
        if (bps < m_topology.GetMaxHostRateBps())
        {
            m_config.Fail("MAX_RATE",
                          "'" + m_config.Text("MAX_RATE") + "', expected at least the NICs' " +
                              std::to_string(m_topology.GetMaxHostRateBps()) +
                              " bit/s: nothing else bounds rates here");
        }
    }
    if (m_config.Has("MAX_INFLIGHT_FLOWS") && m_config.Number("MAX_INFLIGHT_FLOWS") > 0)
    {
        m_config.Fail("MAX_INFLIGHT_FLOWS",
                      m_config.Text("MAX_INFLIGHT_FLOWS") +
                          ", expected 0 (no limit): flows start when the list says");
    }
    return settings;
}

void
ForkKeys::Replace(HpccLongest& longest) const
{
    const auto read = [&](const char* key, double unit) {
        const double number = m_config.Number(key) * unit;
        if (number < 1 || number > MAX_INTEGER)
        {
            m_config.Fail(key, m_config.Text(key) + ", expected more than 0 and less than 2^53");
        }
        return static_cast<uint64_t>(number);
    };
    if (m_config.Has("BASE_RTT"))
    {
        longest.rttPs = static_cast<int64_t>(read("BASE_RTT", 1000));
    }
    if (m_config.Has("FIXED_WIN"))
    {
        longest.bdpBytes = read("FIXED_WIN", 1);
        longest.isProduct = false;
    }
}

uint64_t
ForkKeys::GetBufferUnit() const
{
    return m_config.Has("FIXED_WIN") ? KIB : MIB;
}

std::vector<std::pair<std::string, std::string>>
ForkKeys::GetUnused() const
{
    std::vector<std::pair<std::string, std::string>> unused;
    const bool hasDci =
        std::find(m_topology.isDci.begin(), m_topology.isDci.end(), true) != m_topology.isDci.end();
    if (m_config.Has("DCI_BUFFER_SIZE") && !hasDci)
    {
        unused.emplace_back("DCI_BUFFER_SIZE", "the topology names no DCI switches");
    }
    if (m_config.Has("ROUTING_MODE") && !hasDci)
    {
        unused.emplace_back("ROUTING_MODE", "the topology names no DCI switches");
    }
    for (const auto& weight : LCMP_WEIGHTS)
    {
        if (m_config.Has(weight.first) &&
            (!m_config.Has("ROUTING_MODE") || m_config.Number("ROUTING_MODE") != 2))
        {
            unused.emplace_back(weight.first, "it matters with ROUTING_MODE 2 only");
        }
    }
    if (m_config.Has("MAX_RATE"))
    {
        unused.emplace_back("MAX_RATE", "no NIC is faster");
    }
    return unused;
}

bool
KeySettings::IsInUse(const std::string& attribute) const
{
    std::string law = m_law.substr(0, m_law.find('['));
    law = law.find("::") == std::string::npos ? "ns3::roce::" + law : law;
    TypeId owner;
    TypeId own;
    return !TypeId::LookupByNameFailSafe(attribute.substr(0, attribute.rfind("::")), &owner) ||
           !owner.IsChildOf(CongestionControl::GetTypeId()) ||
           (TypeId::LookupByNameFailSafe(law, &own) && (own == owner || own.IsChildOf(owner)));
}

void
KeySettings::Set(const std::string& attribute, const std::string& value)
{
    if (m_cmd.IsGiven(attribute))
    {
        return;
    }
    try
    {
        ValueCheck::Attribute(attribute, value);
    }
    catch (const InputError&)
    {
        if (IsInUse(attribute))
        {
            throw;
        }
        return;
    }
    Config::SetDefault(attribute, StringValue(value));
}

void
KeySettings::SetFrom(const std::string& key, const std::string& attribute, const std::string& value)
{
    m_keyOfAttribute[attribute] = key;
    try
    {
        Set(attribute, value);
    }
    catch (const InputError& error)
    {
        // Not the attribute's name: the user has given a key.
        const std::string what = error.what();
        m_config.Fail(key, value + what.substr(std::min(what.size(), what.find(", expected "))));
    }
}

std::string
KeySettings::FindKeys(const std::string& message) const
{
    std::string found;
    for (const auto& [attribute, key] : m_keyOfAttribute)
    {
        const std::size_t colons = attribute.rfind("::");
        const bool isNamed =
            message.compare(0, colons + 2, attribute.substr(0, colons) + ": ") == 0 &&
            message.find(" " + attribute.substr(colons + 2)) != std::string::npos;
        if (isNamed && m_config.Has(key))
        {
            found += (found.empty() ? "" : ", ") + m_config.Where(key) + ": " + key;
        }
    }
    return found;
}

} // namespace ns3::roce
