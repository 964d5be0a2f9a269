/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_LINK_H
#define ROCE_LINK_H

#include "roce-station.h"

#include "ns3/channel.h"
#include "ns3/nstime.h"
#include "ns3/roce-frame.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace roce
{

class Port;

/**
 * @ingroup roce
 * @brief A full-duplex link of two ports with a constant propagation delay.
 *
 * Frames of one direction arrive in the order they were sent, so each direction is a list with
 * arrival times. However many frames it holds, only the head stands in the receiving station's
 * agenda, and the simulator knows of none.
 */
class Link : public Channel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Join two ports. Call once.
     * @param a one end
     * @param b the other end
     */
    void Attach(Ptr<Port> a, Ptr<Port> b);

    /// Frames on their way from one end to the other.
    struct Direction
    {
        Frame* head{nullptr};
        Frame* tail{nullptr};
        int64_t delayPs{0};
        Station* to{nullptr}; //!< receiving station
        uint16_t toPort{0};   //!< and its port
    };

    /**
     * @brief Hand a frame to the link.
     * @param direction of the sending end
     * @param frame handed over
     * @param endPs when its last bit leaves the port
     */
    static void Transmit(Direction& direction, Frame* frame, int64_t endPs)
    {
        frame->next = nullptr;
        frame->timePs = endPs + direction.delayPs;
        if (direction.head)
        {
            direction.tail->next = frame;
            direction.tail = frame;
            return;
        }
        direction.head = direction.tail = frame;
        direction.to->SetArrival(direction.toPort, frame->timePs);
    }

    /**
     * @param end sending end, 0 or 1
     * @return its frames in flight
     */
    Direction& GetDirection(unsigned end)
    {
        return m_directions[end];
    }

    /// @return propagation delay in picoseconds
    int64_t GetDelayPs() const
    {
        return m_directions[0].delayPs;
    }

    /// @return number of frames on their way, both directions (walks the lists)
    uint64_t CountInFlight() const;

    // inherited from Channel
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    void DoDispose() override;
    void SetDelay(Time delay);
    Time GetDelay() const;

    std::array<Direction, 2> m_directions;
    std::array<Ptr<Port>, 2> m_ports;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_LINK_H */
