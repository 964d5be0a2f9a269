// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SKETCH_MONITOR_H
#define ROCE_SKETCH_MONITOR_H

#include "roce-elastic-sketch.h"
#include "roce-flow-mix.h"
#include "roce-flow-states.h"
#include "roce-net-flow-sampler.h"
#include "roce-paraleon-params.h"

#include "ns3/random-variable-stream.h"
#include "ns3/roce-switch-stage.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief PARALEON's measurement point (section III-B of its paper): counts the data frames that
 * come to a switch by flow, and reports once in a monitor interval how many flows are elephants.
 *
 * One sketch per packet: a frame that some switch has counted is marked (Frame::stageMark), and no
 * later one counts it. ACKs, NAKs and CNPs are not counted and not marked. A repeated packet is a
 * frame of its own. It never reorders, drops or holds frames.
 *
 * A flow's size is in payload bytes (or packets). The key is the sender's queue pair, in place of
 * the 5-tuple and the destination's queue pair. Paraleon puts one into each ToR; Paraleon's
 * attributes configure it.
 */
class SketchMonitor : public SwitchStage
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// With Paraleon's default parameters.
    SketchMonitor();

    /// @brief Other parameters, before anything is counted. @param params of Paraleon
    void Setup(const ParaleonParams& params);

    uint32_t GetHooks() const override
    {
        return ARRIVAL;
    }

    uint32_t GetKinds() const override
    {
        return 1U << static_cast<unsigned>(FrameKind::DATA);
    }

    void Install(Switch& sw) override;
    int64_t AssignStreams(int64_t stream) override;
    Verdict OnArrival(Frame& frame, Port& in, int64_t nowPs) override;
    void Count(std::map<std::string, uint64_t>& counters) const override;

    void Report(Measurement& into, int64_t nowPs) override;

    /**
     * @brief A monitor interval has ended: read the sketch, clear it, and classify the flows.
     * @param nowPs current time
     * @return masses of elephants and mice; 0 while NetFlow has nothing to export
     */
    FlowShares ReadAndReset(int64_t nowPs);

    /// @return the flows of the last interval
    const std::vector<FlowStates::Flow>& GetFlows() const
    {
        return m_states.GetActive();
    }

    /// @return frames counted so far
    uint64_t GetCounted() const
    {
        return m_counted;
    }

    /// @return frames so far that another switch had counted
    uint64_t GetSkipped() const
    {
        return m_skipped;
    }

  private:
    bool m_netFlow{false};
    bool m_marks{true};
    uint64_t m_tau{0};
    int64_t m_exportPs{0};   //!< between its exports
    int64_t m_exportedPs{0}; //!< when NetFlow exported last
    FlowMix::Config m_mix{};
    ElasticSketch m_sketch;
    NetFlowSampler m_sampler;
    FlowStates m_states;
    std::vector<FlowReading> m_readings;
    std::vector<uint64_t> m_bytes; //!< by port
    Ptr<UniformRandomVariable> m_random;
    uint64_t m_counted{0};
    uint64_t m_skipped{0};
};

} // namespace ns3::roce

#endif /* ROCE_SKETCH_MONITOR_H */
