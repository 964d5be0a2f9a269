/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_UNO_TEST_UTIL_H
#define ROCE_UNO_TEST_UTIL_H

#include "ns3/roce-uno-cc.h"
#include "ns3/string.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace roce
{

/// What the tests of UnoCc share: paths, rate laws, ACKs.
namespace unotest
{

constexpr int64_t US = 1000000;
constexpr uint64_t G100 = 100000000000;
constexpr uint32_t MTU = 4096;
constexpr int64_t INTRA = 14 * US;
constexpr int64_t INTER = 2000 * US;

using Attributes = std::vector<std::pair<std::string, std::string>>;

/// Opens the window, so that a vector can start anywhere.
struct OpenUno : public UnoCc
{
    void SetCwnd(double bytes)
    {
        m_cwnd = bytes;
    }
};

inline PathInfo
MakePath(int64_t rttPs = INTRA, bool interDc = false)
{
    PathInfo path;
    path.lineRateBps = G100;
    path.baseRttPs = rttPs;
    path.mtuBytes = path.fullFrameBytes = MTU;
    path.interDc = interDc;
    return path;
}

const PathInfo INTRA_PATH = MakePath();
const PathInfo INTER_PATH = MakePath(INTER, true);

inline Ptr<OpenUno>
Make(const Attributes& attributes = {}, const PathInfo& path = INTRA_PATH)
{
    Ptr<OpenUno> cc = CreateObject<OpenUno>();
    for (const auto& [name, value] : attributes)
    {
        cc->SetAttribute(name, StringValue(value));
    }
    cc->Start(path, 0);
    return cc;
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
} // namespace roce
} // namespace ns3

#endif /* ROCE_UNO_TEST_UTIL_H */
