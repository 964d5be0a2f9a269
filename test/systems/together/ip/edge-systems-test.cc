// SPDX-License-Identifier: GPL-2.0-only

// TCP over the long link, through switches with each system, beside RDMA that the system is for: in
// a class of its own and in RDMA's lossless class.

#include "roce-ip-network.h"

#include "ns3/object-factory.h"
#include "ns3/packet-sink.h"
#include "ns3/roce-leaf-spine-helper.h"

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::roce::test
{

namespace
{

/// What a network is built with.
struct System
{
    const char* name;
    const char* law;
    const char* farLaw; //!< empty: the same
    std::vector<const char*> stages;
    std::vector<const char*> edge; //!< stages of external switches
    const char* tuner;
    const char* recovery;
    const char* selector;
    const char* counter; //!< what shows that the system has worked

    friend std::ostream& operator<<(std::ostream& out, const System& system)
    {
        return out << system.name;
    }
};

const System SYSTEMS[] = {
    {"Wrcc", "Wrcc", "", {"WrccFairRate"}, {}, "", "", "", "wrccRewrites"},
    {"Mlcc", "Hpcc", "Mlcc", {}, {"MlccNearSource", "MlccReceiverSide"}, "", "", "", "mlccCredits"},
    {"Reflex",
     "Swift[AddBaseRtt=true]",
     "",
     {},
     {"ReflexNsf", "ReflexNdt"},
     "",
     "",
     "",
     "reflexNdtFlows"},
    {"Bicc", "Dcqcn", "", {}, {"Bicc"}, "", "", "", "biccNearCnps"},
    {"Uno",
     "UnoCc",
     "",
     {"PhantomQueue[Capacity=400000B]"},
     {},
     "",
     "UnoErasure",
     "UnoLb",
     "phantomMarked"},
    {"Paraleon", "Dcqcn", "", {}, {}, "Paraleon[MonitorInterval=100us]", "", "", "sketchCounted"}};

constexpr uint32_t TCP_BYTES = 3'000'000;

class EdgeSystems : public SystemTest, public ::testing::WithParamInterface<std::tuple<System, int>>
{
  public:
    const System& GetSystem() const
    {
        return std::get<0>(GetParam());
    }

    int GetTcpClass() const
    {
        return std::get<1>(GetParam());
    }

    void SetDefaults() const
    {
        const System& system = GetSystem();
        const auto set = [](const std::string& attribute, const std::string& value) {
            if (!value.empty())
            {
                Config::SetDefault("ns3::roce::Nic::" + attribute,
                                   StringValue(WithMadeProfile("ns3::roce::" + value)));
            }
        };
        set("CongestionControl", system.law);
        set("InterCongestionControl", system.farLaw);
        set("LossRecovery", system.recovery);
        set("PathSelector", system.selector);
        Config::SetDefault("ns3::roce::RoceNetDevice::Classes",
                           StringValue(std::to_string(GetTcpClass())));
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    }

    static ObjectFactory Make(const std::string& text)
    {
        ObjectFactoryValue value;
        value.DeserializeFromString("ns3::roce::" + text, MakeObjectFactoryChecker());
        return value.Get();
    }

    void Build(Network& network) const
    {
        LeafSpineHelper helper;
        helper.leaves = 2;
        helper.spines = 1;
        helper.hostsPerLeaf = 2;
        helper.wanLinks = 1;
        helper.wanRate = DataRate("100Gbps");
        helper.wanDelay = MicroSeconds(50);
        helper.Construct(network);
        Network::Options options;
        for (const char* stage : GetSystem().stages)
        {
            options.stages.emplace_back(Make(stage));
        }
        for (const char* stage : GetSystem().edge)
        {
            options.stages.emplace_back(Make(stage), SwitchRole::DCI);
        }
        if (*GetSystem().tuner)
        {
            options.tuner = Make(GetSystem().tuner);
        }
        network.Build(options);
        network.AssignStreams(1);
    }
};

} // namespace

TEST_P(EdgeSystems, TcpCrossesThem)
{
    SetDefaults();
    IpNetwork net([this](Network& network) { Build(network); });
    const std::vector<Ptr<PacketSink>> sinks{SendTcp(net, 0, 4, TCP_BYTES),
                                             SendTcp(net, 5, 1, TCP_BYTES)};
    const auto flows = Numbered({Flow(1, 4, 6'000'000),
                                 Flow(2, 4, 6'000'000, 20 * US),
                                 Flow(5, 4, 3'000'000, 300 * US),
                                 Flow(6, 1, 6'000'000)});
    const Completions done(net.network);
    net.network.InstallFlows(flows);
    const auto isDone = [&] {
        return done.sent.size() == flows.size() && sinks[0]->GetTotalRx() == TCP_BYTES &&
               sinks[1]->GetTotalRx() == TCP_BYTES;
    };
    for (int ms = 0; ms < 10'000 && !isDone(); ms += 5)
    {
        net.Run(MilliSeconds(5));
    }
    for (const Ptr<PacketSink>& sink : sinks)
    {
        EXPECT_EQ(sink->GetTotalRx(), TCP_BYTES) << "TCP does not get through";
    }
    for (const FlowSpec& flow : flows)
    {
        EXPECT_GT(done.FctPs(flow.id), 0) << "RDMA flow " << flow.id << " does not get through";
    }
    const std::map<std::string, uint64_t> counters = net.network.GetCounters();
    EXPECT_EQ(counters.at("losslessDrops"), 0u);
    EXPECT_GT(counters.at(GetSystem().counter), 0u) << "the system has nothing to do";
    EXPECT_GT(counters.at("packetsReceived"), 2 * TCP_BYTES / 1448);
}

INSTANTIATE_TEST_SUITE_P(All,
                         EdgeSystems,
                         ::testing::Combine(::testing::ValuesIn(SYSTEMS), ::testing::Values(0, 3)),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param).name) + "_class" +
                                    std::to_string(std::get<1>(info.param));
                         });

} // namespace ns3::roce::test
