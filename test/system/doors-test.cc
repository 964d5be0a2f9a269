// SPDX-License-Identifier: GPL-2.0-only
// A dummy system of four file pairs goes through every door of the core: door-law with an extension
// of its own, door-feedback with a timer, door-stage at ToRs that emits and holds, and door-tuner
// that changes parameters while the simulation is on. Nothing outside test/ knows them.
#include "door-law.h"
#include "door-stage.h"
#include "door-tuner.h"
#include "roce-error-of.h"
#include "roce-events-throw.h"
#include "roce-test-network.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Two ToRs with two hosts each, NICs 0 and 1, 2 and 3, and one spine.
class Doors : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("test::DoorLaw");
        SetRecovery();
    }

    void Make(bool withStages = true)
    {
        const uint32_t spine = net.AddSwitch("spine", 0);
        for (const char* name : {"a", "b"})
        {
            const uint32_t tor = net.AddSwitch(name, 0);
            net.Connect(tor, spine, 100 * G, US);
            for (const char* host : {"0", "1"})
            {
                net.AddNic(net.AddHost(std::string(name) + host, 0), tor, 100 * G, US);
            }
        }
        Network::Options options;
        if (withStages)
        {
            options.stages.emplace_back("ns3::roce::test::DoorStage", SwitchRole::TOR);
        }
        net.Build(options);
        net.AssignStreams(1);
    }

    /// Variables of the law of the newest queue pair of a NIC.
    std::map<std::string, double> Variables(uint32_t nic)
    {
        net.CatchUp();
        const Ptr<Nic> sender = net.GetNic(nic);
        const QueuePair* qp = sender->GetQp(sender->GetNQps() - 1);
        std::vector<ControlVariable> list;
        qp->GetCc().GetVariables(Simulator::Now().GetTimeStep(), list);
        std::map<std::string, double> variables;
        for (const ControlVariable& variable : list)
        {
            variables[variable.name] = variable.value;
        }
        variables["rate"] = static_cast<double>(qp->GetCc().GetRateBps());
        return variables;
    }

    uint64_t Counted(const std::string& name)
    {
        std::map<std::string, uint64_t> counters;
        for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
        {
            for (const Ptr<SwitchStage>& stage : net.GetSwitch(s)->GetStages())
            {
                stage->Count(counters);
            }
        }
        return counters[name];
    }

    static ObjectFactory Law(const std::string& attributes)
    {
        ObjectFactoryValue value;
        value.DeserializeFromString("ns3::roce::test::DoorLaw[" + attributes + "]",
                                    MakeObjectFactoryChecker());
        return value.Get();
    }

    Network net;

  private:
    static void SetRecovery()
    {
        Config::SetDefault("ns3::roce::Nic::LossRecovery",
                           StringValue("ns3::roce::SelectiveRepeat"));
    }
};

// The mark goes with each data frame, is counted on by the stages, comes back in ACKs with the
// receiver's grant, and is charged on the wire.
TEST_F(Doors, ExtensionGoesThereAndBack)
{
    Make();
    Completions done(net);
    const std::vector<FlowSpec> flows = Numbered({Flow(0, 3, 10000000)});
    net.InstallFlows(flows);
    uint64_t acks = 0;
    uint64_t wrong = 0;
    net.GetNic(0)->TraceConnectWithoutContext(
        "Rate",
        Callback<void, const QueuePair&, Time>([&](const QueuePair&, Time) { ++acks; }));
    net.GetNic(0)->TraceConnectWithoutContext(
        "TxBegin",
        Callback<void, const Frame&, Time>([&](const Frame& frame, Time) {
            const DoorMark* mark = frame.FindExtension<DoorMark>();
            wrong += !mark || mark->psn != frame.psn ||
                     frame.frameBytes != DATA_HEADER_BYTES + 8U + frame.payloadBytes +
                                             (frame.flags & FRAME_FIRST ? RETH_BYTES : 0);
        }));
    Simulator::Schedule(MicroSeconds(500), [&] {
        const auto variables = Variables(0);
        EXPECT_EQ(variables.at("hops"), 2) << "ToRs have the stage, the spine has not";
        EXPECT_GT(variables.at("echoes"), 100);
        EXPECT_NEAR(variables.at("rate"), 50e9, 1e9) << "the grant of profile gentle";
    });
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(wrong, 0u) << "data frames without a right mark";
    EXPECT_GT(acks, 2000u);
}

// A timer of the receiver's sends CNPs with a grant while data comes, and none afterwards.
TEST_F(Doors, FeedbackHasATimer)
{
    Config::SetDefault("ns3::roce::test::DoorLaw::GrantPeriod", StringValue("30us"));
    Make(false);
    Completions done(net);
    const std::vector<FlowSpec> flows = Numbered({Flow(0, 3, 5000000)}); // 900 us and some
    net.InstallFlows(flows);
    Simulator::Schedule(MicroSeconds(600), [&] {
        // The first data is there after 4 us and more, the last CNP before is 4 us under way.
        EXPECT_EQ(Variables(0).at("granted"), 19);
    });
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    const uint64_t cnps = Sum(net).cnps;
    EXPECT_NEAR(static_cast<double>(cnps), done.FctPs(0) / 30e6, 1.5);
}

// The stage holds the first frame of a flow and tells senders of long queues.
TEST_F(Doors, StageHoldsAndEmits)
{
    Config::SetDefault("ns3::roce::test::DoorLaw::Profile", StringValue("bold"));
    Make();
    Completions done(net);
    const std::vector<FlowSpec> flows = Numbered({Flow(0, 3, 2000000), Flow(1, 3, 2000000)});
    net.InstallFlows(flows);
    Simulator::Schedule(MicroSeconds(150), [&] {
        EXPECT_GT(Variables(0).at("notified") + Variables(1).at("notified"), 0)
            << "two flows at 90 % of the line rate make a queue";
    });
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(Counted("doorHolds"), 4u) << "two flows, two ToRs each";
    EXPECT_GT(Counted("doorNotifications"), 0u);
    EXPECT_EQ(Sum(net).stray, 0u);
}

// New parameters hold for what is under way and for what comes, and nothing is reset.
TEST_F(Doors, ParametersChangeWhileItRuns)
{
    Make(false);
    Completions done(net);
    const std::vector<FlowSpec> flows =
        Numbered({Flow(0, 3, 10000000), Flow(1, 2, 1000000, 600 * US)});
    net.InstallFlows(flows);
    DoorTuner tuner(net);
    tuner.At(MicroSeconds(300), Law("GrantShare=0.1|GrantPeriod=10us"));
    Simulator::Schedule(MicroSeconds(299), [&] {
        EXPECT_NEAR(Variables(0).at("rate"), 50e9, 1e9);
        EXPECT_EQ(Variables(0).at("epoch"), 0);
    });
    Simulator::Schedule(MicroSeconds(500), [&] {
        const auto variables = Variables(0);
        EXPECT_EQ(variables.at("epoch"), 1) << "the open queue pair was told";
        EXPECT_NEAR(variables.at("rate"), 10e9, 1e9) << "its receiver was told, too";
        EXPECT_GT(variables.at("granted"), 13 + 15) << "every 20 us, then every 10 us";
        EXPECT_GT(variables.at("echoes"), 0);
    });
    Simulator::Schedule(MicroSeconds(900), [&] {
        EXPECT_EQ(Variables(1).at("epoch"), 0) << "opened afterwards";
        EXPECT_NEAR(Variables(1).at("rate"), 10e9, 1e9) << "with the new parameters";
    });
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(tuner.GetDone(), std::vector<Time>{MicroSeconds(300)});
}

// A queue pair that waits for a long gap is paced anew at once.
TEST_F(Doors, RetuningWakesWhoWaits)
{
    Config::SetDefault("ns3::roce::test::DoorLaw::GrantShare", DoubleValue(1e-6));
    Config::SetDefault("ns3::roce::test::DoorLaw::MinRate", StringValue("100kbps"));
    Config::SetDefault("ns3::roce::test::DoorLaw::GrantPeriod", StringValue("1s"));
    Make(false);
    Completions done(net);
    const std::vector<FlowSpec> flows = Numbered({Flow(0, 3, 500000)});
    net.InstallFlows(flows);
    DoorTuner tuner(net);
    tuner.At(MilliSeconds(3), Law("GrantShare=0.5|MinRate=50Gbps"));
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    ASSERT_EQ(done.sent.size(), 1u) << "a frame takes 0.3 s at 100 kbit/s";
    EXPECT_GT(done.FctPs(0), 3 * MS);
    EXPECT_LT(done.FctPs(0), 3 * MS + 200 * US);
}

// A queue pair that waits for a long gap hears of it when its rate will rise sooner than before.
TEST_F(Doors, RetuningMovesTheNextLookAtARate)
{
    SetRateLaw("Dcqcn");
    Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(5000));
    Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(10000));
    Config::SetDefault("ns3::roce::Dcqcn::RateOnFirstCnp", StringValue("1Mbps"));
    Config::SetDefault("ns3::roce::Dcqcn::TimeReset", StringValue("0s"));
    Make(false);
    Completions done(net);
    net.InstallFlows(Numbered({Flow(0, 3, 1000000), Flow(1, 3, 1000000)}));
    const Ptr<CongestionControl> law =
        ObjectFactory("ns3::roce::Dcqcn").Create<CongestionControl>();
    law->SetAttribute("TimeReset", StringValue("10us"));
    law->SetAttribute("AiRate", StringValue("20Gbps"));
    law->SetAttribute("HaiRate", StringValue("20Gbps"));
    law->SetAttribute("RateOnFirstCnp", StringValue("0bps"));
    Simulator::Schedule(MilliSeconds(1), [&] {
        EXPECT_EQ(done.sent.size(), 0u) << "a frame takes 33 ms at 1 Mbit/s";
        net.Retune(false, law);
    });
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    EXPECT_EQ(done.sent.size(), 2u) << "the increase timer, off before, starts at once";
}

TEST_F(Doors, WhatIsNotLiveCannotChange)
{
    Make(false);
    net.InstallFlows(Numbered({Flow(0, 3, 10000000)}));
    Simulator::Stop(MicroSeconds(100));
    Simulator::Run();
    EXPECT_EQ(
        ErrorOf([&] { net.Retune(false, Law("InitialShare=0.5").Create<CongestionControl>()); }),
        "ns3::roce::test::DoorLaw: InitialShare is 0.5, expected 0.25: it cannot change "
        "while the simulation is on");
    EXPECT_EQ(Variables(0).at("epoch"), 0);
    for (uint32_t nic = 0; nic < net.GetNNics(); ++nic)
    {
        StringValue share;
        net.GetNic(nic)->GetProfile()->GetLaw()->GetAttribute("InitialShare", share);
        EXPECT_EQ(share.Get(), "0.25") << "all or nothing: NIC " << nic;
    }
}

/// Its events throw from the network's making on.
struct ThrowingDoors : EventsThrow, Doors
{
};

// A sink of a trace is told of times past: parameters cannot change then.
TEST_F(ThrowingDoors, SinksOfTracesMayNotRetune)
{
    Make(false);
    net.InstallFlows(Numbered({Flow(0, 3, 1000)}));
    net.GetNic(0)->TraceConnectWithoutContext(
        "MessageCompleted",
        Callback<void, const MessageRecord&>([&](const MessageRecord&) {
            net.Retune(false, Law("GrantShare=0.25").Create<CongestionControl>());
        }));
    const std::string error = ErrorOf([] { Simulator::Run(); });
    EXPECT_NE(error.find("Nic::Retune() is called by a sink of the NIC's traces"),
              std::string::npos)
        << error;
}

} // namespace
