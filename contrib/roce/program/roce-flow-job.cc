// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-job.h"

#include "ns3/roce-cycle.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

namespace ns3::roce
{

namespace
{

/// Makes the program of one job.
class FlowJobBuilder
{
  public:
    explicit FlowJobBuilder(std::vector<FlowSpec>& flows)
        : m_flows(flows),
          m_places(flows.size())
    {
        FindPhases();
        FindDependencies();
    }

    std::shared_ptr<const RankJob> Make()
    {
        PlaceRanks();
        AddBarriers();
        AddOperations();
        AddEdges();
        for (uint32_t i = 0; i < m_flows.size(); ++i)
        {
            if (m_places[i].send != RankOp::NO_OP)
            {
                m_flows[i].job = m_job;
                m_flows[i].rank = RankOf(m_flows[i].src);
                m_flows[i].op = m_places[i].send;
            }
        }
        return m_job;
    }

  private:
    /// What becomes of a flow.
    struct Place
    {
        bool isIn{false};
        std::vector<uint32_t> after{}; //!< flows that it waits for
        uint32_t begin{RankOp::NO_OP}; //!< operation that waits for these
        uint32_t send{RankOp::NO_OP};
        uint32_t receive{RankOp::NO_OP}; //!< if its destination waits for it
        bool isReceived{false};          //!< it is needed
    };

    [[noreturn]] static void Refuse(const FlowSpec& flow, const std::string& what)
    {
        const bool isNamed = flow.dependencies && !flow.dependencies->name.empty();
        throw InputError("flow " + std::to_string(flow.id) +
                         (isNamed ? " ('" + flow.dependencies->name + "')" : "") + " " + what);
    }

    void FindPhases()
    {
        std::vector<uint32_t> phases;
        for (const FlowSpec& flow : m_flows)
        {
            phases.push_back(flow.phase);
        }
        std::sort(phases.begin(), phases.end());
        for (const uint32_t phase : phases)
        {
            m_nPhases += phase == m_nPhases + 1;
        }
        for (uint32_t i = 0; i < m_flows.size(); ++i)
        {
            const FlowSpec& flow = m_flows[i];
            if (flow.phase > m_nPhases)
            {
                Refuse(flow,
                       "has phase " + std::to_string(flow.phase) + ", but no flow has phase " +
                           std::to_string(m_nPhases + 1) + "; expected phases 1, 2, 3, ... or 0");
            }
            m_places[i].isIn = flow.phase > 0 && m_nPhases > 1;
        }
    }

    void FindDependencies()
    {
        std::unordered_map<uint32_t, uint32_t> flowOfKey;
        for (uint32_t i = 0; i < m_flows.size(); ++i)
        {
            const FlowSpec& flow = m_flows[i];
            if (flow.dependencies && !flowOfKey.emplace(flow.dependencies->key, i).second)
            {
                Refuse(flow, "has the key of another one, expected each once");
            }
        }
        std::vector<std::vector<uint32_t>> graph(m_flows.size());
        for (uint32_t i = 0; i < m_flows.size(); ++i)
        {
            const FlowSpec& flow = m_flows[i];
            if (!flow.IsDependent())
            {
                continue;
            }
            if (flow.phase)
            {
                Refuse(flow, "has a phase, and waits for single flows; expected one of them");
            }
            m_places[i].isIn = true;
            for (const uint32_t key : flow.dependencies->after)
            {
                const auto found = flowOfKey.find(key);
                if (found == flowOfKey.end())
                {
                    Refuse(flow, "waits for key " + std::to_string(key) + ", which no flow has");
                }
                Place& before = m_places[found->second];
                before.isIn = true;
                before.isReceived = before.isReceived || IsReceivedBy(found->second, i);
                graph[i].push_back(found->second);
            }
        }
        if (const std::vector<uint32_t> cycle = FindCycle(graph); !cycle.empty())
        {
            Refuse(m_flows[cycle[0]],
                   "waits for itself, by way of " + std::to_string(cycle.size() - 1) + " others");
        }
        for (uint32_t i = 0; i < m_flows.size(); ++i)
        {
            m_places[i].after = std::move(graph[i]);
        }
    }

    /// @return whether a flow goes to where another one starts
    bool IsReceivedBy(uint32_t before, uint32_t flow) const
    {
        return m_flows[before].dst == m_flows[flow].src;
    }

    void PlaceRanks()
    {
        uint32_t nNics = 0;
        for (const FlowSpec& flow : m_flows)
        {
            nNics = std::max({nNics, flow.src + 1, flow.dst + 1});
        }
        m_rankOf.resize(nNics);
        std::iota(m_rankOf.begin(), m_rankOf.end(), 0); // for now: a NIC that is with it
        const auto join = [this](uint32_t a, uint32_t b) {
            const auto find = [this](uint32_t nic) {
                while (m_rankOf[nic] != nic)
                {
                    nic = m_rankOf[nic] = m_rankOf[m_rankOf[nic]];
                }
                return nic;
            };
            a = find(a);
            b = find(b);
            m_rankOf[std::max(a, b)] = std::min(a, b);
        };
        const FlowSpec* phased = nullptr;
        for (uint32_t i = 0; i < m_flows.size(); ++i)
        {
            if (m_flows[i].phase && m_nPhases > 1)
            {
                phased = phased ? phased : &m_flows[i];
                join(phased->src, m_flows[i].src);
            }
            for (const uint32_t before : m_places[i].after)
            {
                if (!IsReceivedBy(before, i))
                {
                    join(m_flows[before].src, m_flows[i].src);
                }
            }
        }
        uint32_t nRanks = 0;
        for (uint32_t nic = 0; nic < nNics; ++nic)
        {
            m_rankOf[nic] = m_rankOf[nic] == nic ? nRanks++ : m_rankOf[m_rankOf[nic]];
        }
        m_job->program.ranks.resize(nRanks);
        m_phasedRank = phased ? m_rankOf[phased->src] : 0;
    }

    uint32_t RankOf(uint32_t nic) const
    {
        return m_rankOf[nic];
    }

    RankSchedule& At(uint32_t nic)
    {
        return m_job->program.ranks[RankOf(nic)];
    }

    /// Of phases 2, 3, ...
    void AddBarriers()
    {
        m_barriers.assign(std::max<uint32_t>(m_nPhases, 1) + 1, RankOp::NO_OP);
        for (uint32_t phase = 2; phase <= m_nPhases; ++phase)
        {
            RankOp barrier;
            barrier.stream = RankOp::NO_STREAM;
            barrier.part = static_cast<uint32_t>(m_job->program.parts.size());
            m_job->program.parts.push_back({"phase " + std::to_string(phase), 0, 0, phase});
            m_barriers[phase] = m_job->program.ranks[m_phasedRank].Add(barrier);
        }
    }

    void AddOperations()
    {
        for (uint32_t i = 0; i < m_flows.size(); ++i)
        {
            const FlowSpec& flow = m_flows[i];
            Place& place = m_places[i];
            if (!place.isIn)
            {
                continue;
            }
            RankOp op;
            op.stream = RankOp::NO_STREAM;
            op.label = flow.id;
            if (!flow.IsScheduled() && flow.startPs > 0)
            {
                op.durationPs = flow.startPs;
                place.begin = At(flow.src).Add(op);
            }
            op.tag = i;
            op.bytes = std::max<uint64_t>(1, flow.sizeBytes); // an empty one is acknowledged, too
            op.kind = RankOp::Kind::SEND;
            op.peer = RankOf(flow.dst);
            place.send = At(flow.src).Add(op);
            if (place.begin != RankOp::NO_OP)
            {
                At(flow.src).Require(place.send, place.begin);
            }
            else
            {
                place.begin = place.send;
            }
            if (place.isReceived)
            {
                op.kind = RankOp::Kind::RECV;
                op.peer = RankOf(flow.src);
                place.receive = At(flow.dst).Add(op);
            }
        }
    }

    void AddEdges()
    {
        for (uint32_t i = 0; i < m_flows.size(); ++i)
        {
            const FlowSpec& flow = m_flows[i];
            const Place& place = m_places[i];
            RankSchedule& schedule = At(flow.src);
            if (flow.phase > 1)
            {
                schedule.Require(place.begin, m_barriers[flow.phase]);
            }
            if (flow.phase && flow.phase < m_nPhases)
            {
                schedule.Require(m_barriers[flow.phase + 1], place.send);
            }
            for (const uint32_t before : place.after)
            {
                schedule.Require(place.begin,
                                 IsReceivedBy(before, i) ? m_places[before].receive
                                                         : m_places[before].send);
            }
        }
    }

    std::vector<FlowSpec>& m_flows;
    std::vector<Place> m_places; //!< by flow
    uint32_t m_nPhases{0};
    std::vector<uint32_t> m_rankOf;   //!< by NIC
    uint32_t m_phasedRank{0};         //!< sends all flows with phases
    std::vector<uint32_t> m_barriers; //!< operations, by phase
    std::shared_ptr<RankJob> m_job{std::make_shared<RankJob>()};
};

} // namespace

std::shared_ptr<const RankJob>
FlowJob::Make(std::vector<FlowSpec>& flows)
{
    const bool isUsed = std::any_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
        return !flow.job && !flow.IsScheduled();
    });
    return isUsed ? FlowJobBuilder(flows).Make() : nullptr;
}

} // namespace ns3::roce
