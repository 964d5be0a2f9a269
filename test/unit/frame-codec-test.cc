// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-frame-extension.h"
#include "ns3/roce-input-error.h"

#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3::roce;

namespace
{

/// As long as an extension may be.
struct Long
{
    uint64_t values[2];
    static const FrameExtension EXTENSION;
};

const FrameExtension Long::EXTENSION{"codec-long", {16, 16, 16, 16}, true};

struct Short
{
    uint8_t value;
    static const FrameExtension EXTENSION;
};

const FrameExtension Short::EXTENSION{"codec-short", {1, 1, 1, 1}, false};

unsigned char*
BytesOf(Frame& frame)
{
    return reinterpret_cast<unsigned char*>(&frame);
}

/// A frame all of whose bytes are random where any value has a meaning.
Frame*
MakeRandom(std::mt19937_64& rng)
{
    Frame* frame = FramePool::Alloc();
    for (std::size_t i = 0; i < offsetof(Frame, extensions); ++i)
    {
        BytesOf(*frame)[i] = static_cast<unsigned char>(rng());
    }
    frame->kind = static_cast<FrameKind>(rng() % static_cast<unsigned>(FrameKind::PACKET));
    frame->stageMark = rng() % 2;
    frame->telemetry = {};
    if (frame->kind == FrameKind::PFC)
    {
        return frame;
    }
    if (rng() % 2)
    {
        frame->Extend<Short>().value = static_cast<uint8_t>(rng());
    }
    if (rng() % 2)
    {
        frame->Extend<Long>() = {{rng(), rng()}};
    }
    if (const uint64_t hops = rng() % 20; hops < 18)
    {
        frame->telemetry = FramePool::AllocInt();
        for (uint64_t i = 0; i < hops; ++i)
        {
            frame->telemetry
                .Append() = {static_cast<int64_t>(rng()), rng(), rng(), rng(), rng(), rng()};
        }
    }
    return frame;
}

/// Expect that two frames differ only in what stays behind, byte for byte: so a field that is new,
/// and that the codec does not know, is found.
void
ExpectSame(Frame& copy, Frame& original)
{
    const auto staysBehind = [](std::size_t i) {
        return i < sizeof(Frame::next) ||
               (i >= offsetof(Frame, telemetry) && i < offsetof(Frame, payloadBytes)) ||
               (i >= offsetof(Frame, inPort) && i < offsetof(Frame, kind)) ||
               (i >= offsetof(Frame, nextGapPs) && i < offsetof(Frame, dstQp));
    };
    for (std::size_t i = 0; i < offsetof(Frame, extensions); ++i)
    {
        ASSERT_TRUE(staysBehind(i) || BytesOf(copy)[i] == BytesOf(original)[i])
            << "byte " << i << " of a frame is lost";
    }
    for (unsigned i = 0; i < Frame::MAX_EXTENSIONS; ++i)
    {
        ASSERT_EQ(copy.GetExtension(i), original.GetExtension(i)) << "extension " << i;
        EXPECT_TRUE(!original.GetExtension(i) || std::memcmp(copy.extensions->value[i],
                                                             original.extensions->value[i],
                                                             Frame::EXTENSION_BYTES) == 0)
            << "extension " << i;
    }
    ASSERT_EQ(bool{copy.telemetry}, bool{original.telemetry});
    if (original.telemetry)
    {
        ASSERT_EQ(copy.telemetry.hops, original.telemetry.hops);
        for (uint32_t i = 0; i < original.telemetry.hops; ++i)
        {
            EXPECT_EQ(std::memcmp(&copy.telemetry.At(i), &original.telemetry.At(i), sizeof(IntHop)),
                      0)
                << "hop " << i;
        }
    }
}

TEST(FrameCodec, FramesComeBackAsTheyWere)
{
    const uint64_t before = FramePool::Outstanding();
    std::mt19937_64 rng(1);
    for (unsigned batch = 0; batch < 200; ++batch)
    {
        std::vector<Frame*> frames;
        std::string bytes = "head";
        for (uint64_t i = 0, n = rng() % 20; i < n; ++i)
        {
            frames.push_back(MakeRandom(rng));
            FrameCodec::Write(*frames.back(), bytes);
        }
        std::size_t at = 4;
        for (Frame* frame : frames)
        {
            Frame* copy = FrameCodec::Read(bytes, at);
            ExpectSame(*copy, *frame);
            FramePool::Free(copy);
            FramePool::Free(frame);
        }
        EXPECT_EQ(at, bytes.size());
    }
    EXPECT_EQ(FramePool::Outstanding(), before);
}

TEST(FrameCodec, FramesAreShort)
{
    Frame* frame = FramePool::Alloc();
    std::string bytes;
    FrameCodec::Write(*frame, bytes);
    EXPECT_EQ(bytes.size(), 101U);
    frame->telemetry = FramePool::AllocInt();
    frame->telemetry.Append();
    frame->Extend<Short>();
    bytes.clear();
    FrameCodec::Write(*frame, bytes);
    EXPECT_EQ(bytes.size(), 101U + 48 + 3 + 16);
    FramePool::Free(frame);
}

TEST(FrameCodec, CutBytesAreRefused)
{
    const uint64_t before = FramePool::Outstanding();
    std::mt19937_64 rng(2);
    Frame* frame = MakeRandom(rng);
    std::string bytes;
    FrameCodec::Write(*frame, bytes);
    FramePool::Free(frame);
    for (std::size_t length = 0; length < bytes.size(); ++length)
    {
        const std::string cut = bytes.substr(0, length);
        std::size_t at = 0;
        EXPECT_THROW(FrameCodec::Read(cut, at), InputError) << length;
    }
    EXPECT_EQ(FramePool::Outstanding(), before);
}

} // namespace
