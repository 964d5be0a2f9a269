// SPDX-License-Identifier: GPL-2.0-only
// Frames that arrive at a switch at the same picosecond: none of equal senders may be better off
// than the others (attribute Switch::RandomTies).
#include "roce-is-built.h"
#include "roce-test-network.h"

#include "ns3/queue-size.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Marks all data that comes to its switch.
struct MarkAll : SwitchStage
{
    uint32_t GetHooks() const override
    {
        return ARRIVAL;
    }

    uint32_t GetKinds() const override
    {
        return 1U << static_cast<unsigned>(FrameKind::DATA);
    }

    bool MarksEcn() const override
    {
        return true;
    }

    Verdict OnArrival(Frame& frame, Port&, int64_t) override
    {
        frame.ecn = ECN_CE;
        return Verdict::PASS;
    }
};

/// What came of each of some equal senders in one run.
struct Outcome
{
    std::vector<double> lost;  //!< frames that the switch has dropped
    std::vector<double> fctUs; //!< completion times; 0: not complete
};

struct ArrivalTies : SystemTest
{
    void TearDown() override
    {
        SystemTest::TearDown();
        RngSeedManager::SetRun(1);
    }

    /**
     * @brief Equal messages of some hosts to one, all at 0.
     * @param run RngRun
     * @param senders how many
     * @param bytes of each message
     * @param morePs by how much the first sender's link is longer
     * @return by sender
     */
    static Outcome Incast(uint64_t run, uint32_t senders, uint64_t bytes, int64_t morePs = 0)
    {
        RngSeedManager::SetRun(run);
        Outcome outcome;
        {
            Network net;
            const uint32_t sw = net.AddSwitch("sw", 0);
            for (uint32_t i = 0; i <= senders; ++i)
            {
                net.AddNic(net.AddHost("h" + std::to_string(i), 0),
                           sw,
                           100 * G,
                           US + (i == 0 ? morePs : 0));
            }
            net.Build();
            net.AssignStreams(1);
            outcome.lost.resize(senders + 1);
            net.GetSwitch(sw)->TraceConnectWithoutContext(
                "Drop",
                Callback<void, const Frame&, const char*, Time>(
                    [&](const Frame& frame, const char*, Time) { ++outcome.lost[frame.src]; }));
            const Completions done(net);
            InstallIncast(net, bytes);
            Simulator::Stop(MilliSeconds(100));
            Simulator::Run();
            for (uint32_t i = 0; i < senders; ++i)
            {
                outcome.fctUs.push_back(std::max(0.0, static_cast<double>(done.FctPs(i)) / 1e6));
            }
        }
        outcome.lost.pop_back(); // of the receiver, which sends ACKs only
        Simulator::Destroy();
        return outcome;
    }

    /// @return senders in the order in which the receiver has their only frames. @param run RngRun
    static std::vector<uint64_t> OrderOfThree(uint64_t run)
    {
        RngSeedManager::SetRun(run);
        std::vector<std::pair<int64_t, uint64_t>> arrivals;
        {
            Network net;
            MakeStar(net, 4);
            net.Build();
            const Completions done(net);
            InstallIncast(net, 1000);
            Simulator::Run();
            for (const auto& [cookie, atPs] : done.received)
            {
                arrivals.emplace_back(atPs, cookie);
            }
        }
        Simulator::Destroy();
        std::sort(arrivals.begin(), arrivals.end());
        std::vector<uint64_t> order;
        for (const auto& [atPs, cookie] : arrivals)
        {
            order.push_back(cookie);
        }
        return order;
    }

    static void LoseAbove(const char* limit)
    {
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
        Config::SetDefault("ns3::roce::Switch::EgressLimit", StringValue(limit));
    }
};

/**
 * @brief Expect that the means over runs of all senders are the same, as far as the runs can tell.
 * @param runs by run and sender
 * @param what for messages
 */
void
ExpectEqualMeans(const std::vector<std::vector<double>>& runs, const std::string& what)
{
    const auto n = static_cast<double>(runs.size());
    for (std::size_t sender = 0; sender < runs[0].size(); ++sender)
    {
        double sum = 0;
        double squares = 0;
        for (const std::vector<double>& run : runs)
        {
            double mean = 0;
            for (const double value : run)
            {
                mean += value / static_cast<double>(run.size());
            }
            sum += run[sender] - mean;
            squares += (run[sender] - mean) * (run[sender] - mean);
        }
        const double mean = sum / n;
        const double error = std::sqrt(std::max(0.0, squares / n - mean * mean) / (n - 1));
        EXPECT_LE(std::abs(mean), 5 * error + 1e-9)
            << what << ": sender " << sender << " is off the mean of all by " << mean << " +- "
            << error;
    }
}

} // namespace

// Each order of three comes as often as any other. Coins for pairs would not do that.
TEST_F(ArrivalTies, EveryOrderIsAsLikely)
{
    constexpr int RUNS = 900;
    std::map<std::vector<uint64_t>, int> counts;
    for (int run = 1; run <= RUNS; ++run)
    {
        ++counts[OrderOfThree(run)];
    }
    EXPECT_EQ(counts.size(), 6u);
    for (const auto& [order, count] : counts)
    {
        // 150 expected, with a standard deviation of 11.
        EXPECT_NEAR(count, RUNS / 6, 45) << order[0] << order[1] << order[2];
    }
    EXPECT_EQ(OrderOfThree(7), OrderOfThree(7)) << "same seed, another order";
}

TEST_F(ArrivalTies, WithoutItThePortWithTheLowestNumberIsFirst)
{
    Config::SetDefault("ns3::roce::Switch::RandomTies", BooleanValue(false));
    for (int run = 1; run <= 20; ++run)
    {
        EXPECT_EQ(OrderOfThree(run), (std::vector<uint64_t>{0, 1, 2})) << "run " << run;
    }
}

// What stations do does not depend on when they run, ties included.
TEST_F(ArrivalTies, SameOrderHoweverLateSwitchesRun)
{
    LoseAbove("100000B");
    SetRateLaw("Dcqcn");
    Config::SetDefault("ns3::roce::Nic::LossRecovery", StringValue("ns3::roce::SelectiveRepeat"));
    const Outcome lazy = Incast(3, 8, 1000000);
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(true));
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(true));
    const Outcome eager = Incast(3, 8, 1000000);
    EXPECT_EQ(lazy.lost, eager.lost);
    EXPECT_EQ(lazy.fctUs, eager.fctUs);
}

// Two senders at line rate into a port with tail drop: within each run, both lose about as many
// frames, whether theirs arrive at the same picosecond or a part of a frame apart. If ports'
// numbers or picoseconds decide, one of them loses all.
TEST_F(ArrivalTies, DropTailTakesFromBothAlike)
{
    LoseAbove("1000000B");
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::LossRecovery",
                       StringValue("ns3::roce::SelectiveRepeat[BdpCap=false]"));
    for (const int64_t morePs : {int64_t{0}, int64_t{1}, int64_t{100000}, int64_t{300000}})
    {
        for (uint64_t run = 1; run <= 3; ++run)
        {
            const Outcome outcome = Incast(run, 2, 32000000, morePs);
            const double all = outcome.lost[0] + outcome.lost[1];
            EXPECT_GT(all, 5000);
            EXPECT_NEAR(outcome.lost[0] / all, 0.5, 0.02)
                << "run " << run << ", " << morePs << " ps apart";
        }
    }
}

// Eight senders that are a picosecond, two, ... apart: of all that want the only place, each gets
// it as often.
TEST_F(ArrivalTies, DropTailTakesFromEightAlike)
{
    LoseAbove("200000B");
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::LossRecovery",
                       StringValue("ns3::roce::SelectiveRepeat[BdpCap=false]"));
    std::vector<double> refused(8);
    {
        Network net;
        const uint32_t sw = net.AddSwitch("sw", 0);
        for (uint32_t i = 0; i <= 8; ++i)
        {
            net.AddNic(net.AddHost("h" + std::to_string(i), 0), sw, 100 * G, US + i);
        }
        net.Build();
        net.GetSwitch(0)->TraceConnectWithoutContext(
            "Drop",
            Callback<void, const Frame&, const char*, Time>(
                [&](const Frame& frame, const char*, Time) { ++refused[frame.src]; }));
        InstallIncast(net, 40000000);
        Simulator::Stop(MilliSeconds(3)); // all are still at line rate
        Simulator::Run();
        EXPECT_EQ(net.Audit(false), "");
    }
    double all = 0;
    for (const double frames : refused)
    {
        all += frames;
    }
    EXPECT_GT(all, 20000);
    for (std::size_t i = 0; i < refused.size(); ++i)
    {
        EXPECT_NEAR(refused[i] / all * 8, 1, 0.02) << "sender " << i;
    }
}

// A mark that another switch has made goes with its frame, whichever of two gets the place.
TEST_F(ArrivalTies, MarksOfOthersStayWithTheirFrames)
{
    LoseAbove("50000B");
    SetRateLaw("Dcqcn[MinRate=90Gbps]");
    Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(40000000));
    Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(80000000));
    Config::SetDefault("ns3::roce::Nic::LossRecovery", StringValue("ns3::roce::SelectiveRepeat"));
    Network net;
    const uint32_t marking = net.AddSwitch("marking", 0);
    const uint32_t full = net.AddSwitch("full", 0);
    net.Connect(marking, full, 100 * G, US);
    net.AddNic(net.AddHost("marked", 0), marking, 100 * G, US);
    net.AddNic(net.AddHost("clean", 0), full, 100 * G, 2 * US);
    net.AddNic(net.AddHost("receiver", 0), full, 100 * G, US);
    net.Build();
    net.GetSwitch(marking)->Install(CreateObject<MarkAll>());
    const Ptr<Switch> sw = net.GetSwitch(full);
    uint64_t lost = 0;
    sw->TraceConnectWithoutContext("Drop",
                                   Callback<void, const Frame&, const char*, Time>(
                                       [&](const Frame&, const char*, Time) { ++lost; }));
    const Ptr<Nic> receiver = net.GetNic(2);
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> counts; // marked and other, by sender
    receiver->TraceConnectWithoutContext(
        "RxEnd",
        Callback<void, const Frame&, Time>([&](const Frame& frame, Time) {
            if (frame.kind == FrameKind::DATA)
            {
                auto& [marked, other] = counts[frame.src];
                ++(frame.ecn == ECN_CE ? marked : other);
            }
        }));
    net.InstallFlows(Numbered({Flow(0, 2, 4000000), Flow(1, 2, 4000000)}));
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    EXPECT_GT(lost, 100u);
    EXPECT_GT(counts[0].first, 300u);
    EXPECT_EQ(counts[0].second, 0u) << "frames have lost the mark of another switch";
    EXPECT_GT(counts[1].second, 300u);
    EXPECT_EQ(counts[1].first, 0u) << "frames have the mark of others";
}

/// Rate law, loss recovery, whether frames are lost for want of buffer.
struct EqualSenders : ArrivalTies,
                      ::testing::WithParamInterface<std::tuple<const char*, const char*, bool>>
{
};

// Over seeds no sender is better off than another.
TEST_P(EqualSenders, AreExchangeable)
{
    const auto& [law, recovery, drop] = GetParam();
    if (!IsBuilt(recovery))
    {
        GTEST_SKIP() << "a system is not built";
    }
    SetRateLaw(law);
    Config::SetDefault("ns3::roce::Nic::LossRecovery",
                       StringValue(std::string("ns3::roce::") + recovery));
    if (drop)
    {
        LoseAbove("60000B");
    }
    else
    {
        Config::SetDefault("ns3::roce::Switch::BufferSize", QueueSizeValue(QueueSize("1MiB")));
    }
    constexpr uint64_t RUNS = 150;
    std::vector<std::vector<double>> losses;
    std::vector<std::vector<double>> times;
    for (uint64_t run = 1; run <= RUNS; ++run)
    {
        const Outcome outcome = Incast(run, 4, 300000);
        EXPECT_GT(*std::min_element(outcome.fctUs.begin(), outcome.fctUs.end()), 0)
            << "run " << run << ": not complete";
        losses.push_back(outcome.lost);
        times.push_back(outcome.fctUs);
    }
    ExpectEqualMeans(losses, "frames lost");
    ExpectEqualMeans(times, "completion time, us");
    std::sort(times.begin(), times.end());
    EXPECT_NE(times.front(), times.back()) << "seeds make no difference";
}

INSTANTIATE_TEST_SUITE_P(
    All,
    EqualSenders,
    ::testing::Combine(::testing::Values("LineRate", "Dcqcn", "Timely", "Swift", "Hpcc", "Dctcp"),
                       ::testing::Values("GoBackN", "SelectiveRepeat", "UnoErasure"),
                       ::testing::Bool()),
    [](const auto& info) {
        return std::string(std::get<0>(info.param)) + std::get<1>(info.param) +
               (std::get<2>(info.param) ? "Drop" : "Pfc");
    });
