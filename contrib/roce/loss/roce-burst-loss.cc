// SPDX-License-Identifier: GPL-2.0-only
#include "roce-burst-loss.h"

#include "ns3/double.h"
#include "ns3/roce-input-error.h"

#include <sstream>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(BurstLoss);

namespace
{

constexpr double MEAN_BURST = 3; //!< default

} // namespace

TypeId
BurstLoss::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::BurstLoss")
            .SetParent<LossModel>()
            .SetGroupName("Roce")
            .AddConstructor<BurstLoss>()
            .AddAttribute("LossRate",
                          "Mean loss rate over both states; unless GoodToBad is given",
                          DoubleValue(0),
                          MakeDoubleAccessor(&BurstLoss::m_lossRate),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MeanBurst",
                          "Mean number of frames in the bad state; unless BadToGood is given",
                          DoubleValue(MEAN_BURST),
                          MakeDoubleAccessor(&BurstLoss::m_meanBurst),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("GoodToBad",
                          "Probability for each frame to leave the good state; 0: from LossRate",
                          DoubleValue(0),
                          MakeDoubleAccessor(&BurstLoss::m_goodToBad),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("BadToGood",
                          "Probability for each frame to leave the bad state; 0: 1/MeanBurst",
                          DoubleValue(0),
                          MakeDoubleAccessor(&BurstLoss::m_badToGood),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("LossGood",
                          "Loss probability in the good state",
                          DoubleValue(0),
                          MakeDoubleAccessor(&BurstLoss::m_lossGood),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("LossBad",
                          "Loss probability in the bad state",
                          DoubleValue(1),
                          MakeDoubleAccessor(&BurstLoss::m_lossBad),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

BurstLoss::Chain
BurstLoss::MakeChain() const
{
    Chain chain{{m_goodToBad, m_badToGood > 0 ? m_badToGood : 1 / m_meanBurst},
                {m_lossGood, m_lossBad}};
    const auto refuse = [this](const std::string& what) {
        std::ostringstream text;
        text << "ns3::roce::BurstLoss: LossRate is " << m_lossRate << ", expected " << what;
        throw InputError(text.str());
    };
    if (m_badToGood > 0 && m_meanBurst != MEAN_BURST)
    {
        throw InputError("ns3::roce::BurstLoss: MeanBurst and BadToGood are both given, expected "
                         "one of them");
    }
    if (m_goodToBad > 0)
    {
        if (m_lossRate > 0)
        {
            refuse("0 if GoodToBad is given");
        }
        return chain;
    }
    if (m_lossRate == 0 && m_lossGood == 0)
    {
        return chain; // never leaves the good state
    }
    if (m_lossGood >= m_lossBad || m_lossRate < m_lossGood || m_lossRate >= m_lossBad)
    {
        refuse("LossGood <= LossRate < LossBad");
    }
    const double bad = (m_lossRate - m_lossGood) / (m_lossBad - m_lossGood);
    chain.leave[0] = chain.leave[1] * bad / (1 - bad);
    if (chain.leave[0] > 1)
    {
        refuse("less, or a larger MeanBurst: the good state would last less than one frame");
    }
    return chain;
}

void
BurstLoss::Check() const
{
    MakeChain();
}

bool
BurstLoss::CanLose() const
{
    return GetMeanLossRate() > 0;
}

double
BurstLoss::GetMeanLossRate() const
{
    const Chain chain = MakeChain();
    return (chain.leave[0] * chain.loss[1] + chain.leave[1] * chain.loss[0]) /
           (chain.leave[0] + chain.leave[1]);
}

void
BurstLoss::Restart()
{
    m_started = false;
}

void
BurstLoss::Enter(bool bad)
{
    m_bad = bad;
    m_stay = DrawGeometric(m_chain.leave[bad]);
    m_stay += m_stay != NEVER; // the frame after which it is left still belongs to it
    m_survivors = DrawGeometric(m_chain.loss[bad]);
}

bool
BurstLoss::DoIsLost(const Frame&, int64_t)
{
    if (!m_started)
    {
        m_started = true;
        m_chain = MakeChain();
        Enter(DrawUniform() <= m_chain.leave[0] / (m_chain.leave[0] + m_chain.leave[1]));
    }
    else if (m_stay == 0)
    {
        Enter(!m_bad);
    }
    --m_stay;
    if (m_survivors)
    {
        --m_survivors;
        return false;
    }
    m_survivors = DrawGeometric(m_chain.loss[m_bad]);
    return true;
}

} // namespace ns3::roce
