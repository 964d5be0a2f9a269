// SPDX-License-Identifier: GPL-2.0-only
#include "roce-random-loss.h"

#include "ns3/double.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(RandomLoss);

TypeId
RandomLoss::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::RandomLoss")
            .SetParent<LossModel>()
            .SetGroupName("Roce")
            .AddConstructor<RandomLoss>()
            .AddAttribute("Rate",
                          "Probability that a frame is lost",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RandomLoss::SetRate, &RandomLoss::GetRate),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

bool
RandomLoss::CanLose() const
{
    return m_rate > 0;
}

void
RandomLoss::SetRate(double rate)
{
    m_rate = rate;
    Restart();
}

double
RandomLoss::GetRate() const
{
    return m_rate;
}

void
RandomLoss::Restart()
{
    // Geometric numbers have no memory: drawing again in the middle changes no distribution.
    m_drawn = false;
}

bool
RandomLoss::DoIsLost(const Frame&, int64_t)
{
    if (!m_drawn)
    {
        m_survivors = DrawGeometric(m_rate);
        m_drawn = true;
    }
    if (m_survivors)
    {
        --m_survivors;
        return false;
    }
    m_survivors = DrawGeometric(m_rate);
    return true;
}

} // namespace ns3::roce
