// SPDX-License-Identifier: GPL-2.0-only
#include "roce-tuning-agents.h"

#include "ns3/callback.h"
#include "ns3/roce-byte-stream.h"
#include "ns3/roce-egress-scheduler.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3::roce
{

namespace
{

/// Give each process the reports of all. @param ranks the processes
void
Share(RankExchange& ranks, TuningReports& reports)
{
    const std::vector<std::string> all = ranks.Gather(TuningReportCodec::Write(reports));
    reports.nics.clear();
    reports.switches.clear();
    for (const std::string& bytes : all)
    {
        TuningReportCodec::Read(bytes, reports);
    }
    std::sort(reports.nics.begin(), reports.nics.end(), [](const auto& a, const auto& b) {
        return a.nic < b.nic;
    });
    std::sort(reports.switches.begin(), reports.switches.end(), [](const auto& a, const auto& b) {
        return a.sw < b.sw;
    });
}

} // namespace

/// The RTTs of a NIC.
class TuningAgents::RttAgent
{
  public:
    explicit RttAgent(std::size_t nNics)
        : m_lastPs(nNics, 0)
    {
    }

    /// A frame has arrived. @param at when
    void OnFrame(const Frame& frame, Time at)
    {
        // Frames sent by a receiver's timer answer no data.
        if (frame.kind != FrameKind::ACK || !frame.dataEntropy || frame.src >= m_lastPs.size())
        {
            return;
        }
        if (!m_lastPs[frame.src])
        {
            m_seen.push_back(frame.src);
        }
        m_lastPs[frame.src] = std::max<int64_t>(1, at.GetPicoSeconds() - frame.sentPs);
    }

    /// The interval is over. @param rtts appended to
    void Take(std::vector<RttReport>& rtts)
    {
        for (const uint32_t dst : m_seen)
        {
            rtts.push_back({dst, m_lastPs[dst]});
            m_lastPs[dst] = 0;
        }
        m_seen.clear();
    }

  private:
    std::vector<int64_t> m_lastPs; //!< by NIC; 0: none in this interval
    std::vector<uint32_t> m_seen;  //!< NICs with one
};

TuningAgents::TuningAgents() = default;
TuningAgents::~TuningAgents() = default;

void
TuningAgents::Install(const TunedNetwork& network, const Options& options)
{
    m_network = &network;
    m_options = options;
    m_nicCounts.resize(network.nics.size());
    for (const Ptr<Switch>& sw : network.switches)
    {
        m_switchCounts.emplace_back(sw->GetNPorts());
    }
    const SinkMark::LocalSinks local;
    for (std::size_t i = 0; options.rtts && i < network.nics.size(); ++i)
    {
        auto agent = std::make_shared<RttAgent>(network.nics.size());
        m_rttAgents.push_back(agent);
        network.nics[i]->TraceConnectWithoutContext(
            "RxEnd",
            Callback<void, const Frame&, Time>(
                [agent](const Frame& frame, Time at) { agent->OnFrame(frame, at); }));
    }
}

/// What has been sent to each port that is reported, so far: NICs', then switches'. It is counted
/// where the sender is, and the copy of another process's port has sent nothing.
std::vector<uint64_t>
TuningAgents::ReadIncoming(RankExchange* ranks) const
{
    std::vector<uint64_t> bytes;
    const auto add = [&bytes](const Port& port) {
        bytes.push_back(port.GetPeer() ? port.GetPeer()->GetTxWireBytes() : 0);
    };
    for (uint32_t n = 0; m_options.nics && n < m_network->nics.size(); ++n)
    {
        add(*m_network->nics[n]);
    }
    for (uint32_t s = 0; s < m_network->switches.size(); ++s)
    {
        for (uint16_t p = 0; IsAsked(s) && p < m_network->switches[s]->GetNPorts(); ++p)
        {
            add(*m_network->switches[s]->GetPort(p));
        }
    }
    return ranks ? ranks->Sum(bytes) : bytes;
}

PortReport
TuningAgents::Read(Port& port,
                   uint64_t rxBytes,
                   const EcnMarker* marker,
                   PortCounts& before,
                   int64_t nowPs)
{
    PortReport report;
    report.port = port.GetIndex();
    report.rateBps = port.GetRateBps();
    PortCounts now;
    now.txBytes = port.GetTxWireBytes();
    now.rxBytes = rxBytes;
    now.pauseFrames = port.GetXoffReceived();
    now.markedBytes = marker ? marker->GetMarkedBytes(port.GetIndex()) : 0;
    for (uint8_t c = 0; c < N_CLASSES; ++c)
    {
        now.pausedPs = std::max(now.pausedPs, port.GetPausedTimePs(c, nowPs));
    }
    report.txBytes = now.txBytes - before.txBytes;
    report.rxBytes = now.rxBytes - before.rxBytes;
    report.pausedPs = now.pausedPs - before.pausedPs;
    report.pauseFrames = now.pauseFrames - before.pauseFrames;
    report.markedBytes = now.markedBytes - before.markedBytes;
    before = now;
    return report;
}

void
TuningAgents::Collect(TuningReports& reports, bool withNics, int64_t nowPs)
{
    RankExchange* const ranks = m_network->ranks();
    const std::vector<uint64_t> incoming = ReadIncoming(ranks);
    auto rxBytes = incoming.begin();
    for (uint32_t n = 0; m_options.nics && n < m_network->nics.size(); ++n, ++rxBytes)
    {
        Nic& nic = *m_network->nics[n];
        if (!nic.IsHere())
        {
            continue;
        }
        NicReport report;
        report.nic = n;
        report.port = Read(nic, *rxBytes, nullptr, m_nicCounts[n], nowPs);
        if (m_options.rtts)
        {
            m_rttAgents[n]->Take(report.rtts);
        }
        if (withNics)
        {
            reports.nics.push_back(std::move(report));
        }
    }
    for (uint32_t s = 0; s < m_network->switches.size(); ++s)
    {
        if (!IsAsked(s))
        {
            continue;
        }
        Switch& sw = *m_network->switches[s];
        if (!sw.IsHere())
        {
            rxBytes += sw.GetNPorts();
            continue;
        }
        const auto* marker = sw.FindStage<EcnMarker>();
        SwitchReport report;
        report.sw = s;
        SwitchStage::Measurement measured;
        for (const Ptr<SwitchStage>& stage : sw.GetStages())
        {
            stage->Report(measured, nowPs);
        }
        report.values = std::move(measured.values);
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            PortReport port = Read(*sw.GetPort(p), *rxBytes++, marker, m_switchCounts[s][p], nowPs);
            port.isHost = sw.IsHostPort(p);
            port.rxDataBytes = p < measured.rxDataBytes.size() ? measured.rxDataBytes[p] : 0;
            port.queueBytes = sw.GetQueue(p).GetTotalBytes();
            report.ports.push_back(port);
        }
        reports.switches.push_back(std::move(report));
    }
    if (ranks)
    {
        Share(*ranks, reports);
    }
}

namespace
{

template <typename T>
void
WriteList(ByteWriter& stream, const std::vector<T>& list)
{
    stream(uint64_t{list.size()});
    for (const T& item : list)
    {
        stream(item);
    }
}

template <typename T>
void
ReadList(ByteReader& stream, std::vector<T>& list)
{
    for (auto left = stream.Get<uint64_t>(); left; --left)
    {
        list.push_back(stream.Get<T>());
    }
}

} // namespace

std::string
TuningReportCodec::Write(const TuningReports& reports)
{
    std::string bytes;
    ByteWriter stream(bytes);
    stream(uint64_t{reports.nics.size()});
    for (const NicReport& report : reports.nics)
    {
        stream(report.nic)(report.port);
        WriteList(stream, report.rtts);
    }
    for (const SwitchReport& report : reports.switches)
    {
        stream(report.sw);
        WriteList(stream, report.values);
        WriteList(stream, report.ports);
    }
    return bytes;
}

void
TuningReportCodec::Read(const std::string& bytes, TuningReports& reports)
{
    ByteReader stream(bytes);
    for (auto left = stream.Get<uint64_t>(); left; --left)
    {
        NicReport report;
        stream(report.nic)(report.port);
        ReadList(stream, report.rtts);
        reports.nics.push_back(std::move(report));
    }
    while (!stream.IsEmpty())
    {
        SwitchReport report;
        stream(report.sw);
        ReadList(stream, report.values);
        ReadList(stream, report.ports);
        reports.switches.push_back(std::move(report));
    }
}

} // namespace ns3::roce
