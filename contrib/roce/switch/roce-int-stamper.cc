// SPDX-License-Identifier: GPL-2.0-only
#include "roce-int-stamper.h"

#include "roce-switch.h"

#include "ns3/node.h"
#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-port.h"
#include "ns3/uinteger.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(IntStamper);

TypeId
IntStamper::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::IntStamper")
                            .SetParent<SwitchStage>()
                            .SetGroupName("Roce")
                            .AddConstructor<IntStamper>()
                            .AddAttribute("BytesPerHop",
                                          "Bytes each hop adds to the frame; HPCC paper: 8",
                                          UintegerValue(8),
                                          MakeUintegerAccessor(&IntStamper::m_bytesPerHop),
                                          MakeUintegerChecker<uint32_t>(0, Frame::MAX_HOP_BYTES))
                            .AddAttribute("TxUnit",
                                          "txBytes and rxBytes are cut to whole multiples, bytes; "
                                          "HPCC simulator: 128",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&IntStamper::m_txUnit),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("QueueUnit",
                                          "The queue length is cut to whole multiples, bytes; HPCC "
                                          "simulator: 80",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&IntStamper::m_queueUnit),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
IntStamper::Install(Switch& sw)
{
    m_hopIdBase = static_cast<uint64_t>(sw.GetNodeId()) << 16;
}

SwitchStage::Verdict
IntStamper::OnDequeue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t nowPs)
{
    if (frame.telemetry)
    {
        IntHop& hop = frame.telemetry.Append();
        hop.timePs = nowPs;
        hop.txBytes = out.GetTxWireBytes();
        hop.rxBytes = out.GetOfferedBytes();
        hop.queueBytes = queue.GetLineBytes();
        hop.rateBps = out.GetRateBps();
        hop.hopId = m_hopIdBase | out.GetIndex();
        if (m_txUnit > 1 || m_queueUnit > 1)
        {
            hop.txBytes -= hop.txBytes % m_txUnit;
            hop.rxBytes -= hop.rxBytes % m_txUnit;
            hop.queueBytes -= hop.queueBytes % m_queueUnit;
        }
        frame.frameBytes += m_bytesPerHop;
        frame.telemetryBytes += m_bytesPerHop;
    }
    return Verdict::PASS;
}

} // namespace ns3::roce
