// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LOSS_RECOVERY_H
#define ROCE_LOSS_RECOVERY_H

#include "roce-queue-pair.h"

#include "ns3/object.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

class Deployment;

/**
 * @brief Order and completeness of a reliable connection: what a receiver accepts and answers, what
 * a sender repeats.
 *
 * A NIC makes one prototype for its attribute LossRecovery and asks it for one object per sending
 * queue pair. The receiving NIC makes its half from the same description.
 *
 * The queue pair sends new packets by itself, up to SetSendLimit(). A recovery that repeats single
 * packets says so with QueuePair::SetRepeat() and names them in TakeRepeat(); one that goes back
 * uses QueuePair::GoBack().
 */
class LossRecovery : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// No timeout is longer, 11 days: it can be added to any simulated time.
    static constexpr int64_t LONGEST_TIMEOUT_PS = 1'000'000'000'000'000'000;

    LossRecovery() = default;
    ~LossRecovery() override = default;

    /**
     * @brief The recovery of one sending queue pair.
     * @param path what is known of its path
     * @param rtoFloorPs Nic::RtoFactor base RTTs: no timeout should be shorter
     * @return an object of its own, or a shared one if there is no state
     */
    virtual Ptr<LossRecovery> ForQueuePair(const PathInfo& path, int64_t rtoFloorPs) = 0;

    /**
     * @brief Make the receiving half, at PSN 0.
     * @param path what is known of the path back to the sender
     * @return the receiver
     */
    virtual std::unique_ptr<ReceiverQp> MakeReceiver(const PathInfo& path) const = 0;

    /**
     * @brief Asked once before a run, of the prototype.
     * @param deployment what runs together in the network
     * @param interDc for flows between datacenters, or for the others
     * @throw InputError if this loss recovery makes no sense there
     */
    virtual void Check([[maybe_unused]] const Deployment& deployment,
                       [[maybe_unused]] bool interDc) const
    {
    }

    /// @return whether ForQueuePair() looks at PathInfo::longestRttPs; asked of the prototype
    virtual bool NeedsLongestRtt() const
    {
        return false;
    }

    /// Attributes of the NIC that a loss recovery may use.
    enum class NicTimeout : uint8_t
    {
        RTO_MIN,
        RTO_FACTOR
    };

    /// @return whether timeouts depend on it; asked of the prototype. @param what an attribute
    virtual bool LooksAt([[maybe_unused]] NicTimeout what) const
    {
        return false;
    }

    /// @return whether each packet that another one overtakes is lost to it; asked of the prototype
    virtual bool NeedsOrder() const
    {
        return false;
    }

    /**
     * @param nicPs timeout by Nic::RtoMin and Nic::RtoFactor
     * @return longest timeout of this queue pair, picoseconds
     */
    virtual int64_t GetLongestTimeoutPs([[maybe_unused]] int64_t nicPs) const
    {
        return nicPs;
    }

    /// @return how messages are laid out in packets, lives as long as this; null: in pieces of an
    /// MTU
    virtual const MessageLayout* GetLayout() const
    {
        return nullptr;
    }

    /// @return what each data frame carries in addition to the rate law's extension, before that
    /// one, to be filled in by OnSend(); null: nothing
    virtual const FrameExtension* GetDataExtension() const
    {
        return nullptr;
    }

    /// @return whether OnSend() is to be called
    virtual bool WatchesSends() const
    {
        return false;
    }

    /**
     * @return whether OnSend() is to find in QueuePair::othersDuePs how long the port would take
     * for the backlog of the NIC's other queue pairs
     */
    virtual bool CountsOthersDue() const
    {
        return false;
    }

    /**
     * @brief A data frame is about to be sent, for the first time or again.
     * @param qp its queue pair
     * @param frame complete but for its time stamp
     * @param inflightBytes what it counts in flight
     * @param nowPs start of its transmission
     */
    virtual void OnSend([[maybe_unused]] QueuePair& qp,
                        [[maybe_unused]] Frame& frame,
                        [[maybe_unused]] uint32_t inflightBytes,
                        [[maybe_unused]] int64_t nowPs)
    {
    }

    /// @brief The queue pair has been made. @param qp queue pair
    virtual void Start([[maybe_unused]] QueuePair& qp)
    {
    }

    /**
     * @brief An ACK or a NAK has arrived.
     * @param qp its queue pair
     * @param ack the frame
     * @param nowPs current time
     * @param done [out] messages completed are appended
     * @return what it did; nothing if it was old or impossible
     */
    virtual QueuePair::AckResult OnAck(QueuePair& qp,
                                       const Frame& ack,
                                       int64_t nowPs,
                                       std::vector<MessageRecord>& done) = 0;

    /**
     * @brief The retransmission timeout has run out.
     * @param qp its queue pair
     * @param nowPs current time
     */
    virtual void OnTimeout(QueuePair& qp, int64_t nowPs) = 0;

    /**
     * @param qp its queue pair, whose timeout has run out
     * @param nowPs current time
     * @return whether it counts for Nic::RetryLimit; others are reported to the rate law by
     * OnFurtherTimeout()
     */
    virtual bool IsRetry([[maybe_unused]] const QueuePair& qp, [[maybe_unused]] int64_t nowPs)
    {
        return true;
    }

    /**
     * @param qp its queue pair, whose timeout has run out
     * @return whether it may fail by Nic::RetryLimit: not while timeouts still grow
     */
    virtual bool MayFail([[maybe_unused]] const QueuePair& qp) const
    {
        return true;
    }

    /**
     * @param qp its queue pair, whose timeout has run out
     * @param nowPs current time
     * @return whether only single packets are missing while later ones are acknowledged: the rate
     * law gets a loss with the next ACK (AckResult::lateLoss), not a timeout
     */
    virtual bool IsMereLoss([[maybe_unused]] const QueuePair& qp, [[maybe_unused]] int64_t nowPs)
    {
        return false;
    }

    /**
     * @brief Name the packet to be repeated now; asked only after SetRepeat(true).
     * @param qp its queue pair
     * @return PSN, sent before
     */
    virtual uint64_t TakeRepeat([[maybe_unused]] QueuePair& qp)
    {
        return qp.GetUna();
    }

    /// @param qp its queue pair. @return how long to wait for progress, in the current state
    virtual int64_t TimeoutPs(const QueuePair& qp) const
    {
        return qp.timeout.GetLengthPs();
    }

    /**
     * @param qp its queue pair
     * @return when the timeout runs out in the current state, or NEVER_PS
     */
    virtual int64_t DeadlinePs(const QueuePair& qp)
    {
        return qp.timeout.GetStartPs() + TimeoutPs(qp);
    }
};

} // namespace ns3::roce

#endif /* ROCE_LOSS_RECOVERY_H */
