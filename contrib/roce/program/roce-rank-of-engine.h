// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_OF_ENGINE_H
#define ROCE_RANK_OF_ENGINE_H

#include "roce-rank-engine.h"

#include "ns3/roce-network.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-wake-timer.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::roce
{

/**
 * A rank. With one NIC it is part of that station, and what it does is done in its thread. With
 * several it is outside of all, in events that all processes have. There it learns of what its NICs
 * report, which is a link's delay later at most, and a bit after that.
 */
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

    /// @brief Have flows at a NIC. @param index number
    void AddNic(uint32_t index)
    {
        m_isOutside = m_isOutside || (m_nicIndex != NO_NIC && m_nicIndex != index);
        m_nicIndex = index;
    }

    /// @return whether it has several NICs
    bool IsOutside() const
    {
        return m_isOutside;
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

    /// @return whether it has messages
    bool HasNic() const
    {
        return m_nicIndex != NO_NIC;
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
        Take({atPs + (found == m_ackPs.end() ? 0 : found->second), flow.id, true});
    }

    /// @param flow that it has sent
    void OnSent(const FlowSpec& flow, int64_t atPs)
    {
        Take({atPs, flow.id, false});
    }

    /// @brief Called by the timer of a rank that is outside.
    void OnWake(int64_t nowPs)
    {
        Run(nowPs);
        m_timer.Arm(0, NextPs());
    }

    int64_t NextPs() const
    {
        const int64_t postPs = m_posts.empty() ? NEVER_PS : m_posts.front().first;
        const int64_t newsPs = m_news.empty() ? NEVER_PS : m_news.begin()->atPs;
        return std::min({m_runner.GetFirst().first, postPs, newsPs});
    }

    void Run(int64_t atPs)
    {
        while (NextPs() <= atPs)
        {
            if (!m_news.empty() && m_news.begin()->atPs <= m_runner.GetFirst().first)
            {
                Pass(*m_news.begin());
                m_news.erase(m_news.begin());
            }
            else if (!m_posts.empty() && m_posts.front().first <= m_runner.GetFirst().first)
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

    /// What becomes of a message.
    struct News
    {
        int64_t atPs;
        uint64_t flow;
        bool isReceived; //!< or sent

        bool operator<(const News& other) const
        {
            return std::tie(atPs, flow, isReceived) <
                   std::tie(other.atPs, other.flow, other.isReceived);
        }
    };

    void Take(const News& news)
    {
        if (!m_isOutside)
        {
            Pass(news);
            return;
        }
        // NICs tell in any order, but no later than the longest delay of their links.
        m_news.insert({news.atPs + m_engine.m_marginPs + 1, news.flow, news.isReceived});
        m_timer.Arm(0, m_news.begin()->atPs);
    }

    void Pass(const News& news)
    {
        const FlowSpec& flow = m_engine.m_flows[news.flow].flow;
        news.isReceived ? m_runner.Arrive(flow.rank, flow.op, news.atPs)
                        : m_runner.OnSent(flow.op, news.atPs);
    }

    void Post(const WaitingFlow& waiting, int64_t atPs)
    {
        FlowSpec flow = waiting.flow;
        m_engine.m_startPs[flow.id] = atPs;
        if (m_isOutside)
        {
            flow.startPs = atPs;
            waiting.application->AddFlow(flow, waiting.dstQp);
            return;
        }
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

    RankEngine& m_engine;
    const RankJob& m_job;
    const uint32_t m_rank;
    uint64_t m_number{uint64_t{1} << 32};
    std::vector<uint64_t> m_flowOf; //!< by operation
    RankRunner m_runner;
    uint32_t m_nicIndex{NO_NIC};
    bool m_isOutside{false};
    Nic* m_nic{nullptr};   //!< its only one, or null
    std::set<News> m_news; //!< of NICs, if it is outside
    WakeTimer<Rank> m_timer{this};
    std::deque<std::pair<int64_t, uint64_t>> m_posts;        //!< flows by the time of their posts
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_qps; //!< number by dst and dstQp
    std::map<uint32_t, int64_t>
        m_ackPs; //!< of the last ACK, by the sender's NIC; empty: it waits for none
};

} // namespace ns3::roce

#endif /* ROCE_RANK_OF_ENGINE_H */
