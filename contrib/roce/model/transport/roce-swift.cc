/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-swift.h"

#include "roce-settings-attributes.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Swift);

namespace
{

/// Weight of the old value in the smoothed RTT.
constexpr double SMOOTHING = 0.75;

/// A profile's values; see the table at SwiftSettings.
struct Profile
{
    const char* name;
    double baseTargetPs;
    double hopScalePs;
    SwiftHopCount hopCount;
    double fsRangePs;
    double fsMin;
    double fsMax;
    double ai;
    double beta;
    double maxMdf;
    double cwndMin;
    double cwndMax;
    double initialCwnd;
    int64_t retxReset;
};

constexpr std::array<Profile, 4> PROFILES{{
    {"falcon", 25e6, 1e6, SwiftHopCount::SWITCHES, 100e6, 0.1, 256, 1, 0.8, 0.5, 0.01, 256, 32, 3},
    {"paper", 25e6, 1e6, SwiftHopCount::SWITCHES, 125e6, 0.1, 100, 1, 0.8, 0.5, 0.001, 50, 0, 5},
    {"htsim",
     20e6,
     20e6 / 6.55,
     SwiftHopCount::SWITCHES,
     100e6,
     0.1,
     100,
     1,
     0.8,
     0.5,
     10.0 / 4096,
     1000,
     12,
     5},
    {"reflex",
     0.2e6,
     1e6,
     SwiftHopCount::ROUND_TRIP,
     100e6,
     0.1,
     256,
     1,
     0.8,
     0.5,
     0.01,
     256,
     0,
     3},
}};

constexpr SettingsCheck CHECK{"ns3::roce::Swift"};

/// A time attribute in ps, or the profile's value if it is -1 ns.
double
Pick(const char* name, const Time& value, double profile)
{
    if (value == NanoSeconds(-1))
    {
        return profile;
    }
    CHECK.Require(!value.IsStrictlyNegative(),
                  name,
                  std::to_string(value.GetPicoSeconds()) + " ps",
                  "a time, or -1ns for the profile's");
    return static_cast<double>(value.GetPicoSeconds());
}

} // namespace

SwiftParams
SwiftSettings::Resolve() const
{
    const auto* found = std::find_if(PROFILES.begin(), PROFILES.end(), [this](const Profile& p) {
        return profile == p.name;
    });
    CHECK.Require(found != PROFILES.end(),
                  "Profile",
                  "'" + profile + "'",
                  "'falcon', 'paper', 'htsim' or 'reflex'");
    SwiftParams p{};
    p.baseTargetPs = Pick("BaseTarget", baseTarget, found->baseTargetPs);
    CHECK.Require(p.baseTargetPs > 0,
                  "BaseTarget",
                  "0",
                  "a positive time, or -1ns for the profile's");
    p.hopScalePs = topologyScaling ? Pick("HopScale", hopScale, found->hopScalePs) : 0;
    CHECK.Require(hopCount.empty() || hopCount == "switches" || hopCount == "links" ||
                      hopCount == "roundTrip",
                  "HopCount",
                  "'" + hopCount + "'",
                  "'switches', 'links', 'roundTrip', or nothing for the profile's");
    p.hopCount = hopCount.empty()         ? found->hopCount
                 : hopCount == "switches" ? SwiftHopCount::SWITCHES
                 : hopCount == "links"    ? SwiftHopCount::LINKS
                                          : SwiftHopCount::ROUND_TRIP;
    p.addBaseRtt = addBaseRtt;
    const double min = CHECK.Number(fsMin, found->fsMin);
    const double max = CHECK.Number(fsMax, found->fsMax);
    CHECK.Require(min > 0, "FsMin", std::to_string(min), "a positive number of packets");
    CHECK.Require(max > min, "FsMax", std::to_string(max), "more than FsMin");
    p.fsRangePs = flowScaling ? Pick("FsRange", fsRange, found->fsRangePs) : 0;
    p.fsAlphaPs = p.fsRangePs / (1 / std::sqrt(min) - 1 / std::sqrt(max));
    p.fsOffsetPs = -p.fsAlphaPs / std::sqrt(max);
    p.endpointTargetPs = static_cast<double>(endpointTarget.GetPicoSeconds());
    CHECK.Require(p.endpointTargetPs > 0,
                  "EndpointTarget",
                  std::to_string(endpointTarget.GetPicoSeconds()) + " ps",
                  "a positive time");
    p.ai = CHECK.Number(ai, found->ai);
    CHECK.Require(p.ai > 0, "Ai", std::to_string(p.ai), "a positive number of packets");
    p.beta = CHECK.Number(beta, found->beta);
    CHECK.Require(p.beta > 0 && p.beta <= 1, "Beta", std::to_string(p.beta), "0 < Beta <= 1");
    p.maxMdf = CHECK.Number(maxMdf, found->maxMdf);
    CHECK.Require(p.maxMdf > 0 && p.maxMdf < 1,
                  "MaxMdf",
                  std::to_string(p.maxMdf),
                  "0 < MaxMdf < 1");
    p.cwndMin = CHECK.Number(cwndMin, found->cwndMin);
    CHECK.Require(p.cwndMin > 0,
                  "CwndMin",
                  std::to_string(p.cwndMin),
                  "a positive number of packets");
    p.cwndMax = CHECK.Number(cwndMax, found->cwndMax);
    CHECK.Require(p.cwndMax >= p.cwndMin, "CwndMax", std::to_string(p.cwndMax), "at least CwndMin");
    p.initialCwnd = CHECK.Number(initialCwnd, found->initialCwnd);
    CHECK.Require(p.initialCwnd >= 0,
                  "InitialCwnd",
                  std::to_string(p.initialCwnd),
                  "a number of packets, 0 for the BDP, or -1 for the profile's");
    const int64_t reset = retxReset == -1 ? found->retxReset : retxReset;
    CHECK.Require(reset > 0 && reset <= UINT32_MAX,
                  "RetxReset",
                  std::to_string(reset),
                  "at least 1, or -1 for the profile's");
    p.retxReset = static_cast<uint32_t>(reset);
    p.split = split;
    p.smoothedGuard = smoothedRttGuard;
    CHECK.Require(decreaseMark == "decreased" || decreaseMark == "notIncreased",
                  "DecreaseMark",
                  "'" + decreaseMark + "'",
                  "'decreased' or 'notIncreased'");
    p.markNotIncreased = decreaseMark == "notIncreased";
    p.paceAlways = paceAlways;
    return p;
}

TypeId
Swift::GetTypeId()
{
    using S = SwiftSettings;
    static const TypeId tid =
        SettingsAttributes<S>(TypeId("ns3::roce::Swift")
                                  .SetParent<CongestionControl>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<Swift>())
            .Text<&S::profile>("Profile", "falcon", "falcon, paper, htsim or reflex")
            .Duration<&S::baseTarget>("BaseTarget",
                                      "Target delay of the fabric without scaling; -1ns: profile")
            .Duration<&S::hopScale>("HopScale", "More target per hop; -1ns: profile")
            .Text<&S::hopCount>(
                "HopCount",
                "What a hop is: switches, links or roundTrip (links both ways); empty: profile")
            .Flag<&S::topologyScaling>("TopologyScaling",
                                       true,
                                       "Hops raise the target of the fabric")
            .Flag<&S::addBaseRtt>(
                "AddBaseRtt",
                false,
                "The base RTT of the path comes on top of the target of the fabric")
            .Flag<&S::flowScaling>("FlowScaling",
                                   true,
                                   "Small windows raise the target of the fabric")
            .Duration<&S::fsRange>("FsRange", "Largest flow scaling; -1ns: profile")
            .Number<&S::fsMin>("FsMin",
                               "Packets of window up to which flow scaling is FsRange; -1: profile")
            .Number<&S::fsMax>("FsMax",
                               "Packets of window from which on flow scaling is 0; -1: profile")
            .Number<&S::ai>("Ai", "Additive increase, packets per RTT; -1: profile")
            .Number<&S::beta>("Beta", "Multiplicative decrease; -1: profile")
            .Number<&S::maxMdf>("MaxMdf",
                                "Largest share of a window that one decrease takes; -1: profile")
            .Number<&S::cwndMin>("CwndMin", "Smallest window, packets; -1: profile")
            .Number<&S::cwndMax>("CwndMax", "Largest window, packets; -1: profile")
            .Number<&S::initialCwnd>(
                "InitialCwnd",
                "First window, packets; 0: line rate times base RTT; -1: profile")
            .Count<&S::retxReset>(
                "RetxReset",
                "Consecutive timeouts that set the window to CwndMin; -1: profile")
            .Flag<&S::split>(
                "Split",
                true,
                "Endpoint delay has a window and a target of its own; false: whole RTT, one target")
            .Duration<&S::endpointTarget>("EndpointTarget",
                                          MicroSeconds(100),
                                          "Target of the endpoint delay")
            .Flag<&S::smoothedRttGuard>(
                "SmoothedRttGuard",
                false,
                "Decrease once per smoothed RTT, not per RTT of the ACK at hand")
            .Text<&S::decreaseMark>("DecreaseMark",
                                    "decreased",
                                    "When the time of the last decrease is set: decreased, or "
                                    "notIncreased (the paper's pseudocode to the letter)")
            .Flag<&S::paceAlways>("PaceAlways",
                                  false,
                                  "Pace at cwnd / rtt also from a window of one packet on");
    return tid;
}

Ptr<CongestionControl>
Swift::Fork() const
{
    GetParams();
    return CopyObject<Swift>(this);
}

void
Swift::DoStart(int64_t)
{
    const SwiftParams& p = GetParams();
    if (m_path.baseRttPs <= 0 || !m_path.lineRateBps || !m_path.fullFrameBytes)
    {
        throw InputError("ns3::roce::Swift: base RTT is " + std::to_string(m_path.baseRttPs) +
                         " ps, line rate " + std::to_string(m_path.lineRateBps) +
                         " bit/s and full frame " + std::to_string(m_path.fullFrameBytes) +
                         " bytes, expected positive values");
    }
    const uint32_t hops = p.hopCount == SwiftHopCount::SWITCHES ? std::max(m_path.hops, 1U) - 1
                          : p.hopCount == SwiftHopCount::LINKS  ? m_path.hops
                                                                : 2 * m_path.hops;
    m_fixedTargetPs = p.baseTargetPs + hops * p.hopScalePs +
                      (p.addBaseRtt ? static_cast<double>(m_path.baseRttPs) : 0);
    const double initial =
        p.initialCwnd > 0 ? p.initialCwnd : m_path.BdpBytes() / m_path.fullFrameBytes;
    m_fabric = Window();
    m_fabric.cwnd = std::min(std::max(initial, p.cwndMin), p.cwndMax);
    m_endpoint = m_fabric;
    m_timeouts = 0;
    m_hasSample = false;
    m_smoothedRttPs = static_cast<double>(m_path.baseRttPs);
    Publish(m_smoothedRttPs);
}

std::string
Swift::GetWarning() const
{
    const double greatestPs = m_fixedTargetPs + m_params->fsRangePs;
    if (greatestPs >= static_cast<double>(m_path.baseRttPs))
    {
        return "";
    }
    return "the greatest target delay is " + std::to_string(std::llround(greatestPs / 1000)) +
           " ns, but the empty path takes " + std::to_string(m_path.baseRttPs / 1000) +
           " ns: its window falls to CwndMin; AddBaseRtt=true counts from the base RTT";
}

double
Swift::GetTargetPs(double cwnd) const
{
    const SwiftParams& p = *m_params;
    if (p.fsRangePs <= 0)
    {
        return m_fixedTargetPs;
    }
    const double scaling = p.fsAlphaPs / std::sqrt(cwnd) + p.fsOffsetPs;
    return m_fixedTargetPs + std::min(std::max(scaling, 0.0), p.fsRangePs);
}

double
Swift::GetCwnd() const
{
    return m_params->split ? std::min(m_fabric.cwnd, m_endpoint.cwnd) : m_fabric.cwnd;
}

void
Swift::OnAck(const AckInfo& ack)
{
    const SwiftParams& p = *m_params;
    m_timeouts = 0;
    const auto rtt = static_cast<double>(ack.rttPs);
    if (rtt > 0)
    {
        m_smoothedRttPs = m_hasSample ? SMOOTHING * m_smoothedRttPs + (1 - SMOOTHING) * rtt : rtt;
        m_hasSample = true;
    }
    const double guard = rtt > 0 && !p.smoothedGuard ? rtt : m_smoothedRttPs;
    if (ack.isLoss)
    {
        Cut(m_fabric, ack.nowPs, guard);
        Cut(m_endpoint, ack.nowPs, guard);
    }
    else if (rtt <= 0)
    {
        return;
    }
    else if (p.split)
    {
        const auto hold = static_cast<double>(ack.remoteHoldPs);
        React(m_fabric, rtt - hold, GetTargetPs(m_fabric.cwnd), ack, guard);
        React(m_endpoint, hold, p.endpointTargetPs, ack, guard);
    }
    else
    {
        React(m_fabric, rtt, GetTargetPs(m_fabric.cwnd), ack, guard);
    }
    Publish(rtt > 0 ? rtt : m_smoothedRttPs);
}

void
Swift::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"cwnd_packets", GetCwnd()},
                      {"endpoint_cwnd_packets", m_endpoint.cwnd},
                      {"target_delay_ns", GetTargetPs(m_fabric.cwnd) / 1000},
                      {"smoothed_rtt_ns", m_smoothedRttPs / 1000}});
}

void
Swift::OnTimeout(int64_t nowPs)
{
    ++m_timeouts;
    for (Window* w : {&m_fabric, &m_endpoint})
    {
        if (m_timeouts >= m_params->retxReset)
        {
            Settle(*w, m_params->cwndMin, nowPs);
        }
        else
        {
            Cut(*w, nowPs, m_smoothedRttPs);
        }
    }
    Publish(m_smoothedRttPs);
}

void
Swift::React(Window& w, double delayPs, double targetPs, const AckInfo& ack, double guardPs) const
{
    const SwiftParams& p = *m_params;
    double cwnd = w.cwnd;
    if (delayPs < targetPs)
    {
        cwnd += p.ai * ack.ackedPackets / std::max(cwnd, 1.0);
    }
    else if (static_cast<double>(ack.nowPs - w.lastDecreasePs) >= guardPs)
    {
        cwnd *= std::max(1 - p.beta * (delayPs - targetPs) / delayPs, 1 - p.maxMdf);
    }
    Settle(w, cwnd, ack.nowPs);
}

void
Swift::Cut(Window& w, int64_t nowPs, double guardPs) const
{
    const bool due = static_cast<double>(nowPs - w.lastDecreasePs) >= guardPs;
    Settle(w, due ? w.cwnd * (1 - m_params->maxMdf) : w.cwnd, nowPs);
}

void
Swift::Settle(Window& w, double cwnd, int64_t nowPs) const
{
    cwnd = std::min(std::max(cwnd, m_params->cwndMin), m_params->cwndMax);
    if (cwnd < w.cwnd || (m_params->markNotIncreased && cwnd == w.cwnd))
    {
        w.lastDecreasePs = nowPs;
    }
    w.cwnd = cwnd;
}

void
Swift::Publish(double rttPs)
{
    const double cwnd = GetCwnd();
    const auto packets = static_cast<uint64_t>(std::min(cwnd, 1e12)); // bytes stay below 2^64
    m_windowBytes = std::max<uint64_t>(packets, 1) * m_path.fullFrameBytes;
    m_rateBps = m_path.lineRateBps;
    if (!packets || m_params->paceAlways)
    {
        const double rate = 8e12 * m_path.fullFrameBytes * cwnd / rttPs;
        if (rate < static_cast<double>(m_rateBps))
        {
            m_rateBps = std::max<uint64_t>(1, static_cast<uint64_t>(rate + 0.5));
        }
    }
}

} // namespace roce
} // namespace ns3
