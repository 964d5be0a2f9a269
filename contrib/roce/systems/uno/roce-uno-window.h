// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_WINDOW_H
#define ROCE_UNO_WINDOW_H

#include <cstdint>

namespace ns3::roce
{

/// @brief What one ACK contributes to UnoCc's counters.
struct UnoAck
{
    int64_t nowPs{0};      //!< its arrival
    int64_t sentPs{0};     //!< when the packet that it answers was sent; INT64_MIN: unknown
    int64_t relDelayPs{0}; //!< RTT - base RTT; means nothing without sentPs
    double bytes{0};       //!< newly acknowledged
    uint32_t packets{0};   //!< the same
    uint32_t marked{0};    //!< of these with CE
    bool hasMore{false};   //!< posted data waits to be sent
    double cwndBytes{0};   //!< the window as it is now

    /// @return whether sentPs is known
    bool IsTimed() const
    {
        return sentPs != INT64_MIN;
    }
};

/**
 * @brief UnoCC's epochs and the average of the share of marks (Uno, section 4.1.1). Plain
 * arithmetic.
 *
 * An epoch ends with the first ACK of a packet that was sent at or after its end, tEpoch; the next
 * one ends a period later on that axis of sending times.
 */
class UnoEpoch
{
  public:
    /// Parameters for all flows.
    struct Rules
    {
        double gain;    //!< g of the average
        double init;    //!< the average at first
        bool catchUp;   //!< tEpoch never lags behind the packet that ended an epoch
        bool byBytes;   //!< shares of bytes, not of packets
        bool lastDelay; //!< GetDelayPs() is that of the last ACK, not the least of marked ones
    };

    /// @brief Start: no epoch is open before the first ACK. @param rules see there
    void Start(const Rules& rules);

    /// @brief No epoch until this much has been sent. @param bytes 0 or more
    void CloseUntilSent(double bytes);

    /// @brief Data has been sent.
    void OnSend(int64_t nowPs, double bytes);

    /**
     * @brief Count an ACK. If it ends the epoch, the getters are about that epoch until the next
     * call.
     * @param ack its contents
     * @param periodPs period of the next epoch
     * @param rules as given to Start()
     * @return whether the epoch has ended
     */
    bool OnAck(const UnoAck& ack, int64_t periodPs, const Rules& rules);

    /// @return end of the epoch on the axis of sending times
    int64_t GetEndPs() const
    {
        return m_endPs;
    }

    /// @return share of marks in the epoch that has ended last
    double GetShare() const
    {
        return m_share;
    }

    /// @return average of the shares
    double GetEwma() const
    {
        return m_ewma;
    }

    /// @return the average one epoch earlier
    double GetEwmaBefore() const
    {
        return m_ewmaBefore;
    }

    /// @return bytes acknowledged in the epoch that has ended last
    double GetBytes() const
    {
        return m_endedBytes;
    }

    /// @return delay of the epoch that has ended last; INT64_MAX if no ACK had one
    int64_t GetDelayPs() const
    {
        return m_endedDelayPs;
    }

  private:
    void Zero();

    int64_t m_endPs{0};        //!< tEpoch
    bool m_open{false};        //!< an epoch is open
    bool m_waits{false};       //!< none opens before m_toSend have been sent
    double m_toSend{0};        //!< see m_waits
    double m_bytes{0};         //!< in this epoch
    double m_all{0};           //!< the same, packets or bytes
    double m_marked{0};        //!< of m_all
    int64_t m_delayPs{0};      //!< see GetDelayPs(), of this epoch
    double m_share{0};         //!< of the ended epoch
    double m_ewma{0};          //!< E
    double m_ewmaBefore{0};    //!< E before
    double m_endedBytes{0};    //!< of the ended epoch
    int64_t m_endedDelayPs{0}; //!< of the ended epoch
};

/**
 * @brief UnoCC's Quick Adapt (Uno, section 4.1.2): a window of which less than a share arrived in
 * one RTT becomes what did arrive. Plain arithmetic.
 */
class QuickAdapt
{
  public:
    /// Parameters for all flows.
    struct Rules
    {
        bool enabled;         //!< otherwise never
        double beta;          //!< the share
        double scale;         //!< window after a hit, in what arrived
        bool current;         //!< the share is of the window at the end of the period
        double guardPackets;  //!< this much less must have arrived, packets
        bool skipFirst;       //!< the first period does not count
        bool skipAppLimited;  //!< nor one in which, or in that before, there was no data to send
        double timerPeriods;  //!< a period ends without an ACK after this many; 0: never
        bool restartWhenSent; //!< after a hit wait for an ACK of what was sent since
    };

    /// The flow's constants.
    struct Limits
    {
        double guardBytes; //!< guardPackets in bytes
        double minCwnd;    //!< bytes
        int64_t silencePs; //!< after a hit
    };

    /// @brief Start: the first ACK of a packet sent from now on opens the first period.
    void Start(int64_t nowPs);

    /**
     * @brief Count an ACK, and end the period if it is over.
     * @param ack its contents
     * @param periodPs period of the next one
     * @param rules parameters for all flows
     * @param limits the flow's constants
     * @return the window after it, bytes: another one than ack.cwndBytes after a hit
     */
    double OnAck(const UnoAck& ack, int64_t periodPs, const Rules& rules, const Limits& limits);

    /**
     * @brief End the period without an ACK, at GetTimerPs().
     * @param cwndBytes the window
     * @param periodPs period of the next one
     * @param rules parameters for all flows
     * @param limits the flow's constants
     * @return as OnAck()
     */
    double OnTimer(double cwndBytes, int64_t periodPs, const Rules& rules, const Limits& limits);

    /**
     * @param rules parameters for all flows
     * @return when the period ends without an ACK, INT64_MAX if it does not
     */
    int64_t GetTimerPs(const Rules& rules) const;

    /// @return whether the last hit is too recent for Quick Adapt or MD
    bool IsSilent(int64_t nowPs) const
    {
        return nowPs < m_silentUntilPs;
    }

    uint64_t GetHits() const
    {
        return m_hits;
    }

    /// @return bytes acknowledged in this period
    double GetBytes() const
    {
        return m_bytes;
    }

  private:
    double End(int64_t nowPs,
               double cwndBytes,
               int64_t periodPs,
               const Rules& rules,
               const Limits& limits);
    void Open(int64_t nowPs, double cwndBytes, int64_t periodPs);

    int64_t m_openPs{0};         //!< start of the period
    int64_t m_periodPs{0};       //!< its length; 0: none is open
    int64_t m_sincePs{0};        //!< an ACK of a packet sent from here on opens one
    int64_t m_silentUntilPs{0};  //!< see IsSilent()
    double m_bytes{0};           //!< acknowledged in it
    double m_window{0};          //!< window at its start
    double m_windowBefore{0};    //!< window at the start of that before
    uint64_t m_hits{0};          //!< so far
    bool m_first{true};          //!< this is the first
    bool m_limited{false};       //!< there was no data to send in it
    bool m_limitedBefore{false}; //!< or in that before
    bool m_asleep{false};        //!< the timer would change nothing before the next ACK
};

} // namespace ns3::roce

#endif /* ROCE_UNO_WINDOW_H */
