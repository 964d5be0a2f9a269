// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RESULT_PARTS_H
#define ROCE_RESULT_PARTS_H

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-sha256.h"

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

namespace ns3::roce
{

class Network;

/**
 * @brief All that a result depends on, in parts, each with a SHA-256: equal for equal simulations,
 * with any number of threads and processes, and whatever is recorded.
 *
 * - `build`: versions, and the GNU build ids of the program and of ns-3's libraries, this module's
 *   among them
 * - `options`: of the program, but those that only record or name files; the content of a file
 *   replaces its name
 * - `globals`: ns-3's global values
 * - `attributes`: defaults that were changed, and the effective values of all that the network
 *   consists of
 * - `topology`: NICs with their datacenters, links with rates and delays
 * - `flows`, and the programs of ranks that send them
 */
class ResultParts
{
  public:
    /**
     * @param options values by name
     * @param watching names of options that change no result
     * @param network built, with the flows installed; outlives this object
     * @param flows outlive this object
     * @param values see ValuesInForce()
     */
    ResultParts(const std::map<std::string, std::string>& options,
                const std::set<std::string>& watching,
                const Network& network,
                const std::vector<FlowSpec>& flows,
                const std::shared_ptr<const nlohmann::ordered_json>& values);

    const std::vector<PartDigest>& Get() const
    {
        return m_parts;
    }

    /// @return "digest" and "parts" of the manifest in summary.json
    nlohmann::ordered_json MakeJson() const;

  private:
    std::vector<PartDigest> m_parts;
};

} // namespace ns3::roce

#endif /* ROCE_RESULT_PARTS_H */
