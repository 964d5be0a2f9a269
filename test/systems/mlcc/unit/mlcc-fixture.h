// SPDX-License-Identifier: GPL-2.0-only
#ifndef MLCC_FIXTURE_H
#define MLCC_FIXTURE_H

#include "roce-law-fixture.h"

#include "ns3/roce-hpcc.h"
#include "ns3/roce-mlcc-credit.h"
#include "ns3/roce-mlcc-header.h"
#include "ns3/roce-mlcc.h"

#include <gtest/gtest.h>

namespace ns3::roce::test
{

constexpr uint64_t G25 = 25'000'000'000;
constexpr uint32_t MLCC_FRAME = 1098;

/// The paper's path between datacenters: 22 us to the external switch and back, 6.044 ms in all.
inline const PathInfo MLCC_PATH = [] {
    PathInfo path = MakePath(G25, 6044 * US, MLCC_FRAME, 7);
    path.mtuBytes = 1000;
    path.interDc = true;
    path.nearRttPs = 22 * US;
    path.nearHops = 3;
    return path;
}();

/// HPCC with a W_AI of (nearly) 0.
inline Ptr<Hpcc>
PlainHpcc(const Attributes& more = {})
{
    return With<Hpcc>(Join({{"ExpectedFlows", "2000000000"}}, more));
}

} // namespace ns3::roce::test

#endif /* MLCC_FIXTURE_H */
