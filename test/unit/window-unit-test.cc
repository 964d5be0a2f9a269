// SPDX-License-Identifier: GPL-2.0-only
// A queue pair sends while less than the window is in flight, so a window is counted as what is
// in flight is: with Nic::PayloadWindow in payload bytes. A window of one packet lets one go.
#include "roce-law-fixture.h"

#include "ns3/roce-bbr.h"
#include "ns3/roce-gemini.h"
#include "ns3/roce-mp-rdma.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint32_t WIRE = 4160;
constexpr uint32_t PAYLOAD = 4096;
constexpr int64_t RTT_PS = 1000 * US;

/// @return a path on which a full frame adds so much to what is in flight
PathInfo
PathCounting(uint32_t windowFrameBytes)
{
    PathInfo path = MakePath(G100, RTT_PS, WIRE);
    path.mtuBytes = PAYLOAD;
    path.windowFrameBytes = windowFrameBytes;
    return path;
}

/// The window after a timeout, which leaves these laws one packet.
template <typename T>
void
ExpectOnePacket(const char* name, const Attributes& attributes)
{
    for (const uint32_t unit : {WIRE, PAYLOAD})
    {
        const Ptr<T> law = MakeLaw<T>(attributes, PathCounting(unit));
        law->OnTimeout(RTT_PS);
        EXPECT_EQ(law->GetWindowBytes(), unit) << name;
    }
}

} // namespace

TEST(WindowUnit, APacketIsWhatItAddsInFlight)
{
    ExpectOnePacket<Bbr>("Bbr, artifact", {{"Profile", "artifact"}});
    ExpectOnePacket<Bbr>("Bbr, paper", {});
    ExpectOnePacket<Gemini>("Gemini, artifact", {{"Profile", "artifact"}});
    ExpectOnePacket<Gemini>("Gemini, paper", {});
    ExpectOnePacket<MpRdma>("MpRdma", {{"TimeoutReaction", "one"}});
}

// 20 packets are 20 more packets in flight, not 21.
TEST(WindowUnit, WholeFramesAreCountedInIt)
{
    EXPECT_EQ(PathCounting(PAYLOAD).WholeFramesBytes(20.5 * PAYLOAD), 20u * PAYLOAD);
    EXPECT_EQ(PathCounting(WIRE).WholeFramesBytes(20.5 * WIRE), 20u * WIRE);
    EXPECT_EQ(PathCounting(0).WholeFramesBytes(20.5 * WIRE), 20u * WIRE);
}

// The wire takes the headers, too: a window a round trip, whatever it is counted in.
TEST(WindowUnit, ThePaceIsThatOfTheWire)
{
    constexpr uint64_t BPS = 10 * WIRE * 8 * 1000; // ten packets a millisecond
    EXPECT_EQ(PathCounting(PAYLOAD).PacedBps(10.0 * PAYLOAD), BPS);
    EXPECT_EQ(PathCounting(WIRE).PacedBps(10.0 * WIRE), BPS);
    EXPECT_EQ(PathCounting(0).PacedBps(10.0 * WIRE), BPS);
}
