// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BICC_RECEIVER_SIDE_H
#define ROCE_BICC_RECEIVER_SIDE_H

#include "ns3/roce-hash.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The half of Bicc at the receiver's external switch: the rate of each virtual output queue
 * (VOQ), by the CNPs that come back from its destinations.
 *
 * A CNP cuts the rate as in DCQCN (Zhu et al., SIGCOMM 2015, equations 1 and 2), at most once in
 * CutPeriod: `alpha = (1 - g) alpha + g; rate *= 1 - alpha / 2`. Alpha decays by `1 - g` in each
 * AlphaPeriod. After a cut the rate rises by AiRate each RecoveryPeriod. There are no timers: both
 * are computed when they are read.
 */
class BiccReceiverSide
{
  public:
    /// Parameters.
    struct Settings
    {
        uint32_t voqs; //!< of each port
        double gain;
        int64_t alphaPeriodPs;
        int64_t cutPeriodPs;
        uint64_t aiRateBps;
        uint64_t maxRateBps; //!< 0: the port's
        uint64_t minRateBps;
        uint32_t passAboveBytes; //!< 0: CNPs never pass
    };

    /**
     * @brief Begin: all queues at their maximum.
     * @param portRates rate of each port of the switch, bit/s; 0: without VOQs
     */
    void Configure(const Settings& settings, const std::vector<uint64_t>& portRates);

    /**
     * @brief Other parameters from now on. The present rate is kept; a queue at its greatest rate
     * stays there, another one is limited by the new bounds.
     * @param settings with the same voqs
     */
    void Retune(const Settings& settings, int64_t nowPs);

    /// @return VOQs of each port that has them
    uint32_t GetNQueues() const
    {
        return m_settings.voqs;
    }

    /// @return whether a port has VOQs.
    bool HasQueues(uint16_t port) const
    {
        return m_ports[port].portRateBps;
    }

    /// @param nic destination. @return number of its VOQ
    uint32_t QueueOf(uint32_t nic) const
    {
        return static_cast<uint32_t>(Mix64(nic + 1) % m_settings.voqs);
    }

    /**
     * @brief A CNP has come from a destination.
     * @param port where its data go
     * @param queue VOQ
     * @return whether the rate has been cut
     */
    bool OnCnp(uint16_t port, uint32_t queue, int64_t nowPs);

    /**
     * @param port a port with VOQs
     * @param queue VOQ
     * @return rate, bit/s
     */
    uint64_t GetRateBps(uint16_t port, uint32_t queue, int64_t nowPs) const;

    /// @param port with VOQs @param queue VOQ
    double GetAlpha(uint16_t port, uint32_t queue, int64_t nowPs) const;

  private:
    /// A VOQ as the last cut, or change of parameters, has left it.
    struct Voq
    {
        int64_t cutPs{INT64_MIN}; //!< time of the cut; INT64_MIN: none yet
        int64_t ratePs{0};        //!< from which on steps of the recovery count
        int64_t alphaPs{0};       //!< from which on alpha decays
        uint64_t rateBps{0};
        double alpha{0};
    };

    /// A port's VOQs.
    struct PortQueues
    {
        uint64_t portRateBps{0}; //!< 0: none
        uint64_t maxRateBps{0};
        uint64_t minRateBps{0};
        std::vector<Voq> voqs;
    };

    void SetBounds(PortQueues& port) const;
    uint64_t RateOf(const PortQueues& port, const Voq& voq, int64_t nowPs) const;
    double DecayedAlpha(const Voq& voq, int64_t periods) const;
    double AlphaOf(const PortQueues& port, const Voq& voq, int64_t nowPs) const;

    Settings m_settings{};
    std::vector<PortQueues> m_ports;
};

} // namespace ns3::roce

#endif /* ROCE_BICC_RECEIVER_SIDE_H */
