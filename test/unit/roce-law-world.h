// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LAW_WORLD_H
#define ROCE_LAW_WORLD_H

#include "roce-law-dialects.h"
#include "roce-law-fixture.h"
#include "roce-variants.h"

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-control-shim.h"
#include "ns3/roce-dcqcn-plus.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace ns3::roce::test
{

constexpr uint32_t FRAME = 1106;
inline const PathInfo PATH = [] {
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
    using Bytes = std::array<unsigned char, Frame::EXTENSION_BYTES>;
    alignas(8) Bytes extension{};

    /// @return the extension as the law leaves it in what it sends
    Bytes Tell(CongestionControl& law) const
    {
        alignas(8) Bytes value = extension;
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
            TellSwitchInt(law, info, hops);
            AckWith(law, info, hops);
            break;
        }
        case CNP:
            law.OnCnp({nowPs, ExtensionView(DcqcnPlusHeader::EXTENSION, value.data())});
            break;
        case NOTIFICATION:
            Notify(law, nowPs, ack.rttPs, value.data());
            break;
        case TIMEOUT:
            law.OnTimeout(nowPs);
            break;
        case FURTHER_TIMEOUT:
            law.OnFurtherTimeout(nowPs);
            break;
        }
        law.Advance(nowPs);
        return value;
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
            m_sentPs.resize(m_next);
            m_sentPs.push_back(m_nowPs);
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
        if (packets && Below(2)) // of the newest frame, as laws that look for it expect
        {
            ack.rttPs = std::clamp<int64_t>(m_nowPs - m_sentPs[m_una - 1], 1, LONGEST_RTT_PS);
        }
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
    std::vector<int64_t> m_sentPs; //!< by PSN
};

inline std::vector<Event>
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
               names == o.names && values == o.values && header == o.header;
    }

    uint64_t rateBps;
    uint64_t windowBytes;
    int64_t nextPs;
    std::vector<std::string> names;
    std::vector<double> values;
    Event::Bytes header{}; //!< of what was sent
};

inline void
PrintTo(const Outputs& o, std::ostream* out)
{
    *out << o.rateBps << " bit/s, " << o.windowBytes << " B, next change " << o.nextPs;
    for (std::size_t i = 0; i < o.values.size(); ++i)
    {
        *out << ", " << o.names[i] << " " << o.values[i];
    }
}

/// @return what it shows after each event
inline std::vector<Outputs>
Play(CongestionControl& law, const std::vector<Event>& events)
{
    std::vector<Outputs> outputs;
    for (const Event& event : events)
    {
        const Event::Bytes header = event.Tell(law);
        outputs.emplace_back(law, event.nowPs);
        outputs.back().header = header;
    }
    return outputs;
}

/// Names of laws, and of shims with a law behind a slash.
inline std::vector<std::string>
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

/// All laws, each with its variants.
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

} // namespace ns3::roce::test

#endif /* ROCE_LAW_WORLD_H */
