// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LAW_DIALECTS_H
#define ROCE_LAW_DIALECTS_H

#include "roce-law-fixture.h"

#include "ns3/roce-congestion-control.h"

#include <algorithm>
#include <vector>

// A build may lack systems.
#if __has_include("ns3/roce-mlcc-header.h")
#include "ns3/roce-mlcc-header.h"
#define ROCE_TEST_MLCC
#endif
#if __has_include("ns3/roce-reflex-nsf.h")
#include "ns3/roce-reflex-nsf.h"
#define ROCE_TEST_REFLEX
#endif
#if __has_include("ns3/roce-wrcc-header.h")
#include "ns3/roce-wrcc-header.h"
#define ROCE_TEST_WRCC
#endif

namespace ns3::roce::test
{

/// MLCC's laws hear of the data that an ACK is about from a Switch-INT, with its telemetry if any.
inline void
TellSwitchInt([[maybe_unused]] CongestionControl& law,
              [[maybe_unused]] const AckInfo& ack,
              [[maybe_unused]] const std::vector<IntHop>& hops)
{
#ifdef ROCE_TEST_MLCC
    if (law.GetDataExtension() != &MlccHeader::EXTENSION)
    {
        return;
    }
    IntStack stack = hops.empty() ? IntStack{} : FramePool::AllocInt();
    for (const IntHop& hop : hops)
    {
        stack.Append() = hop;
    }
    Notification notification;
    notification.nowPs = ack.nowPs;
    notification.kind = MlccSwitchInt::KIND;
    notification.rttPs = ack.rttPs;
    notification.psn = std::max<uint64_t>(ack.ackPsn, 1) - 1;
    notification.telemetry = stack ? &stack : nullptr;
    notification.isMarked = ack.ecnEcho;
    law.OnNotification(notification);
    FramePool::FreeInt(stack);
#endif
}

/// A switch near the sender tells it of an RTT, in Reflex's frames.
inline void
TellNearRtt(CongestionControl& law, int64_t nowPs, int64_t rttPs)
{
    Notification notification;
    notification.nowPs = nowPs;
    notification.rttPs = rttPs;
#ifdef ROCE_TEST_REFLEX
    notification.kind = ReflexNsf::KIND;
#endif
    law.OnNotification(notification);
}

/// A switch notifies the sender: WRCC's laws with an FCNP, the others of an RTT.
/// @param bytes what an FCNP holds
inline void
Notify(CongestionControl& law, int64_t nowPs, int64_t rttPs, [[maybe_unused]] void* bytes)
{
#ifdef ROCE_TEST_WRCC
    if (law.GetDataExtension() == &WrccHeader::EXTENSION)
    {
        Notification notification;
        notification.nowPs = nowPs;
        notification.kind = WrccFcnp::KIND;
        notification.rttPs = rttPs;
        notification.extension = ExtensionView(WrccFcnp::EXTENSION, bytes);
        law.OnNotification(notification);
        return;
    }
#endif
    TellNearRtt(law, nowPs, rttPs);
}

/// Switches on the way write into what a law's data frames carry: WRCC's rate.
inline void
PassSwitches([[maybe_unused]] const CongestionControl& law,
             [[maybe_unused]] void* header,
             [[maybe_unused]] bool full)
{
#ifdef ROCE_TEST_WRCC
    if (law.GetDataExtension() == &WrccHeader::EXTENSION)
    {
        auto& own = *static_cast<WrccHeader*>(header);
        own.fairRateMbps = std::min(own.fairRateMbps, full ? 10000U : 100000U);
        own.fbdp = full ? WrccHeader::CLIPPED : 0;
    }
#endif
}

} // namespace ns3::roce::test

#endif /* ROCE_LAW_DIALECTS_H */
