/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_DCQCN_PARAMS_H
#define ROCE_DCQCN_PARAMS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace roce
{

/**
 * @brief When a cut also lowers the target rate to the current rate.
 *
 * The firmware's flags: clamp_tgt_rate is ALWAYS, clamp_tgt_rate_after_time_inc ("increased due to
 * the timer, and not only due to the byte counter") is AFTER_TIME_INC, neither is AFTER_BYTE_INC;
 * so do the DCQCN authors in bobzhuyb/ns3-rdma. Without the byte counter's part a flow whose byte
 * stages are shorter than its timer would aim at the line rate for ever.
 */
enum class DcqcnClamp : uint8_t
{
    ALWAYS,         //!< at every cut
    AFTER_TIME_INC, //!< if byte counter or timer have raised the rate since the last cut
    AFTER_BYTE_INC, //!< if the byte counter has
    NEVER,          //!< not at all
};

/**
 * @ingroup roce
 * @brief DCQCN's parameters after the profile and the attributes have been put together.
 */
struct DcqcnParams
{
    double gain;                  //!< g, 0 < g <= 1
    int64_t alphaPeriodPs;        //!< period of the alpha timer
    bool alphaFreeRunning;        //!< fixed ticks; otherwise each CNP restarts the timer
    int64_t cutPeriodPs;          //!< at most one cut in this time; 0: a cut on each CNP
    bool cutFreeRunning;          //!< cuts happen only on fixed ticks of cutPeriodPs
    int64_t timeResetPs;          //!< period of the increase timer; 0 = off
    int64_t byteResetBytes;       //!< wire bytes of one byte stage; 0 = off
    uint32_t threshold;           //!< F, stages
    double aiRateBps;             //!< additive step
    double haiRateBps;            //!< hyper step
    bool aiPer25G;                //!< aiRateBps is for a 25 Gb/s line and scales with the line
    bool haiPer25G;               //!< the same for haiRateBps
    bool hyperMultiplier;         //!< the i-th hyper event since the cut adds i hyper steps
    bool timeOnlyStages;          //!< stage rule of the HPCC simulator (see Dcqcn)
    double minDecFac;             //!< a cut leaves at least this share of the rate
    double minRateBps;            //!< floor of the rate
    DcqcnClamp clamp;             //!< see DcqcnClamp
    bool alphaBeforeCut;          //!< a CNP raises alpha first and cuts then
    double initialAlpha;          //!< alpha when the state is made
    double firstCnpRateBps;       //!< rate and target at the first CNP; 0 = keep
    double firstCnpFraction;      //!< the same as a share of the line rate; 1 = keep
    int64_t minTimeBetweenCnpsPs; //!< the receiver's CNP interval
    bool release;                 //!< forget the state once the rate is back at the line rate
    bool cnpInAck;                //!< ACKs that echo CE count as CNPs, and there are no others
    bool tenBitAlpha;             //!< alpha is an integer of 0..1023
    bool bdpWindow;               //!< window of BDP * R / line rate
};

/**
 * @ingroup roce
 * @brief DCQCN's attributes as the user gave them.
 *
 * The attribute Profile gives every parameter a value; each can be overridden on its own (an
 * attribute left at its default, -1, 0 for rates, or an empty text, means "from the profile"):
 *
 * | attribute             | nvidia           | paper        | hpcc-sim               |
 * |-----------------------|------------------|--------------|------------------------|
 * | Gain                  | 5/1024 [1]       | 1/256 [2]    | 1/256 [3]              |
 * | AlphaPeriod           | 1 us [1]         | 55 us [2]    | 1 us [3]               |
 * | AlphaTimerFreeRunning | true [1]         | false [2]    | true [4]               |
 * | CutPeriod             | 4 us [1]         | 0 [2]        | 4 us [3]               |
 * | CutTimerFreeRunning   | false [a]        | false        | true [4]               |
 * | TimeReset             | 300 us [1]       | 55 us [2]    | 300 us [3]             |
 * | ByteReset             | 32767 B [1]      | 10 MB [2]    | 0 = off [4]            |
 * | Threshold             | 1 [1]            | 5 [2]        | 1 [3]                  |
 * | AiRate                | 5 Mb/s [1]       | 40 Mb/s [2]  | 5 Mb/s * line/25G [3]  |
 * | HaiRate               | 50 Mb/s [1]      | 200 Mb/s [5] | 50 Mb/s * line/25G [3] |
 * | HyperMultiplier       | false            | true [2]     | false [4]              |
 * | StageRule             | both [2]         | both [2]     | time [4]               |
 * | MinDecFac             | 0.5 [1]          | 0            | 0 [4]                  |
 * | MinRate               | 1 Mb/s [1]       | 1 Mb/s [b]   | 1 Gb/s [3]             |
 * | ClampTarget           | afterTimeInc [1] | always [2]   | afterTimeInc [4]       |
 * | AlphaBeforeCut        | true [c]         | false [2]    | true [4]               |
 * | InitialAlpha          | 1023/1024 [1]    | 1 [2]        | 1 [4]                  |
 * | RateOnFirstCnp        | keep [1]         | keep         | keep [4]               |
 * | FractionOnFirstCnp    | 1                | 1            | 1 [4]                  |
 * | MinTimeBetweenCnps    | 4 us [1]         | 50 us [2]    | 0 [4]                  |
 * | ReleaseAtLineRate     | true [6]         | false        | false [4]              |
 * | CnpInAck              | false            | false        | true [4]               |
 *
 * [1] defaults in the NVIDIA DOCA page "DCQCN CC Parameters" and in mlxconfig dumps of recent
 * ConnectX. [2] SIGCOMM 2015 paper. [3] run.py of alibaba-edu/High-Precision-Congestion-Control.
 * [4] rdma-hw.cc there (CC mode 1; every CE mark is a CNP). [5] configuration of the DCQCN authors'
 * simulator, bobzhuyb/ns3-rdma; the paper has no value. [6] rpg_max_rate: the limiter is freed at
 * that rate, so the next CNP is again a first one. [a] The firmware text only promises one cut per
 * period; here the first CNP cuts at once and one that comes too soon cuts when the period is over.
 * [b] not in the paper; the firmware's value. [c] without effect: this order matters only if
 * AlphaTimerFreeRunning is false.
 */
struct DcqcnSettings
{
    std::string profile;
    double gain;
    Time alphaPeriod;
    std::string alphaFreeRunning;
    Time cutPeriod;
    std::string cutFreeRunning;
    Time timeReset;
    int64_t byteReset;
    int64_t threshold;
    DataRate aiRate;
    DataRate haiRate;
    std::string hyperMultiplier;
    std::string stageRule;
    double minDecFac;
    DataRate minRate;
    std::string clampTarget;
    std::string alphaBeforeCut;
    double initialAlpha;
    DataRate rateOnFirstCnp;
    double fractionOnFirstCnp;
    Time minTimeBetweenCnps;
    std::string release;
    std::string cnpInAck;
    bool tenBitAlpha;
    std::string window;

    /**
     * @brief Put profile and attributes together.
     * @return the parameters
     * @throw InputError if a value is out of range
     */
    DcqcnParams Resolve() const;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_DCQCN_PARAMS_H */
