// SPDX-License-Identifier: GPL-2.0-only
#include "roce-acc.h"

#include "roce-paraleon-params.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <limits>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Acc);

namespace
{

constexpr AccState::Weights REWARD{0.7, 0.3}; // of utilisation and queue, as in ACC's paper
constexpr double DISCOUNT = 0.5;              // of the value of the next state
constexpr uint32_t TARGET_PERIOD = 200;       // steps between updates of the second table

} // namespace

const ParameterTable<AccParams>&
AccParams::Table()
{
    using P = AccParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Acc")
            .Text("Table", &P::table, {""})
            .Help("File with curves and their learned values, made by train_acc; empty: "
                  "the module's own")
            .Choice("Start",
                    &P::start,
                    {Start::TRAINED},
                    {{"trained", Start::TRAINED}, {"scratch", Start::SCRATCH}})
            .Help("What agents know at first: the table's values, or nothing but its curves")
            .Flag("Learning", &P::learns, {true})
            .Help("Agents explore and learn during the run")
            .Flag("SharedTable", &P::sharesTable, {false})
            .Help("All agents learn on one table, which the run's folder gets (learned.txt), as in "
                  "training; otherwise each on a copy")
            .Number("Epsilon", &P::epsilon, {0.01}, Range::Within(0, 1))
            .Help("Probability that an agent that learns chooses any curve")
            .Number("LearningRate", &P::learningRate, {0.01}, Range::Within(0, 1))
            .Help("Least step of Q-learning; a value that was learned n times moves by 1/n if that "
                  "is more")
            .Constants({{"Discount", "0.5"},
                        {"TargetPeriod", "200"},
                        {"OmegaThroughput", "0.7"},
                        {"OmegaQueue", "0.3"}})
            .Flag("TracePorts", &P::tracesPorts, {false})
            .Help("tuning.csv has a column for each port: Kmax in kB")
            .Flag("Measure", &P::measures, {false})
            .Help("tuning.csv has the terms of PARALEON's utility, as with Paraleon; learning does "
                  "not use them");
    return table;
}

Acc::Acc()
    : m_explore(CreateObject<UniformRandomVariable>())
{
}

void
Acc::DoDispose()
{
    m_explore = nullptr;
    Tuner::DoDispose();
}

int64_t
Acc::DoAssignStreams(int64_t stream)
{
    m_explore->SetStream(stream);
    return 1;
}

TuningAgents::Options
Acc::GetAgents(const TunedNetwork&) const
{
    TuningAgents::Options options;
    options.rtts = options.nics = m_p->measures;
    options.tors = options.otherSwitches = true;
    return options;
}

void
Acc::DoInstall()
{
    m_p = m_parameters.Get();
    AccTable table = m_p->table.empty() ? AccTable::BuiltIn() : AccTable::Read(m_p->table);
    if (m_p->start == AccParams::Start::SCRATCH)
    {
        table = AccTable(table.GetIntervals(), table.GetActions());
    }
    const std::vector<Ptr<Switch>>& switches = GetNetwork().switches;
    m_tables.assign(m_p->sharesTable ? 1 : switches.size(), table);
    if (m_p->measures)
    {
        m_meter.Start(GetNetwork(), *Parameters<ParaleonParams>().Get());
    }
    m_ports.clear();
    for (const Ptr<Switch>& sw : switches)
    {
        if (!sw->FindStage<EcnMarker>())
        {
            throw InputError("ns3::roce::Acc tunes EcnMarker, which switch " + sw->GetName() +
                             " does not have, expected one at each switch");
        }
        m_ports.emplace_back(sw->GetNPorts(),
                             PortAgent{AccState(table.GetIntervals()), AccTable::NONE});
    }
}

std::size_t
Acc::Choose(const AccTable& table, unsigned cell)
{
    if (m_p->learns && m_explore->GetValue() < m_p->epsilon)
    {
        ++m_totals.explored;
        return m_explore->GetInteger(0, static_cast<uint32_t>(table.GetActions().size() - 1));
    }
    return table.BestOf(cell);
}

void
Acc::OnPort(uint32_t sw, const PortReport& port, double intervalSeconds, Change& change)
{
    PortAgent& agent = m_ports[sw][port.port];
    AccTable& table = m_tables[m_p->sharesTable ? 0 : sw];
    const EcnCurve& curve = GetNetwork().switches[sw]->FindStage<EcnMarker>()->GetCurve(port.port);
    const double fits = static_cast<double>(port.rateBps) / 8 * intervalSeconds;
    const auto share = [fits](uint64_t bytes) {
        return std::min(1.0, static_cast<double>(bytes) / fits);
    };
    const AccState::Observation seen{static_cast<double>(port.queueBytes),
                                     share(port.txBytes),
                                     share(port.markedBytes),
                                     curve};
    const unsigned before = agent.state.GetCell();
    agent.state.Observe(seen);
    if (port.txBytes == 0 && port.queueBytes == 0)
    {
        agent.action = AccTable::NONE;
        return;
    }
    const double reward = AccState::RewardOf(seen, REWARD);
    const unsigned cell = agent.state.GetCell();
    if (m_p->learns && agent.action != AccTable::NONE)
    {
        table.Learn({before, agent.action, reward, cell},
                    {m_p->learningRate, DISCOUNT, TARGET_PERIOD});
    }
    agent.action = Choose(table, cell);
    const EcnCurve& chosen =
        agent.action == AccTable::NONE ? curve : table.GetActions()[agent.action];
    if (chosen.kminBytes != curve.kminBytes || chosen.kmaxBytes != curve.kmaxBytes ||
        chosen.pmax != curve.pmax)
    {
        change.curves.push_back({sw, port.port, chosen});
        ++m_totals.retuned;
    }
    ++m_totals.ports;
    m_totals.reward += reward;
    m_totals.utilisation += seen.utilisation;
    m_totals.queueLevel += AccState::LevelOf(seen.queueBytes);
    m_totals.markedShare += seen.markedShare;
    m_totals.kmaxKb += static_cast<double>(curve.kmaxBytes) / 1000;
    m_totals.pmax += curve.pmax;
}

void
Acc::OnInterval(const TuningReports& reports)
{
    m_totals = {};
    Change change;
    const double intervalSeconds = static_cast<double>(reports.toPs - reports.fromPs) / 1e12;
    for (const SwitchReport& sw : reports.switches)
    {
        for (const PortReport& port : sw.ports)
        {
            OnPort(sw.sw, port, intervalSeconds, change);
        }
    }
    if (m_p->measures)
    {
        m_terms = m_meter.Measure(reports, m_meter.GetUtility().GetWeights(false));
    }
    Tell();
    if (!change.curves.empty())
    {
        Dispatch(std::move(change));
    }
}

std::vector<std::string>
Acc::GetColumns() const
{
    std::vector<std::string> columns{"ports",
                                     "reward",
                                     "utilisation",
                                     "queue_level",
                                     "marked_share",
                                     "kmax_kb",
                                     "pmax",
                                     "explored",
                                     "retuned"};
    if (m_p->measures)
    {
        columns.insert(columns.end(), {"o_tp", "o_rtt", "o_pfc"});
    }
    for (std::size_t s = 0; m_p->tracesPorts && s < m_ports.size(); ++s)
    {
        for (std::size_t p = 0; p < m_ports[s].size(); ++p)
        {
            columns.push_back(GetNetwork().switches[s]->GetName() + ":" + std::to_string(p));
        }
    }
    return columns;
}

/// Means over the ports that were used, and what was decided at the end of the interval.
void
Acc::Tell()
{
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto mean = [this](double sum) {
        return m_totals.ports ? sum / static_cast<double>(m_totals.ports) : none;
    };
    std::vector<double> values{static_cast<double>(m_totals.ports),
                               mean(m_totals.reward),
                               mean(m_totals.utilisation),
                               mean(m_totals.queueLevel),
                               mean(m_totals.markedShare),
                               mean(m_totals.kmaxKb),
                               mean(m_totals.pmax),
                               static_cast<double>(m_totals.explored),
                               static_cast<double>(m_totals.retuned)};
    if (m_p->measures)
    {
        const bool any = m_terms.any;
        values.insert(
            values.end(),
            {any ? m_terms.tp : none, any ? m_terms.rtt : none, any ? m_terms.pfc : none});
    }
    for (std::size_t s = 0; m_p->tracesPorts && s < m_ports.size(); ++s)
    {
        const EcnMarker& marker = *GetNetwork().switches[s]->FindStage<EcnMarker>();
        for (uint16_t p = 0; p < m_ports[s].size(); ++p)
        {
            values.push_back(static_cast<double>(marker.GetCurve(p).kmaxBytes) / 1000);
        }
    }
    Record(m_totals.ports ? "tuning" : "idle", values);
}

std::string
Acc::GetLearned() const
{
    return m_p->sharesTable ? m_tables.front().Print() : "";
}

} // namespace ns3::roce
