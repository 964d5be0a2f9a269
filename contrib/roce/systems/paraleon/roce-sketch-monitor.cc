// SPDX-License-Identifier: GPL-2.0-only
#include "roce-sketch-monitor.h"

#include "ns3/roce-port.h"
#include "ns3/roce-switch.h"
#include "ns3/roce-time.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::roce
{

void
NetFlowSampler::Start(uint32_t oneIn, bool inPackets, Ptr<RandomVariableStream> random)
{
    m_oneIn = oneIn;
    m_inPackets = inPackets;
    m_random = std::move(random);
    m_taken.clear();
    m_places.clear();
    DrawSkip();
}

/// The number of failures before the first success with probability 1/N.
void
NetFlowSampler::DrawSkip()
{
    const double p = 1.0 / m_oneIn;
    m_skip = m_oneIn == 1
                 ? 0
                 : static_cast<uint64_t>(std::log1p(-m_random->GetValue()) / std::log1p(-p));
}

void
NetFlowSampler::Take(FlowKey flow, uint32_t bytes)
{
    const auto [place, isNew] = m_places.emplace(flow, m_taken.size());
    if (isNew)
    {
        m_taken.push_back({flow, 0, false});
    }
    m_taken[place->second].size += uint64_t{m_oneIn} * (m_inPackets ? 1 : bytes);
    DrawSkip();
}

void
NetFlowSampler::ReadAndReset(std::vector<FlowReading>& readings)
{
    readings.swap(m_taken);
    m_taken.clear();
    m_places.clear();
}

NS_OBJECT_ENSURE_REGISTERED(SketchMonitor);

TypeId
SketchMonitor::GetTypeId()
{
    static const TypeId tid = TypeId("ns3::roce::SketchMonitor")
                                  .SetParent<SwitchStage>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<SketchMonitor>();
    return tid;
}

SketchMonitor::SketchMonitor()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
SketchMonitor::Setup(const ParaleonParams& params)
{
    m_netFlow = params.monitor == ParaleonParams::Monitor::NETFLOW;
    m_exportPs = params.exportIntervalPs;
    m_marks = params.marks;
    m_tau = params.states.tau;
    m_mix = params.mix;
    if (m_netFlow)
    {
        m_sampler.Start(params.sampling, params.states.inPackets, m_random);
    }
    else
    {
        m_sketch.Start(params.sketch);
    }
    m_states.Start(params.states);
}

void
SketchMonitor::Install(Switch& sw)
{
    m_bytes.assign(sw.GetNPorts(), 0);
    if (!m_tau)
    {
        Setup(*Parameters<ParaleonParams>().Get());
    }
}

int64_t
SketchMonitor::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

SwitchStage::Verdict
SketchMonitor::OnArrival(Frame& frame, Port& in, int64_t)
{
    m_bytes[in.GetIndex()] += in.WireBytes(frame.frameBytes);
    if (frame.stageMark)
    {
        ++m_skipped;
        return Verdict::PASS;
    }
    frame.stageMark = m_marks;
    ++m_counted;
    const uint32_t bytes = std::max<uint32_t>(1, frame.payloadBytes);
    if (m_netFlow)
    {
        m_sampler.Insert(FlowOfData(frame), bytes);
    }
    else
    {
        m_sketch.Insert(FlowOfData(frame), bytes);
    }
    return Verdict::PASS;
}

FlowShares
SketchMonitor::ReadAndReset(int64_t nowPs)
{
    if (m_netFlow)
    {
        if (nowPs - m_exportedPs < m_exportPs)
        {
            return {};
        }
        m_exportedPs = nowPs;
        m_sampler.ReadAndReset(m_readings);
    }
    else
    {
        m_sketch.ReadAndReset(m_readings);
    }
    return FlowMix::Weigh(m_mix, m_states.Update(m_readings), m_tau);
}

void
SketchMonitor::Report(Measurement& into, int64_t nowPs)
{
    const FlowShares masses = ReadAndReset(nowPs);
    into.values = {masses.elephants, masses.mice};
    into.rxDataBytes = m_bytes;
    std::fill(m_bytes.begin(), m_bytes.end(), 0);
}

void
SketchMonitor::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["sketchCounted"] += m_counted;
    counters["sketchSkipped"] += m_skipped;
}

} // namespace ns3::roce
