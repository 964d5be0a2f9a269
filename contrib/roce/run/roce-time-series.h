// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TIME_SERIES_H
#define ROCE_TIME_SERIES_H

#include "roce-series.h"

#include "ns3/event-id.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

class RankEngine;

/// A kind of series: what it records, and what makes it.
struct SeriesKind : SeriesTable
{
    /// See Series::Series() for what is given and thrown.
    std::function<std::unique_ptr<Series>(SeriesContext& context,
                                          const SeriesMode& mode,
                                          const SeriesTable& table)>
        make;
};

/// @return a series, see SeriesKind::make @tparam SERIES its class
template <typename SERIES>
std::unique_ptr<Series>
MakeSeries(SeriesContext& context, const SeriesMode& mode, const SeriesTable& table)
{
    return std::make_unique<SERIES>(context, mode, table);
}

/**
 * @brief Records how queues, flows, rate laws, pauses and links develop, as tables and as a time
 * line.
 *
 * Everything comes from trace sources or is read at intervals; nothing changes a result. Tables are
 * written through a RunWriter in order of time (exact times, whatever the stations' slack); node is
 * the ns-3 node id, port the device's index at its node. Each is a Series.
 *
 * chromeTrace: trace.json has the same values as counters, and in any case flows, pauses (slices
 * of ports that must not send), XOFF sent (slices until XON), and what ranks do. See TimeLine.
 *
 * Memory does not grow with the run but with the number of flows, ports, and of what happens within
 * one slack.
 */
class TimeSeries
{
  public:
    /// A range of flow ids, both ends included.
    using FlowRange = std::pair<uint64_t, uint64_t>;

    /// What to record.
    struct Options
    {
        std::map<std::string, SeriesMode> modes; //!< by SeriesKind::option; without one: never
        bool chromeTrace{false};                 //!< trace.json
        std::vector<std::string> ports;          //!< see FindPorts(); empty: all
        std::vector<FlowRange> flows;            //!< empty: all
        RankEngine* ranks{nullptr};              //!< with logs: for trace.json; outlives this

        /// @return whether anything is recorded
        bool IsOn() const;

        /// @param subject ports or flows @return whether anything of these is recorded
        bool IsOn(SeriesSubject subject) const;
    };

    /// @return all kinds, in the order of their rows of one time: the module's own, then those of
    /// systems and of programs, by name
    static const std::vector<SeriesKind>& GetKinds();

    /**
     * @brief One more kind, before options are read. Most are made by StationSeries::Register() or
     * VariableSeries::Register().
     * @return true, for the initialisation of a static variable
     */
    static bool Register(const SeriesKind& kind);

    /**
     * @param text ids and ranges, for example 0,3-7
     * @throw InputError for anything else
     */
    static std::vector<FlowRange> ParseFlows(const std::string& text, const std::string& option);

    /**
     * @brief Check the names of ports and flows, whether anything is recorded or not.
     * @param network built
     * @param options see Options
     * @throw InputError for an unknown port or flow
     */
    static void Check(const Network& network, std::size_t nFlows, const Options& options);

    /**
     * @param network built; outlives this
     * @param flows of the network; the id of each is its position
     * @param options see Options
     * @param writer takes the files; null: another process has it
     * @throw InputError for an unknown port or flow, or a file that cannot be made;
     *        std::logic_error for a mode of no kind
     */
    TimeSeries(Network& network,
               const std::vector<FlowSpec>& flows,
               const Options& options,
               RunWriter* writer);
    ~TimeSeries();
    TimeSeries(const TimeSeries&) = delete;
    TimeSeries& operator=(const TimeSeries&) = delete;

    /// @brief Begin to record. Call right before Simulator::Run(); must outlive the run.
    void Start();

    /**
     * @brief Call after Simulator::Run(), with the network caught up: the last rows.
     * @throw InputError if the time line could not be written
     */
    void Finish();

    /// @return whether a table has nodes that are hosts
    bool HasHosts() const;

  private:
    /// A series that is read at intervals.
    struct Sampler
    {
        Series* series;
        EventId timer;
        int64_t lastPs{0};
    };

    void ChoosePorts(const std::vector<std::string>& names);
    void ChooseFlows(const std::vector<FlowRange>& ranges);
    void ScheduleSample(std::size_t sampler);
    void OnTimer(std::size_t sampler);
    void TakeSample(Series& series);
    StationRecords<SeriesRow>::Use MakeUse();

    SeriesContext m_context;
    std::vector<std::unique_ptr<Series>> m_series; //!< by rank
    std::vector<Sampler> m_samplers;
    StationRecords<SeriesRow> m_records;
    uint64_t m_finished{0}; //!< flows
};

} // namespace ns3::roce

#endif /* ROCE_TIME_SERIES_H */
