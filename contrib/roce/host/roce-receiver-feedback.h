// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RECEIVER_FEEDBACK_H
#define ROCE_RECEIVER_FEEDBACK_H

#include "roce-path-info.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/roce-frame-extension.h"
#include "ns3/roce-time.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <typeindex>
#include <vector>

namespace ns3::roce
{

class Deployment;

class NicFeedback;

/// @brief Where a ReceiverFeedback gets frames from and gives them to. Valid for one call.
class ReplySink
{
  public:
    /// Makes an object that is shared.
    using ShareMaker = std::unique_ptr<NicFeedback> (*)();

    /**
     * @brief A frame for the sender of the queue pair: addressed, in the NIC's control class, of
     * the size of its kind.
     * @param kind ACK, NAK, CNP or NOTIFICATION
     * @return the frame; goes to Send() or FramePool::Free()
     */
    virtual Frame* Make(FrameKind kind) = 0;

    /// @brief Send it after the NIC's other control frames. @param reply made by Make()
    virtual void Send(Frame* reply) = 0;

    /**
     * @brief What all feedbacks at this NIC share. It lives as long as the NIC's queue pairs.
     * @tparam T subclass of NicFeedback; each has one object at a NIC, made when first asked for
     * @return the object
     * @throw InputError if whoever runs the feedback is no NIC
     */
    template <typename T>
    T& Share()
    {
        return static_cast<T&>(DoShare(typeid(T), []() -> std::unique_ptr<NicFeedback> {
            return std::make_unique<T>();
        }));
    }

  protected:
    ~ReplySink() = default;

    /// @return the NIC's object of a class. @param type the class @param make for the first time
    virtual NicFeedback& DoShare(std::type_index type, ShareMaker make);
};

/// @brief Where a NicFeedback sends: from any queue pair of its NIC. Valid for one call.
class NicReplySink
{
  public:
    /**
     * @param qpn number of a queue pair that has received something
     * @return its sink, until the next call
     */
    virtual ReplySink& At(uint32_t qpn) = 0;

  protected:
    ~NicReplySink() = default;
};

/**
 * @brief A timer for feedback, run by the NIC.
 * @tparam Sink what they send through
 */
template <typename Sink>
class FeedbackTimer
{
  public:
    virtual ~FeedbackTimer() = default;

    /**
     * @brief The time that SetTimer() named has come; the timer is off.
     * @param nowPs current time
     * @param sink for what is to be sent now
     */
    virtual void OnTimer([[maybe_unused]] int64_t nowPs, [[maybe_unused]] Sink& sink)
    {
    }

    /// @return when OnTimer() is due, or NEVER_PS
    int64_t GetTimerPs() const
    {
        return m_timerPs;
    }

    /**
     * @brief For the NIC: run what is due.
     * @param nowPs current time, not before GetTimerPs()
     * @param sink see OnTimer()
     */
    void RunTimer(int64_t nowPs, Sink& sink)
    {
        m_timerPs = NEVER_PS;
        OnTimer(nowPs, sink);
        m_timerPs = std::max(m_timerPs, nowPs + 1);
    }

  protected:
    FeedbackTimer() = default;

    /// @brief A copy has no timer running.
    FeedbackTimer(const FeedbackTimer&)
    {
    }

    /// @brief Set the timer, in any of the calls. @param atPs not in the past, or NEVER_PS
    void SetTimer(int64_t atPs)
    {
        m_timerPs = atPs;
    }

  private:
    int64_t m_timerPs{NEVER_PS};
};

/**
 * @brief What the feedbacks of a NIC's queue pairs share (ReplySink::Share()): state, such as how
 * many of them are congested, and a timer that may send from any of them.
 */
class NicFeedback : public FeedbackTimer<NicReplySink>
{
};

/**
 * @brief What a receiving queue pair sends back in addition to the reliability protocol's ACK and
 * NAK.
 *
 * The queue pair decides when an ACK goes out, and each ACK echoes what the data brought: CE, time
 * stamp, INT, an extension that asks for it. The feedback decides what else an ACK carries and
 * which further frames (CNP, credits) are sent, with data or by its timer. One object per receiving
 * queue pair, forked from a prototype that the sender's rate law makes.
 */
class ReceiverFeedback : public Object, public FeedbackTimer<ReplySink>
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    ReceiverFeedback() = default;
    ~ReceiverFeedback() override = default;

    /// @return a copy with the same parameters and fresh state
    virtual Ptr<ReceiverFeedback> Fork() const = 0;

    /**
     * @brief The first data frame is here; OnData() follows.
     * @param path back to the sender
     * @param nowPs current time
     */
    virtual void Start([[maybe_unused]] const PathInfo& path, [[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @brief Asked once before a run, of the prototype.
     * @param deployment what runs together in the network
     * @param interDc for flows between datacenters, or for the others
     * @throw InputError if this feedback makes no sense there
     */
    virtual void Check([[maybe_unused]] const Deployment& deployment,
                       [[maybe_unused]] bool interDc) const
    {
    }

    /**
     * @brief A data frame has arrived (in order or not).
     * @param data the frame
     * @param nowPs current time
     * @param sink for what is to be sent now, before the ACK
     */
    virtual void OnData([[maybe_unused]] const Frame& data,
                        [[maybe_unused]] int64_t nowPs,
                        [[maybe_unused]] ReplySink& sink)
    {
    }

    /**
     * @brief What every ACK or NAK echoes of the data that it answers: CE, time stamp, INT (moved,
     * not copied), an extension that asks for it. Their bytes are charged to the ACK.
     * @param ack answer
     * @param data loses its INT
     */
    static void Echo(Frame& ack, Frame& data)
    {
        if (data.ecn == ECN_CE)
        {
            ack.flags |= FRAME_ECN_ECHO;
        }
        ack.sentPs = data.sentPs;
        ack.flags |= data.flags & FRAME_TIMESTAMP;
        ack.telemetry = data.telemetry;
        data.telemetry = {};
        ack.telemetryBytes = data.telemetryBytes;
        ack.frameBytes += data.telemetryBytes;
        if (data.extensions)
        {
            FrameExtension::Echo(ack, data);
        }
    }

    /**
     * @brief Complete an ACK or NAK that answers data.
     * @param ack with the reliability fields and all echoes; frameBytes grows by what is added
     * @param data the frame it answers; its INT has moved to the ACK
     * @param nowPs current time
     */
    virtual void FillAck([[maybe_unused]] Frame& ack,
                         [[maybe_unused]] const Frame& data,
                         [[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @return whether Retune() may wait for the next data: nothing depends on the parameters
     * before. Of a NIC with many queue pairs most are idle, and those that may wait cost nothing.
     */
    virtual bool CanRetuneLate() const
    {
        return false;
    }

    /**
     * @brief Take over the live parameters of another object during the simulation; state stays as
     * it is. For feedbacks that have such parameters.
     * @param prototype made by a rate law of the same class
     * @param nowPs current time
     * @throw InputError if it is of another class
     */
    virtual void Retune([[maybe_unused]] const ReceiverFeedback& prototype,
                        [[maybe_unused]] int64_t nowPs)
    {
    }

  protected:
    /**
     * @brief The argument of Retune() as the own class.
     * @tparam T own class
     * @param prototype as given to Retune()
     * @return the same
     * @throw InputError if it is of another class
     */
    template <typename T>
    const T& Same(const ReceiverFeedback& prototype) const
    {
        const T* same = dynamic_cast<const T*>(&prototype);
        if (!same)
        {
            ThrowOther(prototype);
        }
        return *same;
    }

  private:
    [[noreturn]] void ThrowOther(const ReceiverFeedback& prototype) const;
};

/// @brief ACKs with the echoes, and nothing else.
class PlainFeedback : public ReceiverFeedback
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    Ptr<ReceiverFeedback> Fork() const override;

    bool CanRetuneLate() const override
    {
        return true; // no parameters
    }
};

/// @brief Several feedbacks, one after the other: for shims that add to what a rate law needs.
class FeedbackChain : public ReceiverFeedback
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @brief Append a feedback. To a prototype only. @param feedback prototype of the part
    void Add(Ptr<ReceiverFeedback> feedback);

    Ptr<ReceiverFeedback> Fork() const override;
    void Start(const PathInfo& path, int64_t nowPs) override;
    void OnData(const Frame& data, int64_t nowPs, ReplySink& sink) override;
    void FillAck(Frame& ack, const Frame& data, int64_t nowPs) override;
    void OnTimer(int64_t nowPs, ReplySink& sink) override;
    bool CanRetuneLate() const override;
    void Retune(const ReceiverFeedback& prototype, int64_t nowPs) override;

  private:
    void SetFirstTimer();

    std::vector<Ptr<ReceiverFeedback>> m_parts;
};

/**
 * @brief DCQCN's notification point: CE-marked data gives a CNP, at most one per interval and queue
 * pair (Zhu et al., SIGCOMM 2015, section 3). Marked packets of ns-3 are for their stack, not for
 * it.
 */
class EcnCnpFeedback : public ReceiverFeedback
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    Ptr<ReceiverFeedback> Fork() const override;
    void OnData(const Frame& data, int64_t nowPs, ReplySink& sink) override;
    void Retune(const ReceiverFeedback& prototype, int64_t nowPs) override;

    bool CanRetuneLate() const override
    {
        return true; // the interval is checked when data come
    }

  private:
    Time m_interval;                //!< attribute CnpInterval
    int64_t m_nextCnpPs{INT64_MIN}; //!< no CNP before this time
};

} // namespace ns3::roce

#endif /* ROCE_RECEIVER_FEEDBACK_H */
