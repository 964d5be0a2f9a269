/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-dcqcn-params.h"

#include "roce-dcqcn.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

namespace
{

/// Names a member of DcqcnSettings.
template <auto M>
using Field = std::integral_constant<decltype(M), M>;

void
Require(bool ok, const char* name, const std::string& found, const char* expected)
{
    if (!ok)
    {
        throw InputError(std::string("ns3::roce::Dcqcn: ") + name + " is " + found + ", expected " +
                         expected);
    }
}

/// value if it was set, or the profile's
bool
ReadBool(const char* name, const std::string& value, bool profile)
{
    Require(value.empty() || value == "true" || value == "false",
            name,
            "'" + value + "'",
            "'true', 'false' or '' (from the profile)");
    return value.empty() ? profile : value == "true";
}

/// value if it was set (is not -1 ns), or the profile's
int64_t
ReadTime(const char* name, const Time& value, int64_t profilePs)
{
    if (value == NanoSeconds(-1))
    {
        return profilePs;
    }
    Require(!value.IsStrictlyNegative(),
            name,
            std::to_string(value.GetPicoSeconds()) + " ps",
            "a time of 0 or more, or -1ns (from the profile)");
    return value.GetPicoSeconds();
}

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
    Require(name == "hpcc-sim", "Profile", "'" + name + "'", "'nvidia', 'paper' or 'hpcc-sim'");
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
    return p;
}

} // namespace

DcqcnParams
DcqcnSettings::Resolve() const
{
    DcqcnParams p = ProfileParams(profile);
    p.gain = gain == -1 ? p.gain : gain;
    Require(p.gain > 0 && p.gain <= 1, "Gain", std::to_string(gain), "0 < Gain <= 1");
    p.alphaPeriodPs = ReadTime("AlphaPeriod", alphaPeriod, p.alphaPeriodPs);
    Require(p.alphaPeriodPs > 0, "AlphaPeriod", "0", "a positive time");
    p.alphaFreeRunning = ReadBool("AlphaTimerFreeRunning", alphaFreeRunning, p.alphaFreeRunning);
    p.cutPeriodPs = ReadTime("CutPeriod", cutPeriod, p.cutPeriodPs);
    p.cutFreeRunning = ReadBool("CutTimerFreeRunning", cutFreeRunning, p.cutFreeRunning);
    p.timeResetPs = ReadTime("TimeReset", timeReset, p.timeResetPs);
    p.byteResetBytes = byteReset == -1 ? p.byteResetBytes : byteReset;
    Require(p.byteResetBytes >= 0, "ByteReset", std::to_string(byteReset), "0 or more bytes");
    Require(p.timeResetPs || p.byteResetBytes,
            "TimeReset",
            "0 and ByteReset too",
            "at least one of the two: the rate could never rise");
    if (threshold != -1)
    {
        Require(threshold >= 1 && threshold <= UINT32_MAX,
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
    p.hyperMultiplier = ReadBool("HyperMultiplier", hyperMultiplier, p.hyperMultiplier);
    Require(stageRule.empty() || stageRule == "both" || stageRule == "time",
            "StageRule",
            "'" + stageRule + "'",
            "'both', 'time' or '' (from the profile)");
    p.timeOnlyStages = stageRule.empty() ? p.timeOnlyStages : stageRule == "time";
    p.minDecFac = minDecFac == -1 ? p.minDecFac : minDecFac;
    Require(p.minDecFac >= 0 && p.minDecFac <= 1,
            "MinDecFac",
            std::to_string(minDecFac),
            "0 <= MinDecFac <= 1");
    p.minRateBps = minRate.GetBitRate() ? static_cast<double>(minRate.GetBitRate()) : p.minRateBps;
    if (!clampTarget.empty())
    {
        Require(clampTarget == "always" || clampTarget == "afterTimeInc" ||
                    clampTarget == "afterByteInc" || clampTarget == "never",
                "ClampTarget",
                "'" + clampTarget + "'",
                "'always', 'afterTimeInc', 'afterByteInc', 'never' or '' (from the profile)");
        p.clamp = clampTarget == "always"         ? DcqcnClamp::ALWAYS
                  : clampTarget == "afterTimeInc" ? DcqcnClamp::AFTER_TIME_INC
                  : clampTarget == "afterByteInc" ? DcqcnClamp::AFTER_BYTE_INC
                                                  : DcqcnClamp::NEVER;
    }
    p.alphaBeforeCut = ReadBool("AlphaBeforeCut", alphaBeforeCut, p.alphaBeforeCut);
    p.initialAlpha = initialAlpha == -1 ? p.initialAlpha : initialAlpha;
    Require(p.initialAlpha >= 0 && p.initialAlpha <= 1,
            "InitialAlpha",
            std::to_string(initialAlpha),
            "0 <= InitialAlpha <= 1");
    p.firstCnpRateBps = static_cast<double>(rateOnFirstCnp.GetBitRate());
    p.firstCnpFraction = fractionOnFirstCnp == -1 ? p.firstCnpFraction : fractionOnFirstCnp;
    Require(p.firstCnpFraction > 0 && p.firstCnpFraction <= 1,
            "FractionOnFirstCnp",
            std::to_string(fractionOnFirstCnp),
            "0 < FractionOnFirstCnp <= 1");
    p.minTimeBetweenCnpsPs =
        ReadTime("MinTimeBetweenCnps", minTimeBetweenCnps, p.minTimeBetweenCnpsPs);
    p.release = ReadBool("ReleaseAtLineRate", release, p.release);
    p.tenBitAlpha = tenBitAlpha;
    if (tenBitAlpha)
    {
        const double g = p.gain * 1024;
        Require(g == std::floor(g),
                "Gain",
                std::to_string(p.gain),
                "a multiple of 1/1024 with TenBitAlpha");
        p.initialAlpha = std::min(std::floor(p.initialAlpha * 1024), 1023.0) / 1024;
    }
    Require(window == "none" || window == "bdp", "Window", "'" + window + "'", "'none' or 'bdp'");
    p.bdpWindow = window == "bdp";
    return p;
}

template <typename T, T DcqcnSettings::*M>
void
Dcqcn::Set(T value)
{
    if (m_settings.use_count() > 1)
    {
        m_settings = std::make_shared<DcqcnSettings>(*m_settings);
    }
    (*m_settings).*M = value;
    m_stale = true;
}

template <typename T, T DcqcnSettings::*M>
T
Dcqcn::Get() const
{
    return (*m_settings).*M;
}

TypeId
Dcqcn::GetTypeId()
{
    using S = DcqcnSettings;
    // attributes live in a structure that forks share, so each needs a setter and a getter
    const auto text = [](TypeId& t, const char* name, auto f, const char* value, const char* help) {
        t.AddAttribute(name,
                       help,
                       StringValue(value),
                       MakeStringAccessor(&Dcqcn::Set<std::string, decltype(f)::value>,
                                          &Dcqcn::Get<std::string, decltype(f)::value>),
                       MakeStringChecker());
    };
    const auto flag = [&text](TypeId& t, const char* name, auto f, const char* help) {
        text(t, name, f, "", help);
    };
    const auto number = [](TypeId& t, const char* name, auto f, const char* help) {
        t.AddAttribute(name,
                       help,
                       DoubleValue(-1),
                       MakeDoubleAccessor(&Dcqcn::Set<double, decltype(f)::value>,
                                          &Dcqcn::Get<double, decltype(f)::value>),
                       MakeDoubleChecker<double>());
    };
    const auto count = [](TypeId& t, const char* name, auto f, const char* help) {
        t.AddAttribute(name,
                       help,
                       IntegerValue(-1),
                       MakeIntegerAccessor(&Dcqcn::Set<int64_t, decltype(f)::value>,
                                           &Dcqcn::Get<int64_t, decltype(f)::value>),
                       MakeIntegerChecker<int64_t>());
    };
    const auto time = [](TypeId& t, const char* name, auto f, const char* help) {
        t.AddAttribute(name,
                       help,
                       TimeValue(NanoSeconds(-1)),
                       MakeTimeAccessor(&Dcqcn::Set<Time, decltype(f)::value>,
                                        &Dcqcn::Get<Time, decltype(f)::value>),
                       MakeTimeChecker());
    };
    const auto rate = [](TypeId& t, const char* name, auto f, const char* help) {
        t.AddAttribute(name,
                       help,
                       DataRateValue(DataRate(0)),
                       MakeDataRateAccessor(&Dcqcn::Set<DataRate, decltype(f)::value>,
                                            &Dcqcn::Get<DataRate, decltype(f)::value>),
                       MakeDataRateChecker());
    };
    static const TypeId tid = [&] {
        TypeId t("ns3::roce::Dcqcn");
        t.SetParent<CongestionControl>().SetGroupName("Roce").AddConstructor<Dcqcn>();
        text(t, "Profile", Field<&S::profile>{}, "nvidia", "nvidia, paper or hpcc-sim");
        number(t, "Gain", Field<&S::gain>{}, "g of alpha's average; -1: profile");
        time(t, "AlphaPeriod", Field<&S::alphaPeriod>{}, "Alpha timer; -1ns: profile");
        flag(t,
             "AlphaTimerFreeRunning",
             Field<&S::alphaFreeRunning>{},
             "true: fixed ticks; false: restarted by each CNP; empty: profile");
        time(t,
             "CutPeriod",
             Field<&S::cutPeriod>{},
             "At most one cut in this time; 0: a cut on each CNP; -1ns: profile");
        flag(t,
             "CutTimerFreeRunning",
             Field<&S::cutFreeRunning>{},
             "true: cuts on fixed ticks of CutPeriod only; empty: profile");
        time(t, "TimeReset", Field<&S::timeReset>{}, "Increase timer; 0: off; -1ns: profile");
        count(t,
              "ByteReset",
              Field<&S::byteReset>{},
              "Wire bytes between byte stages; 0: off; -1: profile");
        count(t, "Threshold", Field<&S::threshold>{}, "F, stages of fast recovery; -1: profile");
        rate(t, "AiRate", Field<&S::aiRate>{}, "Additive step, not scaled; 0: profile");
        rate(t, "HaiRate", Field<&S::haiRate>{}, "Hyper step, not scaled; 0: profile");
        flag(t,
             "HyperMultiplier",
             Field<&S::hyperMultiplier>{},
             "true: the i-th hyper event since the cut adds i steps; empty: profile");
        text(t,
             "StageRule",
             Field<&S::stageRule>{},
             "",
             "both: hyper increase needs bytes and time; time: as the HPCC simulator; "
             "empty: profile");
        number(t,
               "MinDecFac",
               Field<&S::minDecFac>{},
               "Share of the rate that a cut leaves at least; -1: profile");
        rate(t, "MinRate", Field<&S::minRate>{}, "Floor of the rate; 0: profile");
        text(t,
             "ClampTarget",
             Field<&S::clampTarget>{},
             "",
             "When a cut lowers the target: always, afterTimeInc, afterByteInc or never; "
             "empty: profile");
        flag(t,
             "AlphaBeforeCut",
             Field<&S::alphaBeforeCut>{},
             "true: a CNP raises alpha before it cuts (alpha timer restarted by CNPs); "
             "empty: profile");
        number(t, "InitialAlpha", Field<&S::initialAlpha>{}, "Alpha at first; -1: profile");
        rate(t,
             "RateOnFirstCnp",
             Field<&S::rateOnFirstCnp>{},
             "Rate and target at the first CNP; 0: FractionOnFirstCnp decides");
        number(t,
               "FractionOnFirstCnp",
               Field<&S::fractionOnFirstCnp>{},
               "Rate and target at the first CNP, share of the line rate; -1: profile");
        time(t,
             "MinTimeBetweenCnps",
             Field<&S::minTimeBetweenCnps>{},
             "The receiver's interval between CNPs; 0: none; -1ns: profile");
        flag(t,
             "ReleaseAtLineRate",
             Field<&S::release>{},
             "true: forget the state when the rate is back at line rate; empty: profile");
        t.AddAttribute("TenBitAlpha",
                       "Integer alpha of 0..1023, as in firmware",
                       BooleanValue(false),
                       MakeBooleanAccessor(&Dcqcn::Set<bool, &S::tenBitAlpha>,
                                           &Dcqcn::Get<bool, &S::tenBitAlpha>),
                       MakeBooleanChecker());
        text(t, "Window", Field<&S::window>{}, "none", "none, or bdp: BDP * rate / line rate");
        return t;
    }();
    return tid;
}

} // namespace roce
} // namespace ns3
