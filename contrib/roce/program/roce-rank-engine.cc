// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-engine.h"

#include "roce-rank-of-engine.h"

#include "ns3/roce-host-program.h"
#include "ns3/roce-link.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

/// The ranks at one NIC.
class RankEngine::AtNic final : public HostProgram
{
  public:
    explicit AtNic(RankEngine& engine)
        : m_engine(engine)
    {
    }

    void Add(Rank& rank)
    {
        if (std::find(m_ranks.begin(), m_ranks.end(), &rank) == m_ranks.end())
        {
            m_ranks.push_back(&rank);
        }
    }

    void Connect(Nic& nic)
    {
        m_nic = &nic;
        for (Rank* rank : m_ranks)
        {
            rank->Connect(nic);
        }
    }

    /// @brief From now on, in the event that all processes have.
    void Start()
    {
        m_nic->SetProgram(this);
        if (Partition* partition = m_nic->GetPartition())
        {
            partition->NoteShared();
        }
    }

    void OnReceived(uint64_t cookie, int64_t atPs) override
    {
        if (const FlowSpec* flow = m_engine.FindFlow(cookie))
        {
            Rank& rank = m_engine.RankOf(*flow, false);
            if (!rank.IsOutside())
            {
                rank.OnReceived(*flow, atPs);
            }
        }
    }

    void OnCompleted(const MessageRecord& record) override
    {
        if (const FlowSpec* flow = m_engine.FindFlow(record.cookie))
        {
            Rank& rank = m_engine.RankOf(*flow, true);
            if (!rank.IsOutside())
            {
                rank.OnSent(*flow, record.completedPs);
            }
        }
    }

    int64_t NextPs() const override
    {
        int64_t nextPs = NEVER_PS;
        for (const Rank* rank : m_ranks)
        {
            nextPs = std::min(nextPs, rank->NextPs());
        }
        return nextPs;
    }

    void Run(int64_t atPs) override
    {
        for (Rank* rank : m_ranks)
        {
            rank->Run(atPs);
        }
    }

  private:
    RankEngine& m_engine;
    Nic* m_nic{nullptr};
    std::vector<Rank*> m_ranks;
};

bool
RankEngine::IsUsed(const std::vector<FlowSpec>& flows)
{
    return std::any_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
        return flow.job != nullptr;
    });
}

RankEngine::RankEngine(const Network& network, const std::vector<FlowSpec>& flows)
    : m_network(network),
      m_atNic(network.GetNNics()),
      m_flows(flows.size()),
      m_startPs(flows.size(), -1)
{
    for (const FlowSpec& flow : flows)
    {
        m_flows.at(flow.id).flow = flow;
        if (!flow.job)
        {
            continue;
        }
        if (std::find(m_jobs.begin(), m_jobs.end(), flow.job) == m_jobs.end())
        {
            m_jobs.push_back(flow.job);
            m_ranks.emplace_back();
            for (uint32_t rank = 0; rank < flow.job->program.ranks.size(); ++rank)
            {
                m_ranks.back().push_back(std::make_unique<Rank>(*this, *flow.job, rank));
            }
        }
        RankOf(flow, true).AddFlow(flow);
        RankOf(flow, true).AddNic(flow.src);
        RankOf(flow, false).AddNic(flow.dst);
    }
    for (const WaitingFlow& entry : m_flows)
    {
        for (const bool isSender : {true, false})
        {
            if (entry.flow.job && !RankOf(entry.flow, isSender).IsOutside())
            {
                std::unique_ptr<AtNic>& at = m_atNic.at(isSender ? entry.flow.src : entry.flow.dst);
                at = at ? std::move(at) : std::make_unique<AtNic>(*this);
                at->Add(RankOf(entry.flow, isSender));
            }
        }
    }
}

RankEngine::~RankEngine()
{
    m_begin.Cancel();
}

/// Not before the run: whoever looks at a NIC has it do what is due.
void
RankEngine::Start()
{
    for (const std::unique_ptr<AtNic>& at : m_atNic)
    {
        if (at)
        {
            at->Start();
        }
    }
    for (const auto& ranks : m_ranks)
    {
        for (const auto& rank : ranks)
        {
            if (rank->IsOutside())
            {
                rank->OnWake(NowPs());
            }
        }
    }
}

/// @return the flow, if a rank sends it, or null
const FlowSpec*
RankEngine::FindFlow(uint64_t cookie) const
{
    const FlowSpec* flow = cookie < m_flows.size() ? &m_flows[cookie].flow : nullptr;
    return flow && flow->job ? flow : nullptr;
}

/// @return the rank that sends or receives a flow
RankEngine::Rank&
RankEngine::RankOf(const FlowSpec& flow, bool isSender) const
{
    const auto job = std::find(m_jobs.begin(), m_jobs.end(), flow.job);
    const uint32_t rank =
        isSender ? flow.rank : flow.job->program.ranks[flow.rank].ops[flow.op].peer;
    return *m_ranks[static_cast<std::size_t>(job - m_jobs.begin())].at(rank);
}

void
RankEngine::Connect(Nic& nic)
{
    if (m_atNic[nic.GetIndex()])
    {
        m_atNic[nic.GetIndex()]->Connect(nic);
    }
    FlowOrder::Connect(nic, "MessageReceived", MakeCallback(&RankEngine::OnReceived, this));
    FlowOrder::Connect(nic, "MessageCompleted", MakeCallback(&RankEngine::OnCompleted, this));
    m_marginPs = std::max(m_marginPs, nic.GetLink()->GetDelayPs());
    if (!m_begin.IsRunning())
    {
        m_begin = Simulator::ScheduleNow(&RankEngine::Start, this);
    }
}

void
RankEngine::Add(WaitingFlow flow)
{
    if (flow.flow.job->receiveAt == RankJob::ReceiveAt::LAST_ACK)
    {
        RankOf(flow.flow, false).NoteAck(flow.flow);
    }
    m_flows.at(flow.flow.id) = std::move(flow);
}

/// Of a NIC of any process.
void
RankEngine::OnCompleted(const MessageRecord& record)
{
    if (const FlowSpec* flow = FindFlow(record.cookie))
    {
        m_startPs[record.cookie] = record.postedPs;
        Rank& rank = RankOf(*flow, true);
        if (rank.IsOutside())
        {
            rank.OnSent(*flow, record.completedPs);
        }
    }
}

/// The same.
void
RankEngine::OnReceived(uint64_t cookie, Time at)
{
    if (const FlowSpec* flow = FindFlow(cookie))
    {
        Rank& rank = RankOf(*flow, false);
        if (rank.IsOutside())
        {
            rank.OnReceived(*flow, at.GetPicoSeconds());
        }
    }
}

int64_t
RankEngine::GetStartPs(const FlowSpec& flow) const
{
    return m_startPs.at(flow.id);
}

int64_t
RankEngine::GetLastStartPs() const
{
    int64_t lastPs = *std::max_element(m_startPs.begin(), m_startPs.end());
    for (const auto& ranks : m_ranks)
    {
        for (const auto& rank : ranks)
        {
            const int64_t nextPs = rank->NextPs();
            lastPs = nextPs == NEVER_PS ? lastPs : std::max(lastPs, nextPs);
        }
    }
    return lastPs;
}

std::string
RankEngine::Describe() const
{
    for (const auto& ranks : m_ranks)
    {
        for (const auto& rank : ranks)
        {
            if (rank->IsHere() && !rank->GetRunner().IsDone())
            {
                return rank->GetRunner().Describe();
            }
        }
    }
    return "";
}

void
RankEngine::KeepLogs()
{
    for (const std::shared_ptr<const RankJob>& job : m_jobs)
    {
        m_logs.emplace_back(job->program);
    }
    for (std::size_t job = 0; job < m_logs.size(); ++job)
    {
        for (std::size_t rank = 0; rank < m_ranks[job].size(); ++rank)
        {
            m_ranks[job][rank]->GetRunner().SetLog(&m_logs[job].ranks[rank]);
        }
    }
}

std::vector<int64_t>
RankEngine::Finish(std::size_t job)
{
    const bool isAllSent = std::none_of(m_flows.begin(), m_flows.end(), [this](const auto& entry) {
        return entry.flow.job && m_startPs[entry.flow.id] < 0;
    });
    std::vector<uint64_t> ends; // and one more; 0: not known here
    std::vector<bool> isHere;
    for (const auto& rank : m_ranks.at(job))
    {
        // What has no message has not run at all so far.
        while ((isAllSent || !rank->HasNic()) && rank->IsHere() && rank->NextPs() != NEVER_PS)
        {
            rank->Run(rank->NextPs());
        }
        RankRunner& runner = rank->GetRunner();
        isHere.push_back(rank->IsHere());
        ends.push_back(
            rank->IsHere() && runner.IsDone() ? static_cast<uint64_t>(runner.GetEndPs()) + 1 : 0);
    }
    if (RankExchange* const processes = m_network.GetRanks())
    {
        ends = processes->Sum(ends);
        if (!m_logs.empty())
        {
            m_logs[job].Gather(*processes, isHere);
        }
    }
    std::vector<int64_t> known;
    for (const uint64_t end : ends)
    {
        known.push_back(static_cast<int64_t>(end) - 1);
    }
    return known;
}

} // namespace ns3::roce
