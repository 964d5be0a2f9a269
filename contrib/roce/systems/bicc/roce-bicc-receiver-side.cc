// SPDX-License-Identifier: GPL-2.0-only
#include "roce-bicc-receiver-side.h"

#include "ns3/roce-time.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

namespace
{

/// Time between two steps of the recovery, counted from the last cut (DCQCN).
constexpr int64_t RECOVERY_PERIOD_PS = 55 * PS_PER_US;

} // namespace

void
BiccReceiverSide::Configure(const Settings& settings, const std::vector<uint64_t>& portRates)
{
    m_settings = settings;
    m_ports.clear();
    for (const uint64_t rate : portRates)
    {
        PortQueues port;
        port.portRateBps = rate;
        SetBounds(port);
        port.voqs.resize(rate ? settings.voqs : 0);
        m_ports.push_back(port);
    }
}

void
BiccReceiverSide::SetBounds(PortQueues& port) const
{
    port.maxRateBps = m_settings.maxRateBps ? std::min(m_settings.maxRateBps, port.portRateBps)
                                            : port.portRateBps;
    port.minRateBps = std::min(m_settings.minRateBps, port.maxRateBps);
}

void
BiccReceiverSide::Retune(const Settings& settings, int64_t nowPs)
{
    for (PortQueues& port : m_ports)
    {
        for (Voq& voq : port.voqs)
        {
            voq.rateBps = RateOf(port, voq, nowPs);
            // Whole periods: what has passed of those that run counts on.
            const int64_t periods = (nowPs - voq.alphaPs) / m_settings.alphaPeriodPs;
            voq.alpha = DecayedAlpha(voq, periods);
            voq.alphaPs += periods * m_settings.alphaPeriodPs;
            voq.ratePs += (nowPs - voq.ratePs) / RECOVERY_PERIOD_PS * RECOVERY_PERIOD_PS;
        }
    }
    m_settings = settings;
    for (PortQueues& port : m_ports)
    {
        const uint64_t before = port.maxRateBps;
        SetBounds(port);
        for (Voq& voq : port.voqs)
        {
            voq.rateBps = voq.rateBps == before
                              ? port.maxRateBps
                              : std::clamp(voq.rateBps, port.minRateBps, port.maxRateBps);
        }
    }
}

uint64_t
BiccReceiverSide::RateOf(const PortQueues& port, const Voq& voq, int64_t nowPs) const
{
    if (voq.cutPs == INT64_MIN)
    {
        return port.maxRateBps;
    }
    const auto steps = static_cast<uint64_t>((nowPs - voq.ratePs) / RECOVERY_PERIOD_PS);
    const uint64_t missing = port.maxRateBps - voq.rateBps;
    // Without overflow: more steps would only reach the same maximum.
    return steps > missing / m_settings.aiRateBps ? port.maxRateBps
                                                  : voq.rateBps + steps * m_settings.aiRateBps;
}

double
BiccReceiverSide::DecayedAlpha(const Voq& voq, int64_t periods) const
{
    return voq.alpha * std::pow(1 - m_settings.gain, static_cast<double>(periods));
}

double
BiccReceiverSide::AlphaOf(const PortQueues& port, const Voq& voq, int64_t nowPs) const
{
    if (voq.cutPs == INT64_MIN || RateOf(port, voq, nowPs) == port.maxRateBps)
    {
        return 1; // as in DCQCN: the first CNP halves the rate; as NVIDIA, also when it is back
    }
    return DecayedAlpha(voq, (nowPs - voq.alphaPs) / m_settings.alphaPeriodPs);
}

bool
BiccReceiverSide::OnCnp(uint16_t port, uint32_t queue, int64_t nowPs)
{
    PortQueues& of = m_ports[port];
    Voq& voq = of.voqs[queue];
    if (voq.cutPs != INT64_MIN && nowPs - voq.cutPs < m_settings.cutPeriodPs)
    {
        return false;
    }
    const double g = m_settings.gain;
    const double alpha = (1 - g) * AlphaOf(of, voq, nowPs) + g;
    const auto rate = static_cast<double>(RateOf(of, voq, nowPs));
    voq.rateBps =
        std::max(of.minRateBps, static_cast<uint64_t>(std::llround(rate * (1 - alpha / 2))));
    voq.alpha = alpha;
    voq.cutPs = voq.ratePs = voq.alphaPs = nowPs;
    return true;
}

uint64_t
BiccReceiverSide::GetRateBps(uint16_t port, uint32_t queue, int64_t nowPs) const
{
    return RateOf(m_ports[port], m_ports[port].voqs[queue], nowPs);
}

double
BiccReceiverSide::GetAlpha(uint16_t port, uint32_t queue, int64_t nowPs) const
{
    return AlphaOf(m_ports[port], m_ports[port].voqs[queue], nowPs);
}

} // namespace ns3::roce
