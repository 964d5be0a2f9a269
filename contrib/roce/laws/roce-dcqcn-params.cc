// SPDX-License-Identifier: GPL-2.0-only
#include "roce-dcqcn-params.h"

#include "roce-dcqcn.h"

#include "ns3/roce-time.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

namespace
{

constexpr double MBPS = 1e6; //!< bit/s

/// What depends on several parameters.
void
FinishDcqcn(DcqcnParams& p, const Parameters<DcqcnParams>& given)
{
    const auto require = [](auto... arguments) { DcqcnParams::Table().Require(arguments...); };
    require(p.timeResetPs || p.byteResetBytes,
            "TimeReset",
            "0 and ByteReset too",
            "at least one of the two: the rate could never rise");
    p.aiPer25G = p.aiPer25G && !given.IsGiven("AiRate");
    p.haiPer25G = p.haiPer25G && !given.IsGiven("HaiRate");
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
        ParameterTable<P>("ns3::roce::Dcqcn", {"nvidia", "paper", "hpcc-sim"})
            .Number("Gain",
                    &P::gain,
                    {5.0 / 1024, 1.0 / 256, 1.0 / 256}, // [1] [2] [3]
                    Range::AboveUpTo(0, 1),
                    "g of alpha's average")
            .Duration("AlphaPeriod",
                      &P::alphaPeriodPs,
                      {1 * PS_PER_US, 55 * PS_PER_US, 1 * PS_PER_US}, // [1] [2] [3]
                      Range::Above(0),
                      "Alpha timer")
            // true: fixed ticks; false: restarted by each CNP [1] [2] [4]
            .Fixed("AlphaTimerFreeRunning", &P::alphaFreeRunning, {true, false, true})
            .Duration("CutPeriod",
                      &P::cutPeriodPs,
                      {4 * PS_PER_US, 0 * PS_PER_US, 4 * PS_PER_US}, // [1] [2] [3]
                      Range::AtLeast(0),
                      "At most one cut in this time; 0: a cut on each CNP")
            .Flag("CutTimerFreeRunning",
                  &P::cutFreeRunning,
                  {false, false, true}, // [a], [2], [4], [9]
                  "true: cuts on fixed ticks of CutPeriod only")
            .Duration("TimeReset",
                      &P::timeResetPs,
                      {300 * PS_PER_US, 55 * PS_PER_US, 300 * PS_PER_US}, // [1] [2] [3]
                      Range::AtLeast(0),
                      "Increase timer; 0: off")
            .Count("ByteReset",
                   &P::byteResetBytes,
                   {32767, 10000000, 0}, // [1] [2] [4]
                   Range::AtLeast(0),
                   "Wire bytes between byte stages; 0: off")
            .Count("Threshold",
                   &P::threshold,
                   {1, 5, 1}, // [1] [2] [3]
                   Range::AtLeast(1),
                   "F, stages of fast recovery")
            .Rate("AiRate",
                  &P::aiRateBps,
                  {5 * MBPS, 40 * MBPS, 5 * MBPS}, // [1] [2] [3]
                  Range::Above(0),
                  "Additive step; only hpcc-sim's own is scaled: times line rate / 25 Gb/s")
            .Rate("HaiRate",
                  &P::haiRateBps,
                  {50 * MBPS, 200 * MBPS, 50 * MBPS}, // [1] [5] [3]
                  Range::Above(0),
                  "Hyper step; scaled as AiRate")
            // These steps are for each 25 Gb/s of the line [3]
            .Fixed("AiPer25G", &P::aiPer25G, {false, false, true})
            .Fixed("HaiPer25G", &P::haiPer25G, {false, false, true})
            // true: the i-th hyper event since the cut adds i steps [2] [4]
            .Fixed("HyperMultiplier", &P::hyperMultiplier, {false, true, false})
            .Choice("StageRule",
                    &P::timeOnlyStages,
                    {false, false, true}, // [2] [2] [4]
                    {{"both", false}, {"time", true}},
                    "both: hyper increase needs bytes and time; time: as the HPCC simulator")
            .Count("Gd",
                   &P::gd,
                   {11}, // [1], and equal to the formulas of [2] and [4]
                   Range::Within(0, 1000),
                   "rpg_gd: a cut takes the share alpha / 2^(Gd - 10) of the rate")
            .Number("MinDecFac",
                    &P::minDecFac,
                    {0.5, 0.0, 0.0}, // [1] [4]
                    Range::Within(0, 1),
                    "Least share of the rate after a cut")
            .Rate("MinRate",
                  &P::minRateBps,
                  {1 * MBPS, 1 * MBPS, 1000 * MBPS}, // [1] [b] [3]
                  Range::Above(0),
                  "Floor of the rate")
            .Choice("ClampTarget",
                    &P::clamp,
                    {C::AFTER_TIME_INC, C::ALWAYS, C::AFTER_TIME_INC}, // [1] [2] [4]
                    {{"always", C::ALWAYS},
                     {"afterTimeInc", C::AFTER_TIME_INC},
                     {"afterByteInc", C::AFTER_BYTE_INC},
                     {"never", C::NEVER}},
                    "When a cut lowers the target")
            // true: a CNP raises alpha before it cuts (alpha timer restarted by CNPs) [c] [2] [4]
            .Fixed("AlphaBeforeCut", &P::alphaBeforeCut, {true, false, true})
            .Number("InitialAlpha",
                    &P::initialAlpha,
                    {1023.0 / 1024, 1.0, 1.0}, // [1] [2] [4]
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
                  {true, false, false}, // [6] [4]
                  "true: forget the state when the rate is back at line rate")
            .Constants({{"TenBitAlpha", "false"}})
            .Duration("MinTimeBetweenCnps",
                      &P::minTimeBetweenCnpsPs,
                      {4 * PS_PER_US, 50 * PS_PER_US, 0 * PS_PER_US}, // [1] [2] [4]
                      Range::AtLeast(0),
                      "The receiver's interval between CNPs; 0: none")
            .Live()
            .Flag("CnpInAck",
                  &P::cnpInAck,
                  {false, false, true}, // [4]
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

} // namespace ns3::roce
