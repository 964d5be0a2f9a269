// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_END_SERIES_H
#define ROCE_END_SERIES_H

#include "roce-time-series.h"

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-receiver-feedback.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::roce
{

/// A variable that an object offers. @tparam T class of the object
template <typename T>
struct EndVariable
{
    const char* name; //!< with its unit at the end, if it has one
    double (*get)(const T& object);
};

/**
 * @ingroup roce
 * @brief Records what the two ends of a flow offer, its rate law and its receiver's feedback: of
 * flows under way, at intervals only, since the two change on their own. A row is time_ns, flow,
 * variable, value.
 *
 * The two may be in different processes.
 */
class EndSeries : public Series
{
  public:
    /// What one end offers.
    template <typename OBJECT>
    struct End
    {
        std::vector<const char*> names;
        /// Appends a value for each name. @return whether the object is of the class meant
        std::function<bool(const OBJECT& object, std::vector<double>& values)> get;
    };

    /// @copydoc Series::Series() @param law of the sender @param feedback of the receiver
    EndSeries(SeriesContext& context,
              const SeriesMode& mode,
              const SeriesTable& table,
              End<CongestionControl> law,
              End<ReceiverFeedback> feedback);

    void Sample(int64_t nowPs) override;

    /**
     * @brief Make an option and a table, before options are read.
     * @tparam LAW a rate law; flows of others are left out
     * @tparam FEEDBACK what its receivers have
     * @param option see SeriesTable
     * @param help see SeriesTable
     * @param label see SeriesTable
     * @param law variables of the sender
     * @param feedback variables of the receiver, once it has got data
     * @return true, for the initialisation of a static variable
     */
    template <typename LAW, typename FEEDBACK>
    static bool Register(const char* option,
                         const char* help,
                         const char* label,
                         const std::vector<EndVariable<LAW>>& law,
                         const std::vector<EndVariable<FEEDBACK>>& feedback)
    {
        SeriesKind kind{{option, SeriesSubject::FLOWS, help, label, "value"}, {}};
        kind.columns = {{"variable", SeriesForm::TEXT}, {"value", SeriesForm::REAL, DRAWN}};
        kind.isSampled = true;
        kind.make = [sender = MakeEnd<CongestionControl>(law),
                     receiver = MakeEnd<ReceiverFeedback>(feedback)](SeriesContext& context,
                                                                     const SeriesMode& mode,
                                                                     const SeriesTable& table) {
            return std::make_unique<EndSeries>(context, mode, table, sender, receiver);
        };
        return TimeSeries::Register(kind);
    }

  private:
    /// A flow under way, for all processes.
    struct Flow
    {
        uint32_t id;
        uint32_t dst;
        uint32_t dstQp;
    };

    template <typename OBJECT, typename T>
    static End<OBJECT> MakeEnd(const std::vector<EndVariable<T>>& variables);
    std::vector<double> LookAtReceivers(const std::vector<Flow>& flows) const;
    void Tell(uint32_t flow, const std::vector<const char*>& names, const double* values);

    const End<CongestionControl> m_law;
    const End<ReceiverFeedback> m_feedback;
    int64_t m_nowPs{0}; //!< of the sample
};

template <typename OBJECT, typename T>
EndSeries::End<OBJECT>
EndSeries::MakeEnd(const std::vector<EndVariable<T>>& variables)
{
    End<OBJECT> end;
    for (const EndVariable<T>& variable : variables)
    {
        end.names.push_back(variable.name);
    }
    end.get = [variables](const OBJECT& object, std::vector<double>& values) {
        const auto* const same = dynamic_cast<const T*>(&object);
        for (const EndVariable<T>& variable : variables)
        {
            if (same)
            {
                values.push_back(variable.get(*same));
            }
        }
        return same != nullptr;
    };
    return end;
}

} // namespace ns3::roce

#endif /* ROCE_END_SERIES_H */
