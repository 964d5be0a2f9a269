/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_TIME_SERIES_H
#define ROCE_TIME_SERIES_H

#include "roce-network.h"
#include "roce-run-writer.h"
#include "roce-time-order.h"

#include "ns3/event-id.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace roce
{

class ChromeTrace;

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

/**
 * @ingroup roce
 * @brief Records how queues, flows, rate laws, pauses and links develop, as tables and as a time
 * line.
 *
 * Everything comes from trace sources or is read at intervals; nothing changes a result. Tables,
 * written through a RunWriter in order of time (exact times, whatever the stations' slack); node is
 * the ns-3 node id, port the device's index at its node:
 * - queues.csv `time_ns,node,port,class,queue_bytes`: bytes in an egress queue of a switch, of
 * which a frame that is being sent is no part. At intervals those that hold something, and a row
 * with 0 when they have emptied. On change (trace source QueueLength) a row per frame in or out.
 * - rates.csv `time_ns,flow,src,dst,rate_bps,window_bytes,sent_bytes,acked_bytes`: what the rate
 *   law allows (window empty: none), payload sent so far (repeats included) and acknowledged. Of
 *   flows under way; a last row with rate 0 at the exact time a flow is done. On change (Rate,
 *   TxBegin, MessageCompleted): at the first packet, and after feedback that has changed anything.
 * - transport.csv `time_ns,flow,variable,value`: CongestionControl::GetVariables(). On change
 *   (Rate) only what has changed.
 * - pfc.csv `time_ns,node,port,class,event`: xoff, refresh or xon, sent by a switch port
 *   (PauseSent).
 * - pauses.csv `time_ns,node,port,class,paused,paused_ns`: whether a port (of a NIC, too) must not
 *   send a class, and for how long in all. At intervals those that were paused since the last one;
 *   on change (PauseState) at the exact times.
 * - utilisation.csv `time_ns,node,port,tx_bytes,utilisation`: wire bytes of all transmissions
 * begun, and the busy share of the interval. At intervals ports that have sent something, and a row
 * with 0 when they have not any more; on change (TxBegin) 1 when a port begins to send and 0 when
 * it falls silent.
 *
 * chromeTrace: trace.json has the same values as counters, and in any case flows (slices from start
 * to last ACK, on as many tracks of the source as overlap), pauses (slices of ports that must not
 * send) and XOFF sent (slices until XON). See ChromeTrace.
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
        SeriesMode queues;
        SeriesMode rates;
        SeriesMode transport;
        SeriesMode pauses;
        SeriesMode utilisation;
        bool pfc{false};                //!< pfc.csv
        bool chromeTrace{false};        //!< trace.json
        std::vector<std::string> ports; //!< see FindPorts(); empty: all
        std::vector<FlowRange> flows;   //!< empty: all

        /// @return whether anything is recorded
        bool IsOn() const
        {
            return queues.IsOn() || rates.IsOn() || transport.IsOn() || pauses.IsOn() ||
                   utilisation.IsOn() || pfc || chromeTrace;
        }
    };

    /**
     * @param text ids and ranges, for example 0,3-7
     * @param option its name, for messages
     * @return the ranges
     * @throw InputError for anything else
     */
    static std::vector<FlowRange> ParseFlows(const std::string& text, const std::string& option);

    /**
     * @param network built; outlives this
     * @param flows of the network; the id of each is its position
     * @param options see Options
     * @param writer takes the files
     * @throw InputError for an unknown port or flow, or a file that cannot be made
     */
    TimeSeries(Network& network,
               const std::vector<FlowSpec>& flows,
               const Options& options,
               RunWriter& writer);
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

  private:
    /// What a row belongs to.
    enum Table : uint8_t
    {
        QUEUES,
        RATES,
        TRANSPORT,
        PFC,
        PAUSES,
        UTILISATION,
        PAUSE_SAMPLES, //!< pauses.csv at intervals
        FLOWS,         //!< of the time line only
        N_TABLES
    };

    /// What a flow had last time. Rates and windows are those of the rate law.
    struct RateRow
    {
        uint64_t rateBps{0};
        uint64_t windowBytes{0};
        uint64_t sentBytes{0};
        uint64_t ackedBytes{0};

        bool operator==(const RateRow& other) const
        {
            return rateBps == other.rateBps && windowBytes == other.windowBytes &&
                   sentBytes == other.sentBytes && ackedBytes == other.ackedBytes;
        }
    };

    /// A row of any table; what the members mean depends on it.
    struct Row
    {
        Table table{N_TABLES};
        uint8_t trafficClass{0};
        uint16_t port{0};
        uint32_t subject{0}; //!< node, or flow
        RateRow rates;
        uint64_t count{0};         //!< bytes, picoseconds, or an event
        double value{0};           //!< of a variable, or utilisation
        const char* name{nullptr}; //!< of a variable
    };

    /// A port that is recorded.
    struct PortEntry
    {
        Ptr<Port> port;
        uint32_t node;
        uint16_t index; //!< at the node
        // utilisation
        bool busy{false};
        int64_t busyUntilPs{-1};
        uint64_t txBytes{0};
        double busyPs{0};
        bool wasBusy{false};
        // pauses
        std::array<int64_t, N_CLASSES> pausedSincePs;
        std::array<int64_t, N_CLASSES> pausedPs{};
    };

    /// A series that is read at intervals.
    struct Sampler
    {
        int64_t intervalPs;
        void (TimeSeries::*sample)(int64_t nowPs);
        EventId timer;
        int64_t lastPs{0};
    };

    void SelectPorts();
    void SelectFlows();
    void OpenTables(RunWriter& writer);
    void ConnectNics();
    void ConnectSwitches();
    void ConnectPorts();
    void AddSampler(const SeriesMode& mode, void (TimeSeries::*sample)(int64_t));
    void OnTimer(std::size_t sampler);
    bool GoesOn() const;

    void OnSend(const Frame& frame, uint32_t nic, int64_t atPs);
    void OnFeedback(const QueuePair& qp, int64_t atPs);
    void OnCompleted(const MessageRecord& record);
    void OnPauseSent(uint32_t sw, uint16_t port, uint8_t trafficClass, bool pause, int64_t atPs);
    void OnPauseState(PortEntry& entry, uint8_t trafficClass, bool paused, int64_t atPs);
    void OnTransmit(PortEntry& entry, const Frame& frame, int64_t atPs);

    void SampleQueues(int64_t nowPs);
    void SampleRates(int64_t nowPs);
    void SampleTransport(int64_t nowPs);
    void SamplePauses(int64_t nowPs);
    void SampleUtilisation(int64_t nowPs);
    template <typename F>
    void ForOpenFlows(F&& visit);
    RateRow MakeRateRow(const QueuePair& qp) const;
    Row FlowRow(Table table, uint64_t flow) const;
    Row PortRow(Table table, const PortEntry& entry, uint8_t trafficClass) const;

    void Tell(int64_t atPs, uint64_t source, const Row& row);
    void TellSample(int64_t nowPs, const Row& row);
    void Order(int64_t atPs, uint64_t source, const Row& row);
    void Settle(int64_t untilPs);
    void CloseBusy(PortEntry& entry);
    void Write(int64_t atPs, const Row& row);
    void WriteTable(int64_t atPs, const Row& row);
    void WriteTimeLine(int64_t atPs, const Row& row);
    void WriteFlowSlice(uint64_t flow, int64_t endPs, bool finished);
    void WritePauseSlice(int64_t atPs, const Row& row, bool begins, const char* what);
    void FinishTimeLine(int64_t nowPs);
    uint32_t Process(uint32_t node);
    std::string PortLabel(uint32_t node, uint16_t port) const;

    bool IsSelected(uint64_t flow) const
    {
        return flow < m_selected.size() && m_selected[flow];
    }

    Network& m_network;
    std::vector<FlowSpec> m_flows;
    Options m_options;
    std::array<CsvFile*, N_TABLES> m_tables{}; //!< null: not written
    std::unique_ptr<ChromeTrace> m_trace;      //!< null: not written
    std::vector<Sampler> m_samplers;
    TimeOrder<Row> m_order;
    std::size_t m_settleAt{0}; //!< rows waiting that make it worthwhile to look which are final
    int64_t m_slackPs{0};      //!< greatest of all stations
    uint64_t m_finished{0};
    std::vector<bool> m_selected;                  //!< by flow
    std::vector<PortEntry> m_ports;                //!< selected ones
    std::vector<std::vector<bool>> m_switchPorts;  //!< by switch and port: selected
    std::vector<std::vector<uint8_t>> m_nonEmpty;  //!< by switch and port: classes last seen so
    std::vector<std::vector<uint8_t>> m_xoffSent;  //!< by switch and port: classes
    std::vector<uint64_t> m_sentBytes;             //!< by flow
    std::vector<RateRow> m_lastRates;              //!< by flow, on change only
    std::vector<std::vector<double>> m_lastValues; //!< by flow, on change only
    std::vector<ControlVariable> m_variables;      //!< scratch
    std::vector<std::array<int64_t, N_CLASSES>> m_sampledPauses; //!< by port: as of the last sample
    int64_t m_utilisationPs{0};                                  //!< last sample
    // time line
    std::vector<bool> m_named;                 //!< by node: has a process
    std::vector<bool> m_drawn;                 //!< by flow: has its slice
    std::vector<std::vector<int64_t>> m_lanes; //!< by NIC: end of the last slice of each track
    std::map<std::pair<uint32_t, uint32_t>, std::string> m_nicLabels; //!< by node and device
    std::map<std::pair<uint64_t, std::string>, int64_t> m_openSlices; //!< node and track: begin
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_TIME_SERIES_H */
