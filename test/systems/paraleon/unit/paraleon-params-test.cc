// SPDX-License-Identifier: GPL-2.0-only
// PARALEON's parameters: what each profile sets, and what is refused.
#include "paraleon-values.h"
#include "roce-error-of.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace ns3::roce;
using ns3::roce::test::ErrorOf;
using ns3::roce::test::ParaleonValues;

namespace
{

using Annealing = GuidedAnnealing;

void
ExpectRefused(const std::string& attributes, const std::string& part)
{
    test::ExpectRefused([&attributes] { ParaleonValues::Of(attributes); }, part, attributes);
}

} // namespace

TEST(ParaleonParams, PaperIsTheDefault)
{
    for (const char* profile : {"", "Profile=paper"})
    {
        const ParaleonParams p = ParaleonValues::Of(profile);
        EXPECT_TRUE(p.marks);
        EXPECT_EQ(p.monitor, ParaleonParams::Monitor::SKETCH);
        EXPECT_EQ(p.sketch.heavyBuckets, 16384U);
        EXPECT_EQ(p.sketch.entriesPerBucket, 1U);
        EXPECT_EQ(p.sketch.lightCounters, 460800U);
        EXPECT_EQ(p.sketch.lightBits, 32U);
        EXPECT_EQ(p.sketch.lambda, 8);
        EXPECT_FALSE(p.sketch.inPackets);
        EXPECT_EQ(p.states.tau, 1000000U);
        EXPECT_EQ(p.states.delta, 3U);
        EXPECT_EQ(p.states.entryTimeout, 100U);
        EXPECT_EQ(p.states.peRule, FlowStates::PeRule::CONSECUTIVE);
        EXPECT_EQ(p.mix.peWeight, FlowMix::PeWeight::CUMULATIVE);
        EXPECT_TRUE(p.mix.peComplement);
        EXPECT_EQ(p.mix.klSmoothing, 1e-6);
        EXPECT_EQ(p.mix.theta, 0.01);
        EXPECT_EQ(p.utility.mice.rtt, 0.5);
        EXPECT_EQ(p.utility.elephants.tp, 0.5);
        EXPECT_EQ(p.utility.weightMode, TuningUtility::WeightMode::BY_DOMINANCE);
        EXPECT_EQ(p.utility.rttMetric, TuningUtility::RttMetric::MEAN_OF_RATIOS);
        EXPECT_EQ(p.utility.baseDelayMode, TuningUtility::BaseDelayMode::ROUND_TRIP);
        EXPECT_EQ(p.utility.pfcMetric, TuningUtility::PfcMetric::EXACT_TIME);
        EXPECT_FALSE(p.countsEmpty);
        EXPECT_EQ(p.annealing.initialTemperature, 90);
        EXPECT_EQ(p.annealing.finalTemperature, 10);
        EXPECT_EQ(p.annealing.coolingRate, 0.85);
        EXPECT_EQ(p.annealing.iterationsPerLevel, 20U);
        EXPECT_EQ(p.annealing.eta, 0.8);
        EXPECT_EQ(p.annealing.mutationBase, Annealing::MutationBase::BEST);
        EXPECT_EQ(p.annealing.startSolution, Annealing::StartSolution::INCUMBENT);
        EXPECT_EQ(p.annealing.restartPolicy, Annealing::RestartPolicy::RESET_BEST);
        EXPECT_EQ(p.MakeTable().GetSize(), 13U);
    }
}

TEST(ParaleonParams, Artifacts)
{
    const ParaleonParams a1 = ParaleonValues::Of("Profile=artifact-a1");
    const ParaleonParams a2 = ParaleonValues::Of("Profile=artifact-a2");
    for (const ParaleonParams* p : {&a1, &a2})
    {
        EXPECT_TRUE(p->sketch.inPackets);
        EXPECT_TRUE(p->states.inPackets) << "the unit of the states is that of the sketch";
        EXPECT_EQ(p->sketch.heavyBuckets * p->sketch.entriesPerBucket, 16800U);
        EXPECT_EQ(p->states.tau, 1024U);
        EXPECT_EQ(p->states.entryTimeout, 0U);
        EXPECT_EQ(p->states.peRule, FlowStates::PeRule::ARTIFACT_WINDOW);
        EXPECT_FALSE(p->mix.peComplement);
        EXPECT_EQ(p->mix.klSmoothing, 0);
        EXPECT_TRUE(p->mix.guideByBothOnly);
        EXPECT_EQ(p->utility.weightMode, TuningUtility::WeightMode::AT_BEGIN);
        EXPECT_TRUE(p->countsEmpty);
        EXPECT_EQ(p->utility.rttMetric, TuningUtility::RttMetric::RATIO_OF_MEANS);
        EXPECT_EQ(p->utility.baseDelayMode, TuningUtility::BaseDelayMode::CONSTANT);
        EXPECT_EQ(p->annealing.mutationBase, Annealing::MutationBase::CURRENT);
        EXPECT_EQ(p->annealing.restartPolicy, Annealing::RestartPolicy::IGNORE);
        EXPECT_EQ(p->annealing.guidance, Annealing::Guidance::FIXED_DOMINANT);
        EXPECT_FALSE(p->mutation.minDecFacUp);
        EXPECT_EQ(p->mutation.firstCnpFraction, 0.5);
    }
    EXPECT_EQ(a1.mix.peWeight, FlowMix::PeWeight::SIGMOID);
    EXPECT_EQ(a2.mix.peWeight, FlowMix::PeWeight::CUMULATIVE);
    EXPECT_EQ(a1.utility.mice.tp, 0.2);
    EXPECT_EQ(a2.utility.mice.tp, 0.3);
    EXPECT_EQ(a2.utility.elephants.tp, 0.6);
    EXPECT_EQ(a1.utility.pfcMetric, TuningUtility::PfcMetric::FRAME_COUNT);
    EXPECT_EQ(a2.utility.pfcMetric, TuningUtility::PfcMetric::PAUSED_LINK_SHARE);
    EXPECT_EQ(a1.utility.uplinks, TuningUtility::Uplinks::TOR_HOST_PORTS);
    EXPECT_EQ(a2.utility.uplinks, TuningUtility::Uplinks::ALL_SWITCH_PORTS);
    EXPECT_EQ(a1.annealing.startSolution, Annealing::StartSolution::DEFAULT);
    EXPECT_EQ(a2.annealing.startSolution, Annealing::StartSolution::DEFAULT_SCORED);
    EXPECT_FALSE(a1.annealing.adaptiveEta);
    EXPECT_TRUE(a2.annealing.adaptiveEta);
    EXPECT_EQ(a1.annealing.mutateCount, 0U);
    EXPECT_EQ(a2.annealing.mutateCount, 8U);
    EXPECT_EQ(a1.MakeTable().GetSize(), 10U);
    EXPECT_EQ(a2.MakeTable().GetSize(), 13U);
    EXPECT_EQ(a2.MakeTable().GetRows()[1].step, 5) << "artifact 2's table";
}

TEST(ParaleonParams, Ablations)
{
    const ParaleonParams naive = ParaleonValues::Of("Profile=naive-sa");
    EXPECT_EQ(naive.annealing.guidance, Annealing::Guidance::NONE);
    EXPECT_EQ(naive.annealing.coolingRate, 0.95);
    EXPECT_EQ(naive.annealing.finalTemperature, 1);
    EXPECT_TRUE(naive.annealing.rangeSteps);
    EXPECT_EQ(naive.annealing.leastStep, 0);
    const ParaleonParams noFsd = ParaleonValues::Of("Profile=no-fsd");
    EXPECT_EQ(noFsd.annealing.guidance, Annealing::Guidance::NONE);
    EXPECT_FALSE(noFsd.annealing.rangeSteps);
    EXPECT_TRUE(noFsd.restartsByItself);
    EXPECT_EQ(noFsd.utility.weightMode, TuningUtility::WeightMode::MICE);
    const ParaleonParams sketch = ParaleonValues::Of("Profile=naive-sketch");
    EXPECT_FALSE(sketch.states.isTernary);
    EXPECT_FALSE(sketch.marks);
    EXPECT_EQ(sketch.monitor, ParaleonParams::Monitor::SKETCH);
    const ParaleonParams netFlow = ParaleonValues::Of("Profile=netflow");
    EXPECT_EQ(netFlow.monitor, ParaleonParams::Monitor::NETFLOW);
    EXPECT_FALSE(netFlow.states.isTernary);
    EXPECT_EQ(netFlow.sampling, 100U);
    for (const ParaleonParams* p : {&sketch, &netFlow})
    {
        EXPECT_EQ(p->annealing.guidance, Annealing::Guidance::DOMINANT);
        EXPECT_EQ(p->annealing.coolingRate, 0.85);
    }
}

// Schemes whose utilities are compared need one metric, whatever profile they have.
TEST(ParaleonParams, MetricIsIndependentOfTheProfile)
{
    const ParaleonParams a1 = ParaleonValues::Of("Profile=artifact-a1");
    const ParaleonParams naive = ParaleonValues::Of("Profile=naive-sa|Metric=artifact-a1");
    EXPECT_EQ(naive.utility.rttMetric, a1.utility.rttMetric);
    EXPECT_EQ(naive.utility.baseDelayMode, a1.utility.baseDelayMode);
    EXPECT_EQ(naive.utility.pfcMetric, a1.utility.pfcMetric);
    const ParaleonParams paper = ParaleonValues::Of("Profile=artifact-a1|Metric=paper");
    EXPECT_EQ(paper.utility.rttMetric, TuningUtility::RttMetric::MEAN_OF_RATIOS);
    EXPECT_EQ(paper.utility.baseDelayMode, TuningUtility::BaseDelayMode::ROUND_TRIP);
    EXPECT_EQ(paper.utility.pfcMetric, TuningUtility::PfcMetric::EXACT_TIME);
}

TEST(ParaleonParams, EachValueCanBeSetBesideAProfile)
{
    const ParaleonParams p =
        ParaleonValues::Of("Profile=artifact-a1|T0=90|MutationBase=best|Tau=1000000|"
                           "Tuned=Swift.BaseTarget:us:+:2:5:100:25");
    EXPECT_EQ(p.annealing.initialTemperature, 90);
    EXPECT_EQ(p.annealing.mutationBase, Annealing::MutationBase::BEST);
    EXPECT_EQ(p.annealing.iterationsPerLevel, 10U);
    EXPECT_EQ(p.MakeTable().GetRows()[0].target, "Swift");
}

TEST(ParaleonParams, BadValuesAreRefused)
{
    ExpectRefused("Profile=artifact", "Profile is 'artifact', expected 'paper', 'artifact-a1'");
    ExpectRefused("Tf=90", "Tf is 90, expected less than T0, 90");
    ExpectRefused("CoolingRate=1", "CoolingRate is 1");
    ExpectRefused("Tau=0", "Tau is 0");
    ExpectRefused("Theta=-1", "Theta is -1");
    ExpectRefused("Eta=1.5", "Eta is 1.5");
    ExpectRefused("Tuned=Swift", "tuned parameter 'Swift', expected Target.Attribute:unit");
    EXPECT_EQ(ErrorOf([] { ParaleonValues::Of("Eta=1|Theta=0"); }), "no error");
}
