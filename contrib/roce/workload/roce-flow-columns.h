// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_COLUMNS_H
#define ROCE_FLOW_COLUMNS_H

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The columns of a `flow.txt`: simulators made from the HPCC simulator have others than
 * that.
 *
 * - `src dst pg dport size start`: the HPCC simulator and most others;
 * - `src dst pg size start`: ConWeave;
 * - `src dst pg dport size start stop`: Hawkeye; the flow is of its whole size here;
 * - `id src dst pg dport size start`: m3 and m4.
 *
 * bobzhuyb/ns3-rdma has six columns, too, but others: see PacketListGuess.
 */
class FlowColumns
{
  public:
    /// Places of lines without the column.
    static constexpr std::size_t NONE = static_cast<std::size_t>(-1);

    /**
     * @brief Find the columns of a list.
     *
     * Lists of seven columns are read completely: in those of m3 the first column counts from the
     * first line on, and in Hawkeye's no flow stops before it starts.
     * @param path of the file, whose first line has the number of flows
     * @param fields of the first flow
     * @return the columns; those of the HPCC simulator if no others fit
     */
    static FlowColumns Find(const std::string& path, const std::vector<std::string>& fields);

    std::size_t src{0};
    std::size_t dst{1};
    std::size_t pg{2};
    std::size_t dport{3}; //!< NONE: there is none
    std::size_t size{4};
    std::size_t start{5};
    std::size_t count{6}; //!< of fields
    std::string form{"src dst pg dport size start_seconds"};
    std::string note; //!< note on a list with these columns; may be empty
};

/**
 * @brief Whether a list of six columns is one of bobzhuyb/ns3-rdma: `src dst pg packets start
 * stop`.
 *
 * What would be the size is a time before the start in all lines, and some port is unknown to
 * analyses of the HPCC simulator. Reading packets as a port and seconds as bytes would be a silent
 * error.
 */
class PacketListGuess
{
  public:
    /// @brief Look at one more flow.
    void Look(const std::vector<std::string>& fields);

    /// @return whether the list is taken for one that counts packets, by what was seen so far
    bool IsPackets() const
    {
        return m_fits && m_hasOddPort;
    }

    /// @return whether six fields can be no flow of the HPCC simulator. @param fields of a flow
    static bool IsNoFlow(const std::vector<std::string>& fields);

    /// Message about such a list.
    static constexpr const char* MESSAGE =
        "the list is taken for bobzhuyb/ns3-rdma's, src dst pg packets start stop, whose sizes are "
        "packets; expected bytes: src dst pg dport size start_seconds";

  private:
    bool m_fits{true};
    bool m_hasOddPort{false};
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_COLUMNS_H */
