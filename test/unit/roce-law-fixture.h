// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LAW_FIXTURE_H
#define ROCE_LAW_FIXTURE_H

#include "roce-error-of.h"
#include "roce-made-profile.h"
#include "roce-test-time.h"
#include "roce-variable.h"

#include "ns3/roce-congestion-control.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{
/// What tests share.
namespace test
{

constexpr uint64_t G10 = 10'000'000'000;
constexpr uint64_t G100 = 100'000'000'000;

/**
 * @param lineBps rate of all links
 * @param rttPs base RTT
 * @param frameBytes of a full frame, framing included
 * @param hops links
 * @return the path
 */
inline PathInfo
MakePath(uint64_t lineBps, int64_t rttPs, uint32_t frameBytes, uint32_t hops = 2)
{
    PathInfo path;
    path.lineRateBps = path.bottleneckBps = lineBps;
    path.baseRttPs = rttPs;
    path.hops = hops;
    path.fullFrameBytes = frameBytes;
    return path;
}

/// @return an object with these attributes, and values that profiles alone decide otherwise
template <typename T>
Ptr<T>
With(const Attributes& attributes)
{
    Ptr<T> object = CreateObject<T>();
    for (const auto& [name, value] : WithMadeProfile(T::GetTypeId(), attributes))
    {
        object->SetAttribute(name, StringValue(value));
    }
    return object;
}

/// @return a rate law with these attributes, started at time 0
template <typename T>
Ptr<T>
MakeLaw(const Attributes& attributes, const PathInfo& path)
{
    Ptr<T> law = With<T>(attributes);
    law->Start(path, 0);
    return law;
}

/// @return these attributes, and more of them
inline Attributes
Join(Attributes attributes, const Attributes& more)
{
    attributes.insert(attributes.end(), more.begin(), more.end());
    return attributes;
}

/// A law hears that a data frame starts on the wire.
inline void
Send(CongestionControl& law, int64_t nowPs, uint32_t wireBytes)
{
    law.OnSend({nowPs, wireBytes});
}

/// A law hears an ACK with these records of telemetry, or, if there are none, without.
inline void
AckWith(CongestionControl& law, AckInfo ack, const std::vector<IntHop>& hops)
{
    IntStack stack = hops.empty() ? IntStack{} : FramePool::AllocInt();
    for (const IntHop& hop : hops)
    {
        stack.Append() = hop;
    }
    ack.telemetry = stack ? &stack : nullptr;
    law.OnAck(ack);
    FramePool::FreeInt(stack);
}

/// One flow of a law, and its ACKs.
template <typename Law>
struct LawSender
{
    LawSender(const Attributes& attributes, const PathInfo& path)
        : cc(MakeLaw<Law>(attributes, path))
    {
    }

    /**
     * @param packets newly acknowledged full frames
     * @param marked of these, with CE
     * @param full as much is in flight as may be; else nothing
     * @param hasMore data waits
     * @return the ACK
     */
    AckInfo MakeAck(uint32_t packets, uint32_t marked, bool full, bool hasMore) const
    {
        AckInfo ack;
        ack.ackPsn = psn;
        ack.sndNxtPsn = next;
        ack.ackedPackets = packets;
        ack.ackedBytes = uint64_t{packets} * cc->GetPath().fullFrameBytes;
        ack.inflightBytes = full ? cc->GetWindowBytes() : 0;
        ack.ecnEcho = marked > 0;
        ack.markedPackets = marked;
        ack.hasMore = hasMore;
        return ack;
    }

    void Ack(uint32_t packets, uint32_t marked, bool full = true, bool hasMore = false)
    {
        psn += packets;
        cc->OnAck(MakeAck(packets, marked, full, hasMore));
    }

    Ptr<Law> cc;
    uint64_t psn{0};  //!< all below are acknowledged
    uint64_t next{0}; //!< to be sent
};

/// One egress port as telemetry shows it.
struct EgressPort : IntHop
{
    explicit EgressPort(uint64_t id,
                        int64_t t = 0,
                        uint64_t tx = 0,
                        uint64_t queue = 0,
                        uint64_t rate = G100)
        : IntHop{t, tx, 777 + tx + queue, queue, rate, id}
    {
    }

    /// Let dtPs pass at txBps, ending with that queue.
    void Run(int64_t dtPs, double txBps, uint64_t queue)
    {
        timePs += dtPs;
        const auto sent =
            static_cast<uint64_t>(std::llround(txBps * static_cast<double>(dtPs) / 8e12));
        txBytes += sent;
        rxBytes += sent + queue - queueBytes;
        queueBytes = queue;
    }
};

/// An ACK of telemetry.
inline void
AckOf(CongestionControl& law,
      uint64_t ackPsn,
      uint64_t sndNxtPsn,
      const std::vector<EgressPort>& ports,
      bool isNak = false)
{
    AckInfo ack;
    ack.ackPsn = ackPsn;
    ack.sndNxtPsn = sndNxtPsn;
    ack.isNak = isNak;
    AckWith(law, ack, std::vector<IntHop>(ports.begin(), ports.end()));
}

/// Expect that a law of type T refuses attributes with a message that names it and contains a part.
template <typename T>
void
ExpectRefused(const Attributes& attributes, const std::string& part, const PathInfo& path)
{
    const std::string error = ErrorOf([&] { MakeLaw<T>(attributes, path); });
    EXPECT_EQ(error.rfind(T::GetTypeId().GetName() + ": ", 0), 0u) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
}

/// Expect that each of these values alone is refused, with a message that begins with its name.
template <typename T>
void
ExpectEachRefused(const Attributes& bad, const PathInfo& path)
{
    for (const auto& [name, value] : bad)
    {
        const Attributes one{{name, value}};
        const std::string error = ErrorOf([&] { MakeLaw<T>(one, path); });
        EXPECT_EQ(error.rfind(T::GetTypeId().GetName() + ": " + name + " is ", 0), 0u) << error;
    }
}

} // namespace test
} // namespace ns3::roce

#endif /* ROCE_LAW_FIXTURE_H */
