// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TOKEN_BUCKET_H
#define ROCE_TOKEN_BUCKET_H

#include <algorithm>
#include <cstdint>

namespace ns3::roce
{

/**
 * @brief A token bucket as a time: when everything that has been sent will be paid for. In integer
 * picoseconds, and the remainder of divisions is carried over, so that rounding does not add up.
 *
 * It may be ahead of its rate by its depth, and by the bytes sent last.
 */
class TokenBucket
{
  public:
    static constexpr uint64_t MIN_RATE_BPS = 1000;       //!< so that all times fit
    static constexpr uint32_t MAX_DEPTH_BYTES = 1 << 20; //!< the same

    /// @param rateBps bit/s, at least MIN_RATE_BPS; the bucket is full
    explicit TokenBucket(uint64_t rateBps = MIN_RATE_BPS)
        : m_rateBps(rateBps)
    {
    }

    /// @return when the next bytes may be sent
    int64_t GetNextPs() const
    {
        return m_nextPs;
    }

    /// @return rate, bit/s
    uint64_t GetRateBps() const
    {
        return m_rateBps;
    }

    /**
     * @param depthBytes of the bucket, at most MAX_DEPTH_BYTES
     * @return whether it is full: earlier bytes no longer matter
     */
    bool IsFull(uint32_t depthBytes, int64_t nowPs) const
    {
        return m_nextPs < nowPs - FillPs(depthBytes, m_rateBps);
    }

    /**
     * @brief Bytes are sent; not before GetNextPs().
     * @param wireBytes how many, below 2^20
     * @param rateBps rate at which they are paid for, bit/s, at least MIN_RATE_BPS
     * @param depthBytes of the bucket, at most MAX_DEPTH_BYTES
     */
    void Pay(uint32_t wireBytes, uint64_t rateBps, uint32_t depthBytes, int64_t nowPs)
    {
        const int64_t fullPs = nowPs - FillPs(depthBytes, rateBps);
        if (rateBps != m_rateBps || m_nextPs < fullPs)
        {
            m_remainder = 0;
        }
        m_rateBps = rateBps;
        // 2^20 * 8e12 + 2^63 < 2^64
        const uint64_t units = wireBytes * UNITS_PER_BYTE + m_remainder;
        m_nextPs = std::max(m_nextPs, fullPs) + static_cast<int64_t>(units / rateBps);
        m_remainder = units % rateBps;
    }

    /**
     * @brief The rate changes. The debt or the credit in the bucket stays the same in bytes.
     * @param rateBps new rate, bit/s, at least MIN_RATE_BPS
     * @param depthBytes of the bucket, at most MAX_DEPTH_BYTES
     */
    void SetRate(uint64_t rateBps, uint32_t depthBytes, int64_t nowPs)
    {
        const Int128 owed = std::max(static_cast<Int128>(m_nextPs - nowPs) * m_rateBps +
                                         static_cast<Int128>(m_remainder),
                                     -static_cast<Int128>(depthBytes * UNITS_PER_BYTE));
        const Int128 divisor = rateBps;
        const Int128 rest = (owed % divisor + divisor) % divisor;
        m_nextPs = nowPs + static_cast<int64_t>((owed - rest) / divisor);
        m_remainder = static_cast<uint64_t>(rest);
        m_rateBps = rateBps;
    }

  private:
    __extension__ using Int128 = __int128;

    static constexpr uint64_t UNITS_PER_BYTE = 8000000000000; //!< bit/s times picoseconds

    /// @return time in which the bucket fills
    static int64_t FillPs(uint32_t depthBytes, uint64_t rateBps)
    {
        return static_cast<int64_t>(depthBytes * UNITS_PER_BYTE / rateBps);
    }

    int64_t m_nextPs{-(int64_t{1} << 61)}; //!< long ago
    uint64_t m_remainder{0};               //!< less than a picosecond more, in 1 / m_rateBps
    uint64_t m_rateBps;
};

} // namespace ns3::roce

#endif /* ROCE_TOKEN_BUCKET_H */
