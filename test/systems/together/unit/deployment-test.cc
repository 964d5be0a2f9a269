// SPDX-License-Identifier: GPL-2.0-only
// What parts of a network say they need of each other.
#include "roce-error-of.h"
#include "roce-other-shim.h"

#include "ns3/roce-dcqcn.h"
#include "ns3/roce-deployment.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-go-back-n.h"
#include "ns3/roce-hpcc.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-int-stamper.h"
#include "ns3/roce-line-rate.h"
#include "ns3/roce-phantom-queue.h"
#include "ns3/roce-plb.h"
#include "ns3/roce-reflex-ndt.h"
#include "ns3/roce-reflex-nsf.h"
#include "ns3/roce-reflex-sender.h"
#include "ns3/roce-timely.h"
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

struct DeploymentTest : ::testing::Test
{
    template <typename LAW>
    void Use(bool interDc = false)
    {
        transport.interDc = interDc;
        transport.law = CreateObject<LAW>();
    }

    DeploymentTest()
    {
        Use<LineRate>();
        transport.feedback = CreateObject<PlainFeedback>();
        transport.recovery = CreateObject<GoBackN>();
        transport.selector = CreateObject<FlowHash>();
    }

    std::string Check(bool complete = true)
    {
        Deployment all = deployment;
        all.Add(transport);
        if (!complete)
        {
            all.ExpectMoreStages();
        }
        return ErrorOf([&] { all.Check(); });
    }

    Deployment deployment;
    Deployment::Transport transport;
};

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

TEST_F(DeploymentTest, OnlyOneStageSteersTheSendersAndItIsAtExternalSwitches)
{
    Use<Timely>(true);
    Deployment none = deployment;
    EXPECT_EQ(deployment.GetSenderShim(), "");
    deployment.Add(CreateObject<ReflexNsf>(), SwitchRole::DCI);
    EXPECT_EQ(Check(), "no error");
    EXPECT_EQ(deployment.GetSenderShim(), CreateObject<ReflexNsf>()->GetSenderShim());
    deployment.Add(CreateObject<ReflexNsf>(), SwitchRole::DCI);
    EXPECT_EQ(Check(),
              "stages ns3::roce::ReflexNsf and ns3::roce::ReflexNsf both steer the senders, "
              "expected one of them");
    deployment = none;
    deployment.Add(CreateObject<ReflexNsf>(), SwitchRole::CORE);
    EXPECT_EQ(Check(),
              "stage ns3::roce::ReflexNsf steers the senders of flows between datacenters, "
              "expected it at switches of role dci only (--edge)");
}

TEST_F(DeploymentTest, StagesRefuseLaws)
{
    deployment.Add(CreateObject<ReflexNsf>(), SwitchRole::DCI);
    EXPECT_EQ(Check(), "no error") << "not its flows";
    transport.interDc = true;
    EXPECT_EQ(Check(),
              "edge function ReflexNsf steers senders by their RTT, but ns3::roce::LineRate takes "
              "no RTT samples; expected a delay-based rate law, such as Timely or Swift");
}

// By itself near-destination throttling has stamps of its own; with ReflexNsf they are the
// senders', who get their samples elsewhere, unless paths are chosen by them.
TEST_F(DeploymentTest, ReplacedTimestampsSuitNoSelectorThatMeasures)
{
    Use<Timely>(true);
    transport.selector = CreateObjectWithAttributes<Plb>("Signal", StringValue("delay"));
    deployment.Add(CreateObject<ReflexNdt>(), SwitchRole::DCI);
    EXPECT_EQ(Check(), "no error");
    deployment.Add(CreateObject<ReflexNsf>(), SwitchRole::DCI);
    EXPECT_EQ(Check(),
              "edge function ns3::roce::ReflexNdt replaces the time stamps that ns3::roce::Plb "
              "measures by, expected stamps of its own (SeparateTimestamp=true)");
    transport.interDc = false;
    EXPECT_EQ(Check(), "no error");
}

// Another system's shim may need the senders' stamps: beside it the stamps are separate, as alone.
TEST_F(DeploymentTest, NdtReplacesTimestampsBesideItsOwnShimOnly)
{
    Use<Timely>(true);
    transport.selector = CreateObjectWithAttributes<Plb>("Signal", StringValue("delay"));
    deployment.Add(CreateObject<ReflexNdt>(), SwitchRole::DCI);
    deployment.Add(CreateObject<OtherShim>(), SwitchRole::DCI);
    EXPECT_EQ(Check(), "no error");
    EXPECT_TRUE(ReflexSender::IsMeant("ns3::roce::ReflexSender"));
    EXPECT_FALSE(ReflexSender::IsMeant(""));
}
