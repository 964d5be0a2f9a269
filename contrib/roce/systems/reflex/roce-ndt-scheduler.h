// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NDT_SCHEDULER_H
#define ROCE_NDT_SCHEDULER_H

#include "ns3/nstime.h"
#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-station-trace.h"

namespace ns3::roce
{

/**
 * @brief Queues of a port of an external switch that leads into its datacenter, for Reflex's
 * near-destination throttling (Reflex paper, section III-D, "Queue manager").
 *
 * Classes share the port as in DwrrScheduler, strict classes first. Each class that throttling acts
 * on has two queues, Normal and Controlled, between which it divides its turns: NThrottle frames
 * from Normal, then one from Controlled, and one gets all turns while the other has no frames.
 * Controlled can be suspended: Normal and all other classes continue.
 */
class NdtScheduler : public DwrrScheduler
{
  public:
    /// Decides between the two queues.
    class Classifier
    {
      public:
        /**
         * @brief A frame of a class with two queues comes in.
         * @param port as given to Configure()
         * @return whether it goes to Controlled
         */
        virtual bool Classify(const Frame& frame, uint16_t port, int64_t nowPs) = 0;

        /**
         * @brief Such a frame has been chosen for transmission.
         * @param port as given to Configure()
         */
        virtual void Leave(const Frame& frame, uint16_t port, bool controlled) = 0;

      protected:
        ~Classifier() = default;
    };

    static TypeId GetTypeId();

    /**
     * @brief Set everything; nothing is queued yet. Until then all frames go to Normal.
     * @param classifier lives until this is disposed of
     * @param port passed to the classifier
     * @param classMask classes (bit c = class c) that have two queues
     * @param nThrottle frames from Normal for each one from Controlled, 1 or more
     */
    void Configure(Classifier* classifier, uint16_t port, uint8_t classMask, uint32_t nThrottle);

    /// @brief From now on Controlled sends nothing.
    void Suspend();

    /// @brief Controlled sends again; the owner must call Switch::Kick().
    void Resume();

    uint32_t GetNormalFrames() const;

    /// @return bytes in Normal
    uint64_t GetNormalBytes() const;

    uint32_t GetControlledFrames() const;

    /// @return bytes in Controlled
    uint64_t GetControlledBytes() const;

    /// @return false: a frame must not overtake those that are suspended
    bool IsWorkConserving() const override
    {
        return false;
    }

    std::string DescribeHeld(uint8_t trafficClass) const override;

    Frame* FindLast(uint8_t) const override
    {
        return nullptr; // a class has several lines
    }

    /// Signature of trace source Queues: bytes in each of the two.
    typedef void (*QueuesCallback)(uint64_t normalBytes, uint64_t controlledBytes, Time at);

  protected:
    void DoDispose() override;

  private:
    void DoEnqueue(Frame* frame, int64_t nowPs) override;
    Frame* DoDequeue(uint32_t pausedMask, int64_t nowPs) override;

    bool HasTwoQueues(unsigned trafficClass) const
    {
        return m_classMask >> trafficClass & 1;
    }

    bool MaySendControlled(unsigned trafficClass) const
    {
        return !m_suspended && !m_controlled[trafficClass].IsEmpty();
    }

    bool IsControlledNext(unsigned trafficClass) const;
    Frame* PopFrom(unsigned trafficClass);
    void Trace(const Frame& frame, int64_t nowPs);
    template <typename F>
    auto Sum(const F& ofClass) const;

    std::array<FrameQueue, N_CLASSES> m_controlled;
    std::array<uint64_t, N_CLASSES> m_normalServed{}; //!< frames since the last one from Controlled
    Classifier* m_classifier{nullptr};
    uint32_t m_nThrottle{1};
    uint16_t m_port{0};
    uint8_t m_classMask{0};
    bool m_suspended{false};
    StationTrace<uint64_t, uint64_t, Time> m_queuesTrace;
};

} // namespace ns3::roce

#endif /* ROCE_NDT_SCHEDULER_H */
