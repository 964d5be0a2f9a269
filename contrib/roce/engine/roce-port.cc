// SPDX-License-Identifier: GPL-2.0-only
#include "roce-port.h"

#include "roce-fixed-attribute.h"
#include "roce-wake-timer.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/roce-error-model-loss.h"
#include "ns3/roce-object-lock.h"
#include "ns3/roce-wire-format.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::roce
{

NS_LOG_COMPONENT_DEFINE("RocePort");
NS_OBJECT_ENSURE_REGISTERED(Port);

/// Connects a trace source that a port need not have so far.
template <typename T>
class Port::SeldomTrace : public TraceSourceAccessor
{
  public:
    /// @param trace one of Seldom
    static Ptr<const TraceSourceAccessor> Make(T Seldom::*trace)
    {
        return Ptr<const TraceSourceAccessor>(new SeldomTrace(trace), false);
    }

    bool ConnectWithoutContext(ObjectBase* object, const CallbackBase& callback) const override
    {
        return Find(object, [&](T& trace) { trace.ConnectWithoutContext(callback); });
    }

    bool Connect(ObjectBase* object,
                 std::string context,
                 const CallbackBase& callback) const override
    {
        return Find(object, [&](T& trace) { trace.Connect(callback, context); });
    }

    bool DisconnectWithoutContext(ObjectBase* object, const CallbackBase& callback) const override
    {
        return Find(object, [&](T& trace) { trace.DisconnectWithoutContext(callback); });
    }

    bool Disconnect(ObjectBase* object,
                    std::string context,
                    const CallbackBase& callback) const override
    {
        return Find(object, [&](T& trace) { trace.Disconnect(callback, context); });
    }

  private:
    explicit SeldomTrace(T Seldom::*trace)
        : m_trace(trace)
    {
    }

    template <typename F>
    bool Find(ObjectBase* object, F then) const
    {
        auto* port = dynamic_cast<Port*>(object);
        if (port)
        {
            then(port->GetSeldom().*m_trace);
        }
        return port != nullptr;
    }

    T Seldom::*m_trace;
};

TypeId
Port::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::Port")
            .SetParent<NetDevice>()
            .SetGroupName("Roce")
            .AddConstructor<Port>()
            .AddAttribute("DataRate",
                          "Rate of the port",
                          DataRateValue(DataRate("100Gbps")),
                          UntilBuilt(MakeDataRateAccessor(&Port::SetRate, &Port::GetRate)),
                          MakeDataRateChecker())
            .AddAttribute("FramingBytes",
                          "Byte times between frames: preamble 8 and inter-frame gap 12 (the FCS "
                          "counts as part of the frame)",
                          UintegerValue(20),
                          UntilBuilt(MakeUintegerAccessor(&Port::m_framingBytes)),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("MinFrameBytes",
                          "Frames are padded to this size, MAC header to FCS",
                          UintegerValue(MIN_FRAME_BYTES),
                          UntilBuilt(MakeUintegerAccessor(&Port::m_minFrameBytes)),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("SerialisationTick",
                          "Serialisation times, and pacing gaps of NICs, are cut to whole "
                          "multiples of this; 0: exact, to the nearest picosecond. The HPCC "
                          "simulator has whole nanoseconds",
                          TimeValue(Time(0)),
                          UntilBuilt(MakeTimeAccessor(&Port::SetTick, &Port::GetTick)),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PfcFrameBytes",
                          "Size of a pause frame, MAC header to FCS",
                          UintegerValue(PFC_FRAME_BYTES),
                          UntilBuilt(MakeUintegerAccessor(&Port::m_pfcFrameBytes)),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("InfinitePause",
                          "A received XOFF holds until XON, whatever its quanta (the behaviour of "
                          "the HPCC simulator)",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Port::m_infinitePause),
                          MakeBooleanChecker())
            .AddAttribute("LossModel",
                          "Loses frames that arrive here; one model for each port. Null: none",
                          PointerValue(),
                          MakePointerAccessor(&Port::SetLossModel, &Port::GetLossModel),
                          MakePointerChecker<LossModel>())
            .AddAttribute(
                "ReceiveErrorModel",
                "Sets LossModel to an ErrorModelLoss with this model of ns-3",
                PointerValue(),
                MakePointerAccessor(&Port::SetReceiveErrorModel, &Port::GetReceiveErrorModel),
                MakePointerChecker<ErrorModel>())
            .AddTraceSource("Sniffer",
                            "Every frame sent and received as bytes, with its time",
                            SeldomTrace<decltype(Seldom::sniffer)>::Make(&Seldom::sniffer),
                            "ns3::roce::Port::SnifferCallback")
            .AddTraceSource("TxBegin",
                            "A transmission starts; the time given is exact, Simulator::Now() may "
                            "be later",
                            SeldomTrace<decltype(Seldom::txBegin)>::Make(&Seldom::txBegin),
                            "ns3::roce::Port::FrameCallback")
            .AddTraceSource("RxEnd",
                            "A frame has arrived",
                            SeldomTrace<decltype(Seldom::rxEnd)>::Make(&Seldom::rxEnd),
                            "ns3::roce::Port::FrameCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame is lost on its way here; the reason is a Port::LossReason",
                            SeldomTrace<decltype(Seldom::loss)>::Make(&Seldom::loss),
                            "ns3::roce::Port::LossCallback")
            .AddTraceSource("PauseReceived",
                            "A pause frame names a class; quanta 0 resumes it",
                            SeldomTrace<decltype(Seldom::pause)>::Make(&Seldom::pause),
                            "ns3::roce::Port::PauseCallback")
            .AddTraceSource("PauseState",
                            "A class is paused, or may be sent again (resumed, run out, or the "
                            "link has failed)",
                            SeldomTrace<decltype(Seldom::pauseState)>::Make(&Seldom::pauseState),
                            "ns3::roce::Port::PauseStateCallback");
    return tid;
}

Port::Seldom&
Port::MakeSeldom()
{
    m_seldom = std::make_unique<Seldom>(*this);
    return *m_seldom;
}

Port::Port() = default;
Port::~Port() = default;

Port::Port(const Port& other)
    : PlainNetDevice(other),
      m_tickPs(other.m_tickPs),
      m_rateBps(other.m_rateBps),
      m_psPerByte(other.m_psPerByte),
      m_minFrameBytes(other.m_minFrameBytes),
      m_framingBytes(other.m_framingBytes),
      m_pfcFrameBytes(other.m_pfcFrameBytes),
      m_infinitePause(other.m_infinitePause)
{
    SetNode(nullptr);
    if (other.m_lossModel)
    {
        SetLossModel(other.m_lossModel);
    }
}

void
Port::DoDispose()
{
    m_owner = nullptr;
    m_link = nullptr;
    SetNode(nullptr);
    m_lossModel = nullptr;
    NetDevice::DoDispose();
}

void
Port::SetOwner(Station* owner, uint16_t index)
{
    m_owner = owner;
    m_index = index;
}

void
Port::AttachTo(Link* link, unsigned end)
{
    m_link = link;
    m_end = static_cast<uint8_t>(end);
    m_direction = &link->GetDirection(end);
    m_incoming = &link->GetDirection(1 - end);
}

void
Port::SetRate(DataRate rate)
{
    SetRateBps(rate.GetBitRate());
}

void
Port::SetRateBps(uint64_t rateBps)
{
    m_rateBps = rateBps;
    const uint64_t psPerByte = m_rateBps ? 8000000000000ULL / m_rateBps : 0;
    m_psPerByte =
        psPerByte <= UINT32_MAX && psPerByte * m_rateBps == 8000000000000ULL && m_tickPs == 0
            ? static_cast<uint32_t>(psPerByte)
            : 0;
}

void
Port::SetTick(Time tick)
{
    m_tickPs = tick.GetPicoSeconds();
    SetRateBps(m_rateBps);
}

Time
Port::GetTick() const
{
    return PicoSeconds(m_tickPs);
}

DataRate
Port::GetRate() const
{
    return DataRate(m_rateBps);
}

Port*
Port::GetPeer() const
{
    return m_link ? m_link->PeekPort(1 - m_end) : nullptr;
}

void
Port::ObserveTx(const Frame& frame, int64_t atPs)
{
    if (m_fingerprinting)
    {
        // FNV-1a over 64-bit words: it depends on the order, as intended.
        for (uint64_t word :
             {static_cast<uint64_t>(atPs),
              static_cast<uint64_t>(frame.kind) << 56 | static_cast<uint64_t>(frame.ecn) << 48 |
                  static_cast<uint64_t>(frame.src) << 24 | frame.dst,
              frame.psn})
        {
            m_fingerprint = (m_fingerprint ^ word) * 0x100000001b3ULL;
            m_fingerprint ^= m_fingerprint >> 29;
        }
    }
    if (m_tellsPeer && (frame.kind == FrameKind::PACKET || frame.kind == FrameKind::PFC))
    {
        m_direction->to->Foresee(m_busyUntilPs + m_direction->delayPs);
    }
    if (m_seldom)
    {
        m_seldom->txBegin(frame, PicoSeconds(atPs));
        if (!m_seldom->sniffer.IsEmpty())
        {
            Sniff(frame, atPs, true);
        }
    }
    if (m_link && m_link->IsObserved())
    {
        m_link->TraceTransmit(m_end, frame, m_busyUntilPs - atPs);
    }
}

void
Port::Sniff(const Frame& frame, int64_t atPs, bool sent)
{
    const std::vector<uint8_t> bytes = WireFormat::Serialize(frame);
    // Not while sinks are called: they may do what takes the lock.
    Ptr<Packet> packet;
    {
        const ObjectLock lock;
        packet = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
    }
    m_seldom->sniffer(packet, PicoSeconds(atPs), sent);
    const ObjectLock lock;
    packet = nullptr;
}

bool
Port::ObserveRx(const Frame& frame, int64_t atPs)
{
    LossReason reason;
    if (IsLost(frame, atPs, reason))
    {
        Seldom& seldom = GetSeldom();
        ++seldom.framesLost[reason];
        seldom.loss(frame, reason, PicoSeconds(atPs));
        return false;
    }
    if (m_seldom)
    {
        m_seldom->rxEnd(frame, PicoSeconds(atPs));
        if (!m_seldom->sniffer.IsEmpty())
        {
            Sniff(frame, atPs, false);
        }
    }
    return true;
}

bool
Port::IsLost(const Frame& frame, int64_t atPs, LossReason& reason)
{
    if (m_incomingDown || (m_seldom && atPs <= m_seldom->lostUntilPs))
    {
        reason = LOSS_LINK_DOWN;
        return true;
    }
    reason = LOSS_MODEL;
    return m_lossModel && m_lossModel->IsLost(frame, atPs);
}

void
Port::SetLossModel(Ptr<LossModel> model)
{
    m_lossModel = std::move(model);
    m_observedRx |= m_lossModel != nullptr;
}

void
Port::SetReceiveErrorModel(Ptr<ErrorModel> model)
{
    // Never null: attributes of pointer type cannot be set to that.
    Ptr<ErrorModelLoss> adapter = CreateObject<ErrorModelLoss>();
    adapter->SetErrorModel(std::move(model));
    SetLossModel(adapter);
}

Ptr<ErrorModel>
Port::GetReceiveErrorModel() const
{
    const auto* adapter = dynamic_cast<const ErrorModelLoss*>(PeekPointer(m_lossModel));
    return adapter ? adapter->GetErrorModel() : nullptr;
}

void
Port::SetIncomingDown(bool down, int64_t lostUntilPs)
{
    m_incomingDown = down;
    GetSeldom().lostUntilPs = lostUntilPs;
    m_observedRx = true;
}

void
Port::ClearPauses(int64_t nowPs)
{
    PausedMask(nowPs); // forgets those that have run out
    for (uint32_t mask = m_pausedMask; mask; mask &= mask - 1)
    {
        SetPaused(__builtin_ctz(mask), nowPs, nowPs);
    }
    if (m_owner->IsHere())
    {
        m_owner->OnPauseChange(*this, nowPs);
    }
}

void
Port::ReceivePfc(Frame* frame, int64_t nowPs)
{
    ++GetSeldom().pfcReceived;
    HandlePfc(*frame, nowPs);
    FramePool::Free(frame);
}

Frame*
Port::MakePfc(uint8_t trafficClass, uint16_t quanta) const
{
    Frame* frame = FramePool::Alloc();
    frame->kind = FrameKind::PFC;
    frame->frameBytes = m_pfcFrameBytes;
    frame->classEnable = static_cast<uint8_t>(1U << trafficClass);
    frame->SetQuanta(trafficClass, quanta);
    return frame;
}

int64_t
Port::QuantaPs(uint16_t quanta) const
{
    // 65535 quanta of 512 bits are 3.4e7 bits: beyond what a time can hold at some bit/s.
    return static_cast<int64_t>(
        std::min(static_cast<double>(quanta) * 512e12 / static_cast<double>(m_rateBps), 4e18));
}

void
Port::HandlePfc(const Frame& frame, int64_t nowPs)
{
    Seldom& seldom = GetSeldom();
    bool pauses = false;
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        if (frame.classEnable >> c & 1)
        {
            const uint16_t quanta = frame.GetQuanta(c);
            pauses |= quanta > 0;
            NS_LOG_LOGIC("node " << GetNode()->GetId() << " port " << m_index << " class " << c
                                 << " quanta " << quanta);
            SetPaused(c,
                      quanta ? m_infinitePause ? NEVER_PS : nowPs + QuantaPs(quanta) : nowPs,
                      nowPs);
            seldom.pause(static_cast<uint8_t>(c), quanta, PicoSeconds(nowPs));
        }
    }
    seldom.xoffReceived += pauses;
    m_owner->OnPauseChange(*this, nowPs);
}

void
Port::SetPaused(unsigned trafficClass, int64_t untilPs, int64_t nowPs)
{
    Seldom& seldom = GetSeldom();
    const uint32_t bit = 1U << trafficClass;
    const bool was = m_pausedMask & bit;
    // A pause that ran out unnoticed ended then, even if another one begins now.
    const int64_t endedPs = was ? std::min(nowPs, seldom.pausedUntilPs[trafficClass]) : nowPs;
    if (was)
    {
        // Account up to now (or to the expiry, if it went unnoticed) and start afresh.
        seldom.pausedTotalPs[trafficClass] += std::min(nowPs, seldom.pausedUntilPs[trafficClass]) -
                                              seldom.pausedSincePs[trafficClass];
    }
    seldom.pausedSincePs[trafficClass] = nowPs;
    seldom.pausedUntilPs[trafficClass] = untilPs;
    const bool is = untilPs > nowPs;
    m_pausedMask = static_cast<uint8_t>(is ? m_pausedMask | bit : m_pausedMask & ~bit);
    const auto c = static_cast<uint8_t>(trafficClass);
    if (was && (!is || endedPs < nowPs))
    {
        seldom.pauseState(c, false, PicoSeconds(endedPs));
    }
    if (is && (!was || endedPs < nowPs))
    {
        seldom.pauseState(c, true, PicoSeconds(nowPs));
    }
}

uint32_t
Port::ExpirePauses(int64_t nowPs)
{
    for (uint32_t mask = m_pausedMask; mask; mask &= mask - 1)
    {
        const unsigned c = __builtin_ctz(mask);
        if (m_seldom->pausedUntilPs[c] <= nowPs)
        {
            SetPaused(c, m_seldom->pausedUntilPs[c], m_seldom->pausedUntilPs[c]);
        }
    }
    return m_pausedMask & ~m_ignoredMask;
}

int64_t
Port::NextPauseExpiryPs() const
{
    int64_t next = NEVER_PS;
    for (uint32_t mask = m_pausedMask; mask; mask &= mask - 1)
    {
        next = std::min(next, m_seldom->pausedUntilPs[__builtin_ctz(mask)]);
    }
    return next;
}

int64_t
Port::GetPausedTimePs(uint8_t trafficClass, int64_t nowPs) const
{
    if (!m_seldom)
    {
        return 0;
    }
    int64_t total = m_seldom->pausedTotalPs[trafficClass];
    if (m_pausedMask >> trafficClass & 1)
    {
        // One that has run out before this one began may be reported only now.
        const int64_t endPs = std::min(nowPs, m_seldom->pausedUntilPs[trafficClass]);
        total += std::max<int64_t>(0, endPs - m_seldom->pausedSincePs[trafficClass]);
    }
    return total;
}

Ptr<Channel>
Port::GetChannel() const
{
    return Ptr<Channel>(m_link);
}

bool
Port::IsLinkUp() const
{
    return m_link && !m_incomingDown;
}

void
Port::AddLinkChangeCallback(Callback<void> callback)
{
    GetSeldom().linkChange.ConnectWithoutContext(callback);
}

bool
Port::Send(Ptr<Packet>, const Address&, uint16_t)
{
    NS_LOG_WARN("a RoCE port carries RDMA frames only; the packet is refused");
    return false;
}

bool
Port::SendFrom(Ptr<Packet> packet, const Address&, const Address& dest, uint16_t protocolNumber)
{
    return Send(packet, dest, protocolNumber);
}

} // namespace ns3::roce
