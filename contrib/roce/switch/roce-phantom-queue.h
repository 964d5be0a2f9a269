// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PHANTOM_QUEUE_H
#define ROCE_PHANTOM_QUEUE_H

#include "roce-ecn-marker.h"
#include "roce-port-set.h"
#include "roce-stage-of.h"

#include "ns3/random-variable-stream.h"
#include "ns3/roce-port.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/// Parameters of PhantomQueue.
struct PhantomQueueParams
{
    double capacityBytes;
    double drainFactor;
    double ecnMin;
    double ecnMax;
    bool markAtDequeue;
    bool countDropped;
    PortSet ports;  //!< those that have one
    EcnCurve curve; //!< of ecnMin, ecnMax and capacityBytes

    static const ParameterTable<PhantomQueueParams>& Table();
};

/**
 * @brief Phantom queues (Uno, SC 2025, section 4.1.3): each egress port has a counter that grows
 * with what the port takes in and drains a little slower than the port sends, and frames are marked
 * CE by that counter, so that senders slow down before a real queue grows.
 *
 * The counter is brought up to date when a frame is counted or checked: max(0, bytes - DrainFactor
 * * rate * elapsed time), then plus the frame (MAC header to FCS), at most Capacity. Data
 * and packets of ns-3 (FrameKind::PACKET) count, control does not. There is no timer. Marking
 * probability: 0 up to EcnMin * Capacity, 1 above EcnMax * Capacity, linear between. Only
 * ECN-capable frames are marked. An EcnMarker decides by itself: both together mark with 1 - (1 -
 * p1)(1 - p2); Network::Options::ecn=false leaves only the phantom queue.
 *
 * There is a profile for the paper, and one for what the authors' simulator does, where the phantom
 * queue alone marks (so without an EcnMarker). There the drain comes in steps of one packet.
 */
class PhantomQueue : public StageOf<PhantomQueue, PhantomQueueParams>
{
  public:
    PhantomQueue();

    uint32_t GetHooks() const override;
    uint32_t GetKinds() const override;

    bool MarksEcn() const override
    {
        return true;
    }

    /// @copydoc SwitchStage::Install(). @throw InputError for a bad attribute
    void Install(Switch& sw) override;
    int64_t AssignStreams(int64_t stream) override;
    Verdict OnEnqueue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;
    void OnDrop(const Frame& frame, Port& out, int64_t nowPs) override;

    void Count(std::map<std::string, uint64_t>& counters) const override
    {
        counters["phantomMarked"] += m_marked;
    }

    /**
     * @param nowPs current time; call Switch::CatchUp(now) first
     * @return bytes in the port's phantom queue, 0 if it has none
     */
    double GetOccupancyBytes(uint16_t port, int64_t nowPs) const;

    /// @return marking probability by bytes; installed
    const EcnCurve& GetCurve() const
    {
        return m_p->curve;
    }

    /// @return frames marked so far that were not marked when they came
    uint64_t GetMarked() const
    {
        return m_marked;
    }

  private:
    void OnRetune(const PhantomQueueParams& before, int64_t nowPs) override;

    /// The phantom queue of one port.
    struct Counter
    {
        double bytes{0};           //!< at atPs
        int64_t atPs{0};           //!< when it was last brought up to date
        double drainBytesPerPs{0}; //!< 0: this port has none

        double BytesAt(int64_t nowPs) const
        {
            const double left = bytes - drainBytesPerPs * static_cast<double>(nowPs - atPs);
            return left > 0 ? left : 0;
        }
    };

    void Charge(const Frame& frame, const Port& out, int64_t nowPs);
    void Mark(Frame& frame, double bytes);

    std::vector<Counter> m_counters; //!< by port
    Ptr<UniformRandomVariable> m_random;
    uint64_t m_marked{0};
};

} // namespace ns3::roce

#endif /* ROCE_PHANTOM_QUEUE_H */
