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
        Row row{port->GetNode()->GetId(), port->GetIfIndex() + 1};
        row.isSwitch = dynamic_cast<Nic*>(PeekPointer(port)) == nullptr;
        ConnectTrace<uint8_t, uint16_t, Time>(
            *port,
            "PauseReceived",
            [this, row](uint8_t, uint16_t quanta, Time at) mutable {
                row.isPause = quanta > 0;
                Push(at.GetPicoSeconds(), row);
            });
    }
}

void
PfcLog::Push(int64_t atPs, const Row& row)
{
    m_rows.Push(atPs, uint64_t{row.node} << 32 | row.port, row);
    if (m_rows.IsFull())
    {
        Release(NowPs() - m_slackPs); // stations are late by at most the slack
    }
}

void
PfcLog::Release(int64_t untilPs)
{
    m_rows.Release(untilPs, [this](int64_t atPs, const Row& row) {
        m_file.Number((atPs + 500) / 1000).Append(' ').Number(row.node);
        m_file.Append(row.isSwitch ? " 1 " : " 0 ").Number(row.port);
        m_file.Append(row.isPause ? " 1\n" : " 0\n").FlushIfFull();
    });
}

void
PfcLog::Finish()
{
    Release(INT64_MAX);
    m_file.Close();
}

} // namespace ns3::roce
