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
            // Gain of rate and window in STARTUP [1] [2]
            .Fixed("StartupGain", &P::startupGain, {HIGH_GAIN, 2.89})
            // Gain of the rate in DRAIN [1] [2]
            .Fixed("DrainGain", &P::drainGain, {1 / HIGH_GAIN, 0.35})
            .Constants({{"CwndGain", "2"}, {"BwRounds", std::to_string(P::BW_ROUNDS)}})
            .Choice("Rounds", &P::clocked, {false, true}, {{"acks", false}, {"rtProp", true}})
            .Help("Round trips and phases end by acks, or each rtProp by the clock") // [1] [2]
            .Duration("RttWindow", &P::rttWindowPs, {10000 * PS_PER_MS}, Range::AtLeast(0))
            .Help("Time in which the least RTT counts") // [1] [a]
            // true: drain the queue when RTprop is too old [1] [2]
            .Fixed("ProbeRtt", &P::probeRtt, {true, false})
            .Duration("ProbeRttDuration",
                      &P::probeRttDurationPs,
                      {200 * PS_PER_MS},
                      Range::AtLeast(0)) // [1] [a]
            .Help("Length of PROBE_RTT")
            .Number("MaxCwndBdp", &P::maxCwndBdp, {0, 1}, Range::AtLeast(0))
            .Help("Greatest window, BDPs; 0: none") // [1] [2]
            // Least window after an ACK and window of PROBE_RTT, full frames [1] [2]
            .Fixed("MinFrames", &P::minFrames, {4, 1})
            // Frames in flight in addition to gain times BDP [4] [2]
            .Fixed("QuantaFrames", &P::quantaFrames, {3, 1})
            // true: packet conservation after a loss, the window comes back after timeouts [1] [2]
            .Fixed("Recovery", &P::recovers, {true, false})
            // Where each packet has a timer, the window falls to a frame with each, or only with
            // that of the oldest packet [3] [2]
            .Fixed("TimeoutScope",
                   &P::eachTimeout,
                   {false, true},
                   {{"oldest", false}, {"each", true}})
            // Phase that PROBE_BW begins with; -1: from a hash of the time [1] [2]
            .Fixed("StartPhase", &P::startPhase, {-1, 0})
            // Period of a delivery rate: the longer one of sending and acknowledging, or the
            // frame's RTT [1] [2]
            .Fixed("SampleInterval", &P::byRtt, {false, true}, {{"longer", false}, {"rtt", true}})
            // true: samples of application-limited frames only raise the bandwidth, and do not end
            // STARTUP [1] [2]
            .Fixed("AppLimited", &P::appLimited, {true, false})
            // true: after STARTUP the window falls with its target; false: with timeouts only [1]
            // [2]
            .Fixed("WindowFalls", &P::windowFalls, {true, false})
            // Least bandwidth for the pace; 0: none [1] [2]
            .Fixed<kind::Rate>("MinPacing", &P::minPacingBps, {0, 3000000000})
            // The pace follows with each ACK, or each round trip takes that of the last ACK before
            // it [1] [2]
            .Fixed("PacingUpdate",
                   &P::pacingByRound,
                   {false, true},
                   {{"ack", false}, {"round", true}})
            // With a gain above 1, a gap between frames that has not grown by this becomes twice
            // this shorter than the last one; 0: it follows the gain [1] [2][5]
            .Fixed<kind::Duration>("PacingStep", &P::pacingStepPs, {0, 344000})
            .Live()
            // length of the ring of samples
            // the current RTprop was measured the old way
            // Propagation delay: measured, or baseRtt of the path [1] [2]
            .Fixed("RtProp",
                   &P::measuredRtt,
                   {true, false},
                   {{"measured", true}, {"baseRtt", false}})
            // of the start alone
            .Number("InitialCwnd",
                    &P::initialCwnd,
                    {10, 0},
                    Range::AtLeast(1).Or(0)) // [3] [2]
            .Help("First window, full frames; 0: BDP");
    return table;
}

} // namespace ns3::roce
