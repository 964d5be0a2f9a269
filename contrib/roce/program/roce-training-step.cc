// SPDX-License-Identifier: GPL-2.0-only
#include "roce-training-step.h"

#include "roce-training-rank.h"

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace ns3::roce
{

namespace
{

using Kind = CollectiveProgram::Kind;

/// Operations of a layer's forward pass.
struct LayerWork
{
    explicit LayerWork(const TrainingStep& step)
    {
        const auto h = static_cast<double>(step.hidden);
        const auto s = static_cast<double>(step.sequence);
        const double tokens = static_cast<double>(step.microBatch) * s;
        attention = tokens * h * (8 * h + 4 * s);
        mlp = tokens * h * 16 * h;
        const double all = attention + mlp;
        forwardPs = step.forwardPs ? static_cast<double>(step.forwardPs)
                                   : 1e12 * all / step.tensor / step.flops;
        backwardPs = step.backwardPs ? static_cast<double>(step.backwardPs) : 2 * forwardPs;
    }

    double attention;
    double mlp; //!< of one expert
    double forwardPs;
    double backwardPs;
};

/// @return by layer
std::vector<TrainingLayer>
CostsOf(const TrainingStep& step)
{
    const LayerWork work(step);
    const uint64_t bytes = step.microBatch * step.sequence * step.hidden * step.elementBytes;
    const uint64_t squareBytes = step.hidden * step.hidden * step.elementBytes;
    std::vector<TrainingLayer> all;
    for (uint32_t layer = 0; layer < step.layers; ++layer)
    {
        const bool hasExperts = step.expert > 1 && (layer + 1) % step.expertEvery == 0;
        const uint32_t times = hasExperts ? step.topK : 1;
        TrainingLayer costs{{}, {}, bytes, bytes * times, 0, hasExperts};
        for (const int pass : {0, 1})
        {
            const double ps = pass ? work.backwardPs : work.forwardPs;
            const double mlpPs = ps * work.mlp / (work.attention + work.mlp);
            costs.attentionPs[pass] = std::llround(ps - mlpPs);
            costs.mlpPs[pass] = std::llround(mlpPs * times);
        }
        costs.gradientBytes = (hasExperts ? 4 : 12) * squareBytes / step.tensor;
        all.push_back(costs);
    }
    return all;
}

} // namespace

void
TrainingStep::Check() const
{
    const auto require = [](bool good, const std::string& what, const std::string& expected) {
        if (!good)
        {
            throw InputError(what + ", expected " + expected);
        }
    };
    const double ranks = 1.0 * tensor * data * pipeline;
    constexpr double MOST = 1 << 20;
    require(ranks >= 1 && ranks <= MOST,
            "tensor, data and pipeline make " + std::to_string(std::llround(ranks)) + " ranks",
            "1 to 1048576");
    require(layers >= 1 && layers % pipeline == 0,
            "layers is " + std::to_string(layers),
            "a multiple of pipeline, " + std::to_string(pipeline));
    require(expert >= 1 && data % expert == 0,
            "expert is " + std::to_string(expert),
            "a divisor of data, " + std::to_string(data));
    require(microBatches >= 1 && expertEvery >= 1 && topK >= 1,
            "microBatches, expertEvery or topK is 0",
            "1 or more");
    require(topK <= expert, "topK is " + std::to_string(topK), "at most expert");
    require(expert == 1 || tensor == 1 || sequenceParallel,
            "expert and tensor are above 1 without sequenceParallel",
            "it, as in Megatron-LM: ranks of a tensor group have different tokens then");
    require(flops > 0 || forwardPs > 0, "neither flops nor forward is given", "one of them");
    const double activations = 1.0 * static_cast<double>(microBatch * elementBytes * topK) *
                               static_cast<double>(sequence) * static_cast<double>(hidden);
    const double parameters = 12.0 * static_cast<double>(elementBytes) *
                              static_cast<double>(hidden) * static_cast<double>(hidden) * layers;
    require(std::max(activations, parameters) <= static_cast<double>(MAX_FLOW_BYTES),
            "activations or parameters have more than 10^15 bytes",
            "smaller ones");
    const LayerWork work(*this);
    constexpr double HOUR_PS = 3600e12;
    require(std::max(work.forwardPs, work.backwardPs) * topK <= HOUR_PS,
            "a pass of a layer takes more than an hour",
            "less");
    for (const bool isTensor : {true, false})
    {
        CollectiveProgram collective;
        collective.levels = isTensor ? tensorLevels : dataLevels;
        collective.ranks.resize(isTensor ? tensor : data);
        std::iota(collective.ranks.begin(), collective.ranks.end(), 0);
        const bool isSplit = isTensor ? sequenceParallel : zero;
        for (const Kind kind : {isSplit ? Kind::REDUCE_SCATTER : Kind::ALL_REDUCE,
                                isSplit ? Kind::ALL_GATHER : Kind::ALL_REDUCE})
        {
            collective.kind = kind;
            if (!collective.levels.empty())
            {
                collective.Check();
            }
        }
    }
}

RankProgram
TrainingStep::Generate() const
{
    Check();
    RankProgram program;
    program.source = "training step";
    program.ranks.resize(GetRanks());
    const std::vector<TrainingLayer> costs = CostsOf(*this);
    TrainingRank::Parts parts;
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    {
        TrainingRank(*this, costs, program, parts, rank).Write();
        program.ranks[rank].ops.shrink_to_fit();
        program.ranks[rank].edges.shrink_to_fit();
    }
    return program;
}

} // namespace ns3::roce
