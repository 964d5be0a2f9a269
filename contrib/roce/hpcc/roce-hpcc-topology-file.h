// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_TOPOLOGY_FILE_H
#define ROCE_HPCC_TOPOLOGY_FILE_H

#include "roce-hpcc-topology.h"

#include "ns3/roce-line-reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/// @brief Turns the lines of one file into a topology; see HpccTopology for the layouts.
class HpccTopologyFile : private LineReader
{
  public:
    /// @throw InputError if it cannot be read
    explicit HpccTopologyFile(const std::string& path);

    /// @throw InputError naming file and line
    HpccTopology Read();

  private:
    std::string Need(const std::string& what);
    bool Peek(std::string& text);
    void ReadCounts();
    std::vector<uint32_t> ReadIds(uint64_t count);
    void ReadSwitches();
    void MarkSwitch(uint32_t node, const std::string& text);
    void ReadLinks();
    void ReadLink(const std::vector<std::string>& fields);
    void CheckWhatFollows();
    void CheckNvSwitches();
    void NumberNics();
    void NumberSwitches();
    uint32_t ParseNode(const std::string& text, const char* what) const;
    double ParseProbability(const std::string& text) const;

    std::string m_ahead; //!< a line that was read and not used
    bool m_isAhead{false};
    uint64_t m_switches{0}; //!< as the first line says
    uint64_t m_others{0};   //!< NVSwitches, ToRs or DCI switches
    uint64_t m_links{0};
    HpccTopology m_topology;
};

} // namespace ns3::roce

#endif /* ROCE_HPCC_TOPOLOGY_FILE_H */
