// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TRAINING_RANK_H
#define ROCE_TRAINING_RANK_H

#include "roce-training-step.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// What a layer of a TrainingStep computes, and what it moves.
struct TrainingLayer
{
    int64_t attentionPs[2]; //!< forward, backward
    int64_t mlpPs[2];       //!< the same
    uint64_t tensorBytes;   //!< of a collective of the tensor group at attention
    uint64_t mlpBytes;      //!< the same at the MLP
    uint64_t gradientBytes; //!< of a rank, without experts
    bool hasExperts;
};

/// Makes the operations of one rank of a TrainingStep.
class TrainingRank
{
  public:
    /// Number of a part by what tells it from others: name, and where and when it takes place.
    using Parts = std::map<std::pair<std::string, std::array<uint32_t, 3>>, uint32_t>;

    TrainingRank(const TrainingStep& step,
                 const std::vector<TrainingLayer>& costs,
                 RankProgram& program,
                 Parts& parts,
                 uint32_t rank)
        : m_step(step),
          m_costs(costs),
          m_program(program),
          m_parts(parts),
          m_schedule(program.ranks[rank]),
          m_place(rank % step.tensor),
          m_data(rank / step.tensor % step.data),
          m_stage(rank / step.tensor / step.data),
          m_layersOfStage(step.layers / step.pipeline)
    {
    }

    void Write()
    {
        const uint32_t n = m_step.microBatches;
        const uint32_t first = std::min(m_step.pipeline - 1 - m_stage, n);
        for (uint32_t i = 0; i < n + first; ++i)
        {
            if (i < n)
            {
                Forward(i);
            }
            if (i >= first)
            {
                Backward(i - first);
            }
        }
        ReduceGradients(true);
        GatherParameters();
    }

  private:
    using Kind = CollectiveProgram::Kind;

    /// Tags of messages: two ranks are in one group of each kind.
    enum Tag : uint64_t
    {
        OF_TENSOR,
        OF_PIPELINE,
        OF_DATA,
        OF_EXPERT,
        OF_EXPERT_DATA
    };

    /// @return number of a part with these properties
    uint32_t PartOf(const RankPart& part, uint32_t group, uint32_t layer, uint32_t when)
    {
        const auto number = static_cast<uint32_t>(m_program.parts.size());
        const auto [found, isNew] = m_parts.try_emplace({part.name, {group, layer, when}}, number);
        if (isNew)
        {
            m_program.parts.push_back(part);
        }
        return found->second;
    }

    uint32_t RankOf(uint32_t place, uint32_t data, uint32_t stage) const
    {
        return place + m_step.tensor * (data + m_step.data * stage);
    }

    static std::string NameOf(const std::string& what, uint32_t number, uint32_t microBatch)
    {
        return what + " " + std::to_string(number) + ", micro-batch " +
               std::to_string(microBatch + 1);
    }

    /// Add an operation after what was computed and received last.
    uint32_t Add(RankOp op)
    {
        const uint32_t number = m_schedule.Add(op);
        if (m_now != RankOp::NO_OP)
        {
            m_schedule.Require(number, m_now);
        }
        return number;
    }

    void Compute(int64_t durationPs, uint32_t part)
    {
        RankOp op;
        op.durationPs = durationPs;
        op.part = part;
        m_now = Add(op);
    }

    /// @param stage of the other end
    void Message(RankOp::Kind kind, bool isForward, uint32_t stage, uint32_t microBatch)
    {
        RankOp op;
        op.kind = kind;
        op.stream = RankOp::NO_STREAM;
        op.peer = RankOf(m_place, m_data, stage);
        op.tag = OF_PIPELINE;
        op.bytes = m_step.microBatch * m_step.sequence * m_step.hidden * m_step.elementBytes;
        op.bytes = m_step.sequenceParallel ? op.bytes / m_step.tensor : op.bytes;
        RankPart part;
        part.name = isForward
                        ? NameOf("activations of stage", std::min(m_stage, stage) + 1, microBatch)
                        : NameOf("gradients of stage", std::max(m_stage, stage) + 1, microBatch);
        op.part = PartOf(part, 0, 0, 0);
        const uint32_t number = Add(op);
        m_now = kind == RankOp::Kind::RECV ? number : m_now;
    }

    /// @param after what comes before. @param group name and number. @param layer, when that tell
    /// it from others of the group @return what is done when it is
    uint32_t Collective(const CollectiveProgram& collective,
                        uint32_t after,
                        const std::pair<std::string, uint32_t>& group,
                        uint32_t layer,
                        uint32_t when)
    {
        const std::string name = group.first + " group " + std::to_string(group.second + 1);
        const uint32_t part = PartOf(collective.MakePart(name), group.second, layer, when);
        const auto begin = static_cast<uint32_t>(m_schedule.ops.size());
        const auto own = std::find(collective.ranks.begin(),
                                   collective.ranks.end(),
                                   RankOf(m_place, m_data, m_stage));
        const auto member = static_cast<uint32_t>(own - collective.ranks.begin());
        const uint32_t end = collective.Add(m_schedule, member, after);
        for (uint32_t op = begin; op < m_schedule.ops.size(); ++op)
        {
            m_schedule.ops[op].part = part;
        }
        return end;
    }

    void OfTensor(Kind kind, uint64_t bytes, uint32_t layer, uint32_t when)
    {
        if (m_step.tensor == 1)
        {
            return;
        }
        CollectiveProgram collective;
        collective.kind = kind;
        for (uint32_t place = 0; place < m_step.tensor; ++place)
        {
            collective.ranks.push_back(RankOf(place, m_data, m_stage));
        }
        collective.levels = m_step.tensorLevels;
        if (collective.levels.empty())
        {
            collective.levels = {{m_step.tensor, CollectiveProgram::Algorithm::DIRECT}};
        }
        collective.bytes = bytes;
        collective.tag = OF_TENSOR;
        const uint32_t group = m_data + m_step.data * m_stage;
        m_now = Collective(collective, m_now, {"tensor", group}, layer, when);
    }

    void OfExperts(const TrainingLayer& costs, uint32_t layer, uint32_t when)
    {
        if (!costs.hasExperts)
        {
            return;
        }
        CollectiveProgram collective;
        collective.kind = Kind::ALL_TO_ALL;
        const uint32_t block = m_data / m_step.expert;
        for (uint32_t i = 0; i < m_step.expert; ++i)
        {
            collective.ranks.push_back(RankOf(m_place, block * m_step.expert + i, m_stage));
        }
        collective.levels = {{m_step.expert, CollectiveProgram::Algorithm::DIRECT}};
        collective.bytes = costs.mlpBytes / m_step.tensor;
        collective.tag = OF_EXPERT;
        const uint32_t blocks = m_step.data / m_step.expert;
        const uint32_t group = m_place + m_step.tensor * (block + blocks * m_stage);
        m_now = Collective(collective, m_now, {"expert", group}, layer, when);
    }

    /// Attention or the MLP of a layer, in one pass. @param when of the pass
    void Block(uint32_t layer, bool isMlp, bool isBackward, uint32_t part, uint32_t when)
    {
        const TrainingLayer& costs = m_costs[layer];
        const uint64_t bytes = isMlp ? costs.mlpBytes : costs.tensorBytes;
        const uint32_t begin = 2 * when + (isMlp ? 1 : 0);
        if (isMlp)
        {
            OfExperts(costs, layer, 2 * when);
        }
        if (m_step.sequenceParallel)
        {
            OfTensor(Kind::ALL_GATHER, bytes, layer, begin);
        }
        Compute((isMlp ? costs.mlpPs : costs.attentionPs)[isBackward ? 1 : 0], part);
        OfTensor(m_step.sequenceParallel ? Kind::REDUCE_SCATTER : Kind::ALL_REDUCE,
                 bytes,
                 layer,
                 begin);
        if (isMlp)
        {
            OfExperts(costs, layer, 2 * when + 1);
        }
    }

    void Layer(uint32_t layer, bool isBackward, uint32_t microBatch)
    {
        const uint32_t when = 2 * microBatch + (isBackward ? 1 : 0);
        RankPart part;
        part.name = NameOf(isBackward ? "backward" : "forward", layer + 1, microBatch);
        const uint32_t number = PartOf(part, 0, 0, 0);
        const TrainingLayer& costs = m_costs[layer];
        if (m_step.tensor == 1 && !costs.hasExperts)
        {
            const int pass = isBackward ? 1 : 0;
            Compute(costs.attentionPs[pass] + costs.mlpPs[pass], number);
            return;
        }
        Block(layer, isBackward, isBackward, number, when); // the MLP first, backward
        Block(layer, !isBackward, isBackward, number, when);
    }

    void Forward(uint32_t microBatch)
    {
        if (m_stage > 0)
        {
            Message(RankOp::Kind::RECV, true, m_stage - 1, microBatch);
        }
        for (uint32_t i = 0; i < m_layersOfStage; ++i)
        {
            Layer(m_stage * m_layersOfStage + i, false, microBatch);
        }
        if (m_stage + 1 < m_step.pipeline)
        {
            Message(RankOp::Kind::SEND, true, m_stage + 1, microBatch);
        }
    }

    void Backward(uint32_t microBatch)
    {
        if (m_stage + 1 < m_step.pipeline)
        {
            Message(RankOp::Kind::RECV, false, m_stage + 1, microBatch);
        }
        for (uint32_t i = m_layersOfStage; i-- > 0;)
        {
            const uint32_t layer = m_stage * m_layersOfStage + i;
            Layer(layer, true, microBatch);
            if (microBatch + 1 == m_step.microBatches)
            {
                const TrainingLayer& costs = m_costs[layer];
                m_dense.ready += costs.gradientBytes;
                m_experts.ready += costs.hasExperts ? ExpertBytes() : 0;
                ReduceGradients(false);
            }
        }
        if (m_stage > 0)
        {
            Message(RankOp::Kind::SEND, false, m_stage - 1, microBatch);
        }
    }

    uint64_t ExpertBytes() const
    {
        return 8 * m_step.hidden * m_step.hidden * m_step.elementBytes / m_step.tensor;
    }

    /// Gradients of one kind.
    struct Gradients
    {
        uint64_t ready{0};             //!< bytes that no bucket has
        std::vector<uint64_t> buckets; //!< bytes of those that go their way
        uint32_t end{RankOp::NO_OP};   //!< of the last bucket
    };

    /// @param isLast no more will come
    void ReduceGradients(bool isLast)
    {
        for (Gradients* gradients : {&m_dense, &m_experts})
        {
            const bool isFull = m_step.overlap && gradients->ready >= m_step.bucketBytes;
            if (gradients->ready > 0 && (isLast || isFull))
            {
                gradients->buckets.push_back(std::exchange(gradients->ready, 0));
                const uint32_t after = Join({m_now, gradients->end});
                const auto bucket = static_cast<uint32_t>(gradients->buckets.size());
                OfData(*gradients,
                       m_step.zero ? Kind::REDUCE_SCATTER : Kind::ALL_REDUCE,
                       bucket - 1,
                       after);
            }
        }
    }

    void GatherParameters()
    {
        if (!m_step.zero)
        {
            return;
        }
        const uint32_t all = Join({m_now, m_dense.end, m_experts.end});
        for (Gradients* gradients : {&m_dense, &m_experts})
        {
            gradients->end = all;
            for (uint32_t bucket = 0; bucket < gradients->buckets.size(); ++bucket)
            {
                OfData(*gradients, Kind::ALL_GATHER, bucket, gradients->end);
            }
        }
    }

    void OfData(Gradients& gradients, Kind kind, uint32_t bucket, uint32_t after)
    {
        const bool isOfExperts = &gradients == &m_experts;
        const uint32_t stride = isOfExperts ? m_step.expert : 1;
        CollectiveProgram collective;
        collective.kind = kind;
        for (uint32_t data = m_data % stride; data < m_step.data; data += stride)
        {
            collective.ranks.push_back(RankOf(m_place, data, m_stage));
        }
        const auto n = static_cast<uint32_t>(collective.ranks.size());
        if (n == 1)
        {
            return;
        }
        collective.levels = m_step.dataLevels;
        if (isOfExperts || collective.levels.empty())
        {
            collective.levels = {{n, CollectiveProgram::Algorithm::RING}};
        }
        collective.bytes = gradients.buckets[bucket];
        collective.tag = isOfExperts ? OF_EXPERT_DATA : OF_DATA;
        const uint32_t group = m_place + m_step.tensor * (m_data % stride + stride * m_stage);
        gradients.end =
            Collective(collective, after, {isOfExperts ? "expert data" : "data", group}, bucket, 0);
    }

    /// @return what is done when these are
    uint32_t Join(std::vector<uint32_t> ops)
    {
        ops.erase(std::remove(ops.begin(), ops.end(), RankOp::NO_OP), ops.end());
        std::sort(ops.begin(), ops.end());
        ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
        if (ops.size() < 2)
        {
            return ops.empty() ? RankOp::NO_OP : ops.front();
        }
        RankOp op;
        op.stream = RankOp::NO_STREAM;
        const uint32_t join = m_schedule.Add(op);
        for (const uint32_t before : ops)
        {
            m_schedule.Require(join, before);
        }
        return join;
    }

    const TrainingStep& m_step;
    const std::vector<TrainingLayer>& m_costs;
    RankProgram& m_program;
    Parts& m_parts;
    RankSchedule& m_schedule;
    const uint32_t m_place;
    const uint32_t m_data;
    const uint32_t m_stage;
    const uint32_t m_layersOfStage;
    uint32_t m_now{RankOp::NO_OP}; //!< what was computed or received last
    Gradients m_dense;
    Gradients m_experts;
};

} // namespace ns3::roce

#endif /* ROCE_TRAINING_RANK_H */
