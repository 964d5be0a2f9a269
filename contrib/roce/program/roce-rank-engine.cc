// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-engine.h"

#include "roce-rank-of-engine.h"

#include "ns3/roce-host-program.h"
#include "ns3/roce-link.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>
#include <tuple>
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

    void Post(const WaitingFlow& waiting, int64_t) override
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
        m_nic->Post(m_nic->GetQp(qpn), flow.sizeBytes, flow.id);
    }

  private:
    static constexpr uint32_t NO_QP = UINT32_MAX;

    RankEngine& m_engine;
    Nic* m_nic{nullptr};
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_qps; //!< number by dst and dstQp
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
            const Ends& ends = m_engine.m_ends[flow];
            const FlowSpec& spec = m_engine.m_flows[flow].flow;
            isReceived ? ends.receiver->OnReceived(spec, newsPs)
                       : ends.sender->OnSent(spec, newsPs);
        }
        Place::Run(atPs);
    }

    void Post(const WaitingFlow& waiting, int64_t atPs) override
    {
        FlowSpec started = waiting.flow;
        started.startPs = atPs;
        waiting.application->AddFlow(started, waiting.dstQp);
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

    void Post(const WaitingFlow&, int64_t) override
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
    if (IsUsed(flows))
    {
        auto made = std::make_unique<RankEngine>(network, flows);
        engine = made.get();
        network.AddFlowOrder(std::move(made));
    }
    network.InstallFlows(flows);
    return engine;
}

RankEngine::RankEngine(const Network& network, const std::vector<FlowSpec>& flows)
    : m_network(network),
      m_atNic(network.GetNNics()),
      m_outside(std::make_unique<Outside>(*this)),
      m_apart(std::make_unique<Apart>(*this)),
      m_flows(flows.size()),
      m_ends(flows.size()),
      m_startPs(flows.size(), -1)
{
    std::map<const RankJob*, std::size_t> numberOf;
    for (const FlowSpec& flow : flows)
    {
        m_flows.at(flow.id).flow = flow;
        if (!flow.job)
        {
            continue;
        }
        const RankProgram& program = flow.job->program;
        const auto [found, isNew] = numberOf.try_emplace(flow.job.get(), m_jobs.size());
        if (isNew)
        {
            m_jobs.push_back(flow.job);
            m_ranks.emplace_back(program.ranks.size());
        }
        std::vector<std::unique_ptr<Rank>>& ranks = m_ranks[found->second];
        for (uint32_t rank = 0; isNew && rank < ranks.size(); ++rank)
        {
            ranks[rank] = std::make_unique<Rank>(*this, *flow.job, rank, ranks);
        }
        const uint32_t peer = program.ranks[flow.rank].ops[flow.op].peer;
        m_ends[flow.id] = {ranks.at(flow.rank).get(), ranks.at(peer).get()};
        ranks[flow.rank]->AddFlow(flow);
    }
    for (std::size_t job = 0; job < m_jobs.size(); ++job)
    {
        Settle(job);
    }
}

RankEngine::~RankEngine()
{
    m_begin.Cancel();
}

/// Find out where the ranks of a job run.
void
RankEngine::Settle(std::size_t job)
{
    const RankProgram& program = m_jobs[job]->program;
    const std::vector<std::unique_ptr<Rank>>& ranks = m_ranks[job];
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
    for (const WaitingFlow& entry : m_flows)
    {
        const FlowSpec& flow = entry.flow;
        if (flow.job == m_jobs[job])
        {
            const uint32_t peer = program.ranks[flow.rank].ops[flow.op].peer;
            join(flow.rank, rankAt.try_emplace(flow.src, flow.rank).first->second);
            join(peer, rankAt.try_emplace(flow.dst, peer).first->second);
        }
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
    const Ends ends = cookie < m_ends.size() ? m_ends[cookie] : Ends{};
    Rank* const rank = isSender ? ends.sender : ends.receiver;
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
    FlowOrder::Connect(nic, "MessageReceived", MakeCallback(&RankEngine::OnReceived, this));
    FlowOrder::Connect(nic, "MessageCompleted", MakeCallback(&RankEngine::OnCompleted, this));
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
        m_ends.at(flow.flow.id).receiver->NoteAck(flow.flow);
    }
    m_flows.at(flow.flow.id) = std::move(flow);
}

/// Of a NIC of any process.
void
RankEngine::OnCompleted(const MessageRecord& record)
{
    if (record.cookie < m_ends.size() && m_ends[record.cookie].sender)
    {
        m_startPs[record.cookie] = record.postedPs;
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
    return m_startPs.at(flow.id);
}

int64_t
RankEngine::GetLastStartPs() const
{
    int64_t lastPs = *std::max_element(m_startPs.begin(), m_startPs.end());
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
    bool isAllSent = true;
    for (std::size_t flow = 0; flow < m_ends.size(); ++flow)
    {
        isAllSent = isAllSent && (!m_ends[flow].sender || m_startPs[flow] >= 0);
    }
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
