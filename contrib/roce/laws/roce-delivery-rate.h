// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DELIVERY_RATE_H
#define ROCE_DELIVERY_RATE_H

#include "ns3/roce-congestion-control.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// @brief An ACK's sample of the rate at which data arrives.
struct DeliverySample
{
    double bps{0};              //!< delivery rate; 0: the ACK has no sample
    double bpsByRtt{0};         //!< the same over the frame's own RTT: not less
    uint64_t priorDelivered{0}; //!< bytes delivered in all when the acknowledged frame was sent
    bool appLimited{false};     //!< the sender had nothing to send then: the rate may be its own
};

/**
 * @brief Samples of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation).
 *
 * With each frame sent is stored what had been delivered by then, and when. Its ACK gives
 *
 *   rate = bytes delivered since / max(time it took to send them, time until they were
 * acknowledged).
 *
 * Frames are found again by the time they were sent, which the ACK echoes: rate laws with this need
 * NeedsTimestamp(). The frame acknowledged, and with it all sent earlier, is forgotten. So ACKs
 * that arrive out of order only count their bytes, and give no sample of their own. An ACK for
 * several frames is a sample of the one whose time it echoes. There is memory for what is in
 * flight, 32 bytes a frame, which is not given back: nothing is allocated in the long run.
 */
class DeliveryRate
{
  public:
    /// @brief Forget everything.
    void Reset(int64_t nowPs);

    /**
     * @brief A frame is sent.
     * @param nowPs start of its transmission, later than that of the one before
     */
    void OnSend(int64_t nowPs);

    /// @brief An ACK has arrived. @param ack its contents.
    DeliverySample OnAck(const AckInfo& ack);

    /// @brief Everything in flight is given up: the next frame sent begins again.
    void OnTimeout()
    {
        m_idle = true;
    }

    /// @brief Frames sent until what is now in flight has been delivered are not limited by the
    /// network. @param inflightBytes in flight now
    void MarkAppLimited(uint64_t inflightBytes);

    /// @return whether frames sent now are marked so
    bool IsAppLimited() const
    {
        return m_appLimitedUntil > 0;
    }

    /// @return whether nothing is in flight
    bool IsIdle() const
    {
        return m_idle;
    }

    /// @return bytes delivered since the start
    uint64_t GetDelivered() const
    {
        return m_delivered;
    }

    /// @return frames remembered
    std::size_t GetRecords() const
    {
        return m_records;
    }

    /// @return frames there is memory for
    std::size_t GetCapacity() const
    {
        return m_ring.size();
    }

  private:
    /// A frame on its way.
    struct Record
    {
        int64_t sentPs;          //!< start of its transmission
        int64_t firstSentPs;     //!< that of the last one acknowledged by then
        int64_t deliveredPs;     //!< time of the last ACK by then
        uint64_t delivered : 63; //!< bytes delivered by then
        uint64_t appLimited : 1; //!< see DeliverySample
    };

    void Grow(); //!< twice the room

    std::vector<Record> m_ring;    //!< a power of two, or empty
    std::size_t m_head{0};         //!< index of the oldest
    std::size_t m_records{0};      //!< number in use
    uint64_t m_delivered{0};       //!< bytes
    int64_t m_deliveredPs{0};      //!< time of the last delivery, or of a start from idle
    int64_t m_firstSentPs{0};      //!< when the newest frame acknowledged was sent, or the same
    uint64_t m_appLimitedUntil{0}; //!< until this is delivered; 0: not limited
    bool m_idle{true};             //!< nothing is in flight
};

} // namespace ns3::roce

#endif /* ROCE_DELIVERY_RATE_H */
