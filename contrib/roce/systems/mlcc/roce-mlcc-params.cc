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
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Mlcc", {"default", "literal"})
            .Duration("Theta", Nested(&P::dqm, &Q::thetaPs), {18.0 * PS_PER_MS}, Range::Above(0))
            .Help("Time to reach TargetDelay; larger than the path's RTT")
            .Duration("TargetDelay",
                      Nested(&P::dqm, &Q::targetPs),
                      {1.0 * PS_PER_MS},
                      Range::AtLeast(0))
            .Help("D_t: target delay of a flow's queue")
            .Number("Alpha", Nested(&P::dqm, &Q::alpha), {0.5}, Range::AboveUpTo(0, 1))
            .Help("Token gain; 0.5: steps add up to R_DQM - R_credit")
            .Constants({{"ClampQpre", "false"},
                        {"NearRtt", "that of sender and external switch"},
                        {"LoopRtt", "that of receiver and external switch"},
                        {"CrossRtt", "base RTT of the path"},
                        {"RoundRtt", "that of receiver and external switch"},
                        {"CreditHistory", std::to_string(MlccDqm::CREDITS)},
                        {"DqmHistory", "smoothed"},
                        {"DqmHistoryInit", "line"},
                        {"StepBytes", "payload"}})
            .Rate("MinRate", &P::minRateBps, {100e6}, Range::AtLeast(1))
            .Help("R_min: least R_credit and least smoothed R_DQM")
            .Number("InterInflightCap", &P::inflightCap, {1}, Range::AtLeast(0))
            .Help("Most data in flight, in line rate times RTT; 0: no bound")
            .Live()
            // state is of the inner law
            .Choice("InnerCc",
                    &P::innerCc,
                    {MlccInnerCc::HPCC},
                    {{"Hpcc", MlccInnerCc::HPCC},
                     {"PowerTcp", MlccInnerCc::POWER_TCP},
                     {"Dcqcn", MlccInnerCc::DCQCN},
                     {"Timely", MlccInnerCc::TIMELY}})
            .Help("Law that computes R_NS from Switch-INTs and R_credit from data; its own "
                  "attributes count")
            .Flag("CreditFastReact", &P::creditFastReact, {false})
            .Help("The inner law at the receiver gets each packet; otherwise one update per round")
            // sizes of what is kept, and what rates and windows mean
            // Steps that dw sums up: of the last RTT_C, or all
            .Fixed("DqmWindowMode",
                   Nested(&P::dqm, &Q::dwWindow),
                   {DwWindow::SLIDING, DwWindow::INTEGRATE},
                   {{"sliding", DwWindow::SLIDING}, {"integrate", DwWindow::INTEGRATE}})
            // R_DQM while the predicted delay is below TargetDelay: by equation 5, or unchanged
            .Fixed("DqmBelowTarget",
                   Nested(&P::dqm, &Q::holds),
                   {false, true},
                   {{"follow", false}, {"hold", true}})
            // One increment per packet, or the loop of Algorithm 2
            .Fixed("TokenMode",
                   Nested(&P::dqm, &Q::literalToken),
                   {false, true},
                   {{"perPacket", false}, {"literal", true}});
    return table;
}

} // namespace ns3::roce
