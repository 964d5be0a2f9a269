// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_TEST_UTIL_H
#define ROCE_UNO_TEST_UTIL_H

#include "roce-law-fixture.h"

#include "ns3/roce-uno-cc.h"

namespace ns3::roce
{

/// What the tests of UnoCc share: paths, rate laws, ACKs.
namespace unotest
{

using namespace test;

constexpr uint32_t MTU = 4096;
constexpr int64_t INTRA = 14 * US;
constexpr int64_t INTER = 2000 * US;

/// Opens the window, so that a vector can start anywhere.
struct OpenUno : public UnoCc
{
    using UnoCc::m_alpha;
    using UnoCc::m_baseRttPs;
    using UnoCc::m_counters;
    using UnoCc::m_cwnd;
    using UnoCc::m_epoch;
    using UnoCc::m_mdCoefficient;
    using UnoCc::m_quickAdapt;

    void SetCwnd(double bytes)
    {
        m_cwnd = bytes;
    }
};

inline PathInfo
PathOf(int64_t rttPs = INTRA, bool interDc = false)
{
    PathInfo path = MakePath(G100, rttPs, MTU);
    path.mtuBytes = MTU;
    path.interDc = interDc;
    return path;
}

const PathInfo INTRA_PATH = PathOf();
const PathInfo INTER_PATH = PathOf(INTER, true);

inline Ptr<OpenUno>
Make(const Attributes& attributes = {}, const PathInfo& path = INTRA_PATH)
{
    return MakeLaw<OpenUno>(attributes, path);
}

/// An ACK of one packet with data left to send.
inline AckInfo
Ack(int64_t nowPs, int64_t rttPs, bool marked = false, uint64_t bytes = MTU)
{
    AckInfo ack;
    ack.nowPs = nowPs;
    ack.rttPs = rttPs;
    ack.ackedBytes = bytes;
    ack.ackedPackets = 1;
    ack.ecnEcho = marked;
    ack.markedPackets = marked;
    ack.hasMore = true;
    return ack;
}

} // namespace unotest
} // namespace ns3::roce

#endif /* ROCE_UNO_TEST_UTIL_H */
