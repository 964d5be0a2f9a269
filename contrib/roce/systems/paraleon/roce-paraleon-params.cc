// SPDX-License-Identifier: GPL-2.0-only
#include "roce-paraleon-params.h"

#include "roce-paraleon-profiles.h"

#include "ns3/roce-time.h"

#include <cmath>
#include <iterator>

namespace ns3::roce
{

namespace
{

constexpr double SUM_TOLERANCE = 1e-9;   //!< of weights
constexpr uint32_t MAX_COUNT = 1U << 28; //!< buckets, counters

using P = ParaleonParams;
using Mix = FlowMix::Config;
using Sketch = ElasticSketch::Config;
using States = FlowStates::Config;
using Utility = TuningUtility::Config;
using Weights = TuningUtility::Weights;

/// One weight of a triple of Utility.
auto
Weight(Weights Utility::*triple, double Weights::*weight)
{
    return [triple, weight](P& p) -> double& { return p.utility.*triple.*weight; };
}

/// Monitoring: sections III-A and III-B.
void
AddMonitor(ParameterTable<P>& table)
{
    using Rule = FlowStates::PeRule;
    using Pe = FlowMix::PeWeight;
    table
        .Choice("Monitor",
                &P::monitor,
                OnlyAt(NETFLOW, P::Monitor::NETFLOW, P::Monitor::SKETCH),
                {{"sketch", P::Monitor::SKETCH}, {"netflow", P::Monitor::NETFLOW}},
                "Counter of flows at ToR switches")
        .Flag("SketchMarkBit",
              &P::marks,
              OnlyAt(NAIVE_SKETCH, false, true),
              "A packet is counted by the first monitor on its way alone")
        .Count("HeavyBuckets",
               Nested(&P::sketch, &Sketch::heavyBuckets),
               By(16384U, 2400U, 2400U),
               Range::Within(1, MAX_COUNT),
               "Buckets of the sketch's heavy part")
        .Count("EntriesPerBucket",
               Nested(&P::sketch, &Sketch::entriesPerBucket),
               By(1U, 7U, 7U),
               Range::Within(1, 64),
               "Flows of a bucket; above 1 they share negative votes, as in the sketch's public "
               "code")
        .Count("LightCounters",
               Nested(&P::sketch, &Sketch::lightCounters),
               {460800},
               Range::Within(1, MAX_COUNT),
               "Counters of the sketch's light part")
        .Count("LightBits",
               Nested(&P::sketch, &Sketch::lightBits),
               By(32U, 8U, 8U),
               Range::Within(1, 32),
               "Width of these counters, which saturate")
        .Number("LambdaOstracism",
                Nested(&P::sketch, &Sketch::lambda),
                {8},
                Range::Above(0),
                "Negative over positive votes from which on a flow loses its bucket")
        .Choice("SizeUnit",
                Nested(&P::sketch, &Sketch::inPackets),
                By(false, true, true),
                {{"bytes", false}, {"packets", true}},
                "What is counted, and the unit of Tau")
        .Flag("IncludeLight",
              Nested(&P::sketch, &Sketch::includeLight),
              {true},
              "A flow that has lost its bucket once counts with its part in the light part")
        .Count("NetflowSampling",
               &P::sampling,
               {100},
               Range::Within(1, 1e9),
               "NetFlow takes one packet in this many")
        .Duration("NetflowInterval",
                  &P::exportIntervalPs,
                  {1000 * PS_PER_MS},
                  Range::Above(0),
                  "Time between exports of NetFlow; the mix is even before the first")
        .Count("Tau",
               Nested(&P::states, &States::tau),
               By<uint64_t>(1000000, 1024, 1024),
               Range::AtLeast(1),
               "Size from which on a flow is an elephant, in SizeUnit")
        .Count("WindowDelta",
               Nested(&P::states, &States::delta),
               {3},
               Range::Within(1, 10000),
               "Intervals with data that make a potential elephant")
        .Choice("PeRule",
                Nested(&P::states, &States::peRule),
                By(Rule::CONSECUTIVE, Rule::ARTIFACT_WINDOW, Rule::ARTIFACT_WINDOW),
                {{"consecutive", Rule::CONSECUTIVE}, {"artifactWindow", Rule::ARTIFACT_WINDOW}},
                "These intervals: in succession; or in all, if sums of two have not fallen twice")
        .Count("EntryTimeout",
               Nested(&P::states, &States::entryTimeout),
               By(100U, 0U, 0U),
               Range::Within(0, 1e9),
               "Intervals without data after which a flow is forgotten; 0: never")
        .Choice("PhiMode",
                Nested(&P::states, &States::windowedPhi),
                {false},
                {{"cumulative", false}, {"window", true}},
                "Size compared with Tau: all that a flow has sent, or in the last WindowDelta "
                "intervals")
        .Choice("FlowStates",
                Nested(&P::states, &States::isTernary),
                {true, true, true, true, true, false, false},
                {{"ternary", true}, {"single", false}},
                "Elephants, potential elephants, mice; or elephants and mice by one interval alone")
        .Choice("PeWeight",
                Nested(&P::mix, &Mix::peWeight),
                By(Pe::CUMULATIVE, Pe::SIGMOID, Pe::CUMULATIVE),
                {{"cumulative", Pe::CUMULATIVE}, {"sigmoid", Pe::SIGMOID}, {"half", Pe::HALF}},
                "Share w of an elephant that a potential one is: size over Tau, or by its age as "
                "such, or 1/2")
        .Flag("PeComplement",
              Nested(&P::mix, &Mix::peComplement),
              By(true, false, false),
              "A potential elephant is 1 - w mice as well")
        .Choice("FsdWeight",
                Nested(&P::mix, &Mix::byBytes),
                {false},
                {{"flows", false}, {"bytes", true}},
                "Unit of the mix")
        .Number("KlSmoothing",
                Nested(&P::mix, &Mix::klSmoothing),
                By(1e-6, 0.0, 0.0),
                Range::Within(0, 1),
                "Added to both shares before two mixes are compared")
        .Number("Theta",
                Nested(&P::mix, &Mix::theta),
                {0.01},
                Range::AtLeast(0),
                "Divergence of mixes, nats, above which tuning begins")
        .Count("KlPeriodMis",
               Nested(&P::mix, &Mix::klPeriod),
               {1},
               Range::Within(1, 1e9),
               "Intervals from one comparison of mixes to the next")
        .Flag("GuideByBothOnly",
              Nested(&P::mix, &Mix::guideByBothOnly),
              By(false, true, true),
              "A mix of elephants alone or mice alone does not guide: the one before does");
}

/// The utility: equation 1, table III.
void
AddUtility(ParameterTable<P>& table)
{
    using T = TuningUtility;
    using Mode = T::WeightMode;
    using Base = T::BaseDelayMode;
    using Pfc = T::PfcMetric;
    const auto weight = [&table](const char* name,
                                 Weights Utility::*triple,
                                 double Weights::*member,
                                 double paper,
                                 double a2,
                                 const char* help) {
        table.Number(name, Weight(triple, member), By(paper, paper, a2), Range::Within(0, 1), help);
    };
    table.Choice("WeightMode",
                 Nested(&P::utility, &Utility::weightMode),
                 OnlyAt(NO_FSD, Mode::STATIC, Mode::BY_DOMINANCE),
                 {{"byDominance", Mode::BY_DOMINANCE}, {"static", Mode::STATIC}},
                 "Weights of the dominant kind when a run begins, or always those of mice");
    weight("MiceTp", &Utility::mice, &Weights::tp, 0.2, 0.3, "Weight of throughput, mice");
    weight("MiceRtt", &Utility::mice, &Weights::rtt, 0.5, 0.5, "Weight of RTT, mice");
    weight("MicePfc", &Utility::mice, &Weights::pfc, 0.3, 0.2, "Weight of pauses, mice");
    weight("ElephantTp",
           &Utility::elephants,
           &Weights::tp,
           0.5,
           0.6,
           "Weight of throughput, elephants");
    weight("ElephantRtt", &Utility::elephants, &Weights::rtt, 0.2, 0.2, "Weight of RTT, elephants");
    weight("ElephantPfc",
           &Utility::elephants,
           &Weights::pfc,
           0.3,
           0.2,
           "Weight of pauses, elephants");
    table
        .Choice("Uplinks",
                Nested(&P::utility, &Utility::uplinks),
                By(T::Uplinks::TOR_HOST_PORTS,
                   T::Uplinks::TOR_HOST_PORTS,
                   T::Uplinks::ALL_SWITCH_PORTS),
                {{"torHostPorts", T::Uplinks::TOR_HOST_PORTS},
                 {"allSwitchPorts", T::Uplinks::ALL_SWITCH_PORTS}},
                "Ports whose input counts as throughput")
        .Number("ActiveThreshold",
                Nested(&P::utility, &Utility::activeThreshold),
                {0.05},
                Range::Within(0, 1),
                "Share of its rate above which a port counts")
        .Choice("RttMetric",
                Nested(&P::utility, &Utility::rttMetric),
                By(T::RttMetric::MEAN_OF_RATIOS,
                   T::RttMetric::RATIO_OF_MEANS,
                   T::RttMetric::RATIO_OF_MEANS),
                {{"meanOfRatios", T::RttMetric::MEAN_OF_RATIOS},
                 {"ratioOfMeans", T::RttMetric::RATIO_OF_MEANS}},
                "Base delay over RTT: the mean of the pairs', or of the means")
        .Choice("BaseDelayMode",
                Nested(&P::utility, &Utility::baseDelayMode),
                By(Base::ROUND_TRIP, Base::CONSTANT, Base::CONSTANT),
                {{"roundTrip", Base::ROUND_TRIP},
                 {"constant", Base::CONSTANT},
                 {"literal", Base::LITERAL}},
                "Base delay of a pair: RTT of an empty network, BaseDelay, or switches times "
                "least delay of a link")
        .Duration("BaseDelay",
                  Nested(&P::utility, &Utility::constantDelayPs),
                  {40 * PS_PER_US},
                  Range::Above(0),
                  "With BaseDelayMode=constant")
        .Choice("PfcMetric",
                Nested(&P::utility, &Utility::pfcMetric),
                By(Pfc::EXACT_TIME, Pfc::FRAME_COUNT, Pfc::PAUSED_LINK_SHARE),
                {{"exactTime", Pfc::EXACT_TIME},
                 {"frameCount", Pfc::FRAME_COUNT},
                 {"pausedLinkShare", Pfc::PAUSED_LINK_SHARE}},
                "Share of the interval that ports are paused: measured, by the PAUSE frames of "
                "paused ports, or the share of ports")
        .Duration("PauseFrameTime",
                  Nested(&P::utility, &Utility::frameDelayPs),
                  {5 * PS_PER_US},
                  Range::Above(0),
                  "What a PAUSE frame counts with PfcMetric=frameCount");
}

/// Refuses triples that do not sum to 1.
void
RequireSum(const char* name, const Weights& weights)
{
    const double sum = weights.tp + weights.rtt + weights.pfc;
    P::Table().Require(std::abs(sum - 1) <= SUM_TOLERANCE,
                       name,
                       kind::Number::Print(sum),
                       "weights whose sum is 1");
}

void
Finish(P& p, const Parameters<P>&)
{
    RequireSum("MiceTp + MiceRtt + MicePfc", p.utility.mice);
    RequireSum("ElephantTp + ElephantRtt + ElephantPfc", p.utility.elephants);
    P::Table().Require(p.annealing.finalTemperature < p.annealing.initialTemperature,
                       "Tf",
                       kind::Number::Print(p.annealing.finalTemperature),
                       "less than T0, " + kind::Number::Print(p.annealing.initialTemperature));
    p.states.inPackets = p.sketch.inPackets;
    p.MakeTable();
}

} // namespace

MutationTable
ParaleonParams::MakeTable() const
{
    return tuned.empty() ? MutationTable::ForDcqcn(mutation) : MutationTable::Parse(tuned);
}

/*
 * Values: table III and section IV of the paper; otherwise from the simulators that its authors
 * have made public (artifact-a1, artifact-a2), or our choice. The chapter on PARALEON says which.
 */
const ParameterTable<ParaleonParams>&
ParaleonParams::Table()
{
    static const ParameterTable<P> table = [] {
        ParameterTable<P> rows("ns3::roce::Paraleon",
                               {std::begin(PARALEON_PROFILES), std::end(PARALEON_PROFILES)});
        AddMonitor(rows);
        AddUtility(rows);
        AddParaleonSearch(rows);
        return rows.Finish(Finish);
    }();
    return table;
}

} // namespace ns3::roce
