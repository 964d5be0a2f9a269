// SPDX-License-Identifier: GPL-2.0-only
#include "roce-time-series.h"

#include "roce-port-names.h"
#include "roce-series-kinds.h"

#include "ns3/node.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-text-form.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace ns3::roce
{

namespace
{

const char* const MESSAGES = "time series"; // what begins them

/// @return the kinds so far; the function that adds one may run before anything else of this file
std::vector<SeriesKind>&
Kinds()
{
    static std::vector<SeriesKind> kinds{MakeQueueKind(),
                                         MakeRateKind(),
                                         MakeTransportKind(),
                                         MakePauseFrameKind(),
                                         MakePauseKind(),
                                         MakeUtilisationKind(),
                                         MakeNotificationKind()};
    return kinds;
}

} // namespace

const std::vector<SeriesKind>&
TimeSeries::GetKinds()
{
    return Kinds();
}

bool
TimeSeries::Register(const SeriesKind& kind)
{
    std::vector<SeriesKind>& kinds = Kinds();
    static const auto own = static_cast<std::ptrdiff_t>(kinds.size()); // at the first call
    const auto byName = [](const SeriesKind& a, const SeriesKind& b) {
        return std::string_view(a.option) < b.option;
    };
    kinds.insert(std::upper_bound(kinds.begin() + own, kinds.end(), kind, byName), kind);
    return true;
}

bool
TimeSeries::Options::IsOn() const
{
    return chromeTrace || std::any_of(modes.begin(), modes.end(), [](const auto& entry) {
               return entry.second.IsOn();
           });
}

bool
TimeSeries::Options::IsOn(SeriesSubject subject) const
{
    const std::vector<SeriesKind>& kinds = GetKinds();
    return chromeTrace || std::any_of(kinds.begin(), kinds.end(), [&](const SeriesKind& kind) {
               const auto mode = modes.find(kind.option);
               return kind.subject == subject && mode != modes.end() && mode->second.IsOn();
           });
}

std::vector<TimeSeries::FlowRange>
TimeSeries::ParseFlows(const std::string& text, const std::string& option)
{
    std::vector<FlowRange> ranges;
    if (text.empty())
    {
        return ranges; // without the work of the line below
    }
    static const TextForm form("([0-9]{1,18})(-([0-9]{1,18}))?");
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');)
    {
        const std::vector<std::string> match = form.Match(item);
        if (match.empty())
        {
            throw InputError(option + " has '" + item +
                             "', expected flow ids and ranges, for example 0,3-7");
        }
        const uint64_t first = std::stoull(match[1]);
        const uint64_t last = !match[3].empty() ? std::stoull(match[3]) : first;
        if (last < first)
        {
            throw InputError(option + " has '" + item + "', expected the smaller id first");
        }
        ranges.emplace_back(first, last);
    }
    return ranges;
}

void
TimeSeries::Check(const Network& network, std::size_t nFlows, const Options& options)
{
    for (const std::string& name : options.ports)
    {
        FindPorts(network, name, MESSAGES);
    }
    for (const auto& [first, last] : options.flows)
    {
        if (last >= nFlows)
        {
            throw InputError(std::string(MESSAGES) + ": no flow " + std::to_string(last) +
                             ", expected " +
                             (nFlows == 0 ? std::string("none: there are no flows")
                                          : "0 to " + std::to_string(nFlows - 1)));
        }
    }
}

TimeSeries::TimeSeries(Network& network,
                       const std::vector<FlowSpec>& flows,
                       const Options& options,
                       RunWriter* writer)
    : m_context{network,
                PortNames(network),
                writer,
                &m_records,
                nullptr,
                flows,
                {},
                {},
                {},
                nullptr},
      m_records(network, MakeUse())
{
    Check(network, flows.size(), options);
    ChoosePorts(options.ports);
    ChooseFlows(options.flows);
    std::map<std::string, SeriesMode> modes = options.modes;
    for (const SeriesKind& kind : GetKinds())
    {
        m_series.push_back(kind.make(m_context, modes[kind.option], kind));
    }
    if (modes.size() > GetKinds().size())
    {
        throw std::logic_error("TimeSeries: a mode of an unknown series");
    }
    if (options.chromeTrace)
    {
        m_context.hasTimeLine = true;
        if (writer)
        {
            m_context.timeLine = std::make_unique<TimeLine>(network, writer->AddFile("trace.json"));
        }
        m_series.push_back(MakeFlowSlices(m_context));
        if (options.ranks)
        {
            m_series.push_back(MakeRankSlices(m_context, *options.ranks));
        }
    }
}

TimeSeries::~TimeSeries()
{
    for (Sampler& sampler : m_samplers)
    {
        sampler.timer.Cancel();
    }
}

void
TimeSeries::ChoosePorts(const std::vector<std::string>& names)
{
    Network& network = m_context.network;
    std::vector<Ptr<Port>> ports;
    if (names.empty())
    {
        ports = network.GetPorts();
    }
    for (const std::string& name : names)
    {
        for (const NamedPort& named : FindPorts(network, name, MESSAGES))
        {
            if (std::find(ports.begin(), ports.end(), named.port) == ports.end())
            {
                ports.push_back(named.port);
            }
        }
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = network.GetSwitch(s);
        std::vector<bool>& chosen = m_context.switchPorts.emplace_back(sw->GetNPorts(), false);
        for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
        {
            chosen[p] = names.empty() ||
                        std::find(ports.begin(), ports.end(), sw->GetPort(p)) != ports.end();
        }
    }
    for (const Ptr<Port>& port : ports)
    {
        m_context.ports.push_back(
            {port, port->GetNode()->GetId(), static_cast<uint16_t>(port->GetIfIndex())});
    }
}

void
TimeSeries::ChooseFlows(const std::vector<FlowRange>& ranges)
{
    std::vector<bool>& chosen = m_context.chosenFlows;
    const std::size_t n = m_context.flows.size();
    chosen.assign(n, ranges.empty());
    for (const auto& [first, last] : ranges)
    {
        std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(first),
                  chosen.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                  true);
    }
}

bool
TimeSeries::HasHosts() const
{
    return std::any_of(m_series.begin(), m_series.end(), [](const auto& series) {
        return series->GetTable().hasHosts && series->GetMode().IsOn();
    });
}

void
TimeSeries::Start()
{
    Network& network = m_context.network;
    const ReplyMark::Notes notes;
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        ConnectTrace<const MessageRecord&>(*network.GetNic(n),
                                           "MessageCompleted",
                                           [this](const MessageRecord&) { ++m_finished; });
    }
    for (const std::unique_ptr<Series>& series : m_series)
    {
        series->Start();
        if (series->GetMode().IsSampled())
        {
            m_samplers.push_back({series.get(), EventId()});
        }
    }
    for (std::size_t i = 0; i < m_samplers.size(); ++i)
    {
        ScheduleSample(i);
    }
}

void
TimeSeries::ScheduleSample(std::size_t i)
{
    const Time interval = PicoSeconds(m_samplers[i].series->GetMode().intervalPs);
    m_samplers[i].timer = Simulator::Schedule(interval, &TimeSeries::OnTimer, this, i);
}

void
TimeSeries::TakeSample(Series& series)
{
    if (!m_context.network.GetRanks())
    {
        series.Sample(NowPs());
        return;
    }
    m_records.Collect(); // what has changed by now comes before the sample
    SampleOfAll(series, m_context, NowPs());
}

void
TimeSeries::OnTimer(std::size_t i)
{
    m_context.network.CatchUp();
    TakeSample(*m_samplers[i].series);
    m_samplers[i].lastPs = NowPs();
    if (m_finished < m_context.flows.size() && !m_context.network.IsSimulatorDone())
    {
        ScheduleSample(i);
    }
}

/// @return what becomes of rows
StationRecords<SeriesRow>::Use
TimeSeries::MakeUse()
{
    const auto tableOf = [this](uint8_t rank) -> const SeriesTable& {
        return m_series[rank]->GetTable();
    };
    return {
        [this](int64_t atPs, const SeriesRow& row) { m_series[row.rank]->Write(atPs, row); },
        [this](int64_t untilPs) {
            for (const std::unique_ptr<Series>& series : m_series)
            {
                series->Settle(std::min(untilPs, NowPs() + 1));
            }
        },
        [tableOf](const SeriesRow& row, std::string& bytes) {
            WriteSeriesRow(tableOf(row.rank), row, bytes);
        },
        [tableOf](ByteReader& bytes) { return ReadSeriesRow(tableOf, bytes); },
    };
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
            TakeSample(*sampler.series);
        }
    }
    m_records.Finish(); // rows with times to come included
    if (m_context.timeLine)
    {
        m_context.timeLine->EndPortSlices(now);
    }
    for (const std::unique_ptr<Series>& series : m_series)
    {
        series->FinishTimeLine(now);
    }
    if (m_context.timeLine)
    {
        m_context.timeLine->Close();
    }
}

} // namespace ns3::roce
