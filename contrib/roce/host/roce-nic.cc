// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nic.h"

#include "roce-control-shim.h"
#include "roce-flow-spec.h"

#include "ns3/node.h"
#include "ns3/roce-api-check.h"
#include "ns3/roce-counters.h"
#include "ns3/roce-fetch.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-station-ahead.h"

#include <algorithm>

namespace ns3::roce
{

Nic::Nic()
    : m_sender(*this),
      m_receiver(*this),
      m_profiles(1)
{
    SetOwner(this, 0);
}

Nic::Nic(const Nic& other)
    : Port(other),
      m_sender(*this),
      m_receiver(*this),
      m_profiles(1),
      m_ccFactory(other.m_ccFactory),
      m_interCc(other.m_interCc),
      m_recoveryFactory(other.m_recoveryFactory),
      m_interRecovery(other.m_interRecovery),
      m_selectorFactory(other.m_selectorFactory),
      m_interSelector(other.m_interSelector),
      m_mtuBytes(other.m_mtuBytes),
      m_headerBytes(other.m_headerBytes),
      m_firstHeaderBytes(other.m_firstHeaderBytes),
      m_payloadAlign(other.m_payloadAlign),
      m_ackFrameBytes(other.m_ackFrameBytes),
      m_ackMinBytes(other.m_ackMinBytes),
      m_cnpFrameBytes(other.m_cnpFrameBytes),
      m_payloadWindow(other.m_payloadWindow),
      m_flowWindow(other.m_flowWindow),
      m_flowWindowBytes(other.m_flowWindowBytes),
      m_repacingName(other.m_repacingName),
      m_pacingClock(other.m_pacingClock),
      m_parameters(other.m_parameters),
      m_queueDepth(other.m_queueDepth),
      m_idleRestart(other.m_idleRestart),
      m_strictClasses(other.m_strictClasses),
      m_classWeights(other.m_classWeights),
      m_receiveXoffBytes(other.m_receiveXoffBytes),
      m_controlClass(other.m_controlClass),
      m_ttl(other.m_ttl),
      m_eager(other.m_eager),
      m_rtoMin(other.m_rtoMin),
      m_rtoFactor(other.m_rtoFactor),
      m_retryLimit(other.m_retryLimit),
      m_intHeaderBytes(other.m_intHeaderBytes)
{
    SetOwner(this, 0);
    if (!other.m_alike)
    {
        other.m_alike = std::make_shared<Alike>();
    }
    m_alike = other.m_alike;
}

Nic::~Nic() = default;

void
Nic::DoDispose()
{
    m_control.Clear();
    m_sender.Clear();
    m_receiver.Clear();
    m_pauses = nullptr;
    m_packets = nullptr;
    m_profiles.assign(1, {});
    m_alike = nullptr;
    m_oracle = nullptr;
    Port::DoDispose();
}

void
Nic::SetIdentity(uint32_t index, PathOracle oracle)
{
    m_nicIndex = index;
    m_oracle = std::move(oracle);
}

namespace
{

ObjectFactory
FactoryOf(const std::string& text)
{
    ObjectFactoryValue value;
    value.DeserializeFromString(text, MakeObjectFactoryChecker());
    return value.Get();
}

} // namespace

/// The prototype of a rate law, without the shim.
Ptr<CongestionControl>
Nic::MakeLaw(bool interDc, uint8_t number)
{
    if (number)
    {
        return m_laws[number - 1].Create<CongestionControl>();
    }
    if (m_alike && m_alike->laws[interDc])
    {
        const CongestionControl& law = *m_alike->laws[interDc];
        return CheckMade(law.Fork(), law, "Fork()");
    }
    const ObjectFactory made = interDc && !m_interCc.empty() ? FactoryOf(m_interCc) : m_ccFactory;
    Ptr<CongestionControl> law = made.Create<CongestionControl>();
    // The first one of all is not forked: what is wrong with it is found as that is used.
    if (!m_alike || !std::exchange(m_alike->isAskedFor[interDc], true))
    {
        return law;
    }
    m_alike->laws[interDc] = law;
    return CheckMade(law->Fork(), *law, "Fork()");
}

const Ptr<TransportProfile>&
Nic::GetProfile(bool interDc, uint8_t number)
{
    Ptr<TransportProfile>& profile = m_profiles[CheckIndex("law", number, GetNLaws())][interDc];
    if (!profile)
    {
        // The value for queue pairs that leave the datacenter if given, else that for all.
        const auto factory = [interDc](const std::string& inter, const ObjectFactory& all) {
            return interDc && !inter.empty() ? FactoryOf(inter) : all;
        };
        Ptr<CongestionControl> law = MakeLaw(interDc, number);
        if (DynamicCast<ControlShim>(law))
        {
            const std::string inter = interDc && !m_interCc.empty() ? "Inter" : "";
            throw InputError(
                (number ? "a flow's rate law" : "ns3::roce::Nic::" + inter + "CongestionControl") +
                " is " + law->GetInstanceTypeId().GetName() +
                ", which stands in front of a rate law; expected a rate law");
        }
        law->Initialize();
        if (interDc && !m_interShim.empty())
        {
            Ptr<ControlShim> shim = FactoryOf(m_interShim).Create<ControlShim>();
            shim->SetLaw(law);
            law = shim;
        }
        profile = Create<TransportProfile>(
            law,
            factory(m_interRecovery, m_recoveryFactory).Create<LossRecovery>(),
            factory(m_interSelector, m_selectorFactory).Create<PathSelector>(),
            number);
    }
    return profile;
}

void
Nic::SetInterShim(const std::string& factory)
{
    m_interShim = factory;
    for (Profiles& profiles : m_profiles)
    {
        profiles[true] = nullptr;
    }
}

void
Nic::AddLaw(const ObjectFactory& law)
{
    m_laws.push_back(law);
    m_profiles.emplace_back();
}

void
Nic::SetPauses(uint8_t classes, bool on, uint64_t drainBps)
{
    const int64_t now = NowPs();
    CatchUp(now);
    if (!m_pauses)
    {
        m_pauses = std::make_unique<NicPauses>(*this, classes, m_receiveXoffBytes);
    }
    m_pauses->Set(on, drainBps, now);
    SetEarliestTimer();
    Settle(now);
    Rearm();
}

void
Nic::SetProgram(HostProgram* program)
{
    m_program = program;
    SetEarliestTimer();
    Rearm();
}

void
Nic::SetStack(PacketStack& stack)
{
    m_packets = std::make_unique<NicPackets>(stack);
    GetPeer()->TellPeer();
}

void
Nic::Foresee(int64_t atPs)
{
    m_packets->GetStack().Foresee(atPs);
}

void
Nic::SendPacket(Frame* frame)
{
    const int64_t now = NowPs();
    CatchUp(now);
    m_packets->Put(frame);
    m_sender.AddGuest(frame->trafficClass);
    Settle(now);
    Rearm();
}

void
Nic::Retune(bool interDc, const Ptr<CongestionControl>& law)
{
    if (!law || IsRunning())
    {
        throw InputError(law ? "Nic::Retune() is called by a sink of the NIC's traces, expected an "
                               "event of its own"
                             : "Nic::Retune() without a rate law, expected a prototype");
    }
    const int64_t now = NowPs();
    CatchUp(now);
    // Stations share no references.
    const Ptr<CongestionControl> own = CheckMade(law->Fork(), *law, "Fork()");
    own->Initialize();
    m_sender.Retune(interDc, *own, now);
    GetProfile(interDc)->Retune(own);
    Settle(now);
    Rearm();
}

void
Nic::RetuneReceivers()
{
    const int64_t now = PresentPs();
    CatchUp(now);
    m_receiver.Retune(now);
    Rearm();
}

int64_t
Nic::AssignStreams(int64_t stream)
{
    m_random.SetStream(stream);
    return 1;
}

uint64_t
Nic::DrawSeed()
{
    const uint64_t high = m_random.DrawWord();
    return high << 32 | m_random.DrawWord();
}

QueuePair*
Nic::OpenQp(uint32_t dst,
            uint32_t dstQp,
            uint8_t trafficClass,
            uint16_t entropy,
            bool closeWhenDone,
            uint8_t law)
{
    if (GetPartition())
    {
        GetPartition()->CheckNotTelling("a queue pair is opened");
    }
    if (!m_oracle || dst == m_nicIndex || trafficClass >= N_CLASSES)
    {
        throw InputError("NIC " + std::to_string(m_nicIndex) + ": a queue pair to NIC " +
                         std::to_string(dst) + " in class " + std::to_string(trafficClass) +
                         ", expected another NIC of its Network, and a class from 0 to 7");
    }
    const int64_t now = PresentPs();
    PathInfo path = m_oracle(m_nicIndex, dst, entropy, trafficClass, law);
    path.windowFrameBytes = m_payloadWindow ? path.mtuBytes : path.fullFrameBytes;
    if (m_flowWindow != "none")
    {
        const auto rateBps = static_cast<double>(std::min(path.bottleneckBps, path.lineRateBps));
        const double bdp = rateBps * static_cast<double>(path.baseRttPs) / 8e12;
        path.flowWindowBytes = m_flowWindowBytes
                                   ? m_flowWindowBytes
                                   : std::max<uint64_t>(1, static_cast<uint64_t>(bdp));
        path.flowWindowScales = m_flowWindow == "rate";
    }
    QueuePair::Config config;
    config.src = m_nicIndex;
    config.dst = dst;
    config.dstQp = dstQp;
    config.trafficClass = trafficClass;
    config.entropy = entropy;
    config.mtuBytes = m_mtuBytes;
    config.headerBytes = static_cast<uint16_t>(m_headerBytes);
    config.firstHeaderBytes = static_cast<uint16_t>(m_firstHeaderBytes);
    config.alignMask = static_cast<uint16_t>(m_payloadAlign - 1);
    config.payloadWindow = m_payloadWindow;
    config.repacing = m_repacing;
    config.dueClock = m_pacingClock == "due";
    config.tickPs = GetTick().GetPicoSeconds();
    config.ackEveryN = m_ackEveryN;
    config.costs = m_sender.HasCosts();
    config.law = law;
    config.telemetryBytes = GetTelemetryBytes(path.interDc, law);
    config.framingBytes = WireBytes(100000) - 100000;
    config.minFrameBytes = WireBytes(0) - config.framingBytes;
    config.closeWhenDone = closeWhenDone;
    return m_sender.Open(*GetProfile(path.interDc, law), path, config, now);
}

void
Nic::Post(QueuePair* qp, uint64_t bytes, uint64_t cookie)
{
    if (GetPartition())
    {
        GetPartition()->CheckNotTelling("a message is posted");
    }
    if (!qp || qp->GetConfig().src != m_nicIndex || bytes > MAX_FLOW_BYTES)
    {
        throw InputError("NIC " + std::to_string(m_nicIndex) + ": a message of " +
                         std::to_string(bytes) + " B, expected at most " +
                         std::to_string(MAX_FLOW_BYTES) + " B and a queue pair of this NIC");
    }
    // A sink of a trace posts at the time of its event, which Simulator::Now() may be past.
    const int64_t now = PresentPs();
    CatchUp(now);
    m_sender.Post(qp, bytes, cookie, now);
    if (!IsRunning()) // the present run ends with the same
    {
        Settle(now);
        Rearm();
    }
}

// ---------------------------------------------------------------- choosing what to send

void
Nic::Activate()
{
    SetUp(GetNode()->GetId(), {this}, m_eager);
}

int64_t
Nic::NextDuePs() const
{
    const int64_t free = GetBusyUntilPs();
    if (m_sender.HasReady() || !m_control.IsEmpty() || (m_pauses && m_pauses->HasFrames()))
    {
        return free;
    }
    return std::max(free, m_sender.NextPacingPs());
}

void
Nic::Depart(uint16_t, int64_t atPs)
{
    const uint32_t paused = PausedMask(atPs);
    const auto isControlPaused = [this, paused] {
        const unsigned own = m_controlClass;
        return paused >> (own < N_CLASSES ? own : m_control.Peek()->trafficClass) & 1;
    };
    if (m_pauses && m_pauses->HasFrames())
    {
        Transmit(m_pauses->Pop(), atPs);
    }
    else if (!m_control.IsEmpty() && !(paused && isControlPaused()))
    {
        Transmit(m_control.Pop(), atPs);
    }
    else if (!m_sender.SendNext(paused, atPs))
    {
        // Nothing may be sent: wait for a pacing gap or for a pause to run out.
        SetDeparture(0, std::min(NextPauseExpiryPs(), m_sender.NextPacingPs()));
        return;
    }
    SetDeparture(0, NextDuePs());
}

void
Nic::Settle(int64_t nowPs)
{
    const int64_t due = NextDuePs();
    if (due <= nowPs)
    {
        Depart(0, nowPs);
    }
    else if (due < GetDeparture(0))
    {
        SetDeparture(0, due);
    }
}

void
Nic::Fetch(FetchStep step, Plan& plan, int64_t nowPs) const
{
    switch (step)
    {
    case FETCH_TABLES:
        FetchTables();
        Port::Fetch();
        FetchBytes(&m_control,
                   reinterpret_cast<const char*>(&m_oracle) -
                       reinterpret_cast<const char*>(&m_control));
        break;
    case FETCH_LINKS:
        FetchLinks(plan, nowPs);
        FetchLine(GetOutgoing());
        m_sender.Fetch();
        m_receiver.Fetch();
        break;
    case FETCH_FRAMES:
        FetchFrames(plan);
        m_sender.FetchLaw();
        m_receiver.FetchFeedback();
        break;
    case FETCH_NEXT:
        if (const Frame* frame = plan.nArrivals ? PeekArrival(0) : nullptr)
        {
            FetchRest(*frame);
            FetchLine(frame->next);
        }
        break;
    default:
        break;
    }
}

void
Nic::OnPauseChange(Port&, int64_t atPs)
{
    Settle(atPs);
}

// ---------------------------------------------------------------- receiving

void
Nic::Receive(Port&, Frame* frame, int64_t nowPs)
{
    const auto notePauses = [&] {
        if (m_pauses)
        {
            m_pauses->OnData(WireBytes(frame->frameBytes), nowPs);
            SetEarliestTimer();
        }
    };
    switch (frame->kind)
    {
    case FrameKind::DATA:
        notePauses();
        m_receiver.OnData(frame, nowPs);
        break;
    case FrameKind::ACK:
    case FrameKind::NAK:
        m_sender.OnAck(frame, nowPs);
        break;
    case FrameKind::CNP:
        m_sender.OnCnp(frame, nowPs);
        break;
    case FrameKind::NOTIFICATION:
        m_sender.OnNotification(frame, nowPs);
        break;
    case FrameKind::PACKET:
        notePauses();
        if (!m_receiver.Admit(*frame, nowPs))
        {
            FramePool::Free(frame);
        }
        else if (m_packets)
        {
            m_packets->Arrive(frame);
        }
        else
        {
            ++m_counters.strayFrames;
            FramePool::Free(frame);
        }
        break;
    case FrameKind::PFC:
        break; // handled by the port
    }
    Settle(nowPs);
}

void
Nic::Timer(int64_t atPs)
{
    m_sender.RunTimers(atPs);
    m_receiver.RunTimers(atPs);
    if (m_pauses)
    {
        m_pauses->Run(atPs);
    }
    if (m_program && m_program->NextPs() <= atPs)
    {
        m_program->Run(atPs);
    }
    SetEarliestTimer();
    Settle(atPs);
}

// ---------------------------------------------------------------- counting

void
Nic::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["dataSent"] += m_counters.dataSent;
    counters["retransmitted"] += m_counters.retransmitted;
    counters["acksSent"] += m_counters.acksSent;
    counters["naksSent"] += m_counters.naksSent;
    counters["cnpsSent"] += m_counters.cnpsSent;
    counters["timeouts"] += m_counters.timeouts;
    counters["failedQps"] += m_counters.failedQps;
    if (m_receiver.HasIngressLimit())
    {
        counters["ingressDrops"] += m_counters.ingressDrops;
        counters["ingressMarks"] += m_counters.ingressMarks;
    }
    counters["strayFrames"] += m_counters.strayFrames;
    counters["reordered"] += m_counters.reordered;
    counters["notificationsReceived"] += m_counters.notificationsReceived;
    counters["strayNotifications"] += m_counters.strayNotifications;
    if (m_pauses)
    {
        m_pauses->Count(counters);
    }
    if (m_packets)
    {
        counters["packetsSent"] += m_packets->GetSent();
        counters["packetsReceived"] += m_packets->GetReceived();
    }
    uint64_t& moves = counters["pathMoves"];
    moves += m_counters.pathMoves;
    for (uint32_t q = 0; GetOpenQps() && q < GetNQps(); ++q)
    {
        const QueuePair* qp = GetQp(q);
        moves += qp && qp->GetSelector() ? qp->GetSelector()->GetMoves() : 0;
    }
    AddCounter(counters, "maxReorderPackets", m_counters.reorderDepth);
}

} // namespace ns3::roce
