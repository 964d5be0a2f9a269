// SPDX-License-Identifier: GPL-2.0-only
#include "roce-uno-params.h"

#include "roce-uno-cc.h"

#include "ns3/roce-time.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(UnoCc);

/*
 * Uno's text leaves much open: E numbers are those of the list of open questions in the
 * documentation. Sources of the profile paper:
 * [1] table 2 of the paper.
 * [2] section 4.1.1.
 * [3] algorithm 1.
 * [4] section 4.1.2.
 * [a] not in the paper; ours, see UnoCc.
 * [b] not in the paper; DCTCP's (RFC 8257).
 * The profile artifact is what the authors' simulator does.
 * [d] 0.5 for figures 10 to 12.
 * [e] All figures are run so; without that option of theirs, "packet".
 */
const ParameterTable<UnoParams>&
UnoParams::Table()
{
    using P = UnoParams;
    using E = UnoEpoch::Rules;
    using Q = QuickAdapt::Rules;
    const Range positive = Range::AboveUpTo(0, 1e12); // windows in bytes stay below 2^63
    const Range notNegative = Range::Within(0, 1e12);
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::UnoCc", {"paper", "artifact"})
            .Number("AlphaFraction",
                    &P::alphaFraction,
                    {0.001}, // [1]; E1
                    positive,
                    "Additive increase per RTT, share of a BDP")
            .Constants({{"AlphaBdpRef", "own"},
                        {"MdBdpRef", "own"},
                        {"MinCwnd", "1"},
                        {"PacingGain", "1"},
                        {"TimeoutReaction", "none"},
                        {"EpochPeriod", "that of EpochMode"},
                        {"QaPeriodMode", "base"}})
            .Number("K",
                    &P::kBytes,
                    {0, 24576}, // [1]
                    notNegative,
                    "K of the decrease 4K / (K + BDP), bytes; 0: intra BDP / 7")
            .Number("MaxCwndBdp",
                    &P::maxCwndBdp,
                    {1.25, 1}, // [a]; E15
                    positive,
                    "Largest window, BDP")
            .Flag("Pacing",
                  &P::pacing,
                  {true}, // [a]; E16
                  "Pace at cwnd / base RTT")
            // Least time between two pacing rates, share of the base RTT; 0: none
            .Fixed("PacingUpdateShare", &P::pacingUpdateShare, {0, 0.05})
            .Choice("EpochMode",
                    &P::ownEpochs,
                    {false}, // [2]; E3
                    {{"intra", false}, {"own", true}},
                    "Epochs last: intra (IntraRtt) or own (base RTT)")
            // base, or measured: an epoch is longer as the last RTT is [a]; E3
            .Fixed("EpochPeriodMode",
                   &P::measuredEpochs,
                   {false, true},
                   {{"base", false}, {"measured", true}})
            .Flag("EpochCatchUp",
                  Nested(&P::epoch, &E::catchUp),
                  {true, false}, // [a]; E8
                  "After idle times epochs do not end one after the other")
            // After Quick Adapt epochs: goOn, or pause until windowSent [a]; E10
            .Fixed("EpochAfterQa",
                   &P::epochAfterQa,
                   {false, true},
                   {{"goOn", false}, {"windowSent", true}})
            .Number("EcnGain",
                    Nested(&P::epoch, &E::gain),
                    {1.0 / 16, 0.65}, // [b] [d]; E6
                    Range::AboveUpTo(0, 1),
                    "g of the average of marks")
            .Choice("FallingEwma",
                    &P::fallingIncrease,
                    {false, true}, // [2]; E7
                    {{"cut", false}, {"increase", true}},
                    "A marked epoch that lowers the average leads to: cut or increase")
            .Number("MdScale",
                    &P::mdScale,
                    {0.3, 0.35}, // [3]; E4
                    Range::Within(0, 1),
                    "Factor of a decrease for marks without delay")
            .Choice("MdScaleMode",
                    &P::cumulative,
                    {false}, // [a]; E4
                    {{"fixed", false}, {"cumulative", true}},
                    "In a row MdScale stays fixed or gets cumulative")
            .Duration("GentleDelayTolerance",
                      &P::gentleDelayPs,
                      {1400000, 0}, // [a]; E5
                      Range::AtLeast(0),
                      "RTT above the base RTT that is no delay")
            // More of it, share of the base RTT [a]; E5
            .Fixed("GentleDelayShare", &P::gentleShare, {0, 0.055})
            .Number("QaBeta",
                    Nested(&P::qa, &Q::beta),
                    {0.5}, // [1]
                    Range::AboveUpTo(0, 1),
                    "Share of the window below which it acts")
            // Window after it, in what was acknowledged [3]
            .Fixed("QaScale", Nested(&P::qa, &Q::scale), {1, 0.96})
            // Its period in RTTs [4]; E9
            .Fixed("QaPeriodFactor", &P::qaPeriodFactor, {1, 1.05})
            .Choice(
                "QaReference",
                Nested(&P::qa, &Q::current),
                {false, true}, // [a]; E9
                {{"minOfTwo", false}, {"current", true}},
                "Which window: minOfTwo (at the start of this period or that before) or current")
            // Full frames that must be missing on top [a]; E9
            .Fixed("QaGuardPackets", Nested(&P::qa, &Q::guardPackets), {1, 0})
            // Base RTTs without it and MD afterwards [4]; E10
            .Fixed("QaSkipRtts", &P::qaSkipRtts, {1, 0})
            // Not in the first period [a]; E9
            .Fixed("QaSkipFirst", Nested(&P::qa, &Q::skipFirst), {true, false})
            // Not after a period in which data to send ran out [a]; E9
            .Fixed("QaSkipAppLimited", Nested(&P::qa, &Q::skipAppLimited), {true, false})
            .Choice("QaRestart",
                    Nested(&P::qa, &Q::restartWhenSent),
                    {true}, // [a]; E9
                    {{"now", false}, {"sent", true}},
                    "The next period opens: now, or with an ACK of data sent since")
            // It comes last or first in the handling of an ACK [a]
            .Fixed("QaOrder", &P::qaFirst, {false, true}, {{"last", false}, {"first", true}})
            .Live()
            // delays of the epoch that is open count from T
            .Duration("IntraRtt",
                      &P::intraRttPs,
                      {14 * PS_PER_US, 14027500}, // [1]; E42
                      Range::Above(0),
                      "RTT inside a datacenter")
            .Duration("InterRtt",
                      &P::interRttPs,
                      {0, 1792040000}, // E42
                      Range::AtLeast(0),
                      "RTT between datacenters with RttBaseMode=class; 0: the path's")
            // Base RTT: of the path, or of its class (IntraRtt or InterRtt) [a]; E42
            .Fixed("RttBaseMode", &P::classRtt, {false, true}, {{"path", false}, {"class", true}})
            // of the start alone: first window, epoch and average
            .Number("InitialCwndBdp",
                    &P::initialCwndBdp,
                    {1}, // [a]; E14
                    positive,
                    "First window, BDP")
            // The first epoch opens at firstAck or after a window, windowSent [2]
            .Fixed("EpochStart",
                   &P::epochFromWindow,
                   {false, true},
                   {{"firstAck", false}, {"windowSent", true}})
            .Number("EcnInit",
                    Nested(&P::epoch, &E::init),
                    {1, 0}, // [b]; E6
                    Range::Within(0, 1),
                    "That average at first")
            // what the epoch that is open has counted
            // Marks are shares of packets or bytes [2]
            .Fixed("EcnUnit",
                   Nested(&P::epoch, &E::byBytes),
                   {false, true},
                   {{"packets", false}, {"bytes", true}})
            .Choice("DelayStat",
                    Nested(&P::epoch, &E::lastDelay),
                    {false, true}, // [a]; E5
                    {{"minMarked", false}, {"last", true}},
                    "Delay of an epoch: minMarked (least of marked packets) or last")
            // the period that is open would end late, or twice
            .Flag("QaEnable",
                  Nested(&P::qa, &Q::enabled),
                  {true}, // [4]; E9
                  "Quick Adapt")
            .Number("QaTimer",
                    Nested(&P::qa, &Q::timerPeriods),
                    {1.5, 0}, // [a]; E9
                    notNegative,
                    "A period without ACKs ends after this many periods, 1 or more; 0: never")
            .Finish([](P& p, const Parameters<P>&) {
                Table().Require(p.qa.timerPeriods == 0 || p.qa.timerPeriods >= 1,
                                "QaTimer",
                                kind::Number::Print(p.qa.timerPeriods),
                                "1 period or more, or 0 (none)");
            });
    return table;
}

} // namespace ns3::roce
