// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-loss.h"

#include "ns3/roce-input-error.h"

#include <cmath>
#include <numeric>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(RunLoss);

const ParameterTable<RunLossParams>&
RunLossParams::Table()
{
    using P = RunLossParams;
    static const auto table =
        ParameterTable<P>("ns3::roce::RunLoss", {"none"})
            .Number("StartRate",
                    &P::startRate,
                    {1e-4},
                    Range::Within(0, 1),
                    "Probability that a frame outside a run starts one")
            .Text("BurstSizes",
                  &P::burstSizes,
                  {"1"},
                  "Probabilities of runs of 1, 2, ... frames, with commas")
            .Finish([](P& p, const Parameters<P>&) {
                p.sizes =
                    LossModel::ParseProbabilities("ns3::roce::RunLoss: BurstSizes", p.burstSizes);
                Table().Require(
                    std::fabs(std::accumulate(p.sizes.begin(), p.sizes.end(), 0.0) - 1) <= 1e-3,
                    "BurstSizes",
                    "'" + p.burstSizes + "'",
                    "numbers whose sum is 1");
            });
    return table;
}

void
RunLoss::Check() const
{
    m_parameters.Get();
}

bool
RunLoss::CanLose() const
{
    return m_parameters.Get()->startRate > 0;
}

void
RunLoss::Restart()
{
    m_p = nullptr;
}

bool
RunLoss::DoIsLost(const Frame&, int64_t)
{
    if (!m_p)
    {
        m_p = m_parameters.Get();
        m_survivors = DrawGeometric(m_p->startRate);
        m_lose = 0;
    }
    if (m_survivors)
    {
        --m_survivors;
        return false;
    }
    if (!m_lose)
    {
        m_lose = DrawIndex(m_p->sizes) + 1;
    }
    if (--m_lose == 0)
    {
        m_survivors = DrawGeometric(m_p->startRate);
    }
    return true;
}

} // namespace ns3::roce
