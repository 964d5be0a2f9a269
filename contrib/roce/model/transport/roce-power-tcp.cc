/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-power-tcp.h"

#include "roce-settings-attributes.h"

#include "ns3/roce-input-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(PowerTcp);

namespace
{

constexpr SettingsCheck CHECK{"ns3::roce::PowerTcp"};

/// A text attribute of two values; true if it is the first, the profile's if it is empty.
bool
PickText(const char* name,
         const std::string& value,
         const std::string& yes,
         const std::string& no,
         bool profile)
{
    CHECK.Require(value.empty() || value == yes || value == no,
                  name,
                  "'" + value + "'",
                  "'" + yes + "', '" + no + "', or nothing for the profile's");
    return value.empty() ? profile : value == yes;
}

} // namespace

PowerTcpParams
PowerTcpSettings::Resolve() const
{
    CHECK.Require(profile == "paper" || profile == "inet-tub",
                  "Profile",
                  "'" + profile + "'",
                  "'paper' or 'inet-tub'");
    const bool tub = profile == "inet-tub";
    PowerTcpParams p{};
    p.theta = theta;
    p.arrivals = PickText("Current", current, "arrivals", "queue", tub);
    p.perRtt = PickText("UpdatePer", updatePer, "rtt", "ack", theta && !tub);
    p.fromReference = PickText("Memory", memory, "reference", "current", tub);
    p.fixedWindow = PickText("FixedWindow", fixedWindow, "true", "false", tub);
    p.gamma = CHECK.Number(gamma, tub && theta ? 0.7 : 0.9);
    CHECK.Require(p.gamma > 0 && p.gamma <= 1, "Gamma", std::to_string(p.gamma), "0 < Gamma <= 1");
    p.eta = CHECK.Number(eta, tub && !theta ? 0.95 : 1);
    CHECK.Require(p.eta > 0 && p.eta <= 1, "Eta", std::to_string(p.eta), "0 < Eta <= 1");
    p.rttMargin = CHECK.Number(rttMargin, tub ? 1.05 : 1);
    CHECK.Require(p.rttMargin >= 1, "RttMargin", std::to_string(p.rttMargin), "1 or more");
    p.minCurrent = CHECK.Number(minCurrent, tub ? 0.5 : 0);
    CHECK.Require(p.minCurrent >= 0 && p.minCurrent < 1,
                  "MinCurrent",
                  std::to_string(p.minCurrent),
                  "0 <= MinCurrent < 1");
    CHECK.Require(betaBytes >= 0 && !(betaBytes > 0 && betaRate.GetBitRate()),
                  "BetaBytes",
                  std::to_string(betaBytes) + " and BetaRate " +
                      std::to_string(betaRate.GetBitRate()) + " bit/s",
                  "at most one of them, and not below 0");
    p.betaBytes = betaBytes;
    if (!(betaBytes > 0))
    {
        p.betaRateBps =
            betaRate.GetBitRate() ? static_cast<double>(betaRate.GetBitRate()) : (tub ? 150e6 : 0);
    }
    p.expectedFlows = expectedFlows;
    CHECK.Require(!baseRtt.IsStrictlyNegative(),
                  "BaseRtt",
                  std::to_string(baseRtt.GetPicoSeconds()) + " ps",
                  "0 or more");
    p.baseRttPs = static_cast<double>(baseRtt.GetPicoSeconds());
    CHECK.Require(maxWindow >= 0, "MaxWindow", std::to_string(maxWindow), "0 or more");
    p.maxWindow = maxWindow;
    p.minRateBps = static_cast<double>(minRate.GetBitRate());
    return p;
}

TypeId
PowerTcp::GetTypeId()
{
    using S = PowerTcpSettings;
    static const TypeId tid =
        SettingsAttributes<S>(TypeId("ns3::roce::PowerTcp")
                                  .SetParent<CongestionControl>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<PowerTcp>())
            .Text<&S::profile>("Profile", "paper", "paper or inet-tub")
            .Flag<&S::theta>("Theta", false, "theta-PowerTCP: power from RTTs, without telemetry")
            .Text<&S::current>(
                "Current",
                "What current is measured by: queue (change of queue and bytes sent) or arrivals; "
                "empty: profile")
            .Number<&S::minCurrent>(
                "MinCurrent",
                "Current counts at least so much, share of the port's rate; -1: profile")
            .Number<&S::gamma>("Gamma", "Weight of the new window; -1: profile")
            .Number<&S::eta>("Eta", "Power aimed at, of the base power; -1: profile")
            .Number<&S::rttMargin>(
                "RttMargin",
                "With Theta: RTTs count in units of so many base RTTs; -1: profile")
            .Number<&S::betaBytes>("BetaBytes",
                                   0,
                                   "Additive increase in bytes; 0: from BetaRate or the profile")
            .Rate<&S::betaRate>("BetaRate",
                                "Additive increase as a rate; 0: from BetaBytes or the profile")
            .Add<&S::expectedFlows>("ExpectedFlows",
                                    UintegerValue(8),
                                    "Flows at one bottleneck that the derived increase allows for",
                                    MakeUintegerChecker<uint32_t>(1))
            .Duration<&S::baseRtt>("BaseRtt", Time(0), "tau; 0: base RTT of the path")
            .Number<&S::maxWindow>("MaxWindow", 1, "Largest window, BDPs; 0: no limit")
            .Rate<&S::minRate>("MinRate", "Floor of the rate")
            .Text<&S::updatePer>("UpdatePer", "When the window changes: ack or rtt; empty: profile")
            .Text<&S::memory>("Memory",
                              "What 1 - Gamma weighs: current or reference window; empty: profile")
            .Text<&S::fixedWindow>(
                "FixedWindow",
                "true: the window stays a BDP, only the rate changes; empty: profile");
    return tid;
}

Ptr<CongestionControl>
PowerTcp::Fork() const
{
    GetParams();
    return CopyObject<PowerTcp>(this);
}

void
PowerTcp::DoStart(int64_t)
{
    const PowerTcpParams& p = GetParams();
    m_tauPs = p.baseRttPs > 0 ? p.baseRttPs : static_cast<double>(m_path.baseRttPs);
    if (m_tauPs <= 0 || !m_path.lineRateBps)
    {
        throw InputError("ns3::roce::PowerTcp: base RTT is " + std::to_string(m_path.baseRttPs) +
                         " ps and line rate " + std::to_string(m_path.lineRateBps) +
                         " bit/s, expected positive values");
    }
    const double bdp = static_cast<double>(m_path.lineRateBps) * m_tauPs / 8e12;
    m_beta = p.betaBytes > 0     ? p.betaBytes
             : p.betaRateBps > 0 ? p.betaRateBps * m_tauPs / 8e12
                                 : bdp / p.expectedFlows;
    m_cwnd = m_reference = p.maxWindow > 0 ? std::min(1.0, p.maxWindow) * bdp : bdp;
    m_power = 1;
    m_hasSample = false;
    m_last.clear();
    m_lastUpdatePsn = 0;
    m_ackedPsn = 0;
    m_lastAckPs = 0;
    m_lastRttPs = 0;
    Publish();
}

void
PowerTcp::OnAck(const AckInfo& ack)
{
    const PowerTcpParams& p = *m_params;
    m_ackedPsn = std::max(m_ackedPsn, ack.ackPsn);
    if (ack.isNak)
    {
        Rewind(ack.ackPsn);
    }
    if (p.theta ? ack.rttPs <= 0 : !ack.telemetry || !ack.telemetry->hops)
    {
        return;
    }
    if (!m_hasSample)
    {
        if (p.theta)
        {
            m_lastRttPs = ack.rttPs;
            m_lastAckPs = ack.nowPs;
        }
        else
        {
            Store(*ack.telemetry);
        }
        m_hasSample = true;
        m_lastUpdatePsn = ack.sndNxtPsn;
        return;
    }
    if (!(p.theta ? MeasureRtt(ack) : MeasureHops(*ack.telemetry)))
    {
        return;
    }
    const bool newRound = ack.ackPsn > m_lastUpdatePsn;
    if (newRound || !p.perRtt)
    {
        const double bdp = static_cast<double>(m_path.lineRateBps) * m_tauPs / 8e12;
        const double old = p.fromReference ? m_reference : m_cwnd;
        // without current there is no power: as far up as MaxWindow allows, or as a double can tell
        const double power = std::max(m_power, 1e-9);
        m_cwnd = p.gamma * (m_reference * p.eta / power + m_beta) + (1 - p.gamma) * old;
        m_cwnd = std::max(m_cwnd, p.minRateBps * m_tauPs / 8e12);
        if (p.maxWindow > 0)
        {
            m_cwnd = std::min(m_cwnd, p.maxWindow * bdp);
        }
        Publish();
    }
    if (newRound)
    {
        m_reference = m_cwnd;
        m_lastUpdatePsn = ack.sndNxtPsn;
    }
}

void
PowerTcp::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"power", m_power},
                      {"exact_window_bytes", m_cwnd},
                      {"reference_window_bytes", m_reference}});
}

void
PowerTcp::OnTimeout(int64_t)
{
    Rewind(m_ackedPsn);
}

void
PowerTcp::Rewind(uint64_t psn)
{
    m_lastUpdatePsn = std::min(m_lastUpdatePsn, psn);
}

PowerTcp::HopSample
PowerTcp::Sample(const IntHop& hop) const
{
    // what has left and what is still there has arrived
    return {hop.timePs, m_params->arrivals ? hop.rxBytes : hop.txBytes + hop.queueBytes, hop.hopId};
}

void
PowerTcp::Store(const IntStack& stack)
{
    // resize() keeps the memory: only a longer path allocates
    m_last.resize(stack.hops);
    auto last = m_last.begin();
    for (const IntHop& hop : stack)
    {
        *last++ = Sample(hop);
    }
}

bool
PowerTcp::MeasureHops(const IntStack& stack)
{
    if (!stack.HasHopsOf(m_last))
    {
        Store(stack);
        return false;
    }
    double maxPower = -1;
    double maxDtPs = 0;
    auto next = m_last.begin();
    for (const IntHop& hop : stack)
    {
        HopSample& last = *next++;
        const auto dtPs = static_cast<double>(hop.timePs - last.timePs);
        if (dtPs <= 0 || !hop.rateBps)
        {
            continue;
        }
        const HopSample now = Sample(hop);
        // a long frame after a short one can make the difference negative: both counts leave out
        // or include the frame that carries them
        const auto arrived =
            static_cast<double>(static_cast<int64_t>(now.arrivedBytes - last.arrivedBytes));
        const auto rate = static_cast<double>(hop.rateBps);
        const double current = std::max(8e12 * arrived / dtPs / rate, m_params->minCurrent);
        const double voltage = 8e12 * static_cast<double>(hop.queueBytes) / (rate * m_tauPs) + 1;
        last = now;
        if (current * voltage > maxPower)
        {
            maxPower = current * voltage;
            maxDtPs = dtPs;
        }
    }
    if (maxPower < 0)
    {
        return false; // nothing new
    }
    Average(maxPower, maxDtPs);
    return true;
}

bool
PowerTcp::MeasureRtt(const AckInfo& ack)
{
    const auto dtPs = static_cast<double>(ack.nowPs - m_lastAckPs);
    if (dtPs <= 0)
    {
        return false;
    }
    const double gradient = static_cast<double>(ack.rttPs - m_lastRttPs) / dtPs;
    const double current = std::max(gradient + 1, m_params->minCurrent);
    m_lastRttPs = ack.rttPs;
    m_lastAckPs = ack.nowPs;
    Average(current * static_cast<double>(ack.rttPs) / (m_params->rttMargin * m_tauPs), dtPs);
    return true;
}

void
PowerTcp::Average(double power, double dtPs)
{
    const double weight = std::min(dtPs, m_tauPs) / m_tauPs;
    m_power = (1 - weight) * m_power + weight * power;
}

void
PowerTcp::Publish()
{
    const auto line = static_cast<double>(m_path.lineRateBps);
    const double rate = m_cwnd * 8e12 / m_tauPs;
    m_rateBps =
        rate < line ? std::max<uint64_t>(1, static_cast<uint64_t>(rate + 0.5)) : m_path.lineRateBps;
    const double window = m_params->fixedWindow ? line * m_tauPs / 8e12 : m_cwnd;
    m_windowBytes = std::max<uint64_t>(
        {window < 1e18 ? static_cast<uint64_t>(window) : static_cast<uint64_t>(1e18),
         m_path.fullFrameBytes,
         1});
}

} // namespace roce
} // namespace ns3
