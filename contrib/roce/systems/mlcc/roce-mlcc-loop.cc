// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc-loop.h"

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/roce-dcqcn.h"
#include "ns3/roce-hpcc.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-power-tcp.h"
#include "ns3/roce-timely.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

/// Passes what the law's own feedback sends to the law at once.
class Replies final : public ReplySink
{
  public:
    Replies(CongestionControl& law, int64_t nowPs)
        : m_law(law),
          m_nowPs(nowPs)
    {
    }

    Frame* Make(FrameKind kind) override
    {
        Frame* frame = FramePool::Alloc();
        frame->kind = kind;
        return frame;
    }

    void Send(Frame* reply) override
    {
        if (reply->kind == FrameKind::CNP)
        {
            m_law.OnCnp({m_nowPs, ExtensionView(*reply)});
        }
        FramePool::Free(reply);
    }

  private:
    CongestionControl& m_law;
    int64_t m_nowPs;
};

} // namespace

Ptr<CongestionControl>
MlccLoop::MakeLaw(MlccInnerCc innerCc)
{
    switch (innerCc)
    {
    case MlccInnerCc::POWER_TCP:
        return OfSegment(*CreateObject<PowerTcp>());
    case MlccInnerCc::DCQCN:
        return OfSegment(*CreateObject<Dcqcn>());
    case MlccInnerCc::TIMELY:
        return OfSegment(*CreateObject<Timely>());
    case MlccInnerCc::HPCC:
        break;
    }
    return OfSegment(*CreateObject<Hpcc>());
}

Ptr<CongestionControl>
MlccLoop::OfSegment(const CongestionControl& law)
{
    Ptr<CongestionControl> own = law.Fork();
    // Those that have no such attribute take both from the path.
    own->SetAttributeFailSafe("BaseRtt", TimeValue(Time(0)));
    own->SetAttributeFailSafe("Winit", DoubleValue(0));
    return own;
}

void
MlccLoop::Check(const CongestionControl& prototype)
{
    if (prototype.GetDataExtension() ||
        !(prototype.NeedsTelemetry() || prototype.NeedsEcn() || prototype.NeedsTimestamp()))
    {
        throw InputError("ns3::roce::Mlcc: inner law is " +
                         prototype.GetInstanceTypeId().GetName() +
                         ", expected one that hears of congestion by telemetry, ECN marks or time "
                         "stamps and has no header of its own");
    }
}

void
MlccLoop::Start(const CongestionControl& prototype, const PathInfo& path, int64_t nowPs)
{
    PathInfo segment = path;
    segment.interDc = false;
    segment.hops = path.nearHops ? path.nearHops : path.hops;
    segment.baseRttPs = path.nearRttPs > 0 ? path.nearRttPs : path.baseRttPs;
    segment.nearHops = segment.hops;
    segment.nearRttPs = segment.baseRttPs;
    m_law = prototype.Fork();
    m_law->Start(segment, nowPs);
    m_feedback = nullptr;
    if (m_law->NeedsEcn())
    {
        m_feedback = prototype.MakeFeedback()->Fork();
        m_feedback->Start(segment, nowPs);
    }
}

void
MlccLoop::OnMark(int64_t nowPs)
{
    if (m_feedback)
    {
        Frame data{};
        data.kind = FrameKind::DATA;
        data.ecn = ECN_CE;
        Replies replies(*m_law, nowPs);
        m_feedback->OnData(data, nowPs, replies);
    }
}

void
MlccLoop::Rewind(uint64_t psn, int64_t nowPs)
{
    AckInfo nak;
    nak.nowPs = nowPs;
    nak.ackPsn = psn;
    nak.sndNxtPsn = psn;
    nak.isNak = true;
    m_law->OnAck(nak);
}

uint64_t
MlccLoop::GetRateBps() const
{
    const uint64_t window = m_law->GetWindowBytes();
    const uint64_t rate = m_law->GetRateBps();
    if (window == UNLIMITED_BYTES)
    {
        return rate;
    }
    // Windows are cut to whole bytes: a law that paces says it more exactly.
    return std::min(rate, m_law->GetPath().PacedBps(static_cast<double>(window) + 1));
}

} // namespace ns3::roce
