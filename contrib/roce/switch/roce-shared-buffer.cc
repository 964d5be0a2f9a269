// SPDX-License-Identifier: GPL-2.0-only
#include "roce-shared-buffer.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3::roce
{

uint64_t
HeadroomBytes(uint64_t rateBps, int64_t delayPs, uint32_t maxFrameBytes, uint64_t responseBytes)
{
    // Double is exact enough: the product is far below 2^53 bytes. The tiny offset keeps products
    // that are whole numbers from being rounded up by the last bit.
    const double flight = 2.0 * static_cast<double>(rateBps) * static_cast<double>(delayPs) / 8e12;
    return static_cast<uint64_t>(std::ceil(flight - 1e-6)) + 2ULL * maxFrameBytes +
           PFC_FRAME_BYTES + responseBytes;
}

namespace
{

/// @brief Refuse what a port cannot have. @param config of its switch @param p index of the port
/// @param who names the switch
void
RequirePort(const SharedBuffer::Config& config, uint16_t p, const std::string& who)
{
    const SharedBuffer::PortConfig& port = config.ports[p];
    if (!(port.alpha > 0) || port.alpha > 32768)
    {
        throw InputError(who + "port " + std::to_string(p) + ": alpha is " +
                         std::to_string(port.alpha) + ", expected more than 0 and at most 32768");
    }
    if (port.egressLimitBytes && (config.losslessMask & config.dataMask))
    {
        throw InputError(who + "port " + std::to_string(p) + " has an egress limit of " +
                         std::to_string(port.egressLimitBytes) +
                         " B and classes that PFC protects (mask " +
                         std::to_string(config.losslessMask) +
                         "), expected one of them: LosslessClasses=0 (--lossless=0), or no "
                         "limit");
    }
}

} // namespace

/*
 * Memory is set aside first: headroom and reserve of each data class of each port, from the port's
 * own pool or from the shared one (pool 0). What is left of a pool is what thresholds share. So
 * pools have their sizes only after all ports, and static thresholds, which are part of a pool,
 * come last.
 */
void
SharedBuffer::Configure(const Config& config, const char* name)
{
    const std::string who = std::string("switch ") + name + ": ";
    m_queues.assign(config.ports.size() * N_CLASSES, IngressQueue());
    m_kept.clear();
    m_egress.assign(config.ports.size(), EgressPartition());
    m_pools.assign(1, Pool());
    m_paused.clear();
    m_totalBytes = m_peakBytes = m_controlBytes = 0;
    m_controlLimitBytes = config.controlPoolBytes;
    m_egressAlpha = config.egressAlpha;
    uint64_t sharedSetAside = 0;
    uint16_t greediest = 0;
    for (uint16_t p = 0; p < config.ports.size(); ++p)
    {
        const PortConfig& port = config.ports[p];
        RequirePort(config, p, who);
        m_egress[p].limitBytes = port.egressLimitBytes;
        uint64_t setAside = 0;
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            IngressQueue& queue = Queue(p, c);
            queue.data = config.dataMask >> c & 1;
            queue.lossless = queue.data && (config.losslessMask >> c & 1);
            queue.pool = port.ownPoolBytes ? static_cast<uint32_t>(m_pools.size()) : 0;
            if (!queue.data)
            {
                continue;
            }
            queue.egressLimited = port.egressLimitBytes > 0;
            queue.headroomLimitBytes = queue.lossless ? port.headroomBytes : 0;
            queue.reservedBytes = static_cast<uint32_t>(port.reservedBytes);
            queue.alphaQ16 = static_cast<uint32_t>(std::lround(port.alpha * 65536));
            queue.xonBytes = config.xonOffsetBytes;
            setAside += queue.headroomLimitBytes + queue.reservedBytes;
        }
        if (port.ownPoolBytes)
        {
            if (setAside >= port.ownPoolBytes)
            {
                throw InputError(who + "port " + std::to_string(p) + " needs " +
                                 std::to_string(setAside) +
                                 " B for headroom and reserves, but its own buffer is " +
                                 std::to_string(port.ownPoolBytes) +
                                 " B; expected a larger port buffer or a shorter link");
            }
            m_pools.push_back({port.ownPoolBytes - setAside, 0});
        }
        else
        {
            sharedSetAside += setAside;
            if (port.headroomBytes > config.ports[greediest].headroomBytes ||
                config.ports[greediest].ownPoolBytes)
            {
                greediest = p;
            }
        }
    }
    if (sharedSetAside >= config.bufferBytes)
    {
        throw HeadroomError(
            who + "headroom and reserves need " + std::to_string(sharedSetAside) +
            " B, but the shared buffer is " + std::to_string(config.bufferBytes) +
            " B (largest headroom: " +
            std::to_string(config.ports.empty() ? 0 : config.ports[greediest].headroomBytes) +
            " B for each lossless class at port " + std::to_string(greediest) +
            "); expected a larger buffer or a deep-buffer port for the long link");
    }
    m_pools[0].sizeBytes = config.bufferBytes - sharedSetAside;
    m_capacityBytes = config.bufferBytes;
    for (const PortConfig& port : config.ports)
    {
        m_capacityBytes += port.ownPoolBytes;
    }
    for (uint16_t p = 0; p < config.ports.size(); ++p)
    {
        if (config.ports[p].staticXoffBytes)
        {
            SetStaticThresholds(p, config, who);
        }
    }
}

void
SharedBuffer::Fold()
{
    std::vector<IngressQueue> kept;
    for (std::size_t p = 0; p < m_egress.size(); ++p)
    {
        const auto own = m_queues.begin() + static_cast<std::ptrdiff_t>(p * N_CLASSES);
        std::size_t like = 0;
        while (like < kept.size() &&
               !std::equal(own,
                           own + N_CLASSES,
                           kept.begin() + static_cast<std::ptrdiff_t>(like),
                           [](const auto& a, const auto& b) { return a.IsLike(b); }))
        {
            like += N_CLASSES;
        }
        if (like == kept.size())
        {
            kept.insert(kept.end(), own, own + N_CLASSES);
        }
        m_kept.push_back(static_cast<uint16_t>(like / N_CLASSES));
    }
    kept.shrink_to_fit();
    m_queues = std::move(kept);
}

void
SharedBuffer::SetStaticThresholds(uint16_t p, const Config& config, const std::string& who)
{
    const PortConfig& port = config.ports[p];
    uint64_t xoff = port.staticXoffBytes;
    uint64_t xon =
        port.staticXonBytes ? port.staticXonBytes : xoff - std::min(xoff, config.xonOffsetBytes);
    if (xoff == WHOLE_POOL)
    {
        const int classes = __builtin_popcount(config.dataMask & config.losslessMask);
        xoff = GetPoolBytes(p) / static_cast<uint64_t>(std::max(classes, 1));
        xon = static_cast<uint64_t>(static_cast<double>(xoff) * port.xonFraction);
    }
    if (xoff > GetPoolBytes(p))
    {
        throw InputError(who + "port " + std::to_string(p) + ": static Xoff threshold is " +
                         std::to_string(xoff) + " B, expected at most what is left of its pool, " +
                         std::to_string(GetPoolBytes(p)) + " B");
    }
    if (xon > xoff)
    {
        throw InputError(who + "port " + std::to_string(p) +
                         ": static Xon threshold is above the Xoff threshold");
    }
    for (uint8_t c = 0; c < N_CLASSES; ++c)
    {
        IngressQueue& queue = Queue(p, c);
        if (queue.data)
        {
            queue.staticXoffBytes = xoff;
            queue.xonBytes = xon;
        }
    }
}

bool
SharedBuffer::AdmitLossy(const IngressQueue& in, const IngressQueue& out, uint32_t bytes) const
{
    const Pool& pool = m_pools[in.pool];
    const uint64_t free = pool.usedBytes < pool.sizeBytes ? pool.sizeBytes - pool.usedBytes : 0;
    return static_cast<double>(out.egressBytes + bytes) <=
           m_egressAlpha * static_cast<double>(free);
}

bool
SharedBuffer::MayResume(const IngressQueue& queue) const
{
    if (queue.headroomBytes > 0)
    {
        return false;
    }
    const uint64_t shared = queue.SharedBytes();
    if (shared == 0)
    {
        return true;
    }
    if (queue.staticXoffBytes)
    {
        return shared <= queue.xonBytes;
    }
    return shared + queue.xonBytes <= Threshold(queue);
}

bool
SharedBuffer::PopResumable(std::pair<uint16_t, uint8_t>& which, bool others)
{
    for (auto it = m_paused.begin(); it != m_paused.end(); ++it)
    {
        IngressQueue& queue = Queue(it->first, it->second);
        if ((others || *it == which) && MayResume(queue))
        {
            queue.paused = false;
            which = *it;
            m_paused.erase(it);
            return true;
        }
    }
    return false;
}

uint64_t
SharedBuffer::GetIngressBytes(uint16_t port, uint8_t trafficClass) const
{
    const IngressQueue& queue = Look(port, trafficClass);
    return queue.bytes + queue.headroomBytes;
}

uint64_t
SharedBuffer::GetHeadroomBytes(uint16_t port, uint8_t trafficClass) const
{
    return Look(port, trafficClass).headroomBytes;
}

uint64_t
SharedBuffer::GetEgressBytes(uint16_t port, uint8_t trafficClass) const
{
    return Look(port, trafficClass).egressBytes;
}

uint64_t
SharedBuffer::GetLongestQueueBytes(uint16_t port, uint8_t trafficClass) const
{
    if (m_egress[port].limitBytes)
    {
        return m_egress[port].limitBytes;
    }
    // The limit of a lossy queue: its length is alpha times the free buffer it leaves.
    const double share = IsLossless(port, trafficClass) ? 1 : m_egressAlpha / (1 + m_egressAlpha);
    return static_cast<uint64_t>(share * static_cast<double>(m_capacityBytes));
}

std::pair<uint64_t, uint64_t>
SharedBuffer::GetEmptyThresholdsBytes(uint16_t port, uint8_t trafficClass) const
{
    const IngressQueue& queue = Look(port, trafficClass);
    if (queue.staticXoffBytes)
    {
        return {queue.staticXoffBytes, queue.xonBytes};
    }
    const uint64_t xoff = (m_pools[queue.pool].sizeBytes * queue.alphaQ16) >> 16;
    return {xoff, xoff - std::min(xoff, queue.xonBytes)};
}

uint64_t
SharedBuffer::GetThresholdBytes(uint16_t port, uint8_t trafficClass) const
{
    return Threshold(Look(port, trafficClass));
}

} // namespace ns3::roce
