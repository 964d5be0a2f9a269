// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc-dqm.h"

#include <cmath>

namespace ns3::roce
{

namespace
{

/// A token that is so close to 1 has reached it: 0.5 + 0.5, 5 times 0.2.
constexpr double ROUNDING = 1e-12;

/// @brief Replace the oldest entry of a ring and keep the sum up to date.
void
Replace(std::vector<int64_t>& ring, uint32_t& next, int64_t& sum, double value)
{
    const int64_t whole = std::llround(value);
    sum += whole - ring[next];
    ring[next] = whole;
    next = next + 1 == ring.size() ? 0 : next + 1;
}

} // namespace

uint32_t
MlccDqm::Rounds(int64_t crossRttPs, int64_t roundRttPs)
{
    const double n = static_cast<double>(crossRttPs) / static_cast<double>(roundRttPs);
    return static_cast<uint32_t>(std::lround(std::clamp(n, 1.0, static_cast<double>(MOST_ROUNDS))));
}

void
MlccDqm::Start(const Settings& settings, const Path& path, int64_t nowPs)
{
    m_settings = settings;
    m_path = path;
    m_n = Rounds(path.crossRttPs, path.roundRttPs);
    m_suggested.assign(m_n, 0);
    m_credits.assign(CREDITS, 0);
    m_steps.assign(settings.dwWindow == DwWindow::SLIDING ? m_n : 0, 0);
    m_suggestedSum = m_creditSum = m_stepSum = 0;
    m_nextSuggested = m_nextCredit = m_nCredits = m_part = 0;
    m_startPs = nowPs;
    m_partPs = static_cast<double>(path.crossRttPs) / m_n;
    m_partEnd = m_partPs;
    m_creditBps = m_targetBps = m_smoothedBps = path.lineBps;
    m_preBps = m_queueAhead = m_delayPs = m_gain = m_token = m_dw = 0;
}

void
MlccDqm::Retune(const Settings& settings, double minBps)
{
    m_settings.alpha = settings.alpha;
    m_settings.thetaPs = settings.thetaPs;
    m_settings.targetPs = settings.targetPs;
    m_path.minBps = minBps;
}

void
MlccDqm::AdvanceHistory(int64_t nowPs)
{
    const auto now = static_cast<double>(nowPs - m_startPs);
    if (!m_nCredits)
    {
        const int64_t line = std::llround(m_path.lineBps);
        std::fill(m_suggested.begin(), m_suggested.end(), line);
        m_suggestedSum = line * m_n;
        m_suggestedEnd = now + m_partPs;
        return;
    }
    // A round of the loop's empty round trip is a part, but for the rounding of n.
    const double parts = std::floor((now - m_suggestedEnd) / m_partPs + 0.5) + 1;
    if (parts < 1)
    {
        return;
    }
    m_suggestedEnd += parts * m_partPs;
    for (double i = 0; i < std::min(parts, static_cast<double>(m_n)); ++i)
    {
        Replace(m_suggested, m_nextSuggested, m_suggestedSum, m_smoothedBps);
    }
}

void
MlccDqm::Round(double creditBps, uint64_t queueBytes, int64_t nowPs)
{
    AdvanceHistory(nowPs);
    m_creditBps = creditBps;
    Replace(m_credits, m_nextCredit, m_creditSum, creditBps);
    m_nCredits = std::min(m_nCredits + 1, CREDITS);

    m_preBps = static_cast<double>(m_suggestedSum) / m_n;
    m_queueAhead = QueueAhead(m_preBps,
                              creditBps,
                              static_cast<double>(m_path.crossRttPs),
                              static_cast<double>(queueBytes));
    const double meanCredit = static_cast<double>(m_creditSum) / m_nCredits;
    m_delayPs = DelayAhead(m_queueAhead, std::max(meanCredit, 1.0));
    if (!m_settings.holds || m_delayPs > m_settings.targetPs)
    {
        const double target =
            TargetRate(creditBps, m_delayPs, m_settings.targetPs, m_settings.thetaPs);
        m_targetBps = std::clamp(target, 0.0, m_path.lineBps);
    }
    m_gain = std::min(m_settings.alpha * m_targetBps / creditBps, 1.0);
    SetSmoothed();
}

void
MlccDqm::AdvanceWindow(int64_t nowPs)
{
    const auto now = static_cast<double>(nowPs - m_startPs);
    if (now < m_partEnd)
    {
        return;
    }
    const auto parts = static_cast<uint64_t>((now - m_partEnd) / m_partPs) + 1;
    m_partEnd += static_cast<double>(parts) * m_partPs;
    for (uint64_t i = 0; i < std::min<uint64_t>(parts, m_steps.size()); ++i)
    {
        m_part = m_part + 1 == m_n ? 0 : m_part + 1;
        m_stepSum -= m_steps[m_part];
        m_steps[m_part] = 0;
    }
}

int
MlccDqm::Step()
{
    m_token += m_gain;
    if (m_token >= 1 - ROUNDING)
    {
        m_token = std::max(m_token - 1, 0.0);
        return 1;
    }
    return -1;
}

int
MlccDqm::LiteralStep()
{
    // A loop in the paper; with a gain of 0 it would not end.
    if (m_token < 1 - ROUNDING && m_gain > 0)
    {
        m_token += m_gain * std::ceil((1 - m_token) / m_gain - ROUNDING);
    }
    return m_token > 1 + ROUNDING ? 1 : -1;
}

void
MlccDqm::OnPacket(int64_t nowPs)
{
    if (!m_nCredits)
    {
        return;
    }
    AdvanceWindow(nowPs);
    const int step = m_settings.literalToken ? LiteralStep() : Step();
    if (m_settings.dwWindow == DwWindow::SLIDING)
    {
        m_steps[m_part] += step;
        m_stepSum += step;
    }
    else
    {
        m_dw += step;
    }
    SetSmoothed();
}

void
MlccDqm::SetSmoothed()
{
    const double lowest = std::min(m_path.minBps, m_path.lineBps);
    const double stepBps = m_path.stepBytes * 8e12 / static_cast<double>(m_path.crossRttPs);
    const double dw =
        m_settings.dwWindow == DwWindow::SLIDING ? static_cast<double>(m_stepSum) : m_dw;
    m_smoothedBps = std::clamp(m_creditBps + dw * stepBps, lowest, m_path.lineBps);
    // It stays within the bounds of Rbar.
    m_dw = std::clamp(dw,
                      std::min((lowest - m_creditBps) / stepBps, 0.0),
                      std::max((m_path.lineBps - m_creditBps) / stepBps, 0.0));
}

} // namespace ns3::roce
