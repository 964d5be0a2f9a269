// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NIC_PACKETS_H
#define ROCE_NIC_PACKETS_H

#include "ns3/roce-frame.h"

#include <array>
#include <cstdint>

namespace ns3::roce
{

/// The stack of a NIC's host, which runs at Simulator::Now(): see NicPackets.
class PacketStack
{
  public:
    virtual ~PacketStack() = default;

    /// @brief Something is going to arrive that the stack needs to see then, or whose effect it
    /// needs to see. @param atPs when, picoseconds; in the order of time
    virtual void Foresee(int64_t atPs) = 0;
};

/**
 * @brief The packets of ns-3 at a NIC, in frames of kind PACKET: those that have arrived, and one
 * for each class that is to be sent.
 *
 * The NIC, as every station, acts late; the stack must not. So the stack, not the NIC, sees to it:
 * it wakes up when something arrives (PacketStack::Foresee()) and when the port is free
 * (Nic::GetNextDeparturePs()), brings the NIC up to date, takes what has arrived, and gives it the
 * next packet of a class whose last one is gone.
 */
class NicPackets
{
  public:
    /// @param stack outlives this
    explicit NicPackets(PacketStack& stack)
        : m_stack(stack)
    {
    }

    ~NicPackets()
    {
        m_arrived.Clear();
        for (Frame* frame : m_toSend)
        {
            if (frame)
            {
                FramePool::Free(frame);
            }
        }
    }

    NicPackets(const NicPackets&) = delete;
    NicPackets& operator=(const NicPackets&) = delete;

    /// @return the stack
    PacketStack& GetStack() const
    {
        return m_stack;
    }

    /// @return whether a frame of that class waits to be sent
    bool IsWaiting(uint8_t trafficClass) const
    {
        return m_toSend[trafficClass] != nullptr;
    }

    /// @return whether any frame waits to be sent
    bool IsWaiting() const
    {
        return m_nToSend > 0;
    }

    /// @return the frame that arrived first, taken out, or null
    Frame* TakeArrived()
    {
        return m_arrived.IsEmpty() ? nullptr : m_arrived.Pop();
    }

    // For the NIC.

    /// @param frame has arrived; handed over
    void Arrive(Frame* frame)
    {
        ++m_received;
        m_arrived.Push(frame);
    }

    /// @param frame to be sent, the only one of its class; handed over
    void Put(Frame* frame)
    {
        m_toSend[frame->trafficClass] = frame;
        ++m_nToSend;
    }

    /// @return the frame of a class that is to be sent, taken out
    Frame* TakeToSend(unsigned trafficClass)
    {
        Frame* frame = m_toSend[trafficClass];
        m_toSend[trafficClass] = nullptr;
        --m_nToSend;
        ++m_sent;
        return frame;
    }

    /// @return frames sent
    uint64_t GetSent() const
    {
        return m_sent;
    }

    /// @return frames received
    uint64_t GetReceived() const
    {
        return m_received;
    }

  private:
    PacketStack& m_stack;
    FrameQueue m_arrived;
    std::array<Frame*, N_CLASSES> m_toSend{}; //!< by class, or null
    unsigned m_nToSend{0};
    uint64_t m_sent{0};
    uint64_t m_received{0};
};

} // namespace ns3::roce

#endif /* ROCE_NIC_PACKETS_H */
