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
            .Number("Gain", &P::gain, {5.0 / 1024, 1.0 / 256, 1.0 / 256}, Range::AboveUpTo(0, 1))
            .Help("g of alpha's average") // [1] [2] [3]
            .Duration("AlphaPeriod",
                      &P::alphaPeriodPs,
                      {1 * PS_PER_US, 55 * PS_PER_US, 1 * PS_PER_US},
                      Range::Above(0)) // [1] [2] [3]
            .Help("Alpha timer")
            // true: fixed ticks; false: restarted by each CNP [1] [2] [4]
            .Fixed("AlphaTimerFreeRunning", &P::alphaFreeRunning, {true, false, true})
            .Duration("CutPeriod",
                      &P::cutPeriodPs,
                      {4 * PS_PER_US, 0 * PS_PER_US, 4 * PS_PER_US},
                      Range::AtLeast(0)) // [1] [2] [3]
            .Help("At most one cut in this time; 0: a cut on each CNP")
            .Flag("CutTimerFreeRunning", &P::cutFreeRunning, {false, false, true})
            .Help("true: cuts on fixed ticks of CutPeriod only") // [a], [2], [4], [9]
            .Duration("TimeReset",
                      &P::timeResetPs,
                      {300 * PS_PER_US, 55 * PS_PER_US, 300 * PS_PER_US},
                      Range::AtLeast(0)) // [1] [2] [3]
            .Help("Increase timer; 0: off")
            .Count("ByteReset", &P::byteResetBytes, {32767, 10000000, 0}, Range::AtLeast(0))
            .Help("Wire bytes between byte stages; 0: off") // [1] [2] [4]
            .Count("Threshold", &P::threshold, {1, 5, 1}, Range::AtLeast(1))
            .Help("F, stages of fast recovery") // [1] [2] [3]
            .Rate("AiRate",
                  &P::aiRateBps,
                  {5 * MBPS, 40 * MBPS, 5 * MBPS},
                  Range::Above(0)) // [1] [2] [3]
            .Help("Additive step; only hpcc-sim's own is scaled: times line rate / 25 Gb/s")
            .Rate("HaiRate", &P::haiRateBps, {50 * MBPS, 200 * MBPS, 50 * MBPS}, Range::Above(0))
            .Help("Hyper step; scaled as AiRate") // [1] [5] [3]
            // These steps are for each 25 Gb/s of the line [3]
            .Fixed("AiPer25G", &P::aiPer25G, {false, false, true})
            .Fixed("HaiPer25G", &P::haiPer25G, {false, false, true})
            // true: the i-th hyper event since the cut adds i steps [2] [4]
            .Fixed("HyperMultiplier", &P::hyperMultiplier, {false, true, false})
            .Choice("StageRule",
                    &P::timeOnlyStages,
                    {false, false, true},
                    {{"both", false}, {"time", true}}) // [2] [2] [4]
            .Help("both: hyper increase needs bytes and time; time: as the HPCC simulator")
            .Count("Gd",
                   &P::gd,
                   {11},
                   Range::Within(0, 1000)) // [1], and equal to the formulas of [2] and [4]
            .Help("rpg_gd: a cut takes the share alpha / 2^(Gd - 10) of the rate")
            .Number("MinDecFac", &P::minDecFac, {0.5, 0.0, 0.0}, Range::Within(0, 1)) // [1] [4]
            .Help("Least share of the rate after a cut")
            .Rate("MinRate", &P::minRateBps, {1 * MBPS, 1 * MBPS, 1000 * MBPS}, Range::Above(0))
            .Help("Floor of the rate") // [1] [b] [3]
            .Choice("ClampTarget",
                    &P::clamp,
                    {C::AFTER_TIME_INC, C::ALWAYS, C::AFTER_TIME_INC},
                    {{"always", C::ALWAYS},
                     {"afterTimeInc", C::AFTER_TIME_INC},
                     {"afterByteInc", C::AFTER_BYTE_INC},
                     {"never", C::NEVER}}) // [1] [2] [4]
            .Help("When a cut lowers the target")
            // true: a CNP raises alpha before it cuts (alpha timer restarted by CNPs) [c] [2] [4]
            .Fixed("AlphaBeforeCut", &P::alphaBeforeCut, {true, false, true})
            .Number("InitialAlpha",
                    &P::initialAlpha,
                    {1023.0 / 1024, 1.0, 1.0},
                    Range::Within(0, 1)) // [1] [2] [4]
            .Help("Alpha at first")
            .Rate("RateOnFirstCnp", &P::firstCnpRateBps, {0}, Range::AtLeast(0))
            .Help("Rate and target at the first CNP; 0: FractionOnFirstCnp decides") // [1] [4]
            .Number("FractionOnFirstCnp", &P::firstCnpFraction, {1}, Range::AboveUpTo(0, 1)) // [4]
            .Help("Rate and target at the first CNP, share of the line rate")
            .Flag("ReleaseAtLineRate", &P::release, {true, false, false}) // [6] [4]
            .Help("true: forget the state when the rate is back at line rate")
            .Constants({{"TenBitAlpha", "false"}})
            .Duration("MinTimeBetweenCnps",
                      &P::minTimeBetweenCnpsPs,
                      {4 * PS_PER_US, 50 * PS_PER_US, 0 * PS_PER_US},
                      Range::AtLeast(0)) // [1] [2] [4]
            .Help("The receiver's interval between CNPs; 0: none")
            .Live()
            .Flag("CnpInAck", &P::cnpInAck, {false, false, true}) // [4]
            .Help("true: no CNPs, each ACK that echoes CE counts as one (as the HPCC simulator)")
            .Choice("Window", &P::bdpWindow, {false}, {{"none", false}, {"bdp", true}})
            .Help("none, or bdp: BDP * rate / line rate, at least one frame (Li et al., SIGCOMM "
                  "2019)")
            .Flag("CutOnLoss", &P::cutOnLoss, {false})
            .Help("true: a loss that the sender finds (NAK, timeout) counts as a CNP")
            // Two faults of PARALEON's authors' first simulator. A cut by more than there is makes
            // the rate, an unsigned number, the largest there is. The first CNP of any queue pair
            // of a NIC sets Gd, MinDecFac and Gain of all to the vendor's, until a tuner's next
            // change
            .Fixed("CutFaults", &P::cutFaults, {false})
            .Finish(FinishDcqcn);
    return table;
}

} // namespace ns3::roce
