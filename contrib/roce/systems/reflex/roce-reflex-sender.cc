// SPDX-License-Identifier: GPL-2.0-only
#include "roce-reflex-sender.h"

#include "roce-reflex-nsf.h"

#include "ns3/roce-input-error.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(ReflexSender);

const ParameterTable<ReflexSenderParams>&
ReflexSenderParams::Table()
{
    using P = ReflexSenderParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::ReflexSender")
            .Choice("SilentMode", &P::clock, {false}, {{"freeze", false}, {"holdAndClock", true}})
            .Help("Without pseudo-ACKs; set by ReflexNsf")
            .Choice("WindowMode",
                    &P::paced,
                    {true},
                    {{"pacedNearSource", true}, {"endToEnd", false}})
            .Help("A window law's window; set by ReflexNsf")
            .Duration("ClockInterval", &P::clockIntervalPs, {5000000}, Range::AtLeast(0))
            .Help("Real ACKs repeat a sample not earlier than this; set by ReflexNsf")
            .Flag("PseudoAckGating", &P::gating, {false})
            .Help("One sample per near-source RTT; set by ReflexNsf")
            .Choice("PseudoAckCovers", &P::coversSent, {true}, {{"sent", true}, {"one", false}})
            .Help("Packets a sample acknowledges; set by ReflexNsf");
    return table;
}

bool
ReflexSender::IsMeant(const std::string& shim)
{
    return shim.substr(0, shim.find('[')) == GetTypeId().GetName();
}

Ptr<CongestionControl>
ReflexSender::Fork() const
{
    if (!GetLaw().NeedsTimestamp())
    {
        throw InputError("ns3::roce::ReflexSender in front of " +
                         GetLaw().GetInstanceTypeId().GetName() +
                         ", which takes no RTT samples; expected a delay-based rate law, such as "
                         "Timely or Swift");
    }
    m_parameters.Get(); // once for all forks
    return CopyObject<ReflexSender>(this);
}

void
ReflexSender::DoStart(int64_t nowPs)
{
    m_p = m_parameters.Get();
    PathInfo near = m_path;
    near.baseRttPs = m_path.nearRttPs;
    near.hops = m_path.nearHops;
    GetLaw().Start(near, nowPs);
    m_realWindow = dynamic_cast<const RealWindow*>(&GetLaw());
    m_rttPs = 0;
    m_fedPs = nowPs;
    m_dueReplayPs = 0;
    m_sent = m_round = m_inflightBytes = 0;
    m_timedOut = false;
    Publish();
}

void
ReflexSender::OnSend(const SendInfo& sent)
{
    GetLaw().OnSend(sent);
    ++m_sent;
}

void
ReflexSender::OnNotification(const Notification& notification)
{
    if (notification.kind != ReflexNsf::KIND || notification.rttPs <= 0)
    {
        GetLaw().OnNotification(notification);
        Publish();
        return;
    }
    if (m_p->gating && m_rttPs && notification.nowPs - notification.rttPs < m_fedPs)
    {
        return;
    }
    m_rttPs = notification.rttPs;
    Feed(notification.nowPs);
}

void
ReflexSender::OnAck(const AckInfo& ack)
{
    m_inflightBytes = ack.inflightBytes;
    if (ack.isLoss || ack.isNak || m_timedOut)
    {
        // No sample and no packets, which count when a sample comes: only that there is a loss, or
        // that a row of timeouts is over.
        AckInfo bare;
        bare.nowPs = ack.nowPs;
        bare.ackPsn = bare.sndNxtPsn = m_round;
        bare.inflightBytes = ack.inflightBytes;
        bare.isNak = ack.isNak;
        bare.isLoss = ack.isLoss;
        GetLaw().OnAck(bare);
        m_timedOut = false;
        Publish();
    }
    else if (m_p->clock && m_rttPs && ack.nowPs >= m_dueReplayPs)
    {
        Feed(ack.nowPs);
    }
}

void
ReflexSender::Feed(int64_t nowPs)
{
    const CongestionControl& law = GetLaw();
    const uint64_t frame = m_path.fullFrameBytes;
    uint64_t packets = 1;
    if (m_p->coversSent)
    {
        // A law's increase is meant per round trip, in which a window is acknowledged.
        const uint64_t most = std::min<uint64_t>(law.GetWindowBytes(), UINT32_MAX) / frame;
        packets = std::max<uint64_t>(std::min(m_sent, most), 1);
    }
    AckInfo sample;
    sample.nowPs = nowPs;
    sample.ackPsn = sample.sndNxtPsn = ++m_round;
    sample.ackedPackets = static_cast<uint32_t>(packets);
    sample.ackedBytes = packets * frame;
    sample.inflightBytes = m_inflightBytes;
    sample.rttPs = m_rttPs;
    GetLaw().OnAck(sample);
    m_sent = 0;
    m_fedPs = nowPs;
    m_dueReplayPs = nowPs + std::max(m_rttPs, m_p->clockIntervalPs);
    Publish();
}

void
ReflexSender::OnCnp(const CnpInfo& cnp)
{
    GetLaw().OnCnp(cnp);
    Publish();
}

void
ReflexSender::Retune(const CongestionControl& prototype, int64_t nowPs)
{
    GetLaw().Retune(prototype, nowPs);
    Publish();
}

void
ReflexSender::OnTimeout(int64_t nowPs)
{
    GetLaw().OnTimeout(nowPs);
    m_timedOut = true;
    Publish();
}

void
ReflexSender::Advance(int64_t nowPs)
{
    if (GetLaw().NextRateChangePs() <= nowPs)
    {
        GetLaw().Advance(nowPs);
        Publish();
    }
}

int64_t
ReflexSender::NextRateChangePs() const
{
    return GetLaw().NextRateChangePs();
}

void
ReflexSender::GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const
{
    variables.push_back({"near_rtt_ns", static_cast<double>(m_rttPs) / 1000});
    ControlShim::GetVariables(nowPs, variables);
}

void
ReflexSender::Publish()
{
    const CongestionControl& law = GetLaw();
    m_rateBps = law.GetRateBps();
    m_windowBytes = law.GetWindowBytes();
    if (!m_p->paced || m_windowBytes == UNLIMITED_BYTES)
    {
        return;
    }
    if (m_rttPs)
    {
        const double bytes =
            m_realWindow ? m_realWindow->GetRealWindowBytes() : static_cast<double>(m_windowBytes);
        const double paced = bytes * 8e12 / static_cast<double>(m_rttPs);
        if (paced < static_cast<double>(m_rateBps))
        {
            m_rateBps = std::max<uint64_t>(1, static_cast<uint64_t>(paced));
        }
    }
    m_windowBytes =
        std::max<uint64_t>(static_cast<uint64_t>(m_path.BdpBytes()), m_path.fullFrameBytes);
}

} // namespace ns3::roce
