// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nic.h"

#include "ns3/roce-byte-stream.h"

// Messages that are done: the host's program learns of them at once, sinks at the end of a window
// of threads, and in all processes.

namespace ns3::roce
{

void
Nic::NoteCompleted(const MessageRecord& record)
{
    if (m_program)
    {
        m_program->OnCompleted(record);
        SetEarliestTimer();
    }
    if (Partition* partition = GetPartition())
    {
        partition->Note(record.completedPs, this, m_told.size());
        m_told.push_back({record, false});
        return;
    }
    m_completedTrace(record);
}

void
Nic::NoteReceived(uint64_t cookie, int64_t atPs)
{
    if (m_program)
    {
        m_program->OnReceived(cookie, atPs);
        SetEarliestTimer();
    }
    if (Partition* partition = GetPartition())
    {
        partition->Note(atPs, this, m_told.size());
        m_told.emplace_back();
        m_told.back().record.cookie = cookie;
        m_told.back().record.completedPs = atPs;
        m_told.back().isReceived = true;
        return;
    }
    m_receivedTrace(cookie, PicoSeconds(atPs));
}

void
Nic::Tell(std::size_t index)
{
    const Told told = m_told.at(index);
    if (index + 1 == m_told.size()) // they are reported in order
    {
        m_told.clear();
    }
    TellNow(told);
}

std::string
Nic::PackReport(std::size_t index) const
{
    std::string bytes;
    ByteWriter stream(bytes);
    stream(m_told.at(index));
    return bytes;
}

void
Nic::TellPacked(const std::string& bytes)
{
    ByteReader stream(bytes);
    TellNow(stream.Get<Told>());
}

void
Nic::TellNow(const Told& told)
{
    if (told.isReceived)
    {
        m_receivedTrace(told.record.cookie, PicoSeconds(told.record.completedPs));
    }
    else
    {
        m_completedTrace(told.record);
    }
}

} // namespace ns3::roce
