// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-ingress-limit.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3::roce;
using Verdict = IngressLimit::Verdict;

// 1000 B each 80 ns into a buffer of 3000 B that takes 100 ns for them: 20 ns more wait each time,
// so the first that does not fit is the one that would wait 100 + 11 * 20 ns, more than 300; from
// then on every fifth, as many as come too much.
TEST(IngressLimit, LosesWhatDoesNotFit)
{
    IngressLimit limit(80000000000, 3000, 0);
    std::vector<int> lost;
    for (int i = 0; i < 30; ++i)
    {
        if (limit.Take(1000, i * 80000LL) == Verdict::LOST)
        {
            lost.push_back(i);
        }
    }
    EXPECT_EQ(lost, (std::vector<int>{11, 16, 21, 26}));
}

TEST(IngressLimit, TakesABurstOfItsBuffer)
{
    IngressLimit limit(80000000000, 3000, 0);
    for (int i = 0; i < 3; ++i)
    {
        EXPECT_EQ(limit.Take(1000, 0), Verdict::TAKEN) << i;
    }
    EXPECT_EQ(limit.Take(1, 0), Verdict::LOST) << "the buffer is full";
    EXPECT_EQ(limit.Take(1000, 99999), Verdict::LOST) << "1 ps early";
    EXPECT_EQ(limit.Take(1000, 100000), Verdict::TAKEN) << "the first has left";
}

TEST(IngressLimit, MarksWhatFindsTooMuch)
{
    IngressLimit limit(80000000000, 3000, 2000);
    EXPECT_EQ(limit.Take(1000, 0), Verdict::TAKEN);
    EXPECT_EQ(limit.Take(1000, 0), Verdict::TAKEN) << "no more than the threshold";
    EXPECT_EQ(limit.Take(1000, 0), Verdict::MARKED);
    EXPECT_EQ(limit.Take(1000, 0), Verdict::LOST);
    EXPECT_EQ(limit.Take(1000, 200000), Verdict::TAKEN) << "two have left";
}
