// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PAUSE_SENDER_H
#define ROCE_PAUSE_SENDER_H

#include "ns3/roce-port.h"
#include "ns3/roce-time.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// Why a pause frame is sent.
enum class PauseEvent : uint8_t
{
    XOFF = 0, //!< a class is paused
    XON,      //!< it may be sent again
    REFRESH,  //!< it stays paused: XOFF again
    N_EVENTS
};

/**
 * @brief The sending side of PFC at one switch: makes pause frames, counts them, and says when
 * those of classes that stay paused are to be made again.
 *
 * An XOFF carries the pause length in quanta. While its cause lasts it is sent again at half that
 * time. SharedBuffer decides which peers are paused.
 */
class PauseSender
{
  public:
    /// The paused (port, class) pairs.
    using PausedList = std::vector<std::pair<uint16_t, uint8_t>>;

    /**
     * @brief Before any frame.
     * @param source address of the frames
     * @param losslessMask classes that may be paused
     * @param ports by index; outlive this
     */
    void Configure(uint32_t source, uint8_t losslessMask, std::vector<Port*> ports);

    /// @param quanta duration an XOFF asks for from now on, units of 512 bit times
    void SetQuanta(uint16_t quanta)
    {
        m_quanta = quanta;
    }

    /// @return see SetQuanta()
    uint16_t GetQuanta() const
    {
        return m_quanta;
    }

    /// @param refresh whether XOFFs made from now on are made again
    void SetRefresh(bool refresh)
    {
        m_refresh = refresh;
    }

    /// @return see SetRefresh()
    bool GetRefresh() const
    {
        return m_refresh;
    }

    /**
     * @brief Make a pause frame; GetNextRefreshPs() may be earlier afterwards.
     * @param port whose peer it is for
     * @param trafficClass the class it is about
     * @return the frame, to be sent ahead of everything
     */
    Frame* Make(PauseEvent event, uint16_t port, uint8_t trafficClass, int64_t nowPs);

    /// @return when Refresh() has to be called, at the latest, or NEVER_PS
    int64_t GetNextRefreshPs() const
    {
        return m_nextRefreshPs;
    }

    /**
     * @brief Have all XOFFs repeated that are due.
     * @param paused ports and classes that are paused
     * @param send called with port and class of each; has to Make() a REFRESH. It may change paused
     */
    template <typename SEND>
    void Refresh(const PausedList& paused, int64_t nowPs, SEND send)
    {
        if (m_nextRefreshPs > nowPs)
        {
            return;
        }
        m_nextRefreshPs = NEVER_PS;
        m_due = paused;
        for (const auto& [port, trafficClass] : m_due)
        {
            // NEVER_PS: an XON has gone out meanwhile.
            const int64_t refresh = m_refreshAtPs[port * N_CLASSES + trafficClass];
            if (refresh <= nowPs)
            {
                send(port, trafficClass);
            }
            else
            {
                m_nextRefreshPs = std::min(m_nextRefreshPs, refresh);
            }
        }
    }

    /// @return pause frames made for that reason
    uint64_t GetSent(PauseEvent event) const
    {
        return m_sent[static_cast<unsigned>(event)];
    }

  private:
    uint32_t m_source{0};
    uint16_t m_quanta{0};
    uint8_t m_losslessMask{0};
    bool m_refresh{true};
    std::vector<Port*> m_ports;
    std::vector<int64_t> m_refreshAtPs; //!< by port * N_CLASSES + class
    int64_t m_nextRefreshPs{NEVER_PS};  //!< lower bound of m_refreshAtPs
    PausedList m_due;                   //!< of Refresh()
    std::array<uint64_t, static_cast<unsigned>(PauseEvent::N_EVENTS)> m_sent{};
};

} // namespace ns3::roce

#endif /* ROCE_PAUSE_SENDER_H */
