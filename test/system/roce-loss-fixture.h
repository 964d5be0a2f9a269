// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LOSS_FIXTURE_H
#define ROCE_LOSS_FIXTURE_H

#include "roce-test-network.h"

#include <functional>

namespace ns3::roce::test
{

/// Messages of full packets over two links of 100 Gbit/s and 1 us, at line rate; losses by hand.
struct LossTest : SystemTest
{
    static constexpr int64_t FIRST = 335520;  //!< first frame of 4096 B, ps
    static constexpr int64_t MIDDLE = 334240; //!< further frames
    static constexpr int64_t ACK = 6880;
    static constexpr int64_t BACK = 2 * (US + ACK); //!< way of an ACK or NAK
    static constexpr uint64_t N_PACKETS = 100;

    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("LineRate");
    }

    static void Recover(const std::string& recovery)
    {
        Config::SetDefault("ns3::roce::Nic::LossRecovery", StringValue("ns3::roce::" + recovery));
    }

    /// Start of packet i's first transmission.
    static int64_t Start(uint64_t i)
    {
        return i ? FIRST + static_cast<int64_t>(i - 1) * MIDDLE : 0;
    }

    /// Arrival of packet i at the receiver.
    static int64_t Arrival(uint64_t i)
    {
        return 2 * FIRST + static_cast<int64_t>(i) * MIDDLE + 2 * US;
    }

    /// Loses the first transmission of one packet.
    static std::function<bool(const Frame&)> LoseOnce(uint64_t psn)
    {
        return [psn](const Frame& f) {
            return f.kind == FrameKind::DATA && f.psn == psn && !(f.flags & FRAME_RETX);
        };
    }
};

} // namespace ns3::roce::test

#endif /* ROCE_LOSS_FIXTURE_H */
