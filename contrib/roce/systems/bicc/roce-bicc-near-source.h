// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BICC_NEAR_SOURCE_H
#define ROCE_BICC_NEAR_SOURCE_H

#include "ns3/random-variable-stream.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-edge-flow-table.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The half of Bicc at the sender's external switch: which data that leave the datacenter
 * are answered with a CNP.
 */
class BiccNearSource
{
  public:
    /// Marks made elsewhere that count in addition to this switch's own curve at its WAN ports.
    enum class Marks : uint8_t
    {
        NONE,
        DATACENTER, //!< those that data have when they arrive here
        ALL,        //!< those, too, that other stages of this switch make
    };

    /// Parameters.
    struct Settings
    {
        int64_t cnpIntervalPs;
        uint64_t kminBytes; //!< at referenceRateBps, as the next
        uint64_t kmaxBytes;
        double pmax;
        uint64_t referenceRateBps; //!< 0: the same curve at all ports
        Marks marks;
    };

    /// What a frame means for its flow.
    enum class Answer : uint8_t
    {
        NOTHING,    //!< no congestion
        CNP,        //!< a CNP is due now
        SUPPRESSED, //!< its flow has had a CNP less than an interval ago
    };

    /**
     * @brief Begin.
     * @param portRates rate of each port of the switch, bit/s
     */
    void Configure(const Settings& settings, const std::vector<uint64_t>& portRates);

    /// @brief Other parameters from now on; when flows may have their next CNP stays.
    void Retune(const Settings& settings);

    /**
     * @brief Data on their way out have arrived. A mark is removed.
     * @param data the frame
     */
    Answer OnArrival(Frame& data, int64_t nowPs);

    /**
     * @brief Data start on the WAN. A mark is removed; the curve decides about ECN-capable frames.
     * @param data the frame
     * @param port index of the WAN port
     * @param queueBytes length of the queue it has left
     */
    Answer OnDeparture(Frame& data, uint16_t port, uint64_t queueBytes, int64_t nowPs);

    /// @brief Set the random stream.
    void SetStream(int64_t stream)
    {
        m_random->SetStream(stream);
    }

    /// @return marks that were removed
    uint64_t GetCleared() const
    {
        return m_cleared;
    }

  private:
    /// Of a flow that met congestion.
    struct Flow
    {
        int64_t nextCnpPs{INT64_MIN}; //!< no CNP before
    };

    bool TakeMark(Frame& data);
    Answer Signal(const Frame& data, int64_t nowPs);

    Settings m_settings{};
    std::vector<uint64_t> m_portRates;
    std::vector<EcnCurve> m_curves; //!< by port
    EdgeFlowTable<Flow> m_flows;
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
    uint64_t m_cleared{0};
};

} // namespace ns3::roce

#endif /* ROCE_BICC_NEAR_SOURCE_H */
