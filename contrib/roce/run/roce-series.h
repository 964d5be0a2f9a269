// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SERIES_H
#define ROCE_SERIES_H

#include "roce-port-names.h"
#include "roce-run-writer.h"
#include "roce-series-table.h"
#include "roce-station-records.h"
#include "roce-time-line.h"
#include "roce-watching.h"

#include "ns3/roce-network.h"

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
     * @param text empty or 0 (never), a time, or change
     * @throw InputError for anything else
     */
    static SeriesMode Parse(const std::string& option, const std::string& text);
};

/// A port that is recorded.
struct SeriesPort
{
    Ptr<Port> port;
    uint32_t node;  //!< ns-3 node id
    uint16_t index; //!< at the node
};

/// @brief What the series of a run share.
struct SeriesContext
{
    Network& network;
    PortNames names;
    RunWriter* writer;                  //!< null: another process writes the tables
    StationRecords<SeriesRow>* records; //!< rows on their way to the files
    /// Where rows of samples go with the place of their source. Null: to `records`.
    std::function<void(uint64_t place, const SeriesRow& row)> divert;
    std::vector<FlowSpec> flows;                //!< the id of each is its position
    std::vector<bool> chosenFlows;              //!< by flow
    std::vector<SeriesPort> ports;              //!< chosen ones
    std::vector<std::vector<bool>> switchPorts; //!< by switch and port: chosen
    std::unique_ptr<TimeLine> timeLine;         //!< null: not written, or by another process
    bool hasTimeLine{false};                    //!< some process writes it
    uint8_t series{0};                          //!< how many there are

    /// @brief Put a row in order of time. @param atPs time @param source see TimeOrder @param row
    /// it
    void Push(int64_t atPs, uint64_t source, const SeriesRow& row);

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

    /// @brief Be called for every queue pair's first packet and for feedback, of chosen flows.
    /// @param sink called with the queue pair and the time, ps
    void ConnectRateChanges(const std::function<void(const QueuePair&, int64_t)>& sink) const;

    /**
     * @brief Visit chosen flows of NICs here that are under way, by NIC and queue pair.
     * @tparam F callable with (flow, const QueuePair&)
     * @param visit called for each
     */
    template <typename F>
    void ForOpenFlows(F&& visit) const
    {
        ForOpenQps(network, [&](const QueuePair& qp) {
            if (IsChosen(qp.GetOldestCookie()))
            {
                visit(qp.GetOldestCookie(), qp);
            }
        });
    }
};

/**
 * @brief Variables over time: a table, and what the time line has of it.
 *
 * A series reports rows in any order (see TimeOrder for what is required), from trace sources or
 * when it is sampled, and gets them back in order of time to write them as its SeriesTable says. It
 * changes no result.
 *
 * What switches, their stages, and ports offer is a StationSeries, what rate laws and feedbacks
 * offer a VariableSeries. A class of its own is only needed for what nobody knows.
 */
class Series
{
  public:
    /**
     * @param context outlives this
     * @param mode see SeriesMode; if it is on, the file is made
     * @param table what is recorded
     * @throw InputError when the file cannot be made, or the table has no such times
     */
    Series(SeriesContext& context, const SeriesMode& mode, const SeriesTable& table);
    virtual ~Series();
    Series(const Series&) = delete;
    Series& operator=(const Series&) = delete;

    /// @return when it is recorded
    const SeriesMode& GetMode() const
    {
        return m_mode;
    }

    /// @return what is recorded
    const SeriesTable& GetTable() const
    {
        return m_table;
    }

    /// @brief Connect the trace sources. The time line, if any, is there. Right before the run.
    virtual void Start()
    {
    }

    /// @brief Report the state of stations that are here. At intervals and at the end. @param nowPs
    /// stations are up to it
    virtual void Sample([[maybe_unused]] int64_t nowPs)
    {
    }

    /// @brief No station looks at an earlier time any more: report what is final. @param untilPs
    /// time
    virtual void Settle([[maybe_unused]] int64_t untilPs)
    {
    }

    /// @brief All rows are written: complete the time line, if it is here. By all processes. @param
    /// nowPs end of the run
    virtual void FinishTimeLine([[maybe_unused]] int64_t nowPs)
    {
    }

    /// @brief Write a row to its files. @param row earlier row
    virtual void Write(int64_t atPs, const SeriesRow& row);

  protected:
    /// @return whether changes are reported: to the table, or because the time line has slices
    bool IsWatching() const;

    /// @return whether the table has a column PORT
    bool HasPort() const
    {
        return m_hasPort;
    }

    /// @brief Report a row of a sample. @param nowPs time @param place of its source: sources come
    /// in this order @param row the rest
    void TellSample(int64_t nowPs, uint64_t place, SeriesRow row);

    /**
     * @brief Report a change.
     * @param source station or flow it comes from; see TimeOrder
     * @param row the rest
     */
    void TellChange(int64_t atPs, uint64_t source, SeriesRow row);

    /// @brief Draw a row.
    virtual void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row);

    SeriesContext& m_context;
    const SeriesMode m_mode;

  private:
    std::string MakeLabel(const TimeLine& line, const SeriesRow& row) const;
    void WriteFields(const SeriesRow& row);

    const SeriesTable m_table;
    const uint8_t m_rank;
    const bool m_hasSlices;
    const bool m_hasPort;
    CsvFile* m_file{nullptr}; //!< null: not written
};

} // namespace ns3::roce

#endif /* ROCE_SERIES_H */
