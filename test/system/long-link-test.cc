// SPDX-License-Identifier: GPL-2.0-only
// Networks in DataRate and Time, and the deep buffers of long links.
#include "roce-error-of.h"
#include "roce-test-network.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct LongLinkTest : SystemTest
{
    /// Two switches with a host each, without the link between them.
    static void AddEnds(Network& net)
    {
        for (uint32_t dc = 0; dc < 2; ++dc)
        {
            const uint32_t sw = net.AddSwitch("sw" + std::to_string(dc), dc);
            const uint32_t host = net.AddHost("h" + std::to_string(dc), dc);
            net.AddNic(host, sw, DataRate("25Gbps"), NanoSeconds(300));
        }
    }
};

TEST_F(LongLinkTest, RatesAndTimesAreTheIntegersInside)
{
    Network net;
    AddEnds(net);
    net.Connect(0, 1, DataRate("40Gbps"), MicroSeconds(7));
    net.Build();
    EXPECT_EQ(net.GetNic(1)->GetRateBps(), 25 * G);
    EXPECT_EQ(net.GetLink(0).GetDelayPs(), 300 * NS);
    EXPECT_EQ(net.GetLink(2).GetDelayPs(), 7 * US);
    EXPECT_EQ(net.GetSwitch(1)->GetPort(1)->GetRateBps(), 40 * G);
    net.SetReroute(MicroSeconds(5));
    net.ScheduleLinkChange(MilliSeconds(3), 2, false);
    EXPECT_EQ(net.GetLastChangePs(), 3 * MS);
    Simulator::Stop(MilliSeconds(4));
    Simulator::Run();
    // New routes after the failure.
    EXPECT_EQ(net.GetLastChangePs(), 3 * MS + 5 * US);
}

TEST_F(LongLinkTest, PortsHaveADeepBufferOfTheirOwn)
{
    Network net;
    AddEnds(net);
    const auto ports = net.ConnectLong(0, 1, DataRate("100Gbps"), MilliSeconds(1));
    net.Build();
    for (uint32_t sw = 0; sw < 2; ++sw)
    {
        // 12.5 MB one way: the threshold is all of the buffer but the headroom.
        const SharedBuffer& buffer = net.GetSwitch(sw)->GetBuffer();
        const uint16_t port = sw == 0 ? ports.first : ports.second;
        const uint64_t headroom = 4 * 12500000 + (4 << 20) - buffer.GetThresholdBytes(port, 3);
        EXPECT_GT(headroom, 2 * 12500000u);
        EXPECT_LT(headroom, 2 * 12500000u + 20000);
    }
    Network other;
    AddEnds(other);
    const auto own =
        other.ConnectLong(0, 1, DataRate("100Gbps"), MilliSeconds(1), QueueSize("60MB"));
    other.Build();
    const uint64_t threshold = other.GetSwitch(0)->GetBuffer().GetThresholdBytes(own.first, 3);
    EXPECT_LT(threshold, 60000000u - 2 * 12500000);
    EXPECT_GT(threshold, 60000000u - 2 * 12500000 - 20000);
    // Without it the headroom must come out of the shared buffer.
    Network plain;
    AddEnds(plain);
    plain.Connect(0, 1, DataRate("100Gbps"), MilliSeconds(10));
    EXPECT_NE(ErrorOf([&plain] { plain.Build(); }).find("headroom"), std::string::npos);
}

TEST_F(LongLinkTest, BadInputIsRefused)
{
    Network net;
    AddEnds(net);
    const auto error = [&net](const char* rate, const Time& delay, const char* buffer, double xon) {
        return ErrorOf(
            [&] { net.ConnectLong(0, 1, DataRate(rate), delay, QueueSize(buffer), xon); });
    };
    const std::string small = error("100Gbps", MilliSeconds(1), "20MB", 0.5);
    EXPECT_EQ(small.find("long link: buffer is 20000000 B, expected more than the headroom of the "
                         "long link, 25"),
              0u)
        << small;
    EXPECT_EQ(error("100Gbps", MilliSeconds(1), "0B", 2),
              "long link: Xon over Xoff is 2.000000, expected 0 to 1");
    EXPECT_EQ(error("0bps", MilliSeconds(1), "0B", 0.5),
              "long link: expected a rate above 0 and a delay of 0 or more");
}

} // namespace
