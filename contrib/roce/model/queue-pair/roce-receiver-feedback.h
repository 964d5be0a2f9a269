/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_RECEIVER_FEEDBACK_H
#define ROCE_RECEIVER_FEEDBACK_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3
{
namespace roce
{

class Deployment;

/**
 * @ingroup roce
 * @brief What a receiving queue pair sends back besides the reliability protocol's ACK and NAK.
 *
 * The queue pair decides when an ACK goes out; the feedback decides what it carries and which
 * further frames (CNP, credits) go with it. One object per receiving queue pair, forked from a
 * prototype that the sender's congestion control names.
 */
class ReceiverFeedback : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ReceiverFeedback() = default;
    ~ReceiverFeedback() override = default;

    /**
     * @return a copy with the same parameters and fresh state
     */
    virtual Ptr<ReceiverFeedback> Fork() const = 0;

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
     * @return whether a CNP is to be sent to the frame's sender now
     */
    virtual bool OnData(const Frame& data, int64_t nowPs) = 0;

    /**
     * @brief Fill the feedback part of an ACK or NAK that answers data.
     *
     * The default echoes CE, the time stamp and the telemetry (which is moved, not copied) and
     * charges their bytes to the ACK.
     *
     * @param ack the ACK, reliability fields already set
     * @param data the frame it answers; its telemetry may be taken
     * @param nowPs current time
     */
    virtual void FillAck(Frame& ack, Frame& data, int64_t nowPs);
};

/**
 * @ingroup roce
 * @brief ACKs with the echo (CE, time stamp, INT); no CNPs.
 */
class PlainFeedback : public ReceiverFeedback
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<ReceiverFeedback> Fork() const override;
    bool OnData(const Frame& data, int64_t nowPs) override;
};

/**
 * @ingroup roce
 * @brief DCQCN's notification point: CE-marked data gives a CNP, at most one per interval and queue
 * pair (Zhu et al., SIGCOMM 2015, section 3).
 */
class EcnCnpFeedback : public ReceiverFeedback
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<ReceiverFeedback> Fork() const override;
    bool OnData(const Frame& data, int64_t nowPs) override;

  private:
    Time m_interval;                //!< attribute CnpInterval
    int64_t m_nextCnpPs{INT64_MIN}; //!< no CNP before this time
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_RECEIVER_FEEDBACK_H */
