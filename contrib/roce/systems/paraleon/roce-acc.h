// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ACC_H
#define ROCE_ACC_H

#include "roce-acc-table.h"
#include "roce-tuning-utility.h"

#include "ns3/roce-tuner.h"
#include "ns3/roce-with-parameters.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/// Parameters of Acc.
struct AccParams
{
    /// What agents know at first.
    enum class Start : uint8_t
    {
        TRAINED, //!< the table
        SCRATCH, //!< nothing but the table's curves
    };

    std::string table; //!< file; empty: AccTable::BuiltIn()
    Start start;
    bool learns;
    bool sharesTable;
    double epsilon;
    double learningRate;
    bool tracesPorts;
    bool measures;

    static const ParameterTable<AccParams>& Table();
};

/**
 * @brief ACC: marking curves of switch ports, chosen by agents that learn (Yan et al., SIGCOMM
 * 2021).
 *
 * Each switch has an agent. At the end of each monitor interval it reads its ports, rewards the
 * choice made for the interval, and chooses a curve for the next one: mostly the best by its table
 * (AccTable), sometimes any (Epsilon). A port that sent nothing and has no queue is left alone.
 * Packets of ns-3 (FrameKind::PACKET) are in all that it reads of a port, and are marked by its
 * curve. NICs and other switches do not take part: no message goes over the network, so reports and
 * dispatches have no bytes.
 *
 * A table made by train_acc replaces the paper's trained network. In a state in which it
 * knows no curve a port keeps the one that it has.
 */
class Acc : public WithParameters<Acc, Tuner, AccParams>
{
  public:
    Acc();

    std::vector<std::string> GetColumns() const override;

    /// @return the table as text if all agents share one (SharedTable), otherwise nothing
    std::string GetLearned() const override;

    /// @return what the agent of a switch knows.
    const AccTable& GetTable(uint32_t sw) const
    {
        return m_tables[m_p->sharesTable ? 0 : sw];
    }

  protected:
    void DoDispose() override;
    void DoInstall() override;
    TuningAgents::Options GetAgents(const TunedNetwork& network) const override;
    void OnInterval(const TuningReports& reports) override;
    int64_t DoAssignStreams(int64_t stream) override;

    uint32_t GetNicReportBytes() const override
    {
        return 0;
    }

    uint32_t GetSwitchReportBytes() const override
    {
        return 0;
    }

    uint32_t GetDispatchBytes(std::size_t) const override
    {
        return 0;
    }

  private:
    /// What the agent of a switch knows of a port.
    struct PortAgent
    {
        AccState state;
        std::size_t action{AccTable::NONE}; //!< chosen for this interval; NONE: left as it was
    };

    /// Of an interval, over the ports that were not left alone.
    struct Totals
    {
        double reward{0};
        double utilisation{0};
        double queueLevel{0};
        double markedShare{0};
        double kmaxKb{0};
        double pmax{0};
        uint64_t ports{0};
        uint64_t explored{0};
        uint64_t retuned{0};
    };

    void OnPort(uint32_t sw, const PortReport& port, double intervalSeconds, Change& change);
    std::size_t Choose(const AccTable& table, unsigned cell);
    void Tell();

    std::vector<AccTable> m_tables; //!< one, or by switch
    std::vector<std::vector<PortAgent>> m_ports;
    Totals m_totals;
    UtilityMeter m_meter;         //!< with measures
    TuningUtility::Terms m_terms; //!< of the interval
    Ptr<UniformRandomVariable> m_explore;
};

} // namespace ns3::roce

#endif /* ROCE_ACC_H */
