// SPDX-License-Identifier: GPL-2.0-only
#include "roce-fork-keys.h"

#include "ns3/data-rate.h"
#include "ns3/roce-messages.h"

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

} // namespace

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
    if (m_config.Has("MAX_RATE"))
    {
        unused.emplace_back("MAX_RATE", "no NIC is faster");
    }
    return unused;
}

} // namespace ns3::roce
