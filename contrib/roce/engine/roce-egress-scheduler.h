// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_EGRESS_SCHEDULER_H
#define ROCE_EGRESS_SCHEDULER_H

#include "ns3/object.h"
#include "ns3/roce-fetch.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-time.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3::roce
{

/**
 * @brief The queues of one switch port and the choice of the next frame.
 *
 * Enqueue() and Dequeue() keep the byte counts; a subclass supplies DoEnqueue() and DoDequeue()
 * (the pattern of ns-3's QueueDisc). A frame handed to Enqueue() stays inside until Dequeue()
 * returns it. A scheduler that shapes (holds frames back although the port is idle) says with
 * NextEligiblePs() when to ask it again.
 */
class alignas(64) EgressScheduler : public Object
{
  public:
    static TypeId GetTypeId();

    /// @brief Take a frame in. @param frame handed over.
    void Enqueue(Frame* frame, int64_t nowPs)
    {
        m_classes[PlaceOf(frame->trafficClass)].bytes += frame->frameBytes;
        m_totalBytes += frame->frameBytes;
        ++m_frames;
        DoEnqueue(frame, nowPs);
    }

    /**
     * @brief Choose the next frame and take it out.
     * @param pausedMask classes (bit c = class c) that must not be sent
     * @param nowPs start of its transmission
     * @return the frame, or null if none may be sent now
     */
    Frame* Dequeue(uint32_t pausedMask, int64_t nowPs)
    {
        Frame* frame = DoDequeue(pausedMask, nowPs);
        if (frame)
        {
            m_classes[PlaceOf(frame->trafficClass)].bytes -= frame->frameBytes;
            m_totalBytes -= frame->frameBytes;
            --m_frames;
        }
        return frame;
    }

    /**
     * @brief When to ask again although nothing changes; only shaping schedulers answer.
     * @param pausedMask classes that must not be sent
     * @return a later time, or NEVER_PS
     */
    virtual int64_t NextEligiblePs([[maybe_unused]] uint32_t pausedMask,
                                   [[maybe_unused]] int64_t nowPs) const
    {
        return NEVER_PS;
    }

    /**
     * @return whether a frame that meets empty queues and a free port may be sent at once, without
     * passing through the queues; false for schedulers that shape
     */
    virtual bool IsWorkConserving() const
    {
        return true;
    }

    /**
     * @brief Check attributes that ns-3's checkers cannot. Before the first frame.
     * @throw InputError naming the attribute
     */
    virtual void CheckAttributes() const
    {
    }

    /**
     * @brief Queues for one more port, so that a network need not set each attribute of each port
     * anew. Of one without frames.
     * @return a scheduler of its own with the same attributes; null: not offered
     */
    virtual Ptr<EgressScheduler> MakeAlike() const
    {
        return nullptr;
    }

    /**
     * @brief Find the frame that goes last of a class, if all frames of the class are in one queue.
     * @param trafficClass 0..7
     * @return it stays inside; null if there is none, or no such line
     */
    virtual Frame* FindLast([[maybe_unused]] uint8_t trafficClass) const
    {
        return nullptr;
    }

    /**
     * @brief Say what is held back although the port may send it, for the stall report.
     * @param trafficClass 0..7
     * @return for example "9000 B held back by a suspension"; empty: nothing
     */
    virtual std::string DescribeHeld([[maybe_unused]] uint8_t trafficClass) const
    {
        return "";
    }

    /// @brief Prefetch what every frame touches.
    static void Fetch(const void* queue)
    {
        FetchBytes(queue, sizeof(EgressScheduler) + 64); // and what a subclass has first
    }

    /// @return whether there is no frame
    bool IsEmpty() const
    {
        return m_frames == 0;
    }

    /// @param trafficClass 0..7. @return bytes queued of that class
    uint64_t GetBytes(uint8_t trafficClass) const
    {
        return m_classes[PlaceOf(trafficClass)].bytes;
    }

    /// @return bytes queued in all
    uint64_t GetTotalBytes() const
    {
        return m_totalBytes;
    }

    /// @param trafficClass 0..7. @return bytes of that class that wait for the line: those queued
    /// without those that a shaper holds back
    uint64_t GetLineBytes(uint8_t trafficClass) const
    {
        const ClassBytes& c = m_classes[PlaceOf(trafficClass)];
        return c.bytes - c.heldBytes;
    }

    /// @return bytes that wait for the line in all
    uint64_t GetLineBytes() const
    {
        return m_totalBytes - m_totalHeldBytes;
    }

    /// @return frames queued in all
    uint32_t GetFrames() const
    {
        return m_frames;
    }

  protected:
    /**
     * @brief The order of classes in memory: that of data is the first one, as a rule, and that of
     * ACKs near it.
     * @param trafficClass 0..7
     * @return index
     */
    static constexpr unsigned PlaceOf(unsigned trafficClass)
    {
        return (trafficClass + 5) % N_CLASSES;
    }

    void DoDispose() override;

    /**
     * @brief A scheduler that shapes sets what it holds back, so that this does not count as
     * congestion of the port. Call at each change; before DoDequeue() returns a frame without it.
     * @param trafficClass 0..7
     * @param bytes of that class that may not be sent yet, pauses aside
     */
    void SetHeldBytes(uint8_t trafficClass, uint64_t bytes)
    {
        ClassBytes& c = m_classes[PlaceOf(trafficClass)];
        m_totalHeldBytes += bytes - c.heldBytes;
        c.heldBytes = bytes;
    }

  private:
    virtual void DoEnqueue(Frame* frame, int64_t nowPs) = 0;
    virtual Frame* DoDequeue(uint32_t pausedMask, int64_t nowPs) = 0;

    /// What is queued of one class.
    struct ClassBytes
    {
        uint64_t bytes{0};
        uint64_t heldBytes{0}; //!< part of them
    };

    // What belongs to one class is in one cache line, sums are in another.
    uint64_t m_totalBytes{0};
    uint64_t m_totalHeldBytes{0};
    uint32_t m_frames{0};
    alignas(64) std::array<ClassBytes, N_CLASSES> m_classes{}; //!< see PlaceOf()
};

} // namespace ns3::roce

#endif /* ROCE_EGRESS_SCHEDULER_H */
