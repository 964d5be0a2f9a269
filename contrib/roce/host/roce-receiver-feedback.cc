// SPDX-License-Identifier: GPL-2.0-only
#include "roce-receiver-feedback.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(ReceiverFeedback);
NS_OBJECT_ENSURE_REGISTERED(PlainFeedback);
NS_OBJECT_ENSURE_REGISTERED(FeedbackChain);
NS_OBJECT_ENSURE_REGISTERED(EcnCnpFeedback);

NicFeedback&
ReplySink::DoShare(std::type_index, ShareMaker)
{
    throw InputError("a feedback that shares state with others of its NIC is run by something "
                     "else, expected a NIC");
}

TypeId
ReceiverFeedback::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::ReceiverFeedback").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

void
ReceiverFeedback::ThrowOther(const ReceiverFeedback& prototype) const
{
    throw InputError(GetInstanceTypeId().GetName() + " cannot take over parameters of " +
                     prototype.GetInstanceTypeId().GetName() + "; expected the same class");
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

TypeId
FeedbackChain::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::FeedbackChain")
                            .SetParent<ReceiverFeedback>()
                            .SetGroupName("Roce")
                            .AddConstructor<FeedbackChain>();
    return tid;
}

void
FeedbackChain::Add(Ptr<ReceiverFeedback> feedback)
{
    m_parts.push_back(std::move(feedback));
}

Ptr<ReceiverFeedback>
FeedbackChain::Fork() const
{
    Ptr<FeedbackChain> copy = CreateObject<FeedbackChain>();
    for (const Ptr<ReceiverFeedback>& part : m_parts)
    {
        copy->Add(part->Fork());
    }
    return copy;
}

void
FeedbackChain::Start(const PathInfo& path, int64_t nowPs)
{
    for (const Ptr<ReceiverFeedback>& part : m_parts)
    {
        part->Start(path, nowPs);
    }
    SetFirstTimer();
}

void
FeedbackChain::OnData(const Frame& data, int64_t nowPs, ReplySink& sink)
{
    for (const Ptr<ReceiverFeedback>& part : m_parts)
    {
        part->OnData(data, nowPs, sink);
    }
    SetFirstTimer();
}

void
FeedbackChain::FillAck(Frame& ack, const Frame& data, int64_t nowPs)
{
    for (const Ptr<ReceiverFeedback>& part : m_parts)
    {
        part->FillAck(ack, data, nowPs);
    }
    SetFirstTimer();
}

void
FeedbackChain::OnTimer(int64_t nowPs, ReplySink& sink)
{
    for (const Ptr<ReceiverFeedback>& part : m_parts)
    {
        if (part->GetTimerPs() <= nowPs)
        {
            part->RunTimer(nowPs, sink);
        }
    }
    SetFirstTimer();
}

bool
FeedbackChain::CanRetuneLate() const
{
    return std::all_of(m_parts.begin(), m_parts.end(), [](const Ptr<ReceiverFeedback>& part) {
        return part->CanRetuneLate();
    });
}

void
FeedbackChain::Retune(const ReceiverFeedback& prototype, int64_t nowPs)
{
    const FeedbackChain& from = Same<FeedbackChain>(prototype);
    if (from.m_parts.size() != m_parts.size())
    {
        throw InputError("ns3::roce::FeedbackChain of " + std::to_string(m_parts.size()) +
                         " parts cannot take over parameters of one of " +
                         std::to_string(from.m_parts.size()));
    }
    for (std::size_t i = 0; i < m_parts.size(); ++i)
    {
        m_parts[i]->Retune(*from.m_parts[i], nowPs);
    }
    SetFirstTimer();
}

void
FeedbackChain::SetFirstTimer()
{
    int64_t firstPs = NEVER_PS;
    for (const Ptr<ReceiverFeedback>& part : m_parts)
    {
        firstPs = std::min(firstPs, part->GetTimerPs());
    }
    SetTimer(firstPs);
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

void
EcnCnpFeedback::OnData(const Frame& data, int64_t nowPs, ReplySink& sink)
{
    if (data.ecn != ECN_CE || nowPs < m_nextCnpPs)
    {
        return;
    }
    m_nextCnpPs = nowPs + m_interval.GetPicoSeconds();
    sink.Send(sink.Make(FrameKind::CNP));
}

void
EcnCnpFeedback::Retune(const ReceiverFeedback& prototype, int64_t)
{
    m_interval = Same<EcnCnpFeedback>(prototype).m_interval;
}

} // namespace ns3::roce
