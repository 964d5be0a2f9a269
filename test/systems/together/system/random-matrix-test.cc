// SPDX-License-Identifier: GPL-2.0-only
// Every rate law with every loss recovery and every path selector, each in a random network with
// random losses, and some with Bicc; Mlcc is between datacenters: all flows finish, every byte is
// delivered once, nothing is left over, the same seed gives the same run, and so does running it
// eagerly.
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"

#include <array>
#include <random>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

const char* const RATE_LAWS[] =
    {"LineRate[Window=200000]", "Dcqcn", "Hpcc", "Wrcc", "Mlcc", "DcqcnPlus"};
const char* const RECOVERIES[] = {"GoBackN",
                                  "SelectiveRepeat",
                                  "SelectiveRepeat[BdpCap=0|ReorderPackets=32]"};
const char* const SELECTORS[] = {"FlowHash",
                                 "Spray",
                                 "Spray[Paths=4]",
                                 "Flowlet[Gap=3us]",
                                 "Plb[IdleRounds=1|Rounds=2|CongestionThreshold=0.1]",
                                 "Plb[Signal=delay|Rounds=3|SuspendTime=10us]"};
constexpr unsigned N_SELECTORS = std::size(SELECTORS);
constexpr unsigned N_CHOICES = std::size(RECOVERIES) * N_SELECTORS;
constexpr unsigned N_COMBINATIONS = std::size(RATE_LAWS) * N_CHOICES;

/// What one run was like.
struct Outcome
{
    uint64_t fingerprint{0};
    std::map<uint64_t, std::pair<int64_t, int64_t>> times;
    std::array<uint64_t, 5> counts{};
};

/// A port's own losses: not in the order in which ports are looked at.
void
LoseSome(Network& net, uint64_t seed, uint64_t perMillion)
{
    uint64_t number = 0;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        LoseFrames(
            port,
            [rng = std::mt19937_64(seed * 1000 + number++), perMillion](const Frame& f) mutable {
                return f.kind != FrameKind::PFC && rng() % 1000000 < perMillion;
            });
    }
}

Outcome
RunCombination(unsigned index, bool eager)
{
    std::mt19937_64 rng(index);
    const auto pick = [&rng](std::initializer_list<uint64_t> values) {
        return values.begin()[rng() % values.size()];
    };
    Config::Reset();
    const std::string law = RATE_LAWS[index / N_CHOICES];
    SetRateLaw(law == "Mlcc" ? "Hpcc" : law);
    Config::SetDefault("ns3::roce::Nic::LossRecovery",
                       StringValue(std::string("ns3::roce::") +
                                   RECOVERIES[index / N_SELECTORS % std::size(RECOVERIES)]));
    Config::SetDefault("ns3::roce::Nic::PathSelector",
                       StringValue(std::string("ns3::roce::") + SELECTORS[index % N_SELECTORS]));
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(pick({300, 1000}))));
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
    Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(pick({1, 1, 4})));
    Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(pick({1024, 4096})));
    const bool lossless = rng() % 2;
    Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(lossless ? 8 : 0));
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    LeafSpineHelper h;
    h.datacenters = static_cast<uint32_t>(pick({1, 1, 2}));
    if (law == "Mlcc")
    {
        h.datacenters = 2;
        Config::SetDefault("ns3::roce::Nic::InterCongestionControl",
                           StringValue("ns3::roce::Mlcc"));
    }
    h.leaves = 2;
    h.spines = static_cast<uint32_t>(pick({2, 4}));
    h.hostsPerLeaf = static_cast<uint32_t>(pick({2, 4}));
    h.fabricDelay = TimeStep(pick({500 * NS, 2 * US}));
    h.wanDelay = TimeStep(pick({20 * US, 100 * US}));
    h.wanRate = DataRate(400 * G);
    h.leafBuffer = h.spineBuffer = QueueSize(lossless ? "2500kB" : "600kB");
    Outcome outcome;
    {
        Network net;
        h.Construct(net);
        Network::Options options;
        if (h.datacenters == 2 && index % 2 && law == "Dcqcn")
        {
            options.stages.emplace_back("ns3::roce::Bicc", SwitchRole::DCI);
        }
        if (law == "Wrcc")
        {
            options.stages.emplace_back("ns3::roce::WrccFairRate");
        }
        if (h.datacenters == 2 && law == "Mlcc")
        {
            options.stages.emplace_back("ns3::roce::MlccNearSource", SwitchRole::DCI);
            options.stages.emplace_back("ns3::roce::MlccReceiverSide", SwitchRole::DCI);
        }
        net.Build(options);
        net.AssignStreams(1);
        LoseSome(net, index, pick({0, 500, 3000}));
        const uint32_t nics = net.GetNNics();
        std::vector<FlowSpec> flows;
        for (unsigned i = 0; i < 25; ++i)
        {
            const auto src = static_cast<uint32_t>(rng() % nics);
            const auto dst = static_cast<uint32_t>((src + 1 + rng() % (nics - 1)) % nics);
            const uint64_t size = rng() % 6 ? rng() % 300000 : rng() % 3;
            flows.push_back(Flow(src, dst, size, static_cast<int64_t>(rng() % (200 * US))));
        }
        for (uint32_t src = 1; src < nics; ++src)
        {
            flows.push_back(Flow(src, 0, 100000, 50 * US)); // an incast
        }
        flows = Numbered(flows);
        Completions done(net);
        net.EnableFingerprint();
        net.InstallFlows(flows);
        for (int64_t at : {60 * US, 150 * US, 400 * US})
        {
            Simulator::Schedule(TimeStep(at), [&net]() { EXPECT_EQ(net.Audit(false), ""); });
        }
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        const Totals t = Sum(net);
        EXPECT_EQ(t.lostLossless, 0u);
        if (!lossless)
        {
            EXPECT_EQ(t.xoff, 0u);
        }
        for (const FlowSpec& flow : flows)
        {
            outcome.times[flow.id] = {done.sent[flow.id].completedPs, done.received[flow.id]};
        }
        outcome.fingerprint = net.GetFingerprint();
        outcome.counts = {t.xoff, t.lost, t.retransmitted, t.timeouts, t.naks};
    }
    Simulator::Destroy();
    return outcome;
}

} // namespace

class RandomMatrix : public SystemTest, public ::testing::WithParamInterface<unsigned>
{
};

TEST_P(RandomMatrix, EverythingArrivesOnceAndRunsAreRepeatable)
{
    for (unsigned choice = 0; choice < N_CHOICES; ++choice)
    {
        const unsigned index = GetParam() * N_CHOICES + choice;
        SCOPED_TRACE(std::string(RATE_LAWS[GetParam()]) + ", " + RECOVERIES[choice / N_SELECTORS] +
                     ", " + SELECTORS[choice % N_SELECTORS]);
        const Outcome lazy = RunCombination(index, false);
        const Outcome eager = RunCombination(index, true);
        EXPECT_EQ(lazy.fingerprint, eager.fingerprint);
        EXPECT_EQ(lazy.times, eager.times);
        EXPECT_EQ(lazy.counts, eager.counts);
        if (HasFailure())
        {
            break; // one is enough to look at
        }
    }
}

INSTANTIATE_TEST_SUITE_P(RateLaws,
                         RandomMatrix,
                         ::testing::Range(0u, static_cast<unsigned>(std::size(RATE_LAWS))));

// The combinations do exercise what they are for.
TEST_F(SystemTest, RandomMatrixLosesAndRepeats)
{
    std::array<uint64_t, 5> sum{};
    for (unsigned index = 0; index < N_COMBINATIONS; index += 11)
    {
        const Outcome outcome = RunCombination(index, false);
        for (std::size_t i = 0; i < sum.size(); ++i)
        {
            sum[i] += outcome.counts[i];
        }
    }
    EXPECT_GT(sum[0], 0u) << "XOFF";
    EXPECT_GT(sum[1], 0u) << "tail drops";
    EXPECT_GT(sum[2], 500u) << "retransmissions";
    EXPECT_GT(sum[3], 5u) << "timeouts";
    EXPECT_GT(sum[4], 100u) << "NAKs";
}
