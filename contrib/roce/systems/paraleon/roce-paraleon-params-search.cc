// SPDX-License-Identifier: GPL-2.0-only
#include "roce-paraleon-profiles.h"

namespace ns3::roce
{

// Parameters of PARALEON's search.

namespace
{

using P = ParaleonParams;
using Annealing = GuidedAnnealing::Config;
using Mutation = MutationTable::Config;

/// How it searches.
void
AddAnnealing(ParameterTable<P>& table)
{
    using G = GuidedAnnealing;
    using Guide = G::Guidance;
    const auto fixed = Guide::FIXED_DOMINANT;
    table
        .Number("T0",
                Nested(&P::annealing, &Annealing::initialTemperature),
                By(90.0, 80.0, 0.1),
                Range::Above(0))
        .Help("Temperature at first")
        .Number("Tf",
                Nested(&P::annealing, &Annealing::finalTemperature),
                {10, 10, 0.01, 1, 10, 10, 10},
                Range::Above(0))
        .Help("Temperature at which a run is over")
        .Number("CoolingRate",
                Nested(&P::annealing, &Annealing::coolingRate),
                {0.85, 0.85, 0.76, 0.95, 0.85, 0.85, 0.85},
                Range::AboveUpTo(0, 0.999))
        .Help("Factor of the temperature after each level")
        .Count("TotalIterNum",
               Nested(&P::annealing, &Annealing::iterationsPerLevel),
               By(20U, 10U, 8U),
               Range::Within(1, 1e6))
        .Help("Intervals of a level")
        // Utilities are multiplied with it before one that is lower is accepted
        .Fixed("UtilityScale", Nested(&P::annealing, &Annealing::utilityScale), {1})
        .Choice("MutationBase",
                Nested(&P::annealing, &Annealing::mutationBase),
                By(G::MutationBase::BEST, G::MutationBase::CURRENT, G::MutationBase::CURRENT),
                {{"best", G::MutationBase::BEST}, {"current", G::MutationBase::CURRENT}})
        .Help("Setting that mutations start from: the best so far, or the one accepted last")
        // First setting of a run: the deployed one, or the defaults; then the deployed one counts
        // (defaultScored) or is forgotten
        .Fixed("StartSolution",
               Nested(&P::annealing, &Annealing::startSolution),
               By(G::StartSolution::INCUMBENT,
                  G::StartSolution::DEFAULT,
                  G::StartSolution::DEFAULT_SCORED),
               {{"incumbent", G::StartSolution::INCUMBENT},
                {"default", G::StartSolution::DEFAULT},
                {"defaultScored", G::StartSolution::DEFAULT_SCORED}})
        // A change of the mix during a run: nothing; the next accepted setting is the best; or the
        // run begins again
        .Fixed("RestartPolicy",
               Nested(&P::annealing, &Annealing::restartPolicy),
               By(G::RestartPolicy::RESET_BEST, G::RestartPolicy::IGNORE, G::RestartPolicy::IGNORE),
               {{"ignore", G::RestartPolicy::IGNORE}, {"resetBest", G::RestartPolicy::RESET_BEST}})
        // An interval without any uplink in use or RTT during a run: the setting stays for another
        // one, or counts as one of unknown utility, which is not accepted
        .Fixed("EmptyIntervals",
               &P::countsEmpty,
               By(false, true, true),
               {{"wait", false}, {"count", true}})
        // Runs begin with the first flows and when the one before is over
        .Fixed("RestartsByItself", &P::restartsByItself, OnlyAt(NO_FSD, true, false))
        // What moves favour: the flows that dominate now, or dominated when the run began, or none
        .Fixed("Guidance",
               Nested(&P::annealing, &Annealing::guidance),
               {Guide::DOMINANT,
                fixed,
                fixed,
                Guide::NONE,
                Guide::NONE,
                Guide::DOMINANT,
                Guide::DOMINANT},
               {{"dominant", Guide::DOMINANT}, {"fixed", fixed}, {"none", Guide::NONE}})
        .Number("Eta", Nested(&P::annealing, &Annealing::eta), {0.8}, Range::Within(0, 1))
        .Help("Greatest probability of the favoured direction")
        // That probability is 0.5 to 0.7, less while utilities fall
        .Fixed("AdaptiveEta",
               Nested(&P::annealing, &Annealing::adaptiveEta),
               By(false, false, true))
        // Parameters that move at once, chosen at random; 0: all
        .Fixed("MutateCount", Nested(&P::annealing, &Annealing::mutateCount), By(0U, 0U, 8U))
        // A step is that share of the full one at least
        .Fixed("LeastStep",
               Nested(&P::annealing, &Annealing::leastStep),
               OnlyAt(NAIVE_SA, 0.0, 0.5))
        // A full step is half the range of the parameter
        .Fixed("RangeSteps",
               Nested(&P::annealing, &Annealing::rangeSteps),
               OnlyAt(NAIVE_SA, true, false));
}

/// What it changes.
void
AddMutation(ParameterTable<P>& table)
{
    using Set = MutationTable::TunedSet;
    using Bounds = MutationTable::Bounds;

    // Parameters of DCQCN and ECN that are tuned
    table
        .Fixed("TunedSet",
               Nested(&P::mutation, &Mutation::tunedSet),
               By(Set::DEFAULT13, Set::A1_EFFECTIVE10, Set::A2),
               {{"default13", Set::DEFAULT13},
                {"a1Effective10", Set::A1_EFFECTIVE10},
                {"a2", Set::A2}})
        // Artifact whose steps and bounds they have
        .Fixed("ParamTable",
               Nested(&P::mutation, &Mutation::bounds),
               By(Bounds::A1, Bounds::A1, Bounds::A2),
               {{"a1", Bounds::A1}, {"a2", Bounds::A2}})
        // Direction of MinDecFac that favours throughput
        .Fixed("DirMinDecFac",
               Nested(&P::mutation, &Mutation::minDecFacUp),
               By(true, false, false),
               {{"up", true}, {"down", false}})
        .Number("FirstCnpFraction",
                Nested(&P::mutation, &Mutation::firstCnpFraction),
                By(1.0, 0.5, 0.5),
                Range::AboveUpTo(0, 1))
        .Help("Default of FractionOnFirstCnp")
        .Constants({{"TuneG", "true"}})
        .Text("Tuned", &P::tuned, {""})
        .Help("Rows Target.Attribute:unit:direction:step:least:greatest:start, separated by "
              "semicolons, in place of DCQCN's");
}

} // namespace

void
AddParaleonSearch(ParameterTable<ParaleonParams>& table)
{
    AddAnnealing(table);
    AddMutation(table);
}

} // namespace ns3::roce
