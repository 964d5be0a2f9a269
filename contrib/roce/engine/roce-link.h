// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LINK_H
#define ROCE_LINK_H

#include "roce-station.h"

#include "ns3/channel.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-station-trace.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ns3::roce
{

class Port;

/**
 * @brief Takes what is sent on a link in one direction, in place of the station at its other end:
 * where that one is in another process or thread.
 */
class FrameSink
{
  public:
    virtual ~FrameSink() = default;

    /// @param frame handed over; its timePs is when it arrives
    virtual void Take(Frame* frame) = 0;
};

/**
 * @brief A full-duplex link of two ports with a constant propagation delay.
 *
 * Frames of one direction arrive in the order they were sent, so each direction is a list with
 * arrival times. However many frames it holds, only the head is in the receiving station's agenda,
 * and none is in the simulator.
 *
 * A direction may fail and be repaired. A frame is lost if any bit of it was or would have been on
 * the fibre while the direction was down: those in flight at the failure, those sent meanwhile (the
 * sending port does not notice and continues at line rate), and the one under way at the repair.
 * Frames stay on the list until their arrival time and are lost, and counted, at the receiving
 * port, which knows between which times all are lost: so sending costs nothing for it. Frames that
 * arrive, or begin to be sent, exactly at the time of the change belong to the time before it.
 *
 * Pause frames are lost like all others, so each change restores the state that they would have
 * set: the receiving end of a direction that fails forgets what its peer had paused, and the
 * sending end of one that is repaired sends the XOFFs that are outstanding again.
 */
class Link : public Channel
{
  public:
    static TypeId GetTypeId();

    /// @brief Same as attribute Delay; before Network::Build(). @param delayPs one way, picoseconds
    void SetDelayPs(int64_t delayPs)
    {
        m_directions[0].delayPs = m_directions[1].delayPs = delayPs;
    }

    /// @brief Join two ports. Call once. @param a one end. @param b the other end
    void Attach(Ptr<Port> a, Ptr<Port> b);

    /// Bits that name directions by the end that sends.
    enum Directions : uint8_t
    {
        FROM_0 = 1, //!< from end 0 to end 1
        FROM_1 = 2, //!< from end 1 to end 0
        BOTH = 3,
    };

    /// Frames on their way from one end to the other. Put in by Transmit(), taken out by Pop().
    struct alignas(64) Direction
    {
        /**
         * @brief The first frame has arrived.
         * @param nowPs up to when frames are taken out now
         * @param [out] nextPs when the next one arrives, or NEVER_PS
         */
        Frame* Pop(int64_t nowPs, int64_t& nextPs)
        {
            Frame* frame = head;
            head = frame->next;
            ++arrivedFrames;
            nextPs = NEVER_PS;
            if (head)
            {
                nextPs = __builtin_expect(frame->nextGapPs == UINT32_MAX, 0)
                             ? head->timePs
                             : frame->timePs + frame->nextGapPs;
                // The present frame has been fetched; so are the next one and what it carries.
                // Reading a later frame would stall on memory, so only prefetch it. Without a
                // branch, which would often be guessed wrong.
                const auto isLater = static_cast<uintptr_t>(-static_cast<int64_t>(nextPs > nowPs));
                const auto* known =
                    reinterpret_cast<const Frame*>((reinterpret_cast<uintptr_t>(head) & ~isLater) |
                                                   (reinterpret_cast<uintptr_t>(frame) & isLater));
                __builtin_prefetch(known->next);
                __builtin_prefetch(known->telemetry.GetNextLine());
            }
            return frame;
        }

        Frame* head{nullptr};
        Frame* tail{nullptr};
        int64_t delayPs{0};
        int64_t lastPs{0};         //!< when the frame that was sent last arrives
        Station* to{nullptr};      //!< receiving station
        uint16_t toPort{0};        //!< and its port
        bool down{false};          //!< has failed
        bool hasSink{false};       //!< a sink takes frames in place of the receiving station
        uint64_t sentFrames{0};    //!< handed to the link, pause frames included
        uint64_t arrivedFrames{0}; //!< come to the other end, lost or not
        // The second cache line: what is seldom used.
        FrameSink* sink{nullptr};
        int64_t downSincePs{-1}; //!< last failure, or -1
        int64_t upSincePs{-1};   //!< last repair, or -1
    };

    /**
     * @brief Hand a frame to the link.
     * @param direction of the sending end
     * @param frame handed over
     * @param endPs when its last bit leaves the port
     */
    static void Transmit(Direction& direction, Frame* frame, int64_t endPs)
    {
        const int64_t arrivalPs = endPs + direction.delayPs;
        frame->next = nullptr;
        frame->timePs = arrivalPs;
        const int64_t gapPs = arrivalPs - direction.lastPs;
        direction.lastPs = arrivalPs;
        ++direction.sentFrames;
        if (direction.head)
        {
            // Only written to: it need not be in a cache.
            Frame& tail = *direction.tail;
            tail.next = frame;
            tail.nextGapPs = static_cast<uint32_t>(std::min<int64_t>(gapPs, UINT32_MAX));
            direction.tail = frame;
            return;
        }
        // The one place where a frame is handed over; a direction with a sink is always empty.
        if (__builtin_expect(direction.hasSink, 0))
        {
            ++direction.arrivedFrames;
            direction.sink->Take(frame);
            return;
        }
        direction.head = direction.tail = frame;
        direction.to->SetArrival(direction.toPort, arrivalPs);
    }

    /**
     * @brief From now on, hand what is sent to a sink. Before any frame is sent.
     * @param end sending end, 0 or 1
     * @param sink takes the frames; outlives the link
     */
    void SetSink(unsigned end, FrameSink* sink)
    {
        m_directions[end].sink = sink;
        m_directions[end].hasSink = sink != nullptr;
    }

    /// @param end sending end, 0 or 1. @return its frames in flight
    Direction& GetDirection(unsigned end)
    {
        return m_directions[end];
    }

    /// @return see GetDirection()
    const Direction& GetDirection(unsigned end) const
    {
        return m_directions[end];
    }

    /// @param end 0 or 1. @return the port there
    Ptr<Port> GetPort(unsigned end) const
    {
        return m_ports.at(end);
    }

    /**
     * @param end 0 or 1
     * @return the port there, or null; counts no reference, for stations at work (ParallelRun)
     */
    Port* PeekPort(unsigned end) const
    {
        return PeekPointer(m_ports[end]);
    }

    /**
     * @brief Let directions fail, now. Those that are down already stay so.
     *
     * Makes both stations do what is due first. From events only, not from sinks of the traces of
     * these stations.
     * @param directions see Directions
     * @return those of them that were up
     */
    unsigned Fail(unsigned directions, int64_t nowPs);

    /**
     * @brief Repair directions, now; see Fail().
     * @param directions see Directions
     * @return those of them that were down
     */
    unsigned Repair(unsigned directions, int64_t nowPs);

    /// @return how many calls of Fail() made a difference
    uint64_t GetFailures() const
    {
        return m_failures;
    }

    /**
     * @param end sending end, 0 or 1
     * @return number of frames on their way from there (walks the list)
     */
    uint64_t CountInFlight(unsigned end) const;

    /// @return whether trace source TxRxPointToPoint has a sink
    bool IsObserved() const
    {
        return m_observed;
    }

    /**
     * @brief Called by a port with an observed link: a transmission starts.
     * @param end that sends
     * @param frame what is sent
     * @param txPs time from its first to its last bit
     */
    void TraceTransmit(unsigned end, const Frame& frame, int64_t txPs);

    /// Signature of trace source TxRxPointToPoint, that of ns-3's PointToPointChannel: the frame's
    /// bytes without FCS, the ports, and the times from now to the last bit sent and to the last
    /// bit received. Now is Simulator::Now(), which is exact with the attribute Eager of Nic and
    /// Switch only.
    typedef void (*TxRxCallback)(Ptr<const Packet> packet,
                                 Ptr<NetDevice> tx,
                                 Ptr<NetDevice> rx,
                                 Time txDuration,
                                 Time rxDuration);

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
    /// The trace source; a sink makes both ports report what they send.
    class TxRxTrace
        : public StationTrace<Ptr<const Packet>, Ptr<NetDevice>, Ptr<NetDevice>, Time, Time>
    {
      public:
        explicit TxRxTrace(Link* link)
            : m_link(link)
        {
        }

        /// @brief See TracedCallback.
        void ConnectWithoutContext(const CallbackBase& callback)
        {
            m_link->Observe();
            StationTrace::ConnectWithoutContext(callback);
        }

        /// @brief See TracedCallback.
        void Connect(const CallbackBase& callback, std::string path)
        {
            m_link->Observe();
            StationTrace::Connect(callback, path);
        }

      private:
        Link* m_link;
    };

    void Observe();
    void DoDispose() override;
    void SetDelay(Time delay);
    Time GetDelay() const;
    unsigned Change(unsigned directions, bool down, int64_t nowPs);

    std::array<Direction, 2> m_directions;
    std::array<Ptr<Port>, 2> m_ports;
    uint64_t m_failures{0};
    bool m_observed{false};
    TxRxTrace m_txRxTrace{this};
};

} // namespace ns3::roce

#endif /* ROCE_LINK_H */
