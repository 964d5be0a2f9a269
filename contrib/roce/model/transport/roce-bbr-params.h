/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_BBR_PARAMS_H
#define ROCE_BBR_PARAMS_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief BBR's parameters after the preset and the attributes have been put together.
 */
struct BbrParams
{
    /// Longest filter of the bandwidth, round trips.
    static constexpr uint32_t MAX_BW_ROUNDS = 16;

    double startupGain;         //!< of rate and window in STARTUP
    double drainGain;           //!< of the rate in DRAIN
    double cwndGain;            //!< of the window afterwards
    uint32_t bwRounds;          //!< length of the filter of the bandwidth
    bool clocked;               //!< round trips and phases last an RTprop by the clock
    bool measuredRtt;           //!< RTprop is measured
    int64_t rttWindowPs;        //!< length of the filter of the RTT
    bool probeRtt;              //!< there is PROBE_RTT
    int64_t probeRttDurationPs; //!< its length
    double initialCwnd;         //!< full frames; 0: BDP
    double maxCwndBdp;          //!< greatest window, BDPs; 0: none
    double minFrames;           //!< least window after an ACK, full frames
    double quantaFrames;        //!< frames in flight besides gain * BDP
    bool recovers;              //!< packet conservation after a loss, the window comes back
    bool eachTimeout;           //!< the window falls with each packet's timer, not once
    int startPhase;             //!< first phase of the cycle; -1: hash of the time
};

/**
 * @ingroup roce
 * @brief BBR's attributes as the user gave them.
 *
 * The attribute Preset gives every parameter a value; each can be overridden on its own (-1, -1ns
 * or an empty text means "from the preset"):
 *
 * | attribute        | paper (default) | artifact        |
 * |------------------|-----------------|-----------------|
 * | StartupGain      | 2/ln 2 [1]      | 2.89 [2]        |
 * | DrainGain        | ln 2 / 2 [1]    | 0.35 [2]        |
 * | CwndGain         | 2 [1]           | 2 [2]           |
 * | BwRounds         | 10 [1]          | 10 [2]          |
 * | Rounds           | acks [1]        | rtProp [2]      |
 * | RtProp           | measured [1]    | baseRtt [2]     |
 * | RttWindow        | 10 s [1]        | (not used)      |
 * | ProbeRtt         | true [1]        | false [2]       |
 * | ProbeRttDuration | 200 ms [1]      | (not used)      |
 * | InitialCwnd      | 10 [3]          | 0 = BDP [2]     |
 * | MaxCwndBdp       | 0 = none [1]    | 1 [2]           |
 * | MinFrames        | 4 [1]           | 1 [2]           |
 * | QuantaFrames     | 3 [4]           | 1 [2]           |
 * | Recovery         | true [1]        | false [2]       |
 * | TimeoutScope     | oldest [3]      | each [2]        |
 *
 * [1] Cardwell et al., ACM Queue 2016; draft-cardwell-iccrg-bbr-congestion-control-00, whose names
 * are used here. [2] the htsim code that was published with Uno (SC 2025), commit 68d164e. [3] RFC
 * 6928; RFC 6298 (one timer). [4] the draft's three send quanta; a NIC that paces each frame has
 * quanta of one.
 */
struct BbrSettings
{
    std::string preset;
    double startupGain;
    double drainGain;
    double cwndGain;
    int64_t bwRounds;
    std::string rounds;
    std::string rtProp;
    Time rttWindow;
    std::string probeRtt;
    Time probeRttDuration;
    double initialCwnd;
    double maxCwndBdp;
    double minFrames;
    double quantaFrames;
    std::string recovery;
    std::string timeoutScope;
    int64_t startPhase;

    /**
     * @brief Put preset and attributes together.
     * @return the parameters
     * @throw InputError if a value is out of range
     */
    BbrParams Resolve() const;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_BBR_PARAMS_H */
