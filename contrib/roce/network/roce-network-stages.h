// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_STAGES_H
#define ROCE_NETWORK_STAGES_H

#include "roce-deployment.h"
#include "roce-network-options.h"

#include "ns3/roce-default-watch.h"
#include "ns3/roce-flow-spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

class Nic;
struct NetworkParts;

/// The stages of a network's switches, and whether they go with what the NICs do (Deployment).
class NetworkStages
{
  public:
    /// @param parts outlive this @param defaults notes what queue pairs are made of; outlives this
    NetworkStages(const NetworkParts& parts, DefaultWatch& defaults)
        : m_parts(parts),
          m_defaults(defaults)
    {
    }

    /// @brief Check them, and give each switch its own. @throw InputError see Network::Build()
    void Install(const NetworkOptions& options);

    /// @brief Check whether the switches have what the laws that flows name need. @throw InputError
    void CheckLaws(const std::vector<FlowSpec>& flows);

    /// @return see SwitchStage::GetWarnings(), of all, each line once; after Install()
    std::vector<std::string> GetWarnings() const;

    /// @return bytes of telemetry that a switch charges a frame, at most
    uint32_t GetIntBytesPerHop() const
    {
        return m_intBytesPerHop;
    }

    /// @return see LossRecovery::NeedsLongestRtt()
    bool NeedsLongestRtts() const
    {
        return m_needsLongestRtts;
    }

  private:
    std::string CheckDeployment(const NetworkOptions& options);
    void AddTransport(Nic& nic, bool interDc, uint8_t law);

    const NetworkParts& m_parts;
    DefaultWatch& m_defaults;
    Deployment m_deployment;
    uint32_t m_intBytesPerHop{0};
    bool m_needsLongestRtts{false};
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_STAGES_H */
