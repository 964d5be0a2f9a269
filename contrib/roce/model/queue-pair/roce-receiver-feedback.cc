/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-receiver-feedback.h"

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(ReceiverFeedback);
NS_OBJECT_ENSURE_REGISTERED(PlainFeedback);
NS_OBJECT_ENSURE_REGISTERED(EcnCnpFeedback);

TypeId
ReceiverFeedback::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::ReceiverFeedback").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

void
ReceiverFeedback::FillAck(Frame& ack, Frame& data, int64_t)
{
    if (data.ecn == ECN_CE)
    {
        ack.flags |= FRAME_ECN_ECHO;
    }
    ack.sentPs = data.sentPs;
    ack.aux = data.aux;
    ack.flags |= data.flags & FRAME_TIMESTAMP;
    ack.telemetry = data.telemetry;
    data.telemetry = nullptr;
    ack.telemetryBytes = data.telemetryBytes;
    ack.frameBytes += data.telemetryBytes;
}

TypeId
PlainFeedback::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::PlainFeedback")
                            .SetParent<ReceiverFeedback>()
                            .SetGroupName("Roce")
                            .AddConstructor<PlainFeedback>();
    return tid;
}

Ptr<ReceiverFeedback>
PlainFeedback::Fork() const
{
    return CopyObject<PlainFeedback>(this);
}

bool
PlainFeedback::OnData(const Frame&, int64_t)
{
    return false;
}

TypeId
EcnCnpFeedback::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::EcnCnpFeedback")
            .SetParent<ReceiverFeedback>()
            .SetGroupName("Roce")
            .AddConstructor<EcnCnpFeedback>()
            .AddAttribute("CnpInterval",
                          "Least time between two CNPs of one queue pair; DCQCN paper: 50 us, "
                          "NVIDIA firmware default: 4 us, 0: a CNP for each marked frame",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&EcnCnpFeedback::m_interval),
                          MakeTimeChecker(Time(0)));
    return tid;
}

Ptr<ReceiverFeedback>
EcnCnpFeedback::Fork() const
{
    Ptr<EcnCnpFeedback> copy = CopyObject<EcnCnpFeedback>(this);
    copy->m_nextCnpPs = INT64_MIN;
    return copy;
}

bool
EcnCnpFeedback::OnData(const Frame& data, int64_t nowPs)
{
    if (data.ecn != ECN_CE || nowPs < m_nextCnpPs)
    {
        return false;
    }
    m_nextCnpPs = nowPs + m_interval.GetPicoSeconds();
    return true;
}

} // namespace roce
} // namespace ns3
