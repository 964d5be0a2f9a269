// SPDX-License-Identifier: GPL-2.0-only
#include "roce-congestion-control.h"

#include "ns3/roce-input-error.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(CongestionControl);

TypeId
CongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::CongestionControl").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

void
CongestionControl::RequirePath() const
{
    if (m_path.baseRttPs <= 0 || !m_path.lineRateBps || !m_path.fullFrameBytes)
    {
        throw InputError(
            GetInstanceTypeId().GetName() + ": path is " + std::to_string(m_path.baseRttPs) +
            " ps of base RTT, " + std::to_string(m_path.lineRateBps) + " bit/s of line rate, " +
            std::to_string(m_path.fullFrameBytes) + " B of full frame, expected positive values");
    }
}

Ptr<ReceiverFeedback>
CongestionControl::MakeFeedback() const
{
    return CreateObject<PlainFeedback>();
}

void
CongestionControl::Retune(const CongestionControl&, int64_t)
{
    throw InputError(GetInstanceTypeId().GetName() +
                     " has no parameters that can change while the simulation is on");
}

uint64_t
CongestionControl::WithinFlowWindow() const
{
    __extension__ using Uint128 = unsigned __int128;
    uint64_t bytes = m_path.flowWindowBytes;
    if (m_path.flowWindowScales && m_rateBps < m_path.lineRateBps)
    {
        bytes = static_cast<uint64_t>(static_cast<Uint128>(bytes) * m_rateBps / m_path.lineRateBps);
    }
    return std::min(m_windowBytes, std::max<uint64_t>(bytes, 1)); // one packet may go always
}

void
CongestionControl::ThrowOtherLaw(const CongestionControl& prototype) const
{
    throw InputError(GetInstanceTypeId().GetName() + " cannot take over parameters of " +
                     prototype.GetInstanceTypeId().GetName() + "; expected the same class");
}

} // namespace ns3::roce
