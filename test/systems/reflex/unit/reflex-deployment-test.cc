// SPDX-License-Identifier: GPL-2.0-only
// What Reflex's stages say they need of a network.
#include "roce-deployment-fixture.h"
#include "roce-other-shim.h"

#include "ns3/roce-plb.h"
#include "ns3/roce-reflex-ndt.h"
#include "ns3/roce-reflex-nsf.h"
#include "ns3/roce-reflex-sender.h"
#include "ns3/roce-timely.h"
#include "ns3/string.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

using ReflexDeployment = DeploymentTest;

TEST_F(ReflexDeployment, OnlyOneStageSteersTheSendersAndItIsAtExternalSwitches)
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

TEST_F(ReflexDeployment, StagesRefuseLaws)
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
TEST_F(ReflexDeployment, ReplacedTimestampsSuitNoSelectorThatMeasures)
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
TEST_F(ReflexDeployment, NdtReplacesTimestampsBesideItsOwnShimOnly)
{
    Use<Timely>(true);
    transport.selector = CreateObjectWithAttributes<Plb>("Signal", StringValue("delay"));
    deployment.Add(CreateObject<ReflexNdt>(), SwitchRole::DCI);
    deployment.Add(CreateObject<OtherShim>(), SwitchRole::DCI);
    EXPECT_EQ(Check(), "no error");
    EXPECT_TRUE(ReflexSender::IsMeant("ns3::roce::ReflexSender"));
    EXPECT_FALSE(ReflexSender::IsMeant(""));
}
