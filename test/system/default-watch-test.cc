// SPDX-License-Identifier: GPL-2.0-only
// A default that changes after objects of its type were made would hold for some of them: refused.
#include "roce-error-of.h"
#include "roce-events-throw.h"
#include "roce-test-network.h"

#include "ns3/roce-random-loss.h"

#include <memory>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct DefaultWatchTest : EventsThrow, SystemTest
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

TEST_F(DefaultWatchTest, NoticesWhatChangesBeforeFlows)
{
    const std::vector<std::tuple<std::string, std::string, std::string>> cases{
        {"Hpcc::BaseRtt", "204240ns", "0ps' to '204240ns"},
        {"Hpcc::Eta", "0.95", "profile' to '0.95"}, // of every profile now
        {"Nic::PathMtu", "1000", "4096' to '1000"},
        {"Port::FramingBytes", "0", "20' to '0"},
        {"Switch::Alpha", "0.5", "0.125' to '0.5"},
        {"DwrrScheduler::Quantum", "1", "4200' to '1"},
        {"EcnMarker::Pmax", "0.5", "0.2' to '0.5"},
    };
    for (const auto& [attribute, value, change] : cases)
    {
        Set(attribute, value);
        EXPECT_EQ(ErrorOfInstall(),
                  "the default of ns3::roce::" + attribute + " was changed from '" + change +
                      "' after a network with such objects was built, expected before "
                      "Network::Build()");
        const bool isParameter = attribute[0] == 'H' || attribute[0] == 'E';
        Set(attribute, isParameter ? "profile" : change.substr(0, change.find('\'')));
        EXPECT_EQ(ErrorOf([&] { network->InstallFlows({}); }), "no error") << attribute;
    }
}

TEST_F(DefaultWatchTest, NoticesWhatChangesBeforeTheRun)
{
    EXPECT_EQ(ErrorOfInstall(), "no error");
    Set("Hpcc::Eta", "0.5");
    EXPECT_EQ(ErrorOf([] { Simulator::Run(); }),
              "the default of ns3::roce::Hpcc::Eta was changed from '0.95' to '0.5' after a "
              "network with such objects was built, expected before Network::Build()");
}

// What the network has nothing of may change: it is made later, if at all.
TEST_F(DefaultWatchTest, OtherTypesMayChange)
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

TEST_F(DefaultWatchTest, ANetworkThatIsGoneIsNotLookedAt)
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
TEST_F(DefaultWatchTest, OneNetworkAfterTheOther)
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
