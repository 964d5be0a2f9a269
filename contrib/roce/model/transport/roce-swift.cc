/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-swift.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

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

void
Require(bool ok, const char* attribute, const std::string& value, const char* expected)
{
    if (!ok)
    {
        throw InputError(std::string("ns3::roce::Swift: ") + attribute + " is " + value +
                         ", expected " + expected);
    }
}

/// A time attribute in ps, or the profile's value if it is -1 ns.
double
Pick(const char* name, const Time& value, double profile)
{
    if (value == NanoSeconds(-1))
    {
        return profile;
    }
    Require(!value.IsStrictlyNegative(),
            name,
            std::to_string(value.GetPicoSeconds()) + " ps",
            "a time, or -1ns for the profile's");
    return static_cast<double>(value.GetPicoSeconds());
}

double
Pick(double value, double profile)
{
    return value == -1 ? profile : value;
}

template <auto M>
using Field = std::integral_constant<decltype(M), M>;

} // namespace

SwiftParams
SwiftSettings::Resolve() const
{
    const auto* found = std::find_if(PROFILES.begin(), PROFILES.end(), [this](const Profile& p) {
        return profile == p.name;
    });
    Require(found != PROFILES.end(),
            "Profile",
            "'" + profile + "'",
            "'falcon', 'paper', 'htsim' or 'reflex'");
    SwiftParams p{};
    p.baseTargetPs = Pick("BaseTarget", baseTarget, found->baseTargetPs);
    Require(p.baseTargetPs > 0, "BaseTarget", "0", "a positive time, or -1ns for the profile's");
    p.hopScalePs = topologyScaling ? Pick("HopScale", hopScale, found->hopScalePs) : 0;
    Require(hopCount.empty() || hopCount == "switches" || hopCount == "links" ||
                hopCount == "roundTrip",
            "HopCount",
            "'" + hopCount + "'",
            "'switches', 'links', 'roundTrip', or nothing for the profile's");
    p.hopCount = hopCount.empty()         ? found->hopCount
                 : hopCount == "switches" ? SwiftHopCount::SWITCHES
                 : hopCount == "links"    ? SwiftHopCount::LINKS
                                          : SwiftHopCount::ROUND_TRIP;
    p.addBaseRtt = addBaseRtt;
    const double min = Pick(fsMin, found->fsMin);
    const double max = Pick(fsMax, found->fsMax);
    Require(min > 0, "FsMin", std::to_string(min), "a positive number of packets");
    Require(max > min, "FsMax", std::to_string(max), "more than FsMin");
    p.fsRangePs = flowScaling ? Pick("FsRange", fsRange, found->fsRangePs) : 0;
    p.fsAlphaPs = p.fsRangePs / (1 / std::sqrt(min) - 1 / std::sqrt(max));
    p.fsOffsetPs = -p.fsAlphaPs / std::sqrt(max);
    p.endpointTargetPs = static_cast<double>(endpointTarget.GetPicoSeconds());
    Require(p.endpointTargetPs > 0,
            "EndpointTarget",
            std::to_string(endpointTarget.GetPicoSeconds()) + " ps",
            "a positive time");
    p.ai = Pick(ai, found->ai);
    Require(p.ai > 0, "Ai", std::to_string(p.ai), "a positive number of packets");
    p.beta = Pick(beta, found->beta);
    Require(p.beta > 0 && p.beta <= 1, "Beta", std::to_string(p.beta), "0 < Beta <= 1");
    p.maxMdf = Pick(maxMdf, found->maxMdf);
    Require(p.maxMdf > 0 && p.maxMdf < 1, "MaxMdf", std::to_string(p.maxMdf), "0 < MaxMdf < 1");
    p.cwndMin = Pick(cwndMin, found->cwndMin);
    Require(p.cwndMin > 0, "CwndMin", std::to_string(p.cwndMin), "a positive number of packets");
    p.cwndMax = Pick(cwndMax, found->cwndMax);
    Require(p.cwndMax >= p.cwndMin, "CwndMax", std::to_string(p.cwndMax), "at least CwndMin");
    p.initialCwnd = Pick(initialCwnd, found->initialCwnd);
    Require(p.initialCwnd >= 0,
            "InitialCwnd",
            std::to_string(p.initialCwnd),
            "a number of packets, 0 for the BDP, or -1 for the profile's");
    const int64_t reset = retxReset == -1 ? found->retxReset : retxReset;
    Require(reset > 0 && reset <= UINT32_MAX,
            "RetxReset",
            std::to_string(reset),
            "at least 1, or -1 for the profile's");
    p.retxReset = static_cast<uint32_t>(reset);
    p.split = split;
    p.smoothedGuard = smoothedRttGuard;
    Require(decreaseMark == "decreased" || decreaseMark == "notIncreased",
            "DecreaseMark",
            "'" + decreaseMark + "'",
            "'decreased' or 'notIncreased'");
    p.markNotIncreased = decreaseMark == "notIncreased";
    p.paceAlways = paceAlways;
    return p;
}

template <typename T, T SwiftSettings::*M>
void
Swift::Set(T value)
{
    if (m_settings.use_count() > 1)
    {
        m_settings = std::make_shared<SwiftSettings>(*m_settings);
    }
    (*m_settings).*M = value;
    m_stale = true;
}

template <typename T, T SwiftSettings::*M>
T
Swift::Get() const
{
    return (*m_settings).*M;
}

TypeId
Swift::GetTypeId()
{
    using S = SwiftSettings;
    // attributes live in a structure that forks share, so each needs a setter and a getter
    const auto text = [](TypeId& t, const char* name, auto f, const char* value, const char* help) {
        t.AddAttribute(name,
                       help,
                       StringValue(value),
                       MakeStringAccessor(&Swift::Set<std::string, decltype(f)::value>,
                                          &Swift::Get<std::string, decltype(f)::value>),
                       MakeStringChecker());
    };
    const auto flag = [](TypeId& t, const char* name, auto f, bool value, const char* help) {
        t.AddAttribute(name,
                       help,
                       BooleanValue(value),
                       MakeBooleanAccessor(&Swift::Set<bool, decltype(f)::value>,
                                           &Swift::Get<bool, decltype(f)::value>),
                       MakeBooleanChecker());
    };
    const auto number = [](TypeId& t, const char* name, auto f, const char* help) {
        t.AddAttribute(name,
                       help,
                       DoubleValue(-1),
                       MakeDoubleAccessor(&Swift::Set<double, decltype(f)::value>,
                                          &Swift::Get<double, decltype(f)::value>),
                       MakeDoubleChecker<double>());
    };
    const auto time = [](TypeId& t, const char* name, auto f, Time value, const char* help) {
        t.AddAttribute(name,
                       help,
                       TimeValue(value),
                       MakeTimeAccessor(&Swift::Set<Time, decltype(f)::value>,
                                        &Swift::Get<Time, decltype(f)::value>),
                       MakeTimeChecker());
    };
    static const TypeId tid = [&] {
        const Time profile = NanoSeconds(-1);
        TypeId t("ns3::roce::Swift");
        t.SetParent<CongestionControl>().SetGroupName("Roce").AddConstructor<Swift>();
        text(t, "Profile", Field<&S::profile>{}, "falcon", "falcon, paper, htsim or reflex");
        time(t,
             "BaseTarget",
             Field<&S::baseTarget>{},
             profile,
             "Target delay of the fabric without scaling; -1ns: profile");
        time(t, "HopScale", Field<&S::hopScale>{}, profile, "More target per hop; -1ns: profile");
        text(t,
             "HopCount",
             Field<&S::hopCount>{},
             "",
             "What a hop is: switches, links or roundTrip (links both ways); empty: profile");
        flag(t,
             "TopologyScaling",
             Field<&S::topologyScaling>{},
             true,
             "Hops raise the target of the fabric");
        flag(t,
             "AddBaseRtt",
             Field<&S::addBaseRtt>{},
             false,
             "The base RTT of the path comes on top of the target of the fabric");
        flag(t,
             "FlowScaling",
             Field<&S::flowScaling>{},
             true,
             "Small windows raise the target of the fabric");
        time(t, "FsRange", Field<&S::fsRange>{}, profile, "Largest flow scaling; -1ns: profile");
        number(t,
               "FsMin",
               Field<&S::fsMin>{},
               "Packets of window up to which flow scaling is FsRange; -1: profile");
        number(t,
               "FsMax",
               Field<&S::fsMax>{},
               "Packets of window from which on flow scaling is 0; -1: profile");
        number(t, "Ai", Field<&S::ai>{}, "Additive increase, packets per RTT; -1: profile");
        number(t, "Beta", Field<&S::beta>{}, "Multiplicative decrease; -1: profile");
        number(t,
               "MaxMdf",
               Field<&S::maxMdf>{},
               "Largest share of a window that one decrease takes; -1: profile");
        number(t, "CwndMin", Field<&S::cwndMin>{}, "Smallest window, packets; -1: profile");
        number(t, "CwndMax", Field<&S::cwndMax>{}, "Largest window, packets; -1: profile");
        number(t,
               "InitialCwnd",
               Field<&S::initialCwnd>{},
               "First window, packets; 0: line rate times base RTT; -1: profile");
        t.AddAttribute("RetxReset",
                       "Consecutive timeouts that set the window to CwndMin; -1: profile",
                       IntegerValue(-1),
                       MakeIntegerAccessor(&Swift::Set<int64_t, &S::retxReset>,
                                           &Swift::Get<int64_t, &S::retxReset>),
                       MakeIntegerChecker<int64_t>());
        flag(t,
             "Split",
             Field<&S::split>{},
             true,
             "Endpoint delay has a window and a target of its own; false: whole RTT, one target");
        time(t,
             "EndpointTarget",
             Field<&S::endpointTarget>{},
             MicroSeconds(100),
             "Target of the endpoint delay");
        flag(t,
             "SmoothedRttGuard",
             Field<&S::smoothedRttGuard>{},
             false,
             "Decrease once per smoothed RTT, not per RTT of the ACK at hand");
        text(t,
             "DecreaseMark",
             Field<&S::decreaseMark>{},
             "decreased",
             "When the time of the last decrease is set: decreased, or notIncreased (the paper's "
             "pseudocode to the letter)");
        flag(t,
             "PaceAlways",
             Field<&S::paceAlways>{},
             false,
             "Pace at cwnd / rtt also from a window of one packet on");
        return t;
    }();
    return tid;
}

Swift::Swift()
    : m_settings(std::make_shared<SwiftSettings>())
{
}

Swift::~Swift() = default;

const SwiftParams&
Swift::GetParams() const
{
    if (m_stale)
    {
        m_params = std::make_shared<const SwiftParams>(m_settings->Resolve());
        m_stale = false;
    }
    return *m_params;
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
