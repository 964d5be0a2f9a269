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
            .Number("AlphaFraction", &P::alphaFraction, {0.001}, positive)
            .Help("Additive increase per RTT, share of a BDP") // [1]; E1
            .Constants({{"AlphaBdpRef", "own"},
                        {"MdBdpRef", "own"},
                        {"MinCwnd", "1"},
                        {"PacingGain", "1"},
                        {"TimeoutReaction", "none"},
                        {"EpochPeriod", "that of EpochMode"},
                        {"QaPeriodMode", "base"}})
            .Number("K", &P::kBytes, {0, 24576}, notNegative)
            .Help("K of the decrease 4K / (K + BDP), bytes; 0: intra BDP / 7") // [1]
            .Number("MaxCwndBdp", &P::maxCwndBdp, {1.25, 1}, positive)
            .Help("Largest window, BDP")        // [a]; E15
            .Flag("Pacing", &P::pacing, {true}) // [a]; E16
            .Help("Pace at cwnd / base RTT")
            // Least time between two pacing rates, share of the base RTT; 0: none
            .Fixed("PacingUpdateShare", &P::pacingUpdateShare, {0, 0.05})
            .Choice("EpochMode", &P::ownEpochs, {false}, {{"intra", false}, {"own", true}})
            .Help("Epochs last: intra (IntraRtt) or own (base RTT)") // [2]; E3
            // base, or measured: an epoch is longer as the last RTT is [a]; E3
            .Fixed("EpochPeriodMode",
                   &P::measuredEpochs,
                   {false, true},
                   {{"base", false}, {"measured", true}})
            .Flag("EpochCatchUp", Nested(&P::epoch, &E::catchUp), {true, false}) // [a]; E8
            .Help("After idle times epochs do not end one after the other")
            // After Quick Adapt epochs: goOn, or pause until windowSent [a]; E10
            .Fixed("EpochAfterQa",
                   &P::epochAfterQa,
                   {false, true},
                   {{"goOn", false}, {"windowSent", true}})
            .Number("EcnGain",
                    Nested(&P::epoch, &E::gain),
                    {1.0 / 16, 0.65},
                    Range::AboveUpTo(0, 1)) // [b] [d]; E6
            .Help("g of the average of marks")
            .Choice("FallingEwma",
                    &P::fallingIncrease,
                    {false, true},
                    {{"cut", false}, {"increase", true}}) // [2]; E7
            .Help("A marked epoch that lowers the average leads to: cut or increase")
            .Number("MdScale", &P::mdScale, {0.3, 0.35}, Range::Within(0, 1)) // [3]; E4
            .Help("Factor of a decrease for marks without delay")
            .Choice("MdScaleMode",
                    &P::cumulative,
                    {false},
                    {{"fixed", false}, {"cumulative", true}}) // [a]; E4
            .Help("In a row MdScale stays fixed or gets cumulative")
            .Duration("GentleDelayTolerance", &P::gentleDelayPs, {1400000, 0}, Range::AtLeast(0))
            .Help("RTT above the base RTT that is no delay") // [a]; E5
            // More of it, share of the base RTT [a]; E5
            .Fixed("GentleDelayShare", &P::gentleShare, {0, 0.055})
            .Number("QaBeta", Nested(&P::qa, &Q::beta), {0.5}, Range::AboveUpTo(0, 1)) // [1]
            .Help("Share of the window below which it acts")
            // Window after it, in what was acknowledged [3]
            .Fixed("QaScale", Nested(&P::qa, &Q::scale), {1, 0.96})
            // Its period in RTTs [4]; E9
            .Fixed("QaPeriodFactor", &P::qaPeriodFactor, {1, 1.05})
            .Choice("QaReference",
                    Nested(&P::qa, &Q::current),
                    {false, true},
                    {{"minOfTwo", false}, {"current", true}}) // [a]; E9
            .Help("Which window: minOfTwo (at the start of this period or that before) or current")
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
                    {true},
                    {{"now", false}, {"sent", true}}) // [a]; E9
            .Help("The next period opens: now, or with an ACK of data sent since")
            // It comes last or first in the handling of an ACK [a]
            .Fixed("QaOrder", &P::qaFirst, {false, true}, {{"last", false}, {"first", true}})
            .Live()
            // delays of the epoch that is open count from T
            .Duration("IntraRtt", &P::intraRttPs, {14 * PS_PER_US, 14027500}, Range::Above(0))
            .Help("RTT inside a datacenter") // [1]; E42
            .Duration("InterRtt", &P::interRttPs, {0, 1792040000}, Range::AtLeast(0))
            .Help("RTT between datacenters with RttBaseMode=class; 0: the path's") // E42
            // Base RTT: of the path, or of its class (IntraRtt or InterRtt) [a]; E42
            .Fixed("RttBaseMode", &P::classRtt, {false, true}, {{"path", false}, {"class", true}})
            // of the start alone: first window, epoch and average
            .Number("InitialCwndBdp", &P::initialCwndBdp, {1}, positive)
            .Help("First window, BDP") // [a]; E14
            // The first epoch opens at firstAck or after a window, windowSent [2]
            .Fixed("EpochStart",
                   &P::epochFromWindow,
                   {false, true},
                   {{"firstAck", false}, {"windowSent", true}})
            .Number("EcnInit", Nested(&P::epoch, &E::init), {1, 0}, Range::Within(0, 1)) // [b]; E6
            .Help("That average at first")
            // what the epoch that is open has counted
            // Marks are shares of packets or bytes [2]
            .Fixed("EcnUnit",
                   Nested(&P::epoch, &E::byBytes),
                   {false, true},
                   {{"packets", false}, {"bytes", true}})
            .Choice("DelayStat",
                    Nested(&P::epoch, &E::lastDelay),
                    {false, true},
                    {{"minMarked", false}, {"last", true}}) // [a]; E5
            .Help("Delay of an epoch: minMarked (least of marked packets) or last")
            // the period that is open would end late, or twice
            .Flag("QaEnable", Nested(&P::qa, &Q::enabled), {true}) // [4]; E9
            .Help("Quick Adapt")
            .Number("QaTimer",
                    Nested(&P::qa, &Q::timerPeriods),
                    {1.5, 0},
                    notNegative) // [a]; E9
            .Help("A period without ACKs ends after this many periods, 1 or more; 0: never")
            .Finish([](P& p, const Parameters<P>&) {
                Table().Require(p.qa.timerPeriods == 0 || p.qa.timerPeriods >= 1,
                                "QaTimer",
                                kind::Number::Print(p.qa.timerPeriods),
                                "1 period or more, or 0 (none)");
            });
    return table;
}

} // namespace ns3::roce
