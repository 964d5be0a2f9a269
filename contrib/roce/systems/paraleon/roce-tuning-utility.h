// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TUNING_UTILITY_H
#define ROCE_TUNING_UTILITY_H

#include "ns3/roce-tuning-agents.h"

#include <cstdint>
#include <functional>
#include <unordered_map>

namespace ns3::roce
{

struct ParaleonParams;

/**
 * @brief PARALEON's utility of a monitor interval (section III-C, equation 1 of its paper):
 * U = w_TP O_TP + w_RTT O_RTT + w_PFC O_PFC, each term at most 1 (but O_RTT with a constant delay).
 *
 * An interval begins with Begin(); the controller then adds what ports and NICs have measured, and
 * Evaluate() makes the terms. O_TP is the mean utilisation of uplinks that are active, O_RTT the
 * mean of base delay over RTT of NIC pairs, O_PFC 1 - mean pause time / interval. A term without
 * any sample is 0 (O_PFC: 1): so an interval without traffic is not a good one. Packets of ns-3
 * (FrameKind::PACKET) use uplinks and are paused as data are; RTTs are of queue pairs alone.
 */
class TuningUtility
{
  public:
    /// Which weights count.
    enum class WeightMode : uint8_t
    {
        BY_DOMINANCE, //!< those of elephants or mice, whichever dominate in the interval
        AT_BEGIN,     //!< the same, but of the interval before a run, for all of it (artifacts)
        MICE,         //!< always those of mice (table III)
        ELEPHANTS,    //!< always those of elephants (section III-C: training of LLMs)
    };

    /// How base delays and RTTs of pairs are combined.
    enum class RttMetric : uint8_t
    {
        MEAN_OF_RATIOS, //!< mean of base / RTT (paper)
        RATIO_OF_MEANS, //!< mean base / mean RTT (artifacts)
    };

    /// The base path delay of a pair.
    enum class BaseDelayMode : uint8_t
    {
        ROUND_TRIP, //!< both ways with serialisation: the RTT of an empty network
        CONSTANT,   //!< the same for all pairs (artifacts: 40 us)
    };

    /// What counts as the pause time of a device.
    enum class PfcMetric : uint8_t
    {
        EXACT_TIME,  //!< mean over ports of the time paused
        FRAME_COUNT, //!< mean over paused ports of PAUSE frames, times FrameDelay (artifact 1)
        PAUSED_LINK_SHARE, //!< share of ports that were paused at all (artifact 2)
    };

    /// Whose utilisation O_TP is.
    enum class Uplinks : uint8_t
    {
        TOR_HOST_PORTS,   //!< what ToR switches receive from hosts (paper)
        ALL_SWITCH_PORTS, //!< what all switches receive (artifact 2)
    };

    /// Weights of the terms; their sum is 1.
    struct Weights
    {
        double tp;
        double rtt;
        double pfc;
    };

    /// Parameters; see ParaleonParams::Table().
    struct Config
    {
        WeightMode weightMode;
        Weights mice;           //!< when mice dominate
        Weights elephants;      //!< when elephants dominate
        Uplinks uplinks;        //!< used only with AddUplink()
        double activeThreshold; //!< an uplink is active above that share of its rate
        RttMetric rttMetric;
        BaseDelayMode baseDelayMode;
        PfcMetric pfcMetric;
    };

    /// The terms.
    struct Terms
    {
        double u{0};     //!< U
        double tp{0};    //!< O_TP
        double rtt{0};   //!< O_RTT
        double pfc{1};   //!< O_PFC
        bool any{false}; //!< there was an active uplink or an RTT
        bool all{false}; //!< there were both
    };

    /// @brief Begin. @param config copied
    void Start(const Config& config);

    /// @brief A monitor interval begins: nothing has been measured. @param intervalPs above 0
    void Begin(int64_t intervalPs);

    /// @param bytes received in the interval, headers included. @param rateBps rate of the link
    void AddUplink(uint64_t bytes, uint64_t rateBps);

    /// @param roundTripPs RTT of a pair in an empty network @param rttPs its last RTT in the
    /// interval; above 0
    void AddRtt(int64_t roundTripPs, int64_t rttPs);

    /**
     * @brief A port that had RDMA traffic, or was paused, in the interval.
     * @param pausedPs how long it was paused within the interval
     * @param pauseFrames PAUSE frames received
     */
    void AddPort(int64_t pausedPs, uint64_t pauseFrames);

    /// @param weights from GetWeights()
    Terms Evaluate(const Weights& weights) const;

    /// @return the weights. @param elephantsDominate in the interval that decides
    const Weights& GetWeights(bool elephantsDominate) const;

  private:
    double PauseTerm() const;

    Config m_config{};
    double m_intervalPs{1};
    double m_utilisation{0}; //!< sum over active uplinks
    uint64_t m_uplinks{0};   //!< active ones
    uint64_t m_pairs{0};
    uint64_t m_ports{0};
    uint64_t m_pausedPorts{0}; //!< for any time
    uint64_t m_toldPorts{0};   //!< that received PAUSE frames
    uint64_t m_pauseFrames{0};
    double m_pausedPs{0};
    double m_basePs{0};
    double m_rttPs{0};
    double m_ratios{0};
};

/// @brief TuningUtility of a network: computes its terms from reports of agents. For any Tuner.
class UtilityMeter
{
  public:
    /**
     * @brief Begin: a SketchMonitor, which counts bytes from hosts, comes to each ToR switch.
     * @param network what is measured; paths are asked for when a pair is first seen
     * @param params monitors and utility
     */
    void Start(const TunedNetwork& network, const ParaleonParams& params);

    /// @return the devices that have to report. @param config of the utility
    static TuningAgents::Options GetAgents(const TuningUtility::Config& config);

    /// @param reports of an interval. @param weights of the terms.
    TuningUtility::Terms Measure(const TuningReports& reports,
                                 const TuningUtility::Weights& weights);

    /// @return the utility that it fills
    const TuningUtility& GetUtility() const
    {
        return m_utility;
    }

  private:
    int64_t RoundTripOf(uint32_t src, uint32_t dst);

    TuningUtility m_utility;
    TuningUtility::Config m_config{};
    std::function<PathInfo(uint32_t, uint32_t)> m_pathInfo;
    std::unordered_map<uint64_t, int64_t> m_roundTripsPs; //!< by src << 32 | dst; no iteration
};

} // namespace ns3::roce

#endif /* ROCE_TUNING_UTILITY_H */
