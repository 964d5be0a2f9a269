// SPDX-License-Identifier: GPL-2.0-only
#include "roce-timely.h"

#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Timely);

namespace
{

/// What depends on several attributes.
void
FinishTimely(TimelyParams& p, const Parameters<TimelyParams>& given)
{
    const auto& table = TimelyParams::Table();
    table.Require(p.tHighPs >= p.tLowPs,
                  "THigh",
                  kind::Duration::Print(p.tHighPs),
                  "at least TLow, which is " + kind::Duration::Print(p.tLowPs));
    table.Require(!p.patched || p.tLowPs > 0, "TLow", "0", "a positive time with Patched");
    p.minRttFloorPs = given.IsGiven("MinRtt") ? 0 : p.minRttFloorPs;
    p.subtractSerialisation |= p.mode == TimelyMode::PER_SEGMENT;
}

} // namespace

/*
 * Sources of the values:
 * [1] SIGCOMM 2015 paper (from the literature on it; no copy was at hand); its 10 Mb/s at 10 Gb/s
 *     scale with the line rate.
 * [2] rdma-hw.cc of alibaba-edu/High-Precision-Congestion-Control, CC mode 7.
 * [3] run.py there: steps of 10 Mb/s and 50 Mb/s for each 10 Gb/s.
 * [4] eRPC (NSDI 2019), src/cc/timely.h; an earlier version has 0.02, 0.8 and 1 us for Alpha, Beta
 *     and MinRtt. The patched rule is a compile-time option there.
 * [5] Zhu et al., "ECN or Delay", CoNEXT 2016 (as [1]).
 * [a] The paper updates at each completion of a segment, which is mode perSegment; with one update
 *     per round trip results do not depend on how the NIC cuts messages, and shares are fairer (see
 *     the table in roce.rst).
 * [b] Their model updates per segment, at most once per minimum RTT. With one update per round trip
 *     a Beta of 0.008 takes a thousand of them: at 100 Gb/s the queue that two starters build stays
 *     at the threshold of PFC.
 * [c] The base RTT of the path, but at least the 20 us of the paper. Normalised by less (5 us on
 *     one switch), differences of RTTs that queues make longer than TLow are over-estimated: two
 *     flows then use 54 % of a 100 Gb/s link instead of 95 %, eight 44 % instead of 92 %.
 * [d] Five increases come before the first hyper-active one.
 * [e] Ours: the paper has no floor; from one step the rate doubles at once.
 */
const ParameterTable<TimelyParams>&
TimelyParams::Table()
{
    using P = TimelyParams;
    using M = TimelyMode;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Timely", {"paper", "hpcc-sim", "erpc", "patched"})
            .Number("Alpha", &P::alpha, {0.875, 0.875, 0.46, 0.875}, Range::AboveUpTo(0, 1))
            .Help("Weight of the new RTT difference") // [1] [2] [4] [5]
            .Number("Beta", &P::beta, {0.8, 0.8, 0.26, 0.008}, Range::AboveUpTo(0, 1))
            .Help("Factor of decreases") // [1] [2] [4] [5]
            .Rate("Delta", &P::deltaBps, {0, 0, 40000000, 0}, Range::AtLeast(0))
            .Help("Additive step; 0: line rate / 1000") // [1] [3] [4] [5]
            .Duration("TLow", &P::tLowPs, {50 * PS_PER_US}, Range::AtLeast(0))
            .Help("RTT below which the rate rises") // [1] [3] [4] [5]
            .Duration("THigh",
                      &P::tHighPs,
                      {500 * PS_PER_US, 500 * PS_PER_US, 1000 * PS_PER_US, 500 * PS_PER_US},
                      Range::Above(0)) // [1] [3] [4] [5]
            .Help("RTT above which the rate falls")
            .Flag("ThresholdsFromBaseRtt", &P::thresholdsFromBaseRtt, {false})
            .Help("TLow and THigh count from the base RTT of the path")
            .Duration("MinRtt",
                      &P::minRttPs,
                      {0, 20 * PS_PER_US, 2 * PS_PER_US, 20 * PS_PER_US},
                      Range::AtLeast(0)) // [c] [3] [4] [5]
            .Help("Normalises the gradient; 0: base RTT of the path; paper's own is at least 20 us")
            // Least value that the base RTT of the path counts as [c]
            .Fixed<kind::Duration>("MinRttFloor", &P::minRttFloorPs, {20 * PS_PER_US, 0, 0, 0})
            // Updates in a row from which on the step is HaiFactor steps; 0: off [1] [2][d] [4] [5]
            .Fixed("HaiThreshold", &P::haiThreshold, {5, 6, 5, 0})
            .Number("HaiFactor", &P::haiFactor, {5}, Range::AtLeast(1))
            .Help("Hyper-active step in additive steps") // [1] [3] [4]
            // true: increases below TLow count for and use the hyper-active step [1] [2] [4]
            .Fixed("HaiBelowTLow", &P::haiBelowTLow, {false, true, false, false})
            // What counts for HaiThreshold: gradient (averaged) or difference (of two samples) [1]
            // [2] [4]
            .Fixed("HaiSignal",
                   &P::haiByDifference,
                   {false, false, true, false},
                   {{"gradient", false}, {"difference", true}})
            .Flag("Patched", &P::patched, {false, false, false, true})
            .Help("true: weighted rule of Zhu et al. (CoNEXT 2016) between the thresholds")
            .Rate("MinRate", &P::minRateBps, {0, 1000000000, 120000000, 0}, Range::AtLeast(0))
            .Help("Floor of the rate; 0: one additive step") // [e] [3] [4] [e]
            .Live()
            // the NIC keeps the burst size it got at the start
            .Choice("Mode",
                    &P::mode,
                    {M::PER_RTT, M::PER_RTT, M::PER_ACK, M::PER_SEGMENT},
                    {{"perRtt", M::PER_RTT},
                     {"perAck", M::PER_ACK},
                     {"perSegment", M::PER_SEGMENT}}) // [a] [2] [4] [b]
            .Help("When the rate changes")
            .Count("SegmentBytes", &P::segmentBytes, {16384}, Range::Within(1, 1e9))
            .Help("Wire bytes between updates with Mode=perSegment")
            .Flag("BurstPacing", &P::burstPacing, {true})
            .Help("With Mode=perSegment the NIC sends segments back to back")
            // the last sample is of the kind before
            // true: RTT samples are less one full frame's time at line rate; profiles with false:
            // true with Mode=perSegment [1] [2] [1]
            .Fixed("SubtractSerialisation", &P::subtractSerialisation, {true, false, false, true})
            // a law of rates stays one
            .Choice("Window", &P::bdpWindow, {false}, {{"none", false}, {"bdp", true}})
            .Help("none, or bdp: BDP * rate / line rate")
            .Finish(FinishTimely);
    return table;
}

uint32_t
Timely::GetBurstBytes() const
{
    const TimelyParams& p = GetParams();
    return p.mode == TimelyMode::PER_SEGMENT && p.burstPacing ? p.segmentBytes : 0;
}

void
Timely::DoStart(int64_t nowPs)
{
    m_p = m_parameters.Get();
    RequirePath();
    TakeOver();
    m_rate = static_cast<double>(m_path.lineRateBps);
    m_rttPs = m_rttDiffPs = 0;
    m_updatedPs = nowPs;
    m_roundEndPsn = m_ackedPsn = 0;
    m_segmentBytes = m_haiCount = 0;
    Publish();
}

void
Timely::TakeOver()
{
    const TimelyParams& p = *m_p;
    m_delta = p.deltaBps > 0 ? p.deltaBps : 1e-3 * static_cast<double>(m_path.lineRateBps);
    m_minRttPs =
        static_cast<double>(p.minRttPs ? p.minRttPs : std::max(m_path.baseRttPs, p.minRttFloorPs));
}

void
Timely::OnRetune(const TimelyParams&, int64_t)
{
    TakeOver();
    Publish();
}

std::string
Timely::GetWarning() const
{
    const TimelyParams& p = *m_p;
    if (p.thresholdsFromBaseRtt || m_path.baseRttPs <= p.tHighPs)
    {
        return "";
    }
    return "THigh is " + std::to_string(p.tHighPs / 1000) + " ns, but the empty path takes " +
           std::to_string(m_path.baseRttPs / 1000) +
           " ns: its rate falls to MinRate; ThresholdsFromBaseRtt=true counts from the base RTT";
}

bool
Timely::IsUpdateDue(const AckInfo& ack)
{
    switch (m_p->mode)
    {
    case TimelyMode::PER_RTT:
        if (ack.ackPsn <= m_roundEndPsn || ack.rttPs <= 0)
        {
            return false;
        }
        m_roundEndPsn = ack.sndNxtPsn;
        return true;
    case TimelyMode::PER_SEGMENT:
        if (ack.isNak)
        {
            return false; // refused data is no completion
        }
        m_segmentBytes = static_cast<uint32_t>(
            std::min<uint64_t>(m_segmentBytes + ack.ackedBytes, m_p->segmentBytes));
        if (m_segmentBytes < m_p->segmentBytes || ack.rttPs <= 0)
        {
            return false;
        }
        m_segmentBytes = 0;
        return true;
    case TimelyMode::PER_ACK:
        break;
    }
    return ack.rttPs > 0;
}

void
Timely::OnAck(const AckInfo& ack)
{
    m_ackedPsn = std::max(m_ackedPsn, ack.ackPsn);
    if (ack.isNak)
    {
        Rewind(ack.ackPsn);
    }
    if (!IsUpdateDue(ack))
    {
        return;
    }
    auto rttPs = static_cast<double>(ack.rttPs);
    if (m_p->subtractSerialisation)
    {
        rttPs -= m_path.fullFrameBytes * 8e12 / static_cast<double>(m_path.lineRateBps);
        rttPs = std::max(rttPs, 1.0); // a short frame on an empty path
    }
    double scale = 1;
    if (m_p->mode == TimelyMode::PER_ACK)
    {
        scale = std::min(1.0, static_cast<double>(ack.nowPs - m_updatedPs) / m_minRttPs);
    }
    m_updatedPs = ack.nowPs;
    if (m_rttPs > 0)
    {
        Update(rttPs, scale);
    }
    m_rttPs = rttPs;
}

void
Timely::Update(double rttPs, double scale)
{
    const TimelyParams& p = *m_p;
    const double differencePs = rttPs - m_rttPs;
    m_rttDiffPs = (1 - p.alpha) * m_rttDiffPs + p.alpha * differencePs;
    const double gradient = GetGradient();
    const auto offsetPs = static_cast<double>(p.thresholdsFromBaseRtt ? m_path.baseRttPs : 0);
    const double tLowPs = offsetPs + static_cast<double>(p.tLowPs);
    const double tHighPs = offsetPs + static_cast<double>(p.tHighPs);
    const double before = m_rate;

    const bool low = rttPs < tLowPs;
    const bool rises = low || (rttPs <= tHighPs && gradient <= 0);
    const bool counts = p.haiByDifference ? differencePs < 0 : rises && (!low || p.haiBelowTLow);
    m_haiCount = counts ? m_haiCount + (m_haiCount < UINT32_MAX) : 0;

    if (!low && rttPs <= tHighPs && p.patched)
    {
        UpdatePatched(rttPs, tLowPs, gradient, scale);
    }
    else if (rises)
    {
        const bool hyper =
            p.haiThreshold && m_haiCount >= p.haiThreshold && (!low || p.haiBelowTLow);
        m_rate += (hyper ? p.haiFactor : 1) * m_delta * scale;
    }
    else if (rttPs > tHighPs)
    {
        m_rate *= 1 - scale * p.beta * (1 - tHighPs / rttPs);
    }
    else
    {
        m_rate *= 1 - scale * p.beta * gradient;
    }
    if (p.mode == TimelyMode::PER_ACK)
    {
        m_rate = std::max(m_rate, before / 2);
    }
    Publish();
}

void
Timely::UpdatePatched(double rttPs, double tLowPs, double gradient, double scale)
{
    const double weight = std::min(std::max(2 * gradient + 0.5, 0.0), 1.0);
    const double error = (rttPs - tLowPs) / tLowPs;
    m_rate *= 1 - scale * m_p->beta * weight * error;
    m_rate += scale * (1 - weight) * m_delta;
}

void
Timely::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"rtt_gradient", GetGradient()},
                      {"rtt_ns", m_rttPs / 1000},
                      {"hai_count", static_cast<double>(m_haiCount)}});
}

void
Timely::OnTimeout(int64_t)
{
    Rewind(m_ackedPsn);
}

void
Timely::Rewind(uint64_t psn)
{
    m_roundEndPsn = std::min(m_roundEndPsn, psn);
    m_segmentBytes = 0;
}

void
Timely::Publish()
{
    const auto line = static_cast<double>(m_path.lineRateBps);
    const double floor = m_p->minRateBps > 0 ? m_p->minRateBps : m_delta;
    m_rate = std::min(std::max(m_rate, floor), line);
    m_rateBps = std::max<uint64_t>(1, static_cast<uint64_t>(m_rate));
    if (m_p->bdpWindow)
    {
        const auto window = static_cast<uint64_t>(m_path.BdpBytes() * (m_rate / line));
        m_windowBytes = std::max<uint64_t>({window, m_path.fullFrameBytes, 1});
    }
}

} // namespace ns3::roce
