// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STAGE_PIPELINE_H
#define ROCE_STAGE_PIPELINE_H

#include "roce-switch-stage.h"

#include "ns3/roce-fetch.h"
#include "ns3/roce-time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The stages of one switch: which stage is called at which hook for which kind of frame, in
 * the order of installation, and when their timers are due.
 */
class StagePipeline
{
  public:
    using Verdict = SwitchStage::Verdict;

    StagePipeline() = default;
    // A copy's Hot::stages would be the list of the other one.
    StagePipeline(const StagePipeline&) = delete;
    StagePipeline& operator=(const StagePipeline&) = delete;
    StagePipeline& operator=(StagePipeline&&) = default;

    /**
     * @brief Append a stage that knows its switch already (its hooks may depend on it).
     * @param stage is asked once for its hooks and kinds of frames
     */
    void Add(Ptr<SwitchStage> stage);

    /// @brief Say which destinations there are. @param nics of the network
    void SetNNics(std::size_t nics)
    {
        m_nNics = nics;
    }

    /**
     * @brief Check a frame that a stage has changed or made.
     * @param what has been done to it, for the message: "emitted"
     * @throw InputError for a size, a class or a destination that does not exist
     */
    void Check(const Frame& frame, const char* what) const
    {
        if (__builtin_expect(!IsSane(frame) || frame.dst >= m_nNics, 0))
        {
            ThrowInsane(frame, what);
        }
    }

    /// @brief A stage has broken the rules. @param frame the frame it was given @param what it does
    /// @throw InputError that names the stages
    [[noreturn]] void Refuse(const Frame& frame, const std::string& what) const;

    /// @brief As above, where there is no frame to be read. @param what see above
    [[noreturn]] void Refuse(const std::string& what) const;

    /// @brief Let all stages go.
    void Clear();

    /// @return the stages in their order
    const std::vector<Ptr<SwitchStage>>& GetStages() const
    {
        return m_stages;
    }

    /**
     * @tparam T class of a stage
     * @return the first stage of that class, or null
     */
    template <typename T>
    T* Find() const
    {
        for (const Ptr<SwitchStage>& stage : m_stages)
        {
            if (auto* found = dynamic_cast<T*>(PeekPointer(stage)))
            {
                return found;
            }
        }
        return nullptr;
    }

    /// @param kind of frames. @return whether such frames have to be admitted and queued even at an
    /// idle port, because a stage has hook ENQUEUE
    bool NeedsAdmission(FrameKind kind) const
    {
        return m_hot.enqueueUse[static_cast<unsigned>(kind)] == EnqueueUse::ADMIT;
    }

    /**
     * @param kind of frames
     * @return whether stages look at such frames where they are queued, and may mark them there
     */
    bool LooksAtEnqueue(FrameKind kind) const
    {
        return m_hot.enqueueUse[static_cast<unsigned>(kind)] != EnqueueUse::NONE;
    }

    /// @brief Hook ARRIVAL. @return the first verdict other than PASS, or PASS
    Verdict Arrive(Frame& frame, Port& in, int64_t nowPs) const
    {
        const Run stages = m_hot.arrival[static_cast<unsigned>(frame.kind)];
        return stages.begin == stages.end ? Verdict::PASS : RunArrival(stages, frame, in, nowPs);
    }

    /// @brief Hooks ENQUEUE and MARK. @return the first verdict other than PASS, or PASS
    Verdict Enqueue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t nowPs) const
    {
        return m_hot.enqueueUse[static_cast<unsigned>(frame.kind)] == EnqueueUse::NONE
                   ? Verdict::PASS
                   : RunEnqueue(frame, out, queue, nowPs);
    }

    /// @brief Hook DEQUEUE. @return the first verdict other than PASS, or PASS
    Verdict Dequeue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t nowPs) const
    {
        const Run stages = m_hot.dequeue[static_cast<unsigned>(frame.kind)];
        SwitchStage* const* const end = m_hot.stages + stages.end;
        for (SwitchStage* const* stage = m_hot.stages + stages.begin; stage != end; ++stage)
        {
            const Verdict verdict = (*stage)->OnDequeue(frame, out, queue, nowPs);
            if (verdict != Verdict::PASS)
            {
                return verdict;
            }
            if (__builtin_expect(!IsSane(frame), 0))
            {
                ThrowInsane(frame, "changed");
            }
        }
        return Verdict::PASS;
    }

    /// @brief Hook DROP.
    void Drop(const Frame& frame, Port& out, int64_t nowPs) const;

    /// @brief Hook PAUSE.
    void Pause(PauseEvent event, Port& port, uint8_t trafficClass, int64_t nowPs) const
    {
        for (SwitchStage* stage : m_pause)
        {
            stage->OnPause(event, port, trafficClass, nowPs);
        }
    }

    /// @brief Hook PAUSED.
    void Paused(Port& port, int64_t nowPs) const
    {
        for (SwitchStage* stage : m_paused)
        {
            stage->OnPaused(port, nowPs);
        }
    }

    /**
     * @brief Set the timer of a stage.
     * @param atPs time, in place of its earlier one; NEVER_PS stops it
     */
    void Arm(SwitchStage* stage, int64_t atPs);

    /// @return when RunTimers() is to be called, or NEVER_PS
    int64_t GetNextTimerPs() const;

    /// @brief Call OnTimer() of the stages whose time has come.
    void RunTimers(int64_t nowPs);

    /// @brief Prefetch the list of stages to call for a frame.
    void Fetch() const
    {
        FetchBytes(&m_hot, sizeof m_hot);
    }

    /// @brief Later, have the list of stages fetched.
    void FetchList() const
    {
        FetchLine(m_hot.stages);
    }

    /// @brief Later, have the stages fetched that look at data.
    void FetchStages() const
    {
        const Run stages = m_hot.dequeue[DATA];
        for (unsigned i = stages.begin; i != stages.end; ++i)
        {
            FetchBytes(m_hot.stages[i], STAGE_BYTES);
        }
    }

  private:
    static constexpr auto DATA = static_cast<unsigned>(FrameKind::DATA);
    static constexpr std::size_t STAGE_BYTES = 192; //!< of a stage, or so

    /// Whether stages want to see a kind of frame at ENQUEUE.
    enum class EnqueueUse : uint8_t
    {
        NONE,
        LOOK,  //!< hook MARK only
        ADMIT, //!< hook ENQUEUE, too
    };

    using List = std::vector<SwitchStage*>;
    using Lists = std::array<List, N_FRAME_KINDS>;

    /// Some of the stages that are called, one after the other.
    struct Run
    {
        uint16_t begin{0}; //!< index in Hot::stages
        uint16_t end{0};   //!< one past the last one
    };

    using Runs = std::array<Run, N_FRAME_KINDS>;

    /// What every frame asks, in few cache lines: by kind of frame.
    struct Hot
    {
        SwitchStage* const* stages{nullptr}; //!< those of all runs
        Runs arrival;
        Runs dequeue;
        Runs enqueue;
        std::array<EnqueueUse, N_FRAME_KINDS> enqueueUse{};
    };

    /// @return whether size (1 to 128 KiB) and class (0 to 7) are possible.
    static bool IsSane(const Frame& frame)
    {
        return ((frame.frameBytes - 1) >> 14 | frame.trafficClass) < N_CLASSES;
    }

    [[noreturn]] void ThrowInsane(const Frame& frame, const char* what) const;
    Verdict RunArrival(Run stages, Frame& frame, Port& in, int64_t nowPs) const;
    Verdict RunEnqueue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t nowPs) const;

    Hot m_hot;
    List m_called; //!< what Hot::stages points to
    Lists m_drop;
    List m_pause;
    List m_paused;
    std::vector<Ptr<SwitchStage>> m_stages;
    std::vector<std::pair<int64_t, SwitchStage*>> m_timers; //!< at most one for each stage
    std::size_t m_nNics{0};                                 //!< of the network
    int64_t m_timersPs{-1};                                 //!< when timers have run last
    uint32_t m_timerRuns{0};                                //!< how often they have run then
};

} // namespace ns3::roce

#endif /* ROCE_STAGE_PIPELINE_H */
