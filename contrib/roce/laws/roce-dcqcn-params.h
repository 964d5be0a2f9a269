// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DCQCN_PARAMS_H
#define ROCE_DCQCN_PARAMS_H

#include "ns3/roce-parameters.h"

#include <cstdint>

namespace ns3::roce
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

/// @brief DCQCN's parameters after the profile and the attributes have been put together.
struct DcqcnParams
{
    double gain;
    int64_t alphaPeriodPs;
    bool alphaFreeRunning;
    int64_t cutPeriodPs;
    bool cutFreeRunning;
    int64_t timeResetPs;
    int64_t byteResetBytes;
    uint32_t threshold;
    double aiRateBps;
    double haiRateBps;
    bool aiPer25G;  //!< aiRateBps is for a 25 Gb/s line and scales with the line
    bool haiPer25G; //!< the same for haiRateBps
    bool hyperMultiplier;
    bool timeOnlyStages;
    uint32_t gd;
    double minDecFac;
    double minRateBps;
    DcqcnClamp clamp;
    bool alphaBeforeCut;
    double initialAlpha;
    double firstCnpRateBps;
    double firstCnpFraction;
    int64_t minTimeBetweenCnpsPs;
    bool release;
    bool cnpInAck;
    bool bdpWindow;
    bool cutOnLoss;
    bool cutFaults; //!< two faults of a simulator, see the table

    static const ParameterTable<DcqcnParams>& Table();
};

} // namespace ns3::roce

#endif /* ROCE_DCQCN_PARAMS_H */
