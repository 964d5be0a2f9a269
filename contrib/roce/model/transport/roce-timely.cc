/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-timely.h"

#include "roce-settings-attributes.h"

#include "ns3/roce-input-error.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Timely);

namespace
{

constexpr SettingsCheck CHECK{"ns3::roce::Timely"};

TimelyParams
ProfileParams(const std::string& name)
{
    const int64_t us = 1000000;
    TimelyParams p{};
    p.mode = TimelyMode::PER_RTT;
    p.alpha = 0.875;
    p.beta = 0.8;
    p.deltaShare = 1e-3;
    p.tLowPs = 50 * us;
    p.tHighPs = 500 * us;
    p.haiThreshold = 5;
    p.haiFactor = 5;
    if (name == "paper")
    {
        p.minRttFloorPs = 20 * us;
        p.subtractSerialisation = true;
        return p;
    }
    if (name == "hpcc-sim")
    {
        p.minRttPs = 20 * us;
        p.haiThreshold = 6;
        p.haiBelowTLow = true;
        p.minRateBps = 1e9;
        return p;
    }
    if (name == "erpc")
    {
        p.mode = TimelyMode::PER_ACK;
        p.alpha = 0.46;
        p.beta = 0.26;
        p.deltaBps = 40e6;
        p.tHighPs = 1000 * us;
        p.minRttPs = 2 * us;
        p.haiByDifference = true;
        p.minRateBps = 120e6;
        return p;
    }
    CHECK.Require(name == "patched",
                  "Profile",
                  "'" + name + "'",
                  "'paper', 'hpcc-sim', 'erpc' or 'patched'");
    p.mode = TimelyMode::PER_SEGMENT;
    p.beta = 0.008;
    p.minRttPs = 20 * us;
    p.haiThreshold = 0;
    p.patched = true;
    p.subtractSerialisation = true;
    return p;
}

} // namespace

TimelyParams
TimelySettings::Resolve() const
{
    TimelyParams p = ProfileParams(profile);
    if (!mode.empty())
    {
        CHECK.Require(mode == "perRtt" || mode == "perAck" || mode == "perSegment",
                      "Mode",
                      "'" + mode + "'",
                      "'perRtt', 'perAck', 'perSegment' or '' (from the profile)");
        p.mode = mode == "perRtt"   ? TimelyMode::PER_RTT
                 : mode == "perAck" ? TimelyMode::PER_ACK
                                    : TimelyMode::PER_SEGMENT;
    }
    p.alpha = CHECK.Number(alpha, p.alpha);
    CHECK.Require(p.alpha > 0 && p.alpha <= 1, "Alpha", std::to_string(alpha), "0 < Alpha <= 1");
    p.beta = CHECK.Number(beta, p.beta);
    CHECK.Require(p.beta > 0 && p.beta <= 1, "Beta", std::to_string(beta), "0 < Beta <= 1");
    p.deltaBps = delta.GetBitRate() ? static_cast<double>(delta.GetBitRate()) : p.deltaBps;
    p.tLowPs = CHECK.Duration("TLow", tLow, p.tLowPs);
    p.tHighPs = CHECK.Duration("THigh", tHigh, p.tHighPs);
    CHECK.Require(p.tHighPs >= p.tLowPs && p.tHighPs > 0,
                  "THigh",
                  std::to_string(p.tHighPs) + " ps",
                  "a positive time not below TLow");
    p.thresholdsFromBaseRtt = thresholdsFromBaseRtt;
    if (minRtt != NanoSeconds(-1))
    {
        p.minRttPs = CHECK.Duration("MinRtt", minRtt, 0);
        p.minRttFloorPs = 0;
    }
    if (haiThreshold != -1)
    {
        CHECK.Require(haiThreshold >= 0 && haiThreshold <= UINT32_MAX,
                      "HaiThreshold",
                      std::to_string(haiThreshold),
                      "0 (off) .. 4294967295, or -1 (from the profile)");
        p.haiThreshold = static_cast<uint32_t>(haiThreshold);
    }
    p.haiFactor = CHECK.Number(haiFactor, p.haiFactor);
    CHECK.Require(p.haiFactor >= 1, "HaiFactor", std::to_string(haiFactor), "1 or more");
    p.haiBelowTLow = CHECK.Flag("HaiBelowTLow", haiBelowTLow, p.haiBelowTLow);
    CHECK.Require(haiSignal.empty() || haiSignal == "gradient" || haiSignal == "difference",
                  "HaiSignal",
                  "'" + haiSignal + "'",
                  "'gradient', 'difference' or '' (from the profile)");
    p.haiByDifference = haiSignal.empty() ? p.haiByDifference : haiSignal == "difference";
    p.patched = CHECK.Flag("Patched", patched, p.patched);
    CHECK.Require(!p.patched || p.tLowPs > 0, "TLow", "0", "a positive time with Patched");
    p.minRateBps = minRate.GetBitRate() ? static_cast<double>(minRate.GetBitRate()) : p.minRateBps;
    CHECK.Require(segmentBytes > 0 && segmentBytes <= 1000000000,
                  "SegmentBytes",
                  std::to_string(segmentBytes),
                  "1 .. 1000000000");
    p.segmentBytes = static_cast<uint32_t>(segmentBytes);
    p.burstPacing = burstPacing;
    p.subtractSerialisation =
        CHECK.Flag("SubtractSerialisation",
                   subtractSerialisation,
                   p.subtractSerialisation || p.mode == TimelyMode::PER_SEGMENT);
    CHECK.Require(window == "none" || window == "bdp",
                  "Window",
                  "'" + window + "'",
                  "'none' or 'bdp'");
    p.bdpWindow = window == "bdp";
    return p;
}

TypeId
Timely::GetTypeId()
{
    using S = TimelySettings;
    static const TypeId tid =
        SettingsAttributes<S>(TypeId("ns3::roce::Timely")
                                  .SetParent<CongestionControl>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<Timely>())
            .Text<&S::profile>("Profile", "paper", "paper, hpcc-sim, erpc or patched")
            .Text<&S::mode>("Mode",
                            "When the rate changes: perRtt, perAck or perSegment; empty: profile")
            .Number<&S::alpha>("Alpha", "Weight of the new RTT difference; -1: profile")
            .Number<&S::beta>("Beta", "Factor of decreases; -1: profile")
            .Rate<&S::delta>("Delta", "Additive step, not scaled; 0: profile")
            .Duration<&S::tLow>("TLow", "RTT below which the rate rises; -1ns: profile")
            .Duration<&S::tHigh>("THigh", "RTT above which the rate falls; -1ns: profile")
            .Flag<&S::thresholdsFromBaseRtt>("ThresholdsFromBaseRtt",
                                             false,
                                             "TLow and THigh count from the base RTT of the path")
            .Duration<&S::minRtt>("MinRtt",
                                  "Normalises the gradient; 0: base RTT of the path; -1ns: profile")
            .Count<&S::haiThreshold>(
                "HaiThreshold",
                "Updates in a row from which on the step is HaiFactor steps; 0: off; -1: profile")
            .Number<&S::haiFactor>("HaiFactor", "Hyper-active step in additive steps; -1: profile")
            .Text<&S::haiBelowTLow>("HaiBelowTLow",
                                    "true: increases below TLow count for and use the hyper-active "
                                    "step; empty: profile")
            .Text<&S::haiSignal>(
                "HaiSignal",
                "What counts for HaiThreshold: gradient (averaged) or difference (of two samples); "
                "empty: profile")
            .Text<&S::patched>(
                "Patched",
                "true: weighted rule of Zhu et al. (CoNEXT 2016) between the thresholds; "
                "empty: profile")
            .Rate<&S::minRate>("MinRate", "Floor of the rate; 0: profile")
            .Count<&S::segmentBytes>("SegmentBytes",
                                     16384,
                                     "Wire bytes between updates with Mode=perSegment")
            .Flag<&S::burstPacing>("BurstPacing",
                                   true,
                                   "With Mode=perSegment the NIC sends segments back to back")
            .Text<&S::subtractSerialisation>(
                "SubtractSerialisation",
                "true: RTT samples are less one full frame's time at line rate; "
                "empty: profile, mode")
            .Text<&S::window>("Window", "none", "none, or bdp: BDP * rate / line rate");
    return tid;
}

Ptr<CongestionControl>
Timely::Fork() const
{
    GetParams();
    return CopyObject<Timely>(this);
}

uint32_t
Timely::GetBurstBytes() const
{
    const TimelyParams& p = GetParams();
    return p.mode == TimelyMode::PER_SEGMENT && p.burstPacing ? p.segmentBytes : 0;
}

void
Timely::DoStart(int64_t nowPs)
{
    const TimelyParams& p = GetParams();
    if (m_path.baseRttPs <= 0 || !m_path.lineRateBps)
    {
        throw InputError("ns3::roce::Timely: base RTT is " + std::to_string(m_path.baseRttPs) +
                         " ps and line rate " + std::to_string(m_path.lineRateBps) +
                         " bit/s, expected positive values");
    }
    const auto line = static_cast<double>(m_path.lineRateBps);
    m_delta = p.deltaBps > 0 ? p.deltaBps : p.deltaShare * line;
    m_minRttPs =
        static_cast<double>(p.minRttPs ? p.minRttPs : std::max(m_path.baseRttPs, p.minRttFloorPs));
    m_rate = line;
    m_rttPs = m_rttDiffPs = 0;
    m_updatedPs = nowPs;
    m_roundEndPsn = m_ackedPsn = 0;
    m_segmentBytes = m_haiCount = 0;
    Publish();
}

std::string
Timely::GetWarning() const
{
    const TimelyParams& p = *m_params;
    if (p.thresholdsFromBaseRtt || m_path.baseRttPs <= p.tHighPs)
    {
        return "";
    }
    return "THigh is " + std::to_string(p.tHighPs / 1000) + " ns, but the empty path takes " +
           std::to_string(m_path.baseRttPs / 1000) +
           " ns: its rate falls to MinRate; ThresholdsFromBaseRtt=true counts from the base RTT";
}

bool
Timely::IsUpdateDue(const AckInfo& ack)
{
    switch (m_params->mode)
    {
    case TimelyMode::PER_RTT:
        if (ack.ackPsn <= m_roundEndPsn || ack.rttPs <= 0)
        {
            return false;
        }
        m_roundEndPsn = ack.sndNxtPsn;
        return true;
    case TimelyMode::PER_SEGMENT:
        if (ack.isNak)
        {
            return false; // refused data is no completion
        }
        m_segmentBytes = static_cast<uint32_t>(
            std::min<uint64_t>(m_segmentBytes + ack.ackedBytes, m_params->segmentBytes));
        if (m_segmentBytes < m_params->segmentBytes || ack.rttPs <= 0)
        {
            return false;
        }
        m_segmentBytes = 0;
        return true;
    case TimelyMode::PER_ACK:
        break;
    }
    return ack.rttPs > 0;
}

void
Timely::OnAck(const AckInfo& ack)
{
    m_ackedPsn = std::max(m_ackedPsn, ack.ackPsn);
    if (ack.isNak)
    {
        Rewind(ack.ackPsn);
    }
    if (!IsUpdateDue(ack))
    {
        return;
    }
    auto rttPs = static_cast<double>(ack.rttPs);
    if (m_params->subtractSerialisation)
    {
        rttPs -= m_path.fullFrameBytes * 8e12 / static_cast<double>(m_path.lineRateBps);
        rttPs = std::max(rttPs, 1.0); // a short frame on an empty path
    }
    double scale = 1;
    if (m_params->mode == TimelyMode::PER_ACK)
    {
        scale = std::min(1.0, static_cast<double>(ack.nowPs - m_updatedPs) / m_minRttPs);
    }
    m_updatedPs = ack.nowPs;
    if (m_rttPs > 0)
    {
        Update(rttPs, scale);
    }
    m_rttPs = rttPs;
}

void
Timely::Update(double rttPs, double scale)
{
    const TimelyParams& p = *m_params;
    const double differencePs = rttPs - m_rttPs;
    m_rttDiffPs = (1 - p.alpha) * m_rttDiffPs + p.alpha * differencePs;
    const double gradient = GetGradient();
    const auto offsetPs = static_cast<double>(p.thresholdsFromBaseRtt ? m_path.baseRttPs : 0);
    const double tLowPs = offsetPs + static_cast<double>(p.tLowPs);
    const double tHighPs = offsetPs + static_cast<double>(p.tHighPs);
    const double before = m_rate;

    const bool low = rttPs < tLowPs;
    const bool rises = low || (rttPs <= tHighPs && gradient <= 0);
    const bool counts = p.haiByDifference ? differencePs < 0 : rises && (!low || p.haiBelowTLow);
    m_haiCount = counts ? m_haiCount + (m_haiCount < UINT32_MAX) : 0;

    if (!low && rttPs <= tHighPs && p.patched)
    {
        UpdatePatched(rttPs, tLowPs, gradient, scale);
    }
    else if (rises)
    {
        const bool hyper =
            p.haiThreshold && m_haiCount >= p.haiThreshold && (!low || p.haiBelowTLow);
        m_rate += (hyper ? p.haiFactor : 1) * m_delta * scale;
    }
    else if (rttPs > tHighPs)
    {
        m_rate *= 1 - scale * p.beta * (1 - tHighPs / rttPs);
    }
    else
    {
        m_rate *= 1 - scale * p.beta * gradient;
    }
    if (p.mode == TimelyMode::PER_ACK)
    {
        m_rate = std::max(m_rate, before / 2);
    }
    Publish();
}

void
Timely::UpdatePatched(double rttPs, double tLowPs, double gradient, double scale)
{
    const double weight = std::min(std::max(2 * gradient + 0.5, 0.0), 1.0);
    const double error = (rttPs - tLowPs) / tLowPs;
    m_rate *= 1 - scale * m_params->beta * weight * error;
    m_rate += scale * (1 - weight) * m_delta;
}

void
Timely::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"rtt_gradient", GetGradient()},
                      {"rtt_ns", m_rttPs / 1000},
                      {"hai_count", static_cast<double>(m_haiCount)}});
}

void
Timely::OnTimeout(int64_t)
{
    Rewind(m_ackedPsn);
}

void
Timely::Rewind(uint64_t psn)
{
    m_roundEndPsn = std::min(m_roundEndPsn, psn);
    m_segmentBytes = 0;
}

void
Timely::Publish()
{
    const auto line = static_cast<double>(m_path.lineRateBps);
    const double floor = m_params->minRateBps > 0 ? m_params->minRateBps : m_delta;
    m_rate = std::min(std::max(m_rate, floor), line);
    m_rateBps = std::max<uint64_t>(1, static_cast<uint64_t>(m_rate));
    if (m_params->bdpWindow)
    {
        const auto window = static_cast<uint64_t>(m_path.BdpBytes() * (m_rate / line));
        m_windowBytes = std::max<uint64_t>({window, m_path.fullFrameBytes, 1});
    }
}

} // namespace roce
} // namespace ns3
