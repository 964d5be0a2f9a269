// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_AIMD_H
#define ROCE_AIMD_H

#include "ns3/roce-law-of.h"

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

/// @brief Once per round trip: multiply the rate if too many packets were marked, else add a step.
class Aimd : public LawOf<Aimd, AimdParams>
{
  public:
    void OnAck(const AckInfo& ack) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    bool NeedsEcn() const override
    {
        return true;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void EndRound();

    uint64_t m_roundEndPsn{0}; //!< the round trip ends with this PSN's ACK
    uint64_t m_packets{0};     //!< acknowledged in this round trip
    uint64_t m_marked{0};      //!< and with a mark
    uint32_t m_calm{0};        //!< round trips without a cut
};

} // namespace ns3::roce

#endif /* ROCE_AIMD_H */
