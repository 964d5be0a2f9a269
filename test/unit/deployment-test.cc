// SPDX-License-Identifier: GPL-2.0-only
// What parts of a network say they need of each other. What stages of systems need is in their
// own tests.
#include "roce-deployment-fixture.h"

#include "ns3/roce-dcqcn.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-hpcc.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-int-stamper.h"
#include "ns3/roce-phantom-queue.h"
#include "ns3/roce-plb.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Says what it is asked, and refuses if told to.
template <typename BASE>
struct Choosy : public BASE
{
    void Check(const Deployment&, bool interDc) const override
    {
        if (interDc)
        {
            throw InputError(refusal);
        }
    }

    std::string refusal;
};

template <typename BASE>
Ptr<Choosy<BASE>>
Refusing(const std::string& refusal)
{
    auto part = CreateObject<Choosy<BASE>>();
    part->refusal = refusal;
    return part;
}

} // namespace

TEST_F(DeploymentTest, LawsThatNeedMarksNeedSomethingThatMarks)
{
    EXPECT_EQ(Check(), "no error");
    Use<Dcqcn>();
    EXPECT_EQ(Check(),
              "the rate law, ns3::roce::Dcqcn, needs ECN marks, but no switch on the way marks; "
              "expected an EcnMarker (--ecn=1) or a stage that marks (--stages=PhantomQueue)");
    EXPECT_EQ(Check(false), "no error") << "a marker may still come";
    deployment.Add(CreateObject<IntStamper>(), SwitchRole::ALL);
    EXPECT_NE(Check(), "no error");
    // Frames that stay in their datacenter meet no DCI switch.
    deployment.Add(CreateObject<PhantomQueue>(), SwitchRole::DCI);
    EXPECT_NE(Check(), "no error");
    transport.interDc = true;
    EXPECT_EQ(Check(), "no error");
    transport.interDc = false;
    deployment.Add(CreateObject<EcnMarker>(), SwitchRole::SPINE);
    EXPECT_EQ(Check(), "no error");
}

TEST_F(DeploymentTest, StagesAreFoundByNameOnTheWay)
{
    const std::string name = "ns3::roce::PhantomQueue";
    EXPECT_FALSE(deployment.HasStage(name, true));
    deployment.Add(CreateObject<PhantomQueue>(), SwitchRole::DCI);
    EXPECT_TRUE(deployment.HasStage(name, true));
    EXPECT_FALSE(deployment.HasStage(name, false)) << "flows within meet no DCI switch";
    EXPECT_FALSE(deployment.HasStage("ns3::roce::EcnMarker", true));
    deployment.Add(CreateObject<PhantomQueue>(), SwitchRole::TOR);
    EXPECT_TRUE(deployment.HasStage(name, false));
    deployment.ExpectMoreStages();
    EXPECT_TRUE(deployment.HasStage("ns3::roce::EcnMarker", true)) << "it may still come";
}

TEST_F(DeploymentTest, LawsThatNeedTelemetryNeedAStamper)
{
    Use<Hpcc>(true);
    deployment.Add(CreateObject<EcnMarker>(), SwitchRole::ALL);
    EXPECT_EQ(Check(),
              "the rate law between datacenters, ns3::roce::Hpcc, needs telemetry, which no switch "
              "on the way stamps; expected an IntStamper (--int=1)");
    // A stamper that adds no bytes is one.
    auto stamper = CreateObjectWithAttributes<IntStamper>("BytesPerHop", StringValue("0"));
    deployment.Add(stamper, SwitchRole::TOR);
    EXPECT_EQ(Check(), "no error");
}

TEST_F(DeploymentTest, PathSelectorsNeedMarksToo)
{
    transport.selector = CreateObject<Plb>();
    EXPECT_EQ(Check().rfind("the path selector, ns3::roce::Plb, needs ECN marks", 0), 0u);
}

TEST_F(DeploymentTest, EveryPartIsAsked)
{
    const Deployment::Transport good = transport;
    transport.law = Refusing<LineRate>("law");
    EXPECT_EQ(Check(), "no error") << "told the scope";
    transport.interDc = true;
    EXPECT_EQ(Check(), "law");
    transport = good;
    transport.interDc = true;
    transport.feedback = Refusing<PlainFeedback>("feedback");
    EXPECT_EQ(Check(), "feedback");
    transport.feedback = good.feedback;
    transport.recovery = Refusing<GoBackN>("recovery");
    EXPECT_EQ(Check(), "recovery");
    transport.recovery = good.recovery;
    transport.selector = Refusing<FlowHash>("selector");
    EXPECT_EQ(Check(), "selector");
}
