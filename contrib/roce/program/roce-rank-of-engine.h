// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_OF_ENGINE_H
#define ROCE_RANK_OF_ENGINE_H

#include "roce-rank-engine.h"

#include "ns3/roce-network.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace ns3::roce
{

/**
 * Where ranks run that share a NIC or send each other messages within a host: what they do is done
 * in the order of time, and at the same time in the order of the ranks.
 */
class RankEngine::Place
{
  public:
    virtual ~Place() = default;

    /// @return whether its ranks run in this process
    virtual bool IsHere() const = 0;

    /// @brief Hand a message to a NIC, at present.
    virtual void Post(const Entry& entry, int64_t atPs) = 0;

    virtual int64_t NextPs() const
    {
        return m_agenda.empty() ? NEVER_PS : m_agenda.begin()->first;
    }

    virtual void Run(int64_t atPs);

    void Add(Rank& rank);

    /// @brief Note when a rank is due. @param [in,out] notedPs what it said last
    void Note(uint32_t number, int64_t& notedPs, int64_t nextPs)
    {
        if (notedPs != nextPs)
        {
            m_agenda.erase({notedPs, number});
            notedPs = nextPs;
            if (nextPs != NEVER_PS)
            {
                m_agenda.emplace(nextPs, number);
            }
        }
    }

  protected:
    Place() = default;

  private:
    std::vector<Rank*> m_ranks;
    std::set<std::pair<int64_t, uint32_t>> m_agenda; //!< ranks by when they are due
};

/// A rank.
class RankEngine::Rank final : private RankNetwork
{
  public:
    /// @param peers all ranks of the job, by number; outlive this
    Rank(RankEngine& engine,
         const RankJob& job,
         uint32_t number,
         const std::vector<std::unique_ptr<Rank>>& peers)
        : m_engine(engine),
          m_job(job),
          m_rank(number),
          m_peers(peers),
          m_flowOf(job.program.ranks[number].ops.size(), NO_FLOW),
          m_runner(job.program, number, job.costs, *this)
    {
    }

    /// @param flow that it sends
    void AddFlow(const FlowSpec& flow)
    {
        m_flowOf[flow.op] = flow.id;
    }

    /// @return whether an operation sends a message within a host
    bool IsInside(uint32_t op) const
    {
        return m_job.program.ranks[m_rank].ops[op].kind == RankOp::Kind::SEND &&
               m_flowOf[op] == NO_FLOW;
    }

    /// @brief Run there. @param number among its ranks
    void SetPlace(Place& place, uint32_t number)
    {
        m_place = &place;
        m_numberThere = number;
        Note();
    }

    const RankJob& GetJob() const
    {
        return m_job;
    }

    const Place& GetPlace() const
    {
        return *m_place;
    }

    RankRunner& GetRunner()
    {
        return m_runner;
    }

    const RankRunner& GetRunner() const
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

    /// @param flow that it receives. @param atPs when it had come
    void OnReceived(const FlowSpec& flow, int64_t atPs)
    {
        const auto found = m_ackPs.find(flow.src);
        m_runner.Arrive(flow.rank, flow.op, atPs + (found == m_ackPs.end() ? 0 : found->second));
        Note();
    }

    /// @param flow that it has sent. @param atPs when its last ACK had come
    void OnSent(const FlowSpec& flow, int64_t atPs)
    {
        m_runner.OnSent(flow.op, atPs);
        Note();
    }

    void Run(int64_t atPs)
    {
        while (NextPs() <= atPs)
        {
            if (!m_posts.empty() && m_posts.begin()->first <= m_runner.GetFirst().first)
            {
                const uint64_t flow = m_posts.begin()->second;
                m_posts.erase(m_posts.begin());
                m_engine.m_flows[flow].startPs = atPs;
                m_place->Post(m_engine.m_flows[flow], atPs);
            }
            else
            {
                m_runner.RunFirst();
            }
        }
        Note();
    }

  private:
    static constexpr uint64_t NO_FLOW = UINT64_MAX;

    int64_t NextPs() const
    {
        const int64_t postPs = m_posts.empty() ? NEVER_PS : m_posts.begin()->first;
        return std::min(m_runner.GetFirst().first, postPs);
    }

    void Note()
    {
        m_place->Note(m_numberThere, m_notedPs, NextPs());
    }

    void Send(uint32_t, uint32_t op, int64_t atPs) override
    {
        const int64_t postPs = atPs + m_job.costs.overheadPs;
        if (const uint64_t flow = m_flowOf[op]; flow != NO_FLOW)
        {
            if (m_engine.m_flows[flow].application) // else it starts by itself
            {
                m_posts.emplace(postPs, flow);
            }
            return;
        }
        const RankOp& send = m_job.program.ranks[m_rank].ops[op];
        const int64_t endPs = postPs + m_job.GetInsidePs(send.bytes);
        m_runner.OnSent(op, endPs);
        Rank& peer = *m_peers[send.peer];
        peer.m_runner.Arrive(m_rank, op, endPs);
        peer.Note();
    }

    void OnMatched(uint32_t, uint32_t, int64_t) override
    {
    }

    uint64_t MakeNumber() override
    {
        return m_number++;
    }

    RankEngine& m_engine;
    const RankJob& m_job;
    const uint32_t m_rank;
    const std::vector<std::unique_ptr<Rank>>& m_peers;
    uint64_t m_number{uint64_t{1} << 32};
    std::vector<uint64_t> m_flowOf; //!< by operation
    RankRunner m_runner;
    Place* m_place{nullptr};
    uint32_t m_numberThere{0};
    int64_t m_notedPs{NEVER_PS};              //!< when it is due, as its place knows
    std::multimap<int64_t, uint64_t> m_posts; //!< flows by the time of their posts
    std::map<uint32_t, int64_t>
        m_ackPs; //!< of the last ACK, by the sender's NIC; empty: it waits for none
};

inline void
RankEngine::Place::Run(int64_t atPs)
{
    while (!m_agenda.empty() && m_agenda.begin()->first <= atPs)
    {
        m_ranks[m_agenda.begin()->second]->Run(atPs);
    }
}

inline void
RankEngine::Place::Add(Rank& rank)
{
    m_ranks.push_back(&rank);
    rank.SetPlace(*this, static_cast<uint32_t>(m_ranks.size() - 1));
}

} // namespace ns3::roce

#endif /* ROCE_RANK_OF_ENGINE_H */
