// SPDX-License-Identifier: GPL-2.0-only
#include "roce-paraleon.h"

#include "ns3/data-rate.h"
#include "ns3/roce-input-error.h"

#include <cmath>
#include <limits>
#include <sstream>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Paraleon);

namespace
{

constexpr double NONE = std::numeric_limits<double>::quiet_NaN();
constexpr double REFERENCE_BPS = 100e9; //!< line rate for which the table's values are

/// @return masses that the SketchMonitor of a switch has reported; 0 without one
FlowShares
FlowSharesOf(const SwitchReport& report)
{
    return report.values.empty() ? FlowShares() : FlowShares{report.values[0], report.values[1]};
}

} // namespace

Paraleon::Paraleon()
    : m_searchRandom(CreateObject<UniformRandomVariable>())
{
}

void
Paraleon::DoDispose()
{
    m_searchRandom = nullptr;
    Tuner::DoDispose();
}

int64_t
Paraleon::DoAssignStreams(int64_t stream)
{
    m_searchRandom->SetStream(stream);
    return 1;
}

uint32_t
Paraleon::GetDispatchBytes(std::size_t values) const
{
    return values ? 76 : 0;
}

/// @return the table for this network's rates
MutationTable
Paraleon::MakeTable() const
{
    const double lineBps = static_cast<double>(GetNetwork().nics.front()->GetRateBps());
    const MutationTable given = m_p->MakeTable();
    MutationTable table;
    for (TunedParameter row : given.GetRows())
    {
        double factor = row.scales ? lineBps / REFERENCE_BPS : 1;
        if (row.scales && row.target == "EcnMarker")
        {
            // The marker's values are for its own reference rate, not for the ports' rates.
            DataRate reference;
            std::istringstream text(GetValue("EcnMarker", "ReferenceRate"));
            text >> reference;
            if (reference.GetBitRate())
            {
                factor = static_cast<double>(reference.GetBitRate()) / REFERENCE_BPS;
            }
        }
        row.step *= factor;
        row.least *= factor;
        row.greatest *= factor;
        row.start *= factor;
        row.isWhole = row.isWhole && factor >= 1;
        table.Add(row);
    }
    return table;
}

std::vector<Tuner::Setting>
Paraleon::ToSettings(const GuidedAnnealing::Values& values) const
{
    std::vector<Setting> settings;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        const TunedParameter& row = m_table.GetRows()[i];
        std::string text = m_table.ToText(i, values[i]);
        if (IsPlainBytes(row))
        {
            const double perUnit = 1000;
            text = std::to_string(std::llround(perUnit * values[i]));
        }
        settings.push_back({row.target, row.attribute, text});
    }
    return settings;
}

/// @return whether the attribute is a whole number of bytes, without a unit
bool
Paraleon::IsPlainBytes(const TunedParameter& row) const
{
    const std::string text =
        row.unit == TunedParameter::Unit::KILOBYTES ? GetValue(row.target, row.attribute) : "none";
    return text.find_first_not_of("0123456789") == std::string::npos;
}

/// Refuse what could not be deployed later.
void
Paraleon::CheckTable() const
{
    GuidedAnnealing::Values least;
    GuidedAnnealing::Values greatest;
    for (const TunedParameter& row : m_table.GetRows())
    {
        least.push_back(row.least);
        greatest.push_back(row.greatest);
        if (row.target == "EcnMarker" && (!GetValue("EcnMarker", "RateMap").empty() ||
                                          GetValue("EcnMarker", "KmaxFraction") != "0"))
        {
            throw InputError("ns3::roce::Paraleon tunes EcnMarker." + row.attribute +
                             ", which RateMap and KmaxFraction override, expected neither of them");
        }
    }
    for (GuidedAnnealing::Values* values : {&least, &greatest})
    {
        m_table.Order(*values);
        CheckSettings(ToSettings(*values));
    }
}

void
Paraleon::DoInstall()
{
    m_p = m_parameters.Get();
    m_table = MakeTable();
    CheckTable();
    m_deployed.clear();
    for (std::size_t i = 0; i < m_table.GetSize(); ++i)
    {
        const TunedParameter& row = m_table.GetRows()[i];
        m_deployed.push_back(
            m_table.FromText(i,
                             GetValue(row.target, row.attribute) + (IsPlainBytes(row) ? "B" : "")));
    }
    m_mix.Start(m_p->mix);
    m_meter.Start(GetNetwork(), *m_p);
    m_annealing.Setup(m_p->annealing, m_table, m_searchRandom);
}

TuningAgents::Options
Paraleon::GetAgents(const TunedNetwork&) const
{
    return UtilityMeter::GetAgents(m_p->utility);
}

bool
Paraleon::WantsNicReports() const
{
    return m_annealing.IsRunning() ||
           m_p->annealing.startSolution == GuidedAnnealing::StartSolution::DEFAULT_SCORED;
}

void
Paraleon::Deploy(const GuidedAnnealing::Values& values)
{
    m_deployed = values;
    ++m_candidate;
    Change change;
    change.settings = ToSettings(values);
    Dispatch(std::move(change));
}

/// @brief The weights of the flows that dominate now. What a run has earned with others does not
/// compare.
void
Paraleon::Weigh()
{
    const TuningUtility::Weights weights =
        m_meter.GetUtility().GetWeights(m_mix.GetShares().ElephantsDominate());
    if (m_annealing.IsRunning() && weights.tp != m_weights.tp)
    {
        m_annealing.ForgetUtilities();
    }
    m_weights = weights;
}

void
Paraleon::OnInterval(const TuningReports& reports)
{
    FlowShares masses;
    for (const SwitchReport& sw : reports.switches)
    {
        masses += FlowSharesOf(sw);
    }
    const bool trigger = m_mix.Update(masses);
    if (m_annealing.IsRunning())
    {
        if (m_p->utility.weightMode == TuningUtility::WeightMode::BY_DOMINANCE)
        {
            Weigh();
        }
        const TuningUtility::Terms terms = m_meter.Measure(reports, m_weights);
        Tell(trigger ? "trigger" : "tuning", &terms);
        if (trigger)
        {
            m_annealing.OnTrigger();
        }
        if (m_p->countsEmpty)
        {
            Deploy(m_annealing.Advance(terms.all ? terms.u : NONE, m_mix.GetGuide()));
        }
        else if (terms.any)
        {
            Deploy(m_annealing.Advance(terms.u, m_mix.GetGuide()));
        }
        return;
    }
    const bool begins = trigger || (m_p->restartsByItself && m_mix.IsKnown());
    Weigh();
    double before = -std::numeric_limits<double>::infinity();
    if (WantsNicReports())
    {
        const TuningUtility::Terms terms = m_meter.Measure(reports, m_weights);
        Tell(begins ? "begin" : "idle", &terms);
        before = terms.any ? terms.u : before;
    }
    else
    {
        Tell(begins ? "begin" : "idle", nullptr);
    }
    if (begins)
    {
        ++m_runs;
        Deploy(m_annealing.Begin(m_deployed, m_mix.GetGuide(), before));
    }
}

std::vector<std::string>
Paraleon::GetColumns() const
{
    std::vector<std::string> columns{"candidate",
                                     "utility",
                                     "o_tp",
                                     "o_rtt",
                                     "o_pfc",
                                     "r_elephants",
                                     "kl",
                                     "temperature"};
    for (const TunedParameter& row : m_table.GetRows())
    {
        columns.push_back(row.target + "." + row.attribute);
    }
    return columns;
}

/// The setting of the interval that has just ended, and its utility.
void
Paraleon::Tell(const std::string& state, const TuningUtility::Terms* terms)
{
    const bool known = terms && terms->any;
    std::vector<double> values{static_cast<double>(m_candidate),
                               known ? terms->u : NONE,
                               known ? terms->tp : NONE,
                               known ? terms->rtt : NONE,
                               known ? terms->pfc : NONE,
                               m_mix.IsKnown() ? m_mix.GetShares().elephants : NONE,
                               m_mix.IsKnown() ? m_mix.GetDivergence() : NONE,
                               m_annealing.IsRunning() ? m_annealing.GetTemperature() : NONE};
    values.insert(values.end(), m_deployed.begin(), m_deployed.end());
    Record(state, values);
}

} // namespace ns3::roce
