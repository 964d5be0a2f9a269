// SPDX-License-Identifier: GPL-2.0-only
#include "roce-dcqcn-plus-params.h"

#include "roce-dcqcn-plus.h"

#include "ns3/roce-time.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(DcqcnPlus);

namespace
{

constexpr double LONGEST_PS = 1e12;  //!< for a parameter; more makes no sense
constexpr double GREATEST_SHARE = 1; //!< of a rate

/// What DCQCN would have a parameter for.
void
FinishDcqcnPlus(DcqcnPlusParams& p, const Parameters<DcqcnPlusParams>&)
{
    p.alphaPeriodPs = p.timeResetPs = 1; // each CNP sets them again
    p.alphaFreeRunning = p.cutFreeRunning = false;
    p.cutPeriodPs = 0; // a cut on each CNP
    p.byteResetBytes = 0;
    p.aiRateBps = p.haiRateBps = 0; // see DcqcnPlus::GetStep()
    p.aiPer25G = p.haiPer25G = p.hyperMultiplier = false;
    p.timeOnlyStages = true;
    p.gd = 11; // alpha / 2
    p.minDecFac = 0;
    p.clamp = DcqcnClamp::ALWAYS;
    p.alphaBeforeCut = true;
    p.firstCnpRateBps = 0;
    p.firstCnpFraction = 1;
    p.release = p.cnpInAck = p.tenBitAlpha = p.bdpWindow = false;
}

} // namespace

/*
 * All values: A2, the second simulator of PARALEON's authors (ParaleonPlus, rdma-hw.h and
 * rdma-hw.cc). The paper of DCQCN+ itself was not at hand.
 */
const ParameterTable<DcqcnPlusParams>&
DcqcnPlusParams::Table()
{
    using P = DcqcnPlusParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::DcqcnPlus")
            .Duration("MinTimeBetweenCnps",
                      &P::minTimeBetweenCnpsPs,
                      {45 * PS_PER_US},
                      Range::Within(0, LONGEST_PS),
                      "Receiver: a flow's next CNP comes when more than this has passed")
            .Duration("ScanPeriod",
                      &P::scanPeriodPs,
                      {1 * PS_PER_US},
                      Range::Within(1000, LONGEST_PS),
                      "Receiver: time between visits to two entries of its table")
            .Duration("EntryTimeout",
                      &P::entryTimeoutPs,
                      {200 * PS_PER_US},
                      Range::Within(0, LONGEST_PS),
                      "Receiver: an entry without a CNP for more than this is removed")
            .Duration("NewEntryAge",
                      &P::newEntryAgePs,
                      {50 * PS_PER_US},
                      Range::Within(0, LONGEST_PS),
                      "Receiver: a new entry counts as having had a CNP this long ago")
            .Duration("LeastTau",
                      &P::leastTauPs,
                      {50 * PS_PER_US},
                      Range::AboveUpTo(0, LONGEST_PS),
                      "Sender: X is the longest of this, tau and a full frame at the present rate")
            .Number("AlphaPeriods",
                    &P::alphaPeriods,
                    {1},
                    Range::Within(0.001, 1000),
                    "Alpha's timer, in X")
            .Number("IncreasePeriods",
                    &P::increasePeriods,
                    {2},
                    Range::Within(0.001, 1000),
                    "Increase timer, in X")
            .Number("Gain", &P::gain, {1.0 / 256}, Range::AboveUpTo(0, 1), "g of alpha's average")
            .Number("InitialAlpha", &P::initialAlpha, {1}, Range::Within(0, 1), "Alpha at first")
            .Rate("MinRate", &P::minRateBps, {1000000}, Range::Above(0), "Floor of the rate")
            .Count(
                "Threshold",
                &P::threshold,
                {1},
                Range::Within(1, 1000),
                "F: with T increases since the cut, T < F is fast recovery, T > F hyper increase")
            .Number("StepAlpha",
                    &P::stepAlpha,
                    {0.1},
                    Range::Within(0, 1),
                    "Additive steps are large while alpha is above this")
            .Number("AiRateShare",
                    &P::aiRateShare,
                    {0.2},
                    Range::AboveUpTo(0, GREATEST_SHARE),
                    "Large additive step: at most this share of the present rate")
            .Number("AiLineShare",
                    &P::aiLineShare,
                    {0.02},
                    Range::AboveUpTo(0, GREATEST_SHARE),
                    "Large additive step: at most this share of the line rate")
            .Number("LowAiRateShare",
                    &P::lowAiRateShare,
                    {0.1},
                    Range::AboveUpTo(0, GREATEST_SHARE),
                    "Small additive step: at most this share of the present rate")
            .Number("LowAiLineShare",
                    &P::lowAiLineShare,
                    {0.01},
                    Range::AboveUpTo(0, GREATEST_SHARE),
                    "Small additive step: at most this share of the line rate")
            .Number("HaiRateShare",
                    &P::haiRateShare,
                    {1},
                    Range::AboveUpTo(0, GREATEST_SHARE),
                    "Hyper step: at most this share of the present rate")
            .Number("HaiLineShare",
                    &P::haiLineShare,
                    {0.01},
                    Range::AboveUpTo(0, GREATEST_SHARE),
                    "Hyper step: at most max(1, T - HaiStages F + 1) times this share of the line "
                    "rate")
            .Number("HaiStages",
                    &P::haiStages,
                    {4},
                    Range::Within(0, 1000),
                    "Hyper steps grow from T = HaiStages F on")
            .Live()
            .Finish(FinishDcqcnPlus);
    return table;
}

TypeId
DcqcnPlus::GetTypeId()
{
    static const TypeId tid = DcqcnPlusParams::Table().AddTo(TypeId("ns3::roce::DcqcnPlus")
                                                                 .SetParent<CongestionControl>()
                                                                 .SetGroupName("Roce")
                                                                 .AddConstructor<DcqcnPlus>(),
                                                             &DcqcnPlus::m_plusParameters);
    return tid;
}

} // namespace ns3::roce
