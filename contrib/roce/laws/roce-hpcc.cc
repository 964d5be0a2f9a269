// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc.h"

#include "ns3/roce-input-error.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Hpcc);

// Profile hpcc-sim: see the class.
const ParameterTable<HpccParams>&
HpccParams::Table()
{
    using P = HpccParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Hpcc", {"paper", "hpcc-sim"})
            .Number("Eta", &P::eta, {0.95}, Range::AboveUpTo(0, 1))
            .Help("Target utilisation")
            .Count("MaxStage", &P::maxStage, {5, 0}, Range::Within(0, INT32_MAX))
            .Help("Additive increases between two multiplicative steps")
            .Number("Wai", &P::waiBytes, {0}, Range::AtLeast(0))
            .Help("Additive increase in bytes; 0: from Rai or ExpectedFlows")
            .Rate("Rai", &P::raiBps, {0, 10000000}, Range::AtLeast(0))
            .Help("Additive increase as a rate; 0: from Wai or ExpectedFlows; hpcc-sim's own is "
                  "times line rate / 25 Gb/s")
            .Count("ExpectedFlows", &P::expectedFlows, {100}, Range::AtLeast(1))
            .Help("Flows at one bottleneck that the derived Wai allows for")
            .Rate("MinRate", &P::minRateBps, {0, 1000000000}, Range::AtLeast(0))
            .Help("Floor of the rate")
            .Flag("FastReact", &P::fastReact, {true})
            .Help("React to each ACK; otherwise once per round trip")
            .Choice("ReferenceWindow",
                    &P::perAckReference,
                    {false},
                    {{"perRtt", false}, {"perAck", true}})
            .Help("When Wc is replaced")
            .Live()
            // what W means as a rate
            .Duration("BaseRtt", &P::baseRttPs, {0}, Range::AtLeast(0))
            .Help("T; 0: base RTT of the path")
            .Number("Winit", &P::winitBytes, {0}, Range::AtLeast(0))
            .Help("Window at the line rate, bytes; 0: line rate times T")
            .Flag("FixedWindow", &P::fixedWindow, {false})
            .Help("true: the window stays Winit, only the rate changes")
            // one loop, or one for each hop
            .Flag("MultiRate", &P::multiRate, {false})
            .Help("One control loop per hop; the smallest window counts")
            .Finish([](P& p, const Parameters<P>& given) {
                const bool givenWai = given.IsGiven("Wai") && p.waiBytes > 0;
                const bool givenRai = given.IsGiven("Rai") && p.raiBps > 0;
                Table().Require(!givenWai || !givenRai,
                                "Wai",
                                kind::Number::Print(p.waiBytes) + " and Rai is " +
                                    kind::Rate::Print(static_cast<uint64_t>(p.raiBps)),
                                "at most one of them");
                p.raiPer25G = !given.IsGiven("Rai");
                p.raiBps = givenWai ? 0 : p.raiBps;
            });
    return table;
}

void
Hpcc::DoStart(int64_t)
{
    m_p = m_parameters.Get();
    const int64_t tPs = m_p->baseRttPs ? m_p->baseRttPs : m_path.baseRttPs;
    if (tPs <= 0 || !m_path.lineRateBps)
    {
        throw InputError("ns3::roce::Hpcc: base RTT is " + std::to_string(tPs) +
                         " ps and line rate " + std::to_string(m_path.lineRateBps) +
                         " bit/s, expected positive values");
    }
    const auto line = static_cast<double>(m_path.lineRateBps);
    m_tPs = static_cast<double>(tPs);
    m_maxWindow = m_p->winitBytes > 0 ? m_p->winitBytes : line * m_tPs / 8e12;
    m_windowPs = m_p->winitBytes > 0 ? m_p->winitBytes * 8e12 / line : m_tPs;
    TakeOver();
    m_exactWindow = m_maxWindow;
    m_loop = Loop{1, m_maxWindow, 0};
    m_loops.clear();
    m_last.clear();
    m_lastUpdatePsn = 0;
    m_ackedPsn = 0;
    Publish();
}

void
Hpcc::TakeOver()
{
    m_minWindow = std::min(m_p->minRateBps * m_windowPs / 8e12, m_maxWindow);
    if (m_p->waiBytes > 0)
    {
        m_wai = m_p->waiBytes;
    }
    else if (m_p->raiBps > 0)
    {
        const auto line = static_cast<double>(m_path.lineRateBps);
        const double rai = m_p->raiPer25G ? m_p->raiBps * line / 25e9 : m_p->raiBps;
        m_wai = rai * m_windowPs / 8e12;
    }
    else
    {
        m_wai = m_maxWindow * (1 - m_p->eta) / m_p->expectedFlows;
    }
}

void
Hpcc::OnRetune(const HpccParams&, int64_t)
{
    TakeOver();
    m_exactWindow = std::max(m_exactWindow, m_minWindow);
    m_loop.reference = std::max(m_loop.reference, m_minWindow);
    for (Loop& loop : m_loops)
    {
        loop.reference = std::max(loop.reference, m_minWindow);
    }
    Publish();
}

void
Hpcc::OnAck(const AckInfo& ack)
{
    m_ackedPsn = std::max(m_ackedPsn, ack.ackPsn);
    if (ack.isNak)
    {
        Rewind(ack.ackPsn);
    }
    const IntStack* stack = ack.telemetry;
    if (!stack || !stack->hops)
    {
        return;
    }
    if (m_last.empty())
    {
        Store(*stack);
        m_lastUpdatePsn = ack.sndNxtPsn;
        return;
    }
    const bool newRound = ack.ackPsn > m_lastUpdatePsn;
    const bool commit = newRound || m_p->perAckReference;
    if (!commit && !m_p->fastReact)
    {
        return;
    }
    if (!stack->HasHopsOf(m_last))
    {
        Store(*stack);
        return;
    }
    if (React(*stack, commit) && newRound)
    {
        m_lastUpdatePsn = ack.sndNxtPsn;
    }
}

void
Hpcc::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    // With MultiRate, of the hop that allows least.
    const Loop* loop = &m_loop;
    if (m_p->multiRate && !m_loops.empty())
    {
        loop = &*std::min_element(m_loops.begin(), m_loops.end(), [](const Loop& a, const Loop& b) {
            return a.reference < b.reference;
        });
    }
    variables.insert(variables.end(),
                     {{"utilisation", loop->utilisation},
                      {"exact_window_bytes", m_exactWindow},
                      {"reference_window_bytes", loop->reference},
                      {"stage", static_cast<double>(loop->stage)}});
}

void
Hpcc::OnTimeout(int64_t)
{
    Rewind(m_ackedPsn);
}

void
Hpcc::Rewind(uint64_t psn)
{
    m_lastUpdatePsn = std::min(m_lastUpdatePsn, psn);
}

Hpcc::HopSample
Hpcc::Sample(const IntHop& hop)
{
    return {hop.timePs, hop.txBytes, hop.queueBytes, hop.hopId};
}

void
Hpcc::Store(const IntStack& stack)
{
    // resize() keeps the memory: only a longer path allocates
    m_last.resize(stack.hops);
    std::transform(stack.begin(), stack.end(), m_last.begin(), Sample);
    if (m_p->multiRate)
    {
        m_loops.assign(stack.hops, Loop{1, m_exactWindow, 0});
    }
}

void
Hpcc::Average(Loop& loop, double u, double dtPs) const
{
    const double weight = std::min(dtPs, m_tPs) / m_tPs;
    loop.utilisation = (1 - weight) * loop.utilisation + weight * u;
}

bool
Hpcc::React(const IntStack& stack, bool commit)
{
    double maxU = -1;
    double maxDtPs = 0;
    double window = m_maxWindow;
    uint32_t i = 0;
    for (const IntHop& hop : stack)
    {
        HopSample& last = m_last[i];
        Loop* loop = m_p->multiRate ? &m_loops[i] : nullptr;
        ++i;
        const auto dtPs = static_cast<double>(hop.timePs - last.timePs);
        if (dtPs <= 0 || !hop.rateBps)
        {
            if (loop)
            {
                window = std::min(window, loop->reference);
            }
            continue;
        }
        const auto queue = static_cast<double>(std::min(hop.queueBytes, last.queueBytes));
        const auto sent = static_cast<double>(hop.txBytes - last.txBytes);
        const double u =
            8e12 * (queue / m_windowPs + sent / dtPs) / static_cast<double>(hop.rateBps);
        last = Sample(hop);
        if (loop)
        {
            Average(*loop, u, dtPs);
            window = std::min(window, Window(*loop, commit));
        }
        if (u > maxU)
        {
            maxU = u;
            maxDtPs = dtPs;
        }
    }
    if (maxU < 0)
    {
        return false; // nothing new
    }
    if (!m_p->multiRate)
    {
        Average(m_loop, maxU, maxDtPs);
        window = Window(m_loop, commit);
    }
    m_exactWindow = window;
    Publish();
    return true;
}

double
Hpcc::Window(Loop& loop, bool commit) const
{
    const double load = loop.utilisation / m_p->eta;
    const bool multiplicative = load >= 1 || loop.stage >= m_p->maxStage;
    double window = loop.reference;
    if (multiplicative)
    {
        window = load > 0 ? window / load : m_maxWindow;
    }
    window = std::min(std::max(window + m_wai, m_minWindow), m_maxWindow);
    if (commit)
    {
        loop.reference = window;
        loop.stage = multiplicative ? 0 : loop.stage + 1;
    }
    return window;
}

void
Hpcc::Publish()
{
    m_rateBps =
        std::max<uint64_t>(1, static_cast<uint64_t>(m_exactWindow * 8e12 / m_windowPs + 0.5));
    const double window = m_p->fixedWindow ? m_maxWindow : m_exactWindow;
    m_windowBytes = std::max<uint64_t>({static_cast<uint64_t>(window), m_path.fullFrameBytes, 1});
}

} // namespace ns3::roce
