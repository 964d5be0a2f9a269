/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_PFC_LOG_H
#define ROCE_PFC_LOG_H

#include "ns3/roce-network.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief Takes down pause frames received, as the HPCC simulator's pfc.txt does.
 *
 * Lines `time_ns node node_type port type`: node is ns-3's id, node_type 0 a host, 1 a switch; port
 * counts from 1, as that simulator's interface 0 is the loopback one; type 1 pauses, 0 resumes.
 */
class PfcLog
{
  public:
    static constexpr const char* FILE_NAME = "pfc.txt"; //!< in a run's folder

    /// @param network built; outlives the log, which is not moved meanwhile
    explicit PfcLog(const Network& network);
    PfcLog(const PfcLog&) = delete;
    PfcLog& operator=(const PfcLog&) = delete;

    /// @return what was taken down, in order of time, node and port
    std::string GetText() const;

  private:
    /// One line.
    struct Row
    {
        int64_t atPs;
        uint32_t port; //!< index into m_ports
        bool pause;
    };

    /// What a line says of a port.
    struct PortName
    {
        uint32_t node;
        bool isSwitch;
        uint32_t index;
    };

    std::vector<PortName> m_ports;
    std::vector<Row> m_rows;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_PFC_LOG_H */
