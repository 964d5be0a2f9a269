// SPDX-License-Identifier: GPL-2.0-only

// Sizes in bytes: units, limits, and attributes that hold ns-3's QueueSize.

#include "ns3/queue-size.h"
#include "ns3/roce-byte-size.h"
#include "ns3/roce-switch.h"
#include "ns3/string.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::roce;

TEST(ByteSize, ReadsAllUnits)
{
    const std::pair<const char*, uint64_t> sizes[] = {{"0B", 0},
                                                      {"1.5B", 1},
                                                      {"2kB", 2000},
                                                      {"2KB", 2000},
                                                      {"2KiB", 2048},
                                                      {".5MB", 500000},
                                                      {"1MiB", 1048576},
                                                      {"8GB", 8000000000},
                                                      {"4GiB", 4294967296},
                                                      {"2TB", 2000000000000},
                                                      {"0.5TiB", 549755813888}};
    for (const auto& [text, bytes] : sizes)
    {
        uint64_t found = UINT64_MAX;
        EXPECT_TRUE(ByteSize::Parse(text, found)) << text;
        EXPECT_EQ(found, bytes) << text;
        ByteSize size;
        std::istringstream(text) >> size;
        EXPECT_EQ(size.GetValue(), bytes) << text;
    }
    for (const char* text : {"", "1", "GB", "-1GB", "1 GB", "1gb", "1PB", "16TiB", "1e3GB", "1GBs"})
    {
        uint64_t found = 7;
        EXPECT_FALSE(ByteSize::Parse(text, found)) << text;
        EXPECT_EQ(found, 7U) << text;
    }
    std::istringstream bad("1PB");
    ByteSize size(9);
    bad >> size;
    EXPECT_TRUE(bad.fail());
    EXPECT_EQ(size.GetValue(), 9U);
}

TEST(ByteSize, IsWrittenAsNs3WritesASize)
{
    std::ostringstream text;
    text << ByteSize(QueueSize("3KiB")) << ' ' << ByteSize(8000000000);
    EXPECT_EQ(text.str(), "3072B 8000000000B");
}

TEST(ByteSize, AttributesOfNs3sSizesReadItsUnits)
{
    auto sw = CreateObject<Switch>();
    EXPECT_TRUE(sw->SetAttributeFailSafe("BufferSize", StringValue("1GiB")));
    QueueSizeValue size;
    sw->GetAttribute("BufferSize", size);
    EXPECT_EQ(size.Get().GetValue(), 1073741824U);
    EXPECT_TRUE(sw->SetAttributeFailSafe("BufferSize", QueueSizeValue(QueueSize("2MB"))));
    sw->GetAttribute("BufferSize", size);
    EXPECT_EQ(size.Get().GetValue(), 2000000U);
    EXPECT_FALSE(sw->SetAttributeFailSafe("BufferSize", StringValue("4GiB")));
    EXPECT_FALSE(sw->SetAttributeFailSafe("BufferSize", StringValue("1PB")));
    sw->Dispose();
}
