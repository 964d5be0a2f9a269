/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-bicc-receiver-side.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace roce
{

void
BiccReceiverSide::Configure(const Settings& settings, const std::vector<uint64_t>& portRates)
{
    m_settings = settings;
    m_ports.clear();
    for (const uint64_t rate : portRates)
    {
        PortQueues port;
        port.maxRateBps = settings.maxRateBps ? std::min(settings.maxRateBps, rate) : rate;
        port.minRateBps = std::min(settings.minRateBps, port.maxRateBps);
        port.voqs.resize(rate ? settings.voqs : 0);
        m_ports.push_back(port);
    }
}

uint64_t
BiccReceiverSide::RateOf(const PortQueues& port, const Voq& voq, int64_t nowPs) const
{
    if (voq.cutPs == INT64_MIN)
    {
        return port.maxRateBps;
    }
    const auto steps = static_cast<uint64_t>((nowPs - voq.cutPs) / m_settings.recoveryPeriodPs);
    const uint64_t missing = port.maxRateBps - voq.rateBps;
    // Without overflow: after so many steps it is at its maximum anyway.
    return steps > missing / m_settings.aiRateBps ? port.maxRateBps
                                                  : voq.rateBps + steps * m_settings.aiRateBps;
}

double
BiccReceiverSide::AlphaOf(const PortQueues& port, const Voq& voq, int64_t nowPs) const
{
    if (voq.cutPs == INT64_MIN ||
        (m_settings.resetAlpha && RateOf(port, voq, nowPs) == port.maxRateBps))
    {
        return m_settings.initialAlpha;
    }
    const int64_t periods = (nowPs - voq.cutPs) / m_settings.alphaPeriodPs;
    return voq.alpha * std::pow(1 - m_settings.gain, static_cast<double>(periods));
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
    voq.cutPs = nowPs;
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

} // namespace roce
} // namespace ns3
