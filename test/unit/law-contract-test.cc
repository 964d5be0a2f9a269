/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// What every rate law keeps to, whatever its paper says: all laws of the module, with each profile
// and each value of each choice and flag. What one law does is in the tests of that law.
#include "roce-law-fixture.h"
#include "roce-variants.h"

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-control-shim.h"
#include "ns3/roce-receiver-feedback.h"
#include "ns3/roce-reflex-nsf.h"
#include "ns3/roce-wrcc-header.h"

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint32_t FRAME = 1106;
const PathInfo PATH = [] {
    PathInfo path = MakePath(G100, 100 * US, FRAME, 5);
    path.mtuBytes = 1024;
    path.interDc = true;
    path.nearRttPs = 10 * US;
    path.nearHops = 2;
    return path;
}();

/// Something a law hears.
struct Event
{
    enum Kind
    {
        SEND,
        ACK,
        CNP,
        NOTIFICATION,
        TIMEOUT,
        FURTHER_TIMEOUT,
    };

    Kind kind{ACK};
    int64_t nowPs{0};
    AckInfo ack;
    std::vector<IntHop> hops; //!< telemetry of the ACK
    /// Anything, for laws whose frames have an extension.
    alignas(8) std::array<unsigned char, Frame::EXTENSION_BYTES> extension{};

    void Tell(CongestionControl& law) const
    {
        auto value = extension;
        const FrameExtension* const own = law.GetDataExtension();
        const ExtensionView view = own ? ExtensionView(*own, value.data()) : ExtensionView();
        switch (kind)
        {
        case SEND: {
            SendInfo sent{nowPs, FRAME};
            sent.extension = view;
            law.OnSend(sent);
            break;
        }
        case ACK: {
            AckInfo info = ack;
            info.extension = view;
            AckWith(law, info, hops);
            break;
        }
        case CNP:
            law.OnCnp({nowPs});
            break;
        case NOTIFICATION: {
            Notification notification;
            notification.nowPs = nowPs;
            notification.kind = ReflexNsf::KIND;
            notification.rttPs = ack.rttPs;
            if (own == &WrccHeader::EXTENSION)
            {
                notification.kind = WrccFcnp::KIND;
                notification.extension = ExtensionView(WrccFcnp::EXTENSION, value.data());
            }
            law.OnNotification(notification);
            break;
        }
        case TIMEOUT:
            law.OnTimeout(nowPs);
            break;
        case FURTHER_TIMEOUT:
            law.OnFurtherTimeout(nowPs);
            break;
        }
        law.Advance(nowPs);
    }
};

constexpr int64_t LONGEST_RTT_PS = 1'000'000'000'000'000; //!< sums of it stay below 2^63

/// A network as a sender hears of it: in any order, but nothing that cannot be.
class World
{
  public:
    World(const PathInfo& path, unsigned seed)
        : m_path(path),
          m_random(seed)
    {
    }

    Event Next()
    {
        Event event;
        m_nowPs += Below(20) ? Below(2 * US) : Below(20) ? Below(200 * US) : Below(20 * MS);
        event.nowPs = m_nowPs;
        const int64_t what = Below(1000);
        event.kind = what < 450   ? Event::SEND
                     : what < 950 ? Event::ACK
                     : what < 970 ? Event::CNP
                     : what < 990 ? Event::NOTIFICATION
                     : what < 996 ? Event::FURTHER_TIMEOUT
                                  : Event::TIMEOUT;
        event.ack.nowPs = m_nowPs;
        for (unsigned char& byte : event.extension)
        {
            byte = static_cast<unsigned char>(m_bytes() % 8 ? 0 : m_bytes());
        }
        event.ack.rttPs =
            std::clamp<int64_t>(m_path.baseRttPs, 1, LONGEST_RTT_PS) * (10 + Below(40)) / 10;
        if (event.kind == Event::SEND)
        {
            ++m_next;
        }
        else if (event.kind == Event::TIMEOUT)
        {
            m_next = m_una;
        }
        else if (event.kind == Event::ACK)
        {
            MakeAck(event);
        }
        return event;
    }

  private:
    int64_t Below(int64_t n)
    {
        return static_cast<int64_t>(m_random() % static_cast<uint64_t>(n));
    }

    void MakeAck(Event& event)
    {
        AckInfo& ack = event.ack;
        const auto packets = std::min<uint64_t>(m_next - m_una, static_cast<uint64_t>(Below(5)));
        m_una += packets;
        ack.isNak = Below(50) == 0;
        ack.isLoss = ack.isNak || Below(50) == 0;
        m_next = ack.isNak ? m_una : m_next;
        ack.ackPsn = m_una;
        ack.sndNxtPsn = m_next;
        ack.ackedPackets = static_cast<uint32_t>(packets);
        ack.ackedBytes = packets * FRAME;
        ack.inflightBytes = (m_next - m_una) * FRAME;
        ack.markedPackets = static_cast<uint32_t>(Below(3) ? 0 : Below(6));
        ack.ecnEcho = ack.markedPackets > 0 || Below(20) == 0;
        ack.rttPs = Below(20) ? ack.rttPs : 0;
        ack.remoteHoldPs = std::min(Below(US), ack.rttPs / 2);
        ack.entropy = static_cast<uint16_t>(Below(65536));
        ack.hasMore = Below(2);
        m_path.hops += Below(200) == 0; // another path
        const int64_t hops = Below(20) ? m_path.hops % 10 : 0;
        for (int64_t i = 0; i < hops; ++i)
        {
            IntHop hop;
            hop.timePs = m_nowPs - ack.rttPs / (i + 2);
            hop.txBytes = static_cast<uint64_t>(m_nowPs) / 100;
            hop.queueBytes = static_cast<uint64_t>(Below(3) ? Below(500000) : 0);
            hop.rxBytes = hop.txBytes + hop.queueBytes;
            hop.rateBps = 100000000000;
            hop.hopId = static_cast<uint64_t>(m_path.hops + i);
            event.hops.push_back(hop);
        }
    }

    PathInfo m_path;
    std::mt19937_64 m_random;
    std::mt19937_64 m_bytes; //!< of extensions
    int64_t m_nowPs{0};
    uint64_t m_una{0};
    uint64_t m_next{0};
};

std::vector<Event>
MakeEvents(unsigned seed, int n, const PathInfo& path = PATH)
{
    World world(path, seed);
    std::vector<Event> events;
    for (int i = 0; i < n; ++i)
    {
        events.push_back(world.Next());
    }
    return events;
}

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

/// All that can be seen of a law.
struct Outputs
{
    Outputs(const CongestionControl& law, int64_t nowPs)
        : rateBps(law.GetRateBps()),
          windowBytes(law.GetWindowBytes()),
          nextPs(law.NextRateChangePs())
    {
        std::vector<ControlVariable> variables;
        law.GetVariables(nowPs, variables);
        for (const auto& [name, value] : variables)
        {
            names.emplace_back(name);
            values.push_back(value);
        }
    }

    bool operator==(const Outputs& o) const
    {
        return rateBps == o.rateBps && windowBytes == o.windowBytes && nextPs == o.nextPs &&
               names == o.names && values == o.values;
    }

    uint64_t rateBps;
    uint64_t windowBytes;
    int64_t nextPs;
    std::vector<std::string> names;
    std::vector<double> values;
};

void
PrintTo(const Outputs& o, std::ostream* out)
{
    *out << o.rateBps << " bit/s, " << o.windowBytes << " B, next change " << o.nextPs;
    for (std::size_t i = 0; i < o.values.size(); ++i)
    {
        *out << ", " << o.names[i] << " " << o.values[i];
    }
}

/// @return what it shows after each event
std::vector<Outputs>
Play(CongestionControl& law, const std::vector<Event>& events)
{
    std::vector<Outputs> outputs;
    for (const Event& event : events)
    {
        event.Tell(law);
        outputs.emplace_back(law, event.nowPs);
    }
    return outputs;
}

/// Names of laws, and of shims with a law behind a slash.
std::vector<std::string>
Laws()
{
    std::vector<std::string> laws;
    for (const std::string& name : ChildrenOf(CongestionControl::GetTypeId()))
    {
        if (TypeId::LookupByName("ns3::roce::" + name).IsChildOf(ControlShim::GetTypeId()))
        {
            laws.push_back(name + "/Timely");
            laws.push_back(name + "/Swift");
        }
        else
        {
            laws.push_back(name);
        }
    }
    return laws;
}

} // namespace

class LawContract : public ::testing::TestWithParam<std::string>
{
  protected:
    using Prototype = Ptr<CongestionControl>;

    /// @return a prototype of each variant, which is named in what fails
    template <typename F>
    void ForEachVariant(F&& test) const
    {
        const std::string type = GetParam().substr(0, GetParam().find('/'));
        for (const std::string& attributes : VariantsOf(type))
        {
            SCOPED_TRACE(GetParam() + "[" + attributes + "]");
            const auto law = MakeObject<CongestionControl>(type, attributes);
            if (const auto shim = DynamicCast<ControlShim>(law))
            {
                shim->SetLaw(MakeObject<CongestionControl>(GetParam().substr(type.size() + 1)));
            }
            test(law);
            if (HasFatalFailure())
            {
                return;
            }
        }
    }

    static Prototype Started(const Prototype& prototype, const PathInfo& path = PATH)
    {
        const Prototype law = prototype->Fork();
        law->Start(path, 0);
        return law;
    }
};

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
                ASSERT_GE(law->GetWindowBytes(), 1u);
                ASSERT_GT(law->NextRateChangePs(), event.nowPs);
            }
        }
        EXPECT_LT(refused, 10u);
    });
}

/// Laws that listen to something.
class ListeningLawContract : public LawContract
{
};

std::vector<std::string>
ListeningLaws()
{
    std::vector<std::string> laws = Laws();
    laws.erase(std::remove(laws.begin(), laws.end(), "LineRate"), laws.end());
    return laws;
}

// Whatever a law listens to says that a path is full: the sender may send less than at first. Then
// the path is empty, and it may send more again.
TEST_P(ListeningLawContract, SlowsDownAndRecovers)
{
    ForEachVariant([](const Prototype& prototype) {
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
                WrccHeader header{};
                SendInfo sent{nowPs, FRAME};
                sent.psn = psn;
                if (law->GetDataExtension())
                {
                    sent.extension = ExtensionView(*law->GetDataExtension(), &header);
                }
                law->OnSend(sent);
                header.fairRateMbps = std::min(header.fairRateMbps, full ? 10000U : 100000U);
                header.fbdp = full ? WrccHeader::CLIPPED : 0;
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
                AckWith(*law, ack, {hop});
                if (i % 50 == 0)
                {
                    Notification notification;
                    notification.nowPs = nowPs;
                    notification.kind = ReflexNsf::KIND;
                    notification.rttPs = full ? 100 * PATH.nearRttPs : PATH.nearRttPs;
                    law->OnNotification(notification);
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
        EXPECT_LT(least, 0.7 * first);
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
