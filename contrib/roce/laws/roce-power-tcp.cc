// SPDX-License-Identifier: GPL-2.0-only
#include "roce-power-tcp.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <limits>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(PowerTcp);

namespace
{

/// What depends on several attributes.
void
FinishPowerTcp(PowerTcpParams& p, const Parameters<PowerTcpParams>& given)
{
    p.betaRateBps = given.IsGiven("BetaBytes") && p.betaBytes > 0 ? 0 : p.betaRateBps;
    if (p.theta)
    {
        p.gamma = given.IsGiven("Gamma") ? p.gamma : p.thetaGamma;
        p.eta = given.IsGiven("Eta") ? p.eta : 1; // [1] [2]
    }
    p.perRtt = p.theta && p.perRtt;
}

} // namespace

/*
 * Sources of the values:
 * [1] the NSDI 2022 paper as remembered, not checked against its text; ExpectedFlows (the paper's
 *     N) has no value there, 8 is ours.
 * [2] rdma-hw.cc of the authors' simulator, inet-tub/ns3-datacenter. The step of 150 Mb/s is
 *     constant there whatever the line rate.
 */
const ParameterTable<PowerTcpParams>&
PowerTcpParams::Table()
{
    using P = PowerTcpParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::PowerTcp", {"paper", "inet-tub"})
            // Least current, share of the port's rate [1] [2]
            .Fixed("MinCurrent", &P::minCurrent, {0, 0.5})
            .Number("Gamma", &P::gamma, {0.9}, Range::AboveUpTo(0, 1)) // [1] [2]
            .Help("Weight of the new window; inet-tub's own with Theta is 0.7")
            .Number("Eta", &P::eta, {1, 0.95}, Range::AboveUpTo(0, 1)) // [1] [2]
            .Help("Power aimed at, of the base power; inet-tub's own with Theta is 1")
            // With Theta: power is (dRTT/dt + 1) RTT / (this * base RTT) [1] [2]
            .Fixed("RttMargin", &P::rttMargin, {1, 1.05})
            .Number("BetaBytes", &P::betaBytes, {0}, Range::AtLeast(0))
            .Help("Additive increase in bytes; 0: from BetaRate or ExpectedFlows") // [1]
            // Additive increase as a rate; 0: from BetaBytes or ExpectedFlows [2]
            .Fixed<kind::Rate>("BetaRate", &P::betaRateBps, {0, 150000000})
            .Count("ExpectedFlows", &P::expectedFlows, {8}, Range::AtLeast(1))
            .Help("Flows at one bottleneck that the derived increase allows for") // [1]
            // Largest window, BDPs; 0: no limit
            .Fixed("MaxWindow", &P::maxWindow, {1})
            // With Theta: Gamma, and when the window changes [1] [2]
            .Fixed("ThetaGamma", &P::thetaGamma, {0.9, 0.7})
            .Fixed("UpdatePer", &P::perRtt, {true, false}, {{"ack", false}, {"rtt", true}})
            .Rate("MinRate", &P::minRateBps, {0}, Range::AtLeast(0))
            .Help("Floor of the rate")
            // What 1 - Gamma weighs: current or reference window [1] [2]
            .Fixed("Memory",
                   &P::fromReference,
                   {false, true},
                   {{"current", false}, {"reference", true}})
            // true: the window stays a BDP, only the rate changes [1] [2]
            .Fixed("FixedWindow", &P::fixedWindow, {false, true})
            .Live()
            // telemetry and time stamps are asked for at the start
            .Flag("Theta", &P::theta, {false})
            .Help("theta-PowerTCP: power from RTTs, without telemetry")
            // records in store are of the count before
            // Measure of current: queue (change of queue and bytes sent) or arrivals [1] [2]
            .Fixed("Current", &P::arrivals, {false, true}, {{"queue", false}, {"arrivals", true}})
            // what cwnd means as a rate
            .Duration("BaseRtt", &P::baseRttPs, {0}, Range::AtLeast(0))
            .Help("tau; 0: base RTT of the path")
            .Finish(FinishPowerTcp);
    return table;
}

void
PowerTcp::DoStart(int64_t)
{
    m_p = m_parameters.Get();
    const PowerTcpParams& p = *m_p;
    m_tauPs = static_cast<double>(p.baseRttPs ? p.baseRttPs : m_path.baseRttPs);
    if (m_tauPs <= 0 || !m_path.lineRateBps)
    {
        throw InputError("ns3::roce::PowerTcp: base RTT is " + std::to_string(m_path.baseRttPs) +
                         " ps and line rate " + std::to_string(m_path.lineRateBps) +
                         " bit/s, expected positive values");
    }
    TakeOver();
    m_cwnd = m_reference = Bounded(GetBdpBytes());
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
PowerTcp::TakeOver()
{
    const PowerTcpParams& p = *m_p;
    m_beta = p.betaBytes > 0     ? p.betaBytes
             : p.betaRateBps > 0 ? p.betaRateBps * m_tauPs / 8e12
                                 : GetBdpBytes() / p.expectedFlows;
    m_ceiling =
        p.maxWindow > 0 ? p.maxWindow * GetBdpBytes() : std::numeric_limits<double>::infinity();
}

void
PowerTcp::OnRetune(const PowerTcpParams&, int64_t)
{
    TakeOver();
    m_cwnd = Bounded(m_cwnd);
    m_reference = Bounded(m_reference);
    Publish();
}

double
PowerTcp::GetBdpBytes() const
{
    return static_cast<double>(m_path.lineRateBps) * m_tauPs / 8e12;
}

void
PowerTcp::OnAck(const AckInfo& ack)
{
    const PowerTcpParams& p = *m_p;
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
        const double old = p.fromReference ? m_reference : m_cwnd;
        // without current there is no power: up to MaxWindow, or the precision of a double
        const double power = std::max(m_power, 1e-9);
        m_cwnd = Bounded(p.gamma * (m_reference * p.eta / power + m_beta) + (1 - p.gamma) * old);
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
    // departures plus the queue are the arrivals
    return {hop.timePs, m_p->arrivals ? hop.rxBytes : hop.txBytes + hop.queueBytes, hop.hopId};
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
        const double current = std::max(8e12 * arrived / dtPs / rate, m_p->minCurrent);
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
    const double current = std::max(gradient + 1, m_p->minCurrent);
    m_lastRttPs = ack.rttPs;
    m_lastAckPs = ack.nowPs;
    Average(current * static_cast<double>(ack.rttPs) / (m_p->rttMargin * m_tauPs), dtPs);
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
    const double window = m_p->fixedWindow ? line * m_tauPs / 8e12 : m_cwnd;
    m_windowBytes = std::max<uint64_t>(
        {window < 1e18 ? static_cast<uint64_t>(window) : static_cast<uint64_t>(1e18),
         m_path.fullFrameBytes,
         1});
}

} // namespace ns3::roce
