// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_VARIABLE_SERIES_H
#define ROCE_VARIABLE_SERIES_H

#include "roce-time-series.h"

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-receiver-feedback.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Records variables that the two ends of flows under way offer by name. A row is time_ns,
 * flow, variable, value.
 *
 * On change (trace sources Nic/Rate and Port/TxBegin): at the first packet, and after feedback only
 * what differs from the row before. What a receiver offers changes on its own: that is recorded at
 * intervals only. The two ends may be in different processes.
 */
class VariableSeries : public Series
{
  public:
    using Variables = std::vector<ControlVariable>;
    /// Appends what a rate law offers. @return whether the flow is recorded at all
    using OfLaw = bool (*)(const CongestionControl& law, int64_t nowPs, Variables& variables);
    /// Appends what a receiver's feedback offers, once it has got data.
    using OfFeedback = void (*)(const ReceiverFeedback& feedback, Variables& variables);

    /// @copydoc Series::Series() @param ofLaw see OfLaw @param ofFeedback see OfFeedback; or null
    VariableSeries(SeriesContext& context,
                   const SeriesMode& mode,
                   const SeriesTable& table,
                   OfLaw ofLaw,
                   OfFeedback ofFeedback);

    void Start() override;
    void Sample(int64_t nowPs) override;

    /// @return the kind of series @param option see SeriesTable @param help see SeriesTable
    /// @param label see SeriesTable @param ofLaw see OfLaw @param ofFeedback see OfFeedback; or
    /// null
    static SeriesKind MakeKind(const char* option,
                               const char* help,
                               const char* label,
                               OfLaw ofLaw,
                               OfFeedback ofFeedback = nullptr);

  private:
    /// A flow under way, for all processes.
    struct Flow
    {
        uint64_t id;
        uint32_t src;
        uint32_t dst;
        uint32_t dstQp;
    };

    void OnFeedback(const QueuePair& qp, int64_t atPs);
    void TellAll(int64_t nowPs, uint64_t place, uint64_t flow);
    static SeriesRow MakeRow(uint64_t flow, const ControlVariable& variable);

    const OfLaw m_ofLaw;
    const OfFeedback m_ofFeedback;
    std::vector<std::vector<double>> m_last; //!< by flow, on change only
    std::vector<Variables> m_ofNic;          //!< scratch by sender, on change only
    Variables m_variables;                   //!< scratch of samples
};

} // namespace ns3::roce

#endif /* ROCE_VARIABLE_SERIES_H */
