// SPDX-License-Identifier: GPL-2.0-only
// MLCC's header in data and ACKs: its bytes, and what is charged for them.
#include "wire-format-test-util.h"

#include "ns3/roce-mlcc-header.h"
#include "ns3/roce-receiver-feedback.h"
#include "ns3/roce-wire-format.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

using wiretest::BTH;

/// @return n bytes of the frame behind the headers of its kind, in hexadecimal
std::string
Extension(const Frame& frame, std::size_t from, std::size_t n)
{
    const std::vector<uint8_t> bytes = WireFormat::Serialize(frame);
    EXPECT_EQ(bytes.size() + FCS_BYTES, frame.frameBytes);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(from);
    return wiretest::ToHex({first, first + static_cast<std::ptrdiff_t>(n)});
}

TEST(MlccHeader, DataBringTheEpochAndTheQueue)
{
    wiretest::TestFrame data;
    wiretest::MakeData(data, 0, 7, 1000);
    MlccHeader& header = data.Extend<MlccHeader>();
    EXPECT_EQ(data.frameBytes, DATA_HEADER_BYTES + 1000 + 6);
    EXPECT_EQ(Extension(data, BTH + BTH_BYTES, 6), "000000000000") << "as the sender sends it";
    header.epoch = 0x0102;
    header.SetQueueBytes(0x04050607);
    EXPECT_EQ(Extension(data, BTH + BTH_BYTES, 6), "010204050607");
    header.SetQueueBytes(UINT64_C(5'000'000'000));
    EXPECT_EQ(header.GetQueueBytes(), UINT32_MAX) << "not modulo 2^32";
}

TEST(MlccHeader, AcksBringTheEpochAndTwoRates)
{
    wiretest::TestFrame data;
    wiretest::MakeData(data, 0, 7, 1000);
    data.Extend<MlccHeader>();
    wiretest::TestFrame ack;
    wiretest::MakeControl(ack, FrameKind::ACK, 7, 1);
    ReceiverFeedback::Echo(ack, data);
    MlccHeader* header = ack.FindExtension<MlccHeader>();
    ASSERT_NE(header, nullptr) << "the ACK of data with the header has it";
    EXPECT_EQ(ack.frameBytes, ACK_FRAME_BYTES + 10);
    header->epoch = 0xfffe;
    header->SetRates(12.5e9, 8'997'222'222);
    EXPECT_EQ(Extension(ack, BTH + BTH_BYTES + AETH_BYTES, 10), "fffe000030d400002325");
    EXPECT_EQ(header->GetCreditBps(), 12'500'000'000u);
    EXPECT_EQ(header->GetDqmBps(), 8'997'000'000u);
}

TEST(MlccHeader, RatesAreRoundedToMegabits)
{
    EXPECT_EQ(MlccHeader::ToMbps(1.4e6), 1u);
    EXPECT_EQ(MlccHeader::ToMbps(1.6e6), 2u);
    EXPECT_EQ(MlccHeader::ToMbps(0), 1u) << "a rate is never 0";
    EXPECT_EQ(MlccHeader::ToMbps(1e18), UINT32_MAX);
}

} // namespace
