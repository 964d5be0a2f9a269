// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NET_FLOW_SAMPLER_H
#define ROCE_NET_FLOW_SAMPLER_H

#include "roce-flow-reading.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
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

} // namespace ns3::roce

#endif /* ROCE_NET_FLOW_SAMPLER_H */
