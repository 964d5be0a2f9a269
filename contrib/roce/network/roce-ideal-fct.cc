// SPDX-License-Identifier: GPL-2.0-only
#include "roce-ideal-fct.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-port.h"

#include <algorithm>
#include <limits>
#include <string>

namespace ns3::roce
{

namespace
{

constexpr uint64_t MAX_WIRE_BYTES = (1ULL << 20) - 1;
/// All sums of one packet's round stay below this, so that a few of them can be added freely.
constexpr int64_t MAX_ROUND_PS = std::numeric_limits<int64_t>::max() / 8;

/**
 * @brief Add to a bound that must not pass MAX_ROUND_PS.
 * @param [in,out] sumPs the bound so far
 * @param addPs what is added, not negative
 */
void
AddToRound(int64_t& sumPs, int64_t addPs)
{
    if (addPs > MAX_ROUND_PS - sumPs)
    {
        throw InputError("ideal FCT: one packet takes longer than 2^60 ps on this path; expected "
                         "higher rates or shorter delays");
    }
    sumPs += addPs;
}

} // namespace

IdealFct::IdealFct(const std::vector<HopSpec>& forward,
                   const std::vector<HopSpec>& ackPath,
                   const WireSizes& sizes)
    : m_hops(forward),
      m_forwardHops(forward.size()),
      m_sizes(sizes)
{
    if (forward.empty() || ackPath.empty())
    {
        throw InputError(std::string("ideal FCT: the ") + (forward.empty() ? "data" : "ACK") +
                         " path has no links, expected at least one");
    }
    if (sizes.mtuBytes == 0 || sizes.payloadAlignBytes == 0)
    {
        throw InputError("ideal FCT: MTU " + std::to_string(sizes.mtuBytes) +
                         " and payload alignment " + std::to_string(sizes.payloadAlignBytes) +
                         ", expected at least 1 byte each");
    }
    m_hops.insert(m_hops.end(), ackPath.begin(), ackPath.end());
    for (size_t h = 0; h < m_hops.size(); h++)
    {
        if (m_hops[h].rateBps == 0 || m_hops[h].delayPs < 0)
        {
            throw InputError("ideal FCT: link " + std::to_string(h) + " of the round has rate " +
                             std::to_string(m_hops[h].rateBps) + " bit/s and delay " +
                             std::to_string(m_hops[h].delayPs) +
                             " ps, expected a positive rate and no negative delay");
        }
        AddToRound(m_roundBoundPs, m_hops[h].delayPs);
        (h < m_forwardHops ? m_forwardDelayPs : m_ackDelayPs) += m_hops[h].delayPs;
    }
    m_middleTx = StageTimes(sizes.mtuBytes, false);
    m_slowestPs = *std::max_element(m_middleTx.begin(), m_middleTx.end());
    // The first packet is the largest: it carries RETH.
    for (int64_t txPs : StageTimes(sizes.mtuBytes, true))
    {
        AddToRound(m_roundBoundPs, txPs);
    }
}

int64_t
IdealFct::SerialisationPs(uint64_t wireBytes, uint64_t rateBps, int64_t tickPs)
{
    if (wireBytes > MAX_WIRE_BYTES || rateBps == 0)
    {
        throw InputError("serialisation of " + std::to_string(wireBytes) + " bytes at " +
                         std::to_string(rateBps) +
                         " bit/s, expected less than 2^20 bytes and a positive rate");
    }
    return Port::SerialisationTime(wireBytes, rateBps, tickPs);
}

uint64_t
IdealFct::DataWireBytes(uint64_t payloadBytes, bool first, size_t hop) const
{
    const uint64_t align = m_sizes.payloadAlignBytes;
    const uint64_t padded = (payloadBytes + align - 1) / align * align;
    const uint64_t frame = uint64_t{m_sizes.headerBytes} + padded +
                           (first ? m_sizes.rethBytes : 0) + m_sizes.dataExtraBytes +
                           m_sizes.intBytesBase + uint64_t{m_sizes.intBytesPerHop} * hop;
    return std::max<uint64_t>(frame, m_sizes.minFrameBytes) + m_sizes.framingOverheadBytes;
}

uint64_t
IdealFct::AckWireBytes() const
{
    const uint64_t frame = uint64_t{m_sizes.ackFrameBytes} + m_sizes.ackExtraBytes +
                           m_sizes.intBytesBase +
                           uint64_t{m_sizes.intBytesPerHop} * (m_forwardHops - 1);
    return std::max({frame, uint64_t{m_sizes.ackMinFrameBytes}, uint64_t{m_sizes.minFrameBytes}}) +
           m_sizes.framingOverheadBytes;
}

uint64_t
IdealFct::PacketCount(uint64_t sizeBytes) const
{
    const uint64_t mtu = m_sizes.mtuBytes;
    return sizeBytes == 0 ? 1 : sizeBytes / mtu + (sizeBytes % mtu != 0 ? 1 : 0);
}

std::vector<int64_t>
IdealFct::StageTimes(uint64_t payloadBytes, bool first) const
{
    std::vector<int64_t> tx(m_hops.size());
    for (size_t h = 0; h < m_hops.size(); h++)
    {
        const uint64_t wire =
            h < m_forwardHops ? DataWireBytes(payloadBytes, first, h) : AckWireBytes();
        tx[h] = SerialisationPs(wire, m_hops[h].rateBps, m_sizes.tickPs);
    }
    return tx;
}

void
IdealFct::AdvanceOne(const std::vector<int64_t>& tx, std::vector<int64_t>& end) const
{
    int64_t arrivalPs = 0;
    for (size_t h = 0; h < tx.size(); h++)
    {
        if (h >= m_forwardHops && !m_sizes.ackEveryPacket)
        {
            end[h] = arrivalPs + tx[h]; // no earlier ACK to wait for
        }
        else
        {
            end[h] = std::max(arrivalPs, end[h]) + tx[h];
        }
        arrivalPs = end[h];
    }
}

void
IdealFct::AdvanceMiddle(uint64_t count, std::vector<int64_t>& end) const
{
    // Without per-packet ACKs the return links see the last packet only: nothing to advance there.
    const size_t stages = m_sizes.ackEveryPacket ? m_hops.size() : m_forwardHops;
    const int64_t more = static_cast<int64_t>(count - 1);
    // Downwards, so that end[j] still holds the old values for all j <= h.
    for (size_t h = stages; h-- > 0;)
    {
        int64_t bestPs = 0;
        int64_t sumPs = 0;
        int64_t slowestPs = 0;
        for (size_t j = h + 1; j-- > 0;)
        {
            sumPs += m_middleTx[j];
            slowestPs = std::max(slowestPs, m_middleTx[j]);
            bestPs = std::max(bestPs, end[j] + sumPs + more * slowestPs);
        }
        end[h] = bestPs;
    }
}

IdealFct::Result
IdealFct::Compute(uint64_t sizeBytes) const
{
    const uint64_t packets = PacketCount(sizeBytes);
    const uint64_t room =
        static_cast<uint64_t>(std::numeric_limits<int64_t>::max() - 4 * m_roundBoundPs);
    // A transmission time can round to 0 ps on absurdly fast links.
    if (packets > room / static_cast<uint64_t>(std::max<int64_t>(m_slowestPs, 1)))
    {
        throw InputError("ideal FCT: a message of " + std::to_string(sizeBytes) +
                         " bytes takes longer than 2^63 ps (106 days) on this path");
    }
    const uint64_t mtu = m_sizes.mtuBytes;
    std::vector<int64_t> end(m_hops.size(), 0);
    AdvanceOne(StageTimes(std::min(sizeBytes, mtu), true), end);
    if (packets > 2)
    {
        AdvanceMiddle(packets - 2, end);
    }
    if (packets > 1)
    {
        AdvanceOne(StageTimes(sizeBytes - (packets - 1) * mtu, false), end);
    }
    return Result{end.back() + m_forwardDelayPs + m_ackDelayPs,
                  end[m_forwardHops - 1] + m_forwardDelayPs};
}

} // namespace ns3::roce
