// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SKETCH_MONITOR_H
#define ROCE_SKETCH_MONITOR_H

#include "roce-elastic-sketch.h"
#include "roce-flow-mix.h"
#include "roce-flow-states.h"
#include "roce-paraleon-params.h"

#include "ns3/random-variable-stream.h"
#include "ns3/roce-switch-stage.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Sizes of flows from every N-th packet on average, as NetFlow reports them: the ablation
 * that PARALEON's paper compares its sketch with (section IV-B3: 1:100, exported once a second).
 *
 * Each packet is taken with probability 1/N, independently of the others; what is taken counts N
 * times. One random number is drawn for each packet that is taken.
 */
class NetFlowSampler
{
  public:
    /**
     * @brief Begin with nothing counted.
     * @param oneIn N, 1 or more
     * @param inPackets a packet counts 1, whatever its bytes
     * @param random uniform on [0, 1); one stream for each sampler
     */
    void Start(uint32_t oneIn, bool inPackets, Ptr<RandomVariableStream> random);

    /// @brief A packet has come. @param flow whose. @param bytes its size; 1 or more
    void Insert(FlowKey flow, uint32_t bytes)
    {
        if (m_skip)
        {
            --m_skip;
            return;
        }
        Take(flow, bytes);
    }

    /**
     * @brief Export what was counted since the last time, and begin again.
     * @param readings is replaced; in the order in which flows were first taken
     */
    void ReadAndReset(std::vector<FlowReading>& readings);

  private:
    void Take(FlowKey flow, uint32_t bytes);
    void DrawSkip();

    uint32_t m_oneIn{1};
    bool m_inPackets{false};
    Ptr<RandomVariableStream> m_random;
    uint64_t m_skip{0}; //!< packets that are not taken before the next one is
    std::vector<FlowReading> m_taken;
    std::unordered_map<FlowKey, std::size_t> m_places; //!< in m_taken; never iterated
};

/**
 * @brief PARALEON's measurement point (section III-B of its paper): counts the data frames that
 * come to a switch by flow, and reports once in a monitor interval how many flows are elephants.
 *
 * One sketch per packet: a frame that some switch has counted is marked (Frame::stageMark), and no
 * later one counts it. ACKs, NAKs and CNPs are not counted and not marked. A repeated packet is a
 * frame of its own. It never reorders, drops or holds frames.
 *
 * Packets of ns-3 (FrameKind::PACKET) count as data do: a switch sees flows by their 5-tuple. So a
 * TCP connection is two flows, its ACKs a mouse, and their bytes are in the use of uplinks.
 *
 * A flow's size is in payload bytes (or packets); of a packet of ns-3 all behind the MAC header.
 * The key is the sender's queue pair, in place of the 5-tuple and the destination's queue pair.
 * Paraleon puts one into each ToR; Paraleon's attributes configure it.
 */
class SketchMonitor : public SwitchStage
{
  public:
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
        return LOAD_KINDS;
    }

    void Install(Switch& sw) override;
    int64_t AssignStreams(int64_t stream) override;
    Verdict OnArrival(Frame& frame, Port& in, int64_t nowPs) override;
    void Count(std::map<std::string, uint64_t>& counters) const override;

    void Report(Measurement& into, int64_t nowPs) override;

    /**
     * @brief A monitor interval has ended: read the sketch, clear it, and classify the flows.
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
