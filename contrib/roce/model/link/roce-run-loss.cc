/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-run-loss.h"

#include "ns3/double.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"

#include <cmath>
#include <numeric>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(RunLoss);

namespace
{

// Defaults of profile none.
constexpr double START_RATE = 1e-4;
const char* const BURST_SIZES = "1";

} // namespace

TypeId
RunLoss::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::RunLoss")
            .SetParent<LossModel>()
            .SetGroupName("Roce")
            .AddConstructor<RunLoss>()
            .AddAttribute("Profile",
                          "uno-setup1 or uno-setup2; none: StartRate and BurstSizes are used",
                          StringValue("uno-setup1"),
                          MakeStringAccessor(&RunLoss::m_profile),
                          MakeStringChecker())
            .AddAttribute("StartRate",
                          "Profile none: probability that a frame outside a run starts one",
                          DoubleValue(START_RATE),
                          MakeDoubleAccessor(&RunLoss::m_startRateAttribute),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("BurstSizes",
                          "Profile none: probabilities of runs of 1, 2, ... frames, with commas",
                          StringValue(BURST_SIZES),
                          MakeStringAccessor(&RunLoss::m_burstSizes),
                          MakeStringChecker());
    return tid;
}

void
RunLoss::Resolve(double& startRate, std::vector<double>& sizes) const
{
    if (m_profile != "none" && (m_startRateAttribute != START_RATE || m_burstSizes != BURST_SIZES))
    {
        throw InputError("ns3::roce::RunLoss: Profile is '" + m_profile +
                         "', expected none with StartRate or BurstSizes");
    }
    if (m_profile == "uno-setup1")
    {
        startRate = 3.8318e-5;
        sizes = {0.74296, 0.20599, 0.05104};
        return;
    }
    if (m_profile == "uno-setup2")
    {
        startRate = 6.3917e-6;
        sizes = {0.53135, 0.37331, 0.09534};
        return;
    }
    if (m_profile != "none")
    {
        throw InputError("ns3::roce::RunLoss: Profile is '" + m_profile +
                         "', expected uno-setup1, uno-setup2 or none");
    }
    startRate = m_startRateAttribute;
    sizes = ParseProbabilities("ns3::roce::RunLoss: BurstSizes", m_burstSizes);
    if (std::fabs(std::accumulate(sizes.begin(), sizes.end(), 0.0) - 1) > 1e-3)
    {
        throw InputError("ns3::roce::RunLoss: BurstSizes is '" + m_burstSizes +
                         "', expected numbers whose sum is 1");
    }
}

void
RunLoss::Check() const
{
    double startRate;
    std::vector<double> sizes;
    Resolve(startRate, sizes);
}

bool
RunLoss::CanLose() const
{
    double startRate;
    std::vector<double> sizes;
    Resolve(startRate, sizes);
    return startRate > 0;
}

void
RunLoss::Restart()
{
    m_started = false;
}

bool
RunLoss::DoIsLost(const Frame&, int64_t)
{
    if (!m_started)
    {
        m_started = true;
        Resolve(m_startRate, m_sizes);
        m_survivors = DrawGeometric(m_startRate);
        m_lose = 0;
    }
    if (m_survivors)
    {
        --m_survivors;
        return false;
    }
    if (!m_lose)
    {
        m_lose = DrawIndex(m_sizes) + 1;
    }
    if (--m_lose == 0)
    {
        m_survivors = DrawGeometric(m_startRate);
    }
    return true;
}

} // namespace roce
} // namespace ns3
