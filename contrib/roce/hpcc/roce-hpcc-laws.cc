// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-laws.h"

#include <algorithm>
#include <map>

namespace ns3::roce
{

namespace
{

/// The rate laws that a key is a parameter of.
const std::map<std::string, std::vector<std::string>> LAWS_OF_KEY{
    {"ALPHA_RESUME_INTERVAL", {"Dcqcn"}},
    {"RATE_DECREASE_INTERVAL", {"Dcqcn"}},
    {"CLAMP_TARGET_RATE", {"Dcqcn"}},
    {"RP_TIMER", {"Dcqcn"}},
    {"EWMA_GAIN", {"Dcqcn", "Dctcp"}},
    {"FAST_RECOVERY_TIMES", {"Dcqcn"}},
    {"RATE_AI", {"Dcqcn", "Hpcc", "Timely"}},
    {"RATE_HAI", {"Dcqcn", "Timely"}},
    {"MIN_RATE", {"Dcqcn", "Dctcp", "Hpcc", "Timely"}},
    {"DCTCP_RATE_AI", {"Dctcp"}},
    {"FAST_REACT", {"Hpcc"}},
    {"U_TARGET", {"Hpcc"}},
    {"MI_THRESH", {"Hpcc"}},
    {"MULTI_RATE", {"Hpcc"}},
    {"TIMELY_ALPHA", {"Timely"}},
    {"TIMELY_BETA", {"Timely"}},
    {"TIMELY_MIN_RTT", {"Timely"}},
    {"TIMELY_T_HIGH", {"Timely"}},
    {"TIMELY_T_LOW", {"Timely"}},
};

const char* const MARK_KEYS[] = {"ENABLE_QCN", "KMAX_MAP", "KMIN_MAP", "PMAX_MAP"};

} // namespace

HpccLaws::HpccLaws(const HpccConfig& config, const std::string& cc, bool isProfile)
    : m_config(config),
      m_law(cc.substr(0, cc.find('['))),
      m_isProfile(isProfile),
      m_isFile(isProfile && !config.GetPath().empty())
{
    const std::string prefix = "ns3::roce::";
    if (m_law.compare(0, prefix.size(), prefix) == 0)
    {
        m_law.erase(0, prefix.size());
    }
}

bool
HpccLaws::HasWindow() const
{
    return m_config.Flag("HAS_WIN", m_isFile);
}

bool
HpccLaws::IsWindowOwn() const
{
    return m_law == "Hpcc" || m_law == "PowerTcp";
}

bool
HpccLaws::IsGlobal() const
{
    return m_config.Flag("GLOBAL_T", m_isProfile) || m_config.Has("FIXED_WIN") ||
           (m_config.Has("BASE_RTT") && IsWindowOwn());
}

void
HpccLaws::Apply(const HpccLongest& longest, const Setter& set) const
{
    const bool follows = m_config.Flag("VAR_WIN", !m_isFile);
    if (IsGlobal())
    {
        const std::string rtt = std::to_string(longest.rttPs) + "ps";
        set("ns3::roce::Hpcc::BaseRtt", rtt);
        set("ns3::roce::PowerTcp::BaseRtt", rtt);
        if (!longest.isProduct) // else HPCC's own is the same
        {
            set("ns3::roce::Hpcc::Winit", std::to_string(longest.bdpBytes));
        }
    }
    if (m_law == "Hpcc")
    {
        set("ns3::roce::Hpcc::FixedWindow", follows ? "false" : "true");
    }
    else if (HasWindow() && !IsWindowOwn())
    {
        set("ns3::roce::Nic::FlowWindow", follows ? "rate" : "fixed");
        if (IsGlobal())
        {
            set("ns3::roce::Nic::FlowWindowBytes", std::to_string(longest.bdpBytes));
        }
    }
}

bool
HpccLaws::UsesKey(const std::string& key) const
{
    const auto laws = LAWS_OF_KEY.find(key);
    return laws == LAWS_OF_KEY.end() ||
           std::count(laws->second.begin(), laws->second.end(), m_law) > 0;
}

std::vector<std::pair<std::string, std::string>>
HpccLaws::FindUnused(const CongestionControl& law) const
{
    std::vector<std::pair<std::string, std::string>> unused;
    const auto add = [&](const std::string& key, const std::string& reason) {
        if (m_config.Has(key))
        {
            unused.emplace_back(key, reason);
        }
    };
    for (const auto& [key, laws] : LAWS_OF_KEY)
    {
        if (!UsesKey(key))
        {
            add(key, "not a parameter of " + m_law);
        }
    }
    if (m_law == "Timely" && !(m_config.Has("RATE_AI") && m_config.GetRateBps("RATE_AI") > 0))
    {
        add("RATE_HAI", "Timely takes it as a multiple of RATE_AI");
    }
    for (const char* key : MARK_KEYS)
    {
        if (!law.IsEcnCapable())
        {
            add(key, m_law + " does not look at marks");
        }
    }
    if (m_config.Has("INT_MULTI") && m_config.Number("INT_MULTI") > 1)
    {
        if (!law.NeedsTelemetry())
        {
            add("INT_MULTI", m_law + " does not look at telemetry");
        }
        else if (!m_isProfile)
        {
            add("INT_MULTI", "telemetry is exact without --profile=hpcc-sim");
        }
    }
    if (m_law == "Hpcc" && !m_config.Flag("HAS_WIN", true))
    {
        add("HAS_WIN", "HPCC always has a window");
    }
    else if (m_law == "PowerTcp")
    {
        const std::string reason = "its window is that of PowerTcp and its profile";
        add("HAS_WIN", reason);
        add("VAR_WIN", reason);
        add("FIXED_WIN", reason);
    }
    else if (!IsWindowOwn() && !HasWindow())
    {
        const std::string reason = "there is no window without HAS_WIN 1";
        add("GLOBAL_T", reason);
        add("VAR_WIN", reason);
        add("FIXED_WIN", reason);
    }
    if (!IsWindowOwn())
    {
        add("BASE_RTT", "only HPCC and PowerTCP have a base RTT; FIXED_WIN is for the others");
    }
    return unused;
}

} // namespace ns3::roce
