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

    // Counter of flows at ToR switches
    table
        .Fixed("Monitor",
               &P::monitor,
               OnlyAt(NETFLOW, P::Monitor::NETFLOW, P::Monitor::SKETCH),
               {{"sketch", P::Monitor::SKETCH}, {"netflow", P::Monitor::NETFLOW}})
        // A packet is counted by the first monitor on its way alone
        .Fixed("SketchMarkBit", &P::marks, OnlyAt(NAIVE_SKETCH, false, true))
        // Buckets of the sketch's heavy part
        .Fixed("HeavyBuckets", Nested(&P::sketch, &Sketch::heavyBuckets), By(16384U, 2400U, 2400U))
        // Flows of a bucket; above 1 they share negative votes, as in the sketch's public code
        .Fixed("EntriesPerBucket", Nested(&P::sketch, &Sketch::entriesPerBucket), By(1U, 7U, 7U))
        // Counters of the sketch's light part
        .Fixed("LightCounters", Nested(&P::sketch, &Sketch::lightCounters), {460800})
        // Width of these counters, which saturate
        .Fixed("LightBits", Nested(&P::sketch, &Sketch::lightBits), By(32U, 8U, 8U))
        // Negative over positive votes from which on a flow loses its bucket
        .Fixed("LambdaOstracism", Nested(&P::sketch, &Sketch::lambda), {8})
        // What is counted, and the unit of Tau
        .Fixed("SizeUnit",
               Nested(&P::sketch, &Sketch::inPackets),
               By(false, true, true),
               {{"bytes", false}, {"packets", true}})
        .Constants({{"IncludeLight", "true"},
                    {"PhiMode", "cumulative"},
                    {"FsdWeight", "flows"},
                    {"KlPeriodMis", "1"},
                    {"BaseDelay", "40us"},
                    {"PauseFrameTime", "5us"}})
        .Count("NetflowSampling", &P::sampling, {100}, Range::Within(1, 1e9))
        .Help("NetFlow takes one packet in this many")
        .Duration("NetflowInterval", &P::exportIntervalPs, {1000 * PS_PER_MS}, Range::Above(0))
        .Help("Time between exports of NetFlow; the mix is even before the first")
        .Count("Tau",
               Nested(&P::states, &States::tau),
               By<uint64_t>(1000000, 1024, 1024),
               Range::AtLeast(1))
        .Help("Size from which on a flow is an elephant, in SizeUnit")
        .Count("WindowDelta", Nested(&P::states, &States::delta), {3}, Range::Within(1, 10000))
        .Help("Intervals with data that make a potential elephant")
        // These intervals: in succession; or in all, if sums of two have not fallen twice
        .Fixed("PeRule",
               Nested(&P::states, &States::peRule),
               By(Rule::CONSECUTIVE, Rule::ARTIFACT_WINDOW, Rule::ARTIFACT_WINDOW),
               {{"consecutive", Rule::CONSECUTIVE}, {"artifactWindow", Rule::ARTIFACT_WINDOW}})
        // Intervals without data after which a flow is forgotten; 0: never
        .Fixed("EntryTimeout", Nested(&P::states, &States::entryTimeout), By(100U, 0U, 0U))
        // Elephants, potential elephants, mice; or elephants and mice by one interval alone
        .Fixed("FlowStates",
               Nested(&P::states, &States::isTernary),
               {true, true, true, true, true, false, false},
               {{"ternary", true}, {"single", false}})
        // Share w of an elephant that a potential one is: size over Tau, or by its age as such, or
        // 1/2
        .Fixed("PeWeight",
               Nested(&P::mix, &Mix::peWeight),
               By(Pe::CUMULATIVE, Pe::SIGMOID, Pe::CUMULATIVE),
               {{"cumulative", Pe::CUMULATIVE}, {"sigmoid", Pe::SIGMOID}})
        // A potential elephant is 1 - w mice as well
        .Fixed("PeComplement", Nested(&P::mix, &Mix::peComplement), By(true, false, false))
        // Added to both shares before two mixes are compared
        .Fixed("KlSmoothing", Nested(&P::mix, &Mix::klSmoothing), By(1e-6, 0.0, 0.0))
        .Number("Theta", Nested(&P::mix, &Mix::theta), {0.01}, Range::AtLeast(0))
        .Help("Divergence of mixes, nats, above which tuning begins")
        // A mix of elephants alone or mice alone does not guide: the one before does
        .Fixed("GuideByBothOnly", Nested(&P::mix, &Mix::guideByBothOnly), By(false, true, true));
}

/// The utility: equation 1, table III.
void
AddUtility(ParameterTable<P>& table)
{
    using T = TuningUtility;
    using Mode = T::WeightMode;
    using Metric = P::Metric;
    const auto weight = [&table](const char* name,
                                 Weights Utility::*triple,
                                 double Weights::*member,
                                 double paper,
                                 double a2) {
        table.Fixed(name, Weight(triple, member), By(paper, paper, a2));
    };
    std::vector<Mode> modes = By(Mode::BY_DOMINANCE, Mode::AT_BEGIN, Mode::AT_BEGIN);
    modes[NO_FSD] = Mode::MICE;
    table
        .Choice("WeightMode",
                Nested(&P::utility, &Utility::weightMode),
                modes,
                {{"byDominance", Mode::BY_DOMINANCE},
                 {"atBegin", Mode::AT_BEGIN},
                 {"mice", Mode::MICE},
                 {"elephants", Mode::ELEPHANTS}})
        .Help("Weights of the utility's terms: those of the flows that dominate in the interval, "
              "or when a run began; or always those of mice or of elephants");
    // Table III; their sums are 1.
    weight("MiceTp", &Utility::mice, &Weights::tp, 0.2, 0.3);
    weight("MiceRtt", &Utility::mice, &Weights::rtt, 0.5, 0.5);
    weight("MicePfc", &Utility::mice, &Weights::pfc, 0.3, 0.2);
    weight("ElephantTp", &Utility::elephants, &Weights::tp, 0.5, 0.6);
    weight("ElephantRtt", &Utility::elephants, &Weights::rtt, 0.2, 0.2);
    weight("ElephantPfc", &Utility::elephants, &Weights::pfc, 0.3, 0.2);
    table
        .Choice("Uplinks",
                Nested(&P::utility, &Utility::uplinks),
                By(T::Uplinks::TOR_HOST_PORTS,
                   T::Uplinks::TOR_HOST_PORTS,
                   T::Uplinks::ALL_SWITCH_PORTS),
                {{"torHostPorts", T::Uplinks::TOR_HOST_PORTS},
                 {"allSwitchPorts", T::Uplinks::ALL_SWITCH_PORTS}})
        .Help("Ports whose input counts as throughput")
        // Share of its rate above which a port counts
        .Fixed("ActiveThreshold", Nested(&P::utility, &Utility::activeThreshold), {0.05})
        .Choice(
            "Metric",
            &P::metric,
            By(Metric::PAPER, Metric::A1, Metric::A2),
            {{"paper", Metric::PAPER}, {"artifact-a1", Metric::A1}, {"artifact-a2", Metric::A2}})
        .Help("RTTs and pauses in the utility. paper: mean of base delay over RTT, paused time; "
              "artifact-a1: 40us over the mean RTT, 5us for each PAUSE frame of paused ports; "
              "artifact-a2: the same RTT, share of links that are paused");
}

void
Finish(P& p, const Parameters<P>&)
{
    P::Table().Require(p.annealing.finalTemperature < p.annealing.initialTemperature,
                       "Tf",
                       kind::Number::Print(p.annealing.finalTemperature),
                       "less than T0, " + kind::Number::Print(p.annealing.initialTemperature));
    p.states.inPackets = p.sketch.inPackets;
    const bool asPaper = p.metric == P::Metric::PAPER;
    p.utility.rttMetric = asPaper ? TuningUtility::RttMetric::MEAN_OF_RATIOS
                                  : TuningUtility::RttMetric::RATIO_OF_MEANS;
    p.utility.baseDelayMode =
        asPaper ? TuningUtility::BaseDelayMode::ROUND_TRIP : TuningUtility::BaseDelayMode::CONSTANT;
    p.utility.pfcMetric = asPaper                     ? TuningUtility::PfcMetric::EXACT_TIME
                          : p.metric == P::Metric::A1 ? TuningUtility::PfcMetric::FRAME_COUNT
                                                      : TuningUtility::PfcMetric::PAUSED_LINK_SHARE;
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
