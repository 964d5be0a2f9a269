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
            .Choice("AlphaBdpRef",
                    &P::alphaIntraBdp,
                    {false}, // [a]; E2
                    {{"own", false}, {"intra", true}},
                    "BDP of AlphaFraction: the path's own or intra")
            .Number("K",
                    &P::kBytes,
                    {0, 24576}, // [1]
                    notNegative,
                    "K of the decrease 4K / (K + BDP), bytes; 0: intra BDP / 7")
            .Choice("MdBdpRef",
                    &P::mdIntraBdp,
                    {false}, // [a]; E2
                    {{"own", false}, {"intra", true}},
                    "BDP of the decrease: the path's own or intra")
            .Number("MinCwnd",
                    &P::minCwnd,
                    {1}, // [a]; E11
                    positive,
                    "Smallest window, full frames")
            .Number("MaxCwndBdp",
                    &P::maxCwndBdp,
                    {1.25, 1}, // [a]; E15
                    positive,
                    "Largest window, BDP")
            .Flag("Pacing",
                  &P::pacing,
                  {true}, // [a]; E16
                  "Pace at PacingGain * cwnd / base RTT")
            .Number("PacingGain",
                    &P::pacingGain,
                    {1}, // [a]; E16
                    positive,
                    "See Pacing")
            .Number("PacingUpdateShare",
                    &P::pacingUpdateShare,
                    {0, 0.05},
                    notNegative,
                    "Least time between two pacing rates, share of the base RTT; 0: none")
            .Choice("TimeoutReaction",
                    &P::timeoutPacket,
                    {false}, // [a] [e]; E41
                    {{"none", false}, {"packet", true}},
                    "To a timeout: none, or packet (a frame off the window)")
            .Choice("EpochMode",
                    &P::ownEpochs,
                    {false}, // [2]; E3
                    {{"intra", false}, {"own", true}},
                    "Epochs last: intra (IntraRtt) or own (base RTT)")
            .Duration("EpochPeriod",
                      &P::epochPeriodPs,
                      {0}, // E3
                      Range::AtLeast(0),
                      "Epoch; 0: from EpochMode")
            .Choice("EpochPeriodMode",
                    &P::measuredEpochs,
                    {false, true}, // [a]; E3
                    {{"base", false}, {"measured", true}},
                    "base, or measured: an epoch is longer as the last RTT is")
            .Flag("EpochCatchUp",
                  Nested(&P::epoch, &E::catchUp),
                  {true, false}, // [a]; E8
                  "After idle times epochs do not end one after the other")
            .Choice("EpochAfterQa",
                    &P::epochAfterQa,
                    {false, true}, // [a]; E10
                    {{"goOn", false}, {"windowSent", true}},
                    "After Quick Adapt epochs: goOn, or pause until windowSent")
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
            .Number("GentleDelayShare",
                    &P::gentleShare,
                    {0, 0.055}, // [a]; E5
                    notNegative,
                    "More of it, share of the base RTT")
            .Number("QaBeta",
                    Nested(&P::qa, &Q::beta),
                    {0.5}, // [1]
                    Range::AboveUpTo(0, 1),
                    "Share of the window below which it acts")
            .Number("QaScale",
                    Nested(&P::qa, &Q::scale),
                    {1, 0.96}, // [3]
                    Range::AboveUpTo(0, 1),
                    "Window after it, in what was acknowledged")
            .Choice("QaPeriodMode",
                    &P::qaMeasured,
                    {false}, // [a]; E9
                    {{"base", false}, {"measured", true}},
                    "Its period: base or measured RTT")
            .Number("QaPeriodFactor",
                    &P::qaPeriodFactor,
                    {1, 1.05}, // [4]; E9
                    positive,
                    "Its period in RTTs")
            .Choice(
                "QaReference",
                Nested(&P::qa, &Q::current),
                {false, true}, // [a]; E9
                {{"minOfTwo", false}, {"current", true}},
                "Which window: minOfTwo (at the start of this period or that before) or current")
            .Number("QaGuardPackets",
                    Nested(&P::qa, &Q::guardPackets),
                    {1, 0}, // [a]; E9
                    notNegative,
                    "Full frames that must be missing on top")
            .Number("QaSkipRtts",
                    &P::qaSkipRtts,
                    {1, 0}, // [4]; E10
                    notNegative,
                    "Base RTTs without it and MD afterwards")
            .Flag("QaSkipFirst",
                  Nested(&P::qa, &Q::skipFirst),
                  {true, false}, // [a]; E9
                  "Not in the first period")
            .Flag("QaSkipAppLimited",
                  Nested(&P::qa, &Q::skipAppLimited),
                  {true, false}, // [a]; E9
                  "Not after a period in which data to send ran out")
            .Choice("QaRestart",
                    Nested(&P::qa, &Q::restartWhenSent),
                    {true}, // [a]; E9
                    {{"now", false}, {"sent", true}},
                    "The next period opens: now, or with an ACK of data sent since")
            .Choice("QaOrder",
                    &P::qaFirst,
                    {false, true}, // [a]
                    {{"last", false}, {"first", true}},
                    "It comes last or first in the handling of an ACK")
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
            .Choice("RttBaseMode",
                    &P::classRtt,
                    {false, true}, // [a]; E42
                    {{"path", false}, {"class", true}},
                    "Base RTT: of the path, or of its class (IntraRtt or InterRtt)")
            // of the start alone: first window, epoch and average
            .Number("InitialCwndBdp",
                    &P::initialCwndBdp,
                    {1}, // [a]; E14
                    positive,
                    "First window, BDP")
            .Choice("EpochStart",
                    &P::epochFromWindow,
                    {false, true}, // [2]
                    {{"firstAck", false}, {"windowSent", true}},
                    "The first epoch opens at firstAck or after a window, windowSent")
            .Number("EcnInit",
                    Nested(&P::epoch, &E::init),
                    {1, 0}, // [b]; E6
                    Range::Within(0, 1),
                    "That average at first")
            // what the epoch that is open has counted
            .Choice("EcnUnit",
                    Nested(&P::epoch, &E::byBytes),
                    {false, true}, // [2]
                    {{"packets", false}, {"bytes", true}},
                    "Marks are shares of packets or bytes")
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
