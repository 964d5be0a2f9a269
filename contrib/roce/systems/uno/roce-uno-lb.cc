// SPDX-License-Identifier: GPL-2.0-only
#include "roce-uno-lb.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(UnoLb);

namespace
{

/// Target = healthy: age of an ACK that makes a subflow healthy, base RTTs. The paper has
/// "recently".
constexpr double RECENT_RTTS = 1.5;
/// Move = stale: age of the last ACK beyond which a subflow moves, base RTTs (authors' simulator).
constexpr double STALE_RTTS = 0.5;

} // namespace

const ParameterTable<UnoLbParams>&
UnoLbParams::Table()
{
    using P = UnoLbParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::UnoLb", {"paper", "artifact"})
            .Count("Subflows", &P::subflows, {10}, Range::Within(1, 256))
            .Help("Entropies of a flow, used in turn")
            .Choice("Move", &P::stale, {false, true}, {{"implicated", false}, {"stale", true}})
            .Help("Which subflows a loss moves: implicated (one that lost something) or stale (all "
                  "without recent ACK)")
            .Choice("Target", &P::fresh, {false, true}, {{"healthy", false}, {"fresh", true}})
            .Help("Where a subflow moves: healthy (as a subflow with a recent ACK) or fresh (a new "
                  "random entropy)")
            .Choice("GateScope", &P::gatePerSubflow, {true}, {{"flow", false}, {"subflow", true}})
            .Help("The time between two moves is per flow or subflow")
            .Flag("OnCoveredLoss", &P::heedsCovered, {false, true})
            .Help("A loss that the code has repaired moves a subflow without recent ACK")
            .Number("Gate", &P::gateRtts, {1}, Range::Within(0, 1e6))
            .Help("Least time between two moves, base RTTs")
            .Constants({{"RecentRtts", kind::Number::Print(RECENT_RTTS)},
                        {"StaleRtts", kind::Number::Print(STALE_RTTS)}});
    return table;
}

Ptr<PathSelector>
UnoLb::Fork() const
{
    return CopyObject<UnoLb>(this);
}

void
UnoLb::DoStart(const PathInfo& path)
{
    m_p = m_parameters.Get();
    const auto rtts = [&path](double n) {
        return static_cast<int64_t>(std::min(n * static_cast<double>(path.baseRttPs), 1e18));
    };
    m_gatePs = rtts(m_p->gateRtts);
    m_recentPs = rtts(RECENT_RTTS);
    m_stalePs = rtts(STALE_RTTS);
    m_subflows.assign(m_p->subflows, Subflow());
    for (Subflow& subflow : m_subflows)
    {
        subflow.entropy = DrawEntropy();
    }
}

uint16_t
UnoLb::Select(int64_t, uint64_t)
{
    const uint32_t i = m_next;
    m_next = i + 1 == m_p->subflows ? 0 : i + 1;
    return m_subflows[i].entropy;
}

void
UnoLb::OnAck(const AckInfo& ack)
{
    if (ack.ackedPackets)
    {
        for (Subflow& subflow : m_subflows) // copies share an entropy
        {
            if (subflow.entropy == ack.entropy)
            {
                subflow.lastAckPs = ack.nowPs;
            }
        }
    }
    if (ack.isLoss)
    {
        Suspect(ack.nowPs);
    }
}

void
UnoLb::OnLoss(uint16_t entropy, int64_t)
{
    m_lost = true;
    for (Subflow& subflow : m_subflows) // none, if it has moved since
    {
        subflow.suspect |= subflow.entropy == entropy;
    }
}

void
UnoLb::OnCoveredLoss(uint16_t entropy, int64_t nowPs)
{
    if (!m_p->heedsCovered)
    {
        return;
    }
    bool isSilent = m_p->stale; // moves silent subflows itself
    for (Subflow& subflow : m_subflows)
    {
        if (subflow.entropy == entropy && !IsRecent(subflow, nowPs))
        {
            subflow.suspect = m_lost = isSilent = true;
        }
    }
    if (isSilent)
    {
        Suspect(nowPs);
    }
}

void
UnoLb::OnTimeout(int64_t nowPs)
{
    Suspect(nowPs);
}

bool
UnoLb::IsRecent(const Subflow& subflow, int64_t nowPs) const
{
    return subflow.lastAckPs != INT64_MIN && nowPs - subflow.lastAckPs <= m_recentPs;
}

bool
UnoLb::IsOpen(int64_t lastMovePs, int64_t nowPs) const
{
    return lastMovePs == INT64_MIN || nowPs - lastMovePs > m_gatePs;
}

void
UnoLb::Suspect(int64_t nowPs)
{
    const bool flowOpen = IsOpen(m_lastMovePs, nowPs); // for all that move now
    Subflow* oldest = nullptr;
    for (Subflow& subflow : m_subflows)
    {
        const bool isOld = subflow.lastAckPs == INT64_MIN || nowPs - subflow.lastAckPs > m_stalePs;
        const bool isMeant = m_p->stale ? isOld : subflow.suspect || !m_lost;
        if (!isMeant || !(m_p->gatePerSubflow ? IsOpen(subflow.lastMovePs, nowPs) : flowOpen))
        {
            continue;
        }
        if (m_p->stale || m_p->gatePerSubflow)
        {
            MoveSubflow(subflow, nowPs);
        }
        else if (!oldest || subflow.lastAckPs < oldest->lastAckPs)
        {
            oldest = &subflow;
        }
    }
    if (oldest)
    {
        MoveSubflow(*oldest, nowPs);
    }
    m_lost = false;
    for (Subflow& subflow : m_subflows)
    {
        subflow.suspect = false;
    }
}

const UnoLb::Subflow*
UnoLb::DrawHealthy(uint16_t avoid, int64_t nowPs)
{
    const auto isHealthy = [&](const Subflow& subflow) {
        return !subflow.suspect && subflow.entropy != avoid && IsRecent(subflow, nowPs);
    };
    const auto count =
        static_cast<uint64_t>(std::count_if(m_subflows.begin(), m_subflows.end(), isHealthy));
    if (!count)
    {
        return nullptr;
    }
    uint64_t chosen = Draw() % count;
    const auto found = std::find_if(m_subflows.begin(), m_subflows.end(), [&](const Subflow& s) {
        return isHealthy(s) && chosen-- == 0;
    });
    return &*found;
}

void
UnoLb::MoveSubflow(Subflow& subflow, int64_t nowPs)
{
    const Subflow* healthy = m_p->fresh ? nullptr : DrawHealthy(subflow.entropy, nowPs);
    subflow.entropy = healthy ? healthy->entropy : DrawEntropy();
    subflow.lastAckPs = healthy ? healthy->lastAckPs : INT64_MIN;
    subflow.suspect = false;
    subflow.lastMovePs = nowPs;
    m_lastMovePs = nowPs;
    ++m_moves;
}

std::vector<uint16_t>
UnoLb::GetEntropies() const
{
    std::vector<uint16_t> entropies;
    for (const Subflow& subflow : m_subflows)
    {
        entropies.push_back(subflow.entropy);
    }
    return entropies;
}

} // namespace ns3::roce
