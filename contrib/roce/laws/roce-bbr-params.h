// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BBR_PARAMS_H
#define ROCE_BBR_PARAMS_H

#include "ns3/roce-parameters.h"

#include <cstdint>

namespace ns3::roce
{

/// Parameters of Bbr.
struct BbrParams
{
    /// Round trips of which the greatest delivery rate counts [1].
    static constexpr uint32_t BW_ROUNDS = 10;

    double startupGain;
    double drainGain;
    bool clocked; //!< round trips and phases last an RTprop by the clock
    bool measuredRtt;
    int64_t rttWindowPs;
    bool probeRtt;
    int64_t probeRttDurationPs;
    double initialCwnd; //!< 0: BDP
    double maxCwndBdp;  //!< 0: none
    double minFrames;
    double quantaFrames;
    bool recovers;
    bool eachTimeout;
    int startPhase;  //!< -1: hash of the time
    bool byRtt;      //!< delivery rates are over the frame's own RTT
    bool appLimited; //!< application-limited samples only raise the bandwidth
    bool windowFalls;
    uint64_t minPacingBps; //!< before the gain; 0: none
    bool pacingByRound;
    int64_t pacingStepPs; //!< 0: none

    static const ParameterTable<BbrParams>& Table();
};

} // namespace ns3::roce

#endif /* ROCE_BBR_PARAMS_H */
