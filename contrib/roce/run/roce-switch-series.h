// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SWITCH_SERIES_H
#define ROCE_SWITCH_SERIES_H

#include "roce-sample-filter.h"
#include "roce-series.h"
#include "roce-time-series.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief What a stage (or Switch itself) offers for time series: a row for each ITEM that it has,
 * such as a port or one of its queues, with the variables listed. SwitchSeries::Register() makes an
 * option and a table of it.
 *
 * If one of the variables is a PORT, rows are of chosen ports only (--seriesPorts), else of
 * switches with a chosen port.
 *
 * @tparam STAGE a class of stages, of which the first of a switch is taken, or Switch
 * @tparam ITEM what a row is of; it lives during a call
 */
template <typename STAGE, typename ITEM>
struct StageTable
{
    /// Takes an item as it is now.
    using Take = std::function<void(const ITEM& item)>;
    /// Takes an item that has changed, and when.
    using Tell = std::function<void(const ITEM& item, Time at)>;

    const char* option; //!< see SeriesTable
    const char* help;   //!< see SeriesTable
    const char* label;  //!< see SeriesTable
    const char* unit;   //!< see SeriesTable
    std::vector<SeriesVariable<ITEM>> variables;
    /// Hands out all items of a stage. Null: on change only.
    void (*visit)(const STAGE& stage, int64_t nowPs, const Take& take);
    /// Connects to what changes items. Null: at intervals only.
    void (*watch)(STAGE& stage, const Tell& tell);
};

/**
 * @ingroup roce
 * @brief Records what stages, their schedulers and switches offer (StageTable).
 *
 * At intervals SampleFilter says which rows there are.
 */
class SwitchSeries : public Series
{
  public:
    /// Takes a row.
    using TakeRow = std::function<void(const SeriesRow& row)>;
    /// Takes a row that has changed, and when.
    using TellRow = std::function<void(const SeriesRow& row, Time at)>;
    /// Hands out the rows of a switch. Empty: there are none.
    using Visit = std::function<void(int64_t nowPs, const TakeRow& take)>;

    /// A switch that is recorded.
    struct At
    {
        Switch& sw;
        const std::vector<bool>& chosen; //!< by port
    };

    /// Sets up a switch; connects to its changes if there is `tell`. @return how to visit its rows
    using Setup = std::function<Visit(const At& at, const TellRow& tell)>;

    /// @copydoc Series::Series() @param setup called for each switch
    SwitchSeries(SeriesContext& context,
                 const SeriesMode& mode,
                 const SeriesTable& table,
                 Setup setup);

    void Start() override;
    void Sample(int64_t nowPs) override;

    /**
     * @brief Make an option and a table, before options are read.
     * @param offer what they are about
     * @return true, for the initialisation of a static variable
     */
    template <typename STAGE, typename ITEM>
    static bool Register(const StageTable<STAGE, ITEM>& offer)
    {
        return TimeSeries::Register(MakeKind(offer));
    }

    /// @return the same, for a list @param offer see Register()
    template <typename STAGE, typename ITEM>
    static SeriesKind MakeKind(const StageTable<STAGE, ITEM>& offer);

  private:
    /// What is sampled.
    struct Source
    {
        Visit visit;
        SampleFilter filter;
    };

    template <typename STAGE, typename ITEM>
    static Setup MakeSetup(const StageTable<STAGE, ITEM>& given);
    template <typename ITEM>
    static std::optional<SeriesRow> MakeRow(const At& at,
                                            const std::vector<SeriesVariable<ITEM>>& variables,
                                            const ITEM& item);
    static std::vector<SeriesRow> Look(Source& source, int64_t nowPs);

    Setup m_setup;
    std::vector<Source> m_sources;
};

template <typename ITEM>
std::optional<SeriesRow>
SwitchSeries::MakeRow(const At& at,
                      const std::vector<SeriesVariable<ITEM>>& variables,
                      const ITEM& item)
{
    SeriesRow row;
    row.subject = at.sw.GetNodeId();
    std::size_t place = 0;
    for (const SeriesVariable<ITEM>& variable : variables)
    {
        const SeriesValue value = variable.get(item);
        if (variable.form != SeriesForm::PORT)
        {
            row.values[place++] = value;
            continue;
        }
        const auto port = static_cast<uint16_t>(value.count);
        if (!at.chosen[port])
        {
            return std::nullopt;
        }
        row.port = static_cast<uint16_t>(at.sw.GetPort(port)->GetIfIndex());
    }
    return row;
}

template <typename STAGE, typename ITEM>
SwitchSeries::Setup
SwitchSeries::MakeSetup(const StageTable<STAGE, ITEM>& given)
{
    const auto offer = std::make_shared<const StageTable<STAGE, ITEM>>(given);
    return [offer](const At& at, const TellRow& tell) -> Visit {
        STAGE* stage;
        if constexpr (std::is_same_v<STAGE, Switch>)
        {
            stage = &at.sw;
        }
        else
        {
            stage = at.sw.FindStage<STAGE>();
        }
        if (stage && tell)
        {
            offer->watch(*stage, [offer, at, tell](const ITEM& item, Time when) {
                if (const auto row = MakeRow(at, offer->variables, item))
                {
                    tell(*row, when);
                }
            });
        }
        if (!stage || !offer->visit)
        {
            return {};
        }
        return [offer, at, stage](int64_t nowPs, const TakeRow& take) {
            offer->visit(*stage, nowPs, [&](const ITEM& item) {
                if (const auto row = MakeRow(at, offer->variables, item))
                {
                    take(*row);
                }
            });
        };
    };
}

template <typename STAGE, typename ITEM>
SeriesKind
SwitchSeries::MakeKind(const StageTable<STAGE, ITEM>& offer)
{
    SeriesKind kind{{offer.option, SeriesSubject::PORTS, offer.help, offer.label, offer.unit}, {}};
    for (const SeriesVariable<ITEM>& variable : offer.variables)
    {
        kind.columns.push_back({variable.name, variable.form, variable.roles});
    }
    kind.isSwitch = !offer.visit;
    kind.isSampled = !offer.watch;
    kind.make = [setup = MakeSetup(offer)](SeriesContext& context,
                                           const SeriesMode& mode,
                                           const SeriesTable& table) {
        return std::make_unique<SwitchSeries>(context, mode, table, setup);
    };
    return kind;
}

} // namespace ns3::roce

#endif /* ROCE_SWITCH_SERIES_H */
