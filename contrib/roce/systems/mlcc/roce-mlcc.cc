// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc.h"

#include "roce-mlcc-credit.h"
#include "roce-mlcc-header.h"

#include "ns3/roce-deployment.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Mlcc);

TypeId
Mlcc::GetTypeId()
{
    static const TypeId tid = MlccParams::Table()
                                  .AddTo(TypeId("ns3::roce::Mlcc")
                                             .SetParent<CongestionControl>()
                                             .SetGroupName("Roce")
                                             .AddConstructor<Mlcc>(),
                                         &Mlcc::m_parameters)
                                  .AddTraceSource("NearRate",
                                                  "R_NS is set",
                                                  MakeTraceSourceAccessor(&Mlcc::m_nearTrace),
                                                  "ns3::roce::Mlcc::RateCallback")
                                  .AddTraceSource("DqmRate",
                                                  "An ACK sets Rbar_DQM",
                                                  MakeTraceSourceAccessor(&Mlcc::m_dqmTrace),
                                                  "ns3::roce::Mlcc::RateCallback");
    return tid;
}

void
Mlcc::SetInnerLaw(Ptr<const CongestionControl> law)
{
    if (law)
    {
        MlccLoop::Check(*law);
        law = MlccLoop::OfSegment(*law);
    }
    m_given = std::move(law);
}

Ptr<const CongestionControl>
Mlcc::GetInnerLaw() const
{
    return FindInnerLaw();
}

/// The inner law's prototype. Several threads ask for it at once, so nobody may count a reference.
const Ptr<const CongestionControl>&
Mlcc::FindInnerLaw() const
{
    if (m_given)
    {
        return m_given;
    }
    const MlccInnerCc wanted = GetParams().innerCc;
    if (!m_inner || m_innerOf != wanted)
    {
        m_inner = MlccLoop::MakeLaw(wanted);
        m_innerOf = wanted;
        MlccLoop::Check(*m_inner);
    }
    return m_inner;
}

Ptr<CongestionControl>
Mlcc::Fork() const
{
    GetInnerLaw()->Fork(); // throws for bad attributes, and makes the prototype once for all forks
    return CopyObject<Mlcc>(this);
}

Ptr<ReceiverFeedback>
Mlcc::MakeFeedback() const
{
    const Ptr<MlccCredit> feedback = CreateObject<MlccCredit>();
    feedback->Configure(m_parameters.Get(), GetInnerLaw());
    return feedback;
}

const FrameExtension*
Mlcc::GetDataExtension() const
{
    return &MlccHeader::EXTENSION;
}

bool
Mlcc::NeedsTelemetry() const
{
    return FindInnerLaw()->NeedsTelemetry();
}

bool
Mlcc::NeedsTimestamp() const
{
    return FindInnerLaw()->NeedsTimestamp();
}

bool
Mlcc::IsEcnCapable() const
{
    return FindInnerLaw()->IsEcnCapable();
}

bool
Mlcc::NeedsEcn() const
{
    return FindInnerLaw()->NeedsEcn();
}

void
Mlcc::Check(const Deployment& deployment, bool interDc) const
{
    if (!interDc)
    {
        throw InputError("the rate law, ns3::roce::Mlcc, is for flows between datacenters; "
                         "expected --interCc=Mlcc and another law within datacenters (--cc)");
    }
    for (const char* stage : {"ns3::roce::MlccNearSource", "ns3::roce::MlccReceiverSide"})
    {
        if (!deployment.HasStage(stage, interDc))
        {
            throw InputError(std::string("the rate law between datacenters, ns3::roce::Mlcc, "
                                         "needs ") +
                             stage +
                             ", which no switch on the way has; expected "
                             "--edge=MlccNearSource,MlccReceiverSide");
        }
    }
}

void
Mlcc::DoStart(int64_t nowPs)
{
    RequirePath();
    m_p = m_parameters.Get();
    m_near.Start(*GetInnerLaw(), m_path, nowPs);
    m_nextPsn = m_ackedPsn = 0;
    m_nearBps = m_dqmBps = m_creditBps = m_path.lineRateBps;
    m_epoch = 0;
    TakeOver();
    TakeNear(nowPs);
}

void
Mlcc::TakeOver()
{
    const auto rttPs = static_cast<double>(m_path.baseRttPs);
    const double cap = m_p->inflightCap * static_cast<double>(m_path.lineRateBps) * rttPs / 8e12;
    m_windowBytes = m_p->inflightCap > 0 ? m_path.WholeFramesBytes(cap) : UNLIMITED_BYTES;
}

void
Mlcc::Publish()
{
    m_rateBps = std::max<uint64_t>(1, std::min(m_nearBps, m_dqmBps)); // R_NS is the line's at most
}

void
Mlcc::TakeNear(int64_t nowPs)
{
    const uint64_t rate = m_near.GetRateBps();
    if (rate != m_nearBps)
    {
        m_nearBps = rate;
        if (!m_nearTrace.IsEmpty())
        {
            m_nearTrace(rate, PicoSeconds(nowPs));
        }
    }
    Publish();
}

void
Mlcc::SetDqm(uint64_t rateBps, int64_t nowPs)
{
    m_dqmBps = rateBps;
    if (!m_dqmTrace.IsEmpty())
    {
        m_dqmTrace(rateBps, PicoSeconds(nowPs));
    }
    Publish();
}

void
Mlcc::OnSend(const SendInfo& sent)
{
    m_nextPsn = sent.isRepeat ? std::max(m_nextPsn, sent.psn + 1) : sent.psn + 1;
    m_near.OnSend(sent);
    TakeNear(sent.nowPs);
}

void
Mlcc::OnAck(const AckInfo& ack)
{
    m_nextPsn = ack.sndNxtPsn;
    m_ackedPsn = std::max(m_ackedPsn, ack.ackPsn);
    if (ack.isNak)
    {
        m_near.Rewind(ack.ackPsn, ack.nowPs);
    }
    m_near.GetLaw().Advance(ack.nowPs);
    TakeNear(ack.nowPs);
    Read(ack.extension, ack.nowPs);
}

void
Mlcc::Read(const ExtensionView& extension, int64_t nowPs)
{
    const MlccHeader* header = extension.As<MlccHeader>();
    if (header && header->dqmMbps)
    {
        m_epoch = header->epoch;
        m_creditBps = header->GetCreditBps();
        SetDqm(header->GetDqmBps(), nowPs);
    }
}

void
Mlcc::OnNotification(const Notification& notification)
{
    const int64_t nowPs = notification.nowPs;
    if (notification.kind == MlccUpdate::KIND)
    {
        Read(notification.extension, nowPs);
    }
    if (notification.kind != MlccSwitchInt::KIND)
    {
        return;
    }
    if (notification.isMarked)
    {
        m_near.OnMark(nowPs);
    }
    AckInfo report;
    report.nowPs = nowPs;
    report.ackPsn = notification.psn + 1;
    report.sndNxtPsn = std::max(m_nextPsn, report.ackPsn);
    report.ackedBytes = m_path.fullFrameBytes;
    report.ackedPackets = 1;
    report.inflightBytes = (report.sndNxtPsn - report.ackPsn) * m_path.fullFrameBytes;
    report.markedPackets = notification.isMarked;
    report.ecnEcho = notification.isMarked;
    report.rttPs = notification.rttPs;
    report.telemetry = notification.telemetry;
    report.hasMore = true;
    m_near.OnReport(report);
    m_near.GetLaw().Advance(nowPs);
    TakeNear(nowPs);
}

void
Mlcc::OnTimeout(int64_t nowPs)
{
    m_near.Rewind(m_ackedPsn, nowPs);
    m_near.GetLaw().OnTimeout(nowPs);
    TakeNear(nowPs);
}

void
Mlcc::Advance(int64_t nowPs)
{
    m_near.GetLaw().Advance(nowPs);
    TakeNear(nowPs);
}

int64_t
Mlcc::NextRateChangePs() const
{
    return m_near.GetLaw().NextRateChangePs();
}

void
Mlcc::Retune(const CongestionControl& prototype, int64_t nowPs)
{
    const Mlcc& same = SameLaw<Mlcc>(prototype);
    Advance(nowPs);
    m_p = m_parameters.Retune(same.m_parameters, *m_p);
    m_near.Retune(*same.GetInnerLaw(), nowPs);
    m_given = same.m_given;
    TakeOver();
    TakeNear(nowPs);
}

void
Mlcc::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"r_ns_bps", static_cast<double>(m_nearBps)},
                      {"rbar_dqm_bps", static_cast<double>(m_dqmBps)},
                      {"r_credit_bps", static_cast<double>(m_creditBps)},
                      {"c_r", static_cast<double>(m_epoch)}});
}

} // namespace ns3::roce
