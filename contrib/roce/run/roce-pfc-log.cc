// SPDX-License-Identifier: GPL-2.0-only
#include "roce-pfc-log.h"

#include "roce-watching.h"

#include "ns3/node.h"
#include "ns3/roce-wake-timer.h"

namespace ns3::roce
{

PfcLog::PfcLog(const Network& network, const std::string& path)
    : m_file(path),
      m_slackPs(GetLargestSlackPs(network))
{
    for (const Ptr<Port>& port : network.GetPorts())
    {
        const auto index = static_cast<uint32_t>(m_ports.size());
        m_ports.push_back({port->GetNode()->GetId(),
                           dynamic_cast<Nic*>(PeekPointer(port)) == nullptr,
                           port->GetIfIndex() + 1});
        ConnectTrace<uint8_t, uint16_t, Time>(*port,
                                              "PauseReceived",
                                              [this, index](uint8_t, uint16_t quanta, Time at) {
                                                  OnPause(index, quanta > 0, at.GetPicoSeconds());
                                              });
    }
}

void
PfcLog::OnPause(uint32_t port, bool pause, int64_t atPs)
{
    const PortName& name = m_ports[port];
    m_rows.Push(atPs, uint64_t{name.node} << 32 | name.index, {port, pause});
    if (m_rows.IsFull())
    {
        Release(NowPs() - m_slackPs); // stations are late by at most the slack
    }
}

void
PfcLog::Release(int64_t untilPs)
{
    m_rows.Release(untilPs, [this](int64_t atPs, const Row& row) {
        const PortName& port = m_ports[row.port];
        m_file.Number((atPs + 500) / 1000).Append(' ').Number(port.node);
        m_file.Append(port.isSwitch ? " 1 " : " 0 ").Number(port.index);
        m_file.Append(row.pause ? " 1\n" : " 0\n").FlushIfFull();
    });
}

void
PfcLog::Finish()
{
    Release(INT64_MAX);
    m_file.Close();
}

} // namespace ns3::roce
