// SPDX-License-Identifier: GPL-2.0-only
#include "door-feedback.h"

#include "door-law.h"

namespace ns3::roce::test
{

NS_OBJECT_ENSURE_REGISTERED(DoorFeedback);

TypeId
DoorFeedback::GetTypeId()
{
    static const TypeId tid =
        TypeId("ns3::roce::test::DoorFeedback").SetParent<ReceiverFeedback>().SetGroupName("Roce");
    return tid;
}

Ptr<ReceiverFeedback>
DoorFeedback::Fork() const
{
    return CreateObject<DoorFeedback>(m_share, m_periodPs);
}

void
DoorFeedback::Start(const PathInfo& path, int64_t)
{
    m_lineRateBps = static_cast<double>(path.lineRateBps);
}

void
DoorFeedback::OnData(const Frame&, int64_t nowPs, ReplySink&)
{
    m_hasData = true;
    if (GetTimerPs() == NEVER_PS)
    {
        SetTimer(nowPs + m_periodPs);
    }
}

void
DoorFeedback::FillAck(Frame& ack, const Frame&, int64_t)
{
    if (DoorMark* mark = ack.FindExtension<DoorMark>())
    {
        mark->grantRate = m_share * m_lineRateBps;
    }
}

void
DoorFeedback::OnTimer(int64_t nowPs, ReplySink& sink)
{
    if (!m_hasData)
    {
        return; // the next data starts it again
    }
    m_hasData = false;
    Frame* cnp = sink.Make(FrameKind::CNP);
    cnp->Extend<DoorMark>().grantRate = m_share * m_lineRateBps;
    sink.Send(cnp);
    SetTimer(nowPs + m_periodPs);
}

void
DoorFeedback::Retune(const ReceiverFeedback& prototype, int64_t)
{
    const auto& from = dynamic_cast<const DoorFeedback&>(prototype);
    m_share = from.m_share;
    m_periodPs = from.m_periodPs;
}

} // namespace ns3::roce::test
