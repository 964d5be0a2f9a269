// SPDX-License-Identifier: GPL-2.0-only
#include "roce-loss-model.h"

#include "ns3/boolean.h"

#include <cmath>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(LossModel);

TypeId
LossModel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::LossModel")
                            .SetParent<Object>()
                            .SetGroupName("Roce")
                            .AddAttribute("AffectsPfc",
                                          "Pause frames are lost like all others",
                                          BooleanValue(true),
                                          MakeBooleanAccessor(&LossModel::m_affectsPfc),
                                          MakeBooleanChecker());
    return tid;
}

LossModel::LossModel()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

LossModel::~LossModel() = default;

int64_t
LossModel::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    Restart();
    return 1;
}

void
LossModel::Check() const
{
}

double
LossModel::DrawUniform()
{
    // One number of the generator has 32 bits only: too coarse for rare losses.
    constexpr double STEP = 1.0 / 4294967296.0;
    const double high = std::floor(m_random->GetValue() / STEP);
    return (high + (1 - m_random->GetValue())) * STEP;
}

uint64_t
LossModel::DrawGeometric(double p)
{
    if (p <= 0)
    {
        return NEVER;
    }
    if (p >= 1)
    {
        return 0;
    }
    // P(n >= k) = (1-p)^k.
    const double n = std::floor(std::log(DrawUniform()) / std::log1p(-p));
    return n < 9e18 ? static_cast<uint64_t>(n) : NEVER;
}

std::size_t
LossModel::DrawIndex(const std::vector<double>& probabilities)
{
    double u = DrawUniform();
    for (std::size_t i = 0; i + 1 < probabilities.size(); ++i)
    {
        u -= probabilities[i];
        if (u <= 0)
        {
            return i;
        }
    }
    return probabilities.size() - 1;
}

} // namespace ns3::roce
