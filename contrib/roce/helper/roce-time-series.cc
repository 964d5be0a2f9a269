/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-time-series.h"

#include "roce-chrome-trace.h"
#include "roce-input-error.h"
#include "roce-port-names.h"
#include "roce-value-check.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace ns3
{
namespace roce
{

namespace
{

constexpr std::size_t SETTLE_ROWS = 4096;

/// What pfc.csv calls its events.
enum PfcEvent : uint8_t
{
    XON,
    XOFF,
    REFRESH,
};

const char* const PFC_EVENTS[] = {"xon", "xoff", "refresh"};

/// Classes in which a switch port holds frames.
uint8_t
NonEmptyMask(const EgressScheduler& queue)
{
    uint8_t mask = 0;
    for (uint8_t c = 0; c < N_CLASSES && !queue.IsEmpty(); ++c)
    {
        mask |= static_cast<uint8_t>((queue.GetBytes(c) > 0) << c);
    }
    return mask;
}

/// Connect a function that takes these arguments.
template <typename... Args, typename F>
void
Connect(Object& object, const char* source, F&& sink)
{
    NS_ABORT_MSG_UNLESS(
        object.TraceConnectWithoutContext(source, Callback<void, Args...>(std::forward<F>(sink))),
        "no such trace source");
}

} // namespace

SeriesMode
SeriesMode::Parse(const std::string& option, const std::string& text)
{
    SeriesMode mode;
    if (text == "change")
    {
        mode.onChange = true;
    }
    else if (!text.empty())
    {
        ValueCheck::Value(option + " (change or a time between samples)", ValueKind::TIME, text);
        mode.intervalPs = Time(text).GetPicoSeconds();
        if (mode.intervalPs < 0)
        {
            throw InputError(option + " is negative, expected 0 or more");
        }
    }
    return mode;
}

std::vector<TimeSeries::FlowRange>
TimeSeries::ParseFlows(const std::string& text, const std::string& option)
{
    std::vector<FlowRange> ranges;
    if (text.empty())
    {
        return ranges; // without the work of the line below
    }
    static const std::regex form("([0-9]{1,18})(-([0-9]{1,18}))?");
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');)
    {
        std::smatch match;
        if (!std::regex_match(item, match, form))
        {
            throw InputError(option + " has '" + item +
                             "', expected flow ids and ranges, for example 0,3-7");
        }
        const uint64_t first = std::stoull(match[1]);
        const uint64_t last = match[3].matched ? std::stoull(match[3]) : first;
        if (last < first)
        {
            throw InputError(option + " has '" + item + "', expected the smaller id first");
        }
        ranges.emplace_back(first, last);
    }
    return ranges;
}

TimeSeries::TimeSeries(Network& network,
                       const std::vector<FlowSpec>& flows,
                       const Options& options,
                       RunWriter& writer)
    : m_network(network),
      m_flows(flows),
      m_options(options),
      m_settleAt(SETTLE_ROWS)
{
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        const Nic& nic = *network.GetNic(n);
        m_nicLabels[{nic.GetNode()->GetId(), nic.GetIfIndex()}] = "nic" + std::to_string(n);
    }
    SelectPorts();
    SelectFlows();
    OpenTables(writer);
}

TimeSeries::~TimeSeries()
{
    for (Sampler& sampler : m_samplers)
    {
        sampler.timer.Cancel();
    }
}

void
TimeSeries::SelectPorts()
{
    std::vector<Ptr<Port>> ports;
    if (m_options.ports.empty())
    {
        ports = m_network.GetPorts();
    }
    for (const std::string& text : m_options.ports)
    {
        for (const NamedPort& named : FindPorts(m_network, text, "time series"))
        {
            if (std::find(ports.begin(), ports.end(), named.port) == ports.end())
            {
                ports.push_back(named.port);
            }
        }
    }
    for (uint32_t s = 0; s < m_network.GetNSwitches(); ++s)
    {
        const uint16_t n = m_network.GetSwitch(s)->GetNPorts();
        m_switchPorts.emplace_back(n, false);
        m_nonEmpty.emplace_back(n, 0);
        m_xoffSent.emplace_back(n, 0);
        for (uint16_t p = 0; p < n; ++p)
        {
            m_switchPorts[s][p] =
                m_options.ports.empty() ||
                std::find(ports.begin(), ports.end(), m_network.GetSwitch(s)->GetPort(p)) !=
                    ports.end();
        }
    }
    for (const Ptr<Port>& port : ports)
    {
        PortEntry entry;
        entry.port = port;
        entry.node = port->GetNode()->GetId();
        entry.index = static_cast<uint16_t>(port->GetIfIndex());
        entry.pausedSincePs.fill(-1);
        m_ports.push_back(std::move(entry));
    }
    m_sampledPauses.resize(m_ports.size());
}

void
TimeSeries::SelectFlows()
{
    m_selected.assign(m_flows.size(), m_options.flows.empty());
    for (const auto& [first, last] : m_options.flows)
    {
        if (last >= m_flows.size())
        {
            throw InputError("time series: no flow " + std::to_string(last) + ", expected " +
                             (m_flows.empty() ? std::string("none: there are no flows")
                                              : "0 to " + std::to_string(m_flows.size() - 1)));
        }
        std::fill(m_selected.begin() + static_cast<std::ptrdiff_t>(first),
                  m_selected.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                  true);
    }
}

void
TimeSeries::OpenTables(RunWriter& writer)
{
    if (m_options.queues.IsOn())
    {
        m_tables[QUEUES] =
            &writer.OpenCsv("queues.csv", {"time_ns", "node", "port", "class", "queue_bytes"});
    }
    if (m_options.rates.IsOn())
    {
        m_tables[RATES] = &writer.OpenCsv("rates.csv",
                                          {"time_ns",
                                           "flow",
                                           "src",
                                           "dst",
                                           "rate_bps",
                                           "window_bytes",
                                           "sent_bytes",
                                           "acked_bytes"});
        m_sentBytes.resize(m_flows.size());
        m_lastRates.resize(m_options.rates.onChange ? m_flows.size() : 0);
    }
    if (m_options.transport.IsOn())
    {
        m_tables[TRANSPORT] =
            &writer.OpenCsv("transport.csv", {"time_ns", "flow", "variable", "value"});
        m_lastValues.resize(m_options.transport.onChange ? m_flows.size() : 0);
    }
    if (m_options.pfc)
    {
        m_tables[PFC] = &writer.OpenCsv("pfc.csv", {"time_ns", "node", "port", "class", "event"});
    }
    if (m_options.pauses.IsOn())
    {
        m_tables[m_options.pauses.onChange ? PAUSES : PAUSE_SAMPLES] =
            &writer.OpenCsv("pauses.csv",
                            {"time_ns", "node", "port", "class", "paused", "paused_ns"});
    }
    if (m_options.utilisation.IsOn())
    {
        m_tables[UTILISATION] =
            &writer.OpenCsv("utilisation.csv",
                            {"time_ns", "node", "port", "tx_bytes", "utilisation"});
    }
    if (m_options.chromeTrace)
    {
        m_trace = std::make_unique<ChromeTrace>(writer.AddFile("trace.json"));
        m_drawn.resize(m_flows.size());
        m_lanes.resize(m_network.GetNNics());
    }
}

void
TimeSeries::Start()
{
    ConnectNics();
    ConnectSwitches();
    ConnectPorts();
    AddSampler(m_options.queues, &TimeSeries::SampleQueues);
    AddSampler(m_options.rates, &TimeSeries::SampleRates);
    AddSampler(m_options.transport, &TimeSeries::SampleTransport);
    AddSampler(m_options.pauses, &TimeSeries::SamplePauses);
    AddSampler(m_options.utilisation, &TimeSeries::SampleUtilisation);
    for (std::size_t i = 0; i < m_samplers.size(); ++i)
    {
        m_samplers[i].timer = Simulator::Schedule(PicoSeconds(m_samplers[i].intervalPs),
                                                  &TimeSeries::OnTimer,
                                                  this,
                                                  i);
    }
}

void
TimeSeries::ConnectNics()
{
    const bool feedback = m_options.rates.onChange || m_options.transport.onChange;
    for (uint32_t n = 0; n < m_network.GetNNics(); ++n)
    {
        Nic& nic = *m_network.GetNic(n);
        m_slackPs = std::max(m_slackPs, nic.GetSlackPs());
        Connect<const MessageRecord&>(nic, "MessageCompleted", [this](const MessageRecord& record) {
            OnCompleted(record);
        });
        if (m_options.rates.IsOn() || feedback)
        {
            Connect<const Frame&, Time>(nic, "TxBegin", [this, n](const Frame& frame, Time at) {
                OnSend(frame, n, at.GetPicoSeconds());
            });
        }
        if (feedback)
        {
            Connect<const QueuePair&, Time>(nic, "Rate", [this](const QueuePair& qp, Time at) {
                OnFeedback(qp, at.GetPicoSeconds());
            });
        }
    }
}

void
TimeSeries::ConnectSwitches()
{
    for (uint32_t s = 0; s < m_network.GetNSwitches(); ++s)
    {
        Switch& sw = *m_network.GetSwitch(s);
        m_slackPs = std::max(m_slackPs, sw.GetSlackPs());
        if (m_options.pfc || m_trace)
        {
            Connect<uint16_t, uint8_t, uint16_t, Time>(
                sw,
                "PauseSent",
                [this, s](uint16_t port, uint8_t trafficClass, uint16_t quanta, Time at) {
                    OnPauseSent(s, port, trafficClass, quanta > 0, at.GetPicoSeconds());
                });
        }
        if (m_options.queues.onChange)
        {
            Connect<uint16_t, uint8_t, uint64_t, Time>(
                sw,
                "QueueLength",
                [this, s, node = sw.GetNodeId()](uint16_t port,
                                                 uint8_t trafficClass,
                                                 uint64_t bytes,
                                                 Time at) {
                    if (m_switchPorts[s][port])
                    {
                        Row row;
                        row.table = QUEUES;
                        row.subject = node;
                        row.port = port;
                        row.trafficClass = trafficClass;
                        row.count = bytes;
                        Tell(at.GetPicoSeconds(), s, row);
                    }
                });
        }
    }
}

void
TimeSeries::ConnectPorts()
{
    for (PortEntry& entry : m_ports) // its addresses stay
    {
        if (m_options.pauses.onChange || m_trace)
        {
            Connect<uint8_t, bool, Time>(
                *entry.port,
                "PauseState",
                [this, &entry](uint8_t trafficClass, bool paused, Time at) {
                    OnPauseState(entry, trafficClass, paused, at.GetPicoSeconds());
                });
        }
        if (m_options.utilisation.onChange)
        {
            Connect<const Frame&, Time>(*entry.port,
                                        "TxBegin",
                                        [this, &entry](const Frame& frame, Time at) {
                                            OnTransmit(entry, frame, at.GetPicoSeconds());
                                        });
        }
    }
}

// ---------------------------------------------------------------- on change

void
TimeSeries::OnSend(const Frame& frame, uint32_t nic, int64_t atPs)
{
    if (frame.kind != FrameKind::DATA)
    {
        return;
    }
    const QueuePair* qp = m_network.GetNic(nic)->GetQp(frame.srcQp);
    const uint64_t flow = qp ? qp->GetOldestCookie() : UINT64_MAX;
    if (!IsSelected(flow))
    {
        return;
    }
    if (m_options.rates.IsOn())
    {
        m_sentBytes[flow] += frame.payloadBytes;
    }
    if (frame.psn == 0 && !(frame.flags & FRAME_RETX))
    {
        OnFeedback(*qp, atPs); // the rate it begins with
    }
}

void
TimeSeries::OnFeedback(const QueuePair& qp, int64_t atPs)
{
    const uint64_t flow = qp.GetOldestCookie();
    if (!IsSelected(flow))
    {
        return;
    }
    if (m_options.rates.onChange)
    {
        Row row = FlowRow(RATES, flow);
        row.rates = MakeRateRow(qp);
        if (!(row.rates == m_lastRates[flow]))
        {
            m_lastRates[flow] = row.rates;
            Tell(atPs, flow, row);
        }
    }
    if (m_options.transport.onChange)
    {
        m_variables.clear();
        qp.GetCc().GetVariables(atPs, m_variables);
        std::vector<double>& last = m_lastValues[flow];
        const bool first = last.size() != m_variables.size();
        last.resize(m_variables.size());
        for (std::size_t i = 0; i < m_variables.size(); ++i)
        {
            if (first || m_variables[i].value != last[i])
            {
                last[i] = m_variables[i].value;
                Row row = FlowRow(TRANSPORT, flow);
                row.name = m_variables[i].name;
                row.value = m_variables[i].value;
                Tell(atPs, flow, row);
            }
        }
    }
}

void
TimeSeries::OnCompleted(const MessageRecord& record)
{
    ++m_finished;
    const uint64_t flow = record.cookie;
    if (!IsSelected(flow))
    {
        return;
    }
    if (m_options.rates.IsOn())
    {
        Row row = FlowRow(RATES, flow);
        row.rates = {0, UNLIMITED_BYTES, m_sentBytes[flow], m_flows[flow].sizeBytes};
        Tell(record.completedPs, flow, row);
    }
    if (m_trace)
    {
        Tell(record.completedPs, flow, FlowRow(FLOWS, flow));
    }
}

void
TimeSeries::OnPauseSent(uint32_t sw, uint16_t port, uint8_t trafficClass, bool pause, int64_t atPs)
{
    if (!m_switchPorts[sw][port])
    {
        return;
    }
    uint8_t& sent = m_xoffSent[sw][port];
    const auto bit = static_cast<uint8_t>(1U << trafficClass);
    Row row;
    row.table = PFC;
    row.subject = m_network.GetSwitch(sw)->GetNodeId();
    row.port = port;
    row.trafficClass = trafficClass;
    row.count = !pause ? XON : sent & bit ? REFRESH : XOFF;
    sent = static_cast<uint8_t>(pause ? sent | bit : sent & ~bit);
    Tell(atPs, sw, row);
}

void
TimeSeries::OnPauseState(PortEntry& entry, uint8_t trafficClass, bool paused, int64_t atPs)
{
    int64_t& since = entry.pausedSincePs[trafficClass];
    if (since >= 0)
    {
        entry.pausedPs[trafficClass] += atPs - since;
    }
    since = paused ? atPs : -1;
    Row row = PortRow(PAUSES, entry, trafficClass);
    row.value = paused;
    row.count = static_cast<uint64_t>(entry.pausedPs[trafficClass]);
    Tell(atPs, static_cast<uint64_t>(&entry - m_ports.data()) * N_CLASSES + trafficClass, row);
}

void
TimeSeries::OnTransmit(PortEntry& entry, const Frame& frame, int64_t atPs)
{
    if (atPs > entry.busyUntilPs)
    {
        CloseBusy(entry);
        Row row = PortRow(UTILISATION, entry, 0);
        row.count = entry.txBytes;
        row.value = 1;
        Tell(atPs, static_cast<uint64_t>(&entry - m_ports.data()), row);
    }
    entry.busy = true;
    entry.busyUntilPs = entry.port->GetBusyUntilPs();
    entry.txBytes += entry.port->WireBytes(frame.frameBytes);
}

void
TimeSeries::CloseBusy(PortEntry& entry)
{
    if (entry.busy)
    {
        entry.busy = false;
        Row row = PortRow(UTILISATION, entry, 0);
        row.count = entry.txBytes;
        Order(entry.busyUntilPs, static_cast<uint64_t>(&entry - m_ports.data()), row);
    }
}

void
TimeSeries::Tell(int64_t atPs, uint64_t source, const Row& row)
{
    Order(atPs, source, row);
    if (m_order.GetSize() >= m_settleAt)
    {
        Settle(NowPs() - m_slackPs);
        m_settleAt = std::max(SETTLE_ROWS, 2 * m_order.GetSize());
    }
}

void
TimeSeries::TellSample(int64_t nowPs, const Row& row)
{
    Tell(nowPs, 0, row);
}

void
TimeSeries::Order(int64_t atPs, uint64_t source, const Row& row)
{
    m_order.Push(atPs, uint64_t{row.table} << 56 | source, row);
}

/// Everything before a time is known: write it.
void
TimeSeries::Settle(int64_t untilPs)
{
    m_settleAt = SIZE_MAX; // what is told below is ordered only
    for (PortEntry& entry : m_ports)
    {
        if (entry.busyUntilPs < untilPs)
        {
            CloseBusy(entry);
        }
        if (m_options.pauses.onChange || m_trace)
        {
            // No station will look at an earlier time: pauses that ran out unnoticed are told.
            entry.port->PausedMask(untilPs - 1);
        }
    }
    m_order.Release(untilPs, [this](int64_t atPs, const Row& row) { Write(atPs, row); });
}

// ---------------------------------------------------------------- at intervals

void
TimeSeries::AddSampler(const SeriesMode& mode, void (TimeSeries::*sample)(int64_t))
{
    if (mode.IsSampled())
    {
        m_samplers.push_back({mode.intervalPs, sample, EventId()});
    }
}

bool
TimeSeries::GoesOn() const
{
    return m_finished < m_flows.size() && !Simulator::IsFinished();
}

void
TimeSeries::OnTimer(std::size_t i)
{
    Sampler& sampler = m_samplers[i];
    m_network.CatchUp();
    (this->*sampler.sample)(NowPs());
    sampler.lastPs = NowPs();
    if (GoesOn())
    {
        sampler.timer =
            Simulator::Schedule(PicoSeconds(sampler.intervalPs), &TimeSeries::OnTimer, this, i);
    }
}

void
TimeSeries::SampleQueues(int64_t nowPs)
{
    Row row;
    row.table = QUEUES;
    for (uint32_t s = 0; s < m_network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = m_network.GetSwitch(s);
        row.subject = sw->GetNodeId();
        for (row.port = 0; row.port < sw->GetNPorts(); ++row.port)
        {
            if (!m_switchPorts[s][row.port])
            {
                continue;
            }
            const EgressScheduler& queue = sw->GetQueue(row.port);
            const uint8_t mask = NonEmptyMask(queue);
            const unsigned rows = mask | m_nonEmpty[s][row.port];
            for (row.trafficClass = 0; rows >> row.trafficClass; ++row.trafficClass)
            {
                if (rows >> row.trafficClass & 1)
                {
                    row.count = queue.GetBytes(row.trafficClass);
                    TellSample(nowPs, row);
                }
            }
            m_nonEmpty[s][row.port] = mask;
        }
    }
}

template <typename F>
void
TimeSeries::ForOpenFlows(F&& visit)
{
    for (uint32_t n = 0; n < m_network.GetNNics(); ++n)
    {
        const Ptr<Nic> nic = m_network.GetNic(n);
        for (uint32_t q = 0; nic->GetOpenQps() && q < nic->GetNQps(); ++q)
        {
            const QueuePair* qp = nic->GetQp(q);
            if (qp && IsSelected(qp->GetOldestCookie()))
            {
                visit(qp->GetOldestCookie(), *qp);
            }
        }
    }
}

void
TimeSeries::SampleRates(int64_t nowPs)
{
    ForOpenFlows([this, nowPs](uint64_t flow, const QueuePair& qp) {
        Row row = FlowRow(RATES, flow);
        row.rates = MakeRateRow(qp);
        TellSample(nowPs, row);
    });
}

void
TimeSeries::SampleTransport(int64_t nowPs)
{
    ForOpenFlows([this, nowPs](uint64_t flow, const QueuePair& qp) {
        m_variables.clear();
        qp.GetCc().GetVariables(nowPs, m_variables);
        for (const ControlVariable& variable : m_variables)
        {
            Row row = FlowRow(TRANSPORT, flow);
            row.name = variable.name;
            row.value = variable.value;
            TellSample(nowPs, row);
        }
    });
}

void
TimeSeries::SamplePauses(int64_t nowPs)
{
    for (PortEntry& entry : m_ports)
    {
        const uint32_t paused = entry.port->PausedMask(nowPs);
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            const int64_t totalPs = entry.port->GetPausedTimePs(c, nowPs);
            // PortEntry::pausedPs belongs to what is told on change.
            int64_t& before = m_sampledPauses[static_cast<std::size_t>(&entry - m_ports.data())][c];
            if (totalPs != before || paused >> c & 1)
            {
                before = totalPs;
                Row row = PortRow(PAUSE_SAMPLES, entry, c);
                row.value = paused >> c & 1;
                row.count = static_cast<uint64_t>(totalPs);
                TellSample(nowPs, row);
            }
        }
    }
}

void
TimeSeries::SampleUtilisation(int64_t nowPs)
{
    for (PortEntry& entry : m_ports)
    {
        const uint64_t txBytes = entry.port->GetTxWireBytes();
        const int64_t endPs = entry.port->GetBusyUntilPs(); // of the frame under way, if any
        const double restPs = endPs > nowPs ? static_cast<double>(endPs - nowPs) : 0;
        const double busyPs =
            static_cast<double>(txBytes) * 8e12 / static_cast<double>(entry.port->GetRateBps()) -
            restPs;
        const auto elapsedPs = static_cast<double>(nowPs - m_utilisationPs);
        const double share = std::max(0.0, (busyPs - entry.busyPs) / elapsedPs);
        const bool busy = share > 0.5e-6;
        if (busy || entry.wasBusy)
        {
            Row row = PortRow(UTILISATION, entry, 0);
            row.count = txBytes;
            row.value = busy ? share : 0;
            TellSample(nowPs, row);
        }
        entry.wasBusy = busy;
        entry.busyPs = busyPs;
    }
    m_utilisationPs = nowPs;
}

// ---------------------------------------------------------------- rows

TimeSeries::RateRow
TimeSeries::MakeRateRow(const QueuePair& qp) const
{
    return {qp.GetCc().GetRateBps(),
            qp.GetCc().GetWindowBytes(),
            m_sentBytes[qp.GetOldestCookie()],
            qp.GetAckedPayloadBytes()};
}

TimeSeries::Row
TimeSeries::FlowRow(Table table, uint64_t flow) const
{
    Row row;
    row.table = table;
    row.subject = static_cast<uint32_t>(flow);
    return row;
}

TimeSeries::Row
TimeSeries::PortRow(Table table, const PortEntry& entry, uint8_t trafficClass) const
{
    Row row;
    row.table = table;
    row.subject = entry.node;
    row.port = entry.index;
    row.trafficClass = trafficClass;
    return row;
}

void
TimeSeries::Write(int64_t atPs, const Row& row)
{
    if (m_tables[row.table])
    {
        WriteTable(atPs, row);
    }
    if (m_trace)
    {
        WriteTimeLine(atPs, row);
    }
}

void
TimeSeries::WriteTable(int64_t atPs, const Row& row)
{
    CsvFile& csv = *m_tables[row.table];
    csv.Ns(atPs).Uint(row.subject);
    switch (row.table)
    {
    case QUEUES:
        csv.Uint(row.port).Uint(row.trafficClass).Uint(row.count);
        break;
    case RATES:
        csv.Uint(m_flows[row.subject].src).Uint(m_flows[row.subject].dst).Uint(row.rates.rateBps);
        row.rates.windowBytes == UNLIMITED_BYTES ? csv.Text("") : csv.Uint(row.rates.windowBytes);
        csv.Uint(row.rates.sentBytes).Uint(row.rates.ackedBytes);
        break;
    case TRANSPORT:
        csv.Text(row.name).Double(row.value);
        break;
    case PFC:
        csv.Uint(row.port).Uint(row.trafficClass).Text(PFC_EVENTS[row.count]);
        break;
    case PAUSES:
    case PAUSE_SAMPLES:
        csv.Uint(row.port).Uint(row.trafficClass).Uint(row.value > 0);
        csv.Ns(static_cast<int64_t>(row.count));
        break;
    case UTILISATION:
        csv.Uint(row.port).Uint(row.count).Fixed(std::llround(row.value * 1e6), 6);
        break;
    case FLOWS:
    case N_TABLES:
        break;
    }
    csv.EndRow();
}

// ---------------------------------------------------------------- time line

std::string
TimeSeries::PortLabel(uint32_t node, uint16_t port) const
{
    const auto it = m_nicLabels.find({node, port});
    return it == m_nicLabels.end() ? "port " + std::to_string(port) : it->second;
}

uint32_t
TimeSeries::Process(uint32_t node)
{
    if (node >= m_named.size())
    {
        m_named.resize(node + 1);
    }
    const uint32_t process = node + 1; // viewers keep 0 for themselves
    if (!m_named[node])
    {
        m_named[node] = true;
        m_trace->NameProcess(process, m_network.GetNodeName(node));
    }
    return process;
}

void
TimeSeries::WriteTimeLine(int64_t atPs, const Row& row)
{
    if (row.table == FLOWS)
    {
        WriteFlowSlice(row.subject, atPs, true);
        return;
    }
    if (row.table == RATES || row.table == TRANSPORT)
    {
        const Nic& nic = *m_network.GetNic(m_flows[row.subject].src);
        const uint32_t process = Process(nic.GetNode()->GetId());
        const std::string flow = "flow " + std::to_string(row.subject) + " ";
        if (row.table == RATES)
        {
            m_trace->Counter(process, flow + "rate", "bps", atPs, row.rates.rateBps);
        }
        else if (std::isfinite(row.value)) // JSON has no other numbers
        {
            m_trace->Counter(process, flow + row.name, "value", atPs, row.value);
        }
        return;
    }
    const uint32_t process = Process(row.subject);
    switch (row.table)
    {
    case QUEUES:
        m_trace->Counter(process,
                         "port " + std::to_string(row.port) + " class " +
                             std::to_string(row.trafficClass) + " queue",
                         "bytes",
                         atPs,
                         row.count);
        break;
    case UTILISATION:
        m_trace->Counter(process,
                         PortLabel(row.subject, row.port) + " utilisation",
                         "share",
                         atPs,
                         row.value);
        break;
    case PFC:
        if (row.count != REFRESH)
        {
            WritePauseSlice(atPs, row, row.count == XOFF, "XOFF sent");
        }
        break;
    case PAUSES:
        WritePauseSlice(atPs, row, row.value > 0, "paused");
        break;
    default:
        break;
    }
}

void
TimeSeries::WritePauseSlice(int64_t atPs, const Row& row, bool begins, const char* what)
{
    const std::string track = PortLabel(row.subject, row.port) + " class " +
                              std::to_string(row.trafficClass) + " " + what;
    const auto [it, isNew] = m_openSlices.try_emplace({row.subject, track}, atPs);
    if (!begins && !isNew)
    {
        m_trace->Slice(Process(row.subject),
                       track,
                       what,
                       it->second,
                       atPs,
                       nlohmann::ordered_json::object({{"class", row.trafficClass}}));
    }
    if (!begins)
    {
        m_openSlices.erase(it);
    }
}

void
TimeSeries::WriteFlowSlice(uint64_t id, int64_t endPs, bool finished)
{
    const FlowSpec& flow = m_flows[id];
    m_drawn[id] = true;
    std::vector<int64_t>& lanes = m_lanes[flow.src];
    const auto lane = std::find_if(lanes.begin(), lanes.end(), [&flow](int64_t lastPs) {
        return lastPs <= flow.startPs;
    });
    const auto number = static_cast<std::size_t>(lane - lanes.begin());
    if (lane == lanes.end())
    {
        lanes.push_back(0);
    }
    lanes[number] = endPs;
    nlohmann::ordered_json details{{"flow", id},
                                   {"src", flow.src},
                                   {"dst", flow.dst},
                                   {"class", flow.trafficClass},
                                   {"bytes", flow.sizeBytes},
                                   {"status", finished ? "finished" : "unfinished"}};
    if (finished)
    {
        details["slowdown"] = static_cast<double>(endPs - flow.startPs) /
                              static_cast<double>(m_network.GetIdeal(flow).senderFctPs);
    }
    m_trace->Slice(Process(m_network.GetNic(flow.src)->GetNode()->GetId()),
                   "nic" + std::to_string(flow.src) + " flows, track " + std::to_string(number),
                   "flow " + std::to_string(id) + " to nic" + std::to_string(flow.dst),
                   flow.startPs,
                   endPs,
                   details);
}

void
TimeSeries::FinishTimeLine(int64_t nowPs)
{
    for (const auto& [key, fromPs] : m_openSlices)
    {
        m_trace->Slice(Process(static_cast<uint32_t>(key.first)),
                       key.second,
                       key.second.substr(key.second.find(" class ") + 9),
                       fromPs,
                       nowPs,
                       nlohmann::ordered_json::object({{"status", "unfinished"}}));
    }
    for (std::size_t id = 0; id < m_flows.size(); ++id)
    {
        if (m_selected[id] && !m_drawn[id] && m_flows[id].startPs < nowPs)
        {
            WriteFlowSlice(id, nowPs, false);
        }
    }
    m_trace->Close();
}

void
TimeSeries::Finish()
{
    const int64_t now = NowPs();
    for (Sampler& sampler : m_samplers)
    {
        sampler.timer.Cancel();
        if (sampler.lastPs < now)
        {
            (this->*sampler.sample)(now);
        }
    }
    Settle(now + 1);
    m_order.Release(INT64_MAX, [this](int64_t atPs, const Row& row) { Write(atPs, row); });
    if (m_trace)
    {
        FinishTimeLine(now);
    }
}

} // namespace roce
} // namespace ns3
