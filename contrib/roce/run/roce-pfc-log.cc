// SPDX-License-Identifier: GPL-2.0-only
#include "roce-pfc-log.h"

#include "roce-watching.h"

#include "ns3/node.h"

namespace ns3::roce
{

PfcLog::PfcLog(const Network& network, const std::string& path)
    : m_file(path),
      m_rows(network, {[this](int64_t atPs, const Row& row) { Write(atPs, row); }, {}, {}, {}})
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
                m_rows.Push(at.GetPicoSeconds(), uint64_t{row.node} << 32 | row.port, row);
            });
    }
}

void
PfcLog::Write(int64_t atPs, const Row& row)
{
    m_file.Number((atPs + 500) / 1000).Append(' ').Number(row.node);
    m_file.Append(row.isSwitch ? " 1 " : " 0 ").Number(row.port);
    m_file.Append(row.isPause ? " 1\n" : " 0\n").FlushIfFull();
}

void
PfcLog::Finish()
{
    m_rows.Finish();
    m_file.Close();
}

} // namespace ns3::roce
