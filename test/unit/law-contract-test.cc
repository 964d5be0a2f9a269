// SPDX-License-Identifier: GPL-2.0-only
// What every rate law keeps to, whatever its paper says: all laws of the module, with each profile
// and each value of each choice and flag. What one law does is in the tests of that law.
// Retuning is in law-retune-test.cc.
#include "roce-law-world.h"

#include "ns3/roce-receiver-feedback.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// ACKs over an empty path, or timeouts in a row.
std::vector<Event>
MakeEnding(Event::Kind kind, int64_t nowPs)
{
    std::vector<Event> events(20);
    for (Event& event : events)
    {
        event.kind = kind;
        event.nowPs = nowPs += PATH.baseRttPs;
        event.ack.nowPs = nowPs;
        event.ack.ackPsn = event.ack.sndNxtPsn = 1'000'000 + static_cast<uint64_t>(nowPs / US);
        event.ack.ackedPackets = 1;
        event.ack.ackedBytes = FRAME;
        event.ack.rttPs = PATH.baseRttPs / 4;
    }
    return events;
}

} // namespace

TEST_P(LawContract, OutputsStayInTheirBounds)
{
    ForEachVariant([](const Prototype& prototype) {
        const Prototype law = Started(prototype);
        const Outputs first(*law, 0);
        EXPECT_TRUE(law->IsEcnCapable() || !law->NeedsEcn());
        EXPECT_NE(law->MakeFeedback()->Fork(), nullptr);
        const std::string warning = law->GetWarning();
        EXPECT_EQ(warning.find('\n'), std::string::npos);
        EXPECT_TRUE(warning.empty() || warning.back() != '.') << warning;
        for (const Event& event : MakeEvents(1, 3000))
        {
            event.Tell(*law);
            const Outputs now(*law, event.nowPs);
            ASSERT_GE(now.rateBps, 1u);
            ASSERT_LE(now.rateBps, PATH.lineRateBps);
            ASSERT_GE(now.windowBytes, FRAME);
            ASSERT_GT(now.nextPs, event.nowPs);
            ASSERT_EQ(now.names, first.names); // so that each is a time series
            for (std::size_t i = 0; i < now.values.size(); ++i)
            {
                ASSERT_TRUE(std::isfinite(now.values[i])) << now.names[i];
            }
        }
    });
}

TEST_P(LawContract, ForksShareParametersAndNotState)
{
    const auto events = MakeEvents(2, 600);
    ForEachVariant([&](const Prototype& prototype) {
        const Prototype before = prototype->Fork();
        const Prototype law = Started(prototype);
        const auto expected = Play(*law, events);
        for (const Prototype& other : {before, prototype->Fork(), law->Fork(), law, prototype})
        {
            other->Start(PATH, 0);
            ASSERT_EQ(Play(*other, events), expected);
        }
        // Also at the end of a quiet time, or of timeouts in a row.
        for (const Event::Kind kind : {Event::ACK, Event::TIMEOUT})
        {
            const auto ending = MakeEnding(kind, events.back().nowPs);
            Play(*law, ending);
            law->Start(PATH, events.front().nowPs - 1);
            const Prototype fresh = prototype->Fork();
            fresh->Start(PATH, events.front().nowPs - 1);
            Event first = ending.front();
            first.nowPs = first.ack.nowPs = events.front().nowPs;
            first.Tell(*law);
            first.Tell(*fresh);
            ASSERT_EQ(Play(*law, events), Play(*fresh, events));
        }
    });
}

// How often somebody asks must not change a single bit; and nothing changes before the time that
// the law has named.
TEST_P(LawContract, LooksChangeNothing)
{
    const auto events = MakeEvents(3, 1500);
    ForEachVariant([&](const Prototype& prototype) {
        const Prototype seldom = Started(prototype);
        const Prototype often = Started(prototype);
        std::mt19937_64 random(1);
        int64_t nowPs = 0;
        for (const Event& event : events)
        {
            while (nowPs < event.nowPs)
            {
                const Outputs before(*often, nowPs);
                const int64_t untilPs = std::min(before.nextPs - 1, event.nowPs);
                nowPs = random() % 4 ? nowPs + (untilPs - nowPs) / 2 : untilPs;
                often->Advance(nowPs);
                ASSERT_EQ(often->GetRateBps(), before.rateBps) << nowPs;
                ASSERT_EQ(often->NextRateChangePs(), before.nextPs) << nowPs;
                nowPs = std::min(untilPs + 1, event.nowPs);
                often->Advance(nowPs);
                ASSERT_EQ(Outputs(*often, nowPs), Outputs(*often, nowPs));
            }
            event.Tell(*seldom);
            event.Tell(*often);
            ASSERT_EQ(Outputs(*often, nowPs), Outputs(*seldom, nowPs)) << nowPs;
        }
    });
}

// Paths that no topology has, but a program may: they work, or are refused in one line.
TEST_P(LawContract, OddPathsWorkOrAreRefused)
{
    std::vector<PathInfo> paths;
    const auto add = [&](auto member, auto... values) {
        for (const auto value : {values...})
        {
            paths.push_back(PATH);
            paths.back().*member = static_cast<std::decay_t<decltype(PATH.*member)>>(value);
        }
    };
    add(&PathInfo::lineRateBps, 0., 1., 1e3, 1e18);
    add(&PathInfo::bottleneckBps, 0., 1., 1e18);
    add(&PathInfo::baseRttPs, 0., 1., 1e9, 1e18);
    add(&PathInfo::hops, 0, 1, 255);
    add(&PathInfo::mtuBytes, 0, 1, 1 << 30);
    add(&PathInfo::fullFrameBytes, 0, 1, 1 << 30);
    add(&PathInfo::windowFrameBytes, 1, 1 << 30);
    add(&PathInfo::interDc, false);
    add(&PathInfo::nearRttPs, 0., 1., 1e18);
    add(&PathInfo::nearHops, 0, 255);
    ForEachVariant([&](const Prototype& prototype) {
        unsigned refused = 0;
        for (const PathInfo& path : paths)
        {
            SCOPED_TRACE(&path - paths.data());
            const Prototype law = prototype->Fork();
            const std::string error = ErrorOf([&] { law->Start(path, 0); });
            if (error != "no error")
            {
                ++refused;
                EXPECT_EQ(error.rfind("ns3::roce::", 0), 0u) << error;
                EXPECT_NE(error.find("expected"), std::string::npos) << error;
                continue;
            }
            for (const Event& event : MakeEvents(4, 200, path))
            {
                event.Tell(*law);
                ASSERT_GE(law->GetRateBps(), 1u);
                ASSERT_LE(law->GetRateBps(), std::max<uint64_t>(1, path.lineRateBps));
                // A frame, in the unit of what is in flight.
                const uint32_t frame = std::min(path.fullFrameBytes, path.FrameInFlightBytes());
                ASSERT_GE(law->GetWindowBytes(), std::max<uint64_t>(1, frame));
                ASSERT_GT(law->NextRateChangePs(), event.nowPs);
            }
        }
        EXPECT_LT(refused, 10u);
    });
}

/// Laws that listen to something.
class ListeningLawContract : public LawContract
{
  protected:
    /// @return whether a law has an attribute with this value
    static bool Has(const Prototype& law, const std::string& name, const std::string& value)
    {
        StringValue text;
        return law->GetAttributeFailSafe(name, text) && text.Get() == value;
    }
};

std::vector<std::string>
ListeningLaws()
{
    std::vector<std::string> laws = Laws();
    for (const char* deaf : {"FixedRate", "LineRate"})
    {
        laws.erase(std::remove(laws.begin(), laws.end(), deaf), laws.end());
    }
    return laws;
}

// Whatever a law listens to says that a path is full: the sender may send less than at first. Then
// the path is empty, and it may send more again. One recovers between its small cuts, so it need
// not halve.
TEST_P(ListeningLawContract, SlowsDownAndRecovers)
{
    ForEachVariant([](const Prototype& prototype) {
        const bool gentle = Has(prototype, "Profile", "paraleon-pretrained-1");
        const Prototype law = Started(prototype);
        const auto allowed = [&] {
            const auto window = static_cast<double>(law->GetWindowBytes());
            return std::min<double>(law->GetRateBps(), window * 8e12 / PATH.baseRttPs);
        };
        int64_t nowPs = 0;
        uint64_t psn = 0;
        uint64_t txBytes = 0;
        uint64_t beyond = 0; // outputs that are out of bounds
        const auto run = [&](int acks, bool full) {
            for (int i = 0; i < acks; ++i)
            {
                nowPs += full ? 10 * US : US;
                txBytes += full ? 125000 : 100;
                alignas(8) Event::Bytes header{};
                SendInfo sent{nowPs, FRAME};
                sent.psn = psn;
                if (law->GetDataExtension())
                {
                    sent.extension = ExtensionView(*law->GetDataExtension(), header.data());
                }
                law->OnSend(sent);
                PassSwitches(*law, header.data(), full);
                AckInfo ack;
                ack.nowPs = nowPs;
                ack.extension = sent.extension;
                ack.ackPsn = ++psn;
                ack.sndNxtPsn = psn + 10; // a base RTT of a full path
                ack.ackedPackets = 1;
                ack.ackedBytes = FRAME;
                ack.inflightBytes = law->GetWindowBytes();
                ack.hasMore = true;
                ack.markedPackets = full;
                ack.ecnEcho = full;
                ack.rttPs = full ? 30 * PATH.baseRttPs : PATH.baseRttPs;
                IntHop hop;
                hop.timePs = nowPs;
                hop.txBytes = txBytes;
                hop.queueBytes = full ? 5000000 : 0;
                hop.rxBytes = txBytes + hop.queueBytes;
                hop.rateBps = PATH.lineRateBps;
                hop.hopId = 1;
                TellSwitchInt(*law, ack, {hop});
                AckWith(*law, ack, {hop});
                if (i % 50 == 0)
                {
                    TellNearRtt(*law, nowPs, (full ? 100 : 1) * PATH.nearRttPs);
                }
                if (full && i % 5 == 0)
                {
                    law->OnCnp({nowPs});
                }
                law->Advance(nowPs);
                beyond += law->GetWindowBytes() < FRAME || law->GetRateBps() > PATH.lineRateBps;
            }
        };
        const double atStart = allowed();
        run(2000, false);
        const double first = std::max(atStart, allowed());
        run(5000, true);
        const double least = allowed();
        EXPECT_LT(least, (gentle ? 1 : 0.7) * first);
        run(50000, false);
        EXPECT_GT(allowed(), least);
        EXPECT_EQ(beyond, 0u);
    });
}

INSTANTIATE_TEST_SUITE_P(All, LawContract, ::testing::ValuesIn(Laws()), [](const auto& info) {
    return NameOfTest(info.param);
});

INSTANTIATE_TEST_SUITE_P(All,
                         ListeningLawContract,
                         ::testing::ValuesIn(ListeningLaws()),
                         [](const auto& info) { return NameOfTest(info.param); });
