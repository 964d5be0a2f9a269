// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TUNING_AGENTS_H
#define ROCE_TUNING_AGENTS_H

#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-rank-exchange.h"
#include "ns3/roce-switch.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/// The network that a Tuner works on.
struct TunedNetwork
{
    std::vector<Ptr<Nic>> nics;        //!< by number
    std::vector<Ptr<Switch>> switches; //!< by number
    std::vector<bool> isTor;           //!< by number of the switch
    bool hasInterDc{false};            //!< there are several datacenters
    /// The path between two NICs, by their numbers, as a rate law knows it.
    std::function<PathInfo(uint32_t src, uint32_t dst)> pathInfo;
    std::function<void()> catchUp; //!< brings all stations up to date
    /// An event is about to change stations, in all processes alike.
    std::function<void()> noteShared;
    std::function<bool()> isDone;         //!< nothing is to happen any more, in any process
    std::function<RankExchange*()> ranks; //!< the processes of a run that is on, or null: it is one
};

/// A port in a monitor interval.
struct PortReport
{
    uint16_t port{0};        //!< index
    bool isHost{false};      //!< a NIC is at its other end
    uint64_t rateBps{0};     //!< of the link
    uint64_t rxDataBytes{0}; //!< wire bytes of the load that came in, if a stage counts them
    uint64_t rxBytes{0};     //!< wire bytes of all frames that the other end began to send
    uint64_t txBytes{0};     //!< wire bytes of all frames whose transmission began
    int64_t pausedPs{0};     //!< how long classes of the port were paused, the longest one
    uint64_t pauseFrames{0}; //!< pause frames received, XON not among them
    uint64_t queueBytes{0};  //!< waiting at the end of the interval
    uint64_t markedBytes{0}; //!< wire bytes of the frames that an EcnMarker marked
};

/// A switch's report of a monitor interval.
struct SwitchReport
{
    uint32_t sw{0};
    std::vector<double> values; //!< of stages, see SwitchStage::Report()
    std::vector<PortReport> ports;
};

/// The last RTT between two NICs in a monitor interval.
struct RttReport
{
    uint32_t dst{0};
    int64_t rttPs{0}; //!< from the start of a data frame to the end of its ACK
};

/// A NIC's report of a monitor interval.
struct NicReport
{
    uint32_t nic{0};
    PortReport port;
    std::vector<RttReport> rtts; //!< in the order in which the first ACKs came
};

/// All reports of a monitor interval that have arrived.
struct TuningReports
{
    int64_t fromPs{0};
    int64_t toPs{0};
    std::vector<NicReport> nics;        //!< by number
    std::vector<SwitchReport> switches; //!< by number
};

/**
 * @brief Measurements at NICs and switches for a Tuner.
 *
 * RTTs: a NIC notes each ACK that arrives. The ACK echoes the sending time of its data, which
 * hardware would remember: no time stamp need be on the wire, and rate laws that do without one do
 * not get one. Bytes and pauses are differences of the ports' counters.
 *
 * If several processes run the network, each measures at its own stations, and all get all reports.
 */
class TuningAgents
{
  public:
    /// Which devices report.
    struct Options
    {
        bool rtts{false};          //!< NICs measure RTTs
        bool nics{false};          //!< NICs report
        bool tors{false};          //!< switches with NICs report
        bool otherSwitches{false}; //!< the others do, too
    };

    TuningAgents();
    ~TuningAgents();

    /// @brief Begin to measure. @param network outlives this. @param options which devices report
    void Install(const TunedNetwork& network, const Options& options);

    /**
     * @brief An interval has ended; the next one begins. By all processes.
     * @param reports [out] everything but the times
     * @param withNics NICs report this time
     * @param nowPs all stations have caught up
     */
    void Collect(TuningReports& reports, bool withNics, int64_t nowPs);

  private:
    class RttAgent;

    /// What a port had counted when the interval began.
    struct PortCounts
    {
        uint64_t txBytes{0};
        uint64_t rxBytes{0};
        int64_t pausedPs{0};
        uint64_t pauseFrames{0};
        uint64_t markedBytes{0};
    };

    /// @return whether this interval's report of a switch is wanted
    bool IsAsked(uint32_t sw) const
    {
        return m_network->isTor[sw] ? m_options.tors : m_options.otherSwitches;
    }

    std::vector<uint64_t> ReadIncoming(RankExchange* ranks) const;

    /**
     * @param port of a station of this process
     * @param rxBytes sent by its other end so far
     * @param marker of the switch, or null
     * @param [in,out] before what it had counted; then what it has
     * @return what is new
     */
    static PortReport Read(Port& port,
                           uint64_t rxBytes,
                           const EcnMarker* marker,
                           PortCounts& before,
                           int64_t nowPs);

    const TunedNetwork* m_network{nullptr};
    Options m_options;
    std::vector<std::shared_ptr<RttAgent>> m_rttAgents; //!< by NIC; traces keep them, too
    std::vector<PortCounts> m_nicCounts;
    std::vector<std::vector<PortCounts>> m_switchCounts;
};

struct TuningReports;

/**
 * @brief Reports of a monitor interval as bytes for another process of the same program: each
 * process of a run measures at its own stations, and the Tuner of each gets all reports.
 */
class TuningReportCodec
{
  public:
    /// @param reports all but the times is written @return bytes
    static std::string Write(const TuningReports& reports);

    /**
     * @brief Take in what Write() has made.
     * @param bytes whole
     * @param [in,out] reports appended to; the times stay
     * @throw InputError if the bytes end within a report
     */
    static void Read(const std::string& bytes, TuningReports& reports);
};

} // namespace ns3::roce

#endif /* ROCE_TUNING_AGENTS_H */
