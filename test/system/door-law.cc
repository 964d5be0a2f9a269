// SPDX-License-Identifier: GPL-2.0-only
#include "door-law.h"

#include "door-feedback.h"

#include <algorithm>

namespace ns3::roce::test
{

NS_OBJECT_ENSURE_REGISTERED(DoorLaw);

const FrameExtension DoorMark::EXTENSION{
    "test-door",
    {8, 8, 8, 0},
    true,
    [](const void* value, std::vector<uint8_t>& out) {
        const DoorMark& mark = *static_cast<const DoorMark*>(value);
        for (unsigned shift : {24, 16, 8, 0})
        {
            out.push_back(static_cast<uint8_t>(mark.psn >> shift));
        }
    }};

const ParameterTable<DoorParams>&
DoorParams::Table()
{
    using P = DoorParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::test::DoorLaw", {"gentle", "bold"})
            .Number("Gain", &P::gain, {0.25, 0.5}, Range::AboveUpTo(0, 1))
            .Help("Share of the way to the granted rate")
            .Rate("MinRate", &P::minRateBps, {100e6}, Range::Above(0))
            .Help("Floor of the rate")
            .Number("Cut", &P::cut, {0.5, 0.8}, Range::AboveUpTo(0, 1))
            .Help("What a notification leaves of the rate")
            .Duration("GrantPeriod", &P::grantPeriodPs, {20'000'000, 5'000'000}, Range::Above(0))
            .Help("Time between two CNPs with a grant")
            .Number("GrantShare", &P::grantShare, {0.5, 0.9}, Range::AboveUpTo(0, 1))
            .Help("Granted rate over line rate")
            .Live()
            .Number("InitialShare", &P::initialShare, {0.25, 1}, Range::AboveUpTo(0, 1))
            .Help("First rate over line rate");
    return table;
}

TypeId
DoorLaw::GetTypeId()
{
    static const TypeId tid = DoorParams::Table().AddTo(TypeId("ns3::roce::test::DoorLaw")
                                                            .SetParent<CongestionControl>()
                                                            .SetGroupName("Roce")
                                                            .AddConstructor<DoorLaw>(),
                                                        &DoorLaw::m_parameters);
    return tid;
}

Ptr<CongestionControl>
DoorLaw::Fork() const
{
    m_parameters.Get(); // once for all forks
    return CopyObject<DoorLaw>(this);
}

Ptr<ReceiverFeedback>
DoorLaw::MakeFeedback() const
{
    const DoorParams& p = *m_parameters.Get();
    return CreateObject<DoorFeedback>(p.grantShare, p.grantPeriodPs);
}

const FrameExtension*
DoorLaw::GetDataExtension() const
{
    return &DoorMark::EXTENSION;
}

void
DoorLaw::DoStart(int64_t)
{
    m_p = m_parameters.Get();
    MoveTo(m_p->initialShare * static_cast<double>(m_path.lineRateBps));
}

void
DoorLaw::MoveTo(double rateBps)
{
    m_rate = std::min(std::max(rateBps, m_p->minRateBps), static_cast<double>(m_path.lineRateBps));
    m_rateBps = static_cast<uint64_t>(m_rate);
}

void
DoorLaw::OnSend(const SendInfo& sent)
{
    DoorMark& mark = *sent.extension.As<DoorMark>();
    mark.psn = static_cast<uint32_t>(sent.psn);
    mark.epoch = m_epoch;
}

void
DoorLaw::OnAck(const AckInfo& ack)
{
    if (const DoorMark* mark = ack.extension.As<DoorMark>())
    {
        m_echoes += mark->epoch == m_epoch;
        m_hops = mark->hops;
        MoveTo(m_rate + m_p->gain * (mark->grantRate - m_rate));
    }
}

void
DoorLaw::OnCnp(const CnpInfo& cnp)
{
    if (const DoorMark* mark = cnp.extension.As<DoorMark>())
    {
        ++m_granted;
        MoveTo(mark->grantRate);
    }
}

void
DoorLaw::OnNotification(const Notification& notification)
{
    if (notification.kind == KIND)
    {
        ++m_notified;
        MoveTo(m_rate * m_p->cut);
    }
}

void
DoorLaw::Retune(const CongestionControl& prototype, int64_t)
{
    m_p = m_parameters.Retune(SameLaw<DoorLaw>(prototype).m_parameters, *m_p);
    ++m_epoch;
    m_echoes = 0;
    MoveTo(m_rate);
}

void
DoorLaw::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"granted", static_cast<double>(m_granted)},
                      {"echoes", static_cast<double>(m_echoes)},
                      {"hops", static_cast<double>(m_hops)},
                      {"notified", static_cast<double>(m_notified)},
                      {"epoch", static_cast<double>(m_epoch)}});
}

} // namespace ns3::roce::test
