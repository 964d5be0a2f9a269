// SPDX-License-Identifier: GPL-2.0-only
// NICs and ports that are copies of the first one are as if each had been made by itself.
#include "roce-all-attributes.h"
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-hpcc.h"
#include "ns3/roce-random-loss.h"
#include "ns3/roce-values-in-force.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using BulkTest = SystemTest;
using Json = nlohmann::ordered_json;

/// Three NICs at each of two switches, with rates of their own, and two links between these.
void
MakePair(Network& net)
{
    for (uint32_t s = 0; s < 2; ++s)
    {
        net.AddSwitch("sw" + std::to_string(s), 0);
        for (uint32_t i = 0; i < 3; ++i)
        {
            const uint32_t host = net.AddHost("h" + std::to_string(3 * s + i), 0);
            net.AddNic(host, s, (10 + i) * G, (i + 1) * US);
        }
    }
    net.Connect(0, 1, 100 * G, US);
    net.Connect(0, 1, 40 * G, 2 * US);
}

/// @return attributes of all ports and their links, and where they are
std::vector<std::map<std::string, std::string>>
ReadNetwork(const Network& net)
{
    std::vector<std::map<std::string, std::string>> all;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        all.push_back(ReadAll(*port));
        std::map<std::string, std::string>& values = all.back();
        values.merge(ReadAll(*port->GetLink()));
        values.erase("ns3::Channel::Id"); // counts all channels of the process
        values["type"] = port->GetInstanceTypeId().GetName();
        values["owner"] = std::to_string(port->GetOwner() == nullptr);
        values["index"] = std::to_string(port->GetIfIndex());
        values["node"] = std::to_string(port->GetNode()->GetDevice(port->GetIfIndex()) == port);
    }
    return all;
}

/// @return the network above. @param bulk as copies, where possible
std::unique_ptr<Network>
MakeEither(bool bulk)
{
    auto net = std::make_unique<Network>();
    std::optional<NetworkMap::Bulk> scope;
    if (bulk)
    {
        scope.emplace(*net);
    }
    MakePair(*net);
    return net;
}

/// Fails unless both ways make the same. @return automatic streams that one network takes
uint64_t
ExpectAlike(const std::string& what)
{
    const uint64_t first = RngSeedManager::GetNextStreamIndex();
    const auto alone = ReadNetwork(*MakeEither(false));
    const uint64_t second = RngSeedManager::GetNextStreamIndex();
    const auto copied = ReadNetwork(*MakeEither(true));
    const uint64_t third = RngSeedManager::GetNextStreamIndex();
    EXPECT_EQ(alone, copied) << what;
    EXPECT_EQ(second - first, third - second) << what;
    return second - first - 1;
}

/// Ends with a network, so that each has the same node numbers.
Json
ValuesOf(bool bulk, const std::function<void(Network&)>& change)
{
    const std::unique_ptr<Network> net = MakeEither(bulk);
    net->Build();
    change(*net);
    return ValuesInForce(*net);
}

} // namespace

TEST_F(BulkTest, CopiesHaveTheDefaults)
{
    EXPECT_EQ(ExpectAlike("defaults"), 6u) << "each NIC has a stream";
}

TEST_F(BulkTest, CopiesHaveEachChangedDefault)
{
    std::size_t n = 0;
    ForAllAttributes(Nic::GetTypeId(),
                     [&](const std::string& name, const TypeId::AttributeInformation& info) {
                         const std::string other = OtherValue(info);
                         ASSERT_NE(other, "") << name << ": no other value known";
                         Config::SetDefault(name, StringValue(other));
                         ExpectAlike(name + "=" + other);
                         ++n;
                     });
    ExpectAlike("all changed");
    EXPECT_GT(n, 45u);
}

TEST_F(BulkTest, QueuesAreLikeTheFirst)
{
    ForAllAttributes(DwrrScheduler::GetTypeId(),
                     [&](const std::string& name, const TypeId::AttributeInformation& info) {
                         const std::string other = OtherValue(info);
                         ASSERT_NE(other, "") << name << ": no other value known";
                         Config::SetDefault(name, StringValue(other));
                     });
    const Ptr<DwrrScheduler> made = CreateObject<DwrrScheduler>();
    const std::unique_ptr<Network> net = MakeEither(true);
    net->Build();
    for (uint16_t p = 0; p < net->GetSwitch(0)->GetNPorts(); ++p)
    {
        EXPECT_EQ(ReadAll(net->GetSwitch(0)->GetQueue(p)), ReadAll(*made)) << "port " << p;
    }
}

TEST_F(BulkTest, LossModelsOfDefaultsAreNotShared)
{
    Config::SetDefault("ns3::roce::Switch::EgressScheduler",
                       StringValue("ns3::roce::DwrrScheduler[Weights=3:2]"));
    Config::SetDefault("ns3::roce::Port::LossModel", PointerValue(CreateObject<RandomLoss>()));
    ExpectAlike("a loss model");
}

TEST_F(BulkTest, ChangedDefaultsAreRefused)
{
    Network net;
    const NetworkMap::Bulk bulk(net);
    MakePair(net);
    EXPECT_EQ(ErrorOf([&] { bulk.Check(); }), "no error");
    Config::SetDefault("ns3::roce::Port::FramingBytes", UintegerValue(24));
    EXPECT_NE(ErrorOf([&] { bulk.Check(); })
                  .find("ns3::roce::Port::FramingBytes was changed from "
                        "'20' to '24'"),
              std::string::npos);
}

TEST_F(BulkTest, ValuesInForceAreTheSame)
{
    SetRateLaw("Hpcc");
    const std::vector<std::pair<std::string, std::function<void(Network&)>>> changes{
        {"nothing", [](Network&) {}},
        {"a profile is there", [](Network& net) { net.GetNic(3)->GetProfile(); }},
        {"a prototype is changed",
         [](Network& net) {
             net.GetNic(1)->GetProfile()->GetLaw()->SetAttribute("Eta", StringValue("0.9"));
         }},
        {"another, after others were looked at",
         [](Network& net) {
             for (uint32_t n = 0; n < 6; ++n)
             {
                 net.GetNic(n)->GetProfile();
             }
             net.GetNic(4)->GetProfile()->GetLaw()->SetAttribute("Eta", StringValue("0.9"));
         }},
        {"a law is retuned",
         [](Network& net) {
             const Ptr<Hpcc> law = CreateObject<Hpcc>();
             law->SetAttribute("Profile", StringValue(net.GetNNics() ? "paper" : ""));
             net.GetNic(2)->GetProfile()->Retune(law);
         }},
        {"one more law", [](Network& net) { net.AddLaw(ObjectFactory("ns3::roce::LineRate")); }},
        {"a port",
         [](Network& net) {
             net.GetSwitch(1)->GetPort(2)->SetAttribute("InfinitePause", BooleanValue(true));
         }},
    };
    for (const auto& [what, change] : changes)
    {
        EXPECT_EQ(ValuesOf(true, change), ValuesOf(false, change)) << what;
    }
}

TEST_F(BulkTest, NicsAreAlikeUntilOneIsSet)
{
    const std::unique_ptr<Network> net = MakeEither(true);
    const void* const alike = net->GetNic(0)->GetAlike();
    EXPECT_NE(alike, nullptr);
    for (uint32_t n = 1; n < 6; ++n)
    {
        EXPECT_EQ(net->GetNic(n)->GetAlike(), alike) << n;
    }
    net->GetNic(4)->SetAttribute("CongestionControl", StringValue("ns3::roce::LineRate"));
    net->GetNic(5)->SetAttribute("InterPathSelector", StringValue("ns3::roce::Spray"));
    net->GetNic(3)->SetAttribute("PathMtu", UintegerValue(1000));
    EXPECT_EQ(net->GetNic(3)->GetAlike(), alike);
    EXPECT_EQ(net->GetNic(4)->GetAlike(), nullptr);
    EXPECT_EQ(net->GetNic(5)->GetAlike(), nullptr);
    net->Build();
    EXPECT_EQ(net->GetNic(4)->GetProfile()->GetLaw()->GetInstanceTypeId().GetName(),
              "ns3::roce::LineRate");
    EXPECT_EQ(net->GetNic(3)->GetProfile()->GetLaw()->GetInstanceTypeId().GetName(),
              "ns3::roce::Dcqcn");
    EXPECT_EQ(net->GetNic(5)->GetProfile(true)->GetSelector()->GetInstanceTypeId().GetName(),
              "ns3::roce::Spray");
    EXPECT_EQ(MakeEither(false)->GetNic(1)->GetAlike(), nullptr);
}

TEST_F(BulkTest, LawsOfCopiesAreTheirOwn)
{
    const std::unique_ptr<Network> net = MakeEither(true);
    net->Build();
    for (const bool interDc : {false, true})
    {
        std::set<const Object*> seen;
        for (uint32_t n = 0; n < 6; ++n)
        {
            const Ptr<TransportProfile> profile = net->GetNic(n)->GetProfile(interDc);
            EXPECT_TRUE(seen.insert(PeekPointer(profile->GetLaw())).second);
            EXPECT_TRUE(seen.insert(PeekPointer(profile->GetRecovery())).second);
            EXPECT_EQ(ReadAll(*profile->GetLaw()),
                      ReadAll(*net->GetNic(0)->GetProfile(interDc)->GetLaw()));
        }
    }
}

TEST_F(BulkTest, RunsAreTheSame)
{
    std::vector<uint64_t> fingerprints;
    for (const bool bulk : {false, true})
    {
        const std::unique_ptr<Network> net = MakeEither(bulk);
        net->Build();
        net->AssignStreams(7);
        net->EnableFingerprint();
        InstallIncast(*net, 1000000);
        Simulator::Run();
        fingerprints.push_back(net->GetFingerprint());
        EXPECT_EQ(net->Audit(true), "");
        Simulator::Destroy();
    }
    EXPECT_EQ(fingerprints[0], fingerprints[1]);
    EXPECT_NE(fingerprints[0], 0u);
}
