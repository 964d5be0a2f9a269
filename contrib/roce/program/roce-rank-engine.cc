// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-engine.h"

#include "roce-flow-job.h"
#include "roce-rank-of-engine.h"

#include "ns3/roce-host-program.h"
#include "ns3/roce-link.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-tcp-flows.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ns3::roce
{

/// At one NIC: part of its station, in its thread.
class RankEngine::AtNic final : public Place, public HostProgram
{
  public:
    explicit AtNic(RankEngine& engine)
        : m_engine(engine)
    {
    }

    void Connect(Nic& nic)
    {
        m_nic = &nic;
    }

    bool IsHere() const override
    {
        return m_nic->IsHere();
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
        if (Rank* rank = m_engine.FindRank(cookie, *this, false))
        {
            rank->OnReceived(m_engine.m_flows[cookie].flow, atPs);
        }
    }

    void OnCompleted(const MessageRecord& record) override
    {
        if (Rank* rank = m_engine.FindRank(record.cookie, *this, true))
        {
            rank->OnSent(m_engine.m_flows[record.cookie].flow, record.completedPs);
        }
    }

    int64_t NextPs() const override
    {
        return Place::NextPs();
    }

    void Run(int64_t atPs) override
    {
        Place::Run(atPs);
    }

    void Post(const Entry& entry, int64_t) override
    {
        entry.application->Post(entry.flow, entry.dstQp);
    }

  private:
    RankEngine& m_engine;
    Nic* m_nic{nullptr};
};

/// Outside of stations: ranks with several NICs. Here they learn of what these report, which is a
/// link's delay later at most, and 1 ps after that, when all have reported what was at that time.
class RankEngine::Outside final : public Place
{
  public:
    explicit Outside(RankEngine& engine)
        : m_engine(engine)
    {
    }

    void Connect(const Nic& nic)
    {
        m_marginPs = std::max(m_marginPs, nic.GetLink()->GetDelayPs());
    }

    bool IsHere() const override
    {
        const RankExchange* const processes = m_engine.m_network.GetRanks();
        return !processes || processes->GetRank() == 0;
    }

    /// @brief A NIC of any process reports. @param flow received or sent @param atPs when
    void Take(uint64_t flow, bool isReceived, int64_t atPs)
    {
        m_news.insert({atPs, flow, isReceived});
        Arm();
    }

    void Arm()
    {
        m_timer.Arm(0, NextPs());
    }

    int64_t NextPs() const override
    {
        const int64_t newsPs =
            m_news.empty() ? NEVER_PS : std::get<0>(*m_news.begin()) + m_marginPs + 1;
        return std::min(newsPs, Place::NextPs());
    }

    void Run(int64_t atPs) override
    {
        for (; !m_news.empty() && std::get<0>(*m_news.begin()) + m_marginPs < atPs;
             m_news.erase(m_news.begin()))
        {
            const auto& [newsPs, flow, isReceived] = *m_news.begin();
            const Entry& entry = m_engine.m_flows[flow];
            isReceived ? entry.receiver->OnReceived(entry.flow, newsPs)
                       : entry.sender->OnSent(entry.flow, newsPs);
        }
        Place::Run(atPs);
    }

    void Post(const Entry& entry, int64_t atPs) override
    {
        FlowSpec started = entry.flow;
        started.startPs = atPs;
        entry.application->AddFlow(started, entry.dstQp);
    }

    /// @brief Called by the timer.
    void OnWake(int64_t nowPs)
    {
        Run(nowPs);
        Arm();
    }

  private:
    RankEngine& m_engine;
    int64_t m_marginPs{0};                                //!< longest delay of a NIC's link
    std::set<std::tuple<int64_t, uint64_t, bool>> m_news; //!< when, flow, received or sent
    WakeTimer<Outside> m_timer{this};
};

/// Apart from the network: ranks without messages over it. They run after the run.
class RankEngine::Apart final : public Place
{
  public:
    explicit Apart(RankEngine& engine)
        : m_engine(engine)
    {
    }

    bool IsHere() const override
    {
        return m_engine.m_outside->IsHere();
    }

    void Post(const Entry&, int64_t) override
    {
    }

  private:
    RankEngine& m_engine;
};

bool
RankEngine::IsUsed(const std::vector<FlowSpec>& flows)
{
    return std::any_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
        return flow.job != nullptr;
    });
}

RankEngine*
RankEngine::Install(Network& network, const std::vector<FlowSpec>& flows)
{
    RankEngine* engine = nullptr;
    if (!std::all_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
            return flow.IsScheduled();
        }))
    {
        auto made = std::make_unique<RankEngine>(network, flows);
        engine = made.get();
        network.SetFlowOrder(std::move(made));
    }
    if (std::any_of(flows.begin(), flows.end(), TcpFlows::IsTcp))
    {
        std::vector<FlowSpec> others;
        std::copy_if(flows.begin(),
                     flows.end(),
                     std::back_inserter(others),
                     [](const FlowSpec& flow) { return !TcpFlows::IsTcp(flow); });
        network.InstallFlows(others);
    }
    else
    {
        network.InstallFlows(flows);
    }
    return engine;
}

RankEngine::RankEngine(const Network& network, const std::vector<FlowSpec>& flows)
    : m_network(network),
      m_atNic(network.GetNNics()),
      m_outside(std::make_unique<Outside>(*this)),
      m_apart(std::make_unique<Apart>(*this)),
      m_flows(flows.size())
{
    std::vector<FlowSpec> own = flows;
    m_flowJob = FlowJob::Make(own);
    std::unordered_map<const RankJob*, std::vector<Entry*>> flowsOf; // looked up only
    for (FlowSpec& flow : own)
    {
        Entry& entry = m_flows.at(flow.id);
        entry.flow = std::move(flow);
        if (const std::shared_ptr<const RankJob>& job = entry.flow.job)
        {
            std::vector<Entry*>& sent = flowsOf[job.get()];
            if (sent.empty() && job != m_flowJob)
            {
                m_jobs.push_back(job);
            }
            sent.push_back(&entry);
        }
    }
    for (const std::shared_ptr<const RankJob>& job : m_jobs)
    {
        AddJob(job, flowsOf[job.get()]);
    }
    if (m_flowJob)
    {
        AddJob(m_flowJob, flowsOf[m_flowJob.get()]);
    }
}

RankEngine::~RankEngine()
{
    m_begin.Cancel();
}

/// Make the ranks of a job, and find out where they run.
void
RankEngine::AddJob(const std::shared_ptr<const RankJob>& job, const std::vector<Entry*>& flows)
{
    const RankProgram& program = job->program;
    std::vector<std::unique_ptr<Rank>>& ranks = m_ranks.emplace_back();
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    {
        ranks.push_back(std::make_unique<Rank>(*this, *job, rank, ranks));
    }
    std::vector<uint32_t> leaderOf(ranks.size()); // of those that are together, perhaps over others
    std::iota(leaderOf.begin(), leaderOf.end(), 0);
    const auto find = [&leaderOf](uint32_t rank) {
        while (leaderOf[rank] != rank)
        {
            rank = leaderOf[rank] = leaderOf[leaderOf[rank]];
        }
        return rank;
    };
    const auto join = [&](uint32_t a, uint32_t b) {
        a = find(a);
        b = find(b);
        leaderOf[std::max(a, b)] = std::min(a, b);
    };
    std::map<uint32_t, uint32_t> rankAt; // by NIC
    for (Entry* entry : flows)
    {
        const FlowSpec& flow = entry->flow;
        const uint32_t peer = program.ranks[flow.rank].ops[flow.op].peer;
        entry->sender = ranks.at(flow.rank).get();
        entry->receiver = ranks.at(peer).get();
        entry->sender->AddFlow(flow);
        join(flow.rank, rankAt.try_emplace(flow.src, flow.rank).first->second);
        join(peer, rankAt.try_emplace(flow.dst, peer).first->second);
    }
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    {
        for (uint32_t op = 0; op < program.ranks[rank].ops.size(); ++op)
        {
            if (ranks[rank]->IsInside(op))
            {
                join(rank, program.ranks[rank].ops[op].peer);
            }
        }
    }
    std::vector<Place*> places(ranks.size(), m_apart.get()); // by leader
    for (const auto& [nic, rank] : rankAt)
    {
        Place*& place = places[find(rank)];
        if (place != m_apart.get())
        {
            place = m_outside.get();
            continue;
        }
        m_atNic[nic] = m_atNic[nic] ? std::move(m_atNic[nic]) : std::make_unique<AtNic>(*this);
        place = m_atNic[nic].get();
    }
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    {
        places[find(rank)]->Add(*ranks[rank]);
    }
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
    m_outside->OnWake(NowPs());
}

/// @return the rank that sends or receives a flow, if it is there; or null
RankEngine::Rank*
RankEngine::FindRank(uint64_t cookie, const Place& place, bool isSender) const
{
    if (cookie >= m_flows.size())
    {
        return nullptr;
    }
    Rank* const rank = isSender ? m_flows[cookie].sender : m_flows[cookie].receiver;
    return rank && &rank->GetPlace() == &place ? rank : nullptr;
}

void
RankEngine::Connect(Nic& nic)
{
    if (m_atNic[nic.GetIndex()])
    {
        m_atNic[nic.GetIndex()]->Connect(nic);
    }
    m_outside->Connect(nic);
    nic.TraceConnectWithoutContext("MessageReceived", MakeCallback(&RankEngine::OnReceived, this));
    nic.TraceConnectWithoutContext("MessageCompleted",
                                   MakeCallback(&RankEngine::OnCompleted, this));
    if (!m_begin.IsRunning())
    {
        m_begin = Simulator::ScheduleNow(&RankEngine::Start, this);
    }
}

void
RankEngine::Add(const FlowSpec& flow, uint32_t dstQp, const Ptr<FlowApplication>& application)
{
    Entry& entry = m_flows.at(flow.id);
    entry.dstQp = dstQp;
    entry.application = application;
    if (entry.flow.job->receiveAt == RankJob::ReceiveAt::LAST_ACK)
    {
        entry.receiver->NoteAck(flow);
    }
}

/// Of a NIC of any process.
void
RankEngine::OnCompleted(const MessageRecord& record)
{
    if (record.cookie < m_flows.size() && m_flows[record.cookie].sender)
    {
        Entry& entry = m_flows[record.cookie];
        entry.startPs = entry.application ? record.postedPs : -1;
        if (FindRank(record.cookie, *m_outside, true))
        {
            m_outside->Take(record.cookie, false, record.completedPs);
        }
    }
}

/// The same.
void
RankEngine::OnReceived(uint64_t cookie, Time at)
{
    if (FindRank(cookie, *m_outside, false))
    {
        m_outside->Take(cookie, true, at.GetPicoSeconds());
    }
}

int64_t
RankEngine::GetStartPs(const FlowSpec& flow) const
{
    return m_flows.at(flow.id).startPs;
}

int64_t
RankEngine::GetLastStartPs() const
{
    int64_t lastPs = -1;
    for (const Entry& entry : m_flows)
    {
        lastPs = std::max(lastPs, entry.startPs);
    }
    const auto look = [&lastPs](const Place& place) {
        lastPs = std::max(lastPs, place.NextPs() == NEVER_PS ? -1 : place.NextPs());
    };
    for (const std::unique_ptr<AtNic>& at : m_atNic)
    {
        if (at)
        {
            look(*at);
        }
    }
    look(*m_outside);
    return lastPs;
}

std::string
RankEngine::Describe() const
{
    for (const auto& ranks : m_ranks)
    {
        for (const auto& rank : ranks)
        {
            if (rank->GetPlace().IsHere() && !rank->GetRunner().IsDone())
            {
                std::string what = &rank->GetJob() == m_flowJob.get()
                                       ? DescribeFlows(*rank)
                                       : rank->GetRunner().Describe();
                if (!what.empty())
                {
                    return what;
                }
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

/// @return what the first phase or flow waits for, in the words of who asked for it
std::string
RankEngine::DescribeFlows(const Rank& rank) const
{
    const RankRunner::Waiting first = rank.GetRunner().FindWaiting();
    if (!first.op)
    {
        return "";
    }
    const std::string count = std::to_string(first.left) + " of " + std::to_string(first.all);
    if (const RankPart& part = m_flowJob->program.parts[first.op->part]; part.iteration)
    {
        return part.name + " has not begun: " + count + " flows of phase " +
               std::to_string(part.iteration - 1) + " are not done";
    }
    const auto& dependencies = m_flows[first.op->label].flow.dependencies;
    return "flow " + std::to_string(first.op->label) +
           (dependencies->name.empty() ? "" : " ('" + dependencies->name + "')") +
           " has not started: " + count + " flows that it waits for are not done";
}

std::vector<int64_t>
RankEngine::Finish(std::size_t job)
{
    const bool isAllSent = std::all_of(m_flows.begin(), m_flows.end(), [](const Entry& entry) {
        return !entry.application || entry.startPs >= 0;
    });
    const auto finish = [](Place& place) {
        while (place.IsHere() && place.NextPs() != NEVER_PS)
        {
            place.Run(place.NextPs());
        }
    };
    finish(*m_apart);
    if (isAllSent)
    {
        finish(*m_outside);
        for (const std::unique_ptr<AtNic>& at : m_atNic)
        {
            at ? finish(*at) : void();
        }
    }
    std::vector<uint64_t> ends; // and one more; 0: not known here
    std::vector<bool> isHere;
    for (const auto& rank : m_ranks.at(job))
    {
        const RankRunner& runner = rank->GetRunner();
        isHere.push_back(rank->GetPlace().IsHere());
        const bool isKnown = isHere.back() && runner.IsDone();
        ends.push_back(isKnown ? static_cast<uint64_t>(runner.GetEndPs()) + 1 : 0);
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
