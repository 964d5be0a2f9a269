// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ELASTIC_SKETCH_H
#define ROCE_ELASTIC_SKETCH_H

#include "roce-flow-states.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Sizes of flows in little memory: Elastic Sketch (Yang et al., SIGCOMM 2018) as PARALEON
 * uses it in the data plane of ToR switches (section III-B of its paper).
 *
 * The heavy part is a hash table of flows that are counted by name, the light part an array of
 * counters without names. With one entry per bucket, as in the paper: a packet of the bucket's flow
 * adds to its positive votes, one of another flow to the bucket's negative votes; once negative
 * over positive reach Lambda, the newcomer takes the bucket, and what was counted goes to the light
 * part; until then the newcomer's packets go there. With several entries, as in the public code of
 * the sketch, a bucket has one negative vote for all of its entries; once it exceeds Lambda times
 * the smallest entry, that one is removed, and the vote is 0 again.
 *
 * With counters wide enough an estimate is never below the truth, and exact for a flow that has
 * never lost its place. Insert() allocates nothing.
 */
class ElasticSketch
{
  public:
    /// Parameters; see ParaleonParams::Table().
    struct Config
    {
        uint32_t heavyBuckets;     //!< 1 or more
        uint32_t entriesPerBucket; //!< 1 (paper) or more (7 in the artifacts)
        uint32_t lightCounters;    //!< 1 or more
        uint32_t lightBits;        //!< 1..32: a counter stays at 2^bits - 1
        double lambda;             //!< ostracism: negative over positive votes
        bool inPackets;            //!< a packet counts 1, whatever its bytes
    };

    /// @brief Begin with everything empty. @param config copied
    void Start(const Config& config);

    /// @brief A packet has come. @param flow whose. @param bytes its size; 1 or more
    void Insert(FlowKey flow, uint32_t bytes);

    /**
     * @brief Read the flows of the heavy part, then clear both parts: what a ToR's control plane
     * does at the end of a monitor interval.
     * @param readings is replaced; in the order of buckets and their entries, so that the same
     * packets give the same order
     */
    void ReadAndReset(std::vector<FlowReading>& readings);

    /// @return the sketch's present estimate for a flow, whether in the heavy part or not
    /// @param flow any
    uint64_t Estimate(FlowKey flow) const;

    /// @return sum of all counters of the light part: L1 norm in the bound of the sketch's paper
    uint64_t GetLightSum() const;

    /// @return the bucket of a flow, for tests.
    uint32_t BucketOf(FlowKey flow) const;

    /// @return its counter in the light part, for tests.
    uint32_t CounterOf(FlowKey flow) const;

    /// @return negative votes of a bucket, for tests. @param bucket index
    uint64_t GetVotesAgainst(uint32_t bucket) const
    {
        return m_against[bucket];
    }

    /// @return what the light part has counted for a flow, and for those that share its counter
    /// @param flow any
    uint64_t GetLight(FlowKey flow) const
    {
        return m_light[CounterOf(flow)];
    }

  private:
    /// A place of the heavy part.
    struct Entry
    {
        FlowKey flow{0};
        uint64_t votes{0}; //!< 0: the place is free
        bool mayBePart{false};
    };

    void AddToLight(FlowKey flow, uint64_t size);
    bool IsOverthrown(uint64_t against, uint64_t votes) const;
    uint64_t SizeOf(const Entry& entry) const;

    Config m_config{};
    uint64_t m_lightMax{0};
    bool m_lightUsed{false};
    std::vector<Entry> m_entries;    //!< entriesPerBucket of each bucket
    std::vector<uint64_t> m_against; //!< negative votes, by bucket
    std::vector<uint32_t> m_light;
};

} // namespace ns3::roce

#endif /* ROCE_ELASTIC_SKETCH_H */
