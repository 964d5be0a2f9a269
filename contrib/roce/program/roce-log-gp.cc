// SPDX-License-Identifier: GPL-2.0-only
#include "roce-log-gp.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-line-reader.h"
#include "ns3/roce-network-map.h"
#include "ns3/roce-parameter-kinds.h"

#include <memory>
#include <queue>

namespace ns3::roce
{

namespace
{

/// All ranks, and the messages between them.
class Simulation final : public RankNetwork
{
  public:
    Simulation(const RankProgram& program, const RankCosts& costs)
        : m_program(program),
          m_delayPs(costs.overheadPs + costs.ideal->latencyPs)
    {
        for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
        {
            m_runners.push_back(std::make_unique<RankRunner>(program, rank, costs, *this));
            Note(rank);
        }
    }

    std::vector<int64_t> Run()
    {
        while (!m_due.empty())
        {
            const auto [due, rank] = m_due.top();
            m_due.pop();
            RankRunner& runner = *m_runners[rank];
            if (runner.GetFirst() != due)
            {
                continue; // something else came first
            }
            if (due.first > NetworkMap::LONGEST_RUN_PS)
            {
                throw InputError(m_program.source +
                                 ": takes longer than 53 days on the ideal network");
            }
            runner.RunFirst();
            Note(rank);
        }
        std::vector<int64_t> ends;
        for (const auto& runner : m_runners)
        {
            ends.push_back(runner->IsDone() ? runner->GetEndPs() : -1);
        }
        return ends;
    }

  private:
    void Send(uint32_t rank, uint32_t op, int64_t atPs) override
    {
        const uint32_t peer = m_program.ranks[rank].ops[op].peer;
        m_runners[peer]->Arrive(rank, op, atPs + m_delayPs);
        Note(peer);
    }

    void OnMatched(uint32_t from, uint32_t op, int64_t atPs) override
    {
        m_runners[from]->OnSent(op, atPs);
        Note(from);
    }

    uint64_t MakeNumber() override
    {
        return m_number++;
    }

    void Note(uint32_t rank)
    {
        const RankRunner::Due due = m_runners[rank]->GetFirst();
        if (due.first != NEVER_PS)
        {
            m_due.emplace(due, rank);
        }
    }

    using Entry = std::pair<RankRunner::Due, uint32_t>; // with the rank

    const RankProgram& m_program;
    const int64_t m_delayPs;
    uint64_t m_number{uint64_t{1} << 32};
    std::vector<std::unique_ptr<RankRunner>> m_runners;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_due;
};

} // namespace

std::vector<int64_t>
LogGp::Run(const RankProgram& program, const RankCosts& costs)
{
    return Simulation(program, costs).Run();
}

LogGpParams
LogGp::Parse(const std::string& text)
{
    constexpr int64_t SLOWEST_PS = 8000; // of a byte: 1 Gbit/s, so that the largest message fits
    const std::vector<std::string> fields = LineReader::SplitAtCommas(text);
    LogGpParams params;
    int64_t* const times[] = {&params.latencyPs, &params.gapPs, &params.bytePs};
    bool isGood = fields.size() == std::size(times);
    for (std::size_t i = 0; isGood && i < fields.size(); ++i)
    {
        isGood = kind::Duration::Parse(fields[i], *times[i]) && *times[i] >= 0 &&
                 *times[i] < NetworkMap::LONGEST_RUN_PS / 4;
    }
    if (!isGood || params.bytePs > SLOWEST_PS)
    {
        throw InputError("LogGP parameters '" + text +
                         "', expected L,g,G such as 2us,5ns,0.04ns with G up to 8ns");
    }
    return params;
}

} // namespace ns3::roce
