/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-bbr-params.h"

#include "roce-settings-attributes.h"

namespace ns3
{
namespace roce
{

namespace
{

constexpr SettingsCheck CHECK{"ns3::roce::Bbr", "preset"};

/// 2 / ln 2: the least gain that doubles the rate each round trip.
constexpr double HIGH_GAIN = 2.8853900817779268;

} // namespace

BbrParams
BbrSettings::Resolve() const
{
    const bool artifact = CHECK.Choice("Preset", preset, {"paper", "artifact"}) == 1;
    BbrParams p{};
    p.startupGain = CHECK.Number(startupGain, artifact ? 2.89 : HIGH_GAIN);
    CHECK.Require(p.startupGain > 1, "StartupGain", std::to_string(p.startupGain), "more than 1");
    p.drainGain = CHECK.Number(drainGain, artifact ? 0.35 : 1 / HIGH_GAIN);
    CHECK.Require(p.drainGain > 0 && p.drainGain < 1,
                  "DrainGain",
                  std::to_string(p.drainGain),
                  "0 < DrainGain < 1");
    p.cwndGain = CHECK.Number(cwndGain, 2);
    CHECK.Require(p.cwndGain >= 1, "CwndGain", std::to_string(p.cwndGain), "1 or more");
    const int64_t rounds10 = bwRounds == -1 ? 10 : bwRounds;
    CHECK.Require(rounds10 >= 1 && rounds10 <= BbrParams::MAX_BW_ROUNDS,
                  "BwRounds",
                  std::to_string(bwRounds),
                  "1 .. " + std::to_string(BbrParams::MAX_BW_ROUNDS));
    p.bwRounds = static_cast<uint32_t>(rounds10);
    p.clocked = CHECK.Choice("Rounds", rounds, {"acks", "rtProp"}, artifact);
    p.measuredRtt = CHECK.Choice("RtProp", rtProp, {"baseRtt", "measured"}, !artifact);
    p.rttWindowPs = CHECK.Duration("RttWindow", rttWindow, 10'000'000'000'000);
    p.probeRtt = CHECK.Flag("ProbeRtt", probeRtt, !artifact);
    p.probeRttDurationPs = CHECK.Duration("ProbeRttDuration", probeRttDuration, 200'000'000'000);
    p.initialCwnd = CHECK.Number(initialCwnd, artifact ? 0 : 10);
    CHECK.Require(p.initialCwnd == 0 || p.initialCwnd >= 1,
                  "InitialCwnd",
                  std::to_string(p.initialCwnd),
                  "1 or more frames, or 0 for the BDP");
    p.maxCwndBdp = CHECK.Number(maxCwndBdp, artifact ? 1 : 0);
    CHECK.Require(p.maxCwndBdp >= 0,
                  "MaxCwndBdp",
                  std::to_string(p.maxCwndBdp),
                  "a positive number of BDPs, or 0 for none");
    p.minFrames = CHECK.Number(minFrames, artifact ? 1 : 4);
    CHECK.Require(p.minFrames >= 1, "MinFrames", std::to_string(p.minFrames), "1 or more frames");
    p.quantaFrames = CHECK.Number(quantaFrames, artifact ? 1 : 3);
    CHECK.Require(p.quantaFrames >= 0,
                  "QuantaFrames",
                  std::to_string(p.quantaFrames),
                  "0 or more frames");
    p.recovers = CHECK.Flag("Recovery", recovery, !artifact);
    p.eachTimeout = CHECK.Choice("TimeoutScope", timeoutScope, {"oldest", "each"}, artifact);
    CHECK.Require(startPhase >= -1 && startPhase < 8,
                  "StartPhase",
                  std::to_string(startPhase),
                  "0 .. 7, or -1 for a hash of the time");
    p.startPhase = static_cast<int>(startPhase);
    return p;
}

} // namespace roce
} // namespace ns3
