// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wrcc-port-rate.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

namespace
{

constexpr double LEAST_LEVEL = 2;     //!< of AutoParm: alpha 1/2
constexpr double GREATEST_LEVEL = 64; //!< alpha 1/64

/// The quotient, or what a switch that can only shift makes of it.
double
Divide(const WrccPortRate::Config& config, double x, double y)
{
    if (!config.shiftDivision)
    {
        return x / y;
    }
    int exponent;
    const double mantissa = std::frexp(y, &exponent); // 0.5 <= mantissa < 1
    return std::ldexp(x, mantissa < 0.75 ? 1 - exponent : -exponent);
}

} // namespace

void
WrccPortRate::Start(const Config& config, double lineRateBps)
{
    *this = WrccPortRate();
    m_lineRateBps = lineRateBps;
    m_rateBps = config.fMaxBps;
}

double
WrccPortRate::AutoAlpha(const Config& config, double targetBps, double inputBps, double rateBps)
{
    double level = LEAST_LEVEL;
    if ((config.alphaByInput ? inputBps : rateBps) < targetBps)
    {
        double interval = targetBps - inputBps;
        if (config.alphaByDistance)
        {
            interval = std::abs(interval);
        }
        while (interval < targetBps / level && level < GREATEST_LEVEL)
        {
            level *= 2;
        }
    }
    return 1 / level;
}

double
WrccPortRate::ExtraBytes(const Config& config, const Period& period) const
{
    const auto queue = static_cast<double>(period.queueBytes);
    const auto limit = static_cast<double>(period.thresholdBytes);
    // Without inputs Q_max would be 0 and any queue beyond it.
    if (!period.hasInputs || queue < config.qRatio * limit)
    {
        return 0;
    }
    switch (config.qExtra)
    {
    case QExtra::EXCESS:
        return queue - config.qRatio * limit;
    case QExtra::PRINTED:
        return limit - queue;
    case QExtra::QP_MINUS_QMAX:
        return queue - limit;
    case QExtra::FULL_QUEUE:
        return queue;
    }
    return 0;
}

double
WrccPortRate::TargetBps(const Config& config, uint64_t queueBytes, uint64_t sentBytes) const
{
    const double target = m_lineRateBps * config.targetUtilization;
    if (!config.effectiveDrain || !queueBytes)
    {
        return target;
    }
    const double drain =
        Divide(config, static_cast<double>(sentBytes) * 8e12, static_cast<double>(config.periodPs));
    return std::min(std::max(drain, config.fMinBps), target);
}

/// Equation 2: what R is multiplied with.
double
WrccPortRate::Factor(const Config& config, double targetBps, double rttPs)
{
    m_alpha = AutoAlpha(config, targetBps, m_inputBps, m_rateBps);
    const double beta = m_alpha / 2;
    const double drainBps = Divide(config, m_extraBytes * 8e12, rttPs);
    const double step = m_alpha * (targetBps - m_inputBps) - beta * drainBps;
    return 1 + Divide(config, static_cast<double>(config.periodPs), rttPs) *
                   Divide(config, step, targetBps);
}

/// Whether what the last division has changed is here by the end of this period.
bool
WrccPortRate::MayDivide(const Config& config, int64_t index) const
{
    if (config.mdGating == MdGating::EVERY_PERIOD)
    {
        return true;
    }
    const double delayUs = config.mdGating == MdGating::PER_LOOP ? m_avgLoopUs : m_avgRttUs;
    const auto periodPs = static_cast<double>(config.periodPs);
    return static_cast<double>(index - m_lastMd) * periodPs >= std::max(delayUs * 1e6, periodPs);
}

void
WrccPortRate::Update(const Config& config, const Period& period, int64_t index)
{
    const auto periodPs = static_cast<double>(config.periodPs);
    m_queueBytes = period.queueBytes;
    m_thresholdBytes = period.thresholdBytes;
    m_pauses = period.pauses;
    m_inputBps = Divide(config, static_cast<double>(period.inputBytes) * 8e12, periodPs);
    if (period.packets)
    {
        const bool isFirst = m_avgRttUs == 0;
        const auto average = [&](double before, uint64_t sumUs) {
            const double mean =
                Divide(config, static_cast<double>(sumUs), static_cast<double>(period.packets));
            return isFirst ? mean : (1 - config.lambda) * before + config.lambda * mean;
        };
        m_avgRttUs = average(m_avgRttUs, period.rttSumUs);
        m_avgLoopUs = average(m_avgLoopUs, period.loopSumUs);
    }
    const double rttPs = std::max(m_avgRttUs * 1e6, periodPs);
    const double target = TargetBps(config, period.queueBytes, period.sentBytes);
    m_slowDown = Divide(config, m_inputBps, target);
    if (period.pauses)
    {
        m_slowDown = std::max(m_slowDown, config.pfcSlowDown);
    }
    m_extraBytes = ExtraBytes(config, period);
    if (m_slowDown < config.rateRatio)
    {
        m_branch = Branch::AI;
        m_rateBps *= Factor(config, target, rttPs);
    }
    else if (MayDivide(config, index))
    {
        m_branch = Branch::MD;
        m_alpha = 0;
        m_rateBps = Divide(config, m_rateBps, m_slowDown);
        m_lastMd = index;
    }
    else
    {
        m_branch = Branch::HOLD;
        m_alpha = 0;
    }
    m_rateBps = std::min(std::max(m_rateBps, config.fMinBps), config.fMaxBps);
}

void
WrccPortRate::Rest(const Config& config, uint64_t queueBytes, int64_t index, int64_t n)
{
    Period nothing;
    nothing.queueBytes = queueBytes;
    Update(config, nothing, index);
    // Nothing of the factor changes from one such period to the next.
    const double rttPs = std::max(m_avgRttUs * 1e6, static_cast<double>(config.periodPs));
    const double factor = Factor(config, TargetBps(config, queueBytes, 0), rttPs);
    while (--n > 0 && m_rateBps < config.fMaxBps)
    {
        m_rateBps = std::min(m_rateBps * factor, config.fMaxBps);
    }
}

} // namespace ns3::roce
