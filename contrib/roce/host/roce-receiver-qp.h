// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RECEIVER_QP_H
#define ROCE_RECEIVER_QP_H

#include "roce-receiver-feedback.h"

#include "ns3/roce-frame.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// @brief Receiving side of a reliable connection: what every LossRecovery's receiver has.
class ReceiverQp
{
  public:
    /// What to do with a data frame.
    enum class Action : uint8_t
    {
        ACK,     //!< acknowledge up to expectedPsn - 1
        NAK,     //!< report expectedPsn missing
        NOTHING, //!< in order, no ACK due yet; or a NAK is already out
    };

    virtual ~ReceiverQp() = default;

    /**
     * @brief A data frame has arrived.
     * @param frame data
     * @param ackEveryN ACK at the latest every N packets; the last of a message and requested ones
     * at once
     * @param nowPs current time
     * @param done [out] cookies of the messages that are complete with it are appended, in order
     * @return what to send
     */
    virtual Action OnData(const Frame& frame,
                          uint32_t ackEveryN,
                          int64_t nowPs,
                          std::vector<uint64_t>& done) = 0;

    /**
     * @brief The time timerPs has come: report one thing that is missing, and set timerPs anew.
     * @param nowPs current time
     * @param nak [out] NAK to be sent, addressed already
     * @return whether there is something to report
     */
    virtual bool OnTimer([[maybe_unused]] int64_t nowPs, [[maybe_unused]] Frame& nak)
    {
        return false;
    }

    /**
     * @brief Say in an ACK or NAK what the recovery's sender needs in addition to the PSN.
     * @param ack PSN already set
     * @param data the frame it answers
     */
    virtual void FillAck([[maybe_unused]] Frame& ack, [[maybe_unused]] const Frame& data) const
    {
    }

    uint64_t expectedPsn{0};    //!< next in order
    uint64_t receivedBytes{0};  //!< payload accepted, every byte once
    uint64_t newestPsn{0};      //!< one past the highest PSN seen
    uint32_t msn{0};            //!< messages complete; the NIC counts them
    uint32_t unackedPackets{0}; //!< accepted since the last ACK
    uint32_t markedPackets{0};  //!< packets with CE since the last ACK
    uint32_t reordered{0};      //!< packets overtaken by a later one; repeated ones do not count
    uint32_t reorderDepth{0};   //!< greatest distance, in packets, to the one that overtook
    Ptr<ReceiverFeedback> feedback;

    /// @return when OnTimer() or the feedback's timer is due, or NEVER_PS
    int64_t NextTimerPs() const
    {
        return std::min(timerPs, feedback->GetTimerPs());
    }

    // Timer of the recovery's receiver, and what the NIC keeps for it and the feedback's.
    int64_t timerPs{NEVER_PS};      //!< when OnTimer() is to be called
    int64_t timerEntryPs{NEVER_PS}; //!< key of the valid entry in the NIC's heap
    uint32_t peerQp{0};             //!< number of the sending queue pair at its NIC
    uint32_t profileVersion{0};     //!< of the live parameters that the feedback has
    uint16_t peerEntropy{0};        //!< of the last data
    uint8_t peerClass{0};           //!< traffic class of the last data
    bool isRecent{false};           //!< among those that the NIC retunes at once

  protected:
    /// @brief Count marks and reordering. For OnData().
    void Note(const Frame& frame)
    {
        markedPackets += frame.ecn == ECN_CE;
        if (frame.psn >= newestPsn)
        {
            newestPsn = frame.psn + 1;
        }
        else if (!(frame.flags & FRAME_RETX))
        {
            ++reordered;
            reorderDepth = std::max(reorderDepth, static_cast<uint32_t>(newestPsn - 1 - frame.psn));
        }
    }
};

} // namespace ns3::roce

#endif /* ROCE_RECEIVER_QP_H */
