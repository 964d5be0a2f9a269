/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-dcqcn-params.h"

#include "roce-dcqcn.h"
#include "roce-settings-attributes.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

namespace
{

constexpr SettingsCheck CHECK{"ns3::roce::Dcqcn"};

DcqcnParams
ProfileParams(const std::string& name)
{
    const int64_t us = 1000000;
    DcqcnParams p{};
    p.firstCnpFraction = 1;
    if (name == "nvidia")
    {
        p.gain = 5.0 / 1024;
        p.alphaPeriodPs = 1 * us;
        p.alphaFreeRunning = true;
        p.cutPeriodPs = 4 * us;
        p.timeResetPs = 300 * us;
        p.byteResetBytes = 32767;
        p.threshold = 1;
        p.aiRateBps = 5e6;
        p.haiRateBps = 50e6;
        p.minDecFac = 0.5;
        p.minRateBps = 1e6;
        p.clamp = DcqcnClamp::AFTER_TIME_INC;
        p.alphaBeforeCut = true;
        p.initialAlpha = 1023.0 / 1024;
        p.minTimeBetweenCnpsPs = 4 * us;
        p.release = true;
        return p;
    }
    if (name == "paper")
    {
        p.gain = 1.0 / 256;
        p.alphaPeriodPs = 55 * us;
        p.timeResetPs = 55 * us;
        p.byteResetBytes = 10000000;
        p.threshold = 5;
        p.aiRateBps = 40e6;
        p.haiRateBps = 200e6;
        p.hyperMultiplier = true;
        p.minRateBps = 1e6;
        p.clamp = DcqcnClamp::ALWAYS;
        p.initialAlpha = 1;
        p.minTimeBetweenCnpsPs = 50 * us;
        return p;
    }
    CHECK.Require(name == "hpcc-sim",
                  "Profile",
                  "'" + name + "'",
                  "'nvidia', 'paper' or 'hpcc-sim'");
    p.gain = 1.0 / 256;
    p.alphaPeriodPs = 1 * us;
    p.alphaFreeRunning = true;
    p.cutPeriodPs = 4 * us;
    p.cutFreeRunning = true;
    p.timeResetPs = 300 * us;
    p.threshold = 1;
    p.aiRateBps = 5e6;
    p.haiRateBps = 50e6;
    p.aiPer25G = true;
    p.haiPer25G = true;
    p.timeOnlyStages = true;
    p.minRateBps = 1e9;
    p.clamp = DcqcnClamp::AFTER_TIME_INC;
    p.alphaBeforeCut = true;
    p.initialAlpha = 1;
    p.cnpInAck = true;
    return p;
}

} // namespace

DcqcnParams
DcqcnSettings::Resolve() const
{
    DcqcnParams p = ProfileParams(profile);
    p.gain = CHECK.Number(gain, p.gain);
    CHECK.Require(p.gain > 0 && p.gain <= 1, "Gain", std::to_string(gain), "0 < Gain <= 1");
    p.alphaPeriodPs = CHECK.Duration("AlphaPeriod", alphaPeriod, p.alphaPeriodPs);
    CHECK.Require(p.alphaPeriodPs > 0, "AlphaPeriod", "0", "a positive time");
    p.alphaFreeRunning = CHECK.Flag("AlphaTimerFreeRunning", alphaFreeRunning, p.alphaFreeRunning);
    p.cutPeriodPs = CHECK.Duration("CutPeriod", cutPeriod, p.cutPeriodPs);
    p.cutFreeRunning = CHECK.Flag("CutTimerFreeRunning", cutFreeRunning, p.cutFreeRunning);
    p.timeResetPs = CHECK.Duration("TimeReset", timeReset, p.timeResetPs);
    p.byteResetBytes = byteReset == -1 ? p.byteResetBytes : byteReset;
    CHECK.Require(p.byteResetBytes >= 0, "ByteReset", std::to_string(byteReset), "0 or more bytes");
    CHECK.Require(p.timeResetPs || p.byteResetBytes,
                  "TimeReset",
                  "0 and ByteReset too",
                  "at least one of the two: the rate could never rise");
    if (threshold != -1)
    {
        CHECK.Require(threshold >= 1 && threshold <= UINT32_MAX,
                      "Threshold",
                      std::to_string(threshold),
                      "1 .. 4294967295");
        p.threshold = static_cast<uint32_t>(threshold);
    }
    if (aiRate.GetBitRate())
    {
        p.aiRateBps = static_cast<double>(aiRate.GetBitRate());
        p.aiPer25G = false;
    }
    if (haiRate.GetBitRate())
    {
        p.haiRateBps = static_cast<double>(haiRate.GetBitRate());
        p.haiPer25G = false;
    }
    p.hyperMultiplier = CHECK.Flag("HyperMultiplier", hyperMultiplier, p.hyperMultiplier);
    CHECK.Require(stageRule.empty() || stageRule == "both" || stageRule == "time",
                  "StageRule",
                  "'" + stageRule + "'",
                  "'both', 'time' or '' (from the profile)");
    p.timeOnlyStages = stageRule.empty() ? p.timeOnlyStages : stageRule == "time";
    p.minDecFac = CHECK.Number(minDecFac, p.minDecFac);
    CHECK.Require(p.minDecFac >= 0 && p.minDecFac <= 1,
                  "MinDecFac",
                  std::to_string(minDecFac),
                  "0 <= MinDecFac <= 1");
    p.minRateBps = minRate.GetBitRate() ? static_cast<double>(minRate.GetBitRate()) : p.minRateBps;
    if (!clampTarget.empty())
    {
        CHECK.Require(clampTarget == "always" || clampTarget == "afterTimeInc" ||
                          clampTarget == "afterByteInc" || clampTarget == "never",
                      "ClampTarget",
                      "'" + clampTarget + "'",
                      "'always', 'afterTimeInc', 'afterByteInc', 'never' or '' (from the profile)");
        p.clamp = clampTarget == "always"         ? DcqcnClamp::ALWAYS
                  : clampTarget == "afterTimeInc" ? DcqcnClamp::AFTER_TIME_INC
                  : clampTarget == "afterByteInc" ? DcqcnClamp::AFTER_BYTE_INC
                                                  : DcqcnClamp::NEVER;
    }
    p.alphaBeforeCut = CHECK.Flag("AlphaBeforeCut", alphaBeforeCut, p.alphaBeforeCut);
    p.initialAlpha = CHECK.Number(initialAlpha, p.initialAlpha);
    CHECK.Require(p.initialAlpha >= 0 && p.initialAlpha <= 1,
                  "InitialAlpha",
                  std::to_string(initialAlpha),
                  "0 <= InitialAlpha <= 1");
    p.firstCnpRateBps = static_cast<double>(rateOnFirstCnp.GetBitRate());
    p.firstCnpFraction = CHECK.Number(fractionOnFirstCnp, p.firstCnpFraction);
    CHECK.Require(p.firstCnpFraction > 0 && p.firstCnpFraction <= 1,
                  "FractionOnFirstCnp",
                  std::to_string(fractionOnFirstCnp),
                  "0 < FractionOnFirstCnp <= 1");
    p.minTimeBetweenCnpsPs =
        CHECK.Duration("MinTimeBetweenCnps", minTimeBetweenCnps, p.minTimeBetweenCnpsPs);
    p.release = CHECK.Flag("ReleaseAtLineRate", release, p.release);
    p.cnpInAck = CHECK.Flag("CnpInAck", cnpInAck, p.cnpInAck);
    p.tenBitAlpha = tenBitAlpha;
    if (tenBitAlpha)
    {
        const double g = p.gain * 1024;
        CHECK.Require(g == std::floor(g),
                      "Gain",
                      std::to_string(p.gain),
                      "a multiple of 1/1024 with TenBitAlpha");
        p.initialAlpha = std::min(std::floor(p.initialAlpha * 1024), 1023.0) / 1024;
    }
    CHECK.Require(window == "none" || window == "bdp",
                  "Window",
                  "'" + window + "'",
                  "'none' or 'bdp'");
    p.bdpWindow = window == "bdp";
    return p;
}

TypeId
Dcqcn::GetTypeId()
{
    using S = DcqcnSettings;
    static const TypeId tid =
        SettingsAttributes<S>(TypeId("ns3::roce::Dcqcn")
                                  .SetParent<CongestionControl>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<Dcqcn>())
            .Text<&S::profile>("Profile", "nvidia", "nvidia, paper or hpcc-sim")
            .Number<&S::gain>("Gain", "g of alpha's average; -1: profile")
            .Duration<&S::alphaPeriod>("AlphaPeriod", "Alpha timer; -1ns: profile")
            .Text<&S::alphaFreeRunning>(
                "AlphaTimerFreeRunning",
                "true: fixed ticks; false: restarted by each CNP; empty: profile")
            .Duration<&S::cutPeriod>(
                "CutPeriod",
                "At most one cut in this time; 0: a cut on each CNP; -1ns: profile")
            .Text<&S::cutFreeRunning>("CutTimerFreeRunning",
                                      "true: cuts on fixed ticks of CutPeriod only; empty: profile")
            .Duration<&S::timeReset>("TimeReset", "Increase timer; 0: off; -1ns: profile")
            .Count<&S::byteReset>("ByteReset",
                                  "Wire bytes between byte stages; 0: off; -1: profile")
            .Count<&S::threshold>("Threshold", "F, stages of fast recovery; -1: profile")
            .Rate<&S::aiRate>("AiRate", "Additive step, not scaled; 0: profile")
            .Rate<&S::haiRate>("HaiRate", "Hyper step, not scaled; 0: profile")
            .Text<&S::hyperMultiplier>(
                "HyperMultiplier",
                "true: the i-th hyper event since the cut adds i steps; empty: profile")
            .Text<&S::stageRule>(
                "StageRule",
                "both: hyper increase needs bytes and time; time: as the HPCC simulator; "
                "empty: profile")
            .Number<&S::minDecFac>("MinDecFac",
                                   "Share of the rate that a cut leaves at least; -1: profile")
            .Rate<&S::minRate>("MinRate", "Floor of the rate; 0: profile")
            .Text<&S::clampTarget>(
                "ClampTarget",
                "When a cut lowers the target: always, afterTimeInc, afterByteInc or never; "
                "empty: profile")
            .Text<&S::alphaBeforeCut>(
                "AlphaBeforeCut",
                "true: a CNP raises alpha before it cuts (alpha timer restarted by CNPs); "
                "empty: profile")
            .Number<&S::initialAlpha>("InitialAlpha", "Alpha at first; -1: profile")
            .Rate<&S::rateOnFirstCnp>(
                "RateOnFirstCnp",
                "Rate and target at the first CNP; 0: FractionOnFirstCnp decides")
            .Number<&S::fractionOnFirstCnp>(
                "FractionOnFirstCnp",
                "Rate and target at the first CNP, share of the line rate; -1: profile")
            .Duration<&S::minTimeBetweenCnps>(
                "MinTimeBetweenCnps",
                "The receiver's interval between CNPs; 0: none; -1ns: profile")
            .Text<&S::release>(
                "ReleaseAtLineRate",
                "true: forget the state when the rate is back at line rate; empty: profile")
            .Text<&S::cnpInAck>(
                "CnpInAck",
                "true: no CNPs, each ACK that echoes CE counts as one (as the HPCC simulator); "
                "empty: profile")
            .Flag<&S::tenBitAlpha>("TenBitAlpha", false, "Integer alpha of 0..1023, as in firmware")
            .Text<&S::window>("Window", "none", "none, or bdp: BDP * rate / line rate");
    return tid;
}

} // namespace roce
} // namespace ns3
