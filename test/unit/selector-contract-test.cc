// SPDX-License-Identifier: GPL-2.0-only
// What every path selector keeps to: all of the module, with each value of each choice and flag.
#include "roce-law-fixture.h"
#include "roce-variants.h"

#include "ns3/roce-path-selector.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint16_t OWN = 0xc123;
const PathInfo PATH = MakePath(G100, 8 * US, 1100);

/// What a selector hears from a connection with losses.
struct Outcome
{
    std::vector<uint16_t> entropies;
    uint64_t moves{0};

    bool operator==(const Outcome& o) const
    {
        return entropies == o.entropies && moves == o.moves;
    }
};

Outcome
Play(PathSelector& selector, unsigned seed)
{
    std::mt19937_64 rng(seed);
    Outcome outcome;
    AckInfo ack;
    for (int i = 0; i < 3000; ++i)
    {
        ack.nowPs += static_cast<int64_t>(rng() % 50 ? rng() % US : rng() % (100 * US));
        const uint64_t before = selector.GetMoves();
        const auto any = static_cast<uint16_t>(rng());
        const uint16_t known =
            outcome.entropies.empty() ? any : outcome.entropies[rng() % outcome.entropies.size()];
        switch (rng() % 100)
        {
        case 0:
            selector.OnTimeout(ack.nowPs);
            break;
        case 1:
            selector.OnLoss(known, ack.nowPs);
            selector.OnLoss(any, ack.nowPs);
            break;
        case 2:
            selector.OnCoveredLoss(rng() % 2 ? known : any, ack.nowPs);
            break;
        default:
            if (rng() % 2)
            {
                outcome.entropies.push_back(selector.Select(ack.nowPs, rng() % 3 * 100000));
                ++ack.sndNxtPsn;
                break;
            }
            ack.ackedPackets = static_cast<uint32_t>(rng() % 3);
            ack.ackPsn = std::min(ack.ackPsn + ack.ackedPackets, ack.sndNxtPsn);
            ack.markedPackets = static_cast<uint32_t>(rng() % 3);
            ack.ecnEcho = ack.markedPackets > 0;
            ack.rttPs = static_cast<int64_t>(rng() % (30 * US));
            ack.isLoss = rng() % 30 == 0;
            ack.entropy = rng() % 5 ? known : any;
            selector.OnAck(ack);
        }
        EXPECT_GE(selector.GetMoves(), before);
    }
    outcome.moves = selector.GetMoves();
    return outcome;
}

class SelectorContract : public ::testing::TestWithParam<std::string>
{
  protected:
    template <typename F>
    void ForEachVariant(F&& test) const
    {
        for (const std::string& attributes : VariantsOf(GetParam()))
        {
            SCOPED_TRACE(attributes);
            test(MakeObject<PathSelector>(GetParam(), attributes));
        }
    }

    static Ptr<PathSelector> Started(const Ptr<PathSelector>& prototype,
                                     uint64_t seed = 1,
                                     const PathInfo& path = PATH)
    {
        Ptr<PathSelector> selector = prototype->Fork();
        selector->Start(path, OWN, seed);
        return selector;
    }
};

} // namespace

TEST_P(SelectorContract, EntropiesAreSourcePortsThatTheSeedDecides)
{
    ForEachVariant([](const Ptr<PathSelector>& prototype) {
        const auto selector = Started(prototype);
        const Outcome outcome = Play(*selector, 1);
        for (const uint16_t entropy : outcome.entropies)
        {
            ASSERT_GE(entropy, 0xc000); // dynamic ports
        }
        const std::vector<uint16_t> own(outcome.entropies.size(), OWN);
        EXPECT_EQ(outcome.entropies == own, prototype->IsStatic());
        EXPECT_EQ(Play(*Started(prototype, 2), 1) == outcome, prototype->IsStatic());
        EXPECT_TRUE(outcome.moves == 0 || !prototype->IsStatic());
    });
}

TEST_P(SelectorContract, ForksShareParametersAndNotState)
{
    ForEachVariant([](const Ptr<PathSelector>& prototype) {
        const auto before = prototype->Fork();
        const auto first = Started(prototype);
        const Outcome outcome = Play(*first, 2);
        before->Start(PATH, OWN, 1);
        EXPECT_EQ(Play(*before, 2), outcome);
        EXPECT_EQ(Play(*Started(prototype), 2), outcome);
        first->Start(PATH, OWN, 1);
        EXPECT_EQ(first->GetMoves(), 0u) << "what was counted before the start is still there";
    });
}

// Without a move a flow stays where it is, unless each packet has its own path.
TEST_P(SelectorContract, OnlyAMoveChangesThePath)
{
    ForEachVariant([](const Ptr<PathSelector>& prototype) {
        const auto selector = Started(prototype);
        uint16_t last = selector->Select(0, 0);
        for (int64_t i = 1; i < 1000 && !prototype->IsPerPacket(); ++i)
        {
            const uint64_t moves = selector->GetMoves();
            const uint16_t entropy = selector->Select(i * 20 * US, 0);
            ASSERT_EQ(entropy != last, selector->GetMoves() != moves);
            last = entropy;
        }
    });
}

TEST_P(SelectorContract, OddPathsWorkOrAreRefused)
{
    ForEachVariant([](const Ptr<PathSelector>& prototype) {
        for (const int64_t rttPs : {int64_t{0}, int64_t{1}, int64_t{1'000'000'000'000'000'000}})
        {
            const std::string error =
                ErrorOf([&] { Play(*Started(prototype, 1, MakePath(0, rttPs, 0)), 3); });
            EXPECT_TRUE(error == "no error" || error.rfind("ns3::roce::", 0) == 0) << error;
        }
    });
}

INSTANTIATE_TEST_SUITE_P(All,
                         SelectorContract,
                         ::testing::ValuesIn(ChildrenOf(PathSelector::GetTypeId())));
