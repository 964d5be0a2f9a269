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
                Range::Above(0),
                "Temperature at first")
        .Number("Tf",
                Nested(&P::annealing, &Annealing::finalTemperature),
                {10, 10, 0.01, 1, 10, 10, 10},
                Range::Above(0),
                "Temperature at which a run is over")
        .Number("CoolingRate",
                Nested(&P::annealing, &Annealing::coolingRate),
                {0.85, 0.85, 0.76, 0.95, 0.85, 0.85, 0.85},
                Range::AboveUpTo(0, 0.999),
                "Factor of the temperature after each level")
        .Count("TotalIterNum",
               Nested(&P::annealing, &Annealing::iterationsPerLevel),
               By(20U, 10U, 8U),
               Range::Within(1, 1e6),
               "Intervals of a level")
        .Number("UtilityScale",
                Nested(&P::annealing, &Annealing::utilityScale),
                {1},
                Range::Above(0),
                "Utilities are multiplied with it before one that is lower is accepted")
        .Choice("MutationBase",
                Nested(&P::annealing, &Annealing::mutationBase),
                By(G::MutationBase::BEST, G::MutationBase::CURRENT, G::MutationBase::CURRENT),
                {{"best", G::MutationBase::BEST}, {"current", G::MutationBase::CURRENT}},
                "Setting that mutations start from: the best so far, or the one accepted last")
        .Choice("StartSolution",
                Nested(&P::annealing, &Annealing::startSolution),
                By(G::StartSolution::INCUMBENT,
                   G::StartSolution::DEFAULT,
                   G::StartSolution::DEFAULT_SCORED),
                {{"incumbent", G::StartSolution::INCUMBENT},
                 {"default", G::StartSolution::DEFAULT},
                 {"defaultScored", G::StartSolution::DEFAULT_SCORED}},
                "First setting of a run: the deployed one, or the defaults; then the deployed one "
                "counts (defaultScored) or is forgotten")
        .Choice(
            "RestartPolicy",
            Nested(&P::annealing, &Annealing::restartPolicy),
            By(G::RestartPolicy::RESET_BEST, G::RestartPolicy::IGNORE, G::RestartPolicy::IGNORE),
            {{"ignore", G::RestartPolicy::IGNORE},
             {"resetBest", G::RestartPolicy::RESET_BEST},
             {"restart", G::RestartPolicy::RESTART}},
            "A change of the mix during a run: nothing; the next accepted setting is the "
            "best; or the run begins again")
        .Flag("RestartsByItself",
              &P::restartsByItself,
              OnlyAt(NO_FSD, true, false),
              "Runs begin with the first flows and when the one before is over")
        .Choice("Guidance",
                Nested(&P::annealing, &Annealing::guidance),
                {Guide::DOMINANT,
                 fixed,
                 fixed,
                 Guide::NONE,
                 Guide::NONE,
                 Guide::DOMINANT,
                 Guide::DOMINANT},
                {{"dominant", Guide::DOMINANT}, {"fixed", fixed}, {"none", Guide::NONE}},
                "What moves favour: the flows that dominate now, or dominated when the run began, "
                "or none")
        .Number("Eta",
                Nested(&P::annealing, &Annealing::eta),
                {0.8},
                Range::Within(0, 1),
                "Greatest probability of the favoured direction")
        .Flag("AdaptiveEta",
              Nested(&P::annealing, &Annealing::adaptiveEta),
              By(false, false, true),
              "That probability is 0.5 to 0.7, less while utilities fall")
        .Count("MutateCount",
               Nested(&P::annealing, &Annealing::mutateCount),
               By(0U, 0U, 8U),
               Range::Within(0, 1e6),
               "Parameters that move at once, chosen at random; 0: all")
        .Number("LeastStep",
                Nested(&P::annealing, &Annealing::leastStep),
                OnlyAt(NAIVE_SA, 0.0, 0.5),
                Range::Within(0, 1),
                "A step is that share of the full one at least")
        .Flag("RangeSteps",
              Nested(&P::annealing, &Annealing::rangeSteps),
              OnlyAt(NAIVE_SA, true, false),
              "A full step is half the range of the parameter");
}

/// What it changes.
void
AddMutation(ParameterTable<P>& table)
{
    using Set = MutationTable::TunedSet;
    using Bounds = MutationTable::Bounds;
    table
        .Choice("TunedSet",
                Nested(&P::mutation, &Mutation::tunedSet),
                By(Set::DEFAULT13, Set::A1_EFFECTIVE7, Set::A2),
                {{"default13", Set::DEFAULT13},
                 {"a1Effective7", Set::A1_EFFECTIVE7},
                 {"a2", Set::A2},
                 {"all", Set::ALL}},
                "Parameters of DCQCN and ECN that are tuned")
        .Choice("ParamTable",
                Nested(&P::mutation, &Mutation::bounds),
                By(Bounds::A1, Bounds::A1, Bounds::A2),
                {{"a1", Bounds::A1}, {"a2", Bounds::A2}},
                "Artifact whose steps and bounds they have")
        .Choice("DirMinDecFac",
                Nested(&P::mutation, &Mutation::minDecFacUp),
                By(true, false, false),
                {{"up", true}, {"down", false}},
                "Direction of MinDecFac that favours throughput")
        .Number("FirstCnpFraction",
                Nested(&P::mutation, &Mutation::firstCnpFraction),
                By(1.0, 0.5, 0.5),
                Range::AboveUpTo(0, 1),
                "Default of FractionOnFirstCnp")
        .Flag("TuneG", Nested(&P::mutation, &Mutation::tuneG), {true}, "Gain is tuned, too")
        .Text("Tuned",
              &P::tuned,
              {""},
              "Rows Target.Attribute:unit:direction:step:least:greatest:start, separated by "
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
