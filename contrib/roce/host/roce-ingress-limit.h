// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_INGRESS_LIMIT_H
#define ROCE_INGRESS_LIMIT_H

#include <algorithm>
#include <cstdint>

namespace ns3::roce
{

/**
 * @brief What a receiving NIC can take from its link: a buffer that is emptied at a rate. Data that
 * do not fit are lost; data that find much in it are marked, if they can be.
 */
class IngressLimit
{
  public:
    /// What happens to a frame.
    enum class Verdict
    {
        TAKEN,
        MARKED, //!< taken, but there was too much in the buffer
        LOST,
    };

    /**
     * @param rateBps at which the buffer is emptied, above 0
     * @param bufferBytes its size, wire bytes
     * @param markBytes frames are marked if there are more with them; 0: none is
     */
    IngressLimit(uint64_t rateBps, uint64_t bufferBytes, uint64_t markBytes)
        : m_psPerByte(8e12 / static_cast<double>(rateBps)),
          m_bufferPs(Ps(bufferBytes)),
          m_markPs(markBytes ? Ps(markBytes) : INT64_MAX)
    {
    }

    /// @return what happens to a frame. @param wireBytes of it @param nowPs its end; never smaller
    /// than in an earlier call
    Verdict Take(uint32_t wireBytes, int64_t nowPs)
    {
        const int64_t emptyPs = std::max(m_emptyPs, nowPs) + Ps(wireBytes);
        if (emptyPs - nowPs > m_bufferPs)
        {
            return Verdict::LOST;
        }
        m_emptyPs = emptyPs;
        return emptyPs - nowPs > m_markPs ? Verdict::MARKED : Verdict::TAKEN;
    }

  private:
    int64_t Ps(uint64_t bytes) const
    {
        return static_cast<int64_t>(static_cast<double>(bytes) * m_psPerByte);
    }

    const double m_psPerByte;
    const int64_t m_bufferPs; //!< how long a full buffer takes to be emptied
    const int64_t m_markPs;   //!< the same for what may be in it without a mark
    int64_t m_emptyPs{0};     //!< when the buffer is empty
};

} // namespace ns3::roce

#endif /* ROCE_INGRESS_LIMIT_H */
