// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc-params.h"

#include "ns3/roce-time.h"

namespace ns3::roce
{

/*
 * Theta, TargetDelay, CreditHistory, Alpha: section 4.1 of the paper. It does not say which rate
 * law maps telemetry to rates, nor what a least rate is. Profile literal is Algorithm 2 as printed,
 * which cannot hold a queue at its target.
 */
const ParameterTable<MlccParams>&
MlccParams::Table()
{
    using P = MlccParams;
    using Q = MlccDqm::Settings;
    using DwWindow = MlccDqm::DwWindow;
    using HistoryInit = MlccDqm::HistoryInit;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Mlcc", {"default", "literal"})
            .Duration("Theta",
                      Nested(&P::dqm, &Q::thetaPs),
                      {18.0 * PS_PER_MS},
                      Range::Above(0),
                      "Time to reach TargetDelay; larger than the path's RTT")
            .Duration("TargetDelay",
                      Nested(&P::dqm, &Q::targetPs),
                      {1.0 * PS_PER_MS},
                      Range::AtLeast(0),
                      "D_t: target delay of a flow's queue")
            .Number("Alpha",
                    Nested(&P::dqm, &Q::alpha),
                    {0.5},
                    Range::AboveUpTo(0, 1),
                    "Token gain; 0.5: steps add up to R_DQM - R_credit")
            .Flag("ClampQpre",
                  Nested(&P::dqm, &Q::clampQpre),
                  {false},
                  "The predicted queue is at least 0")
            .Rate("MinRate",
                  &P::minRateBps,
                  {100e6},
                  Range::AtLeast(1),
                  "R_min: least R_credit and least smoothed R_DQM")
            .Number("InterInflightCap",
                    &P::inflightCap,
                    {1},
                    Range::AtLeast(0),
                    "Most data in flight, in line rate times RTT; 0: no bound")
            .Live()
            // state is of the inner law
            .Choice("InnerCc",
                    &P::innerCc,
                    {MlccInnerCc::HPCC},
                    {{"Hpcc", MlccInnerCc::HPCC},
                     {"PowerTcp", MlccInnerCc::POWER_TCP},
                     {"Dcqcn", MlccInnerCc::DCQCN},
                     {"Timely", MlccInnerCc::TIMELY}},
                    "Law that computes R_NS from Switch-INTs and R_credit from data; its own "
                    "attributes count")
            .Flag("CreditFastReact",
                  &P::creditFastReact,
                  {false},
                  "The inner law at the receiver gets each packet; otherwise one update per round")
            // sizes of what is kept, and what rates and windows mean
            .Duration("NearRtt",
                      &P::nearRttPs,
                      {0},
                      Range::AtLeast(0),
                      "Base RTT of R_NS; 0: sender to its external switch and back")
            .Duration("LoopRtt",
                      &P::loopRttPs,
                      {0},
                      Range::AtLeast(0),
                      "Base RTT of R_credit; 0: receiver to its external switch and back")
            .Duration("CrossRtt",
                      &P::crossRttPs,
                      {0},
                      Range::AtLeast(0),
                      "RTT_C; 0: base RTT of the path")
            .Duration("RoundRtt",
                      &P::roundRttPs,
                      {0},
                      Range::AtLeast(0),
                      "RTT_D in n = RTT_C / RTT_D; 0: as LoopRtt")
            .Count("CreditHistory",
                   Nested(&P::dqm, &Q::m),
                   {5},
                   Range::Within(1, 1024),
                   "m: rounds whose R_credit converts the predicted queue into a delay")
            .Choice("DqmHistory",
                    Nested(&P::dqm, &Q::smoothed),
                    {true},
                    {{"smoothed", true}, {"raw", false}},
                    "Rates used by the prediction: as sent to the sender, or R_DQM")
            .Choice("DqmHistoryInit",
                    Nested(&P::dqm, &Q::init),
                    {HistoryInit::LINE},
                    {{"line", HistoryInit::LINE},
                     {"credit", HistoryInit::CREDIT},
                     {"measured", HistoryInit::MEASURED}},
                    "These rates before there are n: line rate, first R_credit, or the rate of "
                    "arrivals so far")
            .Choice("DqmWindowMode",
                    Nested(&P::dqm, &Q::dwWindow),
                    {DwWindow::SLIDING, DwWindow::INTEGRATE},
                    {{"sliding", DwWindow::SLIDING},
                     {"integrate", DwWindow::INTEGRATE},
                     {"leakyRttC", DwWindow::LEAKY},
                     {"none", DwWindow::NONE}},
                    "Steps that dw sums up: of the last RTT_C, all, all with a leak, or no steps")
            .Choice(
                "DqmBelowTarget",
                Nested(&P::dqm, &Q::holds),
                {false, true},
                {{"follow", false}, {"hold", true}},
                "R_DQM while the predicted delay is below TargetDelay: by equation 5, or unchanged")
            .Choice("TokenMode",
                    Nested(&P::dqm, &Q::literalToken),
                    {false, true},
                    {{"perPacket", false}, {"literal", true}},
                    "One increment per packet, or the loop of Algorithm 2")
            .Choice("StepBytes",
                    &P::wireSteps,
                    {false},
                    {{"payload", false}, {"wire", true}},
                    "MTU in equation 9: payload of a full frame, or all of it");
    return table;
}

} // namespace ns3::roce
