// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-mail.h"

#include "roce-cut-direction.h"

#include "ns3/roce-byte-stream.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-interruption.h"

#include <algorithm>

namespace ns3::roce
{

void
RankMail::AddRemote(Station& station)
{
    m_remote[station.GetStationNodeId()] = &station;
}

void
RankMail::AddOut(uint32_t id, CutDirection& direction, unsigned rank)
{
    m_out[&direction] = {id, rank};
}

void
RankMail::AddIn(uint32_t id, Link& link, unsigned end)
{
    m_in[id] = {&link, end};
}

/// For all other processes. @param reports from here
void
RankMail::WriteReports(const std::vector<Report>& reports)
{
    std::string bytes;
    ByteWriter stream(bytes);
    stream(static_cast<uint64_t>(reports.size()));
    for (const Report& report : reports)
    {
        stream(report.atPs)(report.station->GetStationNodeId())(report.index);
        stream(m_codec.pack(*report.station, report.index));
    }
    for (unsigned rank = 0; rank < m_toEach.size(); ++rank)
    {
        if (rank != m_ranks.GetRank())
        {
            m_toEach[rank] = bytes;
        }
    }
}

void
RankMail::ReadFrames(uint32_t id, const std::string& bytes, std::size_t& at, int64_t nowPs) const
{
    const In& in = m_in.at(id);
    ByteReader stream(bytes, at);
    const auto frames = stream.Get<uint64_t>();
    at = stream.GetPosition();
    for (uint64_t i = 0; i < frames; ++i)
    {
        Frame* const frame = FrameCodec::Read(bytes, at);
        CutDirection::CheckArrival(frame->timePs, nowPs);
        const int64_t endPs = frame->timePs - in.link->GetDelayPs();
        Link::Transmit(in.link->GetDirection(in.end), frame, endPs);
        // A failure of the link reads the sender's copy here.
        in.link->PeekPort(in.end)->SetBusyUntil(endPs);
    }
}

void
RankMail::ReadMessage(const std::string& bytes, int64_t nowPs, std::vector<Report>& reports) const
{
    ByteReader stream(bytes);
    const auto n = stream.Get<uint64_t>();
    for (uint64_t i = 0; i < n; ++i)
    {
        Report report;
        stream(report.atPs);
        report.station = m_remote.at(stream.Get<uint32_t>());
        report.isFromElsewhere = true;
        stream(report.index)(report.bytes);
        reports.push_back(std::move(report));
    }
    for (std::size_t at = stream.GetPosition(); at < bytes.size();)
    {
        ByteReader head(bytes, at);
        const auto id = head.Get<uint32_t>();
        at = head.GetPosition();
        ReadFrames(id, bytes, at, nowPs);
    }
}

RankMail::Outlook
RankMail::Swap(int64_t nowPs,
               Outlook outlook,
               const std::vector<CutDirection*>& sent,
               std::vector<Report>& reports)
{
    for (std::string& bytes : m_toEach)
    {
        bytes.clear();
    }
    if (!reports.empty())
    {
        WriteReports(reports);
    }
    for (CutDirection* direction : sent)
    {
        const Out& out = m_out.at(direction);
        std::string& bytes = m_toEach[out.rank];
        ByteWriter stream(bytes);
        if (bytes.empty())
        {
            stream(uint64_t{0}); // reports
        }
        stream(out.id);
        outlook.firstPs = std::min(outlook.firstPs, direction->Pack(bytes));
    }
    // A signal to one process ends the run in all, here, where all are at the same time.
    int64_t interruption = Interruption::GetRequested();
    std::vector<int64_t> numbers{nowPs, outlook.firstPs, outlook.leastEndPs, interruption};
    const std::vector<std::string> fromEach = m_ranks.Swap(numbers, m_toEach);
    for (unsigned rank = 0; rank < m_ranks.GetN(); ++rank)
    {
        const int64_t* const theirs = &numbers[4 * std::size_t{rank}];
        if (theirs[0] != nowPs)
        {
            throw InputError("ranks: the processes have come apart, process " +
                             std::to_string(rank) + " is at " + std::to_string(theirs[0]) +
                             " ps and process " + std::to_string(m_ranks.GetRank()) + " at " +
                             std::to_string(nowPs) +
                             " ps; expected the same program, options and input files everywhere");
        }
        outlook.firstPs = std::min(outlook.firstPs, theirs[1]);
        outlook.leastEndPs = std::max(outlook.leastEndPs, theirs[2]);
        interruption = std::max(interruption, theirs[3]);
        if (!fromEach[rank].empty())
        {
            ReadMessage(fromEach[rank], nowPs, reports);
        }
    }
    if (interruption)
    {
        Interruption::Take(static_cast<int>(interruption));
    }
    return outlook;
}

} // namespace ns3::roce
