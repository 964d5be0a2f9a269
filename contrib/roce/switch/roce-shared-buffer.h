// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SHARED_BUFFER_H
#define ROCE_SHARED_BUFFER_H

#include "ns3/roce-fetch.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-input-error.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Headroom a lossless (port, class) needs so that nothing is lost after XOFF is sent.
 *
 * Propagation both ways, a frame the XOFF waits behind, a frame the upstream has begun, the pause
 * frame itself, and the upstream's response (IEEE 802.1Qbb annex O gives the same terms).
 *
 * @param rateBps rate of the link
 * @param delayPs one-way propagation delay
 * @param maxFrameBytes largest frame, MAC header to FCS
 * @param responseBytes bytes the upstream sends before it reacts to a pause frame
 * @return bytes, rounded up
 */
uint64_t HeadroomBytes(uint64_t rateBps,
                       int64_t delayPs,
                       uint32_t maxFrameBytes,
                       uint64_t responseBytes = 0);

/// Thrown if headroom and reserves do not fit into a switch's shared buffer.
class HeadroomError : public InputError
{
  public:
    using InputError::InputError;
};

/**
 * @brief Admission, accounting and PFC decisions of a shared-memory switch. Plain arithmetic.
 *
 * Every data frame is charged to its ingress (port, class) and its egress (port, class). The
 * ingress side has a reserve, a share of a pool and, for lossless classes, headroom that only
 * frames above the threshold use. The threshold is alpha times what is free of the pool (dynamic)
 * or a constant (static). A deep-buffer port has a pool of its own. XOFF is due when a lossless
 * (port, class) uses headroom or reaches its threshold; XON when it has left both by the
 * hysteresis, re-evaluated for every paused queue whenever anything leaves.
 *
 * An egress port with a limit is a statically partitioned drop-tail queue instead: all data classes
 * together hold at most the limit, and neither ingress nor pool plays a part. It excludes lossless
 * classes.
 *
 * The control class and frames that the switch itself emits go to a control pool of their own.
 * All quantities are 64-bit, thresholds saturate at zero.
 */
class SharedBuffer
{
  public:
    /// Ingress port number of frames that the switch itself emits.
    static constexpr uint16_t INTERNAL_PORT = 0xffff;

    /// Static Xoff threshold: what the pool leaves for each lossless class.
    static constexpr uint64_t WHOLE_POOL = UINT64_MAX;

    /// Parameters of one port.
    struct PortConfig
    {
        uint64_t headroomBytes{0};   //!< for each lossless class
        uint64_t reservedBytes{0};   //!< for each data class
        double alpha{0.125};         //!< dynamic threshold factor, > 0
        uint64_t staticXoffBytes{0}; //!< > 0: constant threshold instead of alpha; WHOLE_POOL
        uint64_t staticXonBytes{0};  //!< static threshold: resume at or below; 0 = Xoff - xonOffset
        double xonFraction{0.5};     //!< with WHOLE_POOL: Xon over Xoff threshold
        uint64_t ownPoolBytes{0};    //!< > 0: this port's buffer is its own, of this size
        uint64_t egressLimitBytes{0}; //!< > 0: drop-tail limit of what leaves here, data classes
    };

    /// Parameters of the switch.
    struct Config
    {
        uint64_t bufferBytes{0};       //!< shared buffer with headroom and reserves
        uint8_t dataMask{1 << 3};      //!< classes that carry data
        uint8_t losslessMask{1 << 3};  //!< data classes protected by PFC
        uint64_t xonOffsetBytes{0};    //!< hysteresis below the threshold
        double egressAlpha{1.0};       //!< lossy classes: egress queue limit over free buffer
        uint64_t controlPoolBytes{0};  //!< limit of the control pool; 0 = none
        std::vector<PortConfig> ports; //!< one for each port
    };

    /// Answer to Charge().
    enum class Verdict : uint8_t
    {
        ADMITTED, //!< taken in
        XOFF,     //!< taken in, and XOFF of (inPort, class) is due now
        DROPPED,  //!< refused; nothing was charged
    };

    /**
     * @brief Set up. All counters are zero afterwards.
     * @param name of the switch, for messages
     * @throws HeadroomError if headroom and reserves do not fit into the shared buffer, InputError
     * if they do not fit into a port's own, or a threshold does not fit into its pool; the message
     * names the port and the bytes
     */
    void Configure(const Config& config, const char* name);

    /// @brief Nothing will be charged: ports with the same parameters are one from now on. After
    /// Configure().
    void Fold();

    /// @return ports for which something is kept, see Fold()
    std::size_t GetNKept() const
    {
        return m_queues.size() / N_CLASSES;
    }

    /**
     * @brief Admit and charge a frame.
     * @param inPort ingress port or INTERNAL_PORT
     * @param trafficClass 0..7
     * @return see Verdict
     */
    Verdict Charge(uint16_t inPort, uint16_t outPort, uint8_t trafficClass, uint32_t bytes);

    /**
     * @brief The frame has left. Afterwards call PopResumable() until it says no.
     * @param inPort as charged
     * @param outPort as charged
     * @param trafficClass as charged
     * @param bytes as charged
     */
    void Uncharge(uint16_t inPort, uint16_t outPort, uint8_t trafficClass, uint32_t bytes);

    /**
     * @brief Take one (port, class) for which XON is due out of the paused set.
     * @param [in,out] which before: where the frame that has left came in; then what is resumed
     * @param others may be resumed, too
     * @return whether there was one
     */
    bool PopResumable(std::pair<uint16_t, uint8_t>& which, bool others = true);

    /// @return number of (port, class) pairs with an XOFF outstanding
    std::size_t GetPausedCount() const
    {
        return m_paused.size();
    }

    /// @return the (port, class) pairs with an XOFF outstanding, in the order they were paused
    const std::vector<std::pair<uint16_t, uint8_t>>& GetPaused() const
    {
        return m_paused;
    }

    /// @return bytes of frames that came in by (port, class) and are held, headroom included
    uint64_t GetIngressBytes(uint16_t port, uint8_t trafficClass) const;

    /// @return the part of them that is in headroom
    uint64_t GetHeadroomBytes(uint16_t port, uint8_t trafficClass) const;

    /// @return how many of them may be there; 0 for a class that PFC does not protect
    uint64_t GetHeadroomLimitBytes(uint16_t port, uint8_t trafficClass) const
    {
        return Look(port, trafficClass).headroomLimitBytes;
    }

    /// @return bytes of held frames that leave by (port, class)
    uint64_t GetEgressBytes(uint16_t port, uint8_t trafficClass) const;

    /// @return its egress limit, 0 if it has none
    uint64_t GetEgressLimitBytes(uint16_t port) const
    {
        return m_egress.at(port).limitBytes;
    }

    /// @param port a port with an egress limit. @return bytes of held frames that count against it
    uint64_t GetLimitedBytes(uint16_t port) const
    {
        return m_egress.at(port).bytes;
    }

    /// @return threshold on the bytes above the reserve, now
    uint64_t GetThresholdBytes(uint16_t port, uint8_t trafficClass) const;

    /// @return Xoff and Xon threshold on these bytes while the switch is empty
    std::pair<uint64_t, uint64_t> GetEmptyThresholdsBytes(uint16_t port,
                                                          uint8_t trafficClass) const;

    /// @return whether PFC protects it
    bool IsLossless(uint16_t port, uint8_t trafficClass) const
    {
        return Look(port, trafficClass).lossless;
    }

    /// @return bytes held in all, control pool included
    uint64_t GetTotalBytes() const
    {
        return m_totalBytes;
    }

    /// @return highest value GetTotalBytes() ever had
    uint64_t GetPeakBytes() const
    {
        return m_peakBytes;
    }

    /// @return bytes in the control pool
    uint64_t GetControlBytes() const
    {
        return m_controlBytes;
    }

    /// @return size of the pool a port draws on, without headroom and reserves
    uint64_t GetPoolBytes(uint16_t port) const
    {
        return m_pools[Look(port, 0).pool].sizeBytes;
    }

    /**
     * @param port egress
     * @param trafficClass a data class
     * @return about the most bytes of one class that may wait there: its limit, what the egress
     * threshold of lossy classes allows, or all that there is for lossless ones
     */
    uint64_t GetLongestQueueBytes(uint16_t port, uint8_t trafficClass) const;

    /// @brief Prefetch what is kept of a port.
    void Fetch(uint16_t port, uint8_t trafficClass) const
    {
        FetchLine(&Queue(port, trafficClass));
    }

  private:
    /// What is kept for one (port, class): one cache line.
    struct alignas(64) IngressQueue
    {
        uint64_t bytes{0};         //!< reserve and shared part
        uint64_t headroomBytes{0}; //!< headroom part
        uint64_t headroomLimitBytes{0};
        uint64_t staticXoffBytes{0};
        uint64_t xonBytes{0}; //!< static: absolute; dynamic: offset below the threshold
        uint32_t reservedBytes{0};
        uint32_t alphaQ16{0};    //!< alpha in units of 2^-16
        uint64_t egressBytes{0}; //!< of the same (port, class) seen as egress
        uint32_t pool{0};
        bool lossless{false};
        bool data{false};
        bool paused{false};
        bool egressLimited{false}; //!< seen as egress

        /// @return whether the other one has the same parameters
        bool IsLike(const IngressQueue& other) const
        {
            const auto key = [](const IngressQueue& q) {
                return std::make_tuple(q.headroomLimitBytes,
                                       q.staticXoffBytes,
                                       q.xonBytes,
                                       q.reservedBytes,
                                       q.alphaQ16,
                                       q.pool,
                                       q.lossless,
                                       q.data,
                                       q.egressLimited);
            };
            return key(*this) == key(other);
        }

        uint64_t SharedBytes() const
        {
            return bytes > reservedBytes ? bytes - reservedBytes : 0;
        }
    };

    /// A port's static share.
    struct EgressPartition
    {
        uint64_t limitBytes{0};
        uint64_t bytes{0};
    };

    /// A pool of shared bytes.
    struct Pool
    {
        uint64_t sizeBytes{0};
        uint64_t usedBytes{0};
    };

    IngressQueue& Queue(uint16_t port, uint8_t trafficClass)
    {
        return m_queues[port * N_CLASSES + trafficClass];
    }

    const IngressQueue& Queue(uint16_t port, uint8_t trafficClass) const
    {
        return m_queues[port * N_CLASSES + trafficClass];
    }

    /// Off the hot path: of a folded buffer, too.
    const IngressQueue& Look(uint16_t port, uint8_t trafficClass) const
    {
        return Queue(m_kept.empty() ? port : m_kept[port], trafficClass);
    }

    uint64_t Threshold(const IngressQueue& queue) const
    {
        if (queue.staticXoffBytes)
        {
            return queue.staticXoffBytes;
        }
        const Pool& pool = m_pools[queue.pool];
        const uint64_t free = pool.usedBytes < pool.sizeBytes ? pool.sizeBytes - pool.usedBytes : 0;
        return (free * queue.alphaQ16) >> 16;
    }

    void SetStaticThresholds(uint16_t port, const Config& config, const std::string& who);
    bool MayResume(const IngressQueue& queue) const;
    bool AdmitLossy(const IngressQueue& in, const IngressQueue& out, uint32_t bytes) const;
    Verdict ChargeLimited(IngressQueue& out, EgressPartition& port, uint32_t bytes);

    std::vector<IngressQueue> m_queues;
    std::vector<uint16_t> m_kept; //!< see Fold(): by port, its like in m_queues; empty: itself
    std::vector<EgressPartition> m_egress; //!< by port
    std::vector<Pool> m_pools;             //!< [0] is shared; deep-buffer ports follow
    std::vector<std::pair<uint16_t, uint8_t>> m_paused;
    uint64_t m_totalBytes{0};
    uint64_t m_peakBytes{0};
    uint64_t m_controlBytes{0};
    uint64_t m_controlLimitBytes{0};
    double m_egressAlpha{1.0};
    uint64_t m_capacityBytes{0}; //!< of all pools, with headroom and reserves
};

inline SharedBuffer::Verdict
SharedBuffer::ChargeLimited(IngressQueue& out, EgressPartition& port, uint32_t bytes)
{
    if (port.bytes + bytes > port.limitBytes)
    {
        return Verdict::DROPPED;
    }
    port.bytes += bytes;
    out.egressBytes += bytes;
    m_totalBytes += bytes;
    m_peakBytes = m_totalBytes > m_peakBytes ? m_totalBytes : m_peakBytes;
    return Verdict::ADMITTED;
}

inline SharedBuffer::Verdict
SharedBuffer::Charge(uint16_t inPort, uint16_t outPort, uint8_t trafficClass, uint32_t bytes)
{
    IngressQueue& out = Queue(outPort, trafficClass);
    if (inPort == INTERNAL_PORT || !out.data)
    {
        if (m_controlLimitBytes && m_controlBytes + bytes > m_controlLimitBytes)
        {
            return Verdict::DROPPED;
        }
        m_controlBytes += bytes;
        m_totalBytes += bytes;
        out.egressBytes += bytes;
        m_peakBytes = m_totalBytes > m_peakBytes ? m_totalBytes : m_peakBytes;
        return Verdict::ADMITTED;
    }
    if (out.egressLimited)
    {
        return ChargeLimited(out, m_egress[outPort], bytes);
    }
    IngressQueue& in = Queue(inPort, trafficClass);
    const uint64_t threshold = Threshold(in);
    const uint64_t shared = in.SharedBytes();
    const uint64_t next = in.bytes + bytes;
    if (!in.lossless)
    {
        const bool reserved = next <= in.reservedBytes;
        if (!reserved && (next - in.reservedBytes > threshold || !AdmitLossy(in, out, bytes)))
        {
            return Verdict::DROPPED;
        }
    }
    else if (in.headroomBytes + bytes > in.headroomLimitBytes && shared + bytes > threshold)
    {
        return Verdict::DROPPED;
    }
    if (next <= in.reservedBytes)
    {
        in.bytes = next;
    }
    else if (next - in.reservedBytes > threshold)
    {
        in.headroomBytes += bytes;
    }
    else
    {
        in.bytes = next;
        m_pools[in.pool].usedBytes += next - in.reservedBytes - shared;
    }
    out.egressBytes += bytes;
    m_totalBytes += bytes;
    m_peakBytes = m_totalBytes > m_peakBytes ? m_totalBytes : m_peakBytes;
    // The threshold is read again: charging has just lowered it.
    if (in.lossless && !in.paused && (in.headroomBytes > 0 || in.SharedBytes() >= Threshold(in)))
    {
        in.paused = true;
        m_paused.emplace_back(inPort, trafficClass);
        return Verdict::XOFF;
    }
    return Verdict::ADMITTED;
}

inline void
SharedBuffer::Uncharge(uint16_t inPort, uint16_t outPort, uint8_t trafficClass, uint32_t bytes)
{
    IngressQueue& out = Queue(outPort, trafficClass);
    out.egressBytes -= bytes;
    m_totalBytes -= bytes;
    if (inPort == INTERNAL_PORT || !out.data)
    {
        m_controlBytes -= bytes;
        return;
    }
    if (out.egressLimited)
    {
        m_egress[outPort].bytes -= bytes;
        return;
    }
    IngressQueue& in = Queue(inPort, trafficClass);
    const uint64_t fromHeadroom = in.headroomBytes < bytes ? in.headroomBytes : bytes;
    const uint64_t rest = bytes - fromHeadroom;
    const uint64_t shared = in.SharedBytes();
    in.headroomBytes -= fromHeadroom;
    in.bytes -= rest;
    m_pools[in.pool].usedBytes -= rest < shared ? rest : shared;
}

} // namespace ns3::roce

#endif /* ROCE_SHARED_BUFFER_H */
