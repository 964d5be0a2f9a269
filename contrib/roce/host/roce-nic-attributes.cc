// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nic.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/roce-attribute-wrapper.h"
#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-fixed-attribute.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>

// Attributes and trace sources of Nic.

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Nic);

/// An attribute that says what queue pairs are made of: once it has been set, a NIC is no longer
/// like the others that it was copied with.
class Nic::TransportAttribute final : public AttributeWrapper
{
  public:
    using AttributeWrapper::AttributeWrapper;

    /// @param accessor of the member. @return what AddAttribute() takes
    static Ptr<const AttributeAccessor> Make(Ptr<const AttributeAccessor> accessor)
    {
        return UntilBuilt(Create<TransportAttribute>(std::move(accessor)));
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        if (auto* nic = dynamic_cast<Nic*>(object))
        {
            nic->NotAlike();
        }
        return AttributeWrapper::Set(object, value);
    }
};

TypeId
Nic::GetTypeId()
{
    static TypeId tid = NicParams::Table().AddTo(
        TypeId("ns3::roce::Nic")
            .SetParent<Port>()
            .SetGroupName("Roce")
            .AddConstructor<Nic>()
            .AddAttribute("CongestionControl",
                          "Rate law of new queue pairs: a TypeId name, with parameters in brackets "
                          "if wanted, e.g. ns3::roce::Dcqcn[Profile=paper]",
                          StringValue("ns3::roce::Dcqcn"),
                          TransportAttribute::Make(MakeObjectFactoryAccessor(&Nic::m_ccFactory)),
                          MakeObjectFactoryChecker())
            .AddAttribute("InterCongestionControl",
                          "Rate law of new queue pairs that leave the datacenter, as above; empty: "
                          "CongestionControl",
                          StringValue(""),
                          TransportAttribute::Make(MakeStringAccessor(&Nic::m_interCc)),
                          MakeStringChecker())
            .AddAttribute(
                "LossRecovery",
                "How losses of new queue pairs are repaired: ns3::roce::GoBackN, "
                "SelectiveRepeat, PacketTimers or another, parameters as above",
                StringValue("ns3::roce::GoBackN"),
                TransportAttribute::Make(MakeObjectFactoryAccessor(&Nic::m_recoveryFactory)),
                MakeObjectFactoryChecker())
            .AddAttribute("InterLossRecovery",
                          "The same for queue pairs that leave the datacenter; empty: as "
                          "LossRecovery",
                          StringValue(""),
                          TransportAttribute::Make(MakeStringAccessor(&Nic::m_interRecovery)),
                          MakeStringChecker())
            .AddAttribute(
                "PathSelector",
                "How new queue pairs choose paths: ns3::roce::FlowHash, Spray, Flowlet, "
                "Plb or another, parameters as above",
                StringValue("ns3::roce::FlowHash"),
                TransportAttribute::Make(MakeObjectFactoryAccessor(&Nic::m_selectorFactory)),
                MakeObjectFactoryChecker())
            .AddAttribute("InterPathSelector",
                          "The same for queue pairs that leave the datacenter; empty: as "
                          "PathSelector",
                          StringValue(""),
                          TransportAttribute::Make(MakeStringAccessor(&Nic::m_interSelector)),
                          MakeStringChecker())
            .AddAttribute("PathMtu",
                          "RDMA payload bytes of a full packet",
                          UintegerValue(4096),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_mtuBytes)),
                          MakeUintegerChecker<uint32_t>(64, 65000))
            .AddAttribute("DataHeaderBytes",
                          "Header bytes of a data frame, MAC header to FCS. Sizes that are not "
                          "RoCEv2's are charged on links; captures show real RoCEv2 frames",
                          UintegerValue(DATA_HEADER_BYTES),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_headerBytes)),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("FirstHeaderBytes",
                          "Additional header bytes of a message's first frame (RETH)",
                          UintegerValue(RETH_BYTES),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_firstHeaderBytes)),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("PayloadAlign",
                          "Payload is padded to a multiple of this power of two",
                          UintegerValue(4),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_payloadAlign)),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("AckFrameBytes",
                          "Size of an ACK or NAK without telemetry, MAC header to FCS",
                          UintegerValue(ACK_FRAME_BYTES),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_ackFrameBytes)),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("AckMinBytes",
                          "Smaller ACKs and NAKs, telemetry included, have this size",
                          UintegerValue(0),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_ackMinBytes)),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("CnpFrameBytes",
                          "Size of a CNP, MAC header to FCS",
                          UintegerValue(CNP_FRAME_BYTES),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_cnpFrameBytes)),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("PayloadWindow",
                          "Bytes in flight, and so the window, count payload instead of wire bytes "
                          "(the behaviour of the HPCC simulator); an empty packet counts 1",
                          BooleanValue(false),
                          UntilBuilt(MakeBooleanAccessor(&Nic::m_payloadWindow)),
                          MakeBooleanChecker())
            .AddAttribute("FlowWindow",
                          "Bound of the bytes in flight of each queue pair, for every rate law. "
                          "none: nothing; fixed: FlowWindowBytes; rate: that times rate / line "
                          "rate (the HPCC simulator's HAS_WIN, and VAR_WIN)",
                          StringValue("none"),
                          UntilBuilt(MakeStringAccessor(&Nic::m_flowWindow)),
                          MakeStringChecker())
            .AddAttribute(
                "FlowWindowBytes",
                "Bytes in flight with FlowWindow; 0: lowest rate on the path times its base RTT",
                UintegerValue(0),
                UntilBuilt(MakeUintegerAccessor(&Nic::m_flowWindowBytes)),
                MakeUintegerChecker<uint64_t>(0, 1ULL << 53))
            .AddAttribute("Repacing",
                          "Effect of a change of rate on a running pacing gap. stretch: its rest "
                          "changes in proportion; shift: its end moves by the "
                          "difference of the whole gaps (as the HPCC simulator); none: nothing (as "
                          "its DCQCN)",
                          StringValue("stretch"),
                          UntilBuilt(MakeStringAccessor(&Nic::m_repacingName)),
                          MakeStringChecker())
            .AddAttribute("PacingClock",
                          "When a pacing gap begins. sent: when its packet has left; due: when it "
                          "could have left without the port, so that delays by the port are caught "
                          "up at its full rate, as from a queue in the host",
                          StringValue("sent"),
                          UntilBuilt(MakeStringAccessor(&Nic::m_pacingClock)),
                          MakeStringChecker())
            .AddAttribute("QueueDepth",
                          "Messages of a queue pair that are sent or wait for their last ACK at "
                          "most; later ones wait for their turn; 0: any number",
                          UintegerValue(0),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_queueDepth)),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("IdleRestart",
                          "A queue pair all of whose messages have been acknowledged for so long "
                          "begins with a new rate law, at the rate of a new queue pair; 0: its "
                          "rate law keeps its state",
                          TimeValue(Time(0)),
                          UntilBuilt(MakeTimeAccessor(&Nic::m_idleRestart)),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("StrictClasses",
                          "Bit mask of the classes whose data goes before that of all others, "
                          "highest class first",
                          UintegerValue(0),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_strictClasses)),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("ClassWeights",
                          "Shares of the other classes, in bytes, for example 3:2,4:5: class 4 may "
                          "send 5/2 of class 3's bytes; weights of 1 to 100, others have 1",
                          StringValue(""),
                          UntilBuilt(MakeStringAccessor(&Nic::m_classWeights)),
                          MakeStringChecker())
            .AddAttribute("ReceiveXoff",
                          "Wire bytes in the receive buffer of a slow host above which the NIC "
                          "pauses its switch, until half of them are left",
                          UintegerValue(65536),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_receiveXoffBytes)),
                          MakeUintegerChecker<uint64_t>(1, 1ULL << 40))
            .AddAttribute("ControlClass",
                          "Traffic class of ACK, NAK and CNP frames; 8: that of the data they "
                          "answer",
                          UintegerValue(6),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_controlClass)),
                          MakeUintegerChecker<uint8_t>(0, N_CLASSES))
            .AddAttribute("Ttl",
                          "IPv4 time to live",
                          UintegerValue(64),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_ttl)),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute(
                "RtoMin",
                "Least retransmission timeout of GoBackN; other loss recoveries have "
                "timeouts of their own. The default is InfiniBand's local ACK "
                "timeout 14, 4.096 us * 2^14: in a lossless network frames may wait for "
                "many milliseconds behind PFC pauses without being lost. Lossy networks need less",
                TimeValue(NanoSeconds(67108864)),
                UntilBuilt(MakeTimeAccessor(&Nic::m_rtoMin)),
                MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RtoFactor",
                          "Retransmission timeout over the base RTT of the path",
                          DoubleValue(3),
                          UntilBuilt(MakeDoubleAccessor(&Nic::m_rtoFactor)),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("RetryLimit",
                          "Timeouts without progress after which a queue pair fails; 0: never",
                          UintegerValue(7),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_retryLimit)),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("IntHeaderBytes",
                          "Bytes charged to a telemetry-capable data frame before the first hop",
                          UintegerValue(2),
                          UntilBuilt(MakeUintegerAccessor(&Nic::m_intHeaderBytes)),
                          MakeUintegerChecker<uint32_t>(0, Frame::MAX_INT_HEADER_BYTES))
            .AddAttribute("Eager",
                          "Start each transmission by a separate event, so that trace sinks "
                          "may read Simulator::Now(); slower, same results",
                          BooleanValue(false),
                          UntilBuilt(MakeBooleanAccessor(&Nic::m_eager)),
                          MakeBooleanChecker())
            .AddTraceSource("MessageCompleted",
                            "The last packet of a message has been acknowledged",
                            MakeTraceSourceAccessor(&Nic::m_completedTrace),
                            "ns3::roce::Nic::MessageCallback")
            .AddTraceSource("MessageReceived",
                            "The last packet of a message has arrived in order",
                            MakeTraceSourceAccessor(&Nic::m_receivedTrace),
                            "ns3::roce::Nic::ReceivedCallback")
            .AddTraceSource("Rate",
                            "Feedback has been processed; ask the queue pair for rate and window",
                            MakeTraceSourceAccessor(&Nic::m_rateTrace),
                            "ns3::roce::Nic::RateCallback"),
        &Nic::m_parameters,
        UntilBuilt);
    return tid;
}

void
Nic::CheckAttributes()
{
    if (m_payloadAlign & (m_payloadAlign - 1))
    {
        throw InputError("ns3::roce::Nic::PayloadAlign is " + std::to_string(m_payloadAlign) +
                         ", expected a power of two");
    }
    const Time full = PicoSeconds(SerialisationTime(WireBytes(m_headerBytes + m_mtuBytes),
                                                    std::max<uint64_t>(1, GetRateBps()),
                                                    0));
    if (GetTick() > full)
    {
        throw InputError("ns3::roce::Port::SerialisationTick is " +
                         std::to_string(GetTick().GetPicoSeconds()) + " ps, expected at most the " +
                         std::to_string(full.GetPicoSeconds()) + " ps that a full frame takes at " +
                         std::to_string(GetRateBps()) + " bit/s");
    }
    using Repacing = QueuePair::Repacing;
    const std::map<std::string, Repacing> kinds{{"stretch", Repacing::STRETCH},
                                                {"shift", Repacing::SHIFT},
                                                {"none", Repacing::NONE}};
    const auto kind = kinds.find(m_repacingName);
    if (kind == kinds.end())
    {
        throw InputError("ns3::roce::Nic::Repacing is '" + m_repacingName +
                         "', expected stretch, shift or none");
    }
    m_repacing = kind->second;
    const NicParams& p = *m_parameters.Get();
    m_ackEveryN = p.ackEveryN;
    const MessageCosts::Settings costs{m_queueDepth,
                                       p.postPs,
                                       p.gapPs,
                                       p.messageRate > 0 ? std::llround(1e12 / p.messageRate) : 0,
                                       p.completionPs};
    if (costs.depth || costs.postPs || costs.gapPs || costs.periodPs || costs.completionPs)
    {
        m_sender.SetCosts(costs);
    }
    if (p.deliveryPs || p.cnpPs)
    {
        m_receiver.SetLatencies(p.deliveryPs, p.cnpPs);
    }
    if (p.ingressBps)
    {
        const uint32_t fullBytes = WireBytes(m_headerBytes + m_firstHeaderBytes + m_mtuBytes);
        NicParams::Table().Require(p.ingressBytes >= fullBytes,
                                   "IngressBuffer",
                                   std::to_string(p.ingressBytes) + " B",
                                   "at least the " + std::to_string(fullBytes) +
                                       " B of a full frame");
        m_receiver.SetIngress(
            std::make_unique<IngressLimit>(p.ingressBps, p.ingressBytes, p.ingressMarkBytes));
    }
    m_sender.SetClasses(m_strictClasses,
                        DwrrScheduler::ParseWeights("ns3::roce::Nic::ClassWeights",
                                                    m_classWeights,
                                                    QpScheduler::MAX_WEIGHT));
    if (m_flowWindow != "none" && m_flowWindow != "fixed" && m_flowWindow != "rate")
    {
        throw InputError("ns3::roce::Nic::FlowWindow is '" + m_flowWindow +
                         "', expected none, fixed or rate");
    }
    if (m_pacingClock != "sent" && m_pacingClock != "due")
    {
        throw InputError("ns3::roce::Nic::PacingClock is '" + m_pacingClock +
                         "', expected sent or due");
    }
}

} // namespace ns3::roce
