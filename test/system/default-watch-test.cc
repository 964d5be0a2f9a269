/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// A default that changes after objects of its type were made would hold for some of them: refused.
#include "../roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-random-loss.h"

#include <memory>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct DefaultWatch : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("Hpcc");
        network = std::make_unique<Network>();
        MakeStar(*network, 3);
        network->Build();
    }

    void TearDown() override
    {
        Simulator::Destroy();
        network.reset();
        SystemTest::TearDown();
    }

    static void Set(const std::string& attribute, const std::string& value)
    {
        Config::SetDefault("ns3::roce::" + attribute, StringValue(value));
    }

    std::string ErrorOfInstall() const
    {
        return ErrorOf([&] { network->InstallFlows(Numbered({Flow(0, 2, 1000)})); });
    }

    std::unique_ptr<Network> network;
};

} // namespace

TEST_F(DefaultWatch, NoticesWhatChangesBeforeFlows)
{
    const std::vector<std::tuple<std::string, std::string, std::string>> cases{
        {"Hpcc::BaseRtt", "profile", "204240ns"},
        {"Nic::PathMtu", "4096", "1000"},
        {"Port::FramingBytes", "20", "0"},
        {"Switch::Alpha", "0.125", "0.5"},
        {"DwrrScheduler::Quantum", "4200", "1"},
        {"EcnMarker::Pmax", "profile", "0.5"},
        {"Link::Delay", "", "3us"},
    };
    for (const auto& [attribute, before, after] : cases)
    {
        TypeId::AttributeInformation info;
        const std::string name = attribute.substr(attribute.rfind(':') + 1);
        ASSERT_TRUE(TypeId::LookupByName("ns3::roce::" + attribute.substr(0, attribute.find(':')))
                        .LookupAttributeByName(name, &info))
            << attribute;
        const std::string old =
            before.empty() ? info.initialValue->SerializeToString(info.checker) : before;
        Set(attribute, after);
        const std::string error = ErrorOfInstall();
        EXPECT_EQ(error.rfind("the default of ns3::roce::" + attribute + " was changed from '" +
                                  old + "' to '",
                              0),
                  0u)
            << error;
        Set(attribute, old);
        EXPECT_EQ(ErrorOf([&] { network->InstallFlows({}); }), "no error") << attribute;
    }
}

TEST_F(DefaultWatch, NoticesWhatChangesBeforeTheRun)
{
    EXPECT_EQ(ErrorOfInstall(), "no error");
    Set("Hpcc::Eta", "0.5");
    EXPECT_EQ(ErrorOf([] { Simulator::Run(); }),
              "the default of ns3::roce::Hpcc::Eta was changed from 'profile' to '0.5' after a "
              "network with such objects was built, expected before Network::Build()");
}

// What the network has nothing of may change: it is made later, if at all.
TEST_F(DefaultWatch, OtherTypesMayChange)
{
    Set("Timely::Beta", "0.5");
    Set("RandomLoss::Rate", "0.5");
    EXPECT_EQ(ErrorOfInstall(), "no error");
    network->GetNic(0)->SetLossModel(CreateObject<RandomLoss>());
    Set("Swift::Beta", "0.5");
    Set("Hpcc::Eta", "profile"); // as it was
    EXPECT_EQ(ErrorOf([] {
                  Simulator::Stop(MicroSeconds(10));
                  Simulator::Run();
              }),
              "no error");
}

TEST_F(DefaultWatch, ANetworkThatIsGoneIsNotLookedAt)
{
    network.reset();
    Set("Hpcc::Eta", "0.5");
    Network other;
    MakeStar(other, 2);
    other.Build();
    other.InstallFlows(Numbered({Flow(0, 1, 1000)}));
    EXPECT_EQ(ErrorOf([] { Simulator::Run(); }), "no error");
    Simulator::Destroy();
}

// While a simulation is on, defaults are for the next network.
TEST_F(DefaultWatch, OneNetworkAfterTheOther)
{
    EXPECT_EQ(ErrorOfInstall(), "no error");
    Simulator::Run();
    Set("Hpcc::Eta", "0.5");
    Network other;
    MakeStar(other, 2);
    other.Build();
    other.InstallFlows(Numbered({Flow(0, 1, 1000)}));
    EXPECT_EQ(ErrorOf([] { Simulator::Run(); }), "no error");
    Simulator::Destroy();
}
