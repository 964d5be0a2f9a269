/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-uno-params.h"

#include "roce-settings-attributes.h"
#include "roce-uno-cc.h"

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(UnoCc);

namespace
{

constexpr SettingsCheck CHECK{"ns3::roce::UnoCc", "preset"};
constexpr double NO_LIMIT = 1e12; // windows in bytes stay below 2^63

/// Every value in the order of UnoSettings' table.
UnoParams
PresetParams(const std::string& name)
{
    const int64_t us = 1000000;
    UnoParams p{};
    p.alphaFraction = 0.001;
    p.intraRttPs = 14 * us;
    p.epoch = {1.0 / 16, 1, true, false, false};
    p.mdScale = 0.3;
    p.gentleDelayPs = 1400000;
    p.qa = {true, 0.5, 1, false, 1, true, true, 1.5, true};
    p.qaPeriodFactor = 1;
    p.qaSkipRtts = 1;
    p.minCwnd = 1;
    p.initialCwndBdp = 1;
    p.maxCwndBdp = 1.25;
    p.pacing = true;
    p.pacingGain = 1;
    if (name == "paper")
    {
        return p;
    }
    CHECK.Require(name == "artifact", "Preset", "'" + name + "'", "'paper' or 'artifact'");
    p.kBytes = 24576;
    p.intraRttPs = 14027500;
    p.interRttPs = 1792040000;
    p.classRtt = true;
    p.measuredEpochs = true;
    p.epoch = {0.65, 0, false, true, true};
    p.epochFromWindow = true;
    p.epochAfterQa = true;
    p.fallingIncrease = true;
    p.mdScale = 0.35;
    p.gentleDelayPs = 0;
    p.gentleShare = 0.055;
    p.qa = {true, 0.5, 0.96, true, 0, false, false, 0, true};
    p.qaPeriodFactor = 1.05;
    p.qaSkipRtts = 0;
    p.qaFirst = true;
    p.maxCwndBdp = 1;
    p.pacingUpdateShare = 0.05;
    return p;
}

/// A number attribute, -1 for the preset's, within [low, high], or (low, high] if open.
double
Pick(const char* name, double value, double preset, double low, double high, bool open = false)
{
    const double x = CHECK.Number(value, preset);
    const std::string range = high >= NO_LIMIT
                                  ? std::string(open ? "more than 0" : "0 or more")
                                  : std::string(open ? "0 < " : "0 <= ") + name + " <= 1";
    CHECK.Require(x <= high && (open ? x > low : x >= low),
                  name,
                  std::to_string(x),
                  range + ", or -1 " + CHECK.FromSource());
    return x;
}

double
Share(const char* name, double value, double preset, bool open = false)
{
    return Pick(name, value, preset, 0, 1, open);
}

double
Positive(const char* name, double value, double preset)
{
    return Pick(name, value, preset, 0, NO_LIMIT, true);
}

double
NotNegative(const char* name, double value, double preset)
{
    return Pick(name, value, preset, 0, NO_LIMIT);
}

using S = UnoSettings;
using Attributes = SettingsAttributes<UnoSettings>;

void
AddWindowAttributes(Attributes& attributes)
{
    attributes.Text<&S::preset>("Preset", "paper", "paper or artifact (the authors' simulator)")
        .Number<&S::alphaFraction>("AlphaFraction",
                                   "Additive increase per RTT, share of a BDP; -1: preset")
        .Text<&S::alphaBdpRef>("AlphaBdpRef",
                               "BDP of AlphaFraction: own (the path's) or intra; empty: preset")
        .Number<&S::k>("K", "K of the decrease 4K / (K + BDP), bytes; 0: intra BDP / 7; -1: preset")
        .Text<&S::mdBdpRef>("MdBdpRef",
                            "BDP of the decrease: own (the path's) or intra; empty: preset")
        .Duration<&S::intraRtt>("IntraRtt", "RTT inside a datacenter; -1ns: preset")
        .Duration<&S::interRtt>(
            "InterRtt",
            "RTT between datacenters with RttBaseMode=class; 0: the path's; -1ns: preset")
        .Text<&S::rttBaseMode>("RttBaseMode",
                               "Base RTT: path, or class (IntraRtt or InterRtt); empty: preset")
        .Number<&S::minCwnd>("MinCwnd", "Smallest window, full frames; -1: preset")
        .Number<&S::initialCwndBdp>("InitialCwndBdp", "First window, BDP; -1: preset")
        .Number<&S::maxCwndBdp>("MaxCwndBdp", "Largest window, BDP; -1: preset")
        .Text<&S::pacing>("Pacing", "true: pace at PacingGain * cwnd / base RTT; empty: preset")
        .Number<&S::pacingGain>("PacingGain", "See Pacing; -1: preset")
        .Number<&S::pacingUpdateShare>(
            "PacingUpdateShare",
            "Least time between two pacing rates, share of the base RTT; 0: none; -1: preset")
        .Text<&S::timeoutReaction>(
            "TimeoutReaction",
            "To a timeout: none, or packet (a frame off the window); empty: preset");
}

void
AddEpochAttributes(Attributes& attributes)
{
    attributes
        .Text<&S::epochMode>("EpochMode",
                             "Epochs last: intra (IntraRtt) or own (base RTT); empty: preset")
        .Duration<&S::epochPeriod>("EpochPeriod", "Epoch; 0: from EpochMode; -1ns: preset")
        .Text<&S::epochPeriodMode>(
            "EpochPeriodMode",
            "base, or measured: an epoch is longer as the last RTT is; empty: preset")
        .Text<&S::epochCatchUp>(
            "EpochCatchUp",
            "true: after idle times epochs do not end one after the other; empty: preset")
        .Text<&S::epochStart>(
            "EpochStart",
            "The first epoch opens at firstAck or after a window, windowSent; empty: preset")
        .Text<&S::epochAfterQa>(
            "EpochAfterQa",
            "After Quick Adapt epochs: goOn, or rest until windowSent; empty: preset")
        .Number<&S::ecnGain>("EcnGain", "g of the average of marks; -1: preset")
        .Number<&S::ecnInit>("EcnInit", "That average at first; -1: preset")
        .Text<&S::ecnUnit>("EcnUnit", "Marks are shares of packets or bytes; empty: preset")
        .Text<&S::fallingEwma>(
            "FallingEwma",
            "A marked epoch that lowers the average leads to: cut or increase; empty: preset")
        .Number<&S::mdScale>("MdScale", "Factor of a decrease for marks without delay; -1: preset")
        .Text<&S::mdScaleMode>("MdScaleMode",
                               "In a row MdScale stays fixed or gets cumulative; empty: preset")
        .Duration<&S::gentleDelayTolerance>("GentleDelayTolerance",
                                            "RTT above the base RTT that is no delay; -1ns: preset")
        .Number<&S::gentleDelayShare>("GentleDelayShare",
                                      "More of it, share of the base RTT; -1: preset")
        .Text<&S::delayStat>(
            "DelayStat",
            "Delay of an epoch: minMarked (least of marked packets) or last; empty: preset");
}

void
AddQuickAdaptAttributes(Attributes& attributes)
{
    attributes.Text<&S::qaEnable>("QaEnable", "true: Quick Adapt; empty: preset")
        .Number<&S::qaBeta>("QaBeta", "Share of the window below which it acts; -1: preset")
        .Number<&S::qaScale>("QaScale", "Window after it, in what was acknowledged; -1: preset")
        .Text<&S::qaPeriodMode>("QaPeriodMode", "Its period: base or measured RTT; empty: preset")
        .Number<&S::qaPeriodFactor>("QaPeriodFactor", "Its period in RTTs; -1: preset")
        .Text<&S::qaReference>(
            "QaReference",
            "Which window: minOfTwo (at the start of this period or that before) or current; "
            "empty: preset")
        .Number<&S::qaGuardPackets>("QaGuardPackets",
                                    "Full frames that must be missing on top; -1: preset")
        .Number<&S::qaSkipRtts>("QaSkipRtts", "Base RTTs without it and MD afterwards; -1: preset")
        .Text<&S::qaSkipFirst>("QaSkipFirst", "true: not in the first period; empty: preset")
        .Text<&S::qaSkipAppLimited>(
            "QaSkipAppLimited",
            "true: not after a period in which data to send ran out; empty: preset")
        .Number<&S::qaTimer>("QaTimer",
                             "A period without ACKs ends after so many; 0: never; -1: preset")
        .Text<&S::qaRestart>(
            "QaRestart",
            "The next period opens: now, or with an ACK of data sent since; empty: preset")
        .Text<&S::qaOrder>("QaOrder", "It comes last or first of what an ACK does; empty: preset");
}

} // namespace

void
UnoSettings::ResolveWindow(UnoParams& p) const
{
    p.alphaFraction = Positive("AlphaFraction", alphaFraction, p.alphaFraction);
    p.alphaIntraBdp = CHECK.Choice("AlphaBdpRef", alphaBdpRef, {"own", "intra"}, p.alphaIntraBdp);
    p.kBytes = NotNegative("K", k, p.kBytes);
    p.mdIntraBdp = CHECK.Choice("MdBdpRef", mdBdpRef, {"own", "intra"}, p.mdIntraBdp);
    p.intraRttPs = CHECK.Duration("IntraRtt", intraRtt, p.intraRttPs);
    CHECK.Require(p.intraRttPs > 0, "IntraRtt", "0", "a positive time");
    p.interRttPs = CHECK.Duration("InterRtt", interRtt, p.interRttPs);
    p.classRtt = CHECK.Choice("RttBaseMode", rttBaseMode, {"path", "class"}, p.classRtt);
    p.minCwnd = Positive("MinCwnd", minCwnd, p.minCwnd);
    p.initialCwndBdp = Positive("InitialCwndBdp", initialCwndBdp, p.initialCwndBdp);
    p.maxCwndBdp = Positive("MaxCwndBdp", maxCwndBdp, p.maxCwndBdp);
    p.pacing = CHECK.Flag("Pacing", pacing, p.pacing);
    p.pacingGain = Positive("PacingGain", pacingGain, p.pacingGain);
    p.pacingUpdateShare = NotNegative("PacingUpdateShare", pacingUpdateShare, p.pacingUpdateShare);
    p.timeoutPacket =
        CHECK.Choice("TimeoutReaction", timeoutReaction, {"none", "packet"}, p.timeoutPacket);
}

void
UnoSettings::ResolveEpoch(UnoParams& p) const
{
    p.ownEpochs = CHECK.Choice("EpochMode", epochMode, {"intra", "own"}, p.ownEpochs);
    p.epochPeriodPs = CHECK.Duration("EpochPeriod", epochPeriod, p.epochPeriodPs);
    p.measuredEpochs =
        CHECK.Choice("EpochPeriodMode", epochPeriodMode, {"base", "measured"}, p.measuredEpochs);
    p.epoch.catchUp = CHECK.Flag("EpochCatchUp", epochCatchUp, p.epoch.catchUp);
    p.epochFromWindow =
        CHECK.Choice("EpochStart", epochStart, {"firstAck", "windowSent"}, p.epochFromWindow);
    p.epochAfterQa =
        CHECK.Choice("EpochAfterQa", epochAfterQa, {"goOn", "windowSent"}, p.epochAfterQa);
    p.epoch.gain = Share("EcnGain", ecnGain, p.epoch.gain, true);
    p.epoch.init = Share("EcnInit", ecnInit, p.epoch.init);
    p.epoch.byBytes = CHECK.Choice("EcnUnit", ecnUnit, {"packets", "bytes"}, p.epoch.byBytes);
    p.fallingIncrease =
        CHECK.Choice("FallingEwma", fallingEwma, {"cut", "increase"}, p.fallingIncrease);
    p.mdScale = Share("MdScale", mdScale, p.mdScale);
    p.cumulative = CHECK.Choice("MdScaleMode", mdScaleMode, {"fixed", "cumulative"}, p.cumulative);
    p.gentleDelayPs = CHECK.Duration("GentleDelayTolerance", gentleDelayTolerance, p.gentleDelayPs);
    p.gentleShare = NotNegative("GentleDelayShare", gentleDelayShare, p.gentleShare);
    p.epoch.lastDelay =
        CHECK.Choice("DelayStat", delayStat, {"minMarked", "last"}, p.epoch.lastDelay);
}

void
UnoSettings::ResolveQuickAdapt(UnoParams& p) const
{
    p.qa.enabled = CHECK.Flag("QaEnable", qaEnable, p.qa.enabled);
    p.qa.beta = Share("QaBeta", qaBeta, p.qa.beta, true);
    p.qa.scale = Share("QaScale", qaScale, p.qa.scale, true);
    p.qaMeasured = CHECK.Choice("QaPeriodMode", qaPeriodMode, {"base", "measured"}, p.qaMeasured);
    p.qaPeriodFactor = Positive("QaPeriodFactor", qaPeriodFactor, p.qaPeriodFactor);
    p.qa.current = CHECK.Choice("QaReference", qaReference, {"minOfTwo", "current"}, p.qa.current);
    p.qa.guardPackets = NotNegative("QaGuardPackets", qaGuardPackets, p.qa.guardPackets);
    p.qaSkipRtts = NotNegative("QaSkipRtts", qaSkipRtts, p.qaSkipRtts);
    p.qa.skipFirst = CHECK.Flag("QaSkipFirst", qaSkipFirst, p.qa.skipFirst);
    p.qa.skipAppLimited = CHECK.Flag("QaSkipAppLimited", qaSkipAppLimited, p.qa.skipAppLimited);
    p.qa.timerPeriods = NotNegative("QaTimer", qaTimer, p.qa.timerPeriods);
    CHECK.Require(p.qa.timerPeriods == 0 || p.qa.timerPeriods >= 1,
                  "QaTimer",
                  std::to_string(p.qa.timerPeriods),
                  "1 period or more, or 0 (none)");
    p.qa.restartWhenSent =
        CHECK.Choice("QaRestart", qaRestart, {"now", "sent"}, p.qa.restartWhenSent);
    p.qaFirst = CHECK.Choice("QaOrder", qaOrder, {"last", "first"}, p.qaFirst);
}

UnoParams
UnoSettings::Resolve() const
{
    UnoParams p = PresetParams(preset);
    ResolveWindow(p);
    ResolveEpoch(p);
    ResolveQuickAdapt(p);
    return p;
}

TypeId
UnoCc::GetTypeId()
{
    static const TypeId tid = [] {
        SettingsAttributes<UnoSettings> attributes(TypeId("ns3::roce::UnoCc")
                                                       .SetParent<CongestionControl>()
                                                       .SetGroupName("Roce")
                                                       .AddConstructor<UnoCc>());
        AddWindowAttributes(attributes);
        AddEpochAttributes(attributes);
        AddQuickAdaptAttributes(attributes);
        return static_cast<TypeId>(attributes);
    }();
    return tid;
}

} // namespace roce
} // namespace ns3
