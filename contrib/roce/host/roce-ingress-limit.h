// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_INGRESS_LIMIT_H
#define ROCE_INGRESS_LIMIT_H

#include <algorithm>
#include <cstdint>

namespace ns3::roce
{

/**
 * @brief What a receiving NIC can take from its link: a buffer that is emptied at a rate. Data that
 * do not fit are lost.
 */
class IngressLimit
{
  public:
    /// @param rateBps at which the buffer is emptied, above 0 @param bufferBytes its size, wire
    /// bytes
    IngressLimit(uint64_t rateBps, uint64_t bufferBytes)
        : m_psPerByte(8e12 / static_cast<double>(rateBps)),
          m_bufferPs(Ps(bufferBytes))
    {
    }

    /// @return whether a frame fits. @param wireBytes of it @param nowPs its end; never smaller
    /// than in an earlier call
    bool Accept(uint32_t wireBytes, int64_t nowPs)
    {
        const int64_t emptyPs = std::max(m_emptyPs, nowPs) + Ps(wireBytes);
        if (emptyPs - nowPs > m_bufferPs)
        {
            return false;
        }
        m_emptyPs = emptyPs;
        return true;
    }

  private:
    int64_t Ps(uint64_t bytes) const
    {
        return static_cast<int64_t>(static_cast<double>(bytes) * m_psPerByte);
    }

    const double m_psPerByte;
    const int64_t m_bufferPs; //!< how long a full buffer takes to be emptied
    int64_t m_emptyPs{0};     //!< when the buffer is empty
};

} // namespace ns3::roce

#endif /* ROCE_INGRESS_LIMIT_H */
