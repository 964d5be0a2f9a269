// SPDX-License-Identifier: GPL-2.0-only

// The tutorial's rate law, by hand.

#include "ns3/roce-aimd.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;

namespace
{

TEST(AimdTest, OneRoundTripWithoutAMarkAndOneWith)
{
    const auto law = CreateObject<Aimd>();
    PathInfo path;
    path.lineRateBps = 10'000'000'000;
    path.baseRttPs = 10'000'000;
    path.fullFrameBytes = 1086;
    law->Start(path, 0);
    EXPECT_EQ(law->GetRateBps(), 10'000'000'000U);

    AckInfo ack; // one packet is acknowledged, and packets up to 8 are on their way
    ack.ackPsn = 1;
    ack.sndNxtPsn = 9;
    ack.ackedPackets = 1;
    ack.markedPackets = 1;
    ack.ecnEcho = true;
    law->OnAck(ack);
    EXPECT_EQ(law->GetRateBps(), 8'000'000'000U); // times Factor

    ack.ackPsn = 5; // the round trip is not over: nothing happens
    ack.ackedPackets = 4;
    ack.markedPackets = 0;
    ack.ecnEcho = false;
    law->OnAck(ack);
    EXPECT_EQ(law->GetRateBps(), 8'000'000'000U);

    ack.ackPsn = 9;
    ack.sndNxtPsn = 17;
    law->OnAck(ack);
    EXPECT_EQ(law->GetRateBps(), 8'100'000'000U); // plus Step
}

} // namespace
