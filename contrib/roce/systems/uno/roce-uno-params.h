// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_PARAMS_H
#define ROCE_UNO_PARAMS_H

#include "roce-uno-window.h"

#include "ns3/roce-parameters.h"

#include <cstdint>

namespace ns3::roce
{

/// @brief UnoCC's parameters, in the units it computes with. What they mean: see Table().
struct UnoParams
{
    double alphaFraction;
    double kBytes; //!< 0: BDP inside a datacenter / 7
    int64_t intraRttPs;
    int64_t interRttPs; //!< 0: the path's
    bool classRtt;      //!< T is intraRttPs or interRttPs, not the path's base RTT
    double initialCwndBdp;
    double maxCwndBdp;
    bool pacing;
    double pacingUpdateShare; //!< of T
    bool ownEpochs;           //!< epochs last T, not RTT inside a datacenter
    bool measuredEpochs;      //!< epochs last as long in T as the last RTT is measured
    UnoEpoch::Rules epoch;    //!< ECN counters and their average
    bool epochFromWindow;     //!< the first epoch opens when a window has been sent
    bool epochAfterQa;        //!< Quick Adapt closes epochs until a window has been sent
    bool fallingIncrease;     //!< an epoch that lowers the average increases, see UnoCc
    double mdScale;
    bool cumulative; //!< gentle cuts in a row multiply their factors
    int64_t gentleDelayPs;
    double gentleShare;    //!< of T, on top of gentleDelayPs
    QuickAdapt::Rules qa;  //!< when and how
    double qaPeriodFactor; //!< of T
    double qaSkipRtts;     //!< of T
    bool qaFirst;          //!< an ACK is checked for Quick Adapt before AI and epoch

    static const ParameterTable<UnoParams>& Table();
};

} // namespace ns3::roce

#endif /* ROCE_UNO_PARAMS_H */
