// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-engine.h"

#include "ns3/roce-host-program.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-network.h"
#include "ns3/roce-nic.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace ns3::roce
{

std::vector<FlowSpec>
RankJob::MakeFlows(const std::shared_ptr<const RankJob>& job, uint32_t nNics)
{
    const RankProgram& program = job->program;
    if (program.ranks.size() > nNics)
    {
        throw InputError(program.source + ": " + std::to_string(program.ranks.size()) +
                         " ranks, and the network has room for " + std::to_string(nNics));
    }
    std::vector<FlowSpec> flows;
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    {
        for (uint32_t number = 0; number < program.ranks[rank].ops.size(); ++number)
        {
            const RankOp& op = program.ranks[rank].ops[number];
            if (op.nic)
            {
                throw InputError(program.Where(rank, number) + ": NIC " + std::to_string(op.nic) +
                                 " of rank " + std::to_string(rank) +
                                 ", expected 0: a rank has one NIC on a network of packets");
            }
            if (op.kind == RankOp::Kind::SEND)
            {
                FlowSpec flow;
                flow.id = flows.size();
                flow.src = rank;
                flow.dst = op.peer;
                flow.sizeBytes = op.bytes;
                flow.connection = 1;
                flow.job = job;
                flow.rank = rank;
                flow.op = number;
                flows.push_back(std::move(flow));
            }
        }
    }
    if (flows.empty())
    {
        throw InputError(program.source + ": no rank sends anything, expected a message");
    }
    return flows;
}

/// A rank at its NIC. What it does is done in the station's thread.
class RankEngine::Rank final : private RankNetwork
{
  public:
    Rank(RankEngine& engine, const RankJob& job, uint32_t rank)
        : m_engine(engine),
          m_job(job),
          m_rank(rank),
          m_flowOf(job.program.ranks[rank].ops.size(), NO_FLOW),
          m_runner(job.program, rank, job.costs, *this)
    {
    }

    /// @param flow that it sends. @param nic where it is
    void AddFlow(const FlowSpec& flow)
    {
        m_flowOf[flow.op] = flow.id;
    }

    /// @brief Be at a NIC. @param index number @throw InputError if it is at another one
    void SetNic(uint32_t index)
    {
        if (m_nicIndex != NO_NIC && m_nicIndex != index)
        {
            throw InputError(m_job.program.source + ": rank " + std::to_string(m_rank) +
                             " has flows at NICs " + std::to_string(m_nicIndex) + " and " +
                             std::to_string(index) + ", expected one, as with --nicChoice=named");
        }
        m_nicIndex = index;
    }

    void Connect(Nic& nic)
    {
        m_nic = &nic;
    }

    /// @return whether it runs in this process
    bool IsHere() const
    {
        const RankExchange* const processes = m_engine.m_network.GetRanks();
        return m_nic ? m_nic->IsHere() : !processes || processes->GetRank() == 0;
    }

    RankRunner& GetRunner()
    {
        return m_runner;
    }

    /// @brief Have its receives wait for the last ACK: @param flow that it receives
    void NoteAck(const FlowSpec& flow)
    {
        const auto [found, isNew] = m_ackPs.try_emplace(flow.src, 0);
        if (isNew)
        {
            const IdealFct::Result ideal = m_engine.m_network.GetIdeal(flow);
            found->second = ideal.senderFctPs - ideal.receiverFctPs;
        }
    }

    /// @param flow that it receives
    void OnReceived(const FlowSpec& flow, int64_t atPs)
    {
        const auto found = m_ackPs.find(flow.src);
        m_runner.Arrive(flow.rank, flow.op, atPs + (found == m_ackPs.end() ? 0 : found->second));
    }

    int64_t NextPs() const
    {
        const int64_t postPs = m_posts.empty() ? NEVER_PS : m_posts.front().first;
        return std::min(m_runner.GetFirst().first, postPs);
    }

    void Run(int64_t atPs)
    {
        while (NextPs() <= atPs)
        {
            if (!m_posts.empty() && m_posts.front().first <= m_runner.GetFirst().first)
            {
                Post(m_engine.m_flows[m_posts.front().second], atPs);
                m_posts.pop_front();
            }
            else
            {
                m_runner.RunFirst();
            }
        }
    }

  private:
    static constexpr uint64_t NO_FLOW = UINT64_MAX;
    static constexpr uint32_t NO_NIC = UINT32_MAX;
    static constexpr uint32_t NO_QP = UINT32_MAX;

    void Send(uint32_t, uint32_t op, int64_t atPs) override
    {
        m_posts.emplace_back(atPs + m_job.costs.overheadPs, m_flowOf[op]);
    }

    void OnMatched(uint32_t, uint32_t, int64_t) override
    {
    }

    uint64_t MakeNumber() override
    {
        return m_number++;
    }

    void Post(const WaitingFlow& waiting, int64_t atPs)
    {
        const FlowSpec& flow = waiting.flow;
        uint32_t once = NO_QP;
        uint32_t& qpn = flow.connection
                            ? m_qps.try_emplace({flow.dst, waiting.dstQp}, NO_QP).first->second
                            : once;
        if (qpn == NO_QP)
        {
            qpn = m_nic
                      ->OpenQp(flow.dst,
                               waiting.dstQp,
                               flow.trafficClass,
                               FlowApplication::Entropy(flow),
                               !flow.connection,
                               flow.law)
                      ->GetQpn();
        }
        m_engine.m_startPs[flow.id] = atPs;
        m_nic->Post(m_nic->GetQp(qpn), flow.sizeBytes, flow.id);
    }

    RankEngine& m_engine;
    const RankJob& m_job;
    const uint32_t m_rank;
    uint64_t m_number{uint64_t{1} << 32};
    std::vector<uint64_t> m_flowOf; //!< by operation
    RankRunner m_runner;
    uint32_t m_nicIndex{NO_NIC};
    Nic* m_nic{nullptr};                              //!< null: it neither sends nor receives
    std::deque<std::pair<int64_t, uint64_t>> m_posts; //!< flows by the time of their posts
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_qps; //!< number by dst and dstQp
    std::map<uint32_t, int64_t>
        m_ackPs; //!< of the last ACK, by the sender's NIC; empty: it waits for none
};

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
            m_engine.RankOf(*flow, false).OnReceived(*flow, atPs);
        }
    }

    void OnCompleted(const MessageRecord& record) override
    {
        if (const FlowSpec* flow = m_engine.FindFlow(record.cookie))
        {
            m_engine.RankOf(*flow, true).GetRunner().OnSent(flow->op, record.completedPs);
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
        for (const bool isSender : {true, false})
        {
            const uint32_t nic = isSender ? flow.src : flow.dst;
            Rank& rank = RankOf(flow, isSender);
            rank.SetNic(nic);
            std::unique_ptr<AtNic>& at = m_atNic.at(nic);
            at = at ? std::move(at) : std::make_unique<AtNic>(*this);
            at->Add(rank);
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
        if (!m_begin.IsRunning())
        {
            m_begin = Simulator::ScheduleNow(&RankEngine::Start, this);
        }
        FlowOrder::Connect(nic, "MessageCompleted", MakeCallback(&RankEngine::OnCompleted, this));
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
    if (FindFlow(record.cookie))
    {
        m_startPs[record.cookie] = record.postedPs;
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

std::vector<int64_t>
RankEngine::Finish(std::size_t job)
{
    const bool isAllSent = std::none_of(m_flows.begin(), m_flows.end(), [this](const auto& entry) {
        return entry.flow.job && m_startPs[entry.flow.id] < 0;
    });
    std::vector<uint64_t> ends; // and one more; 0: not known here
    for (const auto& rank : m_ranks.at(job))
    {
        while (isAllSent && rank->IsHere() && rank->NextPs() != NEVER_PS)
        {
            rank->Run(rank->NextPs());
        }
        RankRunner& runner = rank->GetRunner();
        ends.push_back(
            rank->IsHere() && runner.IsDone() ? static_cast<uint64_t>(runner.GetEndPs()) + 1 : 0);
    }
    if (RankExchange* const processes = m_network.GetRanks())
    {
        ends = processes->Sum(ends);
    }
    std::vector<int64_t> known;
    for (const uint64_t end : ends)
    {
        known.push_back(static_cast<int64_t>(end) - 1);
    }
    return known;
}

} // namespace ns3::roce
