// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wrcc-feedback.h"

#include "roce-wrcc-header.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(WrccFeedback);

TypeId
WrccFeedback::GetTypeId()
{
    static const TypeId tid = TypeId("ns3::roce::WrccFeedback")
                                  .SetParent<ReceiverFeedback>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<WrccFeedback>();
    return tid;
}

Ptr<ReceiverFeedback>
WrccFeedback::Fork() const
{
    return CreateObject<WrccFeedback>();
}

void
WrccFeedback::Start(const PathInfo& path, int64_t)
{
    m_domain = static_cast<uint16_t>(path.datacenter);
}

void
WrccFeedback::FillAck(Frame& ack, const Frame&, int64_t)
{
    if (WrccHeader* header = ack.FindExtension<WrccHeader>())
    {
        header->domainId = m_domain;
    }
}

} // namespace ns3::roce
