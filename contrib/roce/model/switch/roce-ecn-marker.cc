/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-ecn-marker.h"

#include "roce-switch.h"

#include "ns3/double.h"
#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-port.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(EcnMarker);

TypeId
EcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::EcnMarker")
            .SetParent<SwitchStage>()
            .SetGroupName("Roce")
            .AddConstructor<EcnMarker>()
            .AddAttribute("Kmin",
                          "Queue length in bytes at the reference rate up to which nothing is "
                          "marked",
                          UintegerValue(100000),
                          MakeUintegerAccessor(&EcnMarker::m_kminBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Kmax",
                          "Queue length in bytes at the reference rate above which everything is "
                          "marked",
                          UintegerValue(400000),
                          MakeUintegerAccessor(&EcnMarker::m_kmaxBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Pmax",
                          "Marking probability at Kmax",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&EcnMarker::m_pmax),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("ReferenceRate",
                          "Port rate for which Kmin and Kmax are given; they scale in proportion. "
                          "0: the same for all ports",
                          DataRateValue(DataRate("25Gbps")),
                          MakeDataRateAccessor(&EcnMarker::m_referenceRate),
                          MakeDataRateChecker());
    return tid;
}

EcnMarker::EcnMarker()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
EcnMarker::Install(Switch& sw)
{
    if (m_kminBytes > m_kmaxBytes)
    {
        throw InputError("ns3::roce::EcnMarker: Kmin is " + std::to_string(m_kminBytes) +
                         " B, expected at most Kmax, " + std::to_string(m_kmaxBytes) + " B");
    }
    m_curves.clear();
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        const double scale = m_referenceRate.GetBitRate()
                                 ? static_cast<double>(sw.GetPort(p)->GetRateBps()) /
                                       static_cast<double>(m_referenceRate.GetBitRate())
                                 : 1.0;
        m_curves.push_back({static_cast<uint64_t>(std::llround(m_kminBytes * scale)),
                            static_cast<uint64_t>(std::llround(m_kmaxBytes * scale)),
                            m_pmax});
    }
}

int64_t
EcnMarker::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
EcnMarker::SetCurve(uint16_t port, const EcnCurve& curve)
{
    if (curve.kminBytes > curve.kmaxBytes || curve.pmax < 0 || curve.pmax > 1)
    {
        throw InputError("ECN curve: expected Kmin <= Kmax and 0 <= Pmax <= 1");
    }
    m_curves.at(port) = curve;
}

SwitchStage::Verdict
EcnMarker::OnDequeue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t)
{
    if (frame.ecn == ECN_NOT_ECT)
    {
        return Verdict::PASS;
    }
    const EcnCurve& curve = m_curves[out.GetIndex()];
    const uint64_t bytes = queue.GetBytes(frame.trafficClass);
    if (bytes > curve.kminBytes)
    {
        const double p = curve.Probability(bytes);
        if (p >= 1 || m_random->GetValue() < p)
        {
            frame.ecn = ECN_CE;
            ++m_marked;
        }
    }
    return Verdict::PASS;
}

} // namespace roce
} // namespace ns3
