// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wrcc-fair-rate.h"

#include "ns3/roce-time.h"

namespace ns3::roce
{

// Parameters of WrccFairRate, and its trace sources.

/*
 * Values: table 2 and section 4.1 of the paper. Profile literal divides in each period, as
 * Algorithm 1 is printed; QExtraMode=printed is a misprint in both.
 */
const ParameterTable<WrccFairRateParams>&
WrccFairRateParams::Table()
{
    using P = WrccFairRateParams;
    using C = WrccPortRate::Config;
    using Q = WrccPortRate::QExtra;
    using G = WrccPortRate::MdGating;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::WrccFairRate", {"default", "literal"})
            .Rate("FMin", Nested(&P::rate, &C::fMinBps), {100e6}, Range::AtLeast(1))
            .Help("Least fair rate")
            .Rate("FMax", Nested(&P::rate, &C::fMaxBps), {100e9}, Range::AtLeast(1))
            .Help("Greatest fair rate, of faster ports, too: a flow has one NIC; at least the rate "
                  "of the fastest one")
            .Number("RateRatio", Nested(&P::rate, &C::rateRatio), {1.1}, Range::Within(1, 2))
            .Help("Input rate over target from which on the fair rate is divided")
            .Number("QRatio", Nested(&P::rate, &C::qRatio), {0.5}, Range::Within(0, 1))
            .Help("Share of the inputs' PFC thresholds that a queue may have")
            // Whether the rate law must have it as well
            .Fixed("Literal", &P::isLiteral, {false, true})
            // Weight of a period in AvgRTT
            .Fixed("Lambda", Nested(&P::rate, &C::lambda), {0.1})
            .Number("TargetUtilization",
                    Nested(&P::rate, &C::targetUtilization),
                    {1},
                    Range::AboveUpTo(0, 1))
            .Help("Target over line rate")
            .Number("PfcSlowDown", Nested(&P::rate, &C::pfcSlowDown), {2}, Range::AtLeast(1))
            .Help("Least SD of a port with a paused input")
            .Choice("QExtraMode",
                    Nested(&P::rate, &C::qExtra),
                    {Q::EXCESS},
                    {{"excess", Q::EXCESS},
                     {"printed", Q::PRINTED},
                     {"qpMinusQmax", Q::QP_MINUS_QMAX},
                     {"fullQueue", Q::FULL_QUEUE}})
            .Help("The queue's term once the queue is at QRatio: the excess, Q_max - Q_p "
                  "(printed), Q_p - Q_max, or Q_p")
            .Choice("AutoParmCond",
                    Nested(&P::rate, &C::alphaByInput),
                    {false},
                    {{"rFair", false}, {"rInput", true}})
            .Help("Rate that must be below the target for alpha below 1/2")
            .Flag("AutoParmAbs", Nested(&P::rate, &C::alphaByDistance), {false})
            .Help("Alpha by the distance to the target, also from above")
            .Choice("MdGating",
                    Nested(&P::rate, &C::mdGating),
                    {G::PER_LOOP, G::EVERY_PERIOD},
                    {{"perLoop", G::PER_LOOP},
                     {"perRttAvg", G::PER_RTT_AVG},
                     {"everyPeriod", G::EVERY_PERIOD}})
            .Help("How often the fair rate is divided: once in the mean delay after which senders "
                  "answer, 0 for those that get FCNPs and else RTT_est; once in AvgRTT; or every "
                  "period")
            .Flag("UseEffectiveDrain", Nested(&P::rate, &C::effectiveDrain), {false})
            .Help("The target of a port with a queue is what it has sent in the period")
            .Flag("UseShiftDivision", Nested(&P::rate, &C::shiftDivision), {false})
            .Help("Divisors are rounded to powers of two, as in the paper's P4 prototype")
            .Choice("PfcCountMode",
                    &P::countsRefreshes,
                    {false},
                    {{"xoff", false}, {"xoffAndRefresh", true}})
            .Help("Pause frames that count")
            .Duration("FcnpInterval", &P::fcnpIntervalPs, {0}, Range::AtLeast(0))
            .Help("FCNPs of a flow are further apart; 0: Period")
            .Count("ControlClass", &P::controlClass, {6}, Range::Within(0, 7))
            .Help("Traffic class of FCNPs")
            .Live()
            .Duration("Period",
                      Nested(&P::rate, &C::periodPs),
                      {24 * PS_PER_US},
                      Range::AtLeast(1000))
            .Help("WRCCT: length of a period of the switch")
            .Count("FcnpHashBits", &P::fcnpHashBits, {0}, Range::Within(0, 20))
            .Help("The table of notified flows has 2^n entries, found by a hash of addresses and "
                  "ports; 0: one entry for each queue pair")
            .Flag("PhaseJitter", &P::phaseJitter, {true})
            .Help("Each switch begins at a random phase; false: at 0")
            .Finish([](P& p, const Parameters<P>&) {
                Table().Require(p.rate.fMinBps <= p.rate.fMaxBps,
                                "FMin",
                                kind::Rate::Print(static_cast<uint64_t>(p.rate.fMinBps)),
                                "at most FMax, " +
                                    kind::Rate::Print(static_cast<uint64_t>(p.rate.fMaxBps)));
                p.fcnpIntervalPs = p.fcnpIntervalPs ? p.fcnpIntervalPs : p.rate.periodPs;
            });
    return table;
}

TypeId
WrccFairRate::GetTypeId()
{
    static const TypeId tid =
        WrccFairRateParams::Table()
            .AddTo(TypeId("ns3::roce::WrccFairRate")
                       .SetParent<SwitchStage>()
                       .SetGroupName("Roce")
                       .AddConstructor<WrccFairRate>(),
                   &WrccFairRate::m_parameters)
            .AddTraceSource("Period",
                            "A period of a port has ended; reported when the next frame comes",
                            MakeTraceSourceAccessor(&WrccFairRate::m_periodTrace),
                            "ns3::roce::WrccFairRate::PeriodCallback")
            .AddTraceSource("Fcnp",
                            "An FCNP is sent",
                            MakeTraceSourceAccessor(&WrccFairRate::m_fcnpTrace),
                            "ns3::roce::WrccFairRate::FcnpCallback");
    return tid;
}

} // namespace ns3::roce
