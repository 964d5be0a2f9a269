// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_AIMD_H
#define ROCE_AIMD_H

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-parameters.h"

namespace ns3::roce
{

/// Values of the parameters of Aimd.
struct AimdParams
{
    uint64_t stepBps;
    double factor;
    uint64_t minRateBps;
    double tolerance;
    uint32_t calmRounds;
    double calmFactor;

    /// @return all there is to say about them
    static const ParameterTable<AimdParams>& Table();
};

/**
 * @ingroup roce
 * @brief Once per round trip: multiply the rate if too many packets were marked, else add a step.
 */
class Aimd : public CongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<CongestionControl> Fork() const override;
    void OnAck(const AckInfo& ack) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    bool NeedsEcn() const override
    {
        return true;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void EndRound();

    Parameters<AimdParams> m_parameters;   //!< attributes
    std::shared_ptr<const AimdParams> m_p; //!< effective since Start()

    uint64_t m_roundEndPsn{0}; //!< the round trip ends with this PSN's ACK
    uint64_t m_packets{0};     //!< acknowledged in this round trip
    uint64_t m_marked{0};      //!< and with a mark
    uint32_t m_calm{0};        //!< round trips without a cut
};

} // namespace ns3::roce

#endif /* ROCE_AIMD_H */
