// SPDX-License-Identifier: GPL-2.0-only
#include "counting-sink.h"

#include "ns3/roce-frame-extension.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-receiver-feedback.h"
#include "ns3/roce-wire-format.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace ns3::roce;

namespace
{

/// Eight bytes in data, four in an ACK, echoed.
struct Mark
{
    uint32_t first;
    uint32_t second;
    static const FrameExtension EXTENSION;
};

const FrameExtension Mark::EXTENSION{
    "test-mark",
    {8, 4, 2, 1},
    true,
    [](const void* value, std::vector<uint8_t>& out) {
        const Mark& mark = *static_cast<const Mark*>(value);
        out.insert(out.end(), 4, static_cast<uint8_t>(mark.first));
        out.insert(out.end(), 4, static_cast<uint8_t>(mark.second));
    }};

/// Free of charge, and not echoed.
struct Note
{
    int64_t value;
    static const FrameExtension EXTENSION;
};

const FrameExtension Note::EXTENSION{"test-note", {}, false};

/// One byte, echoed. @tparam N kinds of it
template <int N>
struct Tag
{
    uint8_t value;
    static const FrameExtension EXTENSION;
};

template <>
const FrameExtension Tag<1>::EXTENSION{"test-tag-1",
                                       {1, 1, 1, 1},
                                       true,
                                       [](const void* value, std::vector<uint8_t>& out) {
                                           out.push_back(static_cast<const Tag<1>*>(value)->value);
                                       }};
template <>
const FrameExtension Tag<2>::EXTENSION{"test-tag-2", {1, 1, 1, 1}, true};

/// A frame that is given back.
struct Held
{
    explicit Held(FrameKind kind, uint32_t bytes = 100)
        : frame(*FramePool::Alloc())
    {
        frame.kind = kind;
        frame.frameBytes = bytes;
    }

    ~Held()
    {
        FramePool::Free(&frame);
    }

    Frame& frame;
};

TEST(FrameExtension, IsChargedByKindOfFrame)
{
    const std::pair<FrameKind, uint32_t> cases[] = {{FrameKind::DATA, 108},
                                                    {FrameKind::ACK, 104},
                                                    {FrameKind::NAK, 104},
                                                    {FrameKind::CNP, 102},
                                                    {FrameKind::NOTIFICATION, 101}};
    for (const auto& [kind, bytes] : cases)
    {
        Held held(kind);
        EXPECT_EQ(held.frame.FindExtension<Mark>(), nullptr);
        Mark& mark = held.frame.Extend<Mark>();
        EXPECT_EQ(mark.first, 0u);
        mark.second = 7;
        EXPECT_EQ(held.frame.frameBytes, bytes);
        EXPECT_EQ(held.frame.Extend<Mark>().second, 7u) << "extended twice, it is as it was";
        EXPECT_EQ(held.frame.frameBytes, bytes) << "and charged once";
        EXPECT_EQ(held.frame.FindExtension<Mark>(), &mark);
        EXPECT_EQ(held.frame.FindExtension<Note>(), nullptr);
        held.frame.RemoveExtension<Note>();
        EXPECT_EQ(held.frame.frameBytes, bytes) << "it has none";
        held.frame.RemoveExtension<Mark>();
        EXPECT_EQ(held.frame.frameBytes, 100u);
        EXPECT_EQ(held.frame.FindExtension<Mark>(), nullptr);
    }
}

TEST(FrameExtension, AFrameHasRoomForThree)
{
    Held held(FrameKind::DATA);
    held.frame.Extend<Note>().value = 1;
    held.frame.Extend<Mark>() = {2, 3};
    held.frame.Extend<Tag<1>>().value = 4;
    EXPECT_EQ(held.frame.frameBytes, 109u);
    EXPECT_EQ(FrameExtension::BytesIn(held.frame), 9u);
    EXPECT_EQ(held.frame.FindExtension<Note>()->value, 1);
    EXPECT_EQ(held.frame.FindExtension<Mark>()->second, 3u);
    EXPECT_EQ(held.frame.FindExtension<Tag<1>>()->value, 4u);
    EXPECT_EQ(ExtensionView(held.frame).As<Tag<1>>()->value, 4u);
    try
    {
        held.frame.Extend<Tag<2>>();
        FAIL();
    }
    catch (const InputError& error)
    {
        EXPECT_STREQ(error.what(),
                     "a frame with the extensions test-note, test-mark, test-tag-1 would need the "
                     "extension test-tag-2, too; expected mechanisms of which 3 at most extend "
                     "frames");
    }
    held.frame.RemoveExtension<Note>();
    EXPECT_EQ(held.frame.FindExtension<Note>(), nullptr);
    EXPECT_EQ(held.frame.FindExtension<Mark>()->first, 2u) << "others stay";
    EXPECT_EQ(held.frame.FindExtension<Tag<1>>()->value, 4u) << "others stay";
    EXPECT_EQ(held.frame.Extend<Tag<2>>().value, 0u) << "there is room again";
    EXPECT_EQ(held.frame.frameBytes, 110u);
}

// An ACK gets those of its data that ask for it, charged as an ACK's, and the wire has all in
// order.
TEST(FrameExtension, SeveralAreEchoedAndWritten)
{
    Held data(FrameKind::DATA, WireFormat::FrameBytes(FrameKind::DATA, 0, false, 0));
    const std::vector<uint8_t> without = WireFormat::Serialize(data.frame);
    data.frame.Extend<Tag<1>>().value = 0x77;
    data.frame.Extend<Note>().value = 1;
    data.frame.Extend<Mark>() = {0xab, 0xcd};
    const std::vector<uint8_t> with = WireFormat::Serialize(data.frame);
    EXPECT_EQ(with[17] - without[17], 9) << "IP length";
    EXPECT_EQ(std::vector<uint8_t>(with.begin() + 54, with.begin() + 63),
              (std::vector<uint8_t>{0x77, 0xab, 0xab, 0xab, 0xab, 0xcd, 0xcd, 0xcd, 0xcd}));
    Held ack(FrameKind::ACK);
    ReceiverFeedback::Echo(ack.frame, data.frame);
    EXPECT_EQ(ack.frame.frameBytes, 105u);
    EXPECT_EQ(ack.frame.FindExtension<Tag<1>>()->value, 0x77);
    EXPECT_EQ(ack.frame.FindExtension<Mark>()->second, 0xcdu);
    EXPECT_EQ(ack.frame.FindExtension<Note>(), nullptr);
}

// A frame that comes back from the pool carries nothing of its last use.
TEST(FrameExtension, IsGoneWithItsFrame)
{
    {
        Held held(FrameKind::DATA);
        held.frame.Extend<Mark>() = {1, 2};
    }
    Held held(FrameKind::DATA);
    EXPECT_EQ(held.frame.GetExtension(0), 0);
    EXPECT_EQ(held.frame.classEnable, 0);
    EXPECT_EQ(held.frame.Extend<Note>().value, 0);
}

// What a frame has been given for its extensions is there for the next one.
TEST(FrameExtension, MemoryComesBackWithTheFrame)
{
    const ExtensionChunk* first;
    {
        Held held(FrameKind::DATA);
        held.frame.Extend<Mark>();
        held.frame.RemoveExtension<Mark>();
        first = held.frame.extensions;
    }
    Held held(FrameKind::DATA);
    EXPECT_EQ(held.frame.extensions, nullptr);
    held.frame.Extend<Note>();
    EXPECT_EQ(held.frame.extensions, first);
}

TEST(FrameExtension, OnlyThatWhichAsksForItIsEchoed)
{
    Held data(FrameKind::DATA);
    Held ack(FrameKind::ACK);
    data.frame.Extend<Mark>() = {3, 4};
    ReceiverFeedback::Echo(ack.frame, data.frame);
    ASSERT_TRUE(ack.frame.FindExtension<Mark>());
    EXPECT_EQ(ack.frame.FindExtension<Mark>()->second, 4u);
    EXPECT_EQ(ack.frame.frameBytes, 104u) << "an ACK is charged what an ACK is charged";
    Held other(FrameKind::DATA);
    Held bare(FrameKind::ACK);
    other.frame.Extend<Note>();
    ReceiverFeedback::Echo(bare.frame, other.frame);
    EXPECT_EQ(bare.frame.GetExtension(0), 0);
}

TEST(FrameExtension, RateLawsSeeOnlyTheirOwn)
{
    Held data(FrameKind::DATA);
    EXPECT_EQ(ExtensionView(data.frame).As<Mark>(), nullptr);
    data.frame.Extend<Mark>();
    ASSERT_NE(ExtensionView(data.frame).As<Mark>(), nullptr);
    ExtensionView(data.frame).As<Mark>()->first = 5;
    EXPECT_EQ(data.frame.FindExtension<Mark>()->first, 5u);
    EXPECT_EQ(ExtensionView(data.frame).As<Note>(), nullptr);
}

// In captures it precedes the payload, cut to what the frame is charged, and lengths agree.
TEST(FrameExtension, IsOnTheWire)
{
    for (const bool isData : {true, false})
    {
        Held held(isData ? FrameKind::DATA : FrameKind::ACK);
        Frame& frame = held.frame;
        frame.payloadBytes = isData ? 4 : 0;
        const uint32_t plainBytes =
            WireFormat::FrameBytes(frame.kind, frame.payloadBytes, false, 0);
        frame.frameBytes = plainBytes;
        const std::vector<uint8_t> without = WireFormat::Serialize(frame);
        frame.Extend<Mark>() = {0xab, 0xcd};
        const std::vector<uint8_t> with = WireFormat::Serialize(frame);
        const uint32_t charged = isData ? 8 : 4;
        EXPECT_EQ(frame.frameBytes, plainBytes + charged);
        EXPECT_EQ(with.size() + FCS_BYTES, std::max(frame.frameBytes, MIN_FRAME_BYTES));
        const std::size_t at = isData ? 54 : 58; // behind BTH, or AETH
        for (uint32_t i = 0; i < charged; ++i)
        {
            EXPECT_EQ(with[at + i], i < 4 ? 0xab : 0xcd) << i;
        }
        EXPECT_EQ(with[50] & 0x20, 0x20) << "the bit that says so";
        EXPECT_EQ(without[50] & 0x20, 0);
        EXPECT_EQ(with[17] - without[17], static_cast<int>(charged)) << "IP length";
    }
}

TEST(IntStack, KeepsItsLastRecords)
{
    for (uint64_t n : {1, 3, 8, 9, 16, 21})
    {
        for (uint32_t kept : {0, 1, 2, 8, 9, 17, 30})
        {
            IntStack stack = FramePool::AllocInt();
            for (uint64_t i = 0; i < n; ++i)
            {
                stack.Append().txBytes = i;
            }
            stack.KeepLast(kept);
            const uint64_t left = std::min<uint64_t>(kept, n);
            ASSERT_EQ(stack.hops, left);
            uint64_t expected = n - left;
            for (const IntHop& hop : stack)
            {
                EXPECT_EQ(hop.txBytes, expected++);
            }
            EXPECT_EQ(expected, n);
            stack.Append().txBytes = 99;
            EXPECT_EQ(stack.At(stack.hops - 1).txBytes, 99u);
            stack.Clear();
            EXPECT_EQ(stack.hops, 0u);
            EXPECT_EQ(stack.first->lines[0].next, nullptr);
            FramePool::FreeInt(stack);
        }
    }
}

// ---------------------------------------------------------------- feedback

/// Sends a kind of frame with data, and another by timer; each ACK counts its own bytes.
class Chatter : public ReceiverFeedback
{
  public:
    explicit Chatter(FrameKind kind = FrameKind::CNP, int64_t periodPs = 0)
        : m_kind(kind),
          m_periodPs(periodPs)
    {
    }

    ns3::Ptr<ReceiverFeedback> Fork() const override
    {
        return ns3::Create<Chatter>(m_kind, m_periodPs);
    }

    void Start(const PathInfo& path, int64_t nowPs) override
    {
        EXPECT_EQ(path.hops, 4u);
        SetTimer(nowPs + m_periodPs);
    }

    void OnData(const Frame&, int64_t, ReplySink& sink) override
    {
        sink.Send(sink.Make(m_kind));
    }

    void FillAck(Frame& ack, const Frame&, int64_t) override
    {
        ack.frameBytes += 1;
    }

    void OnTimer(int64_t nowPs, ReplySink& sink) override
    {
        sink.Send(sink.Make(m_kind));
        SetTimer(nowPs + m_periodPs);
    }

  private:
    FrameKind m_kind;
    int64_t m_periodPs;
};

TEST(FeedbackChain, EachPartDoesItsWork)
{
    ns3::Ptr<FeedbackChain> prototype = ns3::CreateObject<FeedbackChain>();
    prototype->Add(ns3::Create<Chatter>(FrameKind::CNP, 30));
    prototype->Add(ns3::Create<Chatter>(FrameKind::NOTIFICATION, 20));
    const ns3::Ptr<ReceiverFeedback> chain = prototype->Fork();
    EXPECT_EQ(chain->GetTimerPs(), NEVER_PS);
    PathInfo path;
    path.hops = 4;
    chain->Start(path, 100);
    EXPECT_EQ(chain->GetTimerPs(), 120) << "the earliest of the parts'";
    test::CountingSink sink;
    Held data(FrameKind::DATA);
    chain->OnData(data.frame, 105, sink);
    EXPECT_EQ(sink.sent, (std::vector<FrameKind>{FrameKind::CNP, FrameKind::NOTIFICATION}));
    Held ack(FrameKind::ACK);
    chain->FillAck(ack.frame, data.frame, 105);
    EXPECT_EQ(ack.frame.frameBytes, 102u);
    sink.sent.clear();
    for (int64_t at = 120; at <= 160; at = chain->GetTimerPs())
    {
        chain->RunTimer(at, sink);
    }
    // at 120, 140 and 160 the second, at 130 and 160 the first
    EXPECT_EQ(sink.sent,
              (std::vector<FrameKind>{FrameKind::NOTIFICATION,
                                      FrameKind::CNP,
                                      FrameKind::NOTIFICATION,
                                      FrameKind::CNP,
                                      FrameKind::NOTIFICATION}));
}

// A part that sets its timer to the present would run for ever.
TEST(FeedbackChain, TimersGoForward)
{
    Chatter now(FrameKind::CNP, 0);
    test::CountingSink sink;
    now.RunTimer(50, sink);
    EXPECT_EQ(now.GetTimerPs(), 51);
}

} // namespace
