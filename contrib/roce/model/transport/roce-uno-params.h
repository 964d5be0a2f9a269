/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_UNO_PARAMS_H
#define ROCE_UNO_PARAMS_H

#include "roce-uno-window.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief UnoCC's parameters after the preset and the attributes have been put together.
 */
struct UnoParams
{
    double alphaFraction;     //!< AI per RTT, share of a BDP
    bool alphaIntraBdp;       //!< of the BDP inside a datacenter, not of the path's own
    double kBytes;            //!< K of 4K / (K + BDP); 0: BDP inside a datacenter / 7
    bool mdIntraBdp;          //!< the BDP in it is the one inside a datacenter
    int64_t intraRttPs;       //!< RTT inside a datacenter
    int64_t interRttPs;       //!< RTT between datacenters, with classRtt; 0: the path's
    bool classRtt;            //!< T is intraRttPs or interRttPs, not the path's base RTT
    bool ownEpochs;           //!< epochs last T, not RTT inside a datacenter
    int64_t epochPeriodPs;    //!< epoch; 0: by ownEpochs
    bool measuredEpochs;      //!< epochs last as long in T as the last RTT is measured
    UnoEpoch::Rules epoch;    //!< ECN counters and their average
    bool epochFromWindow;     //!< the first epoch opens when a window has been sent
    bool epochAfterQa;        //!< Quick Adapt closes epochs until a window has been sent
    bool fallingIncrease;     //!< an epoch that lowers the average increases, see UnoCc
    double mdScale;           //!< factor of a gentle cut
    bool cumulative;          //!< gentle cuts in a row multiply their factors
    int64_t gentleDelayPs;    //!< relative delay up to which a cut is gentle
    double gentleShare;       //!< the same as a share of T; both are added
    QuickAdapt::Rules qa;     //!< when and how
    double qaPeriodFactor;    //!< of T (or of the RTT)
    bool qaMeasured;          //!< periods last a measured RTT
    double qaSkipRtts;        //!< T without Quick Adapt and MD after a hit
    bool qaFirst;             //!< an ACK is looked at for Quick Adapt before AI and epoch
    double minCwnd;           //!< full frames
    double initialCwndBdp;    //!< BDP
    double maxCwndBdp;        //!< BDP
    bool pacing;              //!< rate = pacingGain * cwnd / T
    double pacingGain;        //!< see pacing
    double pacingUpdateShare; //!< least time between two rates, share of T
    bool timeoutPacket;       //!< a timeout takes a frame off the window
};

/**
 * @ingroup roce
 * @brief UnoCc's attributes as the user gave them.
 *
 * The attribute Preset gives every parameter a value; each can be overridden on its own (an
 * attribute left at its default, -1, -1ns or an empty text, means "from the preset"). Uno's text
 * leaves much open: E numbers are those of the list of open questions in the documentation.
 *
 * | attribute            | paper (default)       | artifact [c]     | question |
 * |----------------------|-----------------------|------------------|----------|
 * | AlphaFraction        | 0.001 [1]             | 0.001            | E1       |
 * | AlphaBdpRef          | own [a]               | own              | E2       |
 * | K                    | 0 = BDP_intra / 7 [1] | 24576 B          |          |
 * | MdBdpRef             | own [a]               | own              | E2       |
 * | IntraRtt             | 14 us [1]             | 14.0275 us       | E42      |
 * | InterRtt             | 0 = the path's        | 1792.04 us       | E42      |
 * | RttBaseMode          | path [a]              | class            | E42      |
 * | EpochMode            | intra [2]             | intra            | E3       |
 * | EpochPeriod          | 0 = by EpochMode      | 0                | E3       |
 * | EpochPeriodMode      | base [a]              | measured         | E3       |
 * | EpochCatchUp         | true [a]              | false            | E8       |
 * | EpochStart           | firstAck [2]          | windowSent       |          |
 * | EpochAfterQa         | goOn [a]              | windowSent       | E10      |
 * | EcnGain              | 1/16 [b]              | 0.65 [d]         | E6       |
 * | EcnInit              | 1 [b]                 | 0                | E6       |
 * | EcnUnit              | packets [2]           | bytes            |          |
 * | FallingEwma          | cut [2]               | increase         | E7       |
 * | MdScale              | 0.3 [3]               | 0.35             | E4       |
 * | MdScaleMode          | fixed [a]             | fixed            | E4       |
 * | GentleDelayTolerance | 1.4 us [a]            | 0                | E5       |
 * | GentleDelayShare     | 0 [a]                 | 0.055            | E5       |
 * | DelayStat            | minMarked [a]         | last             | E5       |
 * | QaEnable             | true [4]              | true             | E9       |
 * | QaBeta               | 0.5 [1]               | 0.5              |          |
 * | QaScale              | 1 [3]                 | 0.96             |          |
 * | QaPeriodMode         | base [a]              | base             | E9       |
 * | QaPeriodFactor       | 1 [4]                 | 1.05             | E9       |
 * | QaReference          | minOfTwo [a]          | current          | E9       |
 * | QaGuardPackets       | 1 [a]                 | 0                | E9       |
 * | QaSkipRtts           | 1 [4]                 | 0                | E10      |
 * | QaSkipFirst          | true [a]              | false            | E9       |
 * | QaSkipAppLimited     | true [a]              | false            | E9       |
 * | QaTimer              | 1.5 periods [a]       | 0 = none         | E9       |
 * | QaRestart            | sent [a]              | sent             | E9       |
 * | QaOrder              | last [a]              | first            |          |
 * | MinCwnd              | 1 frame [a]           | 1                | E11      |
 * | InitialCwndBdp       | 1 [a]                 | 1                | E14      |
 * | MaxCwndBdp           | 1.25 [a]              | 1                | E15      |
 * | Pacing               | true [a]              | true             | E16      |
 * | PacingGain           | 1 [a]                 | 1                | E16      |
 * | PacingUpdateShare    | 0 = each ACK          | 0.05             |          |
 * | TimeoutReaction      | none [a]              | none [e]         | E41      |
 *
 * [1] table 2 of the paper. [2] section 4.1.1. [3] algorithm 1. [4] section 4.1.2. [a] not in the
 * paper; ours, see UnoCc. [b] not in the paper; DCTCP's (RFC 8257). [c] what the authors' simulator
 * does. [d] 0.5 for figures 10 to 12. [e] all figures are run so; without that option of theirs,
 * "packet".
 */
struct UnoSettings
{
    std::string preset;
    double alphaFraction;
    std::string alphaBdpRef;
    double k;
    std::string mdBdpRef;
    Time intraRtt;
    Time interRtt;
    std::string rttBaseMode;
    std::string epochMode;
    Time epochPeriod;
    std::string epochPeriodMode;
    std::string epochCatchUp;
    std::string epochStart;
    std::string epochAfterQa;
    double ecnGain;
    double ecnInit;
    std::string ecnUnit;
    std::string fallingEwma;
    double mdScale;
    std::string mdScaleMode;
    Time gentleDelayTolerance;
    double gentleDelayShare;
    std::string delayStat;
    std::string qaEnable;
    double qaBeta;
    double qaScale;
    std::string qaPeriodMode;
    double qaPeriodFactor;
    std::string qaReference;
    double qaGuardPackets;
    double qaSkipRtts;
    std::string qaSkipFirst;
    std::string qaSkipAppLimited;
    double qaTimer;
    std::string qaRestart;
    std::string qaOrder;
    double minCwnd;
    double initialCwndBdp;
    double maxCwndBdp;
    std::string pacing;
    double pacingGain;
    double pacingUpdateShare;
    std::string timeoutReaction;

    /**
     * @brief Put preset and attributes together.
     * @return the parameters
     * @throw InputError if a value is out of range
     */
    UnoParams Resolve() const;

  private:
    void ResolveWindow(UnoParams& p) const;
    void ResolveEpoch(UnoParams& p) const;
    void ResolveQuickAdapt(UnoParams& p) const;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_UNO_PARAMS_H */
