// SPDX-License-Identifier: GPL-2.0-only
#include "roce-ecn-marker.h"

#include "roce-switch.h"

#include "ns3/data-rate.h"
#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-port.h"
#include "ns3/roce-text-form.h"

#include <cmath>
#include <sstream>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(EcnMarker);

// Kmin and Kmax: 400 and 1600 kB at 100 Gbit/s, as in HPCC's simulator.
const ParameterTable<EcnMarkerParams>&
EcnMarkerParams::Table()
{
    using P = EcnMarkerParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::EcnMarker", {"common"})
            .Count("Kmin", &P::kminBytes, {100000}, Range::AtLeast(0))
            .Help("Queue length in bytes at the reference rate up to which nothing is marked")
            .Count("Kmax", &P::kmaxBytes, {400000}, Range::AtLeast(0))
            .Help("Queue length in bytes at the reference rate above which everything is marked")
            .Number("KminFraction", &P::kminFraction, {0}, Range::Within(0, 1))
            .Help("Kmin as a share of the port's egress limit (Switch::EgressLimit); used in place "
                  "of Kmin if KmaxFraction is")
            .Number("KmaxFraction", &P::kmaxFraction, {0}, Range::Within(0, 1))
            .Help("Kmax as a share of the port's egress limit (Switch::EgressLimit), which every "
                  "port must have; 0: by Kmin, Kmax and ReferenceRate")
            .Number("Pmax", &P::pmax, {0.2}, Range::Within(0, 1))
            .Help("Marking probability at Kmax")
            .Rate("ReferenceRate", &P::referenceRateBps, {25'000'000'000}, Range::AtLeast(0))
            .Help("Port rate for which Kmin and Kmax are given; they scale in proportion. 0: the "
                  "same for all ports")
            .Text("RateMap", &P::rateMap, {""})
            .Help("Instead of all others, a curve for each port rate: RATE/KMIN/KMAX/PMAX, several "
                  "with commas, bytes, for example 100Gbps/400000/1600000/0.2; a port of another "
                  "rate is an error")
            .Flag("DropNotEct", &P::dropNotEct, {true})
            .Help(
                "Drop packets of ns-3 that are not ECN-capable where they would be marked, as RED "
                "does (RFC 3168, section 5). Else the buffer alone bounds their queue")
            .Live()
            .Flag("MarkAtEnqueue", &P::markAtEnqueue, {false})
            .Help("Mark by the queue that a frame finds, itself included, instead of the queue "
                  "when it leaves")
            .Choice("Ports", &P::ports, {PortSet::ALL}, PortSetNames())
            .Help(
                "Which egress ports mark: all, host, fabric (to switches of the same datacenter), "
                "wan, noWan, or noBorder (neither of nor to a switch with WAN links)")
            .Count("Classes", &P::classMask, {0xff}, Range::Within(0, 0xff))
            .Help("Bit mask of the traffic classes that are marked")
            .Finish([](P& p, const Parameters<P>&) {
                const auto bytes = [](uint64_t n) { return std::to_string(n) + " B"; };
                Table().Require(p.kminBytes <= p.kmaxBytes,
                                "Kmin",
                                bytes(p.kminBytes),
                                "at most Kmax, " + bytes(p.kmaxBytes));
                Table().Require(p.kminFraction <= p.kmaxFraction,
                                "KminFraction",
                                kind::Number::Print(p.kminFraction),
                                "at most KmaxFraction, " + kind::Number::Print(p.kmaxFraction));
                p.curves = EcnMarker::ParseRateMap(p.rateMap);
                if (p.kmaxFraction > 0 && !p.curves.empty())
                {
                    throw InputError("ns3::roce::EcnMarker: KmaxFraction and RateMap are both "
                                     "given, expected one of them");
                }
            });
    return table;
}

EcnMarker::EcnMarker()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

std::map<uint64_t, EcnCurve>
EcnMarker::ParseRateMap(const std::string& text)
{
    static const TextForm form("([^/]+)/([0-9]{1,18})/([0-9]{1,18})/([0-9.eE+-]+)");
    std::map<uint64_t, EcnCurve> map;
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');)
    {
        const auto refuse = [&item](const std::string& expected) {
            throw InputError("ns3::roce::EcnMarker: RateMap has '" + item + "', expected " +
                             expected);
        };
        const std::vector<std::string> match = form.Match(item);
        if (match.empty())
        {
            refuse("RATE/KMIN/KMAX/PMAX, for example 100Gbps/400000/1600000/0.2");
        }
        DataRate rate;
        std::istringstream rateText(match[1]);
        rateText >> rate;
        if (rateText.fail() || rate.GetBitRate() == 0)
        {
            refuse("a rate above 0 with its unit, as 100Gbps");
        }
        EcnCurve curve;
        curve.kminBytes = std::stoull(match[2]);
        curve.kmaxBytes = std::stoull(match[3]);
        std::istringstream pmax(match[4]);
        if (!(pmax >> curve.pmax) || !pmax.eof() || !curve.IsValid())
        {
            refuse("Kmin <= Kmax and 0 <= Pmax <= 1");
        }
        if (!map.emplace(rate.GetBitRate(), curve).second)
        {
            refuse("each rate once");
        }
    }
    return map;
}

EcnCurve
EcnMarker::CurveOf(const EcnMarkerParams& p, const Switch& sw, uint16_t port)
{
    if (!IsIn(p.ports, sw, port))
    {
        return NO_ECN_CURVE;
    }
    const uint64_t rateBps = sw.GetPort(port)->GetRateBps();
    const std::string where = "port " + std::to_string(port) + " of switch " + sw.GetName();
    if (!p.curves.empty())
    {
        const auto found = p.curves.find(rateBps);
        if (found == p.curves.end())
        {
            throw InputError("ns3::roce::EcnMarker: RateMap has no curve for " +
                             std::to_string(rateBps) + " bit/s, the rate of " + where +
                             ", expected one for each port rate");
        }
        return found->second;
    }
    double kmin = static_cast<double>(p.kminBytes);
    double kmax = static_cast<double>(p.kmaxBytes);
    double scale = 1;
    if (p.kmaxFraction > 0)
    {
        kmin = p.kminFraction;
        kmax = p.kmaxFraction;
        scale = static_cast<double>(sw.GetBuffer().GetEgressLimitBytes(port));
        if (!(scale > 0))
        {
            throw InputError("ns3::roce::EcnMarker: KmaxFraction is " +
                             kind::Number::Print(p.kmaxFraction) + ", but " + where +
                             " has no egress limit, expected one for each port (EgressLimit)");
        }
    }
    else if (p.referenceRateBps)
    {
        scale = static_cast<double>(rateBps) / static_cast<double>(p.referenceRateBps);
    }
    return {static_cast<uint64_t>(std::llround(kmin * scale)),
            static_cast<uint64_t>(std::llround(kmax * scale)),
            p.pmax};
}

std::vector<EcnCurve>
EcnMarker::CurvesOf(const EcnMarkerParams& p, const Switch& sw)
{
    std::vector<EcnCurve> curves;
    for (uint16_t port = 0; port < sw.GetNPorts(); ++port)
    {
        curves.push_back(CurveOf(p, sw, port));
    }
    return curves;
}

void
EcnMarker::Install(Switch& sw)
{
    m_p = m_parameters.Get();
    m_at = &sw;
    m_curves = CurvesOf(*m_p, sw);
    m_markedBytes.assign(sw.GetNPorts(), 0);
}

void
EcnMarker::Retune(const SwitchStage& prototype, int64_t)
{
    // On a copy: a port without a curve leaves everything as it was.
    const auto& from = SameStage<EcnMarker>(prototype).m_parameters;
    Parameters<EcnMarkerParams> parameters = m_parameters;
    const std::shared_ptr<const EcnMarkerParams> next = parameters.Retune(from, *m_p);
    m_curves = CurvesOf(*next, *m_at);
    m_parameters = parameters;
    m_p = next;
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
    if (!curve.IsValid())
    {
        throw InputError("ECN curve: expected Kmin <= Kmax and 0 <= Pmax <= 1");
    }
    m_curves.at(port) = curve;
}

SwitchStage::Verdict
EcnMarker::OnEnqueue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t)
{
    return MarkOrDrop(frame, out, queue.GetLineBytes(frame.trafficClass) + frame.frameBytes);
}

SwitchStage::Verdict
EcnMarker::OnDequeue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t)
{
    return MarkOrDrop(frame, out, queue.GetLineBytes(frame.trafficClass));
}

inline SwitchStage::Verdict
EcnMarker::MarkOrDrop(Frame& frame, const Port& out, uint64_t queueBytes)
{
    if (frame.ecn == ECN_NOT_ECT)
    {
        return frame.kind == FrameKind::PACKET ? DropIfChosen(frame, out, queueBytes)
                                               : Verdict::PASS;
    }
    if (IsChosen(frame, out, queueBytes))
    {
        m_marked += frame.ecn != ECN_CE; // it may have been marked on its way here
        frame.ecn = ECN_CE;
        m_markedBytes[out.GetIndex()] += out.WireBytes(frame.frameBytes);
    }
    return Verdict::PASS;
}

/// @return whether the curve wants that frame to be marked
inline bool
EcnMarker::IsChosen(const Frame& frame, const Port& out, uint64_t queueBytes) const
{
    // An empty queue never marks; its curve does not matter.
    return queueBytes && m_p->classMask >> frame.trafficClass & 1 &&
           m_curves[out.GetIndex()].Draw(queueBytes, *m_random);
}

SwitchStage::Verdict
EcnMarker::DropIfChosen(const Frame& frame, const Port& out, uint64_t queueBytes)
{
    if (!m_p->dropNotEct || !IsChosen(frame, out, queueBytes))
    {
        return Verdict::PASS;
    }
    // Not in Install(): where there is RDMA only, there is no such counter.
    m_reason = m_reason ? m_reason : m_at->AddDropReason("red");
    return m_at->Refuse(m_reason);
}

} // namespace ns3::roce
