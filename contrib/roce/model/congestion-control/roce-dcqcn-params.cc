/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-dcqcn-params.h"

#include "roce-dcqcn.h"

#include "ns3/roce-time.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

namespace
{

constexpr double MBPS = 1e6; //!< bit/s

/// Values of the profiles, PARALEON's four being the firmware's.
template <typename T>
std::vector<T>
By(T nvidia, T paper, T hpccSim)
{
    return {nvidia, paper, hpccSim, nvidia, nvidia, nvidia, nvidia};
}

/// The same with another value in all of PARALEON's.
template <typename T>
std::vector<T>
By(T nvidia, T paper, T hpccSim, T paraleon)
{
    return {nvidia, paper, hpccSim, paraleon, paraleon, paraleon, paraleon};
}

/// The same with others in two of them; the other two have the firmware's.
template <typename T>
std::vector<T>
By(T nvidia, T paper, T hpccSim, T expert, T pretrained1)
{
    return {nvidia, paper, hpccSim, nvidia, expert, pretrained1, nvidia};
}

/// What depends on several parameters.
void
FinishDcqcn(DcqcnParams& p, const Parameters<DcqcnParams>& given)
{
    const auto require = [](auto... arguments) { DcqcnParams::Table().Require(arguments...); };
    require(p.timeResetPs || p.byteResetBytes,
            "TimeReset",
            "0 and ByteReset too",
            "at least one of the two: the rate could never rise");
    const bool scaled = given.GetProfile() == "hpcc-sim";
    p.aiPer25G = scaled && !given.IsGiven("AiRate");
    p.haiPer25G = scaled && !given.IsGiven("HaiRate");
    if (p.tenBitAlpha)
    {
        const double g = p.gain * 1024;
        require(g == std::floor(g),
                "Gain",
                kind::Number::Print(p.gain),
                "a multiple of 1/1024 with TenBitAlpha");
        p.initialAlpha = std::min(std::floor(p.initialAlpha * 1024), 1023.0) / 1024;
    }
}

} // namespace

/*
 * Sources of the values:
 * [1] defaults in the NVIDIA DOCA page "DCQCN CC Parameters" and in mlxconfig dumps of recent
 *     ConnectX.
 * [2] SIGCOMM 2015 paper.
 * [3] run.py of alibaba-edu/High-Precision-Congestion-Control.
 * [4] rdma-hw.cc there (CC mode 1; every CE mark is a CNP).
 * [5] configuration of the DCQCN authors' simulator, bobzhuyb/ns3-rdma; the paper has no value.
 * [6] rpg_max_rate: the limiter is freed at that rate, so the next CNP is again a first one.
 * [7] PARALEON's table I, "expert"; its "default" is [1].
 * [8] what our own search ended with on the LLM traffic of PARALEON's figure 9, "pretrained 1". On
 *     its other traffic, "pretrained 2", no setting was better than the default.
 * [9] PARALEON's simulator (czt8888/Paraleon-ns3): a grid of cuts, no byte counter, nothing
 *     forgotten.
 * [a] The firmware text only promises one cut per period; here the first CNP cuts at once and one
 *     that comes too soon cuts when the period is over.
 * [b] not in the paper; the firmware's value.
 * [c] without effect: this order matters only if AlphaTimerFreeRunning is false.
 */
const ParameterTable<DcqcnParams>&
DcqcnParams::Table()
{
    using P = DcqcnParams;
    using C = DcqcnClamp;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Dcqcn",
                          {"nvidia",
                           "paper",
                           "hpcc-sim",
                           "paraleon-default",
                           "paraleon-expert",
                           "paraleon-pretrained-1",
                           "paraleon-pretrained-2"})
            .Number("Gain",
                    &P::gain,
                    By(5.0 / 1024, 1.0 / 256, 1.0 / 256, 5.0 / 1024, 0.279297), // [1] [2] [3] [8]
                    Range::AboveUpTo(0, 1),
                    "g of alpha's average")
            .Duration("AlphaPeriod",
                      &P::alphaPeriodPs,
                      By(1 * PS_PER_US, 55 * PS_PER_US, 1 * PS_PER_US), // [1] [2] [3]
                      Range::Above(0),
                      "Alpha timer")
            .Flag("AlphaTimerFreeRunning",
                  &P::alphaFreeRunning,
                  By(true, false, true), // [1] [2] [4]
                  "true: fixed ticks; false: restarted by each CNP")
            .Duration("CutPeriod",
                      &P::cutPeriodPs,
                      By(4 * PS_PER_US,
                         0 * PS_PER_US,
                         4 * PS_PER_US,
                         80 * PS_PER_US,
                         85 * PS_PER_US), // [1] [2] [3] [7] [8]
                      Range::AtLeast(0),
                      "At most one cut in this time; 0: a cut on each CNP")
            .Flag("CutTimerFreeRunning",
                  &P::cutFreeRunning,
                  By(false, false, true, true), // [a], [2], [4], [9]
                  "true: cuts on fixed ticks of CutPeriod only")
            .Duration("TimeReset",
                      &P::timeResetPs,
                      By(300 * PS_PER_US,
                         55 * PS_PER_US,
                         300 * PS_PER_US,
                         300 * PS_PER_US,
                         5 * PS_PER_US), // [1] [2] [3] [8]
                      Range::AtLeast(0),
                      "Increase timer; 0: off")
            .Count("ByteReset",
                   &P::byteResetBytes,
                   By(32767, 10000000, 0, 0), // [1] [2] [4] [9]
                   Range::AtLeast(0),
                   "Wire bytes between byte stages; 0: off")
            .Count("Threshold",
                   &P::threshold,
                   By(1, 5, 1), // [1] [2] [3]
                   Range::AtLeast(1),
                   "F, stages of fast recovery")
            .Rate("AiRate",
                  &P::aiRateBps,
                  By(5 * MBPS, 40 * MBPS, 5 * MBPS, 50 * MBPS, 471 * MBPS), // [1] [2] [3] [7] [8]
                  Range::Above(0),
                  "Additive step; not scaled, but for hpcc-sim's own: times line rate / 25 Gb/s")
            .Rate(
                "HaiRate",
                &P::haiRateBps,
                By(50 * MBPS, 200 * MBPS, 50 * MBPS, 150 * MBPS, 745 * MBPS), // [1] [5] [3] [7] [8]
                Range::Above(0),
                "Hyper step; scaled as AiRate")
            .Flag("HyperMultiplier",
                  &P::hyperMultiplier,
                  By(false, true, false), // [2] [4]
                  "true: the i-th hyper event since the cut adds i steps")
            .Choice("StageRule",
                    &P::timeOnlyStages,
                    By(false, false, true, true), // [2] [2] [4] [9]
                    {{"both", false}, {"time", true}},
                    "both: hyper increase needs bytes and time; time: as the HPCC simulator")
            .Count(
                "Gd",
                &P::gd,
                By(11, 11, 11, 11, 13), // [1], and what the formulas of [2] and [4] amount to; [8]
                Range::Within(0, 1000),
                "rpg_gd: a cut takes the share alpha / 2^(Gd - 10) of the rate")
            .Number("MinDecFac",
                    &P::minDecFac,
                    By(0.5, 0.0, 0.0, 0.5, 0.80892), // [1] [4] [8]
                    Range::Within(0, 1),
                    "Share of the rate that a cut leaves at least")
            .Rate("MinRate",
                  &P::minRateBps,
                  By(1 * MBPS, 1 * MBPS, 1000 * MBPS, 1 * MBPS, 1703 * MBPS), // [1] [b] [3] [8]
                  Range::Above(0),
                  "Floor of the rate")
            .Choice("ClampTarget",
                    &P::clamp,
                    By(C::AFTER_TIME_INC, C::ALWAYS, C::AFTER_TIME_INC), // [1] [2] [4]
                    {{"always", C::ALWAYS},
                     {"afterTimeInc", C::AFTER_TIME_INC},
                     {"afterByteInc", C::AFTER_BYTE_INC},
                     {"never", C::NEVER}},
                    "When a cut lowers the target")
            .Flag("AlphaBeforeCut",
                  &P::alphaBeforeCut,
                  By(true, false, true), // [c] [2] [4]
                  "true: a CNP raises alpha before it cuts (alpha timer restarted by CNPs)")
            .Number("InitialAlpha",
                    &P::initialAlpha,
                    By(1023.0 / 1024, 1.0, 1.0, 1023.0 / 1024, 0.875977), // [1] [2] [4] [8]
                    Range::Within(0, 1),
                    "Alpha at first")
            .Rate("RateOnFirstCnp",
                  &P::firstCnpRateBps,
                  {0}, // [1] [4]
                  Range::AtLeast(0),
                  "Rate and target at the first CNP; 0: FractionOnFirstCnp decides")
            .Number("FractionOnFirstCnp",
                    &P::firstCnpFraction,
                    {1}, // [4]
                    Range::AboveUpTo(0, 1),
                    "Rate and target at the first CNP, share of the line rate")
            .Flag("ReleaseAtLineRate",
                  &P::release,
                  By(true, false, false, false), // [6] [4] [9]
                  "true: forget the state when the rate is back at line rate")
            .Flag("TenBitAlpha",
                  &P::tenBitAlpha,
                  {false},
                  "Integer alpha of 0..1023, as in firmware")
            .Duration("MinTimeBetweenCnps",
                      &P::minTimeBetweenCnpsPs,
                      By(4 * PS_PER_US,
                         50 * PS_PER_US,
                         0 * PS_PER_US,
                         96 * PS_PER_US,
                         153 * PS_PER_US), // [1] [2] [4] [7] [8]
                      Range::AtLeast(0),
                      "The receiver's interval between CNPs; 0: none")
            .Live()
            .Flag("CnpInAck",
                  &P::cnpInAck,
                  By(false, false, true), // [4]
                  "true: no CNPs, each ACK that echoes CE counts as one (as the HPCC simulator)")
            .Choice("Window",
                    &P::bdpWindow,
                    {false},
                    {{"none", false}, {"bdp", true}},
                    "none, or bdp: BDP * rate / line rate, at least one frame (Li et al., SIGCOMM "
                    "2019)")
            .Finish(FinishDcqcn);
    return table;
}

TypeId
Dcqcn::GetTypeId()
{
    static const TypeId tid = DcqcnParams::Table().AddTo(TypeId("ns3::roce::Dcqcn")
                                                             .SetParent<CongestionControl>()
                                                             .SetGroupName("Roce")
                                                             .AddConstructor<Dcqcn>(),
                                                         &Dcqcn::m_parameters);
    return tid;
}

} // namespace roce
} // namespace ns3
