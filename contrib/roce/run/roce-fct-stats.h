// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FCT_STATS_H
#define ROCE_FCT_STATS_H

#include "ns3/roce-flow-spec.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/// @brief What became of one flow.
struct FlowRecord
{
    FlowSpec spec;             //!< the flow; startPs is its real start, -1 if its phase never began
    int64_t fctPs{-1};         //!< post to last ACK at the sender, ps; -1 unfinished
    int64_t receiverFctPs{-1}; //!< post to last byte at the receiver, ps; -1 unfinished
    int64_t idealPs{0};        //!< sender-side time on an empty network, ps; positive
    bool interDc{false};       //!< true when the path leaves the datacenter
    uint64_t retransmittedPackets{0}; //!< data packets sent again
    uint64_t packets{0};              //!< data packets of the message
    uint64_t deliveredBytes{0};       //!< payload that reached the receiver in order

    /// @return true when the sender has the last ACK
    bool IsFinished() const
    {
        return fctPs >= 0;
    }
};

/// @brief Which flows a statistic is over.
enum class FlowScope
{
    ALL,   //!< every flow
    INTRA, //!< both ends in one datacenter
    INTER, //!< ends in different datacenters
};

/// @brief Order statistics of one quantity; all zero when count is 0.
struct Distribution
{
    uint64_t count{0}; //!< samples
    double mean{0};    //!< arithmetic mean
    double p50{0};     //!< nearest-rank percentiles: the ceil(p*n)-th smallest
    double p95{0};     //!< 95th
    double p99{0};     //!< 99th
    double p999{0};    //!< 99.9th
    double max{0};     //!< largest sample
};

/// @brief Counts and distributions over one group of flows.
struct FctGroup
{
    uint64_t flows{0};                //!< flows counted: finished and unfinished
    uint64_t finished{0};             //!< flows in the distributions
    uint64_t unfinished{0};           //!< flows that were still running at the end
    uint64_t packets{0};              //!< data packets of the counted flows' messages
    uint64_t retransmittedPackets{0}; //!< packets sent again by the counted flows
    uint64_t deliveredBytes{0};       //!< payload delivered, unfinished flows included
    Distribution slowdown;            //!< FCT / ideal FCT of the finished flows
    Distribution fctPs;               //!< sender-side FCT of the finished flows, picoseconds
};

/// @brief A group of flows of similar size.
struct FctBin
{
    std::string label;     //!< for people, for example "10KB-100KB" (decimal units)
    uint64_t lowBytes{0};  //!< smallest size that belongs to the bin
    uint64_t highBytes{0}; //!< largest size that belongs to the bin; UINT64_MAX when open
    FctGroup group;        //!< the statistics
};

/**
 * @brief Flow completion times and slowdowns, by scope and by size.
 *
 * Percentiles are nearest-rank: the ceil(p*n)-th smallest of n samples, so that each is a value
 * that occurred. The rank is computed in integers. Flows that start before the end of the warm-up
 * are not counted (except in Excluded()). Unfinished flows are counted apart and never enter a
 * distribution; a mean or tail next to a large unfinished count is too good to be true.
 *
 * Results do not depend on the order of Add().
 */
class FctStats
{
  public:
    /// @brief How to count.
    struct Options
    {
        int64_t warmupPs{0}; //!< flows with startPs below this are not counted
        /** Inclusive upper edges of the size bins, ascending; one open bin follows the last. */
        std::vector<uint64_t> binEdgesBytes{10000, 100000, 1000000, 10000000};
        /**
         * 0: fixed bins at binEdgesBytes. Else this many bins of (nearly) equal flow count, made of
         * the counted flows of the scope in order of (size, id), so that flows of one size may lie
         * in neighbouring bins.
         */
        uint32_t equalCountBins{0};
    };

    /**
     * @param options warm-up and bins
     * @throw InputError when the edges are not ascending or the warm-up is negative
     */
    explicit FctStats(const Options& options);

    /// Default options.
    FctStats();

    /**
     * @param record a flow, finished or not
     * @throw InputError when a finished flow has no positive ideal FCT
     */
    void Add(const FlowRecord& record);

    /// @param scope which flows. @return their statistics
    FctGroup Group(FlowScope scope) const;

    /**
     * @param scope which flows
     * @return one entry per bin, by ascending size; fixed bins are there even when empty
     */
    std::vector<FctBin> Bins(FlowScope scope) const;

    /// @return number of flows not counted since they started in the warm-up
    uint64_t Excluded() const;

    const Options& GetOptions() const;

    /**
     * @brief Rank of the nearest-rank percentile.
     * @param count number of samples, at least 1
     * @param perMillion the percentile in parts per million: 990000 is the 99th
     * @return ceil(p*count), at least 1: the how-manieth smallest sample
     * @throw InputError when count is 0 or perMillion is above 1000000
     */
    static uint64_t NearestRank(uint64_t count, uint32_t perMillion);

    /// @param values samples in any order. @return their mean and percentiles
    static Distribution Describe(std::vector<double> values);

    /// @return it in the largest decimal unit that divides it: "10KB", "1MB", "1500B"
    static std::string SizeLabel(uint64_t bytes);

  private:
    /// What is kept of a flow.
    struct Sample
    {
        uint64_t id;            //!< flow id
        uint64_t sizeBytes;     //!< message size
        int64_t fctPs;          //!< -1 unfinished
        int64_t idealPs;        //!< positive if finished
        uint64_t packets;       //!< data packets
        uint64_t retransmitted; //!< packets sent again
        uint64_t delivered;     //!< bytes delivered
        bool interDc;           //!< scope
    };

    /// @param scope which flows. @return the samples in the scope by ascending (size, id)
    std::vector<const Sample*> Select(FlowScope scope) const;

    /**
     * @param first first sample of the group
     * @param last one past the last
     * @return statistics of [first, last)
     */
    static FctGroup Summarise(const Sample* const* first, const Sample* const* last);

    Options m_options;             //!< how to count
    std::vector<Sample> m_samples; //!< counted flows
    uint64_t m_excluded{0};        //!< flows that started in the warm-up
};

} // namespace ns3::roce

#endif /* ROCE_FCT_STATS_H */
