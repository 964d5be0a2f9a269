// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc-credit.h"
#include "roce-mlcc.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-rank-exchange.h"
#include "ns3/roce-time-series.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * mlcc.csv `time_ns,flow,variable,value`: state of MLCC's sender (Mlcc) and receiver (MlccCredit)
 * of a flow: r_ns_bps and rbar_sender_bps at the sender; matches, r_credit_bps, q_c_bytes,
 * d_pre_ns, r_dqm_bps, dw, token, rbar_bps at the receiver.
 *
 * Of flows under way, at intervals only: the two ends change on their own. On the time line: a
 * counter of each variable.
 */
class MlccSeries : public Series
{
  public:
    MlccSeries(SeriesContext& context, const SeriesMode& mode);

    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    /// Variables of the receiver.
    static constexpr std::array<const char*, 8> CREDIT_NAMES{"matches",
                                                             "r_credit_bps",
                                                             "q_c_bytes",
                                                             "d_pre_ns",
                                                             "r_dqm_bps",
                                                             "dw",
                                                             "token",
                                                             "rbar_bps"};

    /// The sender of a flow, and its receiver's state.
    struct Sender
    {
        uint64_t flow;
        uint32_t dst;
        uint32_t dstQp;
        double nearBps;
        double dqmBps;
    };

    /// State of a sender's receiver.
    struct Credit
    {
        std::size_t sender; //!< its place in the list of all
        std::array<double, CREDIT_NAMES.size()> values;
    };

    std::vector<Credit> FindCredits(const std::vector<Sender>& senders) const;
};

MlccSeries::MlccSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode)
{
    if (mode.onChange)
    {
        throw InputError("--mlcc is 'change', expected a time, for example 10us");
    }
    if (mode.IsOn())
    {
        OpenTable("mlcc.csv", {"flow", "variable", "value"});
    }
}

/// @return of senders whose receivers are of this process and have got data
std::vector<MlccSeries::Credit>
MlccSeries::FindCredits(const std::vector<Sender>& senders) const
{
    std::vector<Credit> credits;
    for (std::size_t i = 0; i < senders.size(); ++i)
    {
        const Ptr<Nic> nic = m_context.network.GetNic(senders[i].dst);
        const ReceiverQp* receiver = nic->GetReceiver(senders[i].dstQp);
        const auto* credit =
            receiver ? dynamic_cast<const MlccCredit*>(PeekPointer(receiver->feedback)) : nullptr;
        if (credit)
        {
            const MlccDqm& dqm = credit->GetDqm();
            credits.push_back({i,
                               {static_cast<double>(credit->GetMatches()),
                                credit->GetCreditBps(),
                                static_cast<double>(credit->GetQueueBytes()),
                                dqm.GetDelayPs() / 1e3,
                                dqm.GetTargetBps(),
                                dqm.GetDw(),
                                dqm.GetToken(),
                                dqm.GetSmoothedBps()}});
        }
    }
    return credits;
}

void
MlccSeries::Sample(int64_t nowPs)
{
    std::vector<Sender> senders;
    m_context.ForOpenFlows([&senders](uint64_t flow, const QueuePair& qp) {
        if (const auto* law = dynamic_cast<const Mlcc*>(&qp.GetCc()))
        {
            senders.push_back({flow,
                               qp.GetConfig().dst,
                               qp.GetConfig().dstQp,
                               static_cast<double>(law->GetNearBps()),
                               static_cast<double>(law->GetDqmBps())});
        }
    });
    // The receiver of a sender may be of another process. All know the senders of all then, and
    // each reports its own.
    RankExchange* const ranks = m_context.network.GetRanks();
    senders = ranks ? ranks->Join(senders) : senders;
    std::vector<Credit> credits = FindCredits(senders);
    credits = ranks ? ranks->Join(credits) : credits;
    std::vector<const Credit*> creditOf(senders.size());
    for (const Credit& credit : credits)
    {
        creditOf[credit.sender] = &credit;
    }
    for (std::size_t i = 0; i < senders.size(); ++i)
    {
        SeriesRow row;
        row.subject = static_cast<uint32_t>(senders[i].flow);
        const auto tell = [&](const char* name, double value) {
            row.name = name;
            row.value = value;
            Tell(nowPs, 0, row);
        };
        tell("r_ns_bps", senders[i].nearBps);
        tell("rbar_sender_bps", senders[i].dqmBps);
        for (std::size_t v = 0; creditOf[i] && v < CREDIT_NAMES.size(); ++v)
        {
            tell(CREDIT_NAMES[v], creditOf[i]->values[v]);
        }
    }
}

void
MlccSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Text(row.name).Double(row.value);
}

void
MlccSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.Counter(m_context.GetSourceNode(row.subject),
                 "flow " + std::to_string(row.subject) + " MLCC " + row.name,
                 "value",
                 atPs,
                 row.value);
}

[[maybe_unused]] const bool g_mlccSeries =
    TimeSeries::Register({"mlcc",
                          SeriesSubject::FLOWS,
                          "mlcc.csv, what MLCC's senders and receivers know: time between samples",
                          false,
                          MakeSeries<MlccSeries>});

} // namespace

} // namespace ns3::roce
