// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_SIZE_DISTRIBUTION_H
#define ROCE_FLOW_SIZE_DISTRIBUTION_H

#include "ns3/random-variable-stream.h"
#include "ns3/roce-flow-spec.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Flow sizes drawn from a piecewise-linear cumulative distribution.
 *
 * A distribution is a list of points (size in bytes, cumulative probability); between two points
 * the probability grows linearly with the size, as in the traffic generators of the public RDMA
 * simulators (HPCC's traffic_gen). Two points of equal size are an atom, two of equal probability a
 * gap. A first point whose probability p is above 0 is an atom of mass p at that size.
 *
 * Text format, of files and of the built-in tables alike: one point per line, two numbers separated
 * by blanks, `size_bytes cumulative`; `#` starts a comment, empty lines are skipped. The cumulative
 * column is in percent if it ends at exactly 100 and a fraction if it ends at exactly 1. A single
 * point is a constant size.
 *
 * Objects are values: cheap to copy, never changed after they are made.
 */
class FlowSizeDistribution
{
  public:
    /// One point of the cumulative distribution.
    struct Point
    {
        double sizeBytes;  //!< flow size, bytes, 0..MAX_FLOW_BYTES
        double cumulative; //!< probability of a flow of at most that size, 0..1
    };

    /**
     * @brief A built-in distribution.
     * @param name one of Names()
     * @return the distribution; its origin is given in data/roce-NAME.inc
     * @throw InputError for an unknown name; the message lists the known ones
     */
    static FlowSizeDistribution Named(const std::string& name);

    /**
     * @return the names that Named() knows: websearch, websearch-abm, fbhadoop, hadoop-abm,
     *         googlerpc, alistorage, solar, datamining, alibaba-wan
     */
    static std::vector<std::string> Names();

    /**
     * @brief Read a distribution from a text file in the format above.
     * @return the distribution, named by its path
     * @throw InputError naming file and line: unreadable file; a line that is not two finite
     *        numbers; a negative or decreasing size or probability; a last probability other than 1
     *        or 100; no point at all; no size above 0
     */
    static FlowSizeDistribution FromFile(const std::string& path);

    /**
     * @brief All flows have the same size.
     * @param bytes the size, 1..MAX_FLOW_BYTES
     * @throw InputError for a size out of range
     */
    static FlowSizeDistribution Constant(uint64_t bytes);

    /**
     * @brief The conditional distribution of sizes given that they do not exceed a limit.
     *
     * The points up to the limit are kept and all probabilities divided by that of the limit, as if
     * larger draws were thrown away and drawn again. The mean shrinks accordingly: a workload that
     * is given the truncated distribution still offers its nominal load, with more flows. This is
     * not clipping, which would pile the tail up at the limit.
     *
     * @param maxBytes the limit, bytes
     * @return the truncated distribution; the same distribution if none of it lies above the limit
     * @throw InputError if no flow is as small as the limit
     */
    FlowSizeDistribution TruncatedAt(uint64_t maxBytes) const;

    /**
     * @brief Mean size by the trapezoid rule: sum over segments of (x0 + x1) / 2 * (p1 - p0).
     *
     * Exact for the continuous distribution. The sizes drawn are integers of at least 1 byte; that
     * shifts their mean by less than one byte.
     * @return bytes
     */
    double MeanBytes() const
    {
        return m_meanBytes;
    }

    /**
     * @brief Inverse of the cumulative distribution, rounded half up, at least 1 byte.
     * @param u probability, 0..1; 0 gives the smallest and 1 the largest size that can occur
     * @return bytes
     * @throw InputError if u is not within 0..1
     */
    uint64_t Quantile(double u) const;

    /**
     * @brief Draw one size.
     * @param rng source of one uniform draw; its Min and Max attributes are not used
     * @return Quantile(u), bytes
     */
    uint64_t Sample(Ptr<UniformRandomVariable> rng) const;

    /// @return the built-in name, the path, or `constant-BYTES`; truncated ones end in `<=BYTES`
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @return the points, probabilities as fractions, the last one exactly 1
    const std::vector<Point>& GetPoints() const
    {
        return m_points;
    }

  private:
    FlowSizeDistribution(std::string name, std::vector<Point> points);

    /**
     * @brief Read the text format.
     * @param in the text
     * @param source name used in messages
     * @param name name of the distribution
     */
    static FlowSizeDistribution Parse(std::istream& in,
                                      const std::string& source,
                                      const std::string& name);

    std::string m_name;
    std::vector<Point> m_points; //!< never empty; sizes and probabilities do not decrease
    double m_meanBytes;
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_SIZE_DISTRIBUTION_H */
