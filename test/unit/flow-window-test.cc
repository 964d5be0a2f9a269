// SPDX-License-Identifier: GPL-2.0-only
// The window of a path bounds what a rate law may have in flight, whatever the law.
#include "roce-law-fixture.h"

#include "ns3/roce-dcqcn.h"
#include "ns3/roce-hpcc.h"
#include "ns3/roce-line-rate.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

PathInfo
Bounded(uint64_t bytes, bool scales)
{
    PathInfo path = MakePath(G100, 12 * US, 1106);
    path.flowWindowBytes = bytes;
    path.flowWindowScales = scales;
    return path;
}

/// @return a DCQCN sender whose rate has been cut
Ptr<Dcqcn>
CutOnce(uint64_t bytes, bool scales)
{
    Ptr<Dcqcn> law = MakeLaw<Dcqcn>({{"Profile", "paper"}}, Bounded(bytes, scales));
    EXPECT_EQ(law->GetWindowBytes(), bytes ? bytes : UNLIMITED_BYTES);
    law->OnCnp({1 * US});
    law->Advance(2 * US);
    EXPECT_LT(law->GetRateBps(), G100);
    return law;
}

} // namespace

TEST(FlowWindow, NoneByDefault)
{
    EXPECT_EQ(CutOnce(0, true)->GetWindowBytes(), UNLIMITED_BYTES);
}

TEST(FlowWindow, StaysOrFollowsTheRate)
{
    EXPECT_EQ(CutOnce(2553000, false)->GetWindowBytes(), 2553000u);
    const Ptr<Dcqcn> law = CutOnce(2553000, true);
    EXPECT_EQ(law->GetWindowBytes(), 2553000 * (law->GetRateBps() / 1000) / (G100 / 1000));
    EXPECT_LT(law->GetWindowBytes(), 2553000u * 9 / 10);
    // Whatever the rate, a packet may go.
    EXPECT_EQ(CutOnce(1, true)->GetWindowBytes(), 1u);
    // No overflow.
    EXPECT_EQ(CutOnce(1ULL << 53, true)->GetWindowBytes(),
              static_cast<uint64_t>(static_cast<double>(1ULL << 53) *
                                    (static_cast<double>(law->GetRateBps()) / G100)));
}

TEST(FlowWindow, TheSmallerWindowCounts)
{
    EXPECT_EQ(MakeLaw<Hpcc>({}, Bounded(100000, false))->GetWindowBytes(), 100000u);
    EXPECT_EQ(MakeLaw<Hpcc>({}, Bounded(200000, false))->GetWindowBytes(), 150000u);
    EXPECT_EQ(MakeLaw<LineRate>({}, Bounded(5000, true))->GetWindowBytes(), 5000u);
    EXPECT_EQ(MakeLaw<LineRate>({{"Window", "4000"}}, Bounded(5000, true))->GetWindowBytes(),
              4000u);
}
