// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc-credit.h"

#include "roce-mlcc.h"

#include "ns3/roce-variable-series.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(MlccCredit);

TypeId
MlccCredit::GetTypeId()
{
    static const TypeId tid =
        TypeId("ns3::roce::MlccCredit")
            .SetParent<ReceiverFeedback>()
            .SetGroupName("Roce")
            .AddConstructor<MlccCredit>()
            .AddTraceSource("Match",
                            "A round is over",
                            MakeTraceSourceAccessor(&MlccCredit::m_matchTrace),
                            "ns3::roce::MlccCredit::MatchCallback");
    return tid;
}

MlccCredit::MlccCredit()
    : m_p(Parameters<MlccParams>().Get()),
      m_lawPrototype(MlccLoop::MakeLaw(m_p->innerCc))
{
}

void
MlccCredit::Configure(std::shared_ptr<const MlccParams> params, Ptr<const CongestionControl> law)
{
    m_p = std::move(params);
    m_lawPrototype = std::move(law);
}

Ptr<ReceiverFeedback>
MlccCredit::Fork() const
{
    return CopyObject<MlccCredit>(this); // Start() makes new state
}

void
MlccCredit::Start(const PathInfo& path, int64_t nowPs)
{
    m_loop.Start(*m_lawPrototype, path, nowPs);
    m_lineBps = static_cast<double>(std::max<uint64_t>(path.lineRateBps, 1));
    MlccDqm::Path dqmPath{};
    dqmPath.lineBps = m_lineBps;
    dqmPath.minBps = m_p->minRateBps;
    dqmPath.crossRttPs = std::max<int64_t>(path.baseRttPs, 1);
    dqmPath.roundRttPs = m_loop.GetRttPs();
    dqmPath.stepBytes = path.mtuBytes ? path.mtuBytes : path.fullFrameBytes;
    m_dqm.Start(m_p->dqm, dqmPath, nowPs);
    m_creditBps = m_lineBps;
    m_epochPs = nowPs;
    m_matches = 0;
    m_queueBytes = m_newBytes = m_newPackets = m_newMarks = 0;
    m_epoch = 1;
    m_isRefused = m_isUnanswered = false;
}

void
MlccCredit::OnData(const Frame& data, int64_t nowPs, ReplySink& sink)
{
    const MlccHeader* header = data.FindExtension<MlccHeader>();
    if (!header)
    {
        return;
    }
    m_newBytes += data.frameBytes;
    ++m_newPackets;
    SendInfo sent;
    sent.nowPs = nowPs;
    sent.wireBytes = data.frameBytes;
    sent.psn = m_matches;
    m_loop.OnSend(sent);
    if (data.ecn == ECN_CE)
    {
        ++m_newMarks;
        m_loop.OnMark(nowPs);
    }
    if (header->epoch == m_epoch)
    {
        Match(data, header->GetQueueBytes(), nowPs);
    }
    else if (m_p->creditFastReact)
    {
        Report(data, nowPs);
        SetCredit();
    }
    m_dqm.OnPacket(nowPs);
    Answer(data, sink);
}

void
MlccCredit::Answer(const Frame& data, ReplySink& sink)
{
    m_isRefused = m_isRefused && data.psn > m_gapPsn;
    if (!m_isRefused)
    {
        return;
    }
    // Other recoveries answer these, too.
    if (m_isUnanswered)
    {
        Frame* update = sink.Make(FrameKind::NOTIFICATION);
        update->msn = MlccUpdate::KIND;
        update->psn = data.psn;
        Fill(update->Extend<MlccHeader>());
        sink.Send(update);
    }
    m_isUnanswered = true;
}

void
MlccCredit::Match(const Frame& data, uint32_t queueBytes, int64_t nowPs)
{
    ++m_epoch;
    ++m_matches;
    Report(data, nowPs);
    SetCredit();
    m_epochPs = nowPs;
    m_queueBytes = queueBytes;
    m_dqm.Round(m_creditBps, queueBytes, nowPs);
    if (!m_matchTrace.IsEmpty())
    {
        m_matchTrace(*this, PicoSeconds(nowPs));
    }
}

void
MlccCredit::Report(const Frame& data, int64_t nowPs)
{
    AckInfo report;
    report.nowPs = nowPs;
    // A law that acts once per round trip acts at each match.
    report.ackPsn = report.sndNxtPsn = m_matches;
    report.ackedBytes = m_newBytes;
    report.ackedPackets = m_newPackets;
    report.markedPackets = m_newMarks;
    report.ecnEcho = m_newMarks > 0;
    report.rttPs = nowPs - m_epochPs;
    report.telemetry = data.FindTelemetry();
    report.hasMore = true;
    m_loop.OnReport(report);
    m_loop.GetLaw().Advance(nowPs);
    m_newBytes = m_newPackets = m_newMarks = 0;
}

void
MlccCredit::SetCredit()
{
    m_creditBps = std::clamp(static_cast<double>(m_loop.GetRateBps()),
                             std::min(m_p->minRateBps, m_lineBps),
                             m_lineBps);
}

void
MlccCredit::Fill(MlccHeader& header) const
{
    header.epoch = m_epoch;
    header.SetRates(m_creditBps, m_dqm.GetSmoothedBps());
}

void
MlccCredit::FillAck(Frame& ack, const Frame&, int64_t)
{
    m_isRefused = ack.kind == FrameKind::NAK;
    m_isUnanswered = false;
    m_gapPsn = ack.psn;
    MlccHeader* header = ack.FindExtension<MlccHeader>();
    if (!header)
    {
        return;
    }
    Fill(*header);
    if (ack.telemetry)
    {
        const uint32_t stays = ack.flags & FRAME_TIMESTAMP ? TIMESTAMP_BYTES : 0;
        ack.frameBytes -= ack.telemetryBytes - stays;
        ack.telemetryBytes = stays;
        FramePool::FreeInt(ack.telemetry);
        ack.telemetry = {};
    }
}

void
MlccCredit::Retune(const ReceiverFeedback& prototype, int64_t nowPs)
{
    const MlccCredit& same = Same<MlccCredit>(prototype);
    m_p = same.m_p;
    m_lawPrototype = same.m_lawPrototype;
    m_loop.Retune(*m_lawPrototype, nowPs);
    m_dqm.Retune(m_p->dqm, m_p->minRateBps);
    SetCredit();
}

namespace
{

bool
AddSender(const CongestionControl& law, int64_t, VariableSeries::Variables& variables)
{
    const auto* const mlcc = dynamic_cast<const Mlcc*>(&law);
    if (mlcc)
    {
        variables = {{"r_ns_bps", static_cast<double>(mlcc->GetNearBps())},
                     {"rbar_sender_bps", static_cast<double>(mlcc->GetDqmBps())}};
    }
    return mlcc;
}

void
AddReceiver(const ReceiverFeedback& feedback, VariableSeries::Variables& variables)
{
    if (const auto* const credit = dynamic_cast<const MlccCredit*>(&feedback))
    {
        const MlccDqm& dqm = credit->GetDqm();
        variables = {{"matches", static_cast<double>(credit->GetMatches())},
                     {"r_credit_bps", credit->GetCreditBps()},
                     {"q_c_bytes", static_cast<double>(credit->GetQueueBytes())},
                     {"d_pre_ns", dqm.GetDelayPs() / 1e3},
                     {"r_dqm_bps", dqm.GetTargetBps()},
                     {"dw", dqm.GetDw()},
                     {"token", dqm.GetToken()},
                     {"rbar_bps", dqm.GetSmoothedBps()}};
    }
}

[[maybe_unused]] const bool g_mlcc = TimeSeries::Register(VariableSeries::MakeKind(
    "mlcc",
    "mlcc.csv, what MLCC's senders and receivers know: time between samples",
    "flow {flow} MLCC {variable}",
    AddSender,
    AddReceiver));

} // namespace

} // namespace ns3::roce
