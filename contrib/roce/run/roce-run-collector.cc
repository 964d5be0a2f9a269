// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-collector.h"

#include "roce-port-names.h"
#include "roce-watching.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-version.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace ns3::roce
{

namespace
{

#ifdef ROCE_NS3_VERSION
const char* const NS3_VERSION = ROCE_NS3_VERSION; // set by the build
#else
const char* const NS3_VERSION = "unknown";
#endif

#ifdef __clang__
const char* const COMPILER = "clang " __clang_version__;
#else
const char* const COMPILER = "gcc " __VERSION__;
#endif

} // namespace

RunCollector::RunCollector(Network& network,
                           const std::vector<FlowSpec>& flows,
                           const Options& options,
                           RunWriter* writer)
    : m_network(network),
      m_flows(flows),
      m_options(options),
      m_hasWriter(writer != nullptr),
      m_outcomes(flows.size())
{
    StallDetector::Options stall;
    stall.checkInterval = options.stallInterval;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        if (flows[i].id != i)
        {
            throw InputError("flow list: id " + std::to_string(flows[i].id) + " at position " +
                             std::to_string(i) + ", expected the ids 0, 1, 2, ... in this order");
        }
    }
    stall.lastStartPs = FlowOrder::LastScheduledPs(flows);
    stall.tcp = options.tcp;
    m_stall = std::make_unique<StallDetector>(network, stall);
    if ((options.series.IsOn() || options.netanim.IsOn() || !options.pcap.empty()) && !writer &&
        options.folderOfFirst.empty())
    {
        throw std::logic_error("RunCollector: time series, animations, captures need a RunWriter");
    }
    if (options.series.IsOn())
    {
        m_series = std::make_unique<TimeSeries>(network, flows, options.series, writer);
    }
    if (options.netanim.IsOn())
    {
        m_netanim =
            std::make_unique<NetAnimFile>(network,
                                          options.netanim,
                                          writer ? writer->AddFile("netanim.xml") : "/dev/null");
    }
    if (!options.pcap.empty())
    {
        m_capture =
            std::make_unique<PortCapture>(network, options.pcap, writer, options.folderOfFirst);
    }
}

RunCollector::~RunCollector()
{
    m_stopTimer.Cancel();
}

void
RunCollector::Start()
{
    const ReplyMark::Notes notes;
    const auto connect = [this](Object& source) {
        ConnectTrace<const MessageRecord&>(
            source,
            "MessageCompleted",
            [this](const MessageRecord& record) { OnCompleted(record); });
        ConnectTrace<uint64_t, Time>(source, "MessageReceived", [this](uint64_t cookie, Time at) {
            OnReceived(cookie, at);
        });
    };
    if (m_options.tcp)
    {
        connect(*m_options.tcp);
    }
    // By name once: a network has many NICs.
    const auto completed = Nic::GetTypeId().LookupTraceSourceByName("MessageCompleted");
    const auto received = Nic::GetTypeId().LookupTraceSourceByName("MessageReceived");
    const Callback<void, const MessageRecord&> onCompleted(
        [this](const MessageRecord& record) { OnCompleted(record); });
    const Callback<void, uint64_t, Time> onReceived(
        [this](uint64_t cookie, Time at) { OnReceived(cookie, at); });
    for (uint32_t n = 0; n < m_network.GetNNics(); ++n)
    {
        Nic& nic = *m_network.GetNic(n);
        completed->ConnectWithoutContext(&nic, onCompleted);
        received->ConnectWithoutContext(&nic, onReceived);
        m_marginPs = std::max(m_marginPs, nic.GetLink()->GetDelayPs());
    }
    if (m_options.fingerprint)
    {
        m_network.EnableFingerprint();
    }
    if (m_options.stopPs > 0)
    {
        m_stopTimer = Simulator::Schedule(PicoSeconds(m_options.stopPs) - Simulator::Now(),
                                          &RunCollector::OnStop,
                                          this);
    }
    if (m_series)
    {
        m_series->Start();
    }
    if (m_netanim)
    {
        m_netanim->Start();
    }
    m_stall->Start();
}

void
RunCollector::Finish()
{
    m_network.CatchUp();
    if (m_series)
    {
        m_series->Finish();
    }
    if (m_netanim)
    {
        m_netanim->Finish();
    }
    if (m_capture)
    {
        m_capture->Finish();
    }
}

void
RunCollector::OnCompleted(const MessageRecord& record)
{
    Outcome& outcome = m_outcomes.at(record.cookie);
    outcome.completedPs = record.completedPs;
    outcome.packets = record.packets;
    outcome.retransmitted = record.retransmitted;
    m_lastCompletedPs = std::max(m_lastCompletedPs, record.completedPs);
    if (++m_finished == m_flows.size())
    {
        // This may be reported late, but by at most the margin, and NICs report out of order: the
        // end depends on neither.
        m_stopTimer.Cancel();
        const int64_t leftPs = m_lastCompletedPs + m_marginPs - NowPs();
        NS_ABORT_MSG_IF(leftPs < 0, "the last completion is told " << -leftPs << " ps too late");
        m_stopTimer = Simulator::Schedule(PicoSeconds(leftPs), [] { Simulator::Stop(); });
    }
}

void
RunCollector::OnStop()
{
    if (m_network.HasWaitingFlows() && m_options.safetyLimitPs > 0)
    {
        m_network.CatchUp();
        const int64_t lastPs = std::max<int64_t>(0, m_network.GetLastWaitedStartPs());
        const int64_t leftPs =
            std::min(lastPs - NowPs() + m_options.safetyLimitPs, Network::LONGEST_RUN_PS - NowPs());
        if (leftPs > 0)
        {
            m_stopTimer = Simulator::Schedule(PicoSeconds(leftPs), &RunCollector::OnStop, this);
            return;
        }
    }
    m_stopped = true;
    Simulator::Stop();
}

RunCollector::End
RunCollector::GetEnd() const
{
    return m_finished == m_flows.size()  ? End::FLOWS_DONE
           : !m_stopped                  ? (m_interrupted ? End::INTERRUPTED : End::STALLED)
           : m_options.safetyLimitPs > 0 ? End::SAFETY_LIMIT
                                         : End::STOP;
}

void
RunCollector::OnReceived(uint64_t cookie, Time at)
{
    m_outcomes.at(cookie).receivedPs = at.GetPicoSeconds();
}

std::vector<FlowRecord>
RunCollector::GetRecords() const
{
    const std::vector<OpenFlow> open = FindOpen();
    if (!m_options.folderOfFirst.empty())
    {
        return {};
    }
    std::vector<FlowRecord> records(m_flows.size());
    for (std::size_t i = 0; i < m_flows.size(); ++i)
    {
        const FlowSpec& flow = m_flows[i];
        const Outcome& outcome = m_outcomes[i];
        FlowRecord& record = records[i];
        record.spec = flow;
        record.spec.startPs = m_network.GetStartPs(flow);
        record.idealPs =
            m_options.ideal ? m_options.ideal(flow) : m_network.GetIdeal(flow).senderFctPs;
        record.interDc = m_network.GetDatacenter(flow.src) != m_network.GetDatacenter(flow.dst);
        const uint64_t mtu = m_network.GetNic(flow.src)->GetMtuBytes();
        record.packets = std::max<uint64_t>(1, (flow.sizeBytes + mtu - 1) / mtu);
        record.receiverFctPs =
            outcome.receivedPs < 0 ? -1 : outcome.receivedPs - record.spec.startPs;
        if (outcome.completedPs >= 0)
        {
            record.fctPs = outcome.completedPs - record.spec.startPs;
            record.packets = outcome.packets;
            record.retransmittedPackets = outcome.retransmitted;
            record.deliveredBytes = flow.sizeBytes;
        }
    }
    for (const OpenFlow& flow : open)
    {
        FlowRecord& record = records[flow.id];
        record.deliveredBytes = flow.deliveredBytes;
        record.packets = flow.packets;
        record.retransmittedPackets = flow.retransmitted;
    }
    if (m_options.tcp)
    {
        for (const TcpFlows::Open& flow : m_options.tcp->GetOpen())
        {
            FlowRecord& record = records[flow.spec.id];
            record.deliveredBytes = flow.deliveredBytes;
            record.packets = flow.packets;
            record.retransmittedPackets = flow.retransmitted;
        }
    }
    return records;
}

/// Flows under way, of all processes.
std::vector<RunCollector::OpenFlow>
RunCollector::FindOpen() const
{
    std::vector<OpenFlow> flows;
    ForOpenQps(m_network, [&](const QueuePair& qp) {
        qp.ForOpen([&](const QueuePair::Open& message) {
            if (message.cookie < m_flows.size())
            {
                flows.push_back({message.cookie,
                                 message.packets,
                                 message.retransmitted,
                                 message.bytesBefore,
                                 0,
                                 qp.GetConfig().dst,
                                 qp.GetConfig().dstQp});
            }
        });
    });
    RankExchange* const ranks = m_network.GetRanks();
    flows = ranks ? ranks->Join(flows) : flows;
    std::vector<uint64_t> delivered;
    for (const OpenFlow& flow : flows)
    {
        // A receiver that another process has is none here.
        const ReceiverQp* receiver = m_network.GetNic(flow.dst)->GetReceiver(flow.dstQp);
        delivered.push_back(receiver ? receiver->receivedBytes : 0);
    }
    delivered = ranks ? ranks->Sum(delivered) : delivered;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        // What the connection has delivered belongs to its messages in their order.
        flows[i].deliveredBytes =
            std::min(delivered[i] - std::min(delivered[i], flows[i].bytesBefore),
                     m_flows[flows[i].id].sizeBytes);
    }
    return flows;
}

std::map<std::string, uint64_t>
RunCollector::GetCounters() const
{
    std::map<std::string, uint64_t> counters = m_network.GetCounters();
    counters["events"] = Simulator::GetEventCount();
    counters["simulatedNs"] = static_cast<uint64_t>(NowPs() / 1000);
    return counters;
}

void
RunCollector::Summarise(RunSummary& summary) const
{
    summary.counters = GetCounters();
    if (m_hasWriter)
    {
        summary.nodeNames = GetNodeNames();
        summary.neighbours = PortNames(m_network).GetNeighbours();
    }
    summary.versions["ns-3-roce"] = MODULE_VERSION;
    summary.versions["commit"] = GetCommit();
    summary.versions["ns-3"] = NS3_VERSION;
    summary.versions["compiler"] = COMPILER;
}

std::map<uint32_t, std::string>
RunCollector::GetNodeNames() const
{
    std::map<uint32_t, std::string> names;
    for (uint32_t s = 0; s < m_network.GetNSwitches(); ++s)
    {
        names[m_network.GetSwitch(s)->GetNodeId()] = m_network.GetSwitch(s)->GetName();
    }
    // Hosts may be many; only these tables have them.
    const bool hosts = m_series && m_series->HasHosts();
    for (uint32_t n = 0; hosts && n < m_network.GetNNics(); ++n)
    {
        names[m_network.GetNic(n)->GetNode()->GetId()] = m_network.GetNicName(n);
    }
    return names;
}

std::string
RunCollector::GetFingerprint() const
{
    if (!m_options.fingerprint)
    {
        return "";
    }
    m_network.CatchUp();
    char text[20];
    std::snprintf(text,
                  sizeof(text),
                  "%016llx",
                  static_cast<unsigned long long>(m_network.GetFingerprint()));
    return text;
}

} // namespace ns3::roce
