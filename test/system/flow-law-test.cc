// SPDX-License-Identifier: GPL-2.0-only
// Rate laws of single flows, beside the NICs' own, and flows that do not respond.
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-fixed-rate.h"
#include "ns3/roce-hpcc.h"
#include "ns3/roce-qp-scheduler.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

ObjectFactory
Law(const std::string& text)
{
    ObjectFactoryValue value;
    value.DeserializeFromString("ns3::roce::" + text, MakeObjectFactoryChecker());
    return value.Get();
}

FlowSpec
WithLaw(uint8_t law, FlowSpec flow)
{
    flow.law = law;
    return flow;
}

/// What the data frames of each flow at a NIC look like, by cookie.
struct Looks
{
    explicit Looks(Ptr<Nic> nic)
    {
        nic->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([this](const Frame& f, Time) {
                if (f.kind == FrameKind::DATA)
                {
                    stamped[f.dst] += f.telemetry ? 1 : 0;
                    capable[f.dst] += f.ecn == ECN_NOT_ECT ? 0 : 1;
                }
            }));
    }

    std::map<uint32_t, uint64_t> stamped; //!< by receiver
    std::map<uint32_t, uint64_t> capable;
};

struct FlowLaw : SystemTest
{
    void Build(uint32_t hosts, bool telemetry = true)
    {
        MakeStar(net, hosts);
        Network::Options options;
        options.telemetry = telemetry;
        net.Build(options);
    }

    /// @return FCT of each flow, picoseconds
    std::vector<int64_t> Run(std::vector<FlowSpec> flows)
    {
        const Completions done(net);
        flows = Numbered(std::move(flows));
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        std::vector<int64_t> fcts;
        for (const FlowSpec& flow : flows)
        {
            fcts.push_back(done.FctPs(flow.id));
        }
        return fcts;
    }

    Network net;
};

} // namespace

TEST_F(FlowLaw, FixedRateIsTheRateAskedFor)
{
    SetRateLaw("FixedRate[Rate=10Gbps]");
    Build(2);
    const Nic& nic = *net.GetNic(0);
    const uint32_t full = nic.WireBytes(nic.GetDataHeaderBytes() + nic.GetMtuBytes());
    const uint64_t packets = 500;
    const int64_t fct = Run({Flow(0, 1, packets * nic.GetMtuBytes())})[0];
    const int64_t gapsPs =
        static_cast<int64_t>((packets - 1) * full + nic.GetFirstHeaderBytes()) * 800;
    const int64_t restPs = net.GetIdeal(Flow(0, 1, nic.GetMtuBytes())).senderFctPs;
    EXPECT_NEAR(fct, gapsPs + restPs, 10 * NS);
}

TEST_F(FlowLaw, FixedRateIsAtMostTheLines)
{
    SetRateLaw("FixedRate[Rate=1000Gbps]");
    Build(2);
    const FlowSpec flow = Flow(0, 1, 1000000);
    EXPECT_EQ(Run({flow})[0], net.GetIdeal(flow).senderFctPs);
}

// DCQCN gives way to a flow that does not respond.
TEST_F(FlowLaw, FixedRateDoesNotGiveWay)
{
    SetRateLaw("Dcqcn");
    Build(3);
    const uint8_t fixed = net.AddLaw(Law("FixedRate[Rate=70Gbps]"));
    const auto fcts = Run({WithLaw(fixed, Flow(0, 2, 10000000)), Flow(1, 2, 10000000)});
    const double alonePs = 1e7 * 8e12 / 70e9 * 4184 / 4096;
    EXPECT_LT(static_cast<double>(fcts[0]), 1.2 * alonePs) << "it shares evenly at first only";
    EXPECT_GT(static_cast<double>(fcts[1]), 1.5 * alonePs);
}

TEST_F(FlowLaw, EachFlowHasItsOwn)
{
    SetRateLaw("LineRate");
    Build(4);
    EXPECT_EQ(net.AddLaw(Law("Hpcc")), 1);
    EXPECT_EQ(net.AddLaw(Law("Dcqcn")), 2);
    const Looks looks(net.GetNic(0));
    Run({Flow(0, 1, 100000), WithLaw(1, Flow(0, 2, 100000)), WithLaw(2, Flow(0, 3, 100000))});
    EXPECT_EQ(looks.stamped.at(1), 0u) << "LineRate has telemetry";
    EXPECT_EQ(looks.stamped.at(2), 25u) << "HPCC has none";
    EXPECT_EQ(looks.stamped.at(3), 0u) << "DCQCN has telemetry";
    EXPECT_EQ(looks.capable.at(1), 0u) << "LineRate is marked";
    EXPECT_EQ(looks.capable.at(3), 25u) << "DCQCN is not marked";
    FlowSpec flow = Flow(0, 1, 100000);
    const int64_t plain = net.GetIdeal(flow, true).senderFctPs;
    flow.law = 1;
    EXPECT_GT(net.GetIdeal(flow, true).senderFctPs, plain) << "telemetry costs nothing";
    EXPECT_GT(net.GetPath(0, 1, 0, 3, 1).fullFrameBytes, net.GetPath(0, 1, 0).fullFrameBytes);
}

TEST_F(FlowLaw, WhatItNeedsIsMissing)
{
    Build(2, false);
    net.AddLaw(Law("Hpcc"));
    const auto install = [&](uint8_t law) {
        return ErrorOf([&] { net.InstallFlows(Numbered({WithLaw(law, Flow(0, 1, 1000))})); });
    };
    EXPECT_NE(install(1).find("the rate law, ns3::roce::Hpcc, needs telemetry"), std::string::npos)
        << install(1);
    EXPECT_NE(install(2).find("law"), std::string::npos) << install(2);
}

TEST_F(FlowLaw, ConnectionHasOne)
{
    Build(2);
    net.AddLaw(Law("Hpcc"));
    std::vector<FlowSpec> flows = Numbered({Flow(0, 1, 1000), WithLaw(1, Flow(0, 1, 1000))});
    flows[0].connection = flows[1].connection = 7;
    EXPECT_EQ(ErrorOf([&] { net.InstallFlows(flows); }),
              "flow 1: another rate law than flow 0 on connection 7, expected one");
}

// New parameters are those of the attributes' law; others keep theirs.
TEST_F(FlowLaw, RetuneLeavesItAlone)
{
    SetRateLaw("FixedRate[Rate=10Gbps]");
    Build(3);
    const uint8_t other = net.AddLaw(Law("FixedRate[Rate=5Gbps]"));
    Simulator::Schedule(MicroSeconds(100), [&] {
        net.Retune(false, Law("FixedRate[Rate=40Gbps]").Create<CongestionControl>());
    });
    const auto fcts = Run({Flow(0, 2, 1000000), WithLaw(other, Flow(1, 2, 1000000))});
    const double wire = 1e6 * 4184 / 4096 * 8e12;
    EXPECT_NEAR(fcts[0], 100e6 + (wire - 100e6 * 10e9) / 40e9, 10e6);
    EXPECT_NEAR(fcts[1], wire / 5e9, 20e6);
}

// ---------------------------------------------------------------- classes of a NIC

namespace
{

/// Two flows of one NIC, in classes 3 and 4.
struct NicClasses : FlowLaw
{
    std::vector<int64_t> RunBoth()
    {
        SetRateLaw("LineRate");
        Build(2);
        return Run({Flow(0, 1, 4000000), Flow(0, 1, 4000000, 0, 4)});
    }
};

} // namespace

TEST_F(NicClasses, ShareAlikeByDefault)
{
    const auto fcts = RunBoth();
    EXPECT_NEAR(fcts[0], fcts[1], 1 * US);
}

TEST_F(NicClasses, ShareByWeights)
{
    Config::SetDefault("ns3::roce::Nic::ClassWeights", StringValue("3:2,4:6"));
    const auto fcts = RunBoth();
    EXPECT_NEAR(static_cast<double>(fcts[1]) / static_cast<double>(fcts[0]), 4.0 / 6, 0.01);
}

TEST_F(NicClasses, StrictOneGoesFirst)
{
    Config::SetDefault("ns3::roce::Nic::StrictClasses", UintegerValue(1 << 4));
    const auto fcts = RunBoth();
    const int64_t ideal = net.GetIdeal(Flow(0, 1, 4000000)).senderFctPs;
    EXPECT_NEAR(fcts[1], ideal, 1 * US);
    EXPECT_NEAR(fcts[0], 2 * ideal, 10 * US);
}

TEST_F(NicClasses, BadWeights)
{
    for (const std::string bad : {"3:0", "3:101", "8:1", "3:1,3:2", "3"})
    {
        Config::SetDefault("ns3::roce::Nic::ClassWeights", StringValue(bad));
        Network other;
        MakeStar(other, 2);
        EXPECT_EQ(ErrorOf([&] { other.Build(); }),
                  "ns3::roce::Nic::ClassWeights is '" + bad +
                      "', expected CLASS:WEIGHT,... with classes 0 to 7, each once, and weights 1 "
                      "to 100");
    }
}
