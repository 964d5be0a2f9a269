// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TRAINING_STEP_H
#define ROCE_TRAINING_STEP_H

#include "roce-collective-program.h"
#include "roce-rank-program.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Makes the program of a step of training a transformer: what each GPU computes and sends
 * for one batch.
 *
 * Ranks are numbered as Megatron-LM does it (Narayanan et al., SC 2021, section 3): the place t in
 * the tensor group first, then d in the data group, then the stage p of the pipeline: t + tensor
 * (d + data p). So the groups that exchange most are next to each other, within a server; stages,
 * which exchange least, are farthest apart. Expert groups are of `expert` neighbours of the data
 * group.
 *
 * - Schedule: 1F1B with a flush (Narayanan et al.): stage p has forward passes of pipeline - 1 - p
 *   micro-batches first, then one forward and one backward pass in turn. A pass takes all layers of
 *   the stage. Activations and gradients go to the next stage from each rank to the one of its
 *   place; a send delays no computation.
 * - Tensor group (Shoeybi et al., 2019): an all-reduce after attention and one after the MLP, of B
 *   = microBatch sequence hidden elements, in either pass. With `sequenceParallel` (Korthikanti et
 *   al., MLSys 2023) it is an all-gather before and a reduce-scatter after, and what goes between
 *   stages is B over tensor.
 * - Expert group (Lepikhin et al., ICLR 2021): in every `expertEvery`-th layer the MLP is `expert`
 *   MLPs, one in each rank of the group. An all-to-all takes tokens there and one takes them back,
 *   of topK B / tensor, in either pass. Tokens are spread evenly.
 * - Data group: when the last micro-batch's gradients are there, an all-reduce of them, and with
 *   `zero` (Rajbhandari et al., SC 2020) a reduce-scatter, and when all of these are done an
 *   all-gather of parameters. With `overlap` that begins for the last layers while those before are
 *   at work, in buckets of `bucketBytes` or a bit more (Li et al., VLDB 2020), one after the other.
 *   Experts' gradients: among the data / expert ranks that have the same one.
 * - A layer has 4 hidden^2 parameters in attention and 8 hidden^2 in an MLP; embeddings are left
 *   out. Its forward pass takes 24 B hidden + 4 B sequence operations (Narayanan et al., appendix),
 *   16 B hidden of them in the MLP (times topK), over tensor and `flops`. A backward pass takes
 *   twice that; nothing is computed again. The optimiser takes no time.
 */
struct TrainingStep
{
    using Level = CollectiveProgram::Level;

    uint32_t tensor{1};   //!< ranks that share each layer
    uint32_t pipeline{1}; //!< stages
    uint32_t data{1};     //!< ranks with the same parameters
    uint32_t expert{1};   //!< ranks that share the experts of a layer; divides data. 1: none
    uint32_t layers{1};   //!< a multiple of pipeline
    uint32_t microBatches{1};
    uint64_t hidden{1};       //!< elements
    uint64_t sequence{1};     //!< tokens
    uint64_t microBatch{1};   //!< sequences
    uint64_t elementBytes{2}; //!< of activations, gradients and parameters
    double flops{0};          //!< operations a second that a GPU reaches, above 0
    int64_t forwardPs{0};     //!< of a layer and micro-batch without MoE; 0: from flops
    int64_t backwardPs{0};    //!< the same; 0: twice the forward pass
    uint32_t expertEvery{1};  //!< layers; the last one has experts
    uint32_t topK{1};         //!< experts that a token goes to
    bool sequenceParallel{false};
    bool zero{false};
    bool overlap{false};
    uint64_t bucketBytes{26214400};
    std::vector<Level> tensorLevels; //!< of its collectives; empty: direct
    std::vector<Level> dataLevels;   //!< the same; empty: a ring

    /// @return tensor data pipeline
    uint32_t GetRanks() const
    {
        return tensor * data * pipeline;
    }

    /// @throw InputError for an impossible step, naming the parameter, without saying of which step
    void Check() const;

    /// @return the step. Computation is in stream 0, all else in none. @throw as Check()
    RankProgram Generate() const;
};

} // namespace ns3::roce

#endif /* ROCE_TRAINING_STEP_H */
