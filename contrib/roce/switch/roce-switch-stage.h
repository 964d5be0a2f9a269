// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SWITCH_STAGE_H
#define ROCE_SWITCH_STAGE_H

#include "ns3/object.h"
#include "ns3/roce-frame.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

class Deployment;
class Port;
class Switch;
class EgressScheduler;
enum class PauseEvent : uint8_t;

/**
 * @brief A piece of a switch's pipeline: sees every frame at the hooks it names, and may mark,
 * stamp, consume or hold it, or emit frames of its own through Switch::Emit().
 *
 * Stages run in the order in which they were installed. A stage is installed at one switch.
 */
class SwitchStage : public Object
{
  public:
    /// Places in the pipeline; GetHooks() answers with a bit mask of them.
    enum Hook : uint32_t
    {
        ARRIVAL = 1, //!< before routing and admission: nothing is charged yet
        ENQUEUE = 2, //!< admitted and charged, about to enter the egress queue
        DEQUEUE = 4, //!< chosen for transmission, no longer charged
        DROP = 8,    //!< refused by the buffer of the egress port
        PAUSE = 16,  //!< a pause frame is made for the peer of a port
        MARK = 32, //!< as ENQUEUE, of a stage that only looks and marks there: it passes frames on
                   //!< or drops them, emits none and arms no timer. Frames that meet an idle port
                   //!< then pass by the buffer and the queues, as if the stage were not there;
                   //!< what it sees of the switch is without them
        PAUSED = 64, //!< a pause frame has come to a port
    };

    /// What becomes of the frame.
    enum class Verdict : uint8_t
    {
        PASS,    //!< goes on
        CONSUME, //!< ends here; the switch frees it
        HOLD,    //!< the stage keeps it and gives it to Switch::Release() later; what is charged
                 //!< at ENQUEUE stays charged. Not allowed at DEQUEUE.
        DROP,    //!< is lost, for the reason given to Switch::Refuse()
    };

    static TypeId GetTypeId();

    /// @return the hooks this stage wants to be called at
    virtual uint32_t GetHooks() const = 0;

    /// @return bit mask of the frame kinds (1 << FrameKind) it wants to see; all by default
    virtual uint32_t GetKinds() const
    {
        return ~0U;
    }

    /// @return whether it marks ECN-capable frames of congested ports with CE
    virtual bool MarksEcn() const
    {
        return false;
    }

    /// @brief Called once, when the stage is installed and all ports are known.
    virtual void Install([[maybe_unused]] Switch& sw)
    {
    }

    /**
     * @brief Asked once for each place it is given, before any stage is installed.
     * @param deployment what runs together in the network
     * @throw InputError if this stage makes no sense there
     */
    virtual void Check([[maybe_unused]] const Deployment& deployment) const
    {
    }

    /**
     * @brief Asked of each once all are installed.
     * @param deployment what runs together in the network
     * @return what is legal but rarely meant, lines without a full stop; equal ones are said once
     */
    virtual std::vector<std::string> GetWarnings(
        [[maybe_unused]] const Deployment& deployment) const
    {
        return {};
    }

    /// @return bytes it adds to each frame that carries telemetry; nothing if it does not stamp
    virtual std::optional<uint32_t> GetTelemetryBytes() const
    {
        return std::nullopt;
    }

    /**
     * @param port index; the stage is installed
     * @return queue length, bytes, above which it marks every ECN-capable frame there; 0: none
     */
    virtual uint64_t GetMarkAllBytes([[maybe_unused]] uint16_t port) const
    {
        return 0;
    }

    /**
     * @brief Take over the live parameters of another stage during a simulation; its state stays.
     * Called by Switch::Retune(), or because an own attribute was set.
     * @param prototype a stage of the same class, may be the same
     * @throw InputError if a parameter differs that is not live (see ParameterTable::Live), or if
     * nothing of this stage is; then nothing changes
     */
    virtual void Retune(const SwitchStage& prototype, int64_t nowPs);

    /**
     * @brief A parameter was set (by its attribute). Once the stage is installed it calls Retune()
     * after the present event, so that several may be set together.
     */
    void OnParameterChange();

    /// @return whether it is installed at a switch
    bool IsInstalled() const
    {
        return m_switch != nullptr;
    }

    /// @brief Called by the switch. @param sw where the stage is installed
    void SetSwitch(Switch* sw)
    {
        m_switch = sw;
    }

    /**
     * @return the ControlShim that queue pairs leaving a datacenter need for this stage, in
     * ObjectFactory's text form, or nothing
     */
    virtual std::string GetSenderShim() const
    {
        return "";
    }

    /// @brief Report counters, for summary.json. @param counters to add to, by a name that begins
    /// with the mechanism's; other switches may have added to the same, see AddCounter()
    virtual void Count([[maybe_unused]] std::map<std::string, uint64_t>& counters) const
    {
    }

    /// What a stage has measured since it was asked last, for a Tuner.
    struct Measurement
    {
        std::vector<double> values;        //!< of the switch; the stage says what they are
        std::vector<uint64_t> rxDataBytes; //!< by port: wire bytes of LOAD_KINDS; empty: not known
    };

    /// @brief An interval has ended: say what was measured, and begin again.
    virtual void Report([[maybe_unused]] Measurement& into, [[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @brief Assign the random streams the stage uses.
     * @return number of streams used
     */
    virtual int64_t AssignStreams([[maybe_unused]] int64_t stream)
    {
        return 0;
    }

    /// @brief The time given to Switch::ArmStage() has come.
    virtual void OnTimer([[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @brief Hook ARRIVAL.
     * @param frame may be changed, its size too
     * @param in arrival port
     * @return what becomes of it
     */
    virtual Verdict OnArrival([[maybe_unused]] Frame& frame,
                              [[maybe_unused]] Port& in,
                              [[maybe_unused]] int64_t nowPs)
    {
        return Verdict::PASS;
    }

    /**
     * @brief Hooks ENQUEUE and MARK.
     * @param frame may be changed, except its size and class
     * @param out egress port
     * @param queue queues of that port, the frame not among them
     * @return what becomes of it
     */
    virtual Verdict OnEnqueue([[maybe_unused]] Frame& frame,
                              [[maybe_unused]] Port& out,
                              [[maybe_unused]] const EgressScheduler& queue,
                              [[maybe_unused]] int64_t nowPs)
    {
        return Verdict::PASS;
    }

    /**
     * @brief Hook DEQUEUE.
     * @param frame may be changed, its size too
     * @param out egress port; its counters do not include the frame yet
     * @param queue queues of that port, the frame no longer among them
     * @param nowPs start of the transmission
     * @return PASS, CONSUME or DROP
     */
    virtual Verdict OnDequeue([[maybe_unused]] Frame& frame,
                              [[maybe_unused]] Port& out,
                              [[maybe_unused]] const EgressScheduler& queue,
                              [[maybe_unused]] int64_t nowPs)
    {
        return Verdict::PASS;
    }

    /**
     * @brief Hook DROP: the frame is about to be dropped (DROP_BUFFER); nothing is charged.
     * @param frame as it arrived
     * @param out egress port it would have gone to
     */
    virtual void OnDrop([[maybe_unused]] const Frame& frame,
                        [[maybe_unused]] Port& out,
                        [[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @brief Hook PAUSE: a pause frame is made, to be sent before all other frames.
     * @param event what it says
     * @param port whose peer it is for
     * @param trafficClass the class it is about
     */
    virtual void OnPause([[maybe_unused]] PauseEvent event,
                         [[maybe_unused]] Port& port,
                         [[maybe_unused]] uint8_t trafficClass,
                         [[maybe_unused]] int64_t nowPs)
    {
    }

    /// @brief Hook PAUSED: what the peer pauses may have changed. @param port where the pause frame
    /// has come
    virtual void OnPaused([[maybe_unused]] Port& port, [[maybe_unused]] int64_t nowPs)
    {
    }

  protected:
    /**
     * @brief The argument of Retune() as the own class.
     * @tparam T own class
     * @param prototype as given to Retune()
     * @throw InputError if it is of another class
     */
    template <typename T>
    const T& SameStage(const SwitchStage& prototype) const
    {
        const T* same = dynamic_cast<const T*>(&prototype);
        if (!same)
        {
            RefuseRetune(prototype);
        }
        return *same;
    }

  private:
    [[noreturn]] void RefuseRetune(const SwitchStage& prototype) const;
    void RetuneNow();

    Switch* m_switch{nullptr};
    bool m_retuning{false}; //!< RetuneNow() is scheduled
};

} // namespace ns3::roce

#endif /* ROCE_SWITCH_STAGE_H */
