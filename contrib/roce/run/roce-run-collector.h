// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RUN_COLLECTOR_H
#define ROCE_RUN_COLLECTOR_H

#include "roce-fct-stats.h"
#include "roce-netanim-file.h"
#include "roce-port-capture.h"
#include "roce-run-writer.h"
#include "roce-stall-detector.h"
#include "roce-time-series.h"

#include "ns3/event-id.h"
#include "ns3/roce-network.h"
#include "ns3/roce-tcp-flows.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Watches a run: flow records and counters, and on request time series, an animation
 * and pcap.
 *
 * The run ends right after all flows are done, at a given time, or when nothing makes progress any
 * longer (see StallDetector). None of the samplers changes a result.
 *
 * Tables of time series and the time line: see TimeSeries; netanim.xml: see NetAnimFile.
 */
class RunCollector
{
  public:
    /// Why a run has ended.
    enum class End : uint8_t
    {
        FLOWS_DONE,
        STALLED,      //!< nothing made progress any longer, see StallDetector
        STOP,         //!< Options::stopPs
        SAFETY_LIMIT, //!< the same, and Options::safetyLimitPs is given
        INTERRUPTED,  //!< SetInterrupted()
    };

    /// What to watch in addition to the flows.
    struct Options
    {
        int64_t stopPs{0}; //!< end of the run, picoseconds; 0: no limit
        /// > 0: the run goes on at least so long after the last start of a flow that waited
        int64_t safetyLimitPs{0};
        TimeSeries::Options series;  //!< time series
        NetAnimFile::Window netanim; //!< netanim.xml
        /// Ideal FCT of a flow, ps, instead of Network::GetIdeal()
        std::function<int64_t(const FlowSpec&)> ideal;
        bool fingerprint{false};              //!< hash every departure
        std::vector<std::string> pcap;        //!< ports to capture, see PortCapture
        Time stallInterval{MilliSeconds(10)}; //!< see StallDetector::Options
        Ptr<TcpFlows> tcp;                    //!< flows that NICs do not send; null: none
        /// Not empty: of several processes, the first one has the writer of this folder.
        std::string folderOfFirst;
    };

    /**
     * @param network built, with the flows installed; outlives the collector
     * @param flows the same flows; the id of each is its position
     * @param options see Options
     * @param writer takes the files; may be null if none is asked for
     * @throw InputError for ids out of order, an unknown port to capture, or a file that cannot
     *        be made; std::logic_error if a file is asked for without writer
     */
    RunCollector(Network& network,
                 const std::vector<FlowSpec>& flows,
                 const Options& options,
                 RunWriter* writer = nullptr);
    ~RunCollector();
    RunCollector(const RunCollector&) = delete;
    RunCollector& operator=(const RunCollector&) = delete;

    /// @brief Begin to watch. Call right before Simulator::Run(); must outlive the run.
    void Start();

    /**
     * @brief Call after Simulator::Run(): last samples; captures get their final names.
     * @throw InputError if a capture could not be written
     */
    void Finish();

    /// @brief Before Finish(): a signal has ended the simulation, see Interruption.
    void SetInterrupted()
    {
        m_interrupted = true;
    }

    /// @return flows whose sender has the last ACK
    uint64_t GetFinished() const
    {
        return m_finished;
    }

    /// @return number of flows
    uint64_t GetTotal() const
    {
        return m_flows.size();
    }

    /// @return why the run has ended
    End GetEnd() const;

    /// @return every flow, by id, finished or not; none if folderOfFirst is set; called by all
    /// processes
    std::vector<FlowRecord> GetRecords() const;

    /**
     * @return counters of the network under their names in summary.json; times in nanoseconds.
     * pausedNs is summed over ports and classes, peakBufferBytes is that of the fullest switch,
     * retransmitted counts packets
     */
    std::map<std::string, uint64_t> GetCounters() const;

    /**
     * @brief Fill in counters and versions and, if there is a writer, the names of what is where.
     * @param summary the rest of it is left alone
     */
    void Summarise(RunSummary& summary) const;

    /// @return names of the switches by node id; of hosts, too, if a time series has them
    std::map<uint32_t, std::string> GetNodeNames() const;

    /// @return the fingerprint as 16 hexadecimal digits, empty if none was asked for
    std::string GetFingerprint() const;

    /// @return frames that netanim.xml has no room for
    uint64_t GetFramesNotAnimated() const
    {
        return m_netanim ? m_netanim->GetLeftOut() : 0;
    }

    /// @return explains flows that make no progress
    const StallDetector& GetStallDetector() const
    {
        return *m_stall;
    }

  private:
    /// How a flow ended.
    struct Outcome
    {
        int64_t completedPs{-1}; //!< last ACK at the sender
        int64_t receivedPs{-1};  //!< last byte at the receiver
        uint64_t packets{0};
        uint64_t retransmitted{0};
    };

    /// How far a flow is that is under way.
    struct OpenFlow
    {
        uint64_t id;
        uint64_t packets;
        uint64_t retransmitted;
        uint64_t bytesBefore;    //!< payload of earlier messages of its connection
        uint64_t deliveredBytes; //!< at the receiver
        uint32_t dst;
        uint32_t dstQp;
    };

    void OnCompleted(const MessageRecord& record);
    void OnReceived(uint64_t cookie, Time at);
    void OnStop();
    std::vector<OpenFlow> FindOpen() const;

    Network& m_network;
    std::vector<FlowSpec> m_flows;
    Options m_options;
    const bool m_hasWriter;
    std::vector<Outcome> m_outcomes; //!< by flow id
    uint64_t m_finished{0};
    std::unique_ptr<StallDetector> m_stall;
    std::unique_ptr<TimeSeries> m_series;   //!< null if none is asked for
    std::unique_ptr<NetAnimFile> m_netanim; //!< null if it is not asked for
    std::unique_ptr<PortCapture> m_capture; //!< null if no port is captured
    int64_t m_marginPs{0};                  //!< longest delay of a NIC's link
    int64_t m_lastCompletedPs{0};           //!< last completion of a message
    bool m_stopped{false};                  //!< at the end that the options say
    bool m_interrupted{false};              //!< see SetInterrupted()
    EventId m_stopTimer;
};

} // namespace ns3::roce

#endif /* ROCE_RUN_COLLECTOR_H */
