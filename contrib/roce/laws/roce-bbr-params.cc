// SPDX-License-Identifier: GPL-2.0-only
#include "roce-bbr-params.h"

#include "roce-bbr.h"

#include "ns3/roce-time.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Bbr);

namespace
{

/// 2 / ln 2: the least gain that doubles the rate each round trip.
constexpr double HIGH_GAIN = 2.8853900817779268;

} // namespace

/*
 * Sources of the values:
 * [1] Cardwell et al., ACM Queue 2016; draft-cardwell-iccrg-bbr-congestion-control-00, whose names
 *     are used here.
 * [2] the htsim code that was published with Uno (SC 2025), commit 68d164e.
 * [3] RFC 6928; RFC 6298 (one timer).
 * [4] the draft's three send quanta; a NIC that paces each frame has quanta of one.
 * [5] the time of 4,300 bytes at 100 Gbit/s, there for every line rate.
 * [a] without effect in artifact.
 */
const ParameterTable<BbrParams>&
BbrParams::Table()
{
    using P = BbrParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Bbr", {"paper", "artifact"})
            .Number("StartupGain",
                    &P::startupGain,
                    {HIGH_GAIN, 2.89}, // [1] [2]
                    Range::Above(1),
                    "Gain of rate and window in STARTUP")
            .Number("DrainGain",
                    &P::drainGain,
                    {1 / HIGH_GAIN, 0.35}, // [1] [2]
                    Range::Above(0).Below(1),
                    "Gain of the rate in DRAIN")
            .Number("CwndGain",
                    &P::cwndGain,
                    {2}, // [1] [2]
                    Range::AtLeast(1),
                    "Gain of the window after STARTUP")
            .Choice("Rounds",
                    &P::clocked,
                    {false, true}, // [1] [2]
                    {{"acks", false}, {"rtProp", true}},
                    "Round trips and phases end by acks, or each rtProp by the clock")
            .Duration("RttWindow",
                      &P::rttWindowPs,
                      {10000 * PS_PER_MS}, // [1] [a]
                      Range::AtLeast(0),
                      "Time in which the least RTT counts")
            .Flag("ProbeRtt",
                  &P::probeRtt,
                  {true, false}, // [1] [2]
                  "true: drain the queue when RTprop is too old")
            .Duration("ProbeRttDuration",
                      &P::probeRttDurationPs,
                      {200 * PS_PER_MS}, // [1] [a]
                      Range::AtLeast(0),
                      "Length of PROBE_RTT")
            .Number("MaxCwndBdp",
                    &P::maxCwndBdp,
                    {0, 1}, // [1] [2]
                    Range::AtLeast(0),
                    "Greatest window, BDPs; 0: none")
            .Number("MinFrames",
                    &P::minFrames,
                    {4, 1}, // [1] [2]
                    Range::AtLeast(1),
                    "Least window after an ACK and window of PROBE_RTT, full frames")
            .Number("QuantaFrames",
                    &P::quantaFrames,
                    {3, 1}, // [4] [2]
                    Range::AtLeast(0),
                    "Frames in flight in addition to gain times BDP")
            .Flag("Recovery",
                  &P::recovers,
                  {true, false}, // [1] [2]
                  "true: packet conservation after a loss, the window comes back after timeouts")
            .Choice("TimeoutScope",
                    &P::eachTimeout,
                    {false, true}, // [3] [2]
                    {{"oldest", false}, {"each", true}},
                    "Where each packet has a timer, the window falls to a frame with each, or only "
                    "with that of the oldest packet")
            .Count("StartPhase",
                   &P::startPhase,
                   {-1, 0}, // [1] [2]
                   Range::Within(-1, 7),
                   "Phase that PROBE_BW begins with; -1: from a hash of the time")
            .Choice("SampleInterval",
                    &P::byRtt,
                    {false, true}, // [1] [2]
                    {{"longer", false}, {"rtt", true}},
                    "Period of a delivery rate: the longer one of sending and acknowledging, or "
                    "the frame's RTT")
            .Flag(
                "AppLimited",
                &P::appLimited,
                {true, false}, // [1] [2]
                "true: samples of application-limited frames only raise the bandwidth, and do not "
                "end STARTUP")
            .Flag("WindowFalls",
                  &P::windowFalls,
                  {true, false}, // [1] [2]
                  "true: after STARTUP the window falls with its target; false: with timeouts only")
            .Rate("MinPacing",
                  &P::minPacingBps,
                  {0, 3000000000}, // [1] [2]
                  Range::AtLeast(0),
                  "Least bandwidth for the pace; 0: none")
            .Choice("PacingUpdate",
                    &P::pacingByRound,
                    {false, true}, // [1] [2]
                    {{"ack", false}, {"round", true}},
                    "The pace follows with each ACK, or each round trip takes that of the last ACK "
                    "before it")
            .Duration("PacingStep",
                      &P::pacingStepPs,
                      {0, 344000}, // [1] [2][5]
                      Range::AtLeast(0),
                      "With a gain above 1, a gap between frames that has not grown by this "
                      "becomes twice this shorter than the last one; 0: it follows the gain")
            .Live()
            // length of the ring of samples
            .Count("BwRounds",
                   &P::bwRounds,
                   {10}, // [1] [2]
                   Range::Within(1, MAX_BW_ROUNDS),
                   "Round trips of which the greatest delivery rate counts")
            // the current RTprop was measured the old way
            .Choice("RtProp",
                    &P::measuredRtt,
                    {true, false}, // [1] [2]
                    {{"measured", true}, {"baseRtt", false}},
                    "Propagation delay: measured, or baseRtt of the path")
            // of the start alone
            .Number("InitialCwnd",
                    &P::initialCwnd,
                    {10, 0}, // [3] [2]
                    Range::AtLeast(1).Or(0),
                    "First window, full frames; 0: BDP");
    return table;
}

} // namespace ns3::roce
