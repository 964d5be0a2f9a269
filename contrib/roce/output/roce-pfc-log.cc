/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-pfc-log.h"

#include "ns3/node.h"

#include <algorithm>
#include <tuple>

namespace ns3
{
namespace roce
{

PfcLog::PfcLog(const Network& network)
{
    for (const Ptr<Port>& port : network.GetPorts())
    {
        const auto index = static_cast<uint32_t>(m_ports.size());
        m_ports.push_back({port->GetNode()->GetId(),
                           dynamic_cast<Nic*>(PeekPointer(port)) == nullptr,
                           port->GetIfIndex() + 1});
        port->TraceConnectWithoutContext(
            "PauseReceived",
            Callback<void, uint8_t, uint16_t, Time>(
                [this, index](uint8_t, uint16_t quanta, Time at) {
                    m_rows.push_back({at.GetPicoSeconds(), index, quanta > 0});
                }));
    }
}

std::string
PfcLog::GetText() const
{
    // Stations tell out of turn; what one port tells is in order.
    std::vector<Row> rows = m_rows;
    std::stable_sort(rows.begin(), rows.end(), [this](const Row& a, const Row& b) {
        const PortName& x = m_ports[a.port];
        const PortName& y = m_ports[b.port];
        return std::tie(a.atPs, x.node, x.index) < std::tie(b.atPs, y.node, y.index);
    });
    std::string text;
    for (const Row& row : rows)
    {
        const PortName& port = m_ports[row.port];
        text += std::to_string((row.atPs + 500) / 1000) + ' ' + std::to_string(port.node) +
                (port.isSwitch ? " 1 " : " 0 ") + std::to_string(port.index) +
                (row.pause ? " 1\n" : " 0\n");
    }
    return text;
}

} // namespace roce
} // namespace ns3
