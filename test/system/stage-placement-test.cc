// SPDX-License-Identifier: GPL-2.0-only
// Which switches get a stage.
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-fat-tree-helper.h"
#include "ns3/roce-int-stamper.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-phantom-queue.h"

#include <optional>
#include <set>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct StagePlacementTest : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("LineRate");
    }
};

/// A stamper that charges more than a frame can count.
struct WideStamper : IntStamper
{
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::test::WideStamper")
                                .SetParent<IntStamper>()
                                .AddConstructor<WideStamper>();
        return tid;
    }

    std::optional<uint32_t> GetTelemetryBytes() const override
    {
        return 257;
    }
};

/// The kinds of switches (names without datacenter and numbers) that have a role.
std::string
KindsWith(const Network& net, SwitchRole role)
{
    std::set<std::string> kinds;
    std::set<std::string> others;
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        const std::string& name = net.GetSwitch(s)->GetName();
        const std::size_t begin = name.find('-') + 1;
        const std::string kind =
            name.substr(begin, name.find_first_of("0123456789", begin) - begin);
        (net.HasRole(s, role) ? kinds : others).insert(kind);
    }
    std::string text;
    for (const std::string& kind : kinds)
    {
        text += kind + (others.count(kind) ? "(some) " : " ");
    }
    return text;
}

} // namespace

TEST_F(StagePlacementTest, RolesOfALeafSpineNetwork)
{
    Network net;
    LeafSpineHelper helper;
    helper.hostsPerLeaf = 2;
    helper.Construct(net);
    net.Build();
    EXPECT_EQ(KindsWith(net, SwitchRole::ALL), "dci leaf spine ");
    EXPECT_EQ(KindsWith(net, SwitchRole::TOR), "leaf ");
    EXPECT_EQ(KindsWith(net, SwitchRole::SPINE), "spine ");
    EXPECT_EQ(KindsWith(net, SwitchRole::CORE), "");
    EXPECT_EQ(KindsWith(net, SwitchRole::DCI), "dci ");
}

TEST_F(StagePlacementTest, RolesOfAFatTree)
{
    Network net;
    FatTreeHelper helper;
    helper.k = 4;
    helper.Construct(net);
    net.Build();
    EXPECT_EQ(KindsWith(net, SwitchRole::TOR), "edge ");
    EXPECT_EQ(KindsWith(net, SwitchRole::SPINE), "agg ");
    EXPECT_EQ(KindsWith(net, SwitchRole::CORE), "core ");
    EXPECT_EQ(KindsWith(net, SwitchRole::DCI), "border ");
}

// Two switches with hosts and a long link between them are both.
TEST_F(StagePlacementTest, ASwitchMayHaveTwoRoles)
{
    Network net;
    for (const uint32_t dc : {0, 1})
    {
        const uint32_t sw = net.AddSwitch("sw" + std::to_string(dc), dc);
        net.AddNic(net.AddHost("h" + std::to_string(dc), dc), sw, 100 * G, US);
    }
    net.Connect(0, 1, 100 * G, MS);
    Network::Options options;
    options.ecn = options.telemetry = false;
    options.stages.emplace_back("ns3::roce::PhantomQueue", SwitchRole::DCI);
    options.stages.emplace_back("ns3::roce::IntStamper", SwitchRole::TOR);
    net.Build(options);
    for (const uint32_t s : {0, 1})
    {
        EXPECT_TRUE(net.HasRole(s, SwitchRole::TOR) && net.HasRole(s, SwitchRole::DCI));
        EXPECT_FALSE(net.HasRole(s, SwitchRole::SPINE) || net.HasRole(s, SwitchRole::CORE));
        ASSERT_EQ(net.GetSwitch(s)->GetStages().size(), 2u);
        EXPECT_NE(dynamic_cast<PhantomQueue*>(PeekPointer(net.GetSwitch(s)->GetStages()[0])),
                  nullptr)
            << "in the order given";
    }
}

// Each kind of switch gets its own, and one type may have other attributes elsewhere.
TEST_F(StagePlacementTest, StagesAreWhereTheyAreMeantToBe)
{
    Network net;
    LeafSpineHelper helper;
    helper.hostsPerLeaf = 2;
    helper.Construct(net);
    Network::Options options;
    options.ecn = false;
    for (const SwitchRole role : {SwitchRole::TOR, SwitchRole::SPINE})
    {
        ObjectFactory marker("ns3::roce::EcnMarker");
        marker.Set("Pmax", DoubleValue(role == SwitchRole::TOR ? 0.25 : 0.5));
        options.stages.emplace_back(marker, role);
    }
    net.Build(options);
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        const auto* marker = net.GetSwitch(s)->FindStage<EcnMarker>();
        const std::string& name = net.GetSwitch(s)->GetName();
        EXPECT_NE(net.GetSwitch(s)->FindStage<IntStamper>(), nullptr);
        EXPECT_EQ(marker == nullptr, net.HasRole(s, SwitchRole::DCI)) << name;
        if (marker)
        {
            EXPECT_EQ(marker->GetCurve(0).pmax, net.HasRole(s, SwitchRole::TOR) ? 0.25 : 0.5);
        }
    }
}

TEST_F(StagePlacementTest, ARoleThatNoSwitchHasIsRefused)
{
    const auto build = [](SwitchRole role) {
        return ErrorOf([&] {
            Network net;
            MakeStar(net, 2);
            Network::Options options;
            options.stages.emplace_back("ns3::roce::PhantomQueue", role);
            net.Build(options);
        });
    };
    EXPECT_EQ(build(SwitchRole::TOR), "no error");
    EXPECT_EQ(build(SwitchRole::SPINE),
              "stage ns3::roce::PhantomQueue is for switches of role spine, but no switch is "
              "without NICs and next to one with NICs, expected one");
    EXPECT_NE(build(SwitchRole::CORE), "no error");
    EXPECT_NE(build(SwitchRole::DCI), "no error");
}

// A law that needs marks is refused where nothing marks, unless the program says that more comes.
TEST_F(StagePlacementTest, BuildChecksTheDeployment)
{
    SetRateLaw("Dcqcn");
    for (const bool more : {false, true})
    {
        Network net;
        MakeStar(net, 2);
        Network::Options options;
        options.ecn = false;
        options.moreStages = more;
        EXPECT_EQ(ErrorOf([&] { net.Build(options); }) == "no error", more);
    }
    // Also if only some NICs have such a law.
    Network net;
    MakeStar(net, 2);
    ObjectFactory hpcc("ns3::roce::Nic");
    hpcc.Set("CongestionControl", StringValue("ns3::roce::Hpcc"));
    net.AddNic(net.AddHost("other", 0), 0, 100 * G, US, hpcc);
    Network::Options options;
    options.telemetry = false;
    EXPECT_EQ(ErrorOf([&] { net.Build(options); }).rfind("the rate law, ns3::roce::Hpcc", 0), 0u);
}

TEST_F(StagePlacementTest, MoreTelemetryThanAFrameCanCountIsRefused)
{
    Network net;
    MakeStar(net, 2);
    Network::Options options;
    options.telemetry = false;
    options.stages = {ObjectFactory(WideStamper::GetTypeId().GetName())};
    EXPECT_EQ(ErrorOf([&] { net.Build(options); }),
              "stages at sw charge a frame 257 bytes of telemetry, expected at most 256");
}
