// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NIC_PAUSES_H
#define ROCE_NIC_PAUSES_H

#include "ns3/roce-frame.h"
#include "ns3/roce-pause-sender.h"
#include "ns3/roce-time.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace ns3::roce
{

/**
 * @brief The pause frames that a NIC sends to its switch: all the time (a storm), or because its
 * host is slow.
 *
 * What a slow host has not taken in yet waits in the NIC's receive buffer. The NIC sends XOFF when
 * that has more than a limit, and XON when it is down to half of it; the buffer never overflows.
 * ACKs do not wait for the host.
 */
class NicPauses
{
  public:
    /**
     * @param port of the NIC; outlives this
     * @param classes that are paused, bit c for class c
     * @param xoffBytes limit of the receive buffer, wire bytes
     */
    NicPauses(Port& port, uint8_t classes, uint64_t xoffBytes);

    ~NicPauses();

    /**
     * @brief Pause from now on, or no longer.
     * @param storm all the time
     * @param drainBps when a host that takes in so much is behind; 0: it never is
     * @param nowPs current time
     */
    void Set(bool storm, uint64_t drainBps, int64_t nowPs);

    /// @brief Data, or a packet of ns-3, has arrived. @param wireBytes its size, framing included
    /// @param nowPs its end
    void OnData(uint32_t wireBytes, int64_t nowPs);

    /// @return whether a pause frame is to be sent, ahead of everything
    bool HasFrames() const
    {
        return !m_frames.IsEmpty();
    }

    /// @return the first of them, handed over
    Frame* Pop()
    {
        return m_frames.Pop();
    }

    /// @return when Run() is to be called, or NEVER_PS
    int64_t NextTimerPs() const
    {
        return std::min(m_isFull ? m_emptyPs - m_limitPs / 2 : NEVER_PS,
                        m_sender.GetNextRefreshPs());
    }

    /// @brief Do what is due. @param nowPs current time
    void Run(int64_t nowPs);

    /// @brief Report counters. @param counters to add to, see Nic::Count()
    void Count(std::map<std::string, uint64_t>& counters) const;

  private:
    void Update(int64_t nowPs);

    const uint64_t m_xoffBytes;
    FrameQueue m_frames;
    PauseSender m_sender;
    PauseSender::PausedList m_classes; //!< all that are paused together
    bool m_isPaused{false};            //!< XOFF was the last to be sent
    bool m_storm{false};
    bool m_isFull{false};  //!< the receive buffer, since it was above the limit
    double m_psPerByte{0}; //!< of the host; 0: it is not slow
    int64_t m_limitPs{0};  //!< what the host takes for the limit
    int64_t m_emptyPs{0};  //!< when the receive buffer is empty
};

} // namespace ns3::roce

#endif /* ROCE_NIC_PAUSES_H */
