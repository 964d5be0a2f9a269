// SPDX-License-Identifier: GPL-2.0-only
// Every extension with every other that makes sense: a short mixed incast (two senders of the
// receiver's datacenter, two of the other) with each rate law, each kind of loss recovery and path
// selection, with and without phantom queues and edge functions, lossless and with drops and losses
// on the WAN. All flows finish, every byte is delivered once, nothing is left over, and each
// extension has done its work.
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-phantom-queue.h"

#include <cctype>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A rate law within and between datacenters.
struct Law
{
    const char* near;
    const char* far; //!< empty: the same
    bool ecn;        //!< hears marks
    bool delay;      //!< measures RTTs from end to end: what NSF is for
};

const Law LAWS[] = {{"Dcqcn", "", true, false},
                    {"DcqcnPlus", "", true, false},
                    {"Dctcp", "", true, false},
                    {"Hpcc", "", false, false},
                    {"PowerTcp", "", false, false},
                    {"Timely", "", false, true},
                    {"Swift[AddBaseRtt=true]", "", false, true},
                    {"UnoCc", "", true, false},
                    {"Gemini", "", true, false},
                    {"MpRdma", "Bbr", true, false},
                    {"Dcqcn", "Swift[AddBaseRtt=true]", true, true},
                    {"Wrcc", "Wrcc[RttEstMode=srtt]", false, false},
                    {"Dcqcn", "Wrcc[RttEstMode=srtt]", true, false},
                    {"Hpcc", "Mlcc", false, false},
                    {"Dcqcn", "Mlcc[InnerCc=Timely]", true, false}};

/// @return whether flows between datacenters have queues of their own at external switches
bool
IsMlcc(const Law& law)
{
    return std::string(law.far).rfind("Mlcc", 0) == 0;
}

/// How losses are repaired and paths chosen.
struct Delivery
{
    const char* recovery;
    const char* interRecovery; //!< empty: the same
    const char* selector;
    bool lossless;
};

const Delivery DELIVERIES[] = {
    {"GoBackN", "", "FlowHash", true},
    {"SelectiveRepeat[BdpCap=0|ReorderPackets=64]", "", "Spray", false},
    {"SelectiveRepeat[BdpCap=0|ReorderPackets=64]", "", "UnoLb", false},
    {"UnoErasure", "", "UnoLb", false},
    {"UnoErasure[Profile=artifact]", "", "UnoLb[Profile=artifact]", false},
    {"UnoErasure[Code=all|DataPackets=4|ParityPackets=1]", "", "Plb[IdleRounds=1]", true},
    {"GoBackN", "UnoErasure", "Flowlet[Gap=3us]", false},
};

constexpr unsigned N_DELIVERIES = std::size(DELIVERIES);
/// None; phantom queues; Reflex; Reflex and phantom queues; Bicc; Bicc and phantom queues.
constexpr unsigned N_STAGES = 6;

bool
HasReflex(unsigned i)
{
    return i % N_STAGES / 2 == 1;
}

bool
HasBicc(unsigned i)
{
    return i % N_STAGES / 2 == 2;
}

class Combination : public SystemTest, public ::testing::WithParamInterface<unsigned>
{
  public:
    const Law& GetLaw() const
    {
        return LAWS[GetParam() / (N_DELIVERIES * N_STAGES)];
    }

    const Delivery& GetDelivery() const
    {
        return DELIVERIES[GetParam() / N_STAGES % N_DELIVERIES];
    }

    bool HasPhantomQueues() const
    {
        return GetParam() & 1;
    }

    /// Near-source feedback is for laws that measure delays.
    bool HasNsf() const
    {
        return HasReflex(GetParam()) && GetLaw().delay;
    }

    /// What Wrcc needs.
    bool HasFairRates() const
    {
        return std::string(GetLaw().far).rfind("Wrcc", 0) == 0;
    }

    /// What Mlcc needs.
    bool HasMicroLoops() const
    {
        return IsMlcc(GetLaw());
    }

    /// Near-destination throttling is for lossless networks.
    bool HasNdt() const
    {
        return HasReflex(GetParam()) && GetDelivery().lossless;
    }

  protected:
    void SetDefaults() const
    {
        const auto set = [](const char* attribute, const std::string& kind) {
            Config::SetDefault(std::string("ns3::roce::Nic::") + attribute,
                               StringValue(kind.empty() ? "" : "ns3::roce::" + kind));
        };
        set("CongestionControl", GetLaw().near);
        set("InterCongestionControl", GetLaw().far);
        set("LossRecovery", GetDelivery().recovery);
        set("InterLossRecovery", GetDelivery().interRecovery);
        set("PathSelector", GetDelivery().selector);
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(500)));
        Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
        Config::SetDefault("ns3::roce::Switch::LosslessClasses",
                           UintegerValue(GetDelivery().lossless ? 8 : 0));
    }

    Network::Options MakeOptions() const
    {
        Network::Options options;
        if (HasPhantomQueues())
        {
            ObjectFactory phantom("ns3::roce::PhantomQueue");
            phantom.Set("Capacity", StringValue("400000B"));
            options.stages.push_back(phantom);
        }
        if (HasFairRates())
        {
            options.stages.emplace_back("ns3::roce::WrccFairRate");
        }
        if (HasMicroLoops())
        {
            options.stages.emplace_back("ns3::roce::MlccNearSource", SwitchRole::DCI);
            options.stages.emplace_back("ns3::roce::MlccReceiverSide", SwitchRole::DCI);
        }
        if (HasNsf())
        {
            options.stages.emplace_back("ns3::roce::ReflexNsf", SwitchRole::DCI);
        }
        if (HasNdt())
        {
            options.stages.emplace_back("ns3::roce::ReflexNdt", SwitchRole::DCI);
        }
        if (HasBicc(GetParam()))
        {
            options.stages.emplace_back("ns3::roce::Bicc", SwitchRole::DCI);
        }
        return options;
    }
};

std::string
NameOf(const ::testing::TestParamInfo<unsigned>& info)
{
    const unsigned i = info.param;
    const Law& law = LAWS[i / (N_DELIVERIES * N_STAGES)];
    const Delivery& delivery = DELIVERIES[i / N_STAGES % N_DELIVERIES];
    std::string name = std::string(law.near) + law.far + "_" + delivery.recovery +
                       delivery.interRecovery + "_" + delivery.selector +
                       (i & 1 ? "_Phantom" : "") +
                       (HasReflex(i) ? "_Edge"
                        : HasBicc(i) ? "_Bicc"
                                     : "");
    name.erase(std::remove_if(name.begin(),
                              name.end(),
                              [](unsigned char c) { return !std::isalnum(c) && c != '_'; }),
               name.end());
    return name;
}

} // namespace

TEST_P(Combination, FinishesAMixedIncast)
{
    SetDefaults();
    LeafSpineHelper helper;
    helper.leaves = 2;
    helper.spines = 2;
    helper.hostsPerLeaf = 2;
    helper.wanLinks = 4;
    helper.wanRate = DataRate("100Gbps");
    helper.wanDelay = MicroSeconds(50);
    Network net;
    helper.Construct(net);
    net.Build(MakeOptions());
    net.AssignStreams(GetParam() * 100000);
    if (!GetDelivery().lossless)
    {
        uint32_t number = 0;
        for (const Ptr<Port>& port : net.GetPorts())
        {
            if (port->GetRateBps() == 100 * G && ++number % 3 == 0)
            {
                LoseFrames(port, [n = 0](const Frame&) mutable { return ++n % 97 == 0; });
            }
        }
    }
    // The receiver, NIC 0, is in the first datacenter.
    const auto flows = Numbered(
        {Flow(2, 0, 400000), Flow(3, 0, 400001), Flow(4, 0, 400000), Flow(6, 0, 300000, 7 * US)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(net.Audit(true), "");
    std::map<std::string, uint64_t> counters;
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        for (const Ptr<SwitchStage>& stage : net.GetSwitch(s)->GetStages())
        {
            stage->Count(counters);
        }
    }
    if (HasPhantomQueues() && GetLaw().ecn)
    {
        EXPECT_GT(counters["phantomMarked"], 0u);
    }
    if (HasFairRates())
    {
        EXPECT_GT(counters["wrccRewrites"], 0u);
    }
    if (HasMicroLoops())
    {
        // Packets that alternate between paths bring HPCC nothing to compare, and R_credit stays.
        EXPECT_GE(counters["mlccSwitchInts"], 150u);
        EXPECT_GT(counters["mlccPfqs"], 0u);
    }
    if (HasNsf())
    {
        EXPECT_GT(counters["reflexNsfDataFrames"], 0u);
    }
    if (HasNdt())
    {
        EXPECT_GT(counters["reflexNdtFlows"], 0u);
    }
    if (HasBicc(GetParam()))
    {
        EXPECT_EQ(counters["biccVoqsPeak"], 1u);
        EXPECT_EQ(counters["biccCnpsConsumed"] > 0, counters["biccCuts"] > 0);
        EXPECT_TRUE(counters["biccCuts"] > 0 || !HasPhantomQueues()) << "those mark early";
    }
    EXPECT_EQ(Sum(net).lostLossless, 0u);
}

namespace
{

/// All but those with edge functions where none of them makes sense.
std::vector<unsigned>
Combinations()
{
    std::vector<unsigned> all;
    for (unsigned i = 0; i < std::size(LAWS) * N_DELIVERIES * N_STAGES; ++i)
    {
        const Law& law = LAWS[i / (N_DELIVERIES * N_STAGES)];
        const bool lossless = DELIVERIES[i / N_STAGES % N_DELIVERIES].lossless;
        const bool listensToCnps = std::string(law.near) == "Dcqcn" && !*law.far;
        // A port has one kind of queues, NDT's or MLCC's.
        const bool reflex = (law.delay || lossless) && !IsMlcc(law);
        if ((!HasReflex(i) || reflex) && (!HasBicc(i) || listensToCnps))
        {
            all.push_back(i);
        }
    }
    return all;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(All, Combination, ::testing::ValuesIn(Combinations()), NameOf);
