/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-hpcc.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Hpcc);

TypeId
Hpcc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::Hpcc")
            .SetParent<CongestionControl>()
            .SetGroupName("Roce")
            .AddConstructor<Hpcc>()
            .AddAttribute("Profile",
                          "paper or hpcc-sim",
                          StringValue("paper"),
                          MakeStringAccessor(&Hpcc::SetProfile, &Hpcc::GetProfile),
                          MakeStringChecker())
            .AddAttribute("Eta",
                          "Target utilisation",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&Hpcc::m_eta),
                          MakeDoubleChecker<double>())
            .AddAttribute("MaxStage",
                          "Additive increases between two multiplicative steps; -1: profile",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&Hpcc::m_maxStage),
                          MakeIntegerChecker<int32_t>(-1))
            .AddAttribute("Wai",
                          "Additive increase in bytes; 0: from the profile",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Hpcc::m_waiAttribute),
                          MakeDoubleChecker<double>())
            .AddAttribute("Rai",
                          "Additive increase as a rate; 0: from Wai or the profile",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Hpcc::m_rai),
                          MakeDataRateChecker())
            .AddAttribute("ExpectedFlows",
                          "Flows at one bottleneck that the derived Wai allows for",
                          UintegerValue(100),
                          MakeUintegerAccessor(&Hpcc::m_expectedFlows),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinRate",
                          "Floor of the rate; 0: from the profile",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Hpcc::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("BaseRtt",
                          "T; 0: base RTT of the path",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Hpcc::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FastReact",
                          "React to each ACK; otherwise once per round trip",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Hpcc::m_fastReact),
                          MakeBooleanChecker())
            .AddAttribute("ReferenceWindow",
                          "When Wc is replaced: perRtt or perAck",
                          StringValue("perRtt"),
                          MakeStringAccessor(&Hpcc::SetReferenceWindow, &Hpcc::GetReferenceWindow),
                          MakeStringChecker())
            .AddAttribute("MultiRate",
                          "One control loop per hop; the smallest window counts",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Hpcc::m_multiRate),
                          MakeBooleanChecker());
    return tid;
}

void
Hpcc::SetProfile(std::string name)
{
    if (name != "paper" && name != "hpcc-sim")
    {
        throw InputError("ns3::roce::Hpcc: Profile is '" + name +
                         "', expected 'paper' or 'hpcc-sim'");
    }
    m_hpccSim = name == "hpcc-sim";
}

std::string
Hpcc::GetProfile() const
{
    return m_hpccSim ? "hpcc-sim" : "paper";
}

void
Hpcc::SetReferenceWindow(std::string mode)
{
    if (mode != "perRtt" && mode != "perAck")
    {
        throw InputError("ns3::roce::Hpcc: ReferenceWindow is '" + mode +
                         "', expected 'perRtt' or 'perAck'");
    }
    m_perAckReference = mode == "perAck";
}

std::string
Hpcc::GetReferenceWindow() const
{
    return m_perAckReference ? "perAck" : "perRtt";
}

Ptr<CongestionControl>
Hpcc::Fork() const
{
    return CopyObject<Hpcc>(this);
}

void
Hpcc::DoStart(int64_t)
{
    if (!(m_eta > 0 && m_eta <= 1))
    {
        throw InputError("ns3::roce::Hpcc: Eta is " + std::to_string(m_eta) +
                         ", expected 0 < Eta <= 1");
    }
    if (m_waiAttribute < 0 || (m_waiAttribute > 0 && m_rai.GetBitRate()))
    {
        throw InputError("ns3::roce::Hpcc: Wai is " + std::to_string(m_waiAttribute) +
                         " and Rai is " + std::to_string(m_rai.GetBitRate()) +
                         " bit/s, expected at most one of them, and not below 0");
    }
    const int64_t tPs = m_baseRtt.IsZero() ? m_path.baseRttPs : m_baseRtt.GetPicoSeconds();
    if (tPs <= 0 || !m_path.lineRateBps)
    {
        throw InputError("ns3::roce::Hpcc: base RTT is " + std::to_string(tPs) +
                         " ps and line rate " + std::to_string(m_path.lineRateBps) +
                         " bit/s, expected positive values");
    }
    const auto line = static_cast<double>(m_path.lineRateBps);
    m_tPs = static_cast<double>(tPs);
    m_maxWindow = line * m_tPs / 8e12;
    m_stageLimit = m_maxStage >= 0 ? static_cast<uint32_t>(m_maxStage) : (m_hpccSim ? 0 : 5);
    const double minRate = m_minRate.GetBitRate() ? static_cast<double>(m_minRate.GetBitRate())
                                                  : (m_hpccSim ? 1e9 : 0);
    m_minWindow = std::min(minRate * m_tPs / 8e12, m_maxWindow);
    if (m_waiAttribute > 0)
    {
        m_wai = m_waiAttribute;
    }
    else if (m_rai.GetBitRate() || m_hpccSim)
    {
        const double rai =
            m_rai.GetBitRate() ? static_cast<double>(m_rai.GetBitRate()) : 10e6 * line / 25e9;
        m_wai = rai * m_tPs / 8e12;
    }
    else
    {
        m_wai = m_maxWindow * (1 - m_eta) / m_expectedFlows;
    }
    m_exactWindow = m_maxWindow;
    m_loop = Loop{1, m_maxWindow, 0};
    m_loops.clear();
    m_last.clear();
    m_lastUpdatePsn = 0;
    m_ackedPsn = 0;
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
    const bool commit = newRound || m_perAckReference;
    if (!commit && !m_fastReact)
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
    if (m_multiRate && !m_loops.empty())
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
    if (m_multiRate)
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
        Loop* loop = m_multiRate ? &m_loops[i] : nullptr;
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
        const double u = 8e12 * (queue / m_tPs + sent / dtPs) / static_cast<double>(hop.rateBps);
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
    if (!m_multiRate)
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
    const double load = loop.utilisation / m_eta;
    const bool multiplicative = load >= 1 || loop.stage >= m_stageLimit;
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
    m_rateBps = std::max<uint64_t>(1, static_cast<uint64_t>(m_exactWindow * 8e12 / m_tPs + 0.5));
    m_windowBytes =
        std::max<uint64_t>({static_cast<uint64_t>(m_exactWindow), m_path.fullFrameBytes, 1});
}

} // namespace roce
} // namespace ns3
