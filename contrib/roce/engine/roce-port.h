// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PORT_H
#define ROCE_PORT_H

#include "roce-link.h"
#include "roce-plain-net-device.h"

#include "ns3/data-rate.h"
#include "ns3/roce-fetch.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-loss-model.h"
#include "ns3/roce-station-trace.h"
#include "ns3/roce-time.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{

class ErrorModel;

namespace roce
{

/**
 * @brief One end of a Link: serialisation, PFC pause state, counters. The NetDevice of NICs and
 * switch ports.
 *
 * Time is integer picoseconds. A frame of frameBytes (MAC header to FCS) occupies
 * max(frameBytes, MinFrameBytes) + FramingBytes byte times, rounded to the nearest picosecond.
 */
class alignas(64) Port : public PlainNetDevice
{
  public:
    /// Why a frame never got to the owner of the port it was sent to.
    enum LossReason : uint8_t
    {
        LOSS_MODEL = 0, //!< attribute LossModel
        LOSS_LINK_DOWN, //!< the link was down on its way
        N_LOSS_REASONS
    };

    static TypeId GetTypeId();

    Port();
    ~Port() override;

    /// @brief A port of its own with the same attributes; at no link and no station yet.
    Port(const Port& other);
    Port& operator=(const Port&) = delete;

    /// @brief Same as attribute DataRate; before Network::Build(). @param rateBps bit/s
    void SetRateBps(uint64_t rateBps);

    /**
     * @param owner decides what is sent; outlives the port's use
     * @param index number of the port at its owner
     */
    void SetOwner(Station* owner, uint16_t index);

    /// @brief Called by Link::Attach(). @param end 0 or 1
    void AttachTo(Link* link, unsigned end);

    /**
     * @brief What is sent from now on goes to another list than the link's.
     * @param direction see Link::Transmit(); outlives the port's use
     */
    void SendTo(Link::Direction& direction)
    {
        m_direction = &direction;
    }

    // --- hot path

    /**
     * @brief Start a transmission. The port must be free at startPs.
     * @param frame handed over to the link
     * @param startPs first bit leaves
     * @return when the last bit leaves
     */
    int64_t Transmit(Frame* frame, int64_t startPs);

    /**
     * @brief A frame has arrived (called by the station).
     * @param frame handed over if the answer is no
     * @param nowPs arrival time
     * @return whether the station has to deal with it: it was not lost and is no pause frame
     */
    bool Accept(Frame* frame, int64_t nowPs)
    {
        if (m_observedRx && !ObserveRx(*frame, nowPs))
        {
            FramePool::Free(frame);
            return false;
        }
        if (frame->kind == FrameKind::PFC)
        {
            ReceivePfc(frame, nowPs);
            return false;
        }
        return true;
    }

    /// @brief Prefetch what every frame touches.
    void Fetch() const
    {
        FetchLine(&m_direction);
    }

    /// @return where what is sent goes
    const Link::Direction* GetOutgoing() const
    {
        return m_direction;
    }

    /// @return frames on their way to this port
    Link::Direction& GetIncoming() const
    {
        return *m_incoming;
    }

    /**
     * @param frameBytes MAC header to FCS
     * @return byte times on the wire, padding and framing included
     */
    uint32_t WireBytes(uint32_t frameBytes) const
    {
        return (frameBytes < m_minFrameBytes ? m_minFrameBytes : frameBytes) + m_framingBytes;
    }

    /**
     * @param wireBytes see WireBytes()
     * @return serialisation time, picoseconds, see SerialisationTime()
     */
    int64_t SerialisationPs(uint32_t wireBytes) const
    {
        return m_psPerByte ? static_cast<int64_t>(wireBytes) * m_psPerByte
                           : SerialisationTime(wireBytes, m_rateBps, m_tickPs);
    }

    /**
     * @brief How long a frame occupies a link.
     * @param wireBytes see WireBytes(); below 2^20
     * @param rateBps rate of the link, at least 1
     * @param tickPs 0, or what the time is cut to whole multiples of
     * @return picoseconds, rounded half up if tickPs is 0, otherwise at least 1: without a link's
     * delay a frame of no time would arrive while it is being sent
     */
    static int64_t SerialisationTime(uint64_t wireBytes, uint64_t rateBps, int64_t tickPs)
    {
        // 2^20 * 8e12 + 2^63 < 2^64, and the quotient is below 2^63.
        const uint64_t unit = 8000000000000ULL * wireBytes;
        if (tickPs == 0)
        {
            return static_cast<int64_t>((unit + rateBps / 2) / rateBps);
        }
        const auto ps = static_cast<int64_t>(unit / rateBps);
        return std::max<int64_t>(1, ps - ps % tickPs);
    }

    /// @return attribute PfcFrameBytes
    uint32_t GetPfcFrameBytes() const
    {
        return m_pfcFrameBytes;
    }

    /// @return attribute SerialisationTick
    Time GetTick() const;

    /**
     * @brief Classes that must not be sent; pauses that have run out are forgotten.
     * @param nowPs time of the question
     * @return bit c set: class c is paused
     */
    uint32_t PausedMask(int64_t nowPs)
    {
        return m_pausedMask ? ExpirePauses(nowPs) : 0;
    }

    /**
     * @param trafficClass 0..7
     * @return when its last pause ends or has ended, whether it is ignored or not; 0: none so far
     */
    int64_t GetPausedUntilPs(uint8_t trafficClass) const
    {
        return m_seldom ? m_seldom->pausedUntilPs[trafficClass] : 0;
    }

    /// @brief Send a class in spite of pauses from now on, or obey them again. The owner sees to
    /// what waits. @param trafficClass 0..7
    void IgnorePauses(uint8_t trafficClass, bool ignore)
    {
        const auto bit = static_cast<uint8_t>(1U << trafficClass);
        m_ignoredMask = static_cast<uint8_t>(ignore ? m_ignoredMask | bit : m_ignoredMask & ~bit);
    }

    /// @return when the first of the present pauses runs out, or NEVER_PS
    int64_t NextPauseExpiryPs() const;

    /// @return end of the transmission under way, or a time in the past
    int64_t GetBusyUntilPs() const
    {
        return m_busyUntilPs;
    }

    /// @brief The station works in another process, and sends until then.
    void SetBusyUntil(int64_t atPs)
    {
        m_busyUntilPs = atPs;
    }

    /// @return whether a frame sent from here is still on the link
    bool IsLinkInFlight() const
    {
        return m_link->GetDirection(m_end).head != nullptr;
    }

    /// @return number of the port at its owner
    uint16_t GetIndex() const
    {
        return m_index;
    }

    /// @return rate, bit/s
    uint64_t GetRateBps() const
    {
        return m_rateBps;
    }

    /// @return wire bytes of all frames whose transmission has started, pause frames included
    uint64_t GetTxWireBytes() const
    {
        return m_txWireBytes;
    }

    /// @brief The owner has accepted a frame for this port. @param frameBytes its size
    void CountOffered(uint32_t frameBytes)
    {
        m_offeredBytes += frameBytes;
    }

    /// @return bytes of all frames the owner has accepted for this port (PowerTCP's arrival count)
    uint64_t GetOfferedBytes() const
    {
        return m_offeredBytes;
    }

    /// @return frames other than pauses whose transmission has started
    uint64_t GetPacketHops() const
    {
        return m_packetHops;
    }

    // --- PFC

    /**
     * @brief Make a pause frame for this port's peer; the owner sends it ahead of everything.
     * @param quanta pause time, units of 512 bit times; 0 resumes
     */
    Frame* MakePfc(uint8_t trafficClass, uint16_t quanta) const;

    /// @param quanta units of 512 bit times. @return picoseconds at this port's rate
    int64_t QuantaPs(uint16_t quanta) const;

    /// @return how long the peer has kept that class paused in all
    int64_t GetPausedTimePs(uint8_t trafficClass, int64_t nowPs) const;

    /// @return pause frames received with a pause time above 0 for some class
    uint64_t GetXoffReceived() const
    {
        return m_seldom ? m_seldom->xoffReceived : 0;
    }

    /// @return pause frames received, XON included
    uint64_t GetPfcReceived() const
    {
        return m_seldom ? m_seldom->pfcReceived : 0;
    }

    /// @brief Forget what the peer has paused.
    void ClearPauses(int64_t nowPs);

    // --- losses

    /// @return frames lost on their way to this port for that reason
    uint64_t GetFramesLost(LossReason reason) const
    {
        return m_seldom ? m_seldom->framesLost.at(reason) : 0;
    }

    /// @return frames lost on their way to this port
    uint64_t GetFramesLost() const
    {
        return GetFramesLost(LOSS_MODEL) + GetFramesLost(LOSS_LINK_DOWN);
    }

    /**
     * @brief Same as attribute LossModel.
     * @param model decides on every frame that arrives here and nowhere else; or null
     */
    void SetLossModel(Ptr<LossModel> model);

    /// @return attribute LossModel
    Ptr<LossModel> GetLossModel() const
    {
        return m_lossModel;
    }

    /**
     * @brief Called by Link: the direction towards this port has failed or is repaired.
     * @param lostUntilPs arrival of the last frame that was sent before; at a repair all up to then
     * are lost
     */
    void SetIncomingDown(bool down, int64_t lostUntilPs);

    /// @brief Called by Link: IsLinkUp() has changed.
    void NotifyLinkChange()
    {
        if (m_seldom)
        {
            m_seldom->linkChange();
        }
    }

    /// @return the port at the other end, or null
    Port* GetPeer() const;

    /// @return the link, or null
    Link* GetLink() const
    {
        return m_link;
    }

    /// @return end of the link this port is at, 0 or 1
    unsigned GetEnd() const
    {
        return m_end;
    }

    /// @return the station that decides what this port sends
    Station* GetOwner() const
    {
        return m_owner;
    }

    // --- observation

    /// @brief Hash every departure (time, kind, source, PSN) from now on.
    void EnableFingerprint()
    {
        m_fingerprinting = m_observedTx = true;
    }

    /// @return hash over all departures since EnableFingerprint()
    uint64_t GetFingerprint() const
    {
        return m_fingerprint;
    }

    /// @brief Called by Link: its trace source has a sink.
    void ObserveDepartures()
    {
        m_observedTx = true;
    }

    /// @brief From now on, Foresee() of the station at the other end is called.
    void TellPeer()
    {
        m_tellsPeer = m_observedTx = true;
    }

    /// Signature of trace source Sniffer: the bytes, their time (Simulator::Now() may be later),
    /// and whether they were sent here.
    typedef void (*SnifferCallback)(Ptr<const Packet> packet, Time at, bool sent);
    /// Signature of trace sources TxBegin and RxEnd.
    typedef void (*FrameCallback)(const Frame& frame, Time at);
    /// Signature of trace source PhyRxDrop; the reason is a LossReason.
    typedef void (*LossCallback)(const Frame& frame, uint8_t reason, Time at);
    /// Signature of trace source PauseReceived.
    typedef void (*PauseCallback)(uint8_t trafficClass, uint16_t quanta, Time at);
    /// Signature of trace source PauseState: whether a class must not be sent from that time on.
    /// The end of a pause that has run out may be reported late, as long as nothing waits for it.
    typedef void (*PauseStateCallback)(uint8_t trafficClass, bool paused, Time at);

    // --- inherited from NetDevice
    Ptr<Channel> GetChannel() const override;
    /// @return whether anything arrives: the direction towards this port has not failed
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    /// Foreign packets are not carried: @return false
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    /// Foreign packets are not carried: @return false
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;

  protected:
    void DoDispose() override;

  private:
    /// What pauses, losses and sinks need: most ports of a large network never have any, so it is
    /// made with the first.
    struct Seldom
    {
        explicit Seldom(Port& port)
            : sniffer(&port.m_observedTx, &port.m_observedRx),
              txBegin(&port.m_observedTx, nullptr),
              rxEnd(&port.m_observedRx, nullptr)
        {
        }

        std::array<int64_t, N_CLASSES> pausedUntilPs{};
        std::array<int64_t, N_CLASSES> pausedSincePs{};
        std::array<int64_t, N_CLASSES> pausedTotalPs{};
        uint64_t xoffReceived{0};
        uint64_t pfcReceived{0};
        int64_t lostUntilPs{-1}; //!< after a repair of the link: what arrives up to then is lost
        std::array<uint64_t, N_LOSS_REASONS> framesLost{};
        NoticedTrace<Ptr<const Packet>, Time, bool> sniffer;
        NoticedTrace<const Frame&, Time> txBegin;
        NoticedTrace<const Frame&, Time> rxEnd;
        StationTrace<uint8_t, uint16_t, Time> pause;
        StationTrace<uint8_t, bool, Time> pauseState;
        StationTrace<const Frame&, uint8_t, Time> loss;
        TracedCallback<> linkChange;
    };

    template <typename T>
    class SeldomTrace;

    Seldom& GetSeldom()
    {
        return m_seldom ? *m_seldom : MakeSeldom();
    }

    Seldom& MakeSeldom();
    void SetRate(DataRate rate);
    DataRate GetRate() const;
    void SetTick(Time tick);
    uint32_t ExpirePauses(int64_t nowPs);
    void HandlePfc(const Frame& frame, int64_t nowPs);
    void SetPaused(unsigned trafficClass, int64_t untilPs, int64_t nowPs);
    void Sniff(const Frame& frame, int64_t atPs, bool sent);
    void ObserveTx(const Frame& frame, int64_t atPs);
    bool ObserveRx(const Frame& frame, int64_t atPs);
    bool IsLost(const Frame& frame, int64_t atPs, LossReason& reason);
    void SetReceiveErrorModel(Ptr<ErrorModel> model);
    Ptr<ErrorModel> GetReceiveErrorModel() const;
    void ReceivePfc(Frame* frame, int64_t nowPs);

    int64_t m_tickPs{0}; //!< attribute SerialisationTick
    // One cache line: what every frame touches that comes, asks whether it may go, or goes.
    alignas(64) Link::Direction* m_direction{nullptr}; //!< of this end
    int64_t m_busyUntilPs{INT64_MIN};
    uint64_t m_txWireBytes{0};
    uint64_t m_packetHops{0};
    uint64_t m_offeredBytes{0};
    uint64_t m_rateBps{0};
    uint32_t m_psPerByte{0};     //!< 0 if it is not a whole number
    uint16_t m_minFrameBytes{0}; //!< attribute MinFrameBytes
    uint16_t m_framingBytes{0};  //!< attribute FramingBytes
    uint16_t m_index{0};
    uint8_t m_pausedMask{0};
    bool m_observedTx{false}; //!< departures have a sink
    bool m_observedRx{false}; //!< arrivals have a sink, or may be lost
    // All others.
    Station* m_owner{nullptr};
    Link::Direction* m_incoming{nullptr}; //!< of the other end
    Link* m_link{nullptr};
    Ptr<LossModel> m_lossModel;
    std::unique_ptr<Seldom> m_seldom; //!< null: there has been no need of it
    uint64_t m_fingerprint{0};
    uint32_t m_pfcFrameBytes{0}; //!< attribute PfcFrameBytes
    uint8_t m_end{0};
    uint8_t m_ignoredMask{0}; //!< see IgnorePauses()
    bool m_fingerprinting{false};
    bool m_tellsPeer{false};     //!< see TellPeer()
    bool m_infinitePause{false}; //!< attribute InfinitePause
    bool m_incomingDown{false};  //!< what arrives is lost
};

inline int64_t
Port::Transmit(Frame* frame, int64_t startPs)
{
    const uint32_t wireBytes = WireBytes(frame->frameBytes);
    m_busyUntilPs = startPs + SerialisationPs(wireBytes);
    m_txWireBytes += wireBytes;
    m_packetHops += frame->kind != FrameKind::PFC;
    if (m_observedTx)
    {
        ObserveTx(*frame, startPs);
    }
    Link::Transmit(*m_direction, frame, m_busyUntilPs);
    return m_busyUntilPs;
}

} // namespace roce
} // namespace ns3

#endif /* ROCE_PORT_H */
