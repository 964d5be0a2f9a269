// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SERIES_H
#define ROCE_SERIES_H

#include "roce-port-names.h"
#include "roce-run-writer.h"
#include "roce-time-line.h"
#include "roce-time-order.h"

#include "ns3/abort.h"
#include "ns3/roce-network.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// When a quantity is recorded: never, at intervals, or whenever it changes.
struct SeriesMode
{
    bool onChange{false};
    int64_t intervalPs{0}; //!< 0: not at intervals

    /// @return whether it is recorded
    bool IsOn() const
    {
        return onChange || intervalPs > 0;
    }

    /// @return whether it is recorded at intervals
    bool IsSampled() const
    {
        return !onChange && intervalPs > 0;
    }

    /**
     * @param option its name, for messages
     * @param text empty or 0 (never), a time, or change
     * @return the mode
     * @throw InputError for anything else
     */
    static SeriesMode Parse(const std::string& option, const std::string& text);
};

/// Files that a row goes to.
enum class SeriesFiles : uint8_t
{
    ALL,
    TABLE,
    TIME_LINE,
};

/// A row of any series. Each series has its own meaning for the members that it uses.
struct SeriesRow
{
    uint8_t rank{0}; //!< of the series; set by Series::Tell()
    SeriesFiles files{SeriesFiles::ALL};
    uint8_t trafficClass{0};
    uint16_t port{0};
    uint32_t subject{0}; //!< node, or flow
    std::array<uint64_t, 4> counts{};
    double value{0};
    const char* name{nullptr}; //!< a literal
};

/// A port that is recorded.
struct SeriesPort
{
    Ptr<Port> port;
    uint32_t node;  //!< ns-3 node id
    uint16_t index; //!< at the node

    /// @param trafficClass class @return a row of this port
    SeriesRow Row(uint8_t trafficClass) const;
};

/**
 * @ingroup roce
 * @brief Rows of all series on their way to the files, in order of time.
 */
class SeriesOrder
{
  public:
    /// @param whenFull called when it is worthwhile to Release() what is final
    explicit SeriesOrder(std::function<void()> whenFull);

    /// @return the place of one more series among rows of the same time: 0, 1, ...
    uint8_t NewRank();

    /**
     * @param atPs time
     * @param source station or flow that tells; see TimeOrder for what is required of it
     * @param row with its rank
     */
    void Push(int64_t atPs, uint64_t source, const SeriesRow& row);

    /// @brief Have rows go elsewhere. @param take called instead of Push(); null restores Push()
    void Divert(std::function<void(const SeriesRow&)> take)
    {
        m_divert = std::move(take);
    }

    /**
     * @brief Everything before a time is known: write it.
     * @tparam P callable; @tparam F callable with (atPs, const SeriesRow&)
     * @param untilPs not included
     * @param prepare may push rows; these do not make it full
     * @param take called for each row
     */
    template <typename P, typename F>
    void Release(int64_t untilPs, P&& prepare, F&& take)
    {
        m_fullAt = SIZE_MAX;
        prepare();
        m_order.Release(untilPs, take);
        m_fullAt = std::max(FULL_ROWS, 2 * m_order.GetSize());
    }

  private:
    static constexpr std::size_t FULL_ROWS = 4096;

    TimeOrder<SeriesRow> m_order;
    std::size_t m_fullAt{FULL_ROWS}; //!< rows
    uint8_t m_ranks{0};
    std::function<void()> m_whenFull;
    std::function<void(const SeriesRow&)> m_divert; //!< null: rows come here
};

/**
 * @ingroup roce
 * @brief What the series of a run share.
 */
struct SeriesContext
{
    Network& network;
    PortNames names;
    RunWriter* writer; //!< null: another process writes the tables
    SeriesOrder order;
    std::vector<FlowSpec> flows;                //!< the id of each is its position
    std::vector<bool> chosenFlows;              //!< by flow
    std::vector<SeriesPort> ports;              //!< chosen ones
    std::vector<std::vector<bool>> switchPorts; //!< by switch and port: chosen
    std::unique_ptr<TimeLine> timeLine;         //!< null: not written

    /// @param flow id @return whether it is recorded
    bool IsChosen(uint64_t flow) const
    {
        return flow < chosenFlows.size() && chosenFlows[flow];
    }

    /// @param flow id @return ns-3 node id of its sender
    uint32_t GetSourceNode(uint64_t flow) const;

    /**
     * @param nic number of the sender
     * @param frame it sends
     * @return the queue pair, if the frame is data of a chosen flow, or null
     */
    const QueuePair* GetSender(uint32_t nic, const Frame& frame) const;

    /**
     * @brief Visit chosen flows that are under way, by NIC and queue pair.
     * @tparam F callable with (flow, const QueuePair&)
     * @param visit called for each
     */
    template <typename F>
    void ForOpenFlows(F&& visit) const
    {
        for (uint32_t n = 0; n < network.GetNNics(); ++n)
        {
            const Ptr<Nic> nic = network.GetNic(n);
            for (uint32_t q = 0; nic->GetOpenQps() && q < nic->GetNQps(); ++q)
            {
                const QueuePair* qp = nic->GetQp(q);
                if (qp && IsChosen(qp->GetOldestCookie()))
                {
                    visit(qp->GetOldestCookie(), *qp);
                }
            }
        }
    }
};

/**
 * @ingroup roce
 * @brief One quantity over time: a table, and what the time line has of it.
 *
 * A series reports rows in any order (see TimeOrder for what is required), from trace sources or
 * when it is sampled, and gets them back in order of time to write them. It changes no result.
 */
class Series
{
  public:
    /// @param context outlives this. @param mode see SeriesMode
    Series(SeriesContext& context, const SeriesMode& mode);
    virtual ~Series();
    Series(const Series&) = delete;
    Series& operator=(const Series&) = delete;

    /// @return when it is recorded
    const SeriesMode& GetMode() const
    {
        return m_mode;
    }

    /// @brief Connect the trace sources. The time line, if any, is there. Right before the run.
    virtual void Start();

    /// @brief Tell the state. At intervals and at the end. @param nowPs stations are up to it
    virtual void Sample(int64_t nowPs);

    /// @brief No station looks at an earlier time any more: tell what is final. @param untilPs time
    virtual void Settle(int64_t untilPs);

    /// @brief All rows are written: complete the time line. @param nowPs end of the run
    virtual void FinishTimeLine(int64_t nowPs);

    /// @return whether its rows have nodes that are hosts
    virtual bool HasHosts() const;

    /// @return whether samples have ports in the order of SeriesContext::ports, else in that of the
    /// network
    virtual bool TakesPortsAsGiven() const
    {
        return false;
    }

    /// @return whether its rows are about nodes, else about flows
    bool HasNodes() const
    {
        return m_hasNodeName;
    }

    /// @brief Write a row to its files. @param atPs time. @param row earlier row
    void Write(int64_t atPs, const SeriesRow& row);

  protected:
    /**
     * @brief Open the table. If it begins with the column node, the row's subject is one, and its
     * name comes at the end (node_name), then that of the port if there is a column port.
     * @param name of the file
     * @param columns after time_ns
     * @throw InputError when it cannot be created
     */
    void OpenTable(const std::string& name, const std::vector<std::string>& columns);

    /**
     * @brief A row is known.
     * @param atPs time
     * @param source station or flow it comes from; see TimeOrder
     * @param row the rest
     */
    void Tell(int64_t atPs, uint64_t source, SeriesRow row);

    /**
     * @brief Append the fields of a row that come after time and subject.
     * @param csv the table
     * @param row see SeriesRow
     */
    virtual void WriteFields(CsvFile& csv, const SeriesRow& row) const;

    /**
     * @brief Draw a row on the time line.
     * @param line the time line
     * @param atPs the row's time
     * @param row see SeriesRow
     */
    virtual void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row);

    /**
     * @brief Connect a function that takes these arguments.
     * @tparam Args of the trace source; @tparam F callable
     * @param object that has the source
     * @param source name
     * @param sink the function
     */
    template <typename... Args, typename F>
    static void Connect(Object& object, const char* source, F&& sink)
    {
        NS_ABORT_MSG_UNLESS(
            object.TraceConnectWithoutContext(source,
                                              Callback<void, Args...>(std::forward<F>(sink))),
            "no such trace source");
    }

    /**
     * @brief Be called for every queue pair's first packet and for feedback.
     * @tparam F callable with (const QueuePair&, atPs)
     * @param sink the function; of chosen flows only
     */
    template <typename F>
    void ConnectRateChanges(F sink)
    {
        for (uint32_t n = 0; n < m_context.network.GetNNics(); ++n)
        {
            Nic& nic = *m_context.network.GetNic(n);
            Connect<const Frame&, Time>(nic, "TxBegin", [this, n, sink](const Frame& f, Time at) {
                const QueuePair* qp = m_context.GetSender(n, f);
                if (qp && f.psn == 0 && !(f.flags & FRAME_RETX))
                {
                    sink(*qp, at.GetPicoSeconds()); // the rate it begins with
                }
            });
            Connect<const QueuePair&, Time>(nic, "Rate", [this, sink](const QueuePair& q, Time at) {
                if (m_context.IsChosen(q.GetOldestCookie()))
                {
                    sink(q, at.GetPicoSeconds());
                }
            });
        }
    }

    SeriesContext& m_context;
    const SeriesMode m_mode;

  private:
    const uint8_t m_rank;
    CsvFile* m_table{nullptr}; //!< null: not written
    bool m_hasNodeName{false}; //!< the table has a column node
    bool m_hasPortName{false}; //!< the table has a column port
};

} // namespace ns3::roce

#endif /* ROCE_SERIES_H */
